/* Fractal heaps. O = size of offsets, L = size of lengths, B = bytes of a heap offset (heap bits / 8, rounded up).
 *
 * header                                  | direct block                | indirect block
 *   0 "FRHP" 4                            |   0 "FHDB" 4                |   0 "FHIB" 4
 *   4 version 1 (0)                       |   4 version 1 (0)           |   4 version 1 (0)
 *   5 bytes of a heap id 2                |   5 heap header O           |   5 heap header O
 *   7 bytes of the filter message 2       |     offset in the heap B    |     offset in the heap B
 *   9 flags 1 (2: blocks have checksums)  |     checksum 4, optional,   |     direct children:
 *  10 greatest managed object 4           |       taken with itself 0   |       address O
 *  14 next huge id L                      |     objects                 |       filtered: size L, mask 4
 *     B-tree of huge objects O            |                             |     indirect children:
 *     free managed bytes L                |                             |       address O
 *     free space manager O                |                             |     checksum 4
 *     managed bytes L, allocated L        |
 *     allocation iterator L               |  The bytes of a heap are laid out in rows of `width` blocks. Blocks of the
 *     managed objects L                   |  first two rows have the starting size, those of each further row double
 *     huge bytes L, objects L             |  it. Up to the greatest direct size a block is direct; above it is
 *     tiny bytes L, objects L             |  indirect, and is itself such a table of as many rows as fill its size.
 *     table width 2                       |
 *     starting block size L               |
 *     greatest direct block L             |
 *     heap bits 2                         |
 *     starting rows 2                     |
 *     root block O, rows in it 2 (0: direct)
 *     filters: root size L, mask 4, filter pipeline message
 *     checksum 4
 *
 * A heap id starts with a byte: version in bits 6-7 (0), kind in bits 4-5. Managed: offset B, length. Huge: address O,
 * length L (filtered: mask 4, size L) when that fits in the id, else the key in the B-tree of huge objects. Tiny:
 * length - 1 in bits 0-3, in ids over 18 bytes in those and the next byte; then the object itself. */
#ifndef TS_FORMAT_FRACTAL_HEAP_H
#define TS_FORMAT_FRACTAL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_wr;

struct ts_fheap_header {
    unsigned id_size, filter_size, flags;
    uint32_t max_managed;
    haddr_t huge_btree, free_space, root;
    uint64_t next_huge_id, managed_free, iterator; /* for writers; iterator: where the next direct block goes */
    uint64_t managed_size, managed_allocated, managed_count, huge_size, huge_count, tiny_size, tiny_count;
    uint64_t start_block, max_direct;
    unsigned width, heap_bits, start_rows, rows;
    uint64_t filtered_root_size; /* this and below only when filter_size > 0 */
    uint32_t root_filter_mask;
    const uint8_t *filters; /* the message, borrowed from the buffer */
    /* Derived. */
    unsigned addr_size, len_size;
    unsigned offset_size, length_size; /* in ids of managed objects */
    unsigned first_row_bits;           /* log2 of the bytes of row 0 */
    unsigned direct_rows, max_rows;
};

enum { TS_FHEAP_CHECKSUM = 2 };
enum { TS_FHEAP_MANAGED = 0, TS_FHEAP_HUGE = 1, TS_FHEAP_TINY = 2 };

/* Without the filter part. */
static inline size_t ts_fheap_header_min_size(unsigned addr_size, unsigned len_size)
{
    return 26 + 12 * (size_t)len_size + 3 * (size_t)addr_size;
}

/* The header's whole size from its first 9 bytes. */
size_t ts_fheap_header_size(const uint8_t *buf, unsigned addr_size, unsigned len_size);
int ts_fheap_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_fheap_header *out);
/* Checks the fields that make the table of blocks and sets those derived from them: addr_size and len_size are set. */
int ts_fheap_header_derive(struct ts_fheap_header *h);
/* filters are the filter_size bytes of a pipeline message. */
int ts_fheap_header_encode(const struct ts_fheap_header *h, struct ts_wr *w);

