/* Chunks whose points do not ascend in the file, as an application wrote them directly: every way to read and write their
 * elements, past the cache and through it. */
#include "unit/dataset/direct_sets.h"

#include <unistd.h>

#define FILE_NAME "struct_unordered.h5"

enum { STORED = 7, UNWRITTEN = -1 };
/* In a chunk of 4 x 5; the last but one comes again, and the last value of an element counts. */
static const hsize_t points[STORED][2] = {{3, 3}, {0, 4}, {1, 2}, {3, 0}, {0, 0}, {1, 2}, {2, 1}};
static const int values[STORED] = {33, 4, 999, 30, 0, 12, 21};

static void write_points(hid_t dset)
{
    hid_t space = H5Screate_simple(2, set_chunk, NULL);
    const hsize_t offset[2] = {4, 5};
    struct direct d;
    direct_init(&d);
    d.info.type = H5D_STRUCT_CHUNK;
    d.info.num_sections = 2;
    d.info.section_orig_size = NULL;
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, STORED, points[0]), 0);
    assert_int_equal(H5Sencode2(space, NULL, &d.sizes[0], H5P_DEFAULT), 0);
    d.bytes[0] = malloc(d.sizes[0] + 4);
    assert_int_equal(H5Sencode2(space, d.bytes[0], &d.sizes[0], H5P_DEFAULT), 0);
    d.sizes[0] += 4;
    put_sum(d.bytes[0], d.sizes[0]);
    d.sizes[1] = sizeof values;
    d.bytes[1] = malloc(sizeof values);
    memcpy(d.bytes[1], values, sizeof values);
    assert_int_equal(direct_write(dset, offset, &d), 0);
    direct_free(&d);
    H5Sclose(space);
}

/* What an element of the dataset is, once the points are written. */
static int expected(hsize_t row, hsize_t column)
{
    int found = UNWRITTEN;
    for (int i = 0; i < STORED; i++)
        if (row == 4 + points[i][0] && column == 5 + points[i][1])
            found = values[i];
    return found;
}

static hid_t open_set(hid_t file, bool without_cache)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    if (without_cache)
        assert_int_equal(H5Pset_chunk_cache(dapl, 0, 0, 0), 0);
    hid_t dset = H5Dopen2(file, "d", dapl);
    assert_true(dset > 0);
    H5Pclose(dapl);
    return dset;
}

static hid_t make_file(void)
{
    struct set s = {.kind = INT, .index = FIXED};
    int fill = UNWRITTEN;
    hid_t file = new_set_file(FILE_NAME), dcpl = set_dcpl(&s), space = H5Screate_simple(2, set_dims, NULL);
    assert_int_equal(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill), 0);
    hid_t dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    write_points(dset);
    H5Dclose(dset);
    H5Sclose(space);
    H5Pclose(dcpl);
    return file;
}

static hid_t one_element(hid_t dset, hsize_t row, hsize_t column)
{
    hid_t space = H5Dget_space(dset);
    hsize_t at[2] = {row, column};
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, 1, at), 0);
    return space;
}

static int read_element(hid_t dset, hid_t dxpl, hsize_t row, hsize_t column)
{
    hid_t space = one_element(dset, row, column), mem = H5Screate(H5S_SCALAR);
    int value;
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, mem, space, dxpl, &value), 0);
    H5Sclose(space);
    H5Sclose(mem);
    return value;
}

static void assert_all(hid_t dset, hid_t dxpl, int (*want)(hsize_t, hsize_t))
{
    int all[ROWS][COLUMNS];
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, dxpl, all), 0);
    for (hsize_t row = 0; row < ROWS; row++)
        for (hsize_t column = 0; column < COLUMNS; column++) {
            assert_int_equal(all[row][column], want(row, column));
            assert_int_equal(read_element(dset, dxpl, row, column), want(row, column));
        }
}

/* One by one they go past the cache, if anything does. */
static void reads(void **state)
{
    hid_t file = make_file(), careless = H5Pcreate(H5P_DATASET_XFER);
    (void)state;
    assert_int_equal(H5Pset_edc_check(careless, H5Z_DISABLE_EDC), 0);
    for (int without_cache = 0; without_cache < 2; without_cache++) {
        hid_t dset = open_set(file, without_cache);
        assert_all(dset, careless, expected);
        assert_all(dset, H5P_DEFAULT, expected);
        H5Dclose(dset);
    }
    H5Pclose(careless);
    H5Fclose(file);
}

static int changed(hsize_t row, hsize_t column)
{
    int value = expected(row, column);
    return value == UNWRITTEN ? value : value + 1000;
}

/* An element that is written over is the one that changes. */
static void writes(void **state)
{
    (void)state;
    for (int without_cache = 0; without_cache < 2; without_cache++) {
        hid_t file = make_file(), dset = open_set(file, without_cache), mem = H5Screate(H5S_SCALAR);
        for (hsize_t row = 0; row < ROWS; row++)
            for (hsize_t column = 0; column < COLUMNS; column++) {
                int value = changed(row, column);
                hid_t space = one_element(dset, row, column);
                if (value != UNWRITTEN)
                    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value), 0);
                H5Sclose(space);
            }
        assert_all(dset, H5P_DEFAULT, changed);
        H5Sclose(mem);
        H5Dclose(dset);
        H5Fclose(file);
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
        dset = open_set(file, true);
        assert_all(dset, H5P_DEFAULT, changed);
        H5Dclose(dset);
        H5Fclose(file);
    }
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
