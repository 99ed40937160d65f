/* H5F: what a file takes, what is free in it, its metadata cache and its settings. */
#include <string.h>

#include "H5Fpublic.h"
#include "api/api.h"
#include "api/flush.h"
#include "api/location.h"
#include "api/mdc_check.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "container/info.h"
#include "container/page_buffer.h"
#include "container/setup.h"
#include "meta/meta.h"
#include "plist/fapl.h"

herr_t H5Fget_info2(hid_t obj_id, H5F_info2_t *file_info)
{
    TS_API_ENTER(FILE, CANTGET, "can't retrieve file info", TS_BAD_ID(ARGS, BADTYPE, "invalid object identifier"));
    struct ts_loc loc;
    if (!file_info)
        return TS_API_ERR(-1, ARGS, BADVALUE, "file info pointer can't be NULL");
    if (ts_api_gone(obj_id, H5I_FILE))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a file or file object");
    if (ts_api_location(&ts_scope_, obj_id, &loc) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_container_info(loc.fh->file, file_info));
}

herr_t H5Fget_info1(hid_t obj_id, H5F_info1_t *file_info)
{
    TS_API_ENTER(FILE, CANTGET, "can't retrieve file info", TS_BAD_ID(ARGS, BADVALUE, "not a valid object ID"));
    struct ts_loc loc;
    H5F_info2_t info;
    if (!file_info)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no info struct");
    if (ts_api_gone(obj_id, H5I_FILE))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a file");
    if (ts_api_location(&ts_scope_, obj_id, &loc) < 0 || ts_container_info(loc.fh->file, &info) < 0)
        return TS_API_FAIL(-1);
    *file_info = (H5F_info1_t){.super_ext_size = info.super.super_ext_size,
                               .sohm = {.hdr_size = info.sohm.hdr_size, .msgs_info = info.sohm.msgs_info}};
    return 0;
}

hssize_t H5Fget_freespace(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTGET, "can't check free space for file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    uint64_t bytes;
    if (!fh || ts_api_write_waiting(fh->file) < 0 || ts_container_free_bytes(fh->file, &bytes) < 0)
        return TS_API_FAIL(-1);
    return (hssize_t)bytes;
}

