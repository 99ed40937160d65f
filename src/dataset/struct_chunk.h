/* A structured chunk in memory: which of its elements are defined, and their values; for the files of this folder.
 *
 * Values are kept by the bin of elements that they are of (space/run_bin.h), those of each bin packed in the order of
 * the elements, so that defining an element moves the values of one bin at most. */
#ifndef TS_DATASET_STRUCT_CHUNK_H
#define TS_DATASET_STRUCT_CHUNK_H

#include "chunk/layout_ops.h"
#include "dataset/dataset.h"
#include "space/run_bin.h"
#include "space/run_set.h"
#include "type/chunk_heap.h"

struct ts_struct_bin {
    uint8_t *values;
    uint32_t n, capacity; /* values */
};

struct ts_struct_chunk {
    struct ts_run_set *set; /* NULL: all elements are defined. May have other owners: ts_run_set_own */
    bool no_values;         /* they were not read, or forgotten */
    bool unordered;         /* in the file values may have another order than their elements */
    size_t values_alloc;    /* values that the bins have room for */
    struct ts_chunk_heap heap;
    size_t n_bins;
    struct ts_struct_bin bins[];
};

static inline bool ts_struct_is_sparse(const struct ts_dataset_core *core)
{
    return core->layout.chunk.struct_type & TS_STRUCT_SPARSE;
}

static inline bool ts_struct_has_heap(const struct ts_dataset_core *core)
{
    return core->layout.chunk.struct_type & TS_STRUCT_VL;
}

/* H5D_FILL_TIME_NEVER is about what is written into storage. A sparse dataset has none for elements that are not
 * defined: they always read as the fill value. */
static inline bool ts_struct_never_fills(const struct ts_dataset_core *core)
{
    return core->fill.fill_time == H5D_FILL_TIME_NEVER && !ts_struct_is_sparse(core);
}

static inline size_t ts_struct_element_size(const struct ts_dataset_core *core)
{
    return core->layout.chunk.element_size;
}

/* Elements that a chunk may have in a bin. */
static inline uint32_t ts_struct_bin_most(const struct ts_dataset_core *core, size_t bin)
{
    uint64_t left = core->chunk_elements - (uint64_t)bin * TS_RUN_BIN_SIZE;
    return left < TS_RUN_BIN_SIZE ? (uint32_t)left : TS_RUN_BIN_SIZE;
}

/* All elements have values. */
static inline bool ts_struct_is_full(const struct ts_struct_chunk *c)
{
    return !c->set || ts_run_set_count(c->set) == ts_run_set_limit(c->set);
}

/* A sparse one has no elements yet; of another the bins have no room yet. */
int ts_struct_chunk_new(const struct ts_dataset_core *core, struct ts_struct_chunk **out);
void ts_struct_chunk_free(struct ts_struct_chunk *c);
/* Room for n values in a bin. */
int ts_struct_bin_room(const struct ts_dataset_core *core, struct ts_struct_chunk *c, size_t bin, uint32_t n);
/* Brings the counts of d up to date. */
void ts_struct_chunk_count(const struct ts_dataset_core *core, struct ts_sc_data *d);
void ts_struct_values_free(struct ts_struct_chunk *c);

/* Elements of pieces become defined, with the fill value or, without `fill`, with any: the caller then sets all of
 * them. Those that are defined stay as they are. When memory is short all stay. Returns 1 when all are new and, in the
 * order of the pieces, come behind the others, else 0. */
int ts_struct_define(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                     bool fill);
/* And undefined. */
int ts_struct_undefine(struct ts_dataset_core *core, struct ts_struct_chunk *c, const struct ts_piece *pieces,
                       size_t n);
/* n elements as in a chunk with the fill value, zeros when there is none. */
int ts_struct_fill_values(struct ts_dataset_core *core, struct ts_struct_chunk *c, size_t n, uint8_t *values);
/* Reading: the fill value of elements that have a heap, as ts_dataset_core_read_fill. */
int ts_struct_read_fill(struct ts_dataset_core *core, struct ts_xfer *xfer, const struct ts_piece *pieces, size_t n);
/* Elements of this heap are moved from now on, until ts_struct_heap_end: nothing of another may wait. */
struct ts_struct_heap_use {
    struct ts_conv_env env;
    const struct ts_conv_env *old; /* NULL: there is no heap */
};
int ts_struct_heap_begin(struct ts_struct_heap_use *u, struct ts_xfer *xfer, struct ts_chunk_heap *heap);
int ts_struct_heap_end(struct ts_struct_heap_use *u, struct ts_xfer *xfer, int status);
/* An element comes more than once: 1, or 0. */
int ts_struct_overlaps(const struct ts_piece *pieces, size_t n);
/* That elements refer to bytes of the heap, each to its own; the heap is repacked by it. */
int ts_struct_check_heap(struct ts_dataset_core *core, struct ts_struct_chunk *c);
/* Moves what elements refer to together when much of the heap is unused. That it cannot is no failure. */
void ts_struct_tidy_heap(struct ts_dataset_core *core, struct ts_struct_chunk *c);

/* The piece joins the one before it, if that is possible: they touch, or are runs of the same length with a regular
 * step. */
bool ts_piece_join(struct ts_piece *last, const struct ts_piece *p);

/* What becomes of elements that are told one after the other. 0 goes on; anything else stops and is returned. */
struct ts_struct_visitor {
    /* Those that have values: src counts values of the bin. */
    int (*defined)(void *ctx, size_t bin, const struct ts_piece *piece);
    /* Those that have none; src means nothing. May be NULL. */
    int (*missing)(void *ctx, const struct ts_piece *piece);
    void *ctx;
};
int ts_struct_visit(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                    const struct ts_struct_visitor *v);
/* The same for pieces, at least one, whose elements are the last ones that are defined, in ascending order. */
int ts_struct_visit_last(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n,
                         const struct ts_struct_visitor *v);
/* Where in memory those are that are defined, in the order of the pieces. */
int ts_struct_defined(const struct ts_struct_chunk *c, const struct ts_piece *pieces, size_t n, ts_sc_runs_fn *fn,
                      void *ctx);

/* Coding; layout_struct_code.c. As in chunk/layout_ops.h. */
int ts_struct_decode(void *core, const struct ts_sc_coding *how, struct ts_sc_data *d);
int ts_struct_decode_defined(void *core, const struct ts_sc_coding *how, struct ts_sc_data *d);
/* Of the bytes of a stored chunk the elements that it selects, and how many values it must have: more than elements
 * when points come again. */
int ts_struct_decode_selection(struct ts_dataset_core *core, const struct ts_sc_coding *how, const uint8_t *bytes,
                               struct ts_run_set **set, size_t *n);
int ts_struct_encode(void *core, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out);

#endif
