/* H5D: datasets: opening and closing them, and what they tell of themselves. */
#include "H5Dpublic.h"

#include <stdio.h>

#include "api/api.h"
#include "api/flush.h"
#include "api/place.h"
#include "base/alloc.h"
#include "dataset/dataset.h"
#include "file/change.h"

static void dataset_ref(void *obj)
{
    ts_dataset_ref(obj);
}

static void dataset_unref(void *obj)
{
    ts_dataset_unref(obj);
}

static void dataset_close(void *obj)
{
    if (ts_dataset_close_status(obj) < 0)
        ts_err_owe();
    ts_api_object_closes(ts_dataset_file(obj));
    dataset_unref(obj);
}

void ts_dataset_api_init(void)
{
    static const struct ts_id_class cls = {
        .ref = dataset_ref, .unref = dataset_unref, .close = dataset_close, .count = ts_object_count};
    ts_id_class_set(H5I_DATASET, &cls);
    ts_dataset_init_kind();
}

/* A place that is none comes before a name that is none. */
static int check_name(hid_t loc_id, const char *name)
{
    if (name && *name)
        return 0;
    return ts_api_check_location(loc_id) < 0 ? -1 : ts_api_check_name(name);
}

static int open_dataset(hid_t loc_id, const char *name, struct ts_plist *dapl, struct ts_dataset **out)
{
    TS_AUTO_PLACE place = {.path = NULL};
    H5O_type_t type;
    if (ts_api_find(loc_id, name, dapl, &place) < 0 || ts_object_type(&place.loc, &type) < 0)
        return -1;
    if (type != H5O_TYPE_DATASET)
        return TS_ERR_AS(DATASET, BADTYPE, "not a dataset", "'%s' is not a dataset", name);
    return ts_dataset_open(&place.loc, place.path, dapl, out);
}

hid_t H5Dopen2(hid_t loc_id, const char *name, hid_t dapl_id)
{
    TS_API_ENTER(DATASET, CANTOPENOBJ, "unable to open dataset", TS_BAD_ID(ARGS, BADTYPE, "not a location"),
                 TS_SYNCHRONOUS(DATASET, CANTOPENOBJ, "unable to synchronously open dataset"));
    TS_API_AT(loc_id);
    struct ts_dataset *d;
    if (check_name(loc_id, name) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *dapl = TS_API_PLIST(dapl_id, TS_PLIST_DATASET_ACCESS);
    if (!dapl || open_dataset(loc_id, name, dapl, &d) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASET, d);
}

hid_t H5Dopen1(hid_t loc_id, const char *name)
{
    TS_API_ENTER(DATASET, CANTOPENOBJ, "unable to open dataset", TS_BAD_ID(ARGS, BADTYPE, "not a location"));
    struct ts_dataset *d;
    if (check_name(loc_id, name) < 0 || open_dataset(loc_id, name, NULL, &d) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASET, d);
}

herr_t H5Dclose(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTDEC, "can't close dataset", TS_BAD_ID(ARGS, BADTYPE, "not a dataset ID"));
    return TS_API_RET(ts_id_close(dset_id, H5I_DATASET) < 0 ? -1 : 0);
}

herr_t H5Dflush(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTFLUSH, "unable to flush dataset");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    return d ? TS_API_RET(ts_api_flush_object(dset_id, ts_dataset_file(d))) : TS_API_FAIL(-1);
}

herr_t H5Drefresh(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTLOAD, "unable to refresh dataset",
                 TS_BAD_ID(ARGS, BADTYPE, "dset_id parameter is not a valid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    return d ? TS_API_RET(ts_dataset_refresh(d)) : TS_API_FAIL(-1);
}

herr_t H5Dformat_convert(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTLOAD, "unable to convert chunk indexing type for dataset");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    return d ? TS_API_RET(ts_dataset_format_convert(d)) : TS_API_FAIL(-1);
}

/* Says on stdout where the data are, or what leads to them. */
herr_t H5Ddebug(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    ts_file_lock(ts_dataset_file(d));
    unsigned long long addr = d->core->layout.addr;
    ts_file_unlock(ts_dataset_file(d));
    if (d->core->layout.cls == H5D_CONTIGUOUS)
        printf("    %-10s %llu\n", "Address:", addr);
    else if (ts_dataset_is_indexed(d->core))
        printf("    Address: %llu\n", addr);
    return 0;
}

hid_t H5Dget_space(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTGET, "unable to get dataspace", TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"),
                 TS_SYNCHRONOUS(DATASET, CANTGET, "unable to synchronously get dataspace"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_space *space, *copy;
    if (!d || ts_dataset_space(d, &space) < 0)
        return TS_API_FAIL(-1);
    int status = ts_space_copy(space, &copy);
    ts_space_unref(space);
    return status < 0 ? TS_API_FAIL(-1) : TS_API_NEW_ID(H5I_DATASPACE, copy);
}

/* As HDF5 has it, what a dataset says of its elements is not to be changed: H5Tcopy gives one that is. */
static int type_for_program(const struct ts_dataset *d, struct ts_type **out)
{
    struct ts_type *t, *copy;
    if (ts_dataset_memory_type(d, &t) < 0)
        return -1;
    int status = ts_type_copy_all(t, &copy);
    ts_type_unref(t);
    if (status < 0)
        return -1;
    copy->state = TS_TYPE_READONLY;
    *out = copy;
    return 0;
}

hid_t H5Dget_type(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTGET, "unable to get datatype", TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_type *t;
    if (!d || type_for_program(d, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATATYPE, t);
}

hid_t H5Dget_create_plist(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get dataset creation property list",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_plist *pl;
    if (!d || ts_dataset_create_plist(d, &pl) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_LIST(pl);
}

hid_t H5Dget_access_plist(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get access plist", TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_plist *pl;
    if (!d || ts_dataset_access_plist(d, &pl) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_LIST(pl);
}

haddr_t H5Dget_offset(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTGET, "unable to get offset");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    return d ? ts_dataset_offset(d) : TS_API_FAIL(HADDR_UNDEF);
}

hsize_t H5Dget_storage_size(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get size of dataset", TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    hsize_t size;
    if (!d || ts_dataset_storage_size(d, &size) < 0)
        return TS_API_FAIL(0);
    return size;
}

herr_t H5Dget_space_status(hid_t dset_id, H5D_space_status_t *allocation)
{
    TS_API_ENTER(DATASET, CANTGET, "unable to get space status",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    H5D_space_status_t status;
    if (!d || ts_dataset_space_status(d, &status) < 0)
        return TS_API_FAIL(-1);
    if (allocation)
        *allocation = status;
    return 0;
}
