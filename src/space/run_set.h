/* Which elements of a chunk are defined: a set of numbers below 2^32 - 1, as runs or bitmaps, whichever is smaller,
 * part by part (space/run_bin.h). Its user keeps the values of the elements in an array in ascending order, so that the
 * ordinal of an element in the set is the place of its value.
 *
 * Writing elements: ts_run_set_shifts_of_add says how many are new and where they belong among the others; the user
 * makes room for them, then ts_run_set_add, then ts_run_shifts_open moves every value to its new place, once; then a
 * match gives each written element the ordinal it has now. Erasing is the same with shifts_of_remove, remove and close.
 *
 * Threads: a set that nobody changes may be read by many. */
#ifndef TS_SPACE_RUN_SET_H
#define TS_SPACE_RUN_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "space/run_bin.h"
#include "space/space.h"

struct ts_run_set;

/* The empty set of numbers below limit, which is at most UINT32_MAX. */
int ts_run_set_new(uint64_t limit, struct ts_run_set **out);
/* One that nobody changes may have several owners: each frees it once. Who changes it makes it his own before: *s is
 * another one afterwards if it has to be. */
void ts_run_set_free(struct ts_run_set *s);
struct ts_run_set *ts_run_set_ref(struct ts_run_set *s);
int ts_run_set_own(struct ts_run_set **s);
int ts_run_set_copy(const struct ts_run_set *s, struct ts_run_set **out);
/* The same members, below the same limit. Quick when both came about in the same way. */
bool ts_run_set_equal(const struct ts_run_set *a, const struct ts_run_set *b);

uint64_t ts_run_set_limit(const struct ts_run_set *s);
uint64_t ts_run_set_count(const struct ts_run_set *s);
/* Runs, one that goes on from bin to bin counted in each. O(bins). */
uint64_t ts_run_set_runs(const struct ts_run_set *s);
size_t ts_run_set_bytes(const struct ts_run_set *s); /* of memory */
/* One behind the last member, 0 when there is none. O(1). */
uint64_t ts_run_set_end(const struct ts_run_set *s);
/* Members below the element: its ordinal if it is one. O(log n). */
uint64_t ts_run_set_rank(const struct ts_run_set *s, uint64_t element);

/* Lists of runs are sorted and disjoint, and lie below the limit; anything else is an error. After an error the members
 * are what they were. Costs are linear in the runs of list and set that meet, and in n. */
int ts_run_set_add(struct ts_run_set *s, const struct ts_run *runs, size_t n);
int ts_run_set_remove(struct ts_run_set *s, const struct ts_run *runs, size_t n);
/* The same as add for runs that all lie at or behind the end, which is an error otherwise. */
int ts_run_set_append(struct ts_run_set *s, const struct ts_run *runs, size_t n);

/* What a change does to the array of values. Ordinals are those before the change, ascending. */
struct ts_run_shift {
    uint64_t at, n; /* adding: n new ones come before ordinal `at`; removing: those from `at` on go */
};
struct ts_run_shifts {
    struct ts_run_shift *items;
    size_t n, capacity;
    uint64_t total; /* values that come or go */
};
/* On success *out needs ts_run_shifts_deinit. */
int ts_run_set_shifts_of_add(const struct ts_run_set *s, const struct ts_run *runs, size_t n,
                             struct ts_run_shifts *out);
int ts_run_set_shifts_of_remove(const struct ts_run_set *s, const struct ts_run *runs, size_t n,
                                struct ts_run_shifts *out);
void ts_run_shifts_deinit(struct ts_run_shifts *plan);
/* Moves `count` values of `size` bytes so that there is a hole for each new one; there is room for count + total. */
void ts_run_shifts_open(const struct ts_run_shifts *plan, void *values, size_t size, uint64_t count);
/* Moves them together so that count - total are left. */
void ts_run_shifts_close(const struct ts_run_shifts *plan, void *values, size_t size, uint64_t count);

