/* Event sets when a program ends, or is forked, with operations that are not done. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/cmocka_all.h"

#include "hdf5.h"
#include "support/folder.h"
#include "unit/api/event_gate.h"
#include "unit/said.h"

static struct gate gate = GATE_INIT;

static herr_t sleep_a_while(hid_t group, const char *name, const H5L_info2_t *info, void *unused)
{
    (void)group, (void)name, (void)info, (void)unused;
    usleep(200000);
    return 1;
}

static herr_t end_the_program(hid_t group, const char *name, const H5L_info2_t *info, void *unused)
{
    (void)group, (void)name, (void)info, (void)unused;
    exit(33);
}

static hid_t new_file(const char *path)
{
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f, "a link", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return f;
}

/* The program that is run: it asks for a dataset, and ends. */
static int end_early(const char *how, const char *path)
{
    static const int value = 99;
    hid_t f = new_file(path), es = H5EScreate(), space = H5Screate(H5S_SCALAR);
    if (H5Literate_async(f, H5_INDEX_NAME, H5_ITER_INC, NULL, sleep_a_while, NULL, es) < 0)
        return 2;
    hid_t d = H5Dcreate_async(f, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
    if (H5Dwrite_async(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value, es) < 0)
        return 3;
    if (strcmp(how, "closed") == 0 && (H5Dclose_async(d, es) < 0 || H5Fclose_async(f, es) < 0))
        return 4;
    if (strcmp(how, "exit") == 0) {
        H5Literate_async(f, H5_INDEX_NAME, H5_ITER_INC, NULL, end_the_program, NULL, es);
        H5Gcreate_async(f, "never", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, es);
        sleep(60);
    }
    if (strcmp(how, "failing") == 0 && H5Gopen_async(f, "nothing", H5P_DEFAULT, es) < 0)
        return 5;
    return 0;
}

/* What the program said on stderr. */
static char told[4096];

static int run(const char *how, const char *path)
{
    char out[FOLDER_PATH];
    pid_t pid = fork();
    folder_file(out, "stderr");
    if (pid == 0) {
        dup2(open(out, O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
        execl("/proc/self/exe", "end_early", how, path, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    FILE *f = fopen(out, "r");
    told[fread(told, 1, sizeof told - 1, f)] = '\0';
    fclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void what_was_asked_for_is_done_at_the_end(void **state)
{
    static const char *const ways[] = {"open", "closed", "failing"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char path[FOLDER_PATH];
        int value = 0;
        folder_file(path, "ended.h5");
        assert_int_equal(run(ways[i], path), 0);
        assert_int_equal(strstr(told, "1 operations of event sets failed") != NULL, i == 2);
        hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "d", H5P_DEFAULT);
        assert_true(H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
        assert_int_equal(value, 99);
        H5Dclose(d), H5Fclose(f);
    }
}

/* An operation that ends the program does not wait for what comes after it. */
static void a_callback_may_end_the_program(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    assert_int_equal(run("exit", folder_file(path, "exit.h5")), 33);
    assert_non_null(strstr(told, "1 operations of an event set are left undone"));
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(f, "d", H5P_DEFAULT) == 1 && H5Lexists(f, "never", H5P_DEFAULT) == 0);
    H5Fclose(f);
}

struct parents {
    hid_t file, set, promised;
};

static bool refuses(int call)
{
    return call < 0 && strstr(said(), "forked");
}

/* 0 when all is as it should be. */
static int in_child(const struct parents *of)
{
    size_t n;
    hbool_t failed;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!refuses(H5ESwait(of->set, H5ES_WAIT_FOREVER, &n, &failed)))
        return 1;
    if (!refuses((int)H5Gopen_async(of->file, "a link", H5P_DEFAULT, of->set)) || !refuses(H5ESget_count(of->set, &n)) ||
        !refuses(H5EScancel(of->set, &n, &failed)))
        return 2;
    if (!refuses((int)H5Gopen2(of->promised, "a link", H5P_DEFAULT)) || !refuses(H5Gclose(of->promised)))
        return 3;
    hid_t own = H5EScreate();
    if (!refuses((int)H5Gopen_async(of->promised, "below", H5P_DEFAULT, own)))
        return 4;
    hid_t g = H5Gopen_async(of->file, "a link", H5P_DEFAULT, own);
    if (H5ESwait(own, H5ES_WAIT_FOREVER, &n, &failed) < 0 || failed || n != 0 || H5Gclose(g) < 0)
        return 5;
    if (H5ESclose(own) < 0 || H5ESclose(of->set) < 0)
        return 6;
    return H5close() < 0 ? 7 : 0;
}

static void a_forked_child_refuses(void **state)
{
    (void)state;
    char path[FOLDER_PATH];
    size_t n = 9;
    hbool_t failed = 1;
    struct parents of = {.file = new_file(folder_file(path, "forked.h5")), .set = H5EScreate()};
    assert_true(gate_hold_up(&gate, of.file, of.set) >= 0);
    of.promised = H5Gcreate_async(of.file, "late", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, of.set);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(30);
        _exit(in_child(&of));
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    gate_open(&gate);
    assert_true(H5ESwait(of.set, H5ES_WAIT_FOREVER, &n, &failed) >= 0 && n == 0 && !failed);
    assert_int_equal(H5Lexists(of.file, "late", H5P_DEFAULT), 1);
    assert_true(H5Gclose(of.promised) >= 0 && H5ESclose(of.set) >= 0 && H5Fclose(of.file) >= 0);
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

int main(int argc, char **argv)
{
    if (argc == 3)
        return end_early(argv[1], argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_asked_for_is_done_at_the_end),
        cmocka_unit_test(a_callback_may_end_the_program),
        cmocka_unit_test(a_forked_child_refuses),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
