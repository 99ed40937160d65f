/* Chunks of sparse datasets for which no dimensions were given. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>

#include "hdf5.h"

#define FILE_NAME "dataset_chunk_shape.h5"
#define U H5S_UNLIMITED

enum { MOST = 5 };

static const struct shape {
    size_t element;
    int rank;
    hsize_t dims[MOST], max[MOST], chunk[MOST];
} shapes[] = {
    /* Whole frames, however many fit; the stack may be empty yet, or shorter than a chunk. */
    {2, 3, {1000, 1024, 1024}, {1000, 1024, 1024}, {50, 1024, 1024}},
    {2, 3, {0, 1024, 1024}, {U, 1024, 1024}, {50, 1024, 1024}},
    {2, 3, {20, 1024, 1024}, {20, 1024, 1024}, {20, 1024, 1024}},
    {8, 3, {500, 352, 384}, {U, 352, 384}, {96, 352, 384}},
    {4, 3, {100, 4150, 4371}, {100, 4150, 4371}, {1, 4150, 4371}},
    {8, 3, {100, 4096, 4096}, {100, 4096, 4096}, {1, 4096, 4096}},
    {2, 4, {9, 16, 512, 1024}, {9, 16, 512, 1024}, {6, 16, 512, 1024}},
    {2, 4, {9, 500, 512, 1024}, {U, 500, 512, 1024}, {1, 100, 512, 1024}},
    /* A frame that may grow is what it is now; of one that is nothing yet a common size is assumed. */
    {2, 3, {7, 256, 256}, {U, U, U}, {800, 256, 256}},
    {2, 3, {0, 0, 0}, {U, U, U}, {50, 1024, 1024}},
    {2, 3, {0, 0, 16}, {U, 500, 16}, {6553, 500, 16}},
    /* Frames that are too large are cut, and rows stay whole only where they are short. */
    {8, 3, {10, 50000, 50000}, {10, 50000, 50000}, {1, 3620, 3620}},
    {8, 3, {10, 1000000, 100}, {10, 1000000, 100}, {1, 131072, 100}},
    /* Matrices and lines. */
    {8, 2, {50000, 50000}, {50000, 50000}, {3620, 3620}},
    {8, 2, {0, 1000}, {U, 1000}, {13107, 1000}},
    {8, 2, {0, 0}, {U, U}, {3620, 3620}},
    {8, 2, {100, 100}, {100, 100}, {100, 100}},
    {8, 1, {1000000000}, {1000000000}, {13107200}},
    {1, 1, {0}, {U}, {104857600}},
    {8, 1, {5}, {7}, {7}},
    {8, 1, {0}, {0}, {1}},
    /* Elements of which each is a megabyte. */
    {(size_t)4 << 20, 2, {5000, 5000}, {5000, 5000}, {10, 10}},
};

static hid_t space_of(const struct shape *s)
{
    hid_t space = H5Screate_simple(s->rank, s->dims, s->max);
    assert_true(space > 0);
    return space;
}

static hid_t sparse_list(bool by_layout)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_int_equal(by_layout ? H5Pset_layout(dcpl, H5D_STRUCT_CHUNK) : H5Pset_density(dcpl, H5D_DENSITY_SPARSE), 0);
    return dcpl;
}

static void assert_chunk(const struct shape *s, const hsize_t *got, size_t i)
{
    for (int d = 0; d < s->rank; d++)
        if (got[d] != s->chunk[d])
            fail_msg("shape %zu, dimension %d: %llu, not %llu", i, d, (unsigned long long)got[d],
                     (unsigned long long)s->chunk[d]);
}

static void shapes_of_chunks(void **state)
{
    (void)state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i / 2];
        hsize_t got[MOST] = {0};
        unsigned kind = 0;
        hid_t dcpl = sparse_list(i % 2), space = space_of(s), type = H5Tcreate(H5T_OPAQUE, s->element);
        assert_int_equal(H5Pget_default_chunk(dcpl, type, space, MOST, got), s->rank);
        assert_chunk(s, got, i / 2);
        hid_t dset = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        assert_true(dset > 0);
        H5Pclose(dcpl);
        dcpl = H5Dget_create_plist(dset);
        assert_int_equal(H5Pget_struct_chunk(dcpl, MOST, got, &kind), s->rank);
        assert_int_equal(kind, H5D_SPARSE_CHUNK);
        assert_chunk(s, got, i / 2);
        H5Pclose(dcpl);
        H5Dclose(dset);
        H5Ldelete(file, "d", H5P_DEFAULT);
        H5Sclose(space);
        H5Tclose(type);
    }
    H5Fclose(file);
}

