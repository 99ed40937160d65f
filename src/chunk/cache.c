#include "chunk/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define BUDGET ((size_t)64 << 20)
/* How many dirty chunks of busy datasets are passed over in the search for one to store. */
#define MAX_TRIES 16

/* By time of last use; what is in use stands in none. */
struct lru {
    struct ts_chunk *newest, *oldest;
};

struct ts_chunk_cache {
    unsigned refs; /* caches_lock guards it: one for each set, and for a flush */
    struct ts_file *file;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a load ended, a visitor left */
    size_t budget, bytes;
    uint64_t clock, flushes;
    struct lru clean, dirty;
    struct ts_chunk_set *sets;
};

/* Guards file->raw and the references to caches. */
static pthread_mutex_t caches_lock = PTHREAD_MUTEX_INITIALIZER;

static void lru_remove(struct lru *l, struct ts_chunk *c)
{
    *(c->newer ? &c->newer->older : &l->newest) = c->older;
    *(c->older ? &c->older->newer : &l->oldest) = c->newer;
    c->newer = c->older = NULL;
}

static void lru_add(struct lru *l, struct ts_chunk *c)
{
    c->older = l->newest;
    c->newer = NULL;
    *(l->newest ? &l->newest->newer : &l->oldest) = c;
    l->newest = c;
}

static void lru_add_oldest(struct lru *l, struct ts_chunk *c)
{
    c->newer = l->oldest;
    c->older = NULL;
    *(l->oldest ? &l->oldest->older : &l->newest) = c;
    l->oldest = c;
}

static struct lru *lru_of(struct ts_chunk_cache *cache, const struct ts_chunk *c)
{
    return c->dirty ? &cache->dirty : &cache->clean;
}

