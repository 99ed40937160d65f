/* H5Dformat_convert where stock libhdf5 is no measure: B-trees of version 2, and a dataset that stays in use. */
#include <string.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"

#define ROWS 60

static hid_t make(hid_t file, const char *name, const hsize_t *most, int deflate, unsigned options)
{
    int values[ROWS][10];
    hsize_t dims[2] = {ROWS, 10}, chunk[2] = {4, 3};
    hid_t space = H5Screate_simple(2, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    for (int i = 0; i < ROWS * 10; i++)
        values[i / 10][i % 10] = i;
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_chunk_opts(dcpl, options);
    if (deflate)
        H5Pset_deflate(dcpl, 1);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

static void assert_values(hid_t dset, int first)
{
    int values[ROWS][10];
    H5D_chunk_index_t index;
    hsize_t n;
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    assert_int_equal(values[0][0], first);
    for (int i = 1; i < ROWS * 10; i++)
        assert_int_equal(values[i / 10][i % 10], i);
    assert_int_equal(H5Dget_chunk_index_type(dset, &index), 0);
    assert_int_equal(index, H5D_CHUNK_IDX_BTREE);
    hid_t space = H5Dget_space(dset);
    assert_int_equal(H5Dget_num_chunks(dset, space, &n), 0);
    assert_int_equal(n, ROWS / 4 * 4);
    H5Sclose(space);
}

static void converted_datasets_stay_in_use(void **state)
{
    (void)state;
    static const hsize_t most[3][2] = {{ROWS, 10}, {H5S_UNLIMITED, 10}, {H5S_UNLIMITED, H5S_UNLIMITED}};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate("format_convert.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hsize_t one[2] = {1, 1}, zero[2] = {0, 0};
    hid_t mem = H5Screate_simple(2, one, NULL);
    char name[3] = "00";
    for (int kind = 0; kind < 9; kind++) {
        name[0] = (char)('0' + kind);
        hid_t dset = make(file, name, most[kind % 3], kind / 3, kind / 3 == 2 ? H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS : 0);
        assert_int_equal(H5Dformat_convert(dset), 0);
        assert_values(dset, 0);
        int value = 1000 + kind;
        hid_t space = H5Dget_space(dset);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, one, NULL);
        assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value), 0);
        H5Sclose(space);
        assert_int_equal(H5Dformat_convert(dset), 0);
        assert_values(dset, value);
        H5Dclose(dset);
    }
    H5Sclose(mem);
    assert_int_equal(H5Fclose(file), 0);
    file = H5Fopen("format_convert.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int kind = 0; kind < 9; kind++) {
        name[0] = (char)('0' + kind);
        hid_t dset = H5Dopen2(file, name, H5P_DEFAULT);
        assert_values(dset, 1000 + kind);
        H5E_BEGIN_TRY
        {
            assert_true(H5Dformat_convert(dset) < 0);
        }
        H5E_END_TRY
        H5Dclose(dset);
    }
    H5Fclose(file);
    H5Pclose(fapl);
    remove("format_convert.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(converted_datasets_stay_in_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
