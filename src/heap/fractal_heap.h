/* Fractal heaps: links of dense groups, dense attributes, shared messages. */
#ifndef TS_HEAP_FRACTAL_HEAP_H
#define TS_HEAP_FRACTAL_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "file/file.h"

struct ts_fheap;

/* The header, pinned in the metadata cache until ts_fheap_close. */
int ts_fheap_open(struct ts_file *f, haddr_t addr, struct ts_fheap **out);
void ts_fheap_close(struct ts_fheap *heap);

/* Bytes of an object's id in this heap. */
size_t ts_fheap_id_size(const struct ts_fheap *heap);
/* Appends the object's bytes to out. id may be longer than the heap's ids, never shorter. */
int ts_fheap_read(struct ts_fheap *heap, const uint8_t *id, size_t id_size, struct ts_wr *out);
/* Bytes the heap takes in the file: header, indirect and direct blocks, huge objects and their B-tree. */
int ts_fheap_storage(struct ts_fheap *heap, uint64_t *bytes);

#endif
