#include "base/alloc.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "dataset/virtual_parts.h"

/* Runs that are looked for, sorted by src. Points may want an element twice, so runs may overlap. */
struct sought {
    struct ts_pairs list;
    hsize_t longest; /* of the runs */
};

struct virtual_transfer {
    struct ts_transfer *t;
    struct ts_virtual_walk walk;
    struct sought wanted;    /* src in the virtual extent, mem in memory */
    struct ts_pairs covered; /* src in the virtual extent: what sources have; mem unused */
    bool check;              /* nothing moves yet: what do sources have? */
};

static void seek(struct sought *s)
{
    ts_pairs_sort(&s->list);
    for (size_t i = 0; i < s->list.n; i++)
        if (s->list.items[i].n > s->longest)
            s->longest = s->list.items[i].n;
}

/* The first of the runs that may reach behind a place. */
static size_t first_behind(const struct sought *s, hsize_t place)
{
    size_t low = 0, high = s->list.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->list.items[mid].src + s->longest <= place)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The parts of a run that are also in those that are looked for: with the run's mem as src, and src of both in `met`
 * unless that is NULL. */
static int join_run(const struct sought *s, const struct ts_pair *m, struct ts_pairs *out, struct ts_pairs *met)
{
    hsize_t end = m->src + m->n;
    for (size_t k = first_behind(s, m->src); k < s->list.n && s->list.items[k].src < end; k++) {
        const struct ts_pair *w = &s->list.items[k];
        if (w->src + w->n <= m->src)
            continue;
        hsize_t from = w->src > m->src ? w->src : m->src;
        hsize_t to = w->src + w->n < end ? w->src + w->n : end;
        if (ts_pairs_add(out, m->mem + (from - m->src), w->mem + (from - w->src), to - from) < 0 ||
            (met && ts_pairs_add(met, from, 0, to - from) < 0))
            return -1;
    }
    return 0;
}

/* The first of the first n runs, which are united, that ends behind a place. */
static size_t first_ending_behind(const struct ts_pair *runs, size_t n, hsize_t place)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (runs[mid].src + runs[mid].n <= place)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Pairs for the elements from a place in the virtual extent on: into `again` what the first n covered runs have, which
 * are united, into `fresh` the rest. */
static int split_pair(const struct ts_pairs *covered, size_t n, hsize_t place, struct ts_pair p,
                      struct ts_pairs fresh_again[2])
{
    const struct ts_pair *runs = covered->items;
    for (size_t at = first_ending_behind(runs, n, place); p.n > 0; at++) {
        bool met = at < n && runs[at].src < place + p.n;
        hsize_t fresh = !met ? p.n : runs[at].src > place ? runs[at].src - place : 0;
        hsize_t end = met ? runs[at].src + runs[at].n - place : p.n, both = end < p.n ? end : p.n;
        if (fresh > 0 && ts_pairs_add(&fresh_again[0], p.src, p.mem, fresh) < 0)
            return -1;
        if (both > fresh && ts_pairs_add(&fresh_again[1], p.src + fresh, p.mem + fresh, both - fresh) < 0)
            return -1;
        place += both;
        p = (struct ts_pair){.src = p.src + both, .mem = p.mem + both, .n = p.n - both};
    }
    return 0;
}

/* Adds those of the sought elements of a source that are defined there. */
static int add_defined(struct ts_dataset *source, const struct ts_space *src, struct sought *again,
                       struct ts_pairs *pairs)
{
    struct ts_pairs all = {0};
    struct ts_space *chosen = NULL, *defined = NULL;
    struct ts_runs it;
    struct ts_run r;
    seek(again);
    all.items = ts_memdup(again->list.items, again->list.n * sizeof *all.items);
    all.n = again->list.n;
    int status = all.items ? 0 : -1;
    if (status == 0) {
        ts_pairs_unite(&all);
        status = ts_pairs_select(&all, src, &chosen);
    }
    if (status == 0)
        status = ts_dataset_defined_locked(source, chosen, &defined);
    if (status == 0 && (status = ts_runs_init(&it, defined)) == 0) {
        while (status == 0 && ts_runs_next(&it, &r, 1, UINT64_MAX) > 0)
            status = join_run(again, &(struct ts_pair){.src = r.offset, .mem = r.offset, .n = r.length}, pairs, NULL);
        ts_runs_deinit(&it);
    }
    ts_space_unref(defined);
    ts_space_unref(chosen);
    ts_free(all.items);
    return status;
}

/* Sources may lie over each other, as when each writer has a sparse dataset for all of a frame. What is defined in an
 * earlier one stays where a later one has nothing. The first n runs of what is covered are of earlier ones and united;
 * the others are the places of the pairs. */
static int keep_earlier(struct virtual_transfer *v, struct ts_dataset *source, const struct ts_space *src, size_t n,
                        struct ts_pairs *pairs)
{
    struct ts_pairs fresh_again[2] = {{0}};
    int status = 0;
    for (size_t i = 0; i < pairs->n && status == 0; i++)
        status = split_pair(&v->covered, n, v->covered.items[n + i].src, pairs->items[i], fresh_again);
    struct sought again = {.list = fresh_again[1]};
    if (status == 0 && again.list.n > 0)
        status = add_defined(source, src, &again, &fresh_again[0]);
    ts_free(again.list.items);
    ts_free(pairs->items);
    *pairs = fresh_again[0];
    return status;
}

/* What is wanted of a mapping: for each run of it, the parts that are also in the wanted runs. */
static int join(struct virtual_transfer *v, struct ts_dataset *source, const struct ts_space *src,
                const struct ts_pairs *map, struct ts_pairs *out)
{
    bool partial = !v->t->write && v->covered.n > 0 && ts_dataset_is_partial(source);
    if (partial)
        ts_pairs_unite(&v->covered);
    size_t earlier = v->covered.n;
    for (size_t i = 0; i < map->n; i++)
        if (join_run(&v->wanted, &map->items[i], out, &v->covered) < 0)
            return -1;
    return partial ? keep_earlier(v, source, src, earlier, out) : 0;
}

