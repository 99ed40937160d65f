/* H5Ocopy where something goes wrong, from several threads, and at volume. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"
#include "unit/cmocka_all.h"

static hid_t in_memory(const char *name)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 65536, 0);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    assert_true(file >= 0);
    return file;
}

static void add_ints(hid_t loc, const char *name, hid_t type, hsize_t n, hsize_t chunk)
{
    hid_t space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    int *v = malloc(n * sizeof *v);
    for (hsize_t i = 0; i < n; i++)
        v[i] = (int)(i * 7 + 1);
    if (chunk) {
        H5Pset_chunk(dcpl, 1, &chunk);
        H5Pset_deflate(dcpl, 3);
    }
    hid_t d = H5Dcreate2(loc, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v), 0);
    free(v);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static bool has_ints(hid_t loc, const char *name, hsize_t n)
{
    int *v = malloc(n * sizeof *v);
    hid_t d = H5Dopen2(loc, name, H5P_DEFAULT);
    bool good = d >= 0 && H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) == 0;
    for (hsize_t i = 0; i < n && good; i++)
        good = v[i] == (int)(i * 7 + 1);
    free(v);
    H5Dclose(d);
    return good;
}

static void add_strings(hid_t loc, const char *name, hsize_t chunk)
{
    const char *text[] = {"one", "", "three and more", "four"};
    hsize_t n = 4;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &n, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Tset_size(type, H5T_VARIABLE);
    if (chunk)
        H5Pset_chunk(dcpl, 1, &chunk);
    hid_t d = H5Dcreate2(loc, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text), 0);
    hid_t a = H5Acreate2(d, "strings", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Awrite(a, type, text), 0);
    H5Aclose(a);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
}

static bool has_strings(hid_t loc, const char *name)
{
    char *text[4] = {NULL}, *again[4] = {NULL};
    hid_t d = H5Dopen2(loc, name, H5P_DEFAULT), type = H5Dget_type(d), space = H5Dget_space(d);
    hid_t a = H5Aopen(d, "strings", H5P_DEFAULT);
    bool good = H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) == 0 && H5Aread(a, type, again) == 0 &&
                strcmp(text[2], "three and more") == 0 && strcmp(again[3], "four") == 0;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, again);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(d);
    return good;
}

static void add_reference(hid_t loc, const char *name, hobj_ref_t ref)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate2(loc, name, H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &ref);
    H5Dclose(d);
    H5Sclose(space);
}

/* Two of everything that copying must take care of. */
static hid_t make_source(void)
{
    hid_t file = in_memory("copy-source"), g = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_NATIVE_INT);
    hobj_ref_t ref;
    H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add_ints(g, "plain", type, 10, 0);
    add_ints(g, "chunks", H5T_NATIVE_INT, 20, 6);
    add_strings(g, "strings", 0);
    add_strings(g, "pieces", 3);
    H5Lcreate_hard(file, "g", g, "self", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("plain", g, "soft", H5P_DEFAULT, H5P_DEFAULT);
    add_ints(file, "outside", H5T_NATIVE_INT, 5, 0);
    H5Rcreate(&ref, file, "outside", H5R_OBJECT, -1);
    add_reference(g, "ref", ref);
    H5Gclose(g);
    H5Tclose(type);
    return file;
}

static void check_copy(hid_t file, const char *path)
{
    hid_t g = H5Gopen2(file, path, H5P_DEFAULT);
    hobj_ref_t ref;
    assert_true(has_ints(g, "plain", 10));
    assert_true(has_ints(g, "chunks", 20));
    assert_true(has_ints(g, "self/self/soft", 10));
    assert_true(has_strings(g, "strings"));
    assert_true(has_strings(g, "pieces"));
    hid_t d = H5Dopen2(g, "ref", H5P_DEFAULT);
    H5Dread(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &ref);
    hid_t there = H5Rdereference2(d, H5P_DEFAULT, H5R_OBJECT, &ref);
    assert_true(has_ints(there, ".", 5));
    H5Dclose(there);
    H5Dclose(d);
    H5Gclose(g);
}

/* Memory that runs out at any point leaves a file that closes, and the source as it was. */
static void test_no_memory(void **state)
{
    (void)state;
    unsigned long n = 1, made;
    herr_t status;
    hid_t source = make_source(), ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    H5Pset_copy_object(ocpypl, H5O_COPY_EXPAND_REFERENCE_FLAG | H5O_COPY_EXPAND_SOFT_LINK_FLAG |
                                   H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
    H5Padd_merge_committed_dtype_path(ocpypl, "/none");
    do {
        hid_t target = in_memory("copy-target");
        ts_alloc_fail_at(n, TS_FAULT_ONCE);
        status = H5Ocopy(source, "g", target, "copy", ocpypl, H5P_DEFAULT);
        made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        if (status == 0)
            check_copy(target, "copy");
        else
            assert_true(n <= made);
        H5Fclose(target);
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 1);
        n += n < 1000 ? 1 : 7;
    } while (status < 0 || n <= made);
    assert_true(n > 300);
    check_copy(source, "g");
    H5Pclose(ocpypl);
    H5Fclose(source);
}

