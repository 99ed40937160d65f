/* H5P: the metadata cache's settings in file access lists. */
#include <string.h>

#include "H5ACpublic.h"
#include "api/mdc_check.h"
#include "api/plist_args.h"
#include "base/alloc.h"
#include "plist/engine.h"
#include "plist/fapl.h"
#include "plist/lapl.h"

enum { MAX_LOG_NAME = 1024 };
#define KIB 1024ull
#define MIB (1024ull * KIB)

static bool within(double v, double low, double high)
{
    return v >= low && v <= high;
}

static int check_sizes(const H5AC_cache_config_t *c)
{
    if (c->max_size < KIB || c->max_size > 128 * MIB || c->min_size < KIB || c->min_size > c->max_size)
        return TS_ERR(ARGS, BADVALUE, "cache sizes from %zu to %zu", c->min_size, c->max_size);
    if (c->set_initial_size && (c->initial_size < c->min_size || c->initial_size > c->max_size))
        return TS_ERR(ARGS, BADVALUE, "initial cache size %zu", c->initial_size);
    if (!within(c->min_clean_fraction, 0.0, 1.0))
        return TS_ERR(ARGS, BADVALUE, "clean fraction %g", c->min_clean_fraction);
    if (c->epoch_length < 100 || c->epoch_length > 1000000)
        return TS_ERR(ARGS, BADVALUE, "epochs of %ld accesses", c->epoch_length);
    return 0;
}

static int check_growth(const H5AC_cache_config_t *c)
{
    if (c->incr_mode != H5C_incr__off && c->incr_mode != H5C_incr__threshold)
        return TS_ERR(ARGS, BADVALUE, "no way %d to grow", (int)c->incr_mode);
    if (c->incr_mode == H5C_incr__threshold && (!within(c->lower_hr_threshold, 0.0, 1.0) || !(c->increment >= 1.0)))
        return TS_ERR(ARGS, BADVALUE, "grow below hit rate %g by %g", c->lower_hr_threshold, c->increment);
    if (c->flash_incr_mode != H5C_flash_incr__off && c->flash_incr_mode != H5C_flash_incr__add_space)
        return TS_ERR(ARGS, BADVALUE, "no way %d to grow at once", (int)c->flash_incr_mode);
    if (c->flash_incr_mode == H5C_flash_incr__add_space &&
        (!within(c->flash_multiple, 0.1, 10.0) || !within(c->flash_threshold, 0.1, 1.0)))
        return TS_ERR(ARGS, BADVALUE, "grow at once by %g from %g on", c->flash_multiple, c->flash_threshold);
    return 0;
}

static int check_shrinking(const H5AC_cache_config_t *c)
{
    bool by_rate = c->decr_mode == H5C_decr__threshold || c->decr_mode == H5C_decr__age_out_with_threshold;
    bool by_age = c->decr_mode == H5C_decr__age_out || c->decr_mode == H5C_decr__age_out_with_threshold;
    if (c->decr_mode != H5C_decr__off && !by_rate && !by_age)
        return TS_ERR(ARGS, BADVALUE, "no way %d to shrink", (int)c->decr_mode);
    if (by_rate && !within(c->upper_hr_threshold, 0.0, 1.0))
        return TS_ERR(ARGS, BADVALUE, "shrink above hit rate %g", c->upper_hr_threshold);
    if (c->decr_mode == H5C_decr__threshold && !within(c->decrement, 0.0, 1.0))
        return TS_ERR(ARGS, BADVALUE, "shrink by %g", c->decrement);
    if (by_age && (c->epochs_before_eviction < 1 || c->epochs_before_eviction > 10))
        return TS_ERR(ARGS, BADVALUE, "evict after %d epochs", c->epochs_before_eviction);
    if (by_age && c->apply_empty_reserve && !within(c->empty_reserve, 0.0, 1.0))
        return TS_ERR(ARGS, BADVALUE, "empty reserve %g", c->empty_reserve);
    if (by_rate && c->incr_mode == H5C_incr__threshold && c->lower_hr_threshold >= c->upper_hr_threshold)
        return TS_ERR(ARGS, BADVALUE, "grow below hit rate %g, but shrink above %g", c->lower_hr_threshold,
                      c->upper_hr_threshold);
    return 0;
}

