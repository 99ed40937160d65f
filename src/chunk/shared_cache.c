/* The cache of a file, and the datasets in it: made, configured, closed. Reading begins in read.c, writing in
 * write.c. */
#include "chunk/shared_cache.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/process.h"
#include "chunk/chunk_parts.h"
#include "chunk/view.h"
#include "plist/fapl.h"

/* Guards which cache a file has. */
static struct ts_mutex caches_lock = TS_MUTEX_INIT(TS_RANK_CHUNK_CACHES);

static void apply_settings(struct ts_sc *cache, const H5F_shared_chunk_cache_t *settings)
{
    cache->settings = *settings;
    cache->threads = settings->threads == H5F_CHUNK_CACHE_THREADS_DEFAULT ? ts_pool_cores() : settings->threads;
    ts_sc_set_budget(cache);
}

struct ts_sc *H5SC_create(struct ts_file *f, const struct ts_plist *fapl)
{
    H5F_shared_chunk_cache_t settings;
    if (ts_fapl_chunk_cache(fapl, &settings) < 0)
        return NULL;
    struct ts_sc *cache = ts_calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    ts_mutex_init_spinning(&cache->lock, TS_RANK_CHUNK_CACHE);
    pthread_cond_init(&cache->changed, NULL);
    unsigned mark = ts_err_mark();
    cache->looks = ts_lane_cells();
    ts_err_rewind(mark); /* it does without */
    cache->file = f;
    cache->process = ts_process();
    ts_mutex_lock(&cache->lock);
    apply_settings(cache, &settings);
    ts_mutex_unlock(&cache->lock);
    return cache;
}

/* With the lock. False in a child of the process that began what is waited for. */
static bool wait_for_workers(struct ts_sc *cache)
{
    TS_HELD(&cache->lock);
    if (cache->process != ts_process())
        return false;
    ts_cond_wait(&cache->changed, &cache->lock);
    return true;
}

void H5SC_destroy(struct ts_sc *cache)
{
    if (!cache)
        return;
    ts_mutex_lock(&cache->lock);
    cache->closing = true;
    while (cache->jobs > 0 && wait_for_workers(cache))
        ;
    ts_mutex_unlock(&cache->lock);
    pthread_cond_destroy(&cache->changed);
    ts_mutex_deinit(&cache->lock);
    ts_free(cache->looks);
    ts_free(cache);
}

static int write_raw(struct ts_file *f)
{
    return H5SC_flush(ts_file_client(f, TS_CLIENT_CHUNKS));
}

static void drop_cache(struct ts_file *f, void *state)
{
    (void)f;
    H5SC_destroy(state);
}

static const struct ts_client_ops client = {.write_raw = write_raw, .drop = drop_cache};

static struct ts_sc *cache_of(struct ts_file *f)
{
    struct ts_sc *cache = ts_file_client(f, TS_CLIENT_CHUNKS);
    if (cache)
        return cache;
    ts_mutex_lock(&caches_lock);
    cache = ts_file_client(f, TS_CLIENT_CHUNKS);
    if (!cache && (cache = H5SC_create(f, f->fapl)))
        ts_file_attach(f, TS_CLIENT_CHUNKS, &client, cache);
    ts_mutex_unlock(&caches_lock);
    return cache;
}

static int ask_layout(struct ts_sc_dset *dset)
{
    if (dset->ops->layout_query(dset->owner, dset->chunk_dims, &dset->layout) < 0)
        return -1;
    dset->chunk_elements = 1;
    for (unsigned i = 0; i < dset->rank; i++) {
        /* Where an extent of nothing is one chunk. */
        if (dset->chunk_dims[i] == 0)
            dset->chunk_dims[i] = 1;
        if (!ts_mul_u64(dset->chunk_elements, dset->chunk_dims[i], &dset->chunk_elements))
            return TS_ERR(DATASET, BADSIZE, "chunks have too many elements: %llu in dimension %u, and more",
                          (unsigned long long)dset->chunk_dims[i], i);
    }
    return 0;
}

/* The dataset's part in the sums, as its reserve is now. */
static void join_reserves(struct ts_sc_dset *dset)
{
    struct ts_sc *cache = dset->cache;
    if (dset->reserve != SIZE_MAX) {
        size_t most = SIZE_MAX / 2 - cache->own_reserves;
        dset->reserve = dset->reserve < most ? dset->reserve : most;
        cache->own_reserves += dset->reserve;
    } else if (dset->n_chunks > 0) {
        cache->n_shared++;
    }
    ts_sc_set_budget(cache);
}

static void leave_reserves(struct ts_sc_dset *dset)
{
    struct ts_sc *cache = dset->cache;
    if (dset->reserve != SIZE_MAX)
        cache->own_reserves -= dset->reserve;
    else if (dset->n_chunks > 0)
        cache->n_shared--;
    ts_sc_set_budget(cache);
}

