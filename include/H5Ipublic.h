/* H5I: ids, what they stand for, how often they are held. */
#ifndef H5Ipublic_H
#define H5Ipublic_H

#include "H5public.h"

/* The numbers are those of 1.12 and later; 1.10 had others from H5I_ATTR on. */
typedef enum H5I_type_t {
    H5I_UNINIT = -2,
    H5I_BADID = -1,
    H5I_FILE = 1,
    H5I_GROUP = 2,
    H5I_DATATYPE = 3,
    H5I_DATASPACE = 4,
    H5I_DATASET = 5,
    H5I_MAP = 6,
    H5I_ATTR = 7,
    H5I_VFL = 8,
    H5I_VOL = 9,
    H5I_GENPROP_CLS = 10,
    H5I_GENPROP_LST = 11,
    H5I_ERROR_CLASS = 12,
    H5I_ERROR_MSG = 13,
    H5I_ERROR_STACK = 14,
    H5I_SPACE_SEL_ITER = 15,
    H5I_EVENTSET = 16,
    H5I_NTYPES
} H5I_type_t;

#ifdef __cplusplus
extern "C" {
#endif

/* 1.14 gave the destructor a second argument; the library always passes it, as NULL. */
#if H5_API_LEVEL >= 114
typedef herr_t (*H5I_free_t)(void *obj, void **request);
#else
typedef herr_t (*H5I_free_t)(void *obj);
#endif
typedef int (*H5I_search_func_t)(void *obj, hid_t id, void *key);
typedef herr_t (*H5I_iterate_func_t)(hid_t id, void *udata);
typedef herr_t (*H5I_future_realize_func_t)(void *future_object, hid_t *actual_object_id);
typedef herr_t (*H5I_future_discard_func_t)(void *future_object);

H5_DLL herr_t H5Iclear_type(H5I_type_t type, hbool_t force);
H5_DLL int H5Idec_ref(hid_t id);
H5_DLL int H5Idec_type_ref(H5I_type_t type);
H5_DLL herr_t H5Idestroy_type(H5I_type_t type);
H5_DLL hid_t H5Iget_file_id(hid_t id);
H5_DLL ssize_t H5Iget_name(hid_t id, char *name, size_t size);
H5_DLL int H5Iget_ref(hid_t id);
H5_DLL H5I_type_t H5Iget_type(hid_t id);
H5_DLL int H5Iget_type_ref(H5I_type_t type);
H5_DLL int H5Iinc_ref(hid_t id);
H5_DLL int H5Iinc_type_ref(H5I_type_t type);
H5_DLL htri_t H5Iis_valid(hid_t id);
H5_DLL herr_t H5Iiterate(H5I_type_t type, H5I_iterate_func_t op, void *op_data);
H5_DLL herr_t H5Inmembers(H5I_type_t type, hsize_t *num_members);
H5_DLL void *H5Iobject_verify(hid_t id, H5I_type_t type);
H5_DLL hid_t H5Iregister(H5I_type_t type, const void *object);
H5_DLL hid_t H5Iregister_future(
    H5I_type_t type, const void *object, H5I_future_realize_func_t realize_cb, H5I_future_discard_func_t discard_cb);
H5_DLL H5I_type_t H5Iregister_type2(unsigned reserved, H5I_free_t free_func);
H5_DLL H5I_type_t H5Iregister_type1(size_t hash_size, unsigned reserved, H5I_free_t free_func);
H5_DLL void *H5Iremove_verify(hid_t id, H5I_type_t type);
H5_DLL void *H5Isearch(H5I_type_t type, H5I_search_func_t func, void *key);
H5_DLL htri_t H5Itype_exists(H5I_type_t type);

#ifdef __cplusplus
}
#endif

#endif
