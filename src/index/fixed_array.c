#include "index/fixed_array.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "format/fixed_array.h"
#include "index/array_page.h"
#include "meta/block.h"
#include "meta/meta.h"

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

static const struct ts_meta_class header_class = {.name = "fixed array", .load = header_load, .free = ts_free};

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

uint64_t ts_farray_count(const struct ts_farray *array)
{
    return array->header.count;
}

/* A data block without its pages. */
struct block {
    haddr_t array;
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
    if (read_block(f, addr, a, b) < 0) {
        block_free(b);
        return TS_ERR(FARRAY, CANTLOAD, "cannot load the fixed array data block at %#llx", (unsigned long long)addr);
    }
    *obj = b;
    *bytes = sizeof *b + (size_t)b->size;
    return 0;
}

static const struct ts_meta_class block_class = {
    .name = "fixed array data block", .load = block_load, .free = block_free};

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
static const uint8_t *content(const struct ts_farray *a, const struct block *b)
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
    if (page_at(a, b, page, &at) < 0 || ts_array_page_pin(a->file, at.addr, at.size, &elements) < 0)
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

static int visit_elements(const struct ts_farray *a, uint64_t first, uint64_t n, const uint8_t *elements,
                          ts_array_visit_fn *visit, void *ctx)
{
    int status = 0;
    for (uint64_t i = 0; status == 0 && i < n; i++)
        status = visit(first + i, elements + i * a->header.element_size, ctx);
    return status;
}

static int visit_pages(struct ts_farray *a, const struct block *b, ts_array_visit_fn *visit, void *ctx)
{
    int status = 0;
    for (uint64_t page = 0; status == 0 && page < a->header.pages; page++) {
        struct page_at at;
        const uint8_t *elements;
        if (!ts_array_page_written(content(a, b), page))
            continue;
        if (page_at(a, b, page, &at) < 0 || ts_array_page_pin(a->file, at.addr, at.size, &elements) < 0)
            return -1;
        status = visit_elements(a, page * a->header.page_elements, at.elements, elements, visit, ctx);
        ts_array_page_unpin(a->file, at.addr);
    }
    return status;
}

int ts_farray_iterate(struct ts_farray *array, ts_array_visit_fn *visit, void *ctx)
{
    const struct ts_farray_header *h = &array->header;
    struct block *b;
    if (h->data == HADDR_UNDEF)
        return 0;
    if (pin_block(array, &b) < 0)
        return -1;
    int status = h->paged ? visit_pages(array, b, visit, ctx)
                          : visit_elements(array, 0, h->count, content(array, b), visit, ctx);
    ts_meta_unpin(array->file, h->data);
    return status;
}

int ts_farray_storage(struct ts_farray *array, uint64_t *bytes)
{
    const struct ts_farray_header *h = &array->header;
    unsigned addr_size = ts_file_addr_size(array->file);
    uint64_t block = 0, pages = 0;
    bool fits = true;
    if (h->data != HADDR_UNDEF)
        fits = ts_farray_block_size(h, addr_size, &block) &&
               (!h->paged || ts_mul_u64(h->count, h->element_size, &pages)) && ts_add_u64(pages, 4 * h->pages, &pages);
    if (!fits || !ts_add_u64(block, pages, bytes) ||
        !ts_add_u64(*bytes, ts_farray_header_size(addr_size, ts_file_len_size(array->file)), bytes))
        return TS_ERR(FARRAY, OVERFLOW, "fixed array of %llu elements", (unsigned long long)h->count);
    return 0;
}
