/* Where an id stands: the object it is or belongs to, with the path the user took. */
#ifndef TS_OBJECT_PLACE_H
#define TS_OBJECT_PLACE_H

#include "object/object.h"

struct ts_place {
    struct ts_loc loc; /* the handle is owned */
    char *path;        /* owned; NULL when not known */
    bool held;         /* counts as an open object: it is not deleted meanwhile */
};

void ts_place_deinit(struct ts_place *place);
/* Holds it no longer. */
void ts_place_release(struct ts_place *place);
int ts_place_init(struct ts_place *place, const struct ts_loc *loc, const char *path);
static inline int ts_place_copy(struct ts_place *dst, const struct ts_place *src)
{
    return ts_place_init(dst, &src->loc, src->path);
}

/* A file is the root group of the tree of mounted files it is in, an attribute the object it is on; a datatype must be
 * committed. */
int ts_place_from_id(hid_t id, struct ts_place *out);
/* Whether it would find one: 0 or the same error. */
int ts_place_check(hid_t id);
/* Where an object of this id type is: a file's root, a group, a dataset, a committed datatype, or the object that an
 * attribute is on. What loc holds is borrowed from obj. */
int ts_location_of(H5I_type_t type, void *obj, struct ts_loc *loc);

#endif
