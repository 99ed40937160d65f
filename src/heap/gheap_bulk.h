/* Global heap collections of objects that come by the thousand. They are filled one behind the other in a buffer and
 * written when that is full, into new space: the metadata cache, which would keep a table of the objects of each and
 * write them all again with the next commit, never sees them. */
#ifndef TS_HEAP_GHEAP_BULK_H
#define TS_HEAP_GHEAP_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/file.h"
#include "format/global_heap.h"

/* Collections as large as this are read at once for one object of theirs. Four of them to a write: a million strings
 * took 33.2, 33.0, 32.5 and 32.7 ms of the processor on tmpfs by one, two, four and eight, on ext4 27.5, 26.2, 24.8 and
 * 24.9. */
enum { TS_GHEAP_BULK_SIZE = 65536, TS_GHEAP_BULK_BLOCKS = 4 };

struct ts_gheap_bulk {
    struct ts_file *file;
    unsigned len_size;
    size_t n;       /* collections in the buffer; the last takes more */
    size_t end;     /* of its last object */
    uint32_t count; /* of its objects */
    bool whole;     /* a collection was filled */
    haddr_t addrs[TS_GHEAP_BULK_BLOCKS];
    uint8_t *buf;
};

/* A collection that was written with room for more. */
struct ts_gheap_left {
    haddr_t addr; /* HADDR_UNDEF: none */
    size_t free;
};

/* Inside a change, which lasts until ts_gheap_bulk_write, or fails. NULL when memory is short. */
struct ts_gheap_bulk *ts_gheap_bulk_new(struct ts_file *f);
/* The object fits a collection, with the headers of both. */
static inline bool ts_gheap_bulk_takes(size_t size)
{
    return size <= TS_GHEAP_BULK_SIZE - 64;
}

int ts_gheap_bulk_put(struct ts_gheap_bulk *b, const void *data, size_t size, haddr_t *collection, uint32_t *index);
bool ts_gheap_bulk_has(const struct ts_gheap_bulk *b, haddr_t collection);
/* All that was put is on file; the last collection is as short as it can be. */
int ts_gheap_bulk_write(struct ts_gheap_bulk *b, struct ts_gheap_left *left);
void ts_gheap_bulk_free(struct ts_gheap_bulk *b); /* NULL is fine */

#endif