int ts_mdc_check(const H5AC_cache_config_t *c)
{
    if (!c)
        return TS_ERR(ARGS, BADVALUE, "no metadata cache configuration");
    if (c->version != H5AC__CURR_CACHE_CONFIG_VERSION)
        return TS_ERR(ARGS, BADVALUE, "cache settings of version %d", c->version);
    if (c->open_trace_file) {
        size_t n = strnlen(c->trace_file_name, sizeof c->trace_file_name);
        if (n == 0 || n > H5AC__MAX_TRACE_FILE_NAME_LEN)
            return TS_ERR(ARGS, BADVALUE, "a trace file needs a name of 1 to %d bytes", H5AC__MAX_TRACE_FILE_NAME_LEN);
    }
    if (!c->evictions_enabled &&
        (c->incr_mode != H5C_incr__off || c->flash_incr_mode != H5C_flash_incr__off || c->decr_mode != H5C_decr__off))
        return TS_ERR(ARGS, BADVALUE, "a cache that evicts nothing cannot change its size");
    if (c->dirty_bytes_threshold < KIB / 2 || c->dirty_bytes_threshold > 32 * MIB)
        return TS_ERR(ARGS, BADVALUE, "dirty bytes threshold %zu", c->dirty_bytes_threshold);
    if (c->metadata_write_strategy != H5AC_METADATA_WRITE_STRATEGY__PROCESS_0_ONLY &&
        c->metadata_write_strategy != H5AC_METADATA_WRITE_STRATEGY__DISTRIBUTED)
        return TS_ERR(ARGS, BADVALUE, "no metadata write strategy %d", c->metadata_write_strategy);
    if (check_sizes(c) < 0 || check_growth(c) < 0)
        return -1;
    return check_shrinking(c);
}

herr_t H5Pset_mdc_config(hid_t plist_id, H5AC_cache_config_t *config_ptr)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (ts_mdc_check(config_ptr) < 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid metadata cache configuration");
    return TS_API_RET(ts_fapl_set_mdc_config(pl, config_ptr));
}

herr_t H5Pget_mdc_config(hid_t plist_id, H5AC_cache_config_t *config_ptr)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!config_ptr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL config_ptr on entry.");
    if (config_ptr->version != H5AC__CURR_CACHE_CONFIG_VERSION)
        return TS_API_ERR(-1, ARGS, BADVALUE, "Unknown config version. It must be set on entry, and is %d",
                          config_ptr->version);
    return TS_API_RET(ts_fapl_mdc_config(pl, config_ptr));
}

herr_t H5Pset_mdc_image_config(hid_t plist_id, H5AC_cache_image_config_t *config_ptr)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!config_ptr || config_ptr->version != H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION)
        return TS_API_ERR(-1, ARGS, BADVALUE,
                          "invalid metadata cache image configuration: none, or of another version");
    /* There is room for both in the settings, but no release of HDF5 does either. */
    if (config_ptr->entry_ageout != H5AC__CACHE_IMAGE__ENTRY_AGEOUT__NONE || config_ptr->save_resize_status)
        return TS_API_ERR(
            -1, ARGS, BADVALUE,
            "invalid metadata cache image configuration: an image keeps no resize status, and no entry ages out");
    return TS_API_RET(ts_fapl_set_mdc_image(pl, config_ptr));
}

herr_t H5Pget_mdc_image_config(hid_t plist_id, H5AC_cache_image_config_t *config_ptr)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!config_ptr)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL config_ptr on entry.");
    if (config_ptr->version != H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION)
        return TS_API_ERR(-1, ARGS, BADVALUE, "Unknown image config version. It must be set on entry, and is %d",
                          config_ptr->version);
    return TS_API_RET(ts_fapl_mdc_image(pl, config_ptr));
}

herr_t H5Pset_mdc_log_options(hid_t plist_id, hbool_t is_enabled, const char *location, hbool_t start_on_access)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value",
                 TS_BAD_ID(ARGS, BADVALUE, "plist_id is not a file access property list"));
    if (plist_id == H5P_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADVALUE, "can't modify default property list");
    if (!location)
        return TS_API_ERR(-1, ARGS, BADVALUE, "location cannot be NULL");
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    if (!pl)
        return TS_API_FAIL(-1);
    if (strlen(location) > MAX_LOG_NAME)
        return TS_API_ERR(-1, ARGS, BADVALUE, "a log needs a name of at most %d bytes", MAX_LOG_NAME);
    if (ts_fapl_set_mdc_logging(pl, is_enabled) < 0 || ts_fapl_set_mdc_log_file(pl, location) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_fapl_set_mdc_log_start(pl, start_on_access));
}

herr_t H5Pget_mdc_log_options(hid_t plist_id, hbool_t *is_enabled, char *location, size_t *location_size,
                              hbool_t *start_on_access)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value",
                 TS_BAD_ID(ARGS, BADVALUE, "plist_id is not a file access property list"));
    struct ts_plist *pl = TS_P_LIST(plist_id, FILE_ACCESS);
    char *name;
    if (!pl || (is_enabled && ts_fapl_mdc_logging(pl, is_enabled) < 0) ||
        (start_on_access && ts_fapl_mdc_log_start(pl, start_on_access) < 0) || ts_fapl_mdc_log_file(pl, &name) < 0)
        return TS_API_FAIL(-1);
    if (location && location_size && name)
        ts_api_copy_name(location, *location_size, name);
    if (location_size)
        *location_size = name ? strlen(name) + 1 : 0;
    ts_free(name);
    return 0;
}
