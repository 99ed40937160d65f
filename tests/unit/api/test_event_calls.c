/* Every function that takes an event set: what it does is what the function of the same name without does, with a set and without.
 * Only public calls: built with libhdf5 1.14.6, where sets hold nothing, the same holds, but that H5Aexists_async only says yes. */
#include "unit/cmocka_all.h"

#include <stdio.h>

#include "hdf5.h"

#define FILE_NAME "event_calls.h5"

enum { N = 12 };

static hid_t es;

static void done(void)
{
    size_t n = 9;
    hbool_t failed = 0;
    if (es == H5ES_NONE)
        return;
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0);
    assert_false(failed);
    assert_int_equal(n, 0);
}

static hid_t line(hsize_t n)
{
    hsize_t most = H5S_UNLIMITED;
    return H5Screate_simple(1, &n, &most);
}

static hid_t by_creation(void)
{
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    return gcpl;
}

static void files(void)
{
    hid_t f = H5Fcreate_async(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t again = H5Freopen_async(f, es);
    assert_true(H5Fflush_async(again, H5F_SCOPE_GLOBAL, es) >= 0);
    done();
    assert_int_equal(H5Fget_obj_count(f, H5F_OBJ_FILE), 2);
    assert_true(H5Fclose_async(f, es) >= 0 && H5Fclose_async(again, es) >= 0);
    f = H5Fopen_async(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT, es);
    done();
    unsigned intent = 9;
    assert_true(H5Fget_intent(f, &intent) >= 0 && intent == H5F_ACC_RDONLY);
    assert_true(H5Fclose_async(f, es) >= 0);
    done();
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void groups(hid_t f)
{
    H5G_info_t info[3];
    hid_t gcpl = by_creation(), g = H5Gcreate_async(f, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT, es);
    hid_t b = H5Gcreate_async(g, "b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t a = H5Gcreate_async(g, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t under = H5Gcreate_async(b, "under", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(H5Gclose_async(under, es) >= 0 && H5Gclose_async(a, es) >= 0 && H5Gclose_async(b, es) >= 0);
    assert_true(H5Gget_info_async(g, &info[0], es) >= 0);
    assert_true(H5Gget_info_by_name_async(f, "g/b", &info[1], H5P_DEFAULT, es) >= 0);
    assert_true(H5Gget_info_by_idx_async(f, "g", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, &info[2], H5P_DEFAULT, es) >= 0);
    done();
    assert_int_equal(info[0].nlinks, 2);
    assert_int_equal(info[0].max_corder, 2);
    assert_int_equal(info[1].nlinks, 1);
    assert_int_equal(info[2].nlinks, 1);
    b = H5Gopen_async(g, "b", H5P_DEFAULT, es);
    done();
    assert_int_equal(H5Lexists(b, "under", H5P_DEFAULT), 1);
    assert_true(H5Gclose(b) >= 0 && H5Gclose(g) >= 0 && H5Pclose(gcpl) >= 0);
}

static void datasets(hid_t f)
{
    int data[N], back[N] = {0};
    hsize_t chunk = 4, size = N / 2, dims = 0;
    hid_t space = line(N), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    for (int i = 0; i < N; i++)
        data[i] = 3 * i + 1;
    H5Pset_chunk(dcpl, 1, &chunk);
    hid_t d = H5Dcreate_async(f, "d", H5T_STD_I64BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT, es);
    assert_true(H5Dwrite_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data, es) >= 0);
    assert_true(H5Dread_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back, es) >= 0);
    hid_t before = H5Dget_space_async(d, es);
    assert_true(H5Dset_extent_async(d, &size, es) >= 0);
    hid_t after = H5Dget_space_async(d, es);
    done();
    assert_memory_equal(back, data, sizeof data);
    assert_true(H5Sget_simple_extent_dims(before, &dims, NULL) == 1 && dims == N);
    assert_true(H5Sget_simple_extent_dims(after, &dims, NULL) == 1 && dims == N / 2);
    assert_true(H5Dclose_async(d, es) >= 0);
    d = H5Dopen_async(f, "d", H5P_DEFAULT, es);
    done();
    assert_int_equal(H5Dget_storage_size(d), 2 * 4 * 8);
    assert_true(H5Sclose(before) >= 0 && H5Sclose(after) >= 0 && H5Sclose(space) >= 0);
    assert_true(H5Pclose(dcpl) >= 0 && H5Dclose(d) >= 0);
}

static void several_datasets(hid_t f)
{
    int a[N], b[N], back_a[N] = {0}, back_b[N] = {0};
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = -i;
    }
    hsize_t n = N;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t d[2] = {H5Dcreate_async(f, "one", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es),
                  H5Dcreate_async(f, "two", H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es)};
    hid_t types[2] = {H5T_NATIVE_INT, H5T_NATIVE_INT}, all[2] = {H5S_ALL, H5S_ALL};
    const void *from[2] = {a, b};
    void *to[2] = {back_a, back_b};
    assert_true(H5Dwrite_multi_async(2, d, types, all, all, H5P_DEFAULT, from, es) >= 0);
    assert_true(H5Dread_multi_async(2, d, types, all, all, H5P_DEFAULT, to, es) >= 0);
    hid_t closed[2] = {d[0], d[1]};
    d[0] = d[1] = types[0] = all[0] = -1;
    from[0] = to[0] = NULL;
    done();
    assert_memory_equal(back_a, a, sizeof a);
    assert_memory_equal(back_b, b, sizeof b);
    assert_true(H5Dclose(closed[0]) >= 0 && H5Dclose(closed[1]) >= 0 && H5Sclose(space) >= 0);
}

