#include "index/array_page.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "meta/block.h"
#include "meta/meta.h"

struct page {
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

static int page_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    struct page *p = ts_calloc(1, sizeof *p);
    if (!p)
        return -1;
    p->size = *(const uint64_t *)arg;
    if (read_page(f, addr, p) < 0) {
        page_free(p);
        return TS_ERR(STORAGE, CANTLOAD, "cannot load the array page at %#llx", (unsigned long long)addr);
    }
    *obj = p;
    *bytes = sizeof *p + (size_t)p->size;
    return 0;
}

static const struct ts_meta_class page_class = {.name = "array page", .load = page_load, .free = page_free};

int ts_array_page_pin(struct ts_file *f, haddr_t addr, uint64_t size, const uint8_t **elements)
{
    void *obj;
    if (ts_meta_pin(f, &page_class, addr, &size, &obj) < 0)
        return -1;
    const struct page *p = obj;
    if (p->size != size) {
        ts_meta_unpin(f, addr);
        return TS_ERR(STORAGE, BADVALUE, "array page at %#llx is used with two sizes", (unsigned long long)addr);
    }
    *elements = p->buf;
    return 0;
}

void ts_array_page_unpin(struct ts_file *f, haddr_t addr)
{
    ts_meta_unpin(f, addr);
}
