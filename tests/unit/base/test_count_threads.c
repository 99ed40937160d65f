/* Lanes, and counts of references that are spread over them. */
#include "unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/count.h"

enum { THREADS = 8, ROUNDS = 20000 };

static void *note_lane(void *out)
{
    *(unsigned *)out = ts_lane();
    return NULL;
}

static void a_thread_that_ends_leaves_its_lane(void **state)
{
    (void)state;
    unsigned own = ts_lane(), first = 0, second = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, note_lane, &first);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, note_lane, &second);
    pthread_join(thread, NULL);
    assert_true(own < ts_lanes && first < ts_lanes);
    assert_int_not_equal(first, own);
    assert_int_equal(first, second);
    assert_int_equal(ts_lane(), own);
}

struct meeting {
    pthread_barrier_t barrier;
    unsigned lanes[TS_LANES_MOST + 1];
    atomic_uint n;
};

static void *take_lane(void *arg)
{
    struct meeting *m = arg;
    unsigned lane = ts_lane();
    m->lanes[atomic_fetch_add(&m->n, 1)] = lane;
    pthread_barrier_wait(&m->barrier);
    return NULL;
}

/* With this one there is a thread for each lane, and one more. */
static void who_comes_late_shares_a_lane(void **state)
{
    (void)state;
    struct meeting m = {.n = 0};
    pthread_t threads[TS_LANES_MOST];
    unsigned users[TS_LANES_MOST] = {0}, shared = 0;
    users[ts_lane()]++;
    pthread_barrier_init(&m.barrier, NULL, ts_lanes);
    for (unsigned i = 0; i < ts_lanes; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_lane, &m), 0);
    for (unsigned i = 0; i < ts_lanes; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&m.barrier);
    for (unsigned i = 0; i < ts_lanes; i++)
        users[m.lanes[i]]++;
    for (unsigned i = 0; i < ts_lanes; i++) {
        assert_true(users[i] >= 1);
        shared += users[i] > 1;
    }
    assert_int_equal(shared, 1);
}

/* A child has one thread: nobody looks there, whoever looked in the parent. */
static void a_child_waits_for_nobody(void **state)
{
    (void)state;
    int status = -1;
    atomic_fetch_add(&ts_looking[ts_lanes - 1].n, 1);
    pid_t child = fork();
    if (child == 0) {
        ts_look_wait();
        _exit(ts_lane() < ts_lanes ? 0 : 1);
    }
    atomic_fetch_sub(&ts_looking[ts_lanes - 1].n, 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void gathered_it_is_what_it_was(void **state)
{
    (void)state;
    struct ts_count c;
    ts_count_init(&c, 1);
    assert_true(ts_count_is_one(&c));
    ts_count_spread(&c);
    assert_false(ts_count_is_one(&c));
    ts_count_add(&c);
    ts_count_add(&c);
    assert_false(ts_count_drop(&c));
    ts_count_spread(&c); /* a second keeper */
    ts_count_gather(&c);
    assert_false(ts_count_drop(&c));
    ts_count_gather(&c);
    assert_true(ts_count_is_one(&c));
    ts_count_add(&c);
    assert_false(ts_count_drop(&c));
    ts_count_spread(&c); /* again */
    ts_count_add(&c);
    ts_count_gather(&c);
    assert_int_equal(c.n, 2);
    assert_false(ts_count_drop(&c));
    assert_true(ts_count_drop(&c));
    ts_count_deinit(&c);
}

static void without_memory_it_counts_all_the_same(void **state)
{
    (void)state;
    struct ts_count c;
    ts_count_init(&c, 1);
    ts_alloc_fail_at(1, TS_FAULT_FROM);
    ts_count_spread(&c);
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    ts_count_add(&c);
    assert_false(ts_count_drop(&c));
    ts_count_gather(&c);
    assert_true(ts_count_drop(&c));
    ts_count_deinit(&c);
}

struct thing {
    struct ts_count refs;
    long value; /* written by who drops the last reference: nobody may use it then */
};

static atomic_int ended;

static void let_go(struct thing *t)
{
    if (!ts_count_drop(&t->refs))
        return;
    t->value = 0;
    atomic_fetch_add(&ended, 1);
    ts_count_deinit(&t->refs);
    free(t);
}

/* Has a reference of its own; becomes a keeper now and then, as others do. */
static void *use(void *arg)
{
    struct thing *t = arg;
    for (int i = 0; i < ROUNDS; i++) {
        bool keeps = i % 97 == 0;
        if (keeps)
            ts_count_spread(&t->refs);
        ts_count_add(&t->refs);
        if (t->value != 7)
            abort();
        let_go(t);
        if (keeps)
            ts_count_gather(&t->refs);
    }
    let_go(t);
    return NULL;
}

static void the_last_reference_is_the_last(void **state)
{
    (void)state;
    atomic_store(&ended, 0);
    for (int round = 1; round <= 10; round++) {
        struct thing *t = malloc(sizeof *t);
        pthread_t threads[THREADS];
        ts_count_init(&t->refs, THREADS);
        t->value = 7;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, use, t), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&ended), round);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_ends_leaves_its_lane),
        cmocka_unit_test(who_comes_late_shares_a_lane),
        cmocka_unit_test(a_child_waits_for_nobody),
        cmocka_unit_test(gathered_it_is_what_it_was),
        cmocka_unit_test(without_memory_it_counts_all_the_same),
        cmocka_unit_test(the_last_reference_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
