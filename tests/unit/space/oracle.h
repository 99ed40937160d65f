/* A selection as one byte per element: slow and plain, to compare with. */
#ifndef ORACLE_H
#define ORACLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "space/space.h"

#define ORACLE_MAX 4096

struct oracle {
    unsigned rank;
    hsize_t dims[5], n;
    unsigned char in[ORACLE_MAX];
};

static inline void oracle_init(struct oracle *o, unsigned rank, const hsize_t *dims)
{
    memset(o, 0, sizeof *o);
    o->rank = rank;
    o->n = 1;
    for (unsigned d = 0; d < rank; d++)
        o->n *= o->dims[d] = dims[d];
    assert_true(o->n <= ORACLE_MAX);
}

static inline void oracle_coords(const struct oracle *o, hsize_t i, hsize_t *c)
{
    for (unsigned d = o->rank; d-- > 0;) {
        c[d] = i % o->dims[d];
        i /= o->dims[d];
    }
}

static inline hsize_t oracle_index(const struct oracle *o, const hsize_t *c)
{
    hsize_t i = 0;
    for (unsigned d = 0; d < o->rank; d++)
        i = i * o->dims[d] + c[d];
    return i;
}

static inline bool slab_has(const struct ts_slab *s, hsize_t c)
{
    if (s->count == 1)
        return c >= s->start && c - s->start < s->block;
    return c >= s->start && (c - s->start) / s->stride < s->count && (c - s->start) % s->stride < s->block;
}

static inline bool keep(H5S_seloper_t op, bool a, bool b)
{
    switch (op) {
    case H5S_SELECT_OR:
        return a || b;
    case H5S_SELECT_AND:
        return a && b;
    case H5S_SELECT_XOR:
        return a != b;
    case H5S_SELECT_NOTB:
        return a && !b;
    case H5S_SELECT_NOTA:
        return b && !a;
    default:
        return b;
    }
}

static inline void oracle_slab(struct oracle *o, H5S_seloper_t op, const struct ts_slab *slabs)
{
    hsize_t c[5];
    for (hsize_t i = 0; i < o->n; i++) {
        oracle_coords(o, i, c);
        bool in = true;
        for (unsigned d = 0; d < o->rank; d++)
            in = in && slab_has(&slabs[d], c[d]);
        o->in[i] = keep(op, o->in[i], in);
    }
}

static inline hsize_t oracle_count(const struct oracle *o)
{
    hsize_t n = 0;
    for (hsize_t i = 0; i < o->n; i++)
        n += o->in[i];
    return n;
}

static inline int select_slabs(struct ts_space *s, H5S_seloper_t op, const struct ts_slab *slabs)
{
    hsize_t v[4][5];
    for (unsigned d = 0; d < ts_space_rank(s); d++) {
        v[0][d] = slabs[d].start;
        v[1][d] = slabs[d].stride;
        v[2][d] = slabs[d].count;
        v[3][d] = slabs[d].block;
    }
    return ts_space_select_hyperslab(s, op, v[0], v[1], v[2], v[3]);
}

static inline void assert_sound(const struct ts_space *s)
{
    const char *reason = "sound";
    if (ts_space_verify(s, &reason) < 0)
        fail_msg("%s", reason);
}

/* Runs are in order, do not touch, and hold exactly what the oracle holds. */
static inline void assert_runs(const struct ts_space *s, const struct oracle *o, size_t max_runs, hsize_t max_elements)
{
    unsigned char seen[ORACLE_MAX] = {0};
    struct ts_runs it;
    struct ts_run r[8];
    hsize_t end = 0;
    size_t n;
    assert_int_equal(ts_runs_init(&it, s), 0);
    while ((n = ts_runs_next(&it, r, max_runs, max_elements)) > 0) {
        assert_true(n <= max_runs);
        hsize_t total = 0;
        for (size_t i = 0; i < n; i++) {
            assert_true(r[i].length > 0 && r[i].offset + r[i].length <= o->n);
            assert_true(r[i].offset >= end);
            if (i)
                assert_true(r[i].offset > end);
            end = r[i].offset + r[i].length;
            total += r[i].length;
            memset(seen + r[i].offset, 1, (size_t)r[i].length);
        }
        assert_true(total <= max_elements);
    }
    ts_runs_deinit(&it);
    assert_memory_equal(seen, o->in, (size_t)o->n);
}

