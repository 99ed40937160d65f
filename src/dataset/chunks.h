/* The chunks of a dataset as memory sees them: what was written may still wait in the cache (chunk/). All calls are made
 * with the core's lock (ts_dataset_core_lock_write), not inside a change, except where they say otherwise. */
#ifndef TS_DATASET_CHUNKS_H
#define TS_DATASET_CHUNKS_H

#include "dataset/dataset.h"

/* Makes the set of chunks of a chunked dataset; it needs no lock. */
int ts_dataset_chunks_open(struct ts_dataset_core *core);

/* Changes the decoded bytes of a chunk: core->chunk_bytes of them. 0, or negative to give up. */
typedef int ts_chunk_edit_fn(void *bytes, void *ctx);

/* Lets edit change a chunk that exists, in the cache or in the file, and makes it dirty. With edit NULL it is only made
 * dirty, so that it gets written again as the extent then says. Returns 1, or 0 when there is no such chunk. */
int ts_dataset_chunk_edit(struct ts_dataset_core *core, const hsize_t *scaled, ts_chunk_edit_fn *edit, void *ctx);
/* Forgets chunks that lie in the extent of now and outside these dims, dirty or not; the index is not touched. dims NULL:
 * all. */
void ts_dataset_chunks_drop(struct ts_dataset_core *core, const hsize_t *dims);
/* Writes all that are dirty. */
int ts_dataset_chunks_flush(struct ts_dataset_core *core);

/* Where a chunk is in the file: 1, or 0 when it is not there. The lock for reading is enough. */
int ts_chunk_locate(struct ts_dataset_core *core, const hsize_t *scaled, struct ts_chunk_rec *out);
/* The stored bytes, decoded; *bytes from ts_malloc. The lock for reading is enough. */
int ts_chunk_decode(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, const struct ts_filter_options *options,
                    void **bytes);
/* The content of a chunk that is not there yet. */
int ts_chunk_blank(struct ts_dataset_core *core, void *bytes);
/* Stores decoded bytes: in place, or in a new place that the index then names. */
int ts_chunk_store(struct ts_dataset_core *core, const hsize_t *scaled, const void *bytes);
/* The same with bytes from ts_malloc, which this call frees. */
int ts_chunk_store_owned(struct ts_dataset_core *core, const hsize_t *scaled, void *bytes);
/* Space for a chunk that is not in the index; and entering chunks whose bytes are on file. What they replace is freed. */
int ts_chunk_alloc(struct ts_dataset_core *core, uint64_t size, haddr_t *addr);
void ts_chunk_free(struct ts_dataset_core *core, const struct ts_chunk_rec *rec);
int ts_chunks_enter(struct ts_dataset_core *core, const struct ts_chunk_rec *recs, size_t n);

/* How to load a chunk that was located already: the argument of ts_chunk_pin. */
struct ts_chunk_load {
    const struct ts_chunk_rec *rec;
    const struct ts_filter_options *options;
};

#endif
