/* H5S: dataspaces and selections. */
#include "H5abi110.h"

#include <string.h>

#include "api/api.h"
#include "base/alloc.h"
#include "base/cursor.h"
#include "plist/fapl.h"
#include "space/sel_iter.h"
#include "space/space.h"

/* H5Sdecode is not told how long its buffer is. */
#define ANY_LENGTH ((size_t)1 << 46)

static void space_ref(void *obj)
{
    (void)ts_space_ref(obj);
}

static void space_unref(void *obj)
{
    ts_space_unref(obj);
}

static void iter_ref(void *obj)
{
    ts_sel_iter_ref(obj);
}

static void iter_unref(void *obj)
{
    ts_sel_iter_unref(obj);
}

void ts_space_api_init(void)
{
    static const struct ts_id_class spaces = {.ref = space_ref, .unref = space_unref, .count = ts_space_count};
    static const struct ts_id_class iters = {.ref = iter_ref, .unref = iter_unref};
    (void)ts_id_class_set(H5I_DATASPACE, &spaces);
    (void)ts_id_class_set(H5I_SPACE_SEL_ITER, &iters);
}

/* The space of an id, locked with what is collected merged into its selection: to be unlocked by the caller. */
static struct ts_space *look(struct ts_api_scope *scope, hid_t id)
{
    struct ts_space *s = ts_api_pin(scope, id, H5I_DATASPACE);
    return s && ts_space_lock_merged(s) == 0 ? s : NULL;
}

/* A copy of the space of an id that nobody else can change, dropped with the scope. */
static struct ts_space *snapshot(struct ts_api_scope *scope, hid_t id)
{
    struct ts_space *s = ts_api_pin(scope, id, H5I_DATASPACE), *copy;
    if (!s || ts_space_snapshot(s, &copy) < 0)
        return NULL;
    return ts_api_adopt(scope, H5I_DATASPACE, copy) < 0 ? NULL : copy;
}

/* The same, for functions that have one record for each of their dataspaces. */
static struct ts_space *snapshot_one(struct ts_api_scope *scope, hid_t id)
{
    if (ts_id_type(id) == H5I_DATASPACE)
        return snapshot(scope, id);
    TS_SAY(DATASPACE, BADTYPE, "not a dataspace: id %lld", (long long)id);
    return NULL;
}

#define LOOK(id) look(&ts_scope_, (id))
#define SNAPSHOT(id) snapshot(&ts_scope_, (id))
#define SNAPSHOT_ONE(id) snapshot_one(&ts_scope_, (id))

hid_t H5Screate(H5S_class_t type)
{
    TS_API_ENTER(DATASPACE, CANTCREATE, "unable to create dataspace");
    struct ts_space *s;
    if (type <= H5S_NO_CLASS || type > H5S_NULL)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid dataspace type %d", (int)type);
    if (ts_space_new(type, &s) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, s);
}

static int check_new_dims(int rank, const hsize_t *dims, const hsize_t *max)
{
    if (rank < 0)
        return TS_ERR(ARGS, BADVALUE, "dimensionality cannot be negative: rank %d", rank);
    if (rank > H5S_MAX_RANK)
        return TS_ERR(ARGS, BADVALUE, "dimensionality is too large: rank %d of at most %d", rank, H5S_MAX_RANK);
    if (rank && !dims)
        return TS_ERR(ARGS, BADVALUE, "invalid dataspace information: no sizes for %d dimensions", rank);
    for (int d = 0; d < rank; d++) {
        if (dims[d] == H5S_UNLIMITED)
            return TS_ERR(ARGS, BADVALUE,
                          "current dimension must have a specific size, not H5S_UNLIMITED: dimension %d", d);
        if (max && max[d] < dims[d])
            return TS_ERR(ARGS, BADVALUE, "maxdims is smaller than dims: dimension %d: maximum %llu is below size %llu",
                          d, (unsigned long long)max[d], (unsigned long long)dims[d]);
    }
    return 0;
}

hid_t H5Screate_simple(int rank, const hsize_t dims[], const hsize_t maxdims[])
{
    TS_API_ENTER(DATASPACE, CANTCREATE, "can't create simple dataspace");
    struct ts_space *s;
    if (check_new_dims(rank, dims, maxdims) < 0 || ts_space_new_simple((unsigned)rank, dims, maxdims, &s) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, s);
}

