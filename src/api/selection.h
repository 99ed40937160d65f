/* Arguments that say which elements of a dataset are meant. */
#ifndef TS_API_SELECTION_H
#define TS_API_SELECTION_H

#include "api/api.h"
#include "space/space.h"

/* NULL for H5S_ALL; otherwise a copy that nobody else can change, dropped with the scope. */
static inline int ts_api_selection(struct ts_api_scope *scope, hid_t id, struct ts_space **out)
{
    *out = NULL;
    if (id == H5S_ALL)
        return 0;
    struct ts_space *s = ts_api_pin(scope, id, H5I_DATASPACE);
    if (!s || ts_space_snapshot(s, out) < 0)
        return -1;
    return ts_api_adopt(scope, H5I_DATASPACE, *out);
}

#endif
