#include "heap/fractal_heap.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "filter/filter.h"
#include "filter/pipeline_codec.h"
#include "heap/fheap.h"
#include "index/btree2.h"
#include "meta/block.h"
#include "meta/meta.h"

const struct ts_fheap_params ts_fheap_for_links = {.id_size = 7,
                                                   .width = 4,
                                                   .start_rows = 1,
                                                   .heap_bits = 32,
                                                   .start_block = 512,
                                                   .max_direct = 65536,
                                                   .max_managed = 4096};
const struct ts_fheap_params ts_fheap_for_attrs = {.id_size = 8,
                                                   .width = 4,
                                                   .start_rows = 1,
                                                   .heap_bits = 40,
                                                   .start_block = 1024,
                                                   .max_direct = 65536,
                                                   .max_managed = 4096};

static void heap_free(void *obj)
{
    struct ts_fheap *heap = obj;
    ts_fheap_forget_space(heap);
    ts_pipeline_deinit(&heap->pipeline);
    ts_free(heap->filters);
    ts_free(heap);
}

static int keep_filters(struct ts_fheap *heap)
{
    struct ts_fheap_header *h = &heap->header;
    if (h->filter_size == 0)
        return 0;
    heap->filters = ts_memdup(h->filters, h->filter_size);
    h->filters = heap->filters;
    if (!heap->filters || ts_pipeline_decode_message(h->filters, h->filter_size, &heap->pipeline) < 0)
        return -1;
    heap->pipeline.access = &heap->file->agreed.access;
    return 0;
}

static int read_header(struct ts_fheap *heap)
{
    struct ts_file *f = heap->file;
    unsigned addr_size = ts_file_addr_size(f), len_size = ts_file_len_size(f);
    uint8_t head[9], *buf;
    if (ts_file_read(f, heap->addr, sizeof head, head) < 0)
        return -1;
    size_t size = ts_fheap_header_size(head, addr_size, len_size);
    if (ts_meta_read_block(f, heap->addr, size, &buf) < 0)
        return -1;
    int status = ts_fheap_header_decode(buf, size, addr_size, len_size, &heap->header);
    if (status == 0)
        status = keep_filters(heap);
    ts_free(buf);
    return status;
}

static int heap_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    struct ts_fheap *heap = ts_calloc(1, sizeof *heap);
    if (!heap)
        return -1;
    heap->file = f;
    heap->addr = addr;
    if (read_header(heap) < 0) {
        heap_free(heap);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the fractal heap at %#llx", (unsigned long long)addr);
    }
    *obj = heap;
    *bytes = sizeof *heap;
    return 0;
}

static int heap_settle(struct ts_file *f, void *obj)
{
    (void)f;
    return ts_fheap_place_manager(obj);
}

static int heap_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct ts_fheap *heap = obj;
    if (ts_fheap_encode_manager(heap, out) < 0 || ts_fheap_header_encode(&heap->header, ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, heap->addr);
}

int ts_fheap_keep(struct ts_fheap *heap)
{
    return ts_undo_bytes(heap->file, &heap->header, sizeof *heap - offsetof(struct ts_fheap, header));
}

static int heap_keep(struct ts_file *f, void *obj)
{
    (void)f;
    return ts_fheap_keep(obj);
}

static const struct ts_meta_class heap_class = {.name = "fractal heap",
                                                .load = heap_load,
                                                .free = heap_free,
                                                .encode = heap_encode,
                                                .settle = heap_settle,
                                                .keep = heap_keep,
                                                .retry = TS_RETRY_FHEAP_HEADER};