hid_t H5Scopy(hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTINIT, "unable to copy dataspace");
    struct ts_space *s = TS_API_OBJ(space_id, H5I_DATASPACE), *copy;
    if (!s || ts_space_snapshot(s, &copy) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, copy);
}

herr_t H5Sclose(hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTRELEASE, "problem freeing id");
    return ts_id_close(space_id, H5I_DATASPACE) < 0 ? TS_API_FAIL(-1) : 0;
}

/* In the order in which libhdf5 looks at them: all sizes before all maxima. */
static int check_dims(int rank, const hsize_t *dims, const hsize_t *max)
{
    if (rank > 0 && !dims)
        return TS_ERR(ARGS, BADVALUE, "no dimensions specified: sizes of %d are needed", rank);
    if (max && !dims)
        return TS_ERR(ARGS, BADVALUE, "maximum dimension specified, but no current dimensions specified");
    if (rank < 0 || rank > H5S_MAX_RANK)
        return TS_ERR(ARGS, BADVALUE, "invalid rank %d: not between 0 and %d", rank, H5S_MAX_RANK);
    for (int d = 0; d < rank; d++)
        if (dims[d] == H5S_UNLIMITED)
            return TS_ERR(ARGS, BADVALUE,
                          "current dimension must have a specific size, not H5S_UNLIMITED: dimension %d", d);
    for (int d = 0; max && d < rank; d++)
        if (max[d] < dims[d])
            return TS_ERR(ARGS, BADVALUE, "invalid maximum dimension size: %llu in dimension %d, which has %llu",
                          (unsigned long long)max[d], d, (unsigned long long)dims[d]);
    return 0;
}

herr_t H5Sset_extent_simple(hid_t space_id, int rank, const hsize_t dims[], const hsize_t max[])
{
    TS_API_ENTER(DATASPACE, CANTINIT, "unable to set simple extent", TS_BAD_ID(ATOM, BADATOM, "not a dataspace"));
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    int ret = check_dims(rank, dims, max);
    if (ret == 0)
        ret = ts_space_set_simple(s, (unsigned)rank, dims, max);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

herr_t H5Sset_extent_none(hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace", TS_BAD_ID(ATOM, BADATOM, "not a dataspace"));
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    ts_space_set_extent_none(s);
    ts_space_unlock(s);
    return 0;
}

herr_t H5Sextent_copy(hid_t dst_id, hid_t src_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *src = SNAPSHOT(src_id), *dst = src ? LOOK(dst_id) : NULL;
    if (!dst)
        return TS_API_FAIL(-1);
    int ret = ts_space_extent_copy(dst, src);
    ts_space_unlock(dst);
    return TS_API_RET(ret);
}

htri_t H5Sextent_equal(hid_t space1_id, hid_t space2_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *a = SNAPSHOT(space1_id), *b = a ? SNAPSHOT(space2_id) : NULL;
    if (!b)
        return TS_API_FAIL(-1);
    return ts_space_extent_equal(a, b);
}

hssize_t H5Sget_simple_extent_npoints(hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    hssize_t n = (hssize_t)ts_space_npoints(s);
    ts_space_unlock(s);
    return n;
}

int H5Sget_simple_extent_ndims(hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    int rank = (int)ts_space_rank(s);
    ts_space_unlock(s);
    return rank;
}

int H5Sget_simple_extent_dims(hid_t space_id, hsize_t dims[], hsize_t maxdims[])
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    unsigned rank = ts_space_rank(s);
    for (unsigned d = 0; d < rank; d++) {
        if (dims)
            dims[d] = ts_space_dims(s)[d];
        if (maxdims)
            maxdims[d] = ts_space_maxdims(s)[d];
    }
    ts_space_unlock(s);
    return (int)rank;
}

H5S_class_t H5Sget_simple_extent_type(hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(H5S_NO_CLASS);
    H5S_class_t cls = ts_space_class(s);
    ts_space_unlock(s);
    return cls;
}

htri_t H5Sis_simple(hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace", TS_BAD_ID(ATOM, BADATOM, "not a dataspace"));
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    htri_t simple = ts_space_class(s) != H5S_NULL;
    ts_space_unlock(s);
    return simple;
}

herr_t H5Soffset_simple(hid_t space_id, const hssize_t *offset)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace", TS_BAD_ID(ATOM, BADATOM, "not a dataspace"));
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    int ret =
        ts_space_rank(s) && !offset ? TS_ERR(ARGS, BADVALUE, "no offset specified") : ts_space_set_offset(s, offset);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

