/* All memory of the library. A failure pushes the error, so that callers only return. */
#ifndef TS_BASE_ALLOC_H
#define TS_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

void *ts_malloc(size_t size);
void *ts_calloc(size_t count, size_t size);
void *ts_realloc(void *ptr, size_t size);
/* For data buffers: aligned to a cache line, so that kernel copies run at full speed. Freed with ts_free. */
void *ts_malloc_aligned(size_t size);
void ts_free(void *ptr);
char *ts_strdup(const char *s);
char *ts_strndup(const char *s, size_t n);
void *ts_memdup(const void *p, size_t n);

/* Makes room in a growing array: on success *items holds at least `need` elements of `size` bytes. */
int ts_grow(void **items, size_t *capacity, size_t need, size_t size);
#define TS_GROW(items, capacity, need)                                                                                 \
    ((need) <= (capacity) ? 0 : ts_grow((void **)&(items), &(capacity), (need), sizeof *(items)))

/* Tests only: the n-th allocation from now (1 is the next one) fails, alone or with all that follow; 0 switches it off.
 * Returns how many allocations were made since the last call. */
enum ts_alloc_fault { TS_FAULT_ONCE, TS_FAULT_FROM };
unsigned long ts_alloc_fail_at(unsigned long n, enum ts_alloc_fault mode);
/* Tests only: allocations of this thread neither count nor fail, from true to false. */
void ts_alloc_spare(bool spare);

#endif
