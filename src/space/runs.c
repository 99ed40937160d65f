/* Selections as runs of elements. */
#include <string.h>

#include "base/error.h"
#include "space/internal.h"

/* The last dimensions that are selected whole become part of the dimension before them: what is left is the fewest
 * nested loops, and the longest runs. */
static void init_slabs(struct ts_runs *it, const struct ts_slab *slabs)
{
    const struct ts_space *s = it->space;
    struct ts_runs_dim groups[H5S_MAX_RANK];
    unsigned n = 0;
    hsize_t step = 1, extent = 1;
    struct ts_slab cur = {0, 1, 1, 1};
    for (unsigned d = s->rank; d-- > 0;) {
        struct ts_slab p = ts_slab_normal(slabs[d]);
        if (s->sel != H5S_SEL_ALL)
            p.start += (hsize_t)s->offset[d];
        if (cur.count == 1 && cur.start == 0 && cur.block == extent) {
            cur = (struct ts_slab){p.start * extent, p.stride * extent, p.count, p.block * extent};
            extent *= s->dims[d];
            continue;
        }
        groups[n++] = (struct ts_runs_dim){cur.start, cur.stride, cur.count, cur.block, step, 0, 0};
        step *= extent;
        cur = p;
        extent = s->dims[d];
    }
    groups[n++] = (struct ts_runs_dim){cur.start, cur.stride, cur.count, cur.block, step, 0, 0};
    it->depth = n;
    for (unsigned i = 0; i < n; i++)
        it->u.dims[i] = groups[n - 1 - i];
    for (unsigned i = 0; i + 1 < n; i++)
        it->base += it->u.dims[i].start * it->u.dims[i].step;
}

/* Steps the outer dimensions like an odometer; base is kept up to date. */
static void next_row(struct ts_runs *it)
{
    for (unsigned d = it->depth - 1; d-- > 0;) {
        struct ts_runs_dim *g = &it->u.dims[d];
        if (++g->at < g->block) {
            it->base += g->step;
            return;
        }
        it->base -= (g->block - 1) * g->step;
        g->at = 0;
        if (++g->at_block < g->count) {
            it->base += g->stride * g->step;
            return;
        }
        it->base -= (g->count - 1) * g->stride * g->step;
        g->at_block = 0;
    }
}

static struct ts_run fetch_slab(struct ts_runs *it)
{
    struct ts_runs_dim *g = &it->u.dims[it->depth - 1];
    struct ts_run r = {it->base + g->start + g->at_block * g->stride, g->block};
    if (++g->at_block == g->count) {
        g->at_block = 0;
        next_row(it);
    }
    return r;
}

/* A cross section that holds everything below it makes its span one run. */
static bool whole(const struct ts_runs *it, const struct ts_span *s, unsigned d)
{
    return !s->down || s->down->elements == it->step[d];
}

static struct ts_run fetch_span(struct ts_runs *it)
{
    struct ts_runs_frame *f = it->u.frames;
    for (;;) {
        unsigned d = it->depth;
        const struct ts_span *s = &f[d].node->items[f[d].index];
        if (!whole(it, s, d)) {
            it->base += f[d].at * it->step[d];
            f[++it->depth] = (struct ts_runs_frame){s->down, 0, s->down->items[0].low};
            continue;
        }
        struct ts_run r = {it->base + s->low * it->step[d], (s->high - s->low + 1) * it->step[d]};
        f[d].at = s->high;
        for (;;) {
            s = &f[d].node->items[f[d].index];
            if (f[d].at < s->high) {
                f[d].at++;
                break;
            }
            if (++f[d].index < f[d].node->n) {
                f[d].at = f[d].node->items[f[d].index].low;
                break;
            }
            if (d == 0)
                break;
            d = --it->depth;
            it->base -= f[d].at * it->step[d];
        }
        return r;
    }
}

static struct ts_run fetch_point(struct ts_runs *it)
{
    const struct ts_space *s = it->space;
    const hsize_t *c = s->points->coords + it->point++ * s->rank;
    hsize_t at = it->base;
    for (unsigned d = 0; d < s->rank; d++)
        at += c[d] * it->step[d];
    return (struct ts_run){at, 1};
}

int ts_runs_init(struct ts_runs *it, const struct ts_space *s)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    it->space = s;
    it->left = ts_space_selected(s);
    it->part = it->later = (struct ts_run){0};
    it->depth = 0;
    it->base = 0;
    it->point = 0;
    if (!ts_space_valid(s))
        return TS_ERR(DATASPACE, BADRANGE, "the selection does not lie within the extent");
    if (s->npoints == UINT64_MAX)
        return TS_ERR(DATASPACE, OVERFLOW, "the extent has more elements than can be numbered");
    hsize_t step = 1;
    for (unsigned d = s->rank; d-- > 0;) {
        it->step[d] = step;
        step *= s->dims[d];
    }
    if (ts_space_slabs(s, slabs)) {
        init_slabs(it, slabs);
        return 0;
    }
    if (s->points || s->spans)
        for (unsigned d = 0; d < s->rank; d++)
            it->base += (hsize_t)s->offset[d] * it->step[d];
    if (s->spans)
        it->u.frames[0] = (struct ts_runs_frame){s->spans, 0, s->spans->items[0].low};
    return 0;
}

/* Two places are enough: one for what a call read ahead, one for the run that its caller gives back. */
static void put_back(struct ts_runs *it, struct ts_run r)
{
    it->later = it->part;
    it->part = r;
}

static struct ts_run fetch(struct ts_runs *it)
{
    if (it->part.length) {
        struct ts_run r = it->part;
        it->part = it->later;
        it->later.length = 0;
        return r;
    }
    return it->space->spans ? fetch_span(it) : it->space->points ? fetch_point(it) : fetch_slab(it);
}

size_t ts_runs_next(struct ts_runs *it, struct ts_run *out, size_t max_runs, hsize_t max_elements)
{
    size_t n = 0;
    while (it->left && max_elements) {
        struct ts_run r = fetch(it);
        bool joins = n && out[n - 1].offset + out[n - 1].length == r.offset;
        if (!joins && n == max_runs) {
            put_back(it, r);
            break;
        }
        if (r.length > max_elements) {
            put_back(it, (struct ts_run){r.offset + max_elements, r.length - max_elements});
            r.length = max_elements;
        }
        if (joins)
            out[n - 1].length += r.length;
        else
            out[n++] = r;
        max_elements -= r.length;
        it->left -= r.length;
    }
    return n;
}

void ts_runs_unget(struct ts_runs *it, struct ts_run r)
{
    if (it->part.length && r.offset + r.length == it->part.offset)
        it->part = (struct ts_run){r.offset, r.length + it->part.length};
    else
        put_back(it, r);
    it->left += r.length;
}

void ts_runs_deinit(struct ts_runs *it)
{
    it->left = 0;
}

bool ts_space_single_run(const struct ts_space *s, struct ts_run *out)
{
    struct ts_runs it;
    *out = (struct ts_run){0};
    unsigned mark = ts_err_mark();
    if (ts_runs_init(&it, s) < 0) {
        ts_err_rewind(mark);
        return false;
    }
    struct ts_run two[2] = {{0}};
    size_t n = ts_runs_next(&it, two, 2, UINT64_MAX);
    *out = two[0];
    return n < 2;
}
