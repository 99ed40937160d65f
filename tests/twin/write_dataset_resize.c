/* Datasets that grow and shrink: extents, storage and data after each step. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "twin_dataset_resize.h5"

static hid_t file;
static unsigned long state = 1;

static unsigned next(unsigned below)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)((state >> 33) % below);
}

struct kind {
    const char *name;
    hsize_t max[2];
    int filter, alloc, fill_time, partial;
};

static void show(hid_t dset, const char *what, int status_too)
{
    hsize_t dims[2] = {0}, max[2];
    hid_t space = H5Dget_space(dset);
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
    unsigned long sum = 5381;
    H5Sget_simple_extent_dims(space, dims, max);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    int *data = malloc((n + 1) * sizeof *data);
    herr_t got = H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    for (size_t i = 0; got >= 0 && i < n; i++)
        sum = sum * 33 + (unsigned)data[i];
    H5Dget_space_status(dset, &status);
    printf("  %s: %llu x %llu, status %d, read %d, sum %lx", what, (unsigned long long)dims[0],
           (unsigned long long)dims[1], status_too ? (int)status : -1, got, sum);
    for (size_t i = 0; n < 40 && got >= 0 && i < n; i++)
        printf(" %d", data[i]);
    puts("");
    free(data);
    H5Sclose(space);
}

/* libhdf5 makes chunks at the new edge when it shrinks, where there were none. */
static void count(hid_t dset, const struct kind *k)
{
    hsize_t n = 0;
    if (k->alloc != H5D_ALLOC_TIME_EARLY)
        return;
    hid_t space = H5Dget_space(dset);
    herr_t got = H5Dget_num_chunks(dset, space, &n);
    H5Sclose(space);
    printf("    chunks %d %llu", got, (unsigned long long)n);
    if (!k->filter)
        printf(", storage %llu", (unsigned long long)H5Dget_storage_size(dset));
    puts("");
}

static void put(hid_t dset, int value)
{
    hsize_t dims[2], start[2], size[2];
    hid_t space = H5Dget_space(dset);
    H5Sget_simple_extent_dims(space, dims, NULL);
    if (dims[0] && dims[1]) {
        for (int i = 0; i < 2; i++) {
            start[i] = next((unsigned)dims[i]);
            size[i] = 1 + next((unsigned)(dims[i] - start[i]));
        }
        size_t n = (size_t)(size[0] * size[1]);
        int *data = malloc(n * sizeof *data);
        for (size_t i = 0; i < n; i++)
            data[i] = value * 1000 + (int)i;
        hsize_t flat = n;
        hid_t mem = H5Screate_simple(1, &flat, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
        if (H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, data) < 0)
            puts("  not written");
        H5Sclose(mem);
        free(data);
    }
    H5Sclose(space);
}

static hid_t make(const struct kind *k)
{
    hsize_t dims[2] = {10, 12}, chunk[2] = {4, 5};
    int fill = 7;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, k->max);
    H5Pset_chunk(dcpl, 2, chunk);
    if (k->filter)
        H5Pset_deflate(dcpl, 4);
    if (k->partial)
        H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    H5Pset_alloc_time(dcpl, (H5D_alloc_time_t)k->alloc);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    H5Pset_fill_time(dcpl, (H5D_fill_time_t)k->fill_time);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    return dset;
}

static void run(const struct kind *k)
{
    static const hsize_t steps[][2] = {{14, 12}, {6, 12}, {10, 12}, {10, 3}, {10, 12}, {0, 12}, {9, 11}, {1, 1}, {20, 15},
                                       {4, 5}, {8, 10}, {12, 15}, {11, 14}, {12, 15}};
    hid_t dset = make(k);
    printf("%s: %d\n", k->name, dset >= 0);
    if (dset < 0)
        return;
    count(dset, k);
    put(dset, 1);
    show(dset, "written", k->alloc == H5D_ALLOC_TIME_EARLY && !k->filter);
    count(dset, k);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char what[32];
        herr_t set = H5Dset_extent(dset, steps[i]);
        snprintf(what, sizeof what, "step %zu: %d", i, set);
        show(dset, what, k->alloc == H5D_ALLOC_TIME_EARLY && !k->filter);
        count(dset, k);
        if (i % 3 == 0)
            put(dset, (int)i + 2);
        if (i % 5 == 4) {
            H5Dclose(dset);
            dset = H5Dopen2(file, "d", H5P_DEFAULT);
            show(dset, "opened again", k->alloc == H5D_ALLOC_TIME_EARLY && !k->filter);
        }
    }
    for (int i = 0; i < 60; i++) {
        hsize_t dims[2] = {next(22), next(17)};
        herr_t set = H5Dset_extent(dset, dims);
        put(dset, 100 + i);
        show(dset, set < 0 ? "random, refused" : "random", k->alloc == H5D_ALLOC_TIME_EARLY && !k->filter);
        if (i % 7 == 0)
            count(dset, k);
        if (i % 11 == 10) {
            H5Dclose(dset);
            dset = H5Dopen2(file, "d", H5P_DEFAULT);
        }
    }
    H5Dclose(dset);
    H5Ldelete(file, "d", H5P_DEFAULT);
}

