/* One lock guards the list of runs, the queue of jobs and the threads; it is held for moments only. The items of a run
 * are claimed without it. A run lives on its caller's stack and is in the list as long as a worker may still join; the
 * caller takes it out when nothing is left to claim, and waits for the workers that are still on an item. */
#define _GNU_SOURCE
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"
#include "base/thread.h"

/* The largest frame known is lzf's table of 512 KiB. */
#define STACK_SIZE ((size_t)1 << 20)

static struct ts_mutex lock = TS_MUTEX_INIT(TS_RANK_POOL);
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_once_t hooked = PTHREAD_ONCE_INIT;
static pthread_t threads[TS_POOL_MOST_HELPERS];
static unsigned n_threads, idle, busy_with_jobs, helping, cores;
static struct ts_pool_work *first_run, *last_run;
static struct ts_job *first_job, *last_job;
static bool ending;
static _Thread_local bool is_worker;
/* Threads that have runs, and how many the calling thread has: a hint, which orders nothing. */
static atomic_uint callers;
static _Thread_local unsigned own_runs;

unsigned ts_pool_cores(void)
{
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

static void unlist(struct ts_pool_work *run)
{
    TS_HELD(&lock);
    if (!run->listed)
        return;
    *(run->before ? &run->before->after : &first_run) = run->after;
    *(run->after ? &run->after->before : &last_run) = run->before;
    run->listed = false;
}

static void list(struct ts_pool_work *run)
{
    TS_HELD(&lock);
    run->before = last_run;
    *(last_run ? &last_run->after : &first_run) = run;
    last_run = run;
    run->listed = true;
}

/* Jobs are begun in their order: one that allows few workers holds up those behind it until it has begun. */
static bool job_can_begin(void)
{
    return first_job && busy_with_jobs < first_job->helpers;
}

/* Cores are for those who call, too: those who help and those who call are together one more than there is room for,
 * since callers also wait for the disk. */
static bool may_help(void)
{
    unsigned room = n_threads > cores ? n_threads : cores;
    return first_run && helping + atomic_load_explicit(&callers, memory_order_relaxed) <= room;
}

/* One at a time: who wakes up calls the next, so that a caller pays for one wake-up only. */
static void wake_one(void)
{
    TS_HELD(&lock);
    if (idle > 0 && (may_help() || job_can_begin()))
        pthread_cond_signal(&wake);
}

/* Claims items until there are none; true, and which, when one failed. */
static bool claim_items(struct ts_pool_work *run, unsigned lane, size_t *failed)
{
    while (!atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        size_t item = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        if (item >= run->n)
            return false;
        if (run->fn(run->ctx, item, lane) < 0) {
            atomic_store_explicit(&run->stop, true, memory_order_relaxed);
            *failed = item;
            return true;
        }
    }
    return false;
}

static void help(struct ts_pool_work *run)
{
    unsigned lane = ++run->joined;
    run->active++;
    helping++;
    if (run->joined == run->helpers)
        unlist(run);
    wake_one();
    ts_mutex_unlock(&lock);
    size_t failed;
    bool failure = claim_items(run, lane, &failed);
    if (failure)
        ts_err_clear();
    ts_mutex_lock(&lock);
    helping--;
    unlist(run);
    if (failure)
        run->failed[run->n_failed++] = failed;
    if (--run->active == 0)
        pthread_cond_signal(&run->left);
}

static void begin_job(void)
{
    struct ts_job *job = first_job;
    first_job = job->next;
    if (!first_job)
        last_job = NULL;
    busy_with_jobs++;
    wake_one();
    ts_mutex_unlock(&lock);
    job->run(job);
    ts_err_clear();
    ts_mutex_lock(&lock);
    busy_with_jobs--;
}

static void *work(void *unused)
{
    is_worker = true;
    pthread_setname_np(pthread_self(), "tessera");
    ts_mutex_lock(&lock);
    while (!ending)
        if (may_help()) {
            help(first_run);
        } else if (job_can_begin()) {
            begin_job();
        } else {
            idle++;
            ts_cond_wait(&wake, &lock);
            idle--;
        }
    ts_mutex_unlock(&lock);
    return unused;
}

static void before_fork(void)
{
    ts_mutex_lock(&lock);
}

static void after_fork(void)
{
    ts_mutex_unlock(&lock);
}

static void in_child(void)
{
    /* What slept on it is not here: the old state would wait for it. */
    wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    n_threads = idle = busy_with_jobs = helping = 0;
    atomic_store_explicit(&callers, own_runs > 0, memory_order_relaxed);
    first_run = last_run = NULL;
    first_job = last_job = NULL;
    ts_mutex_unlock(&lock);
}

static void hook_fork(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

/* The code of the library may go away after this, so no worker may be left in it. */
__attribute__((destructor)) static void end_threads(void)
{
    ts_mutex_lock(&lock);
    ending = true;
    unsigned n = n_threads;
    n_threads = 0;
    pthread_cond_broadcast(&wake);
    ts_mutex_unlock(&lock);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static void start_threads(unsigned wanted)
{
    TS_HELD(&lock);
    if (cores == 0)
        cores = ts_pool_cores();
    while (!ending && n_threads < wanted && ts_thread_start(&threads[n_threads], STACK_SIZE, work, NULL) == 0)
        n_threads++;
}

static void lock_and_start(unsigned wanted)
{
    pthread_once(&hooked, hook_fork);
    ts_mutex_lock(&lock);
    start_threads(wanted);
}

static int run_alone(ts_pool_fn *fn, void *ctx, size_t first, size_t n)
{
    for (size_t i = first; i < n; i++) {
        int status = fn(ctx, i, 0);
        if (status < 0)
            return status;
    }
    return 0;
}

static int try_again(struct ts_pool_work *run)
{
    for (unsigned i = 0; i < run->n_failed; i++) {
        int status = run->fn(run->ctx, run->failed[i], 0);
        if (status < 0)
            return status;
    }
    return run_alone(run->fn, run->ctx, atomic_load(&run->next), run->n);
}

static void enter(void)
{
    if (own_runs++ == 0)
        atomic_fetch_add_explicit(&callers, 1, memory_order_relaxed);
}

static void leave(void)
{
    if (--own_runs == 0)
        atomic_fetch_sub_explicit(&callers, 1, memory_order_relaxed);
}

void ts_pool_start(struct ts_pool_work *work, unsigned helpers, size_t n, ts_pool_fn *fn, void *ctx)
{
    if (helpers > TS_POOL_MOST_HELPERS)
        helpers = TS_POOL_MOST_HELPERS;
    if (n <= helpers)
        helpers = n > 0 ? (unsigned)(n - 1) : 0;
    work->fn = fn;
    work->ctx = ctx;
    work->n = n;
    work->helpers = is_worker ? 0 : helpers;
    if (work->helpers == 0)
        return;
    enter();
    *work = (struct ts_pool_work){.fn = fn, .ctx = ctx, .n = n, .helpers = helpers, .left = PTHREAD_COND_INITIALIZER};
    lock_and_start(helpers);
    list(work);
    wake_one();
    ts_mutex_unlock(&lock);
}

int ts_pool_finish(struct ts_pool_work *work)
{
    size_t failed;
    if (work->helpers == 0)
        return run_alone(work->fn, work->ctx, 0, work->n);
    bool failure = claim_items(work, 0, &failed);
    ts_mutex_lock(&lock);
    unlist(work);
    while (work->active > 0)
        ts_cond_wait(&work->left, &lock);
    ts_mutex_unlock(&lock);
    pthread_cond_destroy(&work->left);
    leave();
    return failure ? -1 : work->n_failed > 0 ? try_again(work) : 0;
}

int ts_pool_run(unsigned helpers, size_t n, ts_pool_fn *fn, void *ctx)
{
    struct ts_pool_work work;
    ts_pool_start(&work, helpers, n, fn, ctx);
    return ts_pool_finish(&work);
}

bool ts_pool_submit(struct ts_job *job, unsigned helpers)
{
    if (helpers == 0)
        return false;
    if (helpers > TS_POOL_MOST_HELPERS)
        helpers = TS_POOL_MOST_HELPERS;
    lock_and_start(helpers);
    bool taken = n_threads > 0;
    if (taken) {
        job->helpers = helpers;
        job->next = NULL;
        *(last_job ? &last_job->next : &first_job) = job;
        last_job = job;
        wake_one();
    }
    ts_mutex_unlock(&lock);
    return taken;
}
