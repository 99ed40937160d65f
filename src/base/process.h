/* Which process this is, for what must not be used on both sides of a fork. */
#ifndef TS_BASE_PROCESS_H
#define TS_BASE_PROCESS_H

#include <stdatomic.h>
#include <stdint.h>

/* For ts_process alone. What it leads to is 0 in a process that was forked, until that asks. */
extern _Atomic uint64_t *ts_process_number;
uint64_t ts_process_begin(void);

/* A number that is not 0, and not that of any process that this one was forked from. It is asked for with every change
 * of a file, so no call of the system is made for it: getpid was a sixth of appending rows. */
static inline uint64_t ts_process(void)
{
    uint64_t number = atomic_load_explicit(ts_process_number, memory_order_relaxed);
    return number ? number : ts_process_begin();
}

#endif
