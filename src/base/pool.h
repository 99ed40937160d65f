/* Worker threads, shared by the whole process. They compute: a job takes no lock of a file and never calls into the
 * API.
 *
 * Threads are started when first needed, sleep when there is nothing to do, and do not keep the process alive. A child
 * made by fork has none of them and starts its own; jobs that its parent had submitted are not run there. */
#ifndef TS_BASE_POOL_H
#define TS_BASE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { TS_POOL_MOST_HELPERS = 64 };

/* Cores this process may run on; at least 1. */
unsigned ts_pool_cores(void);

/* item < n; lane < the most threads that work at once, the caller's is 0: for scratch memory of its own. Returns 0, or
 * negative: the item could not be done. An error that a worker pushes is lost with it. */
typedef int ts_pool_fn(void *ctx, size_t item, unsigned lane);

/* Work on n items that workers have begun with. On its owner's stack; the members are the pool's. */
struct ts_pool_work {
    ts_pool_fn *fn;
    void *ctx;
    size_t n;
    atomic_size_t next; /* item */
    atomic_bool stop;
    /* Under the pool's lock. */
    struct ts_pool_work *before, *after;
    bool listed;
    unsigned helpers, joined, active, n_failed;
    pthread_cond_t left;                 /* when active has come to 0 */
    size_t failed[TS_POOL_MOST_HELPERS]; /* one for each worker, which leaves after it */
};

/* Workers, `helpers` at most, and fewer where many threads call, begin to run fn once for each of n items, while the
 * caller does something else. */
void ts_pool_start(struct ts_pool_work *work, unsigned helpers, size_t n, ts_pool_fn *fn, void *ctx);
/* In any case after that: the caller does what is left, and waits for what workers are still at; it needs none to come
 * free for that. What failed in a worker is tried again by the caller, whose error stack then says why. Returns 0 or
 * the first error; after one, items that were not begun are left out. */
int ts_pool_finish(struct ts_pool_work *work);
/* Both. */
int ts_pool_run(unsigned helpers, size_t n, ts_pool_fn *fn, void *ctx);

struct ts_job {
    void (*run)(struct ts_job *job);
    struct ts_job *next; /* the pool's, with what follows */
    unsigned helpers;
};

/* Queues a job for a worker, behind what is queued already; at most `helpers` workers take such jobs at once. False
 * when there can be none (helpers 0, or no thread could be started): then nothing happens. The job's owner keeps it
 * until run has been called; run may free it. Jobs that are queued when the process ends, or the library is unloaded,
 * do not run. */
bool ts_pool_submit(struct ts_job *job, unsigned helpers);

#endif
