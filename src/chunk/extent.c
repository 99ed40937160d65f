/* A dataset changes its extent. Elements that leave it become undefined, or get the fill value, so that they show it
 * when the extent grows again. Chunks change at the edges only: the last of the smaller extent in each dimension that
 * changes. What lies outside is forgotten. */
#include <string.h>

#include "base/checked.h"
#include "base/lock.h"
#include "chunk/chunk_parts.h"
#include "chunk/erase.h"
#include "chunk/load.h"

struct resize {
    struct ts_sc_dset *dset;
    const hsize_t *dims;
    hsize_t kept[H5S_MAX_RANK]; /* chunks in both extents */
};

static void resize_init(struct resize *r, struct ts_sc_dset *dset, const hsize_t *dims)
{
    *r = (struct resize){.dset = dset, .dims = dims};
    for (unsigned d = 0; d < dset->rank; d++) {
        hsize_t smaller = dims[d] < dset->dims[d] ? dims[d] : dset->dims[d];
        r->kept[d] = ts_div_ceil(smaller, dset->chunk_dims[d]);
    }
}

/* Coordinates of the chunk that stay in the extent; all when it is not cut in this dimension. */
static hsize_t staying(const struct resize *r, const hsize_t *scaled, unsigned d)
{
    hsize_t size = r->dset->chunk_dims[d];
    bool cut = r->dims[d] < r->dset->dims[d] && scaled[d] == r->dims[d] / size && r->dims[d] % size != 0;
    return cut ? r->dims[d] % size : size;
}

/* Elements of a chunk that leave the extent, pulled piece by piece: dimension by dimension those of which it is the
 * first to be outside. The dimensions before it stay inside, those behind it are whole, so that they are runs of the
 * same length. */
struct outside {
    const hsize_t *size;
    unsigned rank, d, outer; /* outer: the dimensions before it are counted in `at` */
    hsize_t stay[H5S_MAX_RANK], step[H5S_MAX_RANK], at[H5S_MAX_RANK];
    struct ts_piece piece; /* the next one */
};

/* Those of dimension d or of one behind it. */
static void begin_dimension(struct outside *o, unsigned d)
{
    while (d < o->rank && o->stay[d] == o->size[d])
        d++;
    o->d = d;
    if (d == o->rank)
        return;
    hsize_t n = o->size[d] - o->stay[d];
    o->piece = (struct ts_piece){.src = o->stay[d] * o->step[d], .n = n * o->step[d], .count = 1};
    o->outer = d;
    if (d > 0) {
        o->outer--;
        o->piece.count = o->stay[o->outer];
        o->piece.src_step = o->step[o->outer];
    }
}

static void begin_outside(struct outside *o, const struct ts_sc_dset *dset)
{
    hsize_t product = 1;
    o->size = dset->chunk_dims;
    o->rank = dset->rank;
    for (unsigned d = o->rank; d-- > 0; product *= o->size[d]) {
        o->step[d] = product;
        o->at[d] = 0;
    }
    begin_dimension(o, 0);
}

static bool has_more(const struct outside *o)
{
    return o->d < o->rank;
}

static size_t next_outside(struct outside *o, struct ts_piece *out, size_t max)
{
    size_t n = 0;
    while (n < max && has_more(o)) {
        out[n++] = o->piece;
        unsigned i = o->outer;
        while (i > 0 && ++o->at[i - 1] == o->stay[i - 1]) {
            i--;
            o->piece.src -= o->step[i] * (o->stay[i] - 1);
            o->at[i] = 0;
        }
        if (i > 0)
            o->piece.src += o->step[i - 1];
        else
            begin_dimension(o, o->d + 1);
    }
    return n;
}

static bool bound_changes(const struct resize *r, const hsize_t *scaled)
{
    const struct ts_sc_dset *dset = r->dset;
    bool before = false, after = false;
    for (unsigned d = 0; d < dset->rank; d++) {
        before = before || scaled[d] >= dset->dims[d] / dset->chunk_dims[d];
        after = after || scaled[d] >= r->dims[d] / dset->chunk_dims[d];
    }
    return dset->layout.partial_bound_differs && before != after;
}

