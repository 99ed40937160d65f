/* Threads that create, resize, inspect and delete datasets of one file, each its own and all a common one. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "dataset_create_threads.h5"
#define THREADS 4
#define ROUNDS 25

static hid_t file;
static atomic_int failures;

static void check(int ok, const char *what)
{
    if (!ok && atomic_fetch_add(&failures, 1) < 5)
        fprintf(stderr, "failed: %s\n", what);
}

static hid_t create(const char *name, int early)
{
    hsize_t dims[2] = {6, 8}, max[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk[2] = {4, 4};
    int fill = 7;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, max);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_deflate(dcpl, 1);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    if (early)
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    return dset;
}

/* Own values where it was written, 7 where the extent grew. */
static void use_own(int thread, int round)
{
    char name[32];
    int data[48], back[100];
    hsize_t more[2] = {10, 10}, less[2] = {3, 8};
    snprintf(name, sizeof name, "own %d %d", thread, round);
    hid_t dset = create(name, round % 2);
    check(dset >= 0, "create");
    for (int i = 0; i < 48; i++)
        data[i] = thread * 1000 + round * 50 + i;
    check(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "write");
    check(H5Dset_extent(dset, less) >= 0 && H5Dset_extent(dset, more) >= 0, "resize");
    check(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0, "read");
    for (int r = 0; r < 10; r++)
        for (int c = 0; c < 10; c++)
            check(back[r * 10 + c] == (r < 3 && c < 8 ? data[r * 8 + c] : 7), "values");
    check(H5Dclose(dset) >= 0, "close");
    if (round % 3 == 0)
        check(H5Ldelete(file, name, H5P_DEFAULT) >= 0, "delete");
}

/* Somebody may be resizing it: its extent is one of those that are set, and all of it reads. */
static void use_common(int thread, int round)
{
    hsize_t dims[2] = {6 + (hsize_t)((thread + round) % 5), 8}, got[2];
    int *back = calloc(20 * 20, sizeof *back);
    H5O_info1_t info;
    hid_t dset = H5Dopen2(file, "common", H5P_DEFAULT);
    check(dset >= 0, "open common");
    check(H5Dset_extent(dset, dims) >= 0, "resize common");
    hid_t space = H5Dget_space(dset);
    H5Sget_simple_extent_dims(space, got, NULL);
    check(got[0] >= 6 && got[0] <= 10 && got[1] == 8, "common extent");
    H5Sclose(space);
    hsize_t start[2] = {0, 0}, size[2] = {6, 8}, n = 48;
    hid_t part = H5Screate_simple(2, size, NULL), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(part, H5S_SELECT_SET, start, NULL, size, NULL);
    check(H5Dread(dset, H5T_NATIVE_INT, mem, part, H5P_DEFAULT, back) >= 0, "read common");
    for (int i = 0; i < 48; i++)
        check(back[i] == i, "common values");
    H5Sclose(mem);
    H5Sclose(part);
    check(H5Oget_info1(dset, &info) >= 0, "info of common");
    check(H5Dget_storage_size(dset) > 0, "storage of common");
    check(H5Dclose(dset) >= 0, "close common");
    free(back);
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        use_own(thread, round);
        use_common(thread, round);
        if (round % 10 == 9)
            check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "flush");
    }
    return NULL;
}

static void all_at_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    int data[48];
    file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t common = create("common", 0);
    for (int i = 0; i < 48; i++)
        data[i] = i;
    assert_true(H5Dwrite(common, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Dclose(common) >= 0);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
    H5G_info_t info;
    assert_true(H5Gget_info(file, &info) >= 0);
    assert_int_equal(info.nlinks, 1 + THREADS * (ROUNDS - (ROUNDS + 2) / 3));
    assert_true(H5Fclose(file) >= 0);
}

static int clean(void **state)
{
    (void)state;
    unlink(FILE_NAME);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_at_once)};
    return cmocka_run_group_tests(tests, NULL, clean);
}
