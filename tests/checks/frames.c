/* frames CASE FILE: one small transfer for tests/checks/frames, which looks at the stack of its system calls. The cache
 * is smaller than what is moved, so that a write goes to the file at once. A read opens the file anew: what it needs of
 * the index comes from disk. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

enum { ROWS = 2048, COLUMNS = 512, CHUNK = 32, BUDGET = 1 << 20 };

static hid_t sure(hid_t answer, const char *what)
{
    if (answer < 0) {
        fprintf(stderr, "frames: %s failed\n", what);
        exit(1);
    }
    return answer;
}

static hid_t access_list(unsigned threads, int newer)
{
    hid_t fapl = sure(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION};
    sure(H5Pget_shared_chunk_cache(fapl, &settings), "H5Pget_shared_chunk_cache");
    settings.budget = BUDGET;
    settings.threads = threads;
    sure(H5Pset_shared_chunk_cache(fapl, &settings), "H5Pset_shared_chunk_cache");
    if (newer)
        sure(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110), "H5Pset_libver_bounds");
    return fapl;
}

static int32_t *elements(void)
{
    int32_t *data = malloc((size_t)ROWS * COLUMNS * sizeof *data);
    sure(data ? 0 : -1, "malloc");
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        data[i] = (int32_t)(i * 2654435761U >> 8);
    return data;
}

static hid_t create(hid_t file, int sparse, unsigned unlimited)
{
    static const unsigned level = 1;
    hsize_t dims[2] = {ROWS, COLUMNS}, chunk[2] = {CHUNK, CHUNK};
    hsize_t max[2] = {unlimited > 0 ? H5S_UNLIMITED : ROWS, unlimited > 1 ? H5S_UNLIMITED : COLUMNS};
    hid_t dcpl = sure(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    hid_t space = sure(H5Screate_simple(2, dims, max), "H5Screate_simple");
    if (sparse) {
        sure(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK), "H5Pset_struct_chunk");
        sure(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 0, sizeof level, &level), "H5Pset_filter2");
    } else {
        sure(H5Pset_chunk(dcpl, 2, chunk), "H5Pset_chunk");
        sure(H5Pset_deflate(dcpl, level), "H5Pset_deflate");
    }
    return sure(H5Dcreate2(file, "d", H5T_NATIVE_INT32, space, H5P_DEFAULT, dcpl, H5P_DEFAULT), "H5Dcreate2");
}

static void write_all(const char *path, hid_t fapl, int sparse, unsigned unlimited)
{
    int32_t *data = elements();
    hid_t file = sure(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl), "H5Fcreate");
    hid_t dset = create(file, sparse, unlimited);
    sure(H5Dwrite(dset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dwrite");
    H5Dclose(dset);
    H5Fclose(file);
    free(data);
}

static void read_all(const char *path)
{
    int32_t *data = elements();
    hid_t file = sure(H5Fopen(path, H5F_ACC_RDONLY, access_list(0, 0)), "H5Fopen");
    hid_t dset = sure(H5Dopen2(file, "d", H5P_DEFAULT), "H5Dopen2");
    sure(H5Dread(dset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dread");
    H5Dclose(dset);
    H5Fclose(file);
    free(data);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned threads;
        int newer, sparse;
        unsigned unlimited;
    } writes[] = {{"write", 0, 0, 0, 0},       {"write-beside", 3, 0, 0, 0}, {"sparse", 0, 0, 1, 0},
                  {"fixed-array", 0, 1, 0, 0}, {"ext-array", 0, 1, 0, 1},    {"btree2", 0, 1, 0, 2}};
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "read") == 0) {
        read_all(argv[2]);
        return 0;
    }
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        if (strcmp(argv[1], writes[i].name) == 0) {
            write_all(argv[2], access_list(writes[i].threads, writes[i].newer), writes[i].sparse, writes[i].unlimited);
            return 0;
        }
    return 2;
}
