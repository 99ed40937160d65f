#include "index/ext_array.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/undo.h"
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

static size_t header_size(const struct ts_file *f)
{
    return ts_earray_header_size(ts_file_addr_size(f), ts_file_len_size(f));
}

static int header_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct ts_earray *a = obj;
    if (ts_earray_header_encode(&a->header, ts_file_len_size(f), ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, a->addr);
}

static int header_keep(struct ts_file *f, void *obj)
{
    struct ts_earray *a = obj;
    return ts_undo_bytes(f, &a->header, sizeof a->header);
}

static const struct ts_meta_class header_class = {.name = "extensible array",
                                                  .load = header_load,
                                                  .free = ts_free,
                                                  .encode = header_encode,
                                                  .keep = header_keep,
                                                  .retry = TS_RETRY_EARRAY_HEADER};

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

/* Index, secondary and data blocks, the latter without their pages. */
struct block {
    haddr_t array, addr;
    enum ts_earray_block kind;
    uint64_t first, also, size;
    struct ts_earray_header shape; /* so that it can be written without its header */
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

static void block_init(struct block *b, const struct want *want, haddr_t addr)
{
    *b = (struct block){.array = want->array->addr,
                        .addr = addr,
                        .kind = want->kind,
                        .first = want->first,
                        .also = want->also,
                        .shape = want->array->header};
}

static int block_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    const struct want *want = arg;
    struct block *b = ts_calloc(1, sizeof *b);
    if (!b)
        return -1;
    block_init(b, want, addr);
    if (read_block(f, addr, want, b) < 0) {
        block_free(b);
        return TS_ERR(EARRAY, CANTLOAD, "cannot load the extensible array block at %#llx", (unsigned long long)addr);
    }
    *obj = b;
    *bytes = sizeof *b + (size_t)b->size;
    return 0;
}

static int block_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct block *b = obj;
    struct ts_earray_place place = {.header = b->array, .first = b->first, .also = b->also};
    size_t prefix = ts_earray_block_prefix(&b->shape, b->kind);
    if (ts_earray_block_encode(&b->shape, b->kind, &place, b->buf + prefix, (size_t)b->size - prefix - 4,
                               ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, b->addr);
}

static enum ts_retry_kind block_retry(const void *arg)
{
    static const enum ts_retry_kind kinds[] = {[TS_EARRAY_INDEX] = TS_RETRY_EARRAY_INDEX,
                                               [TS_EARRAY_SECONDARY] = TS_RETRY_EARRAY_SECONDARY,
                                               [TS_EARRAY_DATA] = TS_RETRY_EARRAY_DATA};
    return kinds[((const struct want *)arg)->kind];
}

static const struct ts_meta_class block_class = {.name = "extensible array block",
                                                 .load = block_load,
                                                 .free = block_free,
                                                 .encode = block_encode,
                                                 .keep = ts_array_keep,
                                                 .retry_of = block_retry};

static inline int pin_block(const struct want *want, haddr_t addr, struct block **out)
{
    void *obj;
    if (ts_meta_pin(want->array->file, &block_class, addr, want, &obj) < 0)
        return -1;
    struct block *b = obj;
    if (b->array != want->array->addr || b->kind != want->kind || b->first != want->first) {
        ts_meta_unpin(want->array->file, addr);
        return TS_ERR(EARRAY, BADVALUE, "extensible array block at %#llx is used in two places",
                      (unsigned long long)addr);
    }
    *out = b;
    return 0;
}

static uint8_t *content(const struct ts_earray *a, const struct block *b)
{
    return b->buf + ts_earray_block_prefix(&a->header, b->kind);
}

static haddr_t addr_at(const struct ts_earray *a, const uint8_t *addrs, uint64_t i)
{
    struct ts_rd r = ts_rd_init(addrs + i * a->header.addr_size, a->header.addr_size);
    return ts_rd_addr(&r, a->header.addr_size);
}

static int pin_index(const struct ts_earray *a, struct block **out)
{
    struct want want = {.array = a, .kind = TS_EARRAY_INDEX};
    return pin_block(&want, a->header.index_block, out);
}

/* The block of pointers that a group of data blocks hangs on, pinned at `addr`: the index block or a secondary one. */
struct group {
    unsigned s;
    struct ts_earray_group g;
    haddr_t addr;    /* HADDR_UNDEF: no secondary block was made yet */
    uint8_t *blocks; /* addresses of its data blocks */
    uint8_t *bitmap; /* of their pages; NULL when they have none */
};

