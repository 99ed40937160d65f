#include "space/run_list.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Drops empty runs and joins those that touch, in place. */
static int tidy(struct ts_run_list *l, struct ts_run *runs, size_t n)
{
    hsize_t limit = 1, end = 0;
    for (unsigned d = 0; d < l->rank; d++)
        limit *= l->dims[d];
    for (size_t i = 0; i < n; i++) {
        struct ts_run r = runs[i];
        if (r.offset > limit || r.length > limit - r.offset)
            return TS_ERR(DATASPACE, BADRANGE, "a run ends beyond the extent");
        if (!r.length)
            continue;
        if (r.offset < end)
            return TS_ERR(DATASPACE, BADVALUE, "a run starts at %llu, before the end of another at %llu",
                          (unsigned long long)r.offset, (unsigned long long)end);
        if (l->n && r.offset == end)
            runs[l->n - 1].length += r.length;
        else
            runs[l->n++] = r;
        end = r.offset + r.length;
        l->elements += r.length;
    }
    return 0;
}

int ts_run_list_new(unsigned rank, const hsize_t *dims, struct ts_run **runs, size_t n, struct ts_run_list **out)
{
    struct ts_run_list *l = ts_calloc(1, sizeof *l);
    if (!l)
        return -1;
    atomic_init(&l->refs, 1);
    l->rank = rank;
    memcpy(l->dims, dims, rank * sizeof *dims);
    if (tidy(l, *runs, n) < 0) {
        ts_free(l);
        return -1;
    }
    ts_mutex_init(&l->lock, TS_RANK_RUN_LIST);
    l->runs = *runs;
    *runs = NULL;
    *out = l;
    return 0;
}

int ts_run_list_of_sets(struct ts_chunk_sets **sets, struct ts_run_list **out)
{
    struct ts_run_list *l = ts_calloc(1, sizeof *l);
    if (!l)
        return -1;
    atomic_init(&l->refs, 1);
    ts_mutex_init(&l->lock, TS_RANK_RUN_LIST);
    l->rank = (*sets)->rank;
    memcpy(l->dims, (*sets)->dims, l->rank * sizeof *l->dims);
    l->elements = (*sets)->elements;
    l->sets = *sets;
    *sets = NULL;
    *out = l;
    return 0;
}

struct ts_run_list *ts_run_list_ref(struct ts_run_list *l)
{
    if (l)
        atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
    return l;
}

void ts_run_list_unref(struct ts_run_list *l)
{
    if (!l || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1)
        return;
    ts_spans_unref(l->tree);
    ts_mutex_deinit(&l->lock);
    ts_chunk_sets_free(l->sets);
    ts_free(l->runs);
    ts_free(l);
}

enum { PORTION = 64 };

/* Runs on their way into slabs. */
struct slab_reader {
    const struct ts_run *next, *behind;
    struct ts_chunk_walk *walk; /* where more of them come from, NULL: nowhere */
    struct ts_run *portion;
    hsize_t pos, end; /* what is left of the present run */
    unsigned rank;
    const hsize_t *dims;
    hsize_t step[H5S_MAX_RANK];
    unsigned known; /* the slabs from this dimension on are known */
    struct ts_slab *slabs;
};

/* Spans along one dimension, all as wide as the first and as far apart as the first two. */
struct line {
    hsize_t start, stride, count, block;
    hsize_t low, high; /* the last span, which may still grow */
};

/* The last span is complete. */
static bool line_close(struct line *l)
{
    hsize_t width = l->high - l->low + 1;
    if (l->count == 1)
        l->block = width;
    return width == l->block;
}

static bool line_add(struct line *l, hsize_t at, hsize_t n)
{
    if (l->count && l->high + 1 == at) {
        l->high += n;
        return true;
    }
    if (l->count == 0)
        l->start = at;
    else if (!line_close(l))
        return false;
    else if (l->count == 1)
        l->stride = at - l->low;
    else if (l->stride != at - l->low)
        return false;
    l->count++;
    l->low = at;
    l->high = at + n - 1;
    return true;
}

/* The first cross section says what the others must be. */
static bool match_slab(struct slab_reader *r, unsigned d, struct ts_slab slab)
{
    if (r->known <= d)
        return memcmp(&r->slabs[d], &slab, sizeof slab) == 0;
    r->slabs[d] = slab;
    r->known = d;
    return true;
}

static bool match_full(struct slab_reader *r, unsigned from)
{
    for (unsigned d = r->rank; d-- > from;)
        if (!match_slab(r, d, (struct ts_slab){0, 1, 1, r->dims[d]}))
            return false;
    return true;
}

