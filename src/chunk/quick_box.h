#ifndef TS_CHUNK_QUICK_BOX_H
#define TS_CHUNK_QUICK_BOX_H

#include "chunk/shared_cache.h"

/* As H5SC_write of one. False when it is not of this kind: then nothing is done. */
bool ts_sc_quick_write(const struct ts_sc_io *io);

/* The same of a box in the dataset's extent, from elements that lie together and are as in the cache. With the order
 * lock. */
bool ts_sc_quick_write_box(struct ts_sc_dset *dset, const hsize_t *start, const hsize_t *count, const void *src);
bool ts_sc_quick_read_box(struct ts_sc_dset *dset, const hsize_t *start, const hsize_t *count, void *dst);

#endif
