#include "format/fractal_heap.h"

#include "base/checked.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

size_t ts_fheap_header_size(const uint8_t *buf, unsigned addr_size, unsigned len_size)
{
    size_t filters = buf[7] | (size_t)buf[8] << 8;
    return ts_fheap_header_min_size(addr_size, len_size) + (filters ? len_size + 4 + filters : 0);
}

static void decode_statistics(struct ts_rd *r, struct ts_fheap_header *h)
{
    h->next_huge_id = ts_rd_uint(r, h->len_size);
    h->huge_btree = ts_rd_addr(r, h->addr_size);
    h->managed_free = ts_rd_uint(r, h->len_size);
    h->free_space = ts_rd_addr(r, h->addr_size);
    h->managed_size = ts_rd_uint(r, h->len_size);
    h->managed_allocated = ts_rd_uint(r, h->len_size);
    h->iterator = ts_rd_uint(r, h->len_size);
    h->managed_count = ts_rd_uint(r, h->len_size);
    h->huge_size = ts_rd_uint(r, h->len_size);
    h->huge_count = ts_rd_uint(r, h->len_size);
    h->tiny_size = ts_rd_uint(r, h->len_size);
    h->tiny_count = ts_rd_uint(r, h->len_size);
}

static void decode_table(struct ts_rd *r, struct ts_fheap_header *h)
{
    h->width = ts_rd_u16(r);
    h->start_block = ts_rd_uint(r, h->len_size);
    h->max_direct = ts_rd_uint(r, h->len_size);
    h->heap_bits = ts_rd_u16(r);
    h->start_rows = ts_rd_u16(r);
    h->root = ts_rd_addr(r, h->addr_size);
    h->rows = ts_rd_u16(r);
}

/* The doubling table must be one: powers of two that fit into the heap's bits. */
int ts_fheap_header_derive(struct ts_fheap_header *h)
{
    if (!ts_is_power_of_2(h->width) || !ts_is_power_of_2(h->start_block) || !ts_is_power_of_2(h->max_direct))
        return TS_ERR(HEAP, BADVALUE, "fractal heap of width %u, blocks of %llu to %llu bytes: not powers of 2",
                      h->width, (unsigned long long)h->start_block, (unsigned long long)h->max_direct);
    unsigned start_bits = ts_log2_floor(h->start_block), direct_bits = ts_log2_floor(h->max_direct);
    h->first_row_bits = start_bits + ts_log2_floor(h->width);
    if (h->heap_bits > 63 || h->first_row_bits > h->heap_bits || direct_bits > h->heap_bits || direct_bits < start_bits)
        return TS_ERR(HEAP, BADVALUE, "fractal heap of %u bits with rows of 2^%u and direct blocks up to 2^%u bytes",
                      h->heap_bits, h->first_row_bits, direct_bits);
    h->direct_rows = direct_bits - start_bits + 2;
    h->max_rows = h->heap_bits - h->first_row_bits + 1;
    if (h->rows > h->max_rows)
        return TS_ERR(HEAP, BADRANGE, "fractal heap with %u rows in its root; %u is the most", h->rows, h->max_rows);
    h->offset_size = (h->heap_bits + 7) / 8;
    h->length_size = ts_bytes_for(h->max_managed < h->max_direct ? h->max_managed : h->max_direct);
    if (h->id_size < 2)
        return TS_ERR(HEAP, BADSIZE, "fractal heap with ids of %u bytes", h->id_size);
    return 0;
}

int ts_fheap_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_fheap_header *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_fheap_header){.addr_size = addr_size, .len_size = len_size};
    if (!ts_rd_magic(&r, "FRHP"))
        return TS_ERR(HEAP, CANTDECODE, "no fractal heap signature");
    unsigned version = ts_rd_u8(&r);
    if (version != 0)
        return TS_ERR(HEAP, VERSION, "fractal heap of version %u", version);
    out->id_size = ts_rd_u16(&r);
    out->filter_size = ts_rd_u16(&r);
    out->flags = ts_rd_u8(&r);
    out->max_managed = ts_rd_u32(&r);
    decode_statistics(&r, out);
    decode_table(&r, out);
    if (out->filter_size > 0) {
        out->filtered_root_size = ts_rd_uint(&r, len_size);
        out->root_filter_mask = ts_rd_u32(&r);
        out->filters = ts_rd_bytes(&r, out->filter_size);
    }
    if (!ts_rd_checksum(&r))
        return TS_ERR(HEAP, CANTDECODE, "fractal heap header with a wrong checksum");
    return ts_fheap_header_derive(out);
}

