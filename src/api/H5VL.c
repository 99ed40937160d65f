#include "H5VLpublic.h"

#include <stdatomic.h>
#include <string.h>

#include "H5VLnative.h"
#include "H5Tpublic.h"
#include "api/api.h"

/* There is one connector, which nothing need be known about. */
static char native;

static void nothing(void *obj)
{
    (void)obj;
}

void ts_connector_api_init(void)
{
    static const struct ts_id_class cls = {.ref = nothing, .unref = nothing};
    ts_id_class_set(H5I_VOL, &cls);
}

/* Its id, made when first asked for, and again after the library was closed. */
static hid_t native_id(void)
{
    static _Atomic hid_t current;
    hid_t before = atomic_load(&current);
    if (ts_id_type(before) == H5I_VOL)
        return before;
    hid_t mine = ts_id_register(H5I_VOL, &native);
    if (mine < 0 || atomic_compare_exchange_strong(&current, &before, mine))
        return mine;
    ts_id_dec(mine);
    return before;
}

/* Each call gives the application one count to close. */
static hid_t native_for_application(void)
{
    hid_t id = native_id();
    return id < 0 || ts_id_inc(id) < 0 ? -1 : id;
}

static int check_name(const char *name)
{
    if (!name)
        return TS_ERR(ARGS, BADVALUE, "null VOL connector name is disallowed");
    return *name ? 0 : TS_ERR(ARGS, BADVALUE, "zero-length VOL connector name is disallowed");
}

/* Only what lies in a file is a connector's. */
static int check_stored(struct ts_api_scope *scope, hid_t id)
{
    H5I_type_t type;
    if (!ts_api_pin_any(scope, id, &type))
        return -1;
    if (type == H5I_FILE || type == H5I_GROUP || type == H5I_DATASET || type == H5I_ATTR)
        return 0;
    if (type == H5I_DATATYPE && H5Tcommitted(id) > 0)
        return 0;
    return TS_ERR(ARGS, BADTYPE, "invalid location identifier: a %s is in no file", ts_id_type_name(type));
}

hid_t H5VL_native_register(void)
{
    TS_API_ENTER_NOCLEAR();
    return TS_API_RET(native_id());
}

htri_t H5VLis_connector_registered_by_name(const char *name)
{
    TS_API_ENTER();
    if (check_name(name) < 0)
        return TS_API_FAIL(-1);
    return strcmp(name, H5VL_NATIVE_NAME) == 0;
}

htri_t H5VLis_connector_registered_by_value(H5VL_class_value_t connector_value)
{
    TS_API_ENTER();
    return connector_value == H5VL_NATIVE_VALUE;
}

hid_t H5VLget_connector_id(hid_t obj_id)
{
    TS_API_ENTER();
    if (check_stored(&ts_scope_, obj_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(native_for_application());
}

hid_t H5VLget_connector_id_by_name(const char *name)
{
    TS_API_ENTER();
    if (check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (strcmp(name, H5VL_NATIVE_NAME) != 0)
        return TS_API_ERR(-1, VOL, CANTGET, "no connector is named '%s': there is '%s' only", name, H5VL_NATIVE_NAME);
    return TS_API_RET(native_for_application());
}

hid_t H5VLget_connector_id_by_value(H5VL_class_value_t connector_value)
{
    TS_API_ENTER();
    if (connector_value != H5VL_NATIVE_VALUE)
        return TS_API_ERR(-1, VOL, CANTGET, "no connector has the value %d: there is %d only", connector_value,
                          H5VL_NATIVE_VALUE);
    return TS_API_RET(native_for_application());
}

ssize_t H5VLget_connector_name(hid_t id, char *name, size_t size)
{
    TS_API_ENTER();
    if (check_stored(&ts_scope_, id) < 0)
        return TS_API_FAIL(-1);
    return (ssize_t)ts_api_copy_name(name, size, H5VL_NATIVE_NAME);
}

herr_t H5VLobject_is_native(hid_t obj_id, hbool_t *is_native)
{
    TS_API_ENTER();
    if (!is_native)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the answer");
    if (check_stored(&ts_scope_, obj_id) < 0)
        return TS_API_FAIL(-1);
    *is_native = true;
    return 0;
}

herr_t H5VLclose(hid_t connector_id)
{
    TS_API_ENTER();
    return TS_API_RET(ts_id_close(connector_id, H5I_VOL) < 0 ? -1 : 0);
}
