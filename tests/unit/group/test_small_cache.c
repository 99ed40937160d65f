/* Links, objects and attributes that come and go while the metadata cache keeps next to nothing: what a change leads to
 * may have left the cache when the change is done, and whatever waits must do without it. By a SWMR writer, which takes
 * nothing out of heaps, and by a plain one. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "unit/cmocka_all.h"

#define NAMES 40
#define OBJECTS 3

static char path[64];

/* Which names are there, and with what: the value of an attribute, or that of the attribute of the object linked. */
struct model {
    int links[OBJECTS][NAMES], attrs[OBJECTS][NAMES];
};

static struct model model;
static unsigned seed;

static unsigned chance(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

static hid_t small_cache(bool swmr)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    assert_true(H5Pget_mdc_config(fapl, &config) >= 0);
    config.set_initial_size = 1;
    config.initial_size = config.min_size = config.max_size = 1024;
    assert_true(H5Pset_mdc_config(fapl, &config) >= 0);
    assert_true(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    assert_true(H5Pset_swmr_new_objects(fapl, swmr) >= 0);
    return fapl;
}

static const char *numbered(const char *what, int i)
{
    static char names[4][64];
    static int turn;
    char *name = names[turn++ % 4];
    snprintf(name, sizeof names[0], "%s with the number %d", what, i);
    return name;
}

static void put_int(hid_t object, const char *name, int value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(object, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0);
    assert_true(H5Awrite(a, H5T_NATIVE_INT, &value) >= 0 && H5Aclose(a) >= 0 && H5Sclose(space) >= 0);
}

static int get_int(hid_t object, const char *name)
{
    int value = 0;
    hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(a >= 0);
    assert_true(H5Aread(a, H5T_NATIVE_INT, &value) >= 0 && H5Aclose(a) >= 0);
    return value;
}

/* Group 0 keeps no order, group 1 an index of it, group 2 counts only. */
static void make_groups(hid_t file)
{
    const unsigned order[OBJECTS] = {0, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED, H5P_CRT_ORDER_TRACKED};
    for (int i = 0; i < OBJECTS; i++) {
        hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
        assert_true(H5Pset_link_creation_order(gcpl, order[i]) >= 0 && H5Pset_attr_creation_order(gcpl, order[i]) >= 0);
        assert_true(H5Pset_link_phase_change(gcpl, 4, 2) >= 0 && H5Pset_attr_phase_change(gcpl, 4, 2) >= 0);
        assert_true(H5Gclose(H5Gcreate2(file, numbered("group", i), H5P_DEFAULT, gcpl, H5P_DEFAULT)) >= 0);
        assert_true(H5Pclose(gcpl) >= 0);
    }
}

static void change_link(hid_t group, int *links, int value)
{
    int i = (int)chance(NAMES), to = (int)chance(NAMES);
    const char *name = numbered("link", i);
    if (!links[i]) {
        hid_t made = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(made >= 0);
        put_int(made, "value", links[i] = value);
        assert_true(H5Gclose(made) >= 0);
    } else if (!links[to] && chance(2)) {
        assert_true(H5Lmove(group, name, group, numbered("link", to), H5P_DEFAULT, H5P_DEFAULT) >= 0);
        links[to] = links[i];
        links[i] = 0;
    } else {
        assert_true(H5Ldelete(group, name, H5P_DEFAULT) >= 0);
        links[i] = 0;
    }
}

static void change_attr(hid_t group, int *attrs, int value)
{
    int i = (int)chance(NAMES), to = (int)chance(NAMES);
    const char *name = numbered("attribute", i);
    if (!attrs[i]) {
        put_int(group, name, attrs[i] = value);
    } else if (!attrs[to] && chance(3) == 0) {
        assert_true(H5Arename(group, name, numbered("attribute", to)) >= 0);
        attrs[to] = attrs[i];
        attrs[i] = 0;
    } else if (chance(2)) {
        hid_t a = H5Aopen(group, name, H5P_DEFAULT);
        assert_true(H5Awrite(a, H5T_NATIVE_INT, &value) >= 0 && H5Aclose(a) >= 0);
        attrs[i] = value;
    } else {
        assert_true(H5Adelete(group, name) >= 0);
        attrs[i] = 0;
    }
}

static void check_group(hid_t group, const int *links, const int *attrs)
{
    hsize_t n_links = 0, n_attrs = 0;
    H5G_info_t links_info;
    H5O_info_t info;
    for (int i = 0; i < NAMES; i++) {
        n_links += links[i] != 0;
        n_attrs += attrs[i] != 0;
        if (links[i]) {
            hid_t linked = H5Gopen2(group, numbered("link", i), H5P_DEFAULT);
            assert_true(linked >= 0);
            assert_int_equal(get_int(linked, "value"), links[i]);
            assert_true(H5Gclose(linked) >= 0);
        }
        if (attrs[i])
            assert_int_equal(get_int(group, numbered("attribute", i)), attrs[i]);
    }
    assert_true(H5Gget_info(group, &links_info) >= 0 && H5Oget_info2(group, &info, H5O_INFO_ALL) >= 0);
    assert_int_equal(links_info.nlinks, n_links);
    assert_int_equal(info.num_attrs, n_attrs);
}

static void check_all(hid_t file)
{
    for (int g = 0; g < OBJECTS; g++) {
        hid_t group = H5Gopen2(file, numbered("group", g), H5P_DEFAULT);
        assert_true(group >= 0);
        check_group(group, model.links[g], model.attrs[g]);
        assert_true(H5Gclose(group) >= 0);
    }
}

/* Opened by its name for each change, so that its header can leave the cache too. */
static void change_something(hid_t file, int value)
{
    int g = (int)chance(OBJECTS);
    hid_t group = H5Gopen2(file, numbered("group", g), H5P_DEFAULT);
    assert_true(group >= 0);
    if (chance(2))
        change_link(group, model.links[g], value);
    else
        change_attr(group, model.attrs[g], value);
    assert_true(H5Gclose(group) >= 0);
}

static void play(bool swmr, int changes)
{
    hid_t fapl = small_cache(swmr);
    memset(&model, 0, sizeof model);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC | (swmr ? H5F_ACC_SWMR_WRITE : 0), H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    make_groups(file);
    for (int i = 1; i <= changes; i++) {
        change_something(file, i);
        if (chance(8) == 0)
            assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
        if (chance(200) == 0)
            check_all(file);
    }
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
    assert_true(file >= 0);
    check_all(file);
    assert_true(H5Fclose(file) >= 0 && H5Pclose(fapl) >= 0);
}

static void a_swmr_writer(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= 6; i++) {
        seed = i;
        play(true, 400);
    }
}

