/* What the files of the H5T interface share. */
#ifndef TS_API_H5TINTERNAL_H
#define TS_API_H5TINTERNAL_H

#include "api/api.h"
#include "type/type.h"

/* A node of its own of the datatype behind an id, to be changed; refused when the datatype is not the application's to
 * change. Hand it to ts_type_change_end, whatever comes of the change. */
int ts_type_change_begin(struct ts_api_scope *scope, hid_t id, struct ts_type **copy);
/* Puts the changed node in the place of the old one when the change succeeded, drops it when not. */
int ts_type_change_end(hid_t id, struct ts_type *copy, int result);

/* Pins a datatype; `otherwise` is what the public function says when the id is none. */
struct ts_type *ts_type_pin(struct ts_api_scope *scope, hid_t id, const char *otherwise);

/* Takes over the reference, also when it fails. */
hid_t ts_type_new_id(struct ts_type *t);
/* A new id for a part of a datatype: a committed part stays committed, and one that was made of a predefined datatype
 * or belongs to what a dataset or an attribute says of its elements cannot be changed, unless the whole was copied
 * since. */
hid_t ts_type_part_id(const struct ts_type *whole, struct ts_type *part, bool copied);

#endif