/* Bytes of one block of a row, and where the row starts in its indirect block. row is below max_rows. */
static inline uint64_t ts_fheap_row_block(const struct ts_fheap_header *h, unsigned row)
{
    return h->start_block << (row ? row - 1 : 0);
}

static inline uint64_t ts_fheap_row_start(const struct ts_fheap_header *h, unsigned row)
{
    return row ? (uint64_t)1 << (h->first_row_bits + row - 1) : 0;
}

/* Rows of the indirect block that stands for `size` bytes; 0 when there is no such block. */
unsigned ts_fheap_rows_for(const struct ts_fheap_header *h, uint64_t size);
/* The row that an offset inside an indirect block falls in. */
unsigned ts_fheap_row_of(const struct ts_fheap_header *h, uint64_t offset);

static inline size_t ts_fheap_direct_prefix(const struct ts_fheap_header *h)
{
    return 5 + h->addr_size + h->offset_size + (h->flags & TS_FHEAP_CHECKSUM ? 4 : 0);
}

size_t ts_fheap_indirect_size(const struct ts_fheap_header *h, unsigned rows);

/* Checks the prefix of a block, whose bytes are unfiltered already. The checksum field is set to 0 on the way. */
int ts_fheap_direct_check(const struct ts_fheap_header *h, haddr_t header, uint64_t offset, uint8_t *buf, size_t size);
/* The ts_fheap_direct_prefix bytes before the objects, with 0 for the checksum. */
int ts_fheap_direct_encode(const struct ts_fheap_header *h, haddr_t header, uint64_t offset, struct ts_wr *w);
/* Puts the checksum into a whole block, when the heap has them. */
void ts_fheap_direct_seal(const struct ts_fheap_header *h, uint8_t *buf, size_t size);

struct ts_fheap_child {
    haddr_t addr;
    uint64_t filtered_size;
    uint32_t filter_mask;
};

/* What an indirect block must say of itself: the heap's header, its place in the heap, and how many rows it has. */
struct ts_fheap_place {
    haddr_t header;
    uint64_t offset;
    unsigned rows;
};

/* children has room for rows * width. buf holds ts_fheap_indirect_size bytes. */
int ts_fheap_indirect_decode(const struct ts_fheap_header *h, const struct ts_fheap_place *place, const uint8_t *buf,
                             struct ts_fheap_child *children);
int ts_fheap_indirect_encode(const struct ts_fheap_header *h, const struct ts_fheap_place *place,
                             const struct ts_fheap_child *children, struct ts_wr *w);

struct ts_fheap_id {
    unsigned kind;
    uint64_t offset, length; /* managed: in the heap; tiny: in the id */
    bool direct;             /* huge: extent is known; else key is */
    uint64_t key;
    struct ts_fheap_extent {
        haddr_t addr;
        uint64_t length, size; /* in the file; after filters */
        uint32_t filter_mask;
    } extent;
};

int ts_fheap_id_decode(const struct ts_fheap_header *h, const uint8_t *id, size_t size, struct ts_fheap_id *out);
/* All id_size bytes. tiny: the object itself when the kind is that. */
int ts_fheap_id_encode(const struct ts_fheap_header *h, const struct ts_fheap_id *id, const uint8_t *tiny,
                       struct ts_wr *w);
/* A record of the B-tree of huge objects, types 1 and 2 only: extent and key. */
size_t ts_fheap_huge_record_size(const struct ts_fheap_header *h);
void ts_fheap_huge_record_decode(const struct ts_fheap_header *h, const uint8_t *record, struct ts_fheap_id *out);
/* With the key, as in types 1 and 2, unless the id is direct: types 3 and 4. */
int ts_fheap_huge_record_encode(const struct ts_fheap_header *h, const struct ts_fheap_id *id, struct ts_wr *w);

#endif
