/* The plan of a transfer: two selections that hold equally many elements become pieces, each a few strided runs that go
 * from one place in the storage to one place in memory.
 *
 * When the file selection is regular and the memory selection is one run or a box of the same shape (nearly always),
 * pieces follow by arithmetic from the numbers of the selection, however large it is. All other pairs are walked run by
 * run; for chunks the runs are then sorted by chunk, so that every chunk comes once. A file selection that is kept as
 * sets by chunk need not become runs (plan_sets.h).
 *
 * Who works on chunks pulls them from a cursor, one after the other: nothing here calls back. */
#ifndef TS_CHUNK_PLAN_H
#define TS_CHUNK_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "space/run_set.h"
#include "space/space.h"

/* `count` runs of n elements; offsets and steps in elements, src in the storage, mem in the memory extent. */
struct ts_piece {
    hsize_t src, mem, n, count, src_step, mem_step;
};

/* 0 goes on; anything else stops and is returned. */
typedef int ts_piece_fn(const struct ts_piece *pieces, size_t n, void *ctx);

/* A run in the file's extent and where it goes in memory. */
struct ts_pair {
    hsize_t src, mem, n;
};

struct ts_plan {
    unsigned rank; /* of the file's extent; a scalar counts as one dimension of one element */
    hsize_t dims[H5S_MAX_RANK];
    hsize_t total; /* elements */
    bool affine;
    /* Affine. The k-th selected coordinate of each dimension is that of slab; together these ordinals, a box of
     * `shape`, give the place in memory. */
    struct ts_slab slab[H5S_MAX_RANK];
    hsize_t shape[H5S_MAX_RANK], mem_stride[H5S_MAX_RANK], mem_start;
    /* Otherwise: the selections, or a list of pairs. Borrowed. */
    const struct ts_space *file, *mem;
    const struct ts_pair *pairs;
    size_t n_pairs;
    /* Or the file's selection as sets by chunk, when there are such, with memory in one run from mem_start on. */
    const struct ts_chunk_sets *sets;
};

static inline hsize_t ts_min_hsize(hsize_t a, hsize_t b)
{
    return a < b ? a : b;
}

/* Both spaces must stay and not change while the plan is in use. Fails when a selection leaves its extent or the
 * numbers of elements differ. */
int ts_plan_init(struct ts_plan *plan, const struct ts_space *file, const struct ts_space *mem);
/* A plan from pairs in an extent; the list is borrowed. */
void ts_plan_init_pairs(struct ts_plan *plan, const struct ts_space *extent, const struct ts_pair *pairs, size_t n);

/* All pieces, with src linear in the file's extent. */
int ts_plan_linear(const struct ts_plan *plan, ts_piece_fn *fn, void *ctx);

/* Chunk after chunk, each with its pieces (plan_cursor.h):
 *
 *     ts_plan_begin(&c, plan, chunk_dims, sets);
 *     while (ts_plan_next_chunk(&c) > 0)
 *         while ((n = ts_plan_next_pieces(&c, pieces, max)) > 0)
 *             ...
 *     ts_plan_end(&c);
 */
struct ts_plan_cursor;

/* No plan touches more chunks than this says. */
hsize_t ts_plan_most_chunks(const struct ts_plan *plan, const hsize_t *chunk_dims);

/* No element of the file comes twice. */
bool ts_plan_distinct(const struct ts_plan *plan);

/* The plan as pairs, whatever its kind: for virtual datasets. The caller frees *pairs. */
int ts_plan_pairs(const struct ts_plan *plan, struct ts_pair **pairs, size_t *n);

#endif
