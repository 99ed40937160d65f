/* H5P: properties of data transfer and dataset access lists. */
#include <string.h>

#include "api/plist_args.h"
#include "base/alloc.h"
#include "plist/dapl.h"
#include "plist/dxpl.h"
#include "plist/engine.h"
#include "space/space.h"
#include "type/transform.h"

herr_t H5Pset_buffer(hid_t plist_id, size_t size, void *tconv, void *bkg)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (size == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "buffer size must not be zero");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    if (!pl || ts_dxpl_set_buffer_size(pl, size) < 0 || ts_dxpl_set_tconv_buf(pl, tconv) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dxpl_set_bkgr_buf(pl, bkg));
}

size_t H5Pget_buffer(hid_t plist_id, void **tconv, void **bkg)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    size_t size;
    if (!pl || (tconv && ts_dxpl_tconv_buf(pl, tconv) < 0) || (bkg && ts_dxpl_bkgr_buf(pl, bkg) < 0) ||
        ts_dxpl_buffer_size(pl, &size) < 0)
        return TS_API_FAIL(0);
    return size;
}

herr_t H5Pset_preserve(hid_t plist_id, hbool_t status)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    int need = status ? H5T_BKG_YES : H5T_BKG_NO;
    return TS_API_RET(ts_dxpl_set_preserve(TS_P_LIST(plist_id, DATASET_XFER), need));
}

int H5Pget_preserve(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    H5T_bkg_t need;
    if (ts_dxpl_preserve(TS_P_LIST(plist_id, DATASET_XFER), &need) < 0)
        return TS_API_FAIL(-1);
    return need != H5T_BKG_NO;
}

herr_t H5Pset_btree_ratios(hid_t plist_id, double left, double middle, double right)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    const double ratios[3] = {left, middle, right};
    for (int i = 0; i < 3; i++)
        if (!(ratios[i] >= 0.0 && ratios[i] <= 1.0))
            return TS_API_ERR(-1, ARGS, BADVALUE,
                              "split ratio must satisfy 0.0 <= X <= 1.0: split ratio %g is not between 0 and 1",
                              ratios[i]);
    return TS_API_RET(ts_dxpl_set_btree_ratios(TS_P_LIST(plist_id, DATASET_XFER), ratios));
}

herr_t H5Pget_btree_ratios(hid_t plist_id, double *left, double *middle, double *right)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    double ratios[3];
    if (ts_dxpl_btree_ratios(TS_P_LIST(plist_id, DATASET_XFER), ratios) < 0)
        return TS_API_FAIL(-1);
    double *const out[3] = {left, middle, right};
    for (int i = 0; i < 3; i++)
        if (out[i])
            *out[i] = ratios[i];
    return 0;
}

herr_t H5Pset_vlen_mem_manager(hid_t plist_id, H5MM_allocate_t alloc_func, void *alloc_info, H5MM_free_t free_func,
                               void *free_info)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(ARGS, BADTYPE, "not a dataset transfer property list"));
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    if (!pl || ts_dxpl_set_vlen_alloc(pl, alloc_func) < 0 || ts_dxpl_set_vlen_alloc_info(pl, alloc_info) < 0 ||
        ts_dxpl_set_vlen_free(pl, free_func) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dxpl_set_vlen_free_info(pl, free_info));
}

