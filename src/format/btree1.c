#include "format/btree1.h"

#include "base/cursor.h"
#include "base/error.h"

int ts_btree1_prefix_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_btree1_prefix *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "TREE"))
        return TS_ERR(BTREE, CANTDECODE, "no B-tree node signature");
    out->type = ts_rd_u8(&r);
    out->level = ts_rd_u8(&r);
    out->entries = ts_rd_u16(&r);
    out->left = ts_rd_addr(&r, addr_size);
    out->right = ts_rd_addr(&r, addr_size);
    return r.bad ? TS_ERR(BTREE, CANTDECODE, "B-tree node cut off after %zu bytes", size) : 0;
}

void ts_btree1_chunk_key_decode(const uint8_t *buf, unsigned rank, struct ts_btree1_chunk_key *out)
{
    struct ts_rd r = ts_rd_init(buf, ts_btree1_chunk_key_size(rank));
    out->size = ts_rd_u32(&r);
    out->filter_mask = ts_rd_u32(&r);
    for (unsigned i = 0; i < rank; i++)
        out->offset[i] = ts_rd_u64(&r);
}
