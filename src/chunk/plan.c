#include "chunk/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

#define PIECES 64
#define RUNS 256
/* Runs that are sorted by chunk at a time: bounds the memory of a large irregular read. */
#define BATCH ((size_t)1 << 20)

static hsize_t min_size(hsize_t a, hsize_t b)
{
    return a < b ? a : b;
}

static void extent_of(struct ts_plan *plan, const struct ts_space *s)
{
    plan->rank = ts_space_rank(s);
    if (plan->rank == 0) {
        plan->rank = 1;
        plan->dims[0] = 1;
        return;
    }
    memcpy(plan->dims, ts_space_dims(s), plan->rank * sizeof plan->dims[0]);
}

/* The selection's hyperslab with its offset applied; adjacent blocks are made one. */
static bool regular_slab(const struct ts_space *s, struct ts_slab *slab)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    unsigned rank = ts_space_rank(s);
    if (rank == 0) {
        slab[0] = (struct ts_slab){.start = 0, .stride = 1, .count = 1, .block = 1};
        return ts_space_sel_type(s) != H5S_SEL_NONE;
    }
    if (!ts_space_regular(s, start, stride, count, block))
        return false;
    const hssize_t *offset = ts_space_sel_type(s) == H5S_SEL_HYPERSLABS ? ts_space_offset(s) : NULL;
    for (unsigned d = 0; d < rank; d++) {
        struct ts_slab one = {.start = start[d], .stride = stride[d], .count = count[d], .block = block[d]};
        if (offset)
            one.start += (hsize_t)offset[d];
        if (one.count == 1 || one.stride == one.block) {
            one.block *= one.count;
            one.count = 1;
            one.stride = one.block;
        }
        slab[d] = one;
    }
    return true;
}

/* Memory that is one run, or a box with the file selection's shape once dimensions of size 1 are dropped. */
static bool affine_memory(struct ts_plan *plan, const struct ts_space *mem)
{
    struct ts_run run;
    if (ts_space_single_run(mem, &run)) {
        plan->mem_start = run.offset;
        hsize_t product = 1;
        for (unsigned d = plan->rank; d-- > 0;) {
            plan->mem_stride[d] = product;
            product *= plan->shape[d];
        }
        return true;
    }
    struct ts_slab box[H5S_MAX_RANK];
    if (!regular_slab(mem, box))
        return false;
    const hsize_t *dims = ts_space_dims(mem);
    hsize_t stride = 1;
    unsigned d = plan->rank;
    plan->mem_start = 0;
    for (unsigned m = ts_space_rank(mem); m-- > 0; stride *= dims[m]) {
        plan->mem_start += box[m].start * stride;
        if (box[m].count != 1)
            return false;
        if (box[m].block == 1)
            continue;
        while (d > 0 && plan->shape[d - 1] == 1)
            plan->mem_stride[--d] = 0;
        if (d == 0 || plan->shape[d - 1] != box[m].block)
            return false;
        plan->mem_stride[--d] = stride;
    }
    while (d > 0 && plan->shape[d - 1] == 1)
        plan->mem_stride[--d] = 0;
    return d == 0;
}

int ts_plan_init(struct ts_plan *plan, const struct ts_space *file, const struct ts_space *mem)
{
    *plan = (struct ts_plan){.file = file, .mem = mem};
    if (!ts_space_valid(file))
        return TS_ERR(DATASPACE, BADRANGE, "file selection+offset not within extent");
    if (!ts_space_valid(mem))
        return TS_ERR(DATASPACE, BADRANGE, "memory selection+offset not within extent");
    plan->total = ts_space_selected(file);
    if (plan->total != ts_space_selected(mem))
        return TS_ERR(ARGS, BADVALUE, "src and dest dataspaces have different number of elements selected: %llu in the "
                      "file, %llu in memory", (unsigned long long)plan->total, (unsigned long long)ts_space_selected(mem));
    extent_of(plan, file);
    if (plan->total == 0 || !regular_slab(file, plan->slab))
        return 0;
    for (unsigned d = 0; d < plan->rank; d++)
        plan->shape[d] = plan->slab[d].count * plan->slab[d].block;
    plan->affine = affine_memory(plan, mem);
    return 0;
}

