#include "dataset/chunk_picks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

int ts_chunk_grid_init(struct ts_chunk_grid *g, struct ts_dataset_core *core, const struct ts_chunk_index *index)
{
    TS_CORE_HELD(core);
    struct ts_space *space = ts_dataset_core_space(core);
    g->rank = core->rank;
    for (unsigned i = 0; i < g->rank; i++)
        g->chunks[i] = ts_div_ceil(ts_space_dims(space)[i], core->layout.chunk.dims[i]);
    ts_space_unref(space);
    ts_chunk_index_order(index, g->order);
    g->total = 1;
    bool fits = true;
    for (unsigned k = g->rank; k-- > 0;) {
        g->stride[g->order[k]] = g->total;
        fits = fits && ts_mul_u64(g->total, g->chunks[g->order[k]], &g->total);
    }
    return fits ? 0 : TS_ERR(DATASET, OVERFLOW, "dataset with more chunks than can be numbered");
}

bool ts_chunk_grid_number(const struct ts_chunk_grid *g, const hsize_t *scaled, uint64_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < g->rank; i++) {
        if (scaled[i] >= g->chunks[i])
            return false;
        *number += scaled[i] * g->stride[i];
    }
    return true;
}

void ts_chunk_grid_position(const struct ts_chunk_grid *g, uint64_t number, hsize_t *scaled)
{
    for (unsigned k = 0; k < g->rank; k++) {
        uint64_t stride = g->stride[g->order[k]];
        scaled[g->order[k]] = number / stride;
        number %= stride;
    }
}

void ts_chunk_picks_unref(struct ts_chunk_picks *p)
{
    if (!p || atomic_fetch_sub(&p->refs, 1) > 1)
        return;
    ts_space_unref(p->sel);
    ts_free(p->runs);
    ts_free(p);
}

static hsize_t run_length(const struct ts_chunk_picks *p, size_t run)
{
    return (run + 1 < p->n ? p->runs[run + 1].before : p->total) - p->runs[run].before;
}

uint64_t ts_chunk_picks_number(const struct ts_chunk_picks *p, hsize_t i, hsize_t *left)
{
    size_t low = 0, high = p->n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (p->runs[mid].before <= i)
            low = mid;
        else
            high = mid;
    }
    hsize_t inside = i - p->runs[low].before;
    if (left)
        *left = run_length(p, low) - inside;
    return p->runs[low].first + inside;
}

static int add(struct ts_chunk_picks *p, uint64_t number)
{
    uint64_t next = p->n > 0 ? p->runs[p->n - 1].first + run_length(p, p->n - 1) : 0;
    if (number < next)
        return TS_ERR(DATASET, BADVALUE, "the chunks of the index are not in order");
    if (p->n > 0 && number == next) {
        p->total++;
        return 0;
    }
    if (TS_GROW(p->runs, p->capacity, p->n + 1) < 0)
        return -1;
    p->runs[p->n++] = (struct ts_pick_run){.first = number, .before = p->total};
    p->total++;
    return 0;
}

struct search {
    struct ts_chunk_picks *picks;
    struct ts_chunk_index *index;
    const struct ts_file *file;
    const hsize_t *chunk_dims, *dims;
    uint64_t tests; /* that are left */
    uint64_t last;  /* no chunk with a greater number is wanted */
};

static int add_if_there(struct search *s, const hsize_t *scaled)
{
    struct ts_chunk_rec rec;
    uint64_t number;
    int found = ts_chunk_index_lookup(s->index, scaled, &rec);
    if (found != 1 || !ts_chunk_grid_number(&s->picks->grid, scaled, &number))
        return found < 0 ? -1 : 0;
    return add(s->picks, number);
}

