#include "format/object_header.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

static int decode_v1(struct ts_rd *r, struct ts_ohdr_prefix *out)
{
    out->version = ts_rd_u8(r);
    ts_rd_skip(r, 1);
    out->stored_messages = ts_rd_u16(r);
    out->ref_count = ts_rd_u32(r);
    out->block_size = ts_rd_u32(r);
    out->prefix_size = 16;
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "object header: the prefix is cut off");
    if (out->version != 1)
        return TS_ERR(OHDR, VERSION, "object header: version %u", out->version);
    return 0;
}

static int decode_v2(struct ts_rd *r, struct ts_ohdr_prefix *out)
{
    ts_rd_skip(r, 4);
    out->version = ts_rd_u8(r);
    out->flags = ts_rd_u8(r);
    out->ref_count = 1;
    if (!r->bad && out->version != 2)
        return TS_ERR(OHDR, VERSION, "object header: version %u", out->version);
    if (out->flags & 0xC0)
        return TS_ERR(OHDR, CANTDECODE, "object header: flags %#x", out->flags);
    if (out->flags & 0x20) {
        out->atime = ts_rd_u32(r);
        out->mtime = ts_rd_u32(r);
        out->ctime = ts_rd_u32(r);
        out->btime = ts_rd_u32(r);
    }
    out->max_compact = 8;
    out->min_dense = 6;
    if (out->flags & 0x10) {
        out->max_compact = ts_rd_u16(r);
        out->min_dense = ts_rd_u16(r);
        if (out->max_compact < out->min_dense)
            return TS_ERR(OHDR, CANTDECODE, "object header: attributes compact to %u, dense from %u", out->max_compact,
                          out->min_dense);
    }
    out->block_size = ts_rd_uint(r, 1u << (out->flags & 3));
    out->prefix_size = ts_rd_pos(r);
    return r->bad ? TS_ERR(OHDR, CANTDECODE, "object header: the prefix is cut off") : 0;
}

int ts_ohdr_prefix_decode(const uint8_t *buf, size_t size, struct ts_ohdr_prefix *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_ohdr_prefix){0};
    if (size >= 4 && memcmp(buf, "OHDR", 4) == 0)
        return decode_v2(&r, out);
    return decode_v1(&r, out);
}

int ts_ohdr_next_msg(struct ts_rd *r, unsigned version, uint8_t hdr_flags, struct ts_raw_msg *out)
{
    if (ts_rd_left(r) < ts_ohdr_msg_header_size(version, hdr_flags)) {
        if (version == 1 && ts_rd_left(r) > 0)
            return TS_ERR(OHDR, CANTDECODE, "object header: %zu stray bytes behind the messages", ts_rd_left(r));
        return 0;
    }
    *out = (struct ts_raw_msg){0};
    out->type = version == 1 ? ts_rd_u16(r) : ts_rd_u8(r);
    out->size = ts_rd_u16(r);
    out->flags = ts_rd_u8(r);
    if (version == 1)
        ts_rd_skip(r, 3);
    else if (hdr_flags & 0x04)
        out->creation_index = ts_rd_u16(r);
    out->body = ts_rd_bytes(r, out->size);
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "object header: message %#x of %zu bytes overruns its block", out->type,
                      out->size);
    if (version == 1 && out->size % 8)
        return TS_ERR(OHDR, CANTDECODE, "object header: message %#x of %zu bytes is not aligned", out->type, out->size);
    return 1;
}

int ts_continuation_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                           struct ts_continuation *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    out->addr = ts_rd_addr(&r, addr_size);
    out->size = ts_rd_uint(&r, len_size);
    if (r.bad || out->addr == HADDR_UNDEF || out->size == 0)
        return TS_ERR(OHDR, CANTDECODE, "continuation message: no block");
    return 0;
}

/* Libraries that wrote version 1 put the head of a symbol table entry before the address, which the specification does
 * not draw: a length, 0. No object header is at address 0, so what is read there tells the two forms apart. */
