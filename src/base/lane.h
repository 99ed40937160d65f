/* Lanes: what every thread writes all the time lies once for each lane, on cache lines of its own, so that threads do
 * not wait for each other's processors. A thread has a lane for life; there are at least as many as processors, and who
 * comes later shares one: what a lane has is atomic all the same.
 *
 * Two things stand on it: counts of references that are spread (count.h), and knowing who looks. A table that is read
 * all the time and changes hardly ever needs no lock: who reads it says so in its lane, and who takes something out
 * waits until nobody reads (ts_look_wait), or puts it aside until every lane was seen idle once (ts_lane_idle). */
#ifndef TS_BASE_LANE_H
#define TS_BASE_LANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    TS_LANE_LINE = 128, /* processors fetch lines of 64 bytes by twos; some for arm64 have lines of 128 */
    TS_LANES_LEAST = 16,
    TS_LANES_MOST = 128,
};

/* How many there are, a power of two; the same for the life of the process. */
extern unsigned ts_lanes;

/* The calling thread's, and 1; 0 before it has one. Looked at with every use of an id. Not of the model "initial-exec",
 * which would find it without a call: the library has 22 KiB for each thread, and one with a variable of that model is
 * refused by dlopen (Python's modules are loaded so) when they do not fit in the 1.6 KiB that are left in a process. */
extern _Thread_local unsigned ts_lane_own;
unsigned ts_lane_take(void);
static inline unsigned ts_lane(void)
{
    return __builtin_expect(ts_lane_own != 0, 1) ? ts_lane_own - 1 : ts_lane_take();
}

struct ts_lane_cell {
    _Alignas(TS_LANE_LINE / 2) atomic_long n;
    char apart[TS_LANE_LINE - sizeof(atomic_long)];
};

/* One for each lane, all 0; NULL and an error when there is no memory. ts_free. */
struct ts_lane_cell *ts_lane_cells(void);

/* Nothing of those that came into this lane before is still inside. Ordered after what the caller took out, which he
 * did by an operation that is sequentially consistent: who is not seen here comes too late to find that. */
static inline bool ts_lane_idle(const struct ts_lane_cell *cell, long inside)
{
    return (atomic_load_explicit(&cell->n, memory_order_seq_cst) & inside) == 0;
}

/* Of tables that are read in nanoseconds. Between begin and end no lock is taken and nothing is waited for. What is
 * found there is to be loaded with sequential consistency, and taken out by a store of the same kind. */
extern struct ts_lane_cell ts_looking[TS_LANES_MOST];
static inline void ts_look_begin(void)
{
    atomic_fetch_add_explicit(&ts_looking[ts_lane()].n, 1, memory_order_seq_cst);
}

static inline void ts_look_end(void)
{
    atomic_fetch_sub_explicit(&ts_looking[ts_lane()].n, 1, memory_order_release);
}

/* Returns when nobody looks any more who might have found what the caller has taken out. Locks may be held. */
void ts_look_wait(void);

#endif
