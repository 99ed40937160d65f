/* Free space managers. O = size of offsets, L = size of lengths.
 *
 * The header:
 *   0 "FSHD" 4
 *   4 version 1 (0)
 *   5 client 1 (0 fractal heap, 1 file)
 *   6 free bytes L, sections L, serialized L, not serialized L
 *     section classes 2, shrink percent 2, expand percent 2, address bits 2
 *     greatest section L
 *     section list O, bytes used L, bytes allocated L
 *     checksum 4
 *
 * The section list, its integers as wide as the header's greatest values need:
 *   0 "FSSE" 4
 *   4 version 1 (0)
 *   5 header O
 *     sets of sections of one size, each: sections, size, then per section: address, type 1
 *       (a file's: the specification knows 0; files in pages have 1 for sections inside a page, 2 for larger ones)
 *       (a fractal heap's: 0 inside a direct block; 1 and 3 blocks of an indirect block that are not there yet, with
 *       more behind the type: offset of the indirect block as wide as an address, first row 2, first column 2,
 *       number of blocks 2)
 *     checksum 4 */
#ifndef TS_FORMAT_FREE_SPACE_H
#define TS_FORMAT_FREE_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_wr;

struct ts_free_space {
    unsigned client;
    uint64_t bytes, sections, serialized, not_serialized;
    unsigned classes, shrink_percent, expand_percent, addr_bits;
    uint64_t max_section;
    haddr_t list;
    uint64_t list_used, list_allocated;
};

static inline size_t ts_free_space_size(unsigned addr_size, unsigned len_size)
{
    return 18 + 7 * (size_t)len_size + addr_size;
}

int ts_free_space_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                         struct ts_free_space *out);
int ts_free_space_encode(const struct ts_free_space *fs, unsigned addr_size, unsigned len_size, struct ts_wr *w);

struct ts_free_section {
    haddr_t addr;
    uint64_t size;
    unsigned type;
    /* A fractal heap's of type 1 or 3: which blocks of which indirect block. */
    uint64_t indirect;
    unsigned row, column, blocks;
};

enum {
    TS_HEAP_SECTION_SINGLE = 0,
    TS_HEAP_SECTION_FIRST_ROW = 1,
    TS_HEAP_SECTION_ROW = 2,
    TS_HEAP_SECTION_INDIRECT = 3
};

/* buf is the list_used bytes of the list of a file's manager whose header is hdr, at hdr_addr. On success *out
 * (hdr->serialized of them, NULL for none) is the caller's. */
int ts_free_sections_decode(const uint8_t *buf, size_t size, unsigned addr_size, const struct ts_free_space *hdr,
                            haddr_t hdr_addr, struct ts_free_section **out);

/* The same for a manager of a fractal heap. */
int ts_heap_sections_decode(const uint8_t *buf, size_t size, unsigned addr_size, const struct ts_free_space *hdr,
                            haddr_t hdr_addr, struct ts_free_section **out);

/* Writing, either kind as hdr->client says. hdr->serialized sections in ascending order of size; neighbours of one size
 * make a set. */
size_t ts_free_sections_size(const struct ts_free_section *list, unsigned addr_size, const struct ts_free_space *hdr);
int ts_free_sections_encode(const struct ts_free_section *list, unsigned addr_size, const struct ts_free_space *hdr,
                            haddr_t hdr_addr, struct ts_wr *w);

#endif
