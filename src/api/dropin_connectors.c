/*
 * What connectors of others call, and who loads them. There are none (H5VL.c): all but the questions after the native
 * connector is refused. In the drop-in library alone, so that whatever was linked with libhdf5 1.14 finds each name.
 */
#include "H5VLpublic.h"

#include <string.h>

#include "H5VLnative.h"
#include "api/api.h"

#define EXPORTED __attribute__((visibility("default")))

/* clang-format off */
#define STATUSES(X)                                                                                                    \
    X(H5VLattr_close) X(H5VLattr_get) X(H5VLattr_optional) X(H5VLattr_optional_op) X(H5VLattr_read)                    \
    X(H5VLattr_specific) X(H5VLattr_write) X(H5VLblob_get) X(H5VLblob_optional) X(H5VLblob_put) X(H5VLblob_specific)   \
    X(H5VLcmp_connector_info) X(H5VLconnector_info_to_str) X(H5VLconnector_str_to_info) X(H5VLcopy_connector_info)     \
    X(H5VLdataset_close) X(H5VLdataset_get) X(H5VLdataset_optional) X(H5VLdataset_optional_op) X(H5VLdataset_read)     \
    X(H5VLdataset_specific) X(H5VLdataset_write) X(H5VLdatatype_close) X(H5VLdatatype_get) X(H5VLdatatype_optional)    \
    X(H5VLdatatype_optional_op) X(H5VLdatatype_specific) X(H5VLfile_close) X(H5VLfile_get) X(H5VLfile_optional)        \
    X(H5VLfile_optional_op) X(H5VLfile_specific) X(H5VLfind_opt_operation) X(H5VLfinish_lib_state)                     \
    X(H5VLfree_connector_info) X(H5VLfree_lib_state) X(H5VLfree_wrap_ctx) X(H5VLget_wrap_ctx) X(H5VLgroup_close)       \
    X(H5VLgroup_get) X(H5VLgroup_optional) X(H5VLgroup_optional_op) X(H5VLgroup_specific) X(H5VLinitialize)            \
    X(H5VLintrospect_get_cap_flags) X(H5VLintrospect_get_conn_cls) X(H5VLintrospect_opt_query) X(H5VLlink_copy)        \
    X(H5VLlink_create) X(H5VLlink_get) X(H5VLlink_move) X(H5VLlink_optional) X(H5VLlink_optional_op)                   \
    X(H5VLlink_specific) X(H5VLobject_copy) X(H5VLobject_get) X(H5VLobject_optional) X(H5VLobject_optional_op)         \
    X(H5VLobject_specific) X(H5VLoptional) X(H5VLregister_opt_operation) X(H5VLrequest_cancel) X(H5VLrequest_free)     \
    X(H5VLrequest_notify) X(H5VLrequest_optional) X(H5VLrequest_optional_op) X(H5VLrequest_specific)                   \
    X(H5VLrequest_wait) X(H5VLrestore_lib_state) X(H5VLretrieve_lib_state) X(H5VLstart_lib_state) X(H5VLterminate)     \
    X(H5VLtoken_cmp) X(H5VLtoken_from_str) X(H5VLtoken_to_str) X(H5VLunregister_opt_operation)

#define POINTERS(X)                                                                                                    \
    X(H5VLattr_create) X(H5VLattr_open) X(H5VLdataset_create) X(H5VLdataset_open) X(H5VLdatatype_commit)               \
    X(H5VLdatatype_open) X(H5VLfile_create) X(H5VLfile_open) X(H5VLget_object) X(H5VLgroup_create) X(H5VLgroup_open)   \
    X(H5VLobject) X(H5VLobject_open) X(H5VLunwrap_object) X(H5VLwrap_object)

#define IDS(X)                                                                                                         \
    X(H5VLget_file_type) X(H5VLregister_connector) X(H5VLwrap_register)
/* clang-format on */

/* Arguments are not looked at, whatever they are. */
#define REFUSED(type, name, value)                                                                                     \
    EXPORTED type name(void);                                                                                          \
    type name(void)                                                                                                    \
    {                                                                                                                  \
        TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");                                                        \
        return TS_API_ERR(value, VOL, UNSUPPORTED, #name " is not supported: there is no connector but '%s'",          \
                          H5VL_NATIVE_NAME);                                                                           \
    }
#define STATUS(name) REFUSED(herr_t, name, -1)
#define POINTER(name) REFUSED(void *, name, NULL)
#define ID(name) REFUSED(hid_t, name, H5I_INVALID_HID)

STATUSES(STATUS)
POINTERS(POINTER)
IDS(ID)

EXPORTED hid_t H5VLpeek_connector_id_by_name(const char *name);
EXPORTED hid_t H5VLpeek_connector_id_by_value(H5VL_class_value_t value);
EXPORTED hid_t H5VL_pass_through_register(void);

hid_t H5VLpeek_connector_id_by_name(const char *name)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (!name || strcmp(name, H5VL_NATIVE_NAME) != 0)
        return TS_API_ERR(H5I_INVALID_HID, VOL, CANTGET, "can't get VOL id of '%s'", name ? name : "");
    return TS_API_RET(H5VL_native_register());
}

hid_t H5VLpeek_connector_id_by_value(H5VL_class_value_t value)
{
    TS_API_ENTER(FUNC, CANTOPERATE, "library call failed");
    if (value != H5VL_NATIVE_VALUE)
        return TS_API_ERR(H5I_INVALID_HID, VOL, CANTGET, "can't get VOL id of %d", value);
    return TS_API_RET(H5VL_native_register());
}

/* h5dump and its like ask whether it is the connector in use. */
hid_t H5VL_pass_through_register(void)
{
    return H5I_INVALID_HID;
}
