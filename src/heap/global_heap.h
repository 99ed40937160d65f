/* Global heap collections: variable-length elements, region references, virtual dataset mappings. */
#ifndef TS_HEAP_GLOBAL_HEAP_H
#define TS_HEAP_GLOBAL_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

struct ts_gheap;

/* A collection, pinned in the metadata cache. Keep it open while reading many of its objects. */
int ts_gheap_open(struct ts_file *f, haddr_t addr, struct ts_gheap **out);
void ts_gheap_close(struct ts_gheap *heap);
/* An object's bytes, borrowed until the collection is closed. */
int ts_gheap_get(const struct ts_gheap *heap, uint32_t index, const uint8_t **data, size_t *size);

/* A copy of one object, from ts_malloc. */
int ts_gheap_read(struct ts_file *f, haddr_t collection, uint32_t index, void **data, size_t *size);

#endif
