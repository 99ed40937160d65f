/* H5G: calls that finish later (async.h). */
#include "H5Gpublic.h"

#include "api/async.h"

static int64_t run_create(const struct ts_async_arg *a)
{
    return H5Gcreate2(a[0].id, a[1].text, a[2].id, a[3].id, a[4].id);
}

hid_t H5Gcreate_async(TS_APP, hid_t loc_id, const char *name, hid_t lcpl_id, hid_t gcpl_id, hid_t gapl_id, hid_t es_id)
{
    TS_API_SAYS(SYM, CANTINIT, "unable to create group");
    TS_ASYNC_NEW(H5I_GROUP, run_create, OBJECT(loc_id), TEXT(name), OPTION(lcpl_id), OPTION(gcpl_id), OPTION(gapl_id));
}

static int64_t run_open(const struct ts_async_arg *a)
{
    return H5Gopen2(a[0].id, a[1].text, a[2].id);
}

hid_t H5Gopen_async(TS_APP, hid_t loc_id, const char *name, hid_t gapl_id, hid_t es_id)
{
    TS_API_SAYS(SYM, CANTOPENOBJ, "unable to open group");
    TS_ASYNC_NEW(H5I_GROUP, run_open, OBJECT(loc_id), TEXT(name), OPTION(gapl_id));
}

static int64_t run_get_info(const struct ts_async_arg *a)
{
    return H5Gget_info(a[0].id, a[1].out);
}

herr_t H5Gget_info_async(TS_APP, hid_t loc_id, H5G_info_t *ginfo, hid_t es_id)
{
    TS_API_SAYS(SYM, CANTGET, "can't retrieve group info");
    TS_ASYNC(run_get_info, OBJECT(loc_id), RESULT(ginfo));
}

static int64_t run_get_info_by_name(const struct ts_async_arg *a)
{
    return H5Gget_info_by_name(a[0].id, a[1].text, a[2].out, a[3].id);
}

herr_t H5Gget_info_by_name_async(TS_APP, hid_t loc_id, const char *name, H5G_info_t *ginfo, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(SYM, CANTGET, "can't retrieve group info");
    TS_ASYNC(run_get_info_by_name, OBJECT(loc_id), TEXT(name), RESULT(ginfo), OPTION(lapl_id));
}

static int64_t run_get_info_by_idx(const struct ts_async_arg *a)
{
    return H5Gget_info_by_idx(a[0].id, a[1].text, (H5_index_t)a[2].number, (H5_iter_order_t)a[3].number, a[4].number,
                              a[5].out, a[6].id);
}

herr_t H5Gget_info_by_idx_async(TS_APP, hid_t loc_id, const char *group_name, H5_index_t idx_type,
                                H5_iter_order_t order, hsize_t n, H5G_info_t *ginfo, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(SYM, CANTGET, "can't retrieve group info");
    TS_ASYNC(run_get_info_by_idx, OBJECT(loc_id), TEXT(group_name), NUMBER(idx_type), NUMBER(order), NUMBER(n),
             RESULT(ginfo), OPTION(lapl_id));
}

static int64_t run_close(const struct ts_async_arg *a)
{
    return H5Gclose(a[0].id);
}

herr_t H5Gclose_async(TS_APP, hid_t group_id, hid_t es_id)
{
    TS_API_SAYS(SYM, CANTRELEASE, "unable to close group", TS_BAD_ID(ARGS, BADTYPE, "not a group"));
    TS_ASYNC(run_close, CLOSED(group_id, 1u << H5I_GROUP));
}
