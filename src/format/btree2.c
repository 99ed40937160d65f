#include "format/btree2.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

#define NODE_OVERHEAD (TS_BTREE2_NODE_PREFIX + 4)

static int derive_leaf(struct ts_btree2_shape *s)
{
    const struct ts_btree2_header *h = &s->header;
    uint64_t fit = h->node_size > NODE_OVERHEAD ? (h->node_size - NODE_OVERHEAD) / h->record_size : 0;
    if (fit == 0)
        return TS_ERR(BTREE, BADSIZE, "B-tree nodes of %u bytes cannot hold a record of %u", h->node_size,
                      h->record_size);
    /* The header counts the root's in two bytes: larger nodes than can be full nobody makes. */
    if (fit > UINT16_MAX)
        return TS_ERR(BTREE, BADSIZE, "B-tree nodes of %u bytes hold more than %u records of %u", h->node_size,
                      UINT16_MAX, h->record_size);
    s->levels[0] = (struct ts_btree2_level){.max_records = fit, .max_total = fit};
    return 0;
}

static int derive_internal(struct ts_btree2_shape *s, unsigned level)
{
    const struct ts_btree2_header *h = &s->header;
    const struct ts_btree2_level *below = &s->levels[level - 1];
    struct ts_btree2_level *l = &s->levels[level];
    l->count_width = ts_bytes_for(below->max_records);
    l->total_width = level > 1 ? ts_bytes_for(below->max_total) : 0;
    l->pointer_size = s->addr_size + l->count_width + l->total_width;
    uint64_t fixed = NODE_OVERHEAD + l->pointer_size;
    l->max_records = h->node_size > fixed ? (h->node_size - fixed) / (h->record_size + l->pointer_size) : 0;
    if (l->max_records == 0)
        return TS_ERR(BTREE, BADSIZE, "B-tree nodes of %u bytes cannot hold records of %u at level %u", h->node_size,
                      h->record_size, level);
    if (!ts_mul_u64(l->max_records + 1, below->max_total, &l->max_total) ||
        !ts_add_u64(l->max_total, l->max_records, &l->max_total))
        l->max_total = UINT64_MAX;
    return 0;
}

int ts_btree2_shape_derive(struct ts_btree2_shape *shape)
{
    const struct ts_btree2_header *h = &shape->header;
    if (h->record_size == 0)
        return TS_ERR(BTREE, BADSIZE, "B-tree records of no size");
    if (h->depth > TS_BTREE2_MAX_DEPTH)
        return TS_ERR(BTREE, BADRANGE, "B-tree of depth %u", h->depth);
    if (derive_leaf(shape) < 0)
        return -1;
    for (unsigned level = 1; level <= h->depth; level++)
        if (derive_internal(shape, level) < 0)
            return -1;
    if (h->root_records > shape->levels[h->depth].max_records)
        return TS_ERR(BTREE, BADRANGE, "%u records in a B-tree root that holds %llu", h->root_records,
                      (unsigned long long)shape->levels[h->depth].max_records);
    if (h->records < h->root_records || (h->depth == 0 && h->records != h->root_records))
        return TS_ERR(BTREE, BADRANGE, "%llu records in a B-tree with %u in its root", (unsigned long long)h->records,
                      h->root_records);
    return 0;
}

int ts_btree2_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                            struct ts_btree2_shape *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    struct ts_btree2_header *h = &out->header;
    if (!ts_rd_magic(&r, "BTHD"))
        return TS_ERR(BTREE, CANTDECODE, "no B-tree header signature");
    unsigned version = ts_rd_u8(&r);
    if (version > 1)
        return TS_ERR(BTREE, VERSION, "B-tree header of version %u", version);
    h->type = ts_rd_u8(&r);
    h->node_size = ts_rd_u32(&r);
    h->record_size = ts_rd_u16(&r);
    h->depth = ts_rd_u16(&r);
    h->split_percent = ts_rd_u8(&r);
    h->merge_percent = ts_rd_u8(&r);
    h->root = ts_rd_addr(&r, addr_size);
    h->root_records = ts_rd_u16(&r);
    h->records = ts_rd_uint(&r, len_size);
    if (!ts_rd_checksum(&r))
        return TS_ERR(BTREE, CANTDECODE, "B-tree header with a wrong checksum");
    out->addr_size = addr_size;
    return ts_btree2_shape_derive(out);
}

