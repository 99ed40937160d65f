/* H5F: the chunk cache of an open file. */
#include "H5Fpublic.h"
#include "api/api.h"
#include "chunk/shared_cache.h"
#include "file/file.h"
#include "plist/fapl.h"

herr_t H5Fset_shared_chunk_cache(hid_t file_id, const H5F_shared_chunk_cache_t *settings)
{
    TS_API_ENTER(CACHE, CANTSET, "unable to set the shared chunk cache");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (!settings)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no settings");
    if (ts_chunk_cache_check(settings) < 0 || ts_sc_configure(fh->file, settings) < 0)
        return TS_API_FAIL(-1);
    /* H5Fget_access_plist tells them too. */
    return TS_API_RET(ts_fapl_set_chunk_cache(fh->file->fapl, settings));
}

herr_t H5Fget_shared_chunk_cache(hid_t file_id, H5F_shared_chunk_cache_t *settings)
{
    TS_API_ENTER(CACHE, CANTGET, "unable to get the shared chunk cache");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (!settings)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the settings");
    return TS_API_RET(ts_sc_settings(fh->file, settings));
}

herr_t H5Fget_chunk_cache_stats(hid_t file_id, H5F_chunk_cache_stats_t *stats)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (!stats)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the statistics");
    return TS_API_RET(ts_sc_stats(fh->file, stats));
}

herr_t H5Freset_chunk_cache_stats(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    return fh ? TS_API_RET(ts_sc_reset_stats(fh->file)) : TS_API_FAIL(-1);
}