herr_t H5Sselect_all(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = TS_API_OBJ(spaceid, H5I_DATASPACE);
    if (!s)
        return TS_API_FAIL(-1);
    ts_space_lock(s);
    ts_space_select_all(s);
    ts_space_unlock(s);
    return 0;
}

herr_t H5Sselect_none(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = TS_API_OBJ(spaceid, H5I_DATASPACE);
    if (!s)
        return TS_API_FAIL(-1);
    ts_space_lock(s);
    ts_space_select_none(s);
    ts_space_unlock(s);
    return 0;
}

herr_t H5Sselect_elements(hid_t space_id, H5S_seloper_t op, size_t num_elem, const hsize_t *coord)
{
    TS_API_ENTER(DATASPACE, CANTINIT, "can't select elements");
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    int ret = ts_space_select_elements(s, op, num_elem, coord);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

/* Not merged first: that is what lets blocks be collected. */
herr_t H5Sselect_hyperslab(hid_t space_id, H5S_seloper_t op, const hsize_t start[], const hsize_t stride[],
                           const hsize_t count[], const hsize_t block[])
{
    TS_API_ENTER(DATASPACE, CANTINIT, "unable to set hyperslab selection");
    struct ts_space *s = TS_API_OBJ(space_id, H5I_DATASPACE);
    if (!s)
        return TS_API_FAIL(-1);
    ts_space_lock(s);
    int ret = ts_space_select_hyperslab(s, op, start, stride, count, block);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

#define NOT_SET "unable to set hyperslab selection: "

/* A stride of 0 is good enough where there is one block; a new selection of nothing is an error, in libhdf5 here
 * only. */
static int check_combined(unsigned rank, const struct ts_slab *slabs, hsize_t *stride, bool set)
{
    bool some = true;
    for (unsigned d = 0; d < rank; d++) {
        const struct ts_slab *s = &slabs[d];
        some = some && s->count && s->block;
        if (set && !some)
            return TS_ERR(DATASPACE, CANTINIT, NOT_SET "nothing is selected in dimension %u", d);
        if (some && !s->stride && s->count > 1)
            return TS_ERR(DATASPACE, CANTINIT, NOT_SET "dimension %u: blocks overlap at stride 0", d);
        stride[d] = s->stride ? s->stride : 1;
    }
    return 0;
}

hid_t H5Scombine_hyperslab(hid_t space_id, H5S_seloper_t op, const hsize_t start[], const hsize_t stride[],
                           const hsize_t count[], const hsize_t block[])
{
    TS_API_ENTER(DATASPACE, CANTINIT, "unable to set hyperslab selection");
    struct ts_slab slabs[H5S_MAX_RANK];
    hsize_t strides[H5S_MAX_RANK];
    struct ts_space *s = SNAPSHOT(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    if (!start || !count)
        return TS_API_ERR(-1, ARGS, BADVALUE, "hyperslab not specified: no start or no count");
    if (op < H5S_SELECT_SET || op > H5S_SELECT_NOTA)
        return TS_API_ERR(-1, ARGS, UNSUPPORTED, "invalid selection operation: %d", (int)op);
    for (unsigned d = 0; d < ts_space_rank(s); d++)
        slabs[d] = (struct ts_slab){start[d], stride ? stride[d] : 1, count[d], block ? block[d] : 1};
    if (check_combined(ts_space_rank(s), slabs, strides, op == H5S_SELECT_SET) < 0)
        return TS_API_FAIL(-1);
    if (ts_space_rank(s) == 0)
        return TS_API_ERR(-1, DATASPACE, CANTINIT, NOT_SET "the dataspace has no dimensions");
    if (ts_space_select_hyperslab(s, op, start, strides, count, block) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, ts_space_ref(s));
}

hid_t H5Scombine_select(hid_t space1_id, H5S_seloper_t op, hid_t space2_id)
{
    TS_API_ENTER(DATASPACE, CANTINIT, "unable to create hyperslab selection");
    struct ts_space *a = SNAPSHOT(space1_id), *b = a ? SNAPSHOT(space2_id) : NULL;
    if (!b || ts_space_combine(a, op, b) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, ts_space_ref(a));
}

herr_t H5Smodify_select(hid_t space1_id, H5S_seloper_t op, hid_t space2_id)
{
    TS_API_ENTER(DATASPACE, CANTINIT, "unable to modify hyperslab selection");
    struct ts_space *b = SNAPSHOT(space2_id), *a = b ? LOOK(space1_id) : NULL;
    if (!a)
        return TS_API_FAIL(-1);
    int ret = ts_space_combine(a, op, b);
    ts_space_unlock(a);
    return TS_API_RET(ret);
}

herr_t H5Sselect_copy(hid_t dst_id, hid_t src_id)
{
    TS_API_ENTER(DATASPACE, CANTCOPY, "can't copy selection");
    struct ts_space *src = SNAPSHOT(src_id), *dst = src ? LOOK(dst_id) : NULL;
    if (!dst)
        return TS_API_FAIL(-1);
    int ret = ts_space_select_copy(dst, src);
    ts_space_unlock(dst);
    return TS_API_RET(ret);
}

herr_t H5Sselect_adjust(hid_t spaceid, const hssize_t *offset)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace",
                 TS_BAD_ID(DATASPACE, BADTYPE, "not a dataspace"));
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    int ret = !offset ? TS_SAY(DATASPACE, BADTYPE, "NULL offset pointer") : ts_space_adjust(s, offset);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

H5S_sel_type H5Sget_select_type(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace", TS_BAD_ID(ATOM, BADATOM, "not a dataspace"));
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(H5S_SEL_ERROR);
    H5S_sel_type type = ts_space_sel_type(s);
    ts_space_unlock(s);
    return type;
}

hssize_t H5Sget_select_npoints(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    hssize_t n = (hssize_t)ts_space_selected(s);
    ts_space_unlock(s);
    return n;
}

htri_t H5Sselect_valid(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    htri_t valid = ts_space_valid(s);
    ts_space_unlock(s);
    return valid;
}

herr_t H5Sget_select_bounds(hid_t spaceid, hsize_t start[], hsize_t end[])
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    if (!start || !end)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid pointer: no place for the bounds");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    int ret = ts_space_bounds(s, start, end);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

static int check_type(const struct ts_space *s, H5S_sel_type type, const char *what)
{
    if (ts_space_sel_type(s) != type)
        return TS_ERR(ARGS, BADTYPE, "not %s selection", what);
    return 0;
}

hssize_t H5Sget_select_elem_npoints(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    hssize_t n = check_type(s, H5S_SEL_POINTS, "an element") < 0 ? -1 : (hssize_t)ts_space_selected(s);
    ts_space_unlock(s);
    return TS_API_RET(n);
}

static int point_list(const struct ts_space *s, hsize_t first, hsize_t n, hsize_t *buf)
{
    size_t all, rank = ts_space_rank(s);
    if (check_type(s, H5S_SEL_POINTS, "a point") < 0)
        return -1;
    const hsize_t *coords = ts_space_points(s, &all);
    if (first < all)
        memcpy(buf, coords + first * rank, (size_t)(n < all - first ? n : all - first) * rank * sizeof *buf);
    return 0;
}

herr_t H5Sget_select_elem_pointlist(hid_t spaceid, hsize_t startpoint, hsize_t numpoints, hsize_t buf[])
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid pointer: no place for the points");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    int ret = point_list(s, startpoint, numpoints, buf);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

static hssize_t block_count(const struct ts_space *s)
{
    if (check_type(s, H5S_SEL_HYPERSLABS, "a hyperslab") < 0)
        return -1;
    if (ts_space_unlim_dim(s) >= 0)
        return TS_SAY(DATASPACE, UNSUPPORTED, "cannot get number of blocks for unlimited selection");
    hsize_t n;
    return ts_space_nblocks(s, &n) < 0 ? -1 : (hssize_t)n;
}

hssize_t H5Sget_select_hyper_nblocks(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    hssize_t n = block_count(s);
    ts_space_unlock(s);
    return TS_API_RET(n);
}

herr_t H5Sget_select_hyper_blocklist(hid_t spaceid, hsize_t startblock, hsize_t numblocks, hsize_t buf[])
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid pointer: no place for the blocks");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    int ret = check_type(s, H5S_SEL_HYPERSLABS, "a hyperslab");
    if (ret == 0 && ts_space_unlim_dim(s) >= 0)
        ret = TS_SAY(DATASPACE, UNSUPPORTED, "cannot get blocklist for unlimited selection");
    if (ret == 0)
        ret = ts_space_blocklist(s, startblock, numblocks, buf);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

htri_t H5Sis_regular_hyperslab(hid_t spaceid)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    htri_t ret = check_type(s, H5S_SEL_HYPERSLABS, "a hyperslab");
    if (ret == 0)
        ret = ts_space_regular(s, NULL, NULL, NULL, NULL);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

htri_t H5Sget_regular_hyperslab(hid_t spaceid, hsize_t start[], hsize_t stride[], hsize_t count[], hsize_t block[])
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = LOOK(spaceid);
    if (!s)
        return TS_API_FAIL(-1);
    htri_t ret = check_type(s, H5S_SEL_HYPERSLABS, "a hyperslab");
    if (ret == 0 && !ts_space_regular(s, start, stride, count, block))
        ret = TS_ERR(ARGS, BADTYPE, "not a regular hyperslab selection");
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

htri_t H5Sselect_shape_same(hid_t space1_id, hid_t space2_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace",
                 TS_BAD_ID(DATASPACE, BADTYPE, "not a dataspace"));
    struct ts_space *a = SNAPSHOT_ONE(space1_id), *b = a ? SNAPSHOT_ONE(space2_id) : NULL;
    if (!b)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_space_shape_same(a, b));
}

