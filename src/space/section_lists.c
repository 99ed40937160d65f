#include "space/section_lists.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"

#define CHECKSUM_SIZE 4

static uint64_t count_elements(unsigned rank, const hsize_t *dims)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < rank; d++)
        if (!ts_mul_u64(n, dims[d], &n))
            return UINT64_MAX;
    return n;
}

int ts_section_encode_runs(unsigned rank, const hsize_t *dims, size_t n, const struct ts_run *runs, struct ts_wr *w)
{
    struct ts_run_set *set;
    if (ts_run_set_new(count_elements(rank, dims), &set) < 0)
        return -1;
    int status = ts_run_set_add(set, runs, n);
    if (status == 0)
        status = ts_run_set_encode(set, rank, dims, w);
    if (status == 0 && w->size > 0)
        w->size -= CHECKSUM_SIZE;
    ts_run_set_free(set);
    return status;
}

struct rows {
    struct ts_run *items;
    size_t n, capacity;
};

/* The rows of a box. */
static int add_rows(struct rows *r, unsigned rank, const hsize_t *dims, const hsize_t *first, const hsize_t *last)
{
    hsize_t at[H5S_MAX_RANK], length = last[rank - 1] - first[rank - 1] + 1;
    for (unsigned d = 0; d < rank; d++)
        at[d] = first[d];
    for (unsigned moved = 0; moved < rank;) {
        hsize_t offset = 0;
        for (unsigned d = 0; d < rank; d++)
            offset = offset * dims[d] + at[d];
        if (TS_GROW(r->items, r->capacity, r->n + 1) < 0)
            return -1;
        r->items[r->n++] = (struct ts_run){offset, length};
        /* The next row: dimensions before the last, from the back. */
        for (moved = 1; moved < rank && ++at[rank - 1 - moved] > last[rank - 1 - moved]; moved++)
            at[rank - 1 - moved] = first[rank - 1 - moved];
    }
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    hsize_t x = ((const struct ts_run *)a)->offset, y = ((const struct ts_run *)b)->offset;
    return (x > y) - (x < y);
}

static int collect_rows(unsigned rank, const hsize_t *dims, size_t n, const hsize_t *corners, struct rows *r)
{
    for (size_t i = 0; i < n; i++) {
        const hsize_t *first = corners + 2 * i * rank, *last = first + rank;
        for (unsigned d = 0; d < rank; d++)
            if (first[d] > last[d] || last[d] >= dims[d])
                return TS_ERR(
                    DATASPACE, BADRANGE, "box %zu: from %llu to %llu in dimension %u of a chunk, which has %llu", i,
                    (unsigned long long)first[d], (unsigned long long)last[d], d, (unsigned long long)dims[d]);
        if (add_rows(r, rank, dims, first, last) < 0)
            return -1;
    }
    if (r->n > 1)
        qsort(r->items, r->n, sizeof *r->items, by_offset);
    for (size_t i = 1; i < r->n; i++)
        if (r->items[i - 1].offset + r->items[i - 1].length > r->items[i].offset)
            return TS_ERR(DATASPACE, BADRANGE, "boxes overlap in element %llu of the chunk",
                          (unsigned long long)r->items[i].offset);
    return 0;
}

int ts_section_encode_boxes(unsigned rank, const hsize_t *dims, size_t n, const hsize_t *corners, struct ts_wr *w)
{
    struct rows r = {0};
    int status = count_elements(rank, dims) > UINT32_MAX
                     ? TS_ERR(DATASPACE, BADRANGE, "a chunk of more than 2^32 - 1 elements")
                     : collect_rows(rank, dims, n, corners, &r);
    if (status == 0)
        status = ts_section_encode_runs(rank, dims, r.n, r.items, w);
    ts_free(r.items);
    return status;
}

static bool is_of_chunk(const struct ts_selection_section *section, const struct ts_space *space)
{
    bool same = ts_space_rank(space) == section->rank && ts_space_unlim_dim(space) < 0 && ts_space_valid(space);
    for (unsigned d = 0; same && d < section->rank; d++)
        same = ts_space_dims(space)[d] == section->dims[d];
    return same;
}

/* Nothing is left behind `used` bytes but the checksum of these. */
static bool is_all(const struct ts_selection_section *section, size_t used)
{
    struct ts_rd r = ts_rd_init(section->bytes, section->size);
    ts_rd_skip(&r, used);
    return used == section->size || (used + CHECKSUM_SIZE == section->size && ts_rd_checksum(&r));
}

int ts_section_decode(const struct ts_selection_section *section, ts_runs_fn *fn, void *ctx)
{
    struct ts_space *space;
    size_t used;
    int status;
    if (section->size == 0)
        return 0;
    if (ts_space_decode(section->bytes, section->size, &used, &space) < 0)
        return -1;
    if (!is_all(section, used))
        status =
            TS_ERR(DATASPACE, CANTDECODE, "selection section: %zu bytes of %zu are the selection", used, section->size);
    else if (!is_of_chunk(section, space))
        status = TS_ERR(DATASPACE, BADVALUE, "selection section: it selects elements of another chunk");
    else
        status = ts_runs_each(space, fn, ctx);
    ts_space_unref(space);
    return status;
}

/* A list, and what of it is filled. */
struct answer {
    hsize_t *list;
    size_t room, n;
    unsigned rank;
    const hsize_t *dims;
};

static int give_runs(const struct ts_run *runs, size_t n, void *ctx)
{
    struct answer *a = ctx;
    for (size_t i = 0; i < n; i++, a->n++)
        if (a->list && a->n < a->room) {
            a->list[2 * a->n] = runs[i].offset;
            a->list[2 * a->n + 1] = runs[i].length;
        }
    return 0;
}

static void give_point(struct answer *a, hsize_t number)
{
    for (unsigned d = a->rank; d-- > 0; number /= a->dims[d])
        a->list[a->n * a->rank + d] = number % a->dims[d];
}

static int give_points(const struct ts_run *runs, size_t n, void *ctx)
{
    struct answer *a = ctx;
    for (size_t i = 0; i < n; i++) {
        hsize_t k = 0;
        for (; a->list && k < runs[i].length && a->n < a->room; k++, a->n++)
            give_point(a, runs[i].offset + k);
        a->n += (size_t)(runs[i].length - k);
    }
    return 0;
}

static int to_list(const struct ts_selection_section *section, ts_runs_fn *fn, size_t *num, hsize_t *list)
{
    struct answer a = {.list = list, .room = list ? *num : 0, .rank = section->rank, .dims = section->dims};
    if (ts_section_decode(section, fn, &a) < 0)
        return -1;
    if (list && a.n > a.room)
        return TS_ERR(ARGS, BADSIZE, "a list of %zu entries for %zu", a.room, a.n);
    *num = a.n;
    return 0;
}

int ts_section_to_points(const struct ts_selection_section *section, size_t *num, hsize_t *coords)
{
    return to_list(section, give_points, num, coords);
}

int ts_section_to_runs(const struct ts_selection_section *section, size_t *num, hsize_t *runs)
{
    return to_list(section, give_runs, num, runs);
}
