#include "index/fixed_array.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "file/undo.h"
#include "format/fixed_array.h"
#include "index/array_page.h"
#include "meta/block.h"
#include "meta/meta.h"

/* Of what a new array keeps in memory whatever is in it. Its pages' bits take that much when they have 1 TiB. */
enum { MAX_BLOCK = 16 << 20 };

struct ts_farray {
    struct ts_file *file;
    haddr_t addr;
    struct ts_farray_header header;
};

static int header_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    uint8_t buf[64];
    unsigned addr_size = ts_file_addr_size(f), len_size = ts_file_len_size(f);
    size_t size = ts_farray_header_size(addr_size, len_size);
    struct ts_farray *a = ts_calloc(1, sizeof *a);
    if (!a)
        return -1;
    a->file = f;
    a->addr = addr;
    if (ts_file_read(f, addr, size, buf) < 0 ||
        ts_farray_header_decode(buf, size, addr_size, len_size, &a->header) < 0) {
        ts_free(a);
        return TS_ERR(FARRAY, CANTLOAD, "cannot load the fixed array at %#llx", (unsigned long long)addr);
    }
    *obj = a;
    *bytes = sizeof *a;
    return 0;
}

static int header_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct ts_farray *a = obj;
    struct ts_wr *w = ts_blocks_begin(out);
    if (ts_farray_header_encode(&a->header, ts_file_addr_size(f), ts_file_len_size(f), w) < 0)
        return -1;
    return ts_blocks_end(out, a->addr);
}

static int header_keep(struct ts_file *f, void *obj)
{
    struct ts_farray *a = obj;
    return ts_undo_bytes(f, &a->header, sizeof a->header);
}

static const struct ts_meta_class header_class = {.name = "fixed array",
                                                  .load = header_load,
                                                  .free = ts_free,
                                                  .encode = header_encode,
                                                  .keep = header_keep,
                                                  .retry = TS_RETRY_FARRAY_HEADER};

