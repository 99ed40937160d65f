/* H5I: the name and the file of what an id stands for. */
#include "H5Ipublic.h"
#include "api/api.h"
#include "api/location.h"
#include "api/place.h"
#include "base/alloc.h"

static ssize_t copy_name(const struct ts_place *place, char *name, size_t size)
{
    char *path;
    if (ts_path_name(place, &path) < 0)
        return -1;
    /* As it always was: no name leaves the buffer alone. */
    ssize_t length = *path ? (ssize_t)ts_api_copy_name(name, size, path) : 0;
    ts_free(path);
    return length;
}

ssize_t H5Iget_name(hid_t id, char *name, size_t size)
{
    TS_API_ENTER(ATOM, CANTGET, "can't retrieve object location",
                 TS_BAD_ID(ATOM, CANTGET, "can't retrieve object location"));
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_place_from_id(id, &place) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(copy_name(&place, name, size));
}

/* The id that stands for a handle already, held once more; -1 without an error when there is none. */
static hid_t id_of_handle(const struct ts_fhandle *fh)
{
    hid_t *ids, found = -1;
    size_t n;
    if (ts_id_list(H5I_FILE, false, &ids, &n) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    for (size_t i = 0; i < n && found < 0; i++) {
        void *obj = ts_id_pin(ids[i], H5I_FILE);
        if (obj == fh && ts_id_inc(ids[i]) > 0)
            found = ids[i];
        if (obj)
            ts_id_unpin(H5I_FILE, obj);
    }
    ts_err_rewind(mark);
    ts_free(ids);
    return found;
}

/* Whether ids of this type may stand for something in a file: closed ones are told by it too. */
static bool may_be_in_file(H5I_type_t type)
{
    return type == H5I_FILE || type == H5I_GROUP || type == H5I_DATASET || type == H5I_DATATYPE || type == H5I_ATTR;
}

hid_t H5Iget_file_id(hid_t id)
{
    TS_API_ENTER(ATOM, CANTGET, "can't retrieve file ID", TS_BAD_ID(ATOM, CANTGET, "can't retrieve file ID"));
    struct ts_loc loc;
    H5I_type_t type;
    if (!may_be_in_file(ts_id_made_for(id)))
        return TS_API_ERR(-1, ARGS, BADRANGE, "not an ID of a file object");
    void *obj = TS_API_OBJ_ANY(id, &type);
    if (!obj)
        return TS_API_FAIL(-1);
    if (ts_location_of(type, obj, &loc) < 0)
        return TS_API_ERR(-1, ATOM, CANTGET, "can't retrieve file ID: a %s is in no file", ts_id_type_name(type));
    hid_t file_id = id_of_handle(loc.fh);
    if (file_id >= 0)
        return file_id;
    ts_fhandle_ref(loc.fh);
    return TS_API_NEW_ID(H5I_FILE, loc.fh);
}
