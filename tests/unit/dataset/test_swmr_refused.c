/* What a SWMR writer does not do, because its readers could not follow: each error says what to do instead, and leaves the
 * file as it was. */
#define H5_USE_110_API 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "unit/cmocka_all.h"

static char path[64];

static hid_t access_list(H5F_libver_t low, bool new_objects)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hbool_t allowed = 7;
    assert_true(H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST) >= 0);
    assert_true(H5Pget_swmr_new_objects(fapl, &allowed) >= 0);
    assert_int_equal(allowed, 1);
    assert_true(H5Pset_swmr_new_objects(fapl, new_objects) >= 0);
    assert_true(H5Pget_swmr_new_objects(fapl, &allowed) >= 0);
    assert_int_equal(allowed, new_objects);
    return fapl;
}

static herr_t find_text(unsigned n, const H5E_error2_t *e, void *ctx)
{
    const char **text = ctx;
    (void)n;
    if (e->desc && *text && strstr(e->desc, *text))
        *text = NULL;
    return 0;
}

/* The last call failed, and its error says so. */
static void assert_refused(long long result, const char *text)
{
    assert_true(result < 0);
    const char *left = text;
    assert_true(H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_text, &left) >= 0);
    if (left)
        fail_msg("no error says '%s'", text);
}

static hid_t make(hid_t file, const char *name, hid_t type, hid_t dcpl)
{
    hsize_t dims[1] = {4}, most[1] = {H5S_UNLIMITED};
    hid_t space = H5Screate_simple(1, dims, most);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    /* Any other call forgets the error. */
    if (d >= 0)
        H5Sclose(space);
    return d;
}

static hid_t in_chunks(void)
{
    hsize_t chunk[1] = {3};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(dcpl, 1, chunk) >= 0);
    return dcpl;
}

/* A file with one dataset, "d", that has one attribute, "a". */
static void make_file(H5F_libver_t low, hid_t type, hid_t dcpl)
{
    hid_t fapl = access_list(low, false);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE, H5P_DEFAULT, fapl);
    assert_true(H5Fclose(file) >= 0);
    /* Version 3 of the superblock comes with SWMR writing; objects are of the bound. */
    file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    assert_true(H5Fset_libver_bounds(file, low, H5F_LIBVER_LATEST) >= 0);
    hid_t d = make(file, "d", type, dcpl), space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(d, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_INT, &(int){1}) >= 0);
    assert_true(H5Aclose(a) >= 0 && H5Sclose(space) >= 0 && H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
    H5Pclose(fapl);
}

static hid_t open_file(bool new_objects)
{
    hid_t fapl = access_list(H5F_LIBVER_V110, new_objects);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, fapl);
    H5Pclose(fapl);
    assert_true(file >= 0);
    return file;
}

