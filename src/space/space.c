#include "space/space.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "space/internal.h"

static void use_room(struct ts_space *s, hsize_t *words, unsigned capacity)
{
    s->capacity = capacity;
    s->dims = words;
    s->max = words + capacity;
    s->offset = (hssize_t *)(words + 2 * capacity);
    s->slabs = (struct ts_slab *)(words + 3 * capacity);
}

/* Room for that many dimensions; what there is stays. */
static int make_room(struct ts_space *s, unsigned rank)
{
    if (rank <= s->capacity)
        return 0;
    s->many = ts_calloc(1, sizeof *s->many);
    if (!s->many)
        return -1;
    const hsize_t *few = s->few;
    unsigned n = TS_SPACE_FEW;
    use_room(s, s->many->words, H5S_MAX_RANK);
    memcpy(s->dims, few, n * sizeof *few);
    memcpy(s->max, few + n, n * sizeof *few);
    memcpy(s->offset, few + 2 * n, n * sizeof *few);
    memcpy(s->slabs, few + 3 * n, n * sizeof *s->slabs);
    return 0;
}

int ts_space_new(H5S_class_t cls, struct ts_space **out)
{
    struct ts_space *s = ts_calloc(1, sizeof *s);
    if (!s)
        return -1;
    ts_count_init(&s->refs, 1);
    ts_mutex_init(&s->lock, TS_RANK_SPACE);
    use_room(s, s->few, TS_SPACE_FEW);
    s->cls = cls;
    s->version = cls == H5S_NULL ? 2 : 1;
    s->npoints = cls == H5S_SCALAR;
    s->sel = H5S_SEL_ALL;
    *out = s;
    return 0;
}

int ts_space_new_scalar(struct ts_space **out)
{
    return ts_space_new(H5S_SCALAR, out);
}

int ts_space_new_simple(unsigned rank, const hsize_t *dims, const hsize_t *max, struct ts_space **out)
{
    struct ts_space *s;
    if (ts_space_new(H5S_SIMPLE, &s) < 0)
        return -1;
    if (ts_space_set_simple(s, rank, dims, max) < 0) {
        ts_space_unref(s);
        return -1;
    }
    *out = s;
    return 0;
}

/* Neither the extent nor the selection is kept anywhere else. */
static bool is_all_here(const struct ts_space *s)
{
    return !s->many && !s->spans && !s->runs && !s->points && !s->pending;
}

/* Most spaces are copied as they are. */
static int copy_bytes(const struct ts_space *s, struct ts_space **out)
{
    struct ts_space *c = ts_malloc(sizeof *c);
    if (!c)
        return -1;
    memcpy(&c->cls, &s->cls, sizeof *s - offsetof(struct ts_space, cls));
    ts_count_init(&c->refs, 1);
    ts_mutex_init(&c->lock, TS_RANK_SPACE);
    use_room(c, c->few, TS_SPACE_FEW);
    *out = c;
    return 0;
}

int ts_space_copy(const struct ts_space *s, struct ts_space **out)
{
    struct ts_space *c;
    if (is_all_here(s))
        return copy_bytes(s, out);
    if (ts_space_new(s->cls, &c) < 0)
        return -1;
    if (ts_space_extent_copy(c, s) < 0 || ts_space_select_copy(c, s) < 0) {
        ts_space_unref(c);
        return -1;
    }
    *out = c;
    return 0;
}

struct ts_space *ts_space_ref(struct ts_space *s)
{
    ts_count_add(&s->refs);
    return s;
}

struct ts_count *ts_space_count(void *space, unsigned i)
{
    return i == 0 ? &((struct ts_space *)space)->refs : NULL;
}

bool ts_space_is_own(const struct ts_space *s)
{
    return ts_count_is_one(&s->refs);
}

void ts_space_unref(struct ts_space *s)
{
    if (!s || !ts_count_drop(&s->refs))
        return;
    ts_space_drop_selection(s);
    ts_free(s->pending);
    ts_mutex_deinit(&s->lock);
    ts_free(s->many);
    ts_count_deinit(&s->refs);
    ts_free(s);
}

