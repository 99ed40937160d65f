#include "format/sohm.h"

#include <string.h>

#include "H5Opublic.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

static int read_index(struct ts_rd *r, unsigned addr_size, struct ts_sohm_index *out)
{
    unsigned version = ts_rd_u8(r), kind = ts_rd_u8(r);
    if (version != 0 || kind > TS_SOHM_BTREE)
        return TS_ERR(SOHM, CANTDECODE, "shared message index: version %u, kind %u", version, kind);
    out->kind = (enum ts_sohm_kind)kind;
    out->types = ts_rd_u16(r);
    out->min_size = ts_rd_u32(r);
    out->list_max = ts_rd_u16(r);
    out->btree_min = ts_rd_u16(r);
    out->messages = ts_rd_u16(r);
    out->index = ts_rd_addr(r, addr_size);
    out->heap = ts_rd_addr(r, addr_size);
    return 0;
}

int ts_sohm_table_decode(const uint8_t *buf, unsigned n_indexes, unsigned addr_size, struct ts_sohm_table *out)
{
    struct ts_rd r = ts_rd_init(buf, ts_sohm_table_size(n_indexes, addr_size));
    *out = (struct ts_sohm_table){.n = n_indexes};
    if (n_indexes > H5O_SHMESG_MAX_NINDEXES)
        return TS_ERR(SOHM, CANTDECODE, "shared message table: %u indexes", n_indexes);
    if (!ts_rd_magic(&r, "SMTB"))
        return TS_ERR(SOHM, CANTDECODE, "shared message table: no signature");
    for (unsigned i = 0; i < n_indexes; i++)
        if (read_index(&r, addr_size, &out->index[i]) < 0)
            return -1;
    if (!ts_rd_checksum(&r))
        return TS_ERR(SOHM, CANTDECODE, "shared message table: wrong checksum");
    return 0;
}

const struct ts_sohm_index *ts_sohm_table_find(const struct ts_sohm_table *t, unsigned msg_type)
{
    /* An index may name kinds of messages that are never shared, as programs do that count them from 0. */
    unsigned flag = msg_type < 16 ? H5O_SHMESG_ALL_FLAG & 1u << msg_type : 0;
    for (unsigned i = 0; i < t->n; i++)
        if (t->index[i].types & flag)
            return &t->index[i];
    return NULL;
}

int ts_sohm_table_encode(const struct ts_sohm_table *t, unsigned addr_size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "SMTB", 4);
    for (unsigned i = 0; i < t->n; i++) {
        const struct ts_sohm_index *x = &t->index[i];
        ts_wr_u8(w, 0);
        ts_wr_u8(w, (uint8_t)x->kind);
        ts_put_uint(w, x->types, 2);
        ts_wr_u32(w, x->min_size);
        ts_put_uint(w, x->list_max, 2);
        ts_put_uint(w, x->btree_min, 2);
        ts_put_uint(w, x->messages, 2);
        ts_put_addr(w, x->index, addr_size);
        ts_put_addr(w, x->heap, addr_size);
    }
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

int ts_sohm_record_decode(const uint8_t *buf, unsigned addr_size, struct ts_sohm_record *out)
{
    struct ts_rd r = ts_rd_init(buf, ts_sohm_record_size(addr_size));
    unsigned location = ts_rd_u8(&r);
    if (location > 1)
        return TS_ERR(SOHM, CANTDECODE, "shared message record: location %u", location);
    *out = (struct ts_sohm_record){.in_heap = location == 0, .header = HADDR_UNDEF};
    out->hash = ts_rd_u32(&r);
    if (out->in_heap) {
        out->references = ts_rd_u32(&r);
        memcpy(out->heap_id, ts_rd_bytes(&r, sizeof out->heap_id), sizeof out->heap_id);
    } else {
        ts_rd_skip(&r, 1);
        out->msg_type = ts_rd_u8(&r);
        out->creation_index = ts_rd_u16(&r);
        out->header = ts_rd_addr(&r, addr_size);
    }
    return 0;
}

int ts_sohm_record_encode(const struct ts_sohm_record *rec, unsigned addr_size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_u8(w, !rec->in_heap);
    ts_wr_u32(w, rec->hash);
    if (rec->in_heap) {
        ts_wr_u32(w, rec->references);
        ts_wr_bytes(w, rec->heap_id, sizeof rec->heap_id);
    } else {
        ts_wr_u8(w, 0);
        ts_put_uint(w, rec->msg_type, 1);
        ts_wr_u16(w, rec->creation_index);
        ts_put_addr(w, rec->header, addr_size);
    }
    ts_put_fill(w, from, ts_sohm_record_size(addr_size));
    return ts_put_end(w);
}

int ts_sohm_list_decode(const uint8_t *buf, size_t n, unsigned addr_size, struct ts_sohm_record *out)
{
    struct ts_rd r = ts_rd_init(buf, ts_sohm_list_size(n, addr_size));
    if (!ts_rd_magic(&r, "SMLI"))
        return TS_ERR(SOHM, CANTDECODE, "shared message list: no signature");
    for (size_t i = 0; i < n; i++)
        if (ts_sohm_record_decode(ts_rd_bytes(&r, ts_sohm_record_size(addr_size)), addr_size, &out[i]) < 0)
            return -1;
    return ts_rd_checksum(&r) ? 0 : TS_ERR(SOHM, CANTDECODE, "shared message list: wrong checksum");
}

int ts_sohm_list_encode(const struct ts_sohm_record *recs, size_t n, size_t list_max, unsigned addr_size,
                        struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "SMLI", 4);
    for (size_t i = 0; i < n; i++)
        if (ts_sohm_record_encode(&recs[i], addr_size, w) < 0)
            return -1;
    ts_wr_checksum(w, from);
    ts_put_fill(w, from, ts_sohm_list_size(list_max, addr_size));
    return ts_put_end(w);
}
