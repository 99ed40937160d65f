/* Chunks of every index written in random order, with the extent going up and down, in the old and the new formats:
 * what is read after each reopening, and which chunks there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

#define FILL (-7)

struct dataset {
    const char *name;
    int rank;
    hsize_t dims[2], max[2], chunk[2], most[2]; /* most: as far as it grows */
    int deflate, early, writes;
};

#define U H5S_UNLIMITED

static const struct dataset datasets[] = {
    {"single", 2, {10, 8}, {10, 8}, {10, 8}, {10, 8}, 0, 0, 5},
    {"single_deflate", 2, {10, 8}, {10, 8}, {10, 8}, {10, 8}, 1, 0, 5},
    {"implicit", 2, {20, 30}, {40, 33}, {3, 4}, {40, 33}, 0, 1, 200},
    {"fixed", 2, {20, 30}, {40, 33}, {3, 4}, {40, 33}, 0, 0, 200},
    {"fixed_deflate", 2, {20, 30}, {40, 33}, {3, 4}, {40, 33}, 1, 0, 200},
    {"fixed_pages", 1, {6000}, {8001}, {2}, {8001}, 0, 0, 1500},
    {"ext", 1, {30000}, {U}, {4}, {60000}, 0, 0, 1500},
    {"ext_second", 2, {11, 300}, {14, U}, {4, 3}, {14, 900}, 1, 0, 600},
    {"btree", 2, {100, 100}, {U, U}, {2, 2}, {300, 300}, 0, 0, 3000},
    {"btree_deflate", 2, {100, 100}, {U, U}, {2, 2}, {100, 100}, 1, 0, 1000},
};

static unsigned state;

static unsigned draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void must(const char *what, hid_t status)
{
    if (status < 0) {
        printf("%s fails\n", what);
        exit(1);
    }
}

static hid_t create(hid_t f, const struct dataset *t)
{
    int fill = FILL;
    hid_t space = H5Screate_simple(t->rank, t->dims, t->max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    must("chunk", H5Pset_chunk(dcpl, t->rank, t->chunk));
    must("fill", H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
    if (t->deflate)
        must("deflate", H5Pset_deflate(dcpl, 1));
    if (t->early)
        must("alloc time", H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    hid_t d = H5Dcreate2(f, t->name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    must("create", d);
    H5Pclose(dcpl);
    H5Sclose(space);
    return d;
}

static void resize(hid_t d, const struct dataset *t, hsize_t *dims)
{
    unsigned i = draw() % (unsigned)t->rank;
    hsize_t size = draw() % (t->most[i] + 1);
    if (draw() % 2 && size < dims[i])
        return;
    dims[i] = size;
    must("set extent", H5Dset_extent(d, dims));
}

/* One chunk, or what of it lies in the extent. */
static void write_chunk(hid_t d, const struct dataset *t, const hsize_t *dims, int value)
{
    hsize_t start[2], count[2];
    int buf[80];
    for (int i = 0; i < t->rank; i++) {
        if (dims[i] == 0)
            return;
        start[i] = draw() % ((dims[i] + t->chunk[i] - 1) / t->chunk[i]) * t->chunk[i];
        count[i] = start[i] + t->chunk[i] <= dims[i] ? t->chunk[i] : dims[i] - start[i];
    }
    for (int i = 0; i < 80; i++)
        buf[i] = value + (value % 3 ? i : 0);
    hid_t in_file = H5Dget_space(d), in_memory = H5Screate_simple(t->rank, count, NULL);
    must("select", H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL));
    must("write", H5Dwrite(d, H5T_NATIVE_INT, in_memory, in_file, H5P_DEFAULT, buf));
    H5Sclose(in_memory);
    H5Sclose(in_file);
}

static void work(hid_t f, const struct dataset *t, int first)
{
    hsize_t dims[2];
    hid_t d = first ? create(f, t) : H5Dopen2(f, t->name, H5P_DEFAULT);
    must("open", d);
    hid_t space = H5Dget_space(d);
    H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    for (int i = 0; i < t->writes; i++)
        if (draw() % 200 == 0)
            resize(d, t, dims);
        else
            write_chunk(d, t, dims, (int)(draw() % 100000));
    must("close", H5Dclose(d));
}

static unsigned long hash(unsigned long h, const void *p, size_t n)
{
    for (const unsigned char *at = p; n-- > 0; at++)
        h = (h ^ *at) * 1099511628211UL;
    return h;
}

/* Where they are is not asked when only a later dimension is unlimited: libhdf5 then mixes up the dimensions. */
static void show_chunks(hid_t d, const struct dataset *t)
{
    int told = t->max[0] == U || t->max[1] != U;
    hsize_t n, offset[2];
    unsigned mask;
    unsigned long h = 14695981039346656037UL;
    hid_t space = H5Dget_space(d);
    must("number of chunks", H5Dget_num_chunks(d, space, &n));
    for (hsize_t i = 0; told && i < n && i < 300; i++) {
        must("chunk", H5Dget_chunk_info(d, space, i, offset, &mask, NULL, NULL));
        h = hash(h, offset, (size_t)t->rank * sizeof *offset);
        h = hash(h, &mask, sizeof mask);
    }
    printf(" %llu chunks %016lx", (unsigned long long)n, h);
    H5Sclose(space);
}

static void show(hid_t f, const struct dataset *t)
{
    hid_t d = H5Dopen2(f, t->name, H5P_DEFAULT), space = H5Dget_space(d);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    int *buf = malloc((size_t)(n + 1) * sizeof *buf);
    must("read", H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf));
    printf("%s: %lld elements %016lx,", t->name, (long long)n,
           hash(14695981039346656037UL, buf, (size_t)n * sizeof *buf));
    show_chunks(d, t);
    if (!t->deflate)
        printf(", %llu bytes", (unsigned long long)H5Dget_storage_size(d));
    printf("\n");
    free(buf);
    H5Sclose(space);
    H5Dclose(d);
}

static void run(H5F_libver_t low)
{
    const size_t n = sizeof datasets / sizeof *datasets;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    must("bounds", H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST));
    state = 4711;
    for (int round = 0; round < 3; round++) {
        hid_t f = round == 0 ? H5Fcreate("chunks.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl)
                             : H5Fopen("chunks.h5", H5F_ACC_RDWR, fapl);
        must("file", f);
        for (size_t i = 0; i < n; i++)
            work(f, &datasets[i], round == 0);
        must("close file", H5Fclose(f));
        f = H5Fopen("chunks.h5", H5F_ACC_RDONLY, fapl);
        printf("round %d\n", round);
        for (size_t i = 0; i < n; i++)
            show(f, &datasets[i]);
        H5Fclose(f);
    }
    H5Pclose(fapl);
}

int main(void)
{
    run(H5F_LIBVER_EARLIEST);
    run(H5F_LIBVER_LATEST);
    return 0;
}