static struct want want_secondary(const struct ts_earray *a, const struct ts_earray_group *g)
{
    return (struct want){.array = a, .kind = TS_EARRAY_SECONDARY, .group = *g, .first = g->first, .also = g->first};
}

static struct want want_data(const struct ts_earray *a, const struct group *group, uint64_t block)
{
    const struct ts_earray_group *g = &group->g;
    struct want want = {.array = a, .kind = TS_EARRAY_DATA, .group = *g, .first = g->first + block * g->elements};
    bool below_index = group->s < a->header.index_groups;
    want.also = want.first + (below_index ? ts_earray_blocks_before(group->s) * g->elements : 0);
    return want;
}

/* The addresses in the index block: of data blocks, then of secondary blocks. */
static uint8_t *index_addrs(const struct ts_earray *a, const struct block *index)
{
    return content(a, index) + (size_t)a->header.index_elements * a->header.element_size;
}

static void group_from_secondary(const struct ts_earray *a, const struct block *b, struct group *out)
{
    out->bitmap = out->g.pages ? content(a, b) : NULL;
    out->blocks = content(a, b) + out->g.bitmap_size;
}

static int pin_group(struct ts_earray *a, unsigned s, struct group *out)
{
    const struct ts_earray_header *h = &a->header;
    struct block *b;
    *out = (struct group){.s = s, .g = ts_earray_group(h, s), .addr = h->index_block};
    if (pin_index(a, &b) < 0)
        return -1;
    uint8_t *addrs = index_addrs(a, b);
    if (s < h->index_groups) {
        out->blocks = addrs + ts_earray_blocks_before(s) * h->addr_size;
        return 0;
    }
    out->addr = addr_at(a, addrs, h->index_blocks + (s - h->index_groups));
    ts_meta_unpin(a->file, h->index_block);
    if (out->addr == HADDR_UNDEF)
        return 0;
    struct want want = want_secondary(a, &out->g);
    if (pin_block(&want, out->addr, &b) < 0)
        return -1;
    group_from_secondary(a, b, out);
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

static int page_place(const struct ts_earray *a, haddr_t data, uint64_t data_size, uint64_t page, haddr_t *addr,
                      uint64_t *size)
{
    const struct ts_earray_header *h = &a->header;
    uint64_t offset;
    bool fits = ts_mul_u64((uint64_t)1 << h->page_bits, h->element_size, size) && ts_add_u64(*size, 4, size) &&
                ts_mul_u64(page, *size, &offset) && ts_add_u64(offset, data_size, &offset) &&
                ts_add_u64(offset, data, addr);
    return fits ? 0 : TS_ERR(EARRAY, OVERFLOW, "page %llu of an extensible array is nowhere", (unsigned long long)page);
}

static int pin_page(struct ts_earray *a, haddr_t data, uint64_t data_size, uint64_t page, struct run *out)
{
    uint64_t size;
    if (page_place(a, data, data_size, page, &out->addr, &size) < 0)
        return -1;
    out->page = true;
    return ts_array_page_pin(a->file, TS_RETRY_EARRAY_PAGE, out->addr, size, &out->elements);
}

/* page is 0 for a block without pages. Returns 1 and the run, 0 when it was never written. */
static int pin_run(struct ts_earray *a, const struct group *group, uint64_t block, uint64_t page, struct run *out)
{
    const struct ts_earray_group *g = &group->g;
    struct want want = want_data(a, group, block);
    haddr_t addr = addr_at(a, group->blocks, block);
    struct block *b;
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
    struct block *b;
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
    uint64_t from; /* none before it is visited */
    ts_earray_visit_fn *visit;
    void *ctx;
};

/* Elements first, first + 1, … as the array counts them, up to its end. */
static int visit_elements(const struct walk *w, uint64_t first, uint64_t n, const uint8_t *elements)
{
    const struct ts_earray_header *h = &w->array->header;
    int status = 0;
    for (uint64_t i = w->from > first ? w->from - first : 0; status == 0 && i < n && first + i < h->count; i++)
        status = w->visit(first + i, elements + i * h->element_size, w->ctx);
    return status;
}

/* How many whole pieces of n elements, the first at `first`, come before what is wanted. */
static uint64_t pieces_before(const struct walk *w, uint64_t first, uint64_t n)
{
    return w->from > first ? (w->from - first) / n : 0;
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
    for (uint64_t i = pieces_before(w, first, n); status == 0 && i < runs && first + i * n < h->count; i++) {
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
    uint64_t i = pieces_before(w, w->array->header.index_elements + group.g.first, group.g.elements);
    for (; group.addr != HADDR_UNDEF && status == 0 && i < group.g.blocks; i++)
        status = visit_block(w, &group, i);
    unpin_group(w->array, &group);
    return status;
}

int ts_earray_walk(struct ts_earray *array, uint64_t first, ts_earray_visit_fn *visit, void *ctx)
{
    const struct ts_earray_header *h = &array->header;
    const struct walk w = {.array = array, .from = first, .visit = visit, .ctx = ctx};
    struct block *b;
    if (h->index_block == HADDR_UNDEF)
        return 0;
    if (pin_index(array, &b) < 0)
        return -1;
    int status = visit_elements(&w, 0, h->index_elements, content(array, b));
    ts_meta_unpin(array->file, h->index_block);
    unsigned s = first > h->index_elements ? ts_earray_group_of(h, first - h->index_elements) : 0;
    for (; status == 0 && s < h->groups; s++) {
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
    uint64_t fixed = header_size(array->file) + reported_index_size(h);
    if (!ts_add_u64(fixed, h->secondary_size, bytes) || !ts_add_u64(*bytes, h->data_size, bytes))
        return TS_ERR(EARRAY, OVERFLOW, "extensible array of %llu elements", (unsigned long long)h->count);
    return 0;
}

int ts_earray_create(struct ts_file *f, const struct ts_earray_params *params, haddr_t *addr)
{
    struct ts_earray *a = ts_calloc(1, sizeof *a);
    if (!a)
        return -1;
    a->file = f;
    a->header = (struct ts_earray_header){.client = params->client,
                                          .element_size = params->element_size,
                                          .max_bits = params->max_bits,
                                          .index_elements = params->index_elements,
                                          .min_elements = params->min_elements,
                                          .min_pointers = params->min_pointers,
                                          .page_bits = params->page_bits,
                                          .index_block = HADDR_UNDEF,
                                          .addr_size = ts_file_addr_size(f)};
    if (ts_earray_header_derive(&a->header) < 0 ||
        ts_file_alloc(f, H5FD_MEM_EARRAY_HDR, header_size(f), &a->addr) < 0 ||
        ts_meta_insert(f, &header_class, a->addr, a, sizeof *a) < 0) {
        ts_free(a);
        return -1;
    }
    *addr = a->addr;
    ts_meta_unpin(f, a->addr);
    return 0;
}

static H5FD_mem_t memory_of(enum ts_earray_block kind)
{
    return kind == TS_EARRAY_INDEX       ? H5FD_MEM_EARRAY_IBLOCK
           : kind == TS_EARRAY_SECONDARY ? H5FD_MEM_EARRAY_SBLOCK
                                         : H5FD_MEM_EARRAY_DBLOCK;
}

/* Bytes of a block with its pages. */
static int whole_size(const struct want *want, uint64_t *size)
{
    const struct ts_earray_header *h = &want->array->header;
    uint64_t pages = 0;
    bool fits = ts_earray_block_size(h, want->kind, &want->group, size);
    if (want->kind == TS_EARRAY_DATA && want->group.pages)
        fits = fits && ts_mul_u64(want->group.elements, h->element_size, &pages) &&
               ts_add_u64(pages, 4 * want->group.pages, &pages);
    if (!fits || !ts_add_u64(*size, pages, size))
        return TS_ERR(EARRAY, BADSIZE, "extensible array block of too many elements");
    return 0;
}

/* Nothing in it points anywhere, and no page is written. */
static void blank(const struct want *want, struct block *b)
{
    const struct ts_earray_header *h = &want->array->header;
    uint8_t *at = content(want->array, b), *end = b->buf + b->size - 4;
    if (want->kind == TS_EARRAY_SECONDARY) {
        memset(at, 0, (size_t)want->group.bitmap_size);
        at += want->group.bitmap_size;
    } else {
        uint64_t n = want->kind == TS_EARRAY_INDEX ? h->index_elements : want->group.pages ? 0 : want->group.elements;
        ts_array_blank(at, (size_t)n * h->element_size, h->element_size, h->addr_size);
        at += n * h->element_size;
    }
    memset(at, 0xff, (size_t)(end - at));
}

static int block_fill(const struct want *want, struct block *b)
{
    struct ts_file *f = want->array->file;
    uint64_t whole;
    if (!ts_earray_block_size(&want->array->header, want->kind, &want->group, &b->size) || b->size > SIZE_MAX ||
        whole_size(want, &whole) < 0)
        return TS_ERR(EARRAY, BADSIZE, "extensible array block of too many elements");
    b->buf = ts_malloc((size_t)b->size);
    if (!b->buf)
        return -1;
    blank(want, b);
    if (ts_file_alloc(f, memory_of(want->kind), whole, &b->addr) < 0)
        return -1;
    return ts_meta_insert(f, &block_class, b->addr, b, sizeof *b + (size_t)b->size);
}

/* A new block, dirty and pinned, that the one at `parent` is about to point at. */
static int block_new(const struct want *want, haddr_t parent, struct block **out)
{
    struct ts_file *f = want->array->file;
    struct block *b = ts_calloc(1, sizeof *b);
    if (!b)
        return -1;
    block_init(b, want, HADDR_UNDEF);
    if (block_fill(want, b) < 0) {
        block_free(b);
        return -1;
    }
    if (ts_meta_depend(f, parent, b->addr) < 0) {
        ts_meta_unpin(f, b->addr);
        return -1;
    }
    *out = b;
    return 0;
}

static int set_addr(const struct ts_earray *a, uint8_t *addrs, uint64_t i, haddr_t addr)
{
    uint8_t bytes[8];
    for (unsigned b = 0; b < a->header.addr_size; b++)
        bytes[b] = (uint8_t)(addr >> 8 * b);
    return ts_array_put(a->file, addrs + i * a->header.addr_size, bytes, a->header.addr_size);
}

static int edit_index(struct ts_earray *a)
{
    if (ts_meta_edit(a->file, a->header.index_block) < 0)
        return -1;
    return ts_meta_depend(a->file, a->addr, a->header.index_block);
}

/* The index block, pinned; made when it is not there. */
static int need_index(struct ts_earray *a, struct block **out)
{
    struct ts_earray_header *h = &a->header;
    struct want want = {.array = a, .kind = TS_EARRAY_INDEX};
    if (h->index_block != HADDR_UNDEF)
        return pin_index(a, out);
    if (ts_meta_edit(a->file, a->addr) < 0 || block_new(&want, a->addr, out) < 0)
        return -1;
    h->index_block = (*out)->addr;
    h->realized += h->index_elements;
    return 0;
}

static int new_secondary(struct ts_earray *a, uint8_t *addrs, struct group *out)
{
    struct ts_earray_header *h = &a->header;
    struct want want = want_secondary(a, &out->g);
    struct block *b;
    if (ts_meta_edit(a->file, a->addr) < 0 || edit_index(a) < 0 || block_new(&want, h->index_block, &b) < 0)
        return -1;
    out->addr = b->addr;
    group_from_secondary(a, b, out);
    h->secondary_blocks++;
    h->secondary_size += b->size;
    return set_addr(a, addrs, h->index_blocks + (out->s - h->index_groups), b->addr);
}

/* The block of pointers of a group, pinned; made when it is not there. The index block is there and pinned. */
static int need_group(struct ts_earray *a, const struct block *index, unsigned s, struct group *out)
{
    if (pin_group(a, s, out) < 0)
        return -1;
    if (out->addr != HADDR_UNDEF)
        return 0;
    int status = new_secondary(a, index_addrs(a, index), out);
    if (status < 0)
        unpin_group(a, out);
    return status;
}

static int edit_group(struct ts_earray *a, const struct group *group)
{
    if (group->s < a->header.index_groups)
        return edit_index(a);
    if (ts_meta_edit(a->file, group->addr) < 0)
        return -1;
    return ts_meta_depend(a->file, a->header.index_block, group->addr);
}

/* A data block of a group, pinned; made when it is not there. */
static int need_data(struct ts_earray *a, const struct group *group, uint64_t block, struct block **out)
{
    struct ts_earray_header *h = &a->header;
    struct want want = want_data(a, group, block);
    haddr_t addr = addr_at(a, group->blocks, block);
    uint64_t whole;
    if (addr != HADDR_UNDEF)
        return pin_block(&want, addr, out);
    if (whole_size(&want, &whole) < 0 || ts_meta_edit(a->file, a->addr) < 0 || edit_group(a, group) < 0 ||
        block_new(&want, group->addr, out) < 0)
        return -1;
    h->data_blocks++;
    h->data_size += whole;
    h->realized += group->g.elements;
    int status = set_addr(a, group->blocks, block, (*out)->addr);
    if (status < 0)
        ts_meta_unpin(a->file, (*out)->addr);
    return status;
}

/* An element and where it goes: in the index block or a data block, counted from its first. */
struct setting {
    uint64_t at;
    const uint8_t *element;
};

static int put_element(const struct ts_earray *a, uint8_t *elements, const struct setting *s)
{
    size_t size = a->header.element_size;
    return ts_array_put(a->file, elements + s->at * size, s->element, size);
}

/* The bitmap of the pages is in the secondary block, so that depends on them. */
static int set_in_page(struct ts_earray *a, const struct group *group, const struct block *b, struct setting *s)
{
    const struct ts_earray_header *h = &a->header;
    uint64_t per_page = (uint64_t)1 << h->page_bits, page = s->at / per_page;
    uint64_t bit = (b->first - group->g.first) / group->g.elements * group->g.pages + page;
    struct ts_array_page_at at = {
        .parent = group->addr, .element_size = h->element_size, .written = ts_array_page_written(group->bitmap, bit)};
    if (page_place(a, b->addr, b->size, page, &at.addr, &at.size) < 0 ||
        ts_array_page_set(a->file, &at, s->at % per_page, s->element) < 0)
        return -1;
    if (at.written)
        return 0;
    return edit_group(a, group) < 0 ? -1 : ts_array_page_set_written(a->file, group->bitmap, bit);
}

static int set_in_data(struct ts_earray *a, const struct group *group, struct block *b, struct setting *s)
{
    if (group->g.pages)
        return set_in_page(a, group, b, s);
    if (ts_meta_edit(a->file, b->addr) < 0 || ts_meta_depend(a->file, group->addr, b->addr) < 0)
        return -1;
    return put_element(a, content(a, b), s);
}

static int set_in_group(struct ts_earray *a, const struct block *index, uint64_t at, struct setting *s)
{
    struct group group;
    struct block *b;
    if (need_group(a, index, ts_earray_group_of(&a->header, at), &group) < 0)
        return -1;
    uint64_t inside = at - group.g.first;
    int status = group.addr == index->addr ? 0 : ts_meta_depend(a->file, index->addr, group.addr);
    if (status == 0)
        status = need_data(a, &group, inside / group.g.elements, &b);
    if (status == 0) {
        s->at = inside % group.g.elements;
        status = set_in_data(a, &group, b, s);
        ts_meta_unpin(a->file, b->addr);
    }
    unpin_group(a, &group);
    return status;
}

static int set_in_index(struct ts_earray *a, struct block *index, uint64_t at, struct setting *s)
{
    s->at = at;
    return edit_index(a) < 0 ? -1 : put_element(a, content(a, index), s);
}

int ts_earray_set(struct ts_earray *array, uint64_t index, const uint8_t *element)
{
    struct ts_earray_header *h = &array->header;
    struct setting s = {.element = element};
    struct block *b;
    if (index >= h->index_elements && ts_earray_group_of(h, index - h->index_elements) >= h->groups)
        return TS_ERR(EARRAY, BADRANGE, "element %llu of an extensible array of 2^%u", (unsigned long long)index,
                      h->max_bits);
    if (need_index(array, &b) < 0)
        return -1;
    /* Also while it is clean: the header waits through it for what lies below. */
    int status = ts_meta_depend(array->file, array->addr, b->addr);
    if (status == 0)
        status = index < h->index_elements ? set_in_index(array, b, index, &s)
                                           : set_in_group(array, b, index - h->index_elements, &s);
    ts_meta_unpin(array->file, b->addr);
    if (status == 0 && index >= h->count) {
        status = ts_meta_edit(array->file, array->addr);
        if (status == 0)
            h->count = index + 1;
    }
    return status;
}

/* All blocks but the header, parents behind their children. */
typedef int block_fn(struct ts_earray *a, const struct want *want, haddr_t addr, void *ctx);

static int each_block_of(struct ts_earray *a, const struct group *group, block_fn *visit, void *ctx)
{
    int status = 0;
    for (uint64_t i = 0; status == 0 && i < group->g.blocks; i++) {
        haddr_t addr = addr_at(a, group->blocks, i);
        struct want want = want_data(a, group, i);
        if (addr != HADDR_UNDEF)
            status = visit(a, &want, addr, ctx);
    }
    return status;
}

static int each_block(struct ts_earray *a, block_fn *visit, void *ctx)
{
    const struct ts_earray_header *h = &a->header;
    int status = 0;
    for (unsigned s = 0; status == 0 && s < h->groups; s++) {
        struct group group;
        if (pin_group(a, s, &group) < 0)
            return -1;
        if (group.addr == HADDR_UNDEF)
            continue;
        status = each_block_of(a, &group, visit, ctx);
        unpin_group(a, &group);
        struct want want = want_secondary(a, &group.g);
        if (status == 0 && s >= h->index_groups)
            status = visit(a, &want, group.addr, ctx);
    }
    return status == 0 ? visit(a, &(struct want){.array = a, .kind = TS_EARRAY_INDEX}, h->index_block, ctx) : status;
}

static int delete_block(struct ts_earray *a, const struct want *want, haddr_t addr, void *ctx)
{
    (void)ctx;
    uint64_t size, whole, page_size;
    haddr_t page_addr;
    if (!ts_earray_block_size(&a->header, want->kind, &want->group, &size) || whole_size(want, &whole) < 0)
        return -1;
    if (!ts_file_has(a->file, addr, whole))
        return TS_ERR(EARRAY, BADVALUE, "extensible array block at %#llx lies behind the end of the file",
                      (unsigned long long)addr);
    for (uint64_t page = 0; want->kind == TS_EARRAY_DATA && page < want->group.pages; page++) {
        if (page_place(a, addr, size, page, &page_addr, &page_size) < 0)
            return -1;
        ts_meta_remove(a->file, page_addr);
    }
    ts_meta_remove(a->file, addr);
    ts_file_free(a->file, memory_of(want->kind), addr, whole);
    return 0;
}

int ts_earray_delete(struct ts_file *f, haddr_t addr, ts_earray_visit_fn *visit, void *ctx)
{
    struct ts_earray *a;
    if (ts_earray_open(f, addr, &a) < 0)
        return -1;
    int status = visit ? ts_earray_iterate(a, visit, ctx) : 0;
    if (status == 0 && a->header.index_block != HADDR_UNDEF)
        status = each_block(a, delete_block, NULL);
    ts_earray_close(a);
    if (status != 0)
        return -1;
    ts_meta_remove(f, addr);
    ts_file_free(f, H5FD_MEM_EARRAY_HDR, addr, header_size(f));
    return 0;
}

struct tally {
    uint64_t secondary_blocks, secondary_size, data_blocks, data_size, realized;
};

static int count_block(struct ts_earray *a, const struct want *want, haddr_t addr, void *ctx)
{
    struct tally *t = ctx;
    struct block *b;
    uint64_t whole;
    if (whole_size(want, &whole) < 0 || pin_block(want, addr, &b) < 0)
        return -1;
    ts_meta_unpin(a->file, addr);
    if (want->kind == TS_EARRAY_SECONDARY) {
        t->secondary_blocks++;
        t->secondary_size += whole;
    } else if (want->kind == TS_EARRAY_DATA) {
        t->data_blocks++;
        t->data_size += whole;
        t->realized += want->group.elements;
    } else
        t->realized += a->header.index_elements;
    return 0;
}

static int pass(uint64_t index, const uint8_t *element, void *ctx)
{
    (void)index;
    (void)element;
    (void)ctx;
    return 0;
}

int ts_earray_verify(struct ts_earray *array, const char **reason)
{
    const struct ts_earray_header *h = &array->header;
    struct tally t = {0};
    *reason = NULL;
    if (ts_earray_iterate(array, pass, NULL) < 0)
        return -1;
    if (h->index_block != HADDR_UNDEF && each_block(array, count_block, &t) < 0)
        return -1;
    if (t.secondary_blocks != h->secondary_blocks || t.secondary_size != h->secondary_size)
        *reason = "the header counts other secondary blocks than there are";
    if (t.data_blocks != h->data_blocks || t.data_size != h->data_size)
        *reason = "the header counts other data blocks than there are";
    if (t.realized != h->realized)
        *reason = "the header counts other elements than there is room for";
    return !*reason;
}
