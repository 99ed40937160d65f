#include "index/array_page.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/blocks.h"
#include "file/undo.h"
#include "format/fixed_array.h"
#include "meta/block.h"
#include "meta/meta.h"

struct page {
    haddr_t addr;
    uint64_t size;
    uint8_t *buf;
};

static void page_free(void *obj)
{
    struct page *p = obj;
    ts_free(p->buf);
    ts_free(p);
}

static int read_page(struct ts_file *f, haddr_t addr, struct page *p)
{
    if (ts_meta_read_block(f, addr, p->size, &p->buf) < 0)
        return -1;
    struct ts_rd r = ts_rd_init(p->buf, (size_t)p->size);
    ts_rd_skip(&r, (size_t)p->size - 4);
    return ts_rd_checksum(&r) ? 0 : TS_ERR(STORAGE, CANTDECODE, "array page with a wrong checksum");
}

/* What it is counted as, and how large it is. */
struct want {
    enum ts_retry_kind kind;
    uint64_t size;
};

static enum ts_retry_kind page_retry(const void *arg)
{
    return ((const struct want *)arg)->kind;
}

static int page_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    struct page *p = ts_calloc(1, sizeof *p);
    if (!p)
        return -1;
    p->addr = addr;
    p->size = ((const struct want *)arg)->size;
    if (read_page(f, addr, p) < 0) {
        page_free(p);
        return TS_ERR(STORAGE, CANTLOAD, "cannot load the array page at %#llx", (unsigned long long)addr);
    }
    *obj = p;
    *bytes = sizeof *p + (size_t)p->size;
    return 0;
}

static int page_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct page *p = obj;
    if (ts_array_page_encode(p->buf, (size_t)p->size - 4, ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, p->addr);
}

static const struct ts_meta_class page_class = {.name = "array page",
                                                .load = page_load,
                                                .free = page_free,
                                                .encode = page_encode,
                                                .keep = ts_array_keep,
                                                .retry_of = page_retry};

static int pin(struct ts_file *f, haddr_t addr, const struct want *want, struct page **out)
{
    void *obj;
    if (ts_meta_pin(f, &page_class, addr, want, &obj) < 0)
        return -1;
    struct page *p = obj;
    if (p->size != want->size) {
        ts_meta_unpin(f, addr);
        return TS_ERR(STORAGE, BADVALUE, "array page at %#llx is used with two sizes", (unsigned long long)addr);
    }
    *out = p;
    return 0;
}

int ts_array_page_pin(struct ts_file *f, enum ts_retry_kind kind, haddr_t addr, uint64_t size, const uint8_t **elements)
{
    struct want want = {.kind = kind, .size = size};
    struct page *p;
    if (pin(f, addr, &want, &p) < 0)
        return -1;
    *elements = p->buf;
    return 0;
}

void ts_array_page_unpin(struct ts_file *f, haddr_t addr)
{
    ts_meta_unpin(f, addr);
}

void ts_array_blank(uint8_t *elements, size_t n, size_t element_size, unsigned addr_size)
{
    memset(elements, 0, n);
    for (size_t i = 0; i + element_size <= n; i += element_size)
        memset(elements + i, 0xff, addr_size);
}

static int page_new(struct ts_file *f, const struct ts_array_page_at *at, struct page **out)
{
    struct page *p = ts_calloc(1, sizeof *p);
    if (!p)
        return -1;
    *p = (struct page){.addr = at->addr, .size = at->size, .buf = ts_malloc((size_t)at->size)};
    if (p->buf)
        ts_array_blank(p->buf, (size_t)p->size - 4, at->element_size, ts_file_addr_size(f));
    if (!p->buf || ts_meta_insert(f, &page_class, p->addr, p, sizeof *p + (size_t)p->size) < 0) {
        page_free(p);
        return -1;
    }
    *out = p;
    return 0;
}

int ts_array_put(struct ts_file *f, uint8_t *at, const void *bytes, size_t n)
{
    if (ts_undo_bytes(f, at, n) < 0)
        return -1;
    memcpy(at, bytes, n);
    return 0;
}

int ts_array_page_set(struct ts_file *f, const struct ts_array_page_at *at, uint64_t element, const uint8_t *bytes)
{
    struct want want = {.size = at->size};
    struct page *p;
    if ((at->written ? pin(f, at->addr, &want, &p) : page_new(f, at, &p)) < 0)
        return -1;
    int status = ts_meta_edit(f, at->addr);
    if (status == 0)
        status = ts_meta_depend(f, at->parent, at->addr);
    if (status == 0)
        status = ts_array_put(f, p->buf + element * at->element_size, bytes, at->element_size);
    ts_meta_unpin(f, at->addr);
    return status;
}