int ts_farray_open(struct ts_file *f, haddr_t addr, struct ts_farray **out)
{
    void *obj;
    if (ts_meta_pin(f, &header_class, addr, NULL, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

void ts_farray_close(struct ts_farray *array)
{
    if (array)
        ts_meta_unpin(array->file, array->addr);
}

unsigned ts_farray_client(const struct ts_farray *array)
{
    return array->header.client;
}

size_t ts_farray_element_size(const struct ts_farray *array)
{
    return array->header.element_size;
}

/* A data block without its pages. */
struct block {
    haddr_t array, addr;
    struct ts_farray_header shape; /* so that it can be written without its header */
    uint64_t size;
    uint8_t *buf;
};

static void block_free(void *obj)
{
    struct block *b = obj;
    ts_free(b->buf);
    ts_free(b);
}

static int read_block(struct ts_file *f, haddr_t addr, const struct ts_farray *a, struct block *b)
{
    unsigned addr_size = ts_file_addr_size(f);
    if (!ts_farray_block_size(&a->header, addr_size, &b->size))
        return TS_ERR(FARRAY, BADSIZE, "fixed array of %llu elements", (unsigned long long)a->header.count);
    if (ts_meta_read_block(f, addr, b->size, &b->buf) < 0)
        return -1;
    return ts_farray_block_check(&a->header, a->addr, addr_size, b->buf, (size_t)b->size);
}

static int block_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    const struct ts_farray *a = arg;
    struct block *b = ts_calloc(1, sizeof *b);
    if (!b)
        return -1;
    b->array = a->addr;
    b->addr = addr;
    b->shape = a->header;
    if (read_block(f, addr, a, b) < 0) {
        block_free(b);
        return TS_ERR(FARRAY, CANTLOAD, "cannot load the fixed array data block at %#llx", (unsigned long long)addr);
    }
    *obj = b;
    *bytes = sizeof *b + (size_t)b->size;
    return 0;
}

static int block_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct block *b = obj;
    unsigned addr_size = ts_file_addr_size(f);
    const uint8_t *inside = b->buf + ts_farray_block_prefix(addr_size);
    if (ts_farray_block_encode(&b->shape, b->array, addr_size, inside, ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, b->addr);
}

static const struct ts_meta_class block_class = {.name = "fixed array data block",
                                                 .load = block_load,
                                                 .free = block_free,
                                                 .encode = block_encode,
                                                 .keep = ts_array_keep,
                                                 .retry = TS_RETRY_FARRAY_DATA};

static int pin_block(struct ts_farray *a, struct block **out)
{
    void *obj;
    if (ts_meta_pin(a->file, &block_class, a->header.data, a, &obj) < 0)
        return -1;
    struct block *b = obj;
    if (b->array != a->addr) {
        ts_meta_unpin(a->file, a->header.data);
        return TS_ERR(FARRAY, BADVALUE, "data block at %#llx belongs to two fixed arrays",
                      (unsigned long long)a->header.data);
    }
    *out = b;
    return 0;
}

/* What follows the prefix: the bitmap of a paged block, or all elements. */
static uint8_t *content(const struct ts_farray *a, const struct block *b)
{
    return b->buf + ts_farray_block_prefix(ts_file_addr_size(a->file));
}

struct page_at {
    haddr_t addr;
    uint64_t elements, size;
};

static int page_at(const struct ts_farray *a, const struct block *b, uint64_t page, struct page_at *out)
{
    const struct ts_farray_header *h = &a->header;
    uint64_t first = page * h->page_elements, full, offset;
    out->elements = h->count - first < h->page_elements ? h->count - first : h->page_elements;
    bool fits = ts_mul_u64(h->page_elements, h->element_size, &full) && ts_add_u64(full, 4, &full) &&
                ts_mul_u64(page, full, &offset) && ts_add_u64(offset, b->size, &offset) &&
                ts_add_u64(offset, h->data, &out->addr);
    if (!fits)
        return TS_ERR(FARRAY, OVERFLOW, "page %llu of a fixed array is nowhere", (unsigned long long)page);
    out->size = out->elements * h->element_size + 4;
    return 0;
}

static int get_paged(struct ts_farray *a, const struct block *b, uint64_t index, uint8_t *element)
{
    const struct ts_farray_header *h = &a->header;
    uint64_t page = index / h->page_elements;
    struct page_at at;
    const uint8_t *elements;
    if (!ts_array_page_written(content(a, b), page))
        return 0;
    if (page_at(a, b, page, &at) < 0 ||
        ts_array_page_pin(a->file, TS_RETRY_FARRAY_PAGE, at.addr, at.size, &elements) < 0)
        return -1;
    memcpy(element, elements + index % h->page_elements * h->element_size, h->element_size);
    ts_array_page_unpin(a->file, at.addr);
    return 1;
}

int ts_farray_get(struct ts_farray *array, uint64_t index, uint8_t *element)
{
    const struct ts_farray_header *h = &array->header;
    struct block *b;
    if (index >= h->count)
        return TS_ERR(FARRAY, BADRANGE, "element %llu of a fixed array of %llu", (unsigned long long)index,
                      (unsigned long long)h->count);
    if (h->data == HADDR_UNDEF)
        return 0;
    if (pin_block(array, &b) < 0)
        return -1;
    int status = 1;
    if (h->paged)
        status = get_paged(array, b, index, element);
    else
        memcpy(element, content(array, b) + index * h->element_size, h->element_size);
    ts_meta_unpin(array->file, h->data);
    return status;
}

struct walk {
    struct ts_farray *array;
    uint64_t first; /* none before it is visited */
    ts_array_visit_fn *visit;
    void *ctx;
};

/* n elements, of which the array counts the first as `start`. */
static int visit_elements(const struct walk *w, uint64_t start, uint64_t n, const uint8_t *elements)
{
    int status = 0;
    for (uint64_t i = w->first > start ? w->first - start : 0; status == 0 && i < n; i++)
        status = w->visit(start + i, elements + i * w->array->header.element_size, w->ctx);
    return status;
}

static int visit_pages(const struct walk *w, const struct block *b)
{
    struct ts_farray *a = w->array;
    int status = 0;
    for (uint64_t page = w->first / a->header.page_elements; status == 0 && page < a->header.pages; page++) {
        struct page_at at;
        const uint8_t *elements;
        if (!ts_array_page_written(content(a, b), page))
            continue;
        if (page_at(a, b, page, &at) < 0 ||
            ts_array_page_pin(a->file, TS_RETRY_FARRAY_PAGE, at.addr, at.size, &elements) < 0)
            return -1;
        status = visit_elements(w, page * a->header.page_elements, at.elements, elements);
        ts_array_page_unpin(a->file, at.addr);
    }
    return status;
}

int ts_farray_walk(struct ts_farray *array, uint64_t first, ts_array_visit_fn *visit, void *ctx)
{
    const struct walk w = {.array = array, .first = first, .visit = visit, .ctx = ctx};
    const struct ts_farray_header *h = &array->header;
    struct block *b;
    if (h->data == HADDR_UNDEF)
        return 0;
    if (pin_block(array, &b) < 0)
        return -1;
    int status = h->paged ? visit_pages(&w, b) : visit_elements(&w, 0, h->count, content(array, b));
    ts_meta_unpin(array->file, h->data);
    return status;
}

/* Bytes of the data block with its pages. */
static int data_size(const struct ts_farray *a, uint64_t *bytes)
{
    const struct ts_farray_header *h = &a->header;
    uint64_t block, pages = 0;
    bool fits = ts_farray_block_size(h, ts_file_addr_size(a->file), &block) &&
                (!h->paged || ts_mul_u64(h->count, h->element_size, &pages)) && ts_add_u64(pages, 4 * h->pages, &pages);
    if (!fits || !ts_add_u64(block, pages, bytes))
        return TS_ERR(FARRAY, OVERFLOW, "fixed array of %llu elements", (unsigned long long)h->count);
    return 0;
}

static size_t header_size(const struct ts_file *f)
{
    return ts_farray_header_size(ts_file_addr_size(f), ts_file_len_size(f));
}

int ts_farray_storage(struct ts_farray *array, uint64_t *bytes)
{
    uint64_t data = 0;
    if (array->header.data != HADDR_UNDEF && data_size(array, &data) < 0)
        return -1;
    if (!ts_add_u64(data, header_size(array->file), bytes))
        return TS_ERR(FARRAY, OVERFLOW, "fixed array of %llu elements", (unsigned long long)array->header.count);
    return 0;
}

int ts_farray_create(struct ts_file *f, const struct ts_farray_params *params, haddr_t *addr)
{
    if (params->element_size == 0 || params->element_size > UINT8_MAX || params->count == 0 || params->page_bits > 63)
        return TS_ERR(FARRAY, BADVALUE, "fixed array of %llu elements of %u bytes, pages of 2^%u",
                      (unsigned long long)params->count, params->element_size, params->page_bits);
    struct ts_farray *a = ts_calloc(1, sizeof *a);
    if (!a)
        return -1;
    a->file = f;
    a->header = (struct ts_farray_header){.client = params->client,
                                          .element_size = params->element_size,
                                          .count = params->count,
                                          .page_elements = (uint64_t)1 << params->page_bits,
                                          .data = HADDR_UNDEF};
    ts_farray_header_derive(&a->header);
    if (ts_file_alloc(f, H5FD_MEM_FARRAY_HDR, header_size(f), &a->addr) < 0 ||
        ts_meta_insert(f, &header_class, a->addr, a, sizeof *a) < 0) {
        ts_free(a);
        return -1;
    }
    *addr = a->addr;
    ts_meta_unpin(f, a->addr);
    return 0;
}

static int block_init(struct ts_farray *a, struct block *b)
{
    const struct ts_farray_header *h = &a->header;
    unsigned addr_size = ts_file_addr_size(a->file);
    uint64_t all;
    *b = (struct block){.array = a->addr, .shape = *h};
    if (!ts_farray_block_size(h, addr_size, &b->size) || b->size > MAX_BLOCK)
        return TS_ERR(FARRAY, BADSIZE,
                      "a fixed array of %llu elements is too large; with larger chunks there are fewer",
                      (unsigned long long)h->count);
    b->buf = ts_calloc(1, (size_t)b->size);
    if (!b->buf)
        return -1;
    if (!h->paged)
        ts_array_blank(content(a, b), (size_t)h->count * h->element_size, h->element_size, addr_size);
    if (data_size(a, &all) < 0 || ts_file_alloc(a->file, H5FD_MEM_FARRAY_DBLOCK, all, &b->addr) < 0)
        return -1;
    return ts_meta_insert(a->file, &block_class, b->addr, b, sizeof *b + (size_t)b->size);
}

static int block_new(struct ts_farray *a, struct block **out)
{
    struct block *b = ts_meta_edit(a->file, a->addr) == 0 ? ts_calloc(1, sizeof *b) : NULL;
    if (!b)
        return -1;
    if (block_init(a, b) < 0) {
        block_free(b);
        return -1;
    }
    a->header.data = b->addr;
    *out = b;
    return 0;
}

static int set_paged(struct ts_farray *a, struct block *b, uint64_t index, const uint8_t *element)
{
    const struct ts_farray_header *h = &a->header;
    uint64_t page = index / h->page_elements;
    struct page_at at;
    if (page_at(a, b, page, &at) < 0)
        return -1;
    struct ts_array_page_at edit = {.addr = at.addr,
                                    .parent = b->addr,
                                    .size = at.size,
                                    .element_size = h->element_size,
                                    .written = ts_array_page_written(content(a, b), page)};
    if (ts_array_page_set(a->file, &edit, index % h->page_elements, element) < 0)
        return -1;
    if (edit.written)
        return 0;
    return ts_meta_edit(a->file, b->addr) < 0 ? -1 : ts_array_page_set_written(a->file, content(a, b), page);
}

static int set_plain(struct ts_farray *a, struct block *b, uint64_t index, const uint8_t *element)
{
    if (ts_meta_edit(a->file, b->addr) < 0)
        return -1;
    return ts_array_put(a->file, content(a, b) + index * a->header.element_size, element, a->header.element_size);
}

int ts_farray_set(struct ts_farray *array, uint64_t index, const uint8_t *element)
{
    const struct ts_farray_header *h = &array->header;
    struct block *b;
    if (index >= h->count)
        return TS_ERR(FARRAY, BADRANGE, "element %llu of a fixed array of %llu", (unsigned long long)index,
                      (unsigned long long)h->count);
    if ((h->data == HADDR_UNDEF ? block_new(array, &b) : pin_block(array, &b)) < 0)
        return -1;
    /* Also while it is clean: the header waits through it for its pages. */
    int status = ts_meta_depend(array->file, array->addr, b->addr);
    if (status == 0)
        status = h->paged ? set_paged(array, b, index, element) : set_plain(array, b, index, element);
    ts_meta_unpin(array->file, h->data);
    return status;
}

static int forget_pages(struct ts_farray *a)
{
    struct block *b;
    struct page_at at;
    int status = 0;
    if (pin_block(a, &b) < 0)
        return -1;
    for (uint64_t page = 0; status == 0 && page < a->header.pages; page++)
        if (ts_array_page_written(content(a, b), page)) {
            status = page_at(a, b, page, &at);
            if (status == 0)
                ts_meta_remove(a->file, at.addr);
        }
    ts_meta_unpin(a->file, a->header.data);
    return status;
}

static int delete_data(struct ts_farray *a, ts_array_visit_fn *visit, void *ctx)
{
    uint64_t size;
    if ((visit && ts_farray_iterate(a, visit, ctx) != 0) || data_size(a, &size) < 0 || forget_pages(a) < 0)
        return -1;
    ts_meta_remove(a->file, a->header.data);
    ts_file_free(a->file, H5FD_MEM_FARRAY_DBLOCK, a->header.data, size);
    return 0;
}

int ts_farray_delete(struct ts_file *f, haddr_t addr, ts_array_visit_fn *visit, void *ctx)
{
    TS_IN_CHANGE(f);
    struct ts_farray *a;
    if (ts_farray_open(f, addr, &a) < 0)
        return -1;
    int status = a->header.data == HADDR_UNDEF ? 0 : delete_data(a, visit, ctx);
    ts_farray_close(a);
    if (status < 0)
        return -1;
    ts_meta_remove(f, addr);
    ts_file_free(f, H5FD_MEM_FARRAY_HDR, addr, header_size(f));
    return 0;
}

static int accept(uint64_t index, const uint8_t *element, void *ctx)
{
    (void)index;
    (void)element;
    ++*(uint64_t *)ctx;
    return 0;
}

int ts_farray_verify(struct ts_farray *array, const char **reason)
{
    uint64_t seen = 0, size;
    *reason = NULL;
    if (ts_farray_iterate(array, accept, &seen) < 0 || data_size(array, &size) < 0)
        return -1;
    if (array->header.data != HADDR_UNDEF && !ts_file_has(array->file, array->header.data, size))
        *reason = "the data block does not lie in the file";
    if (seen > array->header.count)
        *reason = "there are more elements than the header says";
    return !*reason;
}