static uint64_t new_stamp(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

void ts_sc_dset_changes(struct ts_sc_dset *dset)
{
    if (dset->stamp != 0)
        dset->stamp = new_stamp();
}

int ts_sc_dset_open(struct ts_sc_dset *dset, struct ts_file *f)
{
    struct ts_sc *cache = ask_layout(dset) < 0 ? NULL : cache_of(f);
    if (!cache)
        return -1;
    ts_mutex_lock(&cache->lock);
    dset->cache = cache;
    dset->stamp = f->swmr == TS_SWMR_READER ? 0 : new_stamp();
    dset->prev = NULL;
    dset->next = cache->dsets;
    if (dset->next)
        dset->next->prev = dset;
    cache->dsets = dset;
    join_reserves(dset);
    ts_mutex_unlock(&cache->lock);
    return 0;
}

void ts_sc_freeze(struct ts_sc_dset *dset)
{
    TS_HELD(&dset->cache->lock);
    dset->frozen++;
    while (dset->n_busy > 0 && wait_for_workers(dset->cache))
        ;
}

static void thaw(struct ts_sc_dset *dset)
{
    if (--dset->frozen == 0)
        ts_sc_unshelter(dset, SIZE_MAX);
}

void ts_sc_dset_thaw(struct ts_sc_dset *dset)
{
    TS_MAY_MOVE_RAW_DATA();
    if (!dset->cache)
        return;
    ts_mutex_lock(&dset->cache->lock);
    thaw(dset);
    /* What had to stay may be too much. */
    if (dset->frozen == 0)
        ts_sc_make_room(dset->cache, dset, dset->cache->budget);
    ts_mutex_unlock(&dset->cache->lock);
}

static void drop(struct ts_sc_dset *dset, bool (*which)(const hsize_t *scaled, const void *ctx), const void *ctx,
                 struct ts_sc_doomed *doomed)
{
    size_t pos = 0;
    uint64_t key;
    void *value;
    while (ts_map_next(&dset->chunks, &pos, &key, &value))
        for (struct ts_sc_chunk *c = value, *next; c; c = next) {
            next = c->same_key;
            if (which && !which(c->scaled, ctx))
                continue;
            ts_sc_take(c);
            c->gone = true;
            if (c->pins == 0)
                ts_sc_doom(doomed, c);
        }
}

void ts_sc_dset_drop(struct ts_sc_dset *dset, bool (*which)(const hsize_t *scaled, const void *ctx), const void *ctx)
{
    struct ts_sc *cache = dset->cache;
    struct ts_sc_doomed doomed = {NULL};
    if (!cache)
        return;
    ts_mutex_lock(&cache->lock);
    ts_sc_freeze(dset);
    drop(dset, which, ctx, &doomed);
    thaw(dset);
    ts_sc_doomed_free(cache, &doomed);
    ts_mutex_unlock(&cache->lock);
}

void ts_sc_dset_close(struct ts_sc_dset *dset)
{
    struct ts_sc *cache = dset->cache;
    struct ts_sc_doomed doomed = {NULL};
    if (!cache)
        return;
    TS_MAY_MOVE_RAW_DATA();
    ts_mutex_lock(&cache->lock);
    dset->visited = UINT64_MAX;
    while (dset->visitors > 0)
        ts_cond_wait(&cache->changed, &cache->lock);
    ts_sc_freeze(dset);
    drop(dset, NULL, NULL, &doomed);
    ts_sc_doomed_free(cache, &doomed);
    leave_reserves(dset);
    *(dset->prev ? &dset->prev->next : &cache->dsets) = dset->next;
    if (dset->next)
        dset->next->prev = dset->prev;
    ts_mutex_unlock(&cache->lock);
    ts_map_deinit(&dset->chunks);
    ts_sc_view_free(dset);
    dset->cache = NULL;
}

void ts_sc_dset_configure(struct ts_sc_dset *dset, size_t reserve, double w0, bool uncached)
{
    struct ts_sc *cache = dset->cache;
    if (!cache) {
        dset->reserve = reserve;
        dset->w0 = w0;
        dset->uncached = uncached;
        return;
    }
    ts_mutex_lock(&cache->lock);
    leave_reserves(dset);
    dset->reserve = reserve;
    dset->w0 = w0;
    dset->uncached = uncached;
    join_reserves(dset);
    ts_mutex_unlock(&cache->lock);
}

bool ts_sc_dset_dirty(struct ts_sc_dset *dset)
{
    if (!dset->cache)
        return false;
    ts_mutex_lock(&dset->cache->lock);
    bool dirty = dset->n_dirty > 0;
    ts_mutex_unlock(&dset->cache->lock);
    return dirty;
}

bool ts_sc_dset_doubtful(struct ts_sc_dset *dset)
{
    return ts_sc_dset_dirty(dset) && (dset->failed || !dset->layout.any_thread);
}

bool ts_sc_dset_empty(struct ts_sc_dset *dset)
{
    return !dset->cache || dset->n_chunks == 0;
}

int ts_sc_configure(struct ts_file *f, const H5F_shared_chunk_cache_t *settings)
{
    struct ts_sc *cache = cache_of(f);
    if (!cache)
        return -1;
    ts_mutex_lock(&cache->lock);
    apply_settings(cache, settings);
    ts_sc_make_room(cache, NULL, cache->budget);
    ts_mutex_unlock(&cache->lock);
    return 0;
}

int ts_sc_settings(struct ts_file *f, H5F_shared_chunk_cache_t *out)
{
    struct ts_sc *cache = cache_of(f);
    if (!cache)
        return -1;
    ts_mutex_lock(&cache->lock);
    *out = cache->settings;
    ts_mutex_unlock(&cache->lock);
    return 0;
}

int ts_sc_stats(struct ts_file *f, H5F_chunk_cache_stats_t *out)
{
    struct ts_sc *cache = cache_of(f);
    if (!cache)
        return -1;
    ts_mutex_lock(&cache->lock);
    *out = cache->stats;
    out->hits += ts_sc_looks(cache);
    out->footprint = cache->bytes;
    out->chunks = cache->n_chunks;
    out->dirty_chunks = cache->n_dirty;
    ts_mutex_unlock(&cache->lock);
    return 0;
}

int ts_sc_reset_stats(struct ts_file *f)
{
    struct ts_sc *cache = cache_of(f);
    if (!cache)
        return -1;
    ts_mutex_lock(&cache->lock);
    cache->stats = (H5F_chunk_cache_stats_t){.peak_footprint = cache->bytes};
    ts_sc_forget_looks(cache);
    ts_mutex_unlock(&cache->lock);
    return 0;
}
