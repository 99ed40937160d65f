/* The bytes that go through a pipeline. */
#include "base/alloc.h"
#include "filter/filter.h"

void ts_block_replace(struct ts_block *b, uint8_t *data, size_t size)
{
    if (!b->borrowed)
        ts_free(b->data);
    b->borrowed = false;
    b->data = data;
    b->size = size;
}
