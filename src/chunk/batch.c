/* Gathering a batch: the next chunks of an operation's selections, with their pieces, as many as may be in memory at
 * once. Read ts_sc_batch_next, at the end; what is done with a batch stands in read.c and write.c, its steps in
 * load.c. */
#include "chunk/batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "space/chunk_sets.h"

#define FEW_PIECES ((size_t)4)

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

/* Counts a use of a little of a chunk that is not in memory, nor coded: true when it is time to bring it there, for it
 * or the one before it was used last, or it so often that reading it whole would have cost no more. */
static bool comes_back(struct ts_sc_dset *dset, const hsize_t *scaled)
{
    struct ts_sc *cache = dset->cache;
    size_t enough = ts_sc_uses_until_whole(ts_sc_chunk_bytes(dset));
    if (enough < 2)
        return true;
    hsize_t at = ts_sc_chunk_linear(dset, scaled) + 1;
    uint32_t who = (uint32_t)((((uintptr_t)dset >> 4) ^ at) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    ts_mutex_lock(&cache->lock);
    struct ts_sc_touch *t = &cache->touched[who % TS_SC_TOUCHED];
    t->count = t->who == who ? t->count + 1 : 1;
    t->who = who;
    /* Who went through the last chunk bit by bit will do so with the next; who took one bit of it will take one of
     * that. */
    bool goes_on = dset->last_touched == at || (at > 1 && dset->last_touched == at - 1 && dset->last_again);
    bool again = goes_on || t->count > enough;
    dset->last_touched = at;
    dset->last_again = again;
    ts_mutex_unlock(&cache->lock);
    return again;
}

struct ts_sc_facts ts_sc_visit_facts(const struct ts_sc_batch *b, const struct ts_sc_visit *v)
{
    const struct ts_sc_dset *dset = v->dset;
    const struct ts_sc_scale *s = &v->io->scale;
    return (struct ts_sc_facts){.nowhere = v->in.at.addr == HADDR_UNDEF,
                                .coded = dset->layout.coded,
                                .skip = v->skip,
                                .large = s->large,
                                .bulk = s->bulk,
                                .bytes = s->chunk_bytes,
                                .budget = b->budget,
                                .elements = v->want.elements,
                                .inside = ts_sc_chunk_inside(dset, v->want.scaled),
                                .pieces = v->want.n};
}

struct ts_sc_way ts_sc_visit_way(const struct ts_sc_visit *v, struct ts_sc_facts *f)
{
    struct ts_sc_way way = ts_sc_way_of(f);
    if (way.route != TS_SC_ASK)
        return way;
    f->again = comes_back(v->dset, v->want.scaled) ? TS_SC_AGAIN : TS_SC_ONCE;
    return ts_sc_way_of(f);
}

void ts_sc_add_counts(struct ts_sc *cache, H5F_chunk_cache_stats_t *counts)
{
    static const H5F_chunk_cache_stats_t none;
    H5F_chunk_cache_stats_t *to = &cache->stats;
    if (memcmp(counts, &none, sizeof none) == 0)
        return;
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
    *b = (struct ts_sc_batch){.cache = cache, .budget = cache->budget, .threads = cache->threads};
}

void ts_sc_batch_from(struct ts_sc_batch *b, struct ts_plan_cursor *cursor, struct ts_sc_io *io, size_t n)
{
    b->from.cursor = cursor;
    b->from.io = io;
    b->from.n = n;
}

void ts_sc_batch_follow(struct ts_sc_batch *next, struct ts_sc_batch *b)
{
    next->cache = b->cache;
    next->budget = b->budget;
    next->threads = b->threads;
    next->claim = b->claim;
    next->from = b->from;
    b->from = (struct ts_sc_source){.io = b->from.io};
}

void ts_sc_batch_deinit(struct ts_sc_batch *b)
{
    struct ts_sc_scratch *s = &b->scratch;
    for (unsigned i = 0; s->lanes && i < b->threads; i++)
        if (s->lanes[i].io)
            ts_xfer_deinit(&s->lanes[i].xfer);
    ts_free(s->lanes);
    ts_free(s->spots);
    ts_free(s->todo);
    ts_free(s->vectors);
    ts_free(b->visits);
    ts_free(b->scaled.items);
    ts_free(b->pieces.items);
    if (b->from.open)
        ts_plan_end(b->from.cursor);
}

struct ts_xfer *ts_sc_lane_xfer(struct ts_sc_batch *b, const struct ts_sc_visit *v, unsigned lane)
{
    if (lane == 0)
        return v->io->xfer;
    struct ts_sc_lane *l = &b->scratch.lanes[lane - 1];
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
    b->n = b->scaled.n = b->pieces.n = b->bytes = 0;
}

/* Arrays may have moved while they grew: only now places in them are pointers. */
void ts_sc_batch_gathered(struct ts_sc_batch *b)
{
    const hsize_t *scaled = b->scaled.items;
    const struct ts_piece *pieces = b->pieces.items;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        v->want.scaled = scaled;
        v->want.pieces = pieces;
        scaled += v->dset->rank;
        pieces += v->want.n;
    }
}

size_t ts_sc_batch_count(const struct ts_sc_batch *b, enum ts_sc_route route)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += ts_sc_goes(&b->visits[i], route);
    return n;
}

