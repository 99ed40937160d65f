/* Virtual datasets: selections of other datasets shown as one.
 *
 * The mappings are an object of the global heap, L = size of lengths:
 *   version 1 (0) | entries L | entries: source file, NUL | source dataset, NUL | source selection | virtual selection
 *   checksum 4
 * A source file "." is the virtual dataset's own. "%b" in a source's names stands for the number of a block of an unlimited
 * virtual selection: each block has a source of its own. */
#ifndef TS_DATASET_VIRTUAL_H
#define TS_DATASET_VIRTUAL_H

#include "dataset/dataset.h"

struct ts_vds;

int ts_virtual_open(struct ts_dataset *d, struct ts_virtual **out);
void ts_virtual_free(struct ts_virtual *v); /* NULL is fine */
/* The mappings, borrowed. */
const struct ts_vds *ts_virtual_maps(const struct ts_virtual *v);
/* Sets the extent that unlimited mappings give as their sources are now. */
int ts_virtual_refresh(struct ts_dataset *d);
/* Bytes of the mappings in the global heap. */
int ts_virtual_heap_size(struct ts_dataset *d, hsize_t *out);

#endif
