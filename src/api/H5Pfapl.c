/* H5P: properties of file access lists but for drivers (H5Pdriver.c) and the metadata cache (H5Pmdc.c). */
#include "H5Fpublic.h"

#include <stdio.h>
#include <string.h>

#include "api/plist_args.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "driver/access.h"
#include "plist/engine.h"
#include "plist/fapl.h"
#include "plist/lapl.h"

/* Getters may be called without a place for the value. */
#define GETTER(property, type, id, out)                                                                                \
    do {                                                                                                               \
        type value_;                                                                                                   \
        if (ts_fapl_##property(TS_P_LIST(id, FILE_ACCESS), &value_) < 0)                                               \
            return TS_API_FAIL(-1);                                                                                    \
        if (out)                                                                                                       \
            *(out) = value_;                                                                                           \
        return 0;                                                                                                      \
    } while (0)

herr_t H5Pset_alignment(hid_t fapl_id, hsize_t threshold, hsize_t alignment)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (alignment < 1)
        return TS_API_ERR(-1, ARGS, BADVALUE, "alignment must be positive");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl || ts_fapl_set_alignment_threshold(pl, threshold) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fapl_set_alignment(pl, alignment));
}

herr_t H5Pget_alignment(hid_t fapl_id, hsize_t *threshold, hsize_t *alignment)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl || (threshold && ts_fapl_alignment_threshold(pl, threshold) < 0) ||
        (alignment && ts_fapl_alignment(pl, alignment) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

/* The first number has meant nothing since 1.8. */
herr_t H5Pset_cache(hid_t plist_id, int mdc_nelmts, size_t rdcc_nslots, size_t rdcc_nbytes, double rdcc_w0)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    (void)mdc_nelmts;
    if (!(rdcc_w0 >= 0.0 && rdcc_w0 <= 1.0))
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          "raw data cache w0 value must be between 0.0 and 1.0 inclusive: "
                          "preemption weight %g is not between 0 and 1",
                          rdcc_w0);
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl || ts_fapl_set_nslots(pl, rdcc_nslots) < 0 || ts_fapl_set_nbytes(pl, rdcc_nbytes) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fapl_set_w0(pl, rdcc_w0));
}

herr_t H5Pget_cache(hid_t plist_id, int *mdc_nelmts, size_t *rdcc_nslots, size_t *rdcc_nbytes, double *rdcc_w0)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl || (rdcc_nslots && ts_fapl_nslots(pl, rdcc_nslots) < 0) ||
        (rdcc_nbytes && ts_fapl_nbytes(pl, rdcc_nbytes) < 0) || (rdcc_w0 && ts_fapl_w0(pl, rdcc_w0) < 0))
        return TS_API_FAIL(-1);
    if (mdc_nelmts)
        *mdc_nelmts = 0;
    return 0;
}

herr_t H5Pset_shared_chunk_cache(hid_t fapl_id, const H5F_shared_chunk_cache_t *settings)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!settings)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no settings");
    return TS_API_RET(ts_fapl_set_chunk_cache(pl, settings));
}

herr_t H5Pget_shared_chunk_cache(hid_t fapl_id, H5F_shared_chunk_cache_t *settings)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!settings)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the settings");
    return TS_API_RET(ts_fapl_chunk_cache(pl, settings));
}

static int check_access(unsigned kinds, H5F_external_access_t rule, const char *folders)
{
    if (kinds == 0 || kinds & ~H5F_EXTERNAL_ALL)
        return TS_ERR(ARGS, BADVALUE, "%#x are no kinds of external files", kinds);
    if ((int)rule < H5F_EXTERNAL_ANYWHERE || rule > H5F_EXTERNAL_NONE)
        return TS_ERR(ARGS, BADVALUE, "%d is no rule for external files", (int)rule);
    if ((rule == H5F_EXTERNAL_LIST) != (folders != NULL))
        return TS_ERR(ARGS, BADVALUE, "folders go with H5F_EXTERNAL_LIST, and only with it");
    if (folders && strchr(folders, ';'))
        return TS_ERR(ARGS, BADVALUE, "folder names with ';' cannot be listed: '%s'", folders);
    return 0;
}

