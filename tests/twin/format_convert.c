/* H5Dformat_convert: datasets become what release 1.8 reads. Not those whose chunks are in a B-tree of version 2: stock
 * libhdf5 loses chunks of them. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *name;
    int layout; /* 0 contiguous, 1 compact, 2 chunked */
    hsize_t rows, most[2], chunk[2];
    int deflate, early, dont_filter_partial, written;
};

static const struct kind kinds[] = {
    {"contiguous", 0, 10, {10, 10}, {0, 0}, 0, 0, 0, 1},
    {"compact", 1, 10, {10, 10}, {0, 0}, 0, 0, 0, 1},
    {"single", 2, 10, {10, 10}, {10, 10}, 0, 0, 0, 1},
    {"single-deflate", 2, 10, {10, 10}, {10, 10}, 1, 0, 0, 1},
    {"implicit", 2, 10, {10, 10}, {4, 4}, 0, 1, 0, 1},
    {"fixed", 2, 10, {10, 10}, {4, 4}, 0, 0, 0, 1},
    {"fixed-deflate", 2, 10, {10, 10}, {4, 4}, 1, 0, 0, 1},
    {"fixed-edge", 2, 10, {10, 10}, {4, 4}, 1, 0, 1, 1},
    {"extensible", 2, 10, {H5S_UNLIMITED, 10}, {4, 4}, 0, 0, 0, 1},
    {"extensible-edge", 2, 10, {H5S_UNLIMITED, 10}, {4, 4}, 1, 0, 1, 1},
    {"large", 2, 400, {H5S_UNLIMITED, 10}, {1, 5}, 0, 0, 0, 1},
    {"unwritten", 2, 10, {H5S_UNLIMITED, 10}, {4, 4}, 0, 0, 0, 0},
};

#define N_KINDS (sizeof kinds / sizeof *kinds)

static void make(hid_t file, const struct kind *k)
{
    static int values[4000];
    hsize_t dims[2] = {k->rows, 10}, most[2] = {k->most[0] == 10 ? k->rows : k->most[0], k->most[1]};
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    for (hsize_t i = 0; i < k->rows * 10; i++)
        values[i] = (int)i;
    if (k->layout == 1)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (k->layout == 2)
        H5Pset_chunk(dcpl, 2, k->chunk);
    if (k->deflate)
        H5Pset_deflate(dcpl, 4);
    if (k->early)
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    if (k->dont_filter_partial)
        H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    hid_t dset = H5Dcreate2(file, k->name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (k->written)
        H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dset);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static long sum(hid_t dset)
{
    static int values[8000];
    long total = 0;
    memset(values, 0, sizeof values);
    if (H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return -1;
    for (int i = 0; i < 8000; i++)
        total += (long)values[i] * (i + 1);
    return total;
}

/* The dataset lives on: it is written, and grows when it can. */
static void go_on(hid_t dset, const struct kind *k)
{
    hsize_t dims[2] = {k->rows + 7, 10}, start[2] = {k->rows - 3, 2}, count[2] = {2, 7}, one[1] = {14};
    int values[14];
    if (k->layout == 2 && k->most[0] == H5S_UNLIMITED) {
        printf(" grow %d", H5Dset_extent(dset, dims));
        start[0] += 6;
    }
    for (int i = 0; i < 14; i++)
        values[i] = -i;
    hid_t space = H5Dget_space(dset), mem = H5Screate_simple(1, one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    printf(" write %d", H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values));
    H5Sclose(mem);
    H5Sclose(space);
}

static void show(const char *when)
{
    hid_t file = H5Fopen("convert.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    puts(when);
    for (size_t i = 0; i < N_KINDS; i++) {
        H5D_chunk_index_t index = (H5D_chunk_index_t)9;
        hid_t dset = H5Dopen2(file, kinds[i].name, H5P_DEFAULT);
        if (kinds[i].layout == 2)
            H5Dget_chunk_index_type(dset, &index);
        printf("  %s: index %d values %ld\n", kinds[i].name, (int)index, sum(dset));
        H5Dclose(dset);
    }
    H5Fclose(file);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate("convert.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    for (size_t i = 0; i < N_KINDS; i++)
        make(file, &kinds[i]);
    H5Fclose(file);
    H5Pclose(fapl);
    show("before");
    /* Stock libhdf5 takes the old index for the right one until the file is closed. */
    for (size_t i = 0; i < N_KINDS; i++) {
        file = H5Fopen("convert.h5", H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t dset = H5Dopen2(file, kinds[i].name, H5P_DEFAULT);
        printf("%s: convert %d\n", kinds[i].name, H5Dformat_convert(dset));
        H5Dclose(dset);
        H5Fclose(file);
    }
    show("after");
    file = H5Fopen("convert.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    for (size_t i = 0; i < N_KINDS; i++) {
        hid_t dset = H5Dopen2(file, kinds[i].name, H5P_DEFAULT);
        printf("%s:", kinds[i].name);
        go_on(dset, &kinds[i]);
        puts("");
        H5Dclose(dset);
    }
    H5Fclose(file);
    show("and later");
    file = H5Fopen("convert.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dset = H5Dopen2(file, "fixed", H5P_DEFAULT);
    printf("no dataset %d %d\n", H5Dformat_convert(file), H5Dformat_convert(-1));
    H5Dclose(dset);
    H5Fclose(file);
    return 0;
}
