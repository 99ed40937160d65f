/* Cutting slabs to a range, and selections without an end. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "space/internal.h"

struct ts_slab_cut ts_slab_cut(const struct ts_slab *s, hsize_t low, hsize_t high)
{
    struct ts_slab_cut cut = {.empty = true};
    if (low > high || high < s->start)
        return cut;
    if (s->block == H5S_UNLIMITED) {
        hsize_t from = low > s->start ? low : s->start;
        return (struct ts_slab_cut){.slab = {from, 1, 1, high - from + 1}};
    }
    hsize_t end = s->start + s->block - 1; /* of the first block */
    hsize_t first = low <= end ? 0 : ts_div_ceil(low - end, s->stride);
    hsize_t last = (high - s->start) / s->stride;
    if (s->count != H5S_UNLIMITED && last > s->count - 1)
        last = s->count - 1;
    if (first > last)
        return cut;
    hsize_t from = s->start + first * s->stride, to = s->start + last * s->stride;
    to = s->block - 1 < UINT64_MAX - to ? to + s->block - 1 : UINT64_MAX - 1;
    hsize_t n = last - first + 1, cut_from = from > low ? from : low, cut_to = to < high ? to : high;
    cut.empty = false;
    if (n == 1)
        cut.slab = (struct ts_slab){cut_from, 1, 1, cut_to - cut_from + 1};
    else if (cut_from == from && cut_to == to)
        cut.slab = (struct ts_slab){from, s->stride, n, s->block};
    else if (s->stride == s->block)
        cut.slab = (struct ts_slab){cut_from, 1, 1, cut_to - cut_from + 1};
    else {
        cut.ragged = true;
        cut.first = from;
        cut.stride = s->stride;
        cut.count = n;
        cut.block = s->block;
        cut.low = cut_from;
        cut.high = cut_to;
    }
    return cut;
}

static int cut_list(const struct ts_slab_cut *c, struct ts_span_list *l)
{
    hsize_t first = c->ragged ? c->first : c->slab.start, stride = c->ragged ? c->stride : c->slab.stride;
    hsize_t n = c->ragged ? c->count : c->slab.count, block = c->ragged ? c->block : c->slab.block;
    if (n > SIZE_MAX / sizeof *l->items)
        return TS_ERR(DATASPACE, NOSPACE, "%llu spans do not fit in memory", (unsigned long long)n);
    l->items = ts_calloc((size_t)n, sizeof *l->items);
    if (!l->items)
        return -1;
    for (; l->n < n; l->n++) {
        hsize_t low = first + l->n * stride;
        l->items[l->n] = (struct ts_span){.low = low, .high = low + block - 1};
    }
    if (c->ragged) {
        l->items[0].low = c->low;
        l->items[n - 1].high = c->high;
    }
    return 0;
}

int ts_space_set_cuts(struct ts_space *s, const struct ts_slab_cut *cuts)
{
    bool ragged = false, empty = false;
    for (unsigned d = 0; d < s->rank; d++) {
        ragged = ragged || cuts[d].ragged;
        empty = empty || cuts[d].empty;
    }
    if (empty) {
        ts_space_drop_selection(s);
        return 0;
    }
    if (!ragged) {
        ts_space_drop_selection(s);
        s->sel = H5S_SEL_HYPERSLABS;
        for (unsigned d = 0; d < s->rank; d++)
            s->slabs[d] = ts_slab_normal(cuts[d].slab);
        return 0;
    }
    struct ts_span_list lists[H5S_MAX_RANK] = {{0}};
    struct ts_spans *tree = NULL;
    int ret = 0;
    for (unsigned d = 0; d < s->rank && ret == 0; d++)
        ret = cut_list(&cuts[d], &lists[d]);
    if (ret == 0)
        ret = ts_spans_from_lists(s->rank, lists, &tree);
    for (unsigned d = 0; d < s->rank; d++)
        ts_free(lists[d].items);
    if (ret == 0)
        ts_space_set_spans(s, tree);
    return ret;
}

int ts_space_unlim_dim(const struct ts_space *s)
{
    if (ts_space_is_regular(s))
        for (unsigned d = 0; d < s->rank; d++)
            if (s->slabs[d].count == H5S_UNLIMITED || s->slabs[d].block == H5S_UNLIMITED)
                return (int)d;
    return -1;
}

int ts_space_clip_unlimited(struct ts_space *s, hsize_t size)
{
    struct ts_slab_cut cuts[H5S_MAX_RANK] = {{.empty = false}};
    int u = ts_space_unlim_dim(s);
    if (u < 0)
        return 0;
    if (!size) {
        ts_space_drop_selection(s);
        return 0;
    }
    for (unsigned d = 0; d < s->rank; d++)
        if ((int)d == u)
            cuts[d] = ts_slab_cut(&s->slabs[d], 0, size - 1);
        else
            cuts[d].slab = s->slabs[d];
    return ts_space_set_cuts(s, cuts);
}

static const struct ts_slab *unlim_slab(const struct ts_space *s)
{
    int u = ts_space_unlim_dim(s);
    return u < 0 ? NULL : &s->slabs[u];
}

hsize_t ts_space_unlim_slices(const struct ts_space *s, hsize_t size)
{
    const struct ts_slab *u = unlim_slab(s);
    if (!u || size <= u->start)
        return 0;
    hsize_t span = size - u->start;
    if (u->block == H5S_UNLIMITED)
        return span;
    hsize_t rest = span % u->stride;
    return span / u->stride * u->block + (rest < u->block ? rest : u->block);
}

hsize_t ts_space_unlim_size(const struct ts_space *s, hsize_t slices, bool incl_trail)
{
    const struct ts_slab *u = unlim_slab(s);
    if (!u)
        return 0;
    if (!slices)
        return incl_trail ? u->start : 0;
    if (u->block == H5S_UNLIMITED || u->block == u->stride)
        return u->start + slices;
    hsize_t blocks = slices / u->block, rest = slices % u->block;
    if (rest)
        return u->start + blocks * u->stride + rest;
    return u->start + (incl_trail ? blocks * u->stride : (blocks - 1) * u->stride + u->block);
}

hsize_t ts_space_unlim_slice_elements(const struct ts_space *s)
{
    int u = ts_space_unlim_dim(s);
    hsize_t n = u >= 0;
    for (unsigned d = 0; d < s->rank; d++)
        if ((int)d != u)
            n = ts_sat_mul(n, ts_sat_mul(s->slabs[d].count, s->slabs[d].block));
    return n;
}

int ts_space_unlim_block(const struct ts_space *s, hsize_t index, struct ts_space **out)
{
    int u = ts_space_unlim_dim(s);
    if (u < 0 || s->slabs[u].block == H5S_UNLIMITED)
        return TS_ERR(DATASPACE, UNSUPPORTED, "the selection has no unlimited count of blocks");
    uint64_t low;
    if (!ts_mul_u64(index, s->slabs[u].stride, &low) || !ts_add_u64(low, s->slabs[u].start, &low) ||
        low > UINT64_MAX - s->slabs[u].block)
        return TS_ERR(DATASPACE, BADRANGE, "block %llu ends beyond 2^64", (unsigned long long)index);
    if (ts_space_copy(s, out) < 0)
        return -1;
    (*out)->slabs[u] = (struct ts_slab){low, 1, 1, s->slabs[u].block};
    return 0;
}
