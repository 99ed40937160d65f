/* What cannot be written when the last reference to a file goes is told by the call that lets it go, however it does that.
 * tests/fulldisk has the ways to close a file; here are those that nobody takes for closing one. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"

#include "base/error.h"

/* No file may be longer than that. */
static void limit_files(rlim_t bytes)
{
    struct rlimit r;
    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void nothing_grows(void)
{
    limit_files(1);
}

static void all_grows(void)
{
    limit_files(RLIM_INFINITY);
}

static char *path;

static int setup(void **state)
{
    static char place[4096];
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(place, sizeof place, "/tmp/tessera-ways-out-%d.h5", (int)getpid());
    path = place;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    all_grows();
    unlink(path);
    return ts_err_owed() == 0 ? 0 : -1;
}

static hid_t new_file(void)
{
    all_grows();
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file > 0);
    return file;
}

static void add_group(hid_t loc, const char *name)
{
    hid_t group = H5Gcreate2(loc, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group > 0);
    assert_int_equal(H5Gclose(group), 0);
}

/* The innermost record is the system's, as h5py looks for it. */
static void check_record(const char *number)
{
    const struct ts_err_stack *errors = ts_err_current();
    assert_true(errors->depth > 1);
    assert_non_null(strstr(errors->rec[0].text, number));
}

static hid_t in_memory(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_fapl_core(fapl, 4096, 0), 0);
    hid_t file = H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file > 0);
    assert_int_equal(H5Pclose(fapl), 0);
    return file;
}

/* Each call opens the other file, changes it and closes it. */
static void calls_through_external_links(void **state)
{
    (void)state;
    hid_t file = new_file(), from = in_memory(), lapl = H5Pcreate(H5P_LINK_ACCESS), fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_int_equal(H5Pset_elink_fapl(lapl, fapl), 0);
    add_group(file, "old");
    assert_int_equal(H5Fclose(file), 0);
    assert_int_equal(H5Lcreate_external(path, "/", from, "there", H5P_DEFAULT, H5P_DEFAULT), 0);
    nothing_grows();
    assert_int_equal(H5Lcreate_soft("old", from, "there/soft", H5P_DEFAULT, lapl), -1);
    check_record("errno = 27, error message = 'File too large'");
    assert_int_equal(H5Ldelete(from, "there/old", lapl), -1);
    check_record("errno = 27");
    assert_int_equal(H5Oset_comment_by_name(from, "there/old", "a comment that takes room", lapl), -1);
    assert_int_equal(H5Lmove(from, "there/old", from, "there/new", H5P_DEFAULT, lapl), -1);
    all_grows();
    assert_int_equal(H5Lexists(from, "there/old", lapl), 1);
    assert_int_equal(H5Lexists(from, "there/soft", lapl), 0);
    assert_int_equal(H5Lcreate_soft("old", from, "there/soft", H5P_DEFAULT, lapl), 0);
    assert_int_equal(H5Lexists(from, "there/soft", lapl), 1);
    assert_int_equal(H5Pclose(lapl), 0);
    assert_int_equal(H5Pclose(fapl), 0);
    assert_int_equal(H5Fclose(from), 0);
}

static void closing_the_library(void **state)
{
    (void)state;
    add_group(new_file(), "group");
    nothing_grows();
    assert_int_equal(H5close(), -1);
    check_record("errno = 27");
    assert_int_equal(H5close(), 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static herr_t close_all_ids(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    (void)name;
    (void)info;
    hid_t *ids = data;
    for (; *ids > 0; ids++)
        H5Idec_ref(*ids);
    return 0;
}

/* A function that uses an object may be the last to do so. */
static void the_last_use_of_a_closed_file(void **state)
{
    (void)state;
    hid_t file = new_file();
    add_group(file, "group");
    hid_t group = H5Gopen2(file, "/", H5P_DEFAULT), ids[] = {file, group, 0};
    nothing_grows();
    assert_int_equal(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, close_all_ids, ids), -1);
    check_record("errno = 27");
    assert_int_equal(H5Iis_valid(file), 0);
    all_grows();
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(H5Lexists(file, "group", H5P_DEFAULT), 0);
    assert_int_equal(H5Fclose(file), 0);
}

/* What a call inside another has told is not told again. */
static void a_failure_that_was_told(void **state)
{
    (void)state;
    hid_t file = new_file(), other = in_memory(), ids[] = {file, 0};
    add_group(file, "group");
    add_group(other, "group");
    nothing_grows();
    assert_int_equal(H5Literate(other, H5_INDEX_NAME, H5_ITER_INC, NULL, close_all_ids, ids), 0);
    assert_int_equal(H5Fclose(other), 0);
}

static void fill_in_memory(hid_t file, int n)
{
    char name[32];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "group %d", i);
        hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(group > 0);
        H5Gclose(group);
    }
}

/* Where room is short, closing an object tells it, so that a program need not come to the end of the file to learn it. */
static void objects_closed_on_a_full_disk(void **state)
{
    (void)state;
    hid_t file = new_file(), group = H5Gopen2(file, "/", H5P_DEFAULT), again = H5Gopen2(file, "/", H5P_DEFAULT);
    limit_files(4096);
    fill_in_memory(file, 100);
    assert_int_equal(H5Gclose(group), -1);
    check_record("errno = ");
    assert_int_equal(H5Idec_ref(again), -1);
    check_record("errno = 28, error message = 'No space left on device'");
    assert_int_equal(H5Iis_valid(again), 0);
    all_grows();
    assert_int_equal(H5Gclose(H5Gopen2(file, "/", H5P_DEFAULT)), 0);
    assert_int_equal(H5Fclose(file), 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(H5Lexists(file, "group 99", H5P_DEFAULT), 1);
    assert_int_equal(H5Fclose(file), 0);
}

/* A file whose id is gone is not: a flush that fails is told, and the data wait for the last object. */
static void a_file_that_objects_keep_open(void **state)
{
    (void)state;
    hid_t file = new_file();
    add_group(file, "group");
    hid_t group = H5Gopen2(file, "group", H5P_DEFAULT);
    nothing_grows();
    assert_int_equal(H5Fclose(file), -1);
    assert_int_equal(H5Iis_valid(file), 0);
    all_grows();
    assert_int_equal(H5Gclose(group), 0);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(H5Lexists(file, "group", H5P_DEFAULT), 1);
    assert_int_equal(H5Fclose(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(calls_through_external_links, setup, teardown),
        cmocka_unit_test_setup_teardown(closing_the_library, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_use_of_a_closed_file, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failure_that_was_told, setup, teardown),
        cmocka_unit_test_setup_teardown(objects_closed_on_a_full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_objects_keep_open, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
