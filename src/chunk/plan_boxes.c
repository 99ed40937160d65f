/* An affine plan is arithmetic: in each dimension the elements of a box are at most three segments (a cut block, whole
 * ones, a cut block), and each choice of one per dimension is a nest of loops around one piece. plan.h says what
 * for. */
#include "chunk/plan_boxes.h"

#include <string.h>

/* Adds a loop inside those there are; one that continues the loop around it melts into that. */
static void nest_add(struct ts_box_nest *nest, hsize_t count, hsize_t src, hsize_t mem)
{
    if (count == 1)
        return;
    struct ts_box_level *outer = nest->n ? &nest->level[nest->n - 1] : NULL;
    if (outer && outer->src == count * src && outer->mem == count * mem)
        *outer = (struct ts_box_level){.count = outer->count * count, .src = src, .mem = mem};
    else
        nest->level[nest->n++] = (struct ts_box_level){.count = count, .src = src, .mem = mem};
}

/* The innermost loop is the run when it is dense on both sides; the next one is the piece's; the rest is walked
 * here. */
static void nest_begin(struct ts_box_nest *nest)
{
    struct ts_piece *piece = &nest->piece;
    unsigned n = nest->n;
    if (n > 0 && nest->level[n - 1].src == 1 && nest->level[n - 1].mem == 1)
        piece->n = nest->level[--n].count;
    if (n > 0) {
        const struct ts_box_level *l = &nest->level[--n];
        piece->count = l->count;
        piece->src_step = l->src;
        piece->mem_step = l->mem;
    }
    nest->n = n;
    memset(nest->at, 0, n * sizeof nest->at[0]);
    nest->more = true;
}

static size_t nest_next(struct ts_box_nest *nest, struct ts_piece *out, size_t max)
{
    size_t count = 0;
    while (nest->more && count < max) {
        struct ts_piece *piece = &nest->piece;
        out[count++] = *piece;
        unsigned d = nest->n;
        while (d > 0 && ++nest->at[d - 1] == nest->level[d - 1].count) {
            d--;
            piece->src -= nest->level[d].src * (nest->at[d] - 1);
            piece->mem -= nest->level[d].mem * (nest->at[d] - 1);
            nest->at[d] = 0;
        }
        nest->more = d > 0;
        if (d > 0) {
            piece->src += nest->level[d - 1].src;
            piece->mem += nest->level[d - 1].mem;
        }
    }
    return count;
}

/* Selected coordinates below x. */
static hsize_t ordinals_below(const struct ts_slab *s, hsize_t x)
{
    if (x <= s->start)
        return 0;
    hsize_t k = (x - s->start) / s->stride, rest = (x - s->start) % s->stride;
    return k >= s->count ? s->count * s->block : k * s->block + ts_min_hsize(rest, s->block);
}

/* Ordinals [from, to) of a slab: a cut first block, whole blocks, a cut last block, whichever there are. */
static unsigned cut_segments(const struct ts_slab *s, hsize_t from, hsize_t to, struct ts_box_segment out[3])
{
    unsigned n = 0;
    while (from < to) {
        hsize_t in_block = from % s->block, left = to - from;
        struct ts_box_segment seg = {
            .coord = ts_slab_coordinate(s, from), .ordinal = from, .count = 1, .step = s->stride};
        if (in_block == 0 && left >= s->block) {
            seg.n = s->block;
            seg.count = left / s->block;
        } else {
            seg.n = ts_min_hsize(s->block - in_block, left);
        }
        from += seg.n * seg.count;
        out[n++] = seg;
    }
    return n;
}

/* The loops of the segments that are picked. */
static void begin_picked(struct ts_box_pieces *b)
{
    const struct ts_plan *plan = b->plan;
    struct ts_box_nest *nest = &b->nest;
    nest->n = 0;
    nest->piece = (struct ts_piece){.mem = plan->mem_start, .n = 1, .count = 1};
    for (unsigned d = 0; d < plan->rank; d++) {
        const struct ts_box_segment *s = &b->segments[d][b->pick[d]];
        nest->piece.src += (s->coord - b->start[d]) * b->stride[d];
        nest->piece.mem += s->ordinal * plan->mem_stride[d];
        nest_add(nest, s->count, s->step * b->stride[d], s->n * plan->mem_stride[d]);
        nest_add(nest, s->n, b->stride[d], plan->mem_stride[d]);
    }
    nest_begin(nest);
}

void ts_box_pieces_begin(struct ts_box_pieces *b, const struct ts_plan *plan, const hsize_t *start, const hsize_t *size,
                         const hsize_t *from, const hsize_t *to)
{
    hsize_t product = 1;
    b->plan = plan;
    b->start = start;
    for (unsigned d = plan->rank; d-- > 0; product *= size[d]) {
        b->n_segments[d] = cut_segments(&plan->slab[d], from[d], to[d], b->segments[d]);
        b->stride[d] = product;
        b->pick[d] = 0;
    }
    b->more = true;
    begin_picked(b);
}

static void pick_next(struct ts_box_pieces *b)
{
    unsigned d = b->plan->rank;
    while (d > 0 && ++b->pick[d - 1] == b->n_segments[d - 1])
        b->pick[--d] = 0;
    b->more = d > 0;
    if (b->more)
        begin_picked(b);
}

size_t ts_box_pieces_next(struct ts_box_pieces *b, struct ts_piece *out, size_t max)
{
    size_t n = 0;
    while (b->more && n < max) {
        n += nest_next(&b->nest, out + n, max - n);
        if (!b->nest.more)
            pick_next(b);
    }
    return n;
}

/* Where the chunk that holds ordinal `from` ends, as an ordinal. */
static hsize_t chunk_end(const struct ts_slab *s, hsize_t from, hsize_t chunk)
{
    hsize_t coord = ts_slab_coordinate(s, from), left = chunk - coord % chunk;
    return left > HSIZE_UNDEF - coord ? s->count * s->block : ordinals_below(s, coord + left);
}

void ts_box_chunks_begin(struct ts_box_chunks *c, const struct ts_plan *plan, const hsize_t *chunk_dims)
{
    c->plan = plan;
    c->chunk = chunk_dims;
    c->begun = false;
}

/* The ordinals of the next chunk. */
static bool move_on(struct ts_box_chunks *c)
{
    const struct ts_plan *plan = c->plan;
    for (unsigned d = plan->rank; d-- > 0;) {
        bool more = c->to[d] < plan->shape[d];
        c->from[d] = more ? c->to[d] : 0;
        c->to[d] = chunk_end(&plan->slab[d], c->from[d], c->chunk[d]);
        if (more)
            return true;
    }
    return false;
}

static void move_to_first(struct ts_box_chunks *c)
{
    const struct ts_plan *plan = c->plan;
    for (unsigned d = 0; d < plan->rank; d++) {
        c->from[d] = 0;
        c->to[d] = chunk_end(&plan->slab[d], 0, c->chunk[d]);
    }
    c->begun = true;
}

bool ts_box_chunks_next(struct ts_box_chunks *c, hsize_t *scaled)
{
    const struct ts_plan *plan = c->plan;
    if (!c->begun)
        move_to_first(c);
    else if (!move_on(c))
        return false;
    for (unsigned d = 0; d < plan->rank; d++) {
        scaled[d] = ts_slab_coordinate(&plan->slab[d], c->from[d]) / c->chunk[d];
        c->start[d] = scaled[d] * c->chunk[d];
    }
    ts_box_pieces_begin(&c->pieces, plan, c->start, c->chunk, c->from, c->to);
    return true;
}
