#include "chunk/batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "space/chunk_sets.h"

#define MAX_CHUNKS ((size_t)1024)
/* So many pieces are enough for a batch, or as many more as it takes that all threads have as many chunks. */
#define ENOUGH_PIECES ((size_t)1 << 16)
#define MAX_PIECES ((size_t)1 << 18)
#define FEW_PIECES ((size_t)4)
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

void ts_sc_batch_init(struct ts_sc_batch *b, struct ts_sc *cache)
{
    *b = (struct ts_sc_batch){.cache = cache};
    ts_mutex_lock(&cache->lock);
    b->budget = cache->budget;
    b->threads = cache->threads;
    ts_mutex_unlock(&cache->lock);
}

void ts_sc_batch_from(struct ts_sc_batch *b, struct ts_plan_cursor *cursor, struct ts_sc_io *io, size_t n)
{
    b->from.cursor = cursor;
    b->from.io = io;
    b->from.n = n;
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
    if (b->from.open)
        ts_plan_end(b->from.cursor);
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

void ts_sc_batch_clear(struct ts_sc_batch *b)
{
    b->n = b->n_scaled = b->n_pieces = b->bytes = 0;
}

/* Arrays may have moved while they grew: only now places in them are pointers. */
void ts_sc_batch_gathered(struct ts_sc_batch *b)
{
    const hsize_t *scaled = b->scaled;
    const struct ts_piece *pieces = b->pieces;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        v->scaled = scaled;
        v->pieces = pieces;
        scaled += v->dset->rank;
        pieces += v->n;
    }
}

size_t ts_sc_batch_count(const struct ts_sc_batch *b, enum ts_sc_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += b->visits[i].state == state;
    return n;
}

/* What a batch may take: a part of the budget, but each thread should have a chunk if the budget allows it at all. With
 * less than LEAST_BYTES there would be a call for each small chunk. Where a chunk takes little of what it could, a few for
 * each thread are enough. */
static size_t limit(const struct ts_sc_batch *b, const struct ts_sc_scale *scale)
{
    size_t most = b->budget / 4 > LEAST_BYTES ? b->budget / 4 : LEAST_BYTES, each, enough;
    if (!ts_mul_size(scale->chunk_bytes, (size_t)b->threads + 1, &each) || each > b->budget / 2)
        each = b->budget / 2;
    most = most > each ? most : each;
    if (scale->usual_bytes == 0 || !ts_mul_size(scale->usual_bytes, 4 * ((size_t)b->threads + 1), &enough) || enough > most)
        return most;
    return enough > LEAST_BYTES ? enough : LEAST_BYTES;
}

void ts_sc_scale_init(const struct ts_sc_batch *b, struct ts_sc_io *io)
{
    const struct ts_sc_dset *dset = io->dset;
    const struct ts_chunk_sets *sets = io->plan ? io->plan->sets : NULL;
    struct ts_sc_scale *s = &io->scale;
    s->chunk_bytes = ts_sc_chunk_bytes(dset);
    s->usual_bytes = 0;
    s->chunks = io->plan ? ts_plan_most_chunks(io->plan, dset->chunk_dims) : 0;
    s->large = s->chunks > b->budget / 2 / s->chunk_bytes;
    s->bulk = s->chunks > BULK_BYTES / s->chunk_bytes;
    s->exact = sets && sets->stamp != 0 && sets->stamp == dset->stamp;
    ts_mutex_lock(&b->cache->lock);
    s->skip = io->bypass || dset->uncached || (s->chunk_bytes > b->budget && !dset->layout.sparse);
    ts_mutex_unlock(&b->cache->lock);
}

bool ts_sc_batch_floods(const struct ts_sc_batch *b, const struct ts_sc_io *io, size_t bytes)
{
    return io->scale.chunks > 0 && bytes > b->budget / 2 / io->scale.chunks;
}

static bool ascends(const struct ts_sc_batch *b, const struct ts_sc_io *io, const hsize_t *scaled)
{
    unsigned rank = io->dset->rank;
    if (b->n == 0 || b->visits[b->n - 1].io != io)
        return true;
    const hsize_t *before = b->scaled + b->n_scaled - rank;
    for (unsigned d = 0; d < rank; d++)
        if (before[d] != scaled[d])
            return before[d] < scaled[d];
    return false;
}

bool ts_sc_batch_is_full(const struct ts_sc_batch *b)
{
    return b->n == MAX_CHUNKS || b->n_pieces >= MAX_PIECES ||
           (b->n_pieces >= ENOUGH_PIECES && b->n % (b->threads + 1) == 0) ||
           (b->n > 0 && b->bytes >= limit(b, &b->visits[b->n - 1].io->scale));
}

