/* Many threads open, change and close one file: each close may be the last and each open the first. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdio.h>

#include "hdf5.h"

enum { THREADS = 4, ROUNDS = 25 };

static const char *path = "file_open_threads.h5";

static void *work(void *arg)
{
    long me = (long)(intptr_t)arg, failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "g%ld_%d", me, i);
        hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t g = f < 0 ? -1 : H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (g < 0 || H5Gclose(g) < 0 || (i % 5 == 0 && H5Fflush(f, H5F_SCOPE_GLOBAL) < 0))
            failed++;
        if (f < 0 || H5Fclose(f) < 0)
            failed++;
    }
    return (void *)(intptr_t)failed;
}

static void nothing_is_lost(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(f >= 0);
    H5Fclose(f);
    for (long i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        assert_int_equal((intptr_t)failed, 0);
    }
    H5G_info_t info;
    f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Gget_info(f, &info) >= 0);
    assert_int_equal(info.nlinks, THREADS * ROUNDS);
    H5Fclose(f);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