static bool more(struct slab_reader *r)
{
    if (r->pos < r->end)
        return true;
    if (r->next == r->behind && r->walk) {
        r->next = r->portion;
        r->behind = r->next + ts_chunk_walk_next(r->walk, r->portion, PORTION);
    }
    if (r->next == r->behind)
        return false;
    r->pos = r->next->offset;
    r->end = r->pos + r->next++->length;
    return true;
}

/* What is selected of dimension d, in the cross section whose elements start at base. */
static bool read_slab(struct slab_reader *r, unsigned d, hsize_t base)
{
    struct line l = {0};
    hsize_t step = r->step[d], limit = base + r->dims[d] * step;
    while (more(r) && r->pos < limit) {
        hsize_t at = (r->pos - base) / step, rows = ((r->end < limit ? r->end : limit) - r->pos) / step;
        if ((r->pos - base) % step == 0 && rows > 0) {
            if (!match_full(r, d + 1) || !line_add(&l, at, rows))
                return false;
            r->pos += rows * step;
        } else if (!read_slab(r, d + 1, base + at * step) || !line_add(&l, at, 1))
            return false;
    }
    return line_close(&l) && match_slab(r, d, (struct ts_slab){l.start, l.count > 1 ? l.stride : 1, l.count, l.block});
}

int ts_run_list_regular(const struct ts_run_list *l, struct ts_slab *slabs)
{
    struct ts_run portion[PORTION];
    struct slab_reader r = {.next = l->runs, .behind = l->runs, .rank = l->rank, .dims = l->dims, .portion = portion};
    hsize_t step = 1;
    if (l->sets && ts_chunk_walk_new(l->sets, &r.walk) < 0)
        return -1;
    if (!l->sets)
        r.behind += l->n;
    for (unsigned d = l->rank; d-- > 0;) {
        r.step[d] = step;
        step *= l->dims[d];
    }
    r.known = l->rank;
    r.slabs = slabs;
    bool regular = read_slab(&r, 0, 0);
    ts_chunk_walk_free(r.walk);
    return regular;
}

static int tree_of_sets(const struct ts_run_list *l, struct ts_spans **out)
{
    struct ts_chunk_walk *walk;
    struct ts_run *runs = NULL;
    size_t n = 0, got, capacity = 0;
    if (ts_chunk_walk_new(l->sets, &walk) < 0)
        return -1;
    int status;
    do {
        status = TS_GROW(runs, capacity, n + PORTION);
        got = status == 0 ? ts_chunk_walk_next(walk, runs + n, capacity - n) : 0;
        n += got;
    } while (got > 0);
    if (status == 0)
        status = ts_spans_from_runs(l->rank, l->dims, runs, n, out);
    ts_free(runs);
    ts_chunk_walk_free(walk);
    return status;
}

int ts_run_list_tree(struct ts_run_list *l, struct ts_spans **out)
{
    int ret = 0;
    ts_mutex_lock(&l->lock);
    if (!l->tree)
        ret = l->sets ? tree_of_sets(l, &l->tree) : ts_spans_from_runs(l->rank, l->dims, l->runs, l->n, &l->tree);
    *out = l->tree;
    ts_mutex_unlock(&l->lock);
    return ret;
}

/* Where a run lies in one dimension, outer dimensions included: as long as that is in the row of the one before, there
 * is nothing to divide. */
struct bound_row {
    hsize_t row, first; /* its number, and that of its first element */
};

struct bounds {
    unsigned rank;
    const hsize_t *dims;
    hsize_t *low, *high;
    struct bound_row rows[H5S_MAX_RANK];
};

/* A run that goes on in another row holds the last element of the one and the first of the other. */
static void widen_bounds(struct bounds *b, struct ts_run run)
{
    hsize_t from = run.offset, to = run.offset + run.length - 1;
    for (unsigned d = b->rank; d-- > 0;) {
        struct bound_row *r = &b->rows[d];
        hsize_t size = b->dims[d];
        bool same = from - r->first < size;
        if (!same)
            *r = (struct bound_row){from / size, from / size * size};
        bool one_row = to - r->first < size;
        hsize_t low = one_row ? from - r->first : 0, high = one_row ? to - r->first : size - 1;
        if (low < b->low[d])
            b->low[d] = low;
        if (high > b->high[d])
            b->high[d] = high;
        if (same && one_row)
            return;
        from = r->row;
        to = one_row ? from : to / size;
    }
}

