/* Every allocation fails once while datasets of all layouts are written: errors, no leak, no crash. Everything closes, and
 * the file has what was flushed; an element written since is old or new. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "hdf5.h"

#define FILE_NAME "write_faults.h5"
#define N 60

enum { COMPACT, CONTIGUOUS, CHUNKED, FILTERED, TEXT, SETS };

static hid_t type_of(int set)
{
    if (set != TEXT)
        return H5Tcopy(set == FILTERED ? H5T_STD_I16BE : H5T_NATIVE_INT);
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    return t;
}

static hid_t create(hid_t file, int set)
{
    char name[20];
    hsize_t n = N, max = H5S_UNLIMITED, chunk = 7;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), type = type_of(set);
    hid_t space = H5Screate_simple(1, &n, set == CHUNKED || set == FILTERED ? &max : NULL);
    if (set == COMPACT)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (set == CHUNKED || set == FILTERED)
        H5Pset_chunk(dcpl, 1, &chunk);
    if (set == FILTERED)
        H5Pset_deflate(dcpl, 1);
    snprintf(name, sizeof name, "set%d", set);
    hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(dcpl);
    return d;
}

static bool write_value(hid_t d, int set, int value)
{
    int numbers[N];
    const char *texts[N];
    for (int i = 0; i < N; i++) {
        numbers[i] = value;
        texts[i] = value == 1 ? "one" : "two and more";
    }
    hid_t type = set == TEXT ? type_of(TEXT) : H5Tcopy(H5T_NATIVE_INT);
    hsize_t n = N - 3, first = 2;
    /* The second time not all of it. */
    hid_t space = value == 1 ? H5S_ALL : H5Dget_space(d), mem = value == 1 ? H5S_ALL : H5Screate_simple(1, &n, NULL);
    if (value != 1)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL);
    herr_t status = H5Dwrite(d, type, mem, space, H5P_DEFAULT, set == TEXT ? (void *)texts : numbers);
    if (value != 1) {
        H5Sclose(space);
        H5Sclose(mem);
    }
    H5Tclose(type);
    return status >= 0;
}

/* Returns how far it came: 1 when the first values were flushed. */
static int work(void)
{
    hid_t sets[SETS];
    bool good = true;
    int flushed = 0;
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return 0;
    for (int i = 0; i < SETS; i++) {
        sets[i] = create(file, i);
        good = good && sets[i] >= 0 && write_value(sets[i], i, 1);
    }
    flushed = good && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    for (int i = 0; flushed && i < SETS; i++)
        (void)write_value(sets[i], i, 2);
    for (int i = 0; i < SETS; i++)
        if (sets[i] >= 0)
            H5Dclose(sets[i]);
    H5Fclose(file);
    return flushed;
}

static void check_set(hid_t file, int set, bool all)
{
    char name[20];
    int numbers[N], ones = 0;
    char *texts[N];
    snprintf(name, sizeof name, "set%d", set);
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT), type = set == TEXT ? type_of(TEXT) : H5Tcopy(H5T_NATIVE_INT);
    assert_true(d >= 0);
    assert_true(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, set == TEXT ? (void *)texts : numbers) >= 0);
    for (int i = 0; i < N; i++) {
        if (set == TEXT) {
            assert_non_null(texts[i]);
            numbers[i] = strcmp(texts[i], "one") == 0 ? 1 : strcmp(texts[i], "two and more") == 0 ? 2 : 3;
            free(texts[i]);
        }
        assert_in_range(numbers[i], 1, 2);
        ones += numbers[i] == 1;
    }
    if (all)
        assert_int_equal(ones, 3);
    H5Tclose(type);
    H5Dclose(d);
}

static void check_file(bool all)
{
    hid_t file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    for (int i = 0; i < SETS; i++)
        check_set(file, i, all);
    H5Fclose(file);
}

static void test_faults(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_int_equal(work(), 1);
    check_file(true);
    ts_alloc_fail_at(1000000000, TS_FAULT_ONCE);
    (void)work();
    unsigned long all = ts_alloc_fail_at(0, TS_FAULT_ONCE);
    for (unsigned long n = 1; n <= all; n++) {
        ts_alloc_fail_at(n, n % 4 ? TS_FAULT_ONCE : TS_FAULT_FROM);
        int flushed = work();
        ts_alloc_fail_at(0, TS_FAULT_ONCE);
        if (flushed)
            check_file(false);
    }
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
