/* What rooms above this one can do with their kinds of objects. */
#include "object/object.h"

#include <stdatomic.h>

static _Atomic(const struct ts_object_kind *) kinds[H5O_TYPE_NTYPES];

void ts_object_kind_register(H5O_type_t type, const struct ts_object_kind *kind)
{
    atomic_store(&kinds[type], kind);
}

const struct ts_object_kind *ts_object_kind_of(H5O_type_t type)
{
    return type >= 0 && type < H5O_TYPE_NTYPES ? atomic_load(&kinds[type]) : NULL;
}
