#include <string.h>

#include "base/error.h"
#include "space/internal.h"

H5S_sel_type ts_space_sel_type(const struct ts_space *s)
{
    return s->sel;
}

const hssize_t *ts_space_offset(const struct ts_space *s)
{
    return s->offset;
}

hsize_t ts_space_selected(const struct ts_space *s)
{
    if (s->sel == H5S_SEL_ALL)
        return s->npoints;
    if (s->sel == H5S_SEL_POINTS)
        return s->points->n;
    if (s->sel != H5S_SEL_HYPERSLABS)
        return 0;
    if (s->spans)
        return s->spans->elements;
    if (s->runs)
        return s->runs->elements;
    if (ts_space_unlim_dim(s) >= 0)
        return H5S_UNLIMITED;
    hsize_t n = 1;
    for (unsigned d = 0; d < s->rank; d++)
        n = ts_sat_mul(n, ts_sat_mul(s->slabs[d].count, s->slabs[d].block));
    return n;
}

int ts_space_bounds(const struct ts_space *s, hsize_t *low, hsize_t *high)
{
    if (!ts_space_raw_bounds(s, low, high))
        return TS_ERR(DATASPACE, BADSELECT, "nothing is selected");
    if (s->sel == H5S_SEL_ALL)
        return 0;
    for (unsigned d = 0; d < s->rank; d++) {
        hssize_t off = s->offset[d];
        if (off < 0 && low[d] < (hsize_t)0 - (hsize_t)off)
            return TS_ERR(DATASPACE, BADRANGE, "dimension %u: offset %lld moves the selection below 0", d,
                          (long long)off);
        if (off > 0 && high[d] != H5S_UNLIMITED && high[d] >= H5S_UNLIMITED - (hsize_t)off)
            return TS_ERR(DATASPACE, BADRANGE, "dimension %u: offset %lld moves the selection beyond 2^64", d,
                          (long long)off);
        low[d] += (hsize_t)off;
        if (high[d] != H5S_UNLIMITED)
            high[d] += (hsize_t)off;
    }
    return 0;
}

/* The size of the first dimension has no part in the number of an element. */
bool ts_space_runs_apply(const struct ts_space *s)
{
    return s->runs && memcmp(s->dims + 1, s->runs->dims + 1, (s->rank - 1) * sizeof *s->dims) == 0;
}

/* Runs lie within their own extent, so that they need no look at their bounds as long as it is still there. */
static bool runs_in_place(const struct ts_space *s)
{
    static const hssize_t no_offset[H5S_MAX_RANK];
    return ts_space_runs_apply(s) && s->dims[0] >= s->runs->dims[0] &&
           memcmp(s->offset, no_offset, s->rank * sizeof *no_offset) == 0;
}

bool ts_space_valid(const struct ts_space *s)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    if (s->sel == H5S_SEL_ALL || s->sel == H5S_SEL_NONE || runs_in_place(s))
        return true;
    unsigned mark = ts_err_mark();
    if (ts_space_bounds(s, low, high) < 0) {
        ts_err_rewind(mark);
        return false;
    }
    for (unsigned d = 0; d < s->rank; d++)
        if (low[d] > high[d] || high[d] >= s->dims[d])
            return false;
    return true;
}

bool ts_space_regular(const struct ts_space *s, hsize_t *start, hsize_t *stride, hsize_t *count, hsize_t *block)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    if (!ts_space_slabs(s, slabs))
        return false;
    for (unsigned d = 0; d < s->rank; d++) {
        if (start)
            start[d] = slabs[d].start;
        if (stride)
            stride[d] = slabs[d].stride;
        if (count)
            count[d] = slabs[d].count;
        if (block)
            block[d] = slabs[d].block;
    }
    return true;
}

const hsize_t *ts_space_points(const struct ts_space *s, size_t *n)
{
    *n = s->points ? s->points->n : 0;
    return s->points ? s->points->coords : NULL;
}

int ts_space_nblocks(const struct ts_space *s, hsize_t *out)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    struct ts_spans *tree;
    if (ts_space_tree(s, &tree) < 0)
        return -1;
    *out = tree ? tree->blocks : 0;
    if (tree || !ts_space_slabs(s, slabs))
        return 0;
    *out = 1;
    for (unsigned d = 0; d < s->rank; d++)
        *out = ts_sat_mul(*out, slabs[d].count);
    return 0;
}

/* The k-th block of a regular hyperslab: k written in the mixed base of the counts. */
static void slab_block(unsigned rank, const struct ts_slab *slabs, hsize_t k, hsize_t *out)
{
    for (unsigned d = rank; d-- > 0;) {
        out[d] = slabs[d].start + k % slabs[d].count * slabs[d].stride;
        out[rank + d] = out[d] + slabs[d].block - 1;
        k /= slabs[d].count;
    }
}

