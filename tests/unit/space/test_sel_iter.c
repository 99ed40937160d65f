/* Selection iterators: elements in sequences of bytes, in the order of the selection. */
#include "oracle.h"
#include "space/sel_iter.h"

static void hyperslab_bytes(void **state)
{
    (void)state;
    hsize_t dims[2] = {6, 5}, off[8];
    size_t len[8];
    struct ts_slab slabs[2] = {{1, 3, 2, 1}, {1, 2, 2, 1}};
    struct ts_space *s;
    struct ts_sel_iter *it;
    struct ts_sequences q = {.off = off, .len = len};
    assert_int_equal(ts_space_new_simple(2, dims, NULL, &s), 0);
    assert_int_equal(select_slabs(s, H5S_SELECT_SET, slabs), 0);
    assert_int_equal(ts_sel_iter_new(s, 4, 0, &it), 0);
    ts_space_select_all(s); /* the iterator keeps what it was made from */
    ts_sel_iter_next(it, 3, 1000, &q);
    assert_true(q.n == 3 && q.elements == 3 && off[0] == 24 && off[1] == 32 && off[2] == 84 && len[2] == 4);
    ts_sel_iter_next(it, 3, 0, &q);
    assert_true(q.n == 0 && q.elements == 0);
    ts_sel_iter_next(it, 3, 1000, &q);
    assert_true(q.n == 1 && off[0] == 92);
    ts_sel_iter_next(it, 3, 1000, &q);
    assert_true(q.n == 0);
    assert_int_equal(ts_sel_iter_reset(it, s), 0);
    ts_sel_iter_next(it, 3, 12, &q);
    assert_true(q.n == 1 && q.elements == 12 && off[0] == 0 && len[0] == 48);
    ts_sel_iter_next(it, 3, 1000, &q);
    assert_true(q.n == 1 && off[0] == 48 && len[0] == 72);
    ts_sel_iter_unref(it);
    ts_space_unref(s);
}

static void sorted_points(void **state)
{
    (void)state;
    hsize_t dims[1] = {20}, points[] = {7, 8, 12, 3, 4, 5, 1, 9}, off[8];
    size_t len[8];
    struct ts_space *s;
    struct ts_sel_iter *it;
    struct ts_sequences q = {.off = off, .len = len};
    assert_int_equal(ts_space_new_simple(1, dims, NULL, &s), 0);
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, 8, points), 0);
    assert_int_equal(ts_sel_iter_new(s, 1, H5S_SEL_ITER_GET_SEQ_LIST_SORTED, &it), 0);
    ts_sel_iter_next(it, 8, 100, &q);
    assert_true(q.n == 2 && off[0] == 7 && len[0] == 2 && off[1] == 12 && q.elements == 3);
    ts_sel_iter_next(it, 8, 2, &q);
    assert_true(q.n == 1 && off[0] == 3 && len[0] == 2);
    ts_sel_iter_next(it, 8, 100, &q);
    assert_true(q.n == 1 && off[0] == 5 && len[0] == 1);
    ts_sel_iter_next(it, 8, 100, &q);
    assert_true(q.n == 2 && off[0] == 1 && off[1] == 9);
    ts_sel_iter_next(it, 8, 100, &q);
    assert_true(q.n == 0);
    ts_sel_iter_unref(it);
    assert_int_equal(ts_sel_iter_new(s, 1, 0, &it), 0);
    ts_sel_iter_next(it, 8, 100, &q);
    assert_true(q.n == 5 && q.elements == 8 && off[2] == 3 && len[2] == 3 && off[4] == 9);
    ts_sel_iter_unref(it);
    ts_space_unref(s);
}

static void outside(void **state)
{
    (void)state;
    hsize_t dims[1] = {20}, point = 20;
    struct ts_space *s;
    struct ts_sel_iter *it;
    assert_int_equal(ts_space_new_simple(1, dims, NULL, &s), 0);
    assert_int_equal(ts_space_select_elements(s, H5S_SELECT_SET, 1, &point), 0);
    assert_true(ts_sel_iter_new(s, 1, 0, &it) < 0);
    ts_err_clear();
    ts_space_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hyperslab_bytes), cmocka_unit_test(sorted_points),
                                       cmocka_unit_test(outside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
