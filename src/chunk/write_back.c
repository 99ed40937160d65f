/* Chunks on their way to the file. ts_sc_put_out writes them, whoever has encoded them: places, bytes, then the index,
 * so that the bytes are there before an index names them (invariant 1). ts_sc_write_batch encodes those that leave the
 * cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/chunk_parts.h"
#include "file/change.h"
#include "file/mutation.h"

/* Of a flush, in one go: enough to fill long vector calls, few enough that the encoded copies stay small. */
#define FLUSH_CHUNKS 1024
#define FLUSH_PART 8
/* Datasets that a flush names when it fails; the stack of errors has room for more than that. */
#define MOST_NAMED 8
#define NAME_SIZE 256

/* One dataset's part of an array that is grouped by dataset. */
static size_t group_size(const struct ts_sc_out *outs, size_t n)
{
    size_t count = 1;
    while (count < n && outs[count].dset == outs->dset)
        count++;
    return count;
}

struct put {
    struct ts_sc *cache;
    struct ts_sc_out *outs;
    struct ts_sc_coded *coded; /* the same of all, side by side, as layouts take them */
    struct ts_io_out *v;
    size_t n;
};

/* Gives back the room of all from the first on. */
static void displace(struct put *p, size_t first, size_t end)
{
    for (size_t i = first, count; i < end; i += count) {
        const struct ts_sc_dset *dset = p->outs[i].dset;
        count = group_size(&p->outs[i], end - i);
        dset->ops->displace(dset->owner, &p->coded[i], count);
    }
}

static int place(struct put *p)
{
    for (size_t i = 0, count; i < p->n; i += count) {
        const struct ts_sc_dset *dset = p->outs[i].dset;
        count = group_size(&p->outs[i], p->n - i);
        if (dset->ops->place(dset->owner, &p->coded[i], count) < 0) {
            displace(p, 0, i);
            return -1;
        }
    }
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct ts_io_out *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

static struct ts_io_out vector_of(const struct ts_sc_out *out, const struct ts_sc_coded *coded)
{
    size_t size = (size_t)coded->at.size, from = 0, to = size;
    bool part = coded->in_place || (coded->blank && out->zeros);
    if (part && !coded->careful && !coded->bytes) {
        from = out->from < size ? out->from : size;
        to = out->to < size ? out->to : size;
    }
    if (to < from)
        to = from;
    const uint8_t *bytes = out->bytes;
    return (struct ts_io_out){.addr = coded->at.addr + from, .size = to - from, .buf = bytes + from};
}

/* The vectors of chunks [first, end), those that want care or the others, into p->v. */
static size_t collect(struct put *p, size_t first, size_t end, bool careful)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        struct ts_io_out v = vector_of(&p->outs[i], &p->coded[i]);
        if (p->coded[i].careful == careful && v.size > 0)
            p->v[n++] = v;
    }
    qsort(p->v, n, sizeof *p->v, by_address);
    return n;
}

static void count_write(const struct put *p, size_t n)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += p->v[i].size;
    ts_mutex_lock(&p->cache->lock);
    p->cache->stats.bytes_written += bytes;
    p->cache->stats.write_calls++;
    ts_mutex_unlock(&p->cache->lock);
}

/* Before bytes of chunks are written that they do not have yet. */
static void complete_chunks(struct put *p)
{
    ts_mutex_lock(&p->cache->lock);
    for (size_t i = 0; i < p->n; i++) {
        const struct ts_sc_out *out = &p->outs[i];
        struct ts_sc_chunk *c = out->chunk;
        if (!c || c->blank == 0)
            continue;
        struct ts_io_out v = vector_of(out, &p->coded[i]);
        if ((const uint8_t *)v.buf + v.size > (const uint8_t *)out->bytes + c->data.used - c->blank)
            ts_sc_complete(c);
    }
    ts_mutex_unlock(&p->cache->lock);
}

static int write_bytes(struct put *p)
{
    TS_MAY_MOVE_RAW_DATA();
    complete_chunks(p);
    size_t n = collect(p, 0, p->n, false);
    if (n > 0) {
        if (ts_file_writev(p->cache->file, p->v, n) < 0)
            return -1;
        count_write(p, n);
    }
    for (size_t i = 0, count; i < p->n; i += count) {
        const struct ts_sc_dset *dset = p->outs[i].dset;
        count = group_size(&p->outs[i], p->n - i);
        n = dset->ops->write ? collect(p, i, i + count, true) : 0;
        if (n == 0)
            continue;
        if (dset->ops->write(dset->owner, p->v, n) < 0)
            return -1;
        count_write(p, n);
    }
    return 0;
}

