/* Chunks of a dataset in the file, where the index has them: for those who go by the cache. What waits in memory was
 * flushed before, or cannot be. Not inside a change. */
#ifndef TS_DATASET_CHUNKS_H
#define TS_DATASET_CHUNKS_H

#include "dataset/dataset.h"

/* The position of the chunk that begins at an offset; an error when none can. With the core's lock. */
int ts_chunk_position(const struct ts_dataset_core *core, const hsize_t *offset, hsize_t *scaled);
/* Where a chunk is in the file: 1, or 0 when it is not there. */
int ts_chunk_locate(struct ts_dataset_core *core, const hsize_t *scaled, struct ts_chunk_rec *out);
/* The index, for lookups in it, and the file's lock until ts_chunks_end_lookup. */
int ts_chunks_begin_lookup(struct ts_dataset_core *core, struct ts_chunk_index **index);
void ts_chunks_end_lookup(struct ts_dataset_core *core);
/* The stored bytes, decoded; *bytes from ts_malloc. */
int ts_chunk_decode(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, void **bytes);
/* Space for a chunk that is not in the index; and entering chunks whose bytes are on file. What they replace is
 * freed. */
int ts_chunk_alloc(struct ts_dataset_core *core, uint64_t size, haddr_t *addr);
void ts_chunk_free(struct ts_dataset_core *core, const struct ts_chunk_rec *rec);
int ts_chunks_enter(struct ts_dataset_core *core, const struct ts_chunk_rec *recs, size_t n);

#endif