/* What was said about chunks and filters holds. */
static void with_other_properties(void **state)
{
    (void)state;
    const hsize_t side[3] = {2, 30, 40};
    const struct shape *s = &shapes[3];
    hsize_t got[MOST];
    unsigned kind;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = space_of(s);
    hid_t dcpl = sparse_list(true);
    assert_int_equal(H5Pset_chunk(dcpl, 3, side), 0);
    assert_int_equal(H5Pget_default_chunk(dcpl, H5T_NATIVE_INT, space, 2, got), 3);
    assert_int_equal(got[1], 30);
    hid_t dset = H5Dcreate2(file, "given", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    hid_t list = H5Dget_create_plist(dset);
    assert_int_equal(H5Pget_struct_chunk(list, MOST, got, &kind), 3);
    assert_int_equal(kind, H5D_SPARSE_CHUNK);
    assert_int_equal(got[2], 40);
    H5Pclose(list);
    H5Dclose(dset);
    H5Pclose(dcpl);

    dcpl = sparse_list(false);
    assert_int_equal(H5Pset_deflate(dcpl, 6), 0);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    dset = H5Dcreate2(file, "text", text, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    list = H5Dget_create_plist(dset);
    assert_int_equal(H5Pget_n_section_filters(list, H5_SECTION_SELECTION), 1);
    assert_int_equal(H5Pget_n_section_filters(list, H5_SECTION_VL), 1);
    H5Pclose(list);
    H5Dclose(dset);
    H5Tclose(text);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Fclose(file);
}

/* Variable-length data are larger or smaller in memory: what is told is what is done. */
static void references_of_heaps(void **state)
{
    (void)state;
    const hsize_t n = 1000000000;
    hsize_t told = 0, done = 0;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    hid_t text = H5Tcopy(H5T_C_S1), pair = H5Tcreate(H5T_COMPOUND, 24), dcpl = sparse_list(false);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tinsert(pair, "text", 0, text);
    H5Tinsert(pair, "list", 8, text);
    H5Tinsert(pair, "number", 16, H5T_STD_I64LE);
    const hid_t types[] = {text, pair};
    const hsize_t want[] = {6553600, 2621400};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(H5Pget_default_chunk(dcpl, types[i], space, 1, &told), 1);
        hid_t dset = H5Dcreate2(file, i ? "pair" : "text", types[i], space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        hid_t list = H5Dget_create_plist(dset);
        assert_int_equal(H5Pget_chunk(list, 1, &done), 1);
        assert_int_equal(told, want[i]);
        assert_int_equal(done, want[i]);
        H5Pclose(list);
        H5Dclose(dset);
    }
    H5Pclose(dcpl);
    H5Tclose(pair);
    H5Tclose(text);
    H5Sclose(space);
    H5Fclose(file);
}

/* What cannot be sparse says so, and is not made. */
static void what_fails(void **state)
{
    (void)state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), line = space_of(&shapes[19]);
    hid_t scalar = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL), dcpl = sparse_list(false);
    hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t got[MOST];
    assert_true(H5Dcreate2(file, "d", H5T_NATIVE_INT, scalar, H5P_DEFAULT, dcpl, H5P_DEFAULT) < 0);
    assert_true(H5Dcreate2(file, "d", H5T_NATIVE_INT, null, H5P_DEFAULT, dcpl, H5P_DEFAULT) < 0);
    assert_true(H5Pget_default_chunk(dcpl, H5T_NATIVE_INT, scalar, MOST, got) < 0);
    assert_true(H5Pget_default_chunk(plain, H5T_NATIVE_INT, line, MOST, got) < 0);
    assert_true(H5Pget_default_chunk(dcpl, line, line, MOST, got) < 0);
    assert_true(H5Pget_default_chunk(line, H5T_NATIVE_INT, line, MOST, got) < 0);
    assert_int_equal(H5Pget_default_chunk(dcpl, H5T_NATIVE_INT, line, 0, NULL), 1);
    assert_int_equal(H5Pset_external(dcpl, "elsewhere", 0, H5F_UNLIMITED), 0);
    assert_true(H5Dcreate2(file, "d", H5T_NATIVE_INT, line, H5P_DEFAULT, dcpl, H5P_DEFAULT) < 0);
    H5Pclose(dcpl);
    dcpl = sparse_list(false);
    assert_int_equal(H5Pset_layout(dcpl, H5D_COMPACT), 0);
    assert_true(H5Dcreate2(file, "d", H5T_NATIVE_INT, line, H5P_DEFAULT, dcpl, H5P_DEFAULT) < 0);
    assert_int_equal(H5Lexists(file, "d", H5P_DEFAULT), 0);
    H5Pclose(dcpl);
    H5Pclose(plain);
    H5Sclose(null);
    H5Sclose(scalar);
    H5Sclose(line);
    H5Fclose(file);
}

static int quiet(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_chunks), cmocka_unit_test(with_other_properties),
        cmocka_unit_test(references_of_heaps), cmocka_unit_test(what_fails)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
