#include "dataset/chunk_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "dataset/chunk_picks.h"
#include "dataset/storage.h"
#include "file/change.h"

int ts_chunks_begin(struct ts_dataset_core *core, struct ts_chunk_index **index)
{
    if (ts_dataset_write_waiting(core) < 0 || ts_dataset_core_lock_read(core) < 0)
        return -1;
    ts_file_lock(core->file);
    int status = ts_dataset_core_index(core, index);
    return status < 0 ? ts_chunks_end(core, status) : 0;
}

int ts_chunks_end(struct ts_dataset_core *core, int status)
{
    ts_file_unlock(core->file);
    ts_dataset_core_unlock(core);
    return status;
}

/* The chunks of a selection. *out is NULL when that is all of them: the index knows them better. Between begin and
 * end. */
static int pick(struct ts_dataset *d, struct ts_chunk_index *index, const struct ts_space *sel,
                struct ts_chunk_picks **out)
{
    struct ts_space *chosen;
    *out = NULL;
    if (!sel)
        return 0;
    if (ts_dataset_select(d, sel, &chosen) < 0)
        return -1;
    bool all = ts_space_sel_type(chosen) == H5S_SEL_ALL;
    int status = all ? 0 : ts_chunk_picks_get(d->core, index, chosen, out);
    ts_space_unref(chosen);
    return status;
}

int ts_chunks_count(struct ts_dataset *d, const struct ts_space *sel, hsize_t *n)
{
    struct ts_chunk_index *index;
    struct ts_chunk_picks *picks;
    uint64_t count = 0;
    if (ts_chunks_begin(d->core, &index) < 0)
        return -1;
    int status = pick(d, index, sel, &picks);
    if (status == 0 && !picks)
        status = ts_chunk_index_count(index, &count);
    ts_chunks_end(d->core, status);
    if (status == 0)
        *n = picks ? picks->total : count;
    ts_chunk_picks_unref(picks);
    return status;
}

static int nth_pick(struct ts_chunk_index *index, const struct ts_chunk_picks *p, hsize_t n, struct ts_chunk_rec *out)
{
    hsize_t scaled[H5S_MAX_RANK];
    if (n >= p->total)
        return 0;
    ts_chunk_grid_position(&p->grid, ts_chunk_picks_number(p, n, NULL), scaled);
    return ts_chunk_index_lookup(index, scaled, out);
}

int ts_chunks_nth(struct ts_dataset *d, const struct ts_space *sel, hsize_t n, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    struct ts_chunk_picks *picks;
    if (ts_chunks_begin(d->core, &index) < 0)
        return -1;
    int found = pick(d, index, sel, &picks);
    if (found == 0)
        found = picks ? nth_pick(index, picks, n, out) : ts_chunk_index_nth(index, n, out);
    ts_chunks_end(d->core, 0);
    ts_chunk_picks_unref(picks);
    return found;
}

int ts_chunks_at(struct ts_dataset *d, const hsize_t *offset, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    hsize_t scaled[H5S_MAX_RANK];
    const hsize_t *chunk_dims = d->core->layout.chunk.dims;
    if (ts_chunks_begin(d->core, &index) < 0)
        return -1;
    struct ts_space *space = ts_dataset_core_space(d->core);
    bool inside = true;
    for (unsigned i = 0; i < d->core->rank; i++) {
        scaled[i] = offset[i] / chunk_dims[i];
        inside = inside && scaled[i] < ts_div_ceil(ts_space_dims(space)[i], chunk_dims[i]);
    }
    ts_space_unref(space);
    return ts_chunks_end(d->core, inside ? ts_chunk_index_lookup(index, scaled, out) : 0);
}

/* Chunks are visited some at a time, from copies of their records: no lock is held then, and what a visitor changes is
 * seen with the next ones. */
#define BATCH 512

struct batch {
    struct ts_chunk_rec *recs;
    hsize_t *after; /* of each: where to go on behind it */
    size_t n, recs_capacity, after_capacity;
};

static void free_batch(struct batch *b)
{
    ts_free(b->recs);
    ts_free(b->after);
}

static int keep(struct batch *b, const struct ts_chunk_rec *rec, hsize_t after)
{
    if (TS_GROW(b->recs, b->recs_capacity, b->n + 1) < 0 || TS_GROW(b->after, b->after_capacity, b->n + 1) < 0)
        return -1;
    b->recs[b->n] = *rec;
    b->after[b->n++] = after;
    return 0;
}

