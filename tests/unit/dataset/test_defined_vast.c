/* A sparse dataset with a few chunks in an extent that could have 2^40 of them: asking and erasing cost what is there. */
#include "unit/cmocka_all.h"

#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "dataset_defined_vast.h5"

enum { CHUNK = 1024 };
static const hsize_t SIDE = (hsize_t)1 << 30;

static hid_t box(hid_t dset, hsize_t row, hsize_t column, hsize_t rows, hsize_t columns)
{
    hid_t space = H5Dget_space(dset);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){row, column}, NULL, (hsize_t[]){rows, columns}, NULL) >= 0);
    return space;
}

static void put(hid_t dset, hsize_t row, hsize_t column, int value)
{
    hid_t space = box(dset, row, column, 1, 1), one = H5Screate(H5S_SCALAR);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(space);
    H5Sclose(one);
}

/* The defined elements of a selection, which it closes, are these. */
static void expect(hid_t dset, hid_t space, size_t n, const hsize_t (*points)[2])
{
    hid_t found = H5Dget_defined(dset, space, H5P_DEFAULT);
    assert_true(found >= 0);
    assert_int_equal(H5Sget_select_npoints(found), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(H5Sselect_intersect_block(found, points[i], points[i]), 1);
    H5Sclose(found);
    if (space != H5S_ALL)
        H5Sclose(space);
}

static hid_t create(hid_t file)
{
    hid_t space = H5Screate_simple(2, (hsize_t[]){SIDE, SIDE}, (hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED});
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_sparse_chunk(dcpl, 2, (hsize_t[]){CHUNK, CHUNK});
    hid_t dset = H5Dcreate2(file, "d", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

static void cost_is_what_is_there(void **state)
{
    (void)state;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dset = create(file);
    const hsize_t points[][2] = {{5, 7}, {5, 9}, {SIDE / 2, SIDE / 2}, {SIDE - 1, SIDE - 1}};
    expect(dset, H5S_ALL, 0, NULL);
    for (int i = 0; i < 4; i++)
        put(dset, points[i][0], points[i][1], i + 1);
    expect(dset, H5S_ALL, 4, points);
    expect(dset, box(dset, 0, 8, SIDE, SIDE - 8), 3, points + 1);
    expect(dset, box(dset, 6, 0, SIDE - 7, SIDE), 1, points + 2);

    hid_t moved = box(dset, 0, 0, SIDE - 6, SIDE - 8); /* where its offset puts it */
    assert_true(H5Soffset_simple(moved, (hssize_t[]){6, 8}) >= 0);
    expect(dset, moved, 2, points + 2);

    hid_t two = box(dset, 0, 0, SIDE / 2, SIDE);
    assert_true(H5Sselect_hyperslab(two, H5S_SELECT_OR, (hsize_t[]){SIDE - 1, 3}, NULL, (hsize_t[]){1, SIDE - 3}, NULL) >= 0);
    const hsize_t other[][2] = {{5, 7}, {5, 9}, {SIDE - 1, SIDE - 1}};
    expect(dset, two, 3, other);

    hid_t rest = box(dset, 1, 8, SIDE - 1, SIDE - 8);
    assert_true(H5Derase(dset, rest, H5P_DEFAULT) >= 0);
    H5Sclose(rest);
    expect(dset, H5S_ALL, 1, points);
    hsize_t n;
    assert_true(H5Dget_num_chunks(dset, H5S_ALL, &n) >= 0);
    assert_int_equal(n, 1);
    assert_true(H5Derase(dset, H5S_ALL, H5P_DEFAULT) >= 0);
    expect(dset, H5S_ALL, 0, NULL);
    H5Dclose(dset);
    H5Fclose(file);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cost_is_what_is_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
