/* H5D: datasets. */
#ifndef H5Dpublic_H
#define H5Dpublic_H

#include "H5public.h"
#include "H5Ipublic.h"
#include "H5Spublic.h"

/* For H5Pset_chunk_cache: take the value of the file's access list. */
#define H5D_CHUNK_CACHE_NSLOTS_DEFAULT ((size_t)-1)
#define H5D_CHUNK_CACHE_NBYTES_DEFAULT ((size_t)-1)
#define H5D_CHUNK_CACHE_W0_DEFAULT (-1.0)

#define H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS (0x0002u)

/* What structured chunks are for; both together: sparse data of variable length. */
#define H5D_SPARSE_CHUNK (0x1u) /* only elements that were written are stored, and known to be defined */
#define H5D_VL_CHUNK (0x2u)     /* variable-length data lie in the chunk that refers to them */
#define H5D_SPARSE_DATA H5D_SPARSE_CHUNK
#define H5D_VL_DATA H5D_VL_CHUNK

typedef enum H5D_layout_t {
    H5D_LAYOUT_ERROR = -1,
    H5D_COMPACT = 0,
    H5D_CONTIGUOUS = 1,
    H5D_CHUNKED = 2,
    H5D_VIRTUAL = 3,
    H5D_STRUCT_CHUNK = 4,
    H5D_NLAYOUTS = 5
} H5D_layout_t;

typedef enum H5D_density_t {
    H5D_DENSITY_DENSE = 0,
    H5D_DENSITY_SPARSE = 1
} H5D_density_t;

/* What a section of a structured chunk holds. */
typedef enum H5_section_type_t {
    H5_SECTION_UNKNOWN = -1,
    H5_SECTION_SELECTION = 0, /* which elements are defined */
    H5_SECTION_FIXED = 1,     /* their values, or references into the next */
    H5_SECTION_VL = 2,        /* variable-length data */
    H5_SECTION_NUM = 3
} H5_section_type_t;

typedef enum H5D_chunk_index_t {
    H5D_CHUNK_IDX_BTREE = 0,
    H5D_CHUNK_IDX_SINGLE = 1,
    H5D_CHUNK_IDX_NONE = 2,
    H5D_CHUNK_IDX_FARRAY = 3,
    H5D_CHUNK_IDX_EARRAY = 4,
    H5D_CHUNK_IDX_BT2 = 5,
    H5D_CHUNK_IDX_NTYPES
} H5D_chunk_index_t;

typedef enum H5D_alloc_time_t {
    H5D_ALLOC_TIME_ERROR = -1,
    H5D_ALLOC_TIME_DEFAULT = 0,
    H5D_ALLOC_TIME_EARLY = 1,
    H5D_ALLOC_TIME_LATE = 2,
    H5D_ALLOC_TIME_INCR = 3
} H5D_alloc_time_t;

typedef enum H5D_space_status_t {
    H5D_SPACE_STATUS_ERROR = -1,
    H5D_SPACE_STATUS_NOT_ALLOCATED = 0,
    H5D_SPACE_STATUS_PART_ALLOCATED = 1,
    H5D_SPACE_STATUS_ALLOCATED = 2
} H5D_space_status_t;

typedef enum H5D_fill_time_t {
    H5D_FILL_TIME_ERROR = -1,
    H5D_FILL_TIME_ALLOC = 0,
    H5D_FILL_TIME_NEVER = 1,
    H5D_FILL_TIME_IFSET = 2
} H5D_fill_time_t;

typedef enum H5D_fill_value_t {
    H5D_FILL_VALUE_ERROR = -1,
    H5D_FILL_VALUE_UNDEFINED = 0,
    H5D_FILL_VALUE_DEFAULT = 1,
    H5D_FILL_VALUE_USER_DEFINED = 2
} H5D_fill_value_t;

typedef enum H5D_vds_view_t {
    H5D_VDS_ERROR = -1,
    H5D_VDS_FIRST_MISSING = 0,
    H5D_VDS_LAST_AVAILABLE = 1
} H5D_vds_view_t;

