#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "space/internal.h"

/* Or-ed blocks are merged when the selection is looked at, or when there are this many and more than it holds: so each
 * is merged a logarithmic number of times at most, and what overlaps does not pile up. */
#define PENDING_MAX 4096

void ts_space_select_none(struct ts_space *s)
{
    ts_space_drop_selection(s);
}

void ts_space_set_run_list(struct ts_space *s, struct ts_run_list *runs)
{
    ts_space_drop_selection(s);
    if (runs->n)
        s->sel = H5S_SEL_HYPERSLABS;
    if (runs->n && ts_run_list_regular(runs, s->slabs) == 0)
        s->runs = runs;
    else
        ts_run_list_unref(runs);
}

static void set_slabs(struct ts_space *s, const struct ts_slab *slabs)
{
    ts_space_drop_selection(s);
    s->sel = H5S_SEL_HYPERSLABS;
    memcpy(s->slabs, slabs, s->rank * sizeof *slabs);
}

/* 1: the slabs select something, 0: nothing, negative: they make no sense. As in libhdf5 nobody looks behind the first
 * dimension in which there is nothing. */
static int check_slabs(unsigned rank, const struct ts_slab *slabs)
{
    int unlimited = -1;
    for (unsigned d = 0; d < rank; d++) {
        const struct ts_slab *s = &slabs[d];
        if (!s->count || !s->block)
            return 0;
        if (s->count > 1 && s->stride < s->block)
            return TS_ERR(DATASPACE, BADVALUE, "dimension %u: blocks of %llu overlap at stride %llu", d,
                          (unsigned long long)s->block, (unsigned long long)s->stride);
        if (s->count == H5S_UNLIMITED || s->block == H5S_UNLIMITED) {
            if (unlimited >= 0)
                return TS_ERR(DATASPACE, UNSUPPORTED, "dimensions %d and %u: two unlimited counts or blocks", unlimited,
                              d);
            if (s->count == s->block)
                return TS_ERR(DATASPACE, UNSUPPORTED, "dimension %u: count and block are both unlimited", d);
            unlimited = (int)d;
        }
    }
    for (unsigned d = 0; d < rank; d++) {
        const struct ts_slab *s = &slabs[d];
        uint64_t count = s->count == H5S_UNLIMITED ? 1 : s->count, block = s->block == H5S_UNLIMITED ? 1 : s->block,
                 end;
        if (!ts_mul_u64(count - 1, s->stride, &end) || !ts_add_u64(end, s->start, &end) ||
            !ts_add_u64(end, block, &end))
            return TS_ERR(DATASPACE, BADRANGE, "dimension %u: the selection ends beyond 2^64", d);
    }
    return 1;
}

static unsigned keep_of(H5S_seloper_t op)
{
    switch (op) {
    case H5S_SELECT_OR:
        return TS_KEEP_A | TS_KEEP_B | TS_KEEP_BOTH;
    case H5S_SELECT_AND:
        return TS_KEEP_BOTH;
    case H5S_SELECT_XOR:
        return TS_KEEP_A | TS_KEEP_B;
    case H5S_SELECT_NOTB:
        return TS_KEEP_A;
    case H5S_SELECT_NOTA:
        return TS_KEEP_B;
    default:
        return TS_KEEP_B | TS_KEEP_BOTH;
    }
}

static int combine_tree(struct ts_space *s, H5S_seloper_t op, struct ts_spans *b)
{
    struct ts_spans *a, *result;
    if (ts_space_merge(s) < 0 || ts_space_as_tree(s, &a) < 0)
        return -1;
    int ret = ts_spans_combine(keep_of(op), a, b, &result);
    if (ret == 0 && op == H5S_SELECT_OR)
        ts_space_set_union(s, a, result);
    else if (ret == 0)
        ts_space_set_spans(s, result);
    ts_spans_unref(a);
    return ret;
}

static bool one_box(unsigned rank, const struct ts_slab *slabs)
{
    for (unsigned d = 0; d < rank; d++)
        if (ts_slab_normal(slabs[d]).count != 1)
            return false;
    return true;
}

