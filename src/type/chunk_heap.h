/* The heap of a structured chunk: what its variable-length elements and references refer to.
 *
 *   0 unused bytes among the segments 4 (all ones: so many, or more)
 *   4 segments, in any order, with unused bytes anywhere
 *
 * A heap without segments has no bytes at all. In memory it is the same bytes.
 *
 * Field: what an element of a type at TS_LOC_CHUNK has in place of each sequence and reference.
 *   0 offset of its segment in the heap 8
 *   8 bytes of the segment 8; 0: there is none, and the offset is 0 too
 *
 * Object references of the old kind are no fields: they are addresses, as on disk. There is no segment for a NULL
 * string, an empty sequence and a reference to nothing.
 *
 * Segment of a sequence:            its elements, one after another
 *         of a string:              its characters without NUL; of the empty string, which is not NULL, one NUL
 *         of an old region:         address 8 | index 4, as in memory, of the global heap object that H5Rcreate made
 *         of a revised reference:   kind 1 | flags 1 | block, always in line (object/reference.h)
 *
 * An element in a segment is as in the fixed data, except that
 *   - in place of a field stands: number of elements 8 (of a reference: bytes; 0: there are none) | the elements;
 *   - a compound that has variable-length or reference members is its members, in the order of the datatype message,
 *     without gaps. */
#ifndef TS_TYPE_CHUNK_HEAP_H
#define TS_TYPE_CHUNK_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_type;

enum { TS_CHUNK_HEAP_HEADER = 4, TS_CHUNK_GAPS = 32 };

struct ts_chunk_segment {
    uint64_t offset, size;
};

/* All zeros is an empty heap. Not for several threads at a time, except to read. */
struct ts_chunk_heap {
    uint8_t *bytes; /* as in the section of the chunk, without its checksum */
    size_t size, capacity;
    size_t unused;                               /* by count; where they are is known only of the gaps */
    bool ragged;                                 /* a conversion failed: there may be segments that nothing refers to */
    struct ts_chunk_segment gaps[TS_CHUNK_GAPS]; /* ascending, not adjacent */
    size_t n_gaps;
};

/* From the section without its checksum; the bytes are copied. */
int ts_chunk_heap_decode(const void *section, size_t size, struct ts_chunk_heap *out);
void ts_chunk_heap_deinit(struct ts_chunk_heap *h);
/* Invariants of the structure; false and why in *reason. */
bool ts_chunk_heap_verify(const struct ts_chunk_heap *h, const char **reason);

/* The section without its checksum is h->bytes, h->size. */

/* Bytes of memory it takes. */
static inline size_t ts_chunk_heap_alloc(const struct ts_chunk_heap *h)
{
    return h->capacity;
}

/* Gives back memory that holds nothing. */
void ts_chunk_heap_condense(struct ts_chunk_heap *h);

/* A new segment of n bytes, at least 1: where to put them, valid until the next change of the heap. NULL: no memory. */
uint8_t *ts_chunk_heap_reserve(struct ts_chunk_heap *h, size_t n, uint64_t *offset);
/* The bytes of a segment; NULL with an error when the heap does not have them. */
const uint8_t *ts_chunk_heap_get(const struct ts_chunk_heap *h, uint64_t offset, uint64_t size);
/* Nothing refers to it any more. What cannot be a segment is let be: elements come from files. */
void ts_chunk_heap_remove(struct ts_chunk_heap *h, uint64_t offset, uint64_t size);

/* Called with a field. Not 0 ends it. */
typedef int ts_chunk_field_fn(void *ctx, uint8_t *field);
/* All fields of n packed elements of a type at TS_LOC_CHUNK; returns what ended it, or 0. */
int ts_chunk_fields(const struct ts_type *t, size_t n, uint8_t *elements, ts_chunk_field_fn *fn, void *ctx);
/* The elements become undefined: their segments go, and their fields are zeros. */
void ts_chunk_heap_erase(struct ts_chunk_heap *h, const struct ts_type *t, size_t n, uint8_t *elements);

/* More than a quarter is unused, or may be. */
bool ts_chunk_heap_wants_repack(const struct ts_chunk_heap *h);
/* Moves the segments together. `each` calls fn with every field of the chunk (ts_chunk_fields for each run of defined
 * elements) and returns what that did; the fields are changed after it has returned. Fails without a change when memory
 * is short or the segments overlap or are not in the heap. */
int ts_chunk_heap_repack(struct ts_chunk_heap *h, int (*each)(void *owner, ts_chunk_field_fn *fn, void *ctx),
                         void *owner);

static inline struct ts_chunk_segment ts_chunk_field_get(const uint8_t *field)
{
    struct ts_chunk_segment s = {0};
    for (unsigned i = 8; i-- > 0;) {
        s.offset = s.offset << 8 | field[i];
        s.size = s.size << 8 | field[8 + i];
    }
    return s;
}

static inline void ts_chunk_field_put(uint8_t *field, uint64_t offset, uint64_t size)
{
    for (unsigned i = 0; i < 8; i++) {
        field[i] = (uint8_t)(offset >> 8 * i);
        field[8 + i] = (uint8_t)(size >> 8 * i);
    }
}

#endif
