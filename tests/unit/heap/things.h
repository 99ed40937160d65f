/* What heaps are changed with: objects, and what they hold. */
#ifndef TESTS_UNIT_HEAP_THINGS_H
#define TESTS_UNIT_HEAP_THINGS_H

#include "heap/fractal_heap.h"
#include "heap/global_heap.h"
#include "heap/local_heap.h"
#include "unit/index/writable.h"

/* An object is its size and a number that its bytes follow from. */
struct thing {
    bool there;
    uint32_t seed;
    size_t size;
    uint8_t id[32];     /* fractal heap */
    haddr_t collection; /* global heap */
    uint32_t index;
    uint64_t offset; /* local heap */
};

static inline uint8_t *bytes_of(const struct thing *t)
{
    static uint8_t buf[200000];
    uint32_t state = t->seed | 1;
    assert_true(t->size <= sizeof buf);
    for (size_t i = 0; i < t->size; i++)
        buf[i] = (uint8_t)(i % 7 ? state : draw(&state));
    return buf;
}

static inline void name_of(const struct thing *t, char *out)
{
    for (size_t i = 0; i < t->size; i++)
        out[i] = (char)('a' + (t->seed + i) % 26);
    out[t->size] = 0;
}

/* Each of these makes the thing come or go, or another one of it; when it fails, the thing is as it was. */

static inline int toggle_name(struct ts_lheap *heap, struct thing *t, uint32_t *state)
{
    struct thing next = *t;
    char name[64];
    int status;
    next.there = !t->there;
    if (t->there) {
        status = ts_lheap_remove(heap, t->offset);
    } else {
        next.seed = draw(state);
        next.size = draw(state) % 40;
        name_of(&next, name);
        status = ts_lheap_insert(heap, name, &next.offset);
    }
    if (status == 0)
        *t = next;
    return status;
}

static inline size_t object_size(uint32_t *state)
{
    uint32_t kind = draw(state) % 1000;
    return kind == 0 ? draw(state) % 150000 : kind < 30 ? draw(state) % 6000 : draw(state) % 60;
}

static inline int toggle_object(struct ts_file *f, struct thing *t, uint32_t *state)
{
    struct thing next = *t;
    int status;
    next.there = !t->there;
    if (t->there) {
        status = ts_gheap_remove(f, t->collection, t->index);
    } else {
        next.seed = draw(state);
        next.size = object_size(state);
        status = ts_gheap_insert(f, bytes_of(&next), next.size, &next.collection, &next.index);
    }
    if (status == 0)
        *t = next;
    return status;
}

static inline size_t thing_size(uint32_t *state)
{
    uint32_t kind = draw(state) % 1000;
    if (kind < 20)
        return 1 + draw(state) % 8;
    return kind < 30 ? 4000 + draw(state) % 20000 : kind < 100 ? 1 + draw(state) % 4096 : 10 + draw(state) % 60;
}

static inline int change_thing(struct ts_fheap *heap, struct thing *t, uint32_t *state)
{
    struct thing next = *t;
    bool replace = t->there && draw(state) % 4 == 0;
    next.seed = draw(state);
    if (!replace || draw(state) % 2)
        next.size = thing_size(state);
    next.there = !t->there || replace;
    int status;
    if (replace)
        status = ts_fheap_replace(heap, next.id, ts_fheap_id_size(heap), bytes_of(&next), next.size);
    else if (t->there)
        status = ts_fheap_remove(heap, t->id, ts_fheap_id_size(heap));
    else
        status = ts_fheap_insert(heap, bytes_of(&next), next.size, next.id, ts_fheap_id_size(heap));
    if (status >= 0)
        *t = next;
    return status < 0 ? -1 : 0;
}

#endif
