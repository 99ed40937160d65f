/* Which elements are defined, for layouts that know. When all are asked for, chunks give their sets, and these are the
 * answer (space/chunk_sets.h). When only some are:
 *
 * Every chunk tells its own in ascending order. Chunks that lie behind one another in the slowest dimension are done
 * one after the other; those beside one another take turns in every row, so their lists are merged, a row of chunks at
 * a time. The order of points is their own: of these it is noted which are defined. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/load.h"
#include "space/chunk_sets.h"

struct list {
    struct ts_run *runs;
    size_t n, capacity;
    hsize_t row; /* of chunks */
};

/* What is left of a list to be merged. */
struct head {
    const struct ts_run *at, *end;
};

struct lists {
    struct list *items;
    size_t n, capacity; /* those behind n are empty, but may have memory */
};

struct finding {
    struct ts_sc_batch batch;
    uint64_t *marks;    /* points: a bit for each, set when it is defined; else NULL */
    struct lists found; /* one for each visit of the batch */
    struct lists older; /* of earlier batches, not merged yet */
    struct list all;    /* what was merged */
    struct head *heap;
    size_t heap_capacity;
    struct ts_chunk_sets *sets; /* all are asked for: this is the answer, nothing of the above is needed. Else NULL */
    _Atomic bool other;         /* some set is not what the chunk itself has */
    struct ts_run_set **taken;  /* of each visit of the batch; NULL: none */
    size_t n_taken, taken_capacity;
};

static void lists_deinit(struct lists *l)
{
    for (size_t i = 0; i < l->capacity; i++)
        ts_free(l->items[i].runs);
    ts_free(l->items);
}

static void finding_deinit(struct finding *f)
{
    lists_deinit(&f->found);
    lists_deinit(&f->older);
    ts_free(f->heap);
    ts_free(f->all.runs);
    ts_free(f->marks);
    ts_chunk_sets_free(f->sets);
    for (size_t i = 0; i < f->n_taken; i++)
        ts_run_set_free(f->taken[i]);
    ts_free(f->taken);
}

static int lists_reserve(struct lists *l, size_t n)
{
    size_t old = l->capacity;
    if (TS_GROW(l->items, l->capacity, n) < 0)
        return -1;
    if (l->capacity > old)
        memset(l->items + old, 0, (l->capacity - old) * sizeof *l->items);
    return 0;
}

static void swap_lists(struct list *a, struct list *b)
{
    struct list c = *a;
    *a = *b;
    *b = c;
}

static int collect(const struct ts_run *runs, size_t n, void *ctx)
{
    struct list *list = ctx;
    if (TS_GROW(list->runs, list->capacity, list->n + n) < 0)
        return -1;
    memcpy(list->runs + list->n, runs, n * sizeof *runs);
    list->n += n;
    return 0;
}

static int collect_pieces(const struct ts_piece *pieces, size_t n, struct list *list)
{
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++) {
            struct ts_run run = {.offset = pieces[i].mem + k * pieces[i].mem_step, .length = pieces[i].n};
            if (collect(&run, 1, list) < 0)
                return -1;
        }
    return 0;
}

static void sift_down(struct head *heap, size_t n, size_t i)
{
    struct head moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && heap[child + 1].at->offset < heap[child].at->offset)
            child++;
        if (moved.at->offset <= heap[child].at->offset)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* Where the first of the others begins. */
static hsize_t limit_of(const struct head *heap, size_t n)
{
    hsize_t limit = HSIZE_UNDEF;
    for (size_t i = 1; i < n && i < 3; i++)
        limit = heap[i].at->offset < limit ? heap[i].at->offset : limit;
    return limit;
}

/* Appends all up to what begins at the limit; there is room. */
static const struct ts_run *take(struct list *all, const struct ts_run *at, const struct ts_run *end, hsize_t limit)
{
    struct ts_run *to = all->runs + all->n;
    while (at < end && at->offset <= limit)
        *to++ = *at++;
    all->n = (size_t)(to - all->runs);
    return at;
}

