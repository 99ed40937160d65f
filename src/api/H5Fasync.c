/* H5F: calls that finish later (async.h). */
#include "H5Fpublic.h"

#include "api/async.h"

static int64_t run_create(const struct ts_async_arg *a)
{
    return H5Fcreate(a[0].text, (unsigned)a[1].number, a[2].id, a[3].id);
}

hid_t H5Fcreate_async(TS_APP, const char *filename, unsigned flags, hid_t fcpl_id, hid_t fapl_id, hid_t es_id)
{
    TS_API_SAYS(FILE, CANTOPENFILE, "unable to create file");
    TS_ASYNC_NEW(H5I_FILE, run_create, TEXT(filename), NUMBER(flags), OPTION(fcpl_id), OPTION(fapl_id));
}

static int64_t run_open(const struct ts_async_arg *a)
{
    return H5Fopen(a[0].text, (unsigned)a[1].number, a[2].id);
}

hid_t H5Fopen_async(TS_APP, const char *filename, unsigned flags, hid_t access_plist, hid_t es_id)
{
    TS_API_SAYS(FILE, CANTOPENFILE, "unable to open file");
    TS_ASYNC_NEW(H5I_FILE, run_open, TEXT(filename), NUMBER(flags), OPTION(access_plist));
}

static int64_t run_reopen(const struct ts_async_arg *a)
{
    return H5Freopen(a[0].id);
}

hid_t H5Freopen_async(TS_APP, hid_t file_id, hid_t es_id)
{
    TS_API_SAYS(FILE, CANTINIT, "unable to reopen file");
    TS_ASYNC_NEW(H5I_FILE, run_reopen, OBJECT(file_id));
}

static int64_t run_flush(const struct ts_async_arg *a)
{
    return H5Fflush(a[0].id, (H5F_scope_t)a[1].number);
}

herr_t H5Fflush_async(TS_APP, hid_t object_id, H5F_scope_t scope, hid_t es_id)
{
    TS_API_SAYS(FILE, CANTFLUSH, "unable to flush file", TS_BAD_ID(ARGS, BADTYPE, "not a file or file object"));
    TS_ASYNC(run_flush, OBJECT(object_id), NUMBER(scope));
}

static int64_t run_close(const struct ts_async_arg *a)
{
    return H5Fclose(a[0].id);
}

herr_t H5Fclose_async(TS_APP, hid_t file_id, hid_t es_id)
{
    TS_API_SAYS(FILE, CANTCLOSEFILE, "closing file ID failed", TS_BAD_ID(ARGS, BADTYPE, "not a file ID"));
    TS_ASYNC(run_close, CLOSED(file_id, 1u << H5I_FILE));
}
