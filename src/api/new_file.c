/* Making a file, for H5Fcreate and for H5Fopen of an empty one. */
#include "api/new_file.h"

#include "base/error.h"
#include "container/create.h"
#include "group/group.h"

/* A new file is in the file system as an empty one before anybody gets it. */
int ts_api_create_file(const char *name, unsigned flags, struct ts_plist *fcpl, struct ts_plist *fapl,
                       struct ts_fhandle **out)
{
    struct ts_file *file;
    if (ts_container_create(name, flags, fcpl, fapl, &file) < 0)
        return TS_ERR(FILE, CANTCREATE, "unable to create file '%s'", name);
    if (ts_group_create_root(file, fcpl) < 0 || ts_file_flush(file) < 0) {
        file->broken = true;
        ts_file_unref(file);
        return TS_ERR(FILE, CANTCREATE, "unable to create file '%s'", name);
    }
    if (flags & H5F_ACC_SWMR_WRITE && ts_file_start_swmr(file) < 0) {
        ts_file_unref(file);
        return -1;
    }
    return ts_fhandle_new_with(file, name, H5F_ACC_RDWR | (flags & H5F_ACC_SWMR_WRITE), fapl, out);
}
