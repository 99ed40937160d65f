/* H5F: files. */
#ifndef H5Fpublic_H
#define H5Fpublic_H

#include "H5public.h"
#include "H5ACpublic.h"
#include "H5Ipublic.h"

#define H5F_ACC_RDONLY (H5CHECK H5OPEN 0x0000u)
#define H5F_ACC_RDWR (H5CHECK H5OPEN 0x0001u)
#define H5F_ACC_TRUNC (H5CHECK H5OPEN 0x0002u)
#define H5F_ACC_EXCL (H5CHECK H5OPEN 0x0004u)
#define H5F_ACC_CREAT (H5CHECK H5OPEN 0x0010u)
#define H5F_ACC_SWMR_WRITE (H5CHECK 0x0020u)
#define H5F_ACC_SWMR_READ (H5CHECK 0x0040u)
/* The default size of the page buffer since 2.0. */
#define H5F_PAGE_BUFFER_SIZE_DEFAULT SIZE_MAX

#define H5F_ACC_DEFAULT (H5CHECK H5OPEN 0xffffu)

#define H5F_OBJ_FILE (0x0001u)
#define H5F_OBJ_DATASET (0x0002u)
#define H5F_OBJ_GROUP (0x0004u)
#define H5F_OBJ_DATATYPE (0x0008u)
#define H5F_OBJ_ATTR (0x0010u)
#define H5F_OBJ_ALL (H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_DATATYPE | H5F_OBJ_ATTR)
#define H5F_OBJ_LOCAL (0x0020u)

#define H5F_FAMILY_DEFAULT 0
#define H5F_UNLIMITED HSIZE_UNDEF

/* Checks on a file that H5Pset_relax_file_integrity_checks can switch off. */
#define H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS 0x0001u
#define H5F_RFIC_ALL (H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS)

typedef enum H5F_scope_t {
    H5F_SCOPE_LOCAL = 0,
    H5F_SCOPE_GLOBAL = 1
} H5F_scope_t;

typedef enum H5F_close_degree_t {
    H5F_CLOSE_DEFAULT = 0,
    H5F_CLOSE_WEAK = 1,
    H5F_CLOSE_SEMI = 2,
    H5F_CLOSE_STRONG = 3
} H5F_close_degree_t;

typedef struct H5F_info2_t {
    struct {
        unsigned version;
        hsize_t super_size;
        hsize_t super_ext_size;
    } super;
    struct {
        unsigned version;
        hsize_t meta_size;
        hsize_t tot_space;
    } free;
    struct {
        unsigned version;
        hsize_t hdr_size;
        H5_ih_info_t msgs_info;
    } sohm;
} H5F_info2_t;

typedef struct H5F_info1_t {
    hsize_t super_ext_size;
    struct {
        hsize_t hdr_size;
        H5_ih_info_t msgs_info;
    } sohm;
} H5F_info1_t;

/* What kind of data a piece of file space holds. */
typedef enum H5F_mem_t {
    H5FD_MEM_NOLIST = -1,
    H5FD_MEM_DEFAULT = 0,
    H5FD_MEM_SUPER = 1,
    H5FD_MEM_BTREE = 2,
    H5FD_MEM_DRAW = 3,
    H5FD_MEM_GHEAP = 4,
    H5FD_MEM_LHEAP = 5,
    H5FD_MEM_OHDR = 6,
    H5FD_MEM_NTYPES
} H5F_mem_t;

typedef struct H5F_sect_info_t {
    haddr_t addr;
    hsize_t size;
} H5F_sect_info_t;

typedef enum H5F_libver_t {
    H5F_LIBVER_ERROR = -1,
    H5F_LIBVER_EARLIEST = 0,
    H5F_LIBVER_V18 = 1,
    H5F_LIBVER_V110 = 2,
    H5F_LIBVER_V112 = 3,
    H5F_LIBVER_V114 = 4,
    H5F_LIBVER_V200 = 5,
#if H5_API_LEVEL >= 200
    H5F_LIBVER_LATEST = 5,
#else
#define H5F_LIBVER_LATEST H5F_LIBVER_V114 /* what only HDF5 2.0 reads is written when it is asked for */
#endif
    H5F_LIBVER_NBOUNDS
} H5F_libver_t;

