#include "index/chunk_marks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"

/* A stretch ends with this many chunks, or when the array has this many elements in it: those are all looked at. */
#define STRETCH_CHUNKS 64
#define STRETCH_ELEMENTS 1024

struct ts_chunk_marks {
    uint64_t total;
    size_t n;
    hsize_t *first; /* rank numbers each: where stretches begin; the first one has all before it too */
    size_t first_capacity;
    /* How many chunks they have, as a Fenwick tree: sums[i] is of the i & -i stretches up to the i-th, from 1. */
    uint64_t *sums;
    size_t sums_capacity;
    uint64_t in_last;
    hsize_t last[H5S_MAX_RANK]; /* no chunk is behind it */
    size_t between;             /* chunks that came since before another */
};

static void free_marks(struct ts_chunk_marks *m)
{
    if (m) {
        ts_free(m->first);
        ts_free(m->sums);
    }
    ts_free(m);
}

static int compare(const struct ts_chunk_index *ix, const hsize_t *a, const hsize_t *b)
{
    for (unsigned k = 0; k < ix->rank; k++) {
        unsigned i = ix->order[k];
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

static size_t low_bit(size_t i)
{
    return i & (~i + 1);
}

/* Trees have no strides, and no elements between their chunks. */
static bool is_far(const struct ts_chunk_index *ix, const hsize_t *first, const hsize_t *at)
{
    uint64_t a, b;
    return ts_chunk_number(ix, first, &a) && ts_chunk_number(ix, at, &b) && b - a >= STRETCH_ELEMENTS;
}

static int append_stretch(struct ts_chunk_marks *m, const struct ts_chunk_index *ix, const hsize_t *at)
{
    size_t i = m->n + 1;
    if (TS_GROW(m->first, m->first_capacity, i * ix->rank) < 0 || TS_GROW(m->sums, m->sums_capacity, i + 1) < 0)
        return -1;
    memcpy(m->first + m->n * ix->rank, at, ix->rank * sizeof *at);
    m->sums[i] = 0;
    for (size_t k = i - 1; k > i - low_bit(i); k -= low_bit(k))
        m->sums[i] += m->sums[k];
    m->n = i;
    m->in_last = 0;
    return 0;
}

/* A chunk behind all others. */
static int append_chunk(struct ts_chunk_marks *m, const struct ts_chunk_index *ix, const hsize_t *at)
{
    bool full = m->n == 0 || m->in_last >= STRETCH_CHUNKS || is_far(ix, m->first + (m->n - 1) * ix->rank, at);
    if (full && append_stretch(m, ix, at) < 0)
        return -1;
    m->sums[m->n]++;
    m->in_last++;
    m->total++;
    memcpy(m->last, at, ix->rank * sizeof *at);
    return 0;
}

struct build {
    const struct ts_chunk_index *ix;
    struct ts_chunk_marks *marks;
};

static int mark_chunk(const struct ts_chunk_rec *rec, void *ctx)
{
    struct build *b = ctx;
    return append_chunk(b->marks, b->ix, rec->scaled);
}

static struct ts_chunk_marks *make_marks(struct ts_chunk_index *ix)
{
    struct build b = {.ix = ix, .marks = ts_calloc(1, sizeof *b.marks)};
    if (!b.marks || ix->kind->iterate(ix, NULL, mark_chunk, &b) < 0) {
        free_marks(b.marks);
        return NULL;
    }
    return b.marks;
}

/* Who follows a file that another process writes looks each time. */
static bool keeps_marks(const struct ts_chunk_index *ix)
{
    return !(ix->file->flags & H5F_ACC_SWMR_READ);
}

static struct ts_chunk_marks *hold_marks(struct ts_chunk_index *ix)
{
    struct ts_chunk_marks *marks = atomic_load(&ix->marks), *none = NULL;
    if (marks || !(marks = make_marks(ix)) || !keeps_marks(ix))
        return marks;
    /* Another thread may have been faster. */
    if (!atomic_compare_exchange_strong(&ix->marks, &none, marks)) {
        free_marks(marks);
        marks = none;
    }
    return marks;
}

static void release_marks(const struct ts_chunk_index *ix, struct ts_chunk_marks *marks)
{
    if (!keeps_marks(ix))
        free_marks(marks);
}

int ts_chunk_marks_count(struct ts_chunk_index *ix, uint64_t *n)
{
    TS_FILE_HELD(ix->file);
    struct ts_chunk_marks *m = hold_marks(ix);
    if (!m)
        return -1;
    *n = m->total;
    release_marks(ix, m);
    return 0;
}

/* The stretch that has the n-th chunk; *n becomes what it is there. */
static size_t stretch_of_nth(const struct ts_chunk_marks *m, uint64_t *n)
{
    size_t at = 0, step = 1;
    while (step <= m->n / 2)
        step *= 2;
    for (; step > 0; step /= 2)
        if (at + step <= m->n && m->sums[at + step] <= *n) {
            at += step;
            *n -= m->sums[at];
        }
    return at;
}

struct nth {
    uint64_t left;
    struct ts_chunk_rec *out;
};

static int take_nth(const struct ts_chunk_rec *rec, void *ctx)
{
    struct nth *nth = ctx;
    if (nth->left-- > 0)
        return 0;
    *nth->out = *rec;
    return 1;
}

int ts_chunk_marks_nth(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out)
{
    TS_FILE_HELD(ix->file);
    struct ts_chunk_marks *m = hold_marks(ix);
    struct nth nth = {.left = n, .out = out};
    if (!m)
        return -1;
    int found = 0;
    if (n < m->total) {
        size_t stretch = stretch_of_nth(m, &nth.left);
        found =
            ix->kind->iterate(ix, stretch > 0 && stretch < m->n ? m->first + stretch * ix->rank : NULL, take_nth, &nth);
    }
    release_marks(ix, m);
    return found;
}

static size_t stretch_at(const struct ts_chunk_marks *m, const struct ts_chunk_index *ix, const hsize_t *at)
{
    size_t low = 0, high = m->n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (compare(ix, m->first + mid * ix->rank, at) <= 0)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static void change_stretch(struct ts_chunk_marks *m, size_t stretch, uint64_t by)
{
    for (size_t i = stretch + 1; i <= m->n; i += low_bit(i))
        m->sums[i] += by;
    if (stretch + 1 == m->n)
        m->in_last += by;
    m->total += by;
}

void ts_chunk_marks_added(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    TS_FILE_HELD(ix->file);
    struct ts_chunk_marks *m = atomic_load(&ix->marks);
    if (!m)
        return;
    if (m->n == 0 || compare(ix, scaled, m->last) > 0) {
        unsigned mark = ts_err_mark();
        if (append_chunk(m, ix, scaled) < 0) {
            ts_err_rewind(mark);
            ts_chunk_marks_drop(ix);
        }
        return;
    }
    change_stretch(m, stretch_at(m, ix, scaled), 1);
    if (++m->between > STRETCH_CHUNKS + m->n)
        ts_chunk_marks_drop(ix);
}

void ts_chunk_marks_removed(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    TS_FILE_HELD(ix->file);
    struct ts_chunk_marks *m = atomic_load(&ix->marks);
    if (m && m->n > 0)
        change_stretch(m, stretch_at(m, ix, scaled), UINT64_MAX);
}

void ts_chunk_marks_drop(struct ts_chunk_index *ix)
{
    free_marks(atomic_exchange(&ix->marks, NULL));
}
