#define _GNU_SOURCE
#include "unit/cmocka_all.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

/* A fork of the C library, which calls handlers, and one of the system, which does not. */
static pid_t fork_plainly(void)
{
    return fork();
}

static pid_t fork_without_handlers(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/* What a grandchild says: 0 when its number, its parent's and its grandparent's are three. */
static int grandchild_says(pid_t (*make)(void))
{
    uint64_t first = ts_process();
    int status = 1;
    pid_t child = make();
    if (child == 0) {
        uint64_t second = ts_process();
        pid_t grandchild = make();
        if (grandchild == 0) {
            uint64_t third = ts_process();
            _exit(first == 0 || second == 0 || third == 0 || first == second || second == third || first == third);
        }
        waitpid(grandchild, &status, 0);
        _exit(!WIFEXITED(status) || WEXITSTATUS(status) || ts_process() != second);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(ts_process(), first);
    return WEXITSTATUS(status);
}

static void a_process_keeps_its_number_and_a_forked_one_has_another(void **state)
{
    (void)state;
    assert_int_equal(grandchild_says(fork_plainly), 0);
    assert_int_equal(grandchild_says(fork_without_handlers), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_process_keeps_its_number_and_a_forked_one_has_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
