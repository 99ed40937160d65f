/* The blocks of fractal heaps in the metadata cache, and the way to them. */
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "filter/filter.h"
#include "heap/fheap_classes.h"
#include "meta/block.h"
#include "meta/meta.h"

struct want_direct {
    const struct ts_fheap *heap;
    uint64_t offset;
    struct ts_fheap_extent extent;
};

void ts_fheap_direct_free(void *obj)
{
    struct ts_fheap_direct *d = obj;
    ts_free(d->buf);
    ts_free(d->stored);
    ts_free(d);
}

static int direct_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    const struct want_direct *want = arg;
    struct ts_fheap_direct *d = ts_calloc(1, sizeof *d);
    if (!d)
        return -1;
    *d = (struct ts_fheap_direct){.file = f,
                                  .heap = want->heap->addr,
                                  .addr = addr,
                                  .offset = want->offset,
                                  .size = want->extent.size,
                                  .length = want->extent.length,
                                  .shape = want->heap->header};
    if (ts_fheap_read_filtered(want->heap, &want->extent, &d->buf) < 0 ||
        ts_fheap_direct_check(&d->shape, d->heap, d->offset, d->buf, (size_t)d->size) < 0) {
        ts_fheap_direct_free(d);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the fractal heap block at %#llx", (unsigned long long)addr);
    }
    *obj = d;
    *bytes = sizeof *d + (size_t)d->size;
    return 0;
}

static int direct_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct ts_fheap_direct *d = obj;
    struct ts_wr *w = ts_blocks_begin(out);
    size_t from = w->size;
    if (d->stored) {
        ts_wr_bytes(w, d->stored, (size_t)d->length);
    } else {
        ts_wr_bytes(w, d->buf, (size_t)d->size);
        if (!w->bad)
            ts_fheap_direct_seal(&d->shape, w->data + from, (size_t)d->size);
    }
    return ts_blocks_end(out, d->addr);
}

/* The block above, or the header, gets to know where a filtered block is now. */
static int tell_parent(struct ts_fheap *heap, const struct ts_fheap_direct *d, uint32_t mask)
{
    struct ts_fheap_path path;
    if (heap->header.rows == 0) {
        if (ts_fheap_edit(heap) < 0)
            return -1;
        heap->header.root = d->addr;
        heap->header.filtered_root_size = d->length;
        heap->header.root_filter_mask = mask;
        return 0;
    }
    if (ts_fheap_path_find(heap, d->offset, &path) < 0)
        return -1;
    struct ts_fheap_indirect *above = path.at[path.depth - 1].block;
    size_t entry = path.at[path.depth - 1].entry;
    int status = ts_fheap_child_edit(heap, above, entry);
    if (status == 0)
        above->children[entry] =
            (struct ts_fheap_child){.addr = d->addr, .filtered_size = d->length, .filter_mask = mask};
    ts_fheap_path_release(&path);
    return status;
}

static int move_filtered(struct ts_fheap *heap, struct ts_fheap_direct *d, size_t length)
{
    haddr_t from = d->addr, to;
    if (length == d->length)
        return 0;
    if (ts_file_alloc(heap->file, H5FD_MEM_FHEAP_DBLOCK, length, &to) < 0 || ts_meta_move(heap->file, from, to) < 0)
        return -1;
    ts_file_free(heap->file, H5FD_MEM_FHEAP_DBLOCK, from, d->length);
    d->addr = to;
    d->length = length;
    return 0;
}

static int store_filtered(struct ts_fheap *heap, struct ts_fheap_direct *d)
{
    size_t size = (size_t)d->size;
    void *buf = ts_memdup(d->buf, size);
    uint32_t mask = 0;
    if (!buf)
        return -1;
    ts_fheap_direct_seal(&d->shape, buf, size);
    if (ts_pipeline_encode(&heap->pipeline, &buf, &size, &mask, &ts_fheap_coding) < 0 ||
        ts_meta_edit(heap->file, d->addr) < 0 || ts_undo_new(heap->file, buf) < 0) {
        ts_free(buf);
        return -1;
    }
    d->stored = buf;
    return move_filtered(heap, d, size) < 0 ? -1 : tell_parent(heap, d, mask);
}

/* How long a filtered block is, and so its place, is not known before it is written. */
static int direct_settle(struct ts_file *f, void *obj)
{
    struct ts_fheap_direct *d = obj;
    struct ts_fheap *heap;
    if (d->shape.filter_size == 0 || d->stored)
        return 0;
    if (ts_fheap_open(f, d->heap, &heap) < 0)
        return -1;
    int status = store_filtered(heap, d);
    ts_fheap_close(heap);
    return status;
}

