/* What the chunk queries and direct chunk I/O answer on every index: chunks in the cache and in the file, masks, edge
 * chunks, missing ones, places outside, extents that change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

#define U H5S_UNLIMITED

struct dataset {
    const char *name;
    int rank;
    hsize_t dims[2], max[2], chunk[2];
    int fletcher, early, partial; /* partial: chunks at the edge are not filtered */
};

static const struct dataset datasets[] = {
    {"single", 2, {10, 8}, {10, 8}, {10, 8}, 0, 0, 0},
    {"single_fletcher", 2, {10, 8}, {10, 8}, {10, 8}, 1, 0, 0},
    {"implicit", 2, {20, 30}, {40, 33}, {3, 4}, 0, 1, 0},
    {"fixed", 2, {20, 30}, {40, 33}, {3, 4}, 0, 0, 0},
    {"fixed_fletcher", 2, {20, 30}, {40, 33}, {3, 4}, 1, 0, 0},
    {"fixed_partial", 2, {20, 30}, {40, 33}, {3, 4}, 1, 0, 1},
    {"fixed_pages", 1, {6001}, {8001}, {2}, 0, 0, 0},
    {"ext", 1, {3001}, {U}, {4}, 0, 0, 0},
    {"ext_fletcher", 2, {100, 11}, {U, 14}, {3, 4}, 1, 0, 0},
    {"btree", 2, {100, 100}, {U, U}, {3, 2}, 0, 0, 0},
    {"btree_fletcher", 2, {100, 100}, {U, U}, {3, 2}, 1, 0, 0},
};

static unsigned state;

static unsigned draw(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % n;
}

static int is_single(const struct dataset *t)
{
    return strncmp(t->name, "single", 6) == 0;
}

static hid_t create(hid_t f, const struct dataset *t)
{
    hid_t space = H5Screate_simple(t->rank, t->dims, t->max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, t->rank, t->chunk);
    if (t->fletcher)
        H5Pset_fletcher32(dcpl);
    if (t->early)
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    if (t->partial)
        H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    hid_t d = H5Dcreate2(f, t->name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return d;
}

static void random_chunk(const struct dataset *t, const hsize_t *dims, hsize_t *offset)
{
    for (int i = 0; i < t->rank; i++)
        offset[i] = draw((unsigned)dims[i]) / t->chunk[i] * t->chunk[i];
}

static size_t chunk_bytes(const struct dataset *t)
{
    return sizeof(int) * t->chunk[0] * (t->rank > 1 ? t->chunk[1] : 1);
}

static void write_elements(hid_t d, const struct dataset *t, const hsize_t *dims)
{
    int values[128];
    hsize_t offset[2], count[2];
    hid_t space = H5Dget_space(d);
    random_chunk(t, dims, offset);
    for (int i = 0; i < t->rank; i++)
        count[i] = dims[i] - offset[i] < t->chunk[i] ? dims[i] - offset[i] : t->chunk[i];
    for (int i = 0; i < 128; i++)
        values[i] = (int)draw(1000);
    hid_t mem = H5Screate_simple(t->rank, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, NULL, count, NULL);
    if (H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values) < 0)
        printf("    write fails\n");
    H5Sclose(mem);
    H5Sclose(space);
}

/* As if the filter had failed, unless there is none. */
static void write_direct(hid_t d, const struct dataset *t, const hsize_t *dims)
{
    int values[128];
    hsize_t offset[2];
    random_chunk(t, dims, offset);
    for (int i = 0; i < 128; i++)
        values[i] = (int)draw(1000);
    if (H5Dwrite_chunk(d, H5P_DEFAULT, t->fletcher ? 1 : 0, offset, chunk_bytes(t), values) < 0)
        printf("    direct write fails\n");
}

/* Addresses are the library's own affair: only whether there are any. */
static void show(const char *what, herr_t r, unsigned mask, haddr_t addr, hsize_t size)
{
    printf(" %s %d mask %u %s size %llu", what, r, mask, addr == HADDR_UNDEF ? "nowhere" : "there",
           (unsigned long long)size);
}

/* What lies behind the edge of the extent nobody reads. */
static unsigned sum_inside(const struct dataset *t, const hsize_t *dims, const hsize_t *offset, const int *chunk)
{
    hsize_t columns = t->rank > 1 ? t->chunk[1] : 1;
    unsigned sum = 7;
    for (hsize_t i = 0; i < t->chunk[0]; i++)
        for (hsize_t k = 0; k < columns; k++)
            if (offset[0] + i < dims[0] && (t->rank == 1 || offset[1] + k < dims[1]))
                sum = sum * 31 + (unsigned)chunk[i * columns + k];
    return sum;
}

static void show_at(hid_t d, const struct dataset *t, const hsize_t *dims, const hsize_t *offset)
{
    int raw[256];
    unsigned mask = 4711;
    uint32_t filters = 4711;
    haddr_t addr = 1;
    hsize_t size = 4711, stored = 4711;
    int inside = 1;
    herr_t r = H5Dget_chunk_info_by_coord(d, offset, &mask, &addr, &size);
    printf("    at %llu %llu:", (unsigned long long)offset[0], (unsigned long long)(t->rank > 1 ? offset[1] : 0));
    show("by", r, mask, addr, size);
    for (int i = 0; i < t->rank; i++)
        inside = inside && offset[i] < dims[i];
    if (inside) { /* stock answers with other chunks outside */
        r = H5Dget_chunk_storage_size(d, offset, &stored);
        printf(" storage %d %llu", r, (unsigned long long)stored);
        r = H5Dread_chunk(d, H5P_DEFAULT, offset, &filters, raw);
        printf(" read %d", r);
        if (is_single(t)) /* stock remembers the mask from before it was written directly */
            filters = mask;
        if (r >= 0)
            printf(" filters %u sum %x", filters, sum_inside(t, dims, offset, raw));
    }
    printf("\n");
}

