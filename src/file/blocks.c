#include "file/blocks.h"

#include "base/alloc.h"

struct ts_wr *ts_blocks_begin(struct ts_blocks *b)
{
    return &b->bytes;
}

int ts_blocks_end(struct ts_blocks *b, haddr_t addr)
{
    if (b->bytes.bad || TS_GROW(b->items, b->capacity, b->n + 1) < 0)
        return -1;
    size_t at = b->n ? b->items[b->n - 1].at + b->items[b->n - 1].size : 0;
    b->items[b->n++] = (struct ts_blocks_item){.addr = addr, .at = at, .size = b->bytes.size - at};
    return 0;
}

void ts_blocks_deinit(struct ts_blocks *b)
{
    ts_free(b->items);
    ts_wr_free(&b->bytes);
}
