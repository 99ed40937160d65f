#include "format/local_heap.h"

#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

int ts_lheap_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_lheap_header *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "HEAP"))
        return TS_ERR(HEAP, CANTDECODE, "no local heap signature");
    unsigned version = ts_rd_u8(&r);
    if (version != 0)
        return TS_ERR(HEAP, VERSION, "local heap of version %u", version);
    ts_rd_skip(&r, 3);
    out->size = ts_rd_uint(&r, len_size);
    out->free_head = ts_rd_uint(&r, len_size);
    out->data = ts_rd_addr(&r, addr_size);
    return r.bad ? TS_ERR(HEAP, CANTDECODE, "local heap header cut off after %zu bytes", size) : 0;
}

int ts_lheap_header_encode(const struct ts_lheap_header *h, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    ts_wr_bytes(w, "HEAP", 4);
    ts_wr_u8(w, 0);
    ts_wr_zeros(w, 3);
    ts_put_uint(w, h->size, len_size);
    ts_put_uint(w, h->free_head, len_size);
    ts_put_addr(w, h->data, addr_size);
    return ts_put_end(w);
}

int ts_lheap_free_decode(const uint8_t *data, size_t size, uint64_t offset, unsigned len_size,
                         struct ts_lheap_free *out)
{
    if (offset >= size || size - offset < 2 * (size_t)len_size)
        return TS_ERR(HEAP, CANTDECODE, "local heap of %zu bytes with a free block at %llu", size,
                      (unsigned long long)offset);
    struct ts_rd r = ts_rd_init(data + offset, size - (size_t)offset);
    out->next = ts_rd_uint(&r, len_size);
    out->size = ts_rd_uint(&r, len_size);
    if (out->size < 2 * (uint64_t)len_size || out->size > size - offset)
        return TS_ERR(HEAP, CANTDECODE, "local heap of %zu bytes with a free block of %llu at %llu", size,
                      (unsigned long long)out->size, (unsigned long long)offset);
    return 0;
}

int ts_lheap_free_encode(const struct ts_lheap_free *block, unsigned len_size, struct ts_wr *w)
{
    ts_put_uint(w, block->next, len_size);
    ts_put_uint(w, block->size, len_size);
    return ts_put_end(w);
}
