#include "format/btree1.h"

#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

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
    out->in_element = ts_rd_u64(&r);
}

int ts_btree1_prefix_encode(const struct ts_btree1_prefix *p, unsigned addr_size, struct ts_wr *w)
{
    ts_wr_bytes(w, "TREE", 4);
    ts_put_uint(w, p->type, 1);
    ts_put_uint(w, p->level, 1);
    ts_put_uint(w, p->entries, 2);
    ts_put_addr(w, p->left, addr_size);
    ts_put_addr(w, p->right, addr_size);
    return ts_put_end(w);
}

int ts_btree1_node_encode(const struct ts_btree1_prefix *p, const uint8_t *body, unsigned k, size_t key_size,
                          unsigned addr_size, struct ts_wr *w)
{
    size_t from = w->size;
    if (ts_btree1_prefix_encode(p, addr_size, w) < 0)
        return -1;
    if (p->entries > 0)
        ts_wr_bytes(w, body, ts_btree1_body_size(p->entries, key_size, addr_size));
    ts_put_fill(w, from, ts_btree1_node_size(k, key_size, addr_size));
    return ts_put_end(w);
}

void ts_btree1_chunk_key_encode(const struct ts_btree1_chunk_key *key, unsigned rank, struct ts_wr *w)
{
    ts_wr_u32(w, key->size);
    ts_wr_u32(w, key->filter_mask);
    for (unsigned i = 0; i < rank; i++)
        ts_wr_u64(w, key->offset[i]);
    ts_wr_u64(w, key->in_element);
}
