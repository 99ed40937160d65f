#include "heap/local_heap.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "format/local_heap.h"
#include "meta/block.h"
#include "meta/meta.h"

/* Free bytes in the data segment. Those too short for the list in the file are known in memory only. */
struct gap {
    uint64_t offset, size;
};

struct ts_lheap {
    struct ts_file *file;
    haddr_t addr;
    /* What a change keeps as it was begins here; the data and the gaps it keeps where it changes them. */
    struct ts_lheap_header header;
    uint8_t *data;    /* NULL when the segment is empty */
    bool listed;      /* gaps are known */
    struct gap *gaps; /* by offset, never side by side */
    size_t n, capacity;
};

static void heap_free(void *obj)
{
    struct ts_lheap *heap = obj;
    ts_free(heap->gaps);
    ts_free(heap->data);
    ts_free(heap);
}

static size_t header_size(const struct ts_file *f)
{
    return ts_lheap_header_size(ts_file_addr_size(f), ts_file_len_size(f));
}

/* What the header takes in the file. */
static uint64_t header_room(const struct ts_file *f)
{
    return (header_size(f) + 7) / 8 * 8;
}

static int read_header(struct ts_file *f, haddr_t addr, struct ts_lheap_header *out)
{
    uint8_t buf[64];
    size_t size = header_size(f);
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

/* The first gap from i on that the list in the file can hold. */
static size_t next_listed(const struct ts_lheap *heap, size_t i)
{
    while (i < heap->n && heap->gaps[i].size < 2 * (uint64_t)ts_file_len_size(heap->file))
        i++;
    return i;
}

static uint64_t listed_offset(const struct ts_lheap *heap, size_t i)
{
    return i < heap->n ? heap->gaps[i].offset : TS_LHEAP_NO_FREE;
}

/* The segment, with the list of free blocks in them. */
static int encode_segment(const struct ts_lheap *heap, struct ts_wr *w)
{
    unsigned len_size = ts_file_len_size(heap->file);
    size_t from = w->size;
    ts_wr_bytes(w, heap->data, (size_t)heap->header.size);
    for (size_t i = next_listed(heap, 0), next; i < heap->n && !w->bad; i = next) {
        struct ts_wr head = {0};
        next = next_listed(heap, i + 1);
        struct ts_lheap_free block = {.next = listed_offset(heap, next), .size = heap->gaps[i].size};
        if (ts_lheap_free_encode(&block, len_size, &head) == 0)
            memcpy(w->data + from + heap->gaps[i].offset, head.data, head.size);
        else
            w->bad = true;
        ts_wr_free(&head);
    }
    return w->bad ? -1 : 0;
}

static int heap_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct ts_lheap *heap = obj;
    struct ts_lheap_header header = heap->header;
    header.free_head = listed_offset(heap, next_listed(heap, 0));
    struct ts_wr *w = ts_blocks_begin(out);
    if (encode_segment(heap, w) < 0 || ts_blocks_end(out, header.data) < 0)
        return -1;
    w = ts_blocks_begin(out);
    if (ts_lheap_header_encode(&header, ts_file_addr_size(f), ts_file_len_size(f), w) < 0)
        return -1;
    return ts_blocks_end(out, heap->addr);
}

static int heap_keep(struct ts_file *f, void *obj)
{
    struct ts_lheap *heap = obj;
    return ts_undo_bytes(f, &heap->header, sizeof *heap - offsetof(struct ts_lheap, header));
}

static const struct ts_meta_class lheap_class = {
    .name = "local heap", .load = heap_load, .free = heap_free, .encode = heap_encode, .keep = heap_keep};

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

/* A writer may have a heap in memory that is not in the file yet. */
static int current_header(struct ts_file *f, haddr_t addr, struct ts_lheap_header *out)
{
    struct ts_lheap *heap;
    if (!f->writable)
        return read_header(f, addr, out);
    if (ts_lheap_open(f, addr, &heap) < 0)
        return -1;
    *out = heap->header;
    ts_lheap_close(heap);
    return 0;
}

