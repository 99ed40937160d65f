/* Hundreds of attributes in an object header itself, found by name while some are added, renamed and removed. */
#include "unit/cmocka_all.h"

#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "attr_names.h5"

enum { MANY = 300, NAMES = 400, STEPS = 2000 };

static void name_of(unsigned n, char *out)
{
    snprintf(out, 32, "attribute %u", n);
}

static void add(hid_t obj, hid_t space, unsigned n, int value)
{
    char name[32];
    name_of(n, name);
    hid_t attr = H5Acreate2(obj, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attr >= 0);
    assert_true(H5Awrite(attr, H5T_NATIVE_INT, &value) >= 0);
    H5Aclose(attr);
}

/* model: the value, or 0 for none. */
static void check(hid_t obj, unsigned n, const int *model)
{
    char name[32];
    int value = 0;
    name_of(n, name);
    assert_int_equal(H5Aexists(obj, name), model[n] != 0);
    if (model[n] == 0)
        return;
    hid_t attr = H5Aopen(obj, name, H5P_DEFAULT);
    assert_true(attr >= 0);
    assert_true(H5Aread(attr, H5T_NATIVE_INT, &value) >= 0);
    assert_int_equal(value, model[n]);
    H5Aclose(attr);
}

static hid_t create(hid_t *file)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    *file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Pset_attr_phase_change(gcpl, 1000, 900) >= 0);
    hid_t group = H5Gcreate2(*file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    H5Pclose(gcpl);
    assert_true(group >= 0);
    return group;
}

static void change(hid_t group, hid_t space, unsigned random, int *model)
{
    unsigned n = random / 16 % NAMES, to = random / 16 / NAMES % NAMES;
    char name[32], other[32];
    name_of(n, name);
    name_of(to, other);
    if (!model[n]) {
        add(group, space, n, model[n] = (int)(random | 1));
    } else if (random & 1 && !model[to]) {
        assert_true(H5Arename(group, name, other) >= 0);
        model[to] = model[n];
        model[n] = 0;
    } else {
        assert_true(H5Adelete(group, name) >= 0);
        model[n] = 0;
    }
}

static void found_after_every_change(void **state)
{
    (void)state;
    int model[NAMES] = {0};
    unsigned seed = 1;
    hid_t file, group = create(&file), space = H5Screate(H5S_SCALAR);
    for (unsigned i = 0; i < MANY; i++)
        add(group, space, i, model[i] = (int)i + 1);
    for (unsigned i = 0; i < STEPS; i++) {
        seed = seed * 1664525 + 1013904223;
        if ((seed >> 8) % 32 == 0)
            change(group, space, seed >> 13, model);
        check(group, (seed >> 10) % NAMES, model);
    }
    for (unsigned i = 0; i < NAMES; i++)
        check(group, i, model);
    H5Gclose(group);
    H5Fclose(file);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    group = H5Gopen2(file, "g", H5P_DEFAULT);
    for (unsigned i = 0; i < NAMES; i++)
        check(group, i, model);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
    unlink(FILE_NAME);
}

/* Without creation order that of the header counts, whichever way an attribute was found. */
static void the_place_is_that_in_the_header(void **state)
{
    (void)state;
    hid_t file, group = create(&file), space = H5Screate(H5S_SCALAR);
    for (unsigned i = 0; i < MANY; i++)
        add(group, space, i, 1);
    for (unsigned i = 0; i < MANY; i++) {
        H5A_info_t by_name, by_place;
        char name[32];
        name_of(i, name);
        assert_true(H5Aget_info_by_name(group, ".", name, &by_name, H5P_DEFAULT) >= 0);
        assert_int_equal(by_name.corder, i);
        if (i % 50 != 0)
            continue;
        assert_true(H5Aget_info_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_NATIVE, i, &by_place, H5P_DEFAULT) >= 0);
        assert_int_equal(by_place.corder, i);
    }
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_after_every_change),
        cmocka_unit_test(the_place_is_that_in_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
