/* Blocks of fractal heaps come and go. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "heap/fheap_classes.h"

/* Direct blocks in tables of 0, 1, 2 … rows. */
struct counts {
    uint64_t blocks[TS_FHEAP_MAX_DEPTH + 1];
};

static void count_blocks(const struct ts_fheap_header *h, unsigned rows, struct counts *out)
{
    out->blocks[0] = 0;
    for (unsigned row = 0; row < rows; row++) {
        unsigned below = row < h->direct_rows ? 0 : ts_fheap_rows_for(h, ts_fheap_row_block(h, row));
        uint64_t each = row < h->direct_rows ? 1 : out->blocks[below];
        out->blocks[row + 1] = out->blocks[row] + each * h->width;
    }
}

static uint64_t rows_room(const struct ts_fheap_header *h, unsigned rows)
{
    struct counts counts;
    count_blocks(h, rows, &counts);
    return rows == 0 ? 0 : ts_fheap_row_start(h, rows) - counts.blocks[rows] * ts_fheap_direct_prefix(h);
}

static uint64_t direct_room(const struct ts_fheap_header *h, uint64_t block)
{
    size_t prefix = ts_fheap_direct_prefix(h);
    return block > prefix ? block - prefix : 0;
}

uint64_t ts_fheap_room_in(const struct ts_fheap_header *h, uint64_t block, bool direct)
{
    return direct ? direct_room(h, block) : rows_room(h, ts_fheap_rows_for(h, block));
}

uint64_t ts_fheap_most_in(const struct ts_fheap_header *h, uint64_t block, bool direct)
{
    unsigned rows = direct ? 0 : ts_fheap_rows_for(h, block);
    if (direct || rows == 0)
        return direct ? direct_room(h, block) : 0;
    return direct_room(h, ts_fheap_row_block(h, (rows < h->direct_rows ? rows : h->direct_rows) - 1));
}

/* Declares the dependencies of a block at the end of a path, whose parent is about to point at it. */
static int hang_in(const struct ts_fheap_path *path, haddr_t addr)
{
    struct ts_file *f = path->heap->file;
    for (unsigned i = path->depth; i-- > 0; addr = path->at[i].block->addr)
        if (ts_meta_depend(f, path->at[i].block->addr, addr) < 0)
            return -1;
    return ts_meta_depend(f, path->heap->addr, addr);
}

static int set_child(struct ts_fheap_path *path, struct ts_fheap_child child)
{
    struct ts_fheap_header *h = &path->heap->header;
    path->child = child;
    if (path->depth > 0) {
        struct ts_fheap_indirect *above = path->at[path->depth - 1].block;
        size_t entry = path->at[path->depth - 1].entry;
        if (ts_fheap_child_edit(path->heap, above, entry) < 0)
            return -1;
        above->children[entry] = child;
    } else {
        h->root = child.addr;
        h->filtered_root_size = h->filter_size ? child.filtered_size : 0;
        h->root_filter_mask = child.filter_mask;
    }
    return 0;
}

static struct ts_fheap_direct *new_direct(const struct ts_fheap_path *path)
{
    const struct ts_fheap *heap = path->heap;
    struct ts_wr prefix = {0};
    struct ts_fheap_direct *d = ts_calloc(1, sizeof *d);
    if (!d)
        return NULL;
    *d = (struct ts_fheap_direct){.file = heap->file,
                                  .heap = heap->addr,
                                  .offset = path->offset,
                                  .size = path->size,
                                  .length = path->size,
                                  .shape = heap->header};
    d->shape.filters = NULL;
    d->buf = ts_calloc(1, (size_t)d->size);
    if (!d->buf || ts_fheap_direct_encode(&heap->header, heap->addr, d->offset, &prefix) < 0) {
        ts_wr_free(&prefix);
        ts_fheap_direct_free(d);
        return NULL;
    }
    memcpy(d->buf, prefix.data, prefix.size);
    ts_wr_free(&prefix);
    return d;
}

