#include "chunk/batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "space/chunk_sets.h"

#define MAX_CHUNKS ((size_t)1024)
/* So many pieces are enough for a batch, or as many more as it takes that all threads have as many chunks. */
#define ENOUGH_PIECES ((size_t)1 << 16)
#define MAX_PIECES ((size_t)1 << 18)
#define PORTION ((size_t)1 << 10)
#define LEAST_BYTES ((size_t)256 << 10)
#define BULK_BYTES ((size_t)64 << 10)
/* Reading this many bytes more costs about as much as another call. */
#define CALL_BYTES ((size_t)16 << 10)

size_t ts_sc_chunk_bytes(const struct ts_sc_dset *dset)
{
    size_t bytes;
    if (dset->chunk_elements > SIZE_MAX || !ts_mul_size((size_t)dset->chunk_elements, dset->element_size, &bytes))
        return SIZE_MAX;
    return bytes > 0 ? bytes : (size_t)dset->chunk_elements;
}

hsize_t ts_sc_chunk_inside(const struct ts_sc_dset *dset, const hsize_t *scaled)
{
    hsize_t n = 1;
    for (unsigned d = 0; d < dset->rank; d++) {
        hsize_t low = scaled[d] * dset->chunk_dims[d], left = dset->dims[d] > low ? dset->dims[d] - low : 0;
        n *= left < dset->chunk_dims[d] ? left : dset->chunk_dims[d];
    }
    return n;
}

hsize_t ts_sc_chunk_linear(const struct ts_sc_dset *dset, const hsize_t *scaled)
{
    hsize_t at = 0;
    for (unsigned d = 0; d < dset->rank; d++)
        at = at * ts_div_ceil(dset->dims[d], dset->chunk_dims[d]) + scaled[d];
    return at;
}

bool ts_sc_chunk_comes_back(struct ts_sc_dset *dset, const hsize_t *scaled)
{
    struct ts_sc *cache = dset->cache;
    size_t enough = ts_sc_chunk_bytes(dset) / CALL_BYTES;
    if (enough < 2)
        return true;
    hsize_t at = ts_sc_chunk_linear(dset, scaled) + 1;
    uint32_t who = (uint32_t)((((uintptr_t)dset >> 4) ^ at) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    ts_mutex_lock(&cache->lock);
    struct ts_sc_touch *t = &cache->touched[who % TS_SC_TOUCHED];
    t->count = t->who == who ? t->count + 1 : 1;
    t->who = who;
    /* Who went through the last chunk bit by bit will do so with the next; who took one bit of it will take one of that. */
    bool goes_on = dset->last_touched == at || (at > 1 && dset->last_touched == at - 1 && dset->last_again);
    bool again = goes_on || t->count > enough;
    dset->last_touched = at;
    dset->last_again = again;
    ts_mutex_unlock(&cache->lock);
    return again;
}

void ts_sc_add_counts(struct ts_sc *cache, H5F_chunk_cache_stats_t *counts)
{
    H5F_chunk_cache_stats_t *to = &cache->stats;
    ts_mutex_lock(&cache->lock);
    to->hits += counts->hits;
    to->misses += counts->misses;
    to->loads += counts->loads;
    to->loads_ahead += counts->loads_ahead;
    to->encodes += counts->encodes;
    to->bypasses += counts->bypasses;
    to->bytes_read += counts->bytes_read;
    to->bytes_written += counts->bytes_written;
    to->read_calls += counts->read_calls;
    to->write_calls += counts->write_calls;
    ts_mutex_unlock(&cache->lock);
    *counts = (H5F_chunk_cache_stats_t){0};
}

void ts_sc_batch_init(struct ts_sc_batch *b, struct ts_sc *cache, int (*serve)(struct ts_sc_batch *b))
{
    *b = (struct ts_sc_batch){.cache = cache, .serve = serve};
    ts_mutex_lock(&cache->lock);
    b->budget = cache->budget;
    b->threads = cache->threads;
    ts_mutex_unlock(&cache->lock);
}

void ts_sc_batch_deinit(struct ts_sc_batch *b)
{
    for (unsigned i = 0; b->lanes && i < b->threads; i++)
        if (b->lanes[i].io)
            ts_xfer_deinit(&b->lanes[i].xfer);
    ts_free(b->lanes);
    ts_free(b->visits);
    ts_free(b->scaled);
    ts_free(b->pieces);
    ts_free(b->spots);
    ts_free(b->todo);
    ts_free(b->vectors);
    ts_free(b->placed);
    ts_free(b->outs);
    for (size_t i = 0; i < b->n_late; i++)
        ts_free(b->late[i].coded.bytes);
    ts_free(b->late);
    ts_free(b->late_scaled);
}

struct ts_xfer *ts_sc_lane_xfer(struct ts_sc_batch *b, const struct ts_sc_visit *v, unsigned lane)
{
    if (lane == 0)
        return v->io->xfer;
    struct ts_sc_lane *l = &b->lanes[lane - 1];
    if (l->io != v->io) {
        if (l->io)
            ts_xfer_deinit(&l->xfer);
        ts_xfer_clone(&l->xfer, v->io->xfer);
        l->io = v->io;
    }
    return &l->xfer;
}

/* Arrays may have moved while they grew: only now places in them are pointers. */
void ts_sc_batch_settle(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        v->scaled = b->scaled + v->scaled_at;
        v->pieces = b->pieces + v->pieces_at;
    }
}

