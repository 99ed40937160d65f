/* A part of a run set: which of 65,536 numbers are in it. Few runs are a sorted list; when a bitmap is smaller, it is
 * that, with the number of members before every 512 bits, so that ranks are quick. It switches by itself. */
#ifndef TS_SPACE_RUN_BIN_H
#define TS_SPACE_RUN_BIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "space/space.h"

#define TS_RUN_BIN_SIZE 65536u
#define TS_RUN_BIN_WORDS (TS_RUN_BIN_SIZE / 64)
#define TS_RUN_BIN_BLOCKS (TS_RUN_BIN_SIZE / 512)

struct ts_bin_run {
    uint16_t first, last;
    uint16_t before; /* members before it */
};

struct ts_bin_bits {
    uint64_t words[TS_RUN_BIN_WORDS];
    uint16_t before[TS_RUN_BIN_BLOCKS];
};

/* More runs than this take more room than a bitmap. */
#define TS_RUN_BIN_LIST (sizeof(struct ts_bin_bits) / sizeof(struct ts_bin_run))

/* All zeros is the empty one. */
struct ts_run_bin {
    uint32_t count;    /* members */
    uint32_t n_runs;   /* also of a bitmap */
    uint32_t capacity; /* of runs; 0 of a bitmap */
    bool dense;        /* it is a bitmap */
    union {
        struct ts_bin_run *runs;
        struct ts_bin_bits *bits;
    };
};

struct ts_bin_span {
    uint16_t first, last;
};

void ts_run_bin_deinit(struct ts_run_bin *b);
size_t ts_run_bin_bytes(const struct ts_run_bin *b);
/* *out was empty. */
int ts_run_bin_copy(const struct ts_run_bin *b, struct ts_run_bin *out);
/* Of the same form and with the same members; false also when only the form differs. */
bool ts_run_bin_same(const struct ts_run_bin *a, const struct ts_run_bin *b);

/* Makes room for n spans to be added or taken away, which then cannot fail; the members stay. */
int ts_run_bin_reserve(struct ts_run_bin *b, size_t n);
/* Sorted spans with a gap between any two; room for all of them was reserved. */
void ts_run_bin_add(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n);
void ts_run_bin_remove(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n);
/* As add, of spans behind all members; the first may touch the last of them. */
void ts_run_bin_append(struct ts_run_bin *b, const struct ts_bin_span *spans, size_t n);
/* After changes: another form when that is smaller. */
void ts_run_bin_refit(struct ts_run_bin *b);

/* One behind the last member of a bin that has some. */
uint32_t ts_run_bin_end(const struct ts_run_bin *b);

/* Where the last search ended, so that looking for ascending numbers is quick; all zeros at first. Of a list: a run; of
 * a bitmap: a number and how many members are before it. */
struct ts_bin_hint {
    uint32_t at, before;
};

/* The members from `from` to the end of the run that the next of them is in, or to the end of what was asked for. */
struct ts_bin_part {
    uint32_t first, last;
    uint32_t before; /* members before first */
};

/* False when no member is from..to - 1; part->before is the number before `from` then. from < TS_RUN_BIN_SIZE. */
bool ts_run_bin_next(const struct ts_run_bin *b, uint32_t from, uint32_t to, struct ts_bin_hint *hint,
                     struct ts_bin_part *part);
/* Members before `at`, which is below TS_RUN_BIN_SIZE. */
uint32_t ts_run_bin_rank(const struct ts_run_bin *b, uint32_t at, struct ts_bin_hint *hint);
/* Runs of members at or behind `from`, up to max: fewer when there are no more. `base` is added to all. */
size_t ts_run_bin_runs(const struct ts_run_bin *b, uint32_t from, struct ts_bin_hint *hint, uint64_t base,
                       struct ts_run *out, size_t max);

/* NULL when sound. No member is `limit` or greater. */
const char *ts_run_bin_problem(const struct ts_run_bin *b, uint32_t limit);

#endif
