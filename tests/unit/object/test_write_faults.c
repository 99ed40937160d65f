/* Every allocation fails once in each change of an object's attributes, comment and links: the call fails or works, the
 * file closes, and holds what was flushed, or that and the change. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"

static char path[64];
static bool shared; /* in a file that shares messages */

struct change {
    const char *name;
    unsigned flushed; /* attributes before it */
    int (*run)(hid_t file, hid_t group);
    int delta; /* attributes more after it */
};

static int add_attrs(hid_t group, unsigned from, unsigned to)
{
    hsize_t n = 10;
    int values[10];
    hid_t space = H5Screate_simple(1, &n, NULL);
    int status = space < 0 ? -1 : 0;
    for (unsigned i = from; i < to && status == 0; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%u", i);
        for (int k = 0; k < 10; k++)
            values[k] = (int)i * 100 + k;
        hid_t attr = H5Acreate2(group, name, H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
        if (attr < 0 || H5Awrite(attr, H5T_NATIVE_INT, values) < 0)
            status = -1;
        if (attr >= 0)
            H5Aclose(attr);
    }
    if (space >= 0)
        H5Sclose(space);
    return status;
}

static int add_one(hid_t file, hid_t group)
{
    (void)file;
    int n = H5Aget_num_attrs(group);
    return n < 0 ? -1 : add_attrs(group, (unsigned)n, (unsigned)n + 1);
}

static int delete_first(hid_t file, hid_t group)
{
    (void)file;
    return H5Adelete(group, "a0");
}

static int rename_first(hid_t file, hid_t group)
{
    (void)file;
    return H5Arename(group, "a0", "another name that is longer than the old one");
}

static int set_comment(hid_t file, hid_t group)
{
    (void)file;
    return H5Oset_comment(group, "a comment");
}

static int more_links(hid_t file, hid_t group)
{
    (void)file;
    return H5Oincr_refcount(group);
}

static int commit_type(hid_t file, hid_t group)
{
    hid_t type = H5Tcopy(H5T_STD_I16BE), space = H5Screate(H5S_SCALAR), attr = -1;
    int status = type < 0 || space < 0 ? -1 : H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (status >= 0)
        attr = H5Acreate2(group, "committed", type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attr >= 0)
        H5Aclose(attr);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return attr < 0 ? -1 : 0;
}

static int delete_group(hid_t file, hid_t group)
{
    (void)group;
    return H5Ldelete(file, "g", H5P_DEFAULT);
}

static const struct change changes[] = {
    {"add compact", 3, add_one, 1},          {"turn dense", 8, add_one, 1},         {"add dense", 12, add_one, 1},
    {"delete compact", 3, delete_first, -1}, {"turn compact", 6, delete_first, -1}, {"delete dense", 12, delete_first, -1},
    {"rename compact", 3, rename_first, 0},  {"rename dense", 12, rename_first, 0}, {"comment", 3, set_comment, 0},
    {"count", 3, more_links, 0},             {"committed", 3, commit_type, 1},      {"delete object", 12, delete_group, 0},
};

/* Turning compact begins with what is dense: one more, then one less, was flushed. */
static void make_file(const struct change *c)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), fcpl = H5Pcreate(H5P_FILE_CREATE);
    if (shared) {
        assert_int_equal(H5Pset_shared_mesg_nindexes(fcpl, 1), 0);
        assert_int_equal(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ALL_FLAG, 10), 0);
        assert_int_equal(H5Pset_shared_mesg_phase_change(fcpl, 8, 4), 0);
    }
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    H5Pclose(fcpl);
    assert_int_equal(H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), 0);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    assert_true(group >= 0);
    if (c->flushed == 6)
        assert_int_equal(add_attrs(group, 0, 9), 0);
    else
        assert_int_equal(add_attrs(group, 0, c->flushed), 0);
    for (int i = 8; c->flushed == 6 && i > 5; i--) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        assert_int_equal(H5Adelete(group, name), 0);
    }
    H5Pclose(gcpl);
    H5Gclose(group);
    assert_int_equal(H5Fclose(file), 0);
}

static void check_values(hid_t group, const char *name, unsigned which)
{
    int values[10];
    hid_t attr = H5Aopen(group, name, H5P_DEFAULT);
    assert_true(attr >= 0);
    assert_int_equal(H5Aread(attr, H5T_NATIVE_INT, values), 0);
    for (int k = 0; k < 10; k++)
        assert_int_equal(values[k], (int)which * 100 + k);
    H5Aclose(attr);
}

static void check_file(const struct change *c, bool whole)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    if (c->run == delete_group && H5Lexists(file, "g", H5P_DEFAULT) == 0) {
        H5Fclose(file);
        return;
    }
    assert_false(whole && c->run == delete_group);
    hid_t group = H5Gopen2(file, "g", H5P_DEFAULT);
    assert_true(group >= 0);
    /* A call that fails behind its change, say in writing an attribute that it has made, leaves it. */
    int n = H5Aget_num_attrs(group);
    assert_true(n == (int)c->flushed + c->delta || (!whole && n == (int)c->flushed));
    for (unsigned i = 1; i < c->flushed; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%u", i);
        check_values(group, name, i);
    }
    /* And it can be changed again. */
    assert_int_equal(H5Aclose(H5Acreate2(group, "after", H5T_NATIVE_INT, H5Screate(H5S_SCALAR), H5P_DEFAULT, H5P_DEFAULT)),
                     0);
    H5Gclose(group);
    assert_int_equal(H5Fclose(file), 0);
}

/* True when the allocation that was to fail was never made. */
static bool fail_at(const struct change *c, unsigned long n)
{
    make_file(c);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), group = H5Gopen2(file, "g", H5P_DEFAULT);
    assert_true(group >= 0);
    ts_alloc_fail_at(n, TS_FAULT_ONCE);
    int status = c->run(file, group);
    unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
    H5Gclose(group);
    H5Fclose(file);
    if (made < n)
        assert_true(status >= 0);
    check_file(c, status >= 0);
    return made < n;
}

static void run_all(bool in_shared_file)
{
    shared = in_shared_file;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        unsigned long n = 1;
        while (!fail_at(&changes[i], n))
            n++;
        assert_true(n > 3);
    }
    unlink(path);
}

static void test_faults(void **state)
{
    (void)state;
    run_all(false);
}

static void test_shared_faults(void **state)
{
    (void)state;
    run_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_shared_faults)};
    H5open();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(path, sizeof path, "write_faults_%ld.h5", (long)getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
