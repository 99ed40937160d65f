/* Every kind of box of a small dataset, read from chunks that are in memory: into one run and into a part of a larger
 * array, as stored and converted. */
#include "unit/cmocka_all.h"

#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "read_boxes.h5"

enum { A = 5, B = 7, C = 6, SIDE = 9 };

static int value(hsize_t i, hsize_t k, hsize_t l)
{
    return (int)(i * 100 + k * 10 + l);
}

static hid_t make(hid_t file, const hsize_t *chunk)
{
    static int all[A][B][C];
    const hsize_t dims[3] = {A, B, C};
    for (hsize_t i = 0; i < A; i++)
        for (hsize_t k = 0; k < B; k++)
            for (hsize_t l = 0; l < C; l++)
                all[i][k][l] = value(i, k, l);
    hid_t space = H5Screate_simple(3, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(dcpl, 3, chunk);
    hid_t dset = H5Dcreate2(file, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

/* spread: the box lies at 1, 2, 1 of a larger array; else it is all of one. */
static void read_box(hid_t dset, const hsize_t *start, const hsize_t *count, bool spread, bool convert)
{
    static int ints[SIDE * SIDE * SIDE];
    static double doubles[SIDE * SIDE * SIDE];
    const hsize_t large[3] = {SIDE, SIDE, SIDE}, at[3] = {1, 2, 1}, none[3] = {0};
    const hsize_t *dims = spread ? large : count, *from = spread ? at : none;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        doubles[i] = ints[i] = -1;
    hid_t file = H5Dget_space(dset), mem = H5Screate_simple(3, dims, NULL);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Sselect_hyperslab(mem, H5S_SELECT_SET, from, NULL, count, NULL);
    void *buf = convert ? (void *)doubles : (void *)ints;
    assert_true(H5Dread(dset, convert ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, mem, file, H5P_DEFAULT, buf) >= 0);
    H5Sclose(mem);
    H5Sclose(file);
    size_t others = 0, n = (size_t)(dims[0] * dims[1] * dims[2]);
    for (size_t i = 0; i < n; i++)
        others += (convert ? doubles[i] : ints[i]) == -1;
    assert_int_equal(others, n - count[0] * count[1] * count[2]);
    for (hsize_t i = 0; i < count[0]; i++)
        for (hsize_t k = 0; k < count[1]; k++)
            for (hsize_t l = 0; l < count[2]; l++) {
                size_t place = (size_t)(((from[0] + i) * dims[1] + from[1] + k) * dims[2] + from[2] + l);
                assert_int_equal(convert ? (int)doubles[place] : ints[place],
                                 value(start[0] + i, start[1] + k, start[2] + l));
            }
}

static void read_all_boxes(hid_t dset)
{
    unsigned number = 0;
    hsize_t s[3], n[3];
    for (s[0] = 0; s[0] < A; s[0] += 2)
        for (n[0] = 1; s[0] + n[0] <= A; n[0]++)
            for (s[1] = 0; s[1] < B; s[1]++)
                for (n[1] = 1; s[1] + n[1] <= B; n[1] += 2)
                    for (s[2] = 0; s[2] < C; s[2]++)
                        for (n[2] = 1; s[2] + n[2] <= C; n[2]++, number++)
                            read_box(dset, s, n, number & 1, number % 3 == 0);
}

static void boxes_are_what_was_written(void **state)
{
    (void)state;
    const hsize_t chunks[4][3] = {{2, 3, 4}, {A, B, C}, {1, B, 1}, {3, 1, 2}};
    for (int i = 0; i < 5; i++) {
        hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        hid_t dset = make(file, i < 4 ? chunks[i] : NULL);
        read_all_boxes(dset);
        H5Dclose(dset);
        H5Fclose(file);
    }
    unlink(FILE_NAME);
}

/* One that is served without more ado counts as any other. */
static void a_hit_is_counted(void **state)
{
    (void)state;
    const hsize_t chunk[3] = {2, 3, 4}, start[3] = {1, 1, 1}, one[3] = {1, 1, 1};
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dset = make(file, chunk);
    H5F_chunk_cache_stats_t before, after;
    read_box(dset, start, one, false, false);
    assert_true(H5Fget_chunk_cache_stats(file, &before) >= 0);
    for (int i = 0; i < 10; i++)
        read_box(dset, start, one, false, i & 1);
    assert_true(H5Fget_chunk_cache_stats(file, &after) >= 0);
    assert_int_equal(after.hits, before.hits + 10);
    assert_int_equal(after.misses, before.misses);
    assert_int_equal(after.loads, before.loads);
    H5Dclose(dset);
    H5Fclose(file);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_what_was_written),
        cmocka_unit_test(a_hit_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