void ts_plan_init_pairs(struct ts_plan *plan, const struct ts_space *extent, const struct ts_pair *pairs, size_t n)
{
    *plan = (struct ts_plan){.pairs = pairs, .n_pairs = n};
    extent_of(plan, extent);
    for (size_t i = 0; i < n; i++)
        plan->total += pairs[i].n;
}

/* Pairs one after the other, from the list or from both selections' runs side by side. */
struct walk {
    const struct ts_plan *plan;
    size_t next; /* of the list */
    struct ts_runs file, mem;
    size_t file_at, file_n, mem_at, mem_n;
    struct ts_run file_run[RUNS], mem_run[RUNS];
};

static void walk_deinit(struct walk *w)
{
    if (w->plan && !w->plan->pairs) {
        ts_runs_deinit(&w->file);
        ts_runs_deinit(&w->mem);
    }
    ts_free(w);
}

static struct walk *walk_new(const struct ts_plan *plan)
{
    struct walk *w = ts_malloc(sizeof *w);
    if (!w)
        return NULL;
    w->plan = NULL;
    w->next = w->file_at = w->file_n = w->mem_at = w->mem_n = 0;
    if (!plan->pairs) {
        if (ts_runs_init(&w->file, plan->file) < 0) {
            walk_deinit(w);
            return NULL;
        }
        if (ts_runs_init(&w->mem, plan->mem) < 0) {
            ts_runs_deinit(&w->file);
            walk_deinit(w);
            return NULL;
        }
    }
    w->plan = plan;
    return w;
}

static bool walk_next(struct walk *w, struct ts_pair *out)
{
    if (w->plan->pairs) {
        if (w->next == w->plan->n_pairs)
            return false;
        *out = w->plan->pairs[w->next++];
        return true;
    }
    if (w->file_at == w->file_n) {
        w->file_at = 0;
        w->file_n = ts_runs_next(&w->file, w->file_run, RUNS, HSIZE_UNDEF);
    }
    if (w->mem_at == w->mem_n) {
        w->mem_at = 0;
        w->mem_n = ts_runs_next(&w->mem, w->mem_run, RUNS, HSIZE_UNDEF);
    }
    if (w->file_n == 0 || w->mem_n == 0)
        return false;
    struct ts_run *f = &w->file_run[w->file_at], *m = &w->mem_run[w->mem_at];
    *out = (struct ts_pair){.src = f->offset, .mem = m->offset, .n = min_size(f->length, m->length)};
    f->offset += out->n;
    m->offset += out->n;
    f->length -= out->n;
    m->length -= out->n;
    w->file_at += f->length == 0;
    w->mem_at += m->length == 0;
    return true;
}

struct emit {
    ts_piece_fn *fn;
    void *ctx;
    size_t n;
    struct ts_piece pieces[PIECES];
};

static int emit_flush(struct emit *e)
{
    size_t n = e->n;
    e->n = 0;
    return n == 0 ? 0 : e->fn(e->pieces, n, e->ctx);
}

static int emit_piece(struct emit *e, const struct ts_piece *piece)
{
    e->pieces[e->n++] = *piece;
    return e->n == PIECES ? emit_flush(e) : 0;
}

static int emit_pair(struct emit *e, const struct ts_pair *p)
{
    struct ts_piece piece = {.src = p->src, .mem = p->mem, .n = p->n, .count = 1};
    return emit_piece(e, &piece);
}

/* Loops around a piece, outermost first. */
struct level {
    hsize_t count, src, mem;
};

struct nest {
    unsigned n;
    struct level level[2 * H5S_MAX_RANK];
    hsize_t src, mem; /* of the first element */
};

