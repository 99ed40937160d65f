/* Fixed arrays. O = size of offsets, L = size of lengths.
 *
 * header                 | data block                                  | page
 *   0 "FAHD" 4           |   0 "FADB" 4                                |   0 elements
 *   4 version 1 (0, 1)   |   4 version 1 (0, 1)                        |     checksum 4
 *   5 client 1           |   5 client 1                                |
 *   6 element size 1     |   6 header O                                |
 *   7 page bits 1        |     paged: a bit per page, first in the     |
 *   8 elements L         |       highest bit, set when written         |
 *     data block O       |     else: elements                          |
 *     checksum 4         |     checksum 4; pages follow                |
 *
 * There are pages when there are more than 2^page bits elements; each has that many, the last what is left.
 *
 * Element of client 0 (chunks): address O. Of client 1 (filtered chunks): address O, bytes in the file, filter mask 4;
 * the size of the element says how many bytes the second has. Of clients 2 and 3 (structured chunks):
 * format/structured_chunk.h. Version 1 says the same as version 0 and is read, not written. */
#ifndef TS_FORMAT_FIXED_ARRAY_H
#define TS_FORMAT_FIXED_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_wr;

struct ts_farray_header {
    unsigned client, element_size;
    uint64_t count, page_elements;
    haddr_t data;
    /* Derived. */
    bool paged;
    uint64_t pages, bitmap_size; /* 0 when not paged */
};

static inline size_t ts_farray_header_size(unsigned addr_size, unsigned len_size)
{
    return 12 + (size_t)len_size + addr_size;
}

int ts_farray_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                            struct ts_farray_header *out);
/* From count and page_elements. */
void ts_farray_header_derive(struct ts_farray_header *h);
int ts_farray_header_encode(const struct ts_farray_header *h, unsigned addr_size, unsigned len_size, struct ts_wr *w);

/* Bytes of the data block without pages; false when that does not fit in 64 bits. */
bool ts_farray_block_size(const struct ts_farray_header *h, unsigned addr_size, uint64_t *size);

/* Where bitmap or elements start in a data block. */
static inline size_t ts_farray_block_prefix(unsigned addr_size)
{
    return 6 + (size_t)addr_size;
}

int ts_farray_block_check(const struct ts_farray_header *h, haddr_t header, unsigned addr_size, const uint8_t *buf,
                          size_t size);

/* content: the bitmap, or the elements when there are no pages. */
int ts_farray_block_encode(const struct ts_farray_header *h, haddr_t header, unsigned addr_size, const uint8_t *content,
                           struct ts_wr *w);
/* A page of this or an extensible array: `size` bytes of elements. */
int ts_array_page_encode(const uint8_t *elements, size_t size, struct ts_wr *w);

#endif
