/* Span trees: irregular sets of coordinates.
 *
 * A node is a sorted array of disjoint spans [low, high] in one dimension; each span points to the node that holds its
 * cross section in the next dimension. Neighbouring spans with equal cross sections are always joined, so a set has
 * exactly one tree, and equal sets compare equal. Nodes never change once made and are shared by reference count,
 * across threads too.
 *
 * The empty set is NULL. Coordinates stay below H5S_UNLIMITED. */
#ifndef TS_SPACE_SPANS_H
#define TS_SPACE_SPANS_H

#include "space/space.h"

struct ts_span {
    hsize_t low, high;
    struct ts_spans *down; /* NULL in the last dimension */
};

struct ts_spans {
    _Atomic size_t refs;
    unsigned depth; /* dimensions from here on, 1 in the last */
    size_t n;
    hsize_t elements; /* saturated */
    hsize_t blocks;   /* paths from here to a leaf span, saturated */
    uint64_t hash;
    hsize_t *bounds; /* low, high of each dimension from here on; behind the items */
    struct ts_span items[];
};

struct ts_spans *ts_spans_ref(struct ts_spans *t);
void ts_spans_unref(struct ts_spans *t);
bool ts_spans_equal(const struct ts_spans *a, const struct ts_spans *b);

/* The set operations say what becomes of elements that are in a only, in b only, in both. */
enum { TS_KEEP_A = 1, TS_KEEP_B = 2, TS_KEEP_BOTH = 4 };
int ts_spans_combine(unsigned keep, struct ts_spans *a, struct ts_spans *b, struct ts_spans **out);

/* One list of spans per dimension, each element of the product selected. */
struct ts_span_list {
    struct ts_span *items;
    size_t n, capacity;
};
int ts_spans_from_slabs(unsigned rank, const struct ts_slab *slabs, struct ts_spans **out);
int ts_spans_from_lists(unsigned rank, const struct ts_span_list *lists, struct ts_spans **out);

/* The union of n boxes of 2*rank numbers (low corner, high corner). Boxes that come from a file may be made to fall
 * apart into many more spans than there are boxes: `bounded` makes that an error. */
int ts_spans_from_boxes(unsigned rank, size_t n, const hsize_t *boxes, bool bounded, struct ts_spans **out);

/* From runs of elements in an extent whose elements can be numbered, sorted and disjoint and inside of it; in one pass.
 */
int ts_spans_from_runs(unsigned rank, const hsize_t *dims, const struct ts_run *runs, size_t n, struct ts_spans **out);

/* What lies in the box low..high, moved by -shift (modulo 2^64). */
struct ts_window {
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK], shift[H5S_MAX_RANK];
};
int ts_spans_window(struct ts_spans *t, const struct ts_window *w, struct ts_spans **out);

bool ts_spans_intersects(const struct ts_spans *t, const hsize_t *low, const hsize_t *high);
/* Four numbers per dimension describe the set. */
bool ts_spans_regular(const struct ts_spans *t, struct ts_slab *slabs);
/* Corner pairs of blocks first .. first+n-1 in tree order. */
void ts_spans_blocklist(const struct ts_spans *t, hsize_t first, hsize_t n, hsize_t *out);
/* b is a moved in every dimension. */
bool ts_spans_same_shape(const struct ts_spans *a, const struct ts_spans *b);
int ts_spans_verify(const struct ts_spans *t, const char **reason);

#endif