/* Returns how many are entered: all, or those before the dataset that failed. */
static size_t insert(struct put *p)
{
    for (size_t i = 0, count; i < p->n; i += count) {
        const struct ts_sc_dset *dset = p->outs[i].dset;
        count = group_size(&p->outs[i], p->n - i);
        if (dset->ops->insert(dset->owner, &p->coded[i], count) < 0)
            return i;
    }
    return p->n;
}

/* A broken rule, for tests. */
static int write_after_insert(struct put *p, size_t *n_done)
{
    *n_done = insert(p);
    return *n_done == p->n ? write_bytes(p) : -1;
}

static int put_out(struct put *p, size_t *n_done)
{
    if (place(p) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_INDEX_FIRST))
        return write_after_insert(p, n_done);
    if (write_bytes(p) < 0) {
        displace(p, 0, p->n);
        return TS_ERR(IO, WRITEERROR, "%s: cannot write %zu chunks", p->cache->file->name, p->n);
    }
    *n_done = insert(p);
    if (*n_done == p->n)
        return 0;
    displace(p, *n_done, p->n);
    return -1;
}

int ts_sc_put_out(struct ts_sc *cache, struct ts_sc_out *outs, size_t n, size_t *n_done)
{
    TS_MAY_MOVE_RAW_DATA();
    struct put p = {.cache = cache, .outs = outs, .n = n};
    *n_done = 0;
    if (n == 0)
        return 0;
    p.coded = ts_calloc(n, sizeof *p.coded);
    p.v = p.coded ? ts_calloc(n, sizeof *p.v) : NULL;
    int status = p.v ? 0 : -1;
    for (size_t i = 0; i < n && p.coded; i++)
        p.coded[i] = outs[i].coded;
    if (status == 0)
        status = put_out(&p, n_done);
    for (size_t i = 0; i < *n_done; i++)
        outs[i].coded = p.coded[i];
    for (size_t i = *n_done; i < n && p.coded; i++)
        ts_free(p.coded[i].at.udata);
    ts_free(p.coded);
    ts_free(p.v);
    return status;
}

bool ts_sc_is_coded(const struct ts_sc_dset *dset)
{
    return dset->layout.coded && dset->ops->encode;
}

int ts_sc_encode(const struct ts_sc_chunk *c, struct ts_sc_coded *out)
{
    TS_MAY_MOVE_RAW_DATA();
    const struct ts_sc_dset *dset = c->dset;
    *out = (struct ts_sc_coded){.scaled = c->scaled, .at = c->at};
    out->at.addr = HADDR_UNDEF;
    out->at.size = c->data.used;
    out->at.note = 0;
    out->at.udata = NULL;
    if (!ts_sc_is_coded(dset))
        return 0;
    struct ts_sc_coding how = {.at = &c->at, .partial_bound = ts_sc_partial_bound(dset, c->scaled)};
    return dset->ops->encode(dset->owner, &how, &c->data, out);
}

void ts_sc_set_encoded(struct ts_sc_chunk *c, const struct ts_sc_coded *coded, bool preemptive)
{
    TS_HELD(&c->dset->cache->lock);
    c->coded = *coded;
    c->encoded = true;
    c->preemptive = preemptive;
    if (ts_sc_is_coded(c->dset))
        c->dset->cache->stats.encodes++;
    ts_sc_count(c);
}

void ts_sc_drop_encoded(struct ts_sc_chunk *c)
{
    TS_HELD(&c->dset->cache->lock);
    ts_free(c->coded.bytes);
    c->coded = (struct ts_sc_coded){.bytes = NULL};
    c->encoded = c->preemptive = false;
}

struct item {
    struct ts_sc_chunk *c;
    struct ts_sc_coded coded;
    bool encoded; /* in coded */
    bool gone;    /* with its dataset: it is not wanted any more */
};

struct batch {
    struct ts_sc *cache;
    struct item *items; /* by dataset, and by position in it */
    struct ts_sc_spot *spots;
    struct ts_sc_out *outs;
    struct ts_sc_chunk **out_chunks;
    size_t n, n_out;
};

