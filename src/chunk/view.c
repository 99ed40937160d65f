#include "chunk/view.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/chunk_parts.h"

/* With a quarter of the slots in use hardly a bucket is ever full. */
enum { SLOTS_EACH = 4, LEAST_BUCKETS = 8, MOST_BUCKETS = 8192 };

/* Where its bytes are is known, and they change only under the order lock. */
static bool may_be_shown(const struct ts_sc_chunk *c)
{
    const struct ts_sc_layout_ops *ops = c->dset->ops;
    return !ops->scatter_mem && !ops->evict_values && !c->dset->uncached && c->has_values && !c->loading && !c->gone &&
           !c->failed && c->blank == 0;
}

/* Of those in a full bucket one gives way, and is found with the lock. */
static void put(struct ts_sc_view *view, struct ts_sc_chunk *c)
{
    ts_sc_slot *bucket = ts_sc_bucket(view, c->key), *at = bucket + (c->key >> 61);
    for (unsigned i = 0; i < TS_SC_BUCKET; i++)
        if (!atomic_load_explicit(&bucket[i], memory_order_relaxed)) {
            at = &bucket[i];
            break;
        }
    struct ts_sc_chunk *other = atomic_load_explicit(at, memory_order_relaxed);
    if (other)
        ts_sc_hide(other);
    c->shown_at = at;
    /* Pairs with the load of find: who finds it sees what it holds. */
    atomic_store_explicit(at, c, memory_order_seq_cst);
}

/* Those that somebody has pinned, who may be making them, come when they are let go. */
static void put_all(struct ts_sc_dset *dset, struct ts_sc_view *view)
{
    size_t pos = 0;
    uint64_t key;
    void *value;
    while (ts_map_next(&dset->chunks, &pos, &key, &value))
        for (struct ts_sc_chunk *c = value; c; c = c->same_key) {
            bool shown = c->shown_at;
            c->shown_at = NULL;
            c->was_shown |= shown;
            if (shown || (c->pins == 0 && may_be_shown(c)))
                put(view, c);
        }
}

/* One that is large enough for as many chunks as there are; the one there was when memory is short. */
static struct ts_sc_view *view_for(struct ts_sc_dset *dset)
{
    struct ts_sc_view *old = atomic_load_explicit(&dset->view, memory_order_relaxed);
    size_t now = old ? old->buckets : 0, wanted = now ? now : LEAST_BUCKETS;
    while (wanted < MOST_BUCKETS && wanted * TS_SC_BUCKET < SLOTS_EACH * dset->n_chunks)
        wanted *= 2;
    if (wanted == now)
        return old;
    unsigned mark = ts_err_mark();
    struct ts_sc_view *view = ts_malloc_aligned(sizeof *view + wanted * TS_SC_BUCKET * sizeof(ts_sc_slot));
    if (!view) {
        ts_err_rewind(mark);
        return old;
    }
    view->buckets = wanted;
    for (size_t i = 0; i < wanted * TS_SC_BUCKET; i++)
        atomic_init(&view->slots[i], NULL);
    put_all(dset, view);
    atomic_store_explicit(&dset->view, view, memory_order_seq_cst);
    if (old)
        ts_look_wait();
    ts_free(old);
    return view;
}

void ts_sc_show(struct ts_sc_chunk *c)
{
    struct ts_sc_dset *dset = c->dset;
    TS_HELD(&dset->cache->lock);
    if (c->shown_at || !atomic_load_explicit(&dset->looked, memory_order_relaxed) || !may_be_shown(c) ||
        !dset->cache->looks)
        return;
    struct ts_sc_view *view = view_for(dset);
    if (view && !c->shown_at)
        put(view, c);
}

void ts_sc_hide(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    if (!c->shown_at)
        return;
    atomic_store_explicit(c->shown_at, NULL, memory_order_seq_cst);
    c->shown_at = NULL;
    c->was_shown = true;
}

void ts_sc_view_free(struct ts_sc_dset *dset)
{
    ts_free(atomic_exchange_explicit(&dset->view, NULL, memory_order_relaxed));
}

uint64_t ts_sc_looks(const struct ts_sc *cache)
{
    uint64_t n = 0;
    for (unsigned i = 0; cache->looks && i < ts_lanes; i++)
        n += (uint64_t)atomic_load_explicit(&cache->looks[i].n, memory_order_relaxed);
    return n;
}

void ts_sc_forget_looks(struct ts_sc *cache)
{
    for (unsigned i = 0; cache->looks && i < ts_lanes; i++)
        atomic_store_explicit(&cache->looks[i].n, 0, memory_order_relaxed);
}