static void attributes(hid_t f)
{
    int value = 17, back[2] = {0};
    hbool_t is[4] = {7, 7, 7, 7};
    hid_t space = H5Screate(H5S_SCALAR), a, b;
    a = H5Acreate_async(f, "a", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, es);
    b = H5Acreate_by_name_async(f, "g", "b", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(H5Awrite_async(a, H5T_NATIVE_INT, &value, es) >= 0 && H5Aread_async(a, H5T_NATIVE_INT, &back[0], es) >= 0);
    assert_true(H5Aclose_async(a, es) >= 0 && H5Awrite_async(b, H5T_NATIVE_INT, &value, es) >= 0);
    assert_true(H5Aclose_async(b, es) >= 0);
    assert_true(H5Arename_async(f, "a", "A", es) >= 0);
    assert_true(H5Arename_by_name_async(f, "g", "b", "B", H5P_DEFAULT, es) >= 0);
    assert_true(H5Aexists_async(f, "A", &is[0], es) >= 0 && H5Aexists_async(f, "a", &is[1], es) >= 0);
    assert_true(H5Aexists_by_name_async(f, "g", "B", &is[2], H5P_DEFAULT, es) >= 0);
    assert_true(H5Aexists_by_name_async(f, "g", "b", &is[3], H5P_DEFAULT, es) >= 0);
    hid_t open[3] = {H5Aopen_async(f, "A", H5P_DEFAULT, es), H5Aopen_by_name_async(f, "g", "B", H5P_DEFAULT, H5P_DEFAULT, es),
                     H5Aopen_by_idx_async(f, "g", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT, H5P_DEFAULT, es)};
    assert_true(H5Aread_async(open[2], H5T_NATIVE_INT, &back[1], es) >= 0);
    done();
    assert_true(back[0] == 17 && back[1] == 17);
    assert_true(is[0] == 1 && is[1] == 0 && is[2] == 1 && is[3] == 0);
    for (int i = 0; i < 3; i++) {
        char name[4] = "";
        assert_int_equal(H5Aget_name(open[i], sizeof name, name), 1);
        assert_string_equal(name, i == 0 ? "A" : "B");
        assert_true(H5Aclose(open[i]) >= 0);
    }
    assert_true(H5Sclose(space) >= 0);
}

static herr_t count_links(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    (void)group, (void)name, (void)info;
    ++*(int *)data;
    return 0;
}

static void links(hid_t f)
{
    int n = 0;
    hsize_t at = 0;
    hbool_t is[3] = {7, 7, 7};
    hid_t g = H5Gcreate_async(f, "links", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(H5Lcreate_hard_async(f, "g", g, "hard", H5P_DEFAULT, H5P_DEFAULT, es) >= 0);
    assert_true(H5Lcreate_hard_async(g, "hard", H5L_SAME_LOC, "same", H5P_DEFAULT, H5P_DEFAULT, es) >= 0);
    assert_true(H5Lcreate_soft_async("/g", g, "soft", H5P_DEFAULT, H5P_DEFAULT, es) >= 0);
    assert_true(H5Lexists_async(g, "soft", &is[0], H5P_DEFAULT, es) >= 0);
    assert_true(H5Literate_async(g, H5_INDEX_NAME, H5_ITER_INC, &at, count_links, &n, es) >= 0);
    assert_true(H5Ldelete_async(g, "soft", H5P_DEFAULT, es) >= 0);
    assert_true(H5Lexists_async(g, "soft", &is[1], H5P_DEFAULT, es) >= 0);
    assert_true(H5Ldelete_by_idx_async(f, "links", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT, es) >= 0);
    assert_true(H5Lexists_async(g, "hard", &is[2], H5P_DEFAULT, es) >= 0);
    done();
    assert_int_equal(n, 3);
    assert_int_equal(at, 3);
    assert_true(is[0] == 1 && is[1] == 0 && is[2] == 0);
    assert_int_equal(H5Lexists(g, "same", H5P_DEFAULT), 1);
    assert_true(H5Gclose_async(g, es) >= 0);
    done();
}

static void objects(hid_t f)
{
    H5O_info2_t info;
    assert_true(H5Ocopy_async(f, "d", f, "copy", H5P_DEFAULT, H5P_DEFAULT, es) >= 0);
    hid_t d = H5Oopen_async(f, "copy", H5P_DEFAULT, es);
    hid_t g = H5Oopen_by_idx_async(f, "g", H5_INDEX_NAME, H5_ITER_DEC, 0, H5P_DEFAULT, es);
    assert_true(H5Oflush_async(d, es) >= 0 && H5Orefresh_async(d, es) >= 0);
    assert_true(H5Oget_info_by_name_async(f, "copy", &info, H5O_INFO_BASIC, H5P_DEFAULT, es) >= 0);
    done();
    char name[8] = "";
    assert_true(H5Iget_type(d) == H5I_DATASET && H5Iget_type(g) == H5I_GROUP);
    assert_int_equal(H5Iget_name(g, name, sizeof name), 4);
    assert_string_equal(name, "/g/b");
    assert_true(info.type == H5O_TYPE_DATASET && info.rc == 1);
    assert_true(H5Oclose_async(d, es) >= 0 && H5Oclose_async(g, es) >= 0);
    done();
}

static void datatypes(hid_t f)
{
    hid_t t = H5Tcopy(H5T_IEEE_F32BE);
    assert_true(H5Tcommit_async(f, "t", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es) >= 0);
    hid_t again = H5Topen_async(f, "t", H5P_DEFAULT, es);
    done();
    assert_true(H5Tcommitted(t) == 1 && H5Tequal(t, again) == 1 && H5Tget_order(again) == H5T_ORDER_BE);
    assert_true(H5Tclose_async(t, es) >= 0 && H5Tclose_async(again, es) >= 0);
    done();
}

static void references(hid_t f)
{
    H5R_ref_t object, region, attr;
    hid_t space = line(N / 2);
    hsize_t start = 1, count = 3;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    assert_true(H5Rcreate_object(f, "d", H5P_DEFAULT, &object) >= 0);
    assert_true(H5Rcreate_region(f, "d", space, H5P_DEFAULT, &region) >= 0);
    assert_true(H5Rcreate_attr(f, "g", "B", H5P_DEFAULT, &attr) >= 0);
    hid_t d = H5Ropen_object_async(&object, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t s = H5Ropen_region_async(&region, H5P_DEFAULT, H5P_DEFAULT, es);
    hid_t a = H5Ropen_attr_async(&attr, H5P_DEFAULT, H5P_DEFAULT, es);
    assert_true(H5Rdestroy(&object) >= 0 && H5Rdestroy(&region) >= 0 && H5Rdestroy(&attr) >= 0);
    done();
    assert_int_equal(H5Iget_type(d), H5I_DATASET);
    assert_int_equal(H5Sget_select_npoints(s), 3);
    assert_int_equal(H5Iget_type(a), H5I_ATTR);
    assert_true(H5Oclose(d) >= 0 && H5Sclose(s) >= 0 && H5Aclose(a) >= 0 && H5Sclose(space) >= 0);
}

static void every_call(void **state)
{
    es = *state ? H5EScreate() : H5ES_NONE;
    files();
    hid_t f = H5Fopen(FILE_NAME, H5F_ACC_RDWR, H5P_DEFAULT);
    groups(f);
    datasets(f);
    several_datasets(f);
    attributes(f);
    links(f);
    objects(f);
    datatypes(f);
    references(f);
    assert_true(H5Fclose(f) >= 0);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    assert_true(H5ESclose(es) >= 0);
    remove(FILE_NAME);
}

/* The functions behind the macros, for wrappers that say themselves where a call comes from. */
static void wrappers(void **state)
{
    (void)state;
    hid_t set = H5EScreate();
    hid_t f = H5Fcreate_async_wrap("wrapper.f90", "wrapper", 7, FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, set);
    assert_true(H5Fclose_async_wrap("wrapper.f90", "wrapper", 8, f, set) >= 0);
    size_t n;
    hbool_t failed;
    assert_true(H5ESwait(set, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && n == 0 && !failed);
    assert_true(H5ESclose(set) >= 0);
    remove(FILE_NAME);
}

static void arguments_of_sets(void **state)
{
    (void)state;
    size_t n = 77;
    uint64_t counter = 77;
    hbool_t failed = 1;
    H5ES_err_info_t info;
    hid_t set = H5EScreate(), space = H5Screate(H5S_SCALAR);
    assert_int_equal(H5Iget_type(set), H5I_EVENTSET);
    assert_true(H5ESget_count(set, &n) >= 0 && n == 0 && H5ESget_count(set, NULL) >= 0);
    assert_true(H5ESget_op_counter(set, &counter) >= 0 && counter == 0 && H5ESget_op_counter(set, NULL) >= 0);
    assert_true(H5ESget_err_count(set, &n) >= 0 && n == 0 && H5ESget_err_count(set, NULL) >= 0);
    assert_true(H5ESget_err_status(set, &failed) >= 0 && failed == 0 && H5ESget_err_status(set, NULL) >= 0);
    n = 77, failed = 1;
    assert_true(H5ESget_count(H5ES_NONE, &n) >= 0 && H5ESget_err_count(H5ES_NONE, &n) >= 0);
    assert_true(H5ESwait(H5ES_NONE, 0, &n, &failed) >= 0 && H5EScancel(H5ES_NONE, &n, &failed) >= 0);
    assert_true(H5ESget_err_status(H5ES_NONE, &failed) >= 0 && H5ESget_err_info(H5ES_NONE, 1, &info, &n) >= 0);
    assert_true(n == 77 && failed == 1 && H5ESclose(H5ES_NONE) >= 0);
    H5E_BEGIN_TRY
    {
        assert_true(H5ESget_count(space, &n) < 0 && H5ESget_op_counter(-1, &counter) < 0);
        assert_true(H5ESwait(space, 0, &n, &failed) < 0 && H5ESwait(set, 0, NULL, &failed) < 0);
        assert_true(H5ESwait(set, 0, &n, NULL) < 0 && H5EScancel(set, NULL, &failed) < 0 && H5EScancel(set, &n, NULL) < 0);
        assert_true(H5ESget_err_info(set, 0, &info, &n) < 0 && H5ESget_err_info(set, 1, NULL, &n) < 0);
        assert_true(H5ESget_err_info(set, 1, &info, NULL) < 0);
        assert_true(H5ESfree_err_info(0, &info) < 0 && H5ESfree_err_info(1, NULL) < 0);
        assert_true(H5ESregister_insert_func(set, NULL, NULL) < 0 && H5ESregister_complete_func(set, NULL, NULL) < 0);
        assert_true(H5ESclose(space) < 0);
    }
    H5E_END_TRY
    n = 77;
    assert_true(H5ESget_err_info(set, 1, &info, &n) >= 0 && n == 0);
    assert_int_equal(H5Iinc_ref(set), 2);
    assert_true(H5ESclose(set) >= 0 && H5Iis_valid(set) == 1);
    assert_true(H5ESclose(set) >= 0 && H5Iis_valid(set) == 0);
    assert_true(H5Sclose(space) >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"every call, with a set", every_call, NULL, NULL, &es},
        {"every call, without", every_call, NULL, NULL, NULL},
        cmocka_unit_test(wrappers),
        cmocka_unit_test(arguments_of_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
