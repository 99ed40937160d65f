/* Reading ahead: a program that reads a dataset from front to back finds the next chunks decoded. */
#ifndef TS_CHUNK_READ_AHEAD_H
#define TS_CHUNK_READ_AHEAD_H

#include "chunk/shared_cache.h"

/* After a read: when it went on where the one before ended, workers begin with what comes next. */
void ts_sc_read_ahead(const struct ts_sc_io *io);
/* The same after a read in one chunk. */
void ts_sc_read_on(struct ts_sc_dset *dset, const hsize_t *scaled);
/* The same after a look at chunks in memory, from the first to the last. Takes a lock only when reads follow each
 * other so far. */
void ts_sc_look_on(struct ts_sc_dset *dset, const hsize_t *low, const hsize_t *high);

#endif
