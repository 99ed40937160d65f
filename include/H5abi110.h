/*
 * Functions that programs built for 1.10, some of them also those for 1.14, link to by these names. Later the names are
 * macros for one of several versions (H5version.h), so a program does not include this: who defines or looks up the symbols does, last.
 */
#ifndef H5abi110_H
#define H5abi110_H

#include "hdf5.h"

#undef H5Dread_chunk
#undef H5Iregister_type
#undef H5Lget_info
#undef H5Lget_info_by_idx
#undef H5Literate
#undef H5Literate_by_name
#undef H5Lvisit
#undef H5Lvisit_by_name
#undef H5Oget_info
#undef H5Oget_info_by_idx
#undef H5Oget_info_by_name
#undef H5Ovisit
#undef H5Ovisit_by_name
#undef H5Pencode
#undef H5Sencode
#undef H5Tdecode

#ifdef __cplusplus
extern "C" {
#endif

H5_DLL herr_t H5Dread_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf);
H5_DLL H5I_type_t H5Iregister_type(size_t hash_size, unsigned reserved, H5I_free_t free_func);
H5_DLL herr_t H5Lget_info(hid_t loc_id, const char *name, H5L_info1_t *linfo, hid_t lapl_id);
H5_DLL herr_t H5Lget_info_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
    hsize_t n, H5L_info1_t *linfo, hid_t lapl_id);
H5_DLL herr_t H5Literate(
    hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, hsize_t *idx, H5L_iterate1_t op, void *op_data);
H5_DLL herr_t H5Literate_by_name(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
    hsize_t *idx, H5L_iterate1_t op, void *op_data, hid_t lapl_id);
H5_DLL herr_t H5Lvisit(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, H5L_iterate1_t op, void *op_data);
H5_DLL herr_t H5Lvisit_by_name(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
    H5L_iterate1_t op, void *op_data, hid_t lapl_id);
H5_DLL herr_t H5Oget_info(hid_t loc_id, H5O_info1_t *oinfo);
H5_DLL herr_t H5Oget_info_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
    hsize_t n, H5O_info1_t *oinfo, hid_t lapl_id);
H5_DLL herr_t H5Oget_info_by_name(hid_t loc_id, const char *name, H5O_info1_t *oinfo, hid_t lapl_id);
H5_DLL herr_t H5Ovisit(hid_t obj_id, H5_index_t idx_type, H5_iter_order_t order, H5O_iterate1_t op, void *op_data);
H5_DLL herr_t H5Ovisit_by_name(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order,
    H5O_iterate1_t op, void *op_data, hid_t lapl_id);
H5_DLL herr_t H5Pencode(hid_t plist_id, void *buf, size_t *nalloc);
H5_DLL herr_t H5Sencode(hid_t obj_id, void *buf, size_t *nalloc);
H5_DLL hid_t H5Tdecode(const void *buf);

#ifdef __cplusplus
}
#endif

#endif
