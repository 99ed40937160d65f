/* Creating, resizing and deleting datasets: every allocation fails once, handles share one dataset, space comes back. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"

#define FILE_NAME "dataset_create.h5"

enum layout { COMPACT, CONTIGUOUS, CHUNKED, FILTERED, EARLY, PARTIAL, EXTERNAL, VIRTUAL, SEQUENCES, LAYOUTS };

static const char *const names[] = {"compact", "contiguous", "chunked",  "filtered", "early",
                                    "partial", "external",   "virtual", "sequences"};

static hid_t create_file(H5F_libver_t low)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    return file;
}

static int set_layout(hid_t dcpl, enum layout layout, hid_t space)
{
    hsize_t chunk[2] = {4, 3};
    int value = 7;
    if (layout == COMPACT)
        return H5Pset_layout(dcpl, H5D_COMPACT);
    if (layout == EXTERNAL)
        return H5Pset_external(dcpl, FILE_NAME ".raw", 0, 4000);
    if (layout == VIRTUAL)
        return H5Pset_virtual(dcpl, space, "nowhere.h5", "d", space);
    if (layout == CONTIGUOUS)
        return 0;
    if (H5Pset_chunk(dcpl, 2, chunk) < 0)
        return -1;
    if (layout == SEQUENCES)
        return 0;
    if (H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &value) < 0)
        return -1;
    if (layout == CHUNKED)
        return 0;
    if (layout == PARTIAL && H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) < 0)
        return -1;
    if (layout == EARLY || layout == PARTIAL)
        return H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY) < 0 ? -1 : H5Pset_deflate(dcpl, 2);
    return H5Pset_deflate(dcpl, 2);
}

static hid_t make_type(enum layout layout)
{
    return layout == SEQUENCES ? H5Tvlen_create(H5T_NATIVE_INT) : H5Tcopy(H5T_STD_I32BE);
}

static bool can_grow(enum layout layout)
{
    return layout != COMPACT && layout != CONTIGUOUS && layout != VIRTUAL;
}

static hid_t create(hid_t file, const char *name, enum layout layout)
{
    hsize_t dims[2] = {10, 6}, max[2] = {layout == EXTERNAL ? 40 : H5S_UNLIMITED, 6};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), type = make_type(layout), dset = -1;
    hid_t space = H5Screate_simple(2, dims, can_grow(layout) ? max : NULL);
    if (dcpl >= 0 && type >= 0 && space >= 0 && set_layout(dcpl, layout, space) >= 0)
        dset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(dcpl);
    return dset;
}

/* All that is done with one dataset; negative when a step failed. */
static int live(hid_t file, enum layout layout)
{
    hsize_t more[2] = {23, 6}, less[2] = {5, 4};
    hid_t dset = create(file, names[layout], layout);
    if (dset < 0)
        return -1;
    int status = 0;
    if (can_grow(layout) && (H5Dset_extent(dset, more) < 0 || H5Dset_extent(dset, less) < 0 || H5Dset_extent(dset, more) < 0))
        status = -1;
    if (H5Dclose(dset) < 0 || status < 0)
        return -1;
    return H5Ldelete(file, names[layout], H5P_DEFAULT);
}

/* Fails at the n-th allocation of it all; true when there were fewer. */
static bool run_with_fault(H5F_libver_t low, enum layout layout, unsigned long n)
{
    hid_t file = create_file(low), kept = create(file, "kept", CONTIGUOUS);
    assert_true(kept >= 0);
    assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    ts_alloc_fail_at(n, TS_FAULT_ONCE);
    int status = live(file, layout);
    bool over = ts_alloc_fail_at(0, TS_FAULT_ONCE) < n;
    if (over)
        assert_int_equal(status, 0);
    H5Dclose(kept);
    H5Fclose(file);
    /* What was flushed is there whatever happened. */
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5Lexists(file, "kept", H5P_DEFAULT) > 0);
    assert_true(H5Fclose(file) >= 0);
    return over;
}

static void faults(void **state)
{
    (void)state;
    static const H5F_libver_t low[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V110};
    for (int b = 0; b < 2; b++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (unsigned long n = 1; !run_with_fault(low[b], (enum layout)layout, n); n++)
                assert_true(n < 20000);
    unlink(FILE_NAME ".raw");
}

/* A file in which datasets come and go does not grow. */
static void space_comes_back(void **state)
{
    (void)state;
    static const H5F_libver_t low[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V110};
    for (int b = 0; b < 2; b++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct stat first, last;
            hid_t file = create_file(low[b]);
            for (int round = 0; round < 40; round++) {
                assert_int_equal(live(file, (enum layout)layout), 0);
                assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
                if (round == 4)
                    assert_int_equal(stat(FILE_NAME, &first), 0);
            }
            assert_int_equal(stat(FILE_NAME, &last), 0);
            assert_true(last.st_size <= first.st_size);
            assert_true(H5Fclose(file) >= 0);
        }
}

/* A dataset that lost its name lives as long as a handle does. */
static void nameless(void **state)
{
    (void)state;
    hid_t file = create_file(H5F_LIBVER_V110), a = create(file, "d", FILTERED), b = H5Dopen2(file, "d", H5P_DEFAULT);
    hsize_t dims[2] = {8, 6}, got[2];
    int data[48], back[48];
    for (int i = 0; i < 48; i++)
        data[i] = i * i;
    assert_true(H5Ldelete(file, "d", H5P_DEFAULT) >= 0);
    assert_true(H5Dset_extent(a, dims) >= 0);
    assert_true(H5Dwrite(a, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Dclose(a) >= 0);
    assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    hid_t space = H5Dget_space(b);
    assert_int_equal(H5Sget_simple_extent_dims(space, got, NULL), 2);
    assert_int_equal(got[0], 8);
    H5Sclose(space);
    assert_true(H5Dread(b, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    assert_memory_equal(data, back, sizeof data);
    assert_true(H5Dclose(b) >= 0);
    assert_true(H5Fclose(file) >= 0);
}

static void read_only(void **state)
{
    (void)state;
    hid_t file = create_file(H5F_LIBVER_V110);
    H5Dclose(create(file, "d", CHUNKED));
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(create(file, "e", CHUNKED) < 0);
    hid_t dset = H5Dopen2(file, "d", H5P_DEFAULT);
    hsize_t dims[2] = {20, 6};
    assert_true(H5Dset_extent(dset, dims) < 0);
    H5Dclose(dset);
    assert_true(H5Fclose(file) >= 0);
}

static int quiet(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    unlink(FILE_NAME);
    unlink(FILE_NAME ".raw");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nameless), cmocka_unit_test(read_only),
                                       cmocka_unit_test(space_comes_back), cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, quiet, clean);
}