static int add_pending(struct ts_space *s, const struct ts_slab *slabs)
{
    size_t width = 2 * s->rank;
    hsize_t held = s->spans ? s->spans->blocks : !s->runs ? 0 : s->runs->sets ? s->runs->elements : s->runs->n;
    if (s->n_pending >= PENDING_MAX && s->n_pending >= held && ts_space_merge(s) < 0)
        return -1;
    if (TS_GROW(s->pending, s->pending_capacity, (s->n_pending + 1) * width) < 0)
        return -1;
    hsize_t *box = s->pending + s->n_pending++ * width;
    for (unsigned d = 0; d < s->rank; d++) {
        box[d] = slabs[d].start;
        box[s->rank + d] = ts_slab_high(&slabs[d]);
    }
    return 0;
}

/* Both are slabs and one of them is a box: the result needs no tree unless a block is cut. */
static int intersect_slabs(struct ts_space *s, const struct ts_slab *slabs, const struct ts_slab *box)
{
    struct ts_slab_cut cuts[H5S_MAX_RANK];
    for (unsigned d = 0; d < s->rank; d++)
        cuts[d] = ts_slab_cut(&slabs[d], box[d].start, ts_slab_high(&box[d]));
    return ts_space_set_cuts(s, cuts);
}

static int combine_slabs(struct ts_space *s, H5S_seloper_t op, const struct ts_slab *slabs)
{
    struct ts_slab own[H5S_MAX_RANK];
    if (op == H5S_SELECT_OR && one_box(s->rank, slabs))
        return add_pending(s, slabs);
    if (ts_space_merge(s) < 0)
        return -1;
    if (op == H5S_SELECT_AND && ts_space_slabs(s, own)) {
        if (one_box(s->rank, own))
            return intersect_slabs(s, slabs, own);
        if (one_box(s->rank, slabs))
            return intersect_slabs(s, own, slabs);
    }
    struct ts_spans *b;
    if (ts_spans_from_slabs(s->rank, slabs, &b) < 0)
        return -1;
    int ret = combine_tree(s, op, b);
    ts_spans_unref(b);
    return ret;
}

/* An unlimited operand is cut to what the finite one can touch; where the result would be unlimited itself and
 * irregular, there is no way to keep it. */
static int combine_unlimited(struct ts_space *s, H5S_seloper_t op, struct ts_slab *slabs, int new_dim, int old_dim)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    if (new_dim >= 0 && old_dim >= 0)
        return TS_ERR(DATASPACE, UNSUPPORTED, "two unlimited selections cannot be combined");
    if (old_dim >= 0) {
        if (op != H5S_SELECT_AND && op != H5S_SELECT_NOTA)
            return TS_ERR(DATASPACE, UNSUPPORTED, "an unlimited selection can only be cut to a finite one");
        hsize_t size = ts_slab_high(&slabs[old_dim]) + 1;
        if (ts_space_clip_unlimited(s, size) < 0)
            return -1;
        return combine_slabs(s, op, slabs);
    }
    if (op != H5S_SELECT_AND && op != H5S_SELECT_NOTB)
        return TS_ERR(DATASPACE, UNSUPPORTED, "an unlimited selection can only cut a finite one");
    if (ts_space_merge(s) < 0)
        return -1;
    struct ts_space *other;
    if (!ts_space_raw_bounds(s, low, high))
        return 0;
    if (ts_space_copy(s, &other) < 0)
        return -1;
    set_slabs(other, slabs);
    int ret = ts_space_clip_unlimited(other, high[new_dim] + 1);
    if (ret == 0) {
        struct ts_spans *b;
        ret = ts_space_as_tree(other, &b);
        if (ret == 0) {
            ret = combine_tree(s, op, b);
            ts_spans_unref(b);
        }
    }
    ts_space_unref(other);
    return ret;
}

/* What an operator makes of an operand that selects nothing, or of a selection that holds nothing or everything: also
 * where that is nothing, as libhdf5 sees it. */