int ts_space_blocklist(const struct ts_space *s, hsize_t first, hsize_t n, hsize_t *out)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    struct ts_spans *tree;
    hsize_t all;
    if (ts_space_unlim_dim(s) >= 0)
        return TS_ERR(DATASPACE, UNSUPPORTED, "an unlimited selection has no list of blocks");
    if (ts_space_nblocks(s, &all) < 0 || ts_space_tree(s, &tree) < 0)
        return -1;
    if (first >= all)
        return 0;
    if (n > all - first)
        n = all - first;
    if (tree) {
        ts_spans_blocklist(tree, first, n, out);
        return 0;
    }
    if (!ts_space_slabs(s, slabs))
        return 0;
    for (hsize_t i = 0; i < n; i++)
        slab_block(s->rank, slabs, first + i, out + i * 2 * s->rank);
    return 0;
}

static bool slab_touches(const struct ts_slab *s, hsize_t low, hsize_t high)
{
    return !ts_slab_cut(s, low, high).empty;
}

/* Where the box lies before the offset is applied; false: below everything. */
static bool box_back(const struct ts_space *s, const hsize_t *start, const hsize_t *end, hsize_t *low, hsize_t *high)
{
    for (unsigned d = 0; d < s->rank; d++) {
        hsize_t off = s->sel == H5S_SEL_ALL ? 0 : (hsize_t)s->offset[d];
        bool up = (hssize_t)off > 0;
        if (up && end[d] < off)
            return false;
        low[d] = up && start[d] < off ? 0 : start[d] - off;
        high[d] = end[d] - off;
        /* moved up beyond the last coordinate */
        if (!up && low[d] < start[d])
            return false;
        if (!up && high[d] < end[d])
            high[d] = UINT64_MAX;
    }
    return true;
}

static bool points_touch(const struct ts_space *s, const hsize_t *start, const hsize_t *end)
{
    for (size_t i = 0; s->points && i < s->points->n; i++) {
        const hsize_t *c = s->points->coords + i * s->rank;
        unsigned d = 0;
        while (d < s->rank && c[d] >= start[d] && c[d] <= end[d])
            d++;
        if (d == s->rank)
            return true;
    }
    return false;
}

int ts_space_intersects(const struct ts_space *s, const hsize_t *box_start, const hsize_t *box_end)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    struct ts_spans *tree;
    hsize_t start[H5S_MAX_RANK], end[H5S_MAX_RANK];
    if (!box_back(s, box_start, box_end, start, end))
        return 0;
    if (ts_space_tree(s, &tree) < 0)
        return -1;
    if (tree)
        return ts_spans_intersects(tree, start, end);
    if (!ts_space_slabs(s, slabs))
        return points_touch(s, start, end);
    for (unsigned d = 0; d < s->rank; d++)
        if (!slab_touches(&slabs[d], start[d], end[d]))
            return 0;
    return 1;
}

/* The dimensions in which a selection of higher rank is wider than one element must be the last ones. */
static bool same_slabs(const struct ts_space *a, const struct ts_space *b)
{
    struct ts_slab x[H5S_MAX_RANK], y[H5S_MAX_RANK];
    unsigned extra = a->rank - b->rank;
    ts_space_slabs(a, x);
    ts_space_slabs(b, y);
    for (unsigned d = 0; d < a->rank; d++) {
        struct ts_slab p = ts_slab_normal(x[d]);
        struct ts_slab q = d < extra ? (struct ts_slab){0, 1, 1, 1} : ts_slab_normal(y[d - extra]);
        if (p.stride != q.stride || p.count != q.count || p.block != q.block)
            return false;
    }
    return true;
}

/* a of the higher rank or the same. */
static bool same_spans(const struct ts_spans *a, const struct ts_spans *b)
{
    while (a->depth > b->depth) {
        if (a->n != 1 || a->items[0].low != a->items[0].high)
            return false;
        a = a->items[0].down;
    }
    return ts_spans_same_shape(a, b);
}

/* One block at a time, for points; `out` gets the corners. tree: that of s, if it has one. */
static void nth_block(const struct ts_space *s, const struct ts_spans *tree, hsize_t k, hsize_t *out)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    if (s->points) {
        memcpy(out, s->points->coords + k * s->rank, s->rank * sizeof *out);
        memcpy(out + s->rank, out, s->rank * sizeof *out);
        return;
    }
    if (tree) {
        ts_spans_blocklist(tree, k, 1, out);
        return;
    }
    ts_space_slabs(s, slabs);
    for (unsigned d = 0; d < s->rank; d++)
        slabs[d] = ts_slab_normal(slabs[d]);
    slab_block(s->rank, slabs, k, out);
}

