/* H5O: calls that finish later (async.h). */
#include "H5Opublic.h"

#include "api/async.h"

static int64_t run_open(const struct ts_async_arg *a)
{
    return H5Oopen(a[0].id, a[1].text, a[2].id);
}

hid_t H5Oopen_async(TS_APP, hid_t loc_id, const char *name, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(OHDR, CANTOPENOBJ, "unable to open object");
    TS_ASYNC_NEW(H5I_UNINIT, run_open, OBJECT(loc_id), TEXT(name), OPTION(lapl_id));
}

static int64_t run_open_by_idx(const struct ts_async_arg *a)
{
    return H5Oopen_by_idx(a[0].id, a[1].text, (H5_index_t)a[2].number, (H5_iter_order_t)a[3].number, a[4].number,
                          a[5].id);
}

hid_t H5Oopen_by_idx_async(TS_APP, hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                           hsize_t n, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(OHDR, CANTOPENOBJ, "unable to open object");
    TS_ASYNC_NEW(H5I_UNINIT, run_open_by_idx, OBJECT(loc_id), TEXT(group_name), NUMBER(idx_type), NUMBER(order),
                 NUMBER(n), OPTION(lapl_id));
}

static int64_t run_get_info_by_name(const struct ts_async_arg *a)
{
    return H5Oget_info_by_name3(a[0].id, a[1].text, a[2].out, (unsigned)a[3].number, a[4].id);
}

herr_t H5Oget_info_by_name_async(TS_APP, hid_t loc_id, const char *name, H5O_info2_t *oinfo, unsigned fields,
                                 hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(OHDR, CANTGET, "can't get info for object: '%s'");
    TS_ASYNC(run_get_info_by_name, OBJECT(loc_id), TEXT(name), RESULT(oinfo), NUMBER(fields), OPTION(lapl_id));
}

static int64_t run_copy(const struct ts_async_arg *a)
{
    return H5Ocopy(a[0].id, a[1].text, a[2].id, a[3].text, a[4].id, a[5].id);
}

herr_t H5Ocopy_async(TS_APP, hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name,
                     hid_t ocpypl_id, hid_t lcpl_id, hid_t es_id)
{
    TS_API_SAYS(OHDR, CANTCOPY, "unable to copy object");
    TS_ASYNC(run_copy, OBJECT(src_loc_id), TEXT(src_name), OBJECT(dst_loc_id), TEXT(dst_name), OPTION(ocpypl_id),
             OPTION(lcpl_id));
}

static int64_t run_close(const struct ts_async_arg *a)
{
    return H5Oclose(a[0].id);
}

herr_t H5Oclose_async(TS_APP, hid_t object_id, hid_t es_id)
{
    TS_API_SAYS(OHDR, CANTRELEASE, "unable to close object",
                TS_BAD_ID(ARGS, CANTRELEASE, "not a valid file object ID (dataset, group, or datatype)"));
    TS_ASYNC(run_close, CLOSED(object_id, 1u << H5I_GROUP | 1u << H5I_DATASET | 1u << H5I_DATATYPE | 1u << H5I_MAP));
}

static int64_t run_flush(const struct ts_async_arg *a)
{
    return H5Oflush(a[0].id);
}

herr_t H5Oflush_async(TS_APP, hid_t obj_id, hid_t es_id)
{
    TS_API_SAYS(OHDR, CANTFLUSH, "unable to flush object", TS_BAD_ID(OHDR, CANTFLUSH, "unable to flush object"));
    TS_ASYNC(run_flush, OBJECT(obj_id));
}

static int64_t run_refresh(const struct ts_async_arg *a)
{
    return H5Orefresh(a[0].id);
}

herr_t H5Orefresh_async(TS_APP, hid_t oid, hid_t es_id)
{
    TS_API_SAYS(OHDR, CANTLOAD, "unable to refresh object", TS_BAD_ID(ARGS, BADTYPE, "not an object"));
    TS_ASYNC(run_refresh, OBJECT(oid));
}