/* Whether something about a chunk at an edge changes, and which of its elements leave. */
static bool is_changed(const struct resize *r, const hsize_t *scaled, struct outside *o)
{
    for (unsigned d = 0; d < r->dset->rank; d++)
        o->stay[d] = staying(r, scaled, d);
    begin_outside(o, r->dset);
    return has_more(o) || bound_changes(r, scaled);
}

static bool is_edge(const struct resize *r, unsigned d)
{
    return r->dims[d] < r->dset->dims[d] || (r->dset->layout.partial_bound_differs && r->dims[d] != r->dset->dims[d]);
}

/* Where slabs cross, the first one has done it. */
static bool seen(const struct resize *r, const hsize_t *scaled, unsigned dim)
{
    for (unsigned d = 0; d < dim; d++)
        if (is_edge(r, d) && scaled[d] == r->kept[d] - 1)
            return true;
    return false;
}

/* The chunks in both extents that are the last in a dimension, pulled one by one: where somebody is. */
struct edges {
    const struct resize *r;
    unsigned dim;
    hsize_t scaled[H5S_MAX_RANK];
    bool begun;          /* this dimension */
    bool pending;        /* at a chunk that is not taken, or not all of it */
    bool split;          /* some of that one was in the batch before */
    struct outside left; /* its elements */
};

static bool next_in_slab(struct edges *e)
{
    unsigned rank = e->r->dset->rank;
    if (!e->begun) {
        memset(e->scaled, 0, sizeof e->scaled);
        e->scaled[e->dim] = e->r->kept[e->dim] - 1;
        return e->begun = true;
    }
    for (unsigned d = rank; d-- > 0;) {
        if (d == e->dim)
            continue;
        if (++e->scaled[d] < e->r->kept[d])
            return true;
        e->scaled[d] = 0;
    }
    return false;
}

/* Moves to the next chunk that changes; false when there are none. */
static bool next_edge(struct edges *e)
{
    const struct resize *r = e->r;
    for (; e->dim < r->dset->rank; e->dim++, e->begun = false)
        while (is_edge(r, e->dim) && next_in_slab(e))
            if (!seen(r, e->scaled, e->dim) && is_changed(r, e->scaled, &e->left))
                return true;
    return false;
}

static int take_edge(struct ts_sc_batch *b, struct ts_sc_io *io, struct edges *e)
{
    size_t room = 1;
    if (ts_sc_batch_add(b, io, e->scaled) < 0)
        return -1;
    while (has_more(&e->left) && room > 0) {
        struct ts_piece *pieces = ts_sc_batch_room(b, &room);
        if (!pieces)
            return -1;
        ts_sc_batch_take(b, next_outside(&e->left, pieces, room));
    }
    b->visits[b->n - 1].want.split = e->split || has_more(&e->left);
    e->pending = e->split = has_more(&e->left);
    return 0;
}

/* As ts_sc_batch_next. A batch has chunks of one slab, for in these they ascend. */
static int next_edges(struct ts_sc_batch *b, struct ts_sc_io *io, struct edges *e)
{
    unsigned dim = e->dim;
    ts_sc_batch_clear(b);
    while (!ts_sc_batch_is_full(b) && (e->pending || next_edge(e))) {
        e->pending = true;
        if (b->n > 0 && e->dim != dim)
            break;
        dim = e->dim;
        if (take_edge(b, io, e) < 0)
            return -1;
    }
    ts_sc_batch_gathered(b);
    return b->n > 0;
}

static int change(struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    v->out.touched = true;
    if (v->want.n == 0)
        return 0;
    if (ops->erase_values)
        return ts_sc_visit_erase(v);
    return ops->fill(v->dset->owner, v->want.pieces, v->want.n, ts_sc_visit_data(v));
}

static int change_edges(const struct resize *r)
{
    struct ts_sc_io io = {.dset = r->dset};
    struct edges e = {.r = r};
    struct ts_sc_batch b;
    int status = 0, more = 0;
    for (unsigned d = 0; d < r->dset->rank; d++)
        if (r->kept[d] == 0)
            return 0;
    ts_sc_batch_init(&b, r->dset->cache);
    ts_sc_scale_init(&b, &io);
    b.claim = TS_SC_CHANGE;
    while (status == 0 && (more = next_edges(&b, &io, &e)) > 0)
        status = ts_sc_batch_change(&b, change);
    ts_sc_batch_deinit(&b);
    return more < 0 ? -1 : status;
}

