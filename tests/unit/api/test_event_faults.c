/* Event sets when memory is short, or the disk is full: a call that cannot be inserted has changed nothing, an operation that fails
 * says so, and what comes after it is done. */
#include <errno.h>

#include "unit/cmocka_all.h"

#include "base/alloc.h"
#include "hdf5.h"
#include "support/faulty.h"
#include "support/folder.h"
#include "unit/api/event_gate.h"

enum { MOST_TRIES = 3000 };

static hid_t file, es, space, type, d;
static H5R_ref_t reference;
static struct gate gate;
static int data[2], back[2];

static int setup(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    gate = (struct gate)GATE_INIT;
    file = H5Fcreate(folder_file(path, "faults.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    es = H5EScreate();
    space = H5Screate(H5S_SCALAR);
    type = H5Tcopy(H5T_NATIVE_INT);
    d = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return H5Rcreate_object(file, "d", H5P_DEFAULT, &reference) < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    bool closed = H5Rdestroy(&reference) >= 0 && H5Sclose(space) >= 0 && H5Tclose(type) >= 0 && H5Dclose(d) >= 0 &&
                  H5ESclose(es) >= 0 && H5Fclose(file) >= 0;
    return closed && H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0 && gate_gave_up(&gate) == 0 ? 0 : -1;
}

/* The last object that a call gave. */
static hid_t given;

static herr_t create(void)
{
    given = H5Dcreate_async(file, "new", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    return given < 0 ? -1 : 0;
}

static herr_t write(void)
{
    return H5Dwrite_async(d, H5T_NATIVE_INT, space, space, H5P_DEFAULT, data, es);
}

static herr_t read_several(void)
{
    hid_t from[2] = {d, d}, types[2] = {type, type}, spaces[2] = {space, H5S_ALL};
    void *to[2] = {&back[0], &back[1]};
    return H5Dread_multi_async(2, from, types, spaces, spaces, H5P_DEFAULT, to, es);
}

static herr_t commit(void)
{
    return H5Tcommit_async(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
}

static herr_t dereference(void)
{
    given = H5Ropen_object_async(&reference, H5P_DEFAULT, H5P_DEFAULT, es);
    return given < 0 ? -1 : 0;
}

static herr_t close_it(void)
{
    return H5Dclose_async(d, es);
}

static herr_t reopen(void)
{
    d = H5Dopen_async(file, "d", H5P_DEFAULT, es);
    return d < 0 ? -1 : 0;
}

static herr_t (*const calls[])(void) = {create, write, read_several, commit, dereference, close_it, reopen};
enum { CALLS = sizeof calls / sizeof *calls };

static size_t in_set(void)
{
    size_t n = 99;
    assert_true(H5ESget_count(es, &n) >= 0);
    return n;
}

static void settle(void)
{
    size_t n = 99;
    hbool_t failed = 1;
    assert_true(H5ESwait(es, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && n == 0 && !failed);
}

static void insertion_fails_whole(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    assert_true(H5Dread_multi_async((size_t)1 << 62, &d, &type, &space, &space, H5P_DEFAULT, (void *[]){back}, es) < 0);
    hid_t made = 0, opened = 0;
    for (size_t i = 0; i < CALLS; i++) {
        herr_t status = -1;
        unsigned long n = 0;
        hid_t before = d;
        while (status < 0 && ++n < MOST_TRIES) {
            assert_int_equal(in_set(), i + 1);
            ts_alloc_fail_at(n, TS_FAULT_ONCE);
            status = calls[i]();
            ts_alloc_fail_at(0, TS_FAULT_ONCE);
            d = status < 0 ? before : d;
        }
        assert_true(n > 3 && n < MOST_TRIES);
        made = i == 0 ? given : made;
        opened = i == 4 ? given : opened;
    }
    data[0] = 5;
    gate_open(&gate);
    settle();
    assert_int_equal(H5Tcommitted(type), 1);
    assert_true(back[0] == 5 && back[1] == 5);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_DATASET), 3);
    assert_true(H5Dclose(made) >= 0 && H5Dclose(opened) >= 0);
}

/* Whichever operation fails: the others are done, and everything can be closed. True when one did. */
static bool fails_at(unsigned long n)
{
    size_t failed = 99, got;
    hbool_t occurred;
    H5ES_err_info_t info[CALLS];
    hid_t ids[2];
    gate_close(&gate);
    assert_true(gate_hold_up(&gate, file, es) >= 0);
    assert_true(create() >= 0);
    ids[0] = given;
    assert_true(write() >= 0 && read_several() >= 0 && dereference() >= 0);
    ids[1] = given;
    assert_true(close_it() >= 0 && reopen() >= 0 && H5Ldelete_async(file, "new", H5P_DEFAULT, es) >= 0);
    ts_alloc_fail_at(n, TS_FAULT_ONCE);
    gate_open(&gate);
    do
        assert_true(H5ESwait(es, 1000000, &got, &occurred) >= 0);
    while (got > 0);
    ts_alloc_fail_at(0, TS_FAULT_ONCE);
    assert_true(H5ESget_err_count(es, &failed) >= 0);
    if (failed > 0)
        assert_true(H5ESget_err_info(es, CALLS, info, &got) >= 0 && got == failed && H5ESfree_err_info(got, info) >= 0);
    assert_true(H5Dclose(ids[0]) >= 0 && H5Dclose(ids[1]) >= 0);
    if (H5Iget_type(d) == H5I_BADID) {
        assert_true(H5Dclose(d) >= 0);
        d = H5Dopen2(file, "d", H5P_DEFAULT);
    }
    if (H5Lexists(file, "new", H5P_DEFAULT) > 0)
        H5Ldelete(file, "new", H5P_DEFAULT);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_ALL), 2);
    return failed > 0;
}

static void operations_fail_one_by_one(void **state)
{
    (void)state;
    unsigned long n = 1, failures = 0, quiet = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (quiet < 25 && n < MOST_TRIES) {
        bool failed = fails_at(n++);
        failures += failed;
        quiet = failed ? 0 : quiet + 1;
    }
    assert_true(failures > 20 && n < MOST_TRIES);
    assert_true(write() >= 0);
    settle();
}

/* What cannot be written is told by the operation that should have. */
static void a_full_disk_is_told(void **state)
{
    (void)state;
    enum { MANY = 1 << 18 };
    static char bytes[MANY];
    char path[FOLDER_PATH];
    size_t n;
    hbool_t failed = 0;
    H5ES_err_info_t info[2];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    folder_file(path, "full.h5");
    faulty_start(path);
    hsize_t many = MANY;
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), line = H5Screate_simple(1, &many, NULL);
    hid_t long_one = H5Dcreate2(f, "long", H5T_NATIVE_CHAR, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    faulty_fail_at(1, FAULTY_WRITE | FAULTY_TRUNCATE, FAULTY_ENOSPC, false);
    assert_true(H5Dwrite_async(long_one, H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes, es) >= 0);
    assert_true(H5Fflush_async(f, H5F_SCOPE_GLOBAL, es) >= 0);
    do
        assert_true(H5ESwait(es, 1000000, &n, &failed) >= 0);
    while (n > 0);
    assert_true(failed);
    faulty_fail_at(0, 0, FAULTY_EIO, false);
    assert_true(H5ESget_err_info(es, 2, info, &n) >= 0 && n >= 1);
    assert_true(H5Eget_num(info[0].err_stack_id) > 0 && H5ESfree_err_info(n, info) >= 0);
    assert_true(H5Dclose_async(long_one, es) >= 0 && H5Fclose_async(f, es) >= 0);
    settle();
    faulty_stop();
    H5Sclose(line);
}

static int start(void **unused)
{
    (void)unused;
    return folder_make() ? 0 : -1;
}

static int stop(void **unused)
{
    (void)unused;
    return folder_remove() ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(insertion_fails_whole), TEST(operations_fail_one_by_one), TEST(a_full_disk_is_told)};
    return cmocka_run_group_tests(tests, start, stop);
}
