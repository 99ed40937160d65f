#include "heap/fractal_heap.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "filter/filter.h"
#include "filter/pipeline_codec.h"
#include "format/btree2.h"
#include "format/fractal_heap.h"
#include "format/free_space.h"
#include "index/btree2.h"
#include "meta/block.h"
#include "meta/meta.h"

struct ts_fheap {
    struct ts_file *file;
    haddr_t addr;
    struct ts_fheap_header header;
    struct ts_pipeline pipeline;
};

static void heap_free(void *obj)
{
    struct ts_fheap *heap = obj;
    ts_pipeline_deinit(&heap->pipeline);
    ts_free(heap);
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
    if (status == 0 && heap->header.filter_size > 0)
        status = ts_pipeline_decode_message(heap->header.filters, heap->header.filter_size, &heap->pipeline);
    heap->header.filters = NULL;
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

static const struct ts_meta_class heap_class = {.name = "fractal heap", .load = heap_load, .free = heap_free};

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

size_t ts_fheap_id_size(const struct ts_fheap *heap)
{
    return heap->header.id_size;
}

/* A stretch of the file that went through the heap's filters, if it has any. *buf is from ts_malloc. */
static int read_filtered(const struct ts_fheap *heap, const struct ts_fheap_extent *e, uint8_t **buf)
{
    if (ts_meta_read_block(heap->file, e->addr, e->length, buf) < 0)
        return -1;
    if (heap->header.filter_size == 0)
        return 0;
    void *data = *buf;
    size_t size = (size_t)e->length;
    int status = ts_pipeline_decode(&heap->pipeline, e->filter_mask, &data, &size, (size_t)e->size);
    if (status == 0 && size != e->size)
        status = TS_ERR(HEAP, BADSIZE, "%zu bytes at %#llx after filters, not %llu", size, (unsigned long long)e->addr,
                        (unsigned long long)e->size);
    if (status < 0)
        ts_free(data);
    *buf = status < 0 ? NULL : data;
    return status;
}

struct direct {
    haddr_t heap;
    uint64_t offset, size;
    uint8_t *buf;
};

struct want_direct {
    const struct ts_fheap *heap;
    uint64_t offset;
    struct ts_fheap_extent extent;
};

static void direct_free(void *obj)
{
    struct direct *d = obj;
    ts_free(d->buf);
    ts_free(d);
}

static int direct_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)f;
    const struct want_direct *want = arg;
    struct direct *d = ts_calloc(1, sizeof *d);
    if (!d)
        return -1;
    *d = (struct direct){.heap = want->heap->addr, .offset = want->offset, .size = want->extent.size};
    if (read_filtered(want->heap, &want->extent, &d->buf) < 0 ||
        ts_fheap_direct_check(&want->heap->header, d->heap, d->offset, d->buf, (size_t)d->size) < 0) {
        direct_free(d);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the fractal heap block at %#llx", (unsigned long long)addr);
    }
    *obj = d;
    *bytes = sizeof *d + (size_t)d->size;
    return 0;
}

static const struct ts_meta_class direct_class = {
    .name = "fractal heap direct block", .load = direct_load, .free = direct_free};

struct indirect {
    struct ts_fheap_place place;
    struct ts_fheap_child *children;
};

struct want_indirect {
    const struct ts_fheap_header *header;
    struct ts_fheap_place place;
};

static void indirect_free(void *obj)
{
    struct indirect *b = obj;
    ts_free(b->children);
    ts_free(b);
}

static int read_indirect(struct ts_file *f, haddr_t addr, const struct want_indirect *want, struct indirect *b)
{
    uint8_t *buf;
    if (ts_meta_read_block(f, addr, ts_fheap_indirect_size(want->header, want->place.rows), &buf) < 0)
        return -1;
    int status = -1;
    b->children = ts_calloc((size_t)want->place.rows * want->header->width, sizeof *b->children);
    if (b->children)
        status = ts_fheap_indirect_decode(want->header, &want->place, buf, b->children);
    ts_free(buf);
    return status;
}

static int indirect_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    const struct want_indirect *want = arg;
    struct indirect *b = ts_calloc(1, sizeof *b);
    if (!b)
        return -1;
    b->place = want->place;
    if (read_indirect(f, addr, want, b) < 0) {
        indirect_free(b);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the fractal heap block at %#llx", (unsigned long long)addr);
    }
    *obj = b;
    *bytes = sizeof *b + (size_t)b->place.rows * want->header->width * sizeof *b->children;
    return 0;
}

static const struct ts_meta_class indirect_class = {
    .name = "fractal heap indirect block", .load = indirect_load, .free = indirect_free};

