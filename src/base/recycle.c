#include "base/recycle.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    void *block;
    size_t size;
};

static struct kept kept[TS_RECYCLE_BLOCKS]; /* the oldest first */
static size_t n_kept, bytes_kept;
static atomic_flag locked = ATOMIC_FLAG_INIT;

/* Nobody waits: without the table there is still malloc. So a child has no need to unlock it that was made by fork
 * while another thread held it. */
static bool try_lock(void)
{
    for (int tries = 0; tries < 200; tries++)
        if (!atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
            return true;
    return false;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

static void *remove_at(size_t i)
{
    void *block = kept[i].block;
    bytes_kept -= kept[i].size;
    n_kept--;
    memmove(&kept[i], &kept[i + 1], (n_kept - i) * sizeof kept[0]);
    return block;
}

void *ts_recycle_take(size_t size)
{
    void *block = NULL;
    if (size < TS_RECYCLE_SMALLEST || size > TS_RECYCLE_BYTES || !try_lock())
        return NULL;
    /* The newest first: it is most likely in the processor's cache. */
    for (size_t i = n_kept; i-- > 0 && !block;)
        if (kept[i].size >= size && kept[i].size <= size + size / 4)
            block = remove_at(i);
    unlock();
    return block;
}

bool ts_recycle_give(void *block)
{
    size_t size, n_old = 0;
    void *old[TS_RECYCLE_BLOCKS];
    if (!ts_recycle_may_take(block))
        return false;
    size = malloc_usable_size(block);
    if (size < TS_RECYCLE_SMALLEST || size > TS_RECYCLE_BYTES || !try_lock())
        return false;
    while (n_kept == TS_RECYCLE_BLOCKS || bytes_kept + size > TS_RECYCLE_BYTES)
        old[n_old++] = remove_at(0);
    kept[n_kept++] = (struct kept){block, size};
    bytes_kept += size;
    unlock();
    while (n_old > 0)
        free(old[--n_old]);
    return true;
}

size_t ts_recycle_empty(void)
{
    void *old[TS_RECYCLE_BLOCKS];
    size_t n_old = 0, bytes = 0;
    if (!try_lock())
        return 0;
    bytes = bytes_kept;
    while (n_kept > 0)
        old[n_old++] = remove_at(n_kept - 1);
    unlock();
    while (n_old > 0)
        free(old[--n_old]);
    return bytes;
}

__attribute__((destructor)) static void free_at_end(void)
{
    ts_recycle_empty();
}
