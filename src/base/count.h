/* Counts of references. One that many threads change is spread over the lanes (lane.h) by a keeper: somebody who has a
 * reference, and gathers the count before he lets go of that. As long as there is a keeper nobody needs to know whether
 * the count is 0, so who adds and who drops may do so in a cell of his own, even below 0. */
#ifndef TS_BASE_COUNT_H
#define TS_BASE_COUNT_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/lane.h"

#define TS_COUNT_KEEPER (1L << 32) /* each counts as so many references */
#define TS_COUNT_CLOSED LONG_MIN   /* of a cell: what it had is gathered */

struct ts_count {
    atomic_long n;                        /* references that are in no cell, and keepers */
    _Atomic(struct ts_lane_cell *) cells; /* NULL: it was never spread */
};

static inline void ts_count_init(struct ts_count *c, unsigned n)
{
    atomic_init(&c->n, n);
    atomic_init(&c->cells, NULL);
}

void ts_count_free_cells(struct ts_lane_cell *cells);
/* Nobody has a reference any more. */
static inline void ts_count_deinit(struct ts_count *c)
{
    struct ts_lane_cell *cells = atomic_load_explicit(&c->cells, memory_order_relaxed);
    if (cells)
        ts_count_free_cells(cells);
}

/* False when the caller's cell is closed. */
bool ts_count_change_cell(struct ts_lane_cell *cells, long change);

/* Who adds has a reference, or knows that somebody keeps one meanwhile: what he sees of the object he sees by that. */
static inline void ts_count_add(struct ts_count *c)
{
    struct ts_lane_cell *cells = atomic_load_explicit(&c->cells, memory_order_acquire);
    if (!cells || !ts_count_change_cell(cells, 1))
        atomic_fetch_add_explicit(&c->n, 1, memory_order_relaxed);
}

/* True when it went into a cell: then it was not the last. */
static inline bool ts_count_drop_spread(struct ts_count *c)
{
    struct ts_lane_cell *cells = atomic_load_explicit(&c->cells, memory_order_acquire);
    return cells && ts_count_change_cell(cells, -1);
}

/* True when it was the last: all that others did with the object has happened before. */
static inline bool ts_count_drop(struct ts_count *c)
{
    return !ts_count_drop_spread(c) && atomic_fetch_sub_explicit(&c->n, 1, memory_order_acq_rel) == 1;
}

/* The caller has the only reference, and nobody gets one but from him. */
static inline bool ts_count_is_one(const struct ts_count *c)
{
    return atomic_load_explicit(&c->n, memory_order_acquire) == 1;
}

/* Nobody has one. */
static inline bool ts_count_is_none(const struct ts_count *c)
{
    return atomic_load_explicit(&c->n, memory_order_acquire) == 0;
}

/* Of what stays for long: who made it, and whether threads of other lanes use it, too, so that its count is spread. */
struct ts_strangers {
    unsigned home;
    atomic_bool came;
};

static inline void ts_strangers_init(struct ts_strangers *s)
{
    s->home = ts_lane();
    atomic_init(&s->came, false);
}

/* True once: when the first of them comes. The count is to be spread then. */
static inline bool ts_strangers_come(struct ts_strangers *s)
{
    return s->home != ts_lane() && !atomic_load_explicit(&s->came, memory_order_relaxed) &&
           !atomic_exchange_explicit(&s->came, true, memory_order_acq_rel);
}

/* True when the count is to be gathered: nobody comes any more, or all begins again. */
static inline bool ts_strangers_end(struct ts_strangers *s)
{
    return atomic_exchange_explicit(&s->came, false, memory_order_acq_rel);
}

/* The caller, who has a reference, becomes a keeper, until he gathers; nothing but that when there is no memory. */
void ts_count_spread(struct ts_count *c);
void ts_count_gather(struct ts_count *c);

#endif
