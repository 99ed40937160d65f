#include "heap/local_heap.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "format/local_heap.h"
#include "meta/block.h"
#include "meta/meta.h"

struct ts_lheap {
    struct ts_file *file;
    haddr_t addr;
    struct ts_lheap_header header;
    uint8_t *data; /* NULL when the segment is empty */
};

static void heap_free(void *obj)
{
    struct ts_lheap *heap = obj;
    ts_free(heap->data);
    ts_free(heap);
}

static int read_header(struct ts_file *f, haddr_t addr, struct ts_lheap_header *out)
{
    uint8_t buf[64];
    size_t size = ts_lheap_header_size(ts_file_addr_size(f), ts_file_len_size(f));
    if (ts_file_read(f, addr, size, buf) < 0)
        return -1;
    return ts_lheap_header_decode(buf, size, ts_file_addr_size(f), ts_file_len_size(f), out);
}

static int read_heap(struct ts_lheap *heap)
{
    if (read_header(heap->file, heap->addr, &heap->header) < 0)
        return -1;
    if (heap->header.size == 0)
        return 0;
    return ts_meta_read_block(heap->file, heap->header.data, heap->header.size, &heap->data);
}

static int heap_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    struct ts_lheap *heap = ts_calloc(1, sizeof *heap);
    if (!heap)
        return -1;
    heap->file = f;
    heap->addr = addr;
    if (read_heap(heap) < 0) {
        heap_free(heap);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the local heap at %#llx", (unsigned long long)addr);
    }
    *obj = heap;
    *bytes = sizeof *heap + (size_t)heap->header.size;
    return 0;
}

static const struct ts_meta_class lheap_class = {.name = "local heap", .load = heap_load, .free = heap_free};

int ts_lheap_open(struct ts_file *f, haddr_t addr, struct ts_lheap **out)
{
    void *obj;
    if (ts_meta_pin(f, &lheap_class, addr, NULL, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

void ts_lheap_close(struct ts_lheap *heap)
{
    if (heap)
        ts_meta_unpin(heap->file, heap->addr);
}

const char *ts_lheap_name(const struct ts_lheap *heap, uint64_t offset)
{
    uint64_t size = heap->header.size;
    if (offset < size && memchr(heap->data + offset, 0, (size_t)(size - offset)))
        return (const char *)heap->data + offset;
    TS_ERR(HEAP, BADRANGE, "no string at %llu in the local heap at %#llx of %llu bytes", (unsigned long long)offset,
           (unsigned long long)heap->addr, (unsigned long long)size);
    return NULL;
}

uint64_t ts_lheap_size(const struct ts_lheap *heap)
{
    return heap->header.size;
}

int ts_lheap_storage(struct ts_file *f, haddr_t addr, uint64_t *bytes)
{
    struct ts_lheap_header header;
    size_t size = ts_lheap_header_size(ts_file_addr_size(f), ts_file_len_size(f));
    if (read_header(f, addr, &header) < 0)
        return -1;
    if (header.size > f->end)
        return TS_ERR(HEAP, BADVALUE, "local heap at %#llx of %llu bytes: more than the file", (unsigned long long)addr,
                      (unsigned long long)header.size);
    *bytes = (size + 7) / 8 * 8 + header.size;
    return 0;
}
