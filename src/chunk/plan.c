#include "chunk/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "chunk/plan_sets.h"
#include "space/chunk_sets.h"

#define PIECES 64
#define RUNS 256
/* Runs that are sorted by chunk at a time: bounds the memory of a large irregular read. */
#define BATCH ((size_t)1 << 20)
/* With fewer than these a row of chunks is not worth sorting alone. */
#define PORTION ((size_t)1 << 13)
/* Sorting is by so many bits at a time. */
enum { BUCKET_BITS = 11, BUCKETS = 1 << BUCKET_BITS };

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

static int outside(const char *where)
{
    return TS_ERR(DATASPACE, BADRANGE, "selection + offset not within extent: in %s", where);
}

int ts_plan_init(struct ts_plan *plan, const struct ts_space *file, const struct ts_space *mem)
{
    plan->affine = false;
    plan->mem_start = 0;
    plan->file = file;
    plan->mem = mem;
    plan->pairs = NULL;
    plan->n_pairs = 0;
    plan->sets = NULL;
    if (!ts_space_valid(file))
        return outside("the dataset");
    if (!ts_space_valid(mem))
        return outside("memory");
    plan->total = ts_space_selected(file);
    if (plan->total != ts_space_selected(mem))
        return TS_ERR_AS(DATASPACE, BADVALUE, "src and dest dataspaces have different number of elements selected",
                         "%llu in the file, %llu in memory", (unsigned long long)plan->total,
                         (unsigned long long)ts_space_selected(mem));
    extent_of(plan, file);
    struct ts_run run;
    plan->sets = plan->total > 0 ? ts_space_chunk_sets(file) : NULL;
    if (plan->sets && !ts_space_single_run(mem, &run))
        plan->sets = NULL;
    if (plan->sets)
        plan->mem_start = run.offset;
    if (plan->total == 0 || plan->sets || !regular_slab(file, plan->slab))
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

/* Pairs, some at a time: from the list, or from both selections' runs side by side. */
struct walk {
    const struct ts_plan *plan;
    bool same;         /* memory is selected as the file is */
    bool one_run;      /* and here in one run, of which mem_next is the next place */
    hsize_t mem_next;
    bool done;         /* the list was given */
    struct ts_runs file, mem;
    size_t file_at, file_n, mem_at, mem_n;
    struct ts_run file_run[RUNS], mem_run[RUNS];
    struct ts_pair pairs[RUNS];
};

static void walk_deinit(struct walk *w)
{
    if (w->plan && !w->plan->pairs) {
        ts_runs_deinit(&w->file);
        if (!w->same && !w->one_run)
            ts_runs_deinit(&w->mem);
    }
    ts_free(w);
}

static int walk_begin(struct walk *w, const struct ts_plan *plan)
{
    struct ts_run run;
    w->same = plan->mem == plan->file;
    w->one_run = !w->same && ts_space_single_run(plan->mem, &run);
    w->mem_next = w->one_run ? run.offset : 0;
    if (ts_runs_init(&w->file, plan->file) < 0)
        return -1;
    if (w->same || w->one_run || ts_runs_init(&w->mem, plan->mem) == 0)
        return 0;
    ts_runs_deinit(&w->file);
    return -1;
}

static struct walk *walk_new(const struct ts_plan *plan)
{
    struct walk *w = ts_malloc(sizeof *w);
    if (!w)
        return NULL;
    w->plan = NULL;
    w->done = false;
    w->file_at = w->file_n = w->mem_at = w->mem_n = 0;
    if (!plan->pairs && walk_begin(w, plan) < 0) {
        walk_deinit(w);
        return NULL;
    }
    w->plan = plan;
    return w;
}

static bool walk_next(struct walk *w, struct ts_pair *out)
{
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

/* The next ones, borrowed until the next call; 0 at the end. */
static size_t walk_some(struct walk *w, const struct ts_pair **out)
{
    size_t n = 0;
    *out = w->pairs;
    if (w->plan->pairs) {
        *out = w->plan->pairs;
        n = w->done ? 0 : w->plan->n_pairs;
        w->done = true;
    } else if (w->same || w->one_run) {
        n = ts_runs_next(&w->file, w->file_run, RUNS, HSIZE_UNDEF);
        for (size_t i = 0; i < n; i++) {
            struct ts_run run = w->file_run[i];
            w->pairs[i] = (struct ts_pair){.src = run.offset, .mem = w->same ? run.offset : w->mem_next, .n = run.length};
            w->mem_next += run.length;
        }
    } else {
        while (n < RUNS && walk_next(w, &w->pairs[n]))
            n++;
    }
    return n;
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

static int emit_pair(struct emit *e, struct ts_pair p)
{
    e->pieces[e->n++] = (struct ts_piece){.src = p.src, .mem = p.mem, .n = p.n, .count = 1};
    return e->n == PIECES ? emit_flush(e) : 0;
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
    const struct ts_pair *pairs;
    for (size_t n; status == 0 && (n = walk_some(w, &pairs)) > 0;)
        for (size_t i = 0; status == 0 && i < n; i++)
            status = emit_pair(&e, pairs[i]);
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

/* Pairs one after the other in the list that are of the same chunk. */
struct stretch {
    uint64_t chunk;
    uint32_t first, n;
};

/* Elements of the extent that lie one after the other in a chunk, too: a row of it, or more when the grid does not cut the
 * faster dimensions. What is near is mostly in the same window: then a subtraction tells where. */
struct window {
    hsize_t start, size;
    hsize_t src;    /* of its first element, in the chunk */
    uint64_t chunk; /* its number in the order of rows */
    hsize_t row;    /* of chunks: its position in the slowest dimension */
};

struct parts {
    const struct ts_plan *plan;
    const hsize_t *dims, *chunk;
    hsize_t grid[H5S_MAX_RANK]; /* chunks per dimension */
    unsigned split;             /* the fastest dimension that the grid cuts */
    hsize_t line, chunk_line;   /* elements of the dimensions from split on, of the extent and of a chunk */
    struct window window;
    struct ts_pair *items, *spare; /* with src in the chunk */
    size_t n, capacity, spare_capacity;
    struct stretch *stretches, *spare_stretches;
    size_t n_stretches, stretches_capacity, spare_stretches_capacity;
    uint64_t lowest, highest; /* chunks */
    bool sorted;
    bool ascends; /* so does the selection: what it left behind does not come again */
    const struct ts_plan_chunk_ops *ops;
    void *ctx;
};

static void parts_clear(struct parts *p)
{
    p->n = p->n_stretches = 0;
    p->window.size = 0;
    p->sorted = true;
}

static void parts_init(struct parts *p, const struct ts_plan *plan, const hsize_t *chunk)
{
    hsize_t inner = 1;
    *p = (struct parts){.plan = plan, .dims = plan->dims, .chunk = chunk, .ascends = ts_plan_distinct(plan)};
    for (unsigned d = 0; d < plan->rank; d++)
        p->grid[d] = plan->dims[d] / chunk[d] + (plan->dims[d] % chunk[d] != 0);
    for (p->split = plan->rank - 1; p->split > 0 && chunk[p->split] == plan->dims[p->split]; p->split--)
        inner *= chunk[p->split];
    p->line = inner * plan->dims[p->split];
    p->chunk_line = inner * chunk[p->split];
    parts_clear(p);
}

static void parts_deinit(struct parts *p)
{
    ts_free(p->items);
    ts_free(p->spare);
    ts_free(p->stretches);
    ts_free(p->spare_stretches);
}

static struct window window_at(const struct parts *p, hsize_t at)
{
    hsize_t rest = at / p->line, column = at % p->line, behind = column % p->chunk_line;
    struct window w = {.start = at - behind, .row = column / p->chunk_line};
    hsize_t size = p->chunk_line;
    uint64_t grid = p->grid[p->split];
    w.size = min_size(p->chunk_line, p->line - (column - behind));
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

static void parts_swap(struct parts *p)
{
    struct ts_pair *items = p->items;
    struct stretch *stretches = p->stretches;
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

/* By some bits of the chunk's number. Pairs move with their stretches: memory is read in order and written in a few places
 * at a time, where picking them up later would miss the processor's cache for each stretch. */
static void parts_sort_by(struct parts *p, unsigned shift)
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
        struct stretch s = p->stretches[i];
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
static int parts_sort(struct parts *p)
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

/* The chunk of the first of these stretches; *at is behind the last of them afterwards. Its pairs lie together. */
static int parts_chunk(const struct parts *p, size_t *at)
{
    hsize_t scaled[H5S_MAX_RANK];
    const struct stretch *first = &p->stretches[*at];
    uint64_t rest = first->chunk;
    size_t n = 0;
    for (unsigned d = p->plan->rank; d-- > 0; rest /= p->grid[d])
        scaled[d] = rest % p->grid[d];
    for (; *at < p->n_stretches && p->stretches[*at].chunk == first->chunk; ++*at)
        n += p->stretches[*at].n;
    int status = p->ops->begin(scaled, p->ctx);
    if (status == 0)
        status = p->ops->pairs(p->items + first->first, n, p->ctx);
    return status == 0 ? p->ops->end(p->ctx) : status;
}

static int parts_flush(struct parts *p)
{
    if (p->n_stretches > 0)
        p->stretches[p->n_stretches - 1].n = (uint32_t)(p->n - p->stretches[p->n_stretches - 1].first);
    int status = parts_sort(p);
    for (size_t at = 0; status == 0 && at < p->n_stretches;)
        status = parts_chunk(p, &at);
    parts_clear(p);
    return status;
}

/* What comes next is of another chunk than what came before. */
static int parts_begin(struct parts *p, uint64_t chunk)
{
    struct stretch *last = p->n_stretches > 0 ? &p->stretches[p->n_stretches - 1] : NULL;
    if (last) {
        last->n = (uint32_t)(p->n - last->first);
        p->sorted = p->sorted && chunk > last->chunk;
    }
    p->lowest = last ? min_size(p->lowest, chunk) : chunk;
    p->highest = last && p->highest > chunk ? p->highest : chunk;
    if (TS_GROW(p->stretches, p->stretches_capacity, p->n_stretches + 1) < 0)
        return -1;
    p->stretches[p->n_stretches++] = (struct stretch){.chunk = chunk, .first = (uint32_t)p->n};
    return 0;
}

/* Moves the window to an element outside of it. */
static int parts_move(struct parts *p, hsize_t at)
{
    struct window w = window_at(p, at);
    bool passed = p->ascends && w.row != p->window.row && p->n >= PORTION;
    int status = passed ? parts_flush(p) : 0;
    bool same = p->n_stretches > 0 && p->stretches[p->n_stretches - 1].chunk == w.chunk;
    p->window = w;
    return status != 0 || same ? status : parts_begin(p, w.chunk);
}

/* Cuts a run of the extent at the ends of windows. */
static int parts_add(struct parts *p, struct ts_pair run)
{
    int status;
    while (run.n > 0) {
        if (p->n == BATCH && (status = parts_flush(p)) != 0)
            return status;
        if (run.src - p->window.start >= p->window.size && (status = parts_move(p, run.src)) != 0)
            return status;
        if (p->n == p->capacity && TS_GROW(p->items, p->capacity, 2 * p->n + RUNS) < 0)
            return -1;
        hsize_t in_window = run.src - p->window.start, n = min_size(p->window.size - in_window, run.n);
        p->items[p->n++] = (struct ts_pair){.src = p->window.src + in_window, .mem = run.mem, .n = n};
        run.src += n;
        run.mem += n;
        run.n -= n;
    }
    return 0;
}

/* As many as lie in the window and there is room for: nearly all. Returns how many these are. */
static size_t parts_add_inside(struct parts *p, const struct ts_pair *pairs, size_t n)
{
    const struct window w = p->window;
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

static int parts_add_all(struct parts *p, const struct ts_pair *pairs, size_t n)
{
    int status = 0;
    for (size_t i = 0; status == 0 && (i += parts_add_inside(p, pairs + i, n - i)) < n; i++)
        status = parts_add(p, pairs[i]);
    return status;
}

int ts_plan_chunks(const struct ts_plan *plan, const hsize_t *chunk_dims, const struct ts_plan_chunk_ops *ops, void *ctx)
{
    if (plan->total == 0)
        return 0;
    if (plan->affine)
        return affine_chunks(plan, chunk_dims, ops, ctx);
    if (ops->members && ts_plan_sets_fit(plan, chunk_dims))
        return ts_plan_sets(plan, ops, ctx);
    struct walk *w = walk_new(plan);
    if (!w)
        return -1;
    struct parts p;
    parts_init(&p, plan, chunk_dims);
    p.ops = ops;
    p.ctx = ctx;
    const struct ts_pair *pairs;
    int status = 0;
    for (size_t n; status == 0 && (n = walk_some(w, &pairs)) > 0;)
        status = parts_add_all(&p, pairs, n);
    if (status == 0)
        status = parts_flush(&p);
    parts_deinit(&p);
    walk_deinit(w);
    return status;
}

hsize_t ts_plan_most_chunks(const struct ts_plan *plan, const hsize_t *chunk_dims)
{
    hsize_t low[H5S_MAX_RANK] = {0}, high[H5S_MAX_RANK] = {0};
    uint64_t most = 1;
    if (plan->total == 0)
        return 0;
    if (plan->sets && memcmp(plan->sets->chunk, chunk_dims, plan->rank * sizeof *chunk_dims) == 0)
        return plan->sets->n;
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
