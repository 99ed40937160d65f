#include "space/sel_iter.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"

#define PORTION 256 /* runs that are fetched at once */

struct ts_sel_iter {
    _Atomic size_t refs;
    struct ts_mutex lock;
    size_t element_size;
    bool sorted;
    struct ts_space *space; /* its own copy */
    struct ts_runs runs;
};

int ts_sel_iter_new(struct ts_space *s, size_t element_size, unsigned flags, struct ts_sel_iter **out)
{
    struct ts_sel_iter *it = ts_calloc(1, sizeof *it);
    if (!it)
        return -1;
    atomic_init(&it->refs, 1);
    ts_mutex_init(&it->lock, TS_RANK_SELECTION_ITERATOR);
    it->element_size = element_size;
    it->sorted = flags & H5S_SEL_ITER_GET_SEQ_LIST_SORTED;
    if (ts_sel_iter_reset(it, s) < 0) {
        ts_sel_iter_unref(it);
        return -1;
    }
    *out = it;
    return 0;
}

void ts_sel_iter_ref(struct ts_sel_iter *it)
{
    atomic_fetch_add_explicit(&it->refs, 1, memory_order_relaxed);
}

void ts_sel_iter_unref(struct ts_sel_iter *it)
{
    if (atomic_fetch_sub_explicit(&it->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (it->space)
        ts_runs_deinit(&it->runs);
    ts_space_unref(it->space);
    ts_mutex_deinit(&it->lock);
    ts_free(it);
}

int ts_sel_iter_reset(struct ts_sel_iter *it, struct ts_space *s)
{
    struct ts_space *copy;
    struct ts_runs runs, before;
    if (ts_space_snapshot(s, &copy) < 0)
        return -1;
    if (ts_runs_init(&runs, copy) < 0) {
        ts_space_unref(copy);
        return -1;
    }
    ts_mutex_lock(&it->lock);
    struct ts_space *old = it->space;
    before = it->runs;
    it->space = copy;
    it->runs = runs;
    ts_mutex_unlock(&it->lock);
    if (old)
        ts_runs_deinit(&before);
    ts_space_unref(old);
    return 0;
}

/* Points may have to be given back one by one; everything else is in order anyway. */
static bool may_go_back(const struct ts_sel_iter *it)
{
    return it->sorted && ts_space_sel_type(it->space) == H5S_SEL_POINTS;
}

/* The number of their elements. */
static size_t give_portion(const struct ts_sel_iter *it, const struct ts_run *runs, size_t n, struct ts_sequences *out)
{
    size_t size = it->element_size, elements = 0, *len = out->len + out->n;
    hsize_t *off = out->off + out->n;
    for (size_t i = 0; i < n; i++) {
        off[i] = runs[i].offset * size;
        len[i] = (size_t)runs[i].length * size;
        elements += (size_t)runs[i].length;
    }
    out->n += n;
    out->elements += elements;
    return elements;
}

void ts_sel_iter_next(struct ts_sel_iter *it, size_t max_seq, size_t max_elements, struct ts_sequences *out)
{
    struct ts_run runs[PORTION];
    hsize_t last = 0;
    out->n = out->elements = 0;
    ts_mutex_lock(&it->lock);
    size_t left_elements = max_elements, most = may_go_back(it) ? 1 : PORTION;
    while (out->n < max_seq) {
        size_t left = max_seq - out->n;
        size_t n = ts_runs_next(&it->runs, runs, left < most ? left : most, left_elements);
        if (n == 0)
            break;
        if (most == 1 && out->n && runs[0].offset < last) {
            ts_runs_unget(&it->runs, runs[0]);
            break;
        }
        last = runs[0].offset;
        left_elements -= give_portion(it, runs, n, out);
    }
    ts_mutex_unlock(&it->lock);
}