/* Of several failures since the mark the first says why. */
static void fails(int *status, unsigned mark)
{
    if (*status < 0)
        ts_err_rewind(mark);
    *status = -1;
}

static int by_position(const void *a, const void *b)
{
    const struct ts_sc_chunk *x = ((const struct item *)a)->c, *y = ((const struct item *)b)->c;
    if (x->dset != y->dset)
        return (uintptr_t)x->dset < (uintptr_t)y->dset ? -1 : 1;
    for (unsigned i = 0; i < x->dset->rank; i++)
        if (x->scaled[i] != y->scaled[i])
            return x->scaled[i] < y->scaled[i] ? -1 : 1;
    return 0;
}

static void batch_deinit(struct batch *b)
{
    ts_free(b->items);
    ts_free(b->spots);
    ts_free(b->outs);
    ts_free(b->out_chunks);
}

static enum ts_sc_fate fate_of(const struct ts_sc_dset *dset)
{
    return dset->ops->fate ? dset->ops->fate(dset->owner) : TS_SC_STAYS;
}

static int batch_init(struct batch *b, struct ts_sc *cache, struct ts_sc_chunk *const *chunks, size_t n)
{
    *b = (struct batch){.cache = cache, .n = n};
    b->items = ts_calloc(n, sizeof *b->items);
    b->spots = b->items ? ts_calloc(n, sizeof *b->spots) : NULL;
    b->outs = b->spots ? ts_calloc(n, sizeof *b->outs) : NULL;
    b->out_chunks = b->outs ? ts_calloc(n, sizeof *b->out_chunks) : NULL;
    if (!b->out_chunks) {
        batch_deinit(b);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        b->items[i].c = chunks[i];
    qsort(b->items, n, sizeof *b->items, by_position);
    for (size_t i = 0; i < n; i++) {
        bool same = i > 0 && b->items[i].c->dset == b->items[i - 1].c->dset;
        b->items[i].gone = same ? b->items[i - 1].gone : fate_of(b->items[i].c->dset) == TS_SC_GONE;
    }
    return 0;
}

static void free_spots(struct ts_sc_spot *spots, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ts_free(spots[i].at.udata);
}

/* Looks up those of the n chunks, of one dataset, that were written without anyone asking where they are so far. */
static int locate(struct batch *b, struct item *items, size_t n)
{
    const struct ts_sc_dset *dset = items->c->dset;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        if (!items[i].c->located)
            b->spots[count++] = (struct ts_sc_spot){.scaled = items[i].c->scaled, .at.addr = HADDR_UNDEF};
    if (count == 0)
        return 0;
    if (dset->ops->lookup(dset->owner, b->spots, count) < 0) {
        free_spots(b->spots, count);
        return -1;
    }
    ts_mutex_lock(&b->cache->lock);
    for (size_t i = 0; i < n; i++)
        if (!items[i].c->located) {
            ts_free(items[i].c->at.udata);
            items[i].c->at = b->spots[at++].at;
            items[i].c->located = true;
        }
    ts_mutex_unlock(&b->cache->lock);
    return 0;
}

/* Together; when that fails one by one, for the index may be sound where others of them are. */
static int locate_some(struct batch *b, struct item *items, size_t n)
{
    unsigned mark = ts_err_mark();
    int status = 0;
    if (locate(b, items, n) == 0)
        return 0;
    ts_err_rewind(mark);
    for (size_t i = 0; i < n; i++) {
        mark = ts_err_mark();
        if (locate(b, &items[i], 1) < 0)
            fails(&status, mark);
    }
    return status;
}

static int locate_all(struct batch *b)
{
    int status = 0;
    for (size_t i = 0, count; i < b->n; i += count) {
        for (count = 1; i + count < b->n && b->items[i + count].c->dset == b->items[i].c->dset;)
            count++;
        unsigned mark = ts_err_mark();
        if (!b->items[i].gone && locate_some(b, &b->items[i], count) < 0)
            fails(&status, mark);
    }
    return status;
}

static bool wants_encoding(const struct item *item)
{
    return item->c->located && !item->c->encoded && !item->encoded && !item->gone;
}

static int encode_item(void *ctx, size_t i, unsigned lane)
{
    struct item *item = &((struct batch *)ctx)->items[i];
    (void)lane;
    if (!wants_encoding(item) || !item->c->dset->layout.any_thread || !ts_sc_is_coded(item->c->dset))
        return 0;
    if (ts_sc_encode(item->c, &item->coded) < 0)
        return -1;
    item->encoded = true;
    return 0;
}

/* Side by side where the layout allows it, then here what is left: also the rest after one that failed. */
static int encode_all(struct batch *b)
{
    unsigned helpers = b->cache->threads;
    int status = 0;
    unsigned mark = ts_err_mark();
    if (ts_pool_run(helpers, b->n, encode_item, b) < 0)
        ts_err_rewind(mark);
    for (size_t i = 0; i < b->n; i++) {
        struct item *item = &b->items[i];
        if (!wants_encoding(item))
            continue;
        mark = ts_err_mark();
        if (ts_sc_encode(item->c, &item->coded) < 0)
            fails(&status, mark);
        else
            item->encoded = true;
    }
    ts_mutex_lock(&b->cache->lock);
    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].encoded)
            ts_sc_set_encoded(b->items[i].c, &b->items[i].coded, false);
    ts_mutex_unlock(&b->cache->lock);
    return status;
}