/* A source of a virtual dataset that does not exist, file or dataset, reads as fill values. One that exists and cannot be
 * opened (damaged, locked, no permission, no dataset) makes reading fail, or with H5D_VDS_UNREADABLE_FILL reads as fill
 * values, too, as in libhdf5. */
typedef enum H5D_vds_unreadable_t {
    H5D_VDS_UNREADABLE_DEFAULT = 0, /* as TESSERA_VDS_UNREADABLE=fill or =fail says; else it fails */
    H5D_VDS_UNREADABLE_FAIL = 1,
    H5D_VDS_UNREADABLE_FILL = 2
} H5D_vds_unreadable_t;

/* How H5Dchunk_iterate goes through chunks. */
typedef enum H5D_chunk_order_t {
    H5_CHUNK_ITER_ORDER_NATIVE = 0, /* as the chunk index has them: the quickest */
    H5_CHUNK_ITER_ORDER_COORD = 1,  /* row-major by their coordinates */
    H5_CHUNK_ITER_ORDER_ADDR = 2    /* as they lie in the file */
} H5D_chunk_order_t;

typedef struct H5D_chunk_info_t {
    hsize_t offset[H5S_MAX_RANK]; /* of its first element in the dataset */
    unsigned filter_mask;         /* bit i: filter i was skipped. 0 for structured chunks: their sections have one each */
    hsize_t size;                 /* bytes in the file */
    haddr_t addr;                 /* H5Dget_chunk_base tells from where */
} H5D_chunk_info_t;

/* A structured chunk, section by section. The arrays are the caller's; one that is NULL is not wanted. Functions that
 * fill them in take num_sections as the room that they have, and set it to the number of sections of the chunk; room
 * for too few is an error. Without arrays num_sections need not be set. */
typedef struct H5D_struct_chunk_info_t {
    H5D_layout_t type;         /* H5D_STRUCT_CHUNK; written, H5D_SPARSE_CHUNK or, if not sparse, H5D_VL_CHUNK will do */
    uint8_t num_sections;
    uint16_t *filter_mask;     /* bit i: filter i of the section was skipped. NULL to write: none was */
    size_t *section_size;      /* bytes after filters. 0: the section is empty */
    size_t *section_orig_size; /* bytes before filters. NULL to write: as decoding the section tells */
} H5D_struct_chunk_info_t;

/* The same for chunks of every kind: those of datasets that are not structured are one section of fixed data. */
typedef enum H5D_native_section_type_t {
    H5D_NATIVE_SECTION_SELECTION = 0, /* which elements are defined */
    H5D_NATIVE_SECTION_FIXED = 1,     /* elements, or what leads to them */
    H5D_NATIVE_SECTION_VLEN = 2       /* variable-length data */
} H5D_native_section_type_t;

typedef struct H5D_native_section_info_t {
    H5D_native_section_type_t type;
    uint16_t filter_mask; /* as above */
    size_t size;          /* bytes after filters */
} H5D_native_section_info_t;

