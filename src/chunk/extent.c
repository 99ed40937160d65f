/* A dataset changes its extent. Elements that leave it become undefined, or get the fill value, so that they show it when
 * the extent grows again. Chunks change at the edges only: the last of the smaller extent in each dimension that changes.
 * What lies outside is forgotten. */
#include <string.h>

#include "base/checked.h"
#include "base/lock.h"
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

/* The elements of which dimension d is the first to be outside: the dimensions before stay inside, those behind are
 * whole, so that they are runs of the same length. */
static int add_outside(struct ts_sc_batch *b, const hsize_t *size, const hsize_t *stay, unsigned d, unsigned rank)
{
    hsize_t step[H5S_MAX_RANK], at[H5S_MAX_RANK] = {0}, product = 1;
    for (unsigned i = rank; i-- > 0; product *= size[i])
        step[i] = product;
    struct ts_piece piece = {.src = stay[d] * step[d], .n = (size[d] - stay[d]) * step[d], .count = 1};
    unsigned outer = d;
    if (outer > 0) {
        outer--;
        piece.count = stay[outer];
        piece.src_step = step[outer];
    }
    for (;;) {
        if (ts_sc_batch_pieces(b, &piece, 1) < 0)
            return -1;
        unsigned i = outer;
        while (i > 0 && ++at[i - 1] == stay[i - 1]) {
            i--;
            piece.src -= step[i] * (stay[i] - 1);
            at[i] = 0;
        }
        if (i == 0)
            return 0;
        piece.src += step[i - 1];
    }
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

/* A chunk at an edge, if something about it changes. */
static int add_chunk(struct ts_sc_batch *b, const struct resize *r, const hsize_t *scaled)
{
    unsigned rank = r->dset->rank;
    hsize_t stay[H5S_MAX_RANK];
    bool cut = false;
    for (unsigned d = 0; d < rank; d++) {
        stay[d] = staying(r, scaled, d);
        cut = cut || stay[d] < r->dset->chunk_dims[d];
    }
    if (!cut && !bound_changes(r, scaled))
        return 0;
    if (ts_sc_batch_chunk(b, scaled) < 0)
        return -1;
    for (unsigned d = 0; d < rank; d++)
        if (stay[d] < r->dset->chunk_dims[d] && add_outside(b, r->dset->chunk_dims, stay, d, rank) < 0)
            return -1;
    return ts_sc_batch_chunk_end(b);
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

/* Chunks in both extents that are the last in dimension `dim`. */
static int add_slab(struct ts_sc_batch *b, const struct resize *r, unsigned dim)
{
    hsize_t scaled[H5S_MAX_RANK] = {0};
    unsigned rank = r->dset->rank;
    scaled[dim] = r->kept[dim] - 1;
    for (unsigned i = 0; i < rank;) {
        if (!seen(r, scaled, dim) && add_chunk(b, r, scaled) < 0)
            return -1;
        for (i = 0; i < rank; i++) {
            unsigned d = rank - 1 - i;
            if (d == dim)
                continue;
            if (++scaled[d] < r->kept[d])
                break;
            scaled[d] = 0;
        }
    }
    return 0;
}

static int change(struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    v->touched = true;
    if (v->n == 0)
        return 0;
    if (ops->erase_values)
        return ts_sc_visit_erase(v);
    return ops->fill(v->dset->owner, v->pieces, v->n, ts_sc_visit_data(v));
}

static int serve(struct ts_sc_batch *b)
{
    return ts_sc_batch_change(b, change);
}

static int change_edges(const struct resize *r)
{
    struct ts_sc_io io = {.dset = r->dset};
    struct ts_sc_batch b;
    int status = 0;
    for (unsigned d = 0; d < r->dset->rank; d++)
        if (r->kept[d] == 0)
            return 0;
    ts_sc_batch_init(&b, r->dset->cache, serve);
    b.claim = TS_SC_CHANGE;
    for (unsigned d = 0; d < r->dset->rank && status == 0; d++) {
        if (!is_edge(r, d))
            continue;
        status = ts_sc_batch_io(&b, &io);
        if (status == 0)
            status = add_slab(&b, r, d);
    }
    if (status == 0)
        status = ts_sc_batch_flush(&b);
    ts_sc_batch_deinit(&b);
    return status;
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
    dset->in_sequence = 0;
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

void ts_sc_dset_grow(struct ts_sc_dset *dset, const hsize_t *dims)
{
    ts_mutex_lock(&dset->cache->lock);
    /* Those who work on chunks look at the extent. */
    bool wait = dset->n_busy > 0;
    if (wait)
        ts_sc_freeze(dset);
    take_dims(dset, dims);
    ts_mutex_unlock(&dset->cache->lock);
    if (wait)
        ts_sc_dset_thaw(dset);
}

int H5SC_set_extent_notify(struct ts_sc_dset *dset, const hsize_t *dims)
{
    TS_MAY_MOVE_RAW_DATA();
    struct resize r;
    resize_init(&r, dset, dims);
    /* Where the extent says how chunks are coded, none may leave in between; else the edges need not all be in memory at
     * the same time. */
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
