/* Memory and writes that fail while files are made, opened, changed and closed: an error comes back, everything closes,
 * and the file on disk is as last flushed. */
#include "unit/cmocka_all.h"

#include <stdio.h>

#include "base/alloc.h"
#include "hdf5.h"
#include "support/faulty.h"

static const char *path = "file_faults.h5";

static hid_t plain, persistent, latest;

static bool add_group(hid_t f, const char *name)
{
    hid_t g = H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (g >= 0)
        H5Gclose(g);
    return g >= 0;
}

/* True when all went well. */
static bool create_and_fill(hid_t fcpl, hid_t fapl)
{
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
    if (f < 0)
        return false;
    bool good = add_group(f, "one") && H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0 && add_group(f, "two") &&
                H5Ldelete(f, "one", H5P_DEFAULT) >= 0;
    return H5Fclose(f) >= 0 && good;
}

static bool reopen_and_change(void)
{
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (f < 0)
        return false;
    bool good = add_group(f, "three") && H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0 && add_group(f, "four");
    return H5Fclose(f) >= 0 && good;
}

static bool has(const char *name)
{
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(f >= 0);
    htri_t there = H5Lexists(f, name, H5P_DEFAULT);
    assert_true(there >= 0);
    H5Fclose(f);
    return there > 0;
}

static void fail_memory(enum ts_alloc_fault mode, hid_t fcpl, hid_t fapl)
{
    for (unsigned long n = 1;; n++) {
        ts_alloc_fail_at(n, mode);
        bool good = create_and_fill(fcpl, fapl);
        unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        /* Nothing is left open: the file can be made anew. */
        hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(f >= 0);
        assert_true(H5Fclose(f) >= 0);
        if (made < n) {
            assert_true(good);
            break;
        }
    }
}

static void making_a_file_without_memory(void **state)
{
    (void)state;
    fail_memory(TS_FAULT_FROM, H5P_DEFAULT, H5P_DEFAULT);
    fail_memory(TS_FAULT_ONCE, persistent, latest);
}

static void changing_a_file_without_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        assert_true(create_and_fill(n % 2 ? persistent : plain, H5P_DEFAULT));
        ts_alloc_fail_at(n, TS_FAULT_FROM);
        bool good = reopen_and_change();
        unsigned long made = ts_alloc_fail_at(0, TS_FAULT_ONCE);
        assert_true(has("two"));
        assert_false(has("one"));
        if (good)
            assert_true(has("three") && has("four"));
        if (made < n) {
            assert_true(good);
            break;
        }
    }
}

static void changing_a_file_with_failing_writes(void **state)
{
    (void)state;
    static const enum faulty_kind kinds[] = {FAULTY_EIO, FAULTY_ENOSPC};
    for (int k = 0; k < 4; k++)
        for (unsigned long n = 1;; n++) {
            assert_true(create_and_fill(k < 2 ? plain : persistent, k % 2 ? latest : H5P_DEFAULT));
            faulty_start(path);
            faulty_fail_at(n, FAULTY_ALL, kinds[k % 2], k < 2);
            bool good = reopen_and_change();
            unsigned long made = faulty_fail_at(0, 0, FAULTY_EIO, false);
            faulty_stop();
            assert_true(has("two"));
            if (good)
                assert_true(has("three") && has("four"));
            if (made < n)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(making_a_file_without_memory),
        cmocka_unit_test(changing_a_file_without_memory),
        cmocka_unit_test(changing_a_file_with_failing_writes),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    plain = H5Pcreate(H5P_FILE_CREATE);
    persistent = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_file_space_strategy(persistent, H5F_FSPACE_STRATEGY_FSM_AGGR, true, 1);
    latest = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(latest, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    H5close();
    remove(path);
    return failed;
}
