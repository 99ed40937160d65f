/* Free space in fractal heaps: in memory while the heap changes, in a free space manager in the file. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "heap/fheap_classes.h"
#include "meta/block.h"

enum { SECTION_CLASSES = 4, SHRINK_PERCENT = 80, EXPAND_PERCENT = 120 };

static size_t manager_size(const struct ts_fheap_header *h)
{
    return ts_free_space_size(h->addr_size, h->len_size);
}

static int read_manager(const struct ts_fheap *heap, struct ts_free_space *out)
{
    const struct ts_fheap_header *h = &heap->header;
    uint8_t buf[128];
    if (ts_file_read(heap->file, h->free_space, manager_size(h), buf) < 0)
        return -1;
    return ts_free_space_decode(buf, manager_size(h), h->addr_size, h->len_size, out);
}

static int add_section(struct ts_fheap *heap, const struct ts_free_section *s)
{
    const struct ts_fheap_header *h = &heap->header;
    const struct ts_gap *before, *after;
    uint64_t end;
    if (s->type != TS_HEAP_SECTION_SINGLE)
        return 0; /* what is absent shows in the blocks themselves */
    bool good = s->size > 0 && s->size <= h->max_direct && ts_add_u64(s->addr, s->size, &end) &&
                end <= UINT64_C(1) << h->heap_bits;
    before = ts_gaps_at_or_before(&heap->gaps, s->addr);
    after = ts_gaps_at_or_after(&heap->gaps, s->addr);
    if (!good || (before && before->offset + before->size > s->addr) || (after && after->offset < end))
        return TS_ERR(HEAP, BADVALUE, "fractal heap at %#llx with %llu free bytes at %llu",
                      (unsigned long long)heap->addr, (unsigned long long)s->size, (unsigned long long)s->addr);
    return ts_gaps_load(&heap->gaps, s->addr, s->size, 0);
}

static int read_sections(struct ts_fheap *heap)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_free_space *fs = &heap->manager;
    struct ts_free_section *list;
    uint8_t *buf;
    if (read_manager(heap, fs) < 0)
        return -1;
    /* Also one that has nothing to read is written to later. */
    uint64_t size = fs->list_allocated > fs->list_used ? fs->list_allocated : fs->list_used;
    if (fs->list != HADDR_UNDEF && !ts_file_has(heap->file, fs->list, size))
        return TS_ERR(
            HEAP, BADRANGE,
            "fractal heap at %#llx with a list of free space, %llu bytes at %#llx, behind the end of the file",
            (unsigned long long)heap->addr, (unsigned long long)size, (unsigned long long)fs->list);
    if (fs->list == HADDR_UNDEF || fs->serialized == 0)
        return 0;
    if (ts_meta_read_block(heap->file, fs->list, fs->list_used, &buf) < 0)
        return -1;
    int status = ts_heap_sections_decode(buf, (size_t)fs->list_used, h->addr_size, fs, h->free_space, &list);
    ts_free(buf);
    if (status < 0)
        return -1;
    for (uint64_t i = 0; status == 0 && i < fs->serialized; i++)
        status = add_section(heap, &list[i]);
    ts_free(list);
    return status;
}

/* The children before the iterator that an indirect block does not have. */
static int find_absent(struct ts_fheap *heap, haddr_t addr, const struct ts_fheap_place *place)
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
        bool direct = row < h->direct_rows;
        uint64_t size = ts_fheap_row_block(h, row);
        struct ts_fheap_place below = {.header = heap->addr,
                                       .offset = place->offset + ts_fheap_row_start(h, row) + i % h->width * size,
                                       .rows = ts_fheap_rows_for(h, size)};
        if (below.offset >= h->iterator)
            break;
        bool absent = b->children[i].addr == HADDR_UNDEF;
        if (absent && h->iterator - below.offset < size)
            heap->header.iterator = below.offset; /* nothing can be behind it in here */
        else if (absent)
            status = ts_gaps_load(&heap->absent, below.offset, ts_fheap_most_in(h, size, direct), size);
        else if (!direct)
            status = find_absent(heap, b->children[i].addr, &below);
    }
    ts_meta_unpin(heap->file, addr);
    return status;
}

