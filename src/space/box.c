/* Selections that are one box, for those who need its numbers only. */
#include "space/box.h"

#include "space/internal.h"

/* Numbers up to here can be added without a thought. */
static bool is_large(hsize_t n)
{
    return n > INT64_MAX;
}

/* Where a hyperslab lies in one dimension. False when it is more than one block, or not all of it is in the extent. */
static bool block_of(const struct ts_space *s, unsigned d, struct ts_box *box)
{
    const struct ts_slab *slab = &s->slabs[d];
    hsize_t size = s->dims[d], start = slab->start + (hsize_t)s->offset[d];
    if (is_large(size) || is_large(slab->start) || (slab->count != 1 && slab->stride != slab->block) ||
        !ts_mul_u64(slab->count, slab->block, &box->count[d]))
        return false;
    box->start[d] = start;
    return start < size && box->count[d] > 0 && box->count[d] <= size - start;
}

static bool find(const struct ts_space *s, struct ts_box *box)
{
    bool all = s->sel == H5S_SEL_ALL;
    if (s->cls != H5S_SIMPLE || s->npoints == 0 || s->npoints == UINT64_MAX || s->n_pending > 0 ||
        !(all || ts_space_is_regular(s)))
        return false;
    box->rank = s->rank;
    for (unsigned d = 0; d < s->rank; d++) {
        box->dims[d] = s->dims[d];
        box->start[d] = 0;
        box->count[d] = s->dims[d];
        if (!all && !block_of(s, d, box))
            return false;
    }
    return true;
}

bool ts_space_box(struct ts_space *s, struct ts_box *out)
{
    ts_space_lock(s);
    bool found = find(s, out);
    ts_space_unlock(s);
    return found;
}

bool ts_box_run(const struct ts_box *box, struct ts_run *out)
{
    hsize_t step = 1;
    *out = (struct ts_run){.offset = 0, .length = 1};
    for (unsigned d = box->rank; d-- > 0; step *= box->dims[d]) {
        if (box->count[d] > 1 && out->length != step)
            return false;
        out->offset += box->start[d] * step;
        out->length *= box->count[d];
    }
    return true;
}