/* All of an extent without elements is anywhere, as libhdf5 sees it. */
static htri_t all_touches(const struct ts_space *s, const hsize_t *start)
{
    for (unsigned d = 0; d < ts_space_rank(s); d++)
        if (ts_space_dims(s)[d] && start[d] >= ts_space_dims(s)[d])
            return 0;
    return 1;
}

static htri_t touches(const struct ts_space *s, const hsize_t *start, const hsize_t *end)
{
    if (!start || !end)
        return TS_SAY(DATASPACE, BADVALUE, "block %s array pointer is NULL", start ? "end" : "start");
    for (unsigned d = 0; d < ts_space_rank(s); d++)
        if (start[d] > end[d])
            return TS_SAY(DATASPACE, BADRANGE, "block start[%u] (%llu) > end[%u] (%llu)", d,
                          (unsigned long long)start[d], d, (unsigned long long)end[d]);
    if (ts_space_sel_type(s) == H5S_SEL_ALL)
        return all_touches(s, start);
    return ts_space_intersects(s, start, end);
}

htri_t H5Sselect_intersect_block(hid_t space_id, const hsize_t *start, const hsize_t *end)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace",
                 TS_BAD_ID(DATASPACE, BADTYPE, "not a dataspace"));
    struct ts_space *s = LOOK(space_id);
    if (!s)
        return TS_API_FAIL(-1);
    htri_t ret = touches(s, start, end);
    ts_space_unlock(s);
    return TS_API_RET(ret);
}

