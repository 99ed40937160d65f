#include <pthread.h>
#include <string.h>

#include "unit/id/things.h"

enum { THREADS = 8, ROUNDS = 3000, SHARED = 16 };

struct shared {
    _Atomic hid_t ids[SHARED];
    atomic_int bad;
};

/* All threads register, pin, count up and down and close ids in the same slots. */
static void *worker(void *arg)
{
    struct shared *s = arg;
    unsigned seed = (unsigned)(uintptr_t)&seed;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned slot = (seed >> 16) % SHARED;
        hid_t mine = ts_id_register(H5I_DATASET, thing_new((int)slot));
        hid_t old = atomic_exchange(&s->ids[slot], mine);
        hid_t other = atomic_load(&s->ids[(slot + 1) % SHARED]);
        struct thing *t = other ? ts_id_pin(other, H5I_DATASET) : NULL;
        if (t) {
            if (t->value != (int)((slot + 1) % SHARED))
                atomic_fetch_add(&s->bad, 1);
            ts_id_unpin(H5I_DATASET, t);
        }
        if (other && ts_id_inc(other) > 0)
            ts_id_dec(other);
        if (old && ts_id_dec(old) < 0)
            atomic_fetch_add(&s->bad, 1);
        ts_err_clear();
    }
    return NULL;
}

static void many_threads(void **state)
{
    (void)state;
    struct shared s = {0};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, worker, &s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&s.bad), 0);
    size_t left = 0;
    for (int i = 0; i < SHARED; i++)
        left += s.ids[i] != 0;
    assert_int_equal(ts_id_members(H5I_DATASET), left);
    assert_int_equal(atomic_load(&alive), left);
    assert_int_equal(ts_id_clear(H5I_DATASET, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
