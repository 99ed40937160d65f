/* One space changed and read by many threads; trees shared between threads. */
#include <pthread.h>

#include "oracle.h"

#define THREADS 4
#define ROUNDS 300

static const hsize_t dims[2] = {64, 64};

static void *change(void *arg)
{
    struct ts_space *s = arg;
    struct rng r = {(uintptr_t)&r};
    for (int i = 0; i < ROUNDS; i++) {
        hsize_t start[2] = {rnd(&r, 60), rnd(&r, 60)}, one[2] = {1, 1}, block[2] = {1 + rnd(&r, 4), 1 + rnd(&r, 4)};
        ts_space_lock(s);
        int ret = ts_space_select_hyperslab(s, rnd(&r, 8) ? H5S_SELECT_OR : H5S_SELECT_NOTB, start, NULL, one, block);
        ts_space_unlock(s);
        if (ret < 0)
            return s;
    }
    return NULL;
}

static void *look(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct ts_space *copy;
        struct ts_runs it;
        struct ts_run run[16];
        size_t n;
        hsize_t total = 0;
        const char *reason;
        if (ts_space_snapshot(arg, &copy) < 0 || ts_space_verify(copy, &reason) < 0 || ts_runs_init(&it, copy) < 0)
            return arg;
        while ((n = ts_runs_next(&it, run, 16, UINT64_MAX)) > 0)
            while (n-- > 0)
                total += run[n].length;
        bool wrong = total != ts_space_selected(copy);
        ts_space_unref(copy);
        if (wrong)
            return arg;
    }
    return NULL;
}

static void shared(void **state)
{
    (void)state;
    struct ts_space *s;
    pthread_t t[2 * THREADS];
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    ts_space_select_none(s);
    for (int i = 0; i < 2 * THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, i % 2 ? look : change, s), 0);
    for (int i = 0; i < 2 * THREADS; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        assert_null(failed);
    }
    ts_space_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
