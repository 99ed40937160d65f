#include "format/local_heap.h"

#include "base/cursor.h"
#include "base/error.h"

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
