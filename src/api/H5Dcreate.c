#include "H5Dpublic.h"

#include <string.h>

#include "api/api.h"
#include "api/place.h"
#include "base/alloc.h"
#include "base/lock.h"
#include "dataset/create.h"
#include "filter/filter.h"
#include "plist/dcpl.h"

/* What filters of the application are called with: ids, made when the first of them is asked. A section of structured
 * chunks that is bytes to its filters has a datatype of its own. */
struct filter_ids {
    struct ts_plist *dcpl;
    const struct ts_type *type; /* as the application gave it */
    hid_t dcpl_id, type_id, byte_id, space_id;
};

static int make_chunk_space(const struct ts_filter_local *local, hid_t *id)
{
    struct ts_space *space;
    if (ts_space_new_simple(local->rank, local->chunk_dims, NULL, &space) < 0)
        return -1;
    *id = ts_id_register(H5I_DATASPACE, space);
    if (*id < 0)
        ts_space_unref(space);
    return *id < 0 ? -1 : 0;
}

/* Filters ask the list for the chunk, also for one that the library chose. */
static int say_chunk(struct ts_plist *dcpl, const struct ts_filter_local *local)
{
    struct ts_layout_prop layout;
    if (ts_dcpl_peek_layout(dcpl, &layout) < 0)
        return -1;
    if (layout.chunk_rank > 0)
        return 0;
    struct ts_layout_prop chosen = {.cls = H5D_STRUCT_CHUNK, .struct_type = H5D_SPARSE_CHUNK, .chunk_rank = local->rank};
    memcpy(chosen.chunk_dims, local->chunk_dims, local->rank * sizeof chosen.chunk_dims[0]);
    return ts_dcpl_set_layout(dcpl, &chosen);
}

static int make_list(struct filter_ids *ids, const struct ts_filter_local *local)
{
    struct ts_plist *dcpl;
    if (ids->dcpl_id >= 0)
        return 0;
    if (ts_plist_copy(ids->dcpl, &dcpl) < 0)
        return -1;
    ids->dcpl_id = say_chunk(dcpl, local) < 0 ? -1 : ts_id_register(H5I_GENPROP_LST, dcpl);
    if (ids->dcpl_id < 0)
        ts_plist_unref(dcpl);
    return ids->dcpl_id < 0 ? -1 : 0;
}

static int make_type(const struct ts_type *type, hid_t *id)
{
    struct ts_type *copy;
    if (*id >= 0)
        return 0;
    if (ts_type_copy_all(type, &copy) < 0)
        return -1;
    *id = ts_id_register(H5I_DATATYPE, copy);
    if (*id < 0)
        ts_type_unref(copy);
    return *id < 0 ? -1 : 0;
}

/* The id of the datatype, or negative. */
static hid_t make_ids(struct filter_ids *ids, const struct ts_filter_local *local)
{
    hid_t *type = local->unit ? &ids->byte_id : &ids->type_id;
    if (make_list(ids, local) < 0 || make_type(local->unit ? local->type : ids->type, type) < 0 ||
        (ids->space_id < 0 && make_chunk_space(local, &ids->space_id) < 0))
        return -1;
    return *type;
}

static void drop_ids(const struct filter_ids *ids)
{
    const hid_t all[] = {ids->dcpl_id, ids->type_id, ids->byte_id, ids->space_id};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] >= 0)
            ts_id_dec(all[i]);
}

static int ask_can_apply(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local)
{
    TS_MAY_CALL_OUT();
    struct filter_ids *ids = context;
    hid_t type = make_ids(ids, local);
    return type < 0 ? -1 : cls->can_apply(ids->dcpl_id, type, ids->space_id);
}

/* In a list they are for all sections: functions without a section see them then. */
static int show_filters(struct ts_plist *dcpl, const struct ts_pipeline *p)
{
    struct ts_pipeline shown;
    if (ts_pipeline_copy(&shown, p) < 0)
        return -1;
    for (size_t i = 0; i < shown.n; i++)
        shown.filters[i].only = 0;
    int status = ts_ocpl_set_pipeline(dcpl, &shown);
    ts_pipeline_deinit(&shown);
    return status;
}

static int take_filters(struct ts_plist *dcpl, struct ts_pipeline *p)
{
    struct ts_pipeline changed;
    if (ts_ocpl_pipeline(dcpl, &changed) < 0)
        return -1;
    for (size_t i = 0; i < changed.n && i < p->n; i++)
        changed.filters[i].only = p->filters[i].only;
    changed.access = p->access;
    ts_pipeline_deinit(p);
    *p = changed;
    return 0;
}

/* The callback sees the pipeline in the list, and changes it there. */
static int ask_set_local(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local, struct ts_pipeline *p)
{
    TS_MAY_CALL_OUT();
    struct filter_ids *ids = context;
    hid_t type = make_ids(ids, local);
    if (type < 0)
        return -1;
    TS_API_ENTER_NOCLEAR(PLINE, SETLOCAL, "error during user callback");
    struct ts_plist *dcpl = TS_API_PLIST(ids->dcpl_id, TS_PLIST_DATASET_CREATE);
    if (!dcpl || show_filters(dcpl, p) < 0)
        return -1;
    if (cls->set_local(ids->dcpl_id, type, ids->space_id) < 0)
        return TS_ERR(PLINE, SETLOCAL, "error during user callback");
    return take_filters(dcpl, p);
}

