/* Selections as runs of elements. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "space/internal.h"

enum { AHEAD = 64 };

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

/* Nothing selected is no tree. */
static int init_spans(struct ts_runs *it)
{
    struct ts_spans *tree;
    if (ts_space_tree(it->space, &tree) < 0)
        return -1;
    if (tree)
        it->u.frames[0] = (struct ts_runs_frame){tree, 0, tree->items[0].low};
    return 0;
}

/* Sets by chunk, and runs of them that were fetched ahead. */
struct ts_runs_sets {
    struct ts_chunk_walk *walk;
    size_t at, n;
    struct ts_run ahead[AHEAD];
};

static int init_sets(struct ts_runs *it)
{
    struct ts_runs_sets *s = ts_malloc(sizeof *s);
    if (!s)
        return -1;
    s->at = s->n = 0;
    if (ts_chunk_walk_new(it->space->runs->sets, &s->walk) < 0) {
        ts_free(s);
        return -1;
    }
    it->sets = s;
    return 0;
}

static int init_irregular(struct ts_runs *it)
{
    const struct ts_space *s = it->space;
    for (unsigned d = 0; d < s->rank && it->left; d++)
        it->base += (hsize_t)s->offset[d] * it->step[d];
    if (s->points || ts_space_runs_apply(s)) {
        it->kind = s->points ? TS_RUNS_POINTS : s->runs->sets ? TS_RUNS_SETS : TS_RUNS_LIST;
        return it->kind == TS_RUNS_SETS ? init_sets(it) : 0;
    }
    it->kind = TS_RUNS_SPANS;
    return init_spans(it);
}

int ts_runs_init(struct ts_runs *it, const struct ts_space *s)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    it->space = s;
    it->sets = NULL;
    it->left = ts_space_selected(s);
    it->part = it->later = (struct ts_run){0};
    it->depth = 0;
    it->base = 0;
    it->next = 0;
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
        it->kind = TS_RUNS_SLABS;
        init_slabs(it, slabs);
        return 0;
    }
    return init_irregular(it);
}

/* Two places are enough: one for what a call read ahead, one for the run that its caller gives back. */
static void put_back(struct ts_runs *it, struct ts_run r)
{
    it->later = it->part;
    it->part = r;
}

static struct ts_run fetch_back(struct ts_runs *it)
{
    struct ts_run r = it->part;
    it->part = it->later;
    it->later.length = 0;
    return r;
}

/* Where runs go, and how much more may. */
struct room {
    struct ts_run *out;
    size_t n, max;
    hsize_t elements;
};

/* False when there is no more room; what of the run finds none is put back. */
static inline bool give(struct ts_runs *it, struct room *to, struct ts_run r)
{
    struct ts_run *last = to->n ? &to->out[to->n - 1] : NULL;
    bool joins = last && last->offset + last->length == r.offset;
    if (!joins && to->n == to->max) {
        put_back(it, r);
        return false;
    }
    if (r.length > to->elements) {
        put_back(it, (struct ts_run){r.offset + to->elements, r.length - to->elements});
        r.length = to->elements;
    }
    if (joins)
        last->length += r.length;
    else
        to->out[to->n++] = r;
    to->elements -= r.length;
    it->left -= r.length;
    return to->elements > 0;
}

/* Runs of a list never join, not with what was put back either, since that is a list's run or the end of one. */
static void give_listed(struct ts_runs *it, struct room *to)
{
    const struct ts_run_list *l = it->space->runs;
    const struct ts_run *r = l->runs + it->next, *end = l->runs + l->n;
    struct ts_run *out = to->out + to->n;
    hsize_t base = it->base, elements = to->elements;
    if ((size_t)(end - r) > to->max - to->n)
        end = r + (to->max - to->n);
    for (; r < end && r->length <= elements; r++) {
        *out++ = (struct ts_run){base + r->offset, r->length};
        elements -= r->length;
    }
    to->n = (size_t)(out - to->out);
    it->left -= to->elements - elements;
    to->elements = elements;
    it->next = (size_t)(r - l->runs);
    if (r == end || !elements)
        return;
    it->next++;
    (void)give(it, to, (struct ts_run){base + r->offset, r->length});
}

static void shift_runs(struct ts_run *runs, size_t n, hsize_t by)
{
    for (size_t i = 0; by && i < n; i++)
        runs[i].offset += by;
}