int ts_sc_batch_add(struct ts_sc_batch *b, struct ts_sc_io *io, const hsize_t *scaled)
{
    unsigned rank = io->dset->rank;
    const struct ts_sc_scale *s = &io->scale;
    if (TS_GROW(b->visits, b->capacity, b->n + 1) < 0 || TS_GROW(b->scaled, b->scaled_capacity, b->n_scaled + rank) < 0)
        return -1;
    memcpy(b->scaled + b->n_scaled, scaled, rank * sizeof *scaled);
    b->visits[b->n++] = (struct ts_sc_visit){.io = io, .dset = io->dset, .from = HSIZE_UNDEF, .skip = s->skip};
    b->n_scaled += rank;
    if (!ts_add_size(b->bytes, s->usual_bytes > 0 ? s->usual_bytes : s->chunk_bytes, &b->bytes))
        b->bytes = SIZE_MAX;
    return 0;
}

struct ts_piece *ts_sc_batch_room(struct ts_sc_batch *b, size_t *n)
{
    if (b->n_pieces == b->pieces_capacity && TS_GROW(b->pieces, b->pieces_capacity, b->n_pieces + FEW_PIECES) < 0)
        return NULL;
    size_t room = b->pieces_capacity - b->n_pieces, left = MAX_PIECES - b->visits[b->n - 1].n;
    *n = room < left ? room : left;
    return b->pieces + b->n_pieces;
}

void ts_sc_batch_take(struct ts_sc_batch *b, size_t n)
{
    const struct ts_piece *pieces = b->pieces + b->n_pieces;
    struct ts_sc_visit *v = &b->visits[b->n - 1];
    hsize_t elements = 0, low = v->from, high = v->to;
    for (size_t i = 0; i < n; i++) {
        struct ts_piece p = pieces[i];
        hsize_t to = p.src + (p.count - 1) * p.src_step + p.n;
        elements += p.n * p.count;
        low = p.src < low ? p.src : low;
        high = to > high ? to : high;
    }
    v->elements += elements;
    v->from = low;
    v->to = high;
    v->n += n;
    b->n_pieces += n;
}

/* The cursor's chunk: all of its pieces, or as many as a chunk may have in a batch. */
static int take_chunk(struct ts_sc_batch *b, struct ts_sc_io *io)
{
    struct ts_sc_source *s = &b->from;
    struct ts_plan_cursor *c = s->cursor;
    if (ts_sc_batch_add(b, io, c->scaled) < 0)
        return -1;
    struct ts_sc_visit *v = &b->visits[b->n - 1];
    v->set = c->set;
    while (c->more && v->n < MAX_PIECES) {
        size_t n;
        struct ts_piece *room = ts_sc_batch_room(b, &n);
        if (!room)
            return -1;
        ts_sc_batch_take(b, ts_plan_next_pieces(c, room, n));
    }
    v->split = s->split || c->more;
    s->pending = s->split = c->more;
    return 0;
}

static bool has_dset(const struct ts_sc_batch *b, const struct ts_sc_dset *dset)
{
    for (size_t i = b->n; i-- > 0;)
        if (b->visits[i].dset == dset)
            return true;
    return false;
}

/* Begins with the next selection: 1, 0 when there is none, or its dataset is in the batch: ios are served in the order of
 * the array, so what comes again waits for what came before. */
static int open_next(struct ts_sc_batch *b)
{
    struct ts_sc_source *s = &b->from;
    while (s->next < s->n && (s->io[s->next].skip_io || s->io[s->next].plan->total == 0))
        s->next++;
    struct ts_sc_io *io = s->io + s->next;
    if (s->next == s->n || has_dset(b, io->dset))
        return 0;
    ts_sc_scale_init(b, io);
    if (ts_plan_begin(s->cursor, io->plan, io->dset->chunk_dims, s->by_sets && io->dset->ops->defined_set) < 0)
        return -1;
    s->next++;
    s->open = true;
    return 1;
}

/* Moves the cursor to a chunk that is to come next: 1, 0 when the batch ends here, -1. */
static int find_chunk(struct ts_sc_batch *b)
{
    struct ts_sc_source *s = &b->from;
    int found = s->pending;
    while (found == 0) {
        if (!s->open && (found = open_next(b)) <= 0)
            return found;
        found = ts_plan_next_chunk(s->cursor);
        if (found == 0) {
            ts_plan_end(s->cursor);
            s->open = false;
        }
    }
    s->pending = found > 0;
    return found;
}

int ts_sc_batch_next(struct ts_sc_batch *b)
{
    struct ts_sc_source *s = &b->from;
    int found = 1;
    ts_sc_batch_clear(b);
    while (!ts_sc_batch_is_full(b) && (found = find_chunk(b)) > 0) {
        struct ts_sc_io *io = &s->io[s->next - 1];
        if (!ascends(b, io, s->cursor->scaled))
            break;
        if (take_chunk(b, io) < 0)
            return -1;
    }
    ts_sc_batch_gathered(b);
    return found < 0 ? -1 : b->n > 0;
}