int ts_sc_batch_flush(struct ts_sc_batch *b)
{
    if (b->n == 0)
        return 0;
    ts_sc_batch_settle(b);
    int status = b->serve(b);
    ts_sc_add_counts(b->cache, &b->counts);
    b->n = b->n_scaled = b->n_pieces = b->bytes = 0;
    return status;
}

size_t ts_sc_batch_count(const struct ts_sc_batch *b, enum ts_sc_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += b->visits[i].state == state;
    return n;
}

static bool has_dset(const struct ts_sc_batch *b, const struct ts_sc_dset *dset)
{
    for (size_t i = b->n; i-- > 0;)
        if (b->visits[i].dset == dset)
            return true;
    return false;
}

/* What a batch may take: a part of the budget, but each thread should have a chunk if the budget allows it at all. With
 * less than LEAST_BYTES there would be a call for each small chunk. Where a chunk takes little of what it could, a few for
 * each thread are enough. */
static size_t limit(const struct ts_sc_batch *b)
{
    size_t most = b->budget / 4 > LEAST_BYTES ? b->budget / 4 : LEAST_BYTES, each, enough;
    if (!ts_mul_size(b->chunk_bytes, (size_t)b->threads + 1, &each) || each > b->budget / 2)
        each = b->budget / 2;
    most = most > each ? most : each;
    if (b->usual_bytes == 0 || !ts_mul_size(b->usual_bytes, 4 * ((size_t)b->threads + 1), &enough) || enough > most)
        return most;
    return enough > LEAST_BYTES ? enough : LEAST_BYTES;
}

int ts_sc_batch_io(struct ts_sc_batch *b, struct ts_sc_io *io)
{
    struct ts_sc_dset *dset = io->dset;
    /* Served in the order of the array: what comes again waits for what came before. */
    if (has_dset(b, dset) && ts_sc_batch_flush(b) < 0)
        return -1;
    b->io = io;
    b->chunk_bytes = ts_sc_chunk_bytes(dset);
    b->usual_bytes = 0;
    ts_mutex_lock(&b->cache->lock);
    b->skip = io->bypass || dset->uncached || (b->chunk_bytes > b->budget && !dset->layout.sparse);
    ts_mutex_unlock(&b->cache->lock);
    hsize_t chunks = io->plan ? ts_plan_most_chunks(io->plan, dset->chunk_dims) : 0;
    b->most_chunks = chunks;
    b->large = chunks > b->budget / 2 / b->chunk_bytes;
    b->bulk = chunks > BULK_BYTES / b->chunk_bytes;
    return 0;
}

bool ts_sc_batch_floods(const struct ts_sc_batch *b, size_t bytes)
{
    return b->most_chunks > 0 && bytes > b->budget / 2 / b->most_chunks;
}

static bool ascends(const struct ts_sc_batch *b, const hsize_t *scaled)
{
    const struct ts_sc_visit *last = b->n > 0 ? &b->visits[b->n - 1] : NULL;
    if (!last || last->io != b->io)
        return true;
    const hsize_t *before = b->scaled + last->scaled_at;
    for (unsigned d = 0; d < b->io->dset->rank; d++)
        if (before[d] != scaled[d])
            return before[d] < scaled[d];
    return false;
}

static bool is_full(const struct ts_sc_batch *b)
{
    return b->n == MAX_CHUNKS || b->n_pieces >= MAX_PIECES ||
           (b->n_pieces >= ENOUGH_PIECES && b->n % (b->threads + 1) == 0) || (b->n > 0 && b->bytes >= limit(b));
}

int ts_sc_batch_chunk(struct ts_sc_batch *b, const hsize_t *scaled)
{
    unsigned rank = b->io->dset->rank;
    if ((is_full(b) || !ascends(b, scaled)) && ts_sc_batch_flush(b) < 0)
        return -1;
    if (TS_GROW(b->visits, b->capacity, b->n + 1) < 0 || TS_GROW(b->scaled, b->scaled_capacity, b->n_scaled + rank) < 0)
        return -1;
    memcpy(b->scaled + b->n_scaled, scaled, rank * sizeof *scaled);
    b->visits[b->n++] = (struct ts_sc_visit){.io = b->io, .dset = b->io->dset, .scaled_at = b->n_scaled,
                                             .pieces_at = b->n_pieces, .from = HSIZE_UNDEF, .skip = b->skip,
                                             .large = b->large,
                                             .bulk = b->bulk};
    b->n_scaled += rank;
    return 0;
}

