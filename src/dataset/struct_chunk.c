#include "dataset/struct_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/xfer.h"

static int define_all(const struct ts_dataset_core *core, struct ts_struct_chunk *c)
{
    for (size_t i = 0; i < c->n_boxes; i++) {
        uint32_t most = ts_struct_box_most(core, i);
        if (ts_struct_box_room(core, c, i, most) < 0)
            return -1;
        c->boxes[i].n = most;
    }
    return 0;
}

int ts_struct_chunk_new(const struct ts_dataset_core *core, struct ts_struct_chunk **out)
{
    size_t n = (size_t)((core->chunk_elements + TS_RUN_BOX_SIZE - 1) / TS_RUN_BOX_SIZE);
    struct ts_struct_chunk *c = ts_calloc(1, sizeof *c + n * sizeof *c->boxes);
    if (!c)
        return -1;
    c->n_boxes = n;
    if ((ts_struct_is_sparse(core) ? ts_run_set_new(core->chunk_elements, &c->set) : define_all(core, c)) < 0) {
        ts_struct_chunk_free(c);
        return -1;
    }
    *out = c;
    return 0;
}

void ts_struct_values_free(struct ts_struct_chunk *c)
{
    for (size_t i = 0; i < c->n_boxes && c->values_alloc > 0; i++) {
        ts_free(c->boxes[i].values);
        c->boxes[i] = (struct ts_struct_box){0};
    }
    c->values_alloc = 0;
    ts_chunk_heap_deinit(&c->heap);
    c->heap = (struct ts_chunk_heap){0};
}

void ts_struct_chunk_free(struct ts_struct_chunk *c)
{
    if (!c)
        return;
    ts_struct_values_free(c);
    ts_run_set_free(c->set);
    ts_free(c);
}

int ts_struct_box_room(const struct ts_dataset_core *core, struct ts_struct_chunk *c, size_t box, uint32_t n)
{
    struct ts_struct_box *b = &c->boxes[box];
    uint32_t most = ts_struct_box_most(core, box), room = b->capacity + b->capacity / 2;
    if (n <= b->capacity)
        return 0;
    room = room < n ? n : room > most ? most : room;
    uint8_t *values = ts_realloc(b->values, (size_t)room * ts_struct_element_size(core));
    if (!values)
        return -1;
    b->values = values;
    c->values_alloc += room - b->capacity;
    b->capacity = room;
    return 0;
}

void ts_struct_chunk_count(const struct ts_dataset_core *core, struct ts_sc_data *d)
{
    const struct ts_struct_chunk *c = d->chunk;
    size_t size = ts_struct_element_size(core);
    size_t fixed = sizeof *c + c->n_boxes * sizeof *c->boxes + (c->set ? ts_run_set_bytes(c->set) : 0);
    uint64_t n = c->no_values ? 0 : c->set ? ts_run_set_count(c->set) : core->chunk_elements;
    d->used = fixed + (size_t)n * size + c->heap.size;
    d->alloc = fixed + c->values_alloc * size + ts_chunk_heap_alloc(&c->heap);
}

/* Elements as sorted runs, none of which lies in two boxes. */
struct runs {
    struct ts_run *items;
    size_t n, capacity;
    bool sorted;
};

static int add_run(struct runs *r, hsize_t first, hsize_t n)
{
    struct ts_run *last = r->n > 0 ? &r->items[r->n - 1] : NULL;
    while (n > 0) {
        hsize_t border = (first / TS_RUN_BOX_SIZE + 1) * TS_RUN_BOX_SIZE, now = n < border - first ? n : border - first;
        if (last && last->offset + last->length == first && first % TS_RUN_BOX_SIZE != 0) {
            last->length += now;
        } else {
            if (TS_GROW(r->items, r->capacity, r->n + 1) < 0)
                return -1;
            if (r->n > 0 && r->items[r->n - 1].offset + r->items[r->n - 1].length > first)
                r->sorted = false;
            last = &r->items[r->n++];
            *last = (struct ts_run){first, now};
        }
        first += now;
        n -= now;
    }
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    hsize_t x = ((const struct ts_run *)a)->offset, y = ((const struct ts_run *)b)->offset;
    return (x > y) - (x < y);
}