#ifdef __cplusplus
extern "C" {
#endif

typedef herr_t (*H5D_append_cb_t)(hid_t dataset_id, hsize_t *cur_dims, void *op_data);
typedef herr_t (*H5D_operator_t)(void *elem, hid_t type_id, unsigned ndim, const hsize_t *point, void *operator_data);
typedef herr_t (*H5D_scatter_func_t)(const void **src_buf, size_t *src_buf_bytes_used, void *op_data);
typedef herr_t (*H5D_gather_func_t)(const void *dst_buf, size_t dst_buf_bytes_used, void *op_data);
typedef int (*H5D_chunk_iter_op_t)(
    const hsize_t *offset, unsigned filter_mask, haddr_t addr, hsize_t size, void *op_data);
/* H5_ITER_CONT, H5_ITER_STOP or H5_ITER_ERROR. */
typedef int (*H5D_chunk_iter_cb_t)(const H5D_chunk_info_t *info, void *op_data);

/* Of H5Dstruct_chunk_iter, H5Dstruct_chunk_iterate and H5Dnative_chunk_iter: H5_ITER_CONT, H5_ITER_STOP or
 * H5_ITER_ERROR. What the pointers lead to is the library's. */
typedef int (*H5D_struct_chunk_iter_op_t)(
    const hsize_t *offset, H5D_struct_chunk_info_t *chunk_info, haddr_t *addr, hsize_t *chunk_size, void *op_data);
typedef int (*H5D_native_chunk_iter_op_t)(const hsize_t *offset, void *op_data);

H5_DLL herr_t H5Dchunk_iter(hid_t dset_id, hid_t dxpl_id, H5D_chunk_iter_op_t cb, void *op_data);
/* The chunks, structured ones too, that are stored and hold an element of the selection (H5S_ALL: all), from the *idx-th
 * on; afterwards *idx (which may be NULL: from the first) is where another call goes on. What the function returns, if not
 * H5_ITER_CONT, ends it and is returned. The function may use the dataset. */
H5_DLL herr_t H5Dchunk_iterate(hid_t dset_id, hid_t fspace_id, H5D_chunk_order_t order, hsize_t *idx,
    H5D_chunk_iter_cb_t op, void *op_data);
H5_DLL herr_t H5Dclose(hid_t dset_id);
H5_DLL hid_t H5Dcreate2(
    hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t lcpl_id, hid_t dcpl_id, hid_t dapl_id);
H5_DLL hid_t H5Dcreate_anon(hid_t loc_id, hid_t type_id, hid_t space_id, hid_t dcpl_id, hid_t dapl_id);
H5_DLL herr_t H5Ddebug(hid_t dset_id);
/* The elements become undefined: they read as the fill value. H5S_ALL: all of them. Sparse datasets, and virtual ones, whose
 * sparse sources lose them; when some of the elements are a dense source's, nothing is erased and the call fails. */
H5_DLL herr_t H5Derase(hid_t dset_id, hid_t file_space_id, hid_t dxpl_id);
H5_DLL herr_t H5Dfill(const void *fill, hid_t fill_type_id, void *buf, hid_t buf_type_id, hid_t space_id);
H5_DLL herr_t H5Dflush(hid_t dset_id);
H5_DLL herr_t H5Dformat_convert(hid_t dset_id);
H5_DLL herr_t H5Dgather(hid_t src_space_id, const void *src_buf, hid_t type_id, size_t dst_buf_size, void *dst_buf,
    H5D_gather_func_t op, void *op_data);
H5_DLL hid_t H5Dget_access_plist(hid_t dset_id);
/* Where in the file the addresses of chunks, as all functions here give them, count from: behind the user block. Added to one
 * of them it gives the place for pread. */
H5_DLL herr_t H5Dget_chunk_base(hid_t dset_id, haddr_t *base);
H5_DLL herr_t H5Dget_chunk_index_type(hid_t did, H5D_chunk_index_t *idx_type);
H5_DLL herr_t H5Dget_chunk_info(hid_t dset_id, hid_t fspace_id, hsize_t chk_idx, hsize_t *offset, unsigned *filter_mask,
    haddr_t *addr, hsize_t *size);
H5_DLL herr_t H5Dget_chunk_info_by_coord(
    hid_t dset_id, const hsize_t *offset, unsigned *filter_mask, haddr_t *addr, hsize_t *size);
/* A dataspace with the extent of the dataset, in which the elements of all chunks that are stored are selected. */
H5_DLL hid_t H5Dget_chunk_selection(hid_t dset_id);
H5_DLL herr_t H5Dget_chunk_storage_size(hid_t dset_id, const hsize_t *offset, hsize_t *chunk_bytes);
H5_DLL hid_t H5Dget_create_plist(hid_t dset_id);
/* A dataspace in which those elements of the selection (H5S_ALL: of the dataset) are selected that are defined. In dense
 * datasets all are; in virtual ones those that a source has and, if it is sparse, defines. */
H5_DLL hid_t H5Dget_defined(hid_t dset_id, hid_t file_space_id, hid_t dxpl_id);
H5_DLL herr_t H5Dget_num_chunks(hid_t dset_id, hid_t fspace_id, hsize_t *nchunks);
H5_DLL haddr_t H5Dget_offset(hid_t dset_id);
H5_DLL hid_t H5Dget_space(hid_t dset_id);
H5_DLL herr_t H5Dget_space_status(hid_t dset_id, H5D_space_status_t *allocation);
H5_DLL hsize_t H5Dget_storage_size(hid_t dset_id);
/* Structured chunks that are stored and hold an element of the selection, counted from 0 (H5Dget_num_chunks), and the
 * one with the element at offset. Every answer may be NULL. Is there none, chunk_size is 0, addr HADDR_UNDEF, and the
 * others stay as they are. */
H5_DLL herr_t H5Dget_struct_chunk_info(hid_t dset_id, hid_t fspace_id, hsize_t chunk_idx, hsize_t *offset,
    H5D_struct_chunk_info_t *chunk_info, haddr_t *addr, hsize_t *chunk_size);
H5_DLL herr_t H5Dget_struct_chunk_info_by_coord(hid_t dset_id, const hsize_t *offset,
    H5D_struct_chunk_info_t *chunk_info, haddr_t *addr, hsize_t *chunk_size);
H5_DLL hid_t H5Dget_type(hid_t dset_id);
H5_DLL herr_t H5Diterate(void *buf, hid_t type_id, hid_t space_id, H5D_operator_t op, void *operator_data);
/* Chunks of every kind. section_info and buf have as many entries as H5Dnative_get_section_count says; reading, either
 * may be NULL, and buf[i] too: then only sizes are wanted. Otherwise as H5Dread_chunk, H5Dread_struct_chunk and their
 * kin. */
H5_DLL herr_t H5Dnative_chunk_iter(hid_t dset_id, hid_t dxpl_id, H5D_native_chunk_iter_op_t op, void *op_data);
H5_DLL herr_t H5Dnative_get_chunk_info(hid_t dset_id, const hsize_t *offset, H5D_native_section_info_t section_info[],
    haddr_t *chunk_addr, hsize_t *chunk_size);
H5_DLL herr_t H5Dnative_get_chunk_storage_size(hid_t dset_id, const hsize_t *offset, hsize_t *chunk_bytes);
H5_DLL herr_t H5Dnative_get_num_chunks(hid_t dset_id, hid_t fspace_id, hsize_t *nchunks);
H5_DLL herr_t H5Dnative_get_section_count(hid_t dset_id, size_t *num_sections);
H5_DLL herr_t H5Dnative_get_section_types(hid_t dset_id, H5D_native_section_type_t sect_types[]);
H5_DLL herr_t H5Dnative_read_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, size_t num_sections,
    H5D_native_section_info_t section_info[], void *buf[]);
