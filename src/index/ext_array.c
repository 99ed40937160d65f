#include "index/ext_array.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/ext_array.h"
#include "index/array_page.h"
#include "meta/block.h"
#include "meta/meta.h"

struct ts_earray {
    struct ts_file *file;
    haddr_t addr;
    struct ts_earray_header header;
};

static int header_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    uint8_t buf[128];
    unsigned addr_size = ts_file_addr_size(f), len_size = ts_file_len_size(f);
    size_t size = ts_earray_header_size(addr_size, len_size);
    struct ts_earray *a = ts_calloc(1, sizeof *a);
    if (!a)
        return -1;
    a->file = f;
    a->addr = addr;
    if (ts_file_read(f, addr, size, buf) < 0 ||
        ts_earray_header_decode(buf, size, addr_size, len_size, &a->header) < 0) {
        ts_free(a);
        return TS_ERR(EARRAY, CANTLOAD, "cannot load the extensible array at %#llx", (unsigned long long)addr);
    }
    *obj = a;
    *bytes = sizeof *a;
    return 0;
}

static const struct ts_meta_class header_class = {.name = "extensible array", .load = header_load, .free = ts_free};

int ts_earray_open(struct ts_file *f, haddr_t addr, struct ts_earray **out)
{
    void *obj;
    if (ts_meta_pin(f, &header_class, addr, NULL, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

void ts_earray_close(struct ts_earray *array)
{
    if (array)
        ts_meta_unpin(array->file, array->addr);
}

unsigned ts_earray_client(const struct ts_earray *array)
{
    return array->header.client;
}

size_t ts_earray_element_size(const struct ts_earray *array)
{
    return array->header.element_size;
}

uint64_t ts_earray_count(const struct ts_earray *array)
{
    return array->header.count;
}

/* Index, secondary and data blocks, the latter without their pages. */
struct block {
    haddr_t array;
    enum ts_earray_block kind;
    uint64_t first, size;
    uint8_t *buf;
};

struct want {
    const struct ts_earray *array;
    enum ts_earray_block kind;
    struct ts_earray_group group;
    uint64_t first, also; /* see struct ts_earray_place */
};

static void block_free(void *obj)
{
    struct block *b = obj;
    ts_free(b->buf);
    ts_free(b);
}

static int read_block(struct ts_file *f, haddr_t addr, const struct want *want, struct block *b)
{
    const struct ts_earray_header *h = &want->array->header;
    struct ts_earray_place place = {.header = want->array->addr, .first = want->first, .also = want->also};
    if (!ts_earray_block_size(h, want->kind, &want->group, &b->size))
        return TS_ERR(EARRAY, BADSIZE, "extensible array block of too many elements");
    if (ts_meta_read_block(f, addr, b->size, &b->buf) < 0)
        return -1;
    return ts_earray_block_check(h, want->kind, &place, b->buf, (size_t)b->size);
}

static int block_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    const struct want *want = arg;
    struct block *b = ts_calloc(1, sizeof *b);
    if (!b)
        return -1;
    b->array = want->array->addr;
    b->kind = want->kind;
    b->first = want->first;
    if (read_block(f, addr, want, b) < 0) {
        block_free(b);
        return TS_ERR(EARRAY, CANTLOAD, "cannot load the extensible array block at %#llx", (unsigned long long)addr);
    }
    *obj = b;
    *bytes = sizeof *b + (size_t)b->size;
    return 0;
}

static const struct ts_meta_class block_class = {
    .name = "extensible array block", .load = block_load, .free = block_free};

static int pin_block(const struct want *want, haddr_t addr, const struct block **out)
{
    void *obj;
    if (ts_meta_pin(want->array->file, &block_class, addr, want, &obj) < 0)
        return -1;
    const struct block *b = obj;
    if (b->array != want->array->addr || b->kind != want->kind || b->first != want->first) {
        ts_meta_unpin(want->array->file, addr);
        return TS_ERR(EARRAY, BADVALUE, "extensible array block at %#llx is used in two places",
                      (unsigned long long)addr);
    }
    *out = b;
    return 0;
}

static const uint8_t *content(const struct ts_earray *a, const struct block *b)
{
    return b->buf + ts_earray_block_prefix(&a->header, b->kind);
}

static haddr_t addr_at(const struct ts_earray *a, const uint8_t *addrs, uint64_t i)
{
    struct ts_rd r = ts_rd_init(addrs + i * a->header.addr_size, a->header.addr_size);
    return ts_rd_addr(&r, a->header.addr_size);
}

static int pin_index(const struct ts_earray *a, const struct block **out)
{
    struct want want = {.array = a, .kind = TS_EARRAY_INDEX};
    return pin_block(&want, a->header.index_block, out);
}

/* The block of pointers that a group of data blocks hangs on, pinned at `addr`: the index block or a secondary one. */
struct group {
    unsigned s;
    struct ts_earray_group g;
    haddr_t addr;          /* HADDR_UNDEF: no secondary block was made yet */
    const uint8_t *blocks; /* addresses of its data blocks */
    const uint8_t *bitmap; /* of their pages; NULL when they have none */
};

static int pin_group(struct ts_earray *a, unsigned s, struct group *out)
{
    const struct ts_earray_header *h = &a->header;
    const struct block *b;
    *out = (struct group){.s = s, .g = ts_earray_group(h, s), .addr = h->index_block};
    if (pin_index(a, &b) < 0)
        return -1;
    const uint8_t *addrs = content(a, b) + (size_t)h->index_elements * h->element_size;
    if (s < h->index_groups) {
        out->blocks = addrs + ts_earray_blocks_before(s) * h->addr_size;
        return 0;
    }
    out->addr = addr_at(a, addrs, h->index_blocks + (s - h->index_groups));
    ts_meta_unpin(a->file, h->index_block);
    if (out->addr == HADDR_UNDEF)
        return 0;
    struct want want = {
        .array = a, .kind = TS_EARRAY_SECONDARY, .group = out->g, .first = out->g.first, .also = out->g.first};
    if (pin_block(&want, out->addr, &b) < 0)
        return -1;
    out->bitmap = out->g.pages ? content(a, b) : NULL;
    out->blocks = content(a, b) + out->g.bitmap_size;
    return 0;
}

static void unpin_group(struct ts_earray *a, const struct group *group)
{
    if (group->addr != HADDR_UNDEF)
        ts_meta_unpin(a->file, group->addr);
}

/* A pinned run of elements: those of a data block, or of one of its pages. */
struct run {
    haddr_t addr; /* to unpin */
    bool page;
    const uint8_t *elements;
};

static void unpin_run(struct ts_earray *a, const struct run *run)
{
    if (run->page)
        ts_array_page_unpin(a->file, run->addr);
    else
        ts_meta_unpin(a->file, run->addr);
}

static int pin_page(struct ts_earray *a, haddr_t data, uint64_t data_size, uint64_t page, struct run *out)
{
    const struct ts_earray_header *h = &a->header;
    uint64_t size, offset;
    bool fits = ts_mul_u64((uint64_t)1 << h->page_bits, h->element_size, &size) && ts_add_u64(size, 4, &size) &&
                ts_mul_u64(page, size, &offset) && ts_add_u64(offset, data_size, &offset) &&
                ts_add_u64(offset, data, &out->addr);
    if (!fits)
        return TS_ERR(EARRAY, OVERFLOW, "page %llu of an extensible array is nowhere", (unsigned long long)page);
    out->page = true;
    return ts_array_page_pin(a->file, out->addr, size, &out->elements);
}

/* page is 0 for a block without pages. Returns 1 and the run, 0 when it was never written. */
static int pin_run(struct ts_earray *a, const struct group *group, uint64_t block, uint64_t page, struct run *out)
{
    const struct ts_earray_group *g = &group->g;
    struct want want = {.array = a, .kind = TS_EARRAY_DATA, .group = *g, .first = g->first + block * g->elements};
    bool below_index = group->s < a->header.index_groups;
    want.also = want.first + (below_index ? ts_earray_blocks_before(group->s) * g->elements : 0);
    haddr_t addr = addr_at(a, group->blocks, block);
    const struct block *b;
    if (addr == HADDR_UNDEF || (g->pages && !ts_array_page_written(group->bitmap, block * g->pages + page)))
        return 0;
    if (pin_block(&want, addr, &b) < 0)
        return -1;
    if (!g->pages) {
        *out = (struct run){.addr = addr, .elements = content(a, b)};
        return 1;
    }
    int status = pin_page(a, addr, b->size, page, out);
    ts_meta_unpin(a->file, addr);
    return status < 0 ? -1 : 1;
}

static int get_from_group(struct ts_earray *a, uint64_t index, uint8_t *element)
{
    const struct ts_earray_header *h = &a->header;
    struct group group;
    struct run run;
    unsigned s = ts_earray_group_of(h, index);
    if (s >= h->groups)
        return TS_ERR(EARRAY, BADRANGE, "element %llu of an extensible array of 2^%u", (unsigned long long)index,
                      h->max_bits);
    if (pin_group(a, s, &group) < 0)
        return -1;
    if (group.addr == HADDR_UNDEF)
        return 0;
    uint64_t inside = index - group.g.first, in_block = inside % group.g.elements;
    uint64_t run_elements = group.g.pages ? (uint64_t)1 << h->page_bits : group.g.elements;
    int status = pin_run(a, &group, inside / group.g.elements, in_block / run_elements, &run);
    if (status == 1) {
        memcpy(element, run.elements + in_block % run_elements * h->element_size, h->element_size);
        unpin_run(a, &run);
    }
    unpin_group(a, &group);
    return status;
}

static int get_from_index(struct ts_earray *a, uint64_t index, uint8_t *element)
{
    const struct block *b;
    if (pin_index(a, &b) < 0)
        return -1;
    memcpy(element, content(a, b) + index * a->header.element_size, a->header.element_size);
    ts_meta_unpin(a->file, a->header.index_block);
    return 1;
}

int ts_earray_get(struct ts_earray *array, uint64_t index, uint8_t *element)
{
    const struct ts_earray_header *h = &array->header;
    if (h->index_block == HADDR_UNDEF || index >= h->count)
        return 0;
    if (index < h->index_elements)
        return get_from_index(array, index, element);
    return get_from_group(array, index - h->index_elements, element);
}

struct walk {
    struct ts_earray *array;
    ts_earray_visit_fn *visit;
    void *ctx;
};

/* Elements first, first + 1, … as the array counts them, up to its end. */
static int visit_elements(const struct walk *w, uint64_t first, uint64_t n, const uint8_t *elements)
{
    const struct ts_earray_header *h = &w->array->header;
    int status = 0;
    for (uint64_t i = 0; status == 0 && i < n && first + i < h->count; i++)
        status = w->visit(first + i, elements + i * h->element_size, w->ctx);
    return status;
}

static int visit_block(const struct walk *w, const struct group *group, uint64_t block)
{
    const struct ts_earray_header *h = &w->array->header;
    const struct ts_earray_group *g = &group->g;
    uint64_t runs = g->pages ? g->pages : 1, n = g->elements / runs;
    uint64_t first = h->index_elements + g->first + block * g->elements;
    int status = 0;
    if (addr_at(w->array, group->blocks, block) == HADDR_UNDEF)
        return 0;
    for (uint64_t i = 0; status == 0 && i < runs && first + i * n < h->count; i++) {
        struct run run;
        int pinned = pin_run(w->array, group, block, i, &run);
        if (pinned < 0)
            return -1;
        if (pinned == 0)
            continue;
        status = visit_elements(w, first + i * n, n, run.elements);
        unpin_run(w->array, &run);
    }
    return status;
}

static int visit_group(const struct walk *w, unsigned s)
{
    struct group group;
    if (pin_group(w->array, s, &group) < 0)
        return -1;
    int status = 0;
    for (uint64_t i = 0; group.addr != HADDR_UNDEF && status == 0 && i < group.g.blocks; i++)
        status = visit_block(w, &group, i);
    unpin_group(w->array, &group);
    return status;
}

int ts_earray_iterate(struct ts_earray *array, ts_earray_visit_fn *visit, void *ctx)
{
    const struct ts_earray_header *h = &array->header;
    const struct walk w = {.array = array, .visit = visit, .ctx = ctx};
    const struct block *b;
    if (h->index_block == HADDR_UNDEF)
        return 0;
    if (pin_index(array, &b) < 0)
        return -1;
    int status = visit_elements(&w, 0, h->index_elements, content(array, b));
    ts_meta_unpin(array->file, h->index_block);
    for (unsigned s = 0; status == 0 && s < h->groups; s++) {
        if (h->index_elements + ts_earray_group(h, s).first >= h->count)
            break;
        status = visit_group(&w, s);
    }
    return status;
}

/* What libhdf5 reports for an array it finds in a file: it takes the index block to have one pointer less for each
 * group that hangs on it, and none to secondary blocks. Programs compare these numbers, so they are the same here. */
static uint64_t reported_index_size(const struct ts_earray_header *h)
{
    uint64_t pointers = h->index_blocks > h->index_groups ? h->index_blocks - h->index_groups : 0;
    return ts_earray_block_prefix(h, TS_EARRAY_INDEX) + (uint64_t)h->index_elements * h->element_size +
           pointers * h->addr_size + 4;
}

int ts_earray_storage(struct ts_earray *array, uint64_t *bytes)
{
    const struct ts_earray_header *h = &array->header;
    uint64_t fixed = ts_earray_header_size(h->addr_size, ts_file_len_size(array->file)) + reported_index_size(h);
    if (!ts_add_u64(fixed, h->secondary_size, bytes) || !ts_add_u64(*bytes, h->data_size, bytes))
        return TS_ERR(EARRAY, OVERFLOW, "extensible array of %llu elements", (unsigned long long)h->count);
    return 0;
}
