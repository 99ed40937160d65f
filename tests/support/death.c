#include "support/death.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_as_child(int out, void (*run)(void *ctx), void *ctx)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(out, STDERR_FILENO);
    run(ctx);
    _exit(0);
}

bool ts_dies_saying(void (*run)(void *ctx), void *ctx, const char *const *words)
{
    char said[2000];
    size_t n = 0;
    ssize_t got;
    int ends[2], status = 0;
    if (pipe(ends) < 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_as_child(ends[1], run, ctx);
    }
    close(ends[1]);
    while (n < sizeof said - 1 && (got = read(ends[0], said + n, sizeof said - 1 - n)) > 0)
        n += (size_t)got;
    said[n] = '\0';
    close(ends[0]);
    bool died = child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    for (; died && *words; words++)
        died = strstr(said, *words) != NULL;
    if (!died)
        fprintf(stderr, "status %#x, '%s' missing in: %s\n", (unsigned)status, *words ? *words : "", said);
    return died;
}
