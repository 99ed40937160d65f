/* A dataset that another process writes is looked at anew: which of its chunks in memory are still those of the file.
 * The order lock and the freeze keep everybody else away, so the chunks found at first are there to the end. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/chunk_parts.h"

struct look {
    struct ts_sc_dset *dset;
    struct ts_sc_chunk **chunks;
    struct ts_sc_spot *spots; /* where each is now */
    size_t n;
};

static void look_free(struct look *l)
{
    for (size_t i = 0; i < l->n && l->spots; i++)
        ts_free(l->spots[i].at.udata);
    ts_free(l->spots);
    ts_free(l->chunks);
}

static void gather(struct look *l)
{
    size_t pos = 0;
    uint64_t key;
    void *value;
    while (ts_map_next(&l->dset->chunks, &pos, &key, &value))
        for (struct ts_sc_chunk *c = value; c; c = c->same_key) {
            l->spots[l->n] = (struct ts_sc_spot){.scaled = c->scaled, .at.addr = HADDR_UNDEF};
            l->chunks[l->n++] = c;
        }
}

static int look_up(struct look *l)
{
    size_t n = l->dset->n_chunks;
    l->chunks = ts_calloc(n, sizeof *l->chunks);
    l->spots = ts_calloc(n, sizeof *l->spots);
    if (!l->chunks || !l->spots)
        return -1;
    gather(l);
    return l->dset->ops->lookup(l->dset->owner, l->spots, l->n);
}

static bool is_same(const struct ts_sc_chunk *c, const struct ts_sc_stored *at)
{
    return c->located && c->at.addr != HADDR_UNDEF && c->at.addr == at->addr && c->at.size == at->size &&
           c->at.note == at->note;
}

/* With the cache's lock. */
static void drop_others(const struct look *l)
{
    TS_HELD(&l->dset->cache->lock);
    struct ts_sc_doomed doomed = {NULL};
    for (size_t i = 0; i < l->n; i++) {
        struct ts_sc_chunk *c = l->chunks[i];
        if (is_same(c, &l->spots[i].at))
            continue;
        ts_sc_take(c);
        c->gone = true;
        if (c->pins == 0)
            ts_sc_doom(&doomed, c);
    }
    ts_sc_doomed_free(l->dset->cache, &doomed);
}

static void set_extent(struct ts_sc_dset *dset, const hsize_t *dims)
{
    memcpy(dset->dims, dims, dset->rank * sizeof *dims);
    dset->next_chunk = dset->ahead = 0;
    atomic_store_explicit(&dset->in_sequence, 0, memory_order_relaxed);
}

void ts_sc_dset_refresh(struct ts_sc_dset *dset, const hsize_t *dims, bool moving)
{
    struct ts_sc *cache = dset->cache;
    struct look l = {.dset = dset};
    unsigned mark = ts_err_mark();
    if (!cache)
        return;
    ts_mutex_lock(&cache->lock);
    ts_sc_freeze(dset);
    set_extent(dset, dims);
    bool some = dset->n_chunks > 0;
    ts_mutex_unlock(&cache->lock);
    /* What cannot be looked up now is read again when it is wanted, and tells its error then. */
    bool all_go = some && (!moving || look_up(&l) < 0);
    ts_err_rewind(mark);
    if (all_go) {
        ts_sc_dset_drop(dset, NULL, NULL);
    } else {
        ts_mutex_lock(&cache->lock);
        drop_others(&l);
        ts_mutex_unlock(&cache->lock);
    }
    look_free(&l);
    ts_sc_dset_thaw(dset);
}