static int merge(struct finding *f, const struct list *lists, size_t n_lists)
{
    size_t n = 0, total = 0;
    if (TS_GROW(f->heap, f->heap_capacity, n_lists) < 0)
        return -1;
    for (size_t i = 0; i < n_lists; i++) {
        total += lists[i].n;
        if (lists[i].n > 0)
            f->heap[n++] = (struct head){lists[i].runs, lists[i].runs + lists[i].n};
    }
    /* The more is asked for at once, the less often all of it moves. */
    if (f->all.n + total > f->all.capacity && TS_GROW(f->all.runs, f->all.capacity, 2 * (f->all.n + total)) < 0)
        return -1;
    for (size_t i = n / 2; i-- > 0;)
        sift_down(f->heap, n, i);
    while (n > 0) {
        struct head *first = &f->heap[0];
        first->at = take(&f->all, first->at, first->end, limit_of(f->heap, n));
        if (first->at == first->end)
            *first = f->heap[--n];
        sift_down(f->heap, n, 0);
    }
    return 0;
}

/* Merges the lists of each row of chunks. The last row may go on in the next batch: its lists are kept until then,
 * unless that was all. */
static int merge_rows(struct finding *f, bool end)
{
    struct list *lists = f->older.items;
    size_t first = 0, next, n = f->older.n;
    for (; first < n; first = next) {
        for (next = first + 1; next < n && lists[next].row == lists[first].row;)
            next++;
        if (next == n && !end)
            break;
        if (merge(f, lists + first, next - first) < 0)
            return -1;
    }
    for (size_t i = first; first > 0 && i < n; i++)
        swap_lists(&lists[i - first], &lists[i]);
    f->older.n -= first;
    return 0;
}

static void mark(struct finding *f)
{
    for (size_t i = 0; i < f->older.n; i++)
        for (size_t k = 0; k < f->older.items[i].n; k++) {
            const struct ts_run *run = &f->older.items[i].runs[k];
            for (hsize_t at = run->offset; at < run->offset + run->length; at++)
                f->marks[at / 64] |= (uint64_t)1 << at % 64;
        }
    f->older.n = 0;
}

static int sort_in(struct finding *f, bool end)
{
    if (f->sets)
        return 0;
    if (!f->marks)
        return merge_rows(f, end);
    mark(f);
    return 0;
}

/* What the batch found is sorted in while workers are at the next one. */
static int put_off(struct finding *f)
{
    for (size_t i = 0; i < f->n_taken; i++)
        if (f->taken[i] && ts_chunk_sets_add(f->sets, f->batch.visits[i].want.scaled, &f->taken[i]) < 0)
            return -1;
    if (f->sets)
        return 0;
    if (lists_reserve(&f->older, f->older.n + f->found.n) < 0)
        return -1;
    for (size_t i = 0; i < f->found.n; i++)
        swap_lists(&f->older.items[f->older.n++], &f->found.items[i]);
    return 0;
}

static struct list *list_of(const struct finding *f, const struct ts_sc_visit *v)
{
    return &f->found.items[v - f->batch.visits];
}

static struct ts_run_set **set_of(const struct finding *f, const struct ts_sc_visit *v)
{
    return &f->taken[v - f->batch.visits];
}

/* What needs no look at the chunk. */
static int choose(struct finding *f, struct ts_sc_visit *v)
{
    v->state = TS_SC_DONE;
    if (v->in.at.addr == HADDR_UNDEF)
        return 0;
    if (v->in.at.defined_size == 0 && f->sets) {
        f->other = true;
        return ts_chunk_sets_full(f->sets, v->want.scaled, set_of(f, v));
    }
    if (v->in.at.defined_size == 0)
        return collect_pieces(v->want.pieces, v->want.n, list_of(f, v));
    bool floods = f->sets && ts_sc_is_large(v->io->scale.chunks, v->in.at.defined_hint, f->batch.budget);
    v->state = TS_SC_AWAY;
    v->way = (struct ts_sc_way){TS_SC_LOAD, !v->skip && !floods};
    v->in.defined_only = v->dset->ops->decode_defined_values;
    return 0;
}

static void begin_list(const struct finding *f, const struct ts_sc_visit *v)
{
    if (f->sets)
        return;
    struct list *list = list_of(f, v);
    list->n = 0;
    list->row = v->dset->rank > 0 ? v->want.scaled[0] : 0;
}

static int choose_all(struct finding *f)
{
    for (size_t i = 0; i < f->batch.n; i++) {
        struct ts_sc_visit *v = &f->batch.visits[i];
        begin_list(f, v);
        if (v->state == TS_SC_AWAY && choose(f, v) < 0)
            return -1;
    }
    return 0;
}

