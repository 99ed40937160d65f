#include "format/sohm.h"

#include "base/cursor.h"
#include "base/error.h"

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
    for (unsigned i = 0; i < t->n; i++)
        if (msg_type < 16 && t->index[i].types & 1u << msg_type)
            return &t->index[i];
    return NULL;
}