/* Something is selected in the chunks from low to high. */
static int is_met(const struct search *s, const hsize_t *low, const hsize_t *high)
{
    hsize_t start[H5S_MAX_RANK], end[H5S_MAX_RANK];
    for (unsigned i = 0; i < s->picks->grid.rank; i++) {
        start[i] = low[i] * s->chunk_dims[i];
        hsize_t last = high[i] * s->chunk_dims[i], room = s->dims[i] - 1 - last;
        end[i] = last + (room < s->chunk_dims[i] - 1 ? room : s->chunk_dims[i] - 1);
    }
    return ts_space_intersects(s->picks->sel, start, end);
}

#define TOO_MANY 2

/* The chunks of the selection are found by halving, in their order: the slowest dimension first. */
static int halve(struct search *s, hsize_t *low, hsize_t *high)
{
    const struct ts_chunk_grid *g = &s->picks->grid;
    unsigned k = 0;
    if (s->tests-- == 0)
        return TOO_MANY;
    int met = is_met(s, low, high);
    if (met != 1)
        return met;
    while (k < g->rank && low[g->order[k]] == high[g->order[k]])
        k++;
    if (k == g->rank)
        return add_if_there(s, low);
    unsigned i = g->order[k];
    hsize_t first = low[i], last = high[i], mid = first + (last - first) / 2;
    high[i] = mid;
    int status = halve(s, low, high);
    high[i] = last;
    if (status != 0)
        return status;
    low[i] = mid + 1;
    status = halve(s, low, high);
    low[i] = first;
    return status;
}

static int test_chunk(const struct ts_chunk_rec *rec, void *ctx)
{
    struct search *s = ctx;
    uint64_t number;
    if (!ts_chunk_grid_number(&s->picks->grid, rec->scaled, &number))
        return 0;
    if (number > s->last)
        return 1;
    int met = s->picks->sel ? is_met(s, rec->scaled, rec->scaled) : 1;
    return met == 1 ? add(s->picks, number) : met;
}

/* The chunks that lie about the selection: corners as positions, and the last of them. */
static int bounds(struct search *s, hsize_t *low, hsize_t *high)
{
    if (ts_space_bounds(s->picks->sel, low, high) < 0)
        return -1;
    for (unsigned i = 0; i < s->picks->grid.rank; i++) {
        low[i] /= s->chunk_dims[i];
        high[i] /= s->chunk_dims[i];
    }
    if (!ts_chunk_grid_number(&s->picks->grid, high, &s->last))
        return TS_ERR(DATASPACE, BADRANGE, "the selection lies outside of the dataset's extent");
    return 0;
}

/* The fewest chunks that can hold the selection. */
static uint64_t fewest(const struct search *s)
{
    uint64_t elements = 1;
    for (unsigned i = 0; i < s->picks->grid.rank; i++)
        elements *= s->chunk_dims[i]; /* fits, with the size of an element */
    return ts_space_selected(s->picks->sel) / elements;
}

/* Either the chunks of the selection are looked up, or those of the file tested, whichever are fewer: halving, with two
 * tests for each, gives up when it takes longer than the other. */
static int pick_slabs(struct search *s)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    uint64_t there;
    if (bounds(s, low, high) < 0 || ts_chunk_index_count(s->index, &there) < 0)
        return -1;
    if (there > s->file->end) /* each takes a byte at least, whatever a tree says */
        there = s->file->end;
    s->tests = there / 2;
    int status = fewest(s) > s->tests / 2 ? TOO_MANY : halve(s, low, high);
    if (status != TOO_MANY)
        return status;
    s->picks->n = 0;
    s->picks->total = 0;
    status = ts_chunk_index_iterate_from(s->index, low, test_chunk, s);
    return status < 0 ? -1 : 0;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int pick_numbers(struct search *s, uint64_t *numbers, size_t n)
{
    hsize_t scaled[H5S_MAX_RANK];
    qsort(numbers, n, sizeof *numbers, by_value);
    for (size_t i = 0; i < n; i++) {
        ts_chunk_grid_position(&s->picks->grid, numbers[i], scaled);
        if ((i == 0 || numbers[i] != numbers[i - 1]) && add_if_there(s, scaled) < 0)
            return -1;
    }
    return 0;
}

