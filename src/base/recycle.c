#include "base/recycle.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/lane.h"

struct kept {
    void *block;
    size_t size;
};

/* locked is taken with acquire and given back with release: what the last one wrote is seen by the next. */
struct shelf {
    _Alignas(TS_LANE_LINE) atomic_flag locked;
    atomic_size_t n; /* a hint for those who only look whether there is anything */
    size_t bytes;
    struct kept kept[TS_RECYCLE_BLOCKS]; /* the oldest first */
};

static struct shelf shelves[TS_RECYCLE_SHELVES] = {[0 ... TS_RECYCLE_SHELVES - 1] = {.locked = ATOMIC_FLAG_INIT}};

static struct shelf *shelf_of(unsigned lane)
{
    return &shelves[lane % TS_RECYCLE_SHELVES];
}

/* Nobody waits: without the shelf there is still malloc. So a child has no need to unlock it that was made by fork
 * while another thread held it. */
static bool try_lock(struct shelf *s)
{
    for (int tries = 0; tries < 200; tries++)
        if (!atomic_flag_test_and_set_explicit(&s->locked, memory_order_acquire))
            return true;
    return false;
}

static void unlock(struct shelf *s)
{
    atomic_flag_clear_explicit(&s->locked, memory_order_release);
}

static size_t count(struct shelf *s)
{
    return atomic_load_explicit(&s->n, memory_order_relaxed);
}

static void *remove_at(struct shelf *s, size_t i)
{
    void *block = s->kept[i].block;
    size_t left = count(s) - 1;
    s->bytes -= s->kept[i].size;
    atomic_store_explicit(&s->n, left, memory_order_relaxed);
    memmove(&s->kept[i], &s->kept[i + 1], (left - i) * sizeof s->kept[0]);
    return block;
}

static void *take_from(struct shelf *s, size_t size)
{
    void *block = NULL;
    if (count(s) == 0 || !try_lock(s))
        return NULL;
    /* The newest first: it is most likely in the processor's cache. */
    for (size_t i = count(s); i-- > 0 && !block;)
        if (s->kept[i].size >= size && s->kept[i].size <= size + size / 4)
            block = remove_at(s, i);
    unlock(s);
    return block;
}

void *ts_recycle_take(size_t size)
{
    void *block = NULL;
    if (size < TS_RECYCLE_SMALLEST || size > TS_RECYCLE_BYTES)
        return NULL;
    unsigned own = ts_lane();
    for (unsigned i = 0; i < TS_RECYCLE_SHELVES && !block; i++)
        block = take_from(shelf_of(own + i), size);
    return block;
}

bool ts_recycle_give(void *block)
{
    size_t size, n_old = 0;
    void *old[TS_RECYCLE_BLOCKS];
    if (!ts_recycle_may_take(block))
        return false;
    size = malloc_usable_size(block);
    if (size < TS_RECYCLE_SMALLEST || size > TS_RECYCLE_BYTES)
        return false;
    struct shelf *s = shelf_of(ts_lane());
    if (!try_lock(s))
        return false;
    while (count(s) == TS_RECYCLE_BLOCKS || s->bytes + size > TS_RECYCLE_BYTES)
        old[n_old++] = remove_at(s, 0);
    size_t n = count(s);
    s->kept[n] = (struct kept){block, size};
    atomic_store_explicit(&s->n, n + 1, memory_order_relaxed);
    s->bytes += size;
    unlock(s);
    while (n_old > 0)
        free(old[--n_old]);
    return true;
}

static size_t empty(struct shelf *s)
{
    void *old[TS_RECYCLE_BLOCKS];
    size_t n_old = 0, bytes;
    if (!try_lock(s))
        return 0;
    bytes = s->bytes;
    while (count(s) > 0)
        old[n_old++] = remove_at(s, count(s) - 1);
    unlock(s);
    while (n_old > 0)
        free(old[--n_old]);
    return bytes;
}

size_t ts_recycle_empty(void)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < TS_RECYCLE_SHELVES; i++)
        bytes += empty(&shelves[i]);
    return bytes;
}

__attribute__((destructor)) static void free_at_end(void)
{
    ts_recycle_empty();
}
