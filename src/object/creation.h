/* What objects were created with, as lists. */
#ifndef TS_OBJECT_CREATION_H
#define TS_OBJECT_CREATION_H

#include "object/object.h"

struct ts_plist;

/* Puts into an object creation list what the object's header tells: attribute storage, times. What is no different from
 * base is not the list's own then, except where libhdf5 would have a header that tells it. */
int ts_object_describe(const struct ts_loc *loc, const struct ts_plist *base, struct ts_plist *pl);

#endif
