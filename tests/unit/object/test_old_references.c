/* References of today written where old ones are stored, and read again as both. */
#include "unit/cmocka_all.h"

#include <string.h>

#include "hdf5.h"

enum { N = 3 };

static const char name[] = "old-references.h5";

struct fixture {
    hid_t file, space, extent;
    H5R_ref_t objects[N], regions[N], attribute;
};

static hid_t part(const struct fixture *x, hsize_t start, hsize_t count)
{
    hid_t space = H5Scopy(x->extent);
    assert_int_equal(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL), 0);
    return space;
}

static void make_region(struct fixture *x, int i, hsize_t start, hsize_t count)
{
    hid_t space = part(x, start, count);
    assert_int_equal(H5Rcreate_region(x->file, "d", space, H5P_DEFAULT, &x->regions[i]), 0);
    H5Sclose(space);
}

/* The last reference of each kind leads to nothing. */
static void setup(struct fixture *x, H5F_libver_t low)
{
    hsize_t n = N, extent = 100;
    memset(x, 0, sizeof *x);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST);
    x->file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    x->space = H5Screate_simple(1, &n, NULL);
    x->extent = H5Screate_simple(1, &extent, NULL);
    hid_t d = H5Dcreate2(x->file, "d", H5T_STD_I8LE, x->extent, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t a = H5Acreate2(d, "at", H5T_STD_I8LE, x->space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0);
    H5Aclose(a);
    H5Dclose(d);
    H5Pclose(fapl);
    assert_int_equal(H5Rcreate_object(x->file, "d", H5P_DEFAULT, &x->objects[0]), 0);
    assert_int_equal(H5Rcreate_object(x->file, "/", H5P_DEFAULT, &x->objects[1]), 0);
    assert_int_equal(H5Rcreate_attr(x->file, "d", "at", H5P_DEFAULT, &x->attribute), 0);
    make_region(x, 0, 3, 4);
    make_region(x, 1, 50, 50);
}

static void teardown(struct fixture *x)
{
    for (int i = 0; i < 2; i++) {
        H5Rdestroy(&x->objects[i]);
        H5Rdestroy(&x->regions[i]);
    }
    H5Rdestroy(&x->attribute);
    H5Sclose(x->space);
    H5Sclose(x->extent);
    assert_int_equal(H5Fclose(x->file), 0);
    remove(name);
}

static hid_t create(const struct fixture *x, const char *path, hid_t type, int chunked)
{
    hsize_t chunk = 2;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked)
        H5Pset_chunk(dcpl, 1, &chunk);
    hid_t d = H5Dcreate2(x->file, path, type, x->space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Pclose(dcpl);
    return d;
}

static void check_object(hid_t d, const hobj_ref_t *ref, const char *expected)
{
    char found[10] = "";
    assert_true(H5Rget_name(d, H5R_OBJECT, ref, found, sizeof found) >= 0);
    assert_string_equal(found, expected);
}

static void check_objects(const struct fixture *x, hid_t d)
{
    hobj_ref_t old[N];
    H5R_ref_t revised[N];
    assert_int_equal(H5Dread(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, old), 0);
    check_object(d, &old[0], "/d");
    check_object(d, &old[1], "/");
    assert_int_equal(old[2], 0);
    assert_int_equal(H5Dread(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, revised), 0);
    for (int i = 0; i < N; i++) {
        assert_true(H5Requal(&revised[i], &x->objects[i]) > 0);
        H5Rdestroy(&revised[i]);
    }
}

static void check_region(hid_t d, const hdset_reg_ref_t *ref, hsize_t start, hsize_t end)
{
    hsize_t low, high;
    hid_t space = H5Rget_region(d, H5R_DATASET_REGION, ref);
    assert_int_equal(H5Sget_select_bounds(space, &low, &high), 0);
    assert_int_equal(low, start);
    assert_int_equal(high, end);
    H5Sclose(space);
}

static void check_regions(const struct fixture *x, hid_t d)
{
    static const hdset_reg_ref_t nothing;
    hdset_reg_ref_t old[N];
    H5R_ref_t revised[N];
    assert_int_equal(H5Dread(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, old), 0);
    check_region(d, &old[0], 3, 6);
    check_region(d, &old[1], 50, 99);
    assert_memory_equal(&old[2], &nothing, sizeof nothing);
    assert_int_equal(H5Dread(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, revised), 0);
    for (int i = 0; i < N; i++) {
        assert_true(H5Requal(&revised[i], &x->regions[i]) > 0);
        H5Rdestroy(&revised[i]);
    }
}

