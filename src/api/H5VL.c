/* H5VL: there is one connector, the native one. */
#include "H5VLpublic.h"

#include <stdatomic.h>
#include <string.h>

#include "H5Ppublic.h"
#include "H5Tpublic.h"
#include "H5VLnative.h"
#include "api/api.h"
#include "object/token.h"

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
        return TS_ERR(ARGS, UNINITIALIZED, "null VOL connector name is disallowed");
    return *name ? 0 : TS_ERR(ARGS, UNINITIALIZED, "zero-length VOL connector name is disallowed");
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
    TS_API_ENTER_NOCLEAR(FUNC, CANTOPERATE, "library call failed");
    return TS_API_RET(native_id());
}

htri_t H5VLis_connector_registered_by_name(const char *name)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!name)
        return TS_API_ERR(-1, ARGS, UNINITIALIZED, "null VOL connector name is disallowed");
    return strcmp(name, H5VL_NATIVE_NAME) == 0;
}

htri_t H5VLis_connector_registered_by_value(H5VL_class_value_t connector_value)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    return connector_value == H5VL_NATIVE_VALUE;
}

hid_t H5VLget_connector_id(hid_t obj_id)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed", TS_BAD_ID(ARGS, BADTYPE, "invalid object identifier"));
    if (check_stored(&ts_scope_, obj_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(native_for_application());
}

hid_t H5VLget_connector_id_by_name(const char *name)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (check_name(name) < 0)
        return TS_API_FAIL(-1);
    if (strcmp(name, H5VL_NATIVE_NAME) != 0)
        return TS_API_ERR(-1, VOL, CANTGET, "no connector is named '%s': there is '%s' only", name, H5VL_NATIVE_NAME);
    return TS_API_RET(native_for_application());
}

hid_t H5VLget_connector_id_by_value(H5VL_class_value_t connector_value)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (connector_value != H5VL_NATIVE_VALUE)
        return TS_API_ERR(-1, VOL, CANTGET, "no connector has the value %d: there is %d only", connector_value,
                          H5VL_NATIVE_VALUE);
    return TS_API_RET(native_for_application());
}

ssize_t H5VLget_connector_name(hid_t id, char *name, size_t size)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (check_stored(&ts_scope_, id) < 0)
        return TS_API_FAIL(-1);
    return (ssize_t)ts_api_copy_name(name, size, H5VL_NATIVE_NAME);
}

herr_t H5VLobject_is_native(hid_t obj_id, hbool_t *is_native)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed", TS_BAD_ID(ARGS, BADTYPE, "invalid object identifier"));
    if (!is_native)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the answer");
    if (check_stored(&ts_scope_, obj_id) < 0)
        return TS_API_FAIL(-1);
    *is_native = true;
    return 0;
}

herr_t H5VLclose(hid_t connector_id)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!TS_API_OBJ(connector_id, H5I_VOL))
        return TS_API_ERR(-1, VOL, BADTYPE, "not a VOL connector");
    return TS_API_RET(ts_id_close(connector_id, H5I_VOL) < 0 ? -1 : 0);
}

static int check_initialize_list(struct ts_api_scope *scope, hid_t id)
{
    return ts_api_plist(scope, id, TS_PLIST_VOL_INITIALIZE)
               ? 0
               : TS_SAY(ARGS, BADTYPE, "not a VOL initialize property list");
}

/* Connectors of others are not loaded: each function of the library would have to ask them. */
hid_t H5VLregister_connector_by_name(const char *connector_name, hid_t vipl_id)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (check_name(connector_name) < 0 || check_initialize_list(&ts_scope_, vipl_id) < 0)
        return TS_API_FAIL(-1);
    if (strcmp(connector_name, H5VL_NATIVE_NAME) != 0)
        return TS_API_ERR(-1, VOL, CANTREGISTER, "there is no connector but '%s', and no other can be loaded: '%s'",
                          H5VL_NATIVE_NAME, connector_name);
    return TS_API_RET(native_for_application());
}

