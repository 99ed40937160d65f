/* Types that every interface uses, and the calls on the library as a whole. */
#ifndef H5public_H
#define H5public_H

#include "H5pubconf.h"
#include "H5version.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "H5api_adpt.h"

#define H5_VERS_MAJOR 1
#define H5_VERS_MINOR 14
#define H5_VERS_RELEASE 5
#define H5_VERS_SUBRELEASE ""
#define H5_VERS_STR "1.14.5"
#define H5_VERS_INFO "HDF5 library version: 1.14.5"

/* So that a macro of the same name as a function is left alone. */
#define H5_NO_EXPAND(x) (x)

#define H5check() H5check_version(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE)

/* Versions as one number, to compare in the preprocessor. */
#define H5_VERSION_NUMBER_(maj, min, rel) (((maj)*1000 + (min)) * 1000 + (rel))
#define H5_VERSION_THIS_ H5_VERSION_NUMBER_(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE)
#define H5_VERSION_GE(Maj, Min, Rel) (H5_VERSION_THIS_ >= H5_VERSION_NUMBER_(Maj, Min, Rel))
#define H5_VERSION_LE(Maj, Min, Rel) (H5_VERSION_THIS_ <= H5_VERSION_NUMBER_(Maj, Min, Rel))

/*
 * Predefined ids are filled in when the library starts, so naming one starts it first.
 * The library itself must not do that, nor compare its version with its own.
 */
#ifdef TS_LIBRARY
#define H5OPEN
#define H5CHECK
#else
#define H5OPEN H5open(),
#define H5CHECK H5check(),
#endif

/* The function of a name that is a macro, too. */
#define H5_NO_EXPAND(x) (x)
/* Names of variables of the environment. */
#define HDF5_DRIVER "HDF5_DRIVER"
#define HDF5_DRIVER_CONFIG "HDF5_DRIVER_CONFIG"
#define HDF5_VOL_CONNECTOR "HDF5_VOL_CONNECTOR"
#define HDF5_PLUGIN_PATH "HDF5_PLUGIN_PATH"
#define HDF5_PLUGIN_PRELOAD "HDF5_PLUGIN_PRELOAD"
#define HDF5_USE_FILE_LOCKING "HDF5_USE_FILE_LOCKING"
#define HDF5_NOCLEANUP "HDF5_NOCLEANUP"
#define HDF5_PREFER_WINDOWS_CODE_PAGE "HDF5_PREFER_WINDOWS_CODE_PAGE"

typedef int herr_t;
typedef int htri_t;
typedef bool hbool_t;

/* Releases before 1.14 spelt these types differently; the width is the same. */
#if H5_API_LEVEL >= 114
typedef uint64_t hsize_t;
typedef int64_t hssize_t;
typedef uint64_t haddr_t;
#define PRIdHSIZE PRId64
#define PRIiHSIZE PRIi64
#define PRIoHSIZE PRIo64
#define PRIuHSIZE PRIu64
#define PRIxHSIZE PRIx64
#define PRIXHSIZE PRIX64
#define PRIdHADDR PRId64
#define PRIoHADDR PRIo64
#define PRIuHADDR PRIu64
#define PRIxHADDR PRIx64
#define PRIXHADDR PRIX64
#define HSIZE_UNDEF UINT64_MAX
#define HADDR_UNDEF UINT64_MAX
#else
typedef unsigned long long hsize_t;
typedef signed long long hssize_t;
#define PRIdHSIZE "lld"
#define PRIiHSIZE "lli"
#define PRIoHSIZE "llo"
#define PRIuHSIZE "llu"
#define PRIxHSIZE "llx"
#define PRIXHSIZE "llX"
#define HSIZE_UNDEF ULLONG_MAX
#if __SIZEOF_LONG__ >= 8
typedef unsigned long haddr_t;
#define PRIdHADDR "ld"
#define PRIoHADDR "lo"
#define PRIuHADDR "lu"
#define PRIxHADDR "lx"
#define PRIXHADDR "lX"
#define HADDR_UNDEF ULONG_MAX
#else
typedef unsigned long long haddr_t;
#define PRIdHADDR "lld"
#define PRIoHADDR "llo"
#define PRIuHADDR "llu"
#define PRIxHADDR "llx"
#define PRIXHADDR "llX"
#define HADDR_UNDEF ULLONG_MAX
#endif
#endif

