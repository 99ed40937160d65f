/* Reading boxes of chunks that are in memory without a lock: threads that do so share nothing that any of them writes.
 *
 * They find chunks in the dataset's view (view.h), whose bytes change only with its order lock for writing, as ever;
 * who looks has that for reading. That a chunk was used is a mark which eviction sees in time. */
#ifndef TS_CHUNK_LOOK_H
#define TS_CHUNK_LOOK_H

#include "chunk/chunks.h"

/* A box in the dataset's extent; its elements go side by side to dst, as they are. False when some of it is not there,
 * or it is large: then nothing, or a part of dst, was filled in. */
bool ts_sc_look_box(struct ts_sc_dset *dset, const hsize_t *start, const hsize_t *count, void *dst);

#endif
