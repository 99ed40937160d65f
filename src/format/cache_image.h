/* The metadata cache image: blocks of metadata that a writer kept together instead of putting each in its place. The
 * specification does not describe it; this is the order of the fields in files. O = size of offsets, L = of lengths.
 *
 *   0 "MDCI" 4
 *   4 version 1 (0)
 *   5 flags 1
 *   6 bytes of the image L
 *     number of entries 4
 *     entries, each: type 1, flags 1, ring 1, age 1, children 2, dirty children 2, parents 2, rank of last use 4,
 *       address O, size L, addresses of the parents O each, the block
 *     checksum 4 */
#ifndef TS_FORMAT_CACHE_IMAGE_H
#define TS_FORMAT_CACHE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_cache_image_entry {
    haddr_t addr;
    size_t size;
    const uint8_t *data; /* borrowed from the image */
};

/* On success *entries is the caller's, in ascending order of address, and no two overlap. */
int ts_cache_image_entries(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_cache_image_entry **entries, size_t *n);

#endif
