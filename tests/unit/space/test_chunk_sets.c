/* Sets by chunk, one at a time: all of a chunk, what lies in the extent, members by lines. Against one byte per element. */
#include "oracle.h"
#include "sets_of.h"

struct grid {
    unsigned rank;
    hsize_t dims[4], chunk[4], n, chunk_n;
};

static void random_grid(struct rng *r, struct grid *g)
{
    static const unsigned widest[] = {300, 17, 8, 5};
    g->rank = 1 + rnd(r, 4);
    g->n = g->chunk_n = 1;
    for (unsigned d = 0; d < g->rank; d++) {
        g->n *= g->dims[d] = 1 + rnd(r, widest[g->rank - 1]);
        g->chunk_n *= g->chunk[d] = rnd(r, 3) ? 1 + rnd(r, (unsigned)g->dims[d] + 2) : g->dims[d];
    }
}

/* Where an element of a chunk is in the extent; false: outside. */
static bool place(const struct grid *g, const hsize_t *scaled, hsize_t at, hsize_t *out)
{
    hsize_t step = 1;
    bool inside = true;
    *out = 0;
    for (unsigned d = g->rank; d-- > 0; at /= g->chunk[d], step *= g->dims[d]) {
        hsize_t x = scaled[d] * g->chunk[d] + at % g->chunk[d];
        inside = inside && x < g->dims[d];
        *out += x * step;
    }
    return inside;
}

static bool has(const struct ts_run_set *s, uint64_t at)
{
    return ts_run_set_rank(s, at + 1) > ts_run_set_rank(s, at);
}

static void full_and_clipped(void **state)
{
    struct rng r = {3};
    unsigned cut = 0;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct grid g;
        struct ts_chunk_sets *s;
        struct ts_run_set *full, *some, *whole;
        hsize_t scaled[4], at;
        random_grid(&r, &g);
        assert_int_equal(ts_chunk_sets_new(g.rank, g.dims, g.chunk, &s), 0);
        for (unsigned d = 0; d < g.rank; d++)
            scaled[d] = rnd(&r, (unsigned)((g.dims[d] + g.chunk[d] - 1) / g.chunk[d]));
        assert_int_equal(ts_chunk_sets_full(s, scaled, &full), 0);
        assert_int_equal(ts_run_set_new(g.chunk_n, &some), 0);
        for (hsize_t k = 0; k < g.chunk_n; k++) {
            struct ts_run one = {k, 1};
            assert_int_equal(has(full, k), place(&g, scaled, k, &at));
            if (rnd(&r, 3) == 0)
                assert_int_equal(ts_run_set_append(some, &one, 1), 0);
        }
        assert_int_equal(ts_run_set_copy(some, &whole), 0);
        assert_int_equal(ts_chunk_sets_clip(s, scaled, &some), 0);
        for (hsize_t k = 0; k < g.chunk_n; k++)
            assert_int_equal(has(some, k), has(whole, k) && place(&g, scaled, k, &at));
        cut += ts_run_set_count(some) < ts_run_set_count(whole);
        ts_run_set_free(full), ts_run_set_free(some), ts_run_set_free(whole);
        ts_chunk_sets_free(s);
    }
    assert_in_range(cut, 500, 2500);
}

/* The lines of a set have all its members in their order, and lie where the extent has them. */
static void check_lines(const struct grid *g, const struct ts_chunk_sets *s, size_t i, size_t max)
{
    const hsize_t *scaled = ts_chunk_sets_scaled(s, i);
    struct ts_set_lines at = {0};
    struct ts_set_line lines[16];
    hsize_t ordinal = 0, in_extent, last = 0;
    for (size_t n; (n = ts_chunk_sets_lines(s, i, &at, lines, max)) > 0;)
        for (size_t k = 0; k < n; k++) {
            hsize_t first = lines[k].r * s->chunk_line;
            assert_true(lines[k].n > 0 && (ordinal == 0 || lines[k].r > last));
            last = lines[k].r;
            assert_int_equal(ts_run_set_rank(s->sets[i], first), ordinal);
            assert_int_equal(ts_run_set_rank(s->sets[i], first + s->chunk_line), ordinal + lines[k].n);
            assert_true(place(g, scaled, first, &in_extent));
            hsize_t line = ts_chunk_sets_band_line(s, scaled, lines[k].r);
            assert_true(line < ts_chunk_sets_band_lines(s));
            if (s->split > 0)
                assert_int_equal(scaled[0] * ts_chunk_sets_band_lines(s) + line, in_extent / s->line);
            ordinal += lines[k].n;
        }
    assert_int_equal(ordinal, ts_run_set_count(s->sets[i]));
}

static void lines(void **state)
{
    struct rng r = {5};
    (void)state;
    for (int i = 0; i < 2000; i++) {
        static unsigned char in[ORACLE_MAX * 8];
        struct grid g;
        struct ts_chunk_sets *s;
        const char *reason;
        unsigned often = 1 + rnd(&r, rnd(&r, 2) ? 3 : 20);
        random_grid(&r, &g);
        for (hsize_t k = 0; k < g.n; k++)
            in[k] = rnd(&r, often) == 0;
        assert_int_equal(sets_of(g.rank, g.dims, g.chunk, in, &s), 0);
        if (ts_chunk_sets_verify(s, &reason) < 0)
            fail_msg("%s", reason);
        for (size_t k = 0; k < s->n; k++)
            check_lines(&g, s, k, 1 + rnd(&r, 16));
        ts_chunk_sets_free(s);
    }
}

static void memory_runs_out(void **state)
{
    static const hsize_t dims[2] = {7, 7}, chunk[2] = {4, 5}, corner[2] = {1, 1};
    (void)state;
    for (unsigned long n = 1, done = 0; !done; n++) {
        struct ts_chunk_sets *s = NULL;
        struct ts_run_set *set = NULL, *full = NULL;
        struct ts_run all = {0, 20};
        (void)ts_alloc_fail_at(n, TS_FAULT_ONCE);
        int ret = ts_chunk_sets_new(2, dims, chunk, &s);
        if (ret == 0)
            ret = ts_run_set_new(20, &set);
        if (ret == 0)
            ret = ts_run_set_add(set, &all, 1);
        if (ret == 0 && (ret = ts_chunk_sets_clip(s, corner, &set)) < 0)
            assert_int_equal(ts_run_set_count(set), 20);
        if (ret == 0)
            ret = ts_chunk_sets_full(s, corner, &full);
        if (ret == 0)
            assert_true(ts_run_set_equal(full, set) && ts_run_set_count(full) == 6);
        if (ret == 0)
            ret = ts_chunk_sets_add(s, corner, &set);
        (void)ts_alloc_fail_at(0, TS_FAULT_ONCE);
        done = ret == 0;
        ts_run_set_free(set);
        ts_run_set_free(full);
        ts_chunk_sets_free(s);
        ts_err_clear();
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_and_clipped),
        cmocka_unit_test(lines),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
