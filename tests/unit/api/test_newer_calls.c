/* What libhdf5 1.10 lacks, so that no twin can tell. */
#include "unit/cmocka_all.h"

#include <stdio.h>

#include "hdf5.h"

#define FILE_NAME "newer_calls.h5"

/* Where each header has its own idea of "all". */
static const unsigned all_fields[] = {0x7, 0x1f, H5O_INFO_ALL};

static herr_t count(hid_t obj, const char *name, const H5O_info2_t *info, void *data)
{
    (void)obj, (void)name;
    *(unsigned *)data += info->type == H5O_TYPE_GROUP;
    return 0;
}

static void all_of_every_header_is_accepted(void **state)
{
    (void)state;
    hid_t f = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (size_t i = 0; i < sizeof all_fields / sizeof *all_fields; i++) {
        H5O_info2_t here, named, nth;
        unsigned n = 0;
        assert_true(H5Oget_info3(f, &here, all_fields[i]) >= 0);
        assert_true(H5Oget_info_by_name3(f, "group", &named, all_fields[i], H5P_DEFAULT) >= 0);
        assert_true(H5Oget_info_by_idx3(f, "/", H5_INDEX_NAME, H5_ITER_INC, 0, &nth, all_fields[i], H5P_DEFAULT) >= 0);
        assert_memory_equal(&named.token, &nth.token, sizeof named.token);
        assert_int_equal(named.type, H5O_TYPE_GROUP);
        assert_true(H5Ovisit3(f, H5_INDEX_NAME, H5_ITER_INC, count, &n, all_fields[i]) >= 0);
        assert_true(H5Ovisit_by_name3(f, ".", H5_INDEX_NAME, H5_ITER_INC, count, &n, all_fields[i], H5P_DEFAULT) >= 0);
        assert_int_equal(n, 4);
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5O_info2_t info;
    assert_true(H5Oget_info3(f, &info, 0x20) < 0);
    H5Fclose(f);
    remove(FILE_NAME);
}

/* As 1.14 has it; 1.10 tells the length. */
static void room_for_a_name_must_be_somewhere(void **state)
{
    (void)state;
    char name[8] = "";
    hid_t f = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(f, "attr", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_int_equal(H5Aget_name_by_idx(f, ".", H5_INDEX_NAME, H5_ITER_INC, 0, NULL, 5, H5P_DEFAULT), -1);
    assert_int_equal(H5Aget_name_by_idx(f, ".", H5_INDEX_NAME, H5_ITER_INC, 0, NULL, 0, H5P_DEFAULT), 4);
    assert_int_equal(H5Aget_name_by_idx(f, ".", H5_INDEX_NAME, H5_ITER_INC, 0, name, sizeof name, H5P_DEFAULT), 4);
    assert_string_equal(name, "attr");
    H5Sclose(space);
    H5Fclose(f);
    remove(FILE_NAME);
}

static void remember(void *ctx)
{
    hbool_t *is = ctx;
    H5is_library_terminating(is);
}

static void terminating_is_told_at_close(void **state)
{
    (void)state;
    hbool_t before = true, meanwhile = false, after = true;
    H5open();
    H5is_library_terminating(&before);
    assert_true(H5atclose(remember, &meanwhile) >= 0);
    H5close();
    H5is_library_terminating(&after);
    assert_false(before);
    assert_true(meanwhile);
    assert_false(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_every_header_is_accepted),
        cmocka_unit_test(room_for_a_name_must_be_somewhere),
        cmocka_unit_test(terminating_is_told_at_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
