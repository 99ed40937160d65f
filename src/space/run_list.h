/* An irregular hyperslab as the sorted runs of its elements, numbered in an extent of its own: what a scattered
 * selection is when it comes from a dataset. It costs 16 bytes a run and is read as it is. What needs coordinates gets
 * a span tree, made once, when somebody first asks for it. What is defined in a dataset is kept as
 * sets by chunk in place of runs.
 *
 * A list never changes and is shared by reference count, across threads too. It keeps the sizes its elements are
 * numbered in, so it stays right when the extent or the offset of a space that holds it changes. */
#ifndef TS_SPACE_RUN_LIST_H
#define TS_SPACE_RUN_LIST_H

#include "base/lock.h"
#include "space/chunk_sets.h"
#include "space/spans.h"

struct ts_run_list {
    _Atomic size_t refs;
    unsigned rank;
    hsize_t dims[H5S_MAX_RANK];
    hsize_t elements;
    struct ts_chunk_sets *sets; /* NULL: runs */
    size_t n;
    struct ts_run *runs; /* none empty, a gap between any two */

    struct ts_mutex lock; /* for what is made when it is asked for */
    struct ts_spans *tree;
    bool bounded; /* low and high are known */
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
};

/* Takes the array of runs, which came from ts_malloc and is sorted and disjoint; *runs is NULL after success. The
 * extent has elements that can be numbered. Runs that touch become one, so a list may have fewer than n, or none. */
int ts_run_list_new(unsigned rank, const hsize_t *dims, struct ts_run **runs, size_t n, struct ts_run_list **out);
/* Takes the sets, at least one; *sets is NULL after success. */
int ts_run_list_of_sets(struct ts_chunk_sets **sets, struct ts_run_list **out);
struct ts_run_list *ts_run_list_ref(struct ts_run_list *l);
void ts_run_list_unref(struct ts_run_list *l);

/* Four numbers per dimension describe the set, which is not empty: 1, 0, or an error. Of runs it takes no memory and
 * cannot fail. Few steps when they do not. */
int ts_run_list_regular(const struct ts_run_list *l, struct ts_slab *slabs);
/* Borrowed: it lives as long as the list. */
int ts_run_list_tree(struct ts_run_list *l, struct ts_spans **out);
void ts_run_list_bounds(struct ts_run_list *l, hsize_t *low, hsize_t *high);
int ts_run_list_verify(const struct ts_run_list *l, const char **reason);

#endif
