/* Messages that headers share: one copy however many use it, none when the last is gone. */
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <unistd.h>

#include "base/checksum.h"
#include "file/file.h"
#include "hdf5.h"
#include "id/id.h"
#include "object/sohm.h"

static char path[64];

/* As stock libhdf5 stores it for the message of H5T_STD_I32BE. */
static void test_hash(void **state)
{
    (void)state;
    const uint8_t type[] = {0x10, 9, 0, 0, 4, 0, 0, 0, 0, 0, 0x20, 0};
    assert_int_equal(ts_checksum_from(type, sizeof type, 3), 0x52e57435);
    assert_int_equal(ts_checksum_from(type, sizeof type, 0), ts_checksum(type, sizeof type));
}

static hid_t create(unsigned list_max)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    assert_int_equal(H5Pset_shared_mesg_nindexes(fcpl, 2), 0);
    assert_int_equal(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ATTR_FLAG, 10), 0);
    assert_int_equal(H5Pset_shared_mesg_index(fcpl, 1, H5O_SHMESG_DTYPE_FLAG | H5O_SHMESG_SDSPACE_FLAG, 10), 0);
    assert_int_equal(H5Pset_shared_mesg_phase_change(fcpl, list_max, list_max ? list_max - 1 : 0), 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    assert_true(file >= 0);
    H5Pclose(fcpl);
    return file;
}

static unsigned messages(hid_t file, unsigned index)
{
    struct ts_fhandle *fh = ts_id_pin(file, H5I_FILE);
    unsigned n = ts_sohm_table(fh->file)->index[index].messages;
    ts_id_unpin(H5I_FILE, fh);
    return n;
}

/* Each dataset has its own extent, all have one type; attributes of one number are equal on all. */
static void add(hid_t file, int which)
{
    char name[16];
    hsize_t n = (hsize_t)which + 1;
    hid_t space = H5Screate_simple(1, &n, NULL), scalar = H5Screate(H5S_SCALAR);
    snprintf(name, sizeof name, "d%d", which);
    hid_t set = H5Dcreate2(file, name, H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "a%d", i);
        hid_t attr = H5Acreate2(set, name, H5T_STD_I32BE, scalar, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(attr >= 0);
        assert_int_equal(H5Awrite(attr, H5T_NATIVE_INT, &i), 0);
        H5Aclose(attr);
    }
    H5Dclose(set);
    H5Sclose(space);
    H5Sclose(scalar);
}

static void check(hid_t file, int which, hsize_t want)
{
    char name[16];
    hsize_t n;
    int value;
    snprintf(name, sizeof name, "d%d", which);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, &n, NULL);
    assert_int_equal(n, want);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "a%d", i);
        hid_t attr = H5Aopen(set, name, H5P_DEFAULT);
        assert_int_equal(H5Aread(attr, H5T_NATIVE_INT, &value), 0);
        assert_int_equal(value, i);
        H5Aclose(attr);
    }
    H5Sclose(space);
    H5Dclose(set);
}

/* A dataset that can grow keeps its dataspace to itself, also when it has grown to an extent that another has. */
static void grow_alone(hid_t file)
{
    hsize_t n = 3, most = H5S_UNLIMITED, chunk = 4;
    unsigned before = messages(file, 1);
    hid_t space = H5Screate_simple(1, &n, &most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    hid_t set = H5Dcreate2(file, "growing", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(messages(file, 1), before);
    n = 5;
    assert_int_equal(H5Dset_extent(set, &n), 0);
    assert_int_equal(messages(file, 1), before);
    H5Sclose(space);
    space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), 5);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Dclose(set);
    assert_int_equal(H5Ldelete(file, "growing", H5P_DEFAULT), 0);
}

static void run(unsigned list_max)
{
    enum { N = 30 };
    hid_t file = create(list_max);
    for (int i = 0; i < N; i++)
        add(file, i);
    assert_int_equal(messages(file, 0), 12);
    assert_int_equal(messages(file, 1), 1 + N);
    assert_int_equal(H5Fclose(file), 0);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    for (int i = 0; i < N; i++)
        check(file, i, (hsize_t)i + 1);
    grow_alone(file);
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        assert_int_equal(H5Ldelete(file, name, H5P_DEFAULT), 0);
    }
    assert_int_equal(messages(file, 0), 0);
    assert_int_equal(messages(file, 1), 0);
    add(file, 3);
    check(file, 3, 4);
    assert_int_equal(H5Fclose(file), 0);
    unlink(path);
}

static void test_list(void **state)
{
    (void)state;
    run(50);
}

static void test_tree(void **state)
{
    (void)state;
    run(0);
}

static void test_list_turns_tree(void **state)
{
    (void)state;
    run(10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hash), cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_tree), cmocka_unit_test(test_list_turns_tree)};
    H5open();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(path, sizeof path, "sohm_%ld.h5", (long)getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
