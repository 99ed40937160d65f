/* Datasets in chunks with more elements, or bytes, than 64 bits count: what is in them is read and written, chunk by chunk. */
#include "unit/cmocka_all.h"

#include <stdio.h>

#include "hdf5.h"

static const char *const path = "vast_extents.h5";
static const hsize_t vast = (hsize_t)1 << 40;

static hid_t make(hid_t file, hsize_t most, bool filter)
{
    hsize_t dims[3] = {vast, vast, 4}, max[3] = {most, most, 4}, chunk[3] = {16, 16, 4};
    hid_t space = H5Screate_simple(3, dims, max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(dcpl, 3, chunk) >= 0);
    if (filter)
        assert_true(H5Pset_deflate(dcpl, 1) >= 0);
    hid_t d = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return d;
}

static int at(hid_t d, hsize_t row, hsize_t column, int *value, bool write)
{
    hsize_t start[3] = {row, column, 3}, count[3] = {1, 1, 1}, one = 1;
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(1, &one, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    int status = write ? H5Dwrite(d, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, value)
                       : H5Dread(d, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, value);
    H5Sclose(memory);
    H5Sclose(space);
    return status;
}

static void assert_values(hid_t d)
{
    const hsize_t places[3][2] = {{0, 0}, {vast - 1, vast - 1}, {7, vast / 2}};
    int value;
    for (int i = 0; i < 3; i++) {
        value = 0;
        assert_int_equal(at(d, places[i][0], places[i][1], &value, false), 0);
        assert_int_equal(value, 10 + i);
    }
    assert_int_equal(at(d, 1000, 1000, &value, false), 0);
    assert_int_equal(value, 0);
    hsize_t n = 0;
    assert_int_equal(H5Dget_num_chunks(d, H5S_ALL, &n), 0);
    assert_int_equal(n, 3);
    H5D_space_status_t status;
    assert_int_equal(H5Dget_space_status(d, &status), 0);
    assert_int_equal(status, H5D_SPACE_STATUS_PART_ALLOCATED);
}

static void write_and_read(H5F_libver_t low, hsize_t most, bool filter)
{
    const hsize_t places[3][2] = {{0, 0}, {vast - 1, vast - 1}, {7, vast / 2}};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST) >= 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl), d = make(file, most, filter);
    assert_true(d >= 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(at(d, places[i][0], places[i][1], &(int){10 + i}, true), 0);
    assert_values(d);
    assert_int_equal(H5Dclose(d), 0);
    assert_int_equal(H5Fclose(file), 0);
    file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    d = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_values(d);
    if (most == H5S_UNLIMITED) {
        assert_int_equal(H5Dset_extent(d, (hsize_t[]){8, 8, 4}), 0);
        int value = 0;
        assert_int_equal(at(d, 0, 0, &value, false), 0);
        assert_int_equal(value, 10);
        assert_int_equal(H5Dset_extent(d, (hsize_t[]){2 * vast, 8, 4}), 0);
    }
    assert_int_equal(H5Dclose(d), 0);
    assert_int_equal(H5Fclose(file), 0);
    H5Pclose(fapl);
}

static void in_version_1_trees(void **state)
{
    (void)state;
    write_and_read(H5F_LIBVER_EARLIEST, H5S_UNLIMITED, false);
    write_and_read(H5F_LIBVER_EARLIEST, vast, true);
}

static void in_version_2_trees(void **state)
{
    (void)state;
    write_and_read(H5F_LIBVER_V110, H5S_UNLIMITED, false);
    write_and_read(H5F_LIBVER_V110, H5S_UNLIMITED, true);
}

/* It would have an element for each chunk there can be. */
static void not_in_a_fixed_array(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(make(file, vast, false) < 0);
    assert_int_equal(H5Fclose(file), 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    assert_true(file >= 0);
    H5Fclose(file);
    H5Pclose(fapl);
}

/* All of it at once is more than there is memory for. */
static void all_at_once_is_refused(void **state)
{
    (void)state;
    int value;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), d = make(file, H5S_UNLIMITED, false);
    hsize_t one = 1;
    hid_t memory = H5Screate_simple(1, &one, NULL);
    assert_true(H5Dread(d, H5T_NATIVE_INT, memory, H5S_ALL, H5P_DEFAULT, &value) < 0);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, memory, H5S_ALL, H5P_DEFAULT, &value) < 0);
    H5Sclose(memory);
    assert_int_equal(H5Dclose(d), 0);
    assert_int_equal(H5Fclose(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_version_1_trees),
        cmocka_unit_test(in_version_2_trees),
        cmocka_unit_test(not_in_a_fixed_array),
        cmocka_unit_test(all_at_once_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