/* The bounds of one element. */
static void begin_bounds(struct bounds *b, hsize_t at)
{
    for (unsigned d = b->rank; d-- > 0; at = b->rows[d].row) {
        b->rows[d] = (struct bound_row){at / b->dims[d], at / b->dims[d] * b->dims[d]};
        b->low[d] = b->high[d] = at - b->rows[d].first;
    }
}

static void runs_bounds(struct ts_run_list *l)
{
    struct bounds b = {.rank = l->rank, .dims = l->dims, .low = l->low, .high = l->high};
    begin_bounds(&b, l->runs[0].offset);
    for (size_t i = 0; i < l->n; i++)
        widen_bounds(&b, l->runs[i]);
}

/* In the chunk. */
static void set_bounds(const struct ts_chunk_sets *s, size_t i, hsize_t *low, hsize_t *high)
{
    struct bounds b = {.rank = s->rank, .dims = s->chunk, .low = low, .high = high};
    struct ts_run_cursor cursor = {0};
    struct ts_run runs[PORTION];
    for (size_t n, first = 1; (n = ts_run_set_next(s->sets[i], &cursor, runs, PORTION)) > 0; first = 0) {
        if (first)
            begin_bounds(&b, runs[0].offset);
        for (size_t k = 0; k < n; k++)
            widen_bounds(&b, runs[k]);
    }
}

/* A chunk that lies between the bounds of others needs no look. */
static bool may_widen(const struct ts_run_list *l, const hsize_t *scaled)
{
    for (unsigned d = 0; d < l->rank; d++) {
        hsize_t low = scaled[d] * l->sets->chunk[d], high = low + l->sets->chunk[d] - 1;
        if (low < l->low[d] || (high < l->dims[d] ? high : l->dims[d] - 1) > l->high[d])
            return true;
    }
    return false;
}

static void sets_bounds(struct ts_run_list *l)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    for (unsigned d = 0; d < l->rank; d++) {
        l->low[d] = HSIZE_UNDEF;
        l->high[d] = 0;
    }
    for (size_t i = 0; i < l->sets->n; i++) {
        const hsize_t *scaled = ts_chunk_sets_scaled(l->sets, i);
        if (!may_widen(l, scaled))
            continue;
        set_bounds(l->sets, i, low, high);
        for (unsigned d = 0; d < l->rank; d++) {
            hsize_t start = scaled[d] * l->sets->chunk[d];
            l->low[d] = start + low[d] < l->low[d] ? start + low[d] : l->low[d];
            l->high[d] = start + high[d] > l->high[d] ? start + high[d] : l->high[d];
        }
    }
}

void ts_run_list_bounds(struct ts_run_list *l, hsize_t *low, hsize_t *high)
{
    ts_mutex_lock(&l->lock);
    if (!l->bounded && l->sets)
        sets_bounds(l);
    else if (!l->bounded)
        runs_bounds(l);
    l->bounded = true;
    memcpy(low, l->low, l->rank * sizeof *low);
    memcpy(high, l->high, l->rank * sizeof *high);
    ts_mutex_unlock(&l->lock);
}

static int damaged(const char **reason, const char *what)
{
    *reason = what;
    return -1;
}

static int verify_runs(const struct ts_run_list *l, const char **reason)
{
    hsize_t limit = 1, end = 0, elements = 0;
    for (unsigned d = 0; d < l->rank; d++)
        limit *= l->dims[d];
    for (size_t i = 0; i < l->n; i++) {
        const struct ts_run *r = &l->runs[i];
        if (!r->length || (i > 0 && r->offset <= end))
            return damaged(reason, "runs that are empty, out of order or not joined");
        if (r->offset >= limit || r->length > limit - r->offset)
            return damaged(reason, "a run beyond the extent");
        end = r->offset + r->length;
        elements += r->length;
    }
    return l->n && elements == l->elements ? 0 : damaged(reason, "no runs, or wrong totals");
}

int ts_run_list_verify(const struct ts_run_list *l, const char **reason)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    if ((l->sets ? ts_chunk_sets_verify(l->sets, reason) : verify_runs(l, reason)) < 0)
        return -1;
    if ((l->sets && l->sets->elements != l->elements) || (l->tree && l->tree->elements != l->elements))
        return damaged(reason, "wrong totals");
    if (ts_run_list_regular(l, slabs) != 0)
        return damaged(reason, "runs for a regular selection");
    return ts_spans_verify(l->tree, reason);
}
