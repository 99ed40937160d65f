/* What a selection in a file and one in memory come to for a driver. */
#ifndef TS_SPACE_BYTE_PIECES_H
#define TS_SPACE_BYTE_PIECES_H

#include "H5public.h"
#include "space/space.h"

/* Which bytes at an address go to or come from which place in memory. */
struct ts_byte_pieces {
    size_t n, addrs_capacity, sizes_capacity, bufs_capacity;
    haddr_t *addrs;
    size_t *sizes;
    void **bufs;
};

/* Where the elements of a pair of selections begin, and how large one is. */
struct ts_byte_pair {
    haddr_t offset;
    size_t size;
    const uint8_t *buf;
};

/* Element by element in the order of both selections, which have equally many. */
int ts_byte_pieces_add(struct ts_byte_pieces *p, const struct ts_byte_pair *pair, const struct ts_space *file,
                       const struct ts_space *mem);
void ts_byte_pieces_deinit(struct ts_byte_pieces *p);

#endif
