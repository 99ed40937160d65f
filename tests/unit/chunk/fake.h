/* A layout that is as simple as can be, for tests of how chunks are kept: chunk i of a dataset with one dimension holds one
 * 32-bit number over and over. On disk it is that number in another dress, in fewer bytes when the layout is coded. */
#ifndef TESTS_UNIT_CHUNK_FAKE_H
#define TESTS_UNIT_CHUNK_FAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/chunk_parts.h"
#include "file/alloc.h"
#include "file/change.h"
#include "unit/file/file_util.h"

#define CHUNKS 256u
#define BYTES ((size_t)4096)
#define DRESS 0x5a5a5a5au
#define LIST ((size_t)64) /* bytes that tell which elements are defined */

struct fake {
    struct ts_sc_dset sc;
    struct ts_sc_layout_ops ops;
    struct ts_file *file;
    struct ts_rwlock order;
    pthread_mutex_t lock; /* of the index */
    haddr_t addr[CHUNKS];
    uint64_t size[CHUNKS];
    bool coded, in_place, one_thread;
    size_t coded_size;
    atomic_uint encodes, places, inserts, displaced, inserted, lookups;
    atomic_bool fails, encode_fails;
};

static void fake_place_of(struct fake *k, hsize_t i, struct ts_sc_stored *at)
{
    pthread_mutex_lock(&k->lock);
    *at = (struct ts_sc_stored){.addr = k->addr[i], .size = k->size[i], .hint = BYTES};
    pthread_mutex_unlock(&k->lock);
}

static int fake_lookup(void *owner, struct ts_sc_spot *spots, size_t n)
{
    struct fake *k = owner;
    k->lookups++;
    for (size_t i = 0; i < n; i++)
        fake_place_of(k, spots[i].scaled[0], &spots[i].at);
    return 0;
}

static int fake_encode(void *owner, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out)
{
    struct fake *k = owner;
    (void)how;
    if (k->encode_fails)
        return TS_ERR(PLINE, CANTFILTER, "as the test wants it");
    uint32_t *to = ts_malloc(k->coded_size);
    if (!to)
        return -1;
    for (size_t i = 0; i < k->coded_size / 4; i++)
        to[i] = ((uint32_t *)d->chunk)[0] ^ DRESS;
    out->bytes = to;
    out->alloc = k->coded_size;
    out->at.size = k->coded_size;
    k->encodes++;
    return 0;
}

static int fake_place(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct fake *k = owner;
    int status = 0;
    k->places++;
    if (ts_change_begin(k->file) < 0)
        return -1;
    size_t i = 0;
    for (; i < n && status == 0; i++) {
        chunks[i].in_place = k->in_place && chunks[i].old.addr != HADDR_UNDEF && chunks[i].old.size == chunks[i].at.size;
        if (chunks[i].in_place)
            chunks[i].at.addr = chunks[i].old.addr;
        else
            status = ts_file_alloc(k->file, H5FD_MEM_DRAW, chunks[i].at.size, &chunks[i].at.addr);
    }
    while (status < 0 && --i > 0)
        if (!chunks[i - 1].in_place)
            ts_file_free(k->file, H5FD_MEM_DRAW, chunks[i - 1].at.addr, chunks[i - 1].at.size);
    (void)ts_change_end(k->file, 0);
    if (k->fails && status == 0) {
        /* The room is lost, as it would be with a file that is broken. */
        status = TS_ERR(IO, WRITEERROR, "as the test wants it");
    }
    return status;
}

static int fake_insert(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct fake *k = owner;
    k->inserts++;
    for (size_t i = 0; i < n; i++) {
        hsize_t at = chunks[i].scaled[0];
        pthread_mutex_lock(&k->lock);
        k->addr[at] = chunks[i].at.addr;
        k->size[at] = chunks[i].at.size;
        pthread_mutex_unlock(&k->lock);
        k->inserted++;
    }
    return 0;
}

static void fake_displace(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct fake *k = owner;
    (void)chunks;
    k->displaced += (unsigned)n;
}

static int fake_query(void *owner, hsize_t *chunk_dims, struct ts_sc_layout *out)
{
    struct fake *k = owner;
    chunk_dims[0] = BYTES / 4;
    *out = (struct ts_sc_layout){.coded = k->coded, .any_thread = !k->one_thread};
    return 0;
}

static void fake_evict_values(void *owner, struct ts_sc_data *d)
{
    (void)owner;
    void *smaller = ts_malloc(LIST);
    if (!smaller)
        return;
    ts_free(d->chunk);
    *d = (struct ts_sc_data){.chunk = smaller, .used = LIST, .alloc = LIST};
}

static inline struct ts_file *fake_file(void)
{
    struct ts_plist *fapl;
    struct ts_fapl_vfd vfd = {.config = {.kind = TS_DRIVER_CORE, .core = {.increment = 1 << 16}}};
    struct ts_file *f = NULL;
    H5open();
    if (ts_plist_copy(ts_plist_default(TS_PLIST_FILE_ACCESS), &fapl) < 0)
        return NULL;
    if (ts_fapl_set_driver(fapl, &vfd) == 0)
        f = create("fake", fapl);
    ts_plist_unref(fapl);
    return f;
}

/* Settings with nothing done ahead. */
static inline int fake_settings(struct ts_file *f, size_t chunks, unsigned threads, size_t reserve, double w0,
                                size_t encode_ahead)
{
    H5F_shared_chunk_cache_t s = {.version = H5F_SHARED_CHUNK_CACHE_VERSION, .threads = threads, .budget = chunks * BYTES,
                                  .reserve = reserve, .w0 = w0, .encode_ahead = encode_ahead};
    return ts_sc_configure(f, &s);
}

