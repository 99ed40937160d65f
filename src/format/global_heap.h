/* A global heap collection. L = size of lengths; everything starts at a multiple of 8.
 *
 *   0 "GCOL" 4
 *   4 version 1 (1)
 *   5 reserved 3
 *   8 size of the collection, this header included, L; padded to a multiple of 8
 *     objects:
 *       0 index 2 (0: free space up to the end)
 *       2 reference count 2
 *       4 reserved 4
 *       8 size of the data L; padded to a multiple of 8
 *         data, padded to a multiple of 8
 *
 * Free space too small for an object's header has none. */
#ifndef TS_FORMAT_GLOBAL_HEAP_H
#define TS_FORMAT_GLOBAL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_wr;

struct ts_gheap_object {
    uint16_t index, references;
    size_t offset, size; /* of the data, in the collection */
};

static inline size_t ts_gheap_header_size(unsigned len_size)
{
    return (8 + (size_t)len_size + 7) / 8 * 8;
}

/* buf holds at least ts_gheap_header_size bytes. */
int ts_gheap_header_decode(const uint8_t *buf, size_t size, unsigned len_size, uint64_t *collection_size);

/* The object at *pos, which moves behind it. Returns 1, 0 at the end or free space, negative on error. */
int ts_gheap_object_next(const uint8_t *buf, size_t size, unsigned len_size, size_t *pos, struct ts_gheap_object *out);

/* Bytes that an object of `size` bytes takes in a collection. */
static inline size_t ts_gheap_object_size(size_t size, unsigned len_size)
{
    return ts_gheap_header_size(len_size) + (size + 7) / 8 * 8;
}

/* What libhdf5 gives a collection at least. */
enum { TS_GHEAP_MIN_SIZE = 4096 };

int ts_gheap_header_encode(uint64_t collection_size, unsigned len_size, struct ts_wr *w);
/* index is not 0; o->offset is not used. */
int ts_gheap_object_encode(const struct ts_gheap_object *o, const uint8_t *data, unsigned len_size, struct ts_wr *w);
/* The same where there is room for it: an object without references, of at most 64 KiB, that a field of lengths
 * holds. */
void ts_gheap_object_put(uint8_t *at, unsigned index, const void *data, size_t size, unsigned len_size);
/* Free space of `size` bytes, its own header included, at the end of a collection. */
int ts_gheap_free_encode(size_t size, unsigned len_size, struct ts_wr *w);

#endif
