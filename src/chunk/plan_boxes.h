/* The pieces of an affine plan, pulled some at a time: those of a box of the file's extent, which is a chunk or all of
 * it. For plan.c. */
#ifndef TS_CHUNK_PLAN_BOXES_H
#define TS_CHUNK_PLAN_BOXES_H

#include "chunk/plan.h"

/* Blocks of one dimension inside a box: `count` of n coordinates each, the first at coord, which has this ordinal. */
struct ts_box_segment {
    hsize_t coord, ordinal, n, count, step;
};

/* Loops around a piece, outermost first; `at` counts them. */
struct ts_box_nest {
    unsigned n;
    struct ts_box_level {
        hsize_t count, src, mem;
    } level[2 * H5S_MAX_RANK];
    hsize_t at[2 * H5S_MAX_RANK];
    struct ts_piece piece; /* the next one */
    bool more;
};

struct ts_box_pieces {
    const struct ts_plan *plan;
    const hsize_t *start;                                  /* of the box */
    unsigned n_segments[H5S_MAX_RANK], pick[H5S_MAX_RANK]; /* pick: one segment of each dimension, in turns */
    hsize_t stride[H5S_MAX_RANK];                          /* of the box */
    struct ts_box_segment segments[H5S_MAX_RANK][3];
    struct ts_box_nest nest;
    bool more;
};

/* Those whose file elements have ordinals in [from, to); src is linear in a box of this size at start, which stays. */
void ts_box_pieces_begin(struct ts_box_pieces *b, const struct ts_plan *plan, const hsize_t *start, const hsize_t *size,
                         const hsize_t *from, const hsize_t *to);
/* Up to max; `more` says whether there are others. */
size_t ts_box_pieces_next(struct ts_box_pieces *b, struct ts_piece *out, size_t max);

/* Chunk after chunk of an affine plan. */
struct ts_box_chunks {
    const struct ts_plan *plan;
    const hsize_t *chunk;
    bool begun;
    hsize_t from[H5S_MAX_RANK], to[H5S_MAX_RANK], start[H5S_MAX_RANK];
    struct ts_box_pieces pieces;
};

void ts_box_chunks_begin(struct ts_box_chunks *c, const struct ts_plan *plan, const hsize_t *chunk_dims);
/* False when there are no more. */
bool ts_box_chunks_next(struct ts_box_chunks *c, hsize_t *scaled);

/* The coordinate of an ordinal. */
static inline hsize_t ts_slab_coordinate(const struct ts_slab *s, hsize_t ordinal)
{
    return s->start + ordinal / s->block * s->stride + ordinal % s->block;
}

#endif
