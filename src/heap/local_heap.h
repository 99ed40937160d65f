/* A local heap: the names of one old-style group. */
#ifndef TS_HEAP_LOCAL_HEAP_H
#define TS_HEAP_LOCAL_HEAP_H

#include <stdint.h>

#include "file/file.h"

struct ts_lheap;

/* Pinned in the metadata cache until ts_lheap_close; shared with whoever else has it open. */
int ts_lheap_open(struct ts_file *f, haddr_t addr, struct ts_lheap **out);
void ts_lheap_close(struct ts_lheap *heap);

/* The string at offset, borrowed until the heap is closed; NULL and an error when it does not end inside the heap. */
const char *ts_lheap_name(const struct ts_lheap *heap, uint64_t offset);
/* Bytes of the data segment. */
uint64_t ts_lheap_size(const struct ts_lheap *heap);
/* Bytes of header (which takes a multiple of 8) and data segment; reads the header only. */
int ts_lheap_storage(struct ts_file *f, haddr_t addr, uint64_t *bytes);

#endif
