/* From an id to a place in a file. */
#ifndef TS_API_LOCATION_H
#define TS_API_LOCATION_H

#include "api/api.h"
#include "object/object.h"

/* Where the object of an id is (object/place.h); it stays pinned in the scope. */
int ts_api_location(struct ts_api_scope *scope, hid_t id, struct ts_loc *loc);

#endif
