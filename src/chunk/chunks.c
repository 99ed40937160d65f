/* The chunks in memory: claimed, loaded, pinned, released (chunks.h tells a chunk's life). Who leaves when stands in
 * evict.c, how it gets to the file in write_back.c. */
#include "chunk/chunks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/chunk_parts.h"
#include "chunk/view.h"

/* A chunk's bytes change only while it is in no list, or in one of the others. */
static size_t listed_bytes(const struct ts_sc_chunk *c, const struct ts_sc_list *l)
{
    return l == &c->dset->cache->listed ? c->counted : 0;
}

void ts_sc_list_remove(struct ts_sc_chunk *c, int kind)
{
    struct ts_sc_link *link = &c->links[kind];
    struct ts_sc_list *l = link->list;
    if (!l)
        return;
    c->dset->cache->listed_bytes -= listed_bytes(c, l);
    *(link->newer ? &link->newer->links[kind].older : &l->newest) = link->older;
    *(link->older ? &link->older->links[kind].newer : &l->oldest) = link->newer;
    *link = (struct ts_sc_link){.list = NULL};
}

void ts_sc_list_add_newest(struct ts_sc_list *l, struct ts_sc_chunk *c, int kind)
{
    c->dset->cache->listed_bytes += listed_bytes(c, l);
    c->links[kind] = (struct ts_sc_link){.older = l->newest, .list = l};
    *(l->newest ? &l->newest->links[kind].newer : &l->oldest) = c;
    l->newest = c;
}

void ts_sc_list_add_oldest(struct ts_sc_list *l, struct ts_sc_chunk *c, int kind)
{
    c->dset->cache->listed_bytes += listed_bytes(c, l);
    c->links[kind] = (struct ts_sc_link){.newer = l->oldest, .list = l};
    *(l->oldest ? &l->oldest->links[kind].older : &l->newest) = c;
    l->oldest = c;
}

