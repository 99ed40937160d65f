/* Filters of the application that call the library: what cannot be is an error, never a wait for oneself, and the file is
 * none the worse for it. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hdf5.h"

enum { FILTER = 301, LINKS = 40, VALUES = 64 };

static char path[100], other[110];
static hid_t file, dset;
static unsigned runs, good; /* good: calls that went through though they should not */
static void (*from_inside)(void);

static size_t filter(unsigned flags, size_t n, const unsigned values[], size_t size, size_t *capacity, void **buf)
{
    (void)flags, (void)n, (void)values, (void)capacity, (void)buf;
    runs++;
    if (from_inside) {
        H5E_BEGIN_TRY
        {
            from_inside();
        }
        H5E_END_TRY
    }
    return size;
}

static void use_files(void)
{
    good += H5Lexists(file, "plain", H5P_DEFAULT) >= 0;
    good += H5Gcreate2(file, "no", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    good += H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    good += H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    good += H5Idec_ref(file) >= 0;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    good += list < 0 || H5Pclose(list) < 0;
}

static void flush(void)
{
    good += H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    good += H5Dflush(dset) >= 0;
}

static void filters_of_metadata_get_to_no_file(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_link_phase_change(gcpl, 0, 0);
    assert_true(H5Pset_filter(gcpl, FILTER, 0, 0, NULL) >= 0);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT);
    char name[20];
    runs = good = 0;
    from_inside = use_files;
    for (int i = 0; i < LINKS; i++) {
        sprintf(name, "link %d", i);
        assert_int_equal(H5Lcreate_soft("/to", group, name, H5P_DEFAULT, H5P_DEFAULT), 0);
    }
    assert_int_equal(H5Gclose(group), 0);
    assert_int_equal(H5Fclose(file), 0);
    unsigned written = runs;
    file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    for (int i = 0; i < LINKS; i++) {
        sprintf(name, "g/link %d", i);
        assert_int_equal(H5Lexists(file, name, H5P_DEFAULT), 1);
    }
    assert_int_equal(H5Lexists(file, "no", H5P_DEFAULT), 0);
    from_inside = NULL;
    assert_int_equal(H5Fclose(file), 0);
    assert_true(written > 0);
    assert_true(runs > written);
    assert_int_equal(good, 0);
    H5Pclose(fapl);
    H5Pclose(gcpl);
}

static void filters_of_chunks_cannot_flush(void **state)
{
    (void)state;
    const hsize_t dims = VALUES, chunk = 16;
    int data[VALUES], back[VALUES];
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    H5Pset_filter(dcpl, FILTER, 0, 0, NULL);
    dset = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    runs = good = 0;
    from_inside = flush;
    for (int i = 0; i < VALUES; i++)
        data[i] = i * 3;
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    assert_int_equal(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    assert_int_equal(H5Dclose(dset), 0);
    assert_int_equal(H5Fclose(file), 0);
    assert_int_equal(runs, VALUES / 16);
    assert_int_equal(good, 0);
    from_inside = NULL;
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dset = H5Dopen2(file, "d", H5P_DEFAULT);
    assert_int_equal(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back), 0);
    assert_memory_equal(data, back, sizeof data);
    H5Dclose(dset);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static int setup(void **state)
{
    const H5Z_class2_t cls = {.version = H5Z_CLASS_T_VERS, .id = FILTER, .encoder_present = 1, .decoder_present = 1, .filter = filter};
    (void)state;
    snprintf(path, sizeof path, "/tmp/tessera-filter-calls-%d.h5", (int)getpid());
    snprintf(other, sizeof other, "%s.other", path);
    return H5Zregister(&cls);
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filters_of_metadata_get_to_no_file),
                                       cmocka_unit_test(filters_of_chunks_cannot_flush)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