static inline void assert_blocks(const struct ts_space *s, const struct oracle *o)
{
    unsigned char seen[ORACLE_MAX] = {0};
    hsize_t n, c[5];
    assert_int_equal(ts_space_nblocks(s, &n), 0);
    hsize_t *list = calloc((size_t)n * 2 * o->rank + 1, sizeof *list);
    assert_int_equal(ts_space_blocklist(s, 0, n + 3, list), 0);
    for (hsize_t k = 0; k < n; k++) {
        const hsize_t *low = list + k * 2 * o->rank, *high = low + o->rank;
        for (hsize_t i = 0; i < o->n; i++) {
            oracle_coords(o, i, c);
            bool in = true;
            for (unsigned d = 0; d < o->rank; d++)
                in = in && c[d] >= low[d] && c[d] <= high[d];
            assert_true(!in || !seen[i]);
            seen[i] |= in;
        }
    }
    free(list);
    assert_memory_equal(seen, o->in, (size_t)o->n);
}

static inline void assert_bounds(const struct ts_space *s, const struct oracle *o)
{
    hsize_t low[5], high[5], c[5], want_low[5], want_high[5];
    for (unsigned d = 0; d < o->rank; d++) {
        want_low[d] = UINT64_MAX;
        want_high[d] = 0;
    }
    for (hsize_t i = 0; i < o->n; i++) {
        if (!o->in[i])
            continue;
        oracle_coords(o, i, c);
        for (unsigned d = 0; d < o->rank; d++) {
            want_low[d] = c[d] < want_low[d] ? c[d] : want_low[d];
            want_high[d] = c[d] > want_high[d] ? c[d] : want_high[d];
        }
    }
    if (!oracle_count(o)) {
        assert_true(ts_space_bounds(s, low, high) < 0);
        return;
    }
    assert_int_equal(ts_space_bounds(s, low, high), 0);
    assert_memory_equal(low, want_low, o->rank * sizeof *low);
    assert_memory_equal(high, want_high, o->rank * sizeof *high);
}

static inline void assert_round_trip(const struct ts_space *s, const struct oracle *o)
{
    for (unsigned libver = 0; libver <= 3; libver++) {
        struct ts_wr w = {0};
        struct ts_space *back;
        size_t used = 0;
        assert_int_equal(ts_space_encode_selection(s, libver, &w), 0);
        assert_int_equal(ts_space_new_simple(o->rank, o->dims, NULL, &back), 0);
        assert_int_equal(ts_space_decode_selection(back, w.data, w.size, &used), 0);
        assert_int_equal(used, w.size);
        assert_sound(back);
        assert_int_equal(ts_space_selected(back), ts_space_selected(s));
        if (ts_space_sel_type(s) != H5S_SEL_POINTS)
            assert_runs(back, o, 8, UINT64_MAX);
        ts_space_unref(back);
        ts_wr_free(&w);
    }
}

static inline void assert_same(struct ts_space *s, const struct oracle *o)
{
    assert_int_equal(ts_space_merge(s), 0);
    assert_sound(s);
    assert_int_equal(ts_space_selected(s), oracle_count(o));
    assert_runs(s, o, 8, UINT64_MAX);
}

struct rng {
    uint64_t state;
};

static inline unsigned rnd(struct rng *r, unsigned n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(r->state >> 33) % n;
}

static inline void random_slabs(struct rng *r, unsigned rank, const hsize_t *dims, struct ts_slab *out)
{
    for (unsigned d = 0; d < rank; d++) {
        hsize_t block = 1 + rnd(r, dims[d] < 3 ? (unsigned)dims[d] : 3), stride = block + rnd(r, 3), count = 1 + rnd(r, 4);
        while ((count - 1) * stride + block > dims[d])
            count--;
        out[d] = (struct ts_slab){rnd(r, (unsigned)(dims[d] - (count - 1) * stride - block + 1)), stride, count, block};
    }
}

#endif