/* Two handles of one dataset are one dataset. */
static void share(void)
{
    static const struct kind k = {"shared", {H5S_UNLIMITED, H5S_UNLIMITED}, 1, H5D_ALLOC_TIME_INCR, H5D_FILL_TIME_IFSET, 0};
    hsize_t dims[2] = {5, 6}, more[2] = {7, 2};
    hid_t a = make(&k), b = H5Dopen2(file, "d", H5P_DEFAULT);
    put(a, 3);
    show(b, "through the other", 0);
    H5Dset_extent(b, dims);
    show(a, "smaller through the other", 0);
    printf("extend %d\n", H5Dextend(a, more));
    show(b, "extended", 0);
    H5Dclose(a);
    put(b, 4);
    show(b, "alone", 0);
    a = H5Dopen2(file, "d", H5P_DEFAULT);
    show(a, "once more", 0);
    H5Dclose(a);
    H5Dclose(b);
    H5Ldelete(file, "d", H5P_DEFAULT);
}

static void others(void)
{
    hsize_t dims[2] = {10, 12}, more[2] = {20, 12}, less[2] = {5, 12}, same[2] = {10, 12}, max[2] = {20, 12};
    hid_t plain = H5Screate_simple(2, dims, NULL), larger = H5Screate_simple(2, dims, max);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t d = H5Dcreate2(file, "contiguous", H5T_NATIVE_INT, plain, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("contiguous: more %d, less %d, same %d, extend %d, extend less %d\n", H5Dset_extent(d, more), H5Dset_extent(d, less),
           H5Dset_extent(d, same), H5Dextend(d, more), H5Dextend(d, less));
    show(d, "contiguous", 1);
    H5Dclose(d);
    H5Pset_layout(dcpl, H5D_COMPACT);
    d = H5Dcreate2(file, "compact", H5T_NATIVE_INT, plain, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    printf("compact: more %d, less %d, same %d\n", H5Dset_extent(d, more), H5Dset_extent(d, less), H5Dset_extent(d, same));
    show(d, "compact", 1);
    H5Dclose(d);
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(dcpl, "twin_dataset_resize.raw", 0, 20 * 12 * sizeof(int));
    d = H5Dcreate2(file, "external", H5T_NATIVE_INT, larger, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    put(d, 1);
    printf("external: more %d\n", H5Dset_extent(d, more));
    show(d, "external", 1);
    more[0] = 21;
    printf("external: too much %d\n", H5Dset_extent(d, more));
    printf("external: less %d\n", H5Dset_extent(d, less));
    show(d, "external", 1);
    printf("storage %llu\n", (unsigned long long)H5Dget_storage_size(d));
    H5Dclose(d);
    d = H5Dopen2(file, "external", H5P_DEFAULT);
    show(d, "external again", 1);
    H5Dclose(d);
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(dcpl, larger, "twin_nowhere.h5", "d", plain);
    d = H5Dcreate2(file, "virtual", H5T_NATIVE_INT, larger, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    printf("virtual: %d", d >= 0);
    if (d >= 0) {
        more[0] = 15;
        printf(", more %d\n", H5Dset_extent(d, more));
        show(d, "virtual", 1);
        printf("less %d\n", H5Dset_extent(d, less));
        show(d, "virtual", 1);
        H5Dclose(d);
    }
    H5Pclose(dcpl);
    hid_t scalar = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL);
    d = H5Dcreate2(file, "scalar", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("\nscalar %d, no dims %d\n", H5Dset_extent(d, more), H5Dset_extent(d, NULL));
    H5Dclose(d);
    d = H5Dcreate2(file, "null", H5T_NATIVE_INT, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("null %d\n", H5Dset_extent(d, more));
    H5Dclose(d);
    H5Sclose(null);
    H5Sclose(scalar);
    H5Sclose(larger);
    H5Sclose(plain);
    remove("twin_dataset_resize.raw");
}

int main(void)
{
    static const hsize_t u = H5S_UNLIMITED;
    static const H5F_libver_t bounds[] = {H5F_LIBVER_V18, H5F_LIBVER_V110};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int b = 0; b < 2; b++) {
        hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(fapl, bounds[b], H5F_LIBVER_V110);
        file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        printf("== bound %d\n", b);
        for (int filter = 0; filter < 2; filter++)
            for (int alloc = H5D_ALLOC_TIME_EARLY; alloc <= H5D_ALLOC_TIME_INCR; alloc++)
                for (int max = 0; max < 3; max++) {
                    struct kind k = {"", {max ? u : 20, max > 1 ? u : 15}, filter, alloc, H5D_FILL_TIME_IFSET, 0};
                    char name[64];
                    snprintf(name, sizeof name, "filter %d, alloc %d, unlimited %d", filter, alloc, max);
                    k.name = name;
                    run(&k);
                }
        run(&(struct kind){"partial chunks unfiltered", {u, 15}, 1, H5D_ALLOC_TIME_INCR, H5D_FILL_TIME_IFSET, 1});
        run(&(struct kind){"partial chunks unfiltered, early", {u, u}, 1, H5D_ALLOC_TIME_EARLY, H5D_FILL_TIME_ALLOC, 1});
        share();
        others();
        printf("close %d\n", H5Fclose(file));
        H5Pclose(fapl);
    }
    remove(FILE_NAME);
    return 0;
}
