/* Worker threads: every item runs once, lanes are not shared, errors reach the caller, jobs run in order or are taken
 * back, and a child made by fork has a pool that works. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/pool.h"

enum { ITEMS = 500, LANES = 9 };

struct count {
    atomic_uint done[ITEMS];
    atomic_uint in_lane[LANES];
    atomic_uint overlaps, at_once, most_at_once;
    size_t bad_item;
    unsigned bad_times; /* how often the bad item fails yet; UINT_MAX: always */
    unsigned pause;     /* microseconds in each item */
    pthread_t caller;
    atomic_uint in_workers;
    int wait; /* most milliseconds until a worker should have begun */
};

static int count_item(void *ctx, size_t item, unsigned lane)
{
    struct count *c = ctx;
    unsigned now = atomic_fetch_add(&c->at_once, 1) + 1, most = atomic_load(&c->most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&c->most_at_once, &most, now))
        ;
    if (lane >= LANES || atomic_fetch_add(&c->in_lane[lane], 1) != 0)
        atomic_fetch_add(&c->overlaps, 1);
    if ((lane == 0) != (pthread_equal(pthread_self(), c->caller) != 0))
        atomic_fetch_add(&c->overlaps, 1);
    if (lane != 0)
        atomic_fetch_add(&c->in_workers, 1);
    if (c->pause)
        usleep(c->pause);
    int status = 0;
    if (item == c->bad_item && c->bad_times > 0) {
        if (c->bad_times != UINT32_MAX)
            c->bad_times--;
        status = TS_ERR(ARGS, BADVALUE, "item %zu is bad", item);
    } else {
        atomic_fetch_add(&c->done[item], 1);
    }
    atomic_fetch_sub(&c->in_lane[lane], 1);
    atomic_fetch_sub(&c->at_once, 1);
    return status;
}

/* No memory of the heap: the one of a sanitizer may be locked for ever in a child. */
static void count_init(struct count *c)
{
    memset(c, 0, sizeof *c);
    c->bad_item = SIZE_MAX;
    c->caller = pthread_self();
}

/* Comes back when workers have done something meanwhile, if there are any. */
static void wait_for_workers(const struct count *c)
{
    for (int i = 0; i < c->wait && atomic_load(&c->in_workers) == 0; i++)
        usleep(1000);
}

static void workers_begin_while_the_caller_does_something_else(void **state)
{
    (void)state;
    for (unsigned helpers = 0; helpers < 3; helpers += 2) {
        struct ts_pool_work work;
        struct count c;
        count_init(&c);
        c.wait = helpers ? 5000 : 0;
        ts_pool_start(&work, helpers, ITEMS, count_item, &c);
        wait_for_workers(&c);
        assert_int_equal(c.in_workers > 0, helpers > 0);
        assert_int_equal(ts_pool_finish(&work), 0);
        for (size_t i = 0; i < ITEMS; i++)
            assert_int_equal(c.done[i], 1);
    }
}

static void every_item_runs_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 7, 100, ITEMS};
    for (unsigned helpers = 0; helpers < LANES; helpers++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct count c;
            count_init(&c);
            assert_int_equal(ts_pool_run(helpers, sizes[s], count_item, &c), 0);
            for (size_t i = 0; i < ITEMS; i++)
                assert_int_equal(c.done[i], i < sizes[s] ? 1 : 0);
            assert_int_equal(c.overlaps, 0);
            assert_true(c.most_at_once <= helpers + 1);
            if (helpers == 0 || sizes[s] <= 1)
                assert_int_equal(c.in_workers, 0);
        }
}

static void workers_take_part(void **state)
{
    (void)state;
    struct count c;
    count_init(&c);
    c.pause = 2000;
    assert_int_equal(ts_pool_run(2, 30, count_item, &c), 0);
    assert_true(c.in_workers > 0);
    assert_in_range(c.most_at_once, 2, 3);
}

