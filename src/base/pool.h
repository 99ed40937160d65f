/* Worker threads, shared by the whole process. They compute: a job takes no lock of a file and never calls into the API.
 *
 * Threads are started when first needed, sleep when there is nothing to do, and do not keep the process alive. A child
 * made by fork has none of them and starts its own; jobs that its parent had submitted are not run there. */
#ifndef TS_BASE_POOL_H
#define TS_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* Cores this process may run on; at least 1. */
unsigned ts_pool_cores(void);

/* item < n; lane < the most threads that work at once, the caller's is 0: for scratch memory of its own. Returns 0, or
 * negative: the item could not be done. An error that a worker pushes is lost with it. */
typedef int ts_pool_fn(void *ctx, size_t item, unsigned lane);

/* Runs fn once for each of n items. The calling thread works too, beside at most `helpers` workers; it returns when all
 * are done, and needs no worker to come free for that. What failed in a worker is tried again by the caller, whose
 * error stack then says why. Returns 0 or the first error; after one, items that were not begun are left out. */
int ts_pool_run(unsigned helpers, size_t n, ts_pool_fn *fn, void *ctx);
/* The same, but while workers begin the caller first does something else. If that fails, so does the run, after its end. */
int ts_pool_run_beside(unsigned helpers, size_t n, ts_pool_fn *fn, void *ctx, int (*first)(void *ctx));

struct ts_job {
    void (*run)(struct ts_job *job);
    struct ts_job *next; /* the pool's, with what follows */
    unsigned helpers;
};

/* Queues a job for a worker, behind what is queued already; at most `helpers` workers take such jobs at once. False when
 * there can be none (helpers 0, or no thread could be started): then nothing happens. The job's owner keeps it until run
 * has been called; run may free it. Jobs that are queued when the process ends, or the library is unloaded, do not run. */
bool ts_pool_submit(struct ts_job *job, unsigned helpers);

#endif