ssize_t H5Fget_free_sections(hid_t file_id, H5F_mem_t type, size_t nsects, H5F_sect_info_t *sect_info)
{
    TS_API_ENTER(FILE, CANTGET, "unable to get free-space sections info");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    H5F_sect_info_t *sections;
    size_t n;
    if (!fh)
        return TS_API_FAIL(-1);
    if (sect_info && nsects == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nsects must be > 0");
    if (type < H5FD_MEM_DEFAULT || type >= H5FD_MEM_NTYPES)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%d is no kind of file memory", (int)type);
    if (ts_api_write_waiting(fh->file) < 0 || ts_container_free_sections(fh->file, type, &sections, &n) < 0)
        return TS_API_FAIL(-1);
    if (sect_info && n > 0)
        memcpy(sect_info, sections, (n < nsects ? n : nsects) * sizeof *sections);
    ts_free(sections);
    return (ssize_t)n;
}

herr_t H5Fget_mdc_config(hid_t file_id, H5AC_cache_config_t *config_ptr)
{
    TS_API_ENTER(CACHE, SYSTEM, "H5AC_get_cache_auto_resize_config() failed.",
                 TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (!config_ptr || config_ptr->version != H5AC__CURR_CACHE_CONFIG_VERSION)
        return TS_API_ERR(-1, ARGS, BADVALUE, "Bad config_ptr: its version must be set on input");
    ts_meta_config(fh->file, config_ptr);
    /* The initial size was of use once. */
    config_ptr->set_initial_size = false;
    /* There is no trace of it, and no other process to write for. */
    config_ptr->open_trace_file = config_ptr->close_trace_file = false;
    config_ptr->trace_file_name[0] = '\0';
    config_ptr->dirty_bytes_threshold = 256 * 1024;
    config_ptr->metadata_write_strategy = H5AC_METADATA_WRITE_STRATEGY__DISTRIBUTED;
    return 0;
}

herr_t H5Fset_mdc_config(hid_t file_id, H5AC_cache_config_t *config_ptr)
{
    TS_API_ENTER(CACHE, CANTSET, "unable to set the settings of the metadata cache");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (ts_mdc_check(config_ptr) < 0)
        return TS_API_ERR(-1, FILE, CANTSET, "unable to set metadata cache configuration");
    ts_meta_configure(fh->file, config_ptr);
    return 0;
}

herr_t H5Fget_mdc_hit_rate(hid_t file_id, double *hit_rate_ptr)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file", TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    struct ts_meta_stats stats;
    if (!hit_rate_ptr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL hit rate pointer");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    ts_meta_stats(fh->file, &stats);
    *hit_rate_ptr = stats.asked ? (double)stats.found / (double)stats.asked : 0.0;
    return 0;
}

herr_t H5Freset_mdc_hit_rate_stats(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    ts_meta_reset_rate(fh->file);
    return 0;
}

herr_t H5Fget_mdc_size(hid_t file_id, size_t *max_size_ptr, size_t *min_clean_size_ptr, size_t *cur_size_ptr,
                       int *cur_num_entries_ptr)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file", TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    struct ts_meta_stats stats;
    H5AC_cache_config_t config;
    if (!fh)
        return TS_API_FAIL(-1);
    ts_meta_stats(fh->file, &stats);
    ts_meta_config(fh->file, &config);
    if (max_size_ptr)
        *max_size_ptr = stats.budget;
    if (min_clean_size_ptr)
        *min_clean_size_ptr = (size_t)((double)stats.budget * config.min_clean_fraction);
    if (cur_size_ptr)
        *cur_size_ptr = stats.bytes;
    if (cur_num_entries_ptr)
        *cur_num_entries_ptr = (int)stats.entries;
    return 0;
}

herr_t H5Fget_mdc_image_info(hid_t file_id, haddr_t *image_addr, hsize_t *image_size)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file",
                 TS_BAD_ID(ARGS, BADTYPE, "hid_t identifier is not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (!image_addr || !image_size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL image addr or image len");
    const struct ts_cache_image *image = &ts_container_extension(fh->file)->image;
    *image_addr = image->addr;
    *image_size = image->addr == HADDR_UNDEF ? 0 : image->size;
    return 0;
}

herr_t H5Fget_mdc_logging_status(hid_t file_id, hbool_t *is_enabled, hbool_t *is_currently_logging)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file",
                 TS_BAD_ID(ARGS, BADTYPE, "hid_t identifier is not a file ID"));
    if (!TS_API_OBJ(file_id, H5I_FILE))
        return TS_API_FAIL(-1);
    /* The cache keeps no log. */
    if (is_enabled)
        *is_enabled = false;
    if (is_currently_logging)
        *is_currently_logging = false;
    return 0;
}

static int no_log(void)
{
    return TS_ERR(CACHE, LOGGING, "logging not enabled");
}

herr_t H5Fstart_mdc_logging(hid_t file_id)
{
    TS_API_ENTER(FILE, LOGGING, "unable to start mdc logging",
                 TS_BAD_ID(ARGS, BADTYPE, "hid_t identifier is not a file ID"));
    return TS_API_OBJ(file_id, H5I_FILE) ? TS_API_RET(no_log()) : TS_API_FAIL(-1);
}

herr_t H5Fstop_mdc_logging(hid_t file_id)
{
    TS_API_ENTER(FILE, LOGGING, "unable to stop mdc logging",
                 TS_BAD_ID(ARGS, BADTYPE, "hid_t identifier is not a file ID"));
    return TS_API_OBJ(file_id, H5I_FILE) ? TS_API_RET(no_log()) : TS_API_FAIL(-1);
}

