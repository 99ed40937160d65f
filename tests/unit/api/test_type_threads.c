/* Datatypes from many threads at once: each call sees a whole type, whatever the others do to the same id. */
#include "../cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "hdf5.h"

#define THREADS 4
#define ROUNDS 3000

static hid_t shared_string, shared_compound;
static atomic_uint wrong;

static void expect(int ok)
{
    if (!ok)
        atomic_fetch_add(&wrong, 1);
}

static void change_and_look(unsigned i)
{
    unsigned char buf[64];
    size_t n = sizeof buf, size;
    expect(H5Tset_size(shared_string, 1 + i % 50) >= 0);
    size = H5Tget_size(shared_string);
    expect(size >= 1 && size <= 50);
    expect(H5Tencode(shared_string, buf, &n) >= 0 && n == sizeof buf);
    hid_t back = H5Tdecode(buf);
    expect(H5Tget_precision(back) == 8 * H5Tget_size(back));
    expect(H5Tclose(back) >= 0);
}

static void insert_and_look(unsigned thread, unsigned i)
{
    char name[32];
    snprintf(name, sizeof name, "%u_%u", thread, i);
    hid_t copy = H5Tcopy(shared_compound);
    expect(H5Tinsert(copy, name, 4 * thread + 4, H5T_NATIVE_INT) >= 0);
    expect(H5Tget_nmembers(copy) == 2);
    hid_t native = H5Tget_native_type(copy, H5T_DIR_ASCEND);
    expect(H5Tget_size(native) == 8);
    expect(H5Tclose(native) >= 0 && H5Tclose(copy) >= 0);
}

static void *work(void *arg)
{
    unsigned thread = (unsigned)(uintptr_t)arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        change_and_look(i + thread);
        insert_and_look(thread, i);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    shared_string = H5Tcopy(H5T_C_S1);
    shared_compound = H5Tcreate(H5T_COMPOUND, 64);
    assert_true(H5Tinsert(shared_compound, "first", 0, H5T_NATIVE_INT) >= 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    assert_int_equal(H5Tget_nmembers(shared_compound), 1);
    assert_true(H5Tclose(shared_string) >= 0);
    assert_true(H5Tclose(shared_compound) >= 0);
}

enum { MEMBERS = 2000 };

/* One thread inserts, the others see members that are whole, and never fewer than before. */
static void *watch_growth(void *arg)
{
    hid_t growing = *(hid_t *)arg;
    char name[32];
    int seen = 0;
    while (seen < MEMBERS) {
        int n = H5Tget_nmembers(growing);
        expect(n >= seen);
        seen = n;
        if (n == 0)
            continue;
        snprintf(name, sizeof name, "m%d", n - 1);
        expect(H5Tget_member_index(growing, name) == n - 1);
        expect(H5Tget_member_offset(growing, (unsigned)n - 1) == (size_t)(n - 1) * sizeof(int));
    }
    return NULL;
}

static void test_growth(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    hid_t growing = H5Tcreate(H5T_COMPOUND, MEMBERS * sizeof(int));
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, watch_growth, &growing), 0);
    for (int i = 0; i < MEMBERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "m%d", i);
        assert_true(H5Tinsert(growing, name, (size_t)i * sizeof(int), H5T_NATIVE_INT) >= 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    assert_true(H5Tclose(growing) >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
