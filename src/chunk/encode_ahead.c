/* Encoding dirty chunks before they must leave: those that were written whole as soon as they are, others when so many
 * wait that they will soon be in the way. A worker does it, one chunk after the other; the copy stays with the chunk
 * until it is written or changed. It never takes memory beyond the budget. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/chunk_parts.h"
#include "chunk/policy.h"

struct job {
    struct ts_job base;
    struct ts_sc *cache;
};

void ts_sc_await_encoding(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    struct ts_sc_dset *dset = c->dset;
    struct ts_sc *cache = dset->cache;
    if (!c->dirty || c->encoded || c->busy || c->stuck || c->pins > 0 || dset->frozen > 0 || dset->uncached)
        return;
    bool wanted = cache->threads > 0 && cache->settings.encode_ahead < SIZE_MAX;
    if (!wanted || !ts_sc_is_coded(dset) || !dset->layout.any_thread)
        return;
    bool soon = c->spent && c->data.used >= TS_SC_ENCODE_ALONE_BYTES;
    ts_sc_list_add_newest(soon ? &cache->encode_soon : &cache->encode_later, c, TS_SC_TO_ENCODE);
    cache->dirty_bytes += c->counted;
}

void ts_sc_unawait_encoding(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    if (!c->links[TS_SC_TO_ENCODE].list)
        return;
    c->dset->cache->dirty_bytes -= c->counted;
    ts_sc_list_remove(c, TS_SC_TO_ENCODE);
}

/* What the copy of a chunk will take, about: filters may make it larger. */
static size_t copy_bytes(const struct ts_sc_chunk *c)
{
    return c->data.used + c->data.used / 16 + 64;
}

static bool fits(const struct ts_sc *cache, size_t bytes)
{
    size_t left = cache->budget > cache->bytes ? cache->budget - cache->bytes : 0;
    return left > cache->held && bytes <= left - cache->held;
}

static struct ts_sc_chunk *oldest_of(struct ts_sc_list *l)
{
    while (l->oldest && l->oldest->dset->frozen > 0)
        ts_sc_unawait_encoding(l->oldest);
    return l->oldest;
}

/* The oldest whose time has come, unless its copy could be too much. Those of a frozen dataset are encoded when they
 * must be. */
static struct ts_sc_chunk *next_chunk(struct ts_sc *cache)
{
    struct ts_sc_chunk *c = oldest_of(&cache->encode_soon);
    if (!c && cache->dirty_bytes > cache->settings.encode_ahead)
        c = oldest_of(&cache->encode_later);
    if (!c || cache->closing)
        return NULL;
    return fits(cache, copy_bytes(c)) ? c : NULL;
}

/* The room is held meanwhile; a copy that is larger than was thought is not kept when there is none for it. */
static void encode_one(struct ts_sc *cache, struct ts_sc_chunk *c)
{
    struct ts_sc_coded coded;
    size_t held = copy_bytes(c);
    ts_sc_busy_begin(c);
    cache->held += held;
    ts_mutex_unlock(&cache->lock);
    bool done = ts_sc_encode(c, &coded) == 0;
    ts_mutex_lock(&cache->lock);
    cache->held -= held;
    if (done && fits(cache, coded.alloc)) {
        ts_sc_set_encoded(c, &coded, true);
        cache->stats.preemptive_encodes++;
    } else if (done) {
        ts_free(coded.bytes);
    } else {
        c->dset->failed = true;
    }
    ts_sc_busy_end(c);
}

static void run(struct ts_job *base)
{
    struct ts_sc *cache = ((struct job *)base)->cache;
    struct ts_sc_chunk *c;
    ts_free(base);
    ts_mutex_lock(&cache->lock);
    while ((c = next_chunk(cache)))
        encode_one(cache, c);
    cache->jobs--;
    pthread_cond_broadcast(&cache->changed);
    ts_mutex_unlock(&cache->lock);
}

void ts_sc_encode_ahead(struct ts_sc *cache)
{
    TS_HELD(&cache->lock);
    if (cache->jobs >= cache->threads || !next_chunk(cache))
        return;
    unsigned helpers = cache->threads;
    cache->jobs++;
    ts_mutex_unlock(&cache->lock);
    unsigned mark = ts_err_mark();
    struct job *job = ts_malloc(sizeof *job);
    bool submitted = false;
    if (job) {
        *job = (struct job){.base.run = run, .cache = cache};
        submitted = ts_pool_submit(&job->base, helpers);
    }
    if (!submitted) {
        ts_free(job);
        ts_err_rewind(mark);
    }
    ts_mutex_lock(&cache->lock);
    cache->jobs -= !submitted;
}

void ts_sc_finished(struct ts_sc_chunk *c)
{
    struct ts_sc *cache = c->dset->cache;
    TS_HELD(&cache->lock);
    if (!c->dirty || c->encoded || c->busy || c->loading || c->stuck || c->pins > 0 || c->dset->frozen > 0 ||
        !ts_sc_is_coded(c->dset) || cache->settings.encode_ahead == SIZE_MAX)
        return;
    if (cache->threads == 0) {
        if (fits(cache, copy_bytes(c)))
            encode_one(cache, c);
        return;
    }
    ts_sc_unawait_encoding(c);
    ts_sc_list_remove(c, TS_SC_BY_USE);
    ts_sc_used_now(c, true);
    ts_sc_put_into_lists(c);
    ts_sc_encode_ahead(cache);
}