/* The block found in the cache may have been loaded for another place, by a file that uses it twice. */
static int pin_indirect(const struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place,
                        struct indirect **out)
{
    struct want_indirect want = {.header = &heap->header, .place = *place};
    void *obj;
    if (ts_meta_pin(heap->file, &indirect_class, addr, &want, &obj) < 0)
        return -1;
    struct indirect *b = obj;
    if (b->place.header != place->header || b->place.offset != place->offset || b->place.rows != place->rows) {
        ts_meta_unpin(heap->file, addr);
        return TS_ERR(HEAP, BADVALUE, "fractal heap block at %#llx is used in two places", (unsigned long long)addr);
    }
    *out = b;
    return 0;
}

/* One step from an indirect block to the child that holds an offset in the heap. */
struct step {
    struct ts_fheap_child child;
    unsigned row;
    uint64_t offset; /* of the child in the heap */
};

static int step_down(const struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place, uint64_t target,
                     struct step *out)
{
    const struct ts_fheap_header *h = &heap->header;
    uint64_t inside = target - place->offset;
    out->row = ts_fheap_row_of(h, inside);
    if (out->row >= place->rows)
        return TS_ERR(HEAP, BADRANGE, "offset %llu lies behind the fractal heap at %#llx", (unsigned long long)target,
                      (unsigned long long)heap->addr);
    uint64_t col = (inside - ts_fheap_row_start(h, out->row)) / ts_fheap_row_block(h, out->row);
    out->offset = place->offset + ts_fheap_row_start(h, out->row) + col * ts_fheap_row_block(h, out->row);
    struct indirect *b;
    if (pin_indirect(heap, addr, place, &b) < 0)
        return -1;
    out->child = b->children[(size_t)out->row * h->width + (size_t)col];
    ts_meta_unpin(heap->file, addr);
    return 0;
}

static int no_table(const struct ts_fheap *heap, uint64_t size)
{
    return TS_ERR(HEAP, BADVALUE, "fractal heap at %#llx: no table of %u columns fills a block of %llu bytes",
                  (unsigned long long)heap->addr, heap->header.width, (unsigned long long)size);
}

/* The direct block that holds an offset in the heap. Each step goes to a smaller block, so it ends. */
static int locate(const struct ts_fheap *heap, uint64_t target, struct want_direct *out)
{
    const struct ts_fheap_header *h = &heap->header;
    struct step at = {
        .child = {.addr = h->root, .filtered_size = h->filtered_root_size, .filter_mask = h->root_filter_mask}};
    uint64_t size = h->start_block;
    struct ts_fheap_place place = {.header = heap->addr, .rows = h->rows};
    while (place.rows > 0) {
        haddr_t addr = at.child.addr;
        if (step_down(heap, addr, &place, target, &at) < 0)
            return -1;
        size = ts_fheap_row_block(h, at.row);
        if (at.row < h->direct_rows)
            break;
        place.offset = at.offset;
        place.rows = ts_fheap_rows_for(h, size);
        if (place.rows == 0)
            return no_table(heap, size);
    }
    out->heap = heap;
    out->offset = at.offset;
    out->extent = (struct ts_fheap_extent){.addr = at.child.addr,
                                           .length = h->filter_size ? at.child.filtered_size : size,
                                           .size = size,
                                           .filter_mask = at.child.filter_mask};
    return 0;
}

static int read_managed(const struct ts_fheap *heap, uint64_t offset, uint64_t length, struct ts_wr *out)
{
    struct want_direct want;
    void *obj;
    if (offset >> heap->header.heap_bits)
        return TS_ERR(HEAP, BADRANGE, "offset %llu in a fractal heap of %u bits", (unsigned long long)offset,
                      heap->header.heap_bits);
    if (locate(heap, offset, &want) < 0 || ts_meta_pin(heap->file, &direct_class, want.extent.addr, &want, &obj) < 0)
        return -1;
    const struct direct *d = obj;
    uint64_t inside = offset - want.offset;
    int status = 0;
    if (d->heap != heap->addr || d->offset != want.offset || d->size != want.extent.size)
        status = TS_ERR(HEAP, BADVALUE, "fractal heap block at %#llx is used in two places",
                        (unsigned long long)want.extent.addr);
    else if (length == 0 || inside < ts_fheap_direct_prefix(&heap->header) || inside > d->size ||
             length > d->size - inside)
        status = TS_ERR(HEAP, BADRANGE, "object of %llu bytes at %llu in a fractal heap block of %llu",
                        (unsigned long long)length, (unsigned long long)inside, (unsigned long long)d->size);
    else
        ts_wr_bytes(out, d->buf + inside, (size_t)length);
    ts_meta_unpin(heap->file, want.extent.addr);
    return status < 0 || out->bad ? -1 : 0;
}