static int direct_keep(struct ts_file *f, void *obj)
{
    struct ts_fheap_direct *d = obj;
    return ts_undo_bytes(f, &d->addr, sizeof *d - offsetof(struct ts_fheap_direct, addr));
}

const struct ts_meta_class ts_fheap_direct_class = {.name = "fractal heap direct block",
                                                    .load = direct_load,
                                                    .free = ts_fheap_direct_free,
                                                    .encode = direct_encode,
                                                    .settle = direct_settle,
                                                    .keep = direct_keep,
                                                    .retry = TS_RETRY_FHEAP_DIRECT};

struct want_indirect {
    const struct ts_fheap_header *header;
    struct ts_fheap_place place;
};

void ts_fheap_indirect_free(void *obj)
{
    struct ts_fheap_indirect *b = obj;
    ts_free(b->children);
    ts_free(b);
}

static int read_indirect(struct ts_file *f, haddr_t addr, const struct want_indirect *want, struct ts_fheap_indirect *b)
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
    struct ts_fheap_indirect *b = ts_calloc(1, sizeof *b);
    if (!b)
        return -1;
    b->addr = addr;
    b->place = want->place;
    b->shape = *want->header;
    if (read_indirect(f, addr, want, b) < 0) {
        ts_fheap_indirect_free(b);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the fractal heap block at %#llx", (unsigned long long)addr);
    }
    *obj = b;
    *bytes = sizeof *b + (size_t)b->place.rows * want->header->width * sizeof *b->children;
    return 0;
}

static int indirect_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct ts_fheap_indirect *b = obj;
    if (ts_fheap_indirect_encode(&b->shape, &b->place, b->children, ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, b->addr);
}

static int indirect_keep(struct ts_file *f, void *obj)
{
    struct ts_fheap_indirect *b = obj;
    return ts_undo_bytes(f, &b->addr, sizeof *b - offsetof(struct ts_fheap_indirect, addr));
}

const struct ts_meta_class ts_fheap_indirect_class = {.name = "fractal heap indirect block",
                                                      .load = indirect_load,
                                                      .free = ts_fheap_indirect_free,
                                                      .encode = indirect_encode,
                                                      .keep = indirect_keep,
                                                      .retry = TS_RETRY_FHEAP_INDIRECT};

/* The block found in the cache may have been loaded for another place, by a file that uses it twice. */
int ts_fheap_indirect_pin(struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place,
                          struct ts_fheap_indirect **out)
{
    struct want_indirect want = {.header = &heap->header, .place = *place};
    void *obj;
    if (ts_meta_pin(heap->file, &ts_fheap_indirect_class, addr, &want, &obj) < 0)
        return -1;
    struct ts_fheap_indirect *b = obj;
    if (b->place.header != place->header || b->place.offset != place->offset || b->place.rows != place->rows) {
        ts_meta_unpin(heap->file, addr);
        return TS_ERR(HEAP, BADVALUE, "fractal heap block at %#llx is used in two places", (unsigned long long)addr);
    }
    *out = b;
    return 0;
}

int ts_fheap_no_table(const struct ts_fheap *heap, uint64_t size)
{
    return TS_ERR(HEAP, BADVALUE, "fractal heap at %#llx: no table of %u columns fills a block of %llu bytes",
                  (unsigned long long)heap->addr, heap->header.width, (unsigned long long)size);
}

void ts_fheap_path_release(struct ts_fheap_path *path)
{
    while (path->depth > 0)
        ts_meta_unpin(path->heap->file, path->at[--path->depth].block->addr);
}

/* One step from the indirect block at the child's address to the child that holds the target. */
static int step_down(struct ts_fheap_path *path, const struct ts_fheap_place *place, uint64_t target)
{
    struct ts_fheap *heap = path->heap;
    const struct ts_fheap_header *h = &heap->header;
    uint64_t inside = target - place->offset;
    unsigned row = ts_fheap_row_of(h, inside);
    struct ts_fheap_indirect *b;
    if (row >= place->rows)
        return TS_ERR(HEAP, BADRANGE, "offset %llu lies behind the fractal heap at %#llx", (unsigned long long)target,
                      (unsigned long long)heap->addr);
    if (path->depth == TS_FHEAP_MAX_DEPTH)
        return ts_fheap_no_table(heap, path->size);
    if (ts_fheap_indirect_pin(heap, path->child.addr, place, &b) < 0)
        return -1;
    path->size = ts_fheap_row_block(h, row);
    uint64_t column = (inside - ts_fheap_row_start(h, row)) / path->size;
    size_t entry = (size_t)row * h->width + (size_t)column;
    path->offset = place->offset + ts_fheap_row_start(h, row) + column * path->size;
    path->direct = row < h->direct_rows;
    path->child = b->children[entry];
    path->at[path->depth].block = b;
    path->at[path->depth++].entry = entry;
    return 0;
}