static hid_t reopen(struct fixture *x, hid_t d, const char *path)
{
    assert_int_equal(H5Dclose(d), 0);
    assert_int_equal(H5Fflush(x->file, H5F_SCOPE_LOCAL), 0);
    return H5Dopen2(x->file, path, H5P_DEFAULT);
}

static void write_and_check(struct fixture *x, int chunked)
{
    const char *paths[] = {chunked ? "objects in chunks" : "objects", chunked ? "regions in chunks" : "regions"};
    hid_t d = create(x, paths[0], H5T_STD_REF_OBJ, chunked);
    assert_int_equal(H5Dwrite(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, x->objects), 0);
    d = reopen(x, d, paths[0]);
    check_objects(x, d);
    H5Dclose(d);
    d = create(x, paths[1], H5T_STD_REF_DSETREG, chunked);
    assert_int_equal(H5Dwrite(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, x->regions), 0);
    d = reopen(x, d, paths[1]);
    check_regions(x, d);
    H5Dclose(d);
}

static void test_written(void **state)
{
    (void)state;
    const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V110, H5F_LIBVER_V200};
    for (int i = 0; i < 3; i++) {
        struct fixture x;
        setup(&x, lows[i]);
        write_and_check(&x, 0);
        write_and_check(&x, 1);
        teardown(&x);
    }
}

static void test_attribute_and_compound(void **state)
{
    (void)state;
    struct fixture x;
    hobj_ref_t old[N];
    setup(&x, H5F_LIBVER_EARLIEST);
    hid_t a = H5Acreate2(x.file, "objects", H5T_STD_REF_OBJ, x.space, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Awrite(a, H5T_STD_REF, x.objects), 0);
    assert_int_equal(H5Aread(a, H5T_STD_REF_OBJ, old), 0);
    check_object(x.file, &old[1], "/");
    H5Aclose(a);
    hid_t stored = H5Tcreate(H5T_COMPOUND, 8), memory = H5Tcreate(H5T_COMPOUND, sizeof(H5R_ref_t));
    H5Tinsert(stored, "one", 0, H5T_STD_REF_OBJ);
    H5Tinsert(memory, "one", 0, H5T_STD_REF);
    hid_t d = create(&x, "compounds", stored, 0);
    assert_int_equal(H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.objects), 0);
    assert_int_equal(H5Dread(d, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, old), 0);
    check_object(d, &old[0], "/d");
    check_object(d, &old[1], "/");
    assert_int_equal(old[2], 0);
    H5Tclose(stored);
    H5Tclose(memory);
    H5Dclose(d);
    teardown(&x);
}

/* Nothing is cut down to what an old reference can say: what is there stays. */
static void test_refused(void **state)
{
    (void)state;
    struct fixture x;
    H5R_ref_t mixed[N];
    setup(&x, H5F_LIBVER_EARLIEST);
    hid_t objects = create(&x, "objects", H5T_STD_REF_OBJ, 0), regions = create(&x, "regions", H5T_STD_REF_DSETREG, 0);
    assert_int_equal(H5Dwrite(objects, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.objects), 0);
    assert_int_equal(H5Dwrite(regions, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.regions), 0);
    memset(mixed, 0, sizeof mixed);
    mixed[0] = x.attribute;
    assert_true(H5Dwrite(objects, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, mixed) < 0);
    assert_true(H5Dwrite(objects, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.regions) < 0);
    assert_true(H5Dwrite(regions, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.objects) < 0);
    hid_t other = H5Fcreate("old-references-other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Rcreate_object(other, "/", H5P_DEFAULT, &mixed[0]), 0);
    assert_true(H5Dwrite(objects, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, mixed) < 0);
    H5Rdestroy(&mixed[0]);
    H5Fclose(other);
    remove("old-references-other.h5");
    check_objects(&x, objects);
    check_regions(&x, regions);
    H5Dclose(objects);
    H5Dclose(regions);
    teardown(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_attribute_and_compound),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