static bool is_smaller(const struct resize *r)
{
    for (unsigned d = 0; d < r->dset->rank; d++)
        if (r->dims[d] < r->dset->dims[d])
            return true;
    return false;
}

static bool is_outside(const hsize_t *scaled, const void *ctx)
{
    const struct resize *r = ctx;
    for (unsigned d = 0; d < r->dset->rank; d++)
        if (scaled[d] >= ts_div_ceil(r->dims[d], r->dset->chunk_dims[d]))
            return true;
    return false;
}

static void freeze(struct ts_sc_dset *dset)
{
    ts_mutex_lock(&dset->cache->lock);
    ts_sc_freeze(dset);
    ts_mutex_unlock(&dset->cache->lock);
}

/* With the cache's lock. */
static void take_dims(struct ts_sc_dset *dset, const hsize_t *dims)
{
    TS_HELD(&dset->cache->lock);
    memcpy(dset->dims, dims, dset->rank * sizeof *dims);
    dset->next_chunk = dset->ahead = 0;
    atomic_store_explicit(&dset->in_sequence, 0, memory_order_relaxed);
}

bool ts_sc_dset_grows(const struct ts_sc_dset *dset, const hsize_t *dims)
{
    if (!dset->cache || dset->layout.partial_bound_differs)
        return false;
    for (unsigned d = 0; d < dset->rank; d++)
        if (dims[d] < dset->dims[d])
            return false;
    return true;
}

/* Who appends to the first dimension is through with the chunks before the one in which he goes on, if those are few
 * enough to look for. With the cache's lock, which is let go meanwhile. */
static void finish_row(struct ts_sc_dset *dset, hsize_t row)
{
    enum { MOST = 64 };
    hsize_t scaled[H5S_MAX_RANK] = {row}, across[H5S_MAX_RANK], n = 1;
    for (unsigned d = 1; d < dset->rank && n <= MOST; d++) {
        across[d] = ts_div_ceil(dset->dims[d], dset->chunk_dims[d]);
        n = across[d] > MOST ? MOST + 1 : n * across[d];
    }
    for (hsize_t i = 0; i < n && n <= MOST; i++) {
        hsize_t at = i;
        for (unsigned d = dset->rank; d-- > 1; at /= across[d])
            scaled[d] = at % across[d];
        struct ts_sc_chunk *c = ts_sc_find(dset, scaled);
        if (c)
            ts_sc_finished(c);
    }
}

/* Chunks are coded without a look at the extent where this may be called, so nobody need stop doing so. */
void ts_sc_dset_grow(struct ts_sc_dset *dset, const hsize_t *dims)
{
    ts_mutex_lock(&dset->cache->lock);
    hsize_t size = dset->chunk_dims[0], was = dset->dims[0];
    bool goes_on = dset->layout.coded && was > 0 && dims[0] > was && (was - 1) / size < (dims[0] - 1) / size;
    take_dims(dset, dims);
    if (goes_on)
        finish_row(dset, (was - 1) / size);
    ts_mutex_unlock(&dset->cache->lock);
}

int H5SC_set_extent_notify(struct ts_sc_dset *dset, const hsize_t *dims)
{
    TS_MAY_MOVE_RAW_DATA();
    struct resize r;
    resize_init(&r, dset, dims);
    /* Where the extent says how chunks are coded, none may leave in between; else the edges need not all be in memory
     * at the same time. */
    bool early = dset->layout.partial_bound_differs;
    if (early)
        freeze(dset);
    if (change_edges(&r) < 0) {
        if (early)
            ts_sc_dset_thaw(dset);
        return -1;
    }
    if (!early)
        freeze(dset);
    if (is_smaller(&r))
        ts_sc_dset_drop(dset, is_outside, &r);
    ts_mutex_lock(&dset->cache->lock);
    take_dims(dset, dims);
    ts_mutex_unlock(&dset->cache->lock);
    return 0;
}
