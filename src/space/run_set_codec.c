/* Sets of defined elements as selections, and as the selection section of a chunk. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "space/run_set_direct.h"

#define CHECKSUM_SIZE 4
#define PORTION 512

static int collect(const struct ts_run_set *s, struct ts_run **out, size_t *n)
{
    struct ts_run_cursor c = {0};
    struct ts_run *runs = NULL;
    size_t capacity = 0, got;
    *n = 0;
    do {
        if (TS_GROW(runs, capacity, *n + PORTION) < 0) {
            ts_free(runs);
            return -1;
        }
        got = ts_run_set_next(s, &c, runs + *n, capacity - *n);
        *n += got;
    } while (got > 0);
    *out = runs;
    return 0;
}

int ts_run_set_select(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_space **out)
{
    struct ts_space *extent;
    struct ts_run *runs;
    size_t n;
    if (ts_space_new_simple(rank, dims, NULL, &extent) < 0)
        return -1;
    int status = -1;
    if (ts_space_npoints(extent) != ts_run_set_limit(s))
        TS_ERR(DATASPACE, BADRANGE, "a set of %llu elements in a chunk of %llu",
               (unsigned long long)ts_run_set_limit(s), (unsigned long long)ts_space_npoints(extent));
    else if (collect(s, &runs, &n) == 0) {
        status = ts_space_from_runs(extent, runs, n, out);
        ts_free(runs);
    }
    ts_space_unref(extent);
    return status;
}

int ts_run_set_encode(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_wr *w)
{
    struct ts_space *space;
    size_t from = w->size;
    if (ts_run_set_count(s) == 0)
        return 0;
    int status = ts_run_set_encode_points(s, rank, dims, w);
    if (status == 0) {
        if (ts_run_set_select(s, rank, dims, &space) < 0)
            return -1;
        status = ts_space_encode_smallest(space, w);
        ts_space_unref(space);
    }
    ts_wr_checksum(w, from);
    return status < 0 || w->bad ? -1 : 0;
}

static int add_runs(const struct ts_run *runs, size_t n, void *set)
{
    return ts_run_set_add(set, runs, n);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int add_elements(struct ts_run_set *s, const uint32_t *elements, size_t n)
{
    struct ts_run runs[PORTION];
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && elements[i] == elements[i - 1])
            continue;
        runs[k++] = (struct ts_run){elements[i], 1};
        if (k == PORTION && ts_run_set_add(s, runs, k) < 0)
            return -1;
        k = k == PORTION ? 0 : k;
    }
    return ts_run_set_add(s, runs, k);
}

/* The points as numbers in the chunk; *ascending when they are, without repetition. */
static uint32_t *number_points(const struct ts_selection_section *section, const struct ts_space *space,
                               bool *ascending)
{
    size_t n;
    const hsize_t *at = ts_space_points(space, &n);
    uint32_t *elements = ts_malloc(n * sizeof *elements);
    *ascending = true;
    for (size_t i = 0; elements && i < n; i++) {
        uint64_t element = 0;
        for (unsigned d = 0; d < section->rank; d++)
            element = element * section->dims[d] + *at++;
        elements[i] = (uint32_t)element;
        *ascending = *ascending && (i == 0 || elements[i] > elements[i - 1]);
    }
    return elements;
}

static int add_points(struct ts_run_set *s, const struct ts_selection_section *section, const struct ts_space *space,
                      uint32_t **order)
{
    size_t n;
    bool ascending;
    ts_space_points(space, &n);
    uint32_t *elements = number_points(section, space, &ascending), *sorted = elements;
    if (!elements)
        return -1;
    if (!ascending) {
        sorted = ts_memdup(elements, n * sizeof *elements);
        if (sorted)
            qsort(sorted, n, sizeof *sorted, by_value);
    }
    int status = sorted ? add_elements(s, sorted, n) : -1;
    if (ascending || status < 0) {
        ts_free(elements);
    } else {
        for (size_t i = 0; i < n; i++)
            elements[i] = (uint32_t)ts_run_set_rank(s, elements[i]);
        *order = elements;
    }
    if (!ascending)
        ts_free(sorted);
    return status;
}

static int check_space(const struct ts_selection_section *section, const struct ts_space *space)
{
    bool same = ts_space_rank(space) == section->rank && section->rank > 0;
    for (unsigned d = 0; same && d < section->rank; d++)
        same = ts_space_dims(space)[d] == section->dims[d];
    if (!same || ts_space_npoints(space) > UINT32_MAX)
        return TS_ERR(DATASPACE, BADVALUE, "selection section: its extent is not that of a chunk");
    if (ts_space_unlim_dim(space) >= 0 || !ts_space_valid(space))
        return TS_ERR(DATASPACE, BADRANGE, "selection section: the selection leaves the chunk");
    if (ts_space_selected(space) > section->most)
        return TS_ERR(DATASPACE, BADRANGE, "selection section: %llu elements with %llu values",
                      (unsigned long long)ts_space_selected(space), (unsigned long long)section->most);
    return 0;
}

static int check_sum(const struct ts_selection_section *section)
{
    struct ts_rd r = ts_rd_init(section->bytes, section->size);
    if (section->size < CHECKSUM_SIZE)
        return TS_ERR(DATASPACE, CANTDECODE, "selection section of %zu bytes", section->size);
    ts_rd_skip(&r, section->size - CHECKSUM_SIZE);
    if (!section->summed && !ts_rd_checksum(&r))
        return TS_ERR(DATASPACE, CANTDECODE, "selection section with a wrong checksum");
    return 0;
}

static int decode_space(const struct ts_selection_section *section, struct ts_space **out)
{
    size_t used;
    if (ts_space_decode(section->bytes, section->size - CHECKSUM_SIZE, &used, out) < 0)
        return -1;
    int status = check_space(section, *out);
    if (status == 0 && used != section->size - CHECKSUM_SIZE)
        status = TS_ERR(DATASPACE, CANTDECODE, "selection section: %zu bytes of %zu are the selection", used,
                        section->size - CHECKSUM_SIZE);
    if (status < 0)
        ts_space_unref(*out);
    return status;
}

/* Any selection. */
static int decode_any(const struct ts_selection_section *section, struct ts_run_set *s, uint32_t **order, size_t *n)
{
    struct ts_space *space;
    if (decode_space(section, &space) < 0)
        return -1;
    *n = (size_t)ts_space_selected(space);
    bool points = ts_space_sel_type(space) == H5S_SEL_POINTS;
    int status = points ? add_points(s, section, space, order) : ts_runs_each(space, add_runs, s);
    ts_space_unref(space);
    return status;
}

int ts_run_set_decode(const struct ts_selection_section *section, struct ts_run_set **out, uint32_t **order, size_t *n)
{
    struct ts_run_set *s;
    uint64_t limit = 1;
    *order = NULL;
    *n = 0;
    if (section->size > 0) {
        int status = check_sum(section) < 0 ? -1 : ts_run_set_decode_list(section, section->size - CHECKSUM_SIZE, out);
        if (status == 1)
            *n = (size_t)ts_run_set_count(*out);
        if (status != 0)
            return status < 0 ? -1 : 0;
    }
    for (unsigned d = 0; d < section->rank; d++)
        if (!ts_mul_u64(limit, section->dims[d], &limit))
            limit = UINT64_MAX;
    if (ts_run_set_new(limit, &s) < 0)
        return -1;
    if (section->size > 0 && decode_any(section, s, order, n) < 0) {
        ts_run_set_free(s);
        return -1;
    }
    *out = s;
    return 0;
}