hid_t H5VLregister_connector_by_value(H5VL_class_value_t connector_value, hid_t vipl_id)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (connector_value < 0)
        return TS_API_ERR(-1, ARGS, UNINITIALIZED, "negative VOL connector value is disallowed");
    if (check_initialize_list(&ts_scope_, vipl_id) < 0)
        return TS_API_FAIL(-1);
    if (connector_value != H5VL_NATIVE_VALUE)
        return TS_API_ERR(-1, VOL, CANTREGISTER, "there is no connector but %d, and no other can be loaded: %d",
                          H5VL_NATIVE_VALUE, connector_value);
    return TS_API_RET(native_for_application());
}

herr_t H5VLunregister_connector(hid_t connector_id)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!TS_API_OBJ(connector_id, H5I_VOL))
        return TS_API_ERR(-1, VOL, BADTYPE, "not a VOL connector ID");
    return TS_API_ERR(-1, VOL, BADVALUE, "unregistering the native VOL connector is not allowed");
}

herr_t H5VLcmp_connector_cls(int *cmp, hid_t connector_id1, hid_t connector_id2)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!TS_API_OBJ(connector_id1, H5I_VOL) || !TS_API_OBJ(connector_id2, H5I_VOL))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a VOL connector ID");
    if (cmp)
        *cmp = 0;
    return 0;
}

#define OPERATIONS 29

/* What the native connector says of its own operations, by number: H5VL_OPT_QUERY_SUPPORTED and more; 0 for none. They
 * stand for functions like H5Dget_offset, which programs call only when these are there. */
static const uint8_t operations[H5VL_SUBCLS_TOKEN + 1][OPERATIONS] = {
    [H5VL_SUBCLS_ATTR] = {65},
    [H5VL_SUBCLS_DATASET] = {17, 9, 9, 9, 9, 9, 3, 5, 9, 9},
    [H5VL_SUBCLS_FILE] = {17, 11, 9, 9, 9, 9, 9, 9, 9, 9, 17, 17, 9, 85, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1},
    [H5VL_SUBCLS_GROUP] = {65, 9},
    [H5VL_SUBCLS_OBJECT] = {9, 17, 1, 1, 1, 9},
};

herr_t H5VLquery_optional(hid_t obj_id, H5VL_subclass_t subcls, int opt_type, uint64_t *flags)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed", TS_BAD_ID(ARGS, BADTYPE, "invalid object identifier"));
    if (!flags)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid 'flags' pointer");
    if (check_stored(&ts_scope_, obj_id) < 0)
        return TS_API_FAIL(-1);
    bool known = subcls >= 0 && subcls <= H5VL_SUBCLS_TOKEN && opt_type >= 0 && opt_type < OPERATIONS;
    if (!known || operations[subcls][opt_type] == 0)
        return TS_API_ERR(-1, VOL, UNSUPPORTED, "there is no optional operation %d of class %d", opt_type, (int)subcls);
    *flags = operations[subcls][opt_type];
    return 0;
}

herr_t H5VLnative_addr_to_token(hid_t loc_id, haddr_t addr, H5O_token_t *token)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!token)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no place for the token");
    if (check_stored(&ts_scope_, loc_id) < 0)
        return TS_API_ERR(-1, VOL, CANTGET, "can't tell whose tokens: the location is in no file");
    ts_token_from_addr(addr, token);
    return 0;
}

herr_t H5VLnative_token_to_addr(hid_t loc_id, H5O_token_t token, haddr_t *addr)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!addr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no place for the address");
    if (check_stored(&ts_scope_, loc_id) < 0)
        return TS_API_ERR(-1, VOL, CANTGET, "can't tell whose tokens: the location is in no file");
    *addr = ts_token_to_addr(&token);
    return 0;
}