typedef enum H5F_fspace_strategy_t {
    H5F_FSPACE_STRATEGY_FSM_AGGR = 0,
    H5F_FSPACE_STRATEGY_PAGE = 1,
    H5F_FSPACE_STRATEGY_AGGR = 2,
    H5F_FSPACE_STRATEGY_NONE = 3,
    H5F_FSPACE_STRATEGY_NTYPES
} H5F_fspace_strategy_t;

typedef enum H5F_file_space_type_t {
    H5F_FILE_SPACE_DEFAULT = 0,
    H5F_FILE_SPACE_ALL_PERSIST = 1,
    H5F_FILE_SPACE_ALL = 2,
    H5F_FILE_SPACE_AGGR_VFD = 3,
    H5F_FILE_SPACE_VFD = 4,
    H5F_FILE_SPACE_NTYPES
} H5F_file_space_type_t;

#define H5F_NUM_METADATA_READ_RETRY_TYPES 21

typedef struct H5F_retry_info_t {
    unsigned nbins;
    uint32_t *retries[H5F_NUM_METADATA_READ_RETRY_TYPES];
} H5F_retry_info_t;

/* Files that a file names, for H5Pset_external_access: how far its owner may reach with them. */
#define H5F_EXTERNAL_RAW 0x01u    /* raw data files of H5Pset_external, read, written and made */
#define H5F_EXTERNAL_LINK 0x02u   /* targets of external links, files of references */
#define H5F_EXTERNAL_SOURCE 0x04u /* sources of virtual datasets */
#define H5F_EXTERNAL_PLUGIN 0x08u /* plugins that its filters need */
#define H5F_EXTERNAL_ALL 0x0fu

typedef enum H5F_external_access_t {
    H5F_EXTERNAL_ANYWHERE = 0, /* as in libhdf5 */
    H5F_EXTERNAL_FOLDER = 1,   /* in the folder of the file and below */
    H5F_EXTERNAL_LIST = 2,     /* in listed folders and below */
    H5F_EXTERNAL_NONE = 3      /* nowhere */
} H5F_external_access_t;

/* What is safe from what, of Tessera's own; docs/crash-safety.md has the table. Where H5Pset_durability was not called the
 * environment speaks: TESSERA_DURABILITY=process, ordered or flush. */
typedef enum H5F_durability_t {
    H5F_DURABILITY_DEFAULT = 0, /* of a list: as the environment says, or else as PROCESS */
    H5F_DURABILITY_PROCESS = 1, /* what was flushed survives the end of the process, not a power failure */
    H5F_DURABILITY_ORDERED = 2, /* after a power failure the file is as some flush left it, whole */
    H5F_DURABILITY_FLUSH = 3    /* H5Fflush and H5Fclose return when the disk has it: as the last of them left it, or later */
} H5F_durability_t;

/* One chunk cache serves all datasets of a file. Where H5Pset_shared_chunk_cache was not called, H5Pset_cache is
 * understood: its weight as w0, its bytes as the reserve of each dataset; more than 64 MiB as the budget too, and 0 as
 * a budget of 0. H5Pset_chunk_cache sets the reserve and w0 of one dataset, or with 0 bytes that nothing of it is kept.
 * The defaults: a thread per core, a budget of 64 MiB, 1 MiB in reserve, 0.75, half of the budget, 4 chunks. */
#define H5F_SHARED_CHUNK_CACHE_VERSION 1
#define H5F_CHUNK_CACHE_THREADS_DEFAULT UINT_MAX /* as many as there are cores; else 64 at most */

typedef struct H5F_shared_chunk_cache_t {
    unsigned version;    /* H5F_SHARED_CHUNK_CACHE_VERSION */
    unsigned threads;    /* that code chunks beside the caller's; 0: none */
    size_t budget;       /* bytes kept in memory; 0: nothing is kept after an operation */
    size_t reserve;      /* bytes that each dataset keeps whatever others do, as long as half of the budget lasts */
    double w0;           /* 0: by last use only; 1: what was read or written whole goes first */
    size_t encode_ahead; /* bytes that wait to be encoded before threads begin with it; SIZE_MAX: never */
    unsigned read_ahead; /* chunks decoded ahead of reads that follow each other; 0: none */
} H5F_shared_chunk_cache_t;