int ts_fheap_path_find(struct ts_fheap *heap, uint64_t target, struct ts_fheap_path *path)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_place place = {.header = heap->addr, .rows = h->rows};
    path->heap = heap;
    path->depth = 0;
    path->offset = 0;
    path->size = h->start_block;
    path->direct = h->rows == 0;
    path->child = (struct ts_fheap_child){
        .addr = h->root, .filtered_size = h->filtered_root_size, .filter_mask = h->root_filter_mask};
    while (!path->direct && path->child.addr != HADDR_UNDEF) {
        if (path->depth > 0) {
            place.offset = path->offset;
            place.rows = ts_fheap_rows_for(h, path->size);
        }
        int status = place.rows == 0 ? ts_fheap_no_table(heap, path->size) : step_down(path, &place, target);
        if (status < 0) {
            ts_fheap_path_release(path);
            return -1;
        }
    }
    return 0;
}

int ts_fheap_direct_pin(const struct ts_fheap_path *path, struct ts_fheap_direct **out)
{
    struct ts_fheap *heap = path->heap;
    struct want_direct want = {
        .heap = heap,
        .offset = path->offset,
        .extent = {.addr = path->child.addr,
                   .length = heap->header.filter_size ? path->child.filtered_size : path->size,
                   .size = path->size,
                   .filter_mask = path->child.filter_mask},
    };
    void *obj;
    if (!path->direct || path->child.addr == HADDR_UNDEF)
        return TS_ERR(HEAP, NOTFOUND, "the fractal heap at %#llx has no block at offset %llu",
                      (unsigned long long)heap->addr, (unsigned long long)path->offset);
    if (ts_meta_pin(heap->file, &ts_fheap_direct_class, want.extent.addr, &want, &obj) < 0)
        return -1;
    struct ts_fheap_direct *d = obj;
    if (d->heap != heap->addr || d->offset != path->offset || d->size != path->size) {
        ts_meta_unpin(heap->file, want.extent.addr);
        return TS_ERR(HEAP, BADVALUE, "fractal heap block at %#llx is used in two places",
                      (unsigned long long)want.extent.addr);
    }
    *out = d;
    return 0;
}

int ts_fheap_direct_find(struct ts_fheap *heap, uint64_t target, struct ts_fheap_direct **out)
{
    struct ts_fheap_path path;
    if (target >> heap->header.heap_bits)
        return TS_ERR(HEAP, BADRANGE, "offset %llu in a fractal heap of %u bits", (unsigned long long)target,
                      heap->header.heap_bits);
    if (ts_fheap_path_find(heap, target, &path) < 0)
        return -1;
    int status = ts_fheap_direct_pin(&path, out);
    ts_fheap_path_release(&path);
    return status;
}

void ts_fheap_direct_unpin(struct ts_fheap_direct *d)
{
    ts_meta_unpin(d->file, d->addr);
}

int ts_fheap_child_edit(struct ts_fheap *heap, struct ts_fheap_indirect *b, size_t entry)
{
    if (ts_meta_edit(heap->file, b->addr) < 0)
        return -1;
    return ts_undo_bytes(heap->file, &b->children[entry], sizeof b->children[entry]);
}

int ts_fheap_direct_edit(const struct ts_fheap_path *path, struct ts_fheap_direct *d, uint64_t at, size_t size)
{
    struct ts_file *f = path->heap->file;
    haddr_t child = d->addr;
    if (ts_meta_edit(f, d->addr) < 0 || ts_undo_bytes(f, d->buf + at, size) < 0 || ts_undo_free(f, d->stored) < 0)
        return -1;
    d->stored = NULL;
    for (unsigned i = path->depth; i-- > 0; child = path->at[i].block->addr)
        if (ts_meta_depend(f, path->at[i].block->addr, child) < 0)
            return -1;
    return ts_meta_depend(f, path->heap->addr, child);
}