#define NATIVE_CAN                                                                                                     \
    (H5VL_CAP_FLAG_NATIVE_FILES | H5VL_CAP_FLAG_ATTR_BASIC | H5VL_CAP_FLAG_ATTR_MORE | H5VL_CAP_FLAG_DATASET_BASIC |   \
     H5VL_CAP_FLAG_DATASET_MORE | H5VL_CAP_FLAG_FILE_BASIC | H5VL_CAP_FLAG_FILE_MORE | H5VL_CAP_FLAG_GROUP_BASIC |     \
     H5VL_CAP_FLAG_GROUP_MORE | H5VL_CAP_FLAG_LINK_BASIC | H5VL_CAP_FLAG_LINK_MORE | H5VL_CAP_FLAG_OBJECT_BASIC |      \
     H5VL_CAP_FLAG_OBJECT_MORE | H5VL_CAP_FLAG_REF_BASIC | H5VL_CAP_FLAG_REF_MORE | H5VL_CAP_FLAG_OBJ_REF |            \
     H5VL_CAP_FLAG_REG_REF | H5VL_CAP_FLAG_ATTR_REF | H5VL_CAP_FLAG_STORED_DATATYPES | H5VL_CAP_FLAG_CREATION_ORDER |  \
     H5VL_CAP_FLAG_ITERATE | H5VL_CAP_FLAG_STORAGE_SIZE | H5VL_CAP_FLAG_BY_IDX | H5VL_CAP_FLAG_GET_PLIST |             \
     H5VL_CAP_FLAG_FLUSH_REFRESH | H5VL_CAP_FLAG_EXTERNAL_LINKS | H5VL_CAP_FLAG_HARD_LINKS |                           \
     H5VL_CAP_FLAG_SOFT_LINKS | H5VL_CAP_FLAG_UD_LINKS | H5VL_CAP_FLAG_TRACK_TIMES | H5VL_CAP_FLAG_MOUNT |             \
     H5VL_CAP_FLAG_FILTERS | H5VL_CAP_FLAG_FILL_VALUES)

herr_t H5VLget_cap_flags(hid_t connector_id, uint64_t *cap_flags)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!TS_API_OBJ(connector_id, H5I_VOL))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a VOL connector ID");
    if (cap_flags)
        *cap_flags = NATIVE_CAN;
    return 0;
}

herr_t H5VLget_value(hid_t connector_id, H5VL_class_value_t *conn_value)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!TS_API_OBJ(connector_id, H5I_VOL))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a VOL connector ID");
    if (conn_value)
        *conn_value = H5VL_NATIVE_VALUE;
    return 0;
}

static int check_access_list(struct ts_api_scope *scope, hid_t id)
{
    if (id != H5P_DEFAULT && ts_id_type(id) != H5I_GENPROP_LST)
        return TS_SAY(ARGS, BADTYPE, "not a property list");
    return ts_api_plist(scope, id, TS_PLIST_FILE_ACCESS) ? 0 : TS_SAY(ARGS, BADTYPE, "not a file access property list");
}

static int check_own_access_list(struct ts_api_scope *scope, hid_t id)
{
    return id != H5P_DEFAULT ? check_access_list(scope, id) : TS_SAY(ARGS, BADTYPE, "not a property list");
}

/* The one connector is what every list has already; its information is none. */
herr_t H5Pset_vol(hid_t plist_id, hid_t new_vol_id, const void *new_vol_info)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    (void)new_vol_info;
    if (check_own_access_list(&ts_scope_, plist_id) < 0)
        return TS_API_FAIL(-1);
    if (!TS_API_OBJ(new_vol_id, H5I_VOL))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a VOL connector ID");
    return 0;
}

herr_t H5Pget_vol_id(hid_t plist_id, hid_t *vol_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (check_access_list(&ts_scope_, plist_id) < 0)
        return TS_API_FAIL(-1);
    hid_t id = vol_id ? native_for_application() : 0;
    if (id < 0)
        return TS_API_FAIL(-1);
    if (vol_id)
        *vol_id = id;
    return 0;
}

herr_t H5Pget_vol_info(hid_t plist_id, void **vol_info)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (check_own_access_list(&ts_scope_, plist_id) < 0)
        return TS_API_FAIL(-1);
    if (vol_info)
        *vol_info = NULL;
    return 0;
}

herr_t H5Pget_vol_cap_flags(hid_t plist_id, uint64_t *cap_flags)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (check_access_list(&ts_scope_, plist_id) < 0)
        return TS_API_FAIL(-1);
    if (cap_flags)
        *cap_flags = NATIVE_CAN;
    return 0;
}