static haddr_t shared_addr_v1(struct ts_rd *r, unsigned addr_size, unsigned len_size)
{
    struct ts_rd entry = *r;
    ts_rd_skip(&entry, len_size);
    haddr_t addr = ts_rd_addr(&entry, addr_size);
    return entry.bad || addr == 0 ? ts_rd_addr(r, addr_size) : addr;
}

int ts_shared_ref_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                         struct ts_shared_ref *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_shared_ref){.addr = HADDR_UNDEF};
    unsigned version = ts_rd_u8(&r), type = ts_rd_u8(&r);
    if (!r.bad && (version < 1 || version > 3))
        return TS_ERR(OHDR, VERSION, "shared message: version %u", version);
    out->version = version;
    if (version == 1)
        ts_rd_skip(&r, 6);
    if (version == 3 && type == 1) {
        const uint8_t *id = ts_rd_bytes(&r, sizeof out->heap_id);
        if (id)
            memcpy(out->heap_id, id, sizeof out->heap_id);
        out->in_heap = true;
    } else {
        if (version == 3 && type != 2)
            return TS_ERR(OHDR, CANTDECODE, "shared message: type %u", type);
        out->addr = version == 1 ? shared_addr_v1(&r, addr_size, len_size) : ts_rd_addr(&r, addr_size);
    }
    if (r.bad || (!out->in_heap && out->addr == HADDR_UNDEF))
        return TS_ERR(OHDR, CANTDECODE, "shared message: %zu bytes lead nowhere", size);
    return 0;
}

size_t ts_ohdr_prefix_size(unsigned version, uint8_t flags)
{
    if (version == 1)
        return 16;
    return 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0) + ((size_t)1 << (flags & 3));
}

static void encode_prefix_v1(const struct ts_ohdr_prefix *p, struct ts_wr *w)
{
    ts_wr_u8(w, 1);
    ts_wr_u8(w, 0);
    ts_put_uint(w, p->stored_messages, 2);
    ts_wr_u32(w, p->ref_count);
    ts_put_uint(w, p->block_size, 4);
    ts_wr_zeros(w, 4);
}

static void encode_prefix_v2(const struct ts_ohdr_prefix *p, struct ts_wr *w)
{
    ts_wr_bytes(w, "OHDR", 4);
    ts_wr_u8(w, 2);
    ts_wr_u8(w, p->flags);
    if (p->flags & 0x20) {
        ts_wr_u32(w, p->atime);
        ts_wr_u32(w, p->mtime);
        ts_wr_u32(w, p->ctime);
        ts_wr_u32(w, p->btime);
    }
    if (p->flags & 0x10) {
        ts_put_uint(w, p->max_compact, 2);
        ts_put_uint(w, p->min_dense, 2);
    }
    ts_put_uint(w, p->block_size, 1u << (p->flags & 3));
}

int ts_ohdr_prefix_encode(const struct ts_ohdr_prefix *p, struct ts_wr *w)
{
    if (p->version == 1)
        encode_prefix_v1(p, w);
    else if (p->version == 2 && !(p->flags & 0xC0))
        encode_prefix_v2(p, w);
    else
        return TS_ERR(OHDR, CANTENCODE, "object header: version %u, flags %#x", p->version, p->flags);
    return ts_put_end(w);
}