herr_t H5Pget_vlen_mem_manager(hid_t plist_id, H5MM_allocate_t *alloc_func, void **alloc_info, H5MM_free_t *free_func,
                               void **free_info)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    if (!pl || (alloc_func && ts_dxpl_vlen_alloc(pl, alloc_func) < 0) ||
        (alloc_info && ts_dxpl_vlen_alloc_info(pl, alloc_info) < 0) ||
        (free_func && ts_dxpl_vlen_free(pl, free_func) < 0) || (free_info && ts_dxpl_vlen_free_info(pl, free_info) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pset_hyper_vector_size(hid_t plist_id, size_t size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (size == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "vector size too small");
    return TS_API_RET(ts_dxpl_set_hyper_vector(TS_P_LIST(plist_id, DATASET_XFER), size));
}

herr_t H5Pget_hyper_vector_size(hid_t plist_id, size_t *size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    size_t value;
    if (ts_dxpl_hyper_vector(TS_P_LIST(plist_id, DATASET_XFER), &value) < 0)
        return TS_API_FAIL(-1);
    if (size)
        *size = value;
    return 0;
}

herr_t H5Pset_edc_check(hid_t plist_id, H5Z_EDC_t check)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (check != H5Z_ENABLE_EDC && check != H5Z_DISABLE_EDC)
        return TS_API_ERR(-1, ARGS, BADVALUE, "not a valid value: no value %d for checking", (int)check);
    return TS_API_RET(ts_dxpl_set_edc_check(TS_P_LIST(plist_id, DATASET_XFER), check));
}

H5Z_EDC_t H5Pget_edc_check(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    H5Z_EDC_t value;
    if (ts_dxpl_edc_check(TS_P_LIST(plist_id, DATASET_XFER), &value) < 0)
        return TS_API_FAIL(H5Z_ERROR_EDC);
    return value;
}

herr_t H5Pset_filter_callback(hid_t plist_id, H5Z_filter_func_t func, void *op_data)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    H5Z_cb_t cb = {func, op_data};
    return TS_API_RET(ts_dxpl_set_filter_cb(TS_P_LIST(plist_id, DATASET_XFER), &cb));
}

herr_t H5Pset_type_conv_cb(hid_t dxpl_id, H5T_conv_except_func_t op, void *operate_data)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_type_conv_cb cb = {op, operate_data};
    return TS_API_RET(ts_dxpl_set_conv_cb(TS_P_LIST(dxpl_id, DATASET_XFER), &cb));
}

herr_t H5Pget_type_conv_cb(hid_t dxpl_id, H5T_conv_except_func_t *op, void **operate_data)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_type_conv_cb cb;
    if (ts_dxpl_conv_cb(TS_P_LIST(dxpl_id, DATASET_XFER), &cb) < 0)
        return TS_API_FAIL(-1);
    if (op)
        *op = cb.op;
    if (operate_data)
        *operate_data = cb.data;
    return 0;
}

herr_t H5Pset_data_transform(hid_t plist_id, const char *expression)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!expression)
        return TS_API_ERR(-1, ARGS, BADVALUE, "expression cannot be NULL: no expression");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    struct ts_transform *t;
    if (!pl)
        return TS_API_FAIL(-1);
    if (ts_transform_parse(expression, &t) < 0)
        return TS_API_ERR(-1, PLINE, NOSPACE, "unable to create data transform info");
    ts_transform_free(t);
    return TS_API_RET(ts_dxpl_set_transform(pl, expression));
}

ssize_t H5Pget_data_transform(hid_t plist_id, char *expression, size_t size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    char *text;
    if (!pl || ts_dxpl_transform(pl, &text) < 0)
        return TS_API_FAIL(-1);
    if (!text)
        return TS_API_ERR(-1, PLIST, BADVALUE, "data transform has not been set");
    ssize_t n = (ssize_t)ts_api_copy_name(expression, size, text);
    ts_free(text);
    return n;
}

herr_t H5Pset_selection_io(hid_t plist_id, H5D_selection_io_mode_t mode)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(PLIST, BADTYPE, "not a dxpl"));
    if (mode < H5D_SELECTION_IO_MODE_DEFAULT || mode > H5D_SELECTION_IO_MODE_ON)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no selection I/O mode %d", (int)mode);
    return TS_API_RET(ts_dxpl_set_selection_io(TS_P_LIST(plist_id, DATASET_XFER), mode));
}

