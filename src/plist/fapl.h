/* File access lists. */
#ifndef TS_PLIST_FAPL_H
#define TS_PLIST_FAPL_H

#include <stdbool.h>
#include <stddef.h>

#include "H5ACpublic.h"
#include "H5FDpublic.h"
#include "H5Fpublic.h"
#include "driver/driver.h"
#include "plist/plist.h"

#define TS_P_DRIVER "vfd_info"                             /* struct ts_fapl_vfd */
#define TS_META_BLOCK_DEFAULT 2048

#define TS_P_ALIGN "align"                                 /* hsize_t */
#define TS_P_ALIGN_THRESHOLD "threshold"                   /* hsize_t */
#define TS_P_FILE_NSLOTS "rdcc_nslots"                     /* size_t */
#define TS_P_FILE_NBYTES "rdcc_nbytes"                     /* size_t */
#define TS_P_FILE_W0 "rdcc_w0"                             /* double */
#define TS_P_GC_REF "gc_ref"                               /* unsigned */
#define TS_P_CLOSE_DEGREE "close_degree"                   /* H5F_close_degree_t */
#define TS_P_FAMILY_OFFSET "family_offset"                 /* hsize_t */
#define TS_P_FAMILY_NEWSIZE "family_newsize"               /* hsize_t: the members were made anew, of this size */
#define TS_P_FAMILY_TO_SINGLE "family_to_single"           /* bool: the members were put together */
#define TS_P_MULTI_TYPE "multi_type"                       /* H5FD_mem_t */
#define TS_P_META_BLOCK "meta_block_size"                  /* hsize_t, TS_META_BLOCK_DEFAULT: metadata in no blocks */
#define TS_P_SMALL_BLOCK "sdata_block_size"                /* hsize_t */
#define TS_P_SIEVE_BUF "sieve_buf_size"                    /* size_t */
#define TS_P_LIBVER_LOW "libver_low_bound"                 /* H5F_libver_t */
#define TS_P_LIBVER_HIGH "libver_high_bound"               /* H5F_libver_t */
#define TS_P_ELINK_CACHE "efc_size"                        /* unsigned */
#define TS_P_IMAGE "file_image_info"                       /* struct ts_file_image */
#define TS_P_CORE_TRACKING "core_write_tracking_flag"      /* bool */
#define TS_P_CORE_TRACKING_PAGE "core_write_tracking_page_size" /* size_t */
#define TS_P_READ_ATTEMPTS "metadata_read_attempts"        /* unsigned, 0: the default */
#define TS_P_FLUSH_CB "object_flush_cb"                    /* struct ts_flush_cb */
#define TS_P_MDC_LOGGING "use_mdc_logging"                 /* bool */
#define TS_P_MDC_LOG_FILE "mdc_log_location"               /* char * */
#define TS_P_MDC_LOG_START "start_mdc_log_on_access"       /* bool */
#define TS_P_EVICT_ON_CLOSE "evict_on_close_flag"          /* bool */
#define TS_P_PAGE_BUF "page_buffer_size"                   /* size_t */
#define TS_P_PAGE_BUF_META "page_buffer_min_meta_perc"     /* unsigned */
#define TS_P_PAGE_BUF_RAW "page_buffer_min_raw_perc"       /* unsigned */
#define TS_P_MDC_CONFIG "mdc_initCacheCfg"                 /* H5AC_cache_config_t */
#define TS_P_MDC_IMAGE "mdc_initCacheImageCfg"             /* H5AC_cache_image_config_t */
#define TS_P_LOCKING "use_file_locking"                    /* bool */
#define TS_P_LOCKING_IGNORE "ignore_disabled_file_locks"   /* bool */
#define TS_P_RELAX_CHECKS "relax_file_integrity_checks"    /* uint64_t */
#define TS_P_DRIVER_CONFIG "driver_config_str"             /* char * */
#define TS_P_SWMR_NEW_OBJECTS "swmr_new_objects"           /* bool */
#define TS_P_SHARED_CACHE "shared_chunk_cache"             /* H5F_shared_chunk_cache_t, version 0: never set */
#define TS_P_DURABILITY "tessera_durability"               /* H5F_durability_t */

#define TS_P_EXTERNAL_ACCESS "external_access"             /* char *, a text of driver/access.h */
#define TS_P_WITHIN "opened_within"                        /* struct ts_fapl_within */

#define TS_CHUNK_THREADS_MAX 64

/* The driver and how it is set up. The members' access lists are kept whole, for H5Pget_fapl_family and _multi. */
struct ts_fapl_vfd {
    struct ts_driver_config config;
    struct ts_plist *members[TS_MULTI_MEMBERS]; /* family: the first, splitter: two; NULL: not used */
    bool has_info; /* set with settings, not by naming the driver alone */
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
/* A copy for a file that another names: as what (H5F_EXTERNAL_*), and what binds that one, which may be NULL. As in libhdf5,
 * its close degree is weak, whatever the list says. */
int ts_fapl_for_named(struct ts_plist *pl, struct ts_access *access, unsigned kind, struct ts_plist **out);
/* Once the file is open: the next one that somebody opens with the list is another. */
int ts_fapl_drop_within(struct ts_plist *pl);
/* What binds a file that is opened by that name with the list: what it was opened within, the list's own rules, and those of
 * the environment. For ts_access_unref; NULL: nothing does. */
int ts_fapl_access(struct ts_plist *pl, const char *name, struct ts_access **out);
/* The settings of the chunk cache that the list asks for. Where they were never set, H5Pset_cache speaks: its weight
 * is w0; 0 bytes is a budget of 0, more than the usual budget is the budget, and any number is what each dataset has in
 * reserve. */
int ts_fapl_chunk_cache(const struct ts_plist *pl, H5F_shared_chunk_cache_t *out);
int ts_fapl_set_chunk_cache(struct ts_plist *pl, const H5F_shared_chunk_cache_t *settings);
/* An error when they make no sense. */
int ts_chunk_cache_check(const H5F_shared_chunk_cache_t *settings);
/* The level that the list asks for; where it does not, the environment's, or the default. Never H5F_DURABILITY_DEFAULT. */
int ts_fapl_durability(const struct ts_plist *pl, H5F_durability_t *out);
int ts_fapl_set_durability(struct ts_plist *pl, H5F_durability_t level);
/* The settings a file starts with when nothing else is said. */
extern const H5AC_cache_config_t ts_mdc_default;

#endif
