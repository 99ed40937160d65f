/* Plans of selections that are kept as sets by chunk, for those who can do with sets: no run is made of them. For
 * plan.c. */
#ifndef TS_CHUNK_PLAN_SETS_H
#define TS_CHUNK_PLAN_SETS_H

#include "chunk/plan.h"

/* A line of a chunk. */
struct ts_plan_line {
    hsize_t line; /* in the row of chunks */
    hsize_t n;
};

struct ts_plan_sets {
    const struct ts_chunk_sets *sets;
    size_t next, end; /* the next set, and the end of its row of chunks */
    hsize_t mem;      /* where the row begins */
    hsize_t *lines;   /* how many elements each has; then where the next of them goes */
    hsize_t n_lines;
    struct ts_plan_line *parts; /* of all chunks of the row */
    size_t n, capacity, part;   /* part: the next one */
    hsize_t src, count;         /* members of the chunk's set that were given out, and all of them */
};

/* The plan has sets, they are of this grid, and their lines are not far more than their elements. */
bool ts_plan_sets_fit(const struct ts_plan *plan, const hsize_t *chunk_dims);
int ts_plan_sets_init(struct ts_plan_sets *b, const struct ts_plan *plan);
void ts_plan_sets_deinit(struct ts_plan_sets *b);
/* 1 and the next set, 0 when there are no more, -1. */
int ts_plan_sets_next(struct ts_plan_sets *b, hsize_t *scaled, struct ts_run_set **set);
/* Up to max of its pieces; src and count say whether there are others. */
size_t ts_plan_sets_pieces(struct ts_plan_sets *b, struct ts_piece *out, size_t max);

#endif
