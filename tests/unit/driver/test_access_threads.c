/* A symbolic link changes sides all the time while files are opened through it: what lies outside never opens. */
#include "unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "driver/access.h"

enum { TURNS = 3000 };

static atomic_bool stop;

static void make_file(const char *name, char side)
{
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    assert_int_equal(write(fd, &side, 1), 1);
    close(fd);
}

static int make_tree(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf at && mkdir -p at/in/sub at/out"), 0);
    make_file("at/in/main", 'm');
    make_file("at/in/sub/file", 'i');
    make_file("at/out/file", 'o');
    return 0;
}

static int drop_tree(void **state)
{
    (void)state;
    return system("rm -rf at");
}

static void *change_sides(void *unused)
{
    for (unsigned i = 0; !stop; i++) {
        (void)!symlink(i % 2 ? "sub" : "../out", "at/in/next");
        (void)!rename("at/in/next", "at/in/flip");
    }
    return unused;
}

static void what_is_outside_never_opens(void **state)
{
    (void)state;
    struct ts_access *rules;
    pthread_t thread;
    unsigned inside = 0, refused = 0;
    assert_int_equal(ts_access_add(NULL, "test", "folder", "at/in/main", &rules), 0);
    assert_int_equal(symlink("sub", "at/in/flip"), 0);
    assert_int_equal(pthread_create(&thread, NULL, change_sides, NULL), 0);
    for (int i = 0; i < TURNS || inside == 0 || refused == 0; i++) {
        char side;
        int fd = ts_access_open(rules, H5F_EXTERNAL_RAW, "at/in/flip/file", O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            refused += fd == -2;
            assert_true(fd != -2 || ts_err_was(0, TS_WHY_REFUSED));
            ts_err_clear();
            continue;
        }
        assert_int_equal(read(fd, &side, 1), 1);
        assert_int_equal(side, 'i');
        inside++;
        close(fd);
        fd = ts_access_open(rules, H5F_EXTERNAL_RAW, "at/in/flip/made", O_RDWR | O_CREAT | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
        ts_err_clear();
    }
    stop = true;
    pthread_join(thread, NULL);
    assert_int_not_equal(access("at/out/made", F_OK), 0);
    ts_access_unref(rules);
}

/* Folders that were checked and are links by the time they are opened. */
static void links_are_not_followed_behind_the_check(void **state)
{
    (void)state;
    struct ts_access *rules;
    assert_int_equal(ts_access_add(NULL, "test", "none", "at/in/main", &rules), 0);
    assert_int_equal(ts_access_open(rules, H5F_EXTERNAL_LINK, "at/in/sub/file", O_RDONLY), -2);
    assert_true(ts_err_was(0, TS_WHY_REFUSED));
    ts_err_clear();
    ts_access_unref(rules);
    assert_int_equal(ts_access_add(NULL, "test", "folder", "at/in/main", &rules), 0);
    assert_int_equal(ts_access_open(rules, H5F_EXTERNAL_LINK, "at/in/none/file", O_RDONLY), -1);
    assert_int_equal(errno, ENOENT);
    /* One that leads nowhere yet is not the way to make a file. */
    assert_int_equal(symlink("sub/new", "at/in/dangling"), 0);
    assert_int_equal(ts_access_open(rules, H5F_EXTERNAL_RAW, "at/in/dangling", O_RDWR | O_CREAT), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(ts_access_open(rules, H5F_EXTERNAL_RAW, "at/in/sub/..", O_RDWR | O_CREAT), -2);
    ts_err_clear();
    ts_access_unref(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(links_are_not_followed_behind_the_check, make_tree, drop_tree),
        cmocka_unit_test_setup_teardown(what_is_outside_never_opens, make_tree, drop_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
