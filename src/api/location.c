/* From an id to a place in a file. */
#include "api/location.h"

#include "object/place.h"

int ts_api_location(struct ts_api_scope *scope, hid_t id, struct ts_loc *loc)
{
    H5I_type_t type;
    void *obj = ts_api_pin_any(scope, id, &type);
    return obj ? ts_location_of(type, obj, loc) : -1;
}