static void collect_outs(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_chunk *c = b->items[i].c;
        if (!c->located || !c->encoded || b->items[i].gone)
            continue;
        struct ts_sc_out *out = &b->outs[b->n_out];
        *out = (struct ts_sc_out){.dset = c->dset, .coded = c->coded, .from = c->from, .to = c->to};
        out->coded.old = c->at;
        out->zeros = c->data.zeros && c->at.addr == HADDR_UNDEF;
        out->bytes = c->coded.bytes ? c->coded.bytes : c->data.chunk;
        out->chunk = c->coded.bytes ? NULL : c;
        b->out_chunks[b->n_out++] = c;
    }
}

/* Nothing of it needs to be written any more. */
static void set_clean(struct ts_sc_chunk *c)
{
    ts_sc_set_clean(c);
    ts_sc_drop_encoded(c);
    ts_sc_count(c);
    /* One that was stuck stood in no list. */
    if (c->pins == 0 && !c->links[TS_SC_BY_USE].list)
        ts_sc_put_into_lists(c);
}

/* It is on file, and indexed. */
static void written(struct ts_sc_chunk *c, const struct ts_sc_out *out)
{
    if (c->at.udata != out->coded.at.udata)
        ts_free(c->at.udata);
    c->at = out->coded.at;
    set_clean(c);
    c->dset->cache->stats.stores++;
}

static int put_some(struct batch *b, size_t first, size_t end, size_t *done)
{
    int status = ts_sc_put_out(b->cache, &b->outs[first], end - first, done);
    ts_mutex_lock(&b->cache->lock);
    for (size_t i = first; i < first + *done; i++)
        written(b->out_chunks[i], &b->outs[i]);
    ts_mutex_unlock(&b->cache->lock);
    return status;
}

/* All together; when that fails each half of the rest for itself, down to single chunks, so that none keeps another in
 * memory. A file that takes nothing more need not be asked again: what was said first is why. */
static int put_range(struct batch *b, size_t first, size_t end)
{
    size_t done;
    int status = 0;
    unsigned mark = ts_err_mark();
    if (first == end || put_some(b, first, end, &done) == 0)
        return 0;
    first += done;
    if (end - first == 1 || b->cache->file->broken)
        return -1;
    ts_err_rewind(mark);
    size_t middle = first + (end - first) / 2;
    if (put_range(b, first, middle) < 0)
        status = -1;
    mark = ts_err_mark();
    if (put_range(b, middle, end) < 0)
        fails(&status, mark);
    return status;
}

static void forget_gone(struct batch *b)
{
    ts_mutex_lock(&b->cache->lock);
    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].gone)
            set_clean(b->items[i].c);
    ts_mutex_unlock(&b->cache->lock);
}

/* What could not be written is left alone until someone flushes, and hears why. */
static void set_stuck(struct batch *b)
{
    ts_mutex_lock(&b->cache->lock);
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_chunk *c = b->items[i].c;
        if (!c->dirty)
            continue;
        b->cache->stuck_bytes += c->stuck ? 0 : c->counted;
        c->stuck = true;
        c->dset->failed = true;
        ts_sc_list_remove(c, TS_SC_BY_USE);
    }
    ts_mutex_unlock(&b->cache->lock);
}

