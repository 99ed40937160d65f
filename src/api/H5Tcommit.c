#include "H5Tpublic.h"
#include "api/api.h"
#include "api/place.h"
#include "object/creation.h"

static int open_type(hid_t loc_id, const char *name, struct ts_plist *tapl, struct ts_type **out)
{
    TS_AUTO_PLACE place = {.path = NULL};
    if (ts_api_find(loc_id, name, tapl, &place) < 0)
        return -1;
    return ts_named_type_open(&place.loc, place.path, out);
}

hid_t H5Topen1(hid_t loc_id, const char *name)
{
    TS_API_ENTER();
    struct ts_type *t;
    if (open_type(loc_id, name, NULL, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATATYPE, t);
}

hid_t H5Topen2(hid_t loc_id, const char *name, hid_t tapl_id)
{
    TS_API_ENTER();
    struct ts_plist *tapl = TS_API_PLIST(tapl_id, TS_PLIST_DATATYPE_ACCESS);
    struct ts_type *t;
    if (!tapl || open_type(loc_id, name, tapl, &t) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATATYPE, t);
}

hid_t H5Tget_create_plist(hid_t type_id)
{
    TS_API_ENTER();
    struct ts_type *t = TS_API_OBJ(type_id, H5I_DATATYPE);
    struct ts_plist *tcpl;
    if (!t || ts_plist_new(TS_PLIST_DATATYPE_CREATE, &tcpl) < 0)
        return TS_API_FAIL(-1);
    const struct ts_object *obj = ts_named_type_object(t);
    if (obj && ts_object_describe(&obj->loc, tcpl) < 0) {
        ts_plist_unref(tcpl);
        return TS_API_FAIL(-1);
    }
    return TS_API_NEW_ID(H5I_GENPROP_LST, tcpl);
}

/* A file that is open for reading has nothing to write, and nobody changes it. */
herr_t H5Tflush(hid_t type_id)
{
    TS_API_ENTER();
    return TS_API_OBJ(type_id, H5I_DATATYPE) ? 0 : TS_API_FAIL(-1);
}

herr_t H5Trefresh(hid_t type_id)
{
    TS_API_ENTER();
    return TS_API_OBJ(type_id, H5I_DATATYPE) ? 0 : TS_API_FAIL(-1);
}
