#include "space/sel_iter.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"

struct ts_sel_iter {
    _Atomic size_t refs;
    pthread_mutex_t lock;
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
    pthread_mutex_init(&it->lock, NULL);
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
    ts_space_unref(it->space);
    pthread_mutex_destroy(&it->lock);
    ts_free(it);
}

int ts_sel_iter_reset(struct ts_sel_iter *it, struct ts_space *s)
{
    struct ts_space *copy;
    struct ts_runs runs;
    if (ts_space_snapshot(s, &copy) < 0)
        return -1;
    if (ts_runs_init(&runs, copy) < 0) {
        ts_space_unref(copy);
        return -1;
    }
    pthread_mutex_lock(&it->lock);
    struct ts_space *old = it->space;
    it->space = copy;
    it->runs = runs;
    pthread_mutex_unlock(&it->lock);
    ts_space_unref(old);
    return 0;
}

void ts_sel_iter_next(struct ts_sel_iter *it, size_t max_seq, size_t max_bytes, struct ts_sequences *out)
{
    out->n = out->bytes = 0;
    pthread_mutex_lock(&it->lock);
    size_t elements = max_bytes / it->element_size;
    struct ts_run r;
    hsize_t last = 0;
    while (out->n < max_seq && elements && ts_runs_next(&it->runs, &r, 1, elements)) {
        if (it->sorted && out->n && r.offset < last) {
            ts_runs_unget(&it->runs, r);
            break;
        }
        last = r.offset;
        elements -= (size_t)r.length;
        out->off[out->n] = r.offset * it->element_size;
        out->len[out->n++] = (size_t)r.length * it->element_size;
        out->bytes += (size_t)r.length * it->element_size;
    }
    pthread_mutex_unlock(&it->lock);
}
