#include "format/cache_image.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"

static void read_entry(struct ts_rd *r, unsigned addr_size, unsigned len_size, struct ts_cache_image_entry *out)
{
    ts_rd_skip(r, 8);
    size_t parents = ts_rd_u16(r);
    ts_rd_skip(r, 4);
    out->addr = ts_rd_addr(r, addr_size);
    uint64_t size = ts_rd_uint(r, len_size);
    ts_rd_skip(r, parents * addr_size);
    if (size == 0 || size > ts_rd_left(r) || out->addr > UINT64_MAX - size)
        r->bad = true;
    out->size = (size_t)size;
    out->data = ts_rd_bytes(r, out->size);
}

static int by_address(const void *a, const void *b)
{
    const struct ts_cache_image_entry *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int read_entries(struct ts_rd *r, unsigned addr_size, unsigned len_size, struct ts_cache_image_entry *out,
                        size_t n)
{
    for (size_t i = 0; i < n && !r->bad; i++)
        read_entry(r, addr_size, len_size, &out[i]);
    if (r->bad || !ts_rd_checksum(r))
        return TS_ERR(CACHE, CANTDECODE, "cache image: the entries do not fit, or the checksum is wrong");
    qsort(out, n, sizeof *out, by_address);
    for (size_t i = 1; i < n; i++)
        if (out[i].addr - out[i - 1].addr < out[i - 1].size)
            return TS_ERR(CACHE, CANTDECODE, "cache image: entries overlap at %#llx", (unsigned long long)out[i].addr);
    return 0;
}

int ts_cache_image_entries(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_cache_image_entry **entries, size_t *n)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "MDCI"))
        return TS_ERR(CACHE, CANTDECODE, "cache image: no signature");
    unsigned version = ts_rd_u8(&r);
    ts_rd_skip(&r, 1);
    uint64_t length = ts_rd_uint(&r, len_size);
    size_t count = ts_rd_u32(&r), least = 15 + (size_t)addr_size + len_size;
    if (r.bad || version != 0 || length != size || count > ts_rd_left(&r) / least)
        return TS_ERR(CACHE, CANTDECODE, "cache image: version %u, %zu entries, %llu bytes of %zu", version, count,
                      (unsigned long long)length, size);
    struct ts_cache_image_entry *list = ts_malloc((count ? count : 1) * sizeof *list);
    if (!list)
        return -1;
    if (read_entries(&r, addr_size, len_size, list, count) < 0) {
        ts_free(list);
        return -1;
    }
    *entries = list;
    *n = count;
    return 0;
}
