/* The pairs of a plan sorted by chunk, so that every chunk comes once (or, in a long selection, once for each portion
 * that is sorted at a time). For plan.c. */
#ifndef TS_CHUNK_PLAN_PARTS_H
#define TS_CHUNK_PLAN_PARTS_H

#include "chunk/plan.h"

struct ts_pair_walk;

/* Pairs one after the other in the list that are of the same chunk. */
struct ts_plan_stretch {
    uint64_t chunk;
    uint32_t first, n;
};

/* Elements of the extent that lie one after the other in a chunk, too: a row of it, or more when the grid does not cut
 * the faster dimensions. What is near is mostly in the same window: then a subtraction tells where. */
struct ts_plan_window {
    hsize_t start, size;
    hsize_t src;    /* of its first element, in the chunk */
    uint64_t chunk; /* its number in the order of rows */
    hsize_t row;    /* of chunks: its position in the slowest dimension */
};

struct ts_plan_parts {
    const struct ts_plan *plan;
    const hsize_t *dims, *chunk;
    hsize_t grid[H5S_MAX_RANK]; /* chunks per dimension */
    unsigned split;             /* the fastest dimension that the grid cuts */
    hsize_t line, chunk_line;   /* elements of the dimensions from split on, of the extent and of a chunk */
    struct ts_plan_window window;
    struct ts_pair *items, *spare; /* with src in the chunk */
    size_t n, capacity, spare_capacity;
    struct ts_plan_stretch *stretches, *spare_stretches;
    size_t n_stretches, stretches_capacity, spare_stretches_capacity;
    uint64_t lowest, highest; /* chunks */
    bool sorted;
    bool ascends; /* so does the selection: what it left behind does not come again */
    /* What is being sorted in. */
    struct ts_pair_walk *walk;
    const struct ts_pair *pairs; /* of the walk */
    size_t n_pairs, pair;
    struct ts_pair rest; /* of one that did not fit any more */
    /* What is being given out. */
    size_t next_stretch, next_item, items_left;
};

/* ascends: the selection does, so what it left behind does not come again. */
int ts_plan_parts_init(struct ts_plan_parts *p, const struct ts_plan *plan, const hsize_t *chunk_dims, bool ascends);
void ts_plan_parts_deinit(struct ts_plan_parts *p);
/* 1, 0 when there are no more, -1. */
int ts_plan_parts_next(struct ts_plan_parts *p, hsize_t *scaled);
/* Up to max of its pieces; items_left says how many there are still. */
size_t ts_plan_parts_pieces(struct ts_plan_parts *p, struct ts_piece *out, size_t max);

#endif