/* Adds a loop inside those there are; one that continues the loop around it melts into that. */
static void nest_add(struct nest *nest, hsize_t count, hsize_t src, hsize_t mem)
{
    if (count == 1)
        return;
    struct level *outer = nest->n ? &nest->level[nest->n - 1] : NULL;
    if (outer && outer->src == count * src && outer->mem == count * mem)
        *outer = (struct level){.count = outer->count * count, .src = src, .mem = mem};
    else
        nest->level[nest->n++] = (struct level){.count = count, .src = src, .mem = mem};
}

/* The innermost loop is the run when it is dense on both sides; the next one is the piece's; the rest is walked here. */
static int nest_emit(const struct nest *nest, struct emit *e)
{
    struct ts_piece piece = {.src = nest->src, .mem = nest->mem, .n = 1, .count = 1};
    unsigned n = nest->n;
    if (n > 0 && nest->level[n - 1].src == 1 && nest->level[n - 1].mem == 1)
        piece.n = nest->level[--n].count;
    if (n > 0) {
        const struct level *l = &nest->level[--n];
        piece.count = l->count;
        piece.src_step = l->src;
        piece.mem_step = l->mem;
    }
    hsize_t at[2 * H5S_MAX_RANK] = {0};
    for (;;) {
        int status = emit_piece(e, &piece);
        if (status != 0)
            return status;
        unsigned d = n;
        while (d > 0 && ++at[d - 1] == nest->level[d - 1].count) {
            d--;
            piece.src -= nest->level[d].src * (at[d] - 1);
            piece.mem -= nest->level[d].mem * (at[d] - 1);
            at[d] = 0;
        }
        if (d == 0)
            return 0;
        piece.src += nest->level[d - 1].src;
        piece.mem += nest->level[d - 1].mem;
    }
}

/* Blocks of one dimension inside a box: `count` of n coordinates each, the first at coord, which has this ordinal. */
struct segment {
    hsize_t coord, ordinal, n, count, step;
};

/* Selected coordinates below x. */
static hsize_t ordinals_below(const struct ts_slab *s, hsize_t x)
{
    if (x <= s->start)
        return 0;
    hsize_t k = (x - s->start) / s->stride, rest = (x - s->start) % s->stride;
    return k >= s->count ? s->count * s->block : k * s->block + min_size(rest, s->block);
}

static hsize_t coordinate(const struct ts_slab *s, hsize_t ordinal)
{
    return s->start + ordinal / s->block * s->stride + ordinal % s->block;
}

/* Ordinals [from, to) of a slab: a cut first block, whole blocks, a cut last block, whichever there are. */
static unsigned cut_segments(const struct ts_slab *s, hsize_t from, hsize_t to, struct segment out[3])
{
    unsigned n = 0;
    while (from < to) {
        hsize_t in_block = from % s->block, left = to - from;
        struct segment seg = {.coord = coordinate(s, from), .ordinal = from, .count = 1, .step = s->stride};
        if (in_block == 0 && left >= s->block) {
            seg.n = s->block;
            seg.count = left / s->block;
        } else {
            seg.n = min_size(s->block - in_block, left);
        }
        from += seg.n * seg.count;
        out[n++] = seg;
    }
    return n;
}