static int read_space(struct ts_fheap *heap)
{
    const struct ts_fheap_header *h = &heap->header;
    if (h->root == HADDR_UNDEF)
        heap->header.rows = 0;
    struct ts_fheap_place root = {.header = heap->addr, .rows = h->rows};
    heap->manager = (struct ts_free_space){.list = HADDR_UNDEF};
    if (h->free_space != HADDR_UNDEF && read_sections(heap) < 0)
        return -1;
    return h->rows > 0 && h->root != HADDR_UNDEF ? find_absent(heap, h->root, &root) : 0;
}

int ts_fheap_know_space(struct ts_fheap *heap)
{
    if (heap->space_known)
        return 0;
    ts_fheap_forget_space(heap);
    /* When a change that has read it fails, it is read again: what it says about the header is undone too. */
    if (ts_fheap_keep(heap) < 0)
        return -1;
    if (read_space(heap) < 0) {
        ts_fheap_forget_space(heap);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the free space of the fractal heap at %#llx",
                      (unsigned long long)heap->addr);
    }
    heap->space_known = true;
    return 0;
}

void ts_fheap_forget_space(struct ts_fheap *heap)
{
    ts_gaps_deinit(&heap->gaps);
    ts_gaps_deinit(&heap->absent);
    heap->space_known = false;
}

/* The entry of an indirect block that a gap stands for, by computing only. False: not a direct block. */
static bool entry_of(const struct ts_fheap_header *h, const struct ts_gap *gap, struct ts_free_section *out)
{
    uint64_t offset = 0, size = 0;
    unsigned row = 0, column = 0;
    do {
        out->indirect = offset;
        row = ts_fheap_row_of(h, gap->offset - offset);
        size = ts_fheap_row_block(h, row);
        column = (unsigned)((gap->offset - offset - ts_fheap_row_start(h, row)) / size);
        offset += ts_fheap_row_start(h, row) + column * size;
    } while (row >= h->direct_rows && size > gap->block);
    out->addr = gap->offset;
    out->size = gap->size;
    out->type = TS_HEAP_SECTION_FIRST_ROW;
    out->row = row;
    out->column = column;
    out->blocks = 1;
    return row < h->direct_rows;
}

static bool continues(const struct ts_fheap_header *h, const struct ts_free_section *run,
                      const struct ts_free_section *next)
{
    uint64_t first = (uint64_t)run->row * h->width + run->column;
    return run->type == TS_HEAP_SECTION_FIRST_ROW && run->indirect == next->indirect && run->blocks < UINT16_MAX &&
           first + run->blocks == (uint64_t)next->row * h->width + next->column;
}

/* Absent direct blocks side by side in one indirect block make one section, and rows behind the first in it count too,
 * but are not stored. */
static size_t add_runs(const struct ts_fheap *heap, struct ts_free_section *list, size_t n, struct ts_free_space *fs)
{
    const struct ts_fheap_header *h = &heap->header;
    const struct ts_gap *gap = ts_gaps_at_or_after(&heap->absent, 0);
    size_t runs = n;
    for (; gap; gap = ts_gaps_at_or_after(&heap->absent, gap->offset + 1)) {
        struct ts_free_section s = {0};
        if (gap->size == 0 || !entry_of(h, gap, &s))
            continue;
        bool joins = n > runs && continues(h, &list[n - 1], &s);
        if (joins)
            list[n - 1].blocks++;
        else
            list[n++] = s;
        if (joins && s.column > 0)
            continue;
        fs->bytes += s.size;
        fs->sections++;
        fs->not_serialized += joins;
    }
    return n;
}

