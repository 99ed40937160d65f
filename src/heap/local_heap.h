/* A local heap: the names of one old-style group, or of the external files of a dataset. */
#ifndef TS_HEAP_LOCAL_HEAP_H
#define TS_HEAP_LOCAL_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

struct ts_lheap;

/* Pinned in the metadata cache until ts_lheap_close; shared with whoever else has it open. */
int ts_lheap_open(struct ts_file *f, haddr_t addr, struct ts_lheap **out);
void ts_lheap_close(struct ts_lheap *heap);

/* The string at offset, borrowed until the heap is closed or changed; NULL and an error when it does not end inside the
 * heap. */
const char *ts_lheap_name(const struct ts_lheap *heap, uint64_t offset);
/* Bytes of the data segment. */
uint64_t ts_lheap_size(const struct ts_lheap *heap);
/* Bytes of header (which takes a multiple of 8) and data segment. */
int ts_lheap_storage(struct ts_file *f, haddr_t addr, uint64_t *bytes);

/* Changes; inside ts_change_begin/end. */

/* A heap whose data segment has room for `room` bytes. It holds the empty string at offset 0. */
int ts_lheap_create(struct ts_file *f, uint64_t room, haddr_t *addr);
/* A string with its NUL, at a new offset, which is a multiple of 8. What ts_lheap_name gave is no longer valid. */
int ts_lheap_insert(struct ts_lheap *heap, const char *name, uint64_t *offset);
/* The string at offset is no longer used; none is at offset 0 but the empty one, which stays. */
int ts_lheap_remove(struct ts_lheap *heap, uint64_t offset);
/* The heap and its space are gone. It must not be open. */
int ts_lheap_delete(struct ts_file *f, haddr_t addr);

/* Negative and an error when the free blocks overlap or leave the segment. */
int ts_lheap_verify(const struct ts_lheap *heap);

#endif
