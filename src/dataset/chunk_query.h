/* Which chunks a dataset has, dense or structured. What waits in the cache is written first, for the index does not
 * have it yet.
 *
 * A selection (NULL: all) has its offset applied; its extent must be the dataset's. Of the chunks of the file those are
 * meant that hold an element of it. */
#ifndef TS_DATASET_CHUNK_QUERY_H
#define TS_DATASET_CHUNK_QUERY_H

#include "dataset/dataset.h"

enum ts_chunk_order {
    TS_CHUNKS_NATIVE,   /* of the index: the quickest */
    TS_CHUNKS_BY_COORD, /* row-major */
    TS_CHUNKS_BY_ADDR   /* as they lie in the file */
};

int ts_chunks_count(struct ts_dataset *d, const struct ts_space *sel, hsize_t *n);
/* In native order. 1, or 0 when there are not so many. */
int ts_chunks_nth(struct ts_dataset *d, const struct ts_space *sel, hsize_t n, struct ts_chunk_rec *out);
/* The chunk that has the element at offset, whichever of it that is. 1, or 0 when there is none: none in the file, or
 * outside the extent. */
int ts_chunks_at(struct ts_dataset *d, const hsize_t *offset, struct ts_chunk_rec *out);
/* From the *idx-th on; afterwards *idx is that of the first that was not visited, so that another call goes on there.
 * 0 goes on; anything else ends it behind that chunk and is returned. No lock is held during a visit: it may read,
 * write and query. */
int ts_chunks_visit(struct ts_dataset *d, const struct ts_space *sel, enum ts_chunk_order order, hsize_t *idx,
                    ts_chunk_visit_fn *visit, void *ctx);
/* The elements of all chunks, cut to the extent: a space that belongs to the caller. */
int ts_chunks_selection(struct ts_dataset *d, struct ts_space **out);

/* For questions to the index itself: chunks that wait in memory are written; then it stays as it is until end, which
 * returns status. An error when the dataset is not chunked. */
int ts_chunks_begin(struct ts_dataset_core *core, struct ts_chunk_index **index);
int ts_chunks_end(struct ts_dataset_core *core, int status);

#endif