/* Elements may have been named twice. */
static void sort_runs(struct runs *r)
{
    size_t to = 0;
    qsort(r->items, r->n, sizeof *r->items, by_offset);
    for (size_t i = 1; i < r->n; i++) {
        struct ts_run *last = &r->items[to], *now = &r->items[i];
        hsize_t end = last->offset + last->length;
        if (now->offset < end) {
            if (now->offset + now->length > end)
                last->length = now->offset + now->length - last->offset;
        } else {
            r->items[++to] = *now;
        }
    }
    r->n = to + 1;
    r->sorted = true;
}

static int runs_of(const struct ts_piece *pieces, size_t n, struct runs *r)
{
    *r = (struct runs){.sorted = true};
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            if (add_run(r, pieces[i].src + k * pieces[i].src_step, pieces[i].n) < 0) {
                ts_free(r->items);
                return -1;
            }
    if (!r->sorted)
        sort_runs(r);
    return 0;
}

int ts_struct_overlaps(const struct ts_piece *pieces, size_t n)
{
    struct runs r;
    hsize_t all = 0, distinct = 0;
    if (n < 2)
        return 0;
    if (runs_of(pieces, n, &r) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        all += pieces[i].n * pieces[i].count;
    for (size_t i = 0; i < r.n; i++)
        distinct += r.items[i].length;
    ts_free(r.items);
    return distinct < all;
}

/* What a change does to the values of a box. Ordinals count within the box. */
struct box_plan {
    size_t box;
    struct ts_run_plan plan;
};

struct box_plans {
    struct box_plan *items;
    size_t n, capacity;
};

static void plans_deinit(struct box_plans *p)
{
    for (size_t i = 0; i < p->n; i++)
        ts_run_plan_deinit(&p->items[i].plan);
    ts_free(p->items);
}

static int plan_box(const struct ts_struct_chunk *c, const struct ts_run *runs, size_t n, bool add, struct box_plans *out)
{
    size_t box = (size_t)(runs->offset / TS_RUN_BOX_SIZE);
    struct ts_run_plan plan;
    if (TS_GROW(out->items, out->capacity, out->n + 1) < 0)
        return -1;
    if ((add ? ts_run_set_plan_add(c->set, runs, n, &plan) : ts_run_set_plan_remove(c->set, runs, n, &plan)) < 0)
        return -1;
    if (plan.total == 0) {
        ts_run_plan_deinit(&plan);
        return 0;
    }
    uint64_t before = ts_run_set_rank(c->set, (uint64_t)box * TS_RUN_BOX_SIZE);
    for (size_t i = 0; i < plan.n; i++)
        plan.items[i].at -= before;
    out->items[out->n++] = (struct box_plan){box, plan};
    return 0;
}

static int plan_boxes(const struct ts_struct_chunk *c, const struct runs *r, bool add, struct box_plans *out)
{
    *out = (struct box_plans){0};
    for (size_t i = 0, n; i < r->n; i += n) {
        for (n = 1; i + n < r->n && r->items[i + n].offset / TS_RUN_BOX_SIZE == r->items[i].offset / TS_RUN_BOX_SIZE;)
            n++;
        if (plan_box(c, &r->items[i], n, add, out) < 0) {
            plans_deinit(out);
            return -1;
        }
    }
    return 0;
}

/* New elements have the fill value until they get another. */
static int fill_holes(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct box_plan *p)
{
    uint64_t shift = 0;
    size_t size = ts_struct_element_size(core);
    int status = 0;
    for (size_t i = 0; i < p->plan.n; i++) {
        const struct ts_run_shift *s = &p->plan.items[i];
        uint8_t *hole = c->boxes[p->box].values + (s->at + shift) * size;
        /* What could be left behind by a failure must be no reference. */
        if (ts_struct_has_heap(core))
            memset(hole, 0, (size_t)s->n * size);
        if (ts_struct_fill_values(core, c, (size_t)s->n, hole) < 0)
            status = -1;
        shift += s->n;
    }
    return status;
}

static int open_boxes(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct runs *r,
                      const struct box_plans *plans)
{
    size_t size = ts_struct_element_size(core);
    int status = 0;
    for (size_t i = 0; i < plans->n; i++) {
        const struct box_plan *p = &plans->items[i];
        if (ts_struct_box_room(core, c, p->box, c->boxes[p->box].n + (uint32_t)p->plan.total) < 0)
            return -1;
    }
    if (ts_run_set_add(c->set, r->items, r->n) < 0)
        return -1;
    for (size_t i = 0; i < plans->n; i++) {
        const struct box_plan *p = &plans->items[i];
        struct ts_struct_box *b = &c->boxes[p->box];
        ts_run_plan_open(&p->plan, b->values, size, b->n);
        b->n += (uint32_t)p->plan.total;
        if (fill_holes(core, c, p) < 0)
            status = -1;
    }
    return status;
}

int ts_struct_define(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n)
{
    struct runs r;
    struct box_plans plans;
    if (ts_struct_is_full(c))
        return 0;
    if (runs_of(pieces, n, &r) < 0)
        return -1;
    int status = plan_boxes(c, &r, true, &plans);
    if (status == 0) {
        status = plans.n > 0 ? open_boxes(core, c, &r, &plans) : 0;
        plans_deinit(&plans);
    }
    ts_free(r.items);
    return status;
}

static void close_box(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct box_plan *p)
{
    struct ts_struct_box *b = &c->boxes[p->box];
    size_t size = ts_struct_element_size(core);
    for (size_t i = 0; ts_struct_has_heap(core) && i < p->plan.n; i++)
        ts_chunk_heap_erase(&c->heap, core->chunk_type, (size_t)p->plan.items[i].n,
                            b->values + p->plan.items[i].at * size);
    ts_run_plan_close(&p->plan, b->values, size, b->n);
    b->n -= (uint32_t)p->plan.total;
    if (b->n > 0)
        return;
    c->values_alloc -= b->capacity;
    ts_free(b->values);
    *b = (struct ts_struct_box){0};
}

int ts_struct_undefine(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n)
{
    struct runs r;
    struct box_plans plans;
    if (ts_run_set_count(c->set) == 0)
        return 0;
    if (runs_of(pieces, n, &r) < 0)
        return -1;
    int status = plan_boxes(c, &r, false, &plans);
    if (status == 0) {
        status = plans.n > 0 ? ts_run_set_remove(c->set, r.items, r.n) : 0;
        for (size_t i = 0; i < plans.n && status == 0; i++)
            close_box(core, c, &plans.items[i]);
        plans_deinit(&plans);
    }
    ts_free(r.items);
    return status;
}

bool ts_piece_join(struct ts_piece *last, const struct ts_piece *p)
{
    if (p->count != 1)
        return false;
    if (last->count == 1 && p->src == last->src + last->n && p->mem == last->mem + last->n) {
        last->n += p->n;
        return true;
    }
    if (p->n != last->n)
        return false;
    if (last->count == 1) {
        if (p->src < last->src + last->n || p->mem < last->mem + last->n)
            return false;
        last->src_step = p->src - last->src;
        last->mem_step = p->mem - last->mem;
    } else if (p->src != last->src + last->count * last->src_step || p->mem != last->mem + last->count * last->mem_step) {
        return false;
    }
    last->count++;
    return true;
}

/* One run, with src in the values of box `box`; it may go on in the next boxes, where it starts with the first value. */
static int tell_run(const struct ts_struct_visitor *v, hsize_t element, hsize_t ordinal, hsize_t mem, hsize_t n)
{
    while (n > 0) {
        size_t box = (size_t)(element / TS_RUN_BOX_SIZE);
        hsize_t left = TS_RUN_BOX_SIZE - element % TS_RUN_BOX_SIZE, now = n < left ? n : left;
        struct ts_piece p = {.src = ordinal, .mem = mem, .n = now, .count = 1};
        if (v->defined(v->ctx, box, &p) < 0)
            return -1;
        element += now;
        mem += now;
        n -= now;
        ordinal = 0;
    }
    return 0;
}

/* Where all elements have values, these have the numbers of their elements. */
static int visit_full(const struct ts_piece *p, const struct ts_struct_visitor *v)
{
    hsize_t k = 0;
    while (k < p->count) {
        hsize_t first = p->src + k * p->src_step, box = first / TS_RUN_BOX_SIZE, end = (box + 1) * TS_RUN_BOX_SIZE;
        hsize_t mem = p->mem + k * p->mem_step, now = 1;
        struct ts_piece part = {.src = first % TS_RUN_BOX_SIZE, .mem = mem, .n = p->n, .count = 1,
                                .src_step = p->src_step, .mem_step = p->mem_step};
        if (p->n > end - first) {
            if (tell_run(v, first, first % TS_RUN_BOX_SIZE, mem, p->n) < 0)
                return -1;
        } else {
            if (p->src_step > 0)
                now = (end - first - p->n) / p->src_step + 1;
            part.count = now = now < p->count - k ? now : p->count - k;
            if (v->defined(v->ctx, (size_t)box, &part) < 0)
                return -1;
        }
        k += now;
    }
    return 0;
}

/* A place among the elements of pieces: element `at` of a block of a piece. */
struct place {
    size_t piece;
    hsize_t block, at;
};

static int tell_missing(const struct ts_struct_visitor *v, const struct ts_piece *p, hsize_t block, hsize_t count,
                        hsize_t at, hsize_t n)
{
    struct ts_piece part = {.mem = p->mem + block * p->mem_step + at, .n = n, .count = count, .mem_step = p->mem_step};
    return v->missing(v->ctx, &part);
}

/* What lies between two places of one piece has no values; *from becomes `to`. */
static int pass_piece(const struct ts_struct_visitor *v, const struct ts_piece *p, struct place *from, struct place to)
{
    if (from->block < to.block && from->at > 0) {
        if (tell_missing(v, p, from->block, 1, from->at, p->n - from->at) < 0)
            return -1;
        from->block++;
        from->at = 0;
    }
    if (from->block < to.block && tell_missing(v, p, from->block, to.block - from->block, 0, p->n) < 0)
        return -1;
    from->at = from->block < to.block ? 0 : from->at;
    if (from->at < to.at && tell_missing(v, p, to.block, 1, from->at, to.at - from->at) < 0)
        return -1;
    *from = to;
    return 0;
}

static int pass(const struct ts_struct_visitor *v, const struct ts_piece *pieces, struct place *from, struct place to)
{
    if (!v->missing)
        return 0;
    while (from->piece < to.piece) {
        const struct ts_piece *p = &pieces[from->piece];
        if (pass_piece(v, p, from, (struct place){from->piece, p->count, 0}) < 0)
            return -1;
        *from = (struct place){from->piece + 1, 0, 0};
    }
    return to.block > 0 || to.at > 0 ? pass_piece(v, &pieces[to.piece], from, to) : 0;
}

/* A walk through the defined elements: ordinals of the set become those of boxes. */
struct walk {
    const struct ts_struct_chunk *c;
    const struct ts_struct_visitor *v;
    size_t box;      /* of which `before` is known */
    uint64_t before; /* values in the boxes before */
    struct place told; /* everything before it */
};

static int tell_hit(struct walk *w, const struct ts_piece *pieces, const struct ts_run_hit *hit)
{
    const struct ts_piece *p = &pieces[hit->piece];
    size_t box = (size_t)(hit->element / TS_RUN_BOX_SIZE);
    if (box != w->box) {
        w->before = ts_run_set_rank(w->c->set, (uint64_t)box * TS_RUN_BOX_SIZE);
        w->box = box;
    }
    hsize_t at = hit->element - p->src - hit->block * p->src_step;
    if (pass(w->v, pieces, &w->told, (struct place){hit->piece, hit->block, at}) < 0)
        return -1;
    w->told = at + hit->n < p->n ? (struct place){hit->piece, hit->block, at + hit->n}
                                 : (struct place){hit->piece, hit->block + 1, 0};
    return tell_run(w->v, hit->element, hit->ordinal - w->before, p->mem + hit->block * p->mem_step + at, hit->n);
}

enum { PORTION = 128 };

/* Up to PORTION pieces. */
static int visit_some(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                      const struct ts_struct_visitor *v)
{
    struct ts_strided strided[PORTION];
    struct ts_run_hit hits[PORTION];
    struct ts_run_match match;
    struct walk w = {.c = c, .v = v, .box = SIZE_MAX};
    size_t got;
    for (size_t i = 0; i < n; i++)
        strided[i] = (struct ts_strided){pieces[i].src, pieces[i].n, pieces[i].count, pieces[i].src_step};
    ts_run_match_init(&match, c->set, strided, n);
    while ((got = ts_run_match_next(&match, hits, PORTION)) > 0)
        for (size_t i = 0; i < got; i++)
            if (tell_hit(&w, pieces, &hits[i]) < 0)
                return -1;
    return pass(v, pieces, &w.told, (struct place){n, 0, 0});
}

int ts_struct_visit(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                    const struct ts_struct_visitor *v)
{
    bool full = ts_struct_is_full(c);
    for (size_t i = 0, now; i < n; i += now) {
        now = full ? 1 : n - i < PORTION ? n - i : PORTION;
        if ((full ? visit_full(&pieces[i], v) : visit_some(c, &pieces[i], now, v)) < 0)
            return -1;
    }
    return 0;
}