void ts_sc_scale_init(const struct ts_sc_batch *b, struct ts_sc_io *io)
{
    const struct ts_sc_dset *dset = io->dset;
    const struct ts_chunk_sets *sets = io->plan ? io->plan->sets : NULL;
    struct ts_sc_scale *s = &io->scale;
    s->chunk_bytes = ts_sc_chunk_bytes(dset);
    s->usual_bytes = 0;
    s->chunks = io->plan ? ts_plan_most_chunks(io->plan, dset->chunk_dims) : 0;
    s->large = ts_sc_is_large(s->chunks, s->chunk_bytes, b->budget);
    s->bulk = ts_sc_is_bulk(s->chunks, s->chunk_bytes);
    s->exact = sets && sets->stamp != 0 && sets->stamp == dset->stamp;
    s->skip = io->bypass || dset->uncached || (s->chunk_bytes > b->budget && !dset->layout.sparse);
}

static bool ascends(const struct ts_sc_batch *b, const struct ts_sc_io *io, const hsize_t *scaled)
{
    unsigned rank = io->dset->rank;
    if (b->n == 0 || b->visits[b->n - 1].io != io)
        return true;
    const hsize_t *before = b->scaled.items + b->scaled.n - rank;
    for (unsigned d = 0; d < rank; d++)
        if (before[d] != scaled[d])
            return before[d] < scaled[d];
    return false;
}

/* What a chunk takes, as far as that is known. */
static size_t bytes_of_each(const struct ts_sc_scale *s)
{
    return s->usual_bytes > 0 ? s->usual_bytes : s->chunk_bytes;
}

bool ts_sc_batch_is_full(const struct ts_sc_batch *b)
{
    if (ts_sc_batch_counts_full(b->n, b->pieces.n, b->threads))
        return true;
    const struct ts_sc_scale *s = b->n > 0 ? &b->visits[b->n - 1].io->scale : NULL;
    return s && b->bytes >= ts_sc_batch_bytes(b->budget, b->threads, bytes_of_each(s));
}

int ts_sc_batch_add(struct ts_sc_batch *b, struct ts_sc_io *io, const hsize_t *scaled)
{
    unsigned rank = io->dset->rank;
    const struct ts_sc_scale *s = &io->scale;
    if (TS_GROW(b->visits, b->capacity, b->n + 1) < 0 ||
        TS_GROW(b->scaled.items, b->scaled.capacity, b->scaled.n + rank) < 0)
        return -1;
    memcpy(b->scaled.items + b->scaled.n, scaled, rank * sizeof *scaled);
    b->visits[b->n++] = (struct ts_sc_visit){.io = io, .dset = io->dset, .want.from = HSIZE_UNDEF, .skip = s->skip};
    b->scaled.n += rank;
    if (!ts_add_size(b->bytes, bytes_of_each(s), &b->bytes))
        b->bytes = SIZE_MAX;
    return 0;
}

struct ts_piece *ts_sc_batch_room(struct ts_sc_batch *b, size_t *n)
{
    if (b->pieces.n == b->pieces.capacity && TS_GROW(b->pieces.items, b->pieces.capacity, b->pieces.n + FEW_PIECES) < 0)
        return NULL;
    size_t room = b->pieces.capacity - b->pieces.n, left = TS_SC_MOST_PIECES - b->visits[b->n - 1].want.n;
    *n = room < left ? room : left;
    return b->pieces.items + b->pieces.n;
}

void ts_sc_batch_take(struct ts_sc_batch *b, size_t n)
{
    const struct ts_piece *pieces = b->pieces.items + b->pieces.n;
    struct ts_sc_want *w = &b->visits[b->n - 1].want;
    hsize_t elements = 0, low = w->from, high = w->to;
    for (size_t i = 0; i < n; i++) {
        struct ts_piece p = pieces[i];
        hsize_t to = p.src + (p.count - 1) * p.src_step + p.n;
        elements += p.n * p.count;
        low = p.src < low ? p.src : low;
        high = to > high ? to : high;
    }
    w->elements += elements;
    w->from = low;
    w->to = high;
    w->n += n;
    b->pieces.n += n;
}

/* A coded chunk that is read whole, in an operation with more of them than the cache should be flooded with: whoever
 * decodes it moves its elements, and frees it. */
static bool passes(const struct ts_sc_batch *b, const struct ts_sc_visit *v)
{
    const struct ts_sc_layout *layout = &v->dset->layout;
    return b->threads > 0 && !(b->claim & TS_SC_CHANGE) && v->io->scale.large && v->io->parallel && !v->want.split &&
           layout->coded && layout->any_thread && !layout->sparse &&
           v->want.elements >= ts_sc_chunk_inside(v->dset, v->want.scaled);
}

/* The cursor's chunk: all of its pieces, or as many as a chunk may have in a batch. */
static int take_chunk(struct ts_sc_batch *b, struct ts_sc_io *io)
{
    struct ts_sc_source *s = &b->from;
    struct ts_plan_cursor *c = s->cursor;
    if (ts_sc_batch_add(b, io, c->scaled) < 0)
        return -1;
    struct ts_sc_visit *v = &b->visits[b->n - 1];
    v->want.set = c->set;
    while (c->more && v->want.n < TS_SC_MOST_PIECES) {
        size_t n;
        struct ts_piece *room = ts_sc_batch_room(b, &n);
        if (!room)
            return -1;
        ts_sc_batch_take(b, ts_plan_next_pieces(c, room, n));
    }
    v->want.split = s->split || c->more;
    s->pending = s->split = c->more;
    v->want.scaled = c->scaled;
    v->passes = passes(b, v);
    if (v->passes)
        b->bytes -= ts_sc_passing_saves(io->scale.chunk_bytes);
    return 0;
}

static bool has_dset(const struct ts_sc_batch *b, const struct ts_sc_dset *dset)
{
    for (size_t i = b->n; i-- > 0;)
        if (b->visits[i].dset == dset)
            return true;
    return false;
}

/* Begins with the next selection: 1, 0 when there is none, or its dataset is in the batch: ios are served in the order
 * of the array, so what comes again waits for what came before. */
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
