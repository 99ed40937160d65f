/* Reading boxes of chunks that are in memory without a lock: threads that do so share nothing that any of them writes.
 *
 * A dataset that is read so has a view: a table of those of its chunks that may be looked at, found by where they are.
 * A chunk is shown when it goes into the lists of those that may leave, and hidden when it leaves; then it is freed
 * only when nobody looks any more who could have found it (base/lane.h). Its bytes change only with the dataset's order
 * lock for writing, as ever, and who looks has it for reading. That it was used is a mark which eviction sees in time.
 */
#ifndef TS_CHUNK_LOOK_H
#define TS_CHUNK_LOOK_H

#include "chunk/chunks.h"

/* A box in the dataset's extent; its elements go side by side to dst, as they are. False when some of it is not there,
 * or it is large: then nothing, or a part of dst, was filled in. */
bool ts_sc_look_box(struct ts_sc_dset *dset, const hsize_t *start, const hsize_t *count, void *dst);

/* With the cache's lock. Fine when it is shown already, or must not be. */
void ts_sc_show(struct ts_sc_chunk *c);
/* Before it is taken out of its dataset, with the cache's lock. */
void ts_sc_hide(struct ts_sc_chunk *c);
/* Nobody reads the dataset any more. */
void ts_sc_view_free(struct ts_sc_dset *dset);

/* How often chunks of the cache were found so; the sum begins again. */
uint64_t ts_sc_looks(const struct ts_sc *cache);
void ts_sc_forget_looks(struct ts_sc *cache);

#endif