herr_t H5Pset_external_access(hid_t fapl_id, unsigned kinds, H5F_external_access_t rule, const char *folders)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    char *before, *text = NULL;
    if (!pl || check_access(kinds, rule, folders) < 0 || ts_fapl_external_access(pl, &before) < 0)
        return TS_API_FAIL(-1);
    int status = ts_access_change(before, kinds, rule, folders, &text);
    if (status == 0)
        status = ts_fapl_set_external_access(pl, text);
    ts_free(before);
    ts_free(text);
    return TS_API_RET(status);
}

ssize_t H5Pget_external_access(hid_t fapl_id, unsigned kind, H5F_external_access_t *rule, char *folders, size_t size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    struct ts_access_said said;
    char *text;
    if (!pl)
        return TS_API_FAIL(-1);
    if (kind == 0 || kind & ~H5F_EXTERNAL_ALL || kind & (kind - 1))
        return TS_API_ERR(-1, ARGS, BADVALUE, "%#x is not one kind of external files", kind);
    if (ts_fapl_external_access(pl, &text) < 0)
        return TS_API_FAIL(-1);
    bool sense = ts_access_read(text, kind, &said);
    if (sense && rule)
        *rule = said.rule;
    if (sense && folders && size > 0)
        snprintf(folders, size, "%.*s", (int)said.length, said.length > 0 ? said.folders : "");
    ts_free(text);
    return sense ? (ssize_t)said.length : TS_API_ERR(-1, PLIST, BADVALUE, "the list has a rule that makes no sense");
}

herr_t H5Pset_durability(hid_t fapl_id, H5F_durability_t level)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    return pl ? TS_API_RET(ts_fapl_set_durability(pl, level)) : TS_API_FAIL(-1);
}

herr_t H5Pget_durability(hid_t fapl_id, H5F_durability_t *level)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(said_durability, H5F_durability_t, fapl_id, level);
}

herr_t H5Pset_swmr_new_objects(hid_t fapl_id, hbool_t allow)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    bool value = allow;
    return TS_API_RET(ts_fapl_set_swmr_new_objects(TS_P_LIST(fapl_id, FILE_ACCESS), value));
}

herr_t H5Pget_swmr_new_objects(hid_t fapl_id, hbool_t *allow)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(swmr_new_objects, bool, fapl_id, allow);
}

herr_t H5Pset_gc_references(hid_t fapl_id, unsigned gc_ref)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_fapl_set_gc_ref(TS_P_LIST(fapl_id, FILE_ACCESS), gc_ref));
}

herr_t H5Pget_gc_references(hid_t fapl_id, unsigned *gc_ref)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(gc_ref, unsigned, fapl_id, gc_ref);
}

herr_t H5Pset_fclose_degree(hid_t fapl_id, H5F_close_degree_t degree)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_fapl_set_close_degree(TS_P_LIST(fapl_id, FILE_ACCESS), degree));
}

herr_t H5Pget_fclose_degree(hid_t fapl_id, H5F_close_degree_t *degree)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(close_degree, H5F_close_degree_t, fapl_id, degree);
}

herr_t H5Pset_meta_block_size(hid_t fapl_id, hsize_t size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_fapl_set_meta_block(TS_P_LIST(fapl_id, FILE_ACCESS), size));
}

herr_t H5Pget_meta_block_size(hid_t fapl_id, hsize_t *size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(meta_block, hsize_t, fapl_id, size);
}

herr_t H5Pset_small_data_block_size(hid_t fapl_id, hsize_t size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_fapl_set_small_block(TS_P_LIST(fapl_id, FILE_ACCESS), size));
}

herr_t H5Pget_small_data_block_size(hid_t fapl_id, hsize_t *size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(small_block, hsize_t, fapl_id, size);
}

herr_t H5Pset_sieve_buf_size(hid_t fapl_id, size_t size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_fapl_set_sieve_buf(TS_P_LIST(fapl_id, FILE_ACCESS), size));
}

herr_t H5Pget_sieve_buf_size(hid_t fapl_id, size_t *size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(sieve_buf, size_t, fapl_id, size);
}

