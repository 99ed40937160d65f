/* swmr FOLDER [WORDS]: a SWMR writer that appends rows and flushes, and how soon a reader in another process sees them.
 * One line a case: title, seconds, checksum. */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 20000, COLUMNS = 1024, CHUNK_ROWS = 64, EVERY = 100, MOST = 100, SEEN_ROWS = 500, ROUNDS = 8 };

/* written: how many of the datasets get rows, by turns. */
static const struct swmr_case {
    const char *title;
    int datasets, written, latency;
} cases[] = {
    {"swmr: append, 1 dataset", 1, 1, 0},
    {"swmr: append, 1 of 10 datasets", 10, 1, 0},
    {"swmr: append, 1 of 100 datasets", 100, 1, 0},
    {"swmr: append, 10 of 10 datasets", 10, 10, 0},
    {"swmr: append, 100 of 100 datasets", 100, 100, 0},
    {"swmr: flush to visible, 1 dataset", 1, 1, 1},
    {"swmr: flush to visible, 1 of 100 datasets", 100, 1, 1},
};

/* Between writer and reader. The reader is forked before either touches the library. */
static struct shared {
    atomic_int job;     /* the number of a file that is there to be followed; -1: no more */
    atomic_int opened;  /* the number of the file that the reader has open; minus that: closed it */
    atomic_int visible; /* rows the reader has seen */
    double seen[SEEN_ROWS];
} * shared;

static pid_t reader;
static char path[4096];
static hid_t file, datasets[MOST];
static hsize_t lengths[MOST];
static float row[COLUMNS];

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "swmr: %s failed\n", what);
        exit(1);
    }
}

static void make(int n)
{
    hsize_t dims[2] = {0, COLUMNS}, max[2] = {H5S_UNLIMITED, COLUMNS}, chunk[2] = {CHUNK_ROWS, COLUMNS};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, dims, max);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(dcpl, 2, chunk);
    remove(path);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        datasets[i] = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        lengths[i] = 0;
    }
    must(H5Fstart_swmr_write(file) >= 0, "H5Fstart_swmr_write");
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(fapl);
}

static void done(int n)
{
    for (int i = 0; i < n; i++)
        H5Dclose(datasets[i]);
    must(H5Fclose(file) >= 0, "H5Fclose");
}

static void append(int which, int number)
{
    hsize_t start[2] = {lengths[which]++, 0}, count[2] = {1, COLUMNS}, now[2] = {lengths[which], COLUMNS};
    row[0] = (float)number;
    must(H5Dset_extent(datasets[which], now) >= 0, "H5Dset_extent");
    hid_t space = H5Dget_space(datasets[which]), mem = H5Screate_simple(2, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    must(H5Dwrite(datasets[which], H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, row) >= 0, "H5Dwrite");
    H5Sclose(mem);
    H5Sclose(space);
}

static void flush(const struct swmr_case *c)
{
    must((c->written == 1 ? H5Dflush(datasets[0]) : H5Fflush(file, H5F_SCOPE_LOCAL)) >= 0, "flush");
}

/* Of all that was written. */
static double checksum(int n)
{
    static float values[ROWS];
    double sum = 0;
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 0; i < n; i++) {
        hsize_t start[2] = {0, 0}, count[2] = {lengths[i], 1};
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        if (!lengths[i])
            continue;
        hid_t dset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dset);
        hid_t mem = H5Screate_simple(2, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        must(H5Dread(dset, H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, values) >= 0, "H5Dread");
        for (hsize_t k = 0; k < count[0]; k++)
            sum += (double)(k % 7 + 1) * values[k];
        H5Sclose(mem);
        H5Sclose(space);
        H5Dclose(dset);
    }
    H5Fclose(file);
    return sum;
}

static double time_appending(const struct swmr_case *c)
{
    double start = now();
    for (int i = 0; i < ROWS; i++) {
        append(i % c->written, i);
        if (i % EVERY == EVERY - 1)
            flush(c);
    }
    return now() - start;
}

static void wait_until(atomic_int *value, int wanted)
{
    while (atomic_load(value) != wanted) {
        must(waitpid(reader, NULL, WNOHANG) == 0, "the reader");
        sched_yield();
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the times from the call of flush to the row having been read. */
static double time_seeing(const struct swmr_case *c)
{
    static int job;
    double took[SEEN_ROWS];
    atomic_store(&shared->visible, 0);
    atomic_store(&shared->job, ++job);
    wait_until(&shared->opened, job);
    for (int i = 0; i < SEEN_ROWS; i++) {
        append(0, i);
        double start = now();
        flush(c);
        wait_until(&shared->visible, i + 1);
        took[i] = shared->seen[i] - start;
    }
    wait_until(&shared->opened, -job);
    qsort(took, SEEN_ROWS, sizeof *took, by_size);
    return took[SEEN_ROWS / 2];
}

static void see_row(hid_t dset, int i)
{
    hsize_t dims[2] = {0, 0}, start[2] = {(hsize_t)i, 0}, count[2] = {1, COLUMNS};
    hid_t space = -1;
    float values[COLUMNS];
    while (dims[0] <= (hsize_t)i) {
        if (space >= 0)
            H5Sclose(space);
        must(H5Drefresh(dset) >= 0, "H5Drefresh");
        space = H5Dget_space(dset);
        H5Sget_simple_extent_dims(space, dims, NULL);
    }
    hid_t mem = H5Screate_simple(2, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    must(H5Dread(dset, H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, values) >= 0, "H5Dread");
    shared->seen[i] = now();
    must(values[0] == (float)i && values[COLUMNS - 1] == row[COLUMNS - 1], "seeing the row whole");
    H5Sclose(mem);
    H5Sclose(space);
}

static void follow(int job)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t from = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, fapl), dset = H5Dopen2(from, "d0", H5P_DEFAULT);
    must(dset >= 0, "opening as a SWMR reader");
    atomic_store(&shared->opened, job);
    for (int i = 0; i < SEEN_ROWS; i++) {
        see_row(dset, i);
        atomic_store(&shared->visible, i + 1);
    }
    H5Dclose(dset);
    H5Fclose(from);
    H5Pclose(fapl);
    atomic_store(&shared->opened, -job);
}

static void start_reader(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED, "mmap");
    reader = fork();
    if (reader != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int job, last = 0; (job = atomic_load(&shared->job)) >= 0; last = job) {
        if (job != last)
            follow(job);
        usleep(1000);
    }
    _exit(0);
}

/* The best of some rounds: as many as two seconds hold. */
static void run(const struct swmr_case *c)
{
    double best = 1e9, check = 0, start = now();
    for (int i = 0; i < ROUNDS && (i < 2 || now() - start < 2); i++) {
        make(c->datasets);
        double took = c->latency ? time_seeing(c) : time_appending(c);
        best = took < best ? took : best;
        done(c->datasets);
        check = checksum(c->datasets);
    }
    printf("%s\t%.9f\t%.17g\n", c->title, best, check);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/swmr.h5", argv[1]);
    wander(row, COLUMNS);
    start_reader();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (!argv[2] || strstr(cases[i].title, argv[2]))
            run(&cases[i]);
    remove(path);
    atomic_store(&shared->job, -1);
    return waitpid(reader, NULL, 0) < 0;
}
