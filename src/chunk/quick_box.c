/* A short cut for what appending and looking at rows does all day: one run of one chunk that the cache has. */
#include <string.h>

#include "base/error.h"
#include "chunk/batch.h"
#include "chunk/chunk_parts.h"
#include "chunk/look.h"
#include "chunk/policy.h"
#include "chunk/quick_box.h"
#include "chunk/read_ahead.h"

struct quick {
    struct ts_sc_dset *dset;
    hsize_t scaled[H5S_MAX_RANK];
    hsize_t offset, n; /* elements of the chunk */
    size_t from, to;   /* its bytes */
    /* The last element that the chunk may ever have is among them. Datasets grow in their first dimension. */
    bool to_end;
};

/* Fills in where a box goes. False when that is more than one run, or more than one chunk. */
static bool find_place(struct quick *q, const hsize_t *start, const hsize_t *count)
{
    const struct ts_sc_dset *dset = q->dset;
    hsize_t step = 1, last = 0;
    q->offset = 0;
    q->n = 1;
    for (unsigned d = dset->rank; d-- > 0; step *= dset->chunk_dims[d]) {
        hsize_t size = dset->chunk_dims[d], at = start[d] / size, in = start[d] - at * size;
        if (count[d] > size - in || (count[d] > 1 && q->n != step))
            return false;
        hsize_t left = dset->dims[d] - at * size;
        last += ((d > 0 && left < size ? left : size) - 1) * step;
        q->scaled[d] = at;
        q->offset += in * step;
        q->n *= count[d];
    }
    q->to_end = q->offset + q->n > last;
    q->from = (size_t)q->offset * dset->element_size;
    q->to = q->from + (size_t)q->n * dset->element_size;
    return true;
}

/* The plan is a box, in memory one run. */
static bool is_box(const struct ts_plan *plan, hsize_t *start, hsize_t *count)
{
    hsize_t n = 1;
    for (unsigned d = plan->rank; d-- > 0; n *= count[d]) {
        const struct ts_slab *s = &plan->slab[d];
        if (s->count != 1 || (s->block > 1 && plan->mem_stride[d] != n))
            return false;
        start[d] = s->start;
        count[d] = s->block;
    }
    return true;
}

static bool is_simple(const struct ts_sc_io *io)
{
    const struct ts_sc_dset *dset = io->dset;
    return !io->skip_io && !io->bypass && !io->transfer && io->plan->affine && io->plan->rank == dset->rank &&
           !io->xfer->path && io->xfer->src_size == dset->element_size && !dset->ops->gather_mem;
}

/* With the cache's lock. `filling`: the chunk is new, and what follows in it was never written. */
static struct ts_sc_chunk *claim(const struct quick *q, bool *filling)
{
    TS_HELD(&q->dset->cache->lock);
    struct ts_sc_chunk *c = ts_sc_find(q->dset, q->scaled);
    if (!c || c->loading || c->busy || c->stuck || c->encoded || !c->has_values || q->dset->uncached)
        return NULL;
    *filling = c->blank > 0;
    if (c->blank > 0 && q->from == c->data.used - c->blank)
        c->blank -= q->to - q->from;
    else
        ts_sc_complete(c);
    ts_sc_pin(c);
    q->dset->cache->stats.hits++;
    return c;
}

/* With the cache's lock. */
static void release(struct ts_sc_chunk *c, const struct quick *q)
{
    TS_HELD(&q->dset->cache->lock);
    struct ts_sc_use use = {.dirty = true, .from = q->from, .to = q->to, .whole = q->to_end};
    ts_sc_unpin_changed(c, &use);
    if (q->dset->layout.coded)
        ts_sc_encode_ahead(q->dset->cache);
}

/* Little is copied with the lock, which costs less than to take it twice. */
static bool write_to(const struct quick *q, const void *src)
{
    struct ts_sc *cache = q->dset->cache;
    bool much = q->to - q->from > TS_SC_UNDER_LOCK_BYTES, filling = false;
    ts_mutex_lock(&cache->lock);
    struct ts_sc_chunk *c = claim(q, &filling);
    if (!c) {
        ts_mutex_unlock(&cache->lock);
        return false;
    }
    if (much)
        ts_mutex_unlock(&cache->lock);
    memcpy((uint8_t *)c->data.chunk + q->from, src, q->to - q->from);
    if (much)
        ts_mutex_lock(&cache->lock);
    size_t bytes = c->data.used;
    release(c, q);
    ts_mutex_unlock(&cache->lock);
    /* One that was full before is written again and again. */
    if (filling && q->to_end && !q->dset->layout.coded && bytes >= TS_SC_FILLED_BYTES)
        ts_sc_put_out_one(q->dset, q->scaled);
    return true;
}

bool ts_sc_quick_write(const struct ts_sc_io *io)
{
    struct quick q;
    hsize_t start[H5S_MAX_RANK], count[H5S_MAX_RANK];
    q.dset = io->dset;
    if (!is_simple(io) || !is_box(io->plan, start, count) || !find_place(&q, start, count))
        return false;
    return write_to(&q, io->xfer->buf + (size_t)io->plan->mem_start * q.dset->element_size);
}

bool ts_sc_quick_write_box(struct ts_sc_dset *dset, const hsize_t *start, const hsize_t *count, const void *src)
{
    struct quick q;
    q.dset = dset;
    return !dset->ops->gather_mem && find_place(&q, start, count) && write_to(&q, src);
}

/* With the cache's lock. The chunk, if it may be read. */
static struct ts_sc_chunk *find_values(const struct quick *q)
{
    struct ts_sc_chunk *c = ts_sc_find(q->dset, q->scaled);
    return c && !c->loading && c->has_values && !q->dset->uncached ? c : NULL;
}

static bool read_little(const struct quick *q, void *dst, bool whole)
{
    struct ts_sc *cache = q->dset->cache;
    ts_mutex_lock(&cache->lock);
    struct ts_sc_chunk *c = find_values(q);
    if (c) {
        ts_sc_pin(c);
        if (q->to > c->data.used - c->blank)
            ts_sc_complete(c);
        memcpy(dst, (const uint8_t *)c->data.chunk + q->from, q->to - q->from);
        cache->stats.hits++;
        ts_sc_unpin_used(c, whole);
    }
    ts_mutex_unlock(&cache->lock);
    return c;
}

static bool read_much(const struct quick *q, void *dst, bool whole)
{
    struct ts_sc_chunk *c;
    if (!ts_sc_claim_hit(q->dset, q->scaled, &c))
        return false;
    memcpy(dst, (const uint8_t *)c->data.chunk + q->from, q->to - q->from);
    ts_sc_release(c, &(struct ts_sc_use){.whole = whole});
    return true;
}

bool ts_sc_quick_read_box(struct ts_sc_dset *dset, const hsize_t *start, const hsize_t *count, void *dst)
{
    struct quick q;
    q.dset = dset;
    if (ts_sc_look_box(dset, start, count, dst))
        return true;
    if (dset->ops->scatter_mem || !find_place(&q, start, count))
        return false;
    bool whole = q.n >= ts_sc_chunk_inside(dset, q.scaled);
    if (q.to - q.from > TS_SC_UNDER_LOCK_BYTES ? !read_much(&q, dst, whole) : !read_little(&q, dst, whole))
        return false;
    ts_sc_read_on(dset, q.scaled);
    return true;
}
