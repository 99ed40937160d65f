#include "type/chunk_heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "type/type.h"

static bool is_inside(const struct ts_chunk_heap *h, uint64_t offset, uint64_t size)
{
    return offset >= TS_CHUNK_HEAP_HEADER && offset <= h->size && size <= h->size - offset;
}

/* After every change: the counts cannot be more than there is, whatever elements of a file claimed. */
static void store_unused(struct ts_chunk_heap *h)
{
    if (h->size <= TS_CHUNK_HEAP_HEADER) {
        h->size = h->unused = h->n_gaps = 0;
        h->ragged = false;
        return;
    }
    size_t most = h->size - TS_CHUNK_HEAP_HEADER;
    h->unused = h->unused < most ? h->unused : most;
    uint32_t count = h->unused < UINT32_MAX ? (uint32_t)h->unused : UINT32_MAX;
    for (unsigned i = 0; i < TS_CHUNK_HEAP_HEADER; i++)
        h->bytes[i] = (uint8_t)(count >> 8 * i);
}

int ts_chunk_heap_decode(const void *section, size_t size, struct ts_chunk_heap *out)
{
    *out = (struct ts_chunk_heap){0};
    if (size == 0)
        return 0;
    if (size < TS_CHUNK_HEAP_HEADER)
        return TS_ERR(HEAP, CANTDECODE, "chunk heap: %zu bytes", size);
    struct ts_rd r = ts_rd_init(section, size);
    size_t unused = ts_rd_u32(&r);
    if (unused > ts_rd_left(&r) && unused != UINT32_MAX)
        return TS_ERR(HEAP, CANTDECODE, "chunk heap: %zu bytes unused of %zu", unused, ts_rd_left(&r));
    out->bytes = ts_memdup(section, size);
    if (!out->bytes)
        return -1;
    out->size = out->capacity = size;
    out->unused = unused;
    store_unused(out);
    return 0;
}

void ts_chunk_heap_deinit(struct ts_chunk_heap *h)
{
    ts_free(h->bytes);
    *h = (struct ts_chunk_heap){0};
}

static const char *problem(const struct ts_chunk_heap *h)
{
    uint64_t end = 0;
    size_t sum = 0;
    if (h->size > h->capacity || (h->capacity > 0) != (h->bytes != NULL))
        return "more bytes than memory";
    if (h->size == 0)
        return h->unused || h->n_gaps || h->ragged ? "an empty heap with unused bytes" : NULL;
    if (h->size <= TS_CHUNK_HEAP_HEADER)
        return "a header without segments";
    if (h->n_gaps > TS_CHUNK_GAPS)
        return "too many gaps";
    for (size_t i = 0; i < h->n_gaps; i++) {
        const struct ts_chunk_segment *g = &h->gaps[i];
        if (g->size == 0 || !is_inside(h, g->offset, g->size))
            return "a gap outside of the heap";
        if (g->offset <= end)
            return "gaps that touch or are not in order";
        end = g->offset + g->size;
        sum += g->size;
    }
    if (h->n_gaps > 0 && end == h->size)
        return "a gap at the end";
    if (sum > h->unused || h->unused > h->size - TS_CHUNK_HEAP_HEADER)
        return "another count of unused bytes than the gaps have";
    struct ts_rd r = ts_rd_init(h->bytes, h->size);
    return ts_rd_u32(&r) == (h->unused < UINT32_MAX ? h->unused : UINT32_MAX) ? NULL : "another count in its bytes";
}

bool ts_chunk_heap_verify(const struct ts_chunk_heap *h, const char **reason)
{
    *reason = problem(h);
    return *reason == NULL;
}

void ts_chunk_heap_condense(struct ts_chunk_heap *h)
{
    if (h->size == h->capacity)
        return;
    if (h->size == 0) {
        ts_chunk_heap_deinit(h);
        return;
    }
    unsigned mark = ts_err_mark();
    uint8_t *less = ts_realloc(h->bytes, h->size);
    if (less) {
        h->bytes = less;
        h->capacity = h->size;
    }
    ts_err_rewind(mark);
}