int ts_lheap_storage(struct ts_file *f, haddr_t addr, uint64_t *bytes)
{
    struct ts_lheap_header header;
    if (current_header(f, addr, &header) < 0)
        return -1;
    if (header.size > f->end)
        return TS_ERR(HEAP, BADVALUE, "local heap at %#llx of %llu bytes: more than the file", (unsigned long long)addr,
                      (unsigned long long)header.size);
    *bytes = header_room(f) + header.size;
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The free blocks as they are being read. */
struct gap_list {
    struct gap *items;
    size_t n, capacity;
};

/* Stored neighbours may touch: they become one. */
static int order_gaps(const struct ts_lheap *heap, struct gap_list *list)
{
    size_t kept = 0;
    if (list->n > 1)
        qsort(list->items, list->n, sizeof *list->items, by_offset);
    for (size_t i = 0; i < list->n; i++) {
        struct gap *last = kept ? &list->items[kept - 1] : NULL;
        uint64_t end = last ? last->offset + last->size : 0;
        if (end > list->items[i].offset)
            return TS_ERR(HEAP, BADVALUE, "free blocks of the local heap at %#llx overlap at %llu",
                          (unsigned long long)heap->addr, (unsigned long long)list->items[i].offset);
        if (last && end == list->items[i].offset)
            last->size += list->items[i].size;
        else
            list->items[kept++] = list->items[i];
    }
    list->n = kept;
    return 0;
}

static int read_gaps(const struct ts_lheap *heap, struct gap_list *list)
{
    unsigned len_size = ts_file_len_size(heap->file);
    uint64_t size = heap->header.size, at = heap->header.free_head;
    uint64_t none = len_size < 8 ? (UINT64_C(1) << 8 * len_size) - 1 : UINT64_MAX;
    while (at != TS_LHEAP_NO_FREE && at != none) {
        struct ts_lheap_free block;
        if (list->n > size / (2 * (uint64_t)len_size))
            return TS_ERR(HEAP, BADVALUE, "the free blocks of the local heap at %#llx go in a circle",
                          (unsigned long long)heap->addr);
        if (ts_lheap_free_decode(heap->data, (size_t)size, at, len_size, &block) < 0 ||
            TS_GROW(list->items, list->capacity, list->n + 1) < 0)
            return -1;
        list->items[list->n++] = (struct gap){at, block.size};
        at = block.next;
    }
    return order_gaps(heap, list);
}

/* Changes need the list of free blocks, which readers do without. When the change that reads it fails, nobody has. */
static int list_gaps(struct ts_lheap *heap)
{
    struct gap_list list = {0};
    if (heap->listed)
        return 0;
    if (read_gaps(heap, &list) < 0 || ts_undo_new(heap->file, list.items) < 0) {
        ts_free(list.items);
        return -1;
    }
    heap->gaps = list.items;
    heap->n = list.n;
    heap->capacity = list.capacity;
    heap->listed = true;
    return 0;
}

static uint64_t padded(uint64_t size)
{
    return (size + 7) / 8 * 8;
}

/* Before a change of the heap, which needs to know its gaps. */
static int edit(struct ts_lheap *heap)
{
    return ts_meta_edit(heap->file, heap->addr) < 0 ? -1 : list_gaps(heap);
}

static void tell_memory(const struct ts_lheap *heap)
{
    ts_meta_resize(heap->file, heap->addr,
                   sizeof *heap + (size_t)heap->header.size + heap->capacity * sizeof *heap->gaps);
}

/* The place among the gaps of one at offset. */
static size_t gap_place(const struct ts_lheap *heap, uint64_t offset)
{
    size_t low = 0, high = heap->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (heap->gaps[mid].offset < offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void close_place(struct ts_lheap *heap, size_t at)
{
    heap->n--;
    memmove(heap->gaps + at, heap->gaps + at + 1, (heap->n - at) * sizeof *heap->gaps);
}

static void open_place(struct ts_lheap *heap, size_t at)
{
    memmove(heap->gaps + at + 1, heap->gaps + at, (heap->n - at) * sizeof *heap->gaps);
    heap->n++;
}

static void put_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    close_place(step->at, (size_t)step->a);
}

static int put_gap(struct ts_lheap *heap, size_t at, struct gap gap)
{
    struct ts_undo_step step = {.back = put_back, .at = heap, .a = at};
    if (TS_UNDO_GROW(heap->file, heap->gaps, heap->capacity, heap->n + 1) < 0 || ts_undo_add(heap->file, step) < 0)
        return -1;
    open_place(heap, at);
    heap->gaps[at] = gap;
    return 0;
}

/* What the gap was comes back after this. */
static void drop_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    open_place(step->at, (size_t)step->a);
}

static int set_gap(struct ts_lheap *heap, size_t at, struct gap gap)
{
    if (ts_undo_bytes(heap->file, &heap->gaps[at], sizeof gap) < 0)
        return -1;
    if (gap.size > 0) {
        heap->gaps[at] = gap;
        return 0;
    }
    if (ts_undo_add(heap->file, (struct ts_undo_step){.back = drop_back, .at = heap, .a = at}) < 0)
        return -1;
    close_place(heap, at);
    return 0;
}

static int add_gap(struct ts_lheap *heap, uint64_t offset, uint64_t size)
{
    size_t at = gap_place(heap, offset);
    struct gap before = at > 0 ? heap->gaps[at - 1] : (struct gap){0};
    struct gap after = at < heap->n ? heap->gaps[at] : (struct gap){0};
    bool joins = at > 0 && before.offset + before.size == offset;
    bool meets = at < heap->n && offset + size == after.offset;
    struct gap gap = {joins ? before.offset : offset, size + (joins ? before.size : 0) + (meets ? after.size : 0)};
    if (joins && meets && set_gap(heap, at, (struct gap){0}) < 0)
        return -1;
    if (joins || meets)
        return set_gap(heap, joins ? at - 1 : at, gap);
    return put_gap(heap, at, gap);
}

/* A segment of new_size bytes: where it is when there is room behind it, else elsewhere. */
static int move_segment(struct ts_lheap *heap, uint64_t new_size)
{
    struct ts_file *f = heap->file;
    struct ts_lheap_header *h = &heap->header;
    int extended = h->size ? ts_file_extend(f, H5FD_MEM_LHEAP, h->data, h->size, new_size) : 0;
    if (extended != 0)
        return extended < 0 ? -1 : 0;
    haddr_t to;
    if (ts_file_alloc(f, H5FD_MEM_LHEAP, new_size, &to) < 0)
        return -1;
    if (h->size)
        ts_file_free(f, H5FD_MEM_LHEAP, h->data, h->size);
    h->data = to;
    return 0;
}

static int more_data(struct ts_lheap *heap, uint64_t new_size)
{
    struct ts_file *f = heap->file;
    uint8_t *data = ts_malloc((size_t)new_size);
    if (!data)
        return -1;
    size_t old_size = (size_t)heap->header.size;
    if (old_size > 0)
        memcpy(data, heap->data, old_size);
    memset(data + old_size, 0, (size_t)new_size - old_size);
    if (ts_undo_free(f, heap->data) < 0 || ts_undo_new(f, data) < 0) {
        ts_free(data);
        return -1;
    }
    heap->data = data;
    return 0;
}

/* At least twice as long, so that many insertions move it seldom. */
static int grow(struct ts_lheap *heap, uint64_t need)
{
    struct ts_lheap_header *h = &heap->header;
    const struct gap *last = heap->n ? &heap->gaps[heap->n - 1] : NULL;
    uint64_t at_end = last && last->offset + last->size == h->size ? last->size : 0, new_size;
    if (!ts_add_u64(h->size, need - at_end, &new_size))
        return TS_ERR(HEAP, OVERFLOW, "local heap of %llu bytes cannot grow", (unsigned long long)h->size);
    new_size = padded(new_size);
    if (new_size < 2 * h->size)
        new_size = 2 * h->size;
    uint64_t old_size = h->size;
    if (more_data(heap, new_size) < 0 || move_segment(heap, new_size) < 0)
        return -1;
    h->size = new_size;
    return add_gap(heap, old_size, new_size - old_size);
}

/* The smallest gap that is large enough. */
static size_t fitting_gap(const struct ts_lheap *heap, uint64_t need)
{
    size_t best = heap->n;
    for (size_t i = 0; i < heap->n; i++) {
        uint64_t size = heap->gaps[i].size;
        if (size >= need && (best == heap->n || size < heap->gaps[best].size))
            best = i;
        if (size == need)
            break;
    }
    return best;
}

int ts_lheap_insert(struct ts_lheap *heap, const char *name, uint64_t *offset)
{
    TS_IN_CHANGE(heap->file);
    size_t size = strlen(name) + 1;
    uint64_t need = padded(size);
    if (edit(heap) < 0)
        return -1;
    size_t at = fitting_gap(heap, need);
    if (at == heap->n) {
        if (grow(heap, need) < 0)
            return -1;
        at = heap->n - 1;
    }
    struct gap gap = heap->gaps[at];
    uint8_t *to = heap->data + gap.offset;
    if (ts_undo_bytes(heap->file, to, (size_t)need) < 0 ||
        set_gap(heap, at, (struct gap){gap.offset + need, gap.size - need}) < 0)
        return -1;
    *offset = gap.offset;
    memset(to, 0, (size_t)need);
    memcpy(to, name, size);
    tell_memory(heap);
    return 0;
}

static bool overlaps_gap(const struct ts_lheap *heap, uint64_t offset, uint64_t size)
{
    size_t at = gap_place(heap, offset);
    return (at > 0 && heap->gaps[at - 1].offset + heap->gaps[at - 1].size > offset) ||
           (at < heap->n && offset + size > heap->gaps[at].offset);
}

int ts_lheap_remove(struct ts_lheap *heap, uint64_t offset)
{
    TS_IN_CHANGE(heap->file);
    const char *name = ts_lheap_name(heap, offset);
    if (!name)
        return -1;
    if (offset == 0)
        return 0;
    if (edit(heap) < 0)
        return -1;
    uint64_t size = padded(strlen(name) + 1), left = heap->header.size - offset;
    if (size > left)
        size = left;
    if (overlaps_gap(heap, offset, size))
        return TS_ERR(HEAP, BADVALUE, "no string at %llu in the local heap at %#llx: the space is free",
                      (unsigned long long)offset, (unsigned long long)heap->addr);
    if (add_gap(heap, offset, size) < 0)
        return -1;
    tell_memory(heap);
    return 0;
}

static int new_heap(struct ts_file *f, uint64_t room, struct ts_lheap **out)
{
    struct ts_lheap *heap = ts_calloc(1, sizeof *heap);
    if (!heap)
        return -1;
    heap->file = f;
    heap->listed = true;
    heap->header.size = padded(room) + 8;
    heap->data = ts_calloc(1, (size_t)heap->header.size);
    if (!heap->data || (room > 0 && TS_GROW(heap->gaps, heap->capacity, 1) < 0)) {
        heap_free(heap);
        return -1;
    }
    if (room > 0)
        heap->gaps[heap->n++] = (struct gap){8, padded(room)};
    *out = heap;
    return 0;
}

int ts_lheap_create(struct ts_file *f, uint64_t room, haddr_t *addr)
{
    TS_IN_CHANGE(f);
    struct ts_lheap *heap;
    if (new_heap(f, room, &heap) < 0)
        return -1;
    if (ts_file_alloc(f, H5FD_MEM_LHEAP, header_room(f) + heap->header.size, &heap->addr) < 0) {
        heap_free(heap);
        return -1;
    }
    heap->header.data = heap->addr + header_room(f);
    if (ts_meta_insert(f, &lheap_class, heap->addr, heap, sizeof *heap + (size_t)heap->header.size) < 0) {
        heap_free(heap);
        return -1;
    }
    *addr = heap->addr;
    ts_meta_unpin(f, heap->addr);
    return 0;
}

int ts_lheap_delete(struct ts_file *f, haddr_t addr)
{
    TS_IN_CHANGE(f);
    struct ts_lheap_header header;
    if (current_header(f, addr, &header) < 0)
        return -1;
    ts_meta_remove(f, addr);
    if (header.size)
        ts_file_free(f, H5FD_MEM_LHEAP, header.data, header.size);
    ts_file_free(f, H5FD_MEM_LHEAP, addr, header_room(f));
    return 0;
}

int ts_lheap_verify(const struct ts_lheap *heap)
{
    uint64_t end = 0;
    for (size_t i = 0; i < heap->n; i++) {
        const struct gap *gap = &heap->gaps[i];
        if (gap->size == 0 || (i > 0 && gap->offset <= end) || gap->size > heap->header.size ||
            gap->offset > heap->header.size - gap->size)
            return TS_ERR(HEAP, BADVALUE, "local heap at %#llx: %llu free bytes at %llu behind %llu",
                          (unsigned long long)heap->addr, (unsigned long long)gap->size,
                          (unsigned long long)gap->offset, (unsigned long long)end);
        end = gap->offset + gap->size;
    }
    return 0;
}
