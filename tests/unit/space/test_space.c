/* Size and speed, selections without an end, memory that runs out. */
#include <limits.h>

#include "oracle.h"

static void huge_and_regular(void **state)
{
    (void)state;
    const hsize_t big = UINT64_C(1) << 31;
    hsize_t dims[2] = {big, big};
    struct ts_slab slabs[2] = {{0, 2, big / 2, 1}, {1, 2, big / 2 - 1, 1}}, low[2] = {{0, 1, 1, 10}, {0, 1, 1, big}};
    struct ts_space *s, *cut;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    ts_alloc_fail_at(1, TS_FAULT_FROM);
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, slabs), 0);
    assert_true(ts_space_selected(s) == (big / 2) * (big / 2 - 1));
    hsize_t a[2] = {2, 4}, b[2] = {2, 4}, c[2] = {2, 5}, block[4];
    assert_false(ts_space_intersects(s, a, b));
    assert_true(ts_space_intersects(s, a, c));
    assert_int_equal(ts_space_blocklist(s, big / 2, 1, block), 0);
    assert_true(block[0] == 2 && block[1] == 3);
    assert_int_equal(select_slabs(s, H5S_SELECT_AND, low), 0);
    assert_true(ts_space_selected(s) == 5 * (big / 2 - 1));
    assert_int_equal(ts_alloc_fail_at(0, TS_FAULT_ONCE), 0);
    hsize_t start[2] = {0, big / 2}, box[2] = {4, 6};
    assert_int_equal(ts_space_clip(s, start, box, &cut), 0);
    assert_int_equal(ts_space_selected(cut), 6);
    ts_space_unref(cut);
    ts_space_unref(s);
}

/* Every block is a call of its own, as an application makes them. A quadratic way takes more than the limit of a test. */
static void many_blocks(void **state)
{
    (void)state;
    enum { N = 100000, SIDE = 8192 };
    hsize_t dims[2] = {SIDE, SIDE}, one[2] = {1, 1}, width[2] = {1, 8};
    struct rng r = {11};
    struct ts_space *s;
    unsigned char *in = calloc(SIDE, SIDE);
    hsize_t n = 0;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    ts_space_select_none(s);
    for (int i = 0; i < N; i++) {
        hsize_t start[2] = {rnd(&r, SIDE), rnd(&r, SIDE - 8)};
        assert_int_equal(ts_space_select_hyperslab(s, H5S_SELECT_OR, start, NULL, one, width), 0);
        memset(in + start[0] * SIDE + start[1], 1, 8);
    }
    assert_int_equal(ts_space_merge(s), 0);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        n += in[i];
    assert_true(ts_space_selected(s) == n);
    assert_sound(s);
    struct ts_runs it;
    struct ts_run run[64];
    size_t k;
    assert_int_equal(ts_runs_init(&it, s), 0);
    while ((k = ts_runs_next(&it, run, 64, UINT64_MAX)) > 0)
        for (size_t i = 0; i < k; i++) {
            assert_null(memchr(in + run[i].offset, 0, (size_t)run[i].length));
            n -= run[i].length;
        }
    assert_true(n == 0);
    free(in);
    ts_space_unref(s);
}

static void appended_points(void **state)
{
    (void)state;
    enum { N = 200000 };
    hsize_t dims[1] = {N}, c;
    struct ts_space *s, *copy;
    size_t n;
    assert_int_equal(ts_space_new_simple(1, dims, NULL, &s), 0);
    ts_space_select_none(s);
    for (c = 0; c < N; c++)
        assert_int_equal(ts_space_select_elements(s, H5S_SELECT_APPEND, 1, &c), 0);
    assert_int_equal(ts_space_copy(s, &copy), 0);
    c = 5;
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_APPEND, 1, &c), 0);
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_PREPEND, 1, &c), 0);
    assert_int_equal(ts_space_selected(copy), N);
    const hsize_t *p = ts_space_points(s, &n);
    assert_true(n == N + 2 && p[0] == 5 && p[1] == 0 && p[N] == N - 1 && p[N + 1] == 5);
    struct ts_run run;
    assert_true(ts_space_single_run(copy, &run) && run.length == N);
    assert_sound(s);
    ts_space_unref(s);
    ts_space_unref(copy);
}