H5_DLL herr_t H5Dnative_write_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, size_t num_sections,
    const H5D_native_section_info_t section_info[], const void *const buf[]);
H5_DLL hid_t H5Dopen2(hid_t loc_id, const char *name, hid_t dapl_id);
H5_DLL herr_t H5Dread(
    hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, void *buf);
H5_DLL herr_t H5Dread_chunk2(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf,
    size_t *buf_size);
H5_DLL herr_t H5Dread_chunk1(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf);
H5_DLL herr_t H5Dread_multi(size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[],
    hid_t file_space_id[], hid_t dxpl_id, void *buf[]);
/* The stored bytes of each section of the chunk that begins at offset, and what there is to know of them. The checksum of a
 * section is checked and left out, there and in its size, unless filters have changed both. chunk_info may be NULL; buf,
 * too, or any of its entries: such sections are not read. */
H5_DLL herr_t H5Dread_struct_chunk(
    hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, H5D_struct_chunk_info_t *chunk_info, void *buf[]);
H5_DLL herr_t H5Drefresh(hid_t dset_id);
H5_DLL herr_t H5Dscatter(H5D_scatter_func_t op, void *op_data, hid_t type_id, hid_t dst_space_id, void *dst_buf);
H5_DLL herr_t H5Dset_extent(hid_t dset_id, const hsize_t size[]);
/* Selection sections of sparse chunks of these dimensions from plain lists, for H5Dwrite_struct_chunk. *size is the room in buf,
 * and then what the section takes; buf may be NULL: only that is wanted. Of nothing the section is empty. The fixed data
 * section has the values in the order of the points, which may be any; in row-major order of the elements for the others.
 * points: `num` times as many coordinates as the chunk has dimensions. Of one that comes again the last value counts.
 * runs: `num` times the number of an element, in row-major order, and how many follow from it on; ascending, disjoint.
 * boxes: `num` times the coordinates of the first corner, then those of the last; in any order, disjoint. */
