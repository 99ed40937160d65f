/* Selection iterators of the public API: a selection as sequences of bytes. */
#ifndef TS_SPACE_SEL_ITER_H
#define TS_SPACE_SEL_ITER_H

#include "space/space.h"

struct ts_sel_iter;

int ts_sel_iter_new(struct ts_space *s, size_t element_size, unsigned flags, struct ts_sel_iter **out);
void ts_sel_iter_ref(struct ts_sel_iter *it);
void ts_sel_iter_unref(struct ts_sel_iter *it);
/* Starts over, with the selection that s has now. */
int ts_sel_iter_reset(struct ts_sel_iter *it, struct ts_space *s);

struct ts_sequences {
    size_t n, elements;
    hsize_t *off;
    size_t *len;
};
/* Up to max_seq sequences with max_elements elements in all; where they begin and how long they are is in bytes. */
void ts_sel_iter_next(struct ts_sel_iter *it, size_t max_seq, size_t max_elements, struct ts_sequences *out);

#endif
