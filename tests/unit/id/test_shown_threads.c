/* Ids that many threads use again and again are found without a lock: what becomes of them when one thread closes them,
 * counts them, or lets them stand for something else. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "unit/id/things.h"

enum { THREADS = 6, ROUNDS = 300, FEW = 32 };

struct shared {
    _Atomic hid_t id;
    atomic_int least; /* what is found has at least this value */
    atomic_bool over;
    atomic_int bad;
    atomic_ulong found;
};

static void *use(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load(&s->over)) {
        int least = atomic_load(&s->least);
        struct thing *t = ts_id_pin(atomic_load(&s->id), H5I_DATASET);
        if (!t) {
            ts_err_clear();
            sched_yield();
            continue;
        }
        if (t->value < least)
            atomic_fetch_add(&s->bad, 1);
        atomic_fetch_add(&s->found, 1);
        ts_id_unpin(H5I_DATASET, t);
    }
    return NULL;
}

/* So that the id is shown. */
static void let_them_find(struct shared *s)
{
    unsigned long until = atomic_load(&s->found) + FEW;
    while (atomic_load(&s->found) < until)
        sched_yield();
}

static void with_threads(struct shared *s, void (*work)(struct shared *s))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, s), 0);
    work(s);
    atomic_store(&s->over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&s->bad), 0);
    assert_int_equal(atomic_load(&alive), 0);
}

static void close_and_open(struct shared *s)
{
    for (int i = 1; i <= ROUNDS; i++) {
        hid_t id = ts_id_register(H5I_DATASET, thing_new(i));
        atomic_store(&s->id, id);
        let_them_find(s);
        assert_int_equal(ts_id_inc(id), 2);
        assert_int_equal(ts_id_dec(id), 1);
        assert_int_equal(ts_id_close(id, H5I_DATASET), 0);
        /* Whoever asks now does not find it. */
        assert_null(ts_id_pin(id, H5I_DATASET));
        assert_int_equal(ts_id_type(id), H5I_BADID);
        ts_err_clear();
    }
}

static void ids_that_others_use_are_closed(void **state)
{
    (void)state;
    struct shared s = {0};
    with_threads(&s, close_and_open);
}

static void replace(struct shared *s)
{
    void *old;
    hid_t id = ts_id_register(H5I_DATASET, thing_new(0));
    atomic_store(&s->id, id);
    for (int i = 1; i <= ROUNDS; i++) {
        let_them_find(s);
        assert_int_equal(ts_id_replace(id, H5I_DATASET, thing_new(i), &old), 0);
        /* Nobody finds the old one now. */
        atomic_store(&s->least, i);
        assert_int_equal(((struct thing *)old)->value, i - 1);
        ts_id_unpin(H5I_DATASET, old);
    }
    assert_int_equal(ts_id_close(id, H5I_DATASET), 0);
}

static void ids_that_others_use_get_another_object(void **state)
{
    (void)state;
    struct shared s = {0};
    with_threads(&s, replace);
}

static int add_if_alone(void *obj, void *ctx)
{
    struct thing *t = obj;
    (void)ctx;
    if (!ts_count_is_one(&t->refs))
        return 0;
    t->value++;
    return 1;
}

/* Those who have it are through with it soon; new ones do not come while it is changed. */
static void update(struct shared *s)
{
    hid_t id = ts_id_register(H5I_DATASET, thing_new(0));
    atomic_store(&s->id, id);
    int changed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        let_them_find(s);
        changed += ts_id_update(id, H5I_DATASET, add_if_alone, NULL);
    }
    struct thing *t = ts_id_pin(id, H5I_DATASET);
    assert_int_equal(t->value, changed);
    ts_id_unpin(H5I_DATASET, t);
    assert_int_equal(ts_id_close(id, H5I_DATASET), 0);
}

static void objects_are_changed_when_nobody_else_has_them(void **state)
{
    (void)state;
    struct shared s = {0};
    with_threads(&s, update);
}

static void *pin_often(void *arg)
{
    const hid_t *ids = arg;
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < ROUNDS; i++) {
            struct thing *t = ts_id_pin(ids[i], H5I_DATASET);
            if (!t || t->value != i)
                return (void *)(uintptr_t)ids;
            ts_id_unpin(H5I_DATASET, t);
        }
    return NULL;
}

/* More than there are places near each other. */
static void many_are_shown_at_once(void **state)
{
    (void)state;
    static hid_t ids[ROUNDS];
    pthread_t threads[THREADS];
    for (int i = 0; i < ROUNDS; i++)
        ids[i] = ts_id_register(H5I_DATASET, thing_new(i));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pin_often, ids), 0);
    for (int i = 0; i < THREADS; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
    for (int i = 0; i < ROUNDS; i++)
        assert_int_equal(ts_id_close(ids[i], H5I_DATASET), 0);
    assert_int_equal(atomic_load(&alive), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_that_others_use_are_closed),
        cmocka_unit_test(ids_that_others_use_get_another_object),
        cmocka_unit_test(objects_are_changed_when_nobody_else_has_them),
        cmocka_unit_test(many_are_shown_at_once),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
