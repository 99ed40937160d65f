#include "heap/global_heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "format/global_heap.h"
#include "meta/block.h"
#include "meta/meta.h"

struct ts_gheap {
    struct ts_file *file;
    haddr_t addr;
    uint8_t *data;
    size_t size;
    struct ts_gheap_object *objects; /* by index */
    size_t n, capacity;
};

static void heap_free(void *obj)
{
    struct ts_gheap *heap = obj;
    ts_free(heap->objects);
    ts_free(heap->data);
    ts_free(heap);
}

static int read_collection(struct ts_gheap *heap)
{
    struct ts_file *f = heap->file;
    unsigned len_size = ts_file_len_size(f);
    uint8_t buf[64];
    uint64_t size;
    if (ts_file_read(f, heap->addr, ts_gheap_header_size(len_size), buf) < 0)
        return -1;
    if (ts_gheap_header_decode(buf, ts_gheap_header_size(len_size), len_size, &size) < 0)
        return -1;
    heap->size = (size_t)size;
    return ts_meta_read_block(f, heap->addr, size, &heap->data);
}

static int by_index(const void *a, const void *b)
{
    return (int)((const struct ts_gheap_object *)a)->index - (int)((const struct ts_gheap_object *)b)->index;
}

static int list_objects(struct ts_gheap *heap)
{
    unsigned len_size = ts_file_len_size(heap->file);
    size_t pos = ts_gheap_header_size(len_size);
    struct ts_gheap_object object;
    bool sorted = true;
    int more;
    while ((more = ts_gheap_object_next(heap->data, heap->size, len_size, &pos, &object)) > 0) {
        if (TS_GROW(heap->objects, heap->capacity, heap->n + 1) < 0)
            return -1;
        sorted = sorted && (heap->n == 0 || heap->objects[heap->n - 1].index < object.index);
        heap->objects[heap->n++] = object;
    }
    if (more < 0 || sorted)
        return more;
    qsort(heap->objects, heap->n, sizeof *heap->objects, by_index);
    for (size_t i = 1; i < heap->n; i++)
        if (heap->objects[i].index == heap->objects[i - 1].index)
            return TS_ERR(HEAP, BADVALUE, "object %u twice in a global heap collection", heap->objects[i].index);
    return 0;
}

static int heap_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    struct ts_gheap *heap = ts_calloc(1, sizeof *heap);
    if (!heap)
        return -1;
    heap->file = f;
    heap->addr = addr;
    if (read_collection(heap) < 0 || list_objects(heap) < 0) {
        heap_free(heap);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the global heap collection at %#llx", (unsigned long long)addr);
    }
    *obj = heap;
    *bytes = sizeof *heap + heap->size + heap->capacity * sizeof *heap->objects;
    return 0;
}

static const struct ts_meta_class gheap_class = {
    .name = "global heap collection", .load = heap_load, .free = heap_free};

int ts_gheap_open(struct ts_file *f, haddr_t addr, struct ts_gheap **out)
{
    void *obj;
    if (ts_meta_pin(f, &gheap_class, addr, NULL, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

void ts_gheap_close(struct ts_gheap *heap)
{
    if (heap)
        ts_meta_unpin(heap->file, heap->addr);
}

static const struct ts_gheap_object *find(const struct ts_gheap *heap, uint32_t index)
{
    /* Indexes are given out from 1 on, so in most collections the n-th object is at place n - 1. */
    if (index >= 1 && index <= heap->n && heap->objects[index - 1].index == index)
        return &heap->objects[index - 1];
    if (index == 0 || index > UINT16_MAX || heap->n == 0)
        return NULL;
    struct ts_gheap_object key = {.index = (uint16_t)index};
    return bsearch(&key, heap->objects, heap->n, sizeof key, by_index);
}

int ts_gheap_get(const struct ts_gheap *heap, uint32_t index, const uint8_t **data, size_t *size)
{
    const struct ts_gheap_object *object = find(heap, index);
    if (!object)
        return TS_ERR(HEAP, NOTFOUND, "no object %u in the global heap collection at %#llx", index,
                      (unsigned long long)heap->addr);
    *data = heap->data + object->offset;
    *size = object->size;
    return 0;
}

int ts_gheap_read(struct ts_file *f, haddr_t collection, uint32_t index, void **data, size_t *size)
{
    struct ts_gheap *heap;
    const uint8_t *at;
    if (ts_gheap_open(f, collection, &heap) < 0)
        return -1;
    int status = ts_gheap_get(heap, index, &at, size);
    if (status == 0) {
        *data = ts_memdup(at, *size);
        status = *data ? 0 : -1;
    }
    ts_gheap_close(heap);
    return status;
}
