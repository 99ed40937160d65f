/* Event sets, and every call that takes one. With stock's own connector each is done when it returns; what can be seen after H5ESwait
 * is the same. */
#include <hdf5.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "later.h"

enum { N = 1000 };

static hid_t set;

/* What was asked for is done. */
static void wait_for_all(const char *what)
{
    size_t left = 77, errors = 77;
    hbool_t failed = true;
    herr_t status = H5ESwait(set, H5ES_WAIT_FOREVER, &left, &failed);
    H5ESget_err_count(set, &errors);
    printf("  %s: wait %d, %d left, failed %d, %d errors\n", what, status, (int)left, failed, (int)errors);
}

/* Stock says so at once, Tessera when it comes to it. */
static void must_fail(const char *what, long long result)
{
    size_t left = 77, told = 0;
    hbool_t failed = false;
    H5ES_err_info_t info[1];
    H5ESwait(set, H5ES_WAIT_FOREVER, &left, &failed);
    printf("  %s: %s\n", what, result < 0 || failed ? "fails" : "works");
    if (failed && H5ESget_err_info(set, 1, info, &told) >= 0)
        H5ESfree_err_info(told, info);
}

#define MADE(call) ((call) >= 0 ? 1 : (printf("  %s fails\n", #call), 0))
#define FAILS(call) must_fail(#call, (long long)(call))

static void numbers(int *values, int first)
{
    for (int i = 0; i < N; i++)
        values[i] = first + i;
}

static void check(const char *what, const int *values, int first)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += values[i] != first + i;
    printf("  %s: %d of %d are wrong\n", what, wrong, N);
}

static hid_t chunked(hid_t file, const char *name)
{
    hsize_t size = N / 2, most = H5S_UNLIMITED, chunk = 100;
    hid_t space = H5Screate_simple(1, &size, &most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 1, &chunk);
    hid_t made = H5Dcreate_async(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, how, H5P_DEFAULT, set);
    H5Sclose(space), H5Pclose(how);
    return made;
}

static void datasets(hid_t file)
{
    int in[3][N], out[3][N] = {{0}};
    hsize_t size = N;
    HEAD("datasets");
    hid_t d[3] = {chunked(file, "a"), chunked(file, "b"), chunked(file, "c")};
    hid_t types[3] = {H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_INT}, all[3] = {H5S_ALL, H5S_ALL, H5S_ALL};
    for (int i = 0; i < 3; i++) {
        numbers(in[i], 10000 * i);
        MADE(H5Dset_extent_async(d[i], &size, set));
    }
    MADE(H5Dwrite_async(d[0], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, in[0], set));
    MADE(H5Dwrite_multi_async(2, d + 1, types, all, all, H5P_DEFAULT, (const void *[]){in[1], in[2]}, set));
    MADE(H5Dread_async(d[0], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out[0], set));
    MADE(H5Dread_multi_async(2, d + 1, types, all, all, H5P_DEFAULT, (void *[]){out[1], out[2]}, set));
    hid_t space = H5Dget_space_async(d[0], set);
    MADE(H5Dclose_async(d[2], set));
    wait_for_all("written and read");
    for (int i = 0; i < 3; i++)
        check("read", out[i], 10000 * i);
    printf("  %d elements\n", (int)H5Sget_simple_extent_npoints(space));
    H5Sclose(space), H5Dclose(d[0]), H5Dclose(d[1]);
    d[0] = H5Dopen_async(file, "a", H5P_DEFAULT, set);
    memset(out[0], 0, sizeof out[0]);
    MADE(H5Dread_async(d[0], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out[0], set));
    MADE(H5Dclose_async(d[0], set));
    wait_for_all("opened again");
    check("read again", out[0], 0);
}