static hsize_t n_steps(const struct ts_space *s, const struct ts_spans *tree)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    if (s->points)
        return s->points->n;
    if (tree)
        return tree->blocks;
    hsize_t n = 1;
    if (!ts_space_slabs(s, slabs))
        return 0;
    for (unsigned d = 0; d < s->rank; d++)
        n = ts_sat_mul(n, ts_slab_normal(slabs[d]).count);
    return n;
}

static bool same_steps(const struct ts_space *a, const struct ts_spans *a_tree, const struct ts_space *b,
                       const struct ts_spans *b_tree)
{
    hsize_t x[2 * H5S_MAX_RANK], y[2 * H5S_MAX_RANK], shift[H5S_MAX_RANK], n = n_steps(a, a_tree);
    unsigned extra = a->rank - b->rank;
    if (n != n_steps(b, b_tree))
        return false;
    for (hsize_t i = 0; i < n; i++) {
        nth_block(a, a_tree, i, x);
        nth_block(b, b_tree, i, y);
        for (unsigned d = 0; d < a->rank; d++) {
            hsize_t low = d < extra ? 0 : y[d - extra], high = d < extra ? 0 : y[b->rank + d - extra];
            if (i == 0)
                shift[d] = x[d] - low;
            if (x[d] - low != shift[d] || x[a->rank + d] - high != shift[d])
                return false;
        }
    }
    return true;
}

int ts_space_shape_same(const struct ts_space *a, const struct ts_space *b)
{
    struct ts_spans *a_tree, *b_tree;
    if (a->rank < b->rank)
        return ts_space_shape_same(b, a);
    if (ts_space_selected(a) != ts_space_selected(b))
        return 0;
    if (!ts_space_selected(a))
        return 1;
    if (ts_space_unlim_dim(a) >= 0 || ts_space_unlim_dim(b) >= 0)
        return ts_space_is_regular(a) && ts_space_is_regular(b) && same_slabs(a, b);
    if (!b->rank)
        return ts_space_selected(a) == 1;
    if (ts_space_tree(a, &a_tree) < 0 || ts_space_tree(b, &b_tree) < 0)
        return -1;
    if (a->points || b->points)
        return same_steps(a, a_tree, b, b_tree);
    if (a_tree && b_tree)
        return same_spans(a_tree, b_tree);
    return !a_tree && !b_tree && same_slabs(a, b);
}

static int damaged(const char **reason, const char *what)
{
    *reason = what;
    return -1;
}

static int verify_extent(const struct ts_space *s, const char **reason)
{
    if (s->rank > H5S_MAX_RANK || (s->rank && s->cls != H5S_SIMPLE))
        return damaged(reason, "rank");
    for (unsigned d = 0; d < s->rank; d++)
        if (s->dims[d] == H5S_UNLIMITED || s->max[d] < s->dims[d])
            return damaged(reason, "a dimension above its maximum");
    return 0;
}

int ts_space_verify(const struct ts_space *s, const char **reason)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    if (verify_extent(s, reason) < 0)
        return -1;
    if ((s->spans || s->runs || s->n_pending) && s->sel != H5S_SEL_HYPERSLABS)
        return damaged(reason, "spans or runs without a hyperslab");
    if (s->runs)
        return s->spans || s->runs->rank != s->rank ? damaged(reason, "runs beside spans, or of another rank")
                                                    : ts_run_list_verify(s->runs, reason);
    if (!s->points != (s->sel != H5S_SEL_POINTS))
        return damaged(reason, "points without a point selection, or the other way round");
    if (s->points && (!s->points->n || s->points->rank != s->rank))
        return damaged(reason, "no points, or of another rank");
    for (size_t i = 0; s->points && i < s->points->n * s->rank; i++)
        if (s->points->coords[i] < s->points->low[i % s->rank] || s->points->coords[i] > s->points->high[i % s->rank])
            return damaged(reason, "a point out of bounds");
    if (s->spans) {
        if (s->spans->depth != s->rank)
            return damaged(reason, "a tree of another rank");
        if (!s->n_pending && ts_spans_regular(s->spans, slabs))
            return damaged(reason, "a tree for a regular selection");
        return ts_spans_verify(s->spans, reason);
    }
    if (!ts_space_is_regular(s))
        return 0;
    for (unsigned d = 0; d < s->rank; d++) {
        const struct ts_slab *p = &s->slabs[d];
        if (!p->stride || !p->count || !p->block || (p->count > 1 && p->stride < p->block))
            return damaged(reason, "a slab without elements, or with blocks that overlap");
    }
    return 0;
}
