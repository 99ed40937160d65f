#include "api/location.h"

#include "object/attr.h"

static int committed_type(const struct ts_type *type, struct ts_loc *loc)
{
    struct ts_object *object = ts_named_type_object(type);
    if (!object)
        return TS_ERR(ARGS, BADVALUE, "the datatype is not committed: it is in no file"), ts_err_because(TS_WHY_NO_FILE);
    *loc = object->loc;
    return 0;
}

int ts_api_location_of(H5I_type_t type, void *obj, struct ts_loc *loc)
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

int ts_api_location(struct ts_api_scope *scope, hid_t id, struct ts_loc *loc)
{
    H5I_type_t type;
    void *obj = ts_api_pin_any(scope, id, &type);
    return obj ? ts_api_location_of(type, obj, loc) : -1;
}
