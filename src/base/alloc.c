#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/recycle.h"

enum { QUICK_BYTES = 1024 };

static atomic_ulong made;
static atomic_ulong fail_at;
static atomic_int fail_mode;
static _Thread_local bool spared;

unsigned long ts_alloc_fail_at(unsigned long n, enum ts_alloc_fault mode)
{
    unsigned long before = atomic_exchange(&made, 0);
    atomic_store(&fail_mode, mode);
    atomic_store(&fail_at, n);
    return before;
}

void ts_alloc_spare(bool spare)
{
    spared = spare;
}

static bool must_fail(void)
{
    unsigned long at = atomic_load_explicit(&fail_at, memory_order_relaxed);
    if (at == 0 || spared)
        return false;
    unsigned long now = atomic_fetch_add(&made, 1) + 1;
    return atomic_load(&fail_mode) == TS_FAULT_FROM ? now >= at : now == at;
}

static void *checked(void *ptr, size_t size)
{
    if (!ptr)
        TS_ERR(RESOURCE, NOSPACE, "cannot allocate %zu bytes", size);
    return ptr;
}

static void *allocate_aligned(size_t size)
{
    if (size > SIZE_MAX - (TS_RECYCLE_ALIGN - 1))
        return NULL;
    void *block = TS_RECYCLING ? ts_recycle_take(size) : NULL;
    size_t blocks = size ? (size + TS_RECYCLE_ALIGN - 1) / TS_RECYCLE_ALIGN : 1;
    return block ? block : aligned_alloc(TS_RECYCLE_ALIGN, blocks * TS_RECYCLE_ALIGN);
}

static void *allocate(size_t size)
{
    return TS_RECYCLING && size >= TS_RECYCLE_SMALLEST ? allocate_aligned(size) : malloc(size ? size : 1);
}

static void *allocate_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (!ts_mul_size(count, size, &bytes))
        return NULL;
    void *block = TS_RECYCLING ? ts_recycle_take(bytes) : NULL;
    /* Of small blocks malloc keeps some at hand, and calloc does not look there. */
    if (!block && bytes > 0 && bytes <= QUICK_BYTES && !(block = malloc(bytes)))
        return NULL;
    return block ? memset(block, 0, bytes) : calloc(count ? count : 1, size ? size : 1);
}

void *ts_malloc(size_t size)
{
    return checked(must_fail() ? NULL : allocate(size), size);
}

void *ts_calloc(size_t count, size_t size)
{
    return checked(must_fail() ? NULL : allocate_zeroed(count, size), count * size);
}

void *ts_realloc(void *ptr, size_t size)
{
    return checked(must_fail() ? NULL : realloc(ptr, size ? size : 1), size);
}

void *ts_malloc_aligned(size_t size)
{
    return checked(must_fail() ? NULL : allocate_aligned(size), size);
}

void ts_free(void *ptr)
{
    if (!TS_RECYCLING || !ts_recycle_may_take(ptr) || !ts_recycle_give(ptr))
        free(ptr);
}

void *ts_memdup(const void *p, size_t n)
{
    void *copy = ts_malloc(n);
    if (copy && n)
        memcpy(copy, p, n);
    return copy;
}

char *ts_strndup(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *copy = ts_malloc(len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *ts_strdup(const char *s)
{
    return ts_memdup(s, strlen(s) + 1);
}

int ts_grow(void **items, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return 0;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < need)
        wanted = need;
    /* Small ones get room for a few at once; one large one is what most arrays of them ever have. */
    if (wanted < 4 && size <= 64)
        wanted = 4;
    size_t bytes;
    if (!ts_mul_size(wanted, size, &bytes))
        return TS_ERR(RESOURCE, OVERFLOW, "an array of %zu elements of %zu bytes is too large", wanted, size);
    void *grown = ts_realloc(*items, bytes);
    if (!grown)
        return -1;
    *items = grown;
    *capacity = wanted;
    return 0;
}