/* A source that cannot be read does no harm to the destination, and nothing of the failed copy stays. */
static void test_bad_source(void **state)
{
    (void)state;
    hid_t source = make_source(), target = in_memory("copy-target"), ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    H5Pset_copy_object(ocpypl, H5O_COPY_EXPAND_REFERENCE_FLAG);
    hid_t g = H5Gopen2(source, "g", H5P_DEFAULT);
    add_reference(g, "wrong", 12345);
    H5Fflush(target, H5F_SCOPE_LOCAL);
    hsize_t before, after;
    H5Fget_filesize(target, &before);
    assert_int_equal(H5Ocopy(source, "g/wrong", target, "copy", ocpypl, H5P_DEFAULT), -1);
    assert_int_equal(H5Lexists(target, "copy", H5P_DEFAULT), 0);
    assert_int_equal(H5Ocopy(source, "g", target, "copy", H5P_DEFAULT, H5P_DEFAULT), 0);
    assert_true(has_ints(target, "copy/chunks", 20));
    assert_int_equal(H5Ldelete(target, "copy", H5P_DEFAULT), 0);
    assert_int_equal(H5Fflush(target, H5F_SCOPE_LOCAL), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(H5Ocopy(source, "g/wrong", target, "copy", ocpypl, H5P_DEFAULT), -1);
    assert_int_equal(H5Fflush(target, H5F_SCOPE_LOCAL), 0);
    H5Fget_filesize(target, &after);
    assert_true(after < before + 65536);
    H5Gclose(g);
    H5Pclose(ocpypl);
    H5Fclose(target);
    H5Fclose(source);
}

static void test_read_only(void **state)
{
    (void)state;
    const char *name = "test-copy-read-only.h5";
    hid_t source = make_source(), file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Ocopy(source, "g/plain", file, "plain", H5P_DEFAULT, H5P_DEFAULT), 0);
    H5Fclose(file);
    file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(H5Ocopy(source, "g/plain", file, "other", H5P_DEFAULT, H5P_DEFAULT), -1);
    assert_int_equal(H5Ocopy(file, "plain", source, "back", H5P_DEFAULT, H5P_DEFAULT), 0);
    assert_true(has_ints(source, "back", 10));
    H5Fclose(file);
    H5Fclose(source);
    unlink(name);
}

/* More than fits in one piece, and more links than one node has. */
static void test_volume(void **state)
{
    (void)state;
    hid_t source = in_memory("copy-source"), target = in_memory("copy-target");
    hid_t g = H5Gcreate2(source, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    char name[32];
    add_ints(g, "large", H5T_NATIVE_INT, 1000000, 0);
    add_ints(g, "pieces", H5T_NATIVE_INT, 100000, 100);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "n%04d", i);
        H5Lcreate_hard(g, i % 2 ? "large" : ".", g, name, H5P_DEFAULT, H5P_DEFAULT);
    }
    assert_int_equal(H5Ocopy(source, "g", target, "c", H5P_DEFAULT, H5P_DEFAULT), 0);
    H5O_info1_t info;
    H5Oget_info_by_name1(target, "c/large", &info, H5P_DEFAULT);
    assert_int_equal(info.rc, 1501);
    H5Oget_info_by_name1(target, "c", &info, H5P_DEFAULT);
    assert_int_equal(info.rc, 1501);
    assert_true(has_ints(target, "c/n0000/n0998/n0999", 1000000));
    assert_true(has_ints(target, "c/pieces", 100000));
    H5Gclose(g);
    H5Fclose(source);
    H5Fclose(target);
}

struct job {
    hid_t from, to;
    int number, failures;
};

static void *copy_many(void *arg)
{
    struct job *job = arg;
    char name[32];
    for (int i = 0; i < 25; i++) {
        snprintf(name, sizeof name, "copy%d-%d", job->number, i);
        job->failures += H5Ocopy(job->from, "g", job->to, name, H5P_DEFAULT, H5P_DEFAULT) < 0;
    }
    return NULL;
}

/* Both ways at once between two files, and inside one. */
static void test_both_ways(void **state)
{
    (void)state;
    hid_t a = make_source(), b = in_memory("copy-target");
    assert_int_equal(H5Ocopy(a, "g", b, "g", H5P_DEFAULT, H5P_DEFAULT), 0);
    struct job jobs[] = {{a, b, 0, 0}, {b, a, 1, 0}, {a, a, 2, 0}};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, copy_many, &jobs[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].failures, 0);
    }
    assert_true(has_ints(b, "copy0-24/plain", 10));
    assert_true(has_strings(a, "copy1-24/pieces"));
    assert_true(has_ints(a, "copy2-24/chunks", 20));
    H5Fclose(a);
    H5Fclose(b);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory), cmocka_unit_test(test_bad_source),
                                       cmocka_unit_test(test_read_only), cmocka_unit_test(test_volume),
                                       cmocka_unit_test(test_both_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
