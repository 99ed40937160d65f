#include "base/count.h"

#include "base/alloc.h"
#include "base/error.h"

void ts_count_free_cells(struct ts_lane_cell *cells)
{
    ts_free(cells);
}

/* A drop is a release, for what the thread did with the object; the gatherer acquires it. */
bool ts_count_change_cell(struct ts_lane_cell *cells, long change)
{
    atomic_long *cell = &cells[ts_lane()].n;
    long n = atomic_load_explicit(cell, memory_order_relaxed);
    do {
        if (n == TS_COUNT_CLOSED)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(cell, &n, n + change, memory_order_release, memory_order_relaxed));
    return true;
}

/* Those that an earlier gathering closed. No two keepers are in each other's way: while there is one, cells may be open
 * or closed. */
static void open_cells(struct ts_lane_cell *cells)
{
    for (unsigned lane = 0; lane < ts_lanes; lane++) {
        long closed = TS_COUNT_CLOSED;
        atomic_compare_exchange_strong_explicit(&cells[lane].n, &closed, 0, memory_order_relaxed, memory_order_relaxed);
    }
}

void ts_count_spread(struct ts_count *c)
{
    /* Before any cell is open: a release, so that who sees a cell open sees a keeper. */
    atomic_fetch_add_explicit(&c->n, TS_COUNT_KEEPER, memory_order_acq_rel);
    struct ts_lane_cell *none = NULL, *cells = atomic_load_explicit(&c->cells, memory_order_acquire);
    if (cells) {
        open_cells(cells);
        return;
    }
    unsigned mark = ts_err_mark();
    cells = ts_lane_cells();
    ts_err_rewind(mark);
    if (cells &&
        !atomic_compare_exchange_strong_explicit(&c->cells, &none, cells, memory_order_acq_rel, memory_order_relaxed))
        ts_free(cells);
}

/* What is in the cells goes where it is counted. Whoever drops a reference while this runs finds his cell open or
 * closed: it is counted once. */
static long close_cells(struct ts_lane_cell *cells)
{
    long sum = 0;
    for (unsigned lane = 0; lane < ts_lanes; lane++) {
        long n = atomic_exchange_explicit(&cells[lane].n, TS_COUNT_CLOSED, memory_order_acq_rel);
        if (n != TS_COUNT_CLOSED)
            sum += n;
    }
    return sum;
}

void ts_count_gather(struct ts_count *c)
{
    long n = atomic_load_explicit(&c->n, memory_order_relaxed);
    /* Not the only keeper: the others see to the cells. */
    while (n >= 2 * TS_COUNT_KEEPER - TS_COUNT_KEEPER / 2)
        if (atomic_compare_exchange_weak_explicit(&c->n, &n, n - TS_COUNT_KEEPER, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return;
    struct ts_lane_cell *cells = atomic_load_explicit(&c->cells, memory_order_acquire);
    long sum = cells ? close_cells(cells) : 0;
    atomic_fetch_add_explicit(&c->n, sum - TS_COUNT_KEEPER, memory_order_acq_rel);
}
