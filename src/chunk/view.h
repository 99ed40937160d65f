/* The view of a dataset: a table of those of its chunks that may be looked at without a lock, found by where they are
 * (look.h).
 *
 * A chunk is shown when it goes into the lists of those that may leave, and hidden when it leaves; then it is freed
 * only when nobody looks any more who could have found it (base/lane.h). */
#ifndef TS_CHUNK_VIEW_H
#define TS_CHUNK_VIEW_H

#include "chunk/chunks.h"

enum { TS_SC_BUCKET = 8 }; /* slots; a line of the processor's cache */

typedef _Atomic(struct ts_sc_chunk *) ts_sc_slot;

struct ts_sc_view {
    size_t buckets;     /* a power of two */
    ts_sc_slot slots[]; /* by buckets */
};

static inline ts_sc_slot *ts_sc_bucket(struct ts_sc_view *view, uint64_t key)
{
    return view->slots + ((key >> 32 ^ key) & (view->buckets - 1)) * TS_SC_BUCKET;
}

/* With the cache's lock. Fine when it is shown already, or must not be. */
void ts_sc_show(struct ts_sc_chunk *c);
/* Before it is taken out of its dataset, with the cache's lock. */
void ts_sc_hide(struct ts_sc_chunk *c);
/* Nobody reads the dataset any more. */
void ts_sc_view_free(struct ts_sc_dset *dset);

/* How often chunks of the cache were found without its lock; the sum begins again. */
uint64_t ts_sc_looks(const struct ts_sc *cache);
void ts_sc_forget_looks(struct ts_sc *cache);

#endif