static void attributes(hid_t file)
{
    int one = 17, back[4] = {0};
    hbool_t there[2] = {false, false};
    HEAD("attributes");
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate_async(file, "one", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, set);
    hid_t b = H5Acreate_by_name_async(file, "a", "two", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, set);
    MADE(H5Awrite_async(a, H5T_NATIVE_INT, &one, set));
    MADE(H5Awrite_async(b, H5T_NATIVE_INT, &one, set));
    MADE(H5Aread_async(a, H5T_NATIVE_INT, &back[0], set));
    MADE(H5Aclose_async(a, set)), MADE(H5Aclose_async(b, set));
    MADE(H5Arename_async(file, "one", "eins", set));
    MADE(H5Arename_by_name_async(file, "a", "two", "zwei", H5P_DEFAULT, set));
    MADE(H5Aexists_async(file, "eins", &there[0], set));
    MADE(H5Aexists_by_name_async(file, "a", "zwei", &there[1], H5P_DEFAULT, set));
    hid_t again[] = {H5Aopen_async(file, "eins", H5P_DEFAULT, set), H5Aopen_by_name_async(file, "a", "zwei", H5P_DEFAULT, H5P_DEFAULT, set),
                     H5Aopen_by_idx_async(file, "a", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT, H5P_DEFAULT, set)};
    for (int i = 0; i < 3; i++) {
        MADE(H5Aread_async(again[i], H5T_NATIVE_INT, &back[i + 1], set));
        MADE(H5Aclose_async(again[i], set));
    }
    wait_for_all("attributes");
    printf("  %d %d %d %d, there %d %d\n", back[0], back[1], back[2], back[3], there[0], there[1]);
    H5Sclose(space);
}

static herr_t on_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    (void)group;
    (void)data;
    printf("  link %s of type %d\n", name, info->type);
    return 0;
}

static void groups_and_links(hid_t file)
{
    H5G_info_t info[3] = {{0}};
    hbool_t there = false;
    HEAD("groups and links");
    hid_t g = H5Gcreate_async(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, set);
    MADE(H5Lcreate_hard_async(file, "a", g, "hard", H5P_DEFAULT, H5P_DEFAULT, set));
    MADE(H5Lcreate_soft_async("/b", g, "soft", H5P_DEFAULT, H5P_DEFAULT, set));
    MADE(H5Lcreate_soft_async("/nowhere", g, "gone", H5P_DEFAULT, H5P_DEFAULT, set));
    MADE(H5Lcreate_soft_async("/nowhere", g, "last", H5P_DEFAULT, H5P_DEFAULT, set));
    MADE(H5Ldelete_async(g, "gone", H5P_DEFAULT, set));
    MADE(H5Ldelete_by_idx_async(file, "g", H5_INDEX_NAME, H5_ITER_DEC, 0, H5P_DEFAULT, set));
    MADE(H5Gclose_async(g, set));
    wait_for_all("links");
    g = H5Gopen_async(file, "g", H5P_DEFAULT, set);
    MADE(H5Lexists_async(g, "hard", &there, H5P_DEFAULT, set));
    MADE(H5Literate_async(g, H5_INDEX_NAME, H5_ITER_INC, NULL, on_link, NULL, set));
    MADE(H5Gget_info_async(g, &info[0], set));
    MADE(H5Gget_info_by_name_async(file, "g", &info[1], H5P_DEFAULT, set));
    MADE(H5Gget_info_by_idx_async(file, ".", H5_INDEX_NAME, H5_ITER_DEC, 0, &info[2], H5P_DEFAULT, set));
    MADE(H5Gclose_async(g, set));
    wait_for_all("groups");
    printf("  links %d %d %d, there %d\n", (int)info[0].nlinks, (int)info[1].nlinks, (int)info[2].nlinks, there);
}

static void objects(hid_t file)
{
    H5O_info2_t info = {0};
    HEAD("objects");
    MADE(H5Ocopy_async(file, "a", file, "copy", H5P_DEFAULT, H5P_DEFAULT, set));
    hid_t by_name = H5Oopen_async(file, "copy", H5P_DEFAULT, set);
    hid_t by_index = H5Oopen_by_idx_async(file, ".", H5_INDEX_NAME, H5_ITER_INC, 1, H5P_DEFAULT, set);
    MADE(H5Oget_info_by_name_async(file, "copy", &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS, H5P_DEFAULT, set));
    MADE(H5Oflush_async(by_name, set));
    MADE(H5Orefresh_async(by_name, set));
    wait_for_all("objects");
    printf("  type %d, %d attributes; %d %d\n", info.type, (int)info.num_attrs, H5Iget_type(by_name), H5Iget_type(by_index));
    MADE(H5Oclose_async(by_name, set)), MADE(H5Oclose_async(by_index, set));
    wait_for_all("closed");
}