static int look_at_set(struct finding *f, struct ts_sc_visit *v)
{
    struct ts_run_set *set;
    int other = v->dset->ops->defined_set(v->dset->owner, ts_sc_visit_data(v), &set);
    if (other < 0)
        return -1;
    uint64_t count = set ? ts_run_set_count(set) : 0;
    int status =
        set ? ts_chunk_sets_clip(f->sets, v->want.scaled, &set) : ts_chunk_sets_full(f->sets, v->want.scaled, &set);
    if (status < 0) {
        ts_run_set_free(set);
        return -1;
    }
    if (other || ts_run_set_count(set) != count)
        f->other = true;
    *set_of(f, v) = set;
    v->moved = true;
    return 0;
}

static int look(struct finding *f, struct ts_sc_visit *v)
{
    if (f->sets)
        return look_at_set(f, v);
    struct ts_sc_move move = ts_sc_visit_move(v, NULL);
    struct list *list = list_of(f, v);
    list->n = 0;
    if (v->dset->ops->defined_values(v->dset->owner, &move, ts_sc_visit_data(v), collect, list) < 0)
        return -1;
    v->moved = true;
    return 0;
}

static int look_item(void *ctx, size_t item, unsigned lane)
{
    struct finding *f = ctx;
    struct ts_sc_visit *v = f->batch.scratch.todo[item];
    (void)lane;
    if (ts_sc_goes(v, TS_SC_LOAD) && ts_sc_visit_load(&f->batch, v) < 0)
        return -1;
    return look(f, v);
}

/* Workers begin to load chunks and to look at them, when that is worth waking them. */
static int look_aside(struct finding *f, struct ts_pool_work *work)
{
    struct ts_sc_batch *b = &f->batch;
    size_t n = 0, most = ts_sc_batch_pays(b) ? b->n : 0;
    if (TS_GROW(b->scratch.todo, b->scratch.todo_capacity, most) < 0)
        return -1;
    for (size_t i = 0; i < most; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if ((ts_sc_goes(v, TS_SC_LOAD) || v->state == TS_SC_READY) && v->dset->layout.any_thread)
            b->scratch.todo[n++] = v;
    }
    ts_pool_start(work, b->threads, n, look_item, f);
    return 0;
}

/* What workers did not do. */
static int look_rest(struct finding *f)
{
    struct ts_sc_batch *b = &f->batch;
    for (size_t i = 0; i < b->n; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_LOAD) && ts_sc_visit_load(b, &b->visits[i]) < 0)
            return -1;
    if (ts_sc_batch_wait(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_READY && !b->visits[i].moved && look(f, &b->visits[i]) < 0)
            return -1;
    return 0;
}

static struct ts_sc_use looked_at(const struct ts_sc_visit *v)
{
    (void)v;
    return (struct ts_sc_use){0};
}

/* Places for what the batch will find. */
static int prepare(struct finding *f, size_t n)
{
    f->found.n = n;
    if (!f->sets)
        return lists_reserve(&f->found, n);
    f->n_taken = 0;
    if (TS_GROW(f->taken, f->taken_capacity, n) < 0)
        return -1;
    memset(f->taken, 0, n * sizeof *f->taken);
    f->n_taken = n;
    return 0;
}

static int find_defined(struct ts_sc_dset *dset, const struct ts_plan *plan, struct finding *f)
{
    struct ts_sc_io io = {.dset = dset, .plan = plan};
    struct ts_sc_batch *b = &f->batch;
    struct ts_plan_cursor cursor;
    struct ts_pool_work work;
    bool good = true;
    int more = 0;
    ts_sc_batch_init(b, dset->cache);
    ts_sc_batch_from(b, &cursor, &io, 1);
    b->defined_only = true;
    while (good && (more = ts_sc_batch_next(b)) > 0) {
        good = prepare(f, b->n) == 0 && ts_sc_batch_find(b) == 0 && ts_sc_batch_locate(b) == 0 && choose_all(f) == 0 &&
               ts_sc_batch_enter(b) == 0 && ts_sc_batch_fetch(b) == 0 && look_aside(f, &work) == 0;
        if (good) {
            bool sorted_in = sort_in(f, false) == 0; /* meanwhile what the batch before found is sorted in */
            good = ts_pool_finish(&work) == 0 && sorted_in;
        }
        good = good && look_rest(f) == 0;
        if (good)
            ts_sc_batch_release(b, looked_at);
        good = good && put_off(f) == 0;
        ts_sc_batch_end(b);
    }
    int status = good && more == 0 ? sort_in(f, true) : -1;
    ts_sc_batch_deinit(b);
    return status;
}

