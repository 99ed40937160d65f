#include "base/lane.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

unsigned ts_lanes = TS_LANES_LEAST;
_Thread_local unsigned ts_lane_own;
struct ts_lane_cell ts_looking[TS_LANES_MOST];

static atomic_uint users[TS_LANES_MOST]; /* how many threads have the lane */
static atomic_uint next_shared;
static pthread_key_t thread_end;
static bool has_key;

/* A thread that ends leaves its lane to the next one. */
static void leave(void *own)
{
    unsigned lane = *(unsigned *)own - 1;
    *(unsigned *)own = 0;
    atomic_fetch_sub_explicit(&users[lane], 1, memory_order_relaxed);
}

/* A lane says nothing about what is in memory, so relaxed will do. */
static unsigned choose(void)
{
    for (unsigned lane = 0; lane < ts_lanes; lane++) {
        unsigned none = 0;
        if (atomic_compare_exchange_strong_explicit(&users[lane], &none, 1, memory_order_relaxed, memory_order_relaxed))
            return lane;
    }
    unsigned lane = atomic_fetch_add_explicit(&next_shared, 1, memory_order_relaxed) & (ts_lanes - 1);
    atomic_fetch_add_explicit(&users[lane], 1, memory_order_relaxed);
    return lane;
}

unsigned ts_lane_take(void)
{
    unsigned lane = choose();
    ts_lane_own = lane + 1;
    if (has_key)
        pthread_setspecific(thread_end, &ts_lane_own);
    return lane;
}

struct ts_lane_cell *ts_lane_cells(void)
{
    struct ts_lane_cell *cells = ts_malloc_aligned(ts_lanes * sizeof *cells);
    if (cells)
        memset(cells, 0, ts_lanes * sizeof *cells);
    return cells;
}

/* Each lane needs to be seen idle once, at whatever time: who comes later does not find what was taken out. */
void ts_look_wait(void)
{
    for (unsigned lane = 0; lane < ts_lanes; lane++)
        for (unsigned tries = 1; !ts_lane_idle(&ts_looking[lane], -1); tries++)
            if (tries % 128 == 0)
                sched_yield(); /* who looks may not be running */
}

/* Of the threads of the parent there is only the one that called fork, and that was not looking. */
static void in_child(void)
{
    for (unsigned lane = 0; lane < TS_LANES_MOST; lane++) {
        atomic_store(&ts_looking[lane].n, 0);
        atomic_store(&users[lane], ts_lane_own == lane + 1);
    }
}

__attribute__((constructor)) static void count_processors(void)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    while (ts_lanes < TS_LANES_MOST && (long)ts_lanes < processors)
        ts_lanes *= 2;
    has_key = pthread_key_create(&thread_end, leave) == 0;
    pthread_atfork(NULL, NULL, in_child);
}

__attribute__((destructor)) static void forget_threads(void)
{
    if (has_key)
        pthread_key_delete(thread_end);
    has_key = false;
}