herr_t H5Pset_libver_bounds(hid_t plist_id, H5F_libver_t low, H5F_libver_t high)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (low < H5F_LIBVER_EARLIEST || low > TS_ABI_LIBVER_NEWEST)
        return TS_API_ERR(-1, ARGS, BADRANGE, "low bound is not valid: %d", (int)low);
    if (high < H5F_LIBVER_EARLIEST || high > TS_ABI_LIBVER_NEWEST)
        return TS_API_ERR(-1, ARGS, BADRANGE, "high bound is not valid: %d", (int)high);
    if (high == H5F_LIBVER_EARLIEST || low > high)
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          "Invalid (low,high) combination of library version bound: library versions from %d up to %d",
                          (int)low, (int)high);
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    int from = (int)low, to = (int)high;
    if (!pl || ts_fapl_set_libver_low(pl, from) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fapl_set_libver_high(pl, to));
}

herr_t H5Pget_libver_bounds(hid_t plist_id, H5F_libver_t *low, H5F_libver_t *high)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl || (low && ts_fapl_libver_low(pl, low) < 0) || (high && ts_fapl_libver_high(pl, high) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pset_elink_file_cache_size(hid_t plist_id, unsigned efc_size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_fapl_set_elink_cache(TS_P_LIST(plist_id, FILE_ACCESS), efc_size));
}

herr_t H5Pget_elink_file_cache_size(hid_t plist_id, unsigned *efc_size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    GETTER(elink_cache, unsigned, plist_id, efc_size);
}

herr_t H5Pset_file_image(hid_t fapl_id, void *buf_ptr, size_t buf_len)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!buf_ptr != !buf_len)
        return TS_API_ERR(-1, ARGS, BADVALUE, "inconsistent buf_ptr and buf_len: %zu bytes at %p", buf_len, buf_ptr);
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    return TS_API_RET(pl ? ts_fapl_set_image(pl, buf_ptr, buf_len) : -1);
}

herr_t H5Pget_file_image(hid_t fapl_id, void **buf_ptr_ptr, size_t *buf_len_ptr)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    return TS_API_RET(pl ? ts_fapl_image(pl, buf_ptr_ptr, buf_len_ptr) : -1);
}

herr_t H5Pset_file_image_callbacks(hid_t fapl_id, H5FD_file_image_callbacks_t *callbacks_ptr)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    return TS_API_RET(pl ? ts_fapl_set_image_calls(pl, callbacks_ptr) : -1);
}

herr_t H5Pget_file_image_callbacks(hid_t fapl_id, H5FD_file_image_callbacks_t *callbacks_ptr)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!callbacks_ptr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL callbacks_ptr");
    return TS_API_RET(ts_fapl_image_calls(pl, callbacks_ptr));
}

herr_t H5Pset_core_write_tracking(hid_t fapl_id, hbool_t is_enabled, size_t page_size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (page_size == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "page_size cannot be zero: pages of no size");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl || ts_fapl_set_core_tracking(pl, is_enabled) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fapl_set_core_tracking_page(pl, page_size));
}

herr_t H5Pget_core_write_tracking(hid_t fapl_id, hbool_t *is_enabled, size_t *page_size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl || (is_enabled && ts_fapl_core_tracking(pl, is_enabled) < 0) ||
        (page_size && ts_fapl_core_tracking_page(pl, page_size) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pset_metadata_read_attempts(hid_t plist_id, unsigned attempts)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (attempts == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "number of metadatata read attempts must be greater than 0");
    return TS_API_RET(ts_fapl_set_read_attempts(TS_P_LIST(plist_id, FILE_ACCESS), attempts));
}

herr_t H5Pget_metadata_read_attempts(hid_t plist_id, unsigned *attempts)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned value;
    if (ts_fapl_read_attempts(TS_P_LIST(plist_id, FILE_ACCESS), &value) < 0)
        return TS_API_FAIL(-1);
    if (attempts)
        *attempts = value ? value : 1;
    return 0;
}

herr_t H5Pset_object_flush_cb(hid_t plist_id, H5F_flush_cb_t func, void *udata)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!func && udata)
        return TS_API_ERR(-1, ARGS, BADVALUE, "callback is NULL while user data is not");
    struct ts_flush_cb cb = {func, udata};
    return TS_API_RET(ts_fapl_set_flush_cb(TS_P_LIST(plist_id, FILE_ACCESS), &cb));
}

