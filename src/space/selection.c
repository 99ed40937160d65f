/* What a dataspace holds as its selection. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "space/internal.h"

static void points_unref(struct ts_points *p)
{
    if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1)
        ts_free(p);
}

void ts_space_drop_selection(struct ts_space *s)
{
    ts_spans_unref(s->spans);
    ts_run_list_unref(s->runs);
    points_unref(s->points);
    s->spans = NULL;
    s->runs = NULL;
    s->points = NULL;
    s->n_pending = 0;
    s->sel = H5S_SEL_NONE;
}

void ts_space_set_spans(struct ts_space *s, struct ts_spans *spans)
{
    ts_space_drop_selection(s);
    if (!spans)
        return;
    s->sel = H5S_SEL_HYPERSLABS;
    if (ts_spans_regular(spans, s->slabs))
        ts_spans_unref(spans);
    else
        s->spans = spans;
}

void ts_space_select_all(struct ts_space *s)
{
    ts_space_drop_selection(s);
    s->sel = H5S_SEL_ALL;
}

int ts_space_select_copy(struct ts_space *dst, const struct ts_space *src)
{
    bool plain = src->sel == H5S_SEL_ALL || src->sel == H5S_SEL_NONE;
    if (dst == src)
        return 0;
    if (!plain && dst->rank != src->rank)
        return TS_ERR(ARGS, BADVALUE, "a selection of rank %u does not fit in a dataspace of rank %u", src->rank,
                      dst->rank);
    ts_space_drop_selection(dst);
    dst->sel = src->sel;
    if (dst->rank == src->rank)
        memcpy(dst->offset, src->offset, src->rank * sizeof *src->offset);
    if (plain)
        return 0;
    memcpy(dst->slabs, src->slabs, src->rank * sizeof *src->slabs);
    dst->spans = ts_spans_ref(src->spans);
    dst->runs = ts_run_list_ref(src->runs);
    dst->points = src->points;
    if (dst->points)
        atomic_fetch_add_explicit(&dst->points->refs, 1, memory_order_relaxed);
    return 0;
}

int ts_space_as_tree(const struct ts_space *s, struct ts_spans **out)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    if (ts_space_slabs(s, slabs)) {
        *out = NULL;
        return ts_spans_from_slabs(s->rank, slabs, out);
    }
    int ret = ts_space_tree(s, out);
    ts_spans_ref(*out);
    return ret;
}

void ts_space_set_union(struct ts_space *s, const struct ts_spans *old, struct ts_spans *spans)
{
    if (!ts_spans_equal(old, spans)) {
        ts_space_set_spans(s, spans);
        return;
    }
    ts_spans_unref(spans);
    s->n_pending = 0;
}

int ts_space_merge(struct ts_space *s)
{
    if (!s->n_pending)
        return 0;
    struct ts_spans *old = NULL, *added = NULL, *all = NULL;
    int ret = ts_space_as_tree(s, &old);
    if (ret == 0)
        ret = ts_spans_from_boxes(s->rank, s->n_pending, s->pending, false, &added);
    if (ret == 0)
        ret = ts_spans_combine(TS_KEEP_A | TS_KEEP_B | TS_KEEP_BOTH, old, added, &all);
    if (ret == 0)
        ts_space_set_union(s, old, all);
    ts_spans_unref(old);
    ts_spans_unref(added);
    return ret;
}

bool ts_space_slabs(const struct ts_space *s, struct ts_slab *slabs)
{
    if (ts_space_is_regular(s)) {
        memcpy(slabs, s->slabs, s->rank * sizeof *slabs);
        return true;
    }
    if (s->sel != H5S_SEL_ALL || !s->npoints)
        return false;
    for (unsigned d = 0; d < s->rank; d++)
        slabs[d] = (struct ts_slab){0, 1, 1, s->dims[d]};
    return true;
}

int ts_space_tree(const struct ts_space *s, struct ts_spans **out)
{
    *out = s->spans;
    return s->runs ? ts_run_list_tree(s->runs, out) : 0;
}

bool ts_space_raw_bounds(const struct ts_space *s, hsize_t *low, hsize_t *high)
{
    if (s->sel == H5S_SEL_NONE)
        return false;
    if (s->runs) {
        ts_run_list_bounds(s->runs, low, high);
        return true;
    }
    for (unsigned d = 0; d < s->rank; d++)
        switch (s->sel) {
        case H5S_SEL_POINTS:
            low[d] = s->points->low[d];
            high[d] = s->points->high[d];
            break;
        case H5S_SEL_HYPERSLABS:
            low[d] = s->spans ? s->spans->bounds[2 * d] : s->slabs[d].start;
            high[d] = s->spans ? s->spans->bounds[2 * d + 1] : ts_slab_high(&s->slabs[d]);
            break;
        default:
            low[d] = 0;
            high[d] = s->dims[d] - 1;
        }
    return true;
}
