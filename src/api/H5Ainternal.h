/* What the files of the H5A interface share. */
#ifndef TS_API_H5AINTERNAL_H
#define TS_API_H5AINTERNAL_H

#include "api/api.h"
#include "api/place.h"
#include "object/attr.h"

/* The object with the attributes, which is not an attribute itself. */
int ts_attr_api_owner(hid_t loc_id, const char *obj_name, struct ts_plist *lapl, struct ts_place *out);
int ts_attr_api_check_name(const char *name);
int ts_attr_api_open_by_idx(hid_t loc_id, const char *obj_name, const struct ts_api_index *at, struct ts_plist *lapl,
                            struct ts_attr **out);

#endif
