/* Where the chunks of a dataset are: one interface over all chunk indexes. An open index may be used by many threads.
 *
 * The trees and arrays below it in this folder know keys, records and elements, not what their clients mean by them. */
#ifndef TS_INDEX_CHUNK_INDEX_H
#define TS_INDEX_CHUNK_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "H5Spublic.h"
#include "file/file.h"
#include "format/layout.h"

struct ts_chunk_rec {
    haddr_t addr;
    uint64_t size; /* bytes in the file */
    uint32_t filter_mask;
    hsize_t scaled[H5S_MAX_RANK]; /* position in units of chunks */
};

/* Borrowed for the call that takes it. */
struct ts_chunk_geometry {
    unsigned rank;
    const hsize_t *dims, *max_dims, *chunk_dims; /* rank each; H5S_UNLIMITED in max_dims */
    uint64_t chunk_bytes;                        /* of a chunk before filters */
    bool filtered;
};

struct ts_chunk_index;

/* An index that is not allocated yet (undefined address) opens, and holds no chunks. */
int ts_chunk_index_open(struct ts_file *f, const struct ts_layout *layout, const struct ts_chunk_geometry *g,
                        struct ts_chunk_index **out);
void ts_chunk_index_close(struct ts_chunk_index *ix);

/* 1 found, 0 no such chunk, negative on error. */
int ts_chunk_index_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out);

/* 0 goes on; anything else stops and is returned. */
typedef int ts_chunk_visit_fn(const struct ts_chunk_rec *rec, void *ctx);

/* Every allocated chunk, in the order of the index. */
int ts_chunk_index_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx);
/* Bytes the index itself takes in the file, for H5Oget_info. */
int ts_chunk_index_storage(struct ts_chunk_index *ix, uint64_t *bytes);

#endif