/* Where everything is selected the extent does not count. */
static int project(const struct ts_space *src, const struct ts_space *part, const struct ts_space *dst,
                   struct ts_space **out)
{
    struct ts_space *all;
    if (ts_space_sel_type(part) != H5S_SEL_ALL || ts_space_rank(part) != ts_space_rank(src))
        return ts_space_project(src, part, dst, out);
    if (ts_space_copy(src, &all) < 0)
        return -1;
    ts_space_select_all(all);
    int status = ts_space_project(src, all, dst, out);
    ts_space_unref(all);
    return status;
}

hid_t H5Sselect_project_intersection(hid_t src_space_id, hid_t dst_space_id, hid_t src_intersect_space_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace",
                 TS_BAD_ID(DATASPACE, BADTYPE, "not a dataspace"));
    struct ts_space *src = SNAPSHOT_ONE(src_space_id), *dst = src ? SNAPSHOT_ONE(dst_space_id) : NULL;
    struct ts_space *part = dst ? SNAPSHOT_ONE(src_intersect_space_id) : NULL, *out;
    if (!part || project(src, part, dst, &out) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, out);
}

/* A buffer that is missing or too small is not an error: the size that is needed is told. */
static int encode(struct ts_api_scope *scope, hid_t id, unsigned libver_low, void *buf, size_t *nalloc)
{
    struct ts_space *s = snapshot(scope, id);
    struct ts_wr w = {0};
    if (s && !nalloc)
        return TS_ERR(ARGS, BADVALUE, "no place for the size");
    int ret = s ? ts_space_encode(s, libver_low, &w) : -1;
    if (ret == 0)
        ts_api_give_encoding(&w, buf, nalloc);
    ts_wr_free(&w);
    return ret;
}

