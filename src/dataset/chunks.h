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
/* What a layout says of a chunk that was looked up, or of one that was not found. */
typedef int ts_chunk_describe(struct ts_dataset_core *core, bool found, const struct ts_chunk_rec *rec,
                              struct ts_sc_stored *at);
/* Inlined, so that what lies between a read and the file is not one call deeper for it (tests/checks/frames). */
static inline int ts_chunks_lookup(struct ts_dataset_core *core, struct ts_sc_spot *spots, size_t n,
                                   ts_chunk_describe *describe)
{
    struct ts_chunk_index *index;
    struct ts_chunk_rec rec;
    int status = ts_chunks_begin_lookup(core, &index);
    if (status < 0)
        return -1;
    for (size_t i = 0; i < n && status == 0; i++) {
        int found = ts_chunk_index_lookup(index, spots[i].scaled, &rec);
        status = found < 0 ? -1 : describe(core, found, &rec, &spots[i].at);
    }
    ts_chunks_end_lookup(core);
    return status;
}
/* The stored bytes, decoded; *bytes from ts_malloc. */
int ts_chunk_decode(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, void **bytes);
/* Space for a chunk that is not in the index; and entering chunks whose bytes are on file. What they replace is
 * freed. */
int ts_chunk_alloc(struct ts_dataset_core *core, uint64_t size, haddr_t *addr);
void ts_chunk_free(struct ts_dataset_core *core, const struct ts_chunk_rec *rec);
int ts_chunks_enter(struct ts_dataset_core *core, const struct ts_chunk_rec *recs, size_t n);

#endif