/* Neighbours in the list are often neighbours in a chunk. */
static int pick_points(struct search *s, const hsize_t *points, size_t n)
{
    const hssize_t *offset = ts_space_offset(s->picks->sel);
    hsize_t scaled[H5S_MAX_RANK];
    unsigned rank = s->picks->grid.rank;
    uint64_t *numbers = ts_malloc(n * sizeof *numbers), number;
    size_t kept = 0;
    if (!numbers)
        return -1;
    for (size_t i = 0; i < n; i++) {
        for (unsigned d = 0; d < rank; d++)
            scaled[d] = (points[i * rank + d] + (hsize_t)offset[d]) / s->chunk_dims[d];
        if (ts_chunk_grid_number(&s->picks->grid, scaled, &number) && (kept == 0 || numbers[kept - 1] != number))
            numbers[kept++] = number;
    }
    int status = pick_numbers(s, numbers, kept);
    ts_free(numbers);
    return status;
}

static int pick(struct ts_dataset_core *core, struct ts_chunk_index *index, struct ts_chunk_picks *p)
{
    struct ts_space *extent = ts_dataset_core_space(core);
    struct search s = {.picks = p,
                       .index = index,
                       .file = core->file,
                       .chunk_dims = core->layout.chunk.dims,
                       .dims = ts_space_dims(extent),
                       .last = UINT64_MAX};
    const hsize_t *points;
    size_t n;
    int status = 0;
    if (!p->sel)
        status = ts_chunk_index_iterate_from(index, NULL, test_chunk, &s);
    else if ((points = ts_space_points(p->sel, &n)))
        status = pick_points(&s, points, n);
    else if (ts_space_selected(p->sel) > 0)
        status = pick_slabs(&s);
    ts_space_unref(extent);
    return status;
}

static struct ts_chunk_picks *kept(struct ts_dataset_core *core)
{
    ts_mutex_lock(&core->lock);
    struct ts_chunk_picks *p = core->picks;
    if (p)
        atomic_fetch_add(&p->refs, 1);
    ts_mutex_unlock(&core->lock);
    return p;
}

/* Who follows a file that another process writes looks each time. */
static void keep(struct ts_dataset_core *core, struct ts_chunk_picks *p)
{
    if (core->file->flags & H5F_ACC_SWMR_READ)
        return;
    atomic_fetch_add(&p->refs, 1);
    ts_mutex_lock(&core->lock);
    struct ts_chunk_picks *old = core->picks;
    core->picks = p;
    ts_mutex_unlock(&core->lock);
    ts_chunk_picks_unref(old);
}

static int answers(const struct ts_chunk_picks *p, const struct ts_chunk_index *index, const struct ts_space *sel)
{
    if (p->generation != ts_chunk_index_generation(index) || !p->sel != !sel)
        return 0;
    return sel ? ts_space_same_selection(p->sel, sel) : 1;
}

int ts_chunk_picks_get(struct ts_dataset_core *core, struct ts_chunk_index *index, struct ts_space *sel,
                       struct ts_chunk_picks **out)
{
    struct ts_chunk_picks *p = kept(core);
    int same = p ? answers(p, index, sel) : 0;
    if (same == 1) {
        *out = p;
        return 0;
    }
    ts_chunk_picks_unref(p);
    if (same < 0 || !(p = ts_calloc(1, sizeof *p)))
        return -1;
    atomic_init(&p->refs, 1);
    p->sel = sel ? ts_space_ref(sel) : NULL;
    p->generation = ts_chunk_index_generation(index);
    if (ts_chunk_grid_init(&p->grid, core, index) < 0 || pick(core, index, p) < 0) {
        ts_chunk_picks_unref(p);
        return -1;
    }
    keep(core, p);
    *out = p;
    return 0;
}
