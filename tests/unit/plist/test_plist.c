#include <string.h>

#include "unit/plist/start_stop.h"

#include "base/alloc.h"
#include "plist/dapl.h"
#include "plist/dcpl.h"
#include "plist/dxpl.h"
#include "plist/fapl.h"

static void every_class_makes_lists(void **state)
{
    (void)state;
    for (int kind = 0; kind < TS_PLIST_KINDS; kind++) {
        struct ts_plist *a, *b;
        assert_int_equal(ts_plist_new((enum ts_plist_kind)kind, &a), 0);
        assert_true(ts_plist_is(a, (enum ts_plist_kind)kind));
        assert_true(ts_plist_is(a, TS_PLIST_ROOT));
        assert_int_equal(ts_plist_copy(a, &b), 0);
        assert_true(ts_plist_equal(a, b));
        assert_int_equal(ts_plist_nprops(a), ts_plist_nprops(b));
        ts_plist_unref(a);
        ts_plist_unref(b);
    }
}

static void values_are_the_lists_own(void **state)
{
    (void)state;
    struct ts_plist *a, *b;
    struct ts_pipeline p = {0}, got;
    unsigned level = 6;
    struct ts_filter f = {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = &level, .name = (char *)"deflate"};
    assert_int_equal(ts_pipeline_add(&p, &f), 0);
    assert_int_equal(ts_plist_new(TS_PLIST_DATASET_CREATE, &a), 0);
    assert_int_equal(ts_ocpl_set_pipeline(a, &p), 0);
    ts_pipeline_deinit(&p);
    assert_int_equal(ts_plist_copy(a, &b), 0);
    assert_int_equal(ts_ocpl_pipeline(ts_plist_default(TS_PLIST_DATASET_CREATE), &got), 0);
    assert_int_equal(got.n, 0);
    ts_plist_unref(a);
    assert_int_equal(ts_ocpl_pipeline(b, &got), 0);
    assert_int_equal(got.n, 1);
    assert_int_equal(got.filters[0].values[0], 6);
    assert_string_equal(got.filters[0].name, "deflate");
    ts_pipeline_deinit(&got);
    ts_plist_unref(b);
}

static void typed_properties(void **state)
{
    (void)state;
    struct ts_plist *pl;
    hsize_t got = 7;
    assert_int_equal(ts_plist_new(TS_PLIST_FILE_ACCESS, &pl), 0);
    assert_int_equal(ts_fapl_set_alignment(pl, 64), 0);
    assert_int_equal(ts_fapl_alignment(pl, &got), 0);
    assert_int_equal(got, 64);
    assert_int_equal(ts_plist_remove(pl, TS_PROPERTY_NAME(fapl, alignment)), 0);
    assert_true(ts_fapl_alignment(pl, &got) < 0);
    assert_true(ts_fapl_set_alignment(pl, 8) < 0);
    ts_plist_unref(pl);
    assert_true(ts_fapl_alignment(NULL, &got) < 0);
    assert_true(ts_fapl_set_alignment(NULL, got) < 0);
    assert_null(ts_fapl_hold_alignment(NULL));
    assert_null(ts_fapl_edit_alignment(NULL));
    assert_int_equal(got, 64);
}

/* One that the application puts into the list is as long as it likes. */
static void a_property_of_another_size_is_refused(void **state)
{
    (void)state;
    static const uint64_t wide[2] = {1, 1};
    const struct ts_prop_spec spec = {TS_PROPERTY_NAME(fapl, sworn_alone), sizeof wide, wide, &ts_prop_plain, 0};
    static const struct ts_prop_calls calls;
    struct ts_plist *pl;
    unsigned got[4] = {5, 5, 5, 5};
    assert_int_equal(ts_plist_new(TS_PLIST_FILE_ACCESS, &pl), 0);
    assert_int_equal(ts_plist_insert(pl, &spec, &calls), 0);
    assert_true(ts_fapl_sworn_alone(pl, got) < 0);
    assert_true(ts_fapl_set_sworn_alone(pl, 1) < 0);
    assert_null(ts_fapl_hold_sworn_alone(pl));
    assert_null(ts_fapl_edit_sworn_alone(pl));
    assert_true(ts_fapl_touch_sworn_alone(pl) < 0);
    assert_int_equal(got[0] + got[1], 10);
    ts_plist_unref(pl);
}

static void encoded_lists_come_back(void **state)
{
    (void)state;
    for (int kind = TS_PLIST_ROOT + 1; kind < TS_PLIST_KINDS; kind++) {
        struct ts_plist *back;
        struct ts_wr w = {0};
        struct ts_plist *pl;
        assert_int_equal(ts_plist_new((enum ts_plist_kind)kind, &pl), 0);
        assert_int_equal(ts_plist_encode(pl, &w), 0);
        struct ts_rd r = ts_rd_init(w.data, w.size);
        assert_int_equal(ts_plist_decode(&r, &back), 0);
        assert_int_equal(ts_rd_left(&r), 0);
        assert_true(ts_plist_equal(pl, back));
        ts_plist_unref(back);
        /* Every shorter piece is refused, without a leak or a step beyond its end. */
        for (size_t n = 0; n < w.size; n++) {
            uint8_t *piece = ts_memdup(w.data, n);
            r = ts_rd_init(piece, n);
            assert_true(ts_plist_decode(&r, &back) < 0);
            ts_free(piece);
            ts_err_clear();
        }
        ts_wr_free(&w);
        ts_plist_unref(pl);
    }
}

static void damaged_bytes_are_refused_or_decoded(void **state)
{
    (void)state;
    struct ts_plist *pl, *back;
    struct ts_wr w = {0};
    struct ts_layout_prop chunked = {.cls = H5D_CHUNKED, .chunk_rank = 2, .chunk_dims = {3, 4}};
    assert_int_equal(ts_plist_new(TS_PLIST_DATASET_CREATE, &pl), 0);
    assert_int_equal(ts_dcpl_set_layout(pl, &chunked), 0);
    assert_int_equal(ts_plist_encode(pl, &w), 0);
    for (size_t i = 0; i < w.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            w.data[i] ^= (uint8_t)(1u << bit);
            struct ts_rd r = ts_rd_init(w.data, w.size);
            if (ts_plist_decode(&r, &back) == 0)
                ts_plist_unref(back);
            ts_err_clear();
            w.data[i] ^= (uint8_t)(1u << bit);
        }
    ts_wr_free(&w);
    ts_plist_unref(pl);
}

static void out_of_memory(void **state)
{
    (void)state;
    struct ts_plist *pl, *copy;
    assert_int_equal(ts_plist_new(TS_PLIST_FILE_ACCESS, &pl), 0);
    assert_int_equal(ts_fapl_set_image(pl, "abc", 3), 0);
    for (unsigned long n = 1;; n++) {
        ts_alloc_fail_at(n, TS_FAULT_FROM);
        int ret = ts_plist_copy(pl, &copy);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        ts_err_clear();
        if (ret == 0) {
            assert_true(ts_plist_equal(pl, copy));
            ts_plist_unref(copy);
            break;
        }
        assert_true(n < 1000);
    }
    ts_plist_unref(pl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_makes_lists),
        cmocka_unit_test(values_are_the_lists_own),
        cmocka_unit_test(typed_properties),
        cmocka_unit_test(a_property_of_another_size_is_refused),
        cmocka_unit_test(encoded_lists_come_back),
        cmocka_unit_test(damaged_bytes_are_refused_or_decoded),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