static hid_t create(struct ts_dataset_create *how)
{
    struct filter_ids ids = {how->dcpl, how->type, -1, -1, -1, -1};
    struct ts_filter_calls calls = {ask_can_apply, ask_set_local, &ids};
    struct ts_dataset *d;
    how->calls = &calls;
    hid_t id = ts_id_reserve(H5I_DATASET);
    if (id < 0)
        return -1;
    int status = ts_dataset_create(how, &d);
    drop_ids(&ids);
    if (status == 0)
        ts_id_fill(id, d);
    else
        ts_id_unreserve(id);
    return status < 0 ? -1 : id;
}

/* Not told as a wrong argument, as libhdf5 finds it only while it creates the dataset. */
static int check_extent(const struct ts_space *space)
{
    return ts_space_has_extent(space) ? 0 : TS_ERR(DATASET, BADVALUE, "dataspace extent has not been set.");
}

/* Type and space are copied, so that nobody changes them meanwhile. */
static int take_shape(struct ts_api_scope *scope, hid_t type_id, hid_t space_id, struct ts_dataset_create *how)
{
    struct ts_type *t = ts_api_pin_argument(scope, type_id, H5I_DATATYPE);
    struct ts_space *s = t ? ts_api_pin_argument(scope, space_id, H5I_DATASPACE) : NULL, *copy;
    if (!s || ts_space_snapshot(s, &copy) < 0)
        return -1;
    if (ts_api_adopt(scope, H5I_DATASPACE, copy) < 0)
        return -1;
    how->type = t;
    how->space = copy;
    return 0;
}

static int take_lists(struct ts_api_scope *scope, hid_t dcpl_id, hid_t dapl_id, struct ts_dataset_create *how)
{
    how->dcpl = ts_api_plist(scope, dcpl_id, TS_PLIST_DATASET_CREATE);
    how->dapl = how->dcpl ? ts_api_plist(scope, dapl_id, TS_PLIST_DATASET_ACCESS) : NULL;
    return how->dapl ? 0 : -1;
}

static hid_t create_named(hid_t loc_id, const char *name, struct ts_plist *lcpl, struct ts_dataset_create *how)
{
    TS_AUTO_SPOT spot = {.name = NULL};
    if (check_extent(how->space) < 0 || ts_api_new_name(loc_id, name, lcpl, how->dapl, &spot) < 0)
        return -1;
    how->fh = spot.group.loc.fh;
    how->spot = &spot;
    return create(how);
}

hid_t H5Dcreate2(
    hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t lcpl_id, hid_t dcpl_id, hid_t dapl_id)
{
    TS_API_ENTER(DATASET, CANTINIT, "unable to create dataset", TS_BAD_ID(ARGS, BADTYPE, "not a location ID"),
                 TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype ID"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace ID"),
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "dcpl_id is not a dataset create property list ID"),
                 TS_WRONG(LINK_LIST, ARGS, BADTYPE, "lcpl_id is not a link creation property list"),
                 TS_SYNCHRONOUS(DATASET, CANTCREATE, "unable to synchronously create dataset"));
    struct ts_dataset_create how = {.type = NULL};
    if (ts_api_check_new_name(name) < 0 || ts_api_check_location(loc_id) < 0 ||
        take_shape(&ts_scope_, type_id, space_id, &how) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *lcpl = TS_API_PLIST(lcpl_id, TS_PLIST_LINK_CREATE);
    if (!lcpl || take_lists(&ts_scope_, dcpl_id, dapl_id, &how) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(create_named(loc_id, name, lcpl, &how));
}

hid_t H5Dcreate1(hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t dcpl_id)
{
    TS_API_ENTER(DATASET, CANTINIT, "unable to create dataset", TS_BAD_ID(ARGS, BADTYPE, "not a location ID"),
                 TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype ID"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace ID"),
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not dataset create property list ID"));
    struct ts_dataset_create how = {.type = NULL};
    if (ts_api_check_location(loc_id) < 0 || ts_api_check_new_name(name) < 0 ||
        take_shape(&ts_scope_, type_id, space_id, &how) < 0 ||
        take_lists(&ts_scope_, dcpl_id, H5P_DEFAULT, &how) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(create_named(loc_id, name, NULL, &how));
}

hid_t H5Dcreate_anon(hid_t loc_id, hid_t type_id, hid_t space_id, hid_t dcpl_id, hid_t dapl_id)
{
    TS_API_ENTER(DATASET, CANTINIT, "unable to create dataset", TS_BAD_ID(ARGS, BADTYPE, "not a location ID"),
                 TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype ID"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace ID"),
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not dataset create property list ID"));
    TS_AUTO_PLACE where = {.path = NULL};
    struct ts_dataset_create how = {.type = NULL};
    if (ts_place_from_id(loc_id, &where) < 0 || take_shape(&ts_scope_, type_id, space_id, &how) < 0 ||
        take_lists(&ts_scope_, dcpl_id, dapl_id, &how) < 0 || check_extent(how.space) < 0)
        return TS_API_FAIL(-1);
    how.fh = where.loc.fh;
    return TS_API_RET(create(&how));
}

herr_t H5Dset_extent(hid_t dset_id, const hsize_t size[])
{
    TS_API_ENTER(DATASET, CANTSET, "unable to set dataset extent",
                 TS_BAD_ID(ARGS, BADTYPE, "dset_id parameter is not a valid dataset identifier"),
                 TS_SYNCHRONOUS(DATASET, CANTSET, "unable to synchronously change a dataset's dimensions"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "size array cannot be NULL");
    return TS_API_RET(ts_dataset_set_extent(d, size));
}

herr_t H5Dextend(hid_t dset_id, const hsize_t size[])
{
    TS_API_ENTER(DATASET, CANTSET, "unable to extend dataset", TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no size specified");
    return TS_API_RET(ts_dataset_extend(d, size));
}