unsigned ts_fheap_rows_for(const struct ts_fheap_header *h, uint64_t size)
{
    unsigned bits = ts_log2_floor(size);
    return bits < h->first_row_bits ? 0 : bits - h->first_row_bits + 1;
}

unsigned ts_fheap_row_of(const struct ts_fheap_header *h, uint64_t offset)
{
    return offset >> h->first_row_bits ? ts_log2_floor(offset) - h->first_row_bits + 1 : 0;
}

size_t ts_fheap_indirect_size(const struct ts_fheap_header *h, unsigned rows)
{
    size_t direct_rows = rows < h->direct_rows ? rows : h->direct_rows;
    size_t direct = h->addr_size + (h->filter_size ? h->len_size + 4 : 0);
    return 9 + h->addr_size + h->offset_size + (direct_rows * direct + (rows - direct_rows) * h->addr_size) * h->width;
}

/* Signature to offset, the same in both kinds of block. */
static int check_prefix(const struct ts_fheap_header *h, struct ts_rd *r, const char *magic, haddr_t header,
                        uint64_t offset)
{
    if (!ts_rd_magic(r, magic))
        return TS_ERR(HEAP, CANTDECODE, "no %s signature of a fractal heap block", magic);
    unsigned version = ts_rd_u8(r);
    if (version != 0)
        return TS_ERR(HEAP, VERSION, "fractal heap block of version %u", version);
    uint64_t of_header = ts_rd_addr(r, h->addr_size), of_block = ts_rd_uint(r, h->offset_size);
    if (r->bad || of_header != header || of_block != offset)
        return TS_ERR(HEAP, BADVALUE, "block of heap %#llx at offset %llu, not of %#llx at %llu",
                      (unsigned long long)of_header, (unsigned long long)of_block, (unsigned long long)header,
                      (unsigned long long)offset);
    return 0;
}

int ts_fheap_direct_check(const struct ts_fheap_header *h, haddr_t header, uint64_t offset, uint8_t *buf, size_t size)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (check_prefix(h, &r, "FHDB", header, offset) < 0)
        return -1;
    if (!(h->flags & TS_FHEAP_CHECKSUM))
        return 0;
    size_t at = ts_rd_pos(&r);
    uint32_t stored = ts_rd_u32(&r);
    if (r.bad)
        return TS_ERR(HEAP, CANTDECODE, "fractal heap block cut off after %zu bytes", size);
    memset(buf + at, 0, 4);
    if (ts_checksum(buf, size) != stored)
        return TS_ERR(HEAP, CANTDECODE, "fractal heap block with a wrong checksum");
    return 0;
}

int ts_fheap_indirect_decode(const struct ts_fheap_header *h, const struct ts_fheap_place *place, const uint8_t *buf,
                             struct ts_fheap_child *children)
{
    struct ts_rd r = ts_rd_init(buf, ts_fheap_indirect_size(h, place->rows));
    if (check_prefix(h, &r, "FHIB", place->header, place->offset) < 0)
        return -1;
    for (unsigned row = 0; row < place->rows; row++)
        for (unsigned col = 0; col < h->width; col++) {
            struct ts_fheap_child *c = &children[(size_t)row * h->width + col];
            bool filtered = h->filter_size > 0 && row < h->direct_rows;
            c->addr = ts_rd_addr(&r, h->addr_size);
            c->filtered_size = filtered ? ts_rd_uint(&r, h->len_size) : 0;
            c->filter_mask = filtered ? ts_rd_u32(&r) : 0;
        }
    if (!ts_rd_checksum(&r))
        return TS_ERR(HEAP, CANTDECODE, "fractal heap indirect block with a wrong checksum");
    return 0;
}

static void decode_extent(const struct ts_fheap_header *h, struct ts_rd *r, struct ts_fheap_extent *out)
{
    out->addr = ts_rd_addr(r, h->addr_size);
    out->length = ts_rd_uint(r, h->len_size);
    out->filter_mask = h->filter_size ? ts_rd_u32(r) : 0;
    out->size = h->filter_size ? ts_rd_uint(r, h->len_size) : out->length;
}

static size_t extent_size(const struct ts_fheap_header *h)
{
    return h->addr_size + h->len_size + (h->filter_size ? 4 + (size_t)h->len_size : 0);
}

