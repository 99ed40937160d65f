/* threads FOLDER [WORDS]: two compressed datasets of a file, read by one thread one after the other and by two threads
 * at once. One line a case: title, seconds with one, seconds with two, checksum. For Tessera only. */
#include "bench.h"

#include <pthread.h>

enum { ROUNDS = 5 };

struct reader {
    const char *name;
    hid_t file;
    float *buffer;
};

static struct reader readers[2] = {{.name = "left"}, {.name = "right"}};

static void *read_one(void *reader)
{
    struct reader *r = reader;
    hid_t dset = H5Dopen2(r->file, r->name, H5P_DEFAULT);
    H5Dread(dset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->buffer);
    H5Dclose(dset);
    return NULL;
}

static void read_in_turn(void)
{
    read_one(&readers[0]);
    read_one(&readers[1]);
}

static void read_at_once(void)
{
    pthread_t other;
    pthread_create(&other, NULL, read_one, &readers[1]);
    read_one(&readers[0]);
    pthread_join(other, NULL);
}

static double timed(const char *path, hid_t fapl, void (*read)(void))
{
    readers[0].file = readers[1].file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    double start = now();
    read();
    double took = now() - start;
    H5Fclose(readers[0].file);
    return took;
}

static double checksum(void)
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < (size_t)PAIR_ROWS * LARGE_COLUMNS; k += 509)
            sum += (double)(k % 7) * readers[i].buffer[k];
    return sum;
}

static void run(const char *path, const char *title, unsigned threads)
{
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pget_shared_chunk_cache(fapl, &settings);
    settings.threads = threads;
    H5Pset_shared_chunk_cache(fapl, &settings);
    double one = 1e9, two = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double took = timed(path, fapl, read_in_turn);
        one = took < one ? took : one;
        took = timed(path, fapl, read_at_once);
        two = took < two ? took : two;
    }
    H5Pclose(fapl);
    printf("%s\t%.6f\t%.6f\t%.17g\n", title, one, two, checksum());
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *title;
        unsigned threads;
    } cases[] = {
        {"two datasets, no worker threads", 0},
        {"two datasets, worker threads", H5F_CHUNK_CACHE_THREADS_DEFAULT},
    };
    char path[4096];
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/pair.h5", argv[1]);
    for (int i = 0; i < 2; i++) {
        readers[i].buffer = malloc(sizeof(float) * PAIR_ROWS * LARGE_COLUMNS);
        for (size_t k = 0; k < (size_t)PAIR_ROWS * LARGE_COLUMNS; k += 512)
            readers[i].buffer[k] = -1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (!argv[2] || strstr(cases[i].title, argv[2]))
            run(path, cases[i].title, cases[i].threads);
    return 0;
}
