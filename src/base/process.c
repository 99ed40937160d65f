#define _GNU_SOURCE /* MADV_WIPEONFORK */
#include "base/process.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static _Atomic uint64_t without_page;
static _Atomic uint64_t last; /* number given out; a child goes on from there */

_Atomic uint64_t *ts_process_number = &without_page;

uint64_t ts_process_begin(void)
{
    uint64_t none = 0, number = atomic_fetch_add(&last, 1) + 1;
    return atomic_compare_exchange_strong(ts_process_number, &none, number) ? number : none;
}

static void forget(void)
{
    atomic_store(&without_page, 0);
}

/* A page that the system wipes tells of every kind of fork. Where there is none, that of the C library calls a
 * handler. */
__attribute__((constructor)) static void watch_forks(void)
{
    size_t size = sizeof *ts_process_number;
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, size, MADV_WIPEONFORK) == 0) {
        ts_process_number = page;
        return;
    }
    if (page != MAP_FAILED)
        munmap(page, size);
    pthread_atfork(NULL, NULL, forget);
}
