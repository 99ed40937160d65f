/* How the library's own threads are started. */
#ifndef TS_BASE_THREAD_H
#define TS_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Runs `work` in a new thread; negative when there can be none. The application's signals are not for it, save those
 * that tell of what a thread itself does wrong. With a stack size of 0, or where so small a stack has no room for the
 * variables of threads, it has the system's usual one. */
int ts_thread_start(pthread_t *out, size_t stack_size, void *(*work)(void *ctx), void *ctx);

#endif
