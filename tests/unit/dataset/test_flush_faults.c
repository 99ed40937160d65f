/* Writes fail while datasets of all kinds are flushed: what can be written is, the flush tells, and the next one gets the
 * rest to the file. */
#include "unit/dataset/failing_sets.h"

#include <unistd.h>

#include "support/faulty.h"

#define FILE_NAME "flush_faults.h5"
#define COPY_NAME "flush_faults_copy.h5"

static hid_t make_all(hid_t *d)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    H5Pclose(fapl);
    for (int k = 0; k < KINDS; k++) {
        d[k] = create(file, names[k], k);
        assert_true(write_values(d[k], k, 1) >= 0);
    }
    assert_true(flush(file) >= 0);
    return file;
}

/* In the file as it is now, each element is of one of the versions from `oldest` on. Chunks that move are whole. */
static void check_copy(int oldest)
{
    int versions[N];
    assert_int_equal(system("cp " FILE_NAME " " COPY_NAME), 0);
    hid_t copy = H5Fopen(COPY_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(copy >= 0);
    for (int k = 0; k < KINDS; k++) {
        hid_t d = H5Dopen2(copy, names[k], H5P_DEFAULT);
        assert_true(d >= 0);
        read_versions(d, k, versions);
        for (int i = 0; i < N; i++) {
            assert_in_range(versions[i], oldest, 2);
            if (k >= SPARSE && i % CHUNK > 0)
                assert_int_equal(versions[i], versions[i - 1]);
        }
        H5Dclose(d);
    }
    H5Fclose(copy);
}

static void close_all(hid_t file, const hid_t *d, bool good)
{
    for (int k = 0; k < KINDS; k++)
        if (H5Dclose(d[k]) < 0)
            assert_false(good);
    herr_t status = H5Fclose(file);
    assert_true(!good || status >= 0);
}

/* The n-th write of a flush fails; returns whether there is one. */
static bool fail_at(unsigned long n, enum faulty_kind kind, bool once)
{
    hid_t d[KINDS], file = make_all(d);
    int late[] = {PLAIN, CONTIGUOUS, SPARSE, DEFLATED, FAILING, FAILING_SPARSE};
    for (int i = 0; i < 6; i++)
        assert_true(write_values(d[late[i]], late[i], 2) >= 0);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    faulty_fail_at(n, FAULTY_WRITE, kind, once);
    herr_t status = flush(file);
    unsigned long made = faulty_fail_at(0, 0, kind, once);
    check_copy(1);
    /* A commit that was under way in the old places is for the next open to finish. */
    bool good = flush(file) >= 0;
    if (status >= 0)
        assert_true(good);
    for (int k = 0; good && k < KINDS; k++)
        if (k != COMPACT && k != TEXT)
            check(file, names[k], k, 2);
    H5Gclose(group);
    close_all(file, d, good);
    check_copy(1);
    if (good) {
        file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(H5Lexists(file, "group", H5P_DEFAULT) > 0);
        for (int i = 0; i < 6; i++)
            check(file, names[late[i]], late[i], 2);
        H5Fclose(file);
    }
    return made >= n;
}

static void test_each_write(void **state)
{
    static const enum faulty_kind kinds[] = {FAULTY_EIO, FAULTY_SHORT, FAULTY_ENOSPC, FAULTY_FULL};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int once = 0; once < 2; once++) {
            unsigned long n = 1;
            while (fail_at(n, kinds[i], once))
                n++;
            assert_true(kinds[i] == FAULTY_FULL || n > 3);
        }
}

/* A little, so that it goes through the cache. */
static void write_one(hid_t d, int kind, int version)
{
    hsize_t zero = 0, one = 1;
    int value = value_of(kind, version, 0);
    hid_t space = H5Dget_space(d), mem = H5Screate_simple(1, &one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &zero, NULL, &one, NULL);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(space);
    H5Sclose(mem);
}

/* The first element of that dataset is old, all others are of this version. */
static void check_but_one(int kind, int version)
{
    int versions[N];
    assert_int_equal(system("cp " FILE_NAME " " COPY_NAME), 0);
    hid_t copy = H5Fopen(COPY_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int k = 0; k < KINDS; k++)
        if (k != CONTIGUOUS && k != kind)
            check(copy, names[k], k, version);
    hid_t d = H5Dopen2(copy, names[kind], H5P_DEFAULT);
    read_versions(d, kind, versions);
    assert_int_equal(versions[0], version - 1);
    if (kind == PLAIN)
        assert_int_equal(versions[CHUNK], version);
    H5Dclose(d);
    H5Fclose(copy);
}

static void flush_with_bad_place(hid_t file, hid_t *d, int kind, int version)
{
    for (int k = 0; k < KINDS; k++)
        if (k == CONTIGUOUS)
            write_one(d[k], k, version);
        else
            assert_true(write_values(d[k], k, version) >= 0);
    assert_true(flush(file) < 0);
    char quoted[64];
    snprintf(quoted, sizeof quoted, "'/%s'", names[kind]);
    assert_told(quoted);
    check_but_one(kind, version);
    /* Closing it says so, now that it is known. */
    assert_true(H5Dclose(d[kind]) < 0);
    d[kind] = H5Dopen2(file, names[kind], H5P_DEFAULT);
    faulty_fail_range(0, 0);
    assert_true(flush(file) >= 0);
}

/* One place in the file cannot be written. */
static void test_bad_place(void **state)
{
    hid_t d[KINDS], file = make_all(d);
    haddr_t addr;
    hsize_t size, zero = 0;
    unsigned mask;
    (void)state;
    faulty_fail_range(H5Dget_offset(d[CONTIGUOUS]), sizeof(int));
    flush_with_bad_place(file, d, CONTIGUOUS, 2);
    assert_true(H5Dget_chunk_info_by_coord(d[PLAIN], &zero, &mask, &addr, &size) >= 0);
    faulty_fail_range(addr, 1);
    flush_with_bad_place(file, d, PLAIN, 3);
    close_all(file, d, true);
    file = H5Fopen(FILE_NAME, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int k = 0; k < KINDS; k++)
        if (k != CONTIGUOUS)
            check(file, names[k], k, 3);
    H5Fclose(file);
}

static int setup(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    faulty_start(FILE_NAME);
    return H5Zregister(&filter_class) < 0;
}

static int teardown(void **state)
{
    (void)state;
    faulty_stop();
    unlink(FILE_NAME);
    unlink(COPY_NAME);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_place, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