/* The pieces of an affine plan whose file elements have ordinals in [from, to); src is linear in a box at `start`. */
static int emit_box(const struct ts_plan *plan, const hsize_t *start, const hsize_t *box, const hsize_t *from,
                    const hsize_t *to, struct emit *e)
{
    struct segment seg[H5S_MAX_RANK][3];
    unsigned n_seg[H5S_MAX_RANK], pick[H5S_MAX_RANK] = {0};
    hsize_t stride[H5S_MAX_RANK], product = 1;
    for (unsigned d = plan->rank; d-- > 0; product *= box[d]) {
        n_seg[d] = cut_segments(&plan->slab[d], from[d], to[d], seg[d]);
        stride[d] = product;
    }
    for (;;) {
        struct nest nest = {.mem = plan->mem_start};
        for (unsigned d = 0; d < plan->rank; d++) {
            const struct segment *s = &seg[d][pick[d]];
            nest.src += (s->coord - start[d]) * stride[d];
            nest.mem += s->ordinal * plan->mem_stride[d];
            nest_add(&nest, s->count, s->step * stride[d], s->n * plan->mem_stride[d]);
            nest_add(&nest, s->n, stride[d], plan->mem_stride[d]);
        }
        int status = nest_emit(&nest, e);
        if (status != 0)
            return status;
        unsigned d = plan->rank;
        while (d > 0 && ++pick[d - 1] == n_seg[d - 1])
            pick[--d] = 0;
        if (d == 0)
            return 0;
    }
}

int ts_plan_linear(const struct ts_plan *plan, ts_piece_fn *fn, void *ctx)
{
    struct emit e = {.fn = fn, .ctx = ctx};
    if (plan->total == 0)
        return 0;
    int status = 0;
    if (plan->affine) {
        static const hsize_t zeros[H5S_MAX_RANK];
        status = emit_box(plan, zeros, plan->dims, zeros, plan->shape, &e);
        return status == 0 ? emit_flush(&e) : status;
    }
    struct walk *w = walk_new(plan);
    if (!w)
        return -1;
    struct ts_pair pair;
    while (status == 0 && walk_next(w, &pair))
        status = emit_pair(&e, &pair);
    walk_deinit(w);
    return status == 0 ? emit_flush(&e) : status;
}

static int affine_chunk(const struct ts_plan *plan, const hsize_t *chunk, const hsize_t *from, const hsize_t *to,
                        const struct ts_plan_chunk_ops *ops, void *ctx)
{
    hsize_t scaled[H5S_MAX_RANK], start[H5S_MAX_RANK];
    for (unsigned d = 0; d < plan->rank; d++) {
        scaled[d] = coordinate(&plan->slab[d], from[d]) / chunk[d];
        start[d] = scaled[d] * chunk[d];
    }
    struct emit e = {.fn = ops->pieces, .ctx = ctx};
    int status = ops->begin(scaled, ctx);
    if (status == 0)
        status = emit_box(plan, start, chunk, from, to, &e);
    if (status == 0)
        status = emit_flush(&e);
    return status == 0 ? ops->end(ctx) : status;
}

/* Where the chunk that holds ordinal `from` ends, as an ordinal. */
static hsize_t chunk_end(const struct ts_slab *s, hsize_t from, hsize_t chunk)
{
    hsize_t coord = coordinate(s, from), left = chunk - coord % chunk;
    return left > HSIZE_UNDEF - coord ? s->count * s->block : ordinals_below(s, coord + left);
}

static int affine_chunks(const struct ts_plan *plan, const hsize_t *chunk, const struct ts_plan_chunk_ops *ops, void *ctx)
{
    hsize_t from[H5S_MAX_RANK], to[H5S_MAX_RANK];
    for (unsigned d = 0; d < plan->rank; d++) {
        from[d] = 0;
        to[d] = chunk_end(&plan->slab[d], 0, chunk[d]);
    }
    for (;;) {
        int status = affine_chunk(plan, chunk, from, to, ops, ctx);
        if (status != 0)
            return status;
        unsigned d = plan->rank;
        while (d > 0) {
            d--;
            bool more = to[d] < plan->shape[d];
            from[d] = more ? to[d] : 0;
            to[d] = chunk_end(&plan->slab[d], from[d], chunk[d]);
            if (more)
                break;
            if (d == 0)
                return 0;
        }
    }
}

/* A run inside one chunk. */
struct part {
    uint64_t chunk;
    struct ts_pair pair;
};