herr_t H5Pget_selection_io(hid_t plist_id, H5D_selection_io_mode_t *mode)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(PLIST, BADTYPE, "not a dxpl"));
    H5D_selection_io_mode_t value;
    if (ts_dxpl_selection_io(TS_P_LIST(plist_id, DATASET_XFER), &value) < 0)
        return TS_API_FAIL(-1);
    if (mode)
        *mode = value;
    return 0;
}

herr_t H5Pget_no_selection_io_cause(hid_t plist_id, uint32_t *no_selection_io_cause)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    if (!pl)
        return TS_API_FAIL(-1);
    if (no_selection_io_cause)
        *no_selection_io_cause = ts_dxpl_io_told(pl);
    return 0;
}

/* None of those that libhdf5 has names for: the cache is between. */
herr_t H5Pget_actual_selection_io_mode(hid_t plist_id, uint32_t *actual_selection_io_mode)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (!TS_P_LIST(plist_id, DATASET_XFER))
        return TS_API_FAIL(-1);
    if (actual_selection_io_mode)
        *actual_selection_io_mode = 0;
    return 0;
}

herr_t H5Pset_modify_write_buf(hid_t plist_id, hbool_t modify_write_buf)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value", TS_BAD_ID(PLIST, BADTYPE, "not a dxpl"));
    return TS_API_RET(ts_dxpl_set_modify_write_buf(TS_P_LIST(plist_id, DATASET_XFER), modify_write_buf));
}

herr_t H5Pget_modify_write_buf(hid_t plist_id, hbool_t *modify_write_buf)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value", TS_BAD_ID(PLIST, BADTYPE, "not a dxpl"));
    bool value;
    if (ts_dxpl_modify_write_buf(TS_P_LIST(plist_id, DATASET_XFER), &value) < 0)
        return TS_API_FAIL(-1);
    if (modify_write_buf)
        *modify_write_buf = value;
    return 0;
}

/* A hyperslab kept in the list for H5S_PLIST; its extent is what it covers. */
static int select_in_list(struct ts_plist *pl, H5S_seloper_t op, unsigned rank, const hsize_t *const slab[4])
{
    struct ts_space **space = ts_dxpl_edit_io_selection(pl);
    if (!space)
        return -1;
    int ret = 0;
    if (*space && ts_space_rank(*space) != rank) {
        if (op != H5S_SELECT_SET)
            ret = TS_SAY(PLIST, BADVALUE, "different rank for previous and new selections");
        else {
            ts_space_unref(*space);
            *space = NULL;
        }
    }
    if (ret == 0 && !*space) {
        hsize_t dims[H5S_MAX_RANK];
        for (unsigned i = 0; i < rank; i++)
            dims[i] = H5S_UNLIMITED - 1;
        ret = ts_space_new_simple(rank, dims, NULL, space);
        op = op <= H5S_SELECT_NOTA ? H5S_SELECT_SET : op;
    }
    if (ret == 0 && ts_space_select_hyperslab(*space, op, slab[0], slab[1], slab[2], slab[3]) < 0)
        ret = TS_SAY(PLIST, CANTSELECT, "can't create selection");
    if (ret == 0)
        ret = ts_space_merge(*space);
    ts_plist_release(pl);
    return ret;
}

herr_t H5Pset_dataset_io_hyperslab_selection(hid_t plist_id, unsigned rank, H5S_seloper_t op, const hsize_t start[],
                                             const hsize_t stride[], const hsize_t count[], const hsize_t block[])
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (rank == 0 || rank > H5S_MAX_RANK)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid rank value: %u", rank);
    if (op <= H5S_SELECT_NOOP || op >= H5S_SELECT_INVALID)
        return TS_API_ERR(-1, ARGS, UNSUPPORTED, "invalid selection operation");
    if (!start || !count)
        return TS_API_ERR(-1, ARGS, BADVALUE, "a hyperslab needs a start and a count");
    for (unsigned d = 0; stride && d < rank; d++)
        if (!stride[d])
            return TS_API_ERR(-1, ARGS, BADVALUE, "invalid value - stride[%u]==0", d);
    const hsize_t *const slab[4] = {start, stride, count, block};
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_XFER);
    return TS_API_RET(pl ? select_in_list(pl, op, rank, slab) : -1);
}