static void drop_gap(struct ts_chunk_heap *h, size_t at)
{
    h->n_gaps--;
    memmove(&h->gaps[at], &h->gaps[at + 1], (h->n_gaps - at) * sizeof *h->gaps);
}

/* One of exactly that size, else the first that is large enough. */
static bool take_gap(struct ts_chunk_heap *h, size_t n, uint64_t *offset)
{
    size_t found = h->n_gaps;
    for (size_t i = h->n_gaps; i-- > 0;)
        if (h->gaps[i].size >= n && (found == h->n_gaps || h->gaps[found].size != n || h->gaps[i].size == n))
            found = i;
    if (found == h->n_gaps)
        return false;
    struct ts_chunk_segment *g = &h->gaps[found];
    *offset = g->offset;
    g->offset += n;
    g->size -= n;
    h->unused -= n;
    if (g->size == 0)
        drop_gap(h, found);
    return true;
}

uint8_t *ts_chunk_heap_reserve(struct ts_chunk_heap *h, size_t n, uint64_t *offset)
{
    if (!take_gap(h, n, offset)) {
        size_t at = h->size ? h->size : TS_CHUNK_HEAP_HEADER, end;
        if (!ts_add_size(at, n, &end)) {
            TS_ERR(HEAP, CANTALLOC, "chunk heap of %zu bytes: no place for %zu more", at, n);
            return NULL;
        }
        if (TS_GROW(h->bytes, h->capacity, end) < 0)
            return NULL;
        h->size = end;
        *offset = at;
    }
    store_unused(h);
    return h->bytes + *offset;
}

const uint8_t *ts_chunk_heap_get(const struct ts_chunk_heap *h, uint64_t offset, uint64_t size)
{
    if (is_inside(h, offset, size))
        return h->bytes + offset;
    TS_ERR(HEAP, BADRANGE, "chunk heap of %zu bytes: no segment of %llu bytes at %llu", h->size,
           (unsigned long long)size, (unsigned long long)offset);
    return NULL;
}

/* Keeps the larger ones when there are too many; the bytes of the others are unused all the same. */
static void insert_gap(struct ts_chunk_heap *h, size_t at, struct ts_chunk_segment gap)
{
    if (h->n_gaps == TS_CHUNK_GAPS) {
        size_t least = 0;
        for (size_t i = 1; i < h->n_gaps; i++)
            if (h->gaps[i].size < h->gaps[least].size)
                least = i;
        if (h->gaps[least].size >= gap.size)
            return;
        drop_gap(h, least);
        at -= least < at;
    }
    memmove(&h->gaps[at + 1], &h->gaps[at], (h->n_gaps - at) * sizeof *h->gaps);
    h->gaps[at] = gap;
    h->n_gaps++;
}

void ts_chunk_heap_remove(struct ts_chunk_heap *h, uint64_t offset, uint64_t size)
{
    size_t at = 0;
    if (size == 0 || !is_inside(h, offset, size))
        return;
    while (at < h->n_gaps && h->gaps[at].offset + h->gaps[at].size <= offset)
        at++;
    if (at < h->n_gaps && h->gaps[at].offset < offset + size)
        return;
    struct ts_chunk_segment gap = {offset, size};
    h->unused += size;
    if (at < h->n_gaps && h->gaps[at].offset == offset + size) {
        gap.size += h->gaps[at].size;
        drop_gap(h, at);
    }
    if (at > 0 && h->gaps[at - 1].offset + h->gaps[at - 1].size == offset) {
        at--;
        gap = (struct ts_chunk_segment){h->gaps[at].offset, h->gaps[at].size + gap.size};
        drop_gap(h, at);
    }
    if (gap.offset + gap.size == h->size) { /* then it is not there any more */
        h->size = gap.offset;
        h->unused -= gap.size;
    } else {
        insert_gap(h, at, gap);
    }
    store_unused(h);
}

