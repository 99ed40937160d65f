/* H5R: calls that finish later (async.h). */
#include "H5Rpublic.h"

#include "api/async.h"

static int64_t run_open_object(const struct ts_async_arg *a)
{
    return H5Ropen_object(a[0].reference, a[1].id, a[2].id);
}

hid_t H5Ropen_object_async(TS_APP, H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id, hid_t es_id)
{
    TS_API_SAYS(REFERENCE, CANTOPENOBJ, "unable to open object");
    TS_ASYNC_NEW(H5I_UNINIT, run_open_object, REFERENCE(ref_ptr), OPTION(rapl_id), OPTION(oapl_id));
}

static int64_t run_open_region(const struct ts_async_arg *a)
{
    return H5Ropen_region(a[0].reference, a[1].id, a[2].id);
}

hid_t H5Ropen_region_async(TS_APP, H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id, hid_t es_id)
{
    TS_API_SAYS(REFERENCE, CANTOPENOBJ, "unable to open region");
    TS_ASYNC_NEW(H5I_DATASPACE, run_open_region, REFERENCE(ref_ptr), OPTION(rapl_id), OPTION(oapl_id));
}

static int64_t run_open_attr(const struct ts_async_arg *a)
{
    return H5Ropen_attr(a[0].reference, a[1].id, a[2].id);
}

hid_t H5Ropen_attr_async(TS_APP, H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t aapl_id, hid_t es_id)
{
    TS_API_SAYS(REFERENCE, CANTOPENOBJ, "unable to open attribute");
    TS_ASYNC_NEW(H5I_ATTR, run_open_attr, REFERENCE(ref_ptr), OPTION(rapl_id), OPTION(aapl_id));
}