static uint64_t key_of(const struct ts_chunk_set *set, const hsize_t *scaled)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < set->rank; i++)
        key = (key ^ scaled[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return key;
}

static struct ts_chunk *find(const struct ts_chunk_set *set, uint64_t key, const hsize_t *scaled)
{
    struct ts_chunk *c = ts_map_get(&set->chunks, key);
    while (c && memcmp(c->scaled, scaled, set->rank * sizeof *scaled) != 0)
        c = c->same_key;
    return c;
}

static int put(struct ts_chunk_set *set, struct ts_chunk *c)
{
    c->same_key = ts_map_get(&set->chunks, c->key);
    if (ts_map_put(&set->chunks, c->key, c) < 0)
        return -1;
    set->cache->bytes += set->chunk_bytes;
    return 0;
}

/* Takes it out of its set; it must be in no list. */
static void take(struct ts_chunk *c)
{
    struct ts_chunk_set *set = c->set;
    struct ts_chunk *first = ts_map_get(&set->chunks, c->key);
    if (first != c) {
        while (first->same_key != c)
            first = first->same_key;
        first->same_key = c->same_key;
    } else if (c->same_key) {
        /* The key is there: nothing is allocated. */
        (void)ts_map_put(&set->chunks, c->key, c->same_key);
    } else {
        ts_map_remove(&set->chunks, c->key);
    }
    set->cache->bytes -= set->chunk_bytes;
    set->n_dirty -= c->dirty;
    if (set->spent == c)
        set->spent = NULL;
    if (set->done == c)
        set->done = NULL;
}

static void chunk_free(struct ts_chunk *c)
{
    if (c) {
        ts_free(c->bytes);
        ts_free(c);
    }
}

static struct ts_chunk *chunk_new(struct ts_chunk_set *set, uint64_t key, const hsize_t *scaled)
{
    struct ts_chunk *c = ts_calloc(1, sizeof *c + set->rank * sizeof *scaled);
    if (!c)
        return NULL;
    c->set = set;
    c->key = key;
    c->scaled = (hsize_t *)(c + 1);
    memcpy(c->scaled, scaled, set->rank * sizeof *scaled);
    c->pins = 1;
    return c;
}

static void set_clean(struct ts_chunk *c)
{
    c->set->n_dirty -= c->dirty;
    c->dirty = false;
}

/* Without the cache's lock. Whoever calls has the set's lock for writing, so that nobody can want the chunk meanwhile. */
static int store(const struct ts_chunk *c)
{
    struct ts_chunk_cache *cache = c->set->cache;
    pthread_mutex_unlock(&cache->lock);
    int status = c->set->cls->store(c->set->owner, c);
    pthread_mutex_lock(&cache->lock);
    return status;
}

static bool try_lock(const struct ts_chunk_set *set, const struct ts_chunk_set *mine)
{
    return set == mine || pthread_rwlock_trywrlock(set->lock) == 0;
}

static void unlock_other(const struct ts_chunk_set *set, const struct ts_chunk_set *mine)
{
    if (set != mine)
        pthread_rwlock_unlock(set->lock);
}

/* Stores and forgets one that is dirty and not in use. */
static int evict(struct ts_chunk_cache *cache, struct ts_chunk *c)
{
    lru_remove(&cache->dirty, c);
    if (store(c) < 0) {
        lru_add(&cache->dirty, c);
        return -1;
    }
    take(c);
    chunk_free(c);
    return 0;
}

/* The oldest whose dataset is free. 1 done, 0 when there is none. */
static int evict_dirty(struct ts_chunk_cache *cache, struct ts_chunk_set *mine)
{
    struct ts_chunk *c = cache->dirty.oldest;
    for (int i = 0; c && !try_lock(c->set, mine); c = c->newer)
        if (++i == MAX_TRIES)
            return 0;
    if (!c)
        return 0;
    struct ts_chunk_set *set = c->set;
    int status = evict(cache, c);
    unlock_other(set, mine);
    return status < 0 ? -1 : 1;
}

static void evict_clean(struct ts_chunk_cache *cache)
{
    struct ts_chunk *c = cache->clean.oldest;
    lru_remove(&cache->clean, c);
    take(c);
    chunk_free(c);
}

/* Until the budget is kept, the least recently used leave. `mine` is the caller's own set when it has the lock for
 * writing; with NULL nothing is stored. */
static int shrink(struct ts_chunk_cache *cache, struct ts_chunk_set *mine)
{
    while (cache->bytes > cache->budget) {
        const struct ts_chunk *clean = cache->clean.oldest, *dirty = cache->dirty.oldest;
        if (clean && (!mine || !dirty || clean->used <= dirty->used)) {
            evict_clean(cache);
            continue;
        }
        int done = mine && dirty ? evict_dirty(cache, mine) : 0;
        if (done < 0)
            return -1;
        if (done == 0 && !cache->clean.oldest)
            return 0;
        if (done == 0)
            evict_clean(cache);
    }
    return 0;
}

static void pin(struct ts_chunk_cache *cache, struct ts_chunk *c)
{
    if (c->pins++ == 0)
        lru_remove(lru_of(cache, c), c);
}

/* Makes the content of a chunk that was just entered. Without the cache's lock. */
static int make_content(struct ts_chunk *c, enum ts_chunk_want want, const void *arg)
{
    void *bytes = NULL;
    int status;
    if (want == TS_CHUNK_BLANK) {
        bytes = ts_calloc(1, c->set->chunk_bytes);
        status = bytes ? 0 : -1;
    } else {
        status = c->set->cls->load(c->set->owner, c->scaled, arg, &bytes);
    }
    c->bytes = bytes;
    return status;
}

static int enter(struct ts_chunk_set *set, struct ts_chunk *c, enum ts_chunk_want want, const void *arg)
{
    struct ts_chunk_cache *cache = set->cache;
    c->loading = true;
    if (put(set, c) < 0)
        return -1;
    pthread_mutex_unlock(&cache->lock);
    int status = make_content(c, want, arg);
    pthread_mutex_lock(&cache->lock);
    c->loading = false;
    pthread_cond_broadcast(&cache->changed);
    if (status < 0)
        take(c);
    return status;
}

/* The chunk if it is there; one that another thread is loading is waited for. */
static struct ts_chunk *find_loaded(struct ts_chunk_set *set, uint64_t key, const hsize_t *scaled)
{
    struct ts_chunk *c;
    while ((c = find(set, key, scaled)) && c->loading)
        pthread_cond_wait(&set->cache->changed, &set->cache->lock);
    return c;
}

int ts_chunk_pin(struct ts_chunk_set *set, const hsize_t *scaled, enum ts_chunk_want want, const void *arg,
                 struct ts_chunk **out, bool *fresh)
{
    struct ts_chunk_cache *cache = set->cache;
    uint64_t key = key_of(set, scaled);
    pthread_mutex_lock(&cache->lock);
    struct ts_chunk *c = find_loaded(set, key, scaled), *made = NULL;
    int status = 0;
    if (fresh)
        *fresh = !c;
    if (c) {
        pin(cache, c);
    } else if (want != TS_CHUNK_FIND) {
        c = made = chunk_new(set, key, scaled);
        status = made ? enter(set, made, want, arg) : -1;
    }
    pthread_mutex_unlock(&cache->lock);
    if (status < 0) {
        chunk_free(made);
        return -1;
    }
    *out = c;
    return c ? 1 : 0;
}

static void mark_dirty(struct ts_chunk *c, size_t from, size_t to)
{
    c->from = c->dirty && c->from < from ? c->from : from;
    c->to = c->dirty && c->to > to ? c->to : to;
    c->set->n_dirty += !c->dirty;
    c->dirty = true;
}

/* Into the list of those that may leave. One that was read whole pushes the set's last such one out, so that reading a
 * large dataset once does not fill the cache with what is not wanted again. */
static struct ts_chunk *release(struct ts_chunk_cache *cache, struct ts_chunk *c, unsigned flags)
{
    struct ts_chunk *out = NULL;
    c->used = ++cache->clock;
    if (c->dirty || !(flags & TS_CHUNK_SPENT)) {
        if (c->set->spent == c)
            c->set->spent = NULL;
        lru_add(lru_of(cache, c), c);
        return NULL;
    }
    struct ts_chunk *old = c->set->spent;
    if (old && old != c && old->pins == 0 && !old->dirty) {
        lru_remove(&cache->clean, old);
        take(old);
        out = old;
    }
    c->set->spent = c;
    c->used = 0;
    lru_add_oldest(&cache->clean, c);
    return out;
}

/* Appending fills one chunk after the other: as soon as the end of one was written, the one before it is stored, and its
 * memory is used again while it is in the processor's cache. */
static int store_done(struct ts_chunk_cache *cache, struct ts_chunk *c, unsigned flags)
{
    struct ts_chunk_set *set = c->set;
    struct ts_chunk *before = set->done;
    if (!(flags & TS_CHUNK_DONE)) {
        if (before == c)
            set->done = NULL;
        return 0;
    }
    set->done = c;
    return before && before != c && before->dirty && before->pins == 0 ? evict(cache, before) : 0;
}

int ts_chunk_unpin(struct ts_chunk *c, unsigned flags)
{
    return ts_chunk_unpin_changed(c, 0, c->set->chunk_bytes, flags);
}

int ts_chunk_unpin_changed(struct ts_chunk *c, size_t from, size_t to, unsigned flags)
{
    struct ts_chunk_set *set = c->set;
    struct ts_chunk_cache *cache = set->cache;
    struct ts_chunk *gone = NULL;
    pthread_mutex_lock(&cache->lock);
    if (flags & TS_CHUNK_DIRTY)
        mark_dirty(c, from, to);
    if (--c->pins == 0) {
        if (flags & TS_CHUNK_DROP) {
            take(c);
            gone = c;
        } else {
            gone = release(cache, c, flags);
        }
    }
    int status = flags & TS_CHUNK_DIRTY ? store_done(cache, c, flags) : 0;
    if (status == 0)
        status = shrink(cache, flags & TS_CHUNK_DIRTY ? set : NULL);
    pthread_mutex_unlock(&cache->lock);
    chunk_free(gone);
    return status;
}

bool ts_chunk_set_empty(struct ts_chunk_set *set)
{
    pthread_mutex_lock(&set->cache->lock);
    bool empty = set->chunks.count == 0;
    pthread_mutex_unlock(&set->cache->lock);
    return empty;
}

bool ts_chunk_set_dirty(struct ts_chunk_set *set)
{
    if (!set->cache)
        return false;
    pthread_mutex_lock(&set->cache->lock);
    bool dirty = set->n_dirty > 0;
    pthread_mutex_unlock(&set->cache->lock);
    return dirty;
}

static int by_position(const void *a, const void *b)
{
    const struct ts_chunk *x = *(struct ts_chunk *const *)a, *y = *(struct ts_chunk *const *)b;
    for (unsigned i = 0; i < x->set->rank; i++)
        if (x->scaled[i] != y->scaled[i])
            return x->scaled[i] < y->scaled[i] ? -1 : 1;
    return 0;
}

static void collect_dirty(const struct ts_chunk_set *set, struct ts_chunk **out)
{
    size_t pos = 0;
    uint64_t key;
    void *value;
    while (ts_map_next(&set->chunks, &pos, &key, &value))
        for (struct ts_chunk *c = value; c; c = c->same_key)
            if (c->dirty)
                *out++ = c;
}

/* In the order of their positions, so that neighbours get places side by side. Those who may not use the set cannot take
 * a dirty chunk from it either. */
static int store_dirty(struct ts_chunk_set *set)
{
    struct ts_chunk_cache *cache = set->cache;
    size_t n = set->n_dirty;
    int status = 0;
    if (n == 0)
        return 0;
    struct ts_chunk **chunks = ts_malloc(n * sizeof *chunks);
    if (!chunks)
        return -1;
    collect_dirty(set, chunks);
    qsort(chunks, n, sizeof *chunks, by_position);
    for (size_t i = 0; i < n && status == 0; i++) {
        status = store(chunks[i]);
        if (status < 0)
            break;
        lru_remove(&cache->dirty, chunks[i]);
        set_clean(chunks[i]);
        lru_add(&cache->clean, chunks[i]);
    }
    ts_free(chunks);
    return status;
}

int ts_chunk_set_store(struct ts_chunk_set *set)
{
    pthread_mutex_lock(&set->cache->lock);
    int status = store_dirty(set);
    pthread_mutex_unlock(&set->cache->lock);
    return status;
}

static void drop(struct ts_chunk_cache *cache, struct ts_chunk *c)
{
    lru_remove(lru_of(cache, c), c);
    take(c);
    chunk_free(c);
}

void ts_chunk_set_drop(struct ts_chunk_set *set, bool (*which)(const hsize_t *scaled, const void *ctx), const void *ctx)
{
    size_t pos = 0;
    uint64_t key;
    void *value;
    pthread_mutex_lock(&set->cache->lock);
    while (ts_map_next(&set->chunks, &pos, &key, &value))
        for (struct ts_chunk *c = value, *next; c; c = next) {
            next = c->same_key;
            if (!which || which(c->scaled, ctx))
                drop(set->cache, c);
        }
    pthread_mutex_unlock(&set->cache->lock);
}

/* A set with dirty chunks that this flush has not seen yet. */
static struct ts_chunk_set *next_to_flush(const struct ts_chunk_cache *cache, uint64_t flush)
{
    struct ts_chunk_set *set = cache->sets;
    while (set && (set->n_dirty == 0 || set->visited == flush))
        set = set->next;
    return set;
}

static int flush_sets(struct ts_chunk_cache *cache)
{
    struct ts_chunk_set *set;
    int status = 0;
    pthread_mutex_lock(&cache->lock);
    uint64_t flush = ++cache->flushes;
    while (status == 0 && (set = next_to_flush(cache, flush))) {
        set->visited = flush;
        set->visitors++;
        pthread_mutex_unlock(&cache->lock);
        pthread_rwlock_wrlock(set->lock);
        pthread_mutex_lock(&cache->lock);
        status = store_dirty(set);
        pthread_mutex_unlock(&cache->lock);
        pthread_rwlock_unlock(set->lock);
        pthread_mutex_lock(&cache->lock);
        set->visitors--;
        pthread_cond_broadcast(&cache->changed);
    }
    pthread_mutex_unlock(&cache->lock);
    return status;
}

static void cache_unref(struct ts_chunk_cache *cache)
{
    pthread_mutex_lock(&caches_lock);
    bool last = --cache->refs == 0;
    if (last)
        cache->file->raw = NULL;
    pthread_mutex_unlock(&caches_lock);
    if (last) {
        pthread_cond_destroy(&cache->changed);
        pthread_mutex_destroy(&cache->lock);
        ts_free(cache);
    }
}

static int flush_file(struct ts_file *f)
{
    pthread_mutex_lock(&caches_lock);
    struct ts_chunk_cache *cache = f->raw;
    if (cache)
        cache->refs++;
    pthread_mutex_unlock(&caches_lock);
    if (!cache)
        return 0;
    int status = flush_sets(cache);
    cache_unref(cache);
    return status;
}

static struct ts_chunk_cache *cache_new(struct ts_file *f)
{
    struct ts_chunk_cache *cache = ts_calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->changed, NULL);
    cache->file = f;
    cache->budget = BUDGET;
    return cache;
}

