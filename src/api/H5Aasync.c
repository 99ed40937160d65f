/* H5A: calls that finish later (async.h). */
#include "H5Apublic.h"

#include "api/async.h"

static int64_t run_close(const struct ts_async_arg *a)
{
    return H5Aclose(a[0].id);
}

herr_t H5Aclose_async(TS_APP, hid_t attr_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTDEC, "can't close attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    TS_ASYNC(run_close, CLOSED(attr_id, 1u << H5I_ATTR));
}

static int64_t run_create(const struct ts_async_arg *a)
{
    return H5Acreate2(a[0].id, a[1].text, a[2].id, a[3].id, a[4].id, a[5].id);
}

hid_t H5Acreate_async(TS_APP, hid_t loc_id, const char *attr_name, hid_t type_id, hid_t space_id, hid_t acpl_id,
                      hid_t aapl_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTINIT, "unable to create attribute");
    TS_ASYNC_NEW(H5I_ATTR, run_create, OBJECT(loc_id), TEXT(attr_name), OBJECT(type_id), OBJECT(space_id),
                 OPTION(acpl_id), OPTION(aapl_id));
}

static int64_t run_create_by_name(const struct ts_async_arg *a)
{
    return H5Acreate_by_name(a[0].id, a[1].text, a[2].text, a[3].id, a[4].id, a[5].id, a[6].id, a[7].id);
}

hid_t H5Acreate_by_name_async(TS_APP, hid_t loc_id, const char *obj_name, const char *attr_name, hid_t type_id,
                              hid_t space_id, hid_t acpl_id, hid_t aapl_id, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTINIT, "unable to create attribute");
    TS_ASYNC_NEW(H5I_ATTR, run_create_by_name, OBJECT(loc_id), TEXT(obj_name), TEXT(attr_name), OBJECT(type_id),
                 OBJECT(space_id), OPTION(acpl_id), OPTION(aapl_id), OPTION(lapl_id));
}

static int64_t run_exists(const struct ts_async_arg *a)
{
    return ts_async_answer(H5Aexists(a[0].id, a[1].text), a[2].out);
}

herr_t H5Aexists_async(TS_APP, hid_t obj_id, const char *attr_name, hbool_t *exists, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTGET, "unable to determine if attribute exists");
    TS_ASYNC_WANTS(exists);
    TS_ASYNC(run_exists, OBJECT(obj_id), TEXT(attr_name), RESULT(exists));
}

static int64_t run_exists_by_name(const struct ts_async_arg *a)
{
    return ts_async_answer(H5Aexists_by_name(a[0].id, a[1].text, a[2].text, a[4].id), a[3].out);
}

herr_t H5Aexists_by_name_async(TS_APP, hid_t loc_id, const char *obj_name, const char *attr_name, hbool_t *exists,
                               hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTGET, "unable to determine if attribute exists");
    TS_ASYNC_WANTS(exists);
    TS_ASYNC(run_exists_by_name, OBJECT(loc_id), TEXT(obj_name), TEXT(attr_name), RESULT(exists), OPTION(lapl_id));
}

static int64_t run_open(const struct ts_async_arg *a)
{
    return H5Aopen(a[0].id, a[1].text, a[2].id);
}

hid_t H5Aopen_async(TS_APP, hid_t obj_id, const char *attr_name, hid_t aapl_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTOPENOBJ, "unable to open attribute: '%s'");
    TS_ASYNC_NEW(H5I_ATTR, run_open, OBJECT(obj_id), TEXT(attr_name), OPTION(aapl_id));
}

static int64_t run_open_by_idx(const struct ts_async_arg *a)
{
    return H5Aopen_by_idx(a[0].id, a[1].text, (H5_index_t)a[2].number, (H5_iter_order_t)a[3].number, a[4].number,
                          a[5].id, a[6].id);
}

hid_t H5Aopen_by_idx_async(TS_APP, hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order,
                           hsize_t n, hid_t aapl_id, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTOPENOBJ, "unable to open attribute");
    TS_ASYNC_NEW(H5I_ATTR, run_open_by_idx, OBJECT(loc_id), TEXT(obj_name), NUMBER(idx_type), NUMBER(order), NUMBER(n),
                 OPTION(aapl_id), OPTION(lapl_id));
}

static int64_t run_open_by_name(const struct ts_async_arg *a)
{
    return H5Aopen_by_name(a[0].id, a[1].text, a[2].text, a[3].id, a[4].id);
}

hid_t H5Aopen_by_name_async(TS_APP, hid_t loc_id, const char *obj_name, const char *attr_name, hid_t aapl_id,
                            hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTOPENOBJ, "can't open attribute");
    TS_ASYNC_NEW(H5I_ATTR, run_open_by_name, OBJECT(loc_id), TEXT(obj_name), TEXT(attr_name), OPTION(aapl_id),
                 OPTION(lapl_id));
}

static int64_t run_read(const struct ts_async_arg *a)
{
    return H5Aread(a[0].id, a[1].id, a[2].out);
}

herr_t H5Aread_async(TS_APP, hid_t attr_id, hid_t dtype_id, void *buf, hid_t es_id)
{
    TS_API_SAYS(ATTR, READERROR, "unable to read attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    TS_ASYNC(run_read, OBJECT(attr_id), OBJECT(dtype_id), OUT(buf));
}

static int64_t run_rename(const struct ts_async_arg *a)
{
    return H5Arename(a[0].id, a[1].text, a[2].text);
}

herr_t H5Arename_async(TS_APP, hid_t loc_id, const char *old_name, const char *new_name, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTRENAME, "can't rename attribute", TS_BAD_ID(ARGS, BADTYPE, "invalid location identifier"));
    TS_ASYNC(run_rename, OBJECT(loc_id), TEXT(old_name), TEXT(new_name));
}

static int64_t run_rename_by_name(const struct ts_async_arg *a)
{
    return H5Arename_by_name(a[0].id, a[1].text, a[2].text, a[3].text, a[4].id);
}

herr_t H5Arename_by_name_async(TS_APP, hid_t loc_id, const char *obj_name, const char *old_attr_name,
                               const char *new_attr_name, hid_t lapl_id, hid_t es_id)
{
    TS_API_SAYS(ATTR, CANTRENAME, "can't rename attribute");
    TS_ASYNC(run_rename_by_name, OBJECT(loc_id), TEXT(obj_name), TEXT(old_attr_name), TEXT(new_attr_name),
             OPTION(lapl_id));
}

static int64_t run_write(const struct ts_async_arg *a)
{
    return H5Awrite(a[0].id, a[1].id, a[2].in);
}

herr_t H5Awrite_async(TS_APP, hid_t attr_id, hid_t type_id, const void *buf, hid_t es_id)
{
    TS_API_SAYS(ATTR, WRITEERROR, "unable to write attribute", TS_BAD_ID(ARGS, BADTYPE, "not an attribute"));
    TS_ASYNC(run_write, OBJECT(attr_id), OBJECT(type_id), IN(buf));
}