static void decode_huge(const struct ts_fheap_header *h, struct ts_rd *r, struct ts_fheap_id *out)
{
    size_t room = h->id_size - 1;
    out->direct = room >= extent_size(h);
    if (out->direct)
        decode_extent(h, r, &out->extent);
    else
        out->key = ts_rd_uint(r, (unsigned)(room < h->len_size ? room : h->len_size));
}

static void decode_tiny(const struct ts_fheap_header *h, unsigned first, struct ts_rd *r, struct ts_fheap_id *out)
{
    out->length = first & 15;
    if (h->id_size > 18)
        out->length = out->length << 8 | ts_rd_u8(r);
    out->length++;
    out->offset = ts_rd_pos(r);
    ts_rd_skip(r, (size_t)out->length);
}

int ts_fheap_id_decode(const struct ts_fheap_header *h, const uint8_t *id, size_t size, struct ts_fheap_id *out)
{
    if (size < h->id_size)
        return TS_ERR(HEAP, BADSIZE, "fractal heap id of %zu bytes; they have %u", size, h->id_size);
    struct ts_rd r = ts_rd_init(id, h->id_size);
    unsigned first = ts_rd_u8(&r);
    *out = (struct ts_fheap_id){.kind = first >> 4 & 3};
    if (first >> 6 != 0)
        return TS_ERR(HEAP, VERSION, "fractal heap id of version %u", first >> 6);
    if (out->kind == TS_FHEAP_MANAGED) {
        out->offset = ts_rd_uint(&r, h->offset_size);
        out->length = ts_rd_uint(&r, h->length_size);
    } else if (out->kind == TS_FHEAP_HUGE)
        decode_huge(h, &r, out);
    else if (out->kind == TS_FHEAP_TINY)
        decode_tiny(h, first, &r, out);
    else
        return TS_ERR(HEAP, BADTYPE, "fractal heap id of kind %u", out->kind);
    return r.bad ? TS_ERR(HEAP, BADSIZE, "fractal heap id of %u bytes holds too little", h->id_size) : 0;
}

size_t ts_fheap_huge_record_size(const struct ts_fheap_header *h)
{
    return extent_size(h) + h->len_size;
}

void ts_fheap_huge_record_decode(const struct ts_fheap_header *h, const uint8_t *record, struct ts_fheap_id *out)
{
    struct ts_rd r = ts_rd_init(record, ts_fheap_huge_record_size(h));
    decode_extent(h, &r, &out->extent);
    out->key = ts_rd_uint(&r, h->len_size);
}

static void encode_statistics(const struct ts_fheap_header *h, struct ts_wr *w)
{
    ts_put_uint(w, h->next_huge_id, h->len_size);
    ts_put_addr(w, h->huge_btree, h->addr_size);
    ts_put_uint(w, h->managed_free, h->len_size);
    ts_put_addr(w, h->free_space, h->addr_size);
    ts_put_uint(w, h->managed_size, h->len_size);
    ts_put_uint(w, h->managed_allocated, h->len_size);
    ts_put_uint(w, h->iterator, h->len_size);
    ts_put_uint(w, h->managed_count, h->len_size);
    ts_put_uint(w, h->huge_size, h->len_size);
    ts_put_uint(w, h->huge_count, h->len_size);
    ts_put_uint(w, h->tiny_size, h->len_size);
    ts_put_uint(w, h->tiny_count, h->len_size);
}

static void encode_table(const struct ts_fheap_header *h, struct ts_wr *w)
{
    ts_put_uint(w, h->width, 2);
    ts_put_uint(w, h->start_block, h->len_size);
    ts_put_uint(w, h->max_direct, h->len_size);
    ts_put_uint(w, h->heap_bits, 2);
    ts_put_uint(w, h->start_rows, 2);
    ts_put_addr(w, h->root, h->addr_size);
    ts_put_uint(w, h->rows, 2);
}

int ts_fheap_header_encode(const struct ts_fheap_header *h, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "FRHP", 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, h->id_size, 2);
    ts_put_uint(w, h->filter_size, 2);
    ts_put_uint(w, h->flags, 1);
    ts_wr_u32(w, h->max_managed);
    encode_statistics(h, w);
    encode_table(h, w);
    if (h->filter_size > 0) {
        ts_put_uint(w, h->filtered_root_size, h->len_size);
        ts_wr_u32(w, h->root_filter_mask);
        ts_wr_bytes(w, h->filters, h->filter_size);
    }
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

