/* Threads write, read, flush, close and delete datasets whose filter fails now and then, in a cache that is too small for
 * them: nobody else's elements are lost, and once the filter works again all are there. */
#include "unit/dataset/failing_sets.h"

#include <pthread.h>
#include <unistd.h>

#define FILE_NAME "chunk_failures_threads.h5"
#define ROUNDS 60
#define WRITERS 4

static struct {
    hid_t file;
    atomic_uint errors; /* that must not be */
    atomic_bool done;
} shared;

static void must(bool good)
{
    shared.errors += !good;
}

/* Failing ones may refuse a write when memory is full of what cannot be written. */
static void *write_set(void *arg)
{
    int kind = *(int *)arg;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 1; i <= ROUNDS; i++) {
        int back[N];
        hid_t d = H5Dopen2(shared.file, names[kind], H5P_DEFAULT);
        herr_t status = write_values(d, kind, i);
        must(status >= 0 || kind >= FAILING);
        must(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0 || kind >= FAILING);
        must(status < 0 || back[N - 1] == value_of(kind, i, N - 1));
        must(H5Dclose(d) >= 0 || kind >= FAILING);
    }
    return NULL;
}

static void *flush_all(void *arg)
{
    (void)arg;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!shared.done)
        (void)flush(shared.file);
    return NULL;
}

static void *make_and_delete(void *arg)
{
    (void)arg;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        hid_t d = create(shared.file, "short life", FAILING);
        (void)write_values(d, FAILING, 1);
        if (i % 2)
            (void)H5Dclose(d);
        must(H5Ldelete(shared.file, "short life", H5P_DEFAULT) >= 0);
        if (i % 2 == 0)
            must(H5Dclose(d) >= 0);
    }
    return NULL;
}

static void run_threads(void)
{
    static int kinds[WRITERS] = {PLAIN, DEFLATED, FAILING, FAILING_SPARSE};
    pthread_t writers[WRITERS], flusher, deleter;
    pthread_create(&flusher, NULL, flush_all, NULL);
    pthread_create(&deleter, NULL, make_and_delete, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], NULL, write_set, &kinds[i]);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    pthread_join(deleter, NULL);
    shared.done = true;
    pthread_join(flusher, NULL);
}

static void test_threads(void **state)
{
    H5F_shared_chunk_cache_t settings = {.version = H5F_SHARED_CHUNK_CACHE_VERSION, .budget = 256, .threads = 2};
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_true(H5Zregister(&filter_class) >= 0);
    shared.file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Fset_shared_chunk_cache(shared.file, &settings) >= 0);
    for (int k = 0; k < KINDS; k++)
        H5Dclose(create(shared.file, names[k], k));
    filter.every = 3;
    run_threads();
    assert_int_equal(shared.errors, 0);
    filter.every = 0;
    for (int k = FAILING; k < KINDS; k++) {
        hid_t d = H5Dopen2(shared.file, names[k], H5P_DEFAULT);
        assert_true(write_values(d, k, ROUNDS) >= 0);
        assert_true(H5Dclose(d) >= 0);
    }
    assert_true(flush(shared.file) >= 0);
    assert_true(H5Fclose(shared.file) >= 0);
    shared.file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    const int all[] = {PLAIN, DEFLATED, FAILING, FAILING_SPARSE};
    for (int i = 0; i < WRITERS; i++)
        check(shared.file, names[all[i]], all[i], ROUNDS);
    assert_int_equal(H5Lexists(shared.file, "short life", H5P_DEFAULT), 0);
    H5Fclose(shared.file);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
