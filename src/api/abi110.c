/* The names that programs built for 1.10 and 1.14 link to: each is the first version of what has several now. */
#include "H5abi110.h"

herr_t H5Dread_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf)
{
    return H5Dread_chunk1(dset_id, dxpl_id, offset, filters, buf);
}

H5I_type_t H5Iregister_type(size_t hash_size, unsigned reserved, H5I_free_t free_func)
{
    return H5Iregister_type1(hash_size, reserved, free_func);
}

hid_t H5Tdecode(const void *buf)
{
    return H5Tdecode1(buf);
}

herr_t H5Lget_info(hid_t loc_id, const char *name, H5L_info1_t *linfo, hid_t lapl_id)
{
    return H5Lget_info1(loc_id, name, linfo, lapl_id);
}

herr_t H5Lget_info_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                          H5L_info1_t *linfo, hid_t lapl_id)
{
    return H5Lget_info_by_idx1(loc_id, group_name, idx_type, order, n, linfo, lapl_id);
}

herr_t H5Literate(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, hsize_t *idx, H5L_iterate1_t op,
                  void *op_data)
{
    return H5Literate1(grp_id, idx_type, order, idx, op, op_data);
}

herr_t H5Literate_by_name(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                          hsize_t *idx, H5L_iterate1_t op, void *op_data, hid_t lapl_id)
{
    return H5Literate_by_name1(loc_id, group_name, idx_type, order, idx, op, op_data, lapl_id);
}

herr_t H5Lvisit(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, H5L_iterate1_t op, void *op_data)
{
    return H5Lvisit1(grp_id, idx_type, order, op, op_data);
}

herr_t H5Lvisit_by_name(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order,
                        H5L_iterate1_t op, void *op_data, hid_t lapl_id)
{
    return H5Lvisit_by_name1(loc_id, group_name, idx_type, order, op, op_data, lapl_id);
}

herr_t H5Oget_info(hid_t loc_id, H5O_info1_t *oinfo)
{
    return H5Oget_info1(loc_id, oinfo);
}

herr_t H5Oget_info_by_idx(hid_t loc_id, const char *group_name, H5_index_t idx_type, H5_iter_order_t order, hsize_t n,
                          H5O_info1_t *oinfo, hid_t lapl_id)
{
    return H5Oget_info_by_idx1(loc_id, group_name, idx_type, order, n, oinfo, lapl_id);
}

herr_t H5Oget_info_by_name(hid_t loc_id, const char *name, H5O_info1_t *oinfo, hid_t lapl_id)
{
    return H5Oget_info_by_name1(loc_id, name, oinfo, lapl_id);
}

herr_t H5Ovisit(hid_t obj_id, H5_index_t idx_type, H5_iter_order_t order, H5O_iterate1_t op, void *op_data)
{
    return H5Ovisit1(obj_id, idx_type, order, op, op_data);
}

herr_t H5Ovisit_by_name(hid_t loc_id, const char *obj_name, H5_index_t idx_type, H5_iter_order_t order,
                        H5O_iterate1_t op, void *op_data, hid_t lapl_id)
{
    return H5Ovisit_by_name1(loc_id, obj_name, idx_type, order, op, op_data, lapl_id);
}
