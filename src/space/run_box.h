/* A part of a run set: which of 65,536 numbers are in it. Few runs are a sorted list; when a bitmap is smaller, it is
 * that, with the number of members before every 512 bits, so that ranks are quick. It switches by itself. */
#ifndef TS_SPACE_RUN_BOX_H
#define TS_SPACE_RUN_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "space/space.h"

#define TS_RUN_BOX_SIZE 65536u
#define TS_RUN_BOX_WORDS (TS_RUN_BOX_SIZE / 64)
#define TS_RUN_BOX_BLOCKS (TS_RUN_BOX_SIZE / 512)

struct ts_box_run {
    uint16_t first, last;
    uint16_t before; /* members before it */
};

struct ts_box_bits {
    uint64_t words[TS_RUN_BOX_WORDS];
    uint16_t before[TS_RUN_BOX_BLOCKS];
};

/* More runs than this take more room than a bitmap. */
#define TS_RUN_BOX_LIST (sizeof(struct ts_box_bits) / sizeof(struct ts_box_run))

/* All zeros is the empty one. */
struct ts_run_box {
    uint32_t count;    /* members */
    uint32_t n_runs;   /* also of a bitmap */
    uint32_t capacity; /* of runs; 0 of a bitmap */
    bool dense;        /* it is a bitmap */
    union {
        struct ts_box_run *runs;
        struct ts_box_bits *bits;
    };
};

struct ts_box_span {
    uint16_t first, last;
};

void ts_run_box_deinit(struct ts_run_box *b);
size_t ts_run_box_bytes(const struct ts_run_box *b);
/* *out was empty. */
int ts_run_box_copy(const struct ts_run_box *b, struct ts_run_box *out);
/* Of the same form and with the same members; false also when only the form differs. */
bool ts_run_box_same(const struct ts_run_box *a, const struct ts_run_box *b);

/* Makes room for n spans to be added or taken away, which then cannot fail; the members stay. */
int ts_run_box_reserve(struct ts_run_box *b, size_t n);
/* Sorted spans with a gap between any two; room for all of them was reserved. */
void ts_run_box_add(struct ts_run_box *b, const struct ts_box_span *spans, size_t n);
void ts_run_box_remove(struct ts_run_box *b, const struct ts_box_span *spans, size_t n);
/* As add, of spans behind all members; the first may touch the last of them. */
void ts_run_box_append(struct ts_run_box *b, const struct ts_box_span *spans, size_t n);
/* After changes: another form when that is smaller. */
void ts_run_box_refit(struct ts_run_box *b);

/* One behind the last member of a box that has some. */
uint32_t ts_run_box_end(const struct ts_run_box *b);

/* Where the last search ended, so that looking for ascending numbers is quick; all zeros at first. Of a list: a run; of
 * a bitmap: a number and how many members are before it. */
struct ts_box_hint {
    uint32_t at, before;
};

/* The members from `from` to the end of the run that the next of them is in, or to the end of what was asked for. */
struct ts_box_part {
    uint32_t first, last;
    uint32_t before; /* members before first */
};

/* False when no member is from..to - 1; part->before is the number before `from` then. from < TS_RUN_BOX_SIZE. */
bool ts_run_box_next(const struct ts_run_box *b, uint32_t from, uint32_t to, struct ts_box_hint *hint,
                     struct ts_box_part *part);
/* Members before `at`, which is below TS_RUN_BOX_SIZE. */
uint32_t ts_run_box_rank(const struct ts_run_box *b, uint32_t at, struct ts_box_hint *hint);
/* Runs of members at or behind `from`, up to max: fewer when there are no more. `base` is added to all. */
size_t ts_run_box_runs(const struct ts_run_box *b, uint32_t from, struct ts_box_hint *hint, uint64_t base,
                       struct ts_run *out, size_t max);

/* NULL when sound. No member is `limit` or greater. */
const char *ts_run_box_problem(const struct ts_run_box *b, uint32_t limit);

#endif
