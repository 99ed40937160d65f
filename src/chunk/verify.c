/* Whether a cache is as it should be: for tests. */
#include "chunk/chunk_parts.h"

struct sums {
    size_t bytes, chunks, dirty, to_encode, by_use, n_to_encode, own_reserves, listed, stuck;
    unsigned shared;
};

static const char *check_chunk(const struct ts_sc_chunk *c, const struct ts_sc_dset *dset)
{
    const struct ts_sc *cache = dset->cache;
    const struct ts_sc_list *by_use = c->links[TS_SC_BY_USE].list, *encode = c->links[TS_SC_TO_ENCODE].list;
    if (c->dset != dset || c->gone || c->failed)
        return "a chunk that is gone is still in its dataset";
    if (ts_sc_find(dset, c->scaled) != c)
        return "a chunk is not found at its place";
    bool idle = c->pins == 0 && !c->stuck;
    if (idle != (by_use != NULL))
        return "a chunk stands in a list though it is in use, or the other way round";
    if (by_use && by_use != &dset->sheltered && by_use != (c->has_values ? &cache->used : &cache->listed) &&
        !(c->spent && by_use == &cache->spent))
        return "a chunk stands in a list of others";
    if (encode && (c->pins > 0 || c->busy || !c->dirty || c->encoded || c->stuck))
        return "a chunk waits to be encoded in vain";
    if (!c->loading && c->counted != c->data.alloc + (c->encoded ? c->coded.alloc : 0) && c->pins == 0)
        return "a chunk is counted wrong";
    if (c->encoded && !c->dirty)
        return "a clean chunk has an encoded copy";
    if (c->stuck && !c->dirty)
        return "a clean chunk could not be written";
    if (c->dirty && !c->has_values)
        return "a chunk without values is dirty";
    return NULL;
}

static const char *check_dset(const struct ts_sc_dset *dset, struct sums *s)
{
    size_t pos = 0, bytes = 0, chunks = 0, dirty = 0;
    unsigned busy = 0;
    uint64_t key;
    void *value;
    while (ts_map_next(&dset->chunks, &pos, &key, &value))
        for (const struct ts_sc_chunk *c = value; c; c = c->same_key) {
            const char *reason = check_chunk(c, dset);
            if (reason)
                return reason;
            bytes += c->counted;
            chunks++;
            dirty += c->dirty;
            s->stuck += c->stuck ? c->counted : 0;
            busy += c->busy || c->loading;
            s->by_use += c->links[TS_SC_BY_USE].list != NULL;
            s->listed += c->links[TS_SC_BY_USE].list == &dset->cache->listed ? c->counted : 0;
            s->n_to_encode += c->links[TS_SC_TO_ENCODE].list != NULL;
            s->to_encode += c->links[TS_SC_TO_ENCODE].list ? c->counted : 0;
        }
    s->bytes += bytes;
    s->chunks += chunks;
    s->dirty += dirty;
    s->shared += dset->reserve == SIZE_MAX && chunks > 0;
    s->own_reserves += dset->reserve == SIZE_MAX ? 0 : dset->reserve;
    if (bytes != dset->bytes || chunks != dset->n_chunks || dirty != dset->n_dirty)
        return "the sums of a dataset are wrong";
    if (busy != dset->n_busy || dset->leaving > 0)
        return "chunks of a dataset are on their way though nobody is";
    return NULL;
}

/* The length of a list; SIZE_MAX when its links do not fit together. */
static size_t length(const struct ts_sc_list *l, int kind)
{
    size_t n = 0;
    const struct ts_sc_chunk *before = NULL;
    for (const struct ts_sc_chunk *c = l->oldest; c; before = c, c = c->links[kind].newer, n++)
        if (c->links[kind].list != l || c->links[kind].older != before)
            return SIZE_MAX;
    return l->newest == before ? n : SIZE_MAX;
}

static const char *check_lists(const struct ts_sc *cache, const struct sums *s)
{
    size_t by_use = 0, to_encode = 0, n;
    for (const struct ts_sc_dset *d = cache->dsets; d; d = d->next) {
        if ((n = length(&d->sheltered, TS_SC_BY_USE)) == SIZE_MAX)
            return "the list of sheltered chunks is broken";
        by_use += n;
    }
    const struct ts_sc_list *use[] = {&cache->spent, &cache->used, &cache->listed};
    const struct ts_sc_list *encode[] = {&cache->encode_soon, &cache->encode_later};
    for (int i = 0; i < 3; i++) {
        if ((n = length(use[i], TS_SC_BY_USE)) == SIZE_MAX)
            return "a list by use is broken";
        by_use += n;
    }
    for (int i = 0; i < 2; i++) {
        if ((n = length(encode[i], TS_SC_TO_ENCODE)) == SIZE_MAX)
            return "a list of those to be encoded is broken";
        to_encode += n;
    }
    return by_use != s->by_use || to_encode != s->n_to_encode ? "lists have chunks that are nowhere" : NULL;
}

static const char *check(const struct ts_sc *cache)
{
    struct sums s = {0};
    for (const struct ts_sc_dset *d = cache->dsets; d; d = d->next) {
        const char *reason = check_dset(d, &s);
        if (reason)
            return reason;
    }
    if (s.bytes != cache->bytes || s.chunks != cache->n_chunks || s.dirty != cache->n_dirty)
        return "the sums of the cache are wrong";
    if (s.to_encode != cache->dirty_bytes || s.listed != cache->listed_bytes || s.stuck != cache->stuck_bytes)
        return "the bytes in a list are counted wrong";
    if (s.shared != cache->n_shared || s.own_reserves != cache->own_reserves)
        return "reserves are counted wrong";
    if (cache->held > 0 || cache->leaving > 0)
        return "memory is held though nobody needs it";
    if (cache->stats.peak_footprint < cache->bytes)
        return "the footprint is larger than it ever was";
    return check_lists(cache, &s);
}

bool ts_sc_verify(struct ts_sc *cache, const char **reason)
{
    ts_mutex_lock(&cache->lock);
    while (cache->jobs > 0)
        ts_cond_wait(&cache->changed, &cache->lock);
    *reason = check(cache);
    ts_mutex_unlock(&cache->lock);
    return *reason == NULL;
}