uint64_t ts_sc_key(const struct ts_sc_dset *dset, const hsize_t *scaled)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < dset->rank; i++)
        key = (key ^ scaled[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return key;
}

struct ts_sc_chunk *ts_sc_find(const struct ts_sc_dset *dset, const hsize_t *scaled)
{
    TS_HELD(&dset->cache->lock);
    struct ts_sc_chunk *c = ts_map_get(&dset->chunks, ts_sc_key(dset, scaled));
    while (c && memcmp(c->scaled, scaled, dset->rank * sizeof *scaled) != 0)
        c = c->same_key;
    return c;
}

/* A dataset without a reserve of its own shares in what is left while it holds chunks. */
static bool shares(const struct ts_sc_dset *dset)
{
    return dset->reserve == SIZE_MAX;
}

int ts_sc_enter(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    struct ts_sc_dset *dset = c->dset;
    struct ts_sc_chunk *first = ts_map_get(&dset->chunks, c->key);
    if (ts_map_put(&dset->chunks, c->key, c) < 0)
        return -1;
    c->same_key = first;
    dset->cache->n_chunks++;
    if (dset->n_chunks++ == 0 && shares(dset))
        dset->cache->n_shared++;
    return 0;
}

void ts_sc_take(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    struct ts_sc_dset *dset = c->dset;
    struct ts_sc_chunk *first = ts_map_get(&dset->chunks, c->key);
    ts_sc_hide(c);
    if (first != c) {
        while (first->same_key != c)
            first = first->same_key;
        first->same_key = c->same_key;
    } else if (c->same_key) {
        /* The key is there: nothing is allocated. */
        (void)ts_map_put(&dset->chunks, c->key, c->same_key);
    } else {
        ts_map_remove(&dset->chunks, c->key);
    }
    c->same_key = NULL;
    ts_sc_set_clean(c);
    ts_sc_list_remove(c, TS_SC_BY_USE);
    ts_sc_unawait_encoding(c);
    dset->cache->n_chunks--;
    if (--dset->n_chunks == 0 && shares(dset))
        dset->cache->n_shared--;
}

void ts_sc_count(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    struct ts_sc *cache = c->dset->cache;
    size_t now = c->data.alloc + (c->encoded ? c->coded.alloc : 0), before = c->counted;
    cache->bytes += now - before;
    cache->stuck_bytes += c->stuck ? now - before : 0;
    c->dset->bytes += now - before;
    c->counted = now;
    if (cache->bytes > cache->stats.peak_footprint)
        cache->stats.peak_footprint = cache->bytes;
    if (now > before && c->dset->sheltered.oldest && c->dset->bytes > ts_sc_reserve(c->dset))
        ts_sc_unshelter(c->dset, now - before);
}

void ts_sc_uncount(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    c->dset->cache->bytes -= c->counted;
    c->dset->cache->stuck_bytes -= c->stuck ? c->counted : 0;
    c->dset->bytes -= c->counted;
    c->counted = 0;
}

/* One chunk is like another: it is about the room that they need. */
static void count_dirty(struct ts_sc_chunk *c, bool dirty)
{
    struct ts_sc *cache = c->dset->cache;
    if (c->dirty == dirty)
        return;
    c->dirty = dirty;
    c->dset->n_dirty += dirty ? 1 : -1;
    cache->n_dirty += dirty ? 1 : -1;
    size_t waiting = cache->n_dirty ? cache->bytes / cache->n_chunks * cache->n_dirty : 0;
    atomic_store_explicit(&cache->file->room.raw_waiting, waiting, memory_order_relaxed);
}

void ts_sc_set_clean(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    c->dset->cache->stuck_bytes -= c->stuck ? c->counted : 0;
    count_dirty(c, false);
    c->stuck = false;
}

void ts_sc_busy_begin(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    c->busy = true;
    c->dset->n_busy++;
    ts_sc_unawait_encoding(c);
}

void ts_sc_busy_end(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    c->busy = false;
    c->dset->n_busy--;
    pthread_cond_broadcast(&c->dset->cache->changed);
}

void ts_sc_put_into_lists(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    struct ts_sc *cache = c->dset->cache;
    struct ts_sc_list *with_values = c->spent ? &cache->spent : &cache->used;
    if (!c->stuck)
        ts_sc_list_add_newest(c->has_values ? with_values : &cache->listed, c, TS_SC_BY_USE);
    ts_sc_await_encoding(c);
    ts_sc_show(c);
}

void ts_sc_data_free(struct ts_sc_dset *dset, struct ts_sc_data *d)
{
    if (d->chunk && dset->ops->evict)
        dset->ops->evict(dset->owner, d);
    else
        ts_free(d->chunk);
    *d = (struct ts_sc_data){.chunk = NULL};
}

static void chunk_empty(struct ts_sc_chunk *c)
{
    ts_sc_data_free(c->dset, &c->data);
    ts_free(c->coded.bytes);
    ts_free(c->at.udata);
}

void ts_sc_doom(struct ts_sc_doomed *d, struct ts_sc_chunk *c)
{
    ts_sc_uncount(c);
    c->dset->n_busy++;
    c->same_key = d->first;
    d->first = c;
}

void ts_sc_doomed_free(struct ts_sc *cache, struct ts_sc_doomed *d)
{
    TS_HELD(&cache->lock);
    if (!d->first)
        return;
    bool shown = false;
    for (const struct ts_sc_chunk *c = d->first; c && !shown; c = c->same_key)
        shown = c->was_shown;
    ts_mutex_unlock(&cache->lock);
    if (shown)
        ts_look_wait();
    struct ts_sc_chunk *left = NULL;
    for (struct ts_sc_chunk *c = d->first, *next; c; c = next) {
        next = c->same_key;
        chunk_empty(c);
        c->same_key = left;
        left = c;
    }
    ts_mutex_lock(&cache->lock);
    for (struct ts_sc_chunk *next; left; left = next) {
        next = left->same_key;
        left->dset->n_busy--;
        ts_free(left);
    }
    pthread_cond_broadcast(&cache->changed);
    d->first = NULL;
}

bool ts_sc_partial_bound(const struct ts_sc_dset *dset, const hsize_t *scaled)
{
    if (!dset->layout.partial_bound_differs)
        return false;
    for (unsigned i = 0; i < dset->rank; i++)
        if (scaled[i] >= dset->dims[i] / dset->chunk_dims[i])
            return true;
    return false;
}

void ts_sc_pin(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    if (c->pins++ == 0) {
        ts_sc_list_remove(c, TS_SC_BY_USE);
        ts_sc_unawait_encoding(c);
    }
}

void ts_sc_complete(struct ts_sc_chunk *c)
{
    if (c->blank > 0)
        memset((uint8_t *)c->data.chunk + c->data.used - c->blank, 0, c->blank);
    c->blank = 0;
}

/* The end of a pin, after which nothing of the chunk has changed. */
static void unpin(struct ts_sc_chunk *c, struct ts_sc_doomed *doomed)
{
    if (--c->pins > 0)
        return;
    if (c->failed || c->gone)
        ts_sc_doom(doomed, c);
    else
        ts_sc_put_into_lists(c);
}

static void wait_for_change(struct ts_sc_chunk *c)
{
    struct ts_sc *cache = c->dset->cache;
    while (c->busy)
        ts_cond_wait(&cache->changed, &cache->lock);
    if (c->encoded) {
        ts_sc_drop_encoded(c);
        ts_sc_count(c);
    }
}

static struct ts_sc_chunk *chunk_new(struct ts_sc_dset *dset, const hsize_t *scaled)
{
    struct ts_sc_chunk *c = ts_calloc(1, sizeof *c + dset->rank * sizeof *scaled);
    if (!c)
        return NULL;
    c->dset = dset;
    c->key = ts_sc_key(dset, scaled);
    c->scaled = (hsize_t *)(c + 1);
    memcpy(c->scaled, scaled, dset->rank * sizeof *scaled);
    c->at.addr = HADDR_UNDEF;
    c->has_values = true;
    c->loading = true;
    c->pins = 1;
    return c;
}

static int claim_new(struct ts_sc_dset *dset, const hsize_t *scaled, struct ts_sc_chunk **out)
{
    struct ts_sc_chunk *c = chunk_new(dset, scaled);
    if (!c)
        return -1;
    if (ts_sc_enter(c) < 0) {
        ts_free(c);
        return -1;
    }
    dset->n_busy++;
    *out = c;
    return TS_SC_MINE;
}

/* One that has no values is clean, and gives way to one that will have them. */
static int claim_values(struct ts_sc_chunk *old, struct ts_sc_doomed *doomed, struct ts_sc_chunk **out)
{
    struct ts_sc_chunk *c = chunk_new(old->dset, old->scaled);
    if (!c)
        return -1;
    ts_sc_take(old);
    if (ts_sc_enter(c) < 0) {
        ts_free(c);
        c = NULL;
    } else if (old->located && !old->at.udata) {
        c->located = true;
        c->at = old->at;
    }
    old->gone = true;
    if (old->pins == 0)
        ts_sc_doom(doomed, old);
    if (!c)
        return -1;
    c->dset->n_busy++;
    *out = c;
    return TS_SC_MINE;
}

static int claim(struct ts_sc_dset *dset, const hsize_t *scaled, unsigned flags, struct ts_sc_doomed *doomed,
                 struct ts_sc_chunk **out)
{
    struct ts_sc_chunk *c = ts_sc_find(dset, scaled);
    if (!c)
        return flags & TS_SC_ENTER ? claim_new(dset, scaled, out) : TS_SC_ABSENT;
    if (c->loading) {
        c->pins++;
        *out = c;
        return TS_SC_OTHERS;
    }
    if ((flags & TS_SC_VALUES) && !c->has_values)
        return claim_values(c, doomed, out);
    ts_sc_pin(c);
    if (flags & TS_SC_CHANGE)
        wait_for_change(c);
    ts_sc_complete(c);
    *out = c;
    return TS_SC_HIT;
}

int ts_sc_claim(struct ts_sc_dset *dset, const hsize_t *scaled, unsigned flags, struct ts_sc_chunk **out)
{
    struct ts_sc *cache = dset->cache;
    struct ts_sc_doomed doomed = {NULL};
    ts_mutex_lock(&cache->lock);
    int answer = claim(dset, scaled, flags, &doomed, out);
    if (answer >= 0 && !(flags & TS_SC_QUIET)) {
        bool hit = answer == TS_SC_HIT || answer == TS_SC_OTHERS;
        cache->stats.hits += hit;
        cache->stats.misses += !hit;
    }
    ts_sc_doomed_free(cache, &doomed);
    ts_mutex_unlock(&cache->lock);
    return answer;
}

bool ts_sc_claim_hit(struct ts_sc_dset *dset, const hsize_t *scaled, struct ts_sc_chunk **out)
{
    struct ts_sc *cache = dset->cache;
    ts_mutex_lock(&cache->lock);
    struct ts_sc_chunk *c = ts_sc_find(dset, scaled);
    bool hit = c && !c->loading && c->has_values;
    if (hit) {
        ts_sc_pin(c);
        ts_sc_complete(c);
        cache->stats.hits++;
        *out = c;
    }
    ts_mutex_unlock(&cache->lock);
    return hit;
}

/* When memory becomes scarce a chunk gives back what it allocated in advance. Only by one who alone has the chunk. */
static void condense(struct ts_sc_chunk *c)
{
    struct ts_sc *cache = c->dset->cache;
    const struct ts_sc_layout_ops *ops = c->dset->ops;
    if (!ops->condense || c->data.alloc <= c->data.used || c->data.alloc - c->data.used < c->data.alloc / 4)
        return;
    if (cache->bytes - c->counted + c->data.alloc <= cache->budget - cache->budget / 4)
        return;
    ts_mutex_unlock(&cache->lock);
    unsigned mark = ts_err_mark();
    if (ops->condense(c->dset->owner, &c->data) < 0)
        ts_err_rewind(mark);
    ts_mutex_lock(&cache->lock);
}

static void loaded(struct ts_sc_chunk *c)
{
    condense(c);
    c->loading = false;
    c->dset->n_busy--;
    ts_sc_count(c);
    pthread_cond_broadcast(&c->dset->cache->changed);
}

void ts_sc_loaded(struct ts_sc_chunk *c)
{
    struct ts_mutex *lock = &c->dset->cache->lock;
    ts_mutex_lock(lock);
    loaded(c);
    ts_mutex_unlock(lock);
}

void ts_sc_loaded_ahead(struct ts_sc_chunk *c)
{
    struct ts_mutex *lock = &c->dset->cache->lock;
    ts_mutex_lock(lock);
    loaded(c);
    /* Those who wait for it have pins of their own. */
    c->time = ++c->dset->cache->clock;
    if (--c->pins == 0)
        ts_sc_put_into_lists(c);
    ts_mutex_unlock(lock);
}

void ts_sc_failed(struct ts_sc_chunk *c)
{
    struct ts_sc *cache = c->dset->cache;
    struct ts_sc_doomed doomed = {NULL};
    ts_mutex_lock(&cache->lock);
    ts_sc_take(c);
    c->data = (struct ts_sc_data){.chunk = NULL};
    c->failed = true;
    c->loading = false;
    c->dset->n_busy--;
    pthread_cond_broadcast(&cache->changed);
    unpin(c, &doomed);
    ts_sc_doomed_free(cache, &doomed);
    ts_mutex_unlock(&cache->lock);
}

bool ts_sc_wait(struct ts_sc_chunk *c, unsigned flags)
{
    struct ts_sc *cache = c->dset->cache;
    struct ts_sc_doomed doomed = {NULL};
    ts_mutex_lock(&cache->lock);
    while (c->loading)
        ts_cond_wait(&cache->changed, &cache->lock);
    bool good = !c->failed;
    if ((flags & TS_SC_VALUES) && !c->has_values)
        good = false;
    if ((flags & TS_SC_CHANGE) && c->gone)
        good = false;
    if (!good)
        unpin(c, &doomed);
    else if (flags & TS_SC_CHANGE)
        wait_for_change(c);
    if (good)
        ts_sc_complete(c);
    ts_sc_doomed_free(cache, &doomed);
    ts_mutex_unlock(&cache->lock);
    return good;
}

static void mark_dirty(struct ts_sc_chunk *c, const struct ts_sc_use *use)
{
    bool all = use->from == 0 && use->to == 0;
    size_t from = use->from, to = all ? SIZE_MAX : use->to;
    c->from = c->dirty && c->from < from ? c->from : from;
    c->to = c->dirty && c->to > to ? c->to : to;
    count_dirty(c, true);
}

static bool prefers_spent(const struct ts_sc_dset *dset)
{
    return (dset->w0 < 0 ? dset->cache->settings.w0 : dset->w0) > 0;
}

void ts_sc_used_now(struct ts_sc_chunk *c, bool whole)
{
    TS_HELD(&c->dset->cache->lock);
    c->time = ++c->dset->cache->clock;
    c->spent = whole && prefers_spent(c->dset);
}

void ts_sc_unpin_used(struct ts_sc_chunk *c, bool whole)
{
    ts_sc_used_now(c, whole);
    if (--c->pins == 0)
        ts_sc_put_into_lists(c);
}

void ts_sc_unpin_changed(struct ts_sc_chunk *c, const struct ts_sc_use *use)
{
    mark_dirty(c, use);
    ts_sc_unpin_used(c, use->whole);
}

static void forget(struct ts_sc_chunk *c)
{
    struct ts_sc *cache = c->dset->cache;
    while (c->busy)
        ts_cond_wait(&cache->changed, &cache->lock);
    if (!c->gone)
        ts_sc_take(c);
    c->gone = true;
}

static void release(struct ts_sc_chunk *c, const struct ts_sc_use *use, struct ts_sc_doomed *doomed)
{
    struct ts_sc_dset *dset = c->dset;
    if (use->drop) {
        forget(c);
    } else if (use->dirty && !c->gone) {
        condense(c);
        mark_dirty(c, use);
    }
    ts_sc_count(c);
    ts_sc_used_now(c, use->whole);
    if (c->pins == 1 && dset->uncached && !c->dirty && !c->busy && !c->gone)
        forget(c);
    unpin(c, doomed);
}

/* Of a dataset whose chunks do not stay, and dirty. */
static bool must_go(const struct ts_sc_chunk *c, const struct ts_sc_use *use)
{
    if (!c->dset->uncached || !c->dirty || use->in_worker)
        return false;
    return c->pins == 0 && !c->busy && !c->stuck && c->dset->frozen == 0;
}

static void write_and_forget(struct ts_sc *cache, struct ts_sc_chunk **chunks, size_t n)
{
    struct ts_sc_doomed doomed = {NULL};
    unsigned mark = ts_err_mark();
    ts_mutex_unlock(&cache->lock);
    if (ts_sc_write_batch(cache, chunks, n) < 0)
        ts_err_rewind(mark);
    ts_mutex_lock(&cache->lock);
    for (size_t i = 0; i < n; i++) {
        ts_sc_busy_end(chunks[i]);
        if (!chunks[i]->dirty && chunks[i]->pins == 0) {
            ts_sc_take(chunks[i]);
            ts_sc_doom(&doomed, chunks[i]);
        }
    }
    ts_sc_doomed_free(cache, &doomed);
}

static void release_some(struct ts_sc *cache, struct ts_sc_chunk **chunks, const struct ts_sc_use *uses, size_t n)
{
    struct ts_sc_chunk *out[TS_SC_BATCH];
    struct ts_sc_doomed doomed = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        struct ts_sc_chunk *c = chunks[i];
        release(c, &uses[i], &doomed);
        if (must_go(c, &uses[i])) {
            ts_sc_busy_begin(c);
            out[count++] = c;
        }
    }
    ts_sc_doomed_free(cache, &doomed);
    if (count > 0)
        write_and_forget(cache, out, count);
}

void ts_sc_release_many(struct ts_sc_chunk **chunks, const struct ts_sc_use *uses, size_t n)
{
    if (n == 0)
        return;
    struct ts_sc_dset *dset = chunks[0]->dset;
    struct ts_sc *cache = dset->cache;
    bool in_worker = uses->in_worker;
    ts_mutex_lock(&cache->lock);
    for (size_t i = 0, now; i < n; i += now) {
        now = n - i < TS_SC_BATCH ? n - i : TS_SC_BATCH;
        release_some(cache, chunks + i, uses + i, now);
    }
    if (!in_worker)
        ts_sc_make_room(cache, dset, cache->budget);
    ts_sc_encode_ahead(cache);
    ts_mutex_unlock(&cache->lock);
}

void ts_sc_release(struct ts_sc_chunk *c, const struct ts_sc_use *use)
{
    ts_sc_release_many(&c, use, 1);
}