/* All of a new block is one gap; what a file says is free where it has no block is in the way. */
static int add_gap(struct ts_fheap *heap, uint64_t offset, uint64_t size)
{
    size_t prefix = ts_fheap_direct_prefix(&heap->header);
    const struct ts_gap *last = ts_gaps_at_or_before(&heap->gaps, offset + size - 1);
    if (last && last->offset + last->size > offset)
        return TS_ERR(HEAP, BADVALUE, "the fractal heap at %#llx has free bytes at %llu, and no block there",
                      (unsigned long long)heap->addr, (unsigned long long)last->offset);
    return ts_gaps_add(heap->file, &heap->gaps, offset + prefix, direct_room(&heap->header, size), 0);
}

/* The direct block that is absent at the end of the path. */
static int add_direct(struct ts_fheap_path *path)
{
    struct ts_fheap *heap = path->heap;
    struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_direct *d = new_direct(path);
    if (!d)
        return -1;
    if (ts_file_alloc(heap->file, H5FD_MEM_FHEAP_DBLOCK, d->size, &d->addr) < 0 ||
        ts_meta_insert(heap->file, &ts_fheap_direct_class, d->addr, d, sizeof *d + (size_t)d->size) < 0) {
        ts_fheap_direct_free(d);
        return -1;
    }
    int status = hang_in(path, d->addr);
    if (status == 0)
        status = add_gap(heap, path->offset, path->size);
    if (status == 0)
        status =
            set_child(path, (struct ts_fheap_child){.addr = d->addr, .filtered_size = h->filter_size ? d->length : 0});
    if (status == 0)
        h->managed_allocated += d->size;
    ts_fheap_direct_unpin(d);
    return status;
}

static void no_children(struct ts_fheap_child *children, size_t n)
{
    for (size_t i = 0; i < n; i++)
        children[i] = (struct ts_fheap_child){.addr = HADDR_UNDEF};
}

/* An empty indirect block in new space, pinned. */
static int new_indirect(struct ts_fheap *heap, uint64_t offset, unsigned rows, struct ts_fheap_indirect **out)
{
    size_t n = (size_t)rows * heap->header.width;
    struct ts_fheap_indirect *b = ts_calloc(1, sizeof *b);
    if (!b)
        return -1;
    b->place = (struct ts_fheap_place){.header = heap->addr, .offset = offset, .rows = rows};
    b->shape = heap->header;
    b->shape.filters = NULL;
    b->children = ts_malloc(n * sizeof *b->children);
    if (b->children)
        no_children(b->children, n);
    if (!b->children ||
        ts_file_alloc(heap->file, H5FD_MEM_FHEAP_IBLOCK, ts_fheap_indirect_size(&heap->header, rows), &b->addr) < 0 ||
        ts_meta_insert(heap->file, &ts_fheap_indirect_class, b->addr, b, sizeof *b + n * sizeof *b->children) < 0) {
        ts_fheap_indirect_free(b);
        return -1;
    }
    *out = b;
    return 0;
}

/* The indirect block that is absent at the end of the path. */
static int add_indirect(struct ts_fheap_path *path)
{
    struct ts_fheap_indirect *b;
    unsigned rows = ts_fheap_rows_for(&path->heap->header, path->size);
    if (rows == 0)
        return ts_fheap_no_table(path->heap, path->size);
    if (new_indirect(path->heap, path->offset, rows, &b) < 0)
        return -1;
    int status = hang_in(path, b->addr);
    if (status == 0)
        status = set_child(path, (struct ts_fheap_child){.addr = b->addr});
    ts_meta_unpin(path->heap->file, b->addr);
    return status;
}

static void set_rows(struct ts_fheap *heap, unsigned rows, uint64_t old_room)
{
    struct ts_fheap_header *h = &heap->header;
    h->rows = rows;
    h->managed_size = ts_fheap_row_start(h, rows);
    h->managed_free += rows_room(h, rows) - old_room;
}

/* Rows of a root that has direct blocks for objects of `size` bytes. */
static unsigned rows_with(const struct ts_fheap_header *h, uint64_t size)
{
    unsigned row = 0;
    while (row + 1 < h->direct_rows && direct_room(h, ts_fheap_row_block(h, row)) < size)
        row++;
    return row + 1;
}

static int at_least(const struct ts_fheap *heap, unsigned want, unsigned need, unsigned *rows)
{
    const struct ts_fheap_header *h = &heap->header;
    *rows = want > need ? want : need;
    if (*rows > h->max_rows)
        *rows = h->max_rows;
    if (*rows >= need)
        return 0;
    return TS_ERR(HEAP, NOSPACE, "the fractal heap at %#llx is full: it has %u rows", (unsigned long long)heap->addr,
                  h->rows);
}