static void put_prefix(const struct ts_fheap_header *h, const char *magic, haddr_t header, uint64_t offset,
                       struct ts_wr *w)
{
    ts_wr_bytes(w, magic, 4);
    ts_wr_u8(w, 0);
    ts_put_addr(w, header, h->addr_size);
    ts_put_uint(w, offset, h->offset_size);
}

int ts_fheap_direct_encode(const struct ts_fheap_header *h, haddr_t header, uint64_t offset, struct ts_wr *w)
{
    put_prefix(h, "FHDB", header, offset, w);
    if (h->flags & TS_FHEAP_CHECKSUM)
        ts_wr_u32(w, 0);
    return ts_put_end(w);
}

void ts_fheap_direct_seal(const struct ts_fheap_header *h, uint8_t *buf, size_t size)
{
    if (!(h->flags & TS_FHEAP_CHECKSUM))
        return;
    uint8_t *at = buf + ts_fheap_direct_prefix(h) - 4;
    memset(at, 0, 4);
    uint32_t sum = ts_checksum(buf, size);
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(sum >> 8 * i);
}

int ts_fheap_indirect_encode(const struct ts_fheap_header *h, const struct ts_fheap_place *place,
                             const struct ts_fheap_child *children, struct ts_wr *w)
{
    size_t from = w->size;
    put_prefix(h, "FHIB", place->header, place->offset, w);
    for (unsigned row = 0; row < place->rows; row++)
        for (unsigned col = 0; col < h->width; col++) {
            const struct ts_fheap_child *c = &children[(size_t)row * h->width + col];
            ts_put_addr(w, c->addr, h->addr_size);
            if (h->filter_size > 0 && row < h->direct_rows) {
                ts_put_uint(w, c->filtered_size, h->len_size);
                ts_wr_u32(w, c->filter_mask);
            }
        }
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

static void put_extent(const struct ts_fheap_header *h, const struct ts_fheap_extent *e, struct ts_wr *w)
{
    ts_put_addr(w, e->addr, h->addr_size);
    ts_put_uint(w, e->length, h->len_size);
    if (h->filter_size) {
        ts_wr_u32(w, e->filter_mask);
        ts_put_uint(w, e->size, h->len_size);
    }
}

static void put_huge(const struct ts_fheap_header *h, const struct ts_fheap_id *id, struct ts_wr *w)
{
    size_t room = h->id_size - 1;
    ts_wr_u8(w, TS_FHEAP_HUGE << 4);
    if (room >= extent_size(h))
        put_extent(h, &id->extent, w);
    else
        ts_put_uint(w, id->key, (unsigned)(room < h->len_size ? room : h->len_size));
}

static int put_tiny(const struct ts_fheap_header *h, uint64_t length, const uint8_t *object, struct ts_wr *w)
{
    bool wide = h->id_size > 18;
    if (length == 0 || length > (wide ? 4096u : 16u) || length > h->id_size - (wide ? 2u : 1u))
        return TS_ERR(HEAP, CANTENCODE, "%llu bytes in a fractal heap id of %u", (unsigned long long)length,
                      h->id_size);
    unsigned less = (unsigned)length - 1;
    ts_wr_u8(w, (uint8_t)(TS_FHEAP_TINY << 4 | (wide ? less >> 8 : less)));
    if (wide)
        ts_wr_u8(w, (uint8_t)less);
    ts_wr_bytes(w, object, (size_t)length);
    return 0;
}

int ts_fheap_id_encode(const struct ts_fheap_header *h, const struct ts_fheap_id *id, const uint8_t *tiny,
                       struct ts_wr *w)
{
    size_t from = w->size;
    if (id->kind == TS_FHEAP_MANAGED) {
        ts_wr_u8(w, TS_FHEAP_MANAGED << 4);
        ts_put_uint(w, id->offset, h->offset_size);
        ts_put_uint(w, id->length, h->length_size);
    } else if (id->kind == TS_FHEAP_HUGE) {
        put_huge(h, id, w);
    } else if (id->kind != TS_FHEAP_TINY) {
        return TS_ERR(HEAP, BADTYPE, "fractal heap id of kind %u", id->kind);
    } else if (put_tiny(h, id->length, tiny, w) < 0) {
        return -1;
    }
    ts_put_fill(w, from, h->id_size);
    return ts_put_end(w);
}

int ts_fheap_huge_record_encode(const struct ts_fheap_header *h, const struct ts_fheap_id *id, struct ts_wr *w)
{
    put_extent(h, &id->extent, w);
    if (!id->direct)
        ts_put_uint(w, id->key, h->len_size);
    return ts_put_end(w);
}