static bool shortcut(struct ts_space *s, H5S_seloper_t op, const struct ts_slab *slabs, bool empty)
{
    unsigned keep = keep_of(op);
    if (empty) {
        if (!(keep & TS_KEEP_A))
            ts_space_select_none(s);
        return true;
    }
    bool all = s->sel == H5S_SEL_ALL;
    if (op == H5S_SELECT_SET || (all && op == H5S_SELECT_AND)) {
        set_slabs(s, slabs);
        return true;
    }
    if (all && op == H5S_SELECT_NOTA)
        ts_space_select_none(s);
    else if (s->sel == H5S_SEL_NONE || (all && !s->npoints && op != H5S_SELECT_OR)) {
        if (keep & TS_KEEP_B)
            set_slabs(s, slabs);
        return true;
    }
    return all && (op == H5S_SELECT_NOTA || op == H5S_SELECT_OR);
}

static int check_class(const struct ts_space *s, const char *what)
{
    if (s->cls != H5S_SIMPLE)
        return TS_ERR(ARGS, BADTYPE, "%s doesn't support %s space", what,
                      s->cls == H5S_NULL ? "H5S_NULL" : "H5S_SCALAR");
    return 0;
}

/* A simple space has none before its extent is set. */
static int check_dimensions(const struct ts_space *s)
{
    return s->rank ? 0 : TS_ERR(DATASPACE, UNSUPPORTED, "the dataspace has no dimensions");
}

int ts_space_select_hyperslab(struct ts_space *s, H5S_seloper_t op, const hsize_t *start, const hsize_t *stride,
                              const hsize_t *count, const hsize_t *block)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    int new_dim = -1;
    if (check_class(s, "hyperslab") < 0)
        return -1;
    if (!start || !count)
        return TS_ERR(ARGS, BADVALUE, "hyperslab not specified: no start or no count");
    if (op < H5S_SELECT_SET || op > H5S_SELECT_PREPEND)
        return TS_ERR(ARGS, UNSUPPORTED, "invalid selection operation: operator %d is not one for hyperslabs", (int)op);
    for (unsigned d = 0; stride && d < s->rank; d++)
        if (!stride[d])
            return TS_ERR(ARGS, BADVALUE, "invalid stride==0 value: dimension %u", d);
    if (op > H5S_SELECT_NOTA)
        return TS_ERR(DATASPACE, UNSUPPORTED, "operator %d is one for points", (int)op);
    if (check_dimensions(s) < 0)
        return -1;
    for (unsigned d = 0; d < s->rank; d++) {
        slabs[d] = (struct ts_slab){start[d], stride ? stride[d] : 1, count[d], block ? block[d] : 1};
        if (slabs[d].count == H5S_UNLIMITED || slabs[d].block == H5S_UNLIMITED)
            new_dim = (int)d;
    }
    int some = check_slabs(s->rank, slabs);
    if (some < 0)
        return -1;
    if (shortcut(s, op, slabs, !some))
        return 0;
    if (s->sel == H5S_SEL_POINTS)
        return TS_ERR(DATASPACE, UNSUPPORTED, "a selection of points cannot be combined with a hyperslab");
    int old_dim = ts_space_unlim_dim(s);
    if (new_dim >= 0 || old_dim >= 0)
        return combine_unlimited(s, op, slabs, new_dim, old_dim);
    return combine_slabs(s, op, slabs);
}

int ts_space_combine(struct ts_space *s, H5S_seloper_t op, const struct ts_space *other)
{
    if (op < H5S_SELECT_OR || op > H5S_SELECT_NOTA)
        return TS_ERR(ARGS, UNSUPPORTED, "invalid selection operation: operator %d is not one for two selections",
                      (int)op);
    if (s->rank != other->rank)
        return TS_ERR(ARGS, BADVALUE, "dataspaces not same rank: %u and %u", s->rank, other->rank);
    if (s->sel != H5S_SEL_HYPERSLABS || other->sel != H5S_SEL_HYPERSLABS)
        return TS_ERR(ARGS, BADVALUE, "dataspaces don't have hyperslab selections, or one of them does not");
    if (ts_space_unlim_dim(s) >= 0 || ts_space_unlim_dim(other) >= 0)
        return TS_ERR(DATASPACE, UNSUPPORTED, "an unlimited selection cannot be combined with another space's");
    struct ts_spans *b;
    if (ts_space_as_tree(other, &b) < 0)
        return -1;
    int ret = combine_tree(s, op, b);
    ts_spans_unref(b);
    return ret;
}

