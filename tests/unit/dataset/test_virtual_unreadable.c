/* Sources of virtual datasets that exist and cannot be read are errors that say which and why; those that do not exist are
 * fill values; and libhdf5's ways are a switch away. */
#include "unit/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf5.h"
#include "unit/said.h"

enum { N = 4, VALUE = 7, FILL = -1 };

static const char *const virtual_name = "vu_virtual.h5", *const source_name = "vu_source.h5";

static void make_source(const char *name)
{
    int values[N] = {VALUE, VALUE, VALUE, VALUE};
    hid_t f = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, (hsize_t[]){N}, NULL);
    hid_t d = H5Dcreate2(f, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("/nowhere", f, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/loop", f, "loop", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("vu_no_file.h5", "/d", f, "to no file", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("vu_noise.h5", "/d", f, "to noise", H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(d);
    H5Sclose(space);
    assert_true(H5Fclose(f) >= 0);
}

static void make_virtual(const char *file, const char *dset)
{
    int fill = FILL;
    hid_t f = H5Fcreate(virtual_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, (hsize_t[]){N}, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    assert_true(H5Pset_virtual(dcpl, space, file, dset, space) >= 0);
    hid_t d = H5Dcreate2(f, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    assert_true(H5Fclose(f) >= 0);
}

static hid_t list_of(H5D_vds_unreadable_t how)
{
    H5D_vds_unreadable_t back;
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    assert_true(H5Pset_virtual_unreadable(dapl, how) >= 0);
    assert_true(H5Pget_virtual_unreadable(dapl, &back) >= 0);
    assert_int_equal(back, how);
    return dapl;
}

/* The common value of all elements, or 0 when reading fails. */
static int read_all(H5D_vds_unreadable_t how)
{
    int values[N] = {99, 99, 99, 99};
    hid_t dapl = list_of(how), f = H5Fopen(virtual_name, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "v", dapl);
    herr_t status;
    assert_true(d >= 0);
    H5E_BEGIN_TRY
    {
        status = H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5E_END_TRY;
    if (status < 0)
        said();
    H5Dclose(d);
    H5Pclose(dapl);
    H5Fclose(f);
    for (int i = 1; i < N && status >= 0; i++)
        assert_int_equal(values[i], values[0]);
    return status < 0 ? 0 : values[0];
}

static void assert_unreadable(const char *file, const char *dset, const char *why)
{
    char words[200];
    snprintf(words, sizeof words, "dataset '%s' of file '%s', a source of the virtual dataset '/v'", dset, file);
    make_virtual(file, dset);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), 0);
    if (!strstr(said_text, words) || !strstr(said_text, why))
        fail_msg("'%s' and '%s' are not in: %s", words, why, said_text);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_FILL), FILL);
    assert_int_equal(setenv("TESSERA_VDS_UNREADABLE", "fill", 1), 0);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), FILL);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_FAIL), 0);
    unsetenv("TESSERA_VDS_UNREADABLE");
}

static void assert_missing(const char *file, const char *dset)
{
    make_virtual(file, dset);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), FILL);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_FAIL), FILL);
}

static void write_noise(const char *name, size_t n)
{
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
}

static void what_does_not_exist_is_fill_values(void **state)
{
    (void)state;
    make_source(source_name);
    make_virtual(source_name, "d");
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), VALUE);
    assert_missing("vu_no_file.h5", "d");
    assert_missing("vu_no_folder/vu_no_file.h5", "d");
    assert_missing("vu_source.h5/below_a_file.h5", "d");
    assert_missing(source_name, "no dataset");
    assert_missing(source_name, "no group/no dataset");
    assert_missing(source_name, "dangling");
    assert_missing(source_name, "to no file");
    assert_missing(".", "no dataset");
}