typedef struct H5F_chunk_cache_stats_t {
    uint64_t hits, misses;       /* chunks that an operation found in memory, or not */
    uint64_t loads;              /* chunks read from the file and decoded */
    uint64_t loads_ahead;        /* those of them that nobody had asked for yet */
    uint64_t encodes;            /* chunks brought to the form they have on disk */
    uint64_t preemptive_encodes; /* those of them before they had to be */
    uint64_t stores;             /* chunks written from the cache */
    uint64_t evictions;          /* chunks that left to make room */
    uint64_t bypasses;           /* chunks of which elements went straight between file and buffer */
    uint64_t bytes_read, bytes_written; /* of raw data, in the file */
    uint64_t read_calls, write_calls;   /* for these */
    size_t footprint, peak_footprint;   /* bytes of all buffers, now and at most */
    size_t chunks, dirty_chunks;        /* in memory now */
} H5F_chunk_cache_stats_t;

#ifdef __cplusplus
extern "C" {
#endif

typedef herr_t (*H5F_flush_cb_t)(hid_t object_id, void *udata);

H5_DLL herr_t H5Fclear_elink_file_cache(hid_t file_id);
H5_DLL herr_t H5Fclose(hid_t file_id);
H5_DLL hid_t H5Fcreate(const char *filename, unsigned flags, hid_t fcpl_id, hid_t fapl_id);
H5_DLL herr_t H5Fdelete(const char *filename, hid_t fapl_id);
H5_DLL herr_t H5Fflush(hid_t object_id, H5F_scope_t scope);
H5_DLL herr_t H5Fformat_convert(hid_t fid);
H5_DLL hid_t H5Fget_access_plist(hid_t file_id);
H5_DLL herr_t H5Fget_chunk_cache_stats(hid_t file_id, H5F_chunk_cache_stats_t *stats);
H5_DLL hid_t H5Fget_create_plist(hid_t file_id);
H5_DLL herr_t H5Fget_dset_no_attrs_hint(hid_t file_id, hbool_t *minimize);
H5_DLL herr_t H5Fget_eoa(hid_t file_id, haddr_t *eoa);
H5_DLL ssize_t H5Fget_file_image(hid_t file_id, void *buf_ptr, size_t buf_len);
H5_DLL herr_t H5Fget_fileno(hid_t file_id, unsigned long *fileno);
H5_DLL herr_t H5Fget_filesize(hid_t file_id, hsize_t *size);
H5_DLL ssize_t H5Fget_free_sections(hid_t file_id, H5F_mem_t type, size_t nsects, H5F_sect_info_t *sect_info);
H5_DLL hssize_t H5Fget_freespace(hid_t file_id);
H5_DLL herr_t H5Fget_info2(hid_t obj_id, H5F_info2_t *file_info);
H5_DLL herr_t H5Fget_intent(hid_t file_id, unsigned *intent);
H5_DLL herr_t H5Fget_mdc_config(hid_t file_id, H5AC_cache_config_t *config_ptr);
H5_DLL herr_t H5Fget_mdc_hit_rate(hid_t file_id, double *hit_rate_ptr);
H5_DLL herr_t H5Fget_mdc_image_info(hid_t file_id, haddr_t *image_addr, hsize_t *image_size);
H5_DLL herr_t H5Fget_mdc_logging_status(hid_t file_id, hbool_t *is_enabled, hbool_t *is_currently_logging);
H5_DLL herr_t H5Fget_mdc_size(
    hid_t file_id, size_t *max_size_ptr, size_t *min_clean_size_ptr, size_t *cur_size_ptr, int *cur_num_entries_ptr);
H5_DLL herr_t H5Fget_metadata_read_retry_info(hid_t file_id, H5F_retry_info_t *info);
H5_DLL ssize_t H5Fget_name(hid_t obj_id, char *name, size_t size);
H5_DLL ssize_t H5Fget_obj_count(hid_t file_id, unsigned types);
H5_DLL ssize_t H5Fget_obj_ids(hid_t file_id, unsigned types, size_t max_objs, hid_t *obj_id_list);
H5_DLL herr_t H5Fget_page_buffering_stats(hid_t file_id, unsigned accesses[2], unsigned hits[2], unsigned misses[2],
    unsigned evictions[2], unsigned bypasses[2]);
H5_DLL herr_t H5Fget_shared_chunk_cache(hid_t file_id, H5F_shared_chunk_cache_t *settings);
H5_DLL herr_t H5Fget_vfd_handle(hid_t file_id, hid_t fapl, void **file_handle);
H5_DLL herr_t H5Fincrement_filesize(hid_t file_id, hsize_t increment);
H5_DLL htri_t H5Fis_accessible(const char *container_name, hid_t fapl_id);
H5_DLL herr_t H5Fmount(hid_t loc, const char *name, hid_t child, hid_t plist);
H5_DLL hid_t H5Fopen(const char *filename, unsigned flags, hid_t fapl_id);
H5_DLL hid_t H5Freopen(hid_t file_id);
H5_DLL herr_t H5Freset_chunk_cache_stats(hid_t file_id);
H5_DLL herr_t H5Freset_mdc_hit_rate_stats(hid_t file_id);
H5_DLL herr_t H5Freset_page_buffering_stats(hid_t file_id);
H5_DLL herr_t H5Fset_dset_no_attrs_hint(hid_t file_id, hbool_t minimize);
H5_DLL herr_t H5Fset_libver_bounds(hid_t file_id, H5F_libver_t low, H5F_libver_t high);
H5_DLL herr_t H5Fset_mdc_config(hid_t file_id, H5AC_cache_config_t *config_ptr);
H5_DLL herr_t H5Fset_shared_chunk_cache(hid_t file_id, const H5F_shared_chunk_cache_t *settings);
H5_DLL herr_t H5Fstart_mdc_logging(hid_t file_id);
H5_DLL herr_t H5Fstart_swmr_write(hid_t file_id);
H5_DLL herr_t H5Fstop_mdc_logging(hid_t file_id);
H5_DLL herr_t H5Funmount(hid_t loc, const char *name);

#ifndef H5_NO_DEPRECATED_SYMBOLS

#define H5F_ACC_DEBUG (H5CHECK H5OPEN 0x0000u)

H5_DLL herr_t H5Fget_info1(hid_t obj_id, H5F_info1_t *file_info);
H5_DLL htri_t H5Fis_hdf5(const char *filename);
H5_DLL herr_t H5Fset_latest_format(hid_t file_id, hbool_t latest_format);

#endif

/* Calls that finish later, when an event set is given. Programs call them by the macros below, which say where. */
H5_DLL herr_t H5Fclose_async(const char *app_file, const char *app_func, unsigned app_line, hid_t file_id,
    hid_t es_id);
H5_DLL hid_t H5Fcreate_async(const char *app_file, const char *app_func, unsigned app_line, const char *filename,
    unsigned flags, hid_t fcpl_id, hid_t fapl_id, hid_t es_id);
H5_DLL herr_t H5Fflush_async(const char *app_file, const char *app_func, unsigned app_line, hid_t object_id,
    H5F_scope_t scope, hid_t es_id);
H5_DLL hid_t H5Fopen_async(const char *app_file, const char *app_func, unsigned app_line, const char *filename,
    unsigned flags, hid_t access_plist, hid_t es_id);
H5_DLL hid_t H5Freopen_async(const char *app_file, const char *app_func, unsigned app_line, hid_t file_id,
    hid_t es_id);

#ifndef TS_LIBRARY
#define H5Fclose_async(...) H5Fclose_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Fcreate_async(...) H5Fcreate_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Fflush_async(...) H5Fflush_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Fopen_async(...) H5Fopen_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Freopen_async(...) H5Freopen_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
/* For wrappers that know better where the call comes from. */
#define H5Fclose_async_wrap H5_NO_EXPAND(H5Fclose_async)
#define H5Fcreate_async_wrap H5_NO_EXPAND(H5Fcreate_async)
#define H5Fflush_async_wrap H5_NO_EXPAND(H5Fflush_async)
#define H5Fopen_async_wrap H5_NO_EXPAND(H5Fopen_async)
#define H5Freopen_async_wrap H5_NO_EXPAND(H5Freopen_async)
#endif

#ifdef __cplusplus
}
#endif

#endif