/* Where a walk through a set is; all zeros at first. The set must not change meanwhile. */
struct ts_run_cursor {
    uint64_t at;   /* the next element to look at */
    uint64_t base; /* members before bin */
    uint32_t bin;
    bool known; /* base is right */
    struct ts_bin_hint hint;
};

/* All runs in ascending order, up to max at a time, 0 at the end; runs that touch are one. */
size_t ts_run_set_next(const struct ts_run_set *s, struct ts_run_cursor *c, struct ts_run *out, size_t max);

/* As ts_run_set_rank, for elements that ascend from call to call. */
uint64_t ts_run_set_rank_next(const struct ts_run_set *s, struct ts_run_cursor *c, uint64_t element);

/* `count` runs of n elements, each `step` after the one before; in ascending order, disjoint. */
struct ts_strided {
    uint64_t first, n, count, step;
};
struct ts_run_hit {
    uint64_t element, ordinal, n;
    size_t piece;   /* the piece it lies in */
    uint64_t block; /* and which of its runs */
};
/* The members among the elements of pieces. The pieces may come in any order. */
struct ts_run_match {
    const struct ts_run_set *set;
    const struct ts_strided *pieces;
    size_t n, piece;
    uint64_t block, at; /* where the search goes on; at counts within the block */
    struct ts_run_cursor cursor;
};
void ts_run_match_init(struct ts_run_match *m, const struct ts_run_set *s, const struct ts_strided *pieces, size_t n);
/* Up to max hits in the order of the pieces, 0 at the end. */
size_t ts_run_match_next(struct ts_run_match *m, struct ts_run_hit *out, size_t max);

/* Makes a set of ascending runs, each bin of it in one piece. */
struct ts_run_builder {
    struct ts_run_set *set;
    uint64_t end;    /* of the last run */
    uint64_t border; /* of the bin that the spans belong to */
    uint32_t bin;
    size_t n;
    struct ts_bin_span spans[TS_RUN_BIN_LIST];
};
/* Needs ts_run_builder_deinit, also after finish. */
int ts_run_builder_init(struct ts_run_builder *b, uint64_t limit);
void ts_run_builder_deinit(struct ts_run_builder *b);
/* The elements first .. end - 1, one at least: 1, or 0 when they are not behind the last ones or not below the
 * limit. */
int ts_run_builder_add_any(struct ts_run_builder *b, uint64_t first, uint64_t end);
/* The same, quick for most. */
static inline int ts_run_builder_add(struct ts_run_builder *b, uint64_t first, uint64_t end)
{
    if (first <= b->end || end > b->border || b->n == TS_RUN_BIN_LIST)
        return ts_run_builder_add_any(b, first, end);
    b->spans[b->n++] = (struct ts_bin_span){(uint16_t)first, (uint16_t)(end - 1)};
    b->end = end;
    return 1;
}
int ts_run_builder_finish(struct ts_run_builder *b, struct ts_run_set **out);

/* 1 when sound, 0 and why when not. */
int ts_run_set_verify(const struct ts_run_set *s, const char **reason);

/* The set as a selection in a chunk of these dimensions, whose product is the limit. */
int ts_run_set_select(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_space **out);

/* The selection section of a chunk: the bytes of ts_space_encode_smallest and a checksum; nothing at all for the empty
 * set. */
int ts_run_set_encode(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_wr *w);

struct ts_selection_section {
    const uint8_t *bytes;
    size_t size;
    unsigned rank;
    const hsize_t *dims;
    uint64_t most; /* elements that may be selected: as many as there are values for */
    bool summed; /* its checksum was made from the bytes just now, by undoing a filter: there is no need to check it */
};
/* *order is NULL when the values are stored in ascending order of their elements. Otherwise the selection has *n points
 * in some order, perhaps repeated: the i-th stored value is that of ordinal (*order)[i], and the last one counts. The
 * caller frees it. */
int ts_run_set_decode(const struct ts_selection_section *section, struct ts_run_set **out, uint32_t **order, size_t *n);

#endif
