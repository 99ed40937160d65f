/* Threads that make, write, close, reopen and delete datasets of one file, with a cache so small that each pushes out what
 * others have closed. What was deleted must not be written over what took its space. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "waiting_threads.h5"
#define N 2000
#define ROUNDS 60
#define THREADS 4

static hid_t file;
static atomic_int failed;

static void expect(int good)
{
    if (!good)
        failed++;
}

static void create(const char *name, int kind)
{
    hsize_t n = N, chunk = 300;
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (kind < 2)
        H5Pset_chunk(dcpl, 1, &chunk);
    if (kind == 1)
        H5Pset_deflate(dcpl, 1);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    expect(d >= 0 && H5Dclose(d) >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void move_part(const char *name, hsize_t first, hsize_t n, int *data, int write)
{
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(d), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL);
    expect((write ? H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, data)
                  : H5Dread(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, data)) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
    expect(H5Dclose(d) >= 0);
}

static void fill(const char *name, int value)
{
    int data[250];
    for (hsize_t at = 0; at < N; at += 250) {
        for (int i = 0; i < 250; i++)
            data[i] = value + (int)at + i;
        move_part(name, at, 250, data, 1);
    }
}

static void check(const char *name, int value)
{
    int data[N];
    move_part(name, 0, N, data, 0);
    for (int i = 0; i < N; i++)
        expect(data[i] == value + i);
}

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    char name[2][20], kept[20];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(name[round % 2], sizeof name[0], "d%d-%d", me, round);
        create(name[round % 2], (me + round) % 3);
        fill(name[round % 2], me * 1000000 + round * 10000);
        if (round > 0) {
            check(name[1 - round % 2], me * 1000000 + (round - 1) * 10000);
            expect(H5Ldelete(file, name[1 - round % 2], H5P_DEFAULT) >= 0);
        }
        if (round % 16 == me)
            expect(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    }
    snprintf(kept, sizeof kept, "kept%d", me);
    expect(H5Lmove(file, name[(ROUNDS - 1) % 2], file, kept, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    return NULL;
}

static void test_churn(void **state)
{
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION, .threads = 2, .budget = 30000,
                                         .reserve = 2000, .w0 = 0.75, .encode_ahead = 8000, .read_ahead = 2};
    pthread_t threads[THREADS];
    char name[20];
    (void)state;
    file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Fset_shared_chunk_cache(file, &settings) >= 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failed, 0);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 0; i < THREADS; i++) {
        snprintf(name, sizeof name, "kept%d", i);
        check(name, i * 1000000 + (ROUNDS - 1) * 10000);
    }
    assert_int_equal(failed, 0);
    H5Fclose(file);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_churn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
