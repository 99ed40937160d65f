/* The data layout message, versions 1 to 5. O = size of offsets, L = size of lengths.
 *
 * version 1, 2                          | version 3                       | version 4 chunked
 *   0 version 1                         |   0 version 1                   |   0 version 1
 *   1 rank 1 (chunked: + 1)             |   1 class 1                     |   1 class 1
 *   2 class 1                           | compact: size 2, data           |   2 flags 1
 *   3 reserved 5                        | contiguous: address O, size L   |   3 rank + 1, 1
 *   8 address O (not when compact)      | chunked: rank + 1, 1            |   4 bytes per dimension 1
 *     dimensions 4 each                 |   address O                     |   5 dimensions, then element size
 *     (chunked: the last is the         |   dimensions 4 each, then       |     index kind 1
 *      element size)                    |   element size 4                |     index parameters, address O
 *     compact: size 4, data             |                                 | virtual: heap address O, index 4
 *
 * version 5: as version 4, but for the index of filtered chunks, whose sizes are as wide as lengths; and structured
 * chunks (format/structured_chunk.h), which the class tells from those of HDF5 2.0:
 *   0 version 1, 1 class 1 (4), 2 property version 1 (0), 3 type 2, 5 flags 1, 6 rank + 1, 1, 7 bytes per dimension 1
 *   8 dimensions, then element size
 *     composition
 *     index kind 1
 *     index parameters (single: chunk size W, chunk metadata), address O
 */
#ifndef TS_FORMAT_LAYOUT_H
#define TS_FORMAT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Dpublic.h"
#include "H5Spublic.h"
#include "H5public.h"
#include "format/structured_chunk.h"

struct ts_wr;

/* The numbers of version 4; B-tree v1 is what chunks had before. */
enum ts_chunk_index_kind {
    TS_CHUNK_INDEX_BTREE1 = 0,
    TS_CHUNK_INDEX_SINGLE = 1,
    TS_CHUNK_INDEX_IMPLICIT = 2,
    TS_CHUNK_INDEX_FIXED_ARRAY = 3,
    TS_CHUNK_INDEX_EXT_ARRAY = 4,
    TS_CHUNK_INDEX_BTREE2 = 5
};

enum { TS_CHUNK_DONT_FILTER_PARTIAL = 1, TS_CHUNK_SINGLE_FILTERED = 2 };

struct ts_layout {
    unsigned version;
    H5D_layout_t cls;
    /* Contiguous: the data. Chunked, structured: the index (the chunk itself for a single one, the array of chunks when
     * implicit). Virtual: the heap collection with the mappings. HADDR_UNDEF when nothing is allocated. */
    haddr_t addr;
    struct {
        bool known; /* versions 1 and 2 do not store it: it follows from dataspace and datatype */
        uint64_t size;
    } contiguous;
    struct {
        size_t size;
        uint8_t *data; /* owned; NULL when size is 0 */
    } compact;
    struct {
        unsigned rank; /* without the element size */
        hsize_t dims[H5S_MAX_RANK];
        uint32_t element_size;
        unsigned flags; /* TS_CHUNK_* */
        enum ts_chunk_index_kind index;
        unsigned struct_type; /* TS_STRUCT_*; 0: the chunks are not structured */
        union {
            struct {
                uint64_t filtered_size;            /* with TS_CHUNK_SINGLE_FILTERED, and always of a structured chunk */
                uint32_t filter_mask;              /* only with that flag, and not of a structured chunk */
                struct ts_chunk_sections sections; /* of a structured chunk; n is always set then */
            } single;
            struct {
                uint8_t page_bits;
            } fixed_array;
            struct {
                uint8_t max_bits, index_elements, min_pointers, min_elements, page_bits;
            } ext_array;
            struct {
                uint32_t node_size;
                uint8_t split_percent, merge_percent;
            } btree2;
        } u;
    } chunk;
    struct {
        uint32_t index; /* of the object in the heap collection at addr */
    } virtual;
};

/* On success *out needs ts_layout_deinit. */
int ts_layout_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size, struct ts_layout *out);
/* Versions 3 to 5: what is older lacks things that a writer must say, and no reader of today needs it. */
int ts_layout_encode(const struct ts_layout *layout, unsigned addr_size, unsigned len_size, struct ts_wr *w);
void ts_layout_deinit(struct ts_layout *layout);

#endif
