/* The one storage connector. Stock 1.10 has none, so that no twin can tell; ids, their counts and names are as in 1.14.5. */
#include "unit/cmocka_all.h"

#include "hdf5.h"

#define FILE_NAME "connector.h5"

static void native_is_the_only_one(void **state)
{
    (void)state;
    assert_int_equal(H5VLis_connector_registered_by_name("native"), 1);
    assert_int_equal(H5VLis_connector_registered_by_value(H5_VOL_NATIVE), 1);
    assert_int_equal(H5VLis_connector_registered_by_name("none"), 0);
    assert_int_equal(H5VLis_connector_registered_by_value(77), 0);
    H5E_BEGIN_TRY
    {
        assert_true(H5VLget_connector_id_by_name("none") < 0);
        assert_true(H5VLget_connector_id_by_value(77) < 0);
        assert_true(H5VLregister_connector_by_name("none", H5P_DEFAULT) < 0);
    }
    H5E_END_TRY
}

static void each_id_given_is_one_to_close(void **state)
{
    (void)state;
    hid_t f = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t id = H5VLget_connector_id_by_name("native");
    assert_int_equal(H5Iget_type(id), H5I_VOL);
    assert_true(H5VLget_connector_id_by_value(H5_VOL_NATIVE) == id && H5VLget_connector_id(f) == id);
    assert_int_equal(H5Iget_ref(id), 4);
    for (int i = 0; i < 3; i++)
        assert_true(H5VLclose(id) >= 0);
    assert_int_equal(H5Iget_ref(id), 1);
    assert_true(H5VL_NATIVE == id);
    H5Fclose(f);
    H5close();
    assert_int_equal(H5Iget_type(H5VL_NATIVE), H5I_VOL);
}

static void what_is_in_no_file_has_none(void **state)
{
    (void)state;
    char name[4] = "";
    hbool_t is_native = 0;
    hid_t f = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    assert_int_equal(H5VLget_connector_name(f, name, sizeof name), 6);
    assert_string_equal(name, "nat");
    assert_true(H5VLobject_is_native(f, &is_native) >= 0 && is_native);
    H5E_BEGIN_TRY
    {
        assert_true(H5VLget_connector_name(space, name, sizeof name) < 0);
        assert_true(H5VLget_connector_name(H5T_NATIVE_INT, name, sizeof name) < 0);
        assert_true(H5VLclose(space) < 0);
    }
    H5E_END_TRY
    H5Sclose(space);
    H5Fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_is_the_only_one),
        cmocka_unit_test(each_id_given_is_one_to_close),
        cmocka_unit_test(what_is_in_no_file_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
