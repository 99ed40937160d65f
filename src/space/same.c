#include <string.h>

#include "space/internal.h"

static bool same_normal_slabs(const struct ts_space *a, const struct ts_space *b)
{
    for (unsigned d = 0; d < a->rank; d++) {
        struct ts_slab x = ts_slab_normal(a->slabs[d]), y = ts_slab_normal(b->slabs[d]);
        if (x.start != y.start || x.stride != y.stride || x.count != y.count || x.block != y.block)
            return false;
    }
    return true;
}

static bool same_points(const struct ts_points *a, const struct ts_points *b)
{
    return a == b || (a->n == b->n && memcmp(a->coords, b->coords, a->n * a->rank * sizeof *a->coords) == 0);
}

static int same_hyperslabs(const struct ts_space *a, const struct ts_space *b)
{
    hsize_t low[2][H5S_MAX_RANK], high[2][H5S_MAX_RANK];
    if (ts_space_is_regular(a) && ts_space_is_regular(b))
        return same_normal_slabs(a, b);
    if ((a->spans && a->spans == b->spans) || (a->runs && a->runs == b->runs))
        return 1;
    /* A set of one shape that lies in one place is one set. */
    if (!ts_space_raw_bounds(a, low[0], high[0]) || !ts_space_raw_bounds(b, low[1], high[1]) ||
        memcmp(low[0], low[1], a->rank * sizeof *low[0]) != 0)
        return 0;
    return ts_space_shape_same(a, b);
}

int ts_space_same_selection(const struct ts_space *a, const struct ts_space *b)
{
    size_t bytes = a->rank * sizeof *a->dims;
    if (a->rank != b->rank || a->sel != b->sel || memcmp(a->dims, b->dims, bytes) != 0)
        return 0;
    if (a->sel == H5S_SEL_ALL || a->sel == H5S_SEL_NONE)
        return 1;
    if (memcmp(a->offset, b->offset, bytes) != 0)
        return 0;
    return a->sel == H5S_SEL_POINTS ? same_points(a->points, b->points) : same_hyperslabs(a, b);
}