static void types(hid_t file)
{
    HEAD("types");
    hid_t t = H5Tcopy(H5T_NATIVE_INT);
    MADE(H5Tcommit_async(file, "t", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, set));
    MADE(H5Tclose_async(t, set));
    t = H5Topen_async(file, "t", H5P_DEFAULT, set);
    wait_for_all("committed");
    printf("  committed %d, %d bytes\n", H5Tcommitted(t), (int)H5Tget_size(t));
    H5Tclose(t);
}

static void references(hid_t file)
{
    H5R_ref_t object, region, attribute;
    hsize_t start = 5, count = 7;
    HEAD("references");
    hid_t d = H5Dopen2(file, "a", H5P_DEFAULT), part = H5Dget_space(d);
    H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, NULL, &count, NULL);
    H5Rcreate_object(file, "a", H5P_DEFAULT, &object);
    H5Rcreate_region(file, "a", part, H5P_DEFAULT, &region);
    H5Rcreate_attr(file, "a", "zwei", H5P_DEFAULT, &attribute);
    hid_t found = H5Ropen_object_async(&object, H5P_DEFAULT, H5P_DEFAULT, set);
    hid_t space = H5Ropen_region_async(&region, H5P_DEFAULT, H5P_DEFAULT, set);
    hid_t a = H5Ropen_attr_async(&attribute, H5P_DEFAULT, H5P_DEFAULT, set);
    wait_for_all("references");
    printf("  %d, %d selected, %d\n", H5Iget_type(found), (int)H5Sget_select_npoints(space), H5Iget_type(a));
    H5Rdestroy(&object), H5Rdestroy(&region), H5Rdestroy(&attribute);
    H5Oclose(found), H5Sclose(space), H5Aclose(a), H5Sclose(part), H5Dclose(d);
}

static void errors(hid_t file)
{
    hbool_t failed = true;
    size_t n = 77, m = 77;
    HEAD("errors");
    FAILS(H5Dopen_async(file, "nowhere", H5P_DEFAULT, set));
    FAILS(H5Gcreate_async(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, set));
    FAILS(H5Fopen_async("nowhere.h5", H5F_ACC_RDONLY, H5P_DEFAULT, set));
    FAILS(H5Dread_async(file, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, NULL, set));
    wait_for_all("errors that were asked for");
    SAY(H5ESget_err_status(set, &failed));
    SAY(H5EScancel(set, &n, &failed));
    SAY(H5ESget_count(set, &m));
    printf("  %d left, failed %d, %d in the set\n", (int)n, failed, (int)m);
    SAY(H5ESget_count(file, &m));
    SAY(H5ESwait(file, 0, &n, &failed));
    SAY(H5ESclose(file));
    SAY(H5ESclose(H5I_INVALID_HID));
}

static void without_a_set(void)
{
    int value = 5, back = 0;
    HEAD("without a set");
    hid_t file = H5Fopen_async("sets.h5", H5F_ACC_RDWR, H5P_DEFAULT, H5ES_NONE), space = H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate_async(file, "one", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, H5ES_NONE);
    SAY(H5Dwrite_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value, H5ES_NONE));
    SAY(H5Dread_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &back, H5ES_NONE));
    printf("  %d\n", back);
    SAY(H5Dopen_async(file, "nowhere", H5P_DEFAULT, H5ES_NONE) < 0);
    SAY(H5Dclose_async(d, H5ES_NONE));
    SAY(H5Fclose_async(file, H5ES_NONE));
    H5Sclose(space);
}

int main(void)
{
    begin();
    set = H5EScreate();
    printf("a set: %d\n", H5Iget_type(set) == H5I_EVENTSET);
    hid_t file = H5Fcreate_async("sets.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, set);
    datasets(file);
    attributes(file);
    groups_and_links(file);
    objects(file);
    types(file);
    references(file);
    errors(file);
    hid_t again = H5Freopen_async(file, set);
    MADE(H5Fflush_async(again, H5F_SCOPE_GLOBAL, set));
    MADE(H5Fclose_async(again, set));
    MADE(H5Fclose_async(file, set));
    wait_for_all("the file");
    without_a_set();
    SAY(H5ESclose(set));
    return 0;
}
