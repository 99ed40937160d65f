#include <string.h>

#include "unit/id/things.h"

static void counts(void **state)
{
    (void)state;
    hid_t id = ts_id_register(H5I_DATASET, thing_new(7));
    assert_true(id > 0);
    assert_int_equal(ts_id_type(id), H5I_DATASET);
    assert_int_equal(ts_id_count(id), 1);
    assert_int_equal(ts_id_inc(id), 2);
    struct thing *t = ts_id_pin(id, H5I_DATASET);
    assert_non_null(t);
    assert_int_equal(t->value, 7);
    assert_int_equal(ts_id_dec(id), 1);
    assert_int_equal(ts_id_dec(id), 0);
    /* The pin outlives the id. */
    assert_int_equal(ts_id_type(id), H5I_BADID);
    assert_int_equal(atomic_load(&alive), 1);
    assert_int_equal(t->value, 7);
    ts_id_unpin(H5I_DATASET, t);
    assert_int_equal(atomic_load(&alive), 0);
    assert_true(ts_id_dec(id) < 0);
    assert_true(ts_id_inc(id) < 0);
    assert_true(ts_id_count(id) < 0);
}

static void closing_wants_the_right_type(void **state)
{
    (void)state;
    hid_t id = ts_id_register(H5I_GROUP, thing_new(1)), hidden = ts_id_register_hidden(H5I_GROUP, thing_new(2));
    assert_int_equal(ts_id_inc(id), 2);
    ts_err_clear();
    assert_true(ts_id_close(id, H5I_DATASET) < 0);
    assert_non_null(strstr(ts_err_current()->rec[0].text, "is a group"));
    assert_int_equal(ts_id_count(id), 2);
    assert_true(ts_id_close(hidden, H5I_GROUP) < 0);
    assert_int_equal(ts_id_type(hidden), H5I_GROUP);
    assert_int_equal(ts_id_close(id, H5I_GROUP), 1);
    assert_int_equal(ts_id_close(id, H5I_GROUP), 0);
    assert_int_equal(atomic_load(&alive), 1);
    assert_true(ts_id_close(id, H5I_GROUP) < 0);
    assert_true(ts_id_close(-1, H5I_GROUP) < 0);
    ts_id_close_all();
    assert_int_equal(atomic_load(&alive), 0);
}

static void wrong_type_says_what_it_is(void **state)
{
    (void)state;
    hid_t id = ts_id_register(H5I_GROUP, thing_new(1));
    ts_err_clear();
    assert_null(ts_id_pin(id, H5I_DATASET));
    assert_int_equal(ts_err_current()->depth, 1);
    assert_non_null(strstr(ts_err_current()->rec[0].text, "not a dataset"));
    assert_non_null(strstr(ts_err_current()->rec[0].text, "is a group"));
    ts_err_clear();
    assert_null(ts_id_pin(-1, H5I_DATASET));
    assert_null(ts_id_pin(0, H5I_DATASET));
    assert_null(ts_id_pin(INT64_MAX, H5I_DATASET));
    H5I_type_t type;
    struct thing *t = ts_id_pin_any(id, &type);
    assert_int_equal(type, H5I_GROUP);
    ts_id_unpin(type, t);
    assert_int_equal(ts_id_dec(id), 0);
}

static void hidden_ids_stay(void **state)
{
    (void)state;
    hid_t id = ts_id_register_hidden(H5I_GROUP, thing_new(1)), *ids;
    size_t n;
    assert_int_equal(ts_id_count(id), 0);
    assert_true(ts_id_dec(id) < 0);
    assert_int_equal(ts_id_clear(H5I_GROUP, true), 0);
    assert_int_equal(ts_id_type(id), H5I_GROUP);
    assert_int_equal(ts_id_list(H5I_GROUP, false, &ids, &n), 0);
    assert_int_equal(n, 0);
    ts_free(ids);
    assert_int_equal(ts_id_inc(id), 1);
    assert_int_equal(ts_id_dec(id), 0);
    assert_int_equal(ts_id_type(id), H5I_GROUP);
}

static void lists_are_in_order(void **state)
{
    (void)state;
    hid_t made[100], *ids;
    size_t n;
    for (int i = 0; i < 100; i++)
        made[i] = ts_id_register(H5I_GROUP, thing_new(i));
    assert_int_equal(ts_id_list(H5I_GROUP, false, &ids, &n), 0);
    assert_int_equal(n, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(ids[i], made[i]);
    ts_free(ids);
    assert_int_equal(ts_id_inc(made[5]), 2);
    assert_int_equal(ts_id_clear(H5I_GROUP, false), 0);
    assert_int_equal(ts_id_members(H5I_GROUP), 1);
    assert_int_equal(ts_id_type(made[5]), H5I_GROUP);
    assert_int_equal(ts_id_clear(H5I_GROUP, true), 0);
    assert_int_equal(ts_id_members(H5I_GROUP), 0);
}

static void replacing(void **state)
{
    (void)state;
    hid_t id = ts_id_register(H5I_GROUP, thing_new(1));
    void *old;
    assert_int_equal(ts_id_replace(id, H5I_GROUP, thing_new(2), &old), 0);
    assert_int_equal(((struct thing *)old)->value, 1);
    thing_unref(old);
    struct thing *t = ts_id_pin(id, H5I_GROUP);
    assert_int_equal(t->value, 2);
    thing_unref(t);
    assert_true(ts_id_replace(id, H5I_DATASET, NULL, &old) < 0);
    assert_int_equal(ts_id_dec(id), 0);
}

static int raise_when_alone(void *obj, void *ctx)
{
    struct thing *t = obj;
    if (!ts_count_is_one(&t->refs))
        return 1;
    t->value += *(int *)ctx;
    return 0;
}

static void updating(void **state)
{
    (void)state;
    int by = 5;
    hid_t id = ts_id_register(H5I_GROUP, thing_new(1));
    assert_int_equal(ts_id_update(id, H5I_GROUP, raise_when_alone, &by), 0);
    struct thing *t = ts_id_pin(id, H5I_GROUP);
    assert_int_equal(ts_id_update(id, H5I_GROUP, raise_when_alone, &by), 1);
    assert_int_equal(t->value, 6);
    ts_id_unpin(H5I_GROUP, t);
    assert_int_equal(ts_id_update(id, H5I_DATASET, raise_when_alone, &by), -1);
    assert_int_equal(ts_id_dec(id), 0);
    assert_int_equal(ts_id_update(id, H5I_GROUP, raise_when_alone, &by), -1);
}

static void out_of_memory(void **state)
{
    (void)state;
    struct thing *t = thing_new(1);
    for (unsigned long n = 1;; n++) {
        ts_alloc_fail_at(n, TS_FAULT_FROM);
        hid_t id = ts_id_register(H5I_DATASET, t);
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        if (id >= 0) {
            assert_int_equal(ts_id_dec(id), 0);
            break;
        }
        /* The reference stayed with the caller. */
        assert_true(ts_count_is_one(&t->refs));
        assert_true(n < 10);
    }
    ts_err_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(closing_wants_the_right_type), cmocka_unit_test(wrong_type_says_what_it_is),
        cmocka_unit_test(lists_are_in_order),
        cmocka_unit_test(replacing),
        cmocka_unit_test(updating),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(hidden_ids_stay),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
