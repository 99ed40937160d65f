#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "unit/plist/start_stop.h"

#include "plist/dcpl.h"

enum { THREADS = 8, ROUNDS = 400 };

struct shared {
    struct ts_plist *pl;
    atomic_int bad;
};

/* One list for all: the two numbers are set together by no one, but each must always be one that somebody set. */
static void *worker(void *arg)
{
    struct shared *s = arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct ts_plist *copy;
        struct ts_layout_prop layout = {.cls = H5D_CHUNKED, .chunk_rank = 2, .chunk_dims = {7, 7}}, got;
        struct ts_efl efl = {0}, back;
        struct ts_efl_file file = {.name = (char *)"a file", .offset = 5, .size = 6};
        if (ts_efl_add(&efl, &file) < 0 || ts_dcpl_set_layout(s->pl, &layout) < 0 || ts_dcpl_set_efl(s->pl, &efl) < 0 ||
            ts_dcpl_layout(s->pl, &got) < 0 || ts_dcpl_efl(s->pl, &back) < 0 || ts_plist_copy(s->pl, &copy) < 0) {
            atomic_fetch_add(&s->bad, 1);
            break;
        }
        if (got.chunk_dims[1] != 7 || back.n != 1 || strcmp(back.slots[0].name, "a file") != 0 ||
            !ts_plist_equal(s->pl, copy))
            atomic_fetch_add(&s->bad, 1);
        ts_layout_prop_deinit(&got);
        ts_efl_deinit(&back);
        ts_efl_deinit(&efl);
        ts_plist_unref(copy);
    }
    return NULL;
}

static void many_threads(void **state)
{
    (void)state;
    struct shared s = {0};
    pthread_t threads[THREADS];
    assert_int_equal(ts_plist_new(TS_PLIST_DATASET_CREATE, &s.pl), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, worker, &s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&s.bad), 0);
    ts_plist_unref(s.pl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