int ts_fheap_open(struct ts_file *f, haddr_t addr, struct ts_fheap **out)
{
    void *obj;
    if (ts_meta_pin(f, &heap_class, addr, NULL, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

void ts_fheap_close(struct ts_fheap *heap)
{
    if (heap)
        ts_meta_unpin(heap->file, heap->addr);
}

int ts_fheap_edit(struct ts_fheap *heap)
{
    if (ts_meta_edit(heap->file, heap->addr) < 0)
        return -1;
    heap->space_changed = true;
    return 0;
}

static void tell_memory(struct ts_fheap *heap)
{
    ts_meta_resize(heap->file, heap->addr, sizeof *heap + (heap->gaps.n + heap->absent.n) * sizeof(struct ts_gap));
}

size_t ts_fheap_id_size(const struct ts_fheap *heap)
{
    return heap->header.id_size;
}

const struct ts_filter_options ts_fheap_coding = {.metadata = true};

int ts_fheap_read_filtered(const struct ts_fheap *heap, const struct ts_fheap_extent *e, uint8_t **buf)
{
    if (ts_meta_read_block(heap->file, e->addr, e->length, buf) < 0)
        return -1;
    if (heap->header.filter_size == 0)
        return 0;
    void *data = *buf;
    size_t size = (size_t)e->length;
    int status =
        ts_pipeline_decode_with(&heap->pipeline, e->filter_mask, &data, &size, (size_t)e->size, &ts_fheap_coding);
    if (status == 0 && size != e->size)
        status = TS_ERR(HEAP, BADSIZE, "%zu bytes at %#llx after filters, not %llu", size, (unsigned long long)e->addr,
                        (unsigned long long)e->size);
    if (status < 0)
        ts_free(data);
    *buf = status < 0 ? NULL : data;
    return status;
}

/* The object must lie in the block, behind its prefix. */
static int check_object(const struct ts_fheap *heap, const struct ts_fheap_direct *d, const struct ts_fheap_id *id)
{
    uint64_t inside = id->offset - d->offset;
    if (id->length == 0 || inside < ts_fheap_direct_prefix(&heap->header) || inside > d->size ||
        id->length > d->size - inside)
        return TS_ERR(HEAP, BADRANGE, "object of %llu bytes at %llu in a fractal heap block of %llu",
                      (unsigned long long)id->length, (unsigned long long)inside, (unsigned long long)d->size);
    return 0;
}

static int read_managed(struct ts_fheap *heap, const struct ts_fheap_id *id, struct ts_wr *out)
{
    struct ts_fheap_direct *d;
    if (ts_fheap_direct_find(heap, id->offset, &d) < 0)
        return -1;
    int status = check_object(heap, d, id);
    if (status == 0)
        ts_wr_bytes(out, d->buf + (id->offset - d->offset), (size_t)id->length);
    ts_fheap_direct_unpin(d);
    return status < 0 || out->bad ? -1 : 0;
}

int ts_fheap_read(struct ts_fheap *heap, const uint8_t *id, size_t id_size, struct ts_wr *out)
{
    struct ts_fheap_id at;
    if (ts_fheap_id_decode(&heap->header, id, id_size, &at) < 0)
        return -1;
    if (at.kind == TS_FHEAP_MANAGED)
        return read_managed(heap, &at, out);
    if (at.kind == TS_FHEAP_HUGE)
        return ts_fheap_huge_read(heap, &at, out);
    ts_wr_bytes(out, id + at.offset, (size_t)at.length);
    return out->bad ? -1 : 0;
}

/* Bytes of an indirect block and those below it. Offsets tell blocks apart, so none is counted twice. */
static int indirect_storage(struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place, uint64_t *bytes)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_indirect *b;
    if (place->rows == 0)
        return ts_fheap_no_table(heap, ts_fheap_row_block(h, h->direct_rows));
    if (ts_fheap_indirect_pin(heap, addr, place, &b) < 0)
        return -1;
    *bytes += ts_fheap_indirect_size(h, place->rows);
    int status = 0;
    for (unsigned row = h->direct_rows; status == 0 && row < place->rows; row++)
        for (unsigned col = 0; status == 0 && col < h->width; col++) {
            haddr_t child = b->children[(size_t)row * h->width + col].addr;
            uint64_t size = ts_fheap_row_block(h, row);
            struct ts_fheap_place below = {.header = heap->addr,
                                           .offset = place->offset + ts_fheap_row_start(h, row) + col * size,
                                           .rows = ts_fheap_rows_for(h, size)};
            if (child != HADDR_UNDEF)
                status = indirect_storage(heap, child, &below, bytes);
        }
    ts_meta_unpin(heap->file, addr);
    return status;
}

static uint64_t header_size(const struct ts_fheap_header *h)
{
    return ts_fheap_header_min_size(h->addr_size, h->len_size) +
           (h->filter_size ? h->len_size + 4 + h->filter_size : 0);
}

int ts_fheap_storage(struct ts_fheap *heap, uint64_t *bytes)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_place root = {.header = heap->addr, .rows = h->rows};
    *bytes = header_size(h) + h->managed_allocated + h->huge_size;
    if (h->rows > 0 && h->root != HADDR_UNDEF && indirect_storage(heap, h->root, &root, bytes) < 0)
        return -1;
    if (ts_fheap_manager_storage(heap, bytes) < 0)
        return -1;
    if (h->huge_btree == HADDR_UNDEF)
        return 0;
    struct ts_btree2 *tree;
    uint64_t tree_bytes = 0;
    if (ts_btree2_open(heap->file, h->huge_btree, &tree) < 0)
        return -1;
    int status = ts_btree2_storage(tree, &tree_bytes);
    ts_btree2_close(tree);
    *bytes += tree_bytes;
    return status;
}

static int set_params(struct ts_fheap *heap, const struct ts_fheap_params *p)
{
    if (p->filter_size > UINT16_MAX)
        return TS_ERR(HEAP, BADSIZE, "a filter pipeline of %zu bytes", p->filter_size);
    /* Both sizes have to fit in a length of the file, of two bytes maybe. */
    uint64_t most = ts_file_len_size(heap->file) == 2 ? 32768 : UINT64_MAX;
    heap->header = (struct ts_fheap_header){.id_size = p->id_size,
                                            .filter_size = (unsigned)p->filter_size,
                                            .flags = TS_FHEAP_CHECKSUM,
                                            .max_managed = p->max_managed,
                                            .huge_btree = HADDR_UNDEF,
                                            .free_space = HADDR_UNDEF,
                                            .root = HADDR_UNDEF,
                                            .start_block = p->start_block,
                                            .max_direct = p->max_direct < most ? p->max_direct : most,
                                            .width = p->width,
                                            .heap_bits = p->heap_bits,
                                            .start_rows = p->start_rows,
                                            .filters = p->filters,
                                            .addr_size = ts_file_addr_size(heap->file),
                                            .len_size = ts_file_len_size(heap->file)};
    heap->manager.list = HADDR_UNDEF;
    heap->space_known = true;
    return keep_filters(heap) < 0 ? -1 : ts_fheap_header_derive(&heap->header);
}

int ts_fheap_create(struct ts_file *f, const struct ts_fheap_params *params, haddr_t *addr)
{
    TS_IN_CHANGE(f);
    struct ts_fheap *heap = ts_calloc(1, sizeof *heap);
    if (!heap)
        return -1;
    heap->file = f;
    if (set_params(heap, params) < 0 ||
        ts_file_alloc(f, H5FD_MEM_FHEAP_HDR, header_size(&heap->header), &heap->addr) < 0 ||
        ts_meta_insert(f, &heap_class, heap->addr, heap, sizeof *heap) < 0) {
        heap_free(heap);
        return -1;
    }
    *addr = heap->addr;
    ts_meta_unpin(f, heap->addr);
    return 0;
}

/* Objects that fit into an id are kept there. */
static bool is_tiny(const struct ts_fheap_header *h, size_t size)
{
    return h->id_size > 18 ? size <= h->id_size - 2 && size <= 4096 : size <= h->id_size - 1;
}

static bool is_huge(const struct ts_fheap_header *h, size_t size)
{
    return size > h->max_managed || size > h->max_direct - ts_fheap_direct_prefix(h);
}

/* Puts objects, `id->length` bytes in all, where the direct block has room for them, or one object of that size. */
static int write_objects(struct ts_fheap *heap, const struct ts_fheap_id *id, const struct ts_fheap_object *objects,
                         size_t n)
{
    struct ts_fheap_path path;
    struct ts_fheap_direct *d;
    if (ts_fheap_path_find(heap, id->offset, &path) < 0)
        return -1;
    int status = ts_fheap_direct_pin(&path, &d);
    if (status == 0) {
        status = check_object(heap, d, id);
        if (status == 0)
            status = ts_fheap_direct_edit(&path, d, id->offset - d->offset, (size_t)id->length);
        uint8_t *at = d->buf + (id->offset - d->offset);
        for (size_t i = 0; status == 0 && i < n; at += objects[i++].size)
            memcpy(at, objects[i].data, objects[i].size);
        ts_fheap_direct_unpin(d);
    }
    ts_fheap_path_release(&path);
    return status;
}

static int write_object(struct ts_fheap *heap, const struct ts_fheap_id *id, const void *data)
{
    struct ts_fheap_object object = {.data = data, .size = (size_t)id->length};
    return write_objects(heap, id, &object, 1);
}

/* How many of the objects, of which the first fits, fit in `room` bytes together. */
static size_t count_fitting(const struct ts_fheap_header *h, const struct ts_fheap_object *objects, size_t n,
                            uint64_t room, uint64_t *bytes)
{
    size_t fit = 0;
    *bytes = 0;
    while (fit < n && objects[fit].size <= room - *bytes && !is_tiny(h, objects[fit].size) &&
           !is_huge(h, objects[fit].size))
        *bytes += objects[fit++].size;
    return fit;
}

/* As many of the objects as fit where the first does: how many, and where that is. */
static int insert_managed(struct ts_fheap *heap, const struct ts_fheap_object *objects, size_t n,
                          struct ts_fheap_id *id, size_t *done)
{
    size_t size = objects[0].size;
    if (ts_fheap_know_space(heap) < 0 || ts_fheap_edit(heap) < 0)
        return -1;
    if (!ts_gaps_fit(&heap->gaps, size) && ts_fheap_grow(heap, size) < 0)
        return -1;
    const struct ts_gap *gap = ts_gaps_fit(&heap->gaps, size);
    if (!gap)
        return TS_ERR(HEAP, NOSPACE, "the fractal heap at %#llx has no place for %zu bytes",
                      (unsigned long long)heap->addr, size);
    *id = (struct ts_fheap_id){.kind = TS_FHEAP_MANAGED, .offset = gap->offset};
    *done = count_fitting(&heap->header, objects, n, gap->size, &id->length);
    if (write_objects(heap, id, objects, *done) < 0 ||
        ts_gaps_take(heap->file, &heap->gaps, id->offset, id->length) < 0)
        return -1;
    heap->header.managed_count += *done;
    heap->header.managed_free -= id->length;
    tell_memory(heap);
    return 0;
}

/* The id of the object at `at`, for whom w keeps the memory. */
static int encode_id(const struct ts_fheap *heap, const struct ts_fheap_id *at, const struct ts_fheap_object *object,
                     struct ts_wr *w)
{
    w->size = 0;
    int status = ts_fheap_id_encode(&heap->header, at, object->data, w);
    if (status == 0)
        memcpy(object->id, w->data, w->size);
    return status;
}

static int insert_tiny(struct ts_fheap *heap, size_t size)
{
    if (ts_fheap_edit(heap) < 0)
        return -1;
    heap->header.tiny_count++;
    heap->header.tiny_size += size;
    return 0;
}

/* What the file says of its ids is not what there is room for. */
static int check_new_object(const struct ts_fheap *heap, size_t size, size_t id_size)
{
    if (size == 0)
        return TS_ERR(HEAP, BADSIZE, "an object of no bytes for a fractal heap");
    if (id_size != heap->header.id_size)
        return TS_ERR(HEAP, BADSIZE, "the fractal heap at %#llx has ids of %u bytes, not %zu",
                      (unsigned long long)heap->addr, heap->header.id_size, id_size);
    return 0;
}

/* The first of the objects, and those behind it that go where it goes; how many. */
static int insert_some(struct ts_fheap *heap, const struct ts_fheap_object *objects, size_t n, struct ts_wr *w,
                       size_t *done)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_id at = {.kind = TS_FHEAP_TINY, .length = objects[0].size};
    int status;
    *done = 1;
    if (is_tiny(h, objects[0].size))
        status = insert_tiny(heap, objects[0].size);
    else if (is_huge(h, objects[0].size))
        status = ts_fheap_huge_insert(heap, objects[0].data, objects[0].size, &at);
    else
        status = insert_managed(heap, objects, n, &at, done);
    for (size_t i = 0; i < *done && status == 0; i++) {
        at.length = objects[i].size;
        status = encode_id(heap, &at, &objects[i], w);
        at.offset += objects[i].size;
    }
    return status;
}