/* The direct block that was the root is the first child of the new one. */
static int hang_old_root(struct ts_fheap *heap, struct ts_fheap_indirect *root)
{
    struct ts_fheap_path path;
    struct ts_fheap_direct *d;
    if (ts_fheap_path_find(heap, 0, &path) < 0 || ts_fheap_direct_pin(&path, &d) < 0)
        return -1;
    root->children[0] = path.child;
    int status = ts_meta_depend(heap->file, root->addr, d->addr);
    ts_fheap_direct_unpin(d);
    return status;
}

/* A root that is an indirect block, instead of none or a direct one. */
static int make_root(struct ts_fheap *heap, uint64_t size)
{
    struct ts_fheap_header *h = &heap->header;
    bool was_direct = h->root != HADDR_UNDEF;
    struct ts_fheap_indirect *root;
    unsigned rows;
    if (at_least(heap, h->start_rows, rows_with(h, size), &rows) < 0 || new_indirect(heap, 0, rows, &root) < 0)
        return -1;
    int status = was_direct ? hang_old_root(heap, root) : 0;
    if (status == 0)
        status = ts_meta_depend(heap->file, heap->addr, root->addr);
    if (status == 0) {
        h->root = root->addr;
        h->filtered_root_size = 0;
        h->root_filter_mask = 0;
        h->iterator = was_direct ? h->start_block : 0;
        set_rows(heap, rows, was_direct ? direct_room(h, h->start_block) : 0);
    }
    ts_meta_unpin(heap->file, root->addr);
    return status;
}

static int more_children(struct ts_file *f, struct ts_fheap_indirect *root, size_t old_n, size_t n)
{
    struct ts_fheap_child *children = ts_malloc(n * sizeof *children);
    if (!children)
        return -1;
    memcpy(children, root->children, old_n * sizeof *children);
    no_children(children + old_n, n - old_n);
    if (ts_undo_free(f, root->children) < 0 || ts_undo_new(f, children) < 0) {
        ts_free(children);
        return -1;
    }
    root->children = children;
    return 0;
}

static int move_root(struct ts_fheap *heap, struct ts_fheap_indirect *root, unsigned rows)
{
    struct ts_fheap_header *h = &heap->header;
    size_t old_n = (size_t)h->rows * h->width, n = (size_t)rows * h->width;
    haddr_t from = root->addr, to;
    if (ts_meta_edit(heap->file, from) < 0 || more_children(heap->file, root, old_n, n) < 0 ||
        ts_file_alloc(heap->file, H5FD_MEM_FHEAP_IBLOCK, ts_fheap_indirect_size(h, rows), &to) < 0 ||
        ts_meta_move(heap->file, from, to) < 0)
        return -1;
    root->addr = to;
    root->place.rows = rows;
    ts_file_free(heap->file, H5FD_MEM_FHEAP_IBLOCK, from, ts_fheap_indirect_size(h, h->rows));
    ts_meta_resize(heap->file, to, sizeof *root + n * sizeof *root->children);
    h->root = to;
    set_rows(heap, rows, rows_room(h, h->rows));
    return ts_meta_depend(heap->file, heap->addr, to);
}

/* More rows for the root, twice as many as it has. */
static int grow_root(struct ts_fheap *heap, uint64_t size)
{
    struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_place place = {.header = heap->addr, .rows = h->rows};
    struct ts_fheap_indirect *root;
    unsigned rows, need = rows_with(h, size) > h->rows ? rows_with(h, size) : h->rows + 1;
    if (at_least(heap, 2 * h->rows, need, &rows) < 0 || ts_fheap_indirect_pin(heap, h->root, &place, &root) < 0)
        return -1;
    int status = move_root(heap, root, rows);
    ts_meta_unpin(heap->file, root->addr);
    return status;
}

/* The blocks of a new indirect block are absent one by one, up to the iterator. */
static int list_absent(struct ts_fheap *heap, uint64_t offset, uint64_t size)
{
    const struct ts_fheap_header *h = &heap->header;
    unsigned rows = ts_fheap_rows_for(h, size);
    for (unsigned row = 0; row < rows; row++)
        for (unsigned column = 0; column < h->width; column++) {
            uint64_t block = ts_fheap_row_block(h, row), at = offset + ts_fheap_row_start(h, row) + column * block;
            uint64_t most = ts_fheap_most_in(h, block, row < h->direct_rows);
            if (ts_gaps_add(heap->file, &heap->absent, at, most, block) < 0)
                return -1;
        }
    return 0;
}

