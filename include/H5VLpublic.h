/* H5VL: storage connectors. There is one, the native file format, and no other can be registered: what connectors are
 * written with is not here. */
#ifndef H5VLpublic_H
#define H5VLpublic_H

#include "H5public.h"
#include "H5Ipublic.h"

#define H5VL_VERSION 3

typedef int H5VL_class_value_t;
#define H5_VOL_INVALID (-1)
#define H5_VOL_NATIVE 0
#define H5_VOL_RESERVED 256
#define H5_VOL_MAX 65535

/* What a connector can do. */
#define H5VL_CAP_FLAG_NONE 0x0000000000ULL
#define H5VL_CAP_FLAG_THREADSAFE 0x0000000001ULL
#define H5VL_CAP_FLAG_ASYNC 0x0000000002ULL
#define H5VL_CAP_FLAG_NATIVE_FILES 0x0000000004ULL
#define H5VL_CAP_FLAG_ATTR_BASIC 0x0000000008ULL
#define H5VL_CAP_FLAG_ATTR_MORE 0x0000000010ULL
#define H5VL_CAP_FLAG_DATASET_BASIC 0x0000000020ULL
#define H5VL_CAP_FLAG_DATASET_MORE 0x0000000040ULL
#define H5VL_CAP_FLAG_FILE_BASIC 0x0000000080ULL
#define H5VL_CAP_FLAG_FILE_MORE 0x0000000100ULL
#define H5VL_CAP_FLAG_GROUP_BASIC 0x0000000200ULL
#define H5VL_CAP_FLAG_GROUP_MORE 0x0000000400ULL
#define H5VL_CAP_FLAG_LINK_BASIC 0x0000000800ULL
#define H5VL_CAP_FLAG_LINK_MORE 0x0000001000ULL
#define H5VL_CAP_FLAG_MAP_BASIC 0x0000002000ULL
#define H5VL_CAP_FLAG_MAP_MORE 0x0000004000ULL
#define H5VL_CAP_FLAG_OBJECT_BASIC 0x0000008000ULL
#define H5VL_CAP_FLAG_OBJECT_MORE 0x0000010000ULL
#define H5VL_CAP_FLAG_REF_BASIC 0x0000020000ULL
#define H5VL_CAP_FLAG_REF_MORE 0x0000040000ULL
#define H5VL_CAP_FLAG_OBJ_REF 0x0000080000ULL
#define H5VL_CAP_FLAG_REG_REF 0x0000100000ULL
#define H5VL_CAP_FLAG_ATTR_REF 0x0000200000ULL
#define H5VL_CAP_FLAG_STORED_DATATYPES 0x0000400000ULL
#define H5VL_CAP_FLAG_CREATION_ORDER 0x0000800000ULL
#define H5VL_CAP_FLAG_ITERATE 0x0001000000ULL
#define H5VL_CAP_FLAG_STORAGE_SIZE 0x0002000000ULL
#define H5VL_CAP_FLAG_BY_IDX 0x0004000000ULL
#define H5VL_CAP_FLAG_GET_PLIST 0x0008000000ULL
#define H5VL_CAP_FLAG_FLUSH_REFRESH 0x0010000000ULL
#define H5VL_CAP_FLAG_EXTERNAL_LINKS 0x0020000000ULL
#define H5VL_CAP_FLAG_HARD_LINKS 0x0040000000ULL
#define H5VL_CAP_FLAG_SOFT_LINKS 0x0080000000ULL
#define H5VL_CAP_FLAG_UD_LINKS 0x0100000000ULL
#define H5VL_CAP_FLAG_TRACK_TIMES 0x0200000000ULL
#define H5VL_CAP_FLAG_MOUNT 0x0400000000ULL
#define H5VL_CAP_FLAG_FILTERS 0x0800000000ULL
#define H5VL_CAP_FLAG_FILL_VALUES 0x1000000000ULL

/* What a connector says of an optional operation. */
#define H5VL_OPT_QUERY_SUPPORTED 0x0001
#define H5VL_OPT_QUERY_READ_DATA 0x0002
#define H5VL_OPT_QUERY_WRITE_DATA 0x0004
#define H5VL_OPT_QUERY_QUERY_METADATA 0x0008
#define H5VL_OPT_QUERY_MODIFY_METADATA 0x0010
#define H5VL_OPT_QUERY_COLLECTIVE 0x0020
#define H5VL_OPT_QUERY_NO_ASYNC 0x0040
#define H5VL_OPT_QUERY_MULTI_OBJ 0x0080

typedef enum H5VL_subclass_t {
    H5VL_SUBCLS_NONE = 0,
    H5VL_SUBCLS_INFO = 1,
    H5VL_SUBCLS_WRAP = 2,
    H5VL_SUBCLS_ATTR = 3,
    H5VL_SUBCLS_DATASET = 4,
    H5VL_SUBCLS_DATATYPE = 5,
    H5VL_SUBCLS_FILE = 6,
    H5VL_SUBCLS_GROUP = 7,
    H5VL_SUBCLS_LINK = 8,
    H5VL_SUBCLS_OBJECT = 9,
    H5VL_SUBCLS_REQUEST = 10,
    H5VL_SUBCLS_BLOB = 11,
    H5VL_SUBCLS_TOKEN = 12
} H5VL_subclass_t;

#ifdef __cplusplus
extern "C" {
#endif

H5_DLL herr_t H5VLcmp_connector_cls(int *cmp, hid_t connector_id1, hid_t connector_id2);
H5_DLL herr_t H5VLclose(hid_t connector_id);
H5_DLL herr_t H5VLget_cap_flags(hid_t connector_id, uint64_t *cap_flags);
H5_DLL hid_t H5VLget_connector_id(hid_t obj_id);
H5_DLL hid_t H5VLget_connector_id_by_name(const char *name);
H5_DLL hid_t H5VLget_connector_id_by_value(H5VL_class_value_t connector_value);
H5_DLL ssize_t H5VLget_connector_name(hid_t id, char *name, size_t size);
H5_DLL herr_t H5VLget_value(hid_t connector_id, H5VL_class_value_t *conn_value);
H5_DLL htri_t H5VLis_connector_registered_by_name(const char *name);
H5_DLL htri_t H5VLis_connector_registered_by_value(H5VL_class_value_t connector_value);
H5_DLL herr_t H5VLobject_is_native(hid_t obj_id, hbool_t *is_native);
H5_DLL herr_t H5VLquery_optional(hid_t obj_id, H5VL_subclass_t subcls, int opt_type, uint64_t *flags);
H5_DLL hid_t H5VLregister_connector_by_name(const char *connector_name, hid_t vipl_id);
H5_DLL hid_t H5VLregister_connector_by_value(H5VL_class_value_t connector_value, hid_t vipl_id);
H5_DLL herr_t H5VLunregister_connector(hid_t connector_id);

#ifdef __cplusplus
}
#endif

#endif
