/* What every public function does on the way in and out; ids; closing. */
#include <string.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"

#include "api/api.h"

static void failures_have_the_functions_own_record(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_true(H5Pget_nfilters(12345) < 0);
    const struct ts_err_stack *stack = ts_err_current();
    assert_true(stack->depth >= 2);
    assert_string_equal(stack->rec[stack->depth - 1].func, "H5Pget_nfilters");
    assert_int_equal(stack->rec[stack->depth - 1].maj, TS_MAJ_ATOM);
    assert_string_equal(stack->rec[stack->depth - 1].text, "can't find object for ID");
    assert_int_equal(H5open(), 0);
    assert_true(stack->depth >= 2);
    assert_true(H5Iis_valid(12345) == 0);
    assert_int_equal(stack->depth, 0);
}

static void functions_choose_among_their_records(void **state)
{
    (void)state;
    static const struct ts_outer_record records[] = {TS_OUTER_ROW(TS_OUTER_DEEP, 0, 0, 0, ATTR, CANTGET, "deep"),
                                                     TS_WRONG(TYPE, ARGS, BADTYPE, "type"),
                                                     TS_WRONG(NAME, ARGS, BADVALUE, "name"),
                                                     TS_CAUSE(SYM, NOTFOUND, LINK, NOTFOUND, "cause"),
                                                     TS_SYNCHRONOUS(ATTR, CANTGET, "of 1.14"),
                                                     {.when = TS_OUTER_END}};
    static const struct ts_outer_record bad_id[] = {TS_BAD_ID(ARGS, BADTYPE, "bad id"), {.when = TS_OUTER_END}};
    const struct ts_api_function f = {"file", "H5Aget_name", records}, g = {"file", "H5Aget_name", bad_id};
    const struct ts_api_function d = {"file", "H5Dread", records}, fapl = {"file", "H5Pset_fapl_core", records};
    struct ts_err_record missing = {.maj = TS_MAJ_SYM, .min = TS_MIN_NOTFOUND, .why = TS_WHY_ABSENT};
    assert_string_equal(ts_outer_deep(&f)->text, "deep");
    assert_string_equal(ts_outer_bad_id(&g)->text, "bad id");
    assert_string_equal(ts_outer_bad_id(&f)->text, "not a location");
    assert_string_equal(ts_outer_bad_id(&d)->text, "not a dataset");
    assert_string_equal(ts_outer_bad_id(&fapl)->text, "not a file access property list");
    assert_string_equal(ts_outer_wrong(&f, TS_WHY_TYPE)->text, "type");
    assert_string_equal(ts_outer_wrong(&f, TS_WHY_NAME)->text, "name");
    assert_string_equal(ts_outer_wrong(&f, TS_WHY_NEW_NAME)->text, "name");
    assert_null(ts_outer_wrong(&f, TS_WHY_ATTR_NAME));
    assert_null(ts_outer_wrong(&f, TS_WHY_ANY));
    assert_string_equal(ts_outer_cause(&f, &missing)->text, "cause");
    missing.why = TS_WHY_ANY;
    assert_null(ts_outer_cause(&f, &missing));
}

static herr_t count_ids(hid_t id, void *data)
{
    int *n = data;
    assert_int_equal(H5Iget_type(id), H5I_GENPROP_LST);
    return ++*n == 3 ? 9 : 0;
}

static void iterating_over_ids(void **state)
{
    (void)state;
    hid_t lists[4];
    int n = 0;
    for (int i = 0; i < 4; i++)
        lists[i] = H5Pcreate(H5P_LINK_ACCESS);
    assert_int_equal(H5Iiterate(H5I_GENPROP_LST, count_ids, &n), 9);
    assert_int_equal(n, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(H5Pclose(lists[i]), 0);
    assert_true(H5Iiterate(H5I_BADID, count_ids, &n) < 0);
}

static int is_key(void *obj, hid_t id, void *key)
{
    (void)id;
    return *(int *)obj == *(int *)key;
}

static void searching_user_ids(void **state)
{
    (void)state;
    static int values[5] = {10, 11, 12, 13, 14};
    int key = 13, none = 99;
    H5I_type_t type = H5Iregister_type(0, 0, NULL);
    for (int i = 0; i < 5; i++)
        assert_true(H5Iregister(type, &values[i]) > 0);
    assert_ptr_equal(H5Isearch(type, is_key, &key), &values[3]);
    assert_null(H5Isearch(type, is_key, &none));
    assert_int_equal(H5Idestroy_type(type), 0);
}

static int closings;

static void on_close(void *ctx)
{
    closings += *(int *)ctx;
}

static void closing_and_starting_again(void **state)
{
    (void)state;
    int one = 1, ten = 10;
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5atclose(on_close, &one), 0);
    assert_int_equal(H5atclose(on_close, &ten), 0);
    assert_int_equal(H5close(), 0);
    assert_int_equal(closings, 11);
    assert_int_equal(H5Iis_valid(list), 0);
    /* Predefined ids are made anew. */
    hid_t again = H5Pcreate((H5open(), H5P_CLS_FILE_ACCESS_ID_g));
    assert_true(again > 0);
    H5E_type_t type;
    char text[40];
    assert_true(H5Eget_msg((H5open(), H5E_ARGS_g), &type, text, sizeof text) > 0);
    assert_string_equal(text, "Invalid arguments to routine");
    assert_int_equal(H5Pclose(again), 0);
    assert_int_equal(H5close(), 0);
    assert_int_equal(closings, 11);
    assert_int_equal(H5close(), 0);
}

static void versions(void **state)
{
    (void)state;
    unsigned a, b, c;
    assert_int_equal(H5get_libversion(&a, &b, &c), 0);
    assert_int_equal(a, H5_VERS_MAJOR);
    assert_int_equal(b, H5_VERS_MINOR);
    assert_int_equal(c, H5_VERS_RELEASE);
    assert_int_equal(H5check_version(a, b, c), 0);
    hbool_t safe = 0;
    assert_int_equal(H5is_library_threadsafe(&safe), 0);
    assert_true(safe);
    char *mem = H5allocate_memory(10, true);
    assert_int_equal(mem[9], 0);
    mem = H5resize_memory(mem, 20);
    assert_non_null(mem);
    assert_int_equal(H5free_memory(mem), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_have_the_functions_own_record),
        cmocka_unit_test(functions_choose_among_their_records),
        cmocka_unit_test(iterating_over_ids),
        cmocka_unit_test(searching_user_ids),
        cmocka_unit_test(versions),
        cmocka_unit_test(closing_and_starting_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