int ts_fheap_insert_many(struct ts_fheap *heap, const struct ts_fheap_object *objects, size_t n, size_t id_size)
{
    TS_IN_CHANGE(heap->file);
    struct ts_wr w = {0};
    int status = 0;
    for (size_t i = 0, done; i < n && status == 0; i += done) {
        status = check_new_object(heap, objects[i].size, id_size);
        if (status == 0)
            status = insert_some(heap, objects + i, n - i, &w, &done);
    }
    ts_wr_free(&w);
    return status < 0 ? -1 : 0;
}

int ts_fheap_insert(struct ts_fheap *heap, const void *data, size_t size, uint8_t *id, size_t id_size)
{
    struct ts_fheap_object object = {.data = data, .size = size, .id = id};
    return ts_fheap_insert_many(heap, &object, 1, id_size);
}

static bool is_free(const struct ts_fheap *heap, const struct ts_fheap_id *id)
{
    const struct ts_gap *before = ts_gaps_at_or_before(&heap->gaps, id->offset);
    const struct ts_gap *after = ts_gaps_at_or_after(&heap->gaps, id->offset);
    return (before && before->offset + before->size > id->offset) || (after && after->offset - id->offset < id->length);
}

/* Free space next to each other in one block becomes one. *whole: that is all of the block. */
static int free_range(const struct ts_fheap_path *path, uint64_t offset, uint64_t size, bool *whole)
{
    struct ts_fheap *heap = path->heap;
    uint64_t start = path->offset + ts_fheap_direct_prefix(&heap->header), end = path->offset + path->size;
    const struct ts_gap *before = ts_gaps_at_or_before(&heap->gaps, offset);
    const struct ts_gap *after = ts_gaps_at_or_after(&heap->gaps, offset);
    uint64_t behind = after && after->offset == offset + size && after->offset < end ? after->size : 0;
    bool joins = before && before->offset >= start && before->offset + before->size == offset;
    uint64_t from = joins ? before->offset : offset, total = size + behind + (joins ? before->size : 0);
    *whole = from == start && total == end - start;
    if (behind > 0 && ts_gaps_remove(heap->file, &heap->gaps, offset + size) < 0)
        return -1;
    if (*whole)
        return joins ? ts_gaps_remove(heap->file, &heap->gaps, from) : 0;
    if (joins)
        return ts_gaps_resize(heap->file, &heap->gaps, from, total);
    return ts_gaps_add(heap->file, &heap->gaps, from, total, 0);
}

