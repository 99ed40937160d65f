/* read FOLDER [WORDS]: times reading what `files` made. */
#include "bench.h"

#include <fcntl.h>
#include <unistd.h>

enum { POINTS = 1000000, ROWS = 100, RUNS = 10000, PIECE = 1 << 20 };

static const char *folder;
/* Of the large dataset's size, from malloc as in most programs; its pages are there before anything is timed. */
static float *buffer;
static hsize_t *coords; /* of points */
static double answer;

static void path_of(const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/%s", folder, name);
}

static hid_t open_file(const char *name)
{
    char path[4096];
    path_of(name, path);
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

static void prepare_buffer(void)
{
    if (!buffer)
        buffer = malloc(LARGE_ELEMENTS * sizeof *buffer);
    for (size_t i = 0; i < LARGE_ELEMENTS; i += 1024)
        buffer[i] = -1;
}

static void read_whole(const struct bench_case *c)
{
    hid_t file = open_file(c->file), dset = H5Dopen2(file, "data", H5P_DEFAULT);
    H5Dread(dset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
    H5Dclose(dset);
    H5Fclose(file);
}

static double check_whole(const struct bench_case *c)
{
    (void)c;
    double sum = 0;
    for (size_t i = 0; i < LARGE_ELEMENTS; i += 509)
        sum += (double)(i % 7) * buffer[i];
    return sum;
}

/* What a program that knows where the bytes are would do. */
static void copy_file(const struct bench_case *c)
{
    char path[4096], *to = (char *)buffer;
    void *piece;
    path_of(c->file, path);
    int fd = open(path, O_RDONLY);
    if (fd < 0 || posix_memalign(&piece, 4096, PIECE) != 0)
        exit(1);
    size_t left = LARGE_ELEMENTS * sizeof *buffer;
    for (off_t at = 0; left > 0; at += PIECE, left -= PIECE, to += PIECE) {
        if (pread(fd, piece, PIECE, at) != PIECE)
            exit(1);
        memcpy(to, piece, PIECE);
    }
    free(piece);
    close(fd);
}

static double check_bytes(const struct bench_case *c)
{
    (void)c;
    unsigned sum = 0;
    for (size_t i = 0; i < LARGE_ELEMENTS * sizeof *buffer; i += 509)
        sum += ((unsigned char *)buffer)[i];
    return sum;
}

static void prepare_points(void)
{
    prepare_buffer();
    if (!coords)
        coords = malloc(2 * POINTS * sizeof *coords);
    unsigned seed = 1;
    for (int i = 0; i < 2 * POINTS; i++)
        coords[i] = next_random(&seed) >> 19;
}

static void read_points(const struct bench_case *c)
{
    const hsize_t n = POINTS;
    hid_t file = open_file(c->file), dset = H5Dopen2(file, "data", H5P_DEFAULT);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_elements(space, H5S_SELECT_SET, POINTS, coords);
    H5Dread(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buffer);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    H5Fclose(file);
}

static double check_integers(const struct bench_case *c)
{
    (void)c;
    double sum = 0;
    for (int i = 0; i < POINTS; i++)
        sum += (double)(i % 7) * ((int *)buffer)[i];
    return sum;
}

static void read_tiny(const struct bench_case *c)
{
    hid_t file = open_file(c->file), dset = H5Dopen2(file, "data", H5P_DEFAULT);
    H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
    H5Dclose(dset);
    H5Fclose(file);
}

static void read_rows(const struct bench_case *c)
{
    const hsize_t count[2] = {1, LARGE_COLUMNS};
    unsigned seed = 1;
    hid_t file = open_file(c->file), dset = H5Dopen2(file, "data", H5P_DEFAULT);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(2, count, NULL);
    for (int i = 0; i < ROWS; i++) {
        hsize_t start[2] = {next_random(&seed) >> 19, 0};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        H5Dread(dset, H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, buffer + (size_t)i * LARGE_COLUMNS);
    }
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    H5Fclose(file);
}

static herr_t read_group(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    (void)info;
    int value = 0;
    hid_t group = H5Gopen2(root, name, H5P_DEFAULT), attr = H5Aopen(group, "number", H5P_DEFAULT);
    H5Aread(attr, H5T_NATIVE_INT, &value);
    H5Aclose(attr);
    H5Gclose(group);
    *(double *)data += value;
    return 0;
}

static void read_groups(const struct bench_case *c)
{
    answer = 0;
    hid_t file = open_file(c->file);
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, read_group, &answer);
    H5Fclose(file);
}

static void union_of_runs(const struct bench_case *c)
{
    (void)c;
    const hsize_t dims[2] = {8192, 8192}, count[2] = {1, 8};
    unsigned seed = 1;
    hid_t space = H5Screate_simple(2, dims, NULL);
    H5Sselect_none(space);
    for (int i = 0; i < RUNS; i++) {
        hsize_t start[2] = {next_random(&seed) >> 19, 0};
        start[1] = (next_random(&seed) >> 19) % 8184;
        H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL);
    }
    answer = (double)H5Sget_select_npoints(space);
    H5Sclose(space);
}

static double check_answer(const struct bench_case *c)
{
    (void)c;
    return answer;
}

static const struct bench_case cases[] = {
    {"512 MiB contiguous", 5, prepare_buffer, read_whole, check_whole, "contiguous.h5"},
    {"  pread + memcpy, contiguous", 5, prepare_buffer, copy_file, check_bytes, "contiguous.h5"},
    {"512 MiB in chunks of 256x1024", 5, prepare_buffer, read_whole, check_whole, "chunked.h5"},
    {"  pread + memcpy, in chunks", 5, prepare_buffer, copy_file, check_bytes, "chunked.h5"},
    {"512 MiB, shuffle + deflate 4", 2, prepare_buffer, read_whole, check_whole, "deflate.h5"},
    {"100 random rows of 64 KiB, contiguous", 5, prepare_buffer, read_rows, check_integers, "contiguous.h5"},
    {"100 random rows, shuffle + deflate 4", 1, prepare_buffer, read_rows, check_integers, "deflate.h5"},
    {"1 M random points, chunks of 256x256", 2, prepare_points, read_points, check_integers, "square.h5"},
    {"1 M int32 in chunks of 16", 3, prepare_buffer, read_tiny, check_integers, "tiny.h5"},
    {"20,000 groups, an attribute each", 2, NULL, read_groups, check_answer, "groups.h5"},
    {"union of 10,000 random runs", 1, NULL, union_of_runs, check_answer, ""},
};

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    folder = argv[1];
    run_cases(cases, sizeof cases / sizeof cases[0], argv[2]);
    return 0;
}