int ts_sc_write_batch(struct ts_sc *cache, struct ts_sc_chunk *const *chunks, size_t n)
{
    TS_MAY_MOVE_RAW_DATA();
    struct batch b;
    if (batch_init(&b, cache, chunks, n) < 0)
        return -1;
    int status = locate_all(&b);
    unsigned mark = ts_err_mark();
    if (encode_all(&b) < 0)
        fails(&status, mark);
    collect_outs(&b);
    mark = ts_err_mark();
    if (put_range(&b, 0, b.n_out) < 0)
        fails(&status, mark);
    forget_gone(&b);
    if (status < 0)
        set_stuck(&b);
    batch_deinit(&b);
    return status;
}

/* How many of them to write in one go. */
static size_t next_batch(struct ts_sc *cache, struct ts_sc_chunk **chunks, size_t n)
{
    ts_mutex_lock(&cache->lock);
    size_t count = 0, bytes = 0, most = cache->budget / FLUSH_PART;
    for (; count < n && count < FLUSH_CHUNKS; count++) {
        const struct ts_sc_chunk *c = chunks[count];
        if (c->encoded || !ts_sc_is_coded(c->dset))
            continue;
        if (bytes > 0 && c->data.alloc > most - (bytes < most ? bytes : most))
            break;
        bytes += c->data.alloc;
    }
    ts_mutex_unlock(&cache->lock);
    return count;
}

int ts_sc_write_back(struct ts_sc *cache, struct ts_sc_chunk **chunks, size_t n)
{
    int status = 0;
    for (size_t i = 0, count; i < n; i += count) {
        unsigned mark = ts_err_mark();
        count = next_batch(cache, chunks + i, n - i);
        if (ts_sc_write_batch(cache, chunks + i, count) < 0)
            fails(&status, mark);
        ts_mutex_lock(&cache->lock);
        for (size_t k = i; k < i + count; k++)
            ts_sc_busy_end(chunks[k]);
        ts_mutex_unlock(&cache->lock);
    }
    return status;
}

static int by_place(const void *a, const void *b)
{
    struct item x = {.c = *(struct ts_sc_chunk *const *)a}, y = {.c = *(struct ts_sc_chunk *const *)b};
    return by_position(&x, &y);
}

/* Makes all busy that are dirty, not busy, and were not tried yet. False when there are no more of these, busy or
 * not. */
static bool collect_dirty(struct ts_sc_dset *dset, uint64_t try, struct ts_sc_chunk **out, size_t *n)
{
    size_t pos = 0;
    uint64_t key;
    void *value;
    bool more = false;
    *n = 0;
    while (ts_map_next(&dset->chunks, &pos, &key, &value))
        for (struct ts_sc_chunk *c = value; c; c = c->same_key) {
            if (!c->dirty || c->tried == try)
                continue;
            more = true;
            if (c->busy)
                continue;
            c->tried = try;
            ts_sc_busy_begin(c);
            out[(*n)++] = c;
        }
    return more;
}

/* What others are about to write is waited for; when they failed it is tried here, to tell why. Each is tried once. */
static int flush_dset(struct ts_sc_dset *dset)
{
    struct ts_sc *cache = dset->cache;
    int status = 0;
    ts_mutex_lock(&cache->lock);
    uint64_t try = ++cache->tries;
    while (dset->n_dirty > 0) {
        size_t n = 0;
        struct ts_sc_chunk **chunks = ts_malloc(dset->n_dirty * sizeof(struct ts_sc_chunk *));
        bool more = chunks && collect_dirty(dset, try, chunks, &n);
        if (!more) {
            status = chunks ? status : -1;
            ts_free(chunks);
            break;
        }
        if (n == 0) {
            ts_free(chunks);
            ts_cond_wait(&cache->changed, &cache->lock);
            continue;
        }
        ts_mutex_unlock(&cache->lock);
        unsigned mark = ts_err_mark();
        qsort(chunks, n, sizeof *chunks, by_place);
        if (ts_sc_write_back(cache, chunks, n) < 0)
            fails(&status, mark);
        ts_free(chunks);
        ts_mutex_lock(&cache->lock);
    }
    if (status == 0)
        dset->failed = false;
    ts_mutex_unlock(&cache->lock);
    return status;
}

static void describe(const struct ts_sc_dset *dset, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "a dataset");
    if (dset->ops->describe)
        dset->ops->describe(dset->owner, name, NAME_SIZE);
}

static size_t count_dirty(struct ts_sc_dset *dset)
{
    ts_mutex_lock(&dset->cache->lock);
    size_t n = dset->n_dirty;
    ts_mutex_unlock(&dset->cache->lock);
    return n;
}

