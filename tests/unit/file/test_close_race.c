/* Where no lock keeps others out of a file that is being closed, its mark does: whatever makes the file shorter comes before
 * the write that takes the mark away. Here each call that does so waits until another process has tried to have the file. */
#define _GNU_SOURCE
#include "unit/cmocka_all.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf5.h"

enum { CHUNK = 1000, MOST = 2000000, REFUSED = 7 };

static const char *path = "file_close_race.h5";
static const char *self;
static bool swmr; /* the process that closes the file is a SWMR writer; else neither has locks */
static unsigned tried, let_in, lent; /* by the other process, and what the driver reserved */
static bool watching;

static hid_t open_file(unsigned flags)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    if (!swmr)
        H5Pset_file_locking(fapl, 0, 1);
    hid_t f = flags & H5F_ACC_TRUNC ? H5Fcreate(path, flags, H5P_DEFAULT, fapl) : H5Fopen(path, flags, fapl);
    H5Pclose(fapl);
    return f;
}

/* Rows are their own numbers. */
static hsize_t append(hid_t f, hsize_t rows)
{
    static int values[MOST];
    hsize_t n;
    hid_t d = H5Dopen2(f, "rows", H5P_DEFAULT), space = H5Dget_space(d);
    H5Sget_simple_extent_dims(space, &n, NULL);
    H5Sclose(space);
    hsize_t end = n + rows;
    assert_true(H5Dset_extent(d, &end) >= 0);
    for (hsize_t i = 0; i < rows; i++)
        values[i] = (int)(n + i);
    hid_t mem = H5Screate_simple(1, &rows, NULL);
    space = H5Dget_space(d);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &n, NULL, &rows, NULL);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, values) >= 0);
    H5Sclose(mem);
    H5Sclose(space);
    H5Dclose(d);
    return end;
}

static int be_other(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t f = open_file(H5F_ACC_RDWR);
    if (f < 0)
        return REFUSED;
    append(f, 3 * CHUNK);
    return H5Fclose(f) < 0;
}

static void let_other_try(void)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        execl(self, self, swmr ? "locks" : "no locks", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == REFUSED);
    tried++;
    let_in += WEXITSTATUS(status) == 0;
}

int ftruncate(int fd, off_t length)
{
    if (watching)
        let_other_try();
    return (int)syscall(SYS_ftruncate, fd, length);
}

/* So that the driver reserves, whatever the file system. */
int fstatfs(int fd, struct statfs *out)
{
    int status = (int)syscall(SYS_fstatfs, fd, out);
    out->f_type = EXT4_SUPER_MAGIC;
    return status;
}

int fallocate(int fd, int mode, off_t at, off_t size)
{
    (void)fd, (void)mode, (void)at, (void)size;
    lent++;
    return 0;
}

static hid_t make(void)
{
    hsize_t none = 0, many = H5S_UNLIMITED, chunk = CHUNK;
    hid_t f = open_file(H5F_ACC_TRUNC), space = H5Screate_simple(1, &none, &many), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    hid_t d = H5Dcreate2(f, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    return f;
}

/* All rows are there, ours and those of the other process if it had the file. */
static void check(hsize_t ours)
{
    static int values[MOST];
    hsize_t n = 0;
    hid_t f = open_file(H5F_ACC_RDONLY);
    assert_true(f >= 0);
    hid_t d = H5Dopen2(f, "rows", H5P_DEFAULT), space = H5Dget_space(d);
    H5Sget_simple_extent_dims(space, &n, NULL);
    assert_int_equal(n, ours + let_in * 3 * CHUNK);
    assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (hsize_t i = 0; i < n; i++)
        assert_int_equal(values[i], i);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(f);
}

static void begin(bool as_swmr)
{
    swmr = as_swmr;
    tried = let_in = lent = 0;
}

static void close_with_other(hid_t f, hsize_t ours)
{
    watching = true;
    assert_true(H5Fclose(f) >= 0);
    watching = false;
    assert_true(tried > 0);
    check(ours);
    /* The other would have had to wait: the file was not closed yet. */
    assert_int_equal(let_in, 0);
    remove(path);
}

static void change_and_close(bool as_swmr, hsize_t rows)
{
    begin(as_swmr);
    assert_true(H5Fclose(make()) >= 0);
    hid_t f = open_file(H5F_ACC_RDWR | (swmr ? H5F_ACC_SWMR_WRITE : 0));
    assert_true(f >= 0);
    for (int i = 0; i < 10; i++) {
        append(f, rows / 20);
        assert_true(H5Fflush(f, H5F_SCOPE_GLOBAL) >= 0);
    }
    close_with_other(f, append(f, rows / 2));
}

static void a_swmr_writer_closes(void **state)
{
    (void)state;
    change_and_close(true, 10 * CHUNK);
    assert_int_equal(lent, 0);
}

static void a_swmr_writer_gives_back_what_it_reserved(void **state)
{
    (void)state;
    change_and_close(true, MOST - 10 * CHUNK);
    assert_true(lent > 0);
}

static void a_writer_without_locks_closes(void **state)
{
    (void)state;
    change_and_close(false, 10 * CHUNK);
    change_and_close(false, MOST - 10 * CHUNK);
    assert_true(lent > 0);
}

/* Nobody has seen the file before its first superblock. */
static void a_new_file_is_closed(void **state)
{
    (void)state;
    begin(false);
    hid_t f = make();
    close_with_other(f, append(f, MOST - 10 * CHUNK));
    assert_true(lent > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_swmr_writer_closes),
        cmocka_unit_test(a_swmr_writer_gives_back_what_it_reserved),
        cmocka_unit_test(a_writer_without_locks_closes),
        cmocka_unit_test(a_new_file_is_closed),
    };
    self = argv[0];
    if (argc == 2) {
        swmr = argv[1][0] == 'l';
        return be_other();
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