/* A block of `size` bytes where one was left out or went, which is at the end of the path. */
static int fill_path(struct ts_fheap_path *path, uint64_t offset, uint64_t size)
{
    struct ts_fheap *heap = path->heap;
    if (path->child.addr != HADDR_UNDEF || path->offset != offset || path->size != size)
        return TS_ERR(HEAP, BADVALUE, "the fractal heap at %#llx has a block at offset %llu",
                      (unsigned long long)heap->addr, (unsigned long long)offset);
    if (ts_gaps_remove(heap->file, &heap->absent, offset) < 0)
        return -1;
    return path->direct ? add_direct(path) : add_indirect(path);
}

/* Puts a block where one was left out or went. 1 done, 0 when none there is large enough. */
static int fill_in(struct ts_fheap *heap, uint64_t size)
{
    const struct ts_gap *gap;
    int done = 0;
    while (done == 0 && (gap = ts_gaps_fit(&heap->absent, size))) {
        struct ts_fheap_path path;
        uint64_t offset = gap->offset, block = gap->block;
        if (ts_fheap_path_find(heap, offset, &path) < 0)
            return -1;
        done = fill_path(&path, offset, block) < 0 ? -1 : path.direct;
        ts_fheap_path_release(&path);
        if (done == 0 && list_absent(heap, offset, block) < 0)
            return -1;
    }
    return done;
}

/* One step of the iterator, over or into the block it is at. 1 when that is a new direct block. */
static int step(struct ts_fheap *heap, uint64_t size)
{
    struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_path path;
    if (ts_fheap_path_find(heap, h->iterator, &path) < 0)
        return -1;
    uint64_t most = ts_fheap_most_in(h, path.size, path.direct);
    bool there = path.child.addr != HADDR_UNDEF, into = !there && most >= size;
    int status = 0;
    if (into)
        status = path.direct ? add_direct(&path) : add_indirect(&path);
    else if (!there)
        status = ts_gaps_add(heap->file, &heap->absent, path.offset, most, path.size);
    if (status == 0 && (path.direct || !into))
        h->iterator = path.offset + path.size;
    status = status < 0 ? -1 : into && path.direct;
    ts_fheap_path_release(&path);
    return status;
}

static int add_root_block(struct ts_fheap *heap)
{
    struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_path path;
    if (ts_fheap_path_find(heap, 0, &path) < 0 || add_direct(&path) < 0)
        return -1;
    h->managed_size = h->start_block;
    h->managed_free = direct_room(h, h->start_block);
    h->iterator = 0;
    return 0;
}

int ts_fheap_grow(struct ts_fheap *heap, uint64_t size)
{
    struct ts_fheap_header *h = &heap->header;
    int done = fill_in(heap, size);
    if (done != 0)
        return done < 0 ? -1 : 0;
    if (h->root == HADDR_UNDEF && size <= direct_room(h, h->start_block))
        return add_root_block(heap);
    if (h->rows == 0 && make_root(heap, size) < 0)
        return -1;
    while (done == 0) {
        if (h->iterator >= ts_fheap_row_start(h, h->rows) && grow_root(heap, size) < 0)
            return -1;
        done = step(heap, size);
    }
    return done < 0 ? -1 : 0;
}

static int reset(struct ts_fheap *heap)
{
    struct ts_fheap_header *h = &heap->header;
    if (ts_gaps_clear(heap->file, &heap->gaps) < 0 || ts_gaps_clear(heap->file, &heap->absent) < 0)
        return -1;
    h->root = HADDR_UNDEF;
    h->rows = 0;
    h->managed_size = h->managed_free = h->managed_allocated = h->iterator = 0;
    h->filtered_root_size = 0;
    h->root_filter_mask = 0;
    return 0;
}

static bool is_empty(const struct ts_fheap_indirect *b)
{
    for (size_t i = 0; i < (size_t)b->place.rows * b->shape.width; i++)
        if (b->children[i].addr != HADDR_UNDEF)
            return false;
    return true;
}

