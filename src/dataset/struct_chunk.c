#include "dataset/struct_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/xfer.h"

static int define_all(const struct ts_dataset_core *core, struct ts_struct_chunk *c)
{
    for (size_t i = 0; i < c->n_bins; i++) {
        uint32_t most = ts_struct_bin_most(core, i);
        if (ts_struct_bin_room(core, c, i, most) < 0)
            return -1;
        c->bins[i].n = most;
    }
    return 0;
}

int ts_struct_chunk_new(const struct ts_dataset_core *core, struct ts_struct_chunk **out)
{
    size_t n = (size_t)((core->chunk_elements + TS_RUN_BIN_SIZE - 1) / TS_RUN_BIN_SIZE);
    struct ts_struct_chunk *c = ts_calloc(1, sizeof *c + n * sizeof *c->bins);
    if (!c)
        return -1;
    c->n_bins = n;
    if ((ts_struct_is_sparse(core) ? ts_run_set_new(core->chunk_elements, &c->set) : define_all(core, c)) < 0) {
        ts_struct_chunk_free(c);
        return -1;
    }
    *out = c;
    return 0;
}

void ts_struct_values_free(struct ts_struct_chunk *c)
{
    for (size_t i = 0; i < c->n_bins && c->values_alloc > 0; i++) {
        ts_free(c->bins[i].values);
        c->bins[i] = (struct ts_struct_bin){0};
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

int ts_struct_bin_room(const struct ts_dataset_core *core, struct ts_struct_chunk *c, size_t bin, uint32_t n)
{
    struct ts_struct_bin *b = &c->bins[bin];
    uint32_t most = ts_struct_bin_most(core, bin), room = b->capacity + b->capacity / 2;
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
    size_t fixed = sizeof *c + c->n_bins * sizeof *c->bins + (c->set ? ts_run_set_bytes(c->set) : 0);
    uint64_t n = c->no_values ? 0 : c->set ? ts_run_set_count(c->set) : core->chunk_elements;
    d->used = fixed + (size_t)n * size + c->heap.size;
    d->alloc = fixed + c->values_alloc * size + ts_chunk_heap_alloc(&c->heap);
}

/* Elements as sorted runs, none of which lies in two bins. */
struct runs {
    struct ts_run *items;
    size_t n, capacity;
    bool as_they_came; /* sorted and disjoint before they were made so */
};

static int push_run(struct runs *r, hsize_t first, hsize_t n)
{
    if (r->n == r->capacity && TS_GROW(r->items, r->capacity, r->n + 1) < 0)
        return -1;
    r->items[r->n++] = (struct ts_run){first, n};
    return 0;
}

static int add_run(struct runs *r, hsize_t first, hsize_t n)
{
    struct ts_run *last = r->n > 0 ? &r->items[r->n - 1] : NULL;
    hsize_t end = first + n, border = (first / TS_RUN_BIN_SIZE + 1) * TS_RUN_BIN_SIZE;
    if (last && last->offset + last->length > first)
        r->as_they_came = false;
    if (last && last->offset + last->length == first && first % TS_RUN_BIN_SIZE != 0) {
        hsize_t now = end < border ? n : border - first;
        last->length += now;
        first += now;
        border += first == border ? TS_RUN_BIN_SIZE : 0;
    }
    for (; first < end; first = border, border += TS_RUN_BIN_SIZE)
        if (push_run(r, first, (end < border ? end : border) - first) < 0)
            return -1;
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
}

static int runs_of(const struct ts_piece *pieces, size_t n, struct runs *r)
{
    size_t blocks = 0;
    *r = (struct runs){.as_they_came = true};
    for (size_t i = 0; i < n; i++)
        blocks += (size_t)pieces[i].count;
    if (TS_GROW(r->items, r->capacity, blocks) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            if (add_run(r, pieces[i].src + k * pieces[i].src_step, pieces[i].n) < 0) {
                ts_free(r->items);
                return -1;
            }
    if (!r->as_they_came)
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

/* What a change does to the values of a bin. Ordinals count within the bin. */
struct bin_plan {
    size_t bin;
    struct ts_run_shifts plan;
};

struct bin_plans {
    struct bin_plan *items;
    size_t n, capacity;
};

static void plans_deinit(struct bin_plans *p)
{
    for (size_t i = 0; i < p->n; i++)
        ts_run_shifts_deinit(&p->items[i].plan);
    ts_free(p->items);
}

static int plan_bin(const struct ts_struct_chunk *c, const struct ts_run *runs, size_t n, bool add,
                    struct bin_plans *out)
{
    size_t bin = (size_t)(runs->offset / TS_RUN_BIN_SIZE);
    struct ts_run_shifts plan;
    if (TS_GROW(out->items, out->capacity, out->n + 1) < 0)
        return -1;
    if ((add ? ts_run_set_shifts_of_add(c->set, runs, n, &plan) : ts_run_set_shifts_of_remove(c->set, runs, n, &plan)) <
        0)
        return -1;
    if (plan.total == 0) {
        ts_run_shifts_deinit(&plan);
        return 0;
    }
    uint64_t before = ts_run_set_rank(c->set, (uint64_t)bin * TS_RUN_BIN_SIZE);
    for (size_t i = 0; i < plan.n; i++)
        plan.items[i].at -= before;
    out->items[out->n++] = (struct bin_plan){bin, plan};
    return 0;
}

/* Runs from the i-th on that lie in the bin of that one, and the elements in them. */
static size_t runs_in_bin(const struct runs *r, size_t i, uint32_t *elements)
{
    hsize_t end = (r->items[i].offset / TS_RUN_BIN_SIZE + 1) * TS_RUN_BIN_SIZE;
    size_t k = i;
    *elements = 0;
    for (; k < r->n && r->items[k].offset < end; k++)
        *elements += (uint32_t)r->items[k].length;
    return k - i;
}

static int plan_bins(const struct ts_struct_chunk *c, const struct runs *r, bool add, struct bin_plans *out)
{
    *out = (struct bin_plans){0};
    for (size_t i = 0, n; i < r->n; i += n) {
        uint32_t elements;
        n = runs_in_bin(r, i, &elements);
        if (plan_bin(c, &r->items[i], n, add, out) < 0) {
            plans_deinit(out);
            return -1;
        }
    }
    return 0;
}

/* New elements get the fill value, from value `at` of a bin on. */
static int fill_hole(struct ts_dataset_core *core, struct ts_struct_chunk *c, size_t bin, uint64_t at, size_t n)
{
    size_t size = ts_struct_element_size(core);
    uint8_t *hole = c->bins[bin].values + at * size;
    /* What could be left behind by a failure must be no reference. */
    if (ts_struct_has_heap(core))
        memset(hole, 0, n * size);
    return ts_struct_fill_values(core, c, n, hole);
}

static int fill_holes(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct bin_plan *p)
{
    uint64_t shift = 0;
    int status = 0;
    for (size_t i = 0; i < p->plan.n; i++) {
        const struct ts_run_shift *s = &p->plan.items[i];
        if (fill_hole(core, c, p->bin, s->at + shift, (size_t)s->n) < 0)
            status = -1;
        shift += s->n;
    }
    return status;
}

/* Behind all elements that are defined nothing moves. */
static int append(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct runs *r, bool fill)
{
    uint32_t more;
    int status = 0;
    for (size_t i = 0; i < r->n;) {
        size_t bin = (size_t)(r->items[i].offset / TS_RUN_BIN_SIZE);
        i += runs_in_bin(r, i, &more);
        if (ts_struct_bin_room(core, c, bin, c->bins[bin].n + more) < 0)
            return -1;
    }
    if (ts_run_set_own(&c->set) < 0 || ts_run_set_append(c->set, r->items, r->n) < 0)
        return -1;
    for (size_t i = 0; i < r->n;) {
        size_t bin = (size_t)(r->items[i].offset / TS_RUN_BIN_SIZE);
        i += runs_in_bin(r, i, &more);
        c->bins[bin].n += more;
        if (fill && fill_hole(core, c, bin, c->bins[bin].n - more, more) < 0)
            status = -1;
    }
    return status;
}

static int open_bins(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct runs *r,
                     const struct bin_plans *plans, bool fill)
{
    size_t size = ts_struct_element_size(core);
    int status = 0;
    for (size_t i = 0; i < plans->n; i++) {
        const struct bin_plan *p = &plans->items[i];
        if (ts_struct_bin_room(core, c, p->bin, c->bins[p->bin].n + (uint32_t)p->plan.total) < 0)
            return -1;
    }
    if (ts_run_set_own(&c->set) < 0 || ts_run_set_add(c->set, r->items, r->n) < 0)
        return -1;
    for (size_t i = 0; i < plans->n; i++) {
        const struct bin_plan *p = &plans->items[i];
        struct ts_struct_bin *b = &c->bins[p->bin];
        ts_run_shifts_open(&p->plan, b->values, size, b->n);
        b->n += (uint32_t)p->plan.total;
        if (fill && fill_holes(core, c, p) < 0)
            status = -1;
    }
    return status;
}

static int insert(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct runs *r, bool fill)
{
    struct bin_plans plans;
    if (plan_bins(c, r, true, &plans) < 0)
        return -1;
    int status = plans.n > 0 ? open_bins(core, c, r, &plans, fill) : 0;
    plans_deinit(&plans);
    return status;
}

int ts_struct_define(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                     bool fill)
{
    struct runs r;
    if (ts_struct_is_full(c))
        return 0;
    if (runs_of(pieces, n, &r) < 0)
        return -1;
    bool behind = r.n > 0 && r.items[0].offset >= ts_run_set_end(c->set);
    int status = behind ? append(core, c, &r, fill) : insert(core, c, &r, fill);
    ts_free(r.items);
    return status < 0 ? -1 : behind && r.as_they_came;
}

static void close_bin(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct bin_plan *p)
{
    struct ts_struct_bin *b = &c->bins[p->bin];
    size_t size = ts_struct_element_size(core);
    for (size_t i = 0; ts_struct_has_heap(core) && i < p->plan.n; i++)
        ts_chunk_heap_erase(&c->heap, core->chunk_type, (size_t)p->plan.items[i].n,
                            b->values + p->plan.items[i].at * size);
    ts_run_shifts_close(&p->plan, b->values, size, b->n);
    b->n -= (uint32_t)p->plan.total;
    if (b->n > 0)
        return;
    c->values_alloc -= b->capacity;
    ts_free(b->values);
    *b = (struct ts_struct_bin){0};
}

int ts_struct_undefine(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n)
{
    struct runs r;
    struct bin_plans plans;
    if (ts_run_set_count(c->set) == 0)
        return 0;
    if (runs_of(pieces, n, &r) < 0)
        return -1;
    int status = plan_bins(c, &r, false, &plans);
    if (status == 0) {
        status = plans.n > 0 ? ts_run_set_own(&c->set) : 0;
        if (status == 0 && plans.n > 0)
            status = ts_run_set_remove(c->set, r.items, r.n);
        for (size_t i = 0; i < plans.n && status == 0; i++)
            close_bin(core, c, &plans.items[i]);
        plans_deinit(&plans);
    }
    ts_free(r.items);
    return status;
}