static bool selects_all(const struct ts_space *s)
{
    hsize_t all = ts_space_npoints(s);
    return ts_space_rank(s) > 0 && ts_space_selected(s) == all && all != UINT64_MAX;
}

static int defined_of_all(struct ts_sc_dset *dset, const struct ts_space *space, struct ts_space **out)
{
    struct finding f = {0};
    struct ts_plan plan;
    int status = ts_plan_init(&plan, space, space);
    if (status == 0)
        status = ts_chunk_sets_new(dset->rank, ts_space_dims(space), dset->chunk_dims, &f.sets);
    if (status == 0)
        status = find_defined(dset, &plan, &f);
    if (status == 0) {
        f.sets->stamp = f.other ? 0 : dset->stamp;
        status = ts_space_take_sets(space, &f.sets, out);
    }
    finding_deinit(&f);
    return status;
}

/* With the selection itself as memory, places in memory are those in the extent. */
static int defined_of_slabs(struct ts_sc_dset *dset, const struct ts_space *space, struct ts_space **out)
{
    struct finding f = {0};
    struct ts_plan plan;
    int status = ts_plan_init(&plan, space, space);
    if (status == 0)
        status = find_defined(dset, &plan, &f);
    if (status == 0 && f.all.n > 0)
        status = ts_space_take_runs(space, &f.all.runs, f.all.n, out);
    else if (status == 0 && (status = ts_space_copy(space, out)) == 0)
        ts_space_select_none(*out);
    finding_deinit(&f);
    return status;
}

static bool is_marked(const struct finding *f, size_t i)
{
    return f->marks[i / 64] >> i % 64 & 1;
}

/* The marked points, where the selection's offset puts them. */
static int select_marked(struct ts_space *space, const struct finding *f)
{
    static const hssize_t no_offset[H5S_MAX_RANK];
    unsigned rank = ts_space_rank(space);
    const hssize_t *offset = ts_space_offset(space);
    size_t n, left = 0;
    const hsize_t *points = ts_space_points(space, &n);
    hsize_t *coords = ts_malloc(n * rank * sizeof *coords);
    if (!coords)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (is_marked(f, i)) {
            for (unsigned d = 0; d < rank; d++)
                coords[left * rank + d] = points[i * rank + d] + (hsize_t)offset[d];
            left++;
        }
    int status = ts_space_set_offset(space, no_offset);
    if (status == 0 && left > 0)
        status = ts_space_select_elements(space, H5S_SELECT_SET, left, coords);
    else if (status == 0)
        ts_space_select_none(space);
    ts_free(coords);
    return status;
}

/* With memory that is one row, places in memory are the points' numbers. */
static int defined_of_points(struct ts_sc_dset *dset, const struct ts_space *space, struct ts_space **out)
{
    struct finding f = {0};
    struct ts_plan plan;
    hsize_t count = ts_space_selected(space);
    struct ts_space *row;
    if (ts_space_new_simple(1, &count, NULL, &row) < 0)
        return -1;
    f.marks = ts_calloc((size_t)(count / 64) + 1, sizeof *f.marks);
    int status = f.marks ? ts_plan_init(&plan, space, row) : -1;
    if (status == 0)
        status = find_defined(dset, &plan, &f);
    if (status == 0 && (status = ts_space_copy(space, out)) == 0 && select_marked(*out, &f) < 0) {
        ts_space_unref(*out);
        status = -1;
    }
    ts_space_unref(row);
    finding_deinit(&f);
    return status;
}

int H5SC_get_defined(struct ts_sc_dset *dset, const struct ts_space *file_space, struct ts_space **out)
{
    TS_MAY_MOVE_RAW_DATA();
    if (!dset->ops->defined_values || ts_space_selected(file_space) == 0)
        return ts_space_copy(file_space, out);
    if (ts_space_sel_type(file_space) == H5S_SEL_POINTS)
        return defined_of_points(dset, file_space, out);
    return dset->ops->defined_set && selects_all(file_space) ? defined_of_all(dset, file_space, out)
                                                             : defined_of_slabs(dset, file_space, out);
}
