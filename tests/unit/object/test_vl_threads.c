/* A write of elements with heap objects holds commits off, and ends without the file's lock: other threads flush then. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdio.h>

#include "hdf5.h"

enum { THREADS = 4, ROUNDS = 60, STRINGS = 8 };

static hid_t file, strings, space;

static int write_one(const char *name, const char *text)
{
    const char *out[STRINGS];
    for (int i = 0; i < STRINGS; i++)
        out[i] = text;
    hid_t dset = H5Dcreate2(file, name, strings, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int failed = dset < 0 || H5Dwrite(dset, strings, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0;
    failed |= H5Fflush(file, H5F_SCOPE_GLOBAL) < 0;
    return failed | (H5Dclose(dset) < 0);
}

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d of %d", i, me);
        failed += write_one(name, name);
    }
    return (void *)(intptr_t)failed;
}

static void check_one(const char *name)
{
    char *in[STRINGS] = {0};
    hid_t dset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(dset, strings, H5S_ALL, H5S_ALL, H5P_DEFAULT, in) >= 0);
    for (int i = 0; i < STRINGS; i++)
        assert_string_equal(in[i], name);
    H5Dvlen_reclaim(strings, space, H5P_DEFAULT, in);
    H5Dclose(dset);
}

static void flushes_meet_writes(void **state)
{
    (void)state;
    static const char path[] = "object_vl_threads.h5";
    pthread_t thread[THREADS];
    hsize_t dims[] = {STRINGS};
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(1, dims, NULL);
    strings = H5Tcopy(H5T_C_S1);
    H5Tset_size(strings, H5T_VARIABLE);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        assert_int_equal((intptr_t)failed, 0);
    }
    H5Fclose(file);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 0; i < THREADS * ROUNDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d of %d", i / THREADS, i % THREADS);
        check_one(name);
    }
    H5Fclose(file);
    H5Tclose(strings);
    H5Sclose(space);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flushes_meet_writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
