/* H5F: making files, and bringing changes into them. */
#include "H5Fpublic.h"
#include "api/api.h"
#include "api/drivers.h"
#include "api/location.h"
#include "api/new_file.h"
#include "container/space.h"
#include "file/alloc.h"
#include "file/change.h"

hid_t H5Fcreate(const char *filename, unsigned flags, hid_t fcpl_id, hid_t fapl_id)
{
    TS_API_ENTER(FILE, CANTOPENFILE, "unable to create file",
                 TS_WRONG(CREATE_LIST, ARGS, BADTYPE, "not file create property list"),
                 TS_SYNCHRONOUS(FILE, CANTCREATE, "unable to synchronously create file"));
    struct ts_fhandle *fh;
    if (!filename || !*filename)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid file name");
    if (flags & ~(H5F_ACC_EXCL | H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE))
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid flags: %#x", flags);
    if (flags & H5F_ACC_EXCL && flags & H5F_ACC_TRUNC)
        return TS_API_ERR(-1, ARGS, BADVALUE, "mutually exclusive flags for file creation");
    struct ts_plist *fcpl = TS_API_PLIST(fcpl_id, TS_PLIST_FILE_CREATE);
    struct ts_plist *fapl = fcpl ? TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS) : NULL;
    if (!fapl)
        return TS_API_FAIL(-1);
    if (!(flags & H5F_ACC_TRUNC))
        flags |= H5F_ACC_EXCL;
    if (ts_api_create_file(filename, flags, fcpl, fapl, &fh) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_FILE, fh);
}

static int check_not_closed(hid_t id)
{
    static const struct {
        H5I_type_t type;
        const char *name;
    } kinds[] = {{H5I_FILE, "file"},
                 {H5I_GROUP, "group"},
                 {H5I_DATASET, "dataset"},
                 {H5I_DATATYPE, "type"},
                 {H5I_ATTR, "attribute"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (ts_api_gone(id, kinds[i].type))
            return TS_SAY(ARGS, BADTYPE, "invalid %s identifier", kinds[i].name);
    return 0;
}

herr_t H5Fflush(hid_t object_id, H5F_scope_t scope)
{
    TS_API_ENTER(FILE, CANTFLUSH, "unable to flush file", TS_BAD_ID(ARGS, BADTYPE, "not a file or file object"),
                 TS_WRONG(NO_FILE, ARGS, BADTYPE, "object is not associated with a file"),
                 TS_SYNCHRONOUS(FILE, CANTFLUSH, "unable to synchronously flush file"));
    struct ts_loc loc;
    (void)scope;
    if (check_not_closed(object_id) < 0 || ts_api_location(&ts_scope_, object_id, &loc) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_file_flush(loc.fh->file));
}

herr_t H5Fincrement_filesize(hid_t file_id, hsize_t increment)
{
    TS_API_ENTER(FILE, CANTSET, "unable to increment file size",
                 TS_BAD_ID(ARGS, BADTYPE, "hid_t identifier is not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh || ts_driver_api_check_swmr(fh->file->fapl) < 0 || ts_change_begin(fh->file) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_change_end(fh->file, ts_file_grow(fh->file, increment)));
}

herr_t H5Fformat_convert(hid_t fid)
{
    TS_API_ENTER(FILE, CANTCONVERT, "unable to convert file", TS_BAD_ID(ARGS, BADTYPE, "not a file or file object"));
    if (ts_api_gone(fid, H5I_FILE))
        return TS_API_ERR(-1, ARGS, BADTYPE, "file_id parameter is not a valid file identifier");
    struct ts_fhandle *fh = TS_API_OBJ(fid, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_container_downgrade(fh->file));
}

herr_t H5Fdelete(const char *filename, hid_t fapl_id)
{
    TS_API_ENTER(FILE, CANTDELETEFILE, "unable to delete the file");
    struct ts_plist *fapl = TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS);
    if (!fapl)
        return TS_API_FAIL(-1);
    if (!filename || !*filename)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no file name");
    return TS_API_RET(ts_file_delete(filename, fapl));
}
