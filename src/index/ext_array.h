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

/* Copies the element. Returns 1, or 0 when the place that holds it was never written; negative on error. */
int ts_earray_get(struct ts_earray *array, uint64_t index, uint8_t *element);

/* 0 goes on; anything else stops and is returned. */
typedef int ts_earray_visit_fn(uint64_t index, const uint8_t *element, void *ctx);

/* Every element up to the highest that was set in a place that was written, from index `first` on. */
int ts_earray_walk(struct ts_earray *array, uint64_t first, ts_earray_visit_fn *visit, void *ctx);
int ts_earray_storage(struct ts_earray *array, uint64_t *bytes);

/* Changes; inside ts_change_begin/end (file/change.h). An array that is open stays so, and sees them. */

struct ts_earray_params {
    unsigned client, element_size;
    unsigned max_bits, index_elements, min_elements, min_pointers, page_bits;
};

/* *addr is that of its header. No element has a place yet. */
int ts_earray_create(struct ts_file *f, const struct ts_earray_params *params, haddr_t *addr);
int ts_earray_set(struct ts_earray *array, uint64_t index, const uint8_t *element);
/* Frees all of it; no one may have the array open. Each element in a place that was written goes to visit first, when
 * given. */
int ts_earray_delete(struct ts_file *f, haddr_t addr, ts_earray_visit_fn *visit, void *ctx);

/* 1 when all blocks and pages load and the header's statistics are right, 0 and why when not. */
int ts_earray_verify(struct ts_earray *array, const char **reason);

static inline int ts_earray_iterate(struct ts_earray *array, ts_earray_visit_fn *visit, void *ctx)
{
    return ts_earray_walk(array, 0, visit, ctx);
}

#endif