struct huge_search {
    const struct ts_fheap_header *header;
    uint64_t key;
};

static int compare_huge(const uint8_t *record, void *ctx, int *order)
{
    const struct huge_search *s = ctx;
    struct ts_fheap_id id;
    ts_fheap_huge_record_decode(s->header, record, &id);
    *order = (s->key > id.key) - (s->key < id.key);
    return 0;
}

static int find_huge(const struct ts_fheap *heap, struct ts_fheap_id *id)
{
    const struct ts_fheap_header *h = &heap->header;
    struct huge_search search = {.header = h, .key = id->key};
    uint8_t record[64];
    struct ts_btree2 *tree;
    if (ts_btree2_open(heap->file, h->huge_btree, &tree) < 0)
        return -1;
    unsigned type = h->filter_size ? TS_BTREE2_HUGE_INDIRECT_FILTERED : TS_BTREE2_HUGE_INDIRECT;
    int found;
    if (ts_btree2_type(tree) != type || ts_btree2_record_size(tree) != ts_fheap_huge_record_size(h))
        found = TS_ERR(HEAP, BADTYPE, "huge objects in a B-tree of type %u with records of %zu bytes",
                       ts_btree2_type(tree), ts_btree2_record_size(tree));
    else
        found = ts_btree2_find(tree, compare_huge, &search, record);
    ts_btree2_close(tree);
    if (found == 0)
        return TS_ERR(HEAP, NOTFOUND, "no huge object %llu in the fractal heap at %#llx", (unsigned long long)id->key,
                      (unsigned long long)heap->addr);
    if (found > 0)
        ts_fheap_huge_record_decode(h, record, id);
    return found < 0 ? -1 : 0;
}

static int read_huge(const struct ts_fheap *heap, struct ts_fheap_id *id, struct ts_wr *out)
{
    uint8_t *buf;
    if (!id->direct && find_huge(heap, id) < 0)
        return -1;
    if (id->extent.size == 0)
        return TS_ERR(HEAP, BADSIZE, "huge object of no bytes in the fractal heap at %#llx",
                      (unsigned long long)heap->addr);
    if (read_filtered(heap, &id->extent, &buf) < 0)
        return -1;
    ts_wr_bytes(out, buf, (size_t)id->extent.size);
    ts_free(buf);
    return out->bad ? -1 : 0;
}

int ts_fheap_read(struct ts_fheap *heap, const uint8_t *id, size_t id_size, struct ts_wr *out)
{
    struct ts_fheap_id at;
    if (ts_fheap_id_decode(&heap->header, id, id_size, &at) < 0)
        return -1;
    if (at.kind == TS_FHEAP_MANAGED)
        return read_managed(heap, at.offset, at.length, out);
    if (at.kind == TS_FHEAP_HUGE)
        return read_huge(heap, &at, out);
    ts_wr_bytes(out, id + at.offset, (size_t)at.length);
    return out->bad ? -1 : 0;
}

/* Bytes of an indirect block and those below it. Offsets tell blocks apart, so none is counted twice. */
static int indirect_storage(const struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place,
                            uint64_t *bytes)
{
    const struct ts_fheap_header *h = &heap->header;
    struct indirect *b;
    if (place->rows == 0)
        return no_table(heap, ts_fheap_row_block(h, h->direct_rows));
    if (pin_indirect(heap, addr, place, &b) < 0)
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

static int free_space_storage(const struct ts_fheap *heap, uint64_t *bytes)
{
    const struct ts_fheap_header *h = &heap->header;
    uint8_t buf[128];
    struct ts_free_space fs;
    size_t size = ts_free_space_size(h->addr_size, h->len_size);
    if (ts_file_read(heap->file, h->free_space, size, buf) < 0 ||
        ts_free_space_decode(buf, size, h->addr_size, h->len_size, &fs) < 0)
        return -1;
    *bytes += size + fs.list_allocated;
    return 0;
}

int ts_fheap_storage(struct ts_fheap *heap, uint64_t *bytes)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_place root = {.header = heap->addr, .rows = h->rows};
    *bytes = ts_fheap_header_min_size(h->addr_size, h->len_size) +
             (h->filter_size ? h->len_size + 4 + h->filter_size : 0) + h->managed_allocated + h->huge_size;
    if (h->rows > 0 && h->root != HADDR_UNDEF && indirect_storage(heap, h->root, &root, bytes) < 0)
        return -1;
    if (h->free_space != HADDR_UNDEF && free_space_storage(heap, bytes) < 0)
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
