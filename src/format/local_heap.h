/* The header of a local heap. O = size of offsets, L = size of lengths.
 *
 *   0 "HEAP" 4
 *   4 version 1 (0)
 *   5 reserved 3
 *   8 size of the data segment L
 *     offset of the first free block in it L (1: none)
 *     address of the data segment O
 *
 * A free block starts with the offset of the next one L (1: none) and its own size L; readers of names need neither. */
#ifndef TS_FORMAT_LOCAL_HEAP_H
#define TS_FORMAT_LOCAL_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_wr;

struct ts_lheap_header {
    uint64_t size, free_head;
    haddr_t data;
};

static inline size_t ts_lheap_header_size(unsigned addr_size, unsigned len_size)
{
    return 8 + 2 * (size_t)len_size + addr_size;
}

int ts_lheap_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_lheap_header *out);

int ts_lheap_header_encode(const struct ts_lheap_header *h, unsigned addr_size, unsigned len_size, struct ts_wr *w);

#define TS_LHEAP_NO_FREE 1 /* the offset that ends the list of free blocks */

struct ts_lheap_free {
    uint64_t next, size;
};

/* The free block at an offset of a data segment of `size` bytes, which it must lie in. */
int ts_lheap_free_decode(const uint8_t *data, size_t size, uint64_t offset, unsigned len_size,
                         struct ts_lheap_free *out);
/* The head of the block: what follows in it is unused. */
int ts_lheap_free_encode(const struct ts_lheap_free *block, unsigned len_size, struct ts_wr *w);

#endif
