/* Dataspaces: an extent and a selection of its elements.
 *
 * A regular hyperslab is four numbers per dimension, however large. An irregular one is a span tree (space/spans.h), or
 * a list of runs (space/run_list.h) until somebody needs the tree. Both are immutable and shared, so that copying a
 * space costs the same whatever is selected. Points keep their order.
 *
 * Threads: a space that nobody changes may be read by many. A space behind an id may be changed by another thread at
 * any time: whoever comes from an id works on a snapshot (ts_space_snapshot) or holds the lock. */
#ifndef TS_SPACE_SPACE_H
#define TS_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Spublic.h"

struct ts_space;
struct ts_spans;
struct ts_chunk_sets;
struct ts_wr;

/* A hyperslab in one dimension. Count or block may be H5S_UNLIMITED, in one dimension of a space at most. */
struct ts_slab {
    hsize_t start, stride, count, block;
};

/* Life. A new space has everything selected. */
int ts_space_new_simple(unsigned rank, const hsize_t *dims, const hsize_t *max, struct ts_space **out);
int ts_space_new_scalar(struct ts_space **out);
int ts_space_new(H5S_class_t cls, struct ts_space **out); /* simple: without dimensions, an extent to be set later */
int ts_space_copy(const struct ts_space *s, struct ts_space **out);
struct ts_space *ts_space_ref(struct ts_space *s);
/* Of a space, for struct ts_id_class. */
struct ts_count *ts_space_count(void *space, unsigned i);
void ts_space_unref(struct ts_space *s);
/* The caller's is the only reference. */
bool ts_space_is_own(const struct ts_space *s);

/* For spaces behind ids. Many blocks that are or-ed one after the other are collected and merged when the selection is
 * next looked at: _lock_merged does that merge, every function below expects it to have been done. */
void ts_space_lock(struct ts_space *s);
int ts_space_lock_merged(struct ts_space *s);
void ts_space_unlock(struct ts_space *s);
int ts_space_snapshot(struct ts_space *s, struct ts_space **out);
int ts_space_merge(struct ts_space *s);

/* Extent. */
H5S_class_t ts_space_class(const struct ts_space *s);
unsigned ts_space_rank(const struct ts_space *s);
/* Not so with what H5Screate(H5S_SIMPLE) makes, until an extent is set. */
static inline bool ts_space_has_extent(const struct ts_space *s)
{
    return ts_space_class(s) != H5S_NO_CLASS && (ts_space_class(s) != H5S_SIMPLE || ts_space_rank(s) > 0);
}
const hsize_t *ts_space_dims(const struct ts_space *s);
const hsize_t *ts_space_maxdims(const struct ts_space *s);
hsize_t ts_space_npoints(const struct ts_space *s);
bool ts_space_extent_equal(const struct ts_space *a, const struct ts_space *b);
/* A selection that does not fit in the new rank becomes "all"; "all" follows the extent. */
int ts_space_extent_copy(struct ts_space *dst, const struct ts_space *src);
int ts_space_set_simple(struct ts_space *s, unsigned rank, const hsize_t *dims, const hsize_t *max);
void ts_space_set_extent_none(struct ts_space *s);
/* New current sizes within the same rank, for a dataset that grows or shrinks; the selection stays, "all" follows. */
int ts_space_resize(struct ts_space *s, const hsize_t *dims);

/* Selecting. stride and block may be NULL (ones). */
void ts_space_select_all(struct ts_space *s);
void ts_space_select_none(struct ts_space *s);
int ts_space_select_hyperslab(struct ts_space *s, H5S_seloper_t op, const hsize_t *start, const hsize_t *stride,
                              const hsize_t *count, const hsize_t *block);
int ts_space_select_elements(struct ts_space *s, H5S_seloper_t op, size_t n, const hsize_t *coords);
/* s becomes `s op other`; both must hold hyperslabs of the same rank. */
int ts_space_combine(struct ts_space *s, H5S_seloper_t op, const struct ts_space *other);
int ts_space_select_copy(struct ts_space *dst, const struct ts_space *src);
int ts_space_set_offset(struct ts_space *s, const hssize_t *offset);
/* Moves the selection by -offset; fails if something would leave the first quadrant. */
int ts_space_adjust(struct ts_space *s, const hssize_t *offset);

