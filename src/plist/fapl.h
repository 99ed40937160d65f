/* File access lists. */
#ifndef TS_PLIST_FAPL_H
#define TS_PLIST_FAPL_H

#include <stdbool.h>
#include <stddef.h>

#include "H5ACpublic.h"
#include "H5FDpublic.h"
#include "H5Fpublic.h"
#include "driver/driver.h"
#include "plist/property.h"

#define TS_META_BLOCK_DEFAULT 2048

#define TS_CHUNK_THREADS_MAX 64

/* The driver and how it is set up. The members' access lists are kept whole, for H5Pget_fapl_family and _multi. */
struct ts_fapl_vfd {
    struct ts_driver_config config;
    struct ts_plist *members[TS_MULTI_MEMBERS]; /* family: the first, splitter: two; NULL: not used */
    bool has_info;                              /* set with settings, not by naming the driver alone */
};

/* A file in memory that H5Fopen takes instead of one on disk. */
struct ts_file_image {
    void *buffer;
    size_t size;
    H5FD_file_image_callbacks_t calls;
};

/* The file is opened because another names it: what binds that one. */
struct ts_fapl_within {
    struct ts_access *access; /* counted */
    unsigned kind;
};

struct ts_flush_cb {
    H5F_flush_cb_t func;
    void *data;
};

TS_PROPERTY_OWNER(fapl, driver, struct ts_fapl_vfd, "vfd_info");
TS_PROPERTY(fapl, alignment, hsize_t, "align");
TS_PROPERTY(fapl, alignment_threshold, hsize_t, "threshold");
TS_PROPERTY(fapl, nslots, size_t, "rdcc_nslots");
TS_PROPERTY(fapl, nbytes, size_t, "rdcc_nbytes");
TS_PROPERTY(fapl, w0, double, "rdcc_w0");
TS_PROPERTY(fapl, gc_ref, unsigned, "gc_ref");
TS_PROPERTY(fapl, close_degree, H5F_close_degree_t, "close_degree");
TS_PROPERTY(fapl, family_offset, hsize_t, "family_offset");
TS_PROPERTY(fapl, family_new_size, hsize_t, "family_newsize"); /* the members were made anew, of this size */
TS_PROPERTY(fapl, family_to_single, bool, "family_to_single"); /* the members were put together */
TS_PROPERTY(fapl, multi_type, H5FD_mem_t, "multi_type");
TS_PROPERTY(fapl, meta_block, hsize_t, "meta_block_size"); /* TS_META_BLOCK_DEFAULT: metadata in no blocks */
TS_PROPERTY(fapl, small_block, hsize_t, "sdata_block_size");
TS_PROPERTY(fapl, sieve_buf, size_t, "sieve_buf_size");
TS_PROPERTY(fapl, libver_low, H5F_libver_t, "libver_low_bound");
TS_PROPERTY(fapl, libver_high, H5F_libver_t, "libver_high_bound");
TS_PROPERTY(fapl, elink_cache, unsigned, "efc_size");
TS_PROPERTY_OWNER(fapl, image, struct ts_file_image, "file_image_info");
TS_PROPERTY(fapl, core_tracking, bool, "core_write_tracking_flag");
TS_PROPERTY(fapl, core_tracking_page, size_t, "core_write_tracking_page_size");
TS_PROPERTY(fapl, read_attempts, unsigned, "metadata_read_attempts"); /* 0: the default */
TS_PROPERTY_STRUCT(fapl, flush_cb, struct ts_flush_cb, "object_flush_cb");
TS_PROPERTY(fapl, mdc_logging, bool, "use_mdc_logging");
TS_PROPERTY_TEXT(fapl, mdc_log_file, "mdc_log_location");
TS_PROPERTY(fapl, mdc_log_start, bool, "start_mdc_log_on_access");
TS_PROPERTY(fapl, evict_on_close, bool, "evict_on_close_flag");
TS_PROPERTY(fapl, page_buf, size_t, "page_buffer_size");
TS_PROPERTY(fapl, page_buf_meta, unsigned, "page_buffer_min_meta_perc");
TS_PROPERTY(fapl, page_buf_raw, unsigned, "page_buffer_min_raw_perc");
TS_PROPERTY_STRUCT(fapl, mdc_config, H5AC_cache_config_t, "mdc_initCacheCfg");
TS_PROPERTY_STRUCT(fapl, mdc_image, H5AC_cache_image_config_t, "mdc_initCacheImageCfg");
TS_PROPERTY(fapl, locking, bool, "use_file_locking");
TS_PROPERTY(fapl, locking_ignore, bool, "ignore_disabled_file_locks");
TS_PROPERTY(fapl, relax_checks, uint64_t, "relax_file_integrity_checks");
TS_PROPERTY_TEXT(fapl, driver_config, "driver_config_str");
TS_PROPERTY(fapl, swmr_new_objects, bool, "swmr_new_objects");
/* As set: ts_fapl_chunk_cache and ts_fapl_durability say what holds. Version 0: never set. */
TS_PROPERTY_STRUCT(fapl, said_chunk_cache, H5F_shared_chunk_cache_t, "shared_chunk_cache");
TS_PROPERTY(fapl, said_durability, H5F_durability_t, "tessera_durability");
TS_PROPERTY_TEXT(fapl, external_access, "external_access"); /* a text of driver/access.h */
/* The application swears that nobody else has the file, by putting this property into its access list. */
TS_PROPERTY(fapl, sworn_alone, unsigned, "tessera_recover");
TS_PROPERTY_OWNER(fapl, within, struct ts_fapl_within, "opened_within");