H5_DLL herr_t H5Dstruct_chunk_encode_boxes(
    int rank, const hsize_t *chunk_dims, size_t num, const hsize_t *corners, void *buf, size_t *size);
H5_DLL herr_t H5Dstruct_chunk_encode_points(
    int rank, const hsize_t *chunk_dims, size_t num, const hsize_t *coords, void *buf, size_t *size);
H5_DLL herr_t H5Dstruct_chunk_encode_runs(
    int rank, const hsize_t *chunk_dims, size_t num, const hsize_t *runs, void *buf, size_t *size);
/* The same back, of any selection section that no filter has changed, in the order of its values. *num is the room in the list,
 * and then its entries; the list may be NULL: only that is wanted. */
H5_DLL herr_t H5Dstruct_chunk_decode_points(
    int rank, const hsize_t *chunk_dims, const void *buf, size_t size, size_t *num, hsize_t *coords);
H5_DLL herr_t H5Dstruct_chunk_decode_runs(
    int rank, const hsize_t *chunk_dims, const void *buf, size_t size, size_t *num, hsize_t *runs);
/* All structured chunks that are stored, in the order of their index. The function may use the dataset. */
H5_DLL herr_t H5Dstruct_chunk_iter(hid_t dset_id, hid_t dxpl_id, H5D_struct_chunk_iter_op_t cb, void *op_data);
/* As H5Dchunk_iterate, with what is known of the sections of each chunk. */
H5_DLL herr_t H5Dstruct_chunk_iterate(hid_t dset_id, hid_t fspace_id, H5D_chunk_order_t order, hsize_t *idx,
    H5D_struct_chunk_iter_op_t op, void *op_data);
H5_DLL herr_t H5Dvlen_get_buf_size(hid_t dset_id, hid_t type_id, hid_t space_id, hsize_t *size);
H5_DLL herr_t H5Dwrite(
    hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, const void *buf);
H5_DLL herr_t H5Dwrite_chunk(
    hid_t dset_id, hid_t dxpl_id, uint32_t filters, const hsize_t *offset, size_t data_size, const void *buf);
H5_DLL herr_t H5Dwrite_multi(size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[],
    hid_t file_space_id[], hid_t dxpl_id, const void *buf[]);

/* The chunk that begins at offset becomes this one: filtered bytes, all sections of it, as the index will say; type,
 * num_sections and section_size must be set. Sections need no checksum: the library adds those that are missing, and
 * filters a section again for it. With nothing in any section the chunk goes. The chunk is looked at first: one that could
 * not be read is refused, and nothing has changed. */
H5_DLL herr_t H5Dwrite_struct_chunk(
    hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, const H5D_struct_chunk_info_t *chunk_info, void *buf[]);

#ifndef H5_NO_DEPRECATED_SYMBOLS

#define H5D_CHUNK_BTREE H5D_CHUNK_IDX_BTREE

