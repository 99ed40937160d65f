/* Inside of a dataspace, for the files of this folder. */
#ifndef TS_SPACE_INTERNAL_H
#define TS_SPACE_INTERNAL_H

#include <stdatomic.h>

#include "base/checked.h"
#include "base/count.h"
#include "base/lock.h"
#include "space/run_list.h"
#include "space/space.h"
#include "space/spans.h"

/* Points in the order they were selected. Shared by copies; only a sole owner appends. */
struct ts_points {
    _Atomic size_t refs;
    unsigned rank;
    size_t n, capacity;
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    hsize_t coords[];
};

/* Nearly all spaces have so few dimensions, and stay small enough for malloc to be quick. */
enum { TS_SPACE_FEW = 4, TS_SPACE_WORDS = 3 + sizeof(struct ts_slab) / sizeof(hsize_t) };

struct ts_space_room {
    hsize_t words[H5S_MAX_RANK * TS_SPACE_WORDS];
};

struct ts_space {
    struct ts_count refs;
    struct ts_mutex lock;

    H5S_class_t cls;
    unsigned version; /* of the message it came from, or the lowest that can hold the extent */
    bool no_max;      /* the message it came from had no maximum sizes */
    unsigned rank;
    hsize_t npoints;
    /* These four have room for as many dimensions: in the space itself, or in a block of their own. */
    unsigned capacity;
    hsize_t *dims, *max;

    H5S_sel_type sel;
    hssize_t *offset;
    /* A hyperslab is `spans`, or `runs`, or without them `slabs`, as the application gave them. */
    struct ts_slab *slabs;
    struct ts_spans *spans;
    struct ts_run_list *runs;
    struct ts_points *points;
    /* Boxes that were or-ed to the hyperslab and are not merged yet. */
    hsize_t *pending;
    size_t n_pending, pending_capacity;
    struct ts_space_room *many; /* the block, or NULL */
    hsize_t few[TS_SPACE_FEW * TS_SPACE_WORDS];
};

static inline hsize_t ts_sat_mul(hsize_t a, hsize_t b)
{
    uint64_t product;
    return ts_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

static inline bool ts_space_is_regular(const struct ts_space *s)
{
    return s->sel == H5S_SEL_HYPERSLABS && !s->spans && !s->runs;
}

/* Blocks that touch become one, a single block has stride 1. Unlimited counts stay. */
static inline struct ts_slab ts_slab_normal(struct ts_slab s)
{
    if (s.count != H5S_UNLIMITED && s.block != H5S_UNLIMITED && s.stride == s.block)
        s = (struct ts_slab){s.start, 1, 1, s.count * s.block};
    if (s.count == 1)
        s.stride = 1;
    return s;
}

static inline hsize_t ts_slab_high(const struct ts_slab *s)
{
    return s->count == H5S_UNLIMITED || s->block == H5S_UNLIMITED
               ? H5S_UNLIMITED
               : s->start + (s->count - 1) * s->stride + s->block - 1;
}

/* What a slab leaves in low..high. */
struct ts_slab_cut {
    bool empty, ragged;  /* ragged: the first or the last block is cut, and there are others */
    struct ts_slab slab; /* if not ragged */
    hsize_t first, stride, count, block, low, high; /* if ragged: whole blocks from `first`, cut to low..high */
};
struct ts_slab_cut ts_slab_cut(const struct ts_slab *s, hsize_t low, hsize_t high);
/* Selects the product of the cuts, in the extent s has. */
int ts_space_set_cuts(struct ts_space *s, const struct ts_slab_cut *cuts);

void ts_space_drop_selection(struct ts_space *s); /* leaves "none" */
/* Takes over the reference. NULL selects nothing; a set that is regular is kept as slabs. */
void ts_space_set_spans(struct ts_space *s, struct ts_spans *spans);
/* The result of a union with `old`, as above. One that adds nothing leaves the slabs as the application gave them. */
void ts_space_set_union(struct ts_space *s, const struct ts_spans *old, struct ts_spans *spans);
/* Takes over the reference, as above. */
void ts_space_set_run_list(struct ts_space *s, struct ts_run_list *runs);
/* The tree of an irregular hyperslab, borrowed, NULL for all other selections; the offset is not applied. */
int ts_space_tree(const struct ts_space *s, struct ts_spans **out);
/* The selection (not points, not unlimited) as a tree, a new reference, NULL when empty; the offset is not applied. */
int ts_space_as_tree(const struct ts_space *s, struct ts_spans **out);
/* The runs that s is kept as number the elements as its extent does, apart from the offset. */
bool ts_space_runs_apply(const struct ts_space *s);
int ts_space_set_points(struct ts_space *s, size_t n, const hsize_t *coords);
/* All and regular hyperslabs as slabs, as the application gave them. */
bool ts_space_slabs(const struct ts_space *s, struct ts_slab *slabs);
/* Without the offset; false when nothing is selected. */
bool ts_space_raw_bounds(const struct ts_space *s, hsize_t *low, hsize_t *high);

#endif