static int visit_batch(const struct batch *b, hsize_t *idx, ts_chunk_visit_fn *visit, void *ctx)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < b->n; i++) {
        *idx = b->after[i];
        status = visit(&b->recs[i], ctx);
    }
    return status;
}

/* Where a visit is. */
struct visit {
    struct ts_dataset *d;
    struct batch batch;
    hsize_t next;             /* of those to be visited */
    hsize_t at[H5S_MAX_RANK]; /* of all chunks: go on here, */
    bool some, behind;        /* if somewhere; behind it, not at it */
    struct ts_chunk_grid grid;
    struct ts_chunk_picks *picks; /* of a selection */
    struct sorted *sorted;        /* of another order */
    size_t n_sorted, sorted_capacity;
    enum ts_chunk_order order;
    uint64_t run_first, run_end; /* numbers of the chunks that are fetched together, */
    hsize_t run_idx;             /* and which of those to be visited the first of them is */
};

static int compare(const struct ts_chunk_grid *g, const hsize_t *a, const hsize_t *b)
{
    for (unsigned k = 0; k < g->rank; k++) {
        unsigned i = g->order[k];
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* An index that is not in order would be gone through for ever. */
static int keep_next(const struct ts_chunk_rec *rec, void *ctx)
{
    struct visit *v = ctx;
    int order = v->some ? compare(&v->grid, rec->scaled, v->at) : 1;
    if (order == 0 && v->behind && v->batch.n == 0)
        return 0;
    if (order < 0 || (order == 0 && v->behind))
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: the chunks of its index are not in order",
                      (unsigned long long)v->d->core->addr);
    if (keep(&v->batch, rec, v->next + 1) < 0)
        return -1;
    memcpy(v->at, rec->scaled, sizeof v->at);
    v->some = v->behind = true;
    v->next++;
    return v->batch.n == BATCH;
}

static int fetch_all(struct visit *v, struct ts_chunk_index *index)
{
    struct ts_chunk_rec rec;
    if (!v->some && v->next > 0) {
        int found = ts_chunk_index_nth(index, v->next, &rec);
        if (found != 1)
            return found;
        memcpy(v->at, rec.scaled, sizeof v->at);
        v->some = true;
    }
    hsize_t from[H5S_MAX_RANK];
    memcpy(from, v->at, sizeof from);
    return ts_chunk_index_iterate_from(index, v->some ? from : NULL, keep_next, v) < 0 ? -1 : 0;
}

/* A chunk of a run; one that has gone since is missing, but keeps its place among them. */
static int keep_of_run(const struct ts_chunk_rec *rec, void *ctx)
{
    struct visit *v = ctx;
    uint64_t number;
    if (!ts_chunk_grid_number(&v->grid, rec->scaled, &number) || number >= v->run_end)
        return 1;
    return keep(&v->batch, rec, v->run_idx + (number - v->run_first) + 1);
}

/* Few are looked up, many follow each other. */
#define FEW 4

/* The next n, whose numbers follow each other. */
static int fetch_run(struct visit *v, struct ts_chunk_index *index, uint64_t number, hsize_t n)
{
    hsize_t scaled[H5S_MAX_RANK];
    struct ts_chunk_rec rec;
    v->run_idx = v->next;
    v->run_first = number;
    v->run_end = number + n;
    v->next += n;
    ts_chunk_grid_position(&v->grid, number, scaled);
    if (n > FEW)
        return ts_chunk_index_iterate_from(index, scaled, keep_of_run, v) < 0 ? -1 : 0;
    for (; number < v->run_end; number++) {
        ts_chunk_grid_position(&v->grid, number, scaled);
        int found = ts_chunk_index_lookup(index, scaled, &rec);
        if (found < 0 || (found == 1 && keep_of_run(&rec, v) < 0))
            return -1;
    }
    return 0;
}

static int fetch_picks(struct visit *v, struct ts_chunk_index *index)
{
    int status = 0;
    while (status == 0 && v->batch.n < BATCH && v->next < v->picks->total) {
        hsize_t left, room = BATCH - v->batch.n;
        uint64_t number = ts_chunk_picks_number(v->picks, v->next, &left);
        status = fetch_run(v, index, number, left < room ? left : room);
    }
    return status;
}

struct sorted {
    uint64_t key, number;
};

static int by_key(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int keep_key(const struct ts_chunk_rec *rec, void *ctx)
{
    struct visit *v = ctx;
    struct sorted s = {.key = rec->addr};
    if (!ts_chunk_grid_number(&v->grid, rec->scaled, &s.number))
        return 0;
    if (v->order == TS_CHUNKS_BY_COORD) {
        s.key = 0;
        for (unsigned i = 0; i < v->grid.rank; i++)
            s.key = s.key * v->grid.chunks[i] + rec->scaled[i];
    }
    if (TS_GROW(v->sorted, v->sorted_capacity, v->n_sorted + 1) < 0)
        return -1;
    v->sorted[v->n_sorted++] = s;
    return 0;
}

static int fetch_sorted(struct visit *v, struct ts_chunk_index *index)
{
    int status = 0;
    while (status == 0 && v->batch.n < BATCH && v->next < v->n_sorted) {
        const struct sorted *at = v->sorted + v->next;
        hsize_t n = 1, room = BATCH - v->batch.n, left = v->n_sorted - v->next;
        while (n < room && n < left && at[n].number == at->number + n)
            n++;
        status = fetch_run(v, index, at->number, n);
    }
    return status;
}

typedef int fetch_fn(struct visit *v, struct ts_chunk_index *index);

static int visit_fetched(struct visit *v, fetch_fn *fetch, hsize_t *idx, ts_chunk_visit_fn *visit, void *ctx)
{
    struct ts_chunk_index *index;
    int status;
    do {
        v->batch.n = 0;
        if (ts_chunks_begin(v->d->core, &index) < 0)
            return -1;
        status = ts_chunks_end(v->d->core, fetch(v, index));
        if (status == 0)
            status = visit_batch(&v->batch, idx, visit, ctx);
    } while (status == 0 && v->batch.n > 0);
    return status;
}

/* What there is to visit, and in which order the index has it. */
static int prepare(struct visit *v, const struct ts_space *sel)
{
    struct ts_chunk_index *index;
    if (ts_chunks_begin(v->d->core, &index) < 0)
        return -1;
    int status = ts_chunk_grid_init(&v->grid, v->d->core, index);
    if (status == 0)
        status = pick(v->d, index, sel, &v->picks);
    return ts_chunks_end(v->d->core, status);
}

static bool is_native(const struct visit *v, enum ts_chunk_order order)
{
    bool row_major = true;
    for (unsigned i = 0; i < v->grid.rank; i++)
        row_major = row_major && v->grid.order[i] == i;
    return order == TS_CHUNKS_NATIVE || (order == TS_CHUNKS_BY_COORD && row_major);
}

static int visit_native(struct visit *v, hsize_t *idx, ts_chunk_visit_fn *visit, void *ctx)
{
    v->next = *idx;
    return visit_fetched(v, v->picks ? fetch_picks : fetch_all, idx, visit, ctx);
}

static int visit_sorted(struct visit *v, hsize_t *idx, ts_chunk_visit_fn *visit, void *ctx)
{
    hsize_t first = 0;
    if (visit_native(v, &first, keep_key, v) < 0)
        return -1;
    if (v->n_sorted > 0)
        qsort(v->sorted, v->n_sorted, sizeof *v->sorted, by_key);
    v->next = *idx;
    return visit_fetched(v, fetch_sorted, idx, visit, ctx);
}

int ts_chunks_visit(struct ts_dataset *d, const struct ts_space *sel, enum ts_chunk_order order, hsize_t *idx,
                    ts_chunk_visit_fn *visit, void *ctx)
{
    struct visit v = {.d = d, .order = order};
    int status = prepare(&v, sel);
    if (status == 0)
        status = is_native(&v, order) ? visit_native(&v, idx, visit, ctx) : visit_sorted(&v, idx, visit, ctx);
    free_batch(&v.batch);
    ts_free(v.sorted);
    ts_chunk_picks_unref(v.picks);
    return status;
}

/* The chunks as elements of a space of chunks, whose dimensions are those of the dataset in the order of its index. */
static int chunks_as_space(const struct ts_chunk_picks *p, struct ts_space **out)
{
    hsize_t dims[H5S_MAX_RANK];
    struct ts_space *like;
    struct ts_run *runs = ts_malloc(p->n * sizeof *runs);
    for (unsigned k = 0; k < p->grid.rank; k++)
        dims[k] = p->grid.chunks[p->grid.order[k]];
    if (!runs || ts_space_new_simple(p->grid.rank, dims, NULL, &like) < 0) {
        ts_free(runs);
        return -1;
    }
    for (size_t i = 0; i < p->n; i++) {
        hsize_t next = i + 1 < p->n ? p->runs[i + 1].before : p->total;
        runs[i] = (struct ts_run){.offset = p->runs[i].first, .length = next - p->runs[i].before};
    }
    int status = ts_space_from_runs(like, runs, p->n, out);
    ts_space_unref(like);
    ts_free(runs);
    return status;
}

/* From chunks to elements, cut to the extent. */
static int add_box(struct ts_space *out, const struct ts_chunk_grid *g, const hsize_t *chunk_dims, const hsize_t *box)
{
    hsize_t start[H5S_MAX_RANK], count[H5S_MAX_RANK];
    for (unsigned k = 0; k < g->rank; k++) {
        unsigned i = g->order[k];
        hsize_t last = box[g->rank + k] * chunk_dims[i], room = ts_space_dims(out)[i] - last;
        start[i] = box[k] * chunk_dims[i];
        count[i] = last - start[i] + (room < chunk_dims[i] ? room : chunk_dims[i]);
    }
    return ts_space_select_hyperslab(out, H5S_SELECT_OR, start, NULL, count, NULL);
}

#define BOXES 256

static int add_boxes(struct ts_space *out, const struct ts_chunk_grid *g, const hsize_t *chunk_dims,
                     const struct ts_space *chunks)
{
    hsize_t n;
    if (ts_space_nblocks(chunks, &n) < 0)
        return -1;
    hsize_t *boxes = ts_malloc(BOXES * 2 * g->rank * sizeof *boxes);
    int status = boxes ? 0 : -1;
    for (hsize_t first = 0; status == 0 && first < n; first += BOXES) {
        hsize_t some = n - first < BOXES ? n - first : BOXES;
        status = ts_space_blocklist(chunks, first, some, boxes);
        for (hsize_t i = 0; status == 0 && i < some; i++)
            status = add_box(out, g, chunk_dims, boxes + i * 2 * g->rank);
    }
    ts_free(boxes);
    return status < 0 ? -1 : ts_space_merge(out);
}

/* A regular pattern stays one: 1, or 0 when it is none. Its last block may reach over the edge. */
static int add_regular(struct ts_space *out, const struct ts_chunk_grid *g, const hsize_t *chunk_dims,
                       const struct ts_space *chunks)
{
    hsize_t given[4][H5S_MAX_RANK], start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK],
        zero[H5S_MAX_RANK] = {0};
    if (!ts_space_regular(chunks, given[0], given[1], given[2], given[3]))
        return 0;
    for (unsigned k = 0; k < g->rank; k++) {
        unsigned i = g->order[k];
        uint64_t end, size = chunk_dims[i];
        start[i] = given[0][k] * size;
        count[i] = given[2][k];
        block[i] = given[3][k] * size;
        stride[i] = count[i] > 1 ? given[1][k] * size : block[i];
        if (!ts_mul_u64(g->chunks[i], size, &end) || end >= H5S_UNLIMITED)
            return 0;
    }
    if (ts_space_select_hyperslab(out, H5S_SELECT_SET, start, stride, count, block) < 0 ||
        ts_space_select_hyperslab(out, H5S_SELECT_AND, zero, NULL, ts_space_dims(out), NULL) < 0)
        return -1;
    return 1;
}

static int select_chunks(struct ts_space *out, const struct ts_chunk_picks *p, const hsize_t *chunk_dims)
{
    struct ts_space *chunks;
    if (p->total == p->grid.total && p->total > 0) {
        ts_space_select_all(out);
        return 0;
    }
    ts_space_select_none(out);
    if (p->total == 0)
        return 0;
    if (chunks_as_space(p, &chunks) < 0)
        return -1;
    int status = add_regular(out, &p->grid, chunk_dims, chunks);
    if (status == 0)
        status = add_boxes(out, &p->grid, chunk_dims, chunks);
    ts_space_unref(chunks);
    return status < 0 ? -1 : 0;
}

static int copy_extent(struct ts_dataset_core *core, struct ts_space **out)
{
    struct ts_space *extent = ts_dataset_core_space(core);
    int status = ts_space_copy(extent, out);
    ts_space_unref(extent);
    return status;
}

int ts_chunks_selection(struct ts_dataset *d, struct ts_space **out)
{
    struct ts_chunk_index *index;
    struct ts_chunk_picks *picks = NULL;
    struct ts_space *space = NULL;
    if (ts_chunks_begin(d->core, &index) < 0)
        return -1;
    int status = ts_chunk_picks_get(d->core, index, NULL, &picks);
    if (status == 0)
        status = copy_extent(d->core, &space);
    ts_chunks_end(d->core, status);
    if (status == 0)
        status = select_chunks(space, picks, d->core->layout.chunk.dims);
    ts_chunk_picks_unref(picks);
    if (status < 0)
        ts_space_unref(space);
    else
        *out = space;
    return status;
}
