/* Stretches of free space by offset, found by size: the lowest that is large enough. All in O(log n).
 *
 * What a change of the file (file/undo.h) does to them is undone when it fails: they stay where they are until it
 * ends. */
#ifndef TS_HEAP_GAPS_H
#define TS_HEAP_GAPS_H

#include <stddef.h>
#include <stdint.h>

struct ts_gap {
    uint64_t offset, size;
    uint64_t block; /* the client's */
    /* The tree's own. */
    uint64_t greatest; /* size here and below */
    uint64_t rank;     /* no node below has a greater one */
    struct ts_gap *left, *right;
};

struct ts_gaps {
    struct ts_gap *root;
    size_t n;
};

struct ts_file;

/* These two are not undone: for gaps that are just read, or that nobody can need again. */
void ts_gaps_deinit(struct ts_gaps *gaps);
/* None may be at that offset. */
int ts_gaps_load(struct ts_gaps *gaps, uint64_t offset, uint64_t size, uint64_t block);

/* Changes. There is one at the offset, but for ts_gaps_add. */
int ts_gaps_add(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset, uint64_t size, uint64_t block);
int ts_gaps_remove(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset);
/* Another size, not 0. */
int ts_gaps_resize(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset, uint64_t size);
/* It begins `size` bytes later; without any left it is removed. */
int ts_gaps_take(struct ts_file *f, struct ts_gaps *gaps, uint64_t offset, uint64_t size);
int ts_gaps_clear(struct ts_file *f, struct ts_gaps *gaps);
/* These return NULL when there is none; what they return is valid until the next change. */
const struct ts_gap *ts_gaps_fit(const struct ts_gaps *gaps, uint64_t size);
const struct ts_gap *ts_gaps_at_or_before(const struct ts_gaps *gaps, uint64_t offset);
const struct ts_gap *ts_gaps_at_or_after(const struct ts_gaps *gaps, uint64_t offset);

#endif