#define H5_SIZEOF_HSIZE_T 8
#define H5_SIZEOF_HSSIZE_T 8
#define H5_SIZEOF_HADDR_T 8
#define H5_PRINTF_HADDR_FMT "%" PRIuHADDR
#define HADDR_MAX (HADDR_UNDEF - 1)

typedef int64_t hid_t;
#define H5_SIZEOF_HID_T 8
#define PRIdHID PRId64
#define PRIxHID PRIx64
#define PRIXHID PRIX64
#define PRIoHID PRIo64
#define H5I_INVALID_HID (-1)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    H5_ITER_UNKNOWN = -1,
    H5_ITER_INC = 0,
    H5_ITER_DEC = 1,
    H5_ITER_NATIVE = 2,
    H5_ITER_N
} H5_iter_order_t;

/* What a callback of an iteration returns. */
#define H5_ITER_ERROR (-1)
#define H5_ITER_CONT (0)
#define H5_ITER_STOP (1)

typedef enum H5_index_t {
    H5_INDEX_UNKNOWN = -1,
    H5_INDEX_NAME = 0,
    H5_INDEX_CRT_ORDER = 1,
    H5_INDEX_N
} H5_index_t;

/* Bytes of an index and of the heap beside it. */
typedef struct H5_ih_info_t {
    hsize_t index_size;
    hsize_t heap_size;
} H5_ih_info_t;

/* Where an object is in its container; opaque, compare with H5Otoken_cmp. */
#define H5O_MAX_TOKEN_SIZE (16)
typedef struct H5O_token_t {
    uint8_t __data[H5O_MAX_TOKEN_SIZE];
} H5O_token_t;

typedef struct H5_alloc_stats_t {
    unsigned long long total_alloc_bytes;
    size_t curr_alloc_bytes;
    size_t peak_alloc_bytes;
    size_t max_block_size;
    size_t total_alloc_blocks_count;
    size_t curr_alloc_blocks_count;
    size_t peak_alloc_blocks_count;
} H5_alloc_stats_t;

typedef void (*H5_atclose_func_t)(void *ctx);

H5_DLL void *H5allocate_memory(size_t size, hbool_t clear);
H5_DLL herr_t H5atclose(H5_atclose_func_t func, void *ctx);
H5_DLL herr_t H5check_version(unsigned majnum, unsigned minnum, unsigned relnum);
H5_DLL herr_t H5close(void);
H5_DLL herr_t H5dont_atexit(void);
H5_DLL herr_t H5free_memory(void *mem);
H5_DLL herr_t H5garbage_collect(void);
H5_DLL herr_t H5get_alloc_stats(H5_alloc_stats_t *stats);
H5_DLL herr_t H5get_free_list_sizes(size_t *reg_size, size_t *arr_size, size_t *blk_size, size_t *fac_size);
H5_DLL herr_t H5get_libversion(unsigned *majnum, unsigned *minnum, unsigned *relnum);
H5_DLL herr_t H5is_library_terminating(hbool_t *is_terminating);
H5_DLL herr_t H5is_library_threadsafe(hbool_t *is_ts);
H5_DLL herr_t H5open(void);
H5_DLL void *H5resize_memory(void *mem, size_t size);
H5_DLL herr_t H5set_free_list_limits(
    int reg_global_lim, int reg_list_lim, int arr_global_lim, int arr_list_lim, int blk_global_lim, int blk_list_lim);

#ifdef __cplusplus
}
#endif

#endif