#define H5D_XFER_DIRECT_CHUNK_WRITE_FLAG_NAME "direct_chunk_flag"
#define H5D_XFER_DIRECT_CHUNK_WRITE_FILTERS_NAME "direct_chunk_filters"
#define H5D_XFER_DIRECT_CHUNK_WRITE_OFFSET_NAME "direct_chunk_offset"
#define H5D_XFER_DIRECT_CHUNK_WRITE_DATASIZE_NAME "direct_chunk_datasize"
#define H5D_XFER_DIRECT_CHUNK_READ_FLAG_NAME "direct_chunk_read_flag"
#define H5D_XFER_DIRECT_CHUNK_READ_OFFSET_NAME "direct_chunk_read_offset"
#define H5D_XFER_DIRECT_CHUNK_READ_FILTERS_NAME "direct_chunk_read_filters"

H5_DLL hid_t H5Dcreate1(hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t dcpl_id);
H5_DLL herr_t H5Dextend(hid_t dset_id, const hsize_t size[]);
H5_DLL hid_t H5Dopen1(hid_t loc_id, const char *name);
H5_DLL herr_t H5Dvlen_reclaim(hid_t type_id, hid_t space_id, hid_t dxpl_id, void *buf);

#endif

/* Calls that finish later, when an event set is given. Programs call them by the macros below, which say where. */
H5_DLL herr_t H5Dclose_async(const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id,
    hid_t es_id);
H5_DLL hid_t H5Dcreate_async(const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id,
    const char *name, hid_t type_id, hid_t space_id, hid_t lcpl_id, hid_t dcpl_id, hid_t dapl_id, hid_t es_id);
H5_DLL hid_t H5Dget_space_async(const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id,
    hid_t es_id);
H5_DLL hid_t H5Dopen_async(const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id,
    const char *name, hid_t dapl_id, hid_t es_id);
H5_DLL herr_t H5Dread_async(const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id,
    hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, void *buf, hid_t es_id);
H5_DLL herr_t H5Dread_multi_async(const char *app_file, const char *app_func, unsigned app_line, size_t count,
    hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[], hid_t dxpl_id, void *buf[],
    hid_t es_id);
H5_DLL herr_t H5Dset_extent_async(const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id,
    const hsize_t size[], hid_t es_id);
H5_DLL herr_t H5Dwrite_async(const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id,
    hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, const void *buf, hid_t es_id);
H5_DLL herr_t H5Dwrite_multi_async(const char *app_file, const char *app_func, unsigned app_line, size_t count,
    hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[], hid_t dxpl_id,
    const void *buf[], hid_t es_id);

#ifndef TS_LIBRARY
#define H5Dclose_async(...) H5Dclose_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dcreate_async(...) H5Dcreate_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dget_space_async(...) H5Dget_space_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dopen_async(...) H5Dopen_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dread_async(...) H5Dread_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dread_multi_async(...) H5Dread_multi_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dset_extent_async(...) H5Dset_extent_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dwrite_async(...) H5Dwrite_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
#define H5Dwrite_multi_async(...) H5Dwrite_multi_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
/* For wrappers that know better where the call comes from. */
#define H5Dclose_async_wrap H5_NO_EXPAND(H5Dclose_async)
#define H5Dcreate_async_wrap H5_NO_EXPAND(H5Dcreate_async)
#define H5Dget_space_async_wrap H5_NO_EXPAND(H5Dget_space_async)
#define H5Dopen_async_wrap H5_NO_EXPAND(H5Dopen_async)
#define H5Dread_async_wrap H5_NO_EXPAND(H5Dread_async)
#define H5Dread_multi_async_wrap H5_NO_EXPAND(H5Dread_multi_async)
#define H5Dset_extent_async_wrap H5_NO_EXPAND(H5Dset_extent_async)
#define H5Dwrite_async_wrap H5_NO_EXPAND(H5Dwrite_async)
#define H5Dwrite_multi_async_wrap H5_NO_EXPAND(H5Dwrite_multi_async)
#endif

#ifdef __cplusplus
}
#endif

#endif