static void error_of_any_thread_is_the_callers(void **state)
{
    (void)state;
    for (size_t bad = 0; bad < 12; bad++) {
        struct count c;
        count_init(&c);
        c.bad_item = bad;
        c.bad_times = UINT32_MAX;
        c.pause = 300;
        ts_err_clear();
        assert_int_equal(ts_pool_run(3, ITEMS, count_item, &c), -1);
        struct ts_err_stack *stack = ts_err_current();
        char text[64];
        snprintf(text, sizeof text, "item %zu is bad", bad);
        assert_int_equal(stack->depth, 1);
        assert_string_equal(stack->rec[0].text, text);
        assert_int_equal(c.done[bad], 0);
        assert_int_equal(c.done[ITEMS - 1], 0);
        ts_err_clear();
    }
}

/* Fails in a worker only, so that the second try, by the caller, goes well. */
static int fail_in_workers(void *ctx, size_t item, unsigned lane)
{
    struct count *c = ctx;
    usleep(200);
    if (lane != 0) {
        atomic_fetch_add(&c->in_workers, 1);
        return TS_ERR(ARGS, BADVALUE, "a worker cannot do item %zu", item);
    }
    atomic_fetch_add(&c->done[item], 1);
    return 0;
}

static void caller_makes_up_for_workers(void **state)
{
    (void)state;
    struct count c;
    count_init(&c);
    ts_err_clear();
    for (int round = 0; round < 20; round++)
        assert_int_equal(ts_pool_run(4, 50, fail_in_workers, &c), 0);
    assert_int_equal(ts_err_mark(), 0);
    assert_true(c.in_workers > 0);
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(c.done[i], 20);
}

static int sum_inside(void *ctx, size_t item, unsigned lane)
{
    (void)lane;
    atomic_fetch_add((atomic_uint *)ctx, (unsigned)item);
    return 0;
}

static int run_inside(void *ctx, size_t item, unsigned lane)
{
    (void)item;
    (void)lane;
    return ts_pool_run(4, 10, sum_inside, ctx);
}

static void runs_within_runs(void **state)
{
    (void)state;
    atomic_uint sum = 0;
    assert_int_equal(ts_pool_run(3, 40, run_inside, &sum), 0);
    assert_int_equal(sum, 40 * 45);
}

static void *run_many(void *failures)
{
    for (int i = 0; i < 60; i++) {
        struct count c;
        count_init(&c);
        size_t n = 1 + (size_t)i * 7 % 40;
        unsigned missing = ts_pool_run(1 + (unsigned)i % 6, n, count_item, &c) == 0 ? 0 : 1;
        for (size_t k = 0; k < n; k++)
            missing += c.done[k] != 1;
        atomic_fetch_add((atomic_uint *)failures, missing + c.overlaps);
    }
    return NULL;
}

static void many_threads_run_at_once(void **state)
{
    (void)state;
    pthread_t threads[8];
    atomic_uint failures = 0;
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &failures), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
}

struct note {
    struct ts_job job;
    struct notes *all;
    unsigned number;
};

struct notes {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n, order[64], at_once, most_at_once;
    bool hold; /* jobs wait until it is false */
    bool signals_blocked;
    char name[16];
    struct note note[64];
};

static void note_run(struct ts_job *job)
{
    struct note *note = (struct note *)job;
    struct notes *all = note->all;
    pthread_mutex_lock(&all->lock);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    all->signals_blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGALRM) && !sigismember(&mask, SIGSEGV);
    pthread_getname_np(pthread_self(), all->name, sizeof all->name);
    all->order[all->n++] = note->number;
    if (++all->at_once > all->most_at_once)
        all->most_at_once = all->at_once;
    pthread_cond_broadcast(&all->changed);
    while (all->hold)
        pthread_cond_wait(&all->changed, &all->lock);
    all->at_once--;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
}

static void notes_init(struct notes *all, bool hold)
{
    *all = (struct notes){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .hold = hold};
    for (unsigned i = 0; i < 64; i++)
        all->note[i] = (struct note){.job.run = note_run, .all = all, .number = i};
}

/* Until `n` have begun and, when the hold is lifted, all of them have ended. */
static void notes_wait(struct notes *all, unsigned n, bool lift)
{
    pthread_mutex_lock(&all->lock);
    while (all->n < n)
        pthread_cond_wait(&all->changed, &all->lock);
    if (lift) {
        all->hold = false;
        pthread_cond_broadcast(&all->changed);
        while (all->at_once > 0)
            pthread_cond_wait(&all->changed, &all->lock);
    }
    pthread_mutex_unlock(&all->lock);
}