/* Looking at the selection. */
H5S_sel_type ts_space_sel_type(const struct ts_space *s);
hsize_t ts_space_selected(const struct ts_space *s); /* H5S_UNLIMITED for an unlimited selection */
const hssize_t *ts_space_offset(const struct ts_space *s);
/* With the offset applied. Fails for an empty selection, or when the offset makes it negative. */
int ts_space_bounds(const struct ts_space *s, hsize_t *low, hsize_t *high);
/* The selection with its offset lies within the extent. */
bool ts_space_valid(const struct ts_space *s);
/* All, or a hyperslab that four numbers per dimension describe; the offset is not applied. Any array may be NULL. */
bool ts_space_regular(const struct ts_space *s, hsize_t *start, hsize_t *stride, hsize_t *count, hsize_t *block);
/* The coordinates of a point selection, rank numbers per point, borrowed; NULL for other selections. */
const hsize_t *ts_space_points(const struct ts_space *s, size_t *n);
int ts_space_nblocks(const struct ts_space *s, hsize_t *out);
/* Corner pairs of blocks first .. first+n-1, 2*rank numbers each. */
int ts_space_blocklist(const struct ts_space *s, hsize_t first, hsize_t n, hsize_t *out);
/* The box start..end (inclusive) holds a selected element, with the offset applied: 1 or 0, negative for an error. */
int ts_space_intersects(const struct ts_space *s, const hsize_t *start, const hsize_t *end);
int ts_space_shape_same(const struct ts_space *a, const struct ts_space *b); /* 1, 0 or an error */
/* The extents are equal, and the same elements are selected (points: in the same order): 1, 0 or an error. What copies
 * share need not be looked at. */
int ts_space_same_selection(const struct ts_space *a, const struct ts_space *b);
/* One message per kind of damage; 0 when sound. For tests and fuzzers. */
int ts_space_verify(const struct ts_space *s, const char **reason);

/* The selection in its order (row-major for hyperslabs, list order for points) as runs of elements. Offsets are linear
 * in the extent. Fails when the selection does not fit in the extent or is unlimited. The space must outlive the
 * iterator and not change. */
struct ts_run {
    hsize_t offset, length;
};
struct ts_runs_dim { /* of a regular selection, in units of elements */
    hsize_t start, stride, count, block, step;
    hsize_t at_block, at; /* where the iteration is: block, element row in it */
};
struct ts_runs_frame { /* of a span tree */
    const struct ts_spans *node;
    size_t index;
    hsize_t at;
};
enum ts_runs_kind { TS_RUNS_SLABS, TS_RUNS_SPANS, TS_RUNS_POINTS, TS_RUNS_LIST, TS_RUNS_SETS };
struct ts_runs {
    const struct ts_space *space;
    enum ts_runs_kind kind;
    hsize_t left;              /* elements not yet given */
    struct ts_run part, later; /* runs to give before going on */
    unsigned depth;
    hsize_t base;              /* linear offset of the selection's offset and of the outer dimensions */
    size_t next;               /* point or run of a list */
    struct ts_runs_sets *sets; /* of sets by chunk; NULL: others */
    hsize_t step[H5S_MAX_RANK];
    union {
        struct ts_runs_dim dims[H5S_MAX_RANK];
        struct ts_runs_frame frames[H5S_MAX_RANK];
    } u;
};
/* Needs ts_runs_deinit. */
int ts_runs_init(struct ts_runs *it, const struct ts_space *s);
/* Up to max_runs runs with max_elements elements in all; 0 at the end. Neighbours are joined. */
size_t ts_runs_next(struct ts_runs *it, struct ts_run *out, size_t max_runs, hsize_t max_elements);
/* Gives back a run that was the last of the previous call. */
void ts_runs_unget(struct ts_runs *it, struct ts_run r);
void ts_runs_deinit(struct ts_runs *it);
/* All of them, some at a time, in their order. A number other than 0 ends it and is returned. */
typedef int ts_runs_fn(const struct ts_run *runs, size_t n, void *ctx);
int ts_runs_each(const struct ts_space *s, ts_runs_fn *fn, void *ctx);
/* The selection is one run (or empty: length 0). */
bool ts_space_single_run(const struct ts_space *s, struct ts_run *out);

