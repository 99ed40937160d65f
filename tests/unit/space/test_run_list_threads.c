/* Many threads ask copies of one list of runs for its tree, its bounds and its runs at once. */
#include <pthread.h>

#include "oracle.h"

#include "space/internal.h"

#define THREADS 6
#define ROUNDS 60
#define RUNS 200

static pthread_barrier_t barrier;
static _Atomic unsigned asked;

static bool same_blocks(struct ts_space *s, hsize_t want)
{
    hsize_t n, box[4], low[2], high[2];
    if (ts_space_nblocks(s, &n) < 0 || n != want || ts_space_blocklist(s, n - 1, 1, box) < 0)
        return false;
    return ts_space_bounds(s, low, high) == 0 && box[2] == high[0] && ts_space_intersects(s, box, box + 2) == 1;
}

static bool all_runs(const struct ts_space *s)
{
    struct ts_runs it;
    struct ts_run r[16];
    hsize_t total = 0;
    size_t n;
    if (ts_runs_init(&it, s) < 0)
        return false;
    while ((n = ts_runs_next(&it, r, 16, UINT64_MAX)) > 0)
        while (n-- > 0)
            total += r[n].length;
    return total == ts_space_selected(s);
}

/* Half of them read the runs through the tree, as the rows of their own extent are longer. */
static void *ask(void *arg)
{
    const hsize_t longer[2] = {64, 80};
    struct ts_space *copy;
    (void)pthread_barrier_wait(&barrier);
    if (ts_space_snapshot(arg, &copy) < 0)
        return arg;
    bool wide = atomic_fetch_add(&asked, 1) % 2;
    bool right = (!wide || ts_space_set_simple(copy, 2, longer, NULL) == 0) && all_runs(copy) && same_blocks(copy, RUNS);
    ts_space_unref(copy);
    return right ? NULL : arg;
}

static void at_once(void **state)
{
    const hsize_t dims[2] = {64, 64};
    struct ts_space *extent, *s;
    (void)state;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &extent), 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct ts_run runs[RUNS];
        pthread_t t[THREADS];
        for (size_t i = 0; i < RUNS; i++) /* no run goes over the end of a row, no row is that before it */
            runs[i] = (struct ts_run){i / 4 * 64 + i % 4 * 15 + i / 4 % 2 + 4, 1 + i / 4 % 3};
        assert_int_equal(ts_space_from_runs(extent, runs, RUNS, &s), 0);
        assert_non_null(s->runs);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&t[i], NULL, ask, s), 0);
        for (int i = 0; i < THREADS; i++) {
            void *failed;
            pthread_join(t[i], &failed);
            assert_null(failed);
        }
        assert_sound(s);
        ts_space_unref(s);
    }
    ts_space_unref(extent);
    pthread_barrier_destroy(&barrier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
