/* The chunks that a selection meets, remembered for the next question about the same selection; for the files of this
 * folder. */
#ifndef TS_DATASET_CHUNK_PICKS_H
#define TS_DATASET_CHUNK_PICKS_H

#include "dataset/dataset.h"

/* Positions of chunks in an extent, numbered in the order of the index. */
struct ts_chunk_grid {
    unsigned rank;
    unsigned order[H5S_MAX_RANK];
    hsize_t chunks[H5S_MAX_RANK];
    uint64_t stride[H5S_MAX_RANK];
    uint64_t total;
};

/* That of the present extent. With the core's lock and, as long as the index must stay, the file's. */
int ts_chunk_grid_init(struct ts_chunk_grid *g, struct ts_dataset_core *core, const struct ts_chunk_index *index);
/* False: it lies outside. */
bool ts_chunk_grid_number(const struct ts_chunk_grid *g, const hsize_t *scaled, uint64_t *number);
void ts_chunk_grid_position(const struct ts_chunk_grid *g, uint64_t number, hsize_t *scaled);

/* Chunks with numbers first, first + 1, …; `before` are in the runs before. */
struct ts_pick_run {
    uint64_t first;
    hsize_t before;
};

/* Never changes once made. */
struct ts_chunk_picks {
    atomic_uint refs;
    struct ts_space *sel; /* NULL: all */
    uint64_t generation;  /* of the index */
    struct ts_chunk_grid grid;
    struct ts_pick_run *runs;
    size_t n, capacity;
    hsize_t total;
};

/* A new reference. sel lies in the extent, and nobody changes it any more; NULL: all. Locks as above. */
int ts_chunk_picks_get(struct ts_dataset_core *core, struct ts_chunk_index *index, struct ts_space *sel,
                       struct ts_chunk_picks **out);
void ts_chunk_picks_unref(struct ts_chunk_picks *p); /* NULL is fine */
/* The number of the i-th, below the total. left: how many there are in its run from it on; may be NULL. */
uint64_t ts_chunk_picks_number(const struct ts_chunk_picks *p, hsize_t i, hsize_t *left);

#endif