static void jobs_run_in_order(void **state)
{
    (void)state;
    struct notes all;
    notes_init(&all, false);
    for (unsigned i = 0; i < 64; i++)
        assert_true(ts_pool_submit(&all.note[i].job, 1));
    notes_wait(&all, 64, true);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(all.order[i], i);
    assert_int_equal(all.most_at_once, 1);
    assert_true(all.signals_blocked);
    assert_string_equal(all.name, "tessera");
}

static void jobs_of_a_few_workers(void **state)
{
    (void)state;
    struct notes all;
    notes_init(&all, true);
    for (unsigned i = 0; i < 10; i++)
        assert_true(ts_pool_submit(&all.note[i].job, 3));
    notes_wait(&all, 3, false);

    /* All workers that jobs may have are asleep in them; a run does not wait for them. */
    struct count c;
    count_init(&c);
    assert_int_equal(ts_pool_run(3, 100, count_item, &c), 0);
    assert_int_equal(c.done[99], 1);

    notes_wait(&all, 3, true);
    notes_wait(&all, 10, true);
    assert_int_equal(all.n, 10);
    assert_int_equal(all.most_at_once, 3);
    unsigned seen = 0;
    for (unsigned i = 0; i < 10; i++)
        seen |= 1u << all.order[i];
    assert_int_equal(seen, 1023);
}

static void no_workers_no_job(void **state)
{
    (void)state;
    struct notes all;
    notes_init(&all, false);
    assert_false(ts_pool_submit(&all.note[0].job, 0));
    assert_int_equal(all.n, 0);
}

/* ThreadSanitizer allows no threads after a fork. */
#ifndef __SANITIZE_THREAD__
static int work_in_child(struct notes *parents)
{
    struct count c;
    count_init(&c);
    c.pause = 500;
    if (ts_pool_run(3, 60, count_item, &c) != 0 || c.overlaps || !c.in_workers)
        return 1;
    for (size_t i = 0; i < 60; i++)
        if (c.done[i] != 1)
            return 2;
    struct notes all;
    notes_init(&all, false);
    for (unsigned i = 0; i < 20; i++)
        if (!ts_pool_submit(&all.note[i].job, 2))
            return 3;
    notes_wait(&all, 20, true);
    /* The parent's jobs are not in this queue. */
    if (parents->n != 2)
        return 4;
    return 0;
}

static void child_has_its_own_pool(void **state)
{
    (void)state;
    struct notes all;
    notes_init(&all, true);
    for (unsigned i = 0; i < 5; i++)
        assert_true(ts_pool_submit(&all.note[i].job, 2));
    notes_wait(&all, 2, false);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        _exit(work_in_child(&all));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    notes_wait(&all, 2, true);
    notes_wait(&all, 5, true);
    assert_int_equal(all.n, 5);
}

static void *fork_often(void *failures)
{
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            struct count c;
            count_init(&c);
            int bad = ts_pool_run(4, 100, count_item, &c) != 0 || c.done[99] != 1;
            _exit(bad);
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            atomic_fetch_add((atomic_uint *)failures, 1);
    }
    return NULL;
}

static void fork_while_others_run(void **state)
{
    (void)state;
    pthread_t threads[3];
    atomic_uint failures = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i == 0 ? fork_often : run_many, &failures), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
}
#endif

static void cores_are_those_allowed(void **state)
{
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(ts_pool_cores(), CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(ts_pool_cores(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_workers_no_job),
        cmocka_unit_test(every_item_runs_once),
        cmocka_unit_test(workers_begin_while_the_caller_does_something_else),
        cmocka_unit_test(workers_take_part),
        cmocka_unit_test(error_of_any_thread_is_the_callers),
        cmocka_unit_test(caller_makes_up_for_workers),
        cmocka_unit_test(runs_within_runs),
        cmocka_unit_test(many_threads_run_at_once),
        cmocka_unit_test(jobs_run_in_order),
        cmocka_unit_test(jobs_of_a_few_workers),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(child_has_its_own_pool),
        cmocka_unit_test(fork_while_others_run),
#endif
        cmocka_unit_test(cores_are_those_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
