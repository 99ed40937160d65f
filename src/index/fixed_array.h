/* Fixed arrays: a known number of raw elements. */
#ifndef TS_INDEX_FIXED_ARRAY_H
#define TS_INDEX_FIXED_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

struct ts_farray;

/* The header, pinned in the metadata cache until ts_farray_close. */
int ts_farray_open(struct ts_file *f, haddr_t addr, struct ts_farray **out);
void ts_farray_close(struct ts_farray *array);

unsigned ts_farray_client(const struct ts_farray *array);
size_t ts_farray_element_size(const struct ts_farray *array);

/* Copies the element. Returns 1, or 0 when the place that holds it was never written; negative on error. */
int ts_farray_get(struct ts_farray *array, uint64_t index, uint8_t *element);

/* 0 goes on; anything else stops and is returned. */
typedef int ts_array_visit_fn(uint64_t index, const uint8_t *element, void *ctx);

/* Every element in a place that was written, from index `first` on. */
int ts_farray_walk(struct ts_farray *array, uint64_t first, ts_array_visit_fn *visit, void *ctx);
int ts_farray_storage(struct ts_farray *array, uint64_t *bytes);

/* Changes; inside ts_change_begin/end (file/change.h). An array that is open stays so, and sees them. */

struct ts_farray_params {
    unsigned client, element_size, page_bits;
    uint64_t count;
};

/* *addr is that of its header. No element has a place yet. */
int ts_farray_create(struct ts_file *f, const struct ts_farray_params *params, haddr_t *addr);
int ts_farray_set(struct ts_farray *array, uint64_t index, const uint8_t *element);
/* Frees all of it; no one may have the array open. Each element in a place that was written goes to visit first, when
 * given. */
int ts_farray_delete(struct ts_file *f, haddr_t addr, ts_array_visit_fn *visit, void *ctx);

/* 1 when all blocks and pages load and agree with the header, 0 and why when not. */
int ts_farray_verify(struct ts_farray *array, const char **reason);

static inline int ts_farray_iterate(struct ts_farray *array, ts_array_visit_fn *visit, void *ctx)
{
    return ts_farray_walk(array, 0, visit, ctx);
}

#endif
