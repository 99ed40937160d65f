/* The disk is full for a while: writing and flushing say so, and work again once there is room. */
#include "unit/cmocka_all.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hdf5.h"

#define FILE_NAME "write_full.h5"
#define N 200000

static void limit(rlim_t bytes)
{
    struct rlimit l;
    getrlimit(RLIMIT_FSIZE, &l);
    l.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

static int data[N], back[N];

static hid_t create(hid_t file, const char *name, hsize_t chunk, int filter)
{
    hsize_t n = N, max = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &n, chunk ? &max : NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(dcpl, 1, &chunk);
    if (filter)
        H5Pset_fletcher32(dcpl);
    hid_t d = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return d;
}

static herr_t write_part(hid_t d, hsize_t first, hsize_t n)
{
    hid_t space = H5Dget_space(d), mem = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL);
    herr_t status = H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, data + first);
    H5Sclose(mem);
    H5Sclose(space);
    return status;
}

static void run(const char *name, hsize_t chunk, int filter)
{
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), d = create(file, name, chunk, filter);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    limit(100000);
    /* What fits into memory waits there; then it is the flush that fails. */
    assert_true(write_part(d, 0, N) < 0 || H5Fflush(file, H5F_SCOPE_LOCAL) < 0);
    herr_t status = 0;
    for (hsize_t at = 1; status >= 0 && at < N; at += 2500)
        status = write_part(d, at, 1000);
    assert_true(status < 0 || H5Fflush(file, H5F_SCOPE_LOCAL) < 0);
    limit(RLIM_INFINITY);
    assert_true(write_part(d, 0, N) >= 0);
    assert_true(H5Dclose(d) >= 0);
    assert_true(H5Fclose(file) >= 0);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    d = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    assert_memory_equal(back, data, sizeof data);
    H5Dclose(d);
    H5Fclose(file);
    unlink(FILE_NAME);
}

static void test_full(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int i = 0; i < N; i++)
        data[i] = i * 31;
    run("contiguous", 0, 0);
    run("chunked", 3000, 0);
    run("filtered", 3000, 1);
    run("large chunks", 90000, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
