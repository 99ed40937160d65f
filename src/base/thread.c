#include "base/thread.h"

#include <signal.h>

static int start_with(pthread_t *out, size_t stack_size, void *(*work)(void *ctx), void *ctx)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return -1;
    pthread_attr_setstacksize(&attr, stack_size);
    int status = pthread_create(out, &attr, work, ctx);
    pthread_attr_destroy(&attr);
    return status == 0 ? 0 : -1;
}

int ts_thread_start(pthread_t *out, size_t stack_size, void *(*work)(void *ctx), void *ctx)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    int status = stack_size > 0 ? start_with(out, stack_size, work, ctx) : -1;
    if (status < 0)
        status = pthread_create(out, NULL, work, ctx) == 0 ? 0 : -1;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