herr_t H5Sencode1(hid_t obj_id, void *buf, size_t *nalloc)
{
    TS_API_ENTER(DATASPACE, CANTENCODE, "can't encode dataspace");
    return TS_API_RET(encode(&ts_scope_, obj_id, H5F_LIBVER_EARLIEST, buf, nalloc));
}

herr_t H5Sencode(hid_t obj_id, void *buf, size_t *nalloc)
{
    TS_API_ENTER(DATASPACE, CANTENCODE, "can't encode dataspace");
    return TS_API_RET(encode(&ts_scope_, obj_id, H5F_LIBVER_EARLIEST, buf, nalloc));
}

herr_t H5Sencode2(hid_t obj_id, void *buf, size_t *nalloc, hid_t fapl_id)
{
    TS_API_ENTER(DATASPACE, CANTENCODE, "can't encode dataspace");
    struct ts_plist *fapl = TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS);
    H5F_libver_t low;
    if (!fapl || ts_fapl_libver_low(fapl, &low) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(encode(&ts_scope_, obj_id, (unsigned)low, buf, nalloc));
}

hid_t H5Sdecode(const void *buf)
{
    TS_API_ENTER(DATASPACE, CANTDECODE, "can't decode object");
    struct ts_space *s = NULL;
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "empty buffer");
    if (ts_space_decode(buf, ANY_LENGTH, NULL, &s) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, s);
}

hid_t H5Ssel_iter_create(hid_t space_id, size_t elmt_size, unsigned flags)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_space *s = TS_API_OBJ(space_id, H5I_DATASPACE);
    struct ts_sel_iter *it;
    if (!s)
        return TS_API_ERR(-1, DATASPACE, BADTYPE, "not a dataspace");
    if (!elmt_size)
        return TS_API_ERR(-1, DATASPACE, BADVALUE, "elements of 0 bytes");
    if (flags & ~(unsigned)(H5S_SEL_ITER_GET_SEQ_LIST_SORTED | H5S_SEL_ITER_SHARE_WITH_DATASPACE))
        return TS_API_ERR(-1, DATASPACE, BADVALUE, "flags %#x", flags);
    if (ts_sel_iter_new(s, elmt_size, flags, &it) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_SPACE_SEL_ITER, it);
}

herr_t H5Ssel_iter_get_seq_list(hid_t sel_iter_id, size_t maxseq, size_t maxelmts, size_t *nseq, size_t *nelmts,
                                hsize_t *off, size_t *len)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_sel_iter *it = TS_API_OBJ(sel_iter_id, H5I_SPACE_SEL_ITER);
    if (!it)
        return TS_API_ERR(-1, DATASPACE, BADTYPE, "not a dataspace selection iterator");
    if (!nseq || !nelmts || !off || !len)
        return TS_API_ERR(-1, DATASPACE, BADVALUE, "no place for the sequences");
    struct ts_sequences out = {.off = off, .len = len};
    ts_sel_iter_next(it, maxseq, maxelmts, &out);
    *nseq = out.n;
    *nelmts = out.elements;
    return 0;
}

herr_t H5Ssel_iter_reset(hid_t sel_iter_id, hid_t space_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    struct ts_sel_iter *it = TS_API_OBJ(sel_iter_id, H5I_SPACE_SEL_ITER);
    if (!it)
        return TS_API_ERR(-1, DATASPACE, BADTYPE, "not a dataspace selection iterator");
    struct ts_space *s = TS_API_OBJ(space_id, H5I_DATASPACE);
    if (!s)
        return TS_API_ERR(-1, DATASPACE, BADTYPE, "not a dataspace");
    return TS_API_RET(ts_sel_iter_reset(it, s));
}

herr_t H5Ssel_iter_close(hid_t sel_iter_id)
{
    TS_API_ENTER(DATASPACE, CANTOPERATE, "can't operate on dataspace");
    if (!TS_API_OBJ(sel_iter_id, H5I_SPACE_SEL_ITER))
        return TS_API_ERR(-1, DATASPACE, BADTYPE, "not a dataspace selection iterator");
    return TS_API_RET(ts_id_dec(sel_iter_id) < 0 ? -1 : 0);
}