static int by_size(const void *a, const void *b)
{
    const struct ts_free_section *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* All sections as the manager stores them, and its numbers. */
static int list_sections(const struct ts_fheap *heap, struct ts_free_section **out, struct ts_free_space *fs)
{
    const struct ts_fheap_header *h = &heap->header;
    const struct ts_gap *gap = ts_gaps_at_or_after(&heap->gaps, 0);
    size_t n = 0;
    struct ts_free_section *list = ts_calloc(heap->gaps.n + heap->absent.n + 1, sizeof *list);
    if (!list)
        return -1;
    *fs = (struct ts_free_space){.classes = SECTION_CLASSES,
                                 .shrink_percent = SHRINK_PERCENT,
                                 .expand_percent = EXPAND_PERCENT,
                                 .addr_bits = h->heap_bits,
                                 .max_section = h->max_direct,
                                 .list = heap->manager.list,
                                 .list_used = heap->manager.list_used,
                                 .list_allocated = heap->manager.list_allocated};
    for (; gap; gap = ts_gaps_at_or_after(&heap->gaps, gap->offset + 1)) {
        list[n++] = (struct ts_free_section){.addr = gap->offset, .size = gap->size, .type = TS_HEAP_SECTION_SINGLE};
        fs->bytes += gap->size;
        fs->sections++;
    }
    n = add_runs(heap, list, n, fs);
    fs->serialized = n;
    qsort(list, n, sizeof *list, by_size);
    *out = list;
    return 0;
}

static void free_list(struct ts_fheap *heap)
{
    struct ts_free_space *fs = &heap->manager;
    if (fs->list != HADDR_UNDEF)
        ts_file_free(heap->file, H5FD_MEM_FSPACE_SINFO, fs->list, fs->list_allocated);
    fs->list = HADDR_UNDEF;
    fs->list_used = fs->list_allocated = 0;
}

static int place_list(struct ts_fheap *heap, uint64_t size)
{
    struct ts_free_space *fs = &heap->manager;
    if (fs->list != HADDR_UNDEF && fs->list_allocated == size)
        return 0;
    free_list(heap);
    if (ts_file_alloc(heap->file, H5FD_MEM_FSPACE_SINFO, size, &fs->list) < 0)
        return -1;
    fs->list_used = fs->list_allocated = size;
    return 0;
}

static void free_manager(struct ts_fheap *heap)
{
    struct ts_fheap_header *h = &heap->header;
    free_list(heap);
    if (h->free_space != HADDR_UNDEF)
        ts_file_free(heap->file, H5FD_MEM_FSPACE_HDR, h->free_space, manager_size(h));
    h->free_space = HADDR_UNDEF;
}

int ts_fheap_place_manager(struct ts_fheap *heap)
{
    struct ts_fheap_header *h = &heap->header;
    struct ts_free_section *list;
    struct ts_free_space fs;
    if (!heap->space_known || !heap->space_changed)
        return 0;
    if (list_sections(heap, &list, &fs) < 0)
        return -1;
    size_t size = ts_free_sections_size(list, h->addr_size, &fs);
    ts_free(list);
    if (ts_meta_edit(heap->file, heap->addr) < 0)
        return -1;
    heap->space_changed = false;
    heap->manager_placed = true;
    if (fs.serialized == 0) {
        free_manager(heap);
        return 0;
    }
    if (h->free_space == HADDR_UNDEF &&
        ts_file_alloc(heap->file, H5FD_MEM_FSPACE_HDR, manager_size(h), &h->free_space) < 0)
        return -1;
    if (place_list(heap, size) < 0)
        return -1;
    heap->manager.list_used = size;
    return 0;
}

int ts_fheap_encode_manager(const struct ts_fheap *heap, struct ts_blocks *out)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_free_section *list;
    struct ts_free_space fs;
    if (!heap->manager_placed || h->free_space == HADDR_UNDEF)
        return 0;
    if (list_sections(heap, &list, &fs) < 0)
        return -1;
    int status = ts_free_sections_encode(list, h->addr_size, &fs, h->free_space, ts_blocks_begin(out));
    if (status == 0)
        status = ts_blocks_end(out, fs.list);
    if (status == 0)
        status = ts_free_space_encode(&fs, h->addr_size, h->len_size, ts_blocks_begin(out));
    if (status == 0)
        status = ts_blocks_end(out, h->free_space);
    ts_free(list);
    return status;
}

int ts_fheap_drop_manager(struct ts_fheap *heap)
{
    if (heap->header.free_space == HADDR_UNDEF)
        return 0;
    if (!heap->space_known && read_manager(heap, &heap->manager) < 0)
        return -1;
    free_manager(heap);
    return 0;
}

int ts_fheap_manager_storage(const struct ts_fheap *heap, uint64_t *bytes)
{
    struct ts_free_space fs = heap->manager;
    if (heap->header.free_space == HADDR_UNDEF)
        return 0;
    if (!heap->space_known && read_manager(heap, &fs) < 0)
        return -1;
    *bytes += manager_size(&heap->header) + fs.list_allocated;
    return 0;
}
