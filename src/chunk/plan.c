/* Making a plan from two selections, and pulling its pieces: those of affine plans come from plan_boxes.c, those of
 * others from plan_pairs.c, which plan_parts.c sorts by chunk, or from plan_sets.c. */
#include "chunk/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "chunk/plan_cursor.h"
#include "chunk/plan_pairs.h"
#include "space/chunk_sets.h"

/* That are handed over at a time. */
#define PIECES 64

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

static int linear_boxes(const struct ts_plan *plan, ts_piece_fn *fn, void *ctx)
{
    static const hsize_t zeros[H5S_MAX_RANK];
    struct ts_piece pieces[PIECES];
    struct ts_box_pieces boxes;
    int status = 0;
    ts_box_pieces_begin(&boxes, plan, zeros, plan->dims, zeros, plan->shape);
    for (size_t n; status == 0 && (n = ts_box_pieces_next(&boxes, pieces, PIECES)) > 0;)
        status = fn(pieces, n, ctx);
    return status;
}

static int linear_pairs(const struct ts_plan *plan, ts_piece_fn *fn, void *ctx)
{
    struct ts_piece pieces[PIECES];
    struct ts_pair_walk *w = ts_pair_walk_new(plan);
    const struct ts_pair *pairs;
    int status = w ? 0 : -1;
    for (size_t n; status == 0 && (n = ts_pair_walk_next(w, &pairs)) > 0;)
        for (size_t i = 0, some; status == 0 && i < n; i += some) {
            for (some = 0; some < PIECES && i + some < n; some++) {
                const struct ts_pair *p = &pairs[i + some];
                pieces[some] = (struct ts_piece){.src = p->src, .mem = p->mem, .n = p->n, .count = 1};
            }
            status = fn(pieces, some, ctx);
        }
    if (w)
        ts_pair_walk_free(w);
    return status;
}

int ts_plan_linear(const struct ts_plan *plan, ts_piece_fn *fn, void *ctx)
{
    if (plan->total == 0)
        return 0;
    return plan->affine ? linear_boxes(plan, fn, ctx) : linear_pairs(plan, fn, ctx);
}

int ts_plan_begin(struct ts_plan_cursor *c, const struct ts_plan *plan, const hsize_t *chunk_dims, bool sets)
{
    c->set = NULL;
    c->more = false;
    c->kind = TS_PLAN_NOTHING;
    if (plan->total == 0)
        return 0;
    c->kind = plan->affine ? TS_PLAN_BOXES : sets && ts_plan_sets_fit(plan, chunk_dims) ? TS_PLAN_SETS : TS_PLAN_PARTS;
    int status = 0;
    if (c->kind == TS_PLAN_BOXES)
        ts_box_chunks_begin(&c->boxes, plan, chunk_dims);
    else if (c->kind == TS_PLAN_SETS)
        status = ts_plan_sets_init(&c->sets, plan);
    else
        status = ts_plan_parts_init(&c->parts, plan, chunk_dims, ts_plan_distinct(plan));
    if (status < 0)
        ts_plan_end(c);
    return status;
}

void ts_plan_end(struct ts_plan_cursor *c)
{
    if (c->kind == TS_PLAN_SETS)
        ts_plan_sets_deinit(&c->sets);
    else if (c->kind == TS_PLAN_PARTS)
        ts_plan_parts_deinit(&c->parts);
    c->kind = TS_PLAN_NOTHING;
}

int ts_plan_next_chunk(struct ts_plan_cursor *c)
{
    int found = 0;
    if (c->kind == TS_PLAN_BOXES)
        found = ts_box_chunks_next(&c->boxes, c->scaled);
    else if (c->kind == TS_PLAN_PARTS)
        found = ts_plan_parts_next(&c->parts, c->scaled);
    else if (c->kind == TS_PLAN_SETS)
        found = ts_plan_sets_next(&c->sets, c->scaled, &c->set);
    c->more = found > 0;
    return found;
}

size_t ts_plan_next_pieces(struct ts_plan_cursor *c, struct ts_piece *out, size_t max)
{
    size_t n = 0;
    if (c->kind == TS_PLAN_BOXES) {
        n = ts_box_pieces_next(&c->boxes.pieces, out, max);
        c->more = c->boxes.pieces.more;
    } else if (c->kind == TS_PLAN_PARTS) {
        n = ts_plan_parts_pieces(&c->parts, out, max);
        c->more = c->parts.items_left > 0;
    } else if (c->kind == TS_PLAN_SETS) {
        n = ts_plan_sets_pieces(&c->sets, out, max);
        c->more = c->sets.src < c->sets.count;
    }
    return n;
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
        hsize_t last = plan->affine ? ts_slab_coordinate(s, plan->shape[d] - 1) : bounded ? high[d] : plan->dims[d] - 1;
        hsize_t n = last / chunk_dims[d] - first / chunk_dims[d] + 1;
        if (plan->affine)
            n = ts_min_hsize(n, plan->shape[d]);
        if (!ts_mul_u64(most, n, &most))
            return plan->total;
    }
    return ts_min_hsize(most, plan->total);
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
