/* Threads share the metadata of a file that nobody changes, in a cache that has no room for it. */
#include <pthread.h>

#include "unit/meta/numbers.h"

enum { THREADS = 6, ROUNDS = 20000 };

static void leave_room_for(struct ts_file *f, size_t bytes)
{
    H5AC_cache_config_t config;
    ts_meta_config(f, &config);
    config.max_size = bytes;
    ts_meta_configure(f, &config);
}

/* Up to three at a time, let go in another order. */
static void *read_some(void *arg)
{
    struct ts_file *f = arg;
    unsigned seed = (unsigned)(uintptr_t)&seed;
    for (int k = 0; k < ROUNDS; k++) {
        const uint64_t *where[3];
        int block[3];
        seed = seed * 1103515245u + 12345u;
        int n = 1 + (int)(seed >> 20) % 3;
        for (int i = 0; i < n; i++) {
            block[i] = (int)(seed >> (8 + 4 * i)) % BLOCKS;
            if (pin(f, block[i], &where[i]) != block[i] + 1)
                return arg;
        }
        for (int i = 0; i < n; i++) {
            if (*where[i] != (uint64_t)block[i] + 1)
                return arg;
            ts_meta_unpin(f, at(block[i]));
        }
    }
    return NULL;
}

static struct ts_file *open_numbers(void)
{
    for (int i = 0; i < BLOCKS; i++)
        put(i, (uint64_t)i + 1, false);
    return open_it(H5F_ACC_RDONLY, 0);
}

static void run_threads(struct ts_file *f)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_some, f), 0);
    for (int i = 0; i < THREADS; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
}

static void all_fits(void **state)
{
    (void)state;
    struct ts_file *f = open_numbers();
    struct ts_meta_stats stats;
    run_threads(f);
    assert_int_equal(made, BLOCKS);
    ts_meta_stats(f, &stats);
    assert_int_equal(stats.entries, BLOCKS);
    assert_true(stats.asked >= (uint64_t)THREADS * ROUNDS);
    assert_int_equal(stats.asked - stats.found, BLOCKS);
    ts_meta_reset_rate(f);
    assert_int_equal(look(f, 0), 1);
    ts_meta_stats(f, &stats);
    assert_int_equal(stats.asked, 1);
    assert_int_equal(stats.found, 1);
    ts_file_unref(f);
    assert_int_equal(freed, made);
}

static void nothing_fits(void **state)
{
    (void)state;
    struct ts_file *f = open_numbers();
    struct ts_meta_stats stats;
    leave_room_for(f, 1);
    run_threads(f);
    assert_true(made > BLOCKS);
    ts_meta_stats(f, &stats);
    assert_true(stats.entries <= 1);
    /* What was put aside while others had pins goes when nobody has any, in two steps. */
    for (int i = 0; i < 4; i++)
        look(f, 0);
    assert_true(made - freed <= 2);
    ts_file_unref(f);
    assert_int_equal(freed, made);
}

/* Pinned it stays in memory, though it is not in the cache any more. */
static void what_is_pinned_outlives_its_place(void **state)
{
    (void)state;
    struct ts_file *f = open_numbers();
    const uint64_t *first, *again;
    leave_room_for(f, 1);
    assert_int_equal(pin(f, 0, &first), 1);
    for (int i = 1; i < BLOCKS; i++)
        look(f, i);
    assert_int_equal(pin(f, 0, &again), 1);
    assert_ptr_not_equal(first, again);
    assert_int_equal(*first, 1);
    assert_int_equal(freed, 0);
    /* It is too late to keep the old one. */
    assert_false(ts_meta_keep(f, at(0), first));
    ts_meta_unpin(f, at(0));
    ts_meta_unpin(f, at(0));
    for (int i = 0; i < 4; i++)
        look(f, 1);
    assert_true(made - freed <= 2);
    ts_file_unref(f);
    assert_int_equal(freed, made);
}

struct kept {
    struct ts_file *f;
    const uint64_t *where;
};

static void *keep_it(void *arg)
{
    struct kept *k = arg;
    return pin(k->f, 3, &k->where) == 4 && ts_meta_keep(k->f, at(3), k->where) ? NULL : arg;
}

/* By one thread, until another lets it go. */
static void what_is_kept_stays_in_the_cache(void **state)
{
    (void)state;
    struct kept k = {.f = open_numbers()};
    pthread_t thread;
    void *bad;
    const uint64_t *again;
    assert_int_equal(pthread_create(&thread, NULL, keep_it, &k), 0);
    pthread_join(thread, &bad);
    assert_null(bad);
    leave_room_for(k.f, 1);
    for (int i = 0; i < BLOCKS; i++)
        look(k.f, i);
    assert_int_equal(pin(k.f, 3, &again), 4);
    assert_ptr_equal(again, k.where);
    ts_meta_unpin(k.f, at(3));
    ts_meta_repin(k.f, at(3));
    assert_int_equal(*k.where, 4);
    ts_meta_unpin(k.f, at(3));
    for (int i = 0; i < 4; i++)
        look(k.f, 0);
    assert_true(made - freed <= 2);
    ts_file_unref(k.f);
    assert_int_equal(freed, made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_fits, make, unmake),
        cmocka_unit_test_setup_teardown(nothing_fits, make, unmake),
        cmocka_unit_test_setup_teardown(what_is_pinned_outlives_its_place, make, unmake),
        cmocka_unit_test_setup_teardown(what_is_kept_stays_in_the_cache, make, unmake),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