static void write_all(hid_t d, const int *values, herr_t *status)
{
    *status = H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

/* Creating and deleting in all ways that there are. */
static void each_name(hid_t file, hid_t d, void (*check)(long long result, const char *what))
{
    hid_t dcpl = in_chunks(), space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_NATIVE_INT);
    check(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "a link");
    check(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "a group");
    check(make(file, "e", H5T_NATIVE_INT, dcpl), "a link");
    check(H5Dcreate_anon(file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), "a dataset");
    check(H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "");
    check(H5Lcreate_soft("x", file, "soft", H5P_DEFAULT, H5P_DEFAULT), "a link");
    check(H5Lcreate_hard(file, "d", file, "hard", H5P_DEFAULT, H5P_DEFAULT), "a link");
    check(H5Ocopy(file, "d", file, "copy", H5P_DEFAULT, H5P_DEFAULT), "copy an object");
    check(H5Acreate2(d, "b", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), "create an attribute");
    check(H5Arename(d, "a", "c"), "rename an attribute");
    check(H5Adelete(d, "c"), "");
    check(H5Oset_comment(d, "words"), "a comment");
    check(H5Lmove(file, "d", file, "d2", H5P_DEFAULT, H5P_DEFAULT), "a link");
    check(H5Ldelete(file, "d2", H5P_DEFAULT), "");
    H5Tclose(type);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static void is_refused(long long result, const char *what)
{
    assert_refused(result, *what ? what : "");
    if (*what)
        assert_refused(result, "H5Pset_swmr_new_objects");
}

static void is_done(long long result, const char *what)
{
    (void)what;
    assert_true(result >= 0);
    if (result > 0)
        assert_true(H5Idec_ref(result) >= 0);
}

static void names(void **state)
{
    (void)state;
    hid_t dcpl = in_chunks();
    for (int allowed = 0; allowed < 2; allowed++) {
        make_file(H5F_LIBVER_V110, H5T_NATIVE_INT, dcpl);
        hid_t file = open_file(allowed), d = H5Dopen2(file, "d", H5P_DEFAULT), a = H5Aopen(d, "a", H5P_DEFAULT);
        int values[4] = {1, 2, 3, 4}, back[4] = {0};
        herr_t status;
        assert_true(H5Awrite(a, H5T_NATIVE_INT, &(int){5}) >= 0);
        assert_true(H5Aclose(a) >= 0);
        each_name(file, d, allowed ? is_done : is_refused);
        write_all(d, values, &status);
        assert_true(status >= 0 && H5Dflush(d) >= 0);
        assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
        assert_memory_equal(values, back, sizeof values);
        assert_true(H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
        file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_int_equal(H5Lexists(file, "e", H5P_DEFAULT), allowed);
        assert_int_equal(H5Lexists(file, "hard", H5P_DEFAULT), allowed);
        assert_int_equal(H5Lexists(file, "d", H5P_DEFAULT), !allowed);
        H5Fclose(file);
    }
    H5Pclose(dcpl);
}

static void old_formats(void **state)
{
    (void)state;
    hid_t dcpl = in_chunks();
    int values[8] = {1, 2, 3, 4};
    herr_t status;
    make_file(H5F_LIBVER_EARLIEST, H5T_NATIVE_INT, dcpl);
    hid_t file = open_file(true), d = H5Dopen2(file, "d", H5P_DEFAULT);
    write_all(d, values, &status);
    assert_refused(status, "version 1 B-tree");
    assert_refused(H5Dset_extent(d, (hsize_t[]){8}), "version 1 B-tree");
    assert_true(H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
    H5Pclose(dcpl);
}

static void elements_in_heaps(void **state)
{
    (void)state;
    hid_t dense = in_chunks(), structured = H5Pcreate(H5P_DATASET_CREATE), type = H5Tcopy(H5T_C_S1);
    const char *texts[4] = {"one", "two", "three", "four"}, *back[4];
    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0);
    assert_true(H5Pset_struct_chunk(structured, 1, (hsize_t[]){3}, H5D_VL_CHUNK) >= 0);
    make_file(H5F_LIBVER_V110, type, dense);
    hid_t file = open_file(true), d = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_refused(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts), "structured chunks");
    hid_t e = make(file, "e", type, structured);
    assert_true(H5Dwrite(e, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    assert_true(H5Dflush(e) >= 0 && H5Dread(e, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    assert_string_equal(back[2], "three");
    hid_t space = H5Dget_space(e);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, back);
    H5Sclose(space);
    assert_true(H5Dclose(e) >= 0 && H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
    H5Tclose(type);
    H5Pclose(dense);
    H5Pclose(structured);
}

static void unfiltered_edges(void **state)
{
    (void)state;
    hid_t dcpl = in_chunks();
    int values[8] = {1, 2, 3, 4};
    herr_t status;
    assert_true(H5Pset_deflate(dcpl, 1) >= 0);
    assert_true(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) >= 0);
    make_file(H5F_LIBVER_V110, H5T_NATIVE_INT, dcpl);
    hid_t file = open_file(false), d = H5Dopen2(file, "d", H5P_DEFAULT);
    write_all(d, values, &status);
    assert_true(status >= 0);
    assert_refused(H5Dset_extent(d, (hsize_t[]){8}), "DONT_FILTER_PARTIAL_CHUNKS");
    assert_true(H5Dclose(d) >= 0 && H5Fclose(file) >= 0);
    H5Pclose(dcpl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(old_formats),
        cmocka_unit_test(elements_in_heaps),
        cmocka_unit_test(unfiltered_edges),
    };
    snprintf(path, sizeof path, "/tmp/tessera-refused-%d.h5", (int)getpid());
    if (H5open() < 0)
        return 1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