/* Puts n points behind the others and widens the bounds, which stay in registers when the rank is a constant. */
static inline __attribute__((always_inline)) void put_points(struct ts_points *p, size_t n, const hsize_t *coords,
                                                             unsigned rank)
{
    hsize_t *to = p->coords + p->n * rank;
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    for (unsigned d = 0; d < rank; d++) {
        low[d] = p->low[d];
        high[d] = p->high[d];
    }
    for (size_t i = 0; i < n; i++)
        for (unsigned d = 0; d < rank; d++) {
            hsize_t c = *coords++;
            *to++ = c;
            low[d] = c < low[d] ? c : low[d];
            high[d] = c > high[d] ? c : high[d];
        }
    for (unsigned d = 0; d < rank; d++) {
        p->low[d] = low[d];
        p->high[d] = high[d];
    }
    p->n += n;
}

static void append_points(struct ts_points *p, size_t n, const hsize_t *coords)
{
    switch (p->rank) {
    case 1:
        put_points(p, n, coords, 1);
        break;
    case 2:
        put_points(p, n, coords, 2);
        break;
    case 3:
        put_points(p, n, coords, 3);
        break;
    default:
        put_points(p, n, coords, p->rank);
    }
}

static int points_bytes(unsigned rank, size_t n, size_t *bytes)
{
    if (!ts_mul_size(n, rank * sizeof(hsize_t), bytes) || !ts_add_size(*bytes, sizeof(struct ts_points), bytes))
        return TS_ERR(DATASPACE, NOSPACE, "%zu points do not fit in memory", n);
    return 0;
}

/* None yet, with room for `capacity` of them. */
static struct ts_points *points_new(unsigned rank, size_t capacity)
{
    size_t bytes;
    struct ts_points *p = points_bytes(rank, capacity, &bytes) < 0 ? NULL : ts_malloc(bytes);
    if (!p)
        return NULL;
    *p = (struct ts_points){.rank = rank, .capacity = capacity};
    for (unsigned d = 0; d < rank; d++)
        p->low[d] = UINT64_MAX;
    atomic_init(&p->refs, 1);
    return p;
}

static void take_points(struct ts_space *s, struct ts_points *p)
{
    ts_space_drop_selection(s);
    s->sel = H5S_SEL_POINTS;
    s->points = p;
}

int ts_space_set_points(struct ts_space *s, size_t n, const hsize_t *coords)
{
    if (!n) {
        ts_space_select_none(s);
        return 0;
    }
    struct ts_points *p = points_new(s->rank, n);
    if (!p)
        return -1;
    append_points(p, n, coords);
    take_points(s, p);
    return 0;
}

/* A list that nobody shares grows in place, so that appending points one by one stays linear. */
static int append_in_place(struct ts_space *s, size_t all, const hsize_t *coords)
{
    struct ts_points *p = s->points;
    size_t bytes;
    if (all > p->capacity) {
        size_t capacity = all > 2 * p->capacity ? all : 2 * p->capacity;
        if (points_bytes(s->rank, capacity, &bytes) < 0)
            return -1;
        p = ts_realloc(p, bytes);
        if (!p)
            return -1;
        p->capacity = capacity;
        s->points = p;
    }
    append_points(p, all - p->n, coords);
    return 0;
}