static void without_end(void **state)
{
    (void)state;
    hsize_t dims[2] = {10, 10};
    struct ts_slab u[2] = {{1, 5, H5S_UNLIMITED, 2}, {0, 1, 1, 3}};
    struct ts_space *s, *t;
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, u), 0);
    assert_int_equal(ts_space_unlim_dim(s), 0);
    assert_true(ts_space_selected(s) == H5S_UNLIMITED);
    assert_int_equal(ts_space_unlim_slice_elements(s), 3);
    /* rows 1 2 6 7 11 12 ... */
    static const hsize_t slices[] = {0, 0, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6};
    for (hsize_t size = 0; size < 14; size++) {
        assert_int_equal(ts_space_unlim_slices(s, size), slices[size]);
        assert_int_equal(ts_space_copy(s, &t), 0);
        assert_int_equal(ts_space_clip_unlimited(t, size), 0);
        assert_sound(t);
        assert_int_equal(ts_space_selected(t), slices[size] * 3);
        ts_space_unref(t);
    }
    assert_int_equal(ts_space_unlim_size(s, 0, false), 0);
    assert_int_equal(ts_space_unlim_size(s, 0, true), 1);
    assert_int_equal(ts_space_unlim_size(s, 1, true), 2);
    assert_int_equal(ts_space_unlim_size(s, 2, false), 3);
    assert_int_equal(ts_space_unlim_size(s, 2, true), 6);
    assert_int_equal(ts_space_unlim_size(s, 3, true), 7);
    assert_int_equal(ts_space_unlim_block(s, 2, &t), 0);
    hsize_t low[2], high[2];
    assert_int_equal(ts_space_bounds(t, low, high), 0);
    assert_true(low[0] == 11 && high[0] == 12 && low[1] == 0 && high[1] == 2);
    ts_space_unref(t);
    struct ts_runs it;
    assert_true(ts_runs_init(&it, s) < 0);
    ts_err_clear();
    ts_space_unref(s);
}

static int busy_work(void)
{
    hsize_t dims[2] = {9, 9}, start[2] = {2, 2}, box[2] = {5, 6}, points[4] = {1, 1, 2, 2};
    hssize_t back[2] = {1, 0};
    struct ts_slab a[2] = {{1, 4, 2, 2}, {0, 3, 3, 1}}, b[2] = {{2, 1, 1, 4}, {1, 1, 1, 5}}, c[2] = {{8, 1, 1, 1}, {0, 1, 1, 2}};
    struct ts_space *s = NULL, *t = NULL, *cut = NULL, *p = NULL;
    struct ts_wr w = {0};
    int ret = ts_space_new_simple(2, dims, NULL, &s);
    if (ret == 0)
        ret = select_slabs(s, H5S_SELECT_SET, a);
    if (ret == 0)
        ret = select_slabs(s, H5S_SELECT_OR, b);
    if (ret == 0)
        ret = select_slabs(s, H5S_SELECT_OR, c);
    if (ret == 0)
        ret = ts_space_merge(s);
    if (ret == 0)
        ret = select_slabs(s, H5S_SELECT_XOR, c);
    if (ret == 0)
        ret = ts_space_copy(s, &t);
    if (ret == 0)
        ret = ts_space_adjust(t, back);
    if (ret == 0)
        ret = ts_space_combine(t, H5S_SELECT_XOR, s);
    if (ret == 0)
        ret = ts_space_clip(s, start, box, &cut);
    if (ret == 0)
        ret = ts_space_project(s, t, s, &p);
    if (ret == 0)
        ret = ts_space_encode_selection(t, 3, &w);
    if (ret == 0)
        ret = ts_space_decode_selection(s, w.data, w.size, NULL);
    if (ret == 0)
        ret = ts_space_select_elements(s, H5S_SELECT_SET, 2, points);
    if (ret == 0)
        ret = ts_space_select_elements(s, H5S_SELECT_APPEND, 2, points);
    if (ret == 0)
        ret = ts_space_adjust(s, back);
    if (s)
        assert_sound(s);
    ts_space_unref(s);
    ts_space_unref(t);
    ts_space_unref(cut);
    ts_space_unref(p);
    ts_wr_free(&w);
    return ret;
}

/* Each allocation fails once: an error, nothing lost (the leak checker sees to that), nothing broken. */
static void memory_runs_out(void **state)
{
    (void)state;
    ts_alloc_fail_at(ULONG_MAX, TS_FAULT_ONCE);
    assert_int_equal(busy_work(), 0);
    unsigned long n = ts_alloc_fail_at(0, TS_FAULT_ONCE);
    assert_true(n > 50);
    for (unsigned long i = 1; i <= n; i++) {
        ts_alloc_fail_at(i, TS_FAULT_ONCE);
        assert_true(busy_work() < 0);
        ts_err_clear();
    }
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_and_regular), cmocka_unit_test(many_blocks),     cmocka_unit_test(appended_points),
        cmocka_unit_test(without_end),      cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