static void files_that_are_none_of_ours(void **state)
{
    (void)state;
    write_noise("vu_noise.h5", 1000);
    write_noise("vu_empty.h5", 0);
    mkdir("vu_folder.h5", 0777);
    make_source("vu_cut.h5");
    assert_int_equal(truncate("vu_cut.h5", 700), 0);
    assert_unreadable("vu_noise.h5", "d", "vu_noise.h5");
    assert_unreadable("vu_empty.h5", "d", "vu_empty.h5");
    assert_unreadable("vu_folder.h5", "d", "errno = 21");
    assert_unreadable("vu_cut.h5", "d", "truncated file");
    remove("vu_empty.h5");
    remove("vu_cut.h5");
    rmdir("vu_folder.h5");
}

static void objects_that_are_no_datasets(void **state)
{
    (void)state;
    make_source(source_name);
    assert_unreadable(source_name, "group", "");
    assert_unreadable(source_name, "loop", "too many links");
    assert_unreadable(source_name, "to noise", "vu_noise.h5");
    assert_unreadable(".", "group", "");
}

static void a_damaged_dataset(void **state)
{
    (void)state;
    H5O_info1_t info;
    make_source(source_name);
    hid_t f = H5Fopen(source_name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Oget_info_by_name1(f, "d", &info, H5P_DEFAULT) >= 0);
    H5Fclose(f);
    int fd = open(source_name, O_RDWR);
    assert_int_equal(pwrite(fd, "\x63\x63\x63\x63", 4, (off_t)info.addr), 4);
    close(fd);
    assert_unreadable(source_name, "d", "");
}

static void one_that_another_has_locked(void **state)
{
    (void)state;
    make_source(source_name);
    int fd = open(source_name, O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_unreadable(source_name, "d", "unable to lock file");
    close(fd);
}

/* Nobody sees a source that a virtual dataset has open: it is read whatever the application's degree is. */
static void one_that_is_open_with_any_degree(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    make_source(source_name);
    for (int degree = H5F_CLOSE_DEFAULT; degree <= H5F_CLOSE_STRONG; degree++) {
        assert_true(H5Pset_fclose_degree(fapl, (H5F_close_degree_t)degree) >= 0);
        hid_t f = H5Fopen(source_name, H5F_ACC_RDONLY, fapl);
        make_virtual(source_name, "d");
        assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), VALUE);
        H5Fclose(f);
    }
    H5Pclose(fapl);
}

static void assert_degree(hid_t file, H5F_close_degree_t expected)
{
    H5F_close_degree_t degree;
    hid_t fapl = H5Fget_access_plist(file);
    assert_true(H5Pget_fclose_degree(fapl, &degree) >= 0);
    assert_int_equal(degree, expected);
    H5Pclose(fapl);
}

