#include "format/fixed_array.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

int ts_farray_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                            struct ts_farray_header *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "FAHD"))
        return TS_ERR(FARRAY, CANTDECODE, "no fixed array signature");
    unsigned version = ts_rd_u8(&r);
    if (version > 1)
        return TS_ERR(FARRAY, VERSION, "fixed array of version %u", version);
    out->client = ts_rd_u8(&r);
    out->element_size = ts_rd_u8(&r);
    unsigned page_bits = ts_rd_u8(&r);
    out->count = ts_rd_uint(&r, len_size);
    out->data = ts_rd_addr(&r, addr_size);
    if (!ts_rd_checksum(&r))
        return TS_ERR(FARRAY, CANTDECODE, "fixed array header with a wrong checksum");
    if (out->element_size == 0 || out->count == 0 || page_bits > 63)
        return TS_ERR(FARRAY, BADVALUE, "fixed array of %llu elements of %u bytes, pages of 2^%u",
                      (unsigned long long)out->count, out->element_size, page_bits);
    out->page_elements = (uint64_t)1 << page_bits;
    ts_farray_header_derive(out);
    return 0;
}

void ts_farray_header_derive(struct ts_farray_header *h)
{
    h->paged = h->count > h->page_elements;
    h->pages = h->paged ? ts_div_ceil(h->count, h->page_elements) : 0;
    h->bitmap_size = ts_div_ceil(h->pages, 8);
}

bool ts_farray_block_size(const struct ts_farray_header *h, unsigned addr_size, uint64_t *size)
{
    uint64_t body = h->bitmap_size;
    if (!h->paged && !ts_mul_u64(h->count, h->element_size, &body))
        return false;
    return ts_add_u64(body, ts_farray_block_prefix(addr_size) + 4, size);
}

int ts_farray_block_check(const struct ts_farray_header *h, haddr_t header, unsigned addr_size, const uint8_t *buf,
                          size_t size)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "FADB"))
        return TS_ERR(FARRAY, CANTDECODE, "no signature of a fixed array data block");
    unsigned version = ts_rd_u8(&r), client = ts_rd_u8(&r);
    uint64_t of_header = ts_rd_addr(&r, addr_size);
    if (version > 1)
        return TS_ERR(FARRAY, VERSION, "fixed array data block of version %u", version);
    if (client != h->client || of_header != header)
        return TS_ERR(FARRAY, BADVALUE, "data block of fixed array %#llx, client %u, not of %#llx, %u",
                      (unsigned long long)of_header, client, (unsigned long long)header, h->client);
    ts_rd_skip(&r, size - ts_farray_block_prefix(addr_size) - 4);
    if (!ts_rd_checksum(&r))
        return TS_ERR(FARRAY, CANTDECODE, "fixed array data block with a wrong checksum");
    return 0;
}

int ts_farray_header_encode(const struct ts_farray_header *h, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    if (!ts_is_power_of_2(h->page_elements))
        return TS_ERR(FARRAY, CANTENCODE, "fixed array with pages of %llu elements",
                      (unsigned long long)h->page_elements);
    ts_wr_bytes(w, "FAHD", 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, h->client, 1);
    ts_put_uint(w, h->element_size, 1);
    ts_wr_u8(w, (uint8_t)ts_log2_floor(h->page_elements));
    ts_put_uint(w, h->count, len_size);
    ts_put_addr(w, h->data, addr_size);
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

int ts_farray_block_encode(const struct ts_farray_header *h, haddr_t header, unsigned addr_size, const uint8_t *content,
                           struct ts_wr *w)
{
    size_t from = w->size;
    uint64_t size;
    if (!ts_farray_block_size(h, addr_size, &size) || size > SIZE_MAX)
        return TS_ERR(FARRAY, BADSIZE, "fixed array of %llu elements", (unsigned long long)h->count);
    ts_wr_bytes(w, "FADB", 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, h->client, 1);
    ts_put_addr(w, header, addr_size);
    ts_wr_bytes(w, content, (size_t)size - ts_farray_block_prefix(addr_size) - 4);
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

int ts_array_page_encode(const uint8_t *elements, size_t size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, elements, size);
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}