static inline int fake_open(struct fake *k, struct ts_file *f, size_t coded_size)
{
    static const struct ts_sc_layout_ops ops = {.lookup = fake_lookup, .place = fake_place, .insert = fake_insert,
                                                .displace = fake_displace, .layout_query = fake_query};
    memset(k, 0, sizeof *k);
    k->ops = ops;
    k->ops.encode = coded_size > 0 ? fake_encode : NULL;
    k->file = f;
    k->coded = coded_size > 0;
    k->coded_size = coded_size;
    ts_rwlock_init(&k->order, TS_RANK_DATASET_ORDER);
    pthread_mutex_init(&k->lock, NULL);
    for (unsigned i = 0; i < CHUNKS; i++)
        k->addr[i] = HADDR_UNDEF;
    k->sc = (struct ts_sc_dset){.ops = &k->ops, .owner = k, .order = &k->order, .rank = 1, .element_size = 4,
                                .dims = {CHUNKS * BYTES / 4}, .reserve = SIZE_MAX, .w0 = -1};
    return ts_sc_dset_open(&k->sc, f);
}

static inline void fake_close(struct fake *k)
{
    ts_sc_dset_close(&k->sc);
    ts_rwlock_deinit(&k->order);
    pthread_mutex_destroy(&k->lock);
}

/* What the file has of a chunk; 0 when it has nothing. */
static inline uint32_t fake_on_file(struct fake *k, hsize_t i)
{
    struct ts_sc_stored at;
    uint32_t value = 0;
    fake_place_of(k, i, &at);
    if (at.addr == HADDR_UNDEF)
        return 0;
    if (ts_file_read(k->file, at.addr, 4, &value) < 0)
        return UINT32_MAX;
    return k->coded ? value ^ DRESS : value;
}

static inline int fake_load(struct fake *k, struct ts_sc_chunk *c)
{
    struct ts_sc_stored at;
    fake_place_of(k, c->scaled[0], &at);
    uint32_t value = fake_on_file(k, c->scaled[0]);
    uint32_t *data = ts_malloc(BYTES);
    if (!data)
        return -1;
    for (size_t i = 0; i < BYTES / 4; i++)
        data[i] = value;
    c->data = (struct ts_sc_data){.chunk = data, .used = BYTES, .alloc = BYTES};
    c->at = at;
    c->located = true;
    c->has_values = true;
    return 0;
}

/* Pinned and loaded, or NULL. */
static inline struct ts_sc_chunk *fake_claim(struct fake *k, hsize_t i, unsigned flags)
{
    for (;;) {
        struct ts_sc_chunk *c;
        int answer = ts_sc_claim(&k->sc, &i, TS_SC_ENTER | TS_SC_VALUES | flags, &c);
        if (answer < 0)
            return NULL;
        if (answer == TS_SC_HIT)
            return c;
        if (answer == TS_SC_OTHERS) {
            if (ts_sc_wait(c, TS_SC_VALUES | flags))
                return c;
            continue;
        }
        if (fake_load(k, c) < 0) {
            ts_sc_failed(c);
            return NULL;
        }
        ts_sc_loaded(c);
        return c;
    }
}

/* The same, with room made for it when it is not there. */
static inline struct ts_sc_chunk *fake_use(struct fake *k, hsize_t i, unsigned flags)
{
    ts_mutex_lock(&k->sc.cache->lock);
    const struct ts_sc_chunk *there = ts_sc_find(&k->sc, &i);
    size_t need = there && (there->loading || there->has_values) ? 0 : BYTES;
    ts_mutex_unlock(&k->sc.cache->lock);
    if (need > 0)
        ts_sc_hold(&k->sc, need);
    struct ts_sc_chunk *c = fake_claim(k, i, flags);
    if (need > 0)
        ts_sc_unhold(k->sc.cache, need);
    return c;
}

/* 1, and the number a chunk holds; -1 when memory is short; 0 when it is torn. */
static inline int fake_read(struct fake *k, hsize_t i, bool whole, uint32_t *value)
{
    struct ts_sc_chunk *c = fake_use(k, i, 0);
    if (!c)
        return -1;
    const uint32_t *data = c->data.chunk;
    *value = data[0];
    int same = data[BYTES / 8] == data[0] && data[BYTES / 4 - 1] == data[0];
    ts_sc_release(c, &(struct ts_sc_use){.whole = whole});
    return same;
}

static inline int fake_write(struct fake *k, hsize_t i, bool whole, uint32_t value)
{
    struct ts_sc_chunk *c = fake_use(k, i, TS_SC_CHANGE);
    if (!c)
        return -1;
    uint32_t *data = c->data.chunk;
    for (size_t at = 0; at < BYTES / 4; at++)
        data[at] = value;
    ts_sc_release(c, &(struct ts_sc_use){.dirty = true, .whole = whole});
    return 1;
}

/* After all jobs have ended. */
static inline H5F_chunk_cache_stats_t fake_stats(struct fake *k)
{
    H5F_chunk_cache_stats_t s;
    struct ts_sc *cache = k->sc.cache;
    ts_mutex_lock(&cache->lock);
    while (cache->jobs > 0)
        ts_cond_wait(&cache->changed, &cache->lock);
    ts_mutex_unlock(&cache->lock);
    if (ts_sc_stats(k->file, &s) < 0)
        memset(&s, 0xff, sizeof s);
    return s;
}

#endif
