/* Datatypes and dataspaces as arguments. */
#include "api/dataset_args.h"

struct ts_space *ts_api_copy_space(struct ts_api_scope *scope, hid_t id)
{
    struct ts_space *s = ts_api_pin_argument(scope, id, H5I_DATASPACE), *copy;
    if (!s || ts_space_snapshot(s, &copy) < 0)
        return NULL;
    return ts_api_adopt(scope, H5I_DATASPACE, copy) < 0 ? NULL : copy;
}

struct ts_type *ts_api_memory_type(struct ts_api_scope *scope, hid_t id)
{
    struct ts_type *t = ts_api_pin_argument(scope, id, H5I_DATATYPE);
    if (!t)
        return NULL;
    t = ts_type_ref(t);
    if (ts_type_set_loc(&t, TS_LOC_MEMORY, sizeof(haddr_t)) < 0) {
        ts_type_unref(t);
        return NULL;
    }
    return ts_api_adopt(scope, H5I_DATATYPE, t) < 0 ? NULL : t;
}
