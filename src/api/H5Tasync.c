/* H5T: calls that finish later (async.h). */
#include "H5Tpublic.h"

#include "api/async.h"

static int64_t run_close(const struct ts_async_arg *a)
{
    return H5Tclose(a[0].id);
}

herr_t H5Tclose_async(TS_APP, hid_t type_id, hid_t es_id)
{
    TS_API_SAYS(DATATYPE, CANTRELEASE, "problem freeing id");
    TS_ASYNC(run_close, CLOSED(type_id, 1u << H5I_DATATYPE));
}

static int64_t run_commit(const struct ts_async_arg *a)
{
    return H5Tcommit2(a[0].id, a[1].text, a[2].id, a[3].id, a[4].id, a[5].id);
}

herr_t H5Tcommit_async(TS_APP, hid_t loc_id, const char *name, hid_t type_id, hid_t lcpl_id, hid_t tcpl_id,
                       hid_t tapl_id, hid_t es_id)
{
    TS_API_SAYS(DATATYPE, CANTINIT, "unable to commit datatype", TS_BAD_ID(ARGS, BADTYPE, "not a location"));
    TS_ASYNC(run_commit, OBJECT(loc_id), TEXT(name), REPLACED(type_id), OPTION(lcpl_id), OPTION(tcpl_id),
             OPTION(tapl_id));
}

static int64_t run_open(const struct ts_async_arg *a)
{
    return H5Topen2(a[0].id, a[1].text, a[2].id);
}

hid_t H5Topen_async(TS_APP, hid_t loc_id, const char *name, hid_t tapl_id, hid_t es_id)
{
    TS_API_SAYS(DATATYPE, CANTOPENOBJ, "unable to open named datatype", TS_BAD_ID(ARGS, BADTYPE, "not a location"));
    TS_ASYNC_NEW(H5I_DATATYPE, run_open, OBJECT(loc_id), TEXT(name), OPTION(tapl_id));
}
