/* Runs of a selection come in the order of the extent, which meets a chunk again in each of its rows. So as many of
 * them as memory is meant for are taken, sorted by chunk, and given out chunk by chunk; then the next ones
 * (plan_parts.h). */
#include "chunk/plan_parts.h"

#include "base/alloc.h"
#include "chunk/plan_pairs.h"

#define RUNS 256
/* Runs that are sorted by chunk at a time: bounds the memory of a large irregular read. */
#define BATCH ((size_t)1 << 20)
/* With fewer than these a row of chunks is not worth sorting alone. */
#define PORTION ((size_t)1 << 13)
/* Sorting is by so many bits at a time. */
enum { BUCKET_BITS = 11, BUCKETS = 1 << BUCKET_BITS };

static void parts_clear(struct ts_plan_parts *p)
{
    p->n = p->n_stretches = p->next_stretch = 0;
    p->window.size = 0;
    p->sorted = true;
}

int ts_plan_parts_init(struct ts_plan_parts *p, const struct ts_plan *plan, const hsize_t *chunk, bool ascends)
{
    hsize_t inner = 1;
    *p = (struct ts_plan_parts){.plan = plan, .dims = plan->dims, .chunk = chunk, .ascends = ascends};
    for (unsigned d = 0; d < plan->rank; d++)
        p->grid[d] = plan->dims[d] / chunk[d] + (plan->dims[d] % chunk[d] != 0);
    for (p->split = plan->rank - 1; p->split > 0 && chunk[p->split] == plan->dims[p->split]; p->split--)
        inner *= chunk[p->split];
    p->line = inner * plan->dims[p->split];
    p->chunk_line = inner * chunk[p->split];
    parts_clear(p);
    p->walk = ts_pair_walk_new(plan);
    return p->walk ? 0 : -1;
}

void ts_plan_parts_deinit(struct ts_plan_parts *p)
{
    if (p->walk)
        ts_pair_walk_free(p->walk);
    ts_free(p->items);
    ts_free(p->spare);
    ts_free(p->stretches);
    ts_free(p->spare_stretches);
}

static struct ts_plan_window window_at(const struct ts_plan_parts *p, hsize_t at)
{
    hsize_t rest = at / p->line, column = at % p->line, behind = column % p->chunk_line;
    struct ts_plan_window w = {.start = at - behind, .row = column / p->chunk_line};
    hsize_t size = p->chunk_line;
    uint64_t grid = p->grid[p->split];
    w.size = ts_min_hsize(p->chunk_line, p->line - (column - behind));
    w.chunk = w.row;
    for (unsigned d = p->split; d-- > 0; rest /= p->dims[d]) {
        hsize_t x = rest % p->dims[d];
        w.row = x / p->chunk[d];
        w.src += x % p->chunk[d] * size;
        w.chunk += w.row * grid;
        size *= p->chunk[d];
        grid *= p->grid[d];
    }
    return w;
}

static void parts_swap(struct ts_plan_parts *p)
{
    struct ts_pair *items = p->items;
    struct ts_plan_stretch *stretches = p->stretches;
    size_t capacity = p->capacity, stretches_capacity = p->stretches_capacity;
    p->items = p->spare;
    p->capacity = p->spare_capacity;
    p->stretches = p->spare_stretches;
    p->stretches_capacity = p->spare_stretches_capacity;
    p->spare = items;
    p->spare_capacity = capacity;
    p->spare_stretches = stretches;
    p->spare_stretches_capacity = stretches_capacity;
}

/* By some bits of the chunk's number. Pairs move with their stretches: memory is read in order and written in a few
 * places at a time, where picking them up later would miss the processor's cache for each stretch. */
static void parts_sort_by(struct ts_plan_parts *p, unsigned shift)
{
    uint32_t pairs_at[BUCKETS + 1] = {0}, stretches_at[BUCKETS + 1] = {0};
    for (size_t i = 0; i < p->n_stretches; i++) {
        size_t b = (p->stretches[i].chunk - p->lowest) >> shift & (BUCKETS - 1);
        pairs_at[b + 1] += p->stretches[i].n;
        stretches_at[b + 1]++;
    }
    for (unsigned b = 0; b < BUCKETS; b++) {
        pairs_at[b + 1] += pairs_at[b];
        stretches_at[b + 1] += stretches_at[b];
    }
    for (size_t i = 0; i < p->n_stretches; i++) {
        struct ts_plan_stretch s = p->stretches[i];
        size_t b = (s.chunk - p->lowest) >> shift & (BUCKETS - 1);
        const struct ts_pair *from = p->items + s.first;
        s.first = pairs_at[b];
        for (uint32_t k = 0; k < s.n; k++)
            p->spare[pairs_at[b]++] = from[k];
        p->spare_stretches[stretches_at[b]++] = s;
    }
    parts_swap(p);
}

/* Stable: points keep their order within a chunk. A million of them take milliseconds. */
static int parts_sort(struct ts_plan_parts *p)
{
    uint64_t range = p->highest - p->lowest;
    if (p->sorted)
        return 0;
    if (TS_GROW(p->spare, p->spare_capacity, p->n) < 0 ||
        TS_GROW(p->spare_stretches, p->spare_stretches_capacity, p->n_stretches) < 0)
        return -1;
    for (unsigned shift = 0; shift < 64 && range >> shift != 0; shift += BUCKET_BITS)
        parts_sort_by(p, shift);
    return 0;
}

