/* Virtual datasets over a source that changed its size since it was mapped: every size up to 5 x 5, for several mappings of a
 * source that had 4 x 4. */
#include "unit/cmocka_all.h"

#include <stdio.h>

#include "hdf5.h"

enum { SIDE = 4, MOST = 5, FILL = -1 };

static const char *path = "dataset_virtual_shrunk.h5";

static const struct mapping {
    hsize_t start[2], stride[2], count[2];
} mappings[] = {
    {{0, 0}, {1, 1}, {4, 4}},
    {{1, 1}, {1, 1}, {3, 2}},
    {{0, 1}, {2, 2}, {2, 2}},
    {{3, 3}, {1, 1}, {1, 1}},
};

/* The source's selection is shown in the upper left corner of the virtual dataset. */
static void make(const struct mapping *m)
{
    hsize_t dims[2] = {SIDE, SIDE}, most[2] = {MOST, MOST}, chunk[2] = {2, 3}, zero[2] = {0, 0};
    int values[SIDE * SIDE], fill = FILL;
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = 100 + i;
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    hid_t d = H5Dcreate2(f, "source", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);

    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t src = H5Screate_simple(2, dims, NULL), dst = H5Screate_simple(2, dims, NULL);
    H5Sselect_hyperslab(src, H5S_SELECT_SET, m->start, m->stride, m->count, NULL);
    H5Sselect_hyperslab(dst, H5S_SELECT_SET, zero, NULL, m->count, NULL);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    assert_true(H5Pset_virtual(dcpl, dst, ".", "source", src) >= 0);
    d = H5Dcreate2(f, "virtual", H5T_NATIVE_INT, dst, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(src);
    H5Sclose(dst);
    H5Fclose(f);
}

static void resize(hsize_t rows, hsize_t columns)
{
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), d = H5Dopen2(f, "source", H5P_DEFAULT);
    assert_true(H5Dset_extent(d, (hsize_t[]){rows, columns}) >= 0);
    H5Dclose(d);
    H5Fclose(f);
}

static int expected(const struct mapping *m, const hsize_t size[2], hsize_t row, hsize_t column)
{
    hsize_t y = m->start[0] + row * m->stride[0], x = m->start[1] + column * m->stride[1];
    if (row >= m->count[0] || column >= m->count[1] || y >= size[0] || x >= size[1])
        return FILL;
    return 100 + (int)(y * SIDE + x);
}

static void check(const struct mapping *m, const hsize_t size[2])
{
    int values[SIDE * SIDE];
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "virtual", H5P_DEFAULT);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (hsize_t row = 0; row < SIDE; row++)
        for (hsize_t column = 0; column < SIDE; column++)
            assert_int_equal(values[row * SIDE + column], expected(m, size, row, column));
    H5Dclose(d);
    H5Fclose(f);
}

static void what_is_gone_has_the_fill_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
        for (hsize_t rows = 0; rows <= MOST; rows++)
            for (hsize_t columns = 0; columns <= MOST; columns++) {
                make(&mappings[i]);
                resize(rows, columns);
                check(&mappings[i], (hsize_t[]){rows, columns});
            }
    remove(path);
}

static void what_is_gone_cannot_be_written(void **state)
{
    (void)state;
    int value = 7, fill = 0;
    hid_t space = H5Screate_simple(2, (hsize_t[]){SIDE, SIDE}, NULL), one = H5Screate(H5S_SCALAR);
    make(&mappings[0]);
    resize(3, 3);
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), d = H5Dopen2(f, "virtual", H5P_DEFAULT);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, (hsize_t[]){3, 0});
    H5E_BEGIN_TRY
    {
        assert_true(H5Dwrite(d, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &value) < 0);
    }
    H5E_END_TRY;
    H5Sselect_elements(space, H5S_SELECT_SET, 1, (hsize_t[]){2, 2});
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &value) >= 0);
    assert_true(H5Dread(d, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &fill) >= 0);
    assert_int_equal(fill, 7);
    H5Dclose(d);
    H5Fclose(f);
    H5Sclose(space);
    H5Sclose(one);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_gone_has_the_fill_value),
        cmocka_unit_test(what_is_gone_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
