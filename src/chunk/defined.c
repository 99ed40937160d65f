/* Which elements are defined, for layouts that know. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/erase.h"
#include "chunk/load.h"

/* A selection, of which elements have ordinals; memory stands for these. */
struct ordinals {
    struct ts_space *mem;
    struct ts_plan plan;
    struct ts_run *runs; /* the defined ones */
    size_t n, capacity;
};

static int ordinals_init(struct ordinals *o, const struct ts_space *space)
{
    hsize_t count = ts_space_selected(space);
    *o = (struct ordinals){.n = 0};
    if (ts_space_new_simple(1, &count, NULL, &o->mem) < 0)
        return -1;
    return ts_plan_init(&o->plan, space, o->mem);
}

static void ordinals_deinit(struct ordinals *o)
{
    ts_space_unref(o->mem);
    ts_free(o->runs);
}

static int collect(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct ordinals *o = ctx;
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++) {
            if (TS_GROW(o->runs, o->capacity, o->n + 1) < 0)
                return -1;
            o->runs[o->n++] = (struct ts_run){.offset = pieces[i].mem + k * pieces[i].mem_step, .length = pieces[i].n};
        }
    return 0;
}

/* What needs no look at the chunk. */
static int choose(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    v->state = TS_SC_DONE;
    if (v->at.addr == HADDR_UNDEF)
        return 0;
    if (v->at.defined_size == 0)
        return collect(v->pieces, v->n, b->ctx);
    v->state = TS_SC_LOAD;
    v->keep = !v->skip;
    v->defined_only = v->dset->ops->decode_defined_values;
    return 0;
}

static struct ts_sc_use looked_at(const struct ts_sc_visit *v)
{
    (void)v;
    return (struct ts_sc_use){0};
}