/* What comes next is of another chunk than what came before. */
static int parts_begin(struct ts_plan_parts *p, uint64_t chunk)
{
    struct ts_plan_stretch *last = p->n_stretches > 0 ? &p->stretches[p->n_stretches - 1] : NULL;
    if (last) {
        last->n = (uint32_t)(p->n - last->first);
        p->sorted = p->sorted && chunk > last->chunk;
    }
    p->lowest = last ? ts_min_hsize(p->lowest, chunk) : chunk;
    p->highest = last && p->highest > chunk ? p->highest : chunk;
    if (TS_GROW(p->stretches, p->stretches_capacity, p->n_stretches + 1) < 0)
        return -1;
    p->stretches[p->n_stretches++] = (struct ts_plan_stretch){.chunk = chunk, .first = (uint32_t)p->n};
    return 0;
}

/* Whether an element outside of the window lies in another row of chunks, and what is there is worth giving out before
 * it. */
static bool passes(const struct ts_plan_parts *p, const struct ts_plan_window *w)
{
    return p->ascends && w->row != p->window.row && p->n >= PORTION;
}

static int parts_move(struct ts_plan_parts *p, const struct ts_plan_window *w)
{
    bool same = p->n_stretches > 0 && p->stretches[p->n_stretches - 1].chunk == w->chunk;
    p->window = *w;
    return same ? 0 : parts_begin(p, w->chunk);
}

/* Cuts a run of the extent at the ends of windows. 0, or 1 when what is there is to be given out first: p->rest is what
 * is left of the run then. */
static inline int parts_add(struct ts_plan_parts *p, struct ts_pair run)
{
    while (run.n > 0) {
        bool full = p->n == BATCH;
        if (!full && run.src - p->window.start >= p->window.size) {
            struct ts_plan_window w = window_at(p, run.src);
            full = passes(p, &w);
            if (!full && parts_move(p, &w) < 0)
                return -1;
        }
        if (full) {
            p->rest = run;
            return 1;
        }
        if (p->n == p->capacity && TS_GROW(p->items, p->capacity, 2 * p->n + RUNS) < 0)
            return -1;
        hsize_t in_window = run.src - p->window.start, n = ts_min_hsize(p->window.size - in_window, run.n);
        p->items[p->n++] = (struct ts_pair){.src = p->window.src + in_window, .mem = run.mem, .n = n};
        run.src += n;
        run.mem += n;
        run.n -= n;
    }
    return 0;
}

/* As many as lie in the window and there is room for: nearly all. Returns how many these are. */
static size_t parts_add_inside(struct ts_plan_parts *p, const struct ts_pair *pairs, size_t n)
{
    const struct ts_plan_window w = p->window;
    size_t room = (p->capacity < BATCH ? p->capacity : BATCH) - p->n, i = 0;
    if (room == 0)
        return 0;
    struct ts_pair *to = p->items + p->n;
    for (n = n < room ? n : room; i < n; i++) {
        hsize_t in_window = pairs[i].src - w.start;
        if (in_window >= w.size || pairs[i].n > w.size - in_window)
            break;
        to[i] = (struct ts_pair){.src = w.src + in_window, .mem = pairs[i].mem, .n = pairs[i].n};
    }
    p->n += i;
    return i;
}

/* Takes what the walk has: 0 when that was all, 1 when enough is there. */
static int parts_take(struct ts_plan_parts *p)
{
    struct ts_pair rest = p->rest;
    p->rest.n = 0;
    int status = parts_add(p, rest);
    while (status == 0) {
        if (p->pair == p->n_pairs) {
            p->pair = 0;
            p->n_pairs = ts_pair_walk_next(p->walk, &p->pairs);
            if (p->n_pairs == 0)
                return 0;
        }
        p->pair += parts_add_inside(p, p->pairs + p->pair, p->n_pairs - p->pair);
        if (p->pair < p->n_pairs)
            status = parts_add(p, p->pairs[p->pair++]);
    }
    return status;
}

static int parts_fill(struct ts_plan_parts *p)
{
    parts_clear(p);
    if (parts_take(p) < 0)
        return -1;
    if (p->n_stretches > 0)
        p->stretches[p->n_stretches - 1].n = (uint32_t)(p->n - p->stretches[p->n_stretches - 1].first);
    return parts_sort(p);
}

int ts_plan_parts_next(struct ts_plan_parts *p, hsize_t *scaled)
{
    if (p->next_stretch == p->n_stretches && parts_fill(p) < 0)
        return -1;
    if (p->n_stretches == 0)
        return 0;
    const struct ts_plan_stretch *first = &p->stretches[p->next_stretch];
    uint64_t rest = first->chunk;
    for (unsigned d = p->plan->rank; d-- > 0; rest /= p->grid[d])
        scaled[d] = rest % p->grid[d];
    p->next_item = first->first;
    /* Its pairs lie together. */
    for (; p->next_stretch < p->n_stretches && p->stretches[p->next_stretch].chunk == first->chunk; p->next_stretch++)
        p->items_left += p->stretches[p->next_stretch].n;
    return 1;
}

size_t ts_plan_parts_pieces(struct ts_plan_parts *p, struct ts_piece *out, size_t max)
{
    size_t n = p->items_left < max ? p->items_left : max;
    const struct ts_pair *pairs = p->items + p->next_item;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct ts_piece){.src = pairs[i].src, .mem = pairs[i].mem, .n = pairs[i].n, .count = 1};
    p->next_item += n;
    p->items_left -= n;
    return n;
}
