/* Random selections in one to five dimensions: set operations, cutting, moving, projecting, against bitmaps. */
#include "oracle.h"

static unsigned random_dims(struct rng *r, hsize_t *dims)
{
    static const unsigned widest[] = {60, 16, 8, 5, 4};
    unsigned rank = 1 + rnd(r, 5);
    for (unsigned d = 0; d < rank; d++)
        dims[d] = 1 + rnd(r, widest[rank - 1]);
    return rank;
}

static struct ts_space *random_hyperslabs(struct rng *r, unsigned rank, const hsize_t *dims, struct oracle *o)
{
    struct ts_space *s;
    struct ts_slab slabs[5];
    oracle_init(o, rank, dims);
    assert_int_equal(ts_space_new_simple(rank, dims, NULL, &s), 0);
    if (rnd(r, 12) == 0) {
        memset(o->in, 1, (size_t)o->n);
        return s;
    }
    ts_space_select_none(s);
    for (unsigned i = rnd(r, 7); i-- > 0;) {
        H5S_seloper_t op = (H5S_seloper_t)(rnd(r, 3) ? H5S_SELECT_OR : rnd(r, 6));
        random_slabs(r, rank, dims, slabs);
        assert_int_equal(select_slabs(s, op, slabs), 0);
        oracle_slab(o, op, slabs);
    }
    assert_int_equal(ts_space_merge(s), 0);
    return s;
}

static struct ts_space *random_points(struct rng *r, unsigned rank, const hsize_t *dims, struct oracle *o)
{
    struct ts_space *s;
    hsize_t c[5];
    oracle_init(o, rank, dims);
    assert_int_equal(ts_space_new_simple(rank, dims, NULL, &s), 0);
    ts_space_select_none(s);
    for (unsigned i = 1 + rnd(r, 9); i-- > 0;) {
        for (unsigned d = 0; d < rank; d++)
            c[d] = rnd(r, (unsigned)dims[d]);
        if (o->in[oracle_index(o, c)]++)
            o->in[oracle_index(o, c)] = 1;
        else
            assert_int_equal(ts_space_select_elements(s, rnd(r, 2) ? H5S_SELECT_APPEND : H5S_SELECT_PREPEND, 1, c), 0);
    }
    return s;
}

static void operations(void **state)
{
    (void)state;
    struct rng r = {1};
    for (int i = 0; i < 4000; i++) {
        hsize_t dims[5];
        unsigned rank = random_dims(&r, dims);
        struct oracle o, p;
        struct ts_space *s = random_hyperslabs(&r, rank, dims, &o), *t = random_hyperslabs(&r, rank, dims, &p);
        assert_same(s, &o);
        assert_runs(s, &o, 1 + rnd(&r, 8), 1 + rnd(&r, 9));
        if (i % 8 == 0) {
            assert_bounds(s, &o);
            assert_round_trip(s, &o);
            if (ts_space_sel_type(s) != H5S_SEL_NONE)
                assert_blocks(s, &o);
        }
        struct ts_run run;
        hsize_t first = 0, n = oracle_count(&o);
        while (n && !o.in[first])
            first++;
        bool one = !n || (first + n <= o.n && memchr(o.in + first, 0, (size_t)n) == NULL);
        assert_int_equal(ts_space_single_run(s, &run), one);
        if (one && n)
            assert_true(run.offset == first && run.length == n);
        H5S_seloper_t op = (H5S_seloper_t)(1 + rnd(&r, 5));
        if (ts_space_sel_type(s) == H5S_SEL_HYPERSLABS && ts_space_sel_type(t) == H5S_SEL_HYPERSLABS) {
            assert_int_equal(ts_space_combine(s, op, t), 0);
            for (hsize_t k = 0; k < o.n; k++)
                o.in[k] = keep(op, o.in[k], p.in[k]);
            assert_same(s, &o);
        }
        ts_space_unref(s);
        ts_space_unref(t);
    }
}

static void random_box(struct rng *r, unsigned rank, const hsize_t *dims, hsize_t *start, hsize_t *size)
{
    for (unsigned d = 0; d < rank; d++) {
        start[d] = rnd(r, (unsigned)dims[d]);
        size[d] = 1 + rnd(r, (unsigned)(dims[d] - start[d] + 2));
    }
}

