/* Undoing a change that fails.
 *
 * What a change is about to touch, it keeps first: bytes as they were, or a step that leads back. ts_change_end
 * (change.h) of a change that failed goes back over all steps since its begin, the last first, and everything is as it
 * was; of one that was made, it does what had to wait for that. Steps back cannot fail and need no memory.
 *
 * Rules for whoever changes a structure of the metadata cache, or something in memory that goes with the file:
 * - ts_meta_edit first: it keeps the structure as its class says (ts_meta_class.keep). Large buffers are for the one
 *   who writes into them to keep, by ts_undo_bytes, where something but free space is overwritten.
 * - Memory that the old state leads to is not freed: ts_undo_free lets it go when the change is made. Nor is it
 *   reallocated: ts_undo_grow. Memory that only the new state leads to is given to ts_undo_new.
 * - Keep, then touch: what could not be kept must not be touched.
 *
 * Outside a change there is nothing to go back to: nothing is kept, and what would wait is done at once. All with the
 * file's lock. */
#ifndef TS_FILE_UNDO_H
#define TS_FILE_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_file;
struct ts_undo_step;

typedef void ts_undo_fn(struct ts_file *f, const struct ts_undo_step *step);

struct ts_undo_step {
    ts_undo_fn *back; /* when the change fails; may be NULL */
    ts_undo_fn *done; /* when it is made; may be NULL */
    void *at;         /* these three are theirs */
    uint64_t a, b;
};

/* Of one file: inside struct ts_file, all 0 at first. */
struct ts_undo {
    struct ts_undo_step *steps;
    size_t n, capacity;
    uint8_t *bytes;
    size_t n_bytes, bytes_capacity;
    size_t begin;      /* the step at which the innermost change began, and one more; 0: there is none */
    uint64_t change;   /* its number */
    uint64_t numbered; /* those that were begun so far */
    bool doomed;       /* a step could not be kept: the outermost change fails, whatever it says */
    bool going_back;
};

/* Each is negative, and the change is doomed, when memory is short. */

/* `size` bytes at `at` are about to change. */
int ts_undo_bytes(struct ts_file *f, void *at, size_t size);
/* The memory, from ts_malloc or NULL, is not needed any more unless the change fails. */
int ts_undo_free(struct ts_file *f, void *memory);
/* The memory, which was just made, is needed only if the change does not fail. Not freed here when this fails. */
int ts_undo_new(struct ts_file *f, void *memory);
/* As ts_grow, for an array that the old state leads to. It keeps *items and *capacity. */
int ts_undo_grow(struct ts_file *f, void **items, size_t *capacity, size_t need, size_t size);
#define TS_UNDO_GROW(f, items, capacity, need)                                                                         \
    ((need) <= (capacity) ? 0 : ts_undo_grow((f), (void **)&(items), &(capacity), (need), sizeof *(items)))
int ts_undo_push(struct ts_file *f, ts_undo_fn *back, ts_undo_fn *done, void *at, uint64_t a, uint64_t b);

/* By its parts: a struct that was just filled in and goes through memory as a whole makes the processor wait. */
static inline int ts_undo_add(struct ts_file *f, struct ts_undo_step step)
{
    return ts_undo_push(f, step.back, step.done, step.at, step.a, step.b);
}
/* From here on one ts_undo_add (or ts_undo_free, ts_undo_new) cannot fail. */
int ts_undo_reserve(struct ts_file *f);

/* For change.c. */
/* Something was touched since the innermost change began. */
bool ts_undo_touched(const struct ts_file *f);
int ts_undo_begin(struct ts_file *f);
/* The innermost change was made. What waits for that waits for the outermost. */
void ts_undo_made(struct ts_file *f);
void ts_undo_go_back(struct ts_file *f);
void ts_undo_deinit(struct ts_undo *undo);

#endif