static struct ts_chunk_cache *cache_of(struct ts_file *f)
{
    pthread_mutex_lock(&caches_lock);
    struct ts_chunk_cache *cache = f->raw ? f->raw : cache_new(f);
    if (cache) {
        cache->refs++;
        f->raw = cache;
        f->flush_raw = flush_file;
    }
    pthread_mutex_unlock(&caches_lock);
    return cache;
}

int ts_chunk_set_open(struct ts_chunk_set *set, struct ts_file *f)
{
    struct ts_chunk_cache *cache = cache_of(f);
    if (!cache)
        return -1;
    pthread_mutex_lock(&cache->lock);
    set->cache = cache;
    set->prev = NULL;
    set->next = cache->sets;
    if (set->next)
        set->next->prev = set;
    cache->sets = set;
    pthread_mutex_unlock(&cache->lock);
    return 0;
}

void ts_chunk_set_close(struct ts_chunk_set *set)
{
    struct ts_chunk_cache *cache = set->cache;
    if (!cache)
        return;
    if (cache->file->writable)
        pthread_rwlock_wrlock(set->lock);
    ts_chunk_set_drop(set, NULL, NULL);
    if (cache->file->writable)
        pthread_rwlock_unlock(set->lock);
    pthread_mutex_lock(&cache->lock);
    while (set->visitors > 0)
        pthread_cond_wait(&cache->changed, &cache->lock);
    *(set->prev ? &set->prev->next : &cache->sets) = set->next;
    if (set->next)
        set->next->prev = set->prev;
    pthread_mutex_unlock(&cache->lock);
    ts_map_deinit(&set->chunks);
    set->cache = NULL;
    cache_unref(cache);
}

void ts_chunk_cache_set_budget(struct ts_chunk_cache *cache, size_t bytes)
{
    pthread_mutex_lock(&cache->lock);
    cache->budget = bytes;
    pthread_mutex_unlock(&cache->lock);
}
