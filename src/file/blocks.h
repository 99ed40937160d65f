/* Blocks of metadata on their way into the file, in the order in which they must get there. */
#ifndef TS_FILE_BLOCKS_H
#define TS_FILE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"
#include "base/cursor.h"

struct ts_blocks_item {
    haddr_t addr;
    size_t at, size; /* in the bytes of them all */
};

struct ts_blocks {
    struct ts_blocks_item *items;
    size_t n, capacity;
    struct ts_wr bytes;
    size_t kept; /* of the bytes, those that ts_file_write_fresh has left there */
};

/* Begins a block: encode it at the end of the writer that is returned, then call ts_blocks_end. */
struct ts_wr *ts_blocks_begin(struct ts_blocks *b);
int ts_blocks_end(struct ts_blocks *b, haddr_t addr);
void ts_blocks_deinit(struct ts_blocks *b);

static inline const uint8_t *ts_block_bytes(const struct ts_blocks *b, size_t i)
{
    return b->bytes.data + b->items[i].at;
}

#endif
