/* Threads that read with one space of all that is defined, and look at it in every way, while another defines more elements
 * and changes values: its sets stay what they were. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "dataset_defined_sets_threads.h5"

enum { SIDE = 120, ALL = SIDE * SIDE, EVERY = 7, SOME = (ALL + EVERY - 1) / EVERY, READERS = 4, ROUNDS = 12, CHANGED = 100000 };

static hid_t dset, space;

/* Element i has the value i, or that and CHANGED. */
static bool read_all(void)
{
    static const hsize_t n = SOME;
    int32_t *values = malloc(SOME * sizeof *values);
    hid_t mem = H5Screate_simple(1, &n, NULL);
    bool good = H5Dread(dset, H5T_NATIVE_INT32, mem, space, H5P_DEFAULT, values) == 0;
    for (int i = 0; i < SOME && good; i++)
        good = values[i] % CHANGED == i * EVERY;
    H5Sclose(mem);
    free(values);
    return good;
}

static bool look(void)
{
    hsize_t off[100], low[2], high[2], next = 0;
    size_t len[100], runs, bytes;
    hid_t copy = H5Scopy(space), iter = H5Ssel_iter_create(copy, 1, 0);
    bool good = H5Sget_select_hyper_nblocks(copy) == SOME && H5Sget_select_bounds(copy, low, high) == 0 && low[0] == 0 &&
                high[1] == SIDE - 1;
    do {
        good = good && H5Ssel_iter_get_seq_list(iter, 100, SIZE_MAX, &runs, &bytes, off, len) == 0;
        for (size_t i = 0; i < runs && good; i++, next += EVERY)
            good = off[i] == next && len[i] == 1;
    } while (good && runs > 0);
    H5Ssel_iter_close(iter);
    H5Sclose(copy);
    return good && next == SOME * EVERY;
}

static void *reader(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        if (!read_all() || !look())
            return arg;
    return NULL;
}

/* What is defined, and what is not yet. */
static void *writer(void *arg)
{
    hsize_t points[2 * SOME], n = SOME;
    int32_t values[SOME];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SOME; i++) {
            int at = i * EVERY + (round % 2 ? round % EVERY : 0);
            at = at < ALL ? at : ALL - 1;
            points[2 * i] = (hsize_t)at / SIDE;
            points[2 * i + 1] = (hsize_t)at % SIDE;
            values[i] = at + (round % 4 ? CHANGED : 0);
        }
        hid_t mem = H5Screate_simple(1, &n, NULL), file = H5Dget_space(dset);
        bool good = H5Sselect_elements(file, H5S_SELECT_SET, SOME, points) == 0 &&
                    H5Dwrite(dset, H5T_NATIVE_INT32, mem, file, H5P_DEFAULT, values) == 0;
        H5Sclose(mem);
        H5Sclose(file);
        if (!good)
            return arg;
    }
    return NULL;
}

static void begin(void)
{
    static const hsize_t dims[2] = {SIDE, SIDE}, chunk[2] = {50, 30};
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t extent = H5Screate_simple(2, dims, NULL);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 2, chunk), 0);
    assert_int_equal(H5Pset_selection_packing(dcpl), 0);
    dset = H5Dcreate2(file, "d", H5T_NATIVE_INT32, extent, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl), H5Sclose(extent), H5Fclose(file);
    hsize_t points[2 * SOME], n = SOME;
    int32_t values[SOME];
    for (int i = 0; i < SOME; i++) {
        points[2 * i] = (hsize_t)(i * EVERY) / SIDE;
        points[2 * i + 1] = (hsize_t)(i * EVERY) % SIDE;
        values[i] = i * EVERY;
    }
    hid_t mem = H5Screate_simple(1, &n, NULL);
    extent = H5Dget_space(dset);
    assert_int_equal(H5Sselect_elements(extent, H5S_SELECT_SET, SOME, points), 0);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT32, mem, extent, H5P_DEFAULT, values), 0);
    H5Sclose(mem), H5Sclose(extent);
}

static void readers_and_a_writer(void **state)
{
    pthread_t threads[READERS + 1];
    (void)state;
    begin();
    space = H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_npoints(space), SOME);
    for (int i = 0; i <= READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < READERS ? reader : writer, &space), 0);
    for (int i = 0; i <= READERS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_true(look());
    H5Sclose(space);
    H5Dclose(dset);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readers_and_a_writer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
