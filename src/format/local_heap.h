/* The header of a local heap. O = size of offsets, L = size of lengths.
 *
 *   0 "HEAP" 4
 *   4 version 1 (0)
 *   5 reserved 3
 *   8 size of the data segment L
 *     offset of the first free block in it L (1: none)
 *     address of the data segment O
 *
 * A free block starts with the offset of the next one L and its own size L; readers of names need neither. */
#ifndef TS_FORMAT_LOCAL_HEAP_H
#define TS_FORMAT_LOCAL_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

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

#endif