/* Moves what is wanted of dst, which shows the selection src of a source. The source's lock is held. */
static int move_source(struct ts_dataset *source, const struct ts_space *dst, const struct ts_space *src, void *ctx)
{
    TS_CORE_HELD(source->core);
    struct virtual_transfer *v = ctx;
    struct ts_plan plan;
    struct ts_pairs map = {0}, pairs = {0};
    int status = ts_plan_init(&plan, dst, src);
    if (status == 0)
        status = ts_plan_pairs(&plan, &map.items, &map.n);
    if (status == 0) {
        ts_pairs_sort(&map);
        status = join(v, source, src, &map, &pairs);
    }
    if (status == 0 && pairs.n > 0 && !v->check) {
        ts_plan_init_pairs(&plan, src, pairs.items, pairs.n);
        status = ts_dataset_transfer(source, v->t->mem_type, &plan, v->t->options, v->t->buf);
    }
    ts_free(map.items);
    ts_free(pairs.items);
    return status;
}

/* The fill value for what of a wanted run no source gave; `at` is the first covered run that ends behind its start. */
static int fill_gaps(struct virtual_transfer *v, struct ts_pair w, size_t at)
{
    const struct ts_pairs *c = &v->covered;
    while (w.n > 0) {
        bool met = at < c->n && c->items[at].src < w.src + w.n;
        hsize_t gap = !met ? w.n : c->items[at].src > w.src ? c->items[at].src - w.src : 0;
        struct ts_piece piece = {.mem = w.mem, .n = gap, .count = 1};
        if (gap > 0 && ts_read_fill(v->t, &piece, 1) < 0)
            return -1;
        hsize_t skip = met ? c->items[at].src + c->items[at].n - w.src : gap;
        if (skip > w.n)
            skip = w.n;
        w.src += skip;
        w.mem += skip;
        w.n -= skip;
        at++;
    }
    return 0;
}

static int fill_rest(struct virtual_transfer *v)
{
    const struct ts_pairs *c = &v->covered;
    size_t at = 0;
    ts_pairs_unite(&v->covered);
    for (size_t i = 0; i < v->wanted.list.n; i++) {
        while (at < c->n && c->items[at].src + c->items[at].n <= v->wanted.list.items[i].src)
            at++;
        if (fill_gaps(v, v->wanted.list.items[i], at) < 0)
            return -1;
    }
    return 0;
}

static int move_all(struct virtual_transfer *v)
{
    v->covered.n = 0;
    return ts_virtual_walk(&v->walk);
}

/* As in HDF5, nothing is written unless all of it has a source. */
static int check_sources(struct virtual_transfer *v)
{
    hsize_t there = 0, wanted = 0;
    v->check = true;
    int status = move_all(v);
    v->check = false;
    if (status < 0)
        return -1;
    ts_pairs_unite(&v->covered);
    for (size_t i = 0; i < v->covered.n; i++)
        there += v->covered.items[i].n;
    const struct ts_pairs *list = &v->wanted.list;
    struct ts_pairs all = {.items = ts_memdup(list->items, list->n * sizeof *all.items), .n = list->n};
    if (!all.items)
        return -1;
    ts_pairs_unite(&all);
    for (size_t i = 0; i < all.n; i++)
        wanted += all.items[i].n;
    ts_free(all.items);
    return there == wanted ? 0 : TS_ERR(DATASPACE, BADVALUE, "write requested to unmapped portion of virtual dataset");
}

static int want(struct virtual_transfer *v)
{
    if (ts_plan_pairs(v->t->plan, &v->wanted.list.items, &v->wanted.list.n) < 0)
        return -1;
    seek(&v->wanted);
    return 0;
}

static int transfer(struct virtual_transfer *v)
{
    if (want(v) < 0 || (v->t->write && check_sources(v) < 0) || move_all(v) < 0)
        return -1;
    return v->t->write ? 0 : fill_rest(v);
}

/* Bounds of what the plan wants; the whole extent when it is a list of runs. */
static int find_bounds(struct virtual_transfer *v)
{
    const struct ts_plan *plan = v->t->plan;
    if (plan->file && ts_space_rank(plan->file) > 0)
        return ts_space_bounds(plan->file, v->walk.low, v->walk.high);
    for (unsigned i = 0; i < plan->rank; i++) {
        v->walk.low[i] = 0;
        v->walk.high[i] = plan->dims[i] - 1;
    }
    return 0;
}

int ts_transfer_virtual(struct ts_transfer *t)
{
    struct virtual_transfer v = {.t = t, .walk = {.d = t->d, .visit = move_source}};
    struct ts_virtual_visit visit;
    struct ts_space *extent;
    unsigned rank = t->core->rank;
    if (t->plan->total == 0)
        return 0;
    if (ts_virtual_enter(&visit, t->d) < 0)
        return -1;
    int status = rank ? ts_space_new_simple(rank, t->plan->dims, NULL, &extent) : ts_space_new_scalar(&extent);
    if (status == 0) {
        v.walk.extent = extent;
        v.walk.ctx = &v;
        v.walk.lock = t->write ? TS_VIRTUAL_WRITES : TS_VIRTUAL_READS;
        status = find_bounds(&v) < 0 ? -1 : transfer(&v);
        ts_space_unref(extent);
    }
    ts_free(v.wanted.list.items);
    ts_free(v.covered.items);
    ts_virtual_leave(&visit);
    return status;
}