/* Moves all by an offset that keeps it inside; the oracle too. */
static void random_offset(struct rng *r, struct ts_space *s, struct oracle *o)
{
    hsize_t low[5], high[5], c[5];
    hssize_t off[5];
    if (!ts_space_selected(s) || ts_space_sel_type(s) == H5S_SEL_ALL || rnd(r, 2))
        return;
    assert_int_equal(ts_space_bounds(s, low, high), 0);
    for (unsigned d = 0; d < o->rank; d++)
        off[d] = (hssize_t)rnd(r, (unsigned)(low[d] + o->dims[d] - high[d])) - (hssize_t)low[d];
    assert_int_equal(ts_space_set_offset(s, off), 0);
    struct oracle moved;
    oracle_init(&moved, o->rank, o->dims);
    for (hsize_t i = 0; i < o->n; i++)
        if (o->in[i]) {
            oracle_coords(o, i, c);
            for (unsigned d = 0; d < o->rank; d++)
                c[d] += (hsize_t)off[d];
            moved.in[oracle_index(&moved, c)] = 1;
        }
    *o = moved;
    assert_true(ts_space_valid(s));
}

static void cutting(void **state)
{
    (void)state;
    struct rng r = {2};
    for (int i = 0; i < 5000; i++) {
        hsize_t dims[5], start[5], size[5], end[5], c[5];
        unsigned rank = random_dims(&r, dims);
        struct oracle o, box;
        struct ts_space *s = rnd(&r, 4) ? random_hyperslabs(&r, rank, dims, &o) : random_points(&r, rank, dims, &o), *cut;
        random_offset(&r, s, &o);
        random_box(&r, rank, dims, start, size);
        oracle_init(&box, rank, size);
        for (hsize_t k = 0; k < box.n; k++) {
            bool inside = true;
            oracle_coords(&box, k, c);
            for (unsigned d = 0; d < rank; d++) {
                c[d] += start[d];
                inside = inside && c[d] < dims[d];
            }
            box.in[k] = inside && o.in[oracle_index(&o, c)];
        }
        for (unsigned d = 0; d < rank; d++)
            end[d] = start[d] + size[d] - 1;
        assert_int_equal(ts_space_intersects(s, start, end), oracle_count(&box) > 0);
        assert_int_equal(ts_space_clip(s, start, size, &cut), 0);
        assert_sound(cut);
        assert_int_equal(ts_space_selected(cut), oracle_count(&box));
        assert_memory_equal(ts_space_dims(cut), size, rank * sizeof *size);
        if (ts_space_sel_type(cut) == H5S_SEL_POINTS) {
            size_t n;
            const hsize_t *points = ts_space_points(cut, &n);
            for (size_t k = 0; k < n; k++)
                assert_true(box.in[oracle_index(&box, points + k * rank)]);
        }
        else
            assert_runs(cut, &box, 8, UINT64_MAX);
        ts_space_unref(cut);
        ts_space_unref(s);
    }
}

static void moving(void **state)
{
    (void)state;
    struct rng r = {3};
    for (int i = 0; i < 2000; i++) {
        hsize_t dims[5], low[5], high[5];
        hssize_t back[5];
        unsigned rank = random_dims(&r, dims);
        struct oracle o;
        struct ts_space *s = rnd(&r, 4) ? random_hyperslabs(&r, rank, dims, &o) : random_points(&r, rank, dims, &o), *t;
        assert_int_equal(ts_space_copy(s, &t), 0);
        if (ts_space_selected(s) && ts_space_sel_type(s) != H5S_SEL_ALL) {
            struct oracle moved = o;
            assert_int_equal(ts_space_bounds(s, low, high), 0);
            for (unsigned d = 0; d < rank; d++)
                back[d] = (hssize_t)high[d] - (hssize_t)rnd(&r, (unsigned)dims[d]);
            bool fits = true;
            for (unsigned d = 0; d < rank; d++)
                fits = fits && back[d] <= (hssize_t)low[d];
            assert_int_equal(ts_space_adjust(t, back), fits ? 0 : -1);
            ts_err_clear();
            assert_sound(t);
            assert_true(ts_space_shape_same(s, t));
            if (fits) {
                for (unsigned d = 0; d < rank; d++)
                    back[d] = -back[d];
                assert_int_equal(ts_space_adjust(t, back), 0);
            }
            if (!ts_space_points(t, &(size_t){0}))
                assert_same(t, &moved);
        }
        ts_space_unref(s);
        ts_space_unref(t);
    }
}