/* The selection (with its offset) cut to a box; the result is in the box's coordinates and has the box as its extent.
 * Points keep their order. */
int ts_space_clip(const struct ts_space *s, const hsize_t *box_start, const hsize_t *box_dims, struct ts_space **out);
/* The elements of src's selection that are also selected in src_part, as the elements of dst's selection with the same
 * ordinal. src and src_part share an extent, the result has dst's. src and dst select equally many elements. */
int ts_space_project(const struct ts_space *src, const struct ts_space *src_part, const struct ts_space *dst,
                     struct ts_space **out);
/* Builds a hyperslab selection in an extent like that of `like` from runs, sorted and disjoint. */
int ts_space_from_runs(const struct ts_space *like, const struct ts_run *runs, size_t n, struct ts_space **out);
/* The same with an array that came from ts_malloc and is not copied: *runs is NULL after success. After an error it is
 * still the caller's, with anything in it. */
int ts_space_take_runs(const struct ts_space *like, struct ts_run **runs, size_t n, struct ts_space **out);
/* The same from what is defined in each chunk, in an extent of the sizes that the sets are for. */
int ts_space_take_sets(const struct ts_space *like, struct ts_chunk_sets **sets, struct ts_space **out);
/* The sets that the selection is kept as, when it is, without an offset and in their own extent, whose slowest
 * dimension may be another; else NULL. Borrowed. */
const struct ts_chunk_sets *ts_space_chunk_sets(const struct ts_space *s);

/* Unlimited hyperslabs. */
int ts_space_unlim_dim(const struct ts_space *s); /* -1: none */
/* Makes the selection finite: nothing at or above `size` in the unlimited dimension. */
int ts_space_clip_unlimited(struct ts_space *s, hsize_t size);
/* The size in the unlimited dimension at which s, clipped, has `slices` slices (elements along that dimension);
 * with incl_trail the gap behind the last block counts as well. */
hsize_t ts_space_unlim_size(const struct ts_space *s, hsize_t slices, bool incl_trail);
/* Slices of an unlimited selection below `size`. */
hsize_t ts_space_unlim_slices(const struct ts_space *s, hsize_t size);
/* Elements in one slice of an unlimited selection. */
hsize_t ts_space_unlim_slice_elements(const struct ts_space *s);
/* The n-th block along the unlimited dimension as a space of its own (printf-style source names map to one each). */
int ts_space_unlim_block(const struct ts_space *s, hsize_t index, struct ts_space **out);

/* Bytes: space/codec.c has the tables. */
int ts_space_decode_extent(const uint8_t *buf, size_t n, unsigned len_size, struct ts_space **out);
/* version 1 or 2; 0: the lowest that can say it. */
int ts_space_encode_extent(const struct ts_space *s, unsigned version, unsigned len_size, struct ts_wr *w);
int ts_space_decode_selection(struct ts_space *s, const uint8_t *buf, size_t n, size_t *used);
/* Which versions may be written: those a library of this release or later reads (H5F_libver_t as a number). */
int ts_space_encode_selection(const struct ts_space *s, unsigned libver_low, struct ts_wr *w);
/* Extent and selection, as H5Sencode2 gives them. */
int ts_space_encode(const struct ts_space *s, unsigned libver_low, struct ts_wr *w);
/* The same in the newest encodings and the fewest bytes: a hyperslab as blocks or as points, in row-major order. */
int ts_space_encode_smallest(const struct ts_space *s, struct ts_wr *w);
/* *used may be NULL. */
int ts_space_decode(const uint8_t *buf, size_t n, size_t *used, struct ts_space **out);

#endif