herr_t H5Pset_chunk_cache(hid_t dapl_id, size_t rdcc_nslots, size_t rdcc_nbytes, double rdcc_w0)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (rdcc_w0 > 1.0)
        return TS_API_ERR(
            -1, ARGS, BADVALUE,
            "raw data cache w0 value must be between 0.0 and 1.0 inclusive, or H5D_CHUNK_CACHE_W0_DEFAULT: "
            "preemption weight %g is above 1",
            rdcc_w0);
    struct ts_plist *pl = TS_P_LIST(dapl_id, DATASET_ACCESS);
    if (!pl || ts_dapl_set_nslots(pl, rdcc_nslots) < 0 || ts_dapl_set_nbytes(pl, rdcc_nbytes) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dapl_set_w0(pl, rdcc_w0));
}

/* What is not set comes from the default file access list. */
herr_t H5Pget_chunk_cache(hid_t dapl_id, size_t *rdcc_nslots, size_t *rdcc_nbytes, double *rdcc_w0)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(dapl_id, DATASET_ACCESS), *file = ts_plist_default(TS_PLIST_FILE_ACCESS);
    size_t nslots, nbytes;
    double w0;
    if (!pl || ts_dapl_nslots(pl, &nslots) < 0 || ts_dapl_nbytes(pl, &nbytes) < 0 || ts_dapl_w0(pl, &w0) < 0)
        return TS_API_FAIL(-1);
    if ((nslots == H5D_CHUNK_CACHE_NSLOTS_DEFAULT && ts_dapl_nslots(file, &nslots) < 0) ||
        (nbytes == H5D_CHUNK_CACHE_NBYTES_DEFAULT && ts_dapl_nbytes(file, &nbytes) < 0) ||
        (w0 < 0 && ts_dapl_w0(file, &w0) < 0))
        return TS_API_FAIL(-1);
    if (rdcc_nslots)
        *rdcc_nslots = nslots;
    if (rdcc_nbytes)
        *rdcc_nbytes = nbytes;
    if (rdcc_w0)
        *rdcc_w0 = w0;
    return 0;
}

herr_t H5Pset_virtual_view(hid_t dapl_id, H5D_vds_view_t view)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (view != H5D_VDS_FIRST_MISSING && view != H5D_VDS_LAST_AVAILABLE)
        return TS_API_ERR(-1, ARGS, BADVALUE, "not a valid bounds option: no view %d", (int)view);
    return TS_API_RET(ts_dapl_set_vds_view(TS_P_LIST(dapl_id, DATASET_ACCESS), view));
}

herr_t H5Pget_virtual_view(hid_t dapl_id, H5D_vds_view_t *view)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    H5D_vds_view_t value;
    if (ts_dapl_vds_view(TS_P_LIST(dapl_id, DATASET_ACCESS), &value) < 0)
        return TS_API_FAIL(-1);
    if (view)
        *view = value;
    return 0;
}

herr_t H5Pset_virtual_printf_gap(hid_t dapl_id, hsize_t gap_size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (gap_size == HSIZE_UNDEF)
        return TS_API_ERR(-1, ARGS, BADVALUE, "not a valid printf gap size");
    return TS_API_RET(ts_dapl_set_vds_gap(TS_P_LIST(dapl_id, DATASET_ACCESS), gap_size));
}

/* How sources are searched is decided by their number, whatever this says; it is kept for who asks. */
herr_t H5Pset_virtual_spatial_tree(hid_t dapl_id, bool use_tree)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_dapl_set_vds_tree(TS_P_LIST(dapl_id, DATASET_ACCESS), use_tree));
}

herr_t H5Pget_virtual_spatial_tree(hid_t dapl_id, bool *use_tree)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (!use_tree)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL pointer for use_tree");
    return TS_API_RET(ts_dapl_vds_tree(TS_P_LIST(dapl_id, DATASET_ACCESS), use_tree));
}

