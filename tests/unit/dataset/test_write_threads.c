/* Threads that write, read, flush, open and close datasets of one file at the same time. Each write fills a row with one
 * value, and so a read must never see two in a row. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "write_threads.h5"
#define ROWS 64
#define COLS 50
#define ROUNDS 150

enum { PLAIN, FILTERED, CONTIGUOUS, GROWING, SETS };

static hid_t file, sets[SETS];
static int last[SETS][ROWS]; /* what was written last; each set has one writer */
static atomic_bool stop;
static atomic_int torn, failed;

static void make_file(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    H5Pclose(fapl);
    for (int i = 0; i < SETS; i++) {
        char name[20];
        hsize_t dims[2] = {i == GROWING ? 1 : ROWS, COLS}, max[2] = {H5S_UNLIMITED, COLS}, chunk[2] = {6, 20};
        hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
        hid_t space = H5Screate_simple(2, dims, i == CONTIGUOUS ? NULL : max);
        if (i != CONTIGUOUS)
            H5Pset_chunk(dcpl, 2, chunk);
        if (i == FILTERED || i == GROWING)
            H5Pset_deflate(dcpl, 1);
        snprintf(name, sizeof name, "set%d", i);
        sets[i] = H5Dcreate2(file, name, i == FILTERED ? H5T_STD_I32BE : H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl,
                             H5P_DEFAULT);
        assert_true(sets[i] >= 0);
        H5Sclose(space);
        H5Pclose(dcpl);
    }
}

static hid_t row_of(hid_t set, hsize_t row)
{
    hid_t space = H5Dget_space(set);
    hsize_t start[2] = {row, 0}, count[2] = {1, COLS};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    return space;
}

static void write_row(int i, hsize_t row, int value)
{
    int buf[COLS];
    hsize_t n = COLS;
    hid_t space = row_of(sets[i], row), mem = H5Screate_simple(1, &n, NULL);
    for (int k = 0; k < COLS; k++)
        buf[k] = value;
    if (H5Dwrite(sets[i], H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf) < 0)
        failed++;
    last[i][row] = value;
    H5Sclose(mem);
    H5Sclose(space);
}

static void *writer(void *arg)
{
    int i = (int)(intptr_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        hsize_t row = (hsize_t)(round * 7 % ROWS), dims[2] = {(hsize_t)(round % ROWS) + 1, COLS};
        if (i == GROWING && round < ROWS) {
            if (H5Dset_extent(sets[i], dims) < 0)
                failed++;
            row = dims[0] - 1;
        }
        write_row(i, row, round + 1);
    }
    return NULL;
}

static void read_all(hid_t set)
{
    static _Thread_local int buf[ROWS * COLS];
    hsize_t dims[2], start[2] = {0, 0};
    hid_t space = H5Dget_space(set), mem;
    H5Sget_simple_extent_dims(space, dims, NULL);
    /* Not all of it: that would be more by now in a set that grows. */
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL);
    mem = H5Screate_simple(2, dims, NULL);
    if (H5Dread(set, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf) < 0)
        failed++;
    for (hsize_t r = 0; r < dims[0]; r++)
        for (int k = 1; k < COLS; k++)
            torn += buf[r * COLS + (hsize_t)k] != buf[r * COLS];
    H5Sclose(mem);
    H5Sclose(space);
}

static void *reader(void *arg)
{
    (void)arg;
    for (int n = 0; !stop; n++)
        read_all(sets[n % SETS]);
    return NULL;
}

static void *opener(void *arg)
{
    (void)arg;
    for (int n = 0; !stop; n++) {
        char name[20];
        snprintf(name, sizeof name, "set%d", n % SETS);
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
        if (set < 0)
            failed++;
        read_all(set);
        H5Dclose(set);
        if (n % 8 == 0 && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
            failed++;
    }
    return NULL;
}

static void check_rows(void)
{
    for (int i = 0; i < SETS; i++)
        for (hsize_t r = 0; r < ROWS; r++) {
            int buf[COLS];
            hsize_t n = COLS;
            hid_t space = row_of(sets[i], r), mem = H5Screate_simple(1, &n, NULL);
            assert_true(H5Dread(sets[i], H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf) >= 0);
            for (int k = 0; k < COLS; k++)
                assert_int_equal(buf[k], last[i][r]);
            H5Sclose(mem);
            H5Sclose(space);
        }
}

static void close_all(void)
{
    for (int i = 0; i < SETS; i++)
        assert_true(H5Dclose(sets[i]) >= 0);
    assert_true(H5Fclose(file) >= 0);
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t writers[SETS], readers[2];
    make_file();
    pthread_create(&readers[0], NULL, reader, NULL);
    pthread_create(&readers[1], NULL, opener, NULL);
    for (int i = 0; i < SETS; i++)
        pthread_create(&writers[i], NULL, writer, (void *)(intptr_t)i);
    for (int i = 0; i < SETS; i++)
        pthread_join(writers[i], NULL);
    stop = true;
    pthread_join(readers[0], NULL);
    pthread_join(readers[1], NULL);
    assert_int_equal(failed, 0);
    assert_int_equal(torn, 0);
    check_rows();
    close_all();
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 0; i < SETS; i++) {
        char name[20];
        snprintf(name, sizeof name, "set%d", i);
        sets[i] = H5Dopen2(file, name, H5P_DEFAULT);
        assert_true(sets[i] >= 0);
    }
    check_rows();
    close_all();
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
