/* Two processes and one file: who may open it while the other has it, and after the other died. */
#include "unit/cmocka_all.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf5.h"

static const char *path = "file_locks.h5";

/* Another process that opens the file, or makes it, and keeps it until it is killed. */
struct other {
    pid_t pid;
    bool good;
};

static hid_t open_there(bool create, unsigned flags, bool latest)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    hid_t f = create ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl) : H5Fopen(path, flags, fapl);
    if (f >= 0 && (create || flags & H5F_ACC_RDWR)) {
        H5Gclose(H5Gcreate2(f, "flushed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Fflush(f, H5F_SCOPE_GLOBAL);
        H5Gclose(H5Gcreate2(f, "lost", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    return f;
}

static struct other start(bool create, unsigned flags, bool latest)
{
    int to_us[2];
    char answer = 0;
    assert_int_equal(pipe(to_us), 0);
    struct other o = {.pid = fork()};
    if (o.pid == 0) {
        answer = open_there(create, flags, latest) >= 0 ? 'y' : 'n';
        if (write(to_us[1], &answer, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(to_us[0], &answer, 1), 1);
    close(to_us[0]);
    close(to_us[1]);
    o.good = answer == 'y';
    return o;
}

static void end(struct other o)
{
    kill(o.pid, SIGKILL);
    waitpid(o.pid, NULL, 0);
}

static bool opens(unsigned flags)
{
    hid_t f = H5Fopen(path, flags, H5P_DEFAULT);
    if (f >= 0)
        H5Fclose(f);
    return f >= 0;
}

static void make(bool latest)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(f >= 0);
    H5Fclose(f);
    H5Pclose(fapl);
}

static void a_writer_is_alone(void **state)
{
    (void)state;
    make(false);
    struct other o = start(false, H5F_ACC_RDWR, false);
    assert_true(o.good);
    assert_false(opens(H5F_ACC_RDONLY));
    assert_false(opens(H5F_ACC_RDWR));
    assert_true(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) < 0);
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    assert_true(opens(H5F_ACC_RDONLY));
    unsetenv("HDF5_USE_FILE_LOCKING");
    end(o);
    assert_true(opens(H5F_ACC_RDWR));
}

static void readers_share(void **state)
{
    (void)state;
    make(false);
    struct other o = start(false, H5F_ACC_RDONLY, false);
    assert_true(o.good);
    assert_true(opens(H5F_ACC_RDONLY));
    assert_false(opens(H5F_ACC_RDWR));
    end(o);
    assert_true(opens(H5F_ACC_RDWR));
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    o = start(false, H5F_ACC_RDWR, false);
    assert_false(o.good);
    end(o);
    H5Fclose(f);
}

static void check_flushed(unsigned flags)
{
    hid_t f = H5Fopen(path, flags, H5P_DEFAULT);
    assert_true(f >= 0);
    assert_int_equal(H5Lexists(f, "flushed", H5P_DEFAULT), 1);
    assert_int_equal(H5Lexists(f, "lost", H5P_DEFAULT), 0);
    assert_true(H5Fclose(f) >= 0);
}

static void a_dead_writer_leaves_what_was_flushed(void **state)
{
    (void)state;
    for (int latest = 0; latest < 2; latest++)
        for (int create = 0; create < 2; create++) {
            make(latest);
            end(start(create, H5F_ACC_RDWR, latest));
            check_flushed(H5F_ACC_RDONLY);
            check_flushed(H5F_ACC_RDONLY);
            check_flushed(H5F_ACC_RDWR);
            check_flushed(H5F_ACC_RDWR);
        }
}

/* Without locks nobody knows whether the writer is dead, unless the application swears it is. */
static void without_locks_a_marked_file_stays_closed(void **state)
{
    (void)state;
    unsigned yes = 1;
    end(start(true, 0, true));
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    assert_false(opens(H5F_ACC_RDONLY));
    assert_false(opens(H5F_ACC_RDWR));
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pinsert2(fapl, "tessera_recover", sizeof yes, &yes, NULL, NULL, NULL, NULL, NULL, NULL) >= 0);
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, fapl);
    assert_true(f >= 0);
    H5Fclose(f);
    H5Pclose(fapl);
    check_flushed(H5F_ACC_RDONLY);
    unsetenv("HDF5_USE_FILE_LOCKING");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_writer_is_alone),
        cmocka_unit_test(readers_share),
        cmocka_unit_test(a_dead_writer_leaves_what_was_flushed),
        cmocka_unit_test(without_locks_a_marked_file_stays_closed),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