struct parts {
    unsigned rank;
    const hsize_t *dims, *chunk;
    hsize_t grid[H5S_MAX_RANK]; /* chunks per dimension */
    struct part *items;
    size_t n, capacity;
    uint64_t highest;
    bool sorted;
};

static void parts_init(struct parts *p, const struct ts_plan *plan, const hsize_t *chunk)
{
    *p = (struct parts){.rank = plan->rank, .dims = plan->dims, .chunk = chunk, .sorted = true};
    for (unsigned d = 0; d < plan->rank; d++)
        p->grid[d] = plan->dims[d] / chunk[d] + (plan->dims[d] % chunk[d] != 0);
}

static int parts_add(struct parts *p, uint64_t chunk, const struct ts_pair *pair)
{
    if (p->n > 0 && p->items[p->n - 1].chunk > chunk)
        p->sorted = false;
    if (p->highest < chunk)
        p->highest = chunk;
    if (TS_GROW(p->items, p->capacity, p->n + 1) < 0)
        return -1;
    p->items[p->n++] = (struct part){.chunk = chunk, .pair = *pair};
    return 0;
}

/* Cuts a run of the extent at the ends of rows and chunks. */
static int parts_cut(struct parts *p, struct ts_pair run)
{
    unsigned last = p->rank - 1;
    while (run.n > 0) {
        hsize_t rest = run.src, column = 0, in_chunk = 0, size = 1;
        uint64_t id = 0, grid = 1;
        for (unsigned d = p->rank; d-- > 0; rest /= p->dims[d]) {
            hsize_t x = rest % p->dims[d];
            if (d == last)
                column = x;
            in_chunk += x % p->chunk[d] * size;
            id += x / p->chunk[d] * grid;
            size *= p->chunk[d];
            grid *= p->grid[d];
        }
        hsize_t n = min_size(p->dims[last] - column, p->chunk[last] - column % p->chunk[last]);
        struct ts_pair pair = {.src = in_chunk, .mem = run.mem, .n = min_size(n, run.n)};
        if (parts_add(p, id, &pair) < 0)
            return -1;
        run.src += pair.n;
        run.mem += pair.n;
        run.n -= pair.n;
    }
    return 0;
}

/* Stable, 11 bits at a time: points keep their order within a chunk, and a million of them take milliseconds. */
static int parts_sort(struct parts *p)
{
    enum { BITS = 11, BUCKETS = 1 << BITS };
    if (p->sorted)
        return 0;
    struct part *spare = ts_malloc(p->n * sizeof *spare);
    if (!spare)
        return -1;
    struct part *from = p->items, *to = spare;
    for (unsigned shift = 0; shift < 64 && p->highest >> shift != 0; shift += BITS) {
        size_t start[BUCKETS + 1] = {0};
        for (size_t i = 0; i < p->n; i++)
            start[(from[i].chunk >> shift & (BUCKETS - 1)) + 1]++;
        for (unsigned b = 0; b < BUCKETS; b++)
            start[b + 1] += start[b];
        for (size_t i = 0; i < p->n; i++)
            to[start[from[i].chunk >> shift & (BUCKETS - 1)]++] = from[i];
        struct part *swap = from;
        from = to;
        to = swap;
    }
    if (from != p->items)
        memcpy(p->items, from, p->n * sizeof *from);
    ts_free(spare);
    return 0;
}

static int parts_chunk(const struct parts *p, size_t first, size_t end, const struct ts_plan_chunk_ops *ops, void *ctx)
{
    hsize_t scaled[H5S_MAX_RANK];
    uint64_t id = p->items[first].chunk;
    for (unsigned d = p->rank; d-- > 0; id /= p->grid[d])
        scaled[d] = id % p->grid[d];
    struct emit e = {.fn = ops->pieces, .ctx = ctx};
    int status = ops->begin(scaled, ctx);
    for (size_t i = first; status == 0 && i < end; i++)
        status = emit_pair(&e, &p->items[i].pair);
    if (status == 0)
        status = emit_flush(&e);
    return status == 0 ? ops->end(ctx) : status;
}

