/* Elements become undefined; chunks that change without being read or written by the application. */
#ifndef TS_CHUNK_ERASE_H
#define TS_CHUNK_ERASE_H

#include "chunk/batch.h"

/* Those of a visit that is READY and was claimed to be changed. When nothing is left of the chunk it is deleted, and
 * the visit DONE. */
int ts_sc_visit_erase(struct ts_sc_visit *v);

/* Serves a batch: its chunks are brought in and each goes to change. */
int ts_sc_batch_change(struct ts_sc_batch *b, int (*change)(struct ts_sc_visit *v));

#endif