static int check_managed(const struct ts_fheap_path *path, const struct ts_fheap_id *id)
{
    struct ts_fheap *heap = path->heap;
    struct ts_fheap_direct *d;
    if (ts_fheap_direct_pin(path, &d) < 0)
        return -1;
    int status = check_object(heap, d, id);
    ts_fheap_direct_unpin(d);
    if (status == 0 && (is_free(heap, id) || heap->header.managed_count == 0))
        status = TS_ERR(HEAP, NOTFOUND, "no object of %llu bytes at %llu in the fractal heap at %#llx",
                        (unsigned long long)id->length, (unsigned long long)id->offset, (unsigned long long)heap->addr);
    return status;
}

static int remove_managed(struct ts_fheap *heap, const struct ts_fheap_id *id)
{
    struct ts_fheap_path path;
    bool whole = false;
    if (id->offset >> heap->header.heap_bits)
        return TS_ERR(HEAP, BADRANGE, "offset %llu in a fractal heap of %u bits", (unsigned long long)id->offset,
                      heap->header.heap_bits);
    if (ts_fheap_know_space(heap) < 0 || ts_fheap_path_find(heap, id->offset, &path) < 0)
        return -1;
    int status = check_managed(&path, id) < 0 ? -1 : ts_fheap_edit(heap);
    if (status == 0) {
        heap->header.managed_count--;
        heap->header.managed_free += id->length;
        status = free_range(&path, id->offset, id->length, &whole);
    }
    if (status == 0 && whole)
        status = ts_fheap_drop_block(&path);
    ts_fheap_path_release(&path);
    tell_memory(heap);
    return status;
}

