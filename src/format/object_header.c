#include "format/object_header.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

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
