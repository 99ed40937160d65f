/* Every allocation fails once while a file with all layouts is opened and read: an error, no leak, no crash; and what is
 * read when nothing fails is right. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"

#define FILE_NAME "dataset_faults.h5"

/* Made by stock libhdf5, through h5py. */
static const char script[] =
    "import h5py, numpy as np\n"
    "f = h5py.File('" FILE_NAME "', 'w', libver='latest')\n"
    "a = np.arange(60, dtype='>i4').reshape(6, 10)\n"
    "f['contiguous'] = a\n"
    "f.create_dataset('chunked', data=a, chunks=(4, 3))\n"
    "f.create_dataset('filtered', data=a, chunks=(4, 3), compression='gzip', shuffle=True, fletcher32=True)\n"
    "f.create_dataset('growing', data=a, chunks=(4, 3), maxshape=(None, None))\n"
    "f.create_dataset('missing', (6, 10), '>i4', chunks=(4, 3), fillvalue=7)\n"
    "f.create_dataset('external', data=a, external=[('" FILE_NAME ".raw', 0, h5py.h5f.UNLIMITED)])\n"
    "l = h5py.VirtualLayout((6, 10), '>i4')\n"
    "l[:3] = h5py.VirtualSource('.', 'chunked', (6, 10))[:3]\n"
    "l[4:] = h5py.VirtualSource('.', 'filtered', (6, 10))[4:]\n"
    "f.create_virtual_dataset('virtual', l, fillvalue=7)\n"
    "f.close()\n";

static int make_file(void **state)
{
    (void)state;
    FILE *p = popen("/usr/bin/python3 -", "w");
    if (!p)
        return -1;
    fputs(script, p);
    return pclose(p) == 0 ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(FILE_NAME);
    unlink(FILE_NAME ".raw");
    return 0;
}

static bool sources_may_be_missing;

static int expected(const char *name, int i)
{
    if (strcmp(name, "missing") == 0)
        return 7;
    return strcmp(name, "virtual") == 0 && i / 10 == 3 ? 7 : i;
}

/* 0, or negative when something failed. How: 0 all, 1 strided, 2 points in falling order. */
static int read_and_check(hid_t ds, const char *name, int how)
{
    int buf[60], status = -1;
    hsize_t start[2] = {1, 1}, stride[2] = {2, 3}, count[2] = {2, 3}, n = 6, points[12];
    hid_t file = H5Dget_space(ds), mem = how ? H5Screate_simple(1, &n, NULL) : H5Dget_space(ds);
    for (int i = 0; i < 6; i++) {
        points[2 * i] = (hsize_t)(5 - i);
        points[2 * i + 1] = (hsize_t)(i * 7 % 10);
    }
    if (file < 0 || mem < 0)
        goto done;
    if (how == 1 && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, stride, count, NULL) < 0)
        goto done;
    if (how == 2 && H5Sselect_elements(file, H5S_SELECT_SET, 6, points) < 0)
        goto done;
    status = H5Dread(ds, H5T_NATIVE_INT, mem, file, H5P_DEFAULT, buf);
    for (int i = 0; status >= 0 && i < (how ? 6 : 60); i++) {
        int at = how == 0 ? i : how == 1 ? (1 + i / 3 * 2) * 10 + 1 + i % 3 * 3 : (int)(points[2 * i] * 10 + points[2 * i + 1]);
        if (!sources_may_be_missing || buf[i] != 7)
            assert_int_equal(buf[i], expected(name, at));
    }
done:
    H5Sclose(file);
    H5Sclose(mem);
    return status;
}

static int use_dataset(const char *name)
{
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t ds = file < 0 ? -1 : H5Dopen2(file, name, H5P_DEFAULT), dcpl = ds < 0 ? -1 : H5Dget_create_plist(ds);
    int status = dcpl < 0 ? -1 : 0;
    for (int how = 0; status >= 0 && how < 3; how++)
        status = read_and_check(ds, name, how);
    if (dcpl >= 0)
        H5Pclose(dcpl);
    if (ds >= 0)
        H5Dclose(ds);
    if (file >= 0)
        H5Fclose(file);
    return status;
}

static void every_allocation_fails(const char *name, enum ts_alloc_fault mode)
{
    unsigned failures = 0;
    for (unsigned long n = 1;; n++) {
        ts_alloc_fail_at(n, mode);
        int status = use_dataset(name);
        unsigned long made = ts_alloc_fail_at(0, mode);
        failures += status < 0;
        if (made < n) {
            assert_int_equal(status, 0);
            break;
        }
    }
    /* Closing allocates a little too, and cannot fail for it. */
    assert_true(failures > 20);
    assert_int_equal(use_dataset(name), 0);
}

static const char *const names[] = {"contiguous", "chunked", "filtered", "growing", "missing", "external"};

static void right_without_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(use_dataset(names[i]), 0);
    assert_int_equal(use_dataset("virtual"), 0);
}

static void from_the_nth_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        every_allocation_fails(names[i], TS_FAULT_FROM);
}

static void only_the_nth(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        every_allocation_fails(names[i], TS_FAULT_ONCE);
    /* A source that cannot be opened is missing, so some faults give the fill value. */
    sources_may_be_missing = true;
    every_allocation_fails("virtual", TS_FAULT_ONCE);
    sources_may_be_missing = false;
}

static int setup(void **state)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return make_file(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_without_faults),
        cmocka_unit_test(from_the_nth_on),
        cmocka_unit_test(only_the_nth),
    };
    return cmocka_run_group_tests(tests, setup, remove_file);
}
