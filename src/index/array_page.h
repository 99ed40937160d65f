/* Pages of fixed and extensible arrays: elements and a checksum, cached one by one. */
#ifndef TS_INDEX_ARRAY_PAGE_H
#define TS_INDEX_ARRAY_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/file.h"
#include "file/retry.h"

/* The elements of the page at addr, `size` bytes with the checksum; pinned until ts_array_page_unpin(f, addr). */
int ts_array_page_pin(struct ts_file *f, enum ts_retry_kind kind, haddr_t addr, uint64_t size,
                      const uint8_t **elements);
void ts_array_page_unpin(struct ts_file *f, haddr_t addr);

/* Sets an element of the page, counted from its first. When the page was never written it is made here, and none of its
 * other elements of element_size bytes points anywhere. parent says so, in a bitmap or by its address, and is written
 * after it. */
struct ts_array_page_at {
    haddr_t addr, parent;
    uint64_t size;
    unsigned element_size;
    bool written;
};

int ts_array_page_set(struct ts_file *f, const struct ts_array_page_at *at, uint64_t element, const uint8_t *bytes);

/* Writes into a block or page that is being edited, and keeps only what was there: they are large. */
int ts_array_put(struct ts_file *f, uint8_t *at, const void *bytes, size_t n);

/* Fills n bytes with elements that do not point anywhere: an address with all bits set, the rest 0. */
void ts_array_blank(uint8_t *elements, size_t n, size_t element_size, unsigned addr_size);

/* Bitmaps of pages start at the highest bit of their first byte. */
static inline bool ts_array_page_written(const uint8_t *bitmap, uint64_t page)
{
    return bitmap[page / 8] >> (7 - page % 8) & 1;
}

static inline int ts_array_page_set_written(struct ts_file *f, uint8_t *bitmap, uint64_t page)
{
    uint8_t byte = (uint8_t)(bitmap[page / 8] | 1u << (7 - page % 8));
    return ts_array_put(f, &bitmap[page / 8], &byte, 1);
}

/* What the classes of blocks and pages keep of them before a change: ts_array_put does it all. */
static inline int ts_array_keep(struct ts_file *f, void *obj)
{
    (void)f, (void)obj;
    return 0;
}

#endif