static int parts_flush(struct parts *p, const struct ts_plan_chunk_ops *ops, void *ctx)
{
    int status = parts_sort(p);
    for (size_t i = 0, end; status == 0 && i < p->n; i = end) {
        end = i + 1;
        while (end < p->n && p->items[end].chunk == p->items[i].chunk)
            end++;
        status = parts_chunk(p, i, end, ops, ctx);
    }
    p->n = 0;
    p->highest = 0;
    p->sorted = true;
    return status;
}

int ts_plan_chunks(const struct ts_plan *plan, const hsize_t *chunk_dims, const struct ts_plan_chunk_ops *ops, void *ctx)
{
    if (plan->total == 0)
        return 0;
    if (plan->affine)
        return affine_chunks(plan, chunk_dims, ops, ctx);
    struct walk *w = walk_new(plan);
    if (!w)
        return -1;
    struct parts p;
    parts_init(&p, plan, chunk_dims);
    struct ts_pair pair;
    int status = 0;
    while (status == 0 && walk_next(w, &pair)) {
        /* A long run is cut in portions, so that the list never grows far beyond a batch. */
        while (status == 0 && pair.n > 0) {
            struct ts_pair portion = {.src = pair.src, .mem = pair.mem, .n = min_size(pair.n, BATCH)};
            status = parts_cut(&p, portion);
            if (status == 0 && p.n >= BATCH)
                status = parts_flush(&p, ops, ctx);
            pair.src += portion.n;
            pair.mem += portion.n;
            pair.n -= portion.n;
        }
    }
    if (status == 0)
        status = parts_flush(&p, ops, ctx);
    ts_free(p.items);
    walk_deinit(w);
    return status;
}

hsize_t ts_plan_most_chunks(const struct ts_plan *plan, const hsize_t *chunk_dims)
{
    hsize_t low[H5S_MAX_RANK] = {0}, high[H5S_MAX_RANK] = {0};
    uint64_t most = 1;
    if (plan->total == 0)
        return 0;
    bool bounded = !plan->affine && !plan->pairs && ts_space_rank(plan->file) > 0;
    if (bounded && ts_space_bounds(plan->file, low, high) < 0)
        return plan->total;
    for (unsigned d = 0; d < plan->rank; d++) {
        const struct ts_slab *s = &plan->slab[d];
        hsize_t first = plan->affine ? s->start : low[d];
        hsize_t last = plan->affine ? coordinate(s, plan->shape[d] - 1) : bounded ? high[d] : plan->dims[d] - 1;
        hsize_t n = last / chunk_dims[d] - first / chunk_dims[d] + 1;
        if (plan->affine)
            n = min_size(n, plan->shape[d]);
        if (!ts_mul_u64(most, n, &most))
            return plan->total;
    }
    return min_size(most, plan->total);
}

bool ts_plan_distinct(const struct ts_plan *plan)
{
    return plan->affine || (!plan->pairs && ts_space_sel_type(plan->file) != H5S_SEL_POINTS);
}

struct pair_list {
    struct ts_pair *items;
    size_t n, capacity;
};

static int collect(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct pair_list *list = ctx;
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++) {
            if (TS_GROW(list->items, list->capacity, list->n + 1) < 0)
                return -1;
            list->items[list->n++] = (struct ts_pair){.src = pieces[i].src + k * pieces[i].src_step,
                                                      .mem = pieces[i].mem + k * pieces[i].mem_step,
                                                      .n = pieces[i].n};
        }
    return 0;
}

int ts_plan_pairs(const struct ts_plan *plan, struct ts_pair **pairs, size_t *n)
{
    struct pair_list list = {0};
    if (ts_plan_linear(plan, collect, &list) < 0) {
        ts_free(list.items);
        return -1;
    }
    *pairs = list.items;
    *n = list.n;
    return 0;
}