static int read_values(hid_t d, int values[N])
{
    return H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

/* While a virtual dataset has its source open the application opens that with any degree, one after the other. */
static void opened_with_any_degree_beside_the_dataset(void **state)
{
    (void)state;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), other = H5Pcreate(H5P_FILE_ACCESS);
    int values[N] = {0};
    make_source(source_name);
    make_virtual(source_name, "d");
    hid_t v = H5Fopen(virtual_name, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(v, "v", H5P_DEFAULT);
    assert_int_equal(read_values(d, values), 0);
    for (int degree = H5F_CLOSE_STRONG; degree >= H5F_CLOSE_WEAK; degree--) {
        assert_true(H5Pset_fclose_degree(fapl, (H5F_close_degree_t)degree) >= 0);
        assert_true(H5Pset_fclose_degree(other, (H5F_close_degree_t)(degree % 3 + 1)) >= 0);
        hid_t f = H5Fopen(source_name, H5F_ACC_RDONLY, fapl), again = H5Freopen(f), group = H5Gopen2(again, "group", H5P_DEFAULT);
        assert_degree(f, (H5F_close_degree_t)degree);
        assert_true(H5Fopen(source_name, H5F_ACC_RDONLY, other) < 0);
        assert_int_equal(H5Fclose(f), 0);
        assert_true(H5Fopen(source_name, H5F_ACC_RDONLY, other) < 0);
        assert_int_equal(H5Gclose(group), 0);
        assert_int_equal(H5Fclose(again), 0);
        assert_int_equal(read_values(d, values), 0);
        assert_int_equal(values[N - 1], VALUE);
    }
    H5Dclose(d);
    H5Fclose(v);
    H5Pclose(fapl);
    H5Pclose(other);
}

static void no_permission(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    make_source(source_name);
    make_virtual(source_name, "d");
    assert_int_equal(chmod(source_name, 0), 0);
    assert_int_equal(seteuid(65534), 0);
    int found = read_all(H5D_VDS_UNREADABLE_DEFAULT), filled = read_all(H5D_VDS_UNREADABLE_FILL);
    assert_int_equal(seteuid(0), 0);
    chmod(source_name, 0666);
    assert_int_equal(found, 0);
    assert_non_null(strstr(said_text, "errno = 13"));
    assert_int_equal(filled, FILL);
}

static void no_file_descriptor(void **state)
{
    (void)state;
    struct rlimit before, none;
    int values[N];
    make_source(source_name);
    make_virtual(source_name, "d");
    hid_t f = H5Fopen(virtual_name, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "v", H5P_DEFAULT);
    int next = open("/dev/null", O_RDONLY);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    herr_t status;
    H5E_BEGIN_TRY
    {
        status = H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5E_END_TRY;
    said();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(status < 0);
    assert_non_null(strstr(said_text, "errno = 24"));
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_int_equal(values[0], VALUE);
    H5Dclose(d);
    H5Fclose(f);
}

/* A file that opens in a later place is the source. */
static void the_search_goes_on(void **state)
{
    (void)state;
    mkdir("vu_prefix", 0777);
    write_noise("vu_prefix/vu_source.h5", 100);
    make_source(source_name);
    make_virtual(source_name, "d");
    setenv("HDF5_VDS_PREFIX", "vu_prefix", 1);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), VALUE);
    remove(source_name);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), 0);
    assert_non_null(strstr(said_text, "vu_prefix/vu_source.h5"));
    unsetenv("HDF5_VDS_PREFIX");
    remove("vu_prefix/vu_source.h5");
    rmdir("vu_prefix");
}