/* The k-th selected element of a selection, in its order. */
static size_t element_order(const struct ts_space *s, hsize_t *out)
{
    struct ts_runs it;
    struct ts_run run;
    size_t n = 0;
    assert_int_equal(ts_runs_init(&it, s), 0);
    while (ts_runs_next(&it, &run, 1, UINT64_MAX))
        for (hsize_t k = 0; k < run.length; k++)
            out[n++] = run.offset + k;
    return n;
}

static void check_projection(const struct ts_space *src, const struct ts_space *part, const struct ts_space *dst,
                             const struct oracle *in_part)
{
    static hsize_t from[ORACLE_MAX], to[ORACLE_MAX], got[ORACLE_MAX];
    struct oracle want;
    struct ts_space *p;
    oracle_init(&want, ts_space_rank(dst), ts_space_dims(dst));
    size_t n = element_order(src, from), chosen = 0;
    assert_int_equal(element_order(dst, to), n);
    for (size_t k = 0; k < n; k++)
        if (in_part->in[from[k]]) {
            want.in[to[k]] = 1;
            chosen++;
        }
    assert_int_equal(ts_space_project(src, part, dst, &p), 0);
    assert_sound(p);
    assert_int_equal(ts_space_selected(p), chosen);
    assert_int_equal(element_order(p, got), chosen);
    for (size_t k = 0, j = 0; k < n; k++)
        if (ts_space_sel_type(p) == H5S_SEL_POINTS && in_part->in[from[k]])
            assert_int_equal(got[j++], to[k]);
    if (ts_space_sel_type(p) != H5S_SEL_POINTS)
        assert_runs(p, &want, 8, UINT64_MAX);
    ts_space_unref(p);
}

static void projecting(void **state)
{
    (void)state;
    struct rng r = {4};
    int done = 0;
    for (int i = 0; i < 40000 && done < 2500; i++) {
        hsize_t a[5], b[5];
        unsigned ra = random_dims(&r, a), rb = rnd(&r, 2) ? ra : random_dims(&r, b);
        if (rb == ra)
            memcpy(b, a, sizeof b);
        struct oracle os, op, od;
        struct ts_space *src = rnd(&r, 5) ? random_hyperslabs(&r, ra, a, &os) : random_points(&r, ra, a, &os);
        struct ts_space *dst = rnd(&r, 5) ? random_hyperslabs(&r, rb, b, &od) : random_points(&r, rb, b, &od);
        struct ts_space *part = rnd(&r, 4) ? random_hyperslabs(&r, ra, a, &op) : random_points(&r, ra, a, &op);
        random_offset(&r, src, &os);
        random_offset(&r, dst, &od);
        random_offset(&r, part, &op);
        if (ts_space_selected(src) == ts_space_selected(dst) && ts_space_selected(src)) {
            check_projection(src, part, dst, &op);
            done++;
        }
        ts_space_unref(src);
        ts_space_unref(dst);
        ts_space_unref(part);
    }
    assert_true(done > 500);
}

static void from_runs(void **state)
{
    (void)state;
    struct rng r = {5};
    for (int i = 0; i < 2000; i++) {
        hsize_t dims[5], at = 0;
        unsigned rank = random_dims(&r, dims);
        struct oracle o;
        struct ts_space *like, *s;
        struct ts_run runs[16];
        size_t n = 0;
        oracle_init(&o, rank, dims);
        assert_int_equal(ts_space_new_simple(rank, dims, NULL, &like), 0);
        while (n < 16 && (at += rnd(&r, 7)) < o.n) {
            hsize_t length = 1 + rnd(&r, (unsigned)(o.n - at) < 40 ? (unsigned)(o.n - at) : 40);
            runs[n++] = (struct ts_run){at, length};
            memset(o.in + at, 1, (size_t)length);
            at += length;
        }
        assert_int_equal(ts_space_from_runs(like, runs, n, &s), 0);
        assert_same(s, &o);
        ts_space_unref(s);
        ts_space_unref(like);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations), cmocka_unit_test(cutting),   cmocka_unit_test(moving),
        cmocka_unit_test(projecting), cmocka_unit_test(from_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
