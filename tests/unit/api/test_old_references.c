/* References of before 1.12 in a file, read as H5T_STD_REF. */
#include "unit/cmocka_all.h"

#include <limits.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"

enum { N = 4, NOTHING = 2 };

static const char file_name[] = "old-references.h5";

/* Of what make_file puts into the file: elements 0 and 1 lead somewhere, 2 nowhere, 3 to the dataset "gone". */
struct old {
    hobj_ref_t objects[N];
    hdset_reg_ref_t regions[N];
};

struct both {
    hdset_reg_ref_t region;
    hobj_ref_t object;
};

struct both_revised {
    H5R_ref_t region, object;
};

static void make_targets(hid_t f, hid_t space)
{
    hid_t data = H5Dcreate2(f, "data", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t gone = H5Dcreate2(f, "gone", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(data >= 0 && gone >= 0 && group >= 0);
    assert_int_equal(H5Dclose(data) | H5Dclose(gone) | H5Gclose(group), 0);
}

static void make_old(hid_t f, struct old *old)
{
    hsize_t n = N, start = 1, count = 2, points[] = {3, 0};
    hid_t space = H5Screate_simple(1, &n, NULL);
    memset(old, 0, sizeof *old);
    make_targets(f, space);
    assert_int_equal(H5Rcreate(&old->objects[0], f, "data", H5R_OBJECT1, -1), 0);
    assert_int_equal(H5Rcreate(&old->objects[1], f, "group", H5R_OBJECT1, -1), 0);
    assert_int_equal(H5Rcreate(&old->objects[3], f, "gone", H5R_OBJECT1, -1), 0);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    assert_int_equal(H5Rcreate(&old->regions[0], f, "data", H5R_DATASET_REGION1, space), 0);
    H5Sselect_elements(space, H5S_SELECT_SET, 2, points);
    assert_int_equal(H5Rcreate(&old->regions[1], f, "data", H5R_DATASET_REGION1, space), 0);
    assert_int_equal(H5Rcreate(&old->regions[3], f, "gone", H5R_DATASET_REGION1, space), 0);
    H5Sclose(space);
}

static void put_dataset(hid_t f, const char *name, hid_t type, hsize_t n, const void *values)
{
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t d = H5Dcreate2(f, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(d >= 0);
    assert_int_equal(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    assert_int_equal(H5Dclose(d) | H5Sclose(space), 0);
}

static void put_attribute(hid_t f, const char *name, hid_t type, hsize_t n, const void *values)
{
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t a = H5Acreate2(f, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0);
    assert_int_equal(H5Awrite(a, type, values), 0);
    assert_int_equal(H5Aclose(a) | H5Sclose(space), 0);
}

static hid_t both_type(size_t size, size_t object_at, hid_t region, hid_t object)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    H5Tinsert(type, "region", 0, region);
    H5Tinsert(type, "object", object_at, object);
    return type;
}

static void put_nested(hid_t f, struct old *old)
{
    struct both both = {.object = old->objects[1]};
    hvl_t sequence = {N - 1, old->regions};
    hid_t vlen = H5Tvlen_create(H5T_STD_REF_DSETREG);
    hid_t compound =
        both_type(sizeof both, offsetof(struct both, object), H5T_STD_REF_DSETREG, H5T_STD_REF_OBJ);
    both.region = old->regions[0];
    put_dataset(f, "vlen", vlen, 1, &sequence);
    put_dataset(f, "compound", compound, 1, &both);
    H5Tclose(vlen);
    H5Tclose(compound);
}

static void make_file(size_t addr_size)
{
    struct old old;
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_sizes(fcpl, addr_size, addr_size);
    hid_t f = H5Fcreate(file_name, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    assert_true(f >= 0);
    make_old(f, &old);
    put_dataset(f, "objects", H5T_STD_REF_OBJ, N, old.objects);
    put_dataset(f, "regions", H5T_STD_REF_DSETREG, N - 1, old.regions);
    put_dataset(f, "lost region", H5T_STD_REF_DSETREG, N, old.regions);
    put_attribute(f, "objects", H5T_STD_REF_OBJ, N, old.objects);
    put_attribute(f, "regions", H5T_STD_REF_DSETREG, N - 1, old.regions);
    put_nested(f, &old);
    assert_int_equal(H5Ldelete(f, "gone", H5P_DEFAULT), 0);
    assert_int_equal(H5Fclose(f) | H5Pclose(fcpl), 0);
}

static void check_object(H5R_ref_t *ref, const char *path, H5I_type_t type)
{
    char name[16];
    assert_int_equal(H5Rget_type(ref), H5R_OBJECT2);
    assert_int_equal(H5Rget_obj_name(ref, H5P_DEFAULT, name, sizeof name), strlen(path));
    assert_string_equal(name, path);
    hid_t object = H5Ropen_object(ref, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Iget_type(object), type);
    assert_int_equal(H5Oclose(object), 0);
}

static void check_region(H5R_ref_t *ref, H5S_sel_type type, hsize_t first, hsize_t last)
{
    char name[16];
    hsize_t low, high;
    assert_int_equal(H5Rget_type(ref), H5R_DATASET_REGION2);
    assert_int_equal(H5Rget_obj_name(ref, H5P_DEFAULT, name, sizeof name), 5);
    assert_string_equal(name, "/data");
    hid_t space = H5Ropen_region(ref, H5P_DEFAULT, H5P_DEFAULT);
    assert_int_equal(H5Sget_select_type(space), type);
    assert_int_equal(H5Sget_select_npoints(space), 2);
    assert_int_equal(H5Sget_select_bounds(space, &low, &high), 0);
    assert_int_equal(low, first);
    assert_int_equal(high, last);
    assert_int_equal(H5Sclose(space), 0);
}

static void check_nothing(H5R_ref_t *ref)
{
    static const H5R_ref_t nothing;
    assert_memory_equal(ref, &nothing, sizeof nothing);
    assert_int_equal(H5Rget_type(ref), 0);
    assert_true(H5Ropen_object(ref, H5P_DEFAULT, H5P_DEFAULT) < 0);
}

static void check_objects(H5R_ref_t *refs)
{
    char name[16];
    check_object(&refs[0], "/data", H5I_DATASET);
    check_object(&refs[1], "/group", H5I_GROUP);
    check_nothing(&refs[NOTHING]);
    assert_int_equal(H5Rget_type(&refs[3]), H5R_OBJECT2);
    assert_true(H5Rget_obj_name(&refs[3], H5P_DEFAULT, name, sizeof name) <= 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(H5Rdestroy(&refs[i]), 0);
}

static void check_regions(H5R_ref_t *refs)
{
    check_region(&refs[0], H5S_SEL_HYPERSLABS, 1, 2);
    check_region(&refs[1], H5S_SEL_POINTS, 0, 3);
    check_nothing(&refs[NOTHING]);
}

static void destroy_regions(H5R_ref_t *refs)
{
    for (int i = 0; i < N - 1; i++)
        assert_int_equal(H5Rdestroy(&refs[i]), 0);
}

static int read_dataset(hid_t f, const char *name, hid_t type, void *values)
{
    hid_t d = H5Dopen2(f, name, H5P_DEFAULT);
    int status = d < 0 ? -1 : H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (d >= 0)
        H5Dclose(d);
    return status;
}

static int read_attribute(hid_t f, const char *name, void *values)
{
    hid_t a = H5Aopen(f, name, H5P_DEFAULT);
    int status = a < 0 ? -1 : H5Aread(a, H5T_STD_REF, values);
    if (a >= 0)
        H5Aclose(a);
    return status;
}

static void check_vlen(hid_t f)
{
    hvl_t sequence;
    hid_t type = H5Tvlen_create(H5T_STD_REF), scalar = H5Screate(H5S_SCALAR);
    assert_int_equal(read_dataset(f, "vlen", type, &sequence), 0);
    assert_int_equal(sequence.len, N - 1);
    check_regions(sequence.p);
    assert_int_equal(H5Treclaim(type, scalar, H5P_DEFAULT, &sequence), 0);
    assert_int_equal(H5Tclose(type) | H5Sclose(scalar), 0);
}

static void check_compound(hid_t f)
{
    struct both_revised both;
    hid_t type = both_type(sizeof both, offsetof(struct both_revised, object), H5T_STD_REF, H5T_STD_REF);
    assert_int_equal(read_dataset(f, "compound", type, &both), 0);
    check_region(&both.region, H5S_SEL_HYPERSLABS, 1, 2);
    check_object(&both.object, "/group", H5I_GROUP);
    assert_int_equal(H5Rdestroy(&both.region) | H5Rdestroy(&both.object), 0);
    H5Tclose(type);
}

static void read_all(size_t addr_size)
{
    H5R_ref_t refs[N];
    make_file(addr_size);
    hid_t f = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(f >= 0);
    memset(refs, 0xff, sizeof refs);
    assert_int_equal(read_dataset(f, "objects", H5T_STD_REF, refs), 0);
    check_objects(refs);
    assert_int_equal(read_attribute(f, "objects", refs), 0);
    check_objects(refs);
    assert_int_equal(read_dataset(f, "regions", H5T_STD_REF, refs), 0);
    check_regions(refs);
    destroy_regions(refs);
    assert_int_equal(read_attribute(f, "regions", refs), 0);
    check_regions(refs);
    destroy_regions(refs);
    check_vlen(f);
    check_compound(f);
    assert_int_equal(H5Fget_obj_count(f, H5F_OBJ_ALL), 1);
    assert_int_equal(H5Fclose(f), 0);
}

static void lead_where_they_led(void **state)
{
    (void)state;
    read_all(8);
}

static void of_short_addresses(void **state)
{
    (void)state;
    read_all(4);
}

/* The selection of a region needs the dataset's extent. Those made before are gone again: the leak checker would see
 * them. */
static void region_of_what_is_gone(void **state)
{
    (void)state;
    H5R_ref_t refs[N];
    make_file(8);
    hid_t f = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(read_dataset(f, "lost region", H5T_STD_REF, refs) < 0);
    assert_int_equal(H5Fclose(f), 0);
}

/* They are as if made now: equal, and written to datasets of the new kind. */
static void as_if_new(void **state)
{
    (void)state;
    H5R_ref_t refs[N], fresh, back[N];
    hsize_t n = N, start = 1, count = 2;
    make_file(8);
    hid_t f = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    assert_int_equal(read_dataset(f, "regions", H5T_STD_REF, refs), 0);
    assert_int_equal(H5Rcreate_region(f, "data", space, H5P_DEFAULT, &fresh), 0);
    assert_int_equal(H5Requal(&refs[0], &fresh), 1);
    put_dataset(f, "revised", H5T_STD_REF, N - 1, refs);
    assert_int_equal(read_dataset(f, "revised", H5T_STD_REF, back), 0);
    check_regions(back);
    destroy_regions(back);
    destroy_regions(refs);
    assert_int_equal(H5Rdestroy(&fresh) | H5Sclose(space) | H5Fclose(f), 0);
}

/* Old references in memory do not say of which file they are, and new ones are more than old ones can say. */
static void other_ways(void **state)
{
    (void)state;
    H5R_ref_t ref = {0};
    assert_true(H5Tconvert(H5T_STD_REF_OBJ, H5T_STD_REF, 1, &ref, NULL, H5P_DEFAULT) < 0);
    assert_true(H5Tconvert(H5T_STD_REF, H5T_STD_REF_OBJ, 1, &ref, NULL, H5P_DEFAULT) < 0);
}

static void memory_runs_out(void **state)
{
    (void)state;
    unsigned long total = 1, failures = 0;
    make_file(8);
    for (unsigned long i = 0; i <= total; i++) {
        H5R_ref_t refs[N];
        ts_alloc_fail_at(i ? i : ULONG_MAX, TS_FAULT_ONCE);
        hid_t f = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
        bool ok = f >= 0 && read_attribute(f, "regions", refs) == 0;
        unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        total = i == 0 ? made : total;
        failures += !ok;
        if (ok) {
            check_regions(refs);
            destroy_regions(refs);
        }
        if (f >= 0)
            H5Fclose(f);
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    }
    assert_true(failures > 20);
}

static int setup(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static int teardown(void **state)
{
    (void)state;
    unlink(file_name);
    return H5close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lead_where_they_led),    cmocka_unit_test(of_short_addresses),
                                       cmocka_unit_test(region_of_what_is_gone), cmocka_unit_test(as_if_new),
                                       cmocka_unit_test(other_ways),             cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