static void make_following(const char *file, bool blocks)
{
    hsize_t zero = 0, one = 1, n = N, no_limit = H5S_UNLIMITED;
    int fill = FILL;
    hid_t f = H5Fcreate(virtual_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t dst = H5Screate_simple(1, &zero, &no_limit), src = H5Screate_simple(1, blocks ? &n : &zero, blocks ? NULL : &no_limit);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    if (blocks) {
        H5Sselect_hyperslab(dst, H5S_SELECT_SET, &zero, &n, &no_limit, &n);
    } else {
        H5Sselect_hyperslab(dst, H5S_SELECT_SET, &zero, NULL, &one, &no_limit);
        H5Sselect_hyperslab(src, H5S_SELECT_SET, &zero, NULL, &one, &no_limit);
    }
    assert_true(H5Pset_virtual(dcpl, dst, file, "d", src) >= 0);
    hid_t d = H5Dcreate2(f, "v", H5T_NATIVE_INT, dst, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(src);
    H5Sclose(dst);
    H5Fclose(f);
}

/* How long the dataset is; -1 when nobody can tell. */
static long long length(H5D_vds_unreadable_t how, hsize_t gap)
{
    hsize_t dims[1] = {0};
    hid_t dapl = list_of(how);
    H5Pset_virtual_printf_gap(dapl, gap);
    hid_t f = H5Fopen(virtual_name, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "v", dapl), space;
    assert_true(d >= 0);
    H5E_BEGIN_TRY
    {
        space = H5Dget_space(d);
    }
    H5E_END_TRY;
    if (space < 0)
        said();
    else
        H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space >= 0 ? space : H5Screate(H5S_SCALAR));
    H5Dclose(d);
    H5Pclose(dapl);
    H5Fclose(f);
    return space < 0 ? -1 : (long long)dims[0];
}

static void extents_that_follow_sources(void **state)
{
    (void)state;
    write_noise("vu_noise.h5", 1000);
    make_following("vu_noise.h5", false);
    assert_int_equal(length(H5D_VDS_UNREADABLE_DEFAULT, 0), -1);
    assert_non_null(strstr(said_text, "vu_noise.h5"));
    assert_int_equal(length(H5D_VDS_UNREADABLE_FILL, 0), 0);
    make_following("vu_no_file.h5", false);
    assert_int_equal(length(H5D_VDS_UNREADABLE_DEFAULT, 0), 0);

    make_following("vu_block%b.h5", true);
    make_source("vu_block0.h5");
    make_source("vu_block2.h5");
    assert_int_equal(length(H5D_VDS_UNREADABLE_DEFAULT, 0), N);
    assert_int_equal(length(H5D_VDS_UNREADABLE_DEFAULT, 1), 3 * N);
    write_noise("vu_block1.h5", 1000);
    assert_int_equal(length(H5D_VDS_UNREADABLE_DEFAULT, 1), -1);
    assert_non_null(strstr(said_text, "vu_block1.h5"));
    assert_int_equal(length(H5D_VDS_UNREADABLE_FILL, 0), N);
    assert_int_equal(length(H5D_VDS_UNREADABLE_FILL, 1), 3 * N);
    remove("vu_block0.h5");
    remove("vu_block1.h5");
    remove("vu_block2.h5");
}

static void writing_says_which_source(void **state)
{
    (void)state;
    int values[N] = {1, 2, 3, 4};
    write_noise("vu_noise.h5", 1000);
    const char *const files[] = {"vu_noise.h5", "vu_no_file.h5"},
                     *const words[] = {"dataset 'd' of file 'vu_noise.h5'", "unmapped portion"};
    for (int i = 0; i < 2; i++) {
        make_virtual(files[i], "d");
        hid_t f = H5Fopen(virtual_name, H5F_ACC_RDWR, H5P_DEFAULT), d = H5Dopen2(f, "v", H5P_DEFAULT);
        H5E_BEGIN_TRY
        {
            assert_true(H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0);
        }
        H5E_END_TRY;
        assert_says(words[i]);
        H5Dclose(d);
        H5Fclose(f);
    }
}

/* The switch is the dataset's: it holds for sources of its sources, and is in encoded lists only when set. */
static void the_switch_is_handed_down(void **state)
{
    (void)state;
    write_noise("vu_noise.h5", 1000);
    make_virtual("vu_noise.h5", "d");
    assert_int_equal(rename(virtual_name, "vu_inner.h5"), 0);
    make_virtual("vu_inner.h5", "v");
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_DEFAULT), 0);
    assert_int_equal(read_all(H5D_VDS_UNREADABLE_FILL), FILL);
    remove("vu_inner.h5");

    char bytes[2048];
    size_t size = sizeof bytes;
    H5D_vds_unreadable_t back;
    hid_t dapl = list_of(H5D_VDS_UNREADABLE_FILL);
    assert_true(H5Pencode1(dapl, bytes, &size) >= 0);
    hid_t copy = H5Pdecode(bytes);
    assert_true(H5Pget_virtual_unreadable(copy, &back) >= 0);
    assert_int_equal(back, H5D_VDS_UNREADABLE_FILL);
    H5E_BEGIN_TRY
    {
        assert_true(H5Pset_virtual_unreadable(dapl, (H5D_vds_unreadable_t)3) < 0);
    }
    H5E_END_TRY;
    H5Pclose(copy);
    H5Pclose(dapl);
    remove("vu_noise.h5");
    remove(source_name);
    remove(virtual_name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_exist_is_fill_values),
        cmocka_unit_test(files_that_are_none_of_ours),
        cmocka_unit_test(objects_that_are_no_datasets),
        cmocka_unit_test(a_damaged_dataset),
        cmocka_unit_test(one_that_another_has_locked),
        cmocka_unit_test(one_that_is_open_with_any_degree),
        cmocka_unit_test(opened_with_any_degree_beside_the_dataset),
        cmocka_unit_test(no_permission),
        cmocka_unit_test(no_file_descriptor),
        cmocka_unit_test(the_search_goes_on),
        cmocka_unit_test(extents_that_follow_sources),
        cmocka_unit_test(writing_says_which_source),
        cmocka_unit_test(the_switch_is_handed_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