/* A chunk with more pieces than a batch takes comes in parts. */
static int split(struct ts_sc_batch *b)
{
    hsize_t scaled[H5S_MAX_RANK];
    struct ts_sc_visit *v = &b->visits[b->n - 1];
    memcpy(scaled, b->scaled + v->scaled_at, v->dset->rank * sizeof *scaled);
    struct ts_run_set *set = v->set;
    v->split = true;
    if (ts_sc_batch_chunk_end(b) < 0 || ts_sc_batch_flush(b) < 0 || ts_sc_batch_chunk(b, scaled) < 0)
        return -1;
    b->visits[b->n - 1].split = true;
    b->visits[b->n - 1].set = set;
    b->visits[b->n - 1].exact = b->exact;
    return 0;
}

/* Room for n pieces more; the visit that gets them, NULL when memory is short. */
static struct ts_sc_visit *room_for(struct ts_sc_batch *b, size_t n)
{
    if (b->visits[b->n - 1].n + n > MAX_PIECES && split(b) < 0)
        return NULL;
    if (TS_GROW(b->pieces, b->pieces_capacity, b->n_pieces + n) < 0)
        return NULL;
    return &b->visits[b->n - 1];
}

int ts_sc_batch_pieces(struct ts_sc_batch *b, const struct ts_piece *pieces, size_t n)
{
    struct ts_sc_visit *v = room_for(b, n);
    if (!v)
        return -1;
    memcpy(b->pieces + b->n_pieces, pieces, n * sizeof *pieces);
    b->n_pieces += n;
    v->n += n;
    for (size_t i = 0; i < n; i++) {
        hsize_t to = pieces[i].src + (pieces[i].count - 1) * pieces[i].src_step + pieces[i].n;
        v->elements += pieces[i].n * pieces[i].count;
        v->from = pieces[i].src < v->from ? pieces[i].src : v->from;
        v->to = to > v->to ? to : v->to;
    }
    return 0;
}

static int add_pairs(struct ts_sc_batch *b, const struct ts_pair *pairs, size_t n)
{
    struct ts_sc_visit *v = room_for(b, n);
    if (!v)
        return -1;
    struct ts_piece *to = b->pieces + b->n_pieces;
    hsize_t elements = 0, low = v->from, high = v->to;
    for (size_t i = 0; i < n; i++) {
        struct ts_pair p = pairs[i];
        to[i] = (struct ts_piece){.src = p.src, .mem = p.mem, .n = p.n, .count = 1};
        elements += p.n;
        low = p.src < low ? p.src : low;
        high = p.src + p.n > high ? p.src + p.n : high;
    }
    b->n_pieces += n;
    v->n += n;
    v->elements += elements;
    v->from = low;
    v->to = high;
    return 0;
}

int ts_sc_batch_chunk_end(struct ts_sc_batch *b)
{
    if (!ts_add_size(b->bytes, b->usual_bytes > 0 ? b->usual_bytes : b->chunk_bytes, &b->bytes))
        b->bytes = SIZE_MAX;
    return 0;
}

static int begin(const hsize_t *scaled, void *ctx)
{
    return ts_sc_batch_chunk(ctx, scaled);
}

static int pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    return ts_sc_batch_pieces(ctx, pieces, n);
}

/* A long list goes on in portions that a batch takes. */
static int pairs(const struct ts_pair *pairs, size_t n, void *ctx)
{
    for (size_t some; n > 0; pairs += some, n -= some) {
        some = n < PORTION ? n : PORTION;
        if (add_pairs(ctx, pairs, some) < 0)
            return -1;
    }
    return 0;
}

static int members(struct ts_run_set *set, const struct ts_piece *lines, size_t n, void *ctx)
{
    struct ts_sc_batch *b = ctx;
    b->visits[b->n - 1].set = set;
    b->visits[b->n - 1].exact = b->exact;
    return ts_sc_batch_pieces(b, lines, n);
}

static int end(void *ctx)
{
    return ts_sc_batch_chunk_end(ctx);
}

int ts_sc_batch_add(struct ts_sc_batch *b, struct ts_sc_io *io)
{
    struct ts_plan_chunk_ops ops = {begin, pieces, pairs, end, NULL};
    if (io->skip_io || io->plan->total == 0)
        return 0;
    if (b->by_sets && io->dset->ops->defined_set)
        ops.members = members;
    const struct ts_chunk_sets *sets = io->plan->sets;
    b->exact = sets && sets->stamp != 0 && sets->stamp == io->dset->stamp;
    return ts_sc_batch_io(b, io) < 0 ? -1 : ts_plan_chunks(io->plan, io->dset->chunk_dims, &ops, b);
}