static int fields_of(const struct ts_type *t, uint8_t *element, ts_chunk_field_fn *fn, void *ctx)
{
    if (ts_type_is_chunk_field(t))
        return fn(ctx, element);
    if (t->cls == H5T_ARRAY)
        return ts_chunk_fields(t->base, t->u.array.n_elements, element, fn, ctx);
    int r = 0;
    for (size_t i = 0; r == 0 && t->cls == H5T_COMPOUND && i < t->u.compound.n; i++) {
        const struct ts_member *m = &t->u.compound.members[i];
        if (ts_type_has_vlen_or_ref(m->type))
            r = fields_of(m->type, element + m->offset, fn, ctx);
    }
    return r;
}

int ts_chunk_fields(const struct ts_type *t, size_t n, uint8_t *elements, ts_chunk_field_fn *fn, void *ctx)
{
    int r = 0;
    if (!ts_type_has_chunk_fields(t))
        return 0;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = fields_of(t, elements + i * t->size, fn, ctx);
    return r;
}

static int erase_field(void *ctx, uint8_t *field)
{
    struct ts_chunk_segment s = ts_chunk_field_get(field);
    ts_chunk_heap_remove(ctx, s.offset, s.size);
    memset(field, 0, TS_TYPE_CHUNK_FIELD);
    return 0;
}

void ts_chunk_heap_erase(struct ts_chunk_heap *h, const struct ts_type *t, size_t n, uint8_t *elements)
{
    ts_chunk_fields(t, n, elements, erase_field, h);
}

bool ts_chunk_heap_wants_repack(const struct ts_chunk_heap *h)
{
    return h->ragged || h->unused > h->size / 4;
}

struct live {
    struct ts_chunk_segment segment;
    uint8_t *field;
};

struct collection {
    const struct ts_chunk_heap *heap;
    struct live *items;
    size_t n, capacity;
};

static int collect(void *ctx, uint8_t *field)
{
    struct collection *c = ctx;
    struct ts_chunk_segment s = ts_chunk_field_get(field);
    if (s.size == 0)
        return 0;
    if (!ts_chunk_heap_get(c->heap, s.offset, s.size) || TS_GROW(c->items, c->capacity, c->n + 1) < 0)
        return -1;
    c->items[c->n++] = (struct live){s, field};
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct live *x = a, *y = b;
    return x->segment.offset < y->segment.offset ? -1 : x->segment.offset > y->segment.offset;
}

static int refuse_overlap(const struct collection *c)
{
    for (size_t i = 1; i < c->n; i++) {
        const struct ts_chunk_segment *a = &c->items[i - 1].segment, *b = &c->items[i].segment;
        if (a->offset + a->size > b->offset)
            return TS_ERR(HEAP, BADRANGE, "chunk heap: segments at %llu and %llu overlap",
                          (unsigned long long)a->offset, (unsigned long long)b->offset);
    }
    return 0;
}

int ts_chunk_heap_repack(struct ts_chunk_heap *h, int (*each)(void *owner, ts_chunk_field_fn *fn, void *ctx),
                         void *owner)
{
    struct collection c = {.heap = h};
    size_t end = TS_CHUNK_HEAP_HEADER;
    int r = each(owner, collect, &c);
    if (r == 0 && c.n > 0)
        qsort(c.items, c.n, sizeof *c.items, by_offset);
    if (r == 0)
        r = refuse_overlap(&c);
    for (size_t i = 0; r == 0 && i < c.n; i++) {
        const struct ts_chunk_segment *s = &c.items[i].segment;
        memmove(h->bytes + end, h->bytes + s->offset, s->size);
        ts_chunk_field_put(c.items[i].field, end, s->size);
        end += s->size;
    }
    if (r == 0) {
        h->size = end;
        h->unused = h->n_gaps = 0;
        h->ragged = false;
        store_unused(h);
    }
    ts_free(c.items);
    return r < 0 ? -1 : 0;
}
