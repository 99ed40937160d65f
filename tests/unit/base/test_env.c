/* The environment of a program that has rights its user has not is not looked at. A copy of this program gets a capability
 * and is run by another user: that is how the system tells such a program, as with setuid. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"

enum { NOBODY = 65534, SEEN = 10, HIDDEN = 11, NOT_SECURE = 12 };

static int ask(void)
{
    bool seen = ts_env("HDF5_PLUGIN_PATH") != NULL;
    return !getauxval(AT_SECURE) ? NOT_SECURE : seen ? SEEN : HIDDEN;
}

static void test_plain(void **unused)
{
    (void)unused;
    setenv("HDF5_PLUGIN_PATH", "/some/folder", 1);
    assert_string_equal(ts_env("HDF5_PLUGIN_PATH"), "/some/folder");
    unsetenv("HDF5_PLUGIN_PATH");
    assert_null(ts_env("HDF5_PLUGIN_PATH"));
}

static bool make_copy(char folder[], char copy[64])
{
    char command[512];
    if (geteuid() != 0 || !mkdtemp(folder) || chmod(folder, 0755) != 0)
        return false;
    snprintf(copy, 64, "%s/copy", folder);
    snprintf(command, sizeof command, "cp /proc/%ld/exe %s && chmod 755 %s && PATH=$PATH:/sbin:/usr/sbin setcap cap_net_raw+ep %s",
             (long)getpid(), copy, copy, copy);
    return system(command) == 0;
}

static void test_with_rights(void **unused)
{
    (void)unused;
    char folder[] = "/var/tmp/tessera-env-XXXXXX", copy[64] = "", command[64];
    bool possible = make_copy(folder, copy);
    int status = 0;
    pid_t pid = possible ? fork() : 0;
    if (possible && pid == 0) {
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(NOT_SECURE);
        setenv("HDF5_PLUGIN_PATH", "/some/folder", 1);
        execl(copy, copy, "--ask", (char *)NULL);
        _exit(NOT_SECURE);
    }
    if (possible)
        waitpid(pid, &status, 0);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    if (!possible || !WIFEXITED(status) || WEXITSTATUS(status) == NOT_SECURE)
        skip();
    assert_int_equal(WEXITSTATUS(status), HIDDEN);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--ask") == 0)
        return ask();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_with_rights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
