/* Structured chunks: sections back to back in one block, and what an index keeps of each chunk. O = size of offsets,
 * W = bytes of a chunk's size (ts_struct_size_width).
 *
 * sections             | type | metadata sections: a checksum of 4 bytes ends each that is not empty
 *   selection, fixed   |  1   | 0
 *   fixed, heap        |  2   | 0 1
 *   selection, fixed,  |  3   | 0 1 2
 *     heap             |      |
 *
 * chunk metadata: offset of section 1 … N - 1, 8 each; section 0 is at 0
 *                 with filters also: bytes of section 0 … N - 1 before filters, 8 each
 *                                    filter mask of section 0 … N - 1, 4 each
 * composition:    offset size 1 (8), read also in 8 bytes | sections 1 | metadata sections 1 | their numbers 1 each
 * array element:  address O | chunk size W | chunk metadata
 * B-tree record:  address O | chunk size W | position in chunks 8 per dimension | chunk metadata
 */
#ifndef TS_FORMAT_STRUCTURED_CHUNK_H
#define TS_FORMAT_STRUCTURED_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_rd;
struct ts_wr;

#define TS_SECTIONS_MAX 3

/* Bits of the structured chunk type. */
enum { TS_STRUCT_SPARSE = 1, TS_STRUCT_VL = 2 };

/* The number of a section in chunks of a type that has it. */
static inline unsigned ts_struct_fixed_section(unsigned type)
{
    return type & TS_STRUCT_SPARSE ? 1 : 0;
}

static inline unsigned ts_struct_heap_section(unsigned type)
{
    return ts_struct_fixed_section(type) + 1;
}

/* How many a type has; 0 when there is no such type. */
unsigned ts_struct_sections(unsigned type);
/* The section ends with a checksum when it is not empty. */
bool ts_struct_is_metadata(unsigned type, unsigned section);

enum { TS_SECTION_CHECKSUM = 4 };
/* That it ends with the checksum of what is before it. */
bool ts_section_has_sum(const uint8_t *section, size_t size);
/* Puts it behind `size` bytes. */
void ts_section_put_sum(uint8_t *section, size_t size);

/* Where the sections of a stored chunk are; n = 0: the chunk is not structured. */
struct ts_chunk_sections {
    uint8_t n;
    uint64_t offset[TS_SECTIONS_MAX]; /* in the stored chunk */
    uint64_t size[TS_SECTIONS_MAX];   /* before filters; without filters what is stored */
    uint32_t mask[TS_SECTIONS_MAX];
};

/* Bytes of section i in a stored chunk of chunk_size bytes. */
static inline uint64_t ts_section_stored(const struct ts_chunk_sections *s, unsigned i, uint64_t chunk_size)
{
    return (i + 1u < s->n ? s->offset[i + 1] : chunk_size) - s->offset[i];
}

/* What is wrong with the sections of a stored chunk; NULL when they are sound. */
const char *ts_sections_problem(const struct ts_chunk_sections *s, unsigned n, bool filtered, uint64_t chunk_size);

size_t ts_chunk_metadata_size(unsigned n, bool filtered);
/* Errors of the cursor are the caller's to look for, before it believes anything. */
void ts_chunk_metadata_read(struct ts_rd *r, unsigned n, bool filtered, uint64_t chunk_size,
                            struct ts_chunk_sections *out);
void ts_chunk_metadata_put(struct ts_wr *w, const struct ts_chunk_sections *s, bool filtered);

/* Bytes that a chunk's size has in layout message and index; chunk_bytes: of all its elements. */
unsigned ts_struct_size_width(unsigned type, uint64_t chunk_bytes);

/* The composition must be that of the type: nothing else has a meaning. */
int ts_struct_composition_read(struct ts_rd *r, unsigned type);
void ts_struct_composition_put(struct ts_wr *w, unsigned type);

#endif
