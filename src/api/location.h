/* From an id to a place in a file. */
#ifndef TS_API_LOCATION_H
#define TS_API_LOCATION_H

#include "api/api.h"
#include "object/object.h"

/* Where an object of this id type is: a file's root, a group, a dataset, a committed datatype, or the object that an
 * attribute is on. What loc holds is borrowed from obj. */
int ts_api_location_of(H5I_type_t type, void *obj, struct ts_loc *loc);
/* The same for an id, which stays pinned in the scope. */
int ts_api_location(struct ts_api_scope *scope, hid_t id, struct ts_loc *loc);

#endif
