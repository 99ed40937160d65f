/* Large blocks of memory that were freed, kept for the next one who needs as much: pages that the kernel has to find
 * and to clear anew cost more than what is done with them, and all threads of a process wait for each other there. The
 * blocks are malloc's own, so that anyone may free them.
 *
 * They lie on shelves: a thread puts its blocks on one, and takes from it first; which one it is depends on its lane
 * (lane.h), so that few threads meet there. */
#ifndef TS_BASE_RECYCLE_H
#define TS_BASE_RECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Under a sanitizer freed memory must stay freed, or a use of it goes unseen. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define TS_RECYCLING 0
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TS_RECYCLING 0
#endif
#endif
#ifndef TS_RECYCLING
#define TS_RECYCLING 1
#endif

enum {
    TS_RECYCLE_SMALLEST = 64 << 10, /* blocks below are malloc's business */
    TS_RECYCLE_BYTES = 32 << 20,    /* the largest, and what each shelf has at most */
    TS_RECYCLE_BLOCKS = 64,         /* of each shelf, too */
    TS_RECYCLE_SHELVES = 8,
    TS_RECYCLE_ALIGN = 64
};

/* A block of at least size bytes, but not of more than a quarter above, aligned to TS_RECYCLE_ALIGN; NULL when there is
 * none. */
void *ts_recycle_take(size_t size);
/* Nearly all blocks that are freed are small, and not aligned like this. */
static inline bool ts_recycle_may_take(const void *block)
{
    return block && (uintptr_t)block % TS_RECYCLE_ALIGN == 0;
}
/* True when the block was kept. It must come from malloc or one of its kin. */
bool ts_recycle_give(void *block);
/* Frees all that is kept; returns how many bytes that were. */
size_t ts_recycle_empty(void);

#endif