int ts_ohdr_msg_encode(const struct ts_raw_msg *msg, unsigned version, uint8_t hdr_flags, struct ts_wr *w)
{
    size_t padding = version == 1 ? (8 - msg->size % 8) % 8 : 0, room = msg->size + padding;
    if (version == 2 && msg->type <= UINT8_MAX && room <= UINT16_MAX) {
        ts_wr_u32(w, (uint32_t)(msg->type | room << 8 | (uint32_t)msg->flags << 24));
    } else {
        ts_put_uint(w, msg->type, version == 1 ? 2 : 1);
        ts_put_uint(w, room, 2);
        ts_wr_u8(w, msg->flags);
    }
    if (version == 1)
        ts_wr_zeros(w, 3);
    else if (hdr_flags & 0x04)
        ts_wr_u16(w, msg->creation_index);
    if (msg->body)
        ts_wr_bytes(w, msg->body, msg->size);
    else
        ts_wr_zeros(w, msg->size);
    if (padding > 0)
        ts_wr_zeros(w, padding);
    return ts_put_end(w);
}

static int encode_rest(const struct ts_ohdr_prefix *p, uint64_t left, struct ts_wr *w)
{
    size_t head = ts_ohdr_msg_header_size(p->version, p->flags), most = p->version == 1 ? UINT16_MAX - 7 : UINT16_MAX;
    if (p->version == 1 && left % 8)
        return TS_ERR(OHDR, CANTENCODE, "object header: %llu bytes left in a block of version 1, which has no gaps",
                      (unsigned long long)left);
    while (left >= head) {
        struct ts_raw_msg nil = {.type = TS_MSG_NIL, .size = left - head < most ? (size_t)left - head : most};
        if (ts_ohdr_msg_encode(&nil, p->version, p->flags, w) < 0)
            return -1;
        left -= head + nil.size;
    }
    if (left > 0)
        ts_wr_zeros(w, (size_t)left);
    return ts_put_end(w);
}

int ts_ohdr_block_encode(const struct ts_ohdr_block *block, struct ts_wr *w)
{
    const struct ts_ohdr_prefix *p = block->prefix;
    size_t from = w->size;
    if (block->first && block->size != p->block_size)
        return TS_ERR(OHDR, CANTENCODE, "object header: a first block of %llu bytes, stated %llu",
                      (unsigned long long)block->size, (unsigned long long)p->block_size);
    if (block->first && ts_ohdr_prefix_encode(p, w) < 0)
        return -1;
    if (!block->first && p->version == 2)
        ts_wr_bytes(w, "OCHK", 4);
    size_t start = w->size;
    for (size_t i = 0; i < block->n; i++)
        if (ts_ohdr_msg_encode(&block->msgs[i], p->version, p->flags, w) < 0)
            return -1;
    size_t used = w->size - start;
    if (w->bad || used > block->size)
        return TS_ERR(OHDR, CANTENCODE, "object header: messages of %zu bytes in a block of %llu", used,
                      (unsigned long long)block->size);
    if (encode_rest(p, block->size - used, w) < 0)
        return -1;
    if (p->version == 2)
        ts_wr_checksum(w, from);
    return ts_put_end(w);
}

int ts_continuation_encode(const struct ts_continuation *c, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    ts_put_addr(w, c->addr, addr_size);
    ts_put_uint(w, c->size, len_size);
    return ts_put_end(w);
}

int ts_shared_ref_encode(const struct ts_shared_ref *ref, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    /* For version 2 the specification has 0 as well; libhdf5 writes 2. */
    enum { OLD_COMMITTED = 0, IN_HEAP = 1, COMMITTED = 2 };
    if (ref->version < 1 || ref->version > 3 || (ref->in_heap && ref->version < 3))
        return TS_ERR(OHDR, CANTENCODE, "shared message: version %u%s", ref->version,
                      ref->in_heap ? ", in a heap" : "");
    ts_wr_u8(w, (uint8_t)ref->version);
    ts_wr_u8(w, ref->version == 1 ? OLD_COMMITTED : ref->in_heap ? IN_HEAP : COMMITTED);
    if (ref->version == 1)
        ts_wr_zeros(w, 6 + (size_t)len_size);
    if (ref->in_heap)
        ts_wr_bytes(w, ref->heap_id, sizeof ref->heap_id);
    else
        ts_put_addr(w, ref->addr, addr_size);
    return ts_put_end(w);
}
