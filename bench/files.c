/* files FOLDER: makes what the reading benchmarks read, with stock libhdf5. */
#include "bench.h"

static const char *folder;

static hid_t create(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    return file;
}

struct shape {
    int rank;
    hsize_t dims[2], chunk[2]; /* chunk 0: contiguous */
    int deflate;
};

static void dataset(hid_t file, const char *name, const struct shape *s, hid_t type, const void *data)
{
    hid_t space = H5Screate_simple(s->rank, s->dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (s->chunk[0])
        H5Pset_chunk(dcpl, s->rank, s->chunk);
    if (s->deflate) {
        H5Pset_shuffle(dcpl);
        H5Pset_deflate(dcpl, (unsigned)s->deflate);
    }
    hid_t dset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void large_files(void)
{
    static const struct shape contiguous = {2, {LARGE_ROWS, LARGE_COLUMNS}, {0, 0}, 0};
    static const struct shape chunked = {2, {LARGE_ROWS, LARGE_COLUMNS}, {256, 1024}, 0};
    static const struct shape deflate = {2, {LARGE_ROWS, LARGE_COLUMNS}, {256, 1024}, 4};
    float *data = malloc(LARGE_ELEMENTS * sizeof *data);
    wander(data, LARGE_ELEMENTS);
    const struct {
        const char *name;
        const struct shape *shape;
    } files[] = {{"contiguous.h5", &contiguous}, {"chunked.h5", &chunked}, {"deflate.h5", &deflate}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        hid_t file = create(files[i].name);
        dataset(file, "data", files[i].shape, H5T_NATIVE_FLOAT, data);
        H5Fclose(file);
    }
    free(data);
}

static void integer_files(void)
{
    static const struct shape square = {2, {SQUARE, SQUARE}, {256, 256}, 0}, tiny = {1, {TINY}, {TINY_CHUNK}, 0};
    int *data = malloc(sizeof *data * SQUARE * SQUARE);
    unsigned seed = 1;
    for (size_t i = 0; i < (size_t)SQUARE * SQUARE; i++)
        data[i] = (int)(next_random(&seed) >> 16);
    hid_t file = create("square.h5");
    dataset(file, "data", &square, H5T_NATIVE_INT, data);
    H5Fclose(file);
    file = create("tiny.h5");
    dataset(file, "data", &tiny, H5T_NATIVE_INT, data);
    H5Fclose(file);
    free(data);
}

static void groups(int n)
{
    hid_t file = create("groups.h5"), space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "group%06d", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hid_t attr = H5Acreate2(group, "number", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attr, H5T_NATIVE_INT, &i);
        H5Aclose(attr);
        H5Gclose(group);
    }
    H5Sclose(space);
    H5Fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    large_files();
    integer_files();
    groups(20000);
    return 0;
}