herr_t H5Pget_virtual_printf_gap(hid_t dapl_id, hsize_t *gap_size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    hsize_t value;
    if (ts_dapl_vds_gap(TS_P_LIST(dapl_id, DATASET_ACCESS), &value) < 0)
        return TS_API_FAIL(-1);
    if (gap_size)
        *gap_size = value;
    return 0;
}

herr_t H5Pset_virtual_unreadable(hid_t dapl_id, H5D_vds_unreadable_t how)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (how != H5D_VDS_UNREADABLE_DEFAULT && how != H5D_VDS_UNREADABLE_FAIL && how != H5D_VDS_UNREADABLE_FILL)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%d is no way to treat unreadable sources", (int)how);
    return TS_API_RET(ts_dapl_set_said_unreadable(TS_P_LIST(dapl_id, DATASET_ACCESS), how));
}

herr_t H5Pget_virtual_unreadable(hid_t dapl_id, H5D_vds_unreadable_t *how)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    H5D_vds_unreadable_t value;
    if (ts_dapl_said_unreadable(TS_P_LIST(dapl_id, DATASET_ACCESS), &value) < 0)
        return TS_API_FAIL(-1);
    if (how)
        *how = value;
    return 0;
}

herr_t H5Pset_virtual_prefix(hid_t dapl_id, const char *prefix)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_dapl_set_vds_prefix(TS_P_LIST(dapl_id, DATASET_ACCESS), prefix));
}

ssize_t H5Pget_virtual_prefix(hid_t dapl_id, char *prefix, size_t size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(ts_p_string(TS_P_LIST(dapl_id, DATASET_ACCESS), ts_dapl_vds_prefix, prefix, size));
}

herr_t H5Pset_efile_prefix(hid_t dapl_id, const char *prefix)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_dapl_set_efile_prefix(TS_P_LIST(dapl_id, DATASET_ACCESS), prefix));
}

ssize_t H5Pget_efile_prefix(hid_t dapl_id, char *prefix, size_t size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(ts_p_string(TS_P_LIST(dapl_id, DATASET_ACCESS), ts_dapl_efile_prefix, prefix, size));
}

herr_t H5Pset_append_flush(hid_t dapl_id, unsigned ndims, const hsize_t boundary[], H5D_append_cb_t func, void *udata)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (ndims == 0 || ndims > H5S_MAX_RANK)
        return TS_API_ERR(-1, ARGS, BADVALUE, "dimensionality %s: %u", ndims ? "is too large" : "cannot be zero",
                          ndims);
    if (!boundary)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no boundary dimensions specified");
    if (!func && udata)
        return TS_API_ERR(-1, ARGS, BADVALUE, "callback is NULL while user data is not");
    struct ts_append_flush flush = {.rank = ndims, .func = func, .data = udata};
    for (unsigned i = 0; i < ndims; i++) {
        if (boundary[i] > UINT32_MAX)
            return TS_API_ERR(-1, ARGS, BADRANGE, "all boundary dimensions must be less than 2^32: number %u is %llu",
                              i, (unsigned long long)boundary[i]);
        flush.boundary[i] = boundary[i];
    }
    return TS_API_RET(ts_dapl_set_append_flush(TS_P_LIST(dapl_id, DATASET_ACCESS), &flush));
}

herr_t H5Pget_append_flush(hid_t dapl_id, unsigned dims, hsize_t boundary[], H5D_append_cb_t *func, void **udata)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_append_flush flush;
    if (ts_dapl_append_flush(TS_P_LIST(dapl_id, DATASET_ACCESS), &flush) < 0)
        return TS_API_FAIL(-1);
    for (unsigned i = 0; boundary && i < dims; i++)
        boundary[i] = i < flush.rank ? flush.boundary[i] : 0;
    if (func)
        *func = flush.func;
    if (udata)
        *udata = flush.data;
    return 0;
}