/* Readers of a SWMR writer may still have the id: the object stays, though nothing on file will lead to it. */
static int remove_object(struct ts_fheap *heap, struct ts_fheap_id *id)
{
    struct ts_fheap_header *h = &heap->header;
    if (heap->file->swmr == TS_SWMR_WRITER)
        return 0;
    if (id->kind == TS_FHEAP_MANAGED)
        return remove_managed(heap, id);
    if (id->kind == TS_FHEAP_HUGE)
        return ts_fheap_huge_remove(heap, id);
    if (h->tiny_count == 0 || h->tiny_size < id->length)
        return TS_ERR(HEAP, NOTFOUND, "the fractal heap at %#llx has no objects in ids",
                      (unsigned long long)heap->addr);
    if (ts_fheap_edit(heap) < 0)
        return -1;
    h->tiny_count--;
    h->tiny_size -= id->length;
    return 0;
}

int ts_fheap_remove(struct ts_fheap *heap, const uint8_t *id, size_t id_size)
{
    TS_IN_CHANGE(heap->file);
    struct ts_fheap_id at;
    return ts_fheap_id_decode(&heap->header, id, id_size, &at) < 0 ? -1 : remove_object(heap, &at);
}

int ts_fheap_replace(struct ts_fheap *heap, uint8_t *id, size_t id_size, const void *data, size_t size)
{
    TS_IN_CHANGE(heap->file);
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_id at;
    if (check_new_object(heap, size, id_size) < 0 || ts_fheap_id_decode(h, id, id_size, &at) < 0)
        return -1;
    if (at.kind == TS_FHEAP_MANAGED && at.length == size)
        return write_object(heap, &at, data);
    if (at.kind == TS_FHEAP_HUGE && !at.direct && is_huge(h, size))
        return ts_fheap_huge_replace(heap, &at, data, size);
    if (remove_object(heap, &at) < 0 || ts_fheap_insert(heap, data, size, id, id_size) < 0)
        return -1;
    return 1;
}

static int drop_parts(struct ts_fheap *heap)
{
    if (ts_fheap_edit(heap) < 0 || ts_fheap_drop_all(heap) < 0 || ts_fheap_drop_manager(heap) < 0)
        return -1;
    return ts_fheap_huge_delete(heap);
}

int ts_fheap_delete(struct ts_file *f, haddr_t addr)
{
    TS_IN_CHANGE(f);
    struct ts_fheap *heap;
    if (ts_fheap_open(f, addr, &heap) < 0)
        return -1;
    int status = drop_parts(heap);
    uint64_t size = header_size(&heap->header);
    ts_fheap_close(heap);
    if (status < 0)
        return -1;
    ts_meta_remove(f, addr);
    ts_file_free(f, H5FD_MEM_FHEAP_HDR, addr, size);
    return 0;
}