/* What to open with, a file image included; borrowed while nobody sets anything in the list. */
const struct ts_driver_config *ts_fapl_driver(struct ts_plist *pl);
/* Copies: the configuration with its members set from the lists of vfd->members. */
int ts_fapl_set_driver(struct ts_plist *pl, const struct ts_fapl_vfd *vfd);
/* A deep copy, for ts_fapl_vfd_deinit. */
int ts_fapl_vfd(struct ts_plist *pl, struct ts_fapl_vfd *out);
void ts_fapl_vfd_deinit(struct ts_fapl_vfd *vfd);
int ts_fapl_set_image(struct ts_plist *pl, const void *buffer, size_t size);
/* As closing the list would. */
int ts_fapl_drop_image(struct ts_plist *pl);
/* A copy made as the list's image callbacks want it; *buffer NULL when there is no image. */
int ts_fapl_image(struct ts_plist *pl, void **buffer, size_t *size);
int ts_fapl_set_image_calls(struct ts_plist *pl, const H5FD_file_image_callbacks_t *calls);
/* The callbacks; udata is a copy. */
int ts_fapl_image_calls(struct ts_plist *pl, H5FD_file_image_callbacks_t *out);
/* A copy for a file that another names: as what (H5F_EXTERNAL_*), and what binds that one, which may be NULL. As in
 * libhdf5, its close degree is weak, whatever the list says. */
int ts_fapl_for_named(struct ts_plist *pl, struct ts_access *access, unsigned kind, struct ts_plist **out);
/* Once the file is open: the next one that somebody opens with the list is another. */
int ts_fapl_drop_within(struct ts_plist *pl);
/* What binds a file that is opened by that name with the list: what it was opened within, the list's own rules, and
 * those of the environment. For ts_access_unref; NULL: nothing does. */
int ts_fapl_access(struct ts_plist *pl, const char *name, struct ts_access **out);
/* The settings of the chunk cache that the list asks for. Where they were never set, H5Pset_cache speaks: its weight
 * is w0; 0 bytes is a budget of 0, more than the usual budget is the budget, and any number is what each dataset has in
 * reserve. */
int ts_fapl_chunk_cache(const struct ts_plist *pl, H5F_shared_chunk_cache_t *out);
int ts_fapl_set_chunk_cache(struct ts_plist *pl, const H5F_shared_chunk_cache_t *settings);
/* An error when they make no sense. */
int ts_chunk_cache_check(const H5F_shared_chunk_cache_t *settings);
/* The level that the list asks for; where it does not, the environment's, or the default. Never
 * H5F_DURABILITY_DEFAULT. */
int ts_fapl_durability(const struct ts_plist *pl, H5F_durability_t *out);
int ts_fapl_set_durability(struct ts_plist *pl, H5F_durability_t level);
/* The settings a file starts with when nothing else is said. */
extern const H5AC_cache_config_t ts_mdc_default;

#endif
