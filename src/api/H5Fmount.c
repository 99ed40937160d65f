/* H5F: mounting files in each other. */
#include "H5Fpublic.h"
#include "api/api.h"
#include "api/location.h"
#include "api/place.h"
#include "file/mount.h"

/* A file that an external link leads to is open only as long as somebody uses what it led to: no place to mount on. */
static int mount(const struct ts_fhandle *from, const struct ts_place *point, struct ts_fhandle *child)
{
    H5O_type_t type;
    if (point->loc.fh->by_link && point->loc.fh != from)
        return TS_ERR_AS(FILE, MOUNT, "mount path cannot contain links to external files",
                         "'%s' is in '%s', which an external link leads to",
                         point->path ? point->path : "the mount point", point->loc.fh->name);
    if (ts_object_type(&point->loc, &type) < 0)
        return -1;
    if (type != H5O_TYPE_GROUP)
        return TS_ERR_AS(FILE, MOUNT, "not a group", "'%s' is not a group",
                         point->path ? point->path : "the mount point");
    return ts_mount_add(point->loc.fh, point->loc.addr, child);
}

/* Of an id that is none any more its type still counts here. */
static int check_point(hid_t id, const char *name)
{
    H5I_type_t type = ts_id_made_for(id);
    if (type != H5I_FILE && type != H5I_GROUP)
        return TS_ERR(ARGS, BADTYPE, "id %lld", (long long)id), ts_err_because(TS_WHY_LOCATION);
    if (!name || !*name)
        return TS_SAY(ARGS, BADVALUE, "name parameter cannot be %s", name ? "the empty string" : "NULL");
    return 0;
}

static int get_point(struct ts_api_scope *scope, hid_t id, struct ts_loc *loc)
{
    return ts_api_location(scope, id, loc) < 0 ? TS_SAY(ARGS, BADTYPE, "could not get location object") : 0;
}

herr_t H5Fmount(hid_t loc, const char *name, hid_t child, hid_t plist)
{
    TS_API_ENTER(FILE, MOUNT, "unable to mount file",
                 TS_BAD_ID(ARGS, BADTYPE, "loc_id parameter not a file or group ID"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "plist_id is not a file mount property list ID"));
    TS_AUTO_PLACE point = {.path = NULL};
    struct ts_loc from;
    if (check_point(loc, name) < 0)
        return TS_API_FAIL(-1);
    if (ts_id_made_for(child) != H5I_FILE)
        return TS_API_ERR(-1, ARGS, BADTYPE, "child_id parameter not a file ID");
    if (!TS_API_PLIST(plist, TS_PLIST_FILE_MOUNT) || get_point(&ts_scope_, loc, &from) < 0)
        return TS_API_FAIL(-1);
    struct ts_fhandle *fh = TS_API_OBJ(child, H5I_FILE);
    if (!fh)
        return TS_API_ERR(-1, ARGS, BADTYPE, "could not get child object");
    if (ts_api_find(loc, name, NULL, &point) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(mount(from.fh, &point, fh));
}

herr_t H5Funmount(hid_t loc, const char *name)
{
    TS_API_ENTER(FILE, MOUNT, "unable to unmount file",
                 TS_BAD_ID(ARGS, BADTYPE, "loc_id parameter not a file or group ID"));
    TS_AUTO_PLACE point = {.path = NULL};
    struct ts_loc from;
    if (check_point(loc, name) < 0 || get_point(&ts_scope_, loc, &from) < 0 || ts_api_find(loc, name, NULL, &point) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_place_done(&point, ts_mount_remove(point.loc.fh, point.loc.addr)));
}
