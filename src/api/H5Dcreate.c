/* H5D: making datasets, and changing their extent. */
#include "H5Dpublic.h"

#include "api/api.h"
#include "api/place.h"
#include "dataset/create.h"
#include "dataset/filter_ids.h"

static hid_t create(struct ts_dataset_create *how)
{
    struct ts_filter_ids ids;
    struct ts_dataset *d;
    how->calls = ts_filter_ids_init(&ids, how->dcpl, how->type);
    hid_t id = ts_id_reserve(H5I_DATASET);
    if (id < 0)
        return -1;
    int status = ts_dataset_create(how, &d);
    ts_filter_ids_deinit(&ids);
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

/* Type and space are copied, so that nobody changes them meanwhile. Of a type that is closed already its id still tells
 * that it was one; that it is gone is found after what is wrong with other arguments, and is told as any failure is. */
static int take_shape(struct ts_api_scope *scope, hid_t type_id, hid_t space_id, struct ts_dataset_create *how)
{
    unsigned mark = ts_err_mark();
    how->type = ts_api_pin_argument(scope, type_id, H5I_DATATYPE);
    bool gone = !how->type && ts_api_gone(type_id, H5I_DATATYPE);
    if (gone)
        ts_err_rewind(mark);
    struct ts_space *s = how->type || gone ? ts_api_pin_argument(scope, space_id, H5I_DATASPACE) : NULL, *copy;
    if (!s || ts_space_snapshot(s, &copy) < 0)
        return -1;
    if (ts_api_adopt(scope, H5I_DATASPACE, copy) < 0)
        return -1;
    how->space = copy;
    return 0;
}

static int take_lists(struct ts_api_scope *scope, hid_t dcpl_id, hid_t dapl_id, struct ts_dataset_create *how)
{
    how->dcpl = ts_api_plist(scope, dcpl_id, TS_PLIST_DATASET_CREATE);
    how->dapl = how->dcpl ? ts_api_plist(scope, dapl_id, TS_PLIST_DATASET_ACCESS) : NULL;
    if (how->dapl && !how->type)
        return TS_ERR(DATATYPE, BADVALUE, "the datatype is closed");
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

hid_t H5Dcreate2(hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t lcpl_id, hid_t dcpl_id,
                 hid_t dapl_id)
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
        take_shape(&ts_scope_, type_id, space_id, &how) < 0 || take_lists(&ts_scope_, dcpl_id, H5P_DEFAULT, &how) < 0)
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