void ts_space_lock(struct ts_space *s)
{
    ts_mutex_lock(&s->lock);
}

void ts_space_unlock(struct ts_space *s)
{
    ts_mutex_unlock(&s->lock);
}

int ts_space_lock_merged(struct ts_space *s)
{
    ts_space_lock(s);
    if (ts_space_merge(s) == 0)
        return 0;
    ts_space_unlock(s);
    return -1;
}

int ts_space_snapshot(struct ts_space *s, struct ts_space **out)
{
    if (ts_space_lock_merged(s) < 0)
        return -1;
    int ret = ts_space_copy(s, out);
    ts_space_unlock(s);
    return ret;
}

H5S_class_t ts_space_class(const struct ts_space *s)
{
    return s->cls;
}

unsigned ts_space_rank(const struct ts_space *s)
{
    return s->rank;
}

const hsize_t *ts_space_dims(const struct ts_space *s)
{
    return s->dims;
}

const hsize_t *ts_space_maxdims(const struct ts_space *s)
{
    return s->max;
}

hsize_t ts_space_npoints(const struct ts_space *s)
{
    return s->npoints;
}

bool ts_space_extent_equal(const struct ts_space *a, const struct ts_space *b)
{
    size_t bytes = a->rank * sizeof *a->dims;
    return a->cls == b->cls && a->rank == b->rank && !memcmp(a->dims, b->dims, bytes) && !memcmp(a->max, b->max, bytes);
}

static int set_extent(struct ts_space *s, H5S_class_t cls, unsigned rank, const hsize_t *dims, const hsize_t *max)
{
    if (make_room(s, rank) < 0)
        return -1;
    if (rank != s->rank && (s->sel == H5S_SEL_HYPERSLABS || s->sel == H5S_SEL_POINTS))
        ts_space_select_all(s);
    s->cls = cls;
    s->rank = rank;
    s->no_max = false;
    s->npoints = cls != H5S_NULL && (rank || cls == H5S_SCALAR);
    for (unsigned d = 0; d < rank; d++) {
        s->dims[d] = dims[d];
        s->max[d] = max[d];
        s->npoints = ts_sat_mul(s->npoints, dims[d]);
    }
    for (unsigned d = 0; d < rank; d++)
        if (!dims[d])
            s->npoints = 0;
    return 0;
}

int ts_space_extent_copy(struct ts_space *dst, const struct ts_space *src)
{
    if (set_extent(dst, src->cls, src->rank, src->dims, src->max) < 0)
        return -1;
    dst->version = src->version;
    dst->no_max = src->no_max;
    return 0;
}

int ts_space_set_simple(struct ts_space *s, unsigned rank, const hsize_t *dims, const hsize_t *max)
{
    if (rank > H5S_MAX_RANK)
        return TS_ERR(DATASPACE, BADRANGE, "rank %u is above %d", rank, H5S_MAX_RANK);
    for (unsigned d = 0; d < rank; d++) {
        if (dims[d] == H5S_UNLIMITED)
            return TS_ERR(DATASPACE, BADVALUE, "dimension %u has no current size", d);
        if (max && max[d] != H5S_UNLIMITED && max[d] < dims[d])
            return TS_ERR(ARGS, BADVALUE, "maxdims is smaller than dims: dimension %u: maximum %llu is below size %llu",
                          d, (unsigned long long)max[d], (unsigned long long)dims[d]);
    }
    return set_extent(s, rank ? H5S_SIMPLE : H5S_SCALAR, rank, dims, max ? max : dims);
}

void ts_space_set_extent_none(struct ts_space *s)
{
    (void)set_extent(s, H5S_NULL, 0, NULL, NULL);
    s->version = 2;
}

int ts_space_resize(struct ts_space *s, const hsize_t *dims)
{
    hsize_t max[H5S_MAX_RANK];
    memcpy(max, s->max, s->rank * sizeof *max);
    return ts_space_set_simple(s, s->rank, dims, max);
}
