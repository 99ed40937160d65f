/* Callbacks of property lists that refuse: the list is not made, and nothing is left behind. */
#include "unit/cmocka_all.h"

#include "hdf5.h"

static int refuse_create, refuse_copy, closed;

static herr_t on_create(const char *name, size_t size, void *value)
{
    (void)name, (void)size;
    ++*(int *)value;
    return refuse_create == 1 ? -1 : 0;
}

static herr_t on_copy(const char *name, size_t size, void *value)
{
    (void)name, (void)size, (void)value;
    return refuse_copy == 1 ? -1 : 0;
}

static herr_t on_close(const char *name, size_t size, void *value)
{
    (void)name, (void)size, (void)value;
    closed++;
    return 0;
}

static herr_t class_create(hid_t id, void *data)
{
    (void)id, (void)data;
    return refuse_create == 2 ? -1 : 0;
}

static herr_t class_copy(hid_t copy, hid_t id, void *data)
{
    assert_true(H5Iis_valid(copy) > 0 && H5Iis_valid(id) > 0);
    ++*(int *)data;
    return refuse_copy == 2 ? -1 : 0;
}

static void refusing(void **state)
{
    (void)state;
    int one = 1, value = 0, base_copies = 0, copies = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t base = H5Pcreate_class(H5P_ROOT, "base", NULL, NULL, class_copy, &base_copies, NULL, NULL);
    assert_int_equal(H5Pregister2(base, "one", sizeof one, &one, on_create, NULL, NULL, NULL, on_copy, NULL, on_close), 0);
    hid_t cls = H5Pcreate_class(base, "derived", class_create, NULL, class_copy, &copies, NULL, NULL);
    for (refuse_create = 1; refuse_create <= 2; refuse_create++)
        assert_true(H5Pcreate(cls) < 0);
    refuse_create = 0;
    hid_t list = H5Pcreate(cls);
    assert_int_equal(H5Pget(list, "one", &value), 0);
    assert_int_equal(value, 2);
    refuse_copy = 1;
    assert_true(H5Pcopy(list) < 0);
    assert_int_equal(copies, 0);
    refuse_copy = 2;
    assert_true(H5Pcopy(list) < 0);
    assert_int_equal(copies, 1);
    assert_int_equal(base_copies, 0);
    refuse_copy = 0;
    hid_t copy = H5Pcopy(list);
    assert_true(copy > 0);
    assert_int_equal(copies, 2);
    assert_int_equal(base_copies, 1);
    closed = 0;
    assert_int_equal(H5Pclose(copy), 0);
    assert_int_equal(H5Pclose(list), 0);
    assert_int_equal(closed, 2);
    assert_int_equal(H5Pclose_class(cls), 0);
    assert_int_equal(H5Pclose_class(base), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