static void show_all(hid_t d, const struct dataset *t, const hsize_t *dims)
{
    hid_t space = H5Dget_space(d);
    hsize_t n = 4711, offset[2];
    herr_t r = H5Dget_num_chunks(d, space, &n);
    printf("  chunks %d %llu\n", r, (unsigned long long)n);
    for (hsize_t i = 0; i < n + 2; i++) {
        unsigned mask = 4711;
        haddr_t addr = 1;
        hsize_t size = 4711;
        offset[0] = offset[1] = 4711;
        if (i > 40 && i < n - 5)
            continue;
        r = H5Dget_chunk_info(d, space, i, offset, &mask, &addr, &size);
        printf("    %llu: at %llu %llu", (unsigned long long)i, (unsigned long long)offset[0],
               (unsigned long long)offset[1]);
        show("info", r, mask, addr, size);
        printf("\n");
    }
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < t->rank; k++)
            offset[k] = draw((unsigned)dims[k] + 5);
        if (i % 2)
            for (int k = 0; k < t->rank; k++)
                offset[k] -= offset[k] % t->chunk[k];
        show_at(d, t, dims, offset);
    }
    H5Sclose(space);
}

static void show_mistakes(hid_t f, hid_t d)
{
    hsize_t n = 1, offset[2] = {0}, size = 1;
    unsigned mask = 1;
    uint32_t filters;
    haddr_t addr = 1;
    hid_t space = H5Dget_space(d);
    int value[128];
    printf("  mistakes: %d %d %d", H5Dget_num_chunks(d, space, NULL), H5Dget_num_chunks(f, space, &n),
           H5Dget_num_chunks(d, f, &n));
    printf(" %d %d", H5Dget_chunk_info(d, space, 0, NULL, NULL, NULL, NULL),
           H5Dget_chunk_info(d, f, 0, offset, &mask, &addr, &size));
    printf(" %d %d", H5Dget_chunk_info(d, space, 0, NULL, NULL, NULL, &size),
           H5Dget_chunk_info(d, space, 0, NULL, NULL, &addr, NULL));
    printf(" %d %d", H5Dget_chunk_info_by_coord(d, NULL, &mask, &addr, &size),
           H5Dget_chunk_info_by_coord(d, offset, NULL, NULL, NULL));
    printf(" %d", H5Dget_chunk_info_by_coord(d, offset, &mask, NULL, NULL));
    printf(" %d %d", H5Dread_chunk(d, H5P_DEFAULT, NULL, &filters, value),
           H5Dread_chunk(d, H5P_DEFAULT, offset, NULL, value));
    printf(" %d %d %d\n", H5Dwrite_chunk(d, H5P_DEFAULT, 0, NULL, 4, value),
           H5Dwrite_chunk(d, H5P_DEFAULT, 0, offset, 0, value), H5Dwrite_chunk(d, H5P_DEFAULT, 0, offset, 4, NULL));
    H5Sclose(space);
}

static void run(hid_t f, const struct dataset *t)
{
    hsize_t dims[2] = {t->dims[0], t->dims[1]};
    hid_t d = create(f, t);
    printf("%s: empty\n", t->name);
    show_all(d, t, dims);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 25; i++)
            write_elements(d, t, dims);
        printf("%s: written\n", t->name);
        show_all(d, t, dims);
        for (int i = 0; i < 10; i++)
            write_direct(d, t, dims);
        printf("%s: written directly\n", t->name);
        show_all(d, t, dims);
        if (!is_single(t)) {
            dims[0] = round == 0 ? t->dims[0] / 2 : t->dims[0] - 1;
            printf("%s: resized %d\n", t->name, H5Dset_extent(d, dims));
            show_all(d, t, dims);
        }
    }
    show_mistakes(f, d);
    H5Dclose(d);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int latest = 0; latest < 2; latest++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        if (latest)
            H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        hid_t f = H5Fcreate("chunk_query.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        size_t n = sizeof datasets / sizeof *datasets;
        state = 12345;
        for (size_t i = 0; i < n; i++)
            run(f, &datasets[i]);
        H5Fclose(f);
        f = H5Fopen("chunk_query.h5", H5F_ACC_RDONLY, fapl);
        for (size_t i = 0; i < n; i++) {
            hsize_t dims[2];
            hid_t d = H5Dopen2(f, datasets[i].name, H5P_DEFAULT), space = H5Dget_space(d);
            H5Sget_simple_extent_dims(space, dims, NULL);
            printf("%s: read only\n", datasets[i].name);
            show_all(d, &datasets[i], dims);
            H5Sclose(space);
            H5Dclose(d);
        }
        H5Fclose(f);
        H5Pclose(fapl);
    }
    remove("chunk_query.h5");
    return 0;
}
