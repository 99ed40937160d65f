/* H5P: properties of link access, link creation, string creation and object copy lists. */
#include "H5Lpublic.h"
#include "api/plist_args.h"
#include "base/alloc.h"
#include "plist/engine.h"
#include "plist/fapl.h"
#include "plist/lapl.h"
#include "plist/ocpypl.h"

herr_t H5Pset_nlinks(hid_t plist_id, size_t nlinks)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (nlinks == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "number of links must be positive");
    return TS_API_RET(ts_lapl_set_nlinks(TS_P_LIST(plist_id, LINK_ACCESS), nlinks));
}

herr_t H5Pget_nlinks(hid_t plist_id, size_t *nlinks)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (!nlinks)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid pointer passed in");
    return TS_API_RET(ts_lapl_nlinks(TS_P_LIST(plist_id, LINK_ACCESS), nlinks));
}

herr_t H5Pset_elink_prefix(hid_t plist_id, const char *prefix)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_lapl_set_elink_prefix(TS_P_LIST(plist_id, LINK_ACCESS), prefix));
}

ssize_t H5Pget_elink_prefix(hid_t plist_id, char *prefix, size_t size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(ts_p_string(TS_P_LIST(plist_id, LINK_ACCESS), ts_lapl_elink_prefix, prefix, size));
}

herr_t H5Pset_elink_fapl(hid_t lapl_id, hid_t fapl_id)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set fapl for link",
                 TS_BAD_ID(ARGS, BADTYPE, "not a link access property list"));
    struct ts_plist *pl = TS_P_LIST(lapl_id, LINK_ACCESS), *copy = NULL;
    struct ts_plist *fapl = pl ? TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS) : NULL;
    if (!fapl || (fapl_id != H5P_DEFAULT && ts_plist_copy(fapl, &copy) < 0))
        return TS_API_FAIL(-1);
    if (ts_lapl_give_elink_fapl(pl, &copy) < 0) {
        ts_plist_unref(copy);
        return TS_API_FAIL(-1);
    }
    return 0;
}

hid_t H5Pget_elink_fapl(hid_t lapl_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(lapl_id, LINK_ACCESS), *fapl, *copy;
    if (!pl || ts_lapl_elink_fapl(pl, &fapl) < 0)
        return TS_API_FAIL(-1);
    if (!fapl)
        return H5P_DEFAULT;
    int ret = ts_plist_copy(fapl, &copy);
    ts_plist_unref(fapl);
    if (ret < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_LIST(copy);
}

herr_t H5Pset_elink_acc_flags(hid_t lapl_id, unsigned flags)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    const unsigned swmr_write = H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, swmr_read = H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
    if (flags != H5F_ACC_RDWR && flags != swmr_write && flags != H5F_ACC_RDONLY && flags != swmr_read &&
        flags != H5F_ACC_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid file open flags: a file cannot be opened with flags %#x", flags);
    return TS_API_RET(ts_lapl_set_elink_flags(TS_P_LIST(lapl_id, LINK_ACCESS), flags));
}

herr_t H5Pget_elink_acc_flags(hid_t lapl_id, unsigned *flags)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned value;
    if (ts_lapl_elink_flags(TS_P_LIST(lapl_id, LINK_ACCESS), &value) < 0)
        return TS_API_FAIL(-1);
    if (flags)
        *flags = value;
    return 0;
}

herr_t H5Pset_elink_cb(hid_t lapl_id, H5L_elink_traverse_t func, void *op_data)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!func && op_data)
        return TS_API_ERR(-1, ARGS, BADVALUE, "callback is NULL while user data is not");
    struct ts_elink_cb cb = {func, op_data};
    return TS_API_RET(ts_lapl_set_elink_cb(TS_P_LIST(lapl_id, LINK_ACCESS), &cb));
}