static void a_plain_writer(void **state)
{
    (void)state;
    seed = 3;
    play(false, 1500);
}

/* The smallest case: a dense group, flushed, whose heap has left the cache before a link is deleted. */
static void deleting_when_the_heap_was_evicted(void **state)
{
    (void)state;
    hid_t fapl = small_cache(true);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE, H5P_DEFAULT, fapl);
    hid_t group = H5Gcreate2(file, "dense", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 100; i++)
        assert_true(H5Lcreate_soft("nowhere", group, numbered("link", i), H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    hid_t unflushed = H5Gcreate2(file, "unflushed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_int(unflushed, "value", 5);
    assert_true(H5Gclose(unflushed) >= 0);
    for (int i = 0; i < 100; i += 2)
        assert_true(H5Ldelete(group, numbered("link", i), H5P_DEFAULT) >= 0);
    assert_true(H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    group = H5Gopen2(file, "dense", H5P_DEFAULT);
    for (int i = 0; i < 100; i++)
        assert_int_equal(H5Lexists(group, numbered("link", i), H5P_DEFAULT), i % 2);
    unflushed = H5Gopen2(file, "unflushed", H5P_DEFAULT);
    assert_int_equal(get_int(unflushed, "value"), 5);
    assert_true(H5Gclose(unflushed) >= 0 && H5Gclose(group) >= 0 && H5Fclose(file) >= 0 && H5Pclose(fapl) >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deleting_when_the_heap_was_evicted),
                                       cmocka_unit_test(a_swmr_writer), cmocka_unit_test(a_plain_writer)};
    snprintf(path, sizeof path, "/tmp/small-cache-%ld.h5", (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
