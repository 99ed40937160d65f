#include "format/attribute.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

static const uint8_t *field(struct ts_rd *r, size_t size, bool padded)
{
    const uint8_t *at = ts_rd_bytes(r, size);
    if (padded)
        ts_rd_skip(r, (8 - size % 8) % 8);
    return at;
}

int ts_attr_msg_decode(const uint8_t *buf, size_t size, struct ts_attr_msg *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_attr_msg){.version = ts_rd_u8(&r)};
    if (!r.bad && (out->version < 1 || out->version > 3))
        return TS_ERR(ATTR, VERSION, "attribute message: version %u", out->version);
    unsigned flags = ts_rd_u8(&r);
    if (out->version == 1)
        flags = 0;
    if (flags & ~3u)
        return TS_ERR(ATTR, CANTDECODE, "attribute message: flags %#x", flags);
    out->type_shared = flags & 1;
    out->space_shared = flags & 2;
    size_t name_size = ts_rd_u16(&r);
    out->type_size = ts_rd_u16(&r);
    out->space_size = ts_rd_u16(&r);
    unsigned cset = out->version == 3 ? ts_rd_u8(&r) : H5T_CSET_ASCII;
    if (cset > H5T_CSET_UTF8)
        return TS_ERR(ATTR, CANTDECODE, "attribute message: character set %u", cset);
    out->cset = (H5T_cset_t)cset;
    bool padded = out->version == 1;
    out->name = (const char *)field(&r, name_size, padded);
    if (r.bad || name_size == 0 || !memchr(out->name, 0, name_size))
        return TS_ERR(ATTR, CANTDECODE, "attribute message: the name of %zu bytes does not end", name_size);
    out->name_len = strlen(out->name);
    out->type = field(&r, out->type_size, padded);
    out->space = field(&r, out->space_size, padded);
    if (r.bad)
        return TS_ERR(ATTR, CANTDECODE, "attribute message \"%.64s\": %zu bytes are too few", out->name, size);
    out->data_size = ts_rd_left(&r);
    out->data = ts_rd_bytes(&r, out->data_size);
    return 0;
}

int ts_attr_info_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_attr_info *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_attr_info){.corder_index = HADDR_UNDEF};
    unsigned version = ts_rd_u8(&r), flags = ts_rd_u8(&r);
    if (!r.bad && version != 0)
        return TS_ERR(ATTR, VERSION, "attribute info message: version %u", version);
    if (flags & ~3u)
        return TS_ERR(ATTR, CANTDECODE, "attribute info message: flags %#x", flags);
    out->tracked = flags & 1;
    out->indexed = flags & 2;
    if (out->tracked)
        out->max_corder = ts_rd_u16(&r);
    out->heap = ts_rd_addr(&r, addr_size);
    out->name_index = ts_rd_addr(&r, addr_size);
    if (out->indexed)
        out->corder_index = ts_rd_addr(&r, addr_size);
    return r.bad ? TS_ERR(ATTR, CANTDECODE, "attribute info message: %zu bytes are too few", size) : 0;
}

static void put_field(struct ts_wr *w, const void *bytes, size_t size, bool padded)
{
    size_t from = w->size;
    ts_wr_bytes(w, bytes, size);
    if (padded)
        ts_put_align(w, from);
}

int ts_attr_msg_encode(const struct ts_attr_msg *msg, struct ts_wr *w)
{
    if (msg->version < 1 || msg->version > 3)
        return TS_ERR(ATTR, VERSION, "attribute message: version %u", msg->version);
    if ((msg->version == 1 && (msg->type_shared || msg->space_shared)) ||
        (msg->version < 3 && msg->cset != H5T_CSET_ASCII))
        return TS_ERR(ATTR, CANTENCODE, "attribute message \"%.64s\": version %u cannot say shared or UTF-8", msg->name,
                      msg->version);
    bool padded = msg->version == 1;
    ts_wr_u8(w, (uint8_t)msg->version);
    ts_wr_u8(w, (uint8_t)(msg->type_shared | msg->space_shared << 1));
    ts_put_uint(w, (uint64_t)msg->name_len + 1, 2);
    ts_put_uint(w, msg->type_size, 2);
    ts_put_uint(w, msg->space_size, 2);
    if (msg->version == 3)
        ts_wr_u8(w, (uint8_t)msg->cset);
    put_field(w, msg->name, msg->name_len + 1, padded);
    put_field(w, msg->type, msg->type_size, padded);
    put_field(w, msg->space, msg->space_size, padded);
    ts_wr_bytes(w, msg->data, msg->data_size);
    return ts_put_end(w);
}

int ts_attr_info_encode(const struct ts_attr_info *info, unsigned addr_size, struct ts_wr *w)
{
    ts_wr_u8(w, 0);
    ts_wr_u8(w, (uint8_t)(info->tracked | info->indexed << 1));
    if (info->tracked)
        ts_put_uint(w, info->max_corder, 2);
    ts_put_addr(w, info->heap, addr_size);
    ts_put_addr(w, info->name_index, addr_size);
    if (info->indexed)
        ts_put_addr(w, info->corder_index, addr_size);
    return ts_put_end(w);
}