static int tell(struct ts_sc_dset *dset)
{
    char name[NAME_SIZE];
    describe(dset, name);
    return TS_ERR(DATASET, CANTFLUSH, "%s: chunks of %s could not be written: %zu stay in memory until the next flush",
                  dset->cache->file->name, name, count_dirty(dset));
}

int H5SC_flush_dset(struct ts_sc_dset *dset, bool evict)
{
    TS_MAY_MOVE_RAW_DATA();
    if (!dset->cache)
        return 0;
    if (flush_dset(dset) < 0)
        return tell(dset);
    if (evict)
        ts_sc_dset_drop(dset, NULL, NULL);
    return 0;
}

int ts_sc_may_write(struct ts_sc_dset *dset)
{
    struct ts_sc *cache = dset->cache;
    char name[NAME_SIZE];
    if (!dset->failed)
        return 0;
    ts_mutex_lock(&cache->lock);
    bool full = cache->stuck_bytes > cache->budget;
    ts_mutex_unlock(&cache->lock);
    if (!full || flush_dset(dset) == 0)
        return 0;
    describe(dset, name);
    return TS_ERR(DATASET, WRITEERROR, "%s: chunks of %s cannot be written, and no more of them fit into memory",
                  cache->file->name, name);
}

int ts_sc_flush_chunk(struct ts_sc_dset *dset, const hsize_t *scaled)
{
    struct ts_sc *cache = dset->cache;
    struct ts_sc_chunk *c;
    ts_mutex_lock(&cache->lock);
    while ((c = ts_sc_find(dset, scaled)) && c->dirty && c->busy)
        ts_cond_wait(&cache->changed, &cache->lock);
    bool dirty = c && c->dirty;
    if (dirty)
        ts_sc_busy_begin(c);
    ts_mutex_unlock(&cache->lock);
    return dirty ? ts_sc_write_back(cache, &c, 1) : 0;
}

void ts_sc_put_out_one(struct ts_sc_dset *dset, const hsize_t *scaled)
{
    struct ts_sc_chunk *c;
    unsigned mark = ts_err_mark();
    if (ts_sc_flush_chunk(dset, scaled) < 0)
        ts_err_rewind(mark);
    else if (ts_sc_claim(dset, scaled, TS_SC_QUIET, &c) == TS_SC_HIT)
        ts_sc_release(c, &(struct ts_sc_use){.drop = true});
}

/* One with dirty chunks that this flush has not seen yet. */
static struct ts_sc_dset *next_to_flush(const struct ts_sc *cache, uint64_t flush)
{
    struct ts_sc_dset *dset = cache->dsets;
    while (dset && (dset->n_dirty == 0 || dset->visited >= flush))
        dset = dset->next;
    return dset;
}

/* True when it failed, and that is of interest. The first that fails says why, the next ones which they are. */
static bool flush_fails(struct ts_sc_dset *dset, size_t before)
{
    unsigned mark = ts_err_mark();
    ts_rwlock_read(dset->order);
    ts_raw_work_begin(dset->cache->file);
    int status = flush_dset(dset);
    ts_raw_work_end(dset->cache->file);
    ts_rwlock_unlock(dset->order);
    if (status == 0)
        return false;
    bool doomed = fate_of(dset) != TS_SC_STAYS;
    if (doomed || before > 0)
        ts_err_rewind(mark);
    if (!doomed && before < MOST_NAMED)
        (void)tell(dset);
    return !doomed;
}

int H5SC_flush(struct ts_sc *cache)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_sc_dset *dset;
    size_t n_failed = 0;
    if (!cache->file->writable)
        return 0;
    ts_mutex_lock(&cache->lock);
    uint64_t flush = ++cache->flushes;
    while ((dset = next_to_flush(cache, flush))) {
        dset->visited = flush;
        dset->visitors++;
        ts_mutex_unlock(&cache->lock);
        n_failed += flush_fails(dset, n_failed);
        ts_mutex_lock(&cache->lock);
        dset->visitors--;
        pthread_cond_broadcast(&cache->changed);
    }
    ts_mutex_unlock(&cache->lock);
    return n_failed == 0 ? 0
                         : TS_ERR(DATASET, CANTFLUSH, "%s: not all chunks of %zu dataset(s) could be written",
                                  cache->file->name, n_failed);
}