herr_t H5Pget_elink_cb(hid_t lapl_id, H5L_elink_traverse_t *func, void **op_data)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_elink_cb cb;
    if (ts_lapl_elink_cb(TS_P_LIST(lapl_id, LINK_ACCESS), &cb) < 0)
        return TS_API_FAIL(-1);
    if (func)
        *func = cb.func;
    if (op_data)
        *op_data = cb.data;
    return 0;
}

herr_t H5Pset_create_intermediate_group(hid_t plist_id, unsigned crt_intmd)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    crt_intmd = crt_intmd > 0;
    return TS_API_RET(ts_lcpl_set_intermediate(TS_P_LIST(plist_id, LINK_CREATE), crt_intmd));
}

herr_t H5Pget_create_intermediate_group(hid_t plist_id, unsigned *crt_intmd)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned value;
    if (ts_lcpl_intermediate(TS_P_LIST(plist_id, LINK_CREATE), &value) < 0)
        return TS_API_FAIL(-1);
    if (crt_intmd)
        *crt_intmd = value;
    return 0;
}

herr_t H5Pset_char_encoding(hid_t plist_id, H5T_cset_t encoding)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (encoding <= H5T_CSET_ERROR || encoding >= H5T_NCSET)
        return TS_API_ERR(-1, ARGS, BADRANGE, "character encoding is not valid: no character encoding %d",
                          (int)encoding);
    return TS_API_RET(ts_strcpl_set_char_encoding(TS_P_LIST(plist_id, STRING_CREATE), encoding));
}

herr_t H5Pget_char_encoding(hid_t plist_id, H5T_cset_t *encoding)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    H5T_cset_t value;
    if (ts_strcpl_char_encoding(TS_P_LIST(plist_id, STRING_CREATE), &value) < 0)
        return TS_API_FAIL(-1);
    if (encoding)
        *encoding = value;
    return 0;
}

herr_t H5Pset_copy_object(hid_t plist_id, unsigned copy_options)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (copy_options & ~H5O_COPY_ALL)
        return TS_API_ERR(-1, ARGS, BADVALUE, "unknown option specified: copy options %#x", copy_options);
    return TS_API_RET(ts_ocpypl_set_copy_flags(TS_P_LIST(plist_id, OBJECT_COPY), copy_options));
}

herr_t H5Pget_copy_object(hid_t plist_id, unsigned *copy_options)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned value;
    if (ts_ocpypl_copy_flags(TS_P_LIST(plist_id, OBJECT_COPY), &value) < 0)
        return TS_API_FAIL(-1);
    if (copy_options)
        *copy_options = value;
    return 0;
}

herr_t H5Padd_merge_committed_dtype_path(hid_t plist_id, const char *path)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    if (!path || !*path)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%s", path ? "path is empty string" : "no path specified");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_COPY);
    return TS_API_RET(pl ? ts_ocpypl_add_path(pl, path) : -1);
}

herr_t H5Pfree_merge_committed_dtype_paths(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_COPY);
    return TS_API_RET(pl ? ts_ocpypl_clear_paths(pl) : -1);
}

herr_t H5Pset_mcdt_search_cb(hid_t plist_id, H5O_mcdt_search_cb_t func, void *op_data)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!func && op_data)
        return TS_API_ERR(-1, ARGS, BADVALUE, "callback is NULL while user data is not");
    struct ts_merge_search cb = {func, op_data};
    return TS_API_RET(ts_ocpypl_set_merge_search(TS_P_LIST(plist_id, OBJECT_COPY), &cb));
}

herr_t H5Pget_mcdt_search_cb(hid_t plist_id, H5O_mcdt_search_cb_t *func, void **op_data)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_merge_search cb;
    if (ts_ocpypl_merge_search(TS_P_LIST(plist_id, OBJECT_COPY), &cb) < 0)
        return TS_API_FAIL(-1);
    if (func)
        *func = cb.func;
    if (op_data)
        *op_data = cb.data;
    return 0;
}
