#include "format/fixed_array.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"

int ts_farray_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                            struct ts_farray_header *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "FAHD"))
        return TS_ERR(FARRAY, CANTDECODE, "no fixed array signature");
    unsigned version = ts_rd_u8(&r);
    if (version != 0)
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
    out->paged = out->count > out->page_elements;
    out->pages = out->paged ? ts_div_ceil(out->count, out->page_elements) : 0;
    out->bitmap_size = ts_div_ceil(out->pages, 8);
    return 0;
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
    if (version != 0)
        return TS_ERR(FARRAY, VERSION, "fixed array data block of version %u", version);
    if (client != h->client || of_header != header)
        return TS_ERR(FARRAY, BADVALUE, "data block of fixed array %#llx, client %u, not of %#llx, %u",
                      (unsigned long long)of_header, client, (unsigned long long)header, h->client);
    ts_rd_skip(&r, size - ts_farray_block_prefix(addr_size) - 4);
    if (!ts_rd_checksum(&r))
        return TS_ERR(FARRAY, CANTDECODE, "fixed array data block with a wrong checksum");
    return 0;
}
