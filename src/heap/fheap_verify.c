#include "base/error.h"
#include "heap/fheap_classes.h"

/* What the blocks of a heap add up to. */
struct sums {
    struct ts_fheap *heap;
    uint64_t allocated; /* in direct blocks */
    uint64_t room;      /* for objects: in gaps and absent blocks */
    size_t gaps, absent;
    uint64_t objects; /* bytes */
};

static int wrong(const struct ts_fheap *heap, const char *what, uint64_t value)
{
    return TS_ERR(HEAP, BADVALUE, "fractal heap at %#llx: %s: %llu", (unsigned long long)heap->addr, what,
                  (unsigned long long)value);
}

/* The gaps of one direct block lie in it, and never side by side. */
static int sum_direct(struct sums *s, const struct ts_fheap_child *child, uint64_t offset, uint64_t size)
{
    const struct ts_fheap_header *h = &s->heap->header;
    uint64_t start = offset + ts_fheap_direct_prefix(h), end = offset + size, last = 0, free = 0;
    const struct ts_gap *gap = ts_gaps_at_or_after(&s->heap->gaps, offset);
    struct ts_fheap_path path;
    struct ts_fheap_direct *d;
    if (ts_fheap_path_find(s->heap, offset, &path) < 0)
        return -1;
    int status =
        path.child.addr == child->addr ? ts_fheap_direct_pin(&path, &d) : wrong(s->heap, "another block at", offset);
    if (status == 0)
        ts_fheap_direct_unpin(d);
    ts_fheap_path_release(&path);
    for (; status == 0 && gap && gap->offset < end; gap = ts_gaps_at_or_after(&s->heap->gaps, gap->offset + 1)) {
        if (gap->offset < start || gap->offset + gap->size > end || gap->offset <= last)
            return wrong(s->heap, "a gap at", gap->offset);
        last = gap->offset + gap->size;
        free += gap->size;
        s->gaps++;
    }
    if (status == 0 && free == end - start)
        return wrong(s->heap, "nothing in the block at", offset);
    s->allocated += size;
    s->room += free;
    s->objects += end - start - free;
    return status;
}

static int sum_absent(struct sums *s, uint64_t offset, uint64_t size, bool direct)
{
    const struct ts_fheap_header *h = &s->heap->header;
    const struct ts_gap *gap = ts_gaps_at_or_before(&s->heap->absent, offset);
    bool listed = gap && gap->offset == offset && gap->block == size;
    s->room += ts_fheap_room_in(h, size, direct);
    s->absent += listed;
    return listed == (offset < h->iterator) ? 0 : wrong(s->heap, "an absent block is not known: at", offset);
}

static int sum_indirect(struct sums *s, haddr_t addr, const struct ts_fheap_place *place)
{
    struct ts_fheap *heap = s->heap;
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_indirect *b;
    if (ts_fheap_indirect_pin(heap, addr, place, &b) < 0)
        return -1;
    int status = 0;
    bool empty = true;
    for (size_t i = 0; status == 0 && i < (size_t)place->rows * h->width; i++) {
        const struct ts_fheap_child *c = &b->children[i];
        unsigned row = (unsigned)(i / h->width);
        uint64_t size = ts_fheap_row_block(h, row);
        struct ts_fheap_place below = {.header = heap->addr,
                                       .offset = place->offset + ts_fheap_row_start(h, row) + i % h->width * size,
                                       .rows = ts_fheap_rows_for(h, size)};
        empty = empty && c->addr == HADDR_UNDEF;
        if (c->addr == HADDR_UNDEF)
            status = sum_absent(s, below.offset, size, row < h->direct_rows);
        else if (row < h->direct_rows)
            status = sum_direct(s, c, below.offset, size);
        else
            status = sum_indirect(s, c->addr, &below);
    }
    ts_meta_unpin(heap->file, addr);
    return status == 0 && empty ? wrong(heap, "an empty indirect block at", place->offset) : status;
}

int ts_fheap_verify(struct ts_fheap *heap)
{
    const struct ts_fheap_header *h = &heap->header;
    struct ts_fheap_place root = {.header = heap->addr, .rows = h->rows};
    struct ts_fheap_child child = {.addr = h->root};
    struct sums s = {.heap = heap};
    if (ts_fheap_know_space(heap) < 0)
        return -1;
    if (h->root != HADDR_UNDEF &&
        (h->rows > 0 ? sum_indirect(&s, h->root, &root) : sum_direct(&s, &child, 0, h->start_block)) < 0)
        return -1;
    if (s.gaps != heap->gaps.n || s.absent != heap->absent.n)
        return wrong(heap, "free space outside its blocks", heap->gaps.n + heap->absent.n - s.gaps - s.absent);
    if (s.allocated != h->managed_allocated)
        return wrong(heap, "bytes of direct blocks", s.allocated);
    if (s.room != h->managed_free)
        return wrong(heap, "free bytes", s.room);
    if (h->managed_count > s.objects || (h->managed_count == 0) != (s.objects == 0))
        return wrong(heap, "objects", h->managed_count);
    return 0;
}