/* Nothing goes through the page buffer, so that it has nothing to count. */
static int check_page_buffer(const struct ts_fhandle *fh)
{
    return ts_page_buffer_wanted(fh->file) ? 0 : TS_ERR(ARGS, BADTYPE, "page buffering not enabled on file");
}

herr_t H5Fget_page_buffering_stats(hid_t file_id, unsigned accesses[2], unsigned hits[2], unsigned misses[2],
                                   unsigned evictions[2], unsigned bypasses[2])
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file", TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (check_page_buffer(fh) < 0)
        return TS_API_FAIL(-1);
    if (!accesses || !hits || !misses || !evictions || !bypasses)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL input parameters for stats");
    for (int i = 0; i < 2; i++)
        accesses[i] = hits[i] = misses[i] = evictions[i] = bypasses[i] = 0;
    return 0;
}

herr_t H5Freset_page_buffering_stats(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    return TS_API_RET(check_page_buffer(fh));
}

static int retry_info(struct ts_file *f, H5F_retry_info_t *info)
{
    memset(info, 0, sizeof *info);
    int status = ts_retry_bins(f, &info->nbins);
    for (unsigned i = 0; status == 0 && i < H5F_NUM_METADATA_READ_RETRY_TYPES; i++)
        status = ts_retry_counts(f, i + 1, &info->retries[i]);
    for (unsigned i = 0; status < 0 && i < H5F_NUM_METADATA_READ_RETRY_TYPES; i++) {
        ts_free(info->retries[i]);
        info->retries[i] = NULL;
    }
    return status;
}

herr_t H5Fget_metadata_read_retry_info(hid_t file_id, H5F_retry_info_t *info)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file", TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    if (!info)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no info struct");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    return TS_API_RET(retry_info(fh->file, info));
}

herr_t H5Fget_dset_no_attrs_hint(hid_t file_id, hbool_t *minimize)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file");
    if (!minimize)
        return TS_API_ERR(-1, ARGS, BADVALUE, "out pointer 'minimize' cannot be NULL");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    *minimize = atomic_load(&fh->file->agreed.no_attrs_hint);
    return 0;
}

herr_t H5Fset_dset_no_attrs_hint(hid_t file_id, hbool_t minimize)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    atomic_store(&fh->file->agreed.no_attrs_hint, minimize);
    return 0;
}

static int set_bounds(struct ts_file *f, H5F_libver_t low, H5F_libver_t high)
{
    if (low < H5F_LIBVER_EARLIEST || high < low || high > TS_ABI_LIBVER_NEWEST)
        return TS_ERR(ARGS, BADVALUE, "versions from %d to %d", (int)low, (int)high);
    /* What a SWMR writer makes has checksums. */
    if (f->swmr == TS_SWMR_WRITER && low < H5F_LIBVER_V110)
        low = H5F_LIBVER_V110;
    if (ts_file_set_low_bound(f, low) < 0)
        return -1;
    return ts_fapl_set_libver_high(f->fapl, high);
}

herr_t H5Fset_libver_bounds(hid_t file_id, H5F_libver_t low, H5F_libver_t high)
{
    TS_API_ENTER(FILE, CANTSET, "can't set library version bounds", TS_BAD_ID(FILE, BADVALUE, "not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    return TS_API_RET(set_bounds(fh->file, low, high));
}

herr_t H5Fset_latest_format(hid_t file_id, hbool_t latest_format)
{
    TS_API_ENTER(FILE, CANTSET, "can't set library version bounds", TS_BAD_ID(FILE, BADVALUE, "not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    H5F_libver_t low = latest_format ? TS_ABI_LIBVER_LATEST : H5F_LIBVER_EARLIEST;
    return TS_API_RET(set_bounds(fh->file, low, TS_ABI_LIBVER_LATEST));
}

herr_t H5Fclear_elink_file_cache(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTRELEASE, "can't release external file cache", TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    if (!TS_API_OBJ(file_id, H5I_FILE))
        return TS_API_FAIL(-1);
    /* A file behind an external link is open only while something in it is: nothing is kept to be let go. */
    return 0;
}