size_t ts_btree2_node_size(const struct ts_btree2_shape *shape, unsigned level, uint64_t records)
{
    size_t size = NODE_OVERHEAD + (size_t)records * shape->header.record_size;
    if (level > 0)
        size += ((size_t)records + 1) * shape->levels[level].pointer_size;
    return size;
}

static int decode_child(const struct ts_btree2_shape *s, unsigned level, struct ts_rd *r, struct ts_btree2_child *c)
{
    const struct ts_btree2_level *l = &s->levels[level], *below = &s->levels[level - 1];
    c->addr = ts_rd_addr(r, s->addr_size);
    c->records = ts_rd_uint(r, l->count_width);
    c->total = level > 1 ? ts_rd_uint(r, l->total_width) : c->records;
    if (c->records > below->max_records || c->total < c->records)
        return TS_ERR(BTREE, BADRANGE, "B-tree child with %llu records, %llu below it; a node holds %llu",
                      (unsigned long long)c->records, (unsigned long long)c->total,
                      (unsigned long long)below->max_records);
    return 0;
}

int ts_btree2_node_decode(const struct ts_btree2_shape *shape, unsigned level, const struct ts_btree2_child *self,
                          const uint8_t *buf, struct ts_btree2_child *children)
{
    struct ts_rd r = ts_rd_init(buf, ts_btree2_node_size(shape, level, self->records));
    if (!ts_rd_magic(&r, level ? "BTIN" : "BTLF"))
        return TS_ERR(BTREE, CANTDECODE, "no signature of a B-tree node at level %u", level);
    unsigned version = ts_rd_u8(&r), type = ts_rd_u8(&r);
    if (version > 1)
        return TS_ERR(BTREE, VERSION, "B-tree node of version %u", version);
    if (type != shape->header.type)
        return TS_ERR(BTREE, BADTYPE, "node of a B-tree of type %u in one of type %u", type, shape->header.type);
    ts_rd_skip(&r, (size_t)self->records * shape->header.record_size);
    uint64_t total = self->records;
    for (uint64_t i = 0; level > 0 && i <= self->records; i++) {
        if (decode_child(shape, level, &r, &children[i]) < 0)
            return -1;
        if (!ts_add_u64(total, children[i].total, &total))
            return TS_ERR(BTREE, OVERFLOW, "B-tree children with too many records");
    }
    if (!ts_rd_checksum(&r))
        return TS_ERR(BTREE, CANTDECODE, "B-tree node at level %u with a wrong checksum", level);
    if (total != self->total)
        return TS_ERR(BTREE, BADVALUE, "B-tree node with %llu records in and below it, not %llu",
                      (unsigned long long)total, (unsigned long long)self->total);
    return 0;
}

int ts_btree2_header_encode(const struct ts_btree2_header *h, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "BTHD", 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, h->type, 1);
    ts_wr_u32(w, h->node_size);
    ts_wr_u16(w, h->record_size);
    ts_put_uint(w, h->depth, 2);
    ts_put_uint(w, h->split_percent, 1);
    ts_put_uint(w, h->merge_percent, 1);
    ts_put_addr(w, h->root, addr_size);
    ts_wr_u16(w, h->root_records);
    ts_put_uint(w, h->records, len_size);
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

int ts_btree2_node_encode(const struct ts_btree2_shape *shape, unsigned level, uint64_t n, const uint8_t *records,
                          const struct ts_btree2_child *children, struct ts_wr *w)
{
    const struct ts_btree2_level *l = &shape->levels[level];
    size_t from = w->size;
    if (n > l->max_records)
        return TS_ERR(BTREE, CANTENCODE, "%llu records in a B-tree node that holds %llu", (unsigned long long)n,
                      (unsigned long long)l->max_records);
    ts_wr_bytes(w, level ? "BTIN" : "BTLF", 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, shape->header.type, 1);
    ts_wr_bytes(w, records, (size_t)n * shape->header.record_size);
    for (uint64_t i = 0; level > 0 && i <= n; i++) {
        ts_put_addr(w, children[i].addr, shape->addr_size);
        ts_put_uint(w, children[i].records, l->count_width);
        if (level > 1)
            ts_put_uint(w, children[i].total, l->total_width);
    }
    ts_wr_checksum(w, from);
    ts_put_fill(w, from, shape->header.node_size);
    return ts_put_end(w);
}
