/* What every public function does on the way in and out; ids; closing. */
#include <string.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"

#include "api/api.h"
#include "api/outer_records.h"

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

/* Both tables are searched by halves. */
static void records_are_found_for_every_function(void **state)
{
    (void)state;
    static const char *const known[] = {"H5Aclose", "H5Dopen1", "H5Dopen2", "H5Lget_info2", "H5Ovisit2",
                                        "H5Zunregister"};
    static const char *const said[] = {"can't close attribute", "unable to open dataset", "unable to open dataset",
                                       "unable to get link info", "object iteration failed",
                                       "unable to unregister filter"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(ts_outer_deep(known[i]).text, said[i]);
    assert_string_equal(ts_outer_bad_id("H5Aclose").text, "not an attribute");
    assert_string_equal(ts_outer_bad_id("H5Tvlen_create").text, "not an valid base datatype");
    assert_string_equal(ts_outer_bad_id("H5Pset_deflate").text, "can't find object for ID");
    assert_int_equal(ts_outer_deep("H5Pset_new_thing").min, TS_MIN_CANTSET);
    assert_int_equal(ts_outer_deep("H5new_thing").maj, TS_MAJ_FUNC);
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
        cmocka_unit_test(records_are_found_for_every_function),
        cmocka_unit_test(iterating_over_ids),
        cmocka_unit_test(searching_user_ids),
        cmocka_unit_test(versions),
        cmocka_unit_test(closing_and_starting_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
