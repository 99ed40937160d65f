/* Pages of fixed and extensible arrays: elements and a checksum, cached one by one. */
#ifndef TS_INDEX_ARRAY_PAGE_H
#define TS_INDEX_ARRAY_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

/* The elements of the page at addr, `size` bytes with the checksum; pinned until ts_array_page_unpin(f, addr). */
int ts_array_page_pin(struct ts_file *f, haddr_t addr, uint64_t size, const uint8_t **elements);
void ts_array_page_unpin(struct ts_file *f, haddr_t addr);

/* Bitmaps of pages start at the highest bit of their first byte. */
static inline bool ts_array_page_written(const uint8_t *bitmap, uint64_t page)
{
    return bitmap[page / 8] >> (7 - page % 8) & 1;
}

#endif
