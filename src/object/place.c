#include "object/place.h"

#include "base/alloc.h"
#include "base/error.h"
#include "file/mount.h"
#include "id/id.h"
#include "object/attr.h"
#include "object/open_objects.h"

void ts_place_release(struct ts_place *place)
{
    if (place->held)
        ts_open_objects_leave(place->loc.fh->file, place->loc.addr);
    place->held = false;
}

void ts_place_deinit(struct ts_place *place)
{
    ts_place_release(place);
    if (place->loc.fh)
        ts_fhandle_unref(place->loc.fh);
    ts_free(place->path);
    *place = (struct ts_place){0};
}

int ts_place_init(struct ts_place *place, const struct ts_loc *loc, const char *path)
{
    char *copy = path ? ts_strdup(path) : NULL;
    /* Empty on failure, so that it may be let go all the same. */
    *place = (struct ts_place){0};
    if (path && !copy)
        return -1;
    ts_fhandle_ref(loc->fh);
    *place = (struct ts_place){.loc = *loc, .path = copy};
    return 0;
}

static int from_type(const struct ts_type *t, struct ts_place *out)
{
    const struct ts_object *obj = ts_named_type_object(t);
    if (!obj) {
        TS_ERR(DATATYPE, BADVALUE, "not a named datatype");
        return ts_err_because(TS_WHY_LOCATION);
    }
    return ts_place_init(out, &obj->loc, obj->path);
}

static int from_file(struct ts_fhandle *fh, struct ts_place *out)
{
    *out = (struct ts_place){.loc = ts_loc_root(ts_mount_top(fh)), .path = ts_strdup("/")};
    if (out->path)
        return 0;
    ts_place_deinit(out);
    return -1;
}

int ts_place_from_id(hid_t id, struct ts_place *out)
{
    H5I_type_t type;
    void *obj = ts_id_pin_any(id, &type);
    if (!obj) {
        TS_ERR(ARGS, BADTYPE, "invalid object ID");
        return ts_err_because(TS_WHY_LOCATION);
    }
    int status;
    const struct ts_object *o = obj;
    const struct ts_attr *attr = obj;
    switch (type) {
    case H5I_FILE:
        status = from_file(obj, out);
        break;
    case H5I_GROUP:
    case H5I_DATASET:
        status = ts_place_init(out, &o->loc, o->path);
        break;
    case H5I_DATATYPE:
        status = from_type(obj, out);
        break;
    case H5I_ATTR:
        status = ts_place_init(out, &attr->owner, attr->owner_path);
        break;
    default:
        TS_ERR(ARGS, BADTYPE, "unable to get a location from a %s", ts_id_type_name(type));
        status = ts_err_because(TS_WHY_LOCATION);
    }
    ts_id_unpin(type, obj);
    return status;
}

/* What most ids are of needs no more than a look. */
int ts_place_check(hid_t id)
{
    H5I_type_t type;
    struct ts_place place;
    unsigned mark = ts_err_mark();
    void *obj = ts_id_pin_any(id, &type);
    if (obj)
        ts_id_unpin(type, obj);
    if (type == H5I_FILE || type == H5I_GROUP || type == H5I_DATASET || type == H5I_ATTR)
        return 0;
    ts_err_rewind(mark);
    if (ts_place_from_id(id, &place) < 0)
        return -1;
    ts_place_deinit(&place);
    return 0;
}

static int committed_type(const struct ts_type *type, struct ts_loc *loc)
{
    struct ts_object *object = ts_named_type_object(type);
    if (!object)
        return TS_ERR(ARGS, BADVALUE, "the datatype is not committed: it is in no file"),
               ts_err_because(TS_WHY_NO_FILE);
    *loc = object->loc;
    return 0;
}

int ts_location_of(H5I_type_t type, void *obj, struct ts_loc *loc)
{
    switch (type) {
    case H5I_FILE:
        *loc = ts_loc_root(obj);
        return 0;
    case H5I_GROUP:
    case H5I_DATASET:
        *loc = ((struct ts_object *)obj)->loc;
        return 0;
    case H5I_DATATYPE:
        return committed_type(obj, loc);
    case H5I_ATTR:
        *loc = ((struct ts_attr *)obj)->owner;
        return 0;
    default:
        return TS_ERR(ARGS, BADTYPE, "a %s is no location in a file", ts_id_type_name(type)),
               ts_err_because(TS_WHY_LOCATION);
    }
}