/* As runs of a list, these never join. */
static void give_sets(struct ts_runs *it, struct room *to)
{
    struct ts_runs_sets *s = it->sets;
    do {
        if (s->at == s->n && to->elements >= it->left) {
            size_t n = ts_chunk_walk_next(s->walk, to->out + to->n, to->max - to->n);
            shift_runs(to->out + to->n, n, it->base);
            for (; n > 0; n--)
                it->left -= to->out[to->n++].length;
            return;
        }
        if (s->at == s->n) {
            s->at = 0;
            s->n = ts_chunk_walk_next(s->walk, s->ahead, AHEAD);
            shift_runs(s->ahead, s->n, it->base);
        }
    } while (it->left && give(it, to, s->ahead[s->at++]));
}

/* Points until there is no room. With a constant rank the sum is a few instructions. */
static inline __attribute__((always_inline)) void give_points(struct ts_runs *it, struct room *to, unsigned rank)
{
    const hsize_t *c = it->space->points->coords + it->next * rank;
    hsize_t step[H5S_MAX_RANK], most = it->left < to->elements ? it->left : to->elements, taken = 0;
    size_t n = to->n;
    hsize_t end = n ? to->out[n - 1].offset + to->out[n - 1].length : UINT64_MAX; /* no element has that number */
    for (unsigned d = 0; d < rank; d++)
        step[d] = it->step[d];
    for (; taken < most; taken++, c += rank) {
        hsize_t at = it->base;
        for (unsigned d = 0; d < rank; d++)
            at += c[d] * step[d];
        if (at == end)
            to->out[n - 1].length++;
        else if (n < to->max)
            to->out[n++] = (struct ts_run){at, 1};
        else
            break;
        end = at + 1;
    }
    to->n = n;
    to->elements -= taken;
    it->left -= taken;
    it->next += (size_t)taken;
}

static void give_selected(struct ts_runs *it, struct room *to)
{
    switch (it->space->rank) {
    case 1:
        give_points(it, to, 1);
        break;
    case 2:
        give_points(it, to, 2);
        break;
    case 3:
        give_points(it, to, 3);
        break;
    default:
        give_points(it, to, it->space->rank);
    }
}

size_t ts_runs_next(struct ts_runs *it, struct ts_run *out, size_t max_runs, hsize_t max_elements)
{
    struct room to = {out, 0, max_runs, max_elements};
    bool more = max_elements > 0;
    while (more && it->part.length)
        more = give(it, &to, fetch_back(it));
    if (!more || !it->left)
        return to.n;
    switch (it->kind) {
    case TS_RUNS_SLABS:
        while (it->left && give(it, &to, fetch_slab(it)))
            ;
        break;
    case TS_RUNS_SPANS:
        while (it->left && give(it, &to, fetch_span(it)))
            ;
        break;
    case TS_RUNS_POINTS:
        give_selected(it, &to);
        break;
    case TS_RUNS_LIST:
        give_listed(it, &to);
        break;
    case TS_RUNS_SETS:
        give_sets(it, &to);
    }
    return to.n;
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
    if (it->sets)
        ts_chunk_walk_free(it->sets->walk);
    ts_free(it->sets);
    it->sets = NULL;
}

int ts_runs_each(const struct ts_space *s, ts_runs_fn *fn, void *ctx)
{
    struct ts_runs it;
    struct ts_run runs[512];
    size_t n;
    int status = ts_runs_init(&it, s);
    if (status < 0)
        return -1;
    while (status == 0 && (n = ts_runs_next(&it, runs, sizeof runs / sizeof *runs, UINT64_MAX)) > 0)
        status = fn(runs, n, ctx);
    ts_runs_deinit(&it);
    return status;
}

bool ts_space_single_run(const struct ts_space *s, struct ts_run *out)
{
    struct ts_runs it;
    *out = (struct ts_run){0};
    if (s->sel == H5S_SEL_ALL && s->npoints < UINT64_MAX) {
        out->length = s->npoints;
        return true;
    }
    unsigned mark = ts_err_mark();
    if (ts_runs_init(&it, s) < 0) {
        ts_err_rewind(mark);
        return false;
    }
    struct ts_run two[2] = {{0}};
    size_t n = ts_runs_next(&it, two, 2, UINT64_MAX);
    ts_runs_deinit(&it);
    *out = two[0];
    return n < 2;
}
