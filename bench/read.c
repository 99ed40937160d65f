/* read FOLDER: times reading, one line a case: name, best of three in seconds. The checksum keeps both sides honest. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *folder;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hid_t open_file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

static double read_all(const char *name)
{
    static float *buf;
    if (!buf) {
        buf = malloc(8192 * 8192 * sizeof *buf);
        memset(buf, 1, 8192 * 8192 * sizeof *buf);
    }
    hid_t file = open_file("data.h5"), dset = H5Dopen2(file, name, H5P_DEFAULT);
    H5Dread(dset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf);
    H5Dclose(dset);
    H5Fclose(file);
    return buf[999999];
}

static double read_points(const char *name)
{
    enum { N = 1000000 };
    hsize_t *coords = malloc(2 * N * sizeof *coords), n = N;
    float *buf = malloc(N * sizeof *buf);
    unsigned seed = 1;
    for (int i = 0; i < 2 * N; i++) {
        seed = seed * 1664525 + 1013904223;
        coords[i] = seed >> 19;
    }
    hid_t file = open_file("data.h5"), dset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_elements(space, H5S_SELECT_SET, N, coords);
    H5Dread(dset, H5T_NATIVE_FLOAT, mem, space, H5P_DEFAULT, buf);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += buf[i];
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(dset);
    H5Fclose(file);
    free(buf);
    free(coords);
    return sum;
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

static double read_groups(const char *name)
{
    (void)name;
    double sum = 0;
    hid_t file = open_file("groups.h5");
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, read_group, &sum);
    H5Fclose(file);
    return sum;
}

static double union_of_runs(const char *name)
{
    int n = atoi(name);
    const hsize_t dims[2] = {8192, 8192}, count[2] = {1, 8};
    unsigned seed = 1;
    hid_t space = H5Screate_simple(2, dims, NULL);
    H5Sselect_none(space);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        hsize_t start[2] = {seed >> 19, 0};
        seed = seed * 1664525 + 1013904223;
        start[1] = (seed >> 19) % 8184;
        H5Sselect_hyperslab(space, H5S_SELECT_OR, start, NULL, count, NULL);
    }
    double points = (double)H5Sget_select_npoints(space);
    H5Sclose(space);
    return points;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *title;
        double (*run)(const char *name);
        const char *name;
    } cases[] = {
        {"256 MiB float32, contiguous", read_all, "contiguous"},
        {"256 MiB float32, chunks of 256x256", read_all, "chunked"},
        {"256 MiB float32, shuffle + deflate 4", read_all, "deflate"},
        {"1 M floats in chunks of 4x4", read_all, "tiny chunks"},
        {"1 M random points, chunks of 256x256", read_points, "chunked"},
        {"20,000 groups, an attribute each", read_groups, ""},
        {"union of 10,000 random runs", union_of_runs, "10000"},
    };
    if (argc != 2)
        return 2;
    folder = argv[1];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double best = 1e9, check = 0;
        for (int repeat = 0; repeat < 3; repeat++) {
            double start = now();
            check = cases[i].run(cases[i].name);
            double took = now() - start;
            best = took < best ? took : best;
        }
        printf("%s\t%.6f\t%.17g\n", cases[i].title, best, check);
        fflush(stdout);
    }
    return 0;
}