static int serve_steps(struct ts_sc_batch *b)
{
    if (ts_sc_batch_find(b) < 0 || ts_sc_batch_locate(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_AWAY && choose(b, &b->visits[i]) < 0)
            return -1;
    if (ts_sc_batch_enter(b) < 0 || ts_sc_batch_load(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        struct ts_sc_move move = ts_sc_visit_move(v, NULL);
        if (v->state == TS_SC_READY &&
            v->dset->ops->defined_values(v->dset->owner, &move, ts_sc_visit_data(v), collect, b->ctx) < 0)
            return -1;
    }
    ts_sc_batch_unhold(b);
    ts_sc_batch_release(b, looked_at);
    return 0;
}

static int serve(struct ts_sc_batch *b)
{
    int status = serve_steps(b);
    ts_sc_batch_end(b);
    return status;
}

static int find_defined(struct ts_sc_dset *dset, struct ordinals *o)
{
    struct ts_sc_io io = {.dset = dset, .plan = &o->plan};
    struct ts_sc_batch b;
    ts_sc_batch_init(&b, dset->cache, serve);
    b.ctx = o;
    b.defined_only = true;
    int status = ts_sc_batch_add(&b, &io);
    if (status == 0)
        status = ts_sc_batch_flush(&b);
    ts_sc_batch_deinit(&b);
    return status;
}

static int by_offset(const void *a, const void *b)
{
    hsize_t x = ((const struct ts_run *)a)->offset, y = ((const struct ts_run *)b)->offset;
    return (x > y) - (x < y);
}

/* Runs of the extent, in the order of the selection. */
struct chosen {
    struct ts_run *runs;
    size_t n, capacity;
    hsize_t elements;
};

/* The part of a run of the selection, whose first element has this ordinal, that is defined; *next is the first of the
 * defined runs that may have something to do with it. */
static int cut_run(const struct ordinals *o, struct ts_run run, hsize_t ordinal, size_t *next, struct chosen *out)
{
    while (*next < o->n && o->runs[*next].offset + o->runs[*next].length <= ordinal)
        ++*next;
    for (size_t i = *next; i < o->n && o->runs[i].offset < ordinal + run.length; i++) {
        const struct ts_run *d = &o->runs[i];
        hsize_t from = d->offset > ordinal ? d->offset - ordinal : 0;
        hsize_t to = d->offset + d->length - ordinal < run.length ? d->offset + d->length - ordinal : run.length;
        if (TS_GROW(out->runs, out->capacity, out->n + 1) < 0)
            return -1;
        out->runs[out->n++] = (struct ts_run){.offset = run.offset + from, .length = to - from};
        out->elements += to - from;
    }
    return 0;
}

static int cut_selection(const struct ts_space *space, const struct ordinals *o, struct chosen *out)
{
    struct ts_runs it;
    struct ts_run run;
    hsize_t ordinal = 0;
    size_t next = 0;
    int status = 0;
    if (ts_runs_init(&it, space) < 0)
        return -1;
    while (status == 0 && ts_runs_next(&it, &run, 1, HSIZE_UNDEF) > 0) {
        status = cut_run(o, run, ordinal, &next, out);
        ordinal += run.length;
    }
    ts_runs_deinit(&it);
    return status;
}

/* Points with the coordinates of the runs' elements, in their order. */
static int select_points(struct ts_space *space, const struct chosen *c)
{
    static const hssize_t no_offset[H5S_MAX_RANK];
    unsigned rank = ts_space_rank(space);
    const hsize_t *dims = ts_space_dims(space);
    hsize_t *coords = c->elements <= SIZE_MAX / sizeof *coords / rank
                          ? ts_malloc((size_t)c->elements * rank * sizeof *coords)
                          : NULL;
    if (!coords)
        return -1;
    hsize_t *to = coords;
    for (size_t i = 0; i < c->n; i++)
        for (hsize_t k = 0; k < c->runs[i].length; k++, to += rank) {
            hsize_t rest = c->runs[i].offset + k;
            for (unsigned d = rank; d-- > 0; rest /= dims[d])
                to[d] = rest % dims[d];
        }
    int status = ts_space_set_offset(space, no_offset);
    if (status == 0)
        status = ts_space_select_elements(space, H5S_SELECT_SET, (size_t)c->elements, coords);
    ts_free(coords);
    return status;
}

static int make_space(const struct ts_space *space, const struct chosen *c, struct ts_space **out)
{
    bool points = ts_space_sel_type(space) == H5S_SEL_POINTS;
    if (c->n > 0 && !points && ts_space_rank(space) > 0)
        return ts_space_from_runs(space, c->runs, c->n, out);
    if (ts_space_copy(space, out) < 0)
        return -1;
    if (c->n == 0)
        ts_space_select_none(*out);
    else if (points && select_points(*out, c) < 0) {
        ts_space_unref(*out);
        return -1;
    }
    return 0;
}

int H5SC_get_defined(struct ts_sc_dset *dset, const struct ts_space *file_space, struct ts_space **out)
{
    struct ordinals o;
    struct chosen c = {0};
    if (!dset->ops->defined_values || ts_space_selected(file_space) == 0)
        return ts_space_copy(file_space, out);
    int status = ordinals_init(&o, file_space);
    if (status == 0)
        status = find_defined(dset, &o);
    if (status == 0) {
        if (o.n > 1)
            qsort(o.runs, o.n, sizeof *o.runs, by_offset);
        status = cut_selection(file_space, &o, &c);
    }
    if (status == 0)
        status = make_space(file_space, &c, out);
    ts_free(c.runs);
    ordinals_deinit(&o);
    return status;
}

/* Where a chunk is on file that was claimed to be changed, or loaded. */
static int place_of(const struct ts_sc_visit *v, struct ts_sc_stored *at)
{
    const struct ts_sc_dset *dset = v->dset;
    struct ts_sc_spot spot = {.scaled = v->scaled, .at = v->chunk ? v->chunk->at : v->at};
    int status = 0;
    spot.at.udata = NULL;
    if (v->chunk && !v->chunk->located)
        status = dset->ops->lookup(dset->owner, &spot, 1);
    ts_free(spot.at.udata);
    *at = spot.at;
    at->udata = NULL;
    return status;
}

static int delete_empty(struct ts_sc_visit *v)
{
    const struct ts_sc_dset *dset = v->dset;
    struct ts_sc_stored at;
    if (place_of(v, &at) < 0)
        return -1;
    if (at.addr != HADDR_UNDEF && dset->ops->delete_chunk(dset->owner, v->scaled, &at) < 0)
        return -1;
    if (v->chunk)
        ts_sc_release(v->chunk, &(struct ts_sc_use){.drop = true});
    v->chunk = NULL;
    v->state = TS_SC_DONE;
    return 0;
}

int ts_sc_visit_erase(struct ts_sc_visit *v)
{
    struct ts_sc_move move = ts_sc_visit_move(v, NULL);
    bool empty = false;
    v->touched = true;
    if (v->dset->ops->erase_values(v->dset->owner, &move, ts_sc_visit_data(v), &empty) < 0)
        return -1;
    return empty && !v->split ? delete_empty(v) : 0;
}

static struct ts_sc_use erased(const struct ts_sc_visit *v)
{
    (void)v;
    return (struct ts_sc_use){.dirty = true};
}

static int erase_steps(struct ts_sc_batch *b)
{
    if (ts_sc_batch_bring(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_READY && ts_sc_visit_erase(&b->visits[i]) < 0)
            return -1;
    ts_sc_batch_unhold(b);
    ts_sc_batch_release(b, erased);
    return 0;
}

static int serve_erase(struct ts_sc_batch *b)
{
    int status = erase_steps(b);
    ts_sc_batch_end(b);
    return status;
}

int H5SC_erase(struct ts_sc_dset *dset, const struct ts_space *file_space)
{
    struct ordinals o;
    struct ts_sc_batch b;
    if (!dset->ops->erase_values)
        return TS_ERR(DATASET, UNSUPPORTED, "the layout does not know which elements are defined");
    if (ts_space_selected(file_space) == 0)
        return 0;
    int status = ordinals_init(&o, file_space);
    if (status == 0) {
        struct ts_sc_io io = {.dset = dset, .plan = &o.plan};
        ts_sc_batch_init(&b, dset->cache, serve_erase);
        b.claim = TS_SC_CHANGE;
        status = ts_sc_batch_add(&b, &io);
        if (status == 0)
            status = ts_sc_batch_flush(&b);
        ts_sc_batch_deinit(&b);
    }
    ordinals_deinit(&o);
    return status;
}