herr_t H5Pget_object_flush_cb(hid_t plist_id, H5F_flush_cb_t *func, void **udata)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_flush_cb cb;
    if (ts_fapl_flush_cb(TS_P_LIST(plist_id, FILE_ACCESS), &cb) < 0)
        return TS_API_FAIL(-1);
    if (func)
        *func = cb.func;
    if (udata)
        *udata = cb.data;
    return 0;
}

herr_t H5Pset_evict_on_close(hid_t fapl_id, hbool_t evict_on_close)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value",
                 TS_BAD_ID(PLIST, CANTREGISTER, "property list is not a file access plist"));
    return TS_API_RET(ts_fapl_set_evict_on_close(TS_P_LIST(fapl_id, FILE_ACCESS), evict_on_close));
}

herr_t H5Pget_evict_on_close(hid_t fapl_id, hbool_t *evict_on_close)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value",
                 TS_BAD_ID(PLIST, CANTREGISTER, "property list is not an access plist"));
    GETTER(evict_on_close, bool, fapl_id, evict_on_close);
}

herr_t H5Pset_file_locking(hid_t fapl_id, hbool_t use_file_locking, hbool_t ignore_when_disabled)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value",
                 TS_BAD_ID(PLIST, CANTREGISTER, "property list is not a file access plist"));
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl || ts_fapl_set_locking(pl, use_file_locking) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fapl_set_locking_ignore(pl, ignore_when_disabled));
}

herr_t H5Pget_file_locking(hid_t fapl_id, hbool_t *use_file_locking, hbool_t *ignore_when_disabled)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value",
                 TS_BAD_ID(PLIST, CANTREGISTER, "property list is not an access plist"));
    struct ts_plist *pl = TS_P_LIST(fapl_id, FILE_ACCESS);
    if (!pl || (use_file_locking && ts_fapl_locking(pl, use_file_locking) < 0) ||
        (ignore_when_disabled && ts_fapl_locking_ignore(pl, ignore_when_disabled) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pset_page_buffer_size(hid_t plist_id, size_t buf_size, unsigned min_meta_per, unsigned min_raw_per)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (min_meta_per > 100)
        return TS_API_ERR(-1, ARGS, BADVALUE, "Minimum metadata fractions must be between 0 and 100 inclusive: %u",
                          min_meta_per);
    if (min_raw_per > 100)
        return TS_API_ERR(-1, ARGS, BADVALUE, "Minimum rawdata fractions must be between 0 and 100 inclusive: %u",
                          min_raw_per);
    if (min_meta_per + min_raw_per > 100)
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          "Sum of minimum metadata and raw data fractions can't be bigger than 100: %u and %u",
                          min_meta_per, min_raw_per);
    if (ts_fapl_set_page_buf(pl, buf_size) < 0 || ts_fapl_set_page_buf_meta(pl, min_meta_per) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fapl_set_page_buf_raw(pl, min_raw_per));
}

herr_t H5Pget_page_buffer_size(hid_t plist_id, size_t *buf_size, unsigned *min_meta_per, unsigned *min_raw_per)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl || (buf_size && ts_fapl_page_buf(pl, buf_size) < 0) ||
        (min_meta_per && ts_fapl_page_buf_meta(pl, min_meta_per) < 0) ||
        (min_raw_per && ts_fapl_page_buf_raw(pl, min_raw_per) < 0))
        return TS_API_FAIL(-1);
    return 0;
}

herr_t H5Pset_relax_file_integrity_checks(hid_t plist_id, uint64_t flags)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value",
                 TS_BAD_ID(ARGS, BADVALUE, "plist_id is not a file access property list"));
    if (flags & ~(uint64_t)H5F_RFIC_ALL)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid flags: no checks %#llx to relax", (unsigned long long)flags);
    return TS_API_RET(ts_fapl_set_relax_checks(TS_P_LIST(plist_id, FILE_ACCESS), flags));
}

herr_t H5Pget_relax_file_integrity_checks(hid_t plist_id, uint64_t *flags)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value",
                 TS_BAD_ID(ARGS, BADVALUE, "plist_id is not a file access property list"));
    if (plist_id == H5P_DEFAULT)
        plist_id = H5P_FILE_ACCESS_DEFAULT;
    GETTER(relax_checks, uint64_t, plist_id, flags);
}
