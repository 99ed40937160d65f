/* Where somebody is in a plan: he pulls one chunk after the other, and of each its pieces, some at a time. */
#ifndef TS_CHUNK_PLAN_CURSOR_H
#define TS_CHUNK_PLAN_CURSOR_H

#include "chunk/plan_boxes.h"
#include "chunk/plan_parts.h"
#include "chunk/plan_sets.h"

struct ts_plan_cursor {
    hsize_t scaled[H5S_MAX_RANK]; /* the chunk's position in units of chunks */
    bool more;                    /* of the chunk's pieces are to come */
    struct ts_run_set *set;       /* NULL, or the chunk's elements are all members of this set: src counts these */
    enum { TS_PLAN_NOTHING, TS_PLAN_BOXES, TS_PLAN_PARTS, TS_PLAN_SETS } kind;
    union {
        struct ts_box_chunks boxes;
        struct ts_plan_parts parts;
        struct ts_plan_sets sets;
    };
};

/* Before the first chunk; plan and chunk_dims stay until ts_plan_end. sets: who pulls can do with sets. */
int ts_plan_begin(struct ts_plan_cursor *c, const struct ts_plan *plan, const hsize_t *chunk_dims, bool sets);
/* Fine when it did not begin. */
void ts_plan_end(struct ts_plan_cursor *c);
/* The next chunk, when all pieces of the last one were taken: 1, 0 when there are no more, -1. */
int ts_plan_next_chunk(struct ts_plan_cursor *c);
/* Up to max of its pieces, with src linear in the chunk; 0 when there are no more. */
size_t ts_plan_next_pieces(struct ts_plan_cursor *c, struct ts_piece *out, size_t max);

#endif
