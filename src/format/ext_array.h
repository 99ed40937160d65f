/* Extensible arrays. O = size of offsets, L = size of lengths, B = bytes of an index (max bits / 8, rounded up).
 *
 * header                         | index block            | secondary block        | data block        | page
 *   0 "EAHD" 4                   |   0 "EAIB" 4           |   0 "EASB" 4           |   0 "EADB" 4      |   0 elements
 *   4 version 1 (0)              |   4 version 1 (0)      |   4 version 1 (0)      |   4 version 1 (0) |     checksum 4
 *   5 client 1                   |   5 client 1           |   5 client 1           |   5 client 1      |
 *   6 element size 1             |   6 header O           |   6 header O           |   6 header O      |
 *   7 max bits 1                 |     elements           |     first index B      |     first index B |
 *   8 elements in index block 1  |     data blocks O      |     paged: bitmap,     |     elements,     |
 *   9 fewest in a data block 1   |     secondary blocks O |       highest bit first|       if not paged|
 *  10 fewest data blocks in a    |     checksum 4         |     data blocks O      |     checksum 4,   |
 *     secondary block 1          |                        |     checksum 4         |     pages follow  |
 *  11 page bits 1
 *  12 secondary blocks L, bytes L, data blocks L, bytes L, highest index set + 1 L, elements realized L
 *     index block O
 *     checksum 4
 *
 * Behind the elements in the index block, group s = 0, 1, 2 … has 2^(s / 2) data blocks of min * 2^((s + 1) / 2)
 * elements. The first 2 log2(fewest data blocks) groups hang on the index block, the others on a secondary block each.
 * A first index does not count the elements in the index block. In a data block that hangs on the index block libhdf5
 * states another number: first index of the group + elements per block * place of the block among all that hang there;
 * both are read. A data block of more than 2^page bits elements has pages of that many. Elements are those of fixed
 * arrays. Version 1 says the same as version 0 and is read, not written. */
#ifndef TS_FORMAT_EXT_ARRAY_H
#define TS_FORMAT_EXT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_wr;

struct ts_earray_header {
    unsigned client, element_size, max_bits, index_elements, min_elements, min_pointers, page_bits;
    uint64_t secondary_size, data_size;     /* bytes of all such blocks */
    uint64_t secondary_blocks, data_blocks; /* how many there are */
    uint64_t count;                         /* highest index set + 1 */
    uint64_t realized;                      /* elements that have room in a block */
    haddr_t index_block;
    /* Derived. */
    unsigned addr_size, offset_size;
    unsigned groups, index_groups; /* all, and those whose data blocks hang on the index block */
    uint64_t index_blocks;         /* data blocks of the latter */
};

/* A group of data blocks. */
struct ts_earray_group {
    uint64_t first;    /* index of its first element, index block not counted */
    uint64_t blocks;   /* data blocks in it */
    uint64_t elements; /* in each */
    uint64_t pages;    /* in each; 0: not paged */
    uint64_t bitmap_size;
};

static inline size_t ts_earray_header_size(unsigned addr_size, unsigned len_size)
{
    return 16 + 6 * (size_t)len_size + addr_size;
}

int ts_earray_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                            struct ts_earray_header *out);
/* Checks the fields that make the shape and sets those derived from them: addr_size is set. */
int ts_earray_header_derive(struct ts_earray_header *h);
int ts_earray_header_encode(const struct ts_earray_header *h, unsigned len_size, struct ts_wr *w);

/* s is below groups. */
struct ts_earray_group ts_earray_group(const struct ts_earray_header *h, unsigned s);
/* The group that holds an index, index block not counted; may be >= groups when the index is too high. */
unsigned ts_earray_group_of(const struct ts_earray_header *h, uint64_t index);
/* Data blocks in the groups before s. */
uint64_t ts_earray_blocks_before(unsigned s);

enum ts_earray_block { TS_EARRAY_INDEX, TS_EARRAY_SECONDARY, TS_EARRAY_DATA };

/* Where a block's own content starts. */
size_t ts_earray_block_prefix(const struct ts_earray_header *h, enum ts_earray_block kind);
/* Bytes of a block, pages not included; g is its group (not for the index block). False when they do not fit in 64
 * bits. */
bool ts_earray_block_size(const struct ts_earray_header *h, enum ts_earray_block kind, const struct ts_earray_group *g,
                          uint64_t *size);

struct ts_earray_place {
    haddr_t header;
    uint64_t first, also; /* the first index it may state; equal when there is only one way to count */
};

/* Checks signature, version, client, place and checksum. */
int ts_earray_block_check(const struct ts_earray_header *h, enum ts_earray_block kind,
                          const struct ts_earray_place *place, const uint8_t *buf, size_t size);

/* content: the `size` bytes between prefix and checksum. The block states place->also, which is what libhdf5 writes; it
 * differs from place->first only in data blocks that hang on the index block. Pages are as in fixed arrays. */
int ts_earray_block_encode(const struct ts_earray_header *h, enum ts_earray_block kind,
                           const struct ts_earray_place *place, const uint8_t *content, size_t size, struct ts_wr *w);

#endif