static int join_points(struct ts_space *s, size_t n, size_t all, const hsize_t *coords, bool before)
{
    struct ts_points *old = s->points, *p = points_new(s->rank, all);
    if (!p)
        return -1;
    if (before)
        append_points(p, n, coords);
    append_points(p, old->n, old->coords);
    if (!before)
        append_points(p, n, coords);
    take_points(s, p);
    return 0;
}

int ts_space_select_elements(struct ts_space *s, H5S_seloper_t op, size_t n, const hsize_t *coords)
{
    size_t all;
    if (check_class(s, "point") < 0)
        return -1;
    if (!n || !coords)
        return TS_ERR(ARGS, BADVALUE, "elements not specified");
    if (op != H5S_SELECT_SET && op != H5S_SELECT_APPEND && op != H5S_SELECT_PREPEND)
        return TS_ERR(ARGS, UNSUPPORTED, "unsupported operation attempted: operator %d is not one for points", (int)op);
    if (check_dimensions(s) < 0)
        return -1;
    if (op == H5S_SELECT_SET || s->sel != H5S_SEL_POINTS)
        return ts_space_set_points(s, n, coords);
    if (!ts_add_size(s->points->n, n, &all))
        return TS_ERR(DATASPACE, NOSPACE, "%zu more points do not fit in memory", n);
    if (op == H5S_SELECT_APPEND && atomic_load_explicit(&s->points->refs, memory_order_acquire) == 1)
        return append_in_place(s, all, coords);
    return join_points(s, n, all, coords, op == H5S_SELECT_PREPEND);
}

int ts_space_set_offset(struct ts_space *s, const hssize_t *offset)
{
    if (!s->rank)
        return TS_SAY(ATOM, UNSUPPORTED, "can't set offset on scalar or null dataspace");
    memcpy(s->offset, offset, s->rank * sizeof *offset);
    return 0;
}

static int adjust_points(struct ts_space *s, const hssize_t *offset)
{
    struct ts_points *p = points_new(s->rank, s->points->n);
    if (!p)
        return -1;
    hsize_t moved[H5S_MAX_RANK];
    const hsize_t *at = s->points->coords;
    for (size_t i = 0; i < s->points->n; i++) {
        for (unsigned d = 0; d < s->rank; d++)
            moved[d] = *at++ - (hsize_t)offset[d];
        append_points(p, 1, moved);
    }
    take_points(s, p);
    return 0;
}

static int adjust_spans(struct ts_space *s, const hssize_t *offset)
{
    struct ts_window w = {0};
    struct ts_spans *tree, *moved;
    for (unsigned d = 0; d < s->rank; d++) {
        w.high[d] = UINT64_MAX - 1;
        w.shift[d] = (hsize_t)offset[d];
    }
    if (ts_space_tree(s, &tree) < 0 || ts_spans_window(tree, &w, &moved) < 0)
        return -1;
    ts_space_set_spans(s, moved);
    return 0;
}

int ts_space_adjust(struct ts_space *s, const hssize_t *offset)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    if (!ts_space_raw_bounds(s, low, high))
        return TS_SAY(DATASPACE, CANTGET, "can't get selection bounds: nothing is selected that could be moved");
    for (unsigned d = 0; d < s->rank; d++) {
        bool below = offset[d] > 0 && (hsize_t)offset[d] > low[d];
        bool above = offset[d] < 0 && high[d] != H5S_UNLIMITED && high[d] >= H5S_UNLIMITED + (hsize_t)offset[d];
        if (below)
            return TS_ERR(ARGS, BADVALUE, "adjustment would move selection below zero offset: dimension %u by %lld", d,
                          (long long)offset[d]);
        if (above)
            return TS_ERR(ARGS, BADRANGE, "dimension %u: moving by %lld leaves the range of coordinates", d,
                          -(long long)offset[d]);
    }
    if (s->sel == H5S_SEL_POINTS)
        return adjust_points(s, offset);
    if (s->spans || s->runs)
        return adjust_spans(s, offset);
    if (s->sel == H5S_SEL_HYPERSLABS)
        for (unsigned d = 0; d < s->rank; d++)
            s->slabs[d].start -= (hsize_t)offset[d];
    return 0;
}
