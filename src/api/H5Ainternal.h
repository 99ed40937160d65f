/* What the files of the H5A interface share. */
#ifndef TS_API_H5AINTERNAL_H
#define TS_API_H5AINTERNAL_H

#include "api/api.h"
#include "api/place.h"
#include "object/attr.h"

/* Where a function on attributes is sent. Wrong arguments are told in libhdf5's order: the location
 * (ts_attr_api_start), then names and whatever else is asked for, and the list last (ts_attr_api_owner). */
struct ts_attr_at {
    struct ts_api_scope *scope;
    hid_t loc_id;
    const char *obj_name;
    hid_t lapl_id;
};
#define TS_ATTR_AT(loc_id, obj_name, lapl_id) (&(struct ts_attr_at){&ts_scope_, (loc_id), (obj_name), (lapl_id)})
#define TS_ATTR_HERE(loc_id) TS_ATTR_AT(loc_id, ".", H5P_DEFAULT)

/* Attributes are on objects, not on attributes. */
int ts_attr_api_no_attr(hid_t loc_id);
/* What is right when the location and the object's name are. */
int ts_attr_api_start(const struct ts_attr_at *at, struct ts_place *start);
/* The object with the attributes. */
int ts_attr_api_owner(const struct ts_attr_at *at, struct ts_place *start, struct ts_place *out);
int ts_attr_api_check_name(const char *name);
/* All of it for an attribute's name, or for its index (then opened). */
int ts_attr_api_owner_of(const struct ts_attr_at *at, const char *name, struct ts_place *out);
int ts_attr_api_open_by_idx(const struct ts_attr_at *at, const struct ts_api_index *index, struct ts_attr **out);

#endif
