/* Extensible arrays: raw elements in blocks that double in size. */
#ifndef TS_INDEX_EXT_ARRAY_H
#define TS_INDEX_EXT_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

struct ts_earray;

/* The header, pinned in the metadata cache until ts_earray_close. */
int ts_earray_open(struct ts_file *f, haddr_t addr, struct ts_earray **out);
void ts_earray_close(struct ts_earray *array);

unsigned ts_earray_client(const struct ts_earray *array);
size_t ts_earray_element_size(const struct ts_earray *array);
uint64_t ts_earray_count(const struct ts_earray *array); /* one more than the highest index that was set */

/* Copies the element. Returns 1, or 0 when the place that holds it was never written; negative on error. */
int ts_earray_get(struct ts_earray *array, uint64_t index, uint8_t *element);

/* 0 goes on; anything else stops and is returned. */
typedef int ts_earray_visit_fn(uint64_t index, const uint8_t *element, void *ctx);

/* Every element below ts_earray_count in a place that was written. */
int ts_earray_iterate(struct ts_earray *array, ts_earray_visit_fn *visit, void *ctx);
int ts_earray_storage(struct ts_earray *array, uint64_t *bytes);

#endif
