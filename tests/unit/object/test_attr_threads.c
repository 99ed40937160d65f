/* Threads that create, write, read, rename and delete attributes of one file, on objects of their own and on one they
 * share, while another flushes. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "hdf5.h"

enum { THREADS = 4, ROUNDS = 60 };

static hid_t file;
static atomic_int failures;
static atomic_bool done;

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);                                                         \
            atomic_fetch_add(&failures, 1);                                                                            \
        }                                                                                                              \
    } while (0)

static void one_round(hid_t group, hid_t space, int thread, int round)
{
    char name[32], other[32];
    int value = thread * 1000 + round, seen = 0;
    snprintf(name, sizeof name, "t%d-%d", thread, round);
    snprintf(other, sizeof other, "t%d-%d renamed", thread, round);
    hid_t attr = H5Acreate2(group, name, H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(attr >= 0);
    CHECK(H5Awrite(attr, H5T_NATIVE_INT, &value) == 0);
    hid_t again = H5Aopen(group, name, H5P_DEFAULT);
    CHECK(H5Aread(again, H5T_NATIVE_INT, &seen) == 0 && seen == value);
    CHECK(H5Arename(group, name, other) == 0);
    CHECK(H5Aget_name(again, sizeof name, name) > 0 && strcmp(name, other) == 0);
    H5Aclose(again);
    H5Aclose(attr);
    if (round % 3 == 0)
        CHECK(H5Adelete(group, other) == 0);
}

/* All write the same attribute: what is read is what one of them wrote. */
static void common_attr(hid_t group, int thread)
{
    int value = thread + 1, seen = 0;
    hid_t attr = H5Aopen(group, "common", H5P_DEFAULT);
    CHECK(attr >= 0);
    CHECK(H5Awrite(attr, H5T_NATIVE_INT, &value) == 0);
    CHECK(H5Aread(attr, H5T_NATIVE_INT, &seen) == 0 && seen >= 1 && seen <= THREADS);
    H5Aclose(attr);
}

static void *work(void *arg)
{
    int thread = *(int *)arg;
    char name[16];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(name, sizeof name, "g%d", thread);
    hid_t own = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), all = H5Gopen2(file, "all", H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR);
    CHECK(own >= 0 && all >= 0);
    for (int i = 0; i < ROUNDS; i++) {
        one_round(own, space, thread, i);
        one_round(all, space, thread, i);
        common_attr(all, thread);
    }
    CHECK(H5Aget_num_attrs(own) == ROUNDS - ROUNDS / 3);
    H5Sclose(space);
    H5Gclose(all);
    H5Gclose(own);
    return NULL;
}

static void *flush(void *arg)
{
    (void)arg;
    while (!atomic_load(&done)) {
        CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) == 0);
        usleep(2000);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    char path[64];
    pthread_t threads[THREADS], flusher;
    int numbers[THREADS], value = 1;
    snprintf(path, sizeof path, "attr_threads_%ld.h5", (long)getpid());
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t all = H5Gcreate2(file, "all", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(all, "common", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Awrite(attr, H5T_NATIVE_INT, &value), 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    }
    assert_int_equal(pthread_create(&flusher, NULL, flush, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&done, true);
    pthread_join(flusher, NULL);
    assert_int_equal(H5Aget_num_attrs(all), 1 + THREADS * (ROUNDS - ROUNDS / 3));
    H5Aclose(attr);
    H5Sclose(space);
    H5Gclose(all);
    assert_int_equal(H5Fclose(file), 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    all = H5Gopen2(file, "all", H5P_DEFAULT);
    assert_int_equal(H5Aget_num_attrs(all), 1 + THREADS * (ROUNDS - ROUNDS / 3));
    H5Gclose(all);
    H5Fclose(file);
    assert_int_equal(atomic_load(&failures), 0);
    unlink(path);
}

enum { MANY = 200 };

static void *search(void *arg)
{
    int thread = *(int *)arg;
    hid_t group = H5Gopen2(file, "many", H5P_DEFAULT);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        int n = (i * (2 * thread + 1)) % MANY, seen = -1;
        snprintf(name, sizeof name, "a%d", n);
        hid_t attr = H5Aopen(group, name, H5P_DEFAULT);
        CHECK(H5Aread(attr, H5T_NATIVE_INT, &seen) == 0 && seen == n);
        H5Aclose(attr);
    }
    H5Gclose(group);
    return NULL;
}

/* Many in one header of a file that nobody writes: the first threads that search make the table of names. */
static void test_searching(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    int numbers[THREADS];
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), space = H5Screate(H5S_SCALAR);
    file = H5Fcreate("attr_search.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_attr_phase_change(gcpl, MANY, MANY);
    hid_t group = H5Gcreate2(file, "many", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "a%d", i);
        hid_t attr = H5Acreate2(group, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        CHECK(H5Awrite(attr, H5T_NATIVE_INT, &i) == 0);
        H5Aclose(attr);
    }
    H5Sclose(space);
    H5Pclose(gcpl);
    H5Gclose(group);
    H5Fclose(file);
    for (int round = 0; round < 10; round++) {
        file = H5Fopen("attr_search.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        for (int i = 0; i < THREADS; i++) {
            numbers[i] = i;
            assert_int_equal(pthread_create(&threads[i], NULL, search, &numbers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        H5Fclose(file);
    }
    assert_int_equal(atomic_load(&failures), 0);
    unlink("attr_search.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_searching)};
    H5open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