/* The block at the end of the path is gone. */
static int note_absent(struct ts_fheap_path *path)
{
    struct ts_fheap *heap = path->heap;
    struct ts_fheap_header *h = &heap->header;
    const struct ts_gap *gap;
    if (set_child(path, (struct ts_fheap_child){.addr = HADDR_UNDEF}) < 0)
        return -1;
    while ((gap = ts_gaps_at_or_after(&heap->absent, path->offset)) && gap->offset - path->offset < path->size)
        if (ts_gaps_remove(heap->file, &heap->absent, gap->offset) < 0)
            return -1;
    if (h->iterator > path->offset && h->iterator - path->offset < path->size)
        h->iterator = path->offset;
    if (path->offset >= h->iterator)
        return 0;
    uint64_t most = ts_fheap_most_in(h, path->size, path->direct);
    return ts_gaps_add(heap->file, &heap->absent, path->offset, most, path->size);
}

static void drop_last_indirect(struct ts_fheap_path *path)
{
    struct ts_fheap *heap = path->heap;
    struct ts_fheap_indirect *b = path->at[--path->depth].block;
    haddr_t addr = b->addr;
    unsigned rows = b->place.rows;
    path->offset = b->place.offset;
    path->size = ts_fheap_row_start(&heap->header, rows);
    path->direct = false;
    ts_meta_unpin(heap->file, addr);
    ts_meta_remove(heap->file, addr);
    ts_file_free(heap->file, H5FD_MEM_FHEAP_IBLOCK, addr, ts_fheap_indirect_size(&heap->header, rows));
}

static void drop_direct(struct ts_fheap *heap, const struct ts_fheap_child *child, uint64_t size)
{
    ts_meta_remove(heap->file, child->addr);
    ts_file_free(heap->file, H5FD_MEM_FHEAP_DBLOCK, child->addr,
                 heap->header.filter_size ? child->filtered_size : size);
    heap->header.managed_allocated -= size;
}

int ts_fheap_drop_block(struct ts_fheap_path *path)
{
    struct ts_fheap *heap = path->heap;
    drop_direct(heap, &path->child, path->size);
    while (path->depth > 0) {
        if (note_absent(path) < 0)
            return -1;
        if (!is_empty(path->at[path->depth - 1].block)) {
            for (unsigned i = path->depth; i-- > 1;)
                if (ts_meta_depend(heap->file, path->at[i - 1].block->addr, path->at[i].block->addr) < 0)
                    return -1;
            return ts_meta_depend(heap->file, heap->addr, path->at[0].block->addr);
        }
        drop_last_indirect(path);
    }
    return reset(heap);
}

static int drop_below(struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_indirect *b;
    if (place->rows == 0)
        return ts_fheap_no_table(heap, ts_fheap_row_block(h, h->direct_rows));
    if (ts_fheap_indirect_pin(heap, addr, place, &b) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; status == 0 && i < (size_t)place->rows * h->width; i++) {
        unsigned row = (unsigned)(i / h->width);
        uint64_t size = ts_fheap_row_block(h, row);
        struct ts_fheap_place below = {.header = heap->addr,
                                       .offset = place->offset + ts_fheap_row_start(h, row) + i % h->width * size,
                                       .rows = ts_fheap_rows_for(h, size)};
        if (b->children[i].addr == HADDR_UNDEF)
            continue;
        if (row < h->direct_rows)
            drop_direct(heap, &b->children[i], size);
        else
            status = drop_below(heap, b->children[i].addr, &below);
    }
    ts_meta_unpin(heap->file, addr);
    if (status == 0) {
        ts_meta_remove(heap->file, addr);
        ts_file_free(heap->file, H5FD_MEM_FHEAP_IBLOCK, addr, ts_fheap_indirect_size(h, place->rows));
    }
    return status;
}

int ts_fheap_drop_all(struct ts_fheap *heap)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_place place = {.header = heap->addr, .rows = h->rows};
    struct ts_fheap_child root = {.addr = h->root, .filtered_size = h->filtered_root_size};
    if (root.addr == HADDR_UNDEF)
        return 0;
    if (h->rows > 0)
        return drop_below(heap, root.addr, &place);
    drop_direct(heap, &root, h->start_block);
    return 0;
}
