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
    uint64_t size;                     /* bytes in the file */
    uint32_t filter_mask;              /* 0 of a structured chunk: its sections have their own */
    struct ts_chunk_sections sections; /* n = 0: not structured */
    hsize_t scaled[H5S_MAX_RANK];      /* position in units of chunks */
};

/* Borrowed for the call that takes it. */
struct ts_chunk_geometry {
    unsigned rank;
    const hsize_t *dims, *max_dims, *chunk_dims; /* rank each; H5S_UNLIMITED in max_dims */
    uint64_t chunk_bytes; /* of a chunk before filters; of a structured one, if all its elements were defined */
    bool filtered;        /* of structured chunks: any of their sections */
};

struct ts_chunk_index;

/* An index that is not allocated yet (undefined address) opens, and holds no chunks. */
int ts_chunk_index_open(struct ts_file *f, const struct ts_layout *layout, const struct ts_chunk_geometry *g,
                        struct ts_chunk_index **out);
/* A change that has used the index may go on after that, and fail. */
void ts_chunk_index_close(struct ts_chunk_index *ix);

/* 1 found, 0 no such chunk, negative on error. */
int ts_chunk_index_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out);

/* 0 goes on; anything else stops and is returned. */
typedef int ts_chunk_visit_fn(const struct ts_chunk_rec *rec, void *ctx);

/* Every allocated chunk, in the order of the index. */
int ts_chunk_index_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx);
/* The same from a position on, whether there is a chunk or not; it lies within the largest extent. NULL: from the
 * first. visit must not use the file: parts of the index are pinned. */
int ts_chunk_index_iterate_from(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx);
/* How many there are, and the n-th of them in the order of the index: 1, or 0 when there are not so many. In a file
 * that is open for writing, with its lock. Trees of version 2, single and implicit chunks know both; for others all
 * chunks are counted when this is first asked, and one number per 64 chunks or so is kept up to date from then on. */
int ts_chunk_index_count(struct ts_chunk_index *ix, uint64_t *n);
int ts_chunk_index_nth(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out);
/* The order of the index is row-major with the dimensions in this order, the slowest first. */
void ts_chunk_index_order(const struct ts_chunk_index *ix, unsigned *order);
/* Another number whenever a chunk has come or gone, or the extent is another: also when that was undone. */
uint64_t ts_chunk_index_generation(const struct ts_chunk_index *ix);
/* Bytes the index itself takes in the file, for H5Oget_info. */
int ts_chunk_index_storage(struct ts_chunk_index *ix, uint64_t *bytes);

/* Changes; inside ts_change_begin/end (file/change.h), by one thread at a time. When the change fails the open index,
 * too, is as it was. In a file that is open for writing an open index keeps nothing pinned. Space of chunks is the
 * caller's to allocate and free, space of the index is not.
 * What the layout message must say changes with some: ts_chunk_index_layout after each. */

/* For a new dataset: what kind of index it gets, and its parameters, as libhdf5 chooses. The layout is of class chunked
 * with version, chunk.dims and chunk.flags set, or of structured chunks with chunk.struct_type too. early:
 * H5D_ALLOC_TIME_EARLY. */
void ts_chunk_index_choose(struct ts_layout *layout, const struct ts_chunk_geometry *g, bool early);
/* Makes the index in the file when it is not there yet; inserting does so too. That without an index (implicit) gets
 * the space of all its chunks here, never written: look each up for its address. */
int ts_chunk_index_create(struct ts_chunk_index *ix);
/* Brings address and parameters of the index into the dataset's layout: true when they were others, so that the message
 * must be stored. */
bool ts_chunk_index_layout(const struct ts_chunk_index *ix, struct ts_layout *layout);
/* Enters a chunk, or gives one another place. Returns 1 when there was one, which *old describes then, else 0. An
 * implicit chunk has its place and only that. */
int ts_chunk_index_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, struct ts_chunk_rec *old);
/* Returns 1 when there was one, which *old describes then, else 0. Implicit chunks stay: 0. */
int ts_chunk_index_remove(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *old);
/* The dataset has another extent. Chunks that lie outside now are removed; each goes to `removed` so that its space can
 * be freed. Implicit chunks stay. */
int ts_chunk_index_resize(struct ts_chunk_index *ix, const hsize_t *dims, ts_chunk_visit_fn *removed, void *ctx);
/* Frees the index, after each of its chunks went to `removed`; implicit chunks are freed with it and do not. It is then
 * as one not allocated yet. */
int ts_chunk_index_delete(struct ts_chunk_index *ix, ts_chunk_visit_fn *removed, void *ctx);
/* The header or root of the index, HADDR_UNDEF when there is none in the metadata cache: the object header depends on
 * it (ts_meta_depend). */
haddr_t ts_chunk_index_root(const struct ts_chunk_index *ix);

/* 1 when the structure below is sound, 0 and why when not. */
int ts_chunk_index_verify(struct ts_chunk_index *ix, const char **reason);

#endif
