#include "format/fill.h"

#include <stdbool.h>

#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

static int read_value(struct ts_rd *r, struct ts_fill_msg *out)
{
    uint32_t size = ts_rd_u32(r);
    /* A negative size marks an undefined value in version 1. */
    if (size > INT32_MAX) {
        out->state = H5D_FILL_VALUE_UNDEFINED;
        return 0;
    }
    out->value = ts_rd_bytes(r, size);
    out->size = size;
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "fill value message: a value of %u bytes is cut off", (unsigned)size);
    out->state = size ? H5D_FILL_VALUE_USER_DEFINED : H5D_FILL_VALUE_DEFAULT;
    return 0;
}

static int check_times(const struct ts_fill_msg *out)
{
    if ((int)out->alloc_time > H5D_ALLOC_TIME_INCR || (int)out->fill_time > H5D_FILL_TIME_IFSET)
        return TS_ERR(OHDR, CANTDECODE, "fill value message: allocation time %d, write time %d", (int)out->alloc_time,
                      (int)out->fill_time);
    return 0;
}

static int decode_v1(struct ts_rd *r, struct ts_fill_msg *out)
{
    out->alloc_time = (H5D_alloc_time_t)ts_rd_u8(r);
    out->fill_time = (H5D_fill_time_t)ts_rd_u8(r);
    unsigned defined = ts_rd_u8(r);
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "fill value message: too short");
    if (check_times(out) < 0)
        return -1;
    out->state = H5D_FILL_VALUE_UNDEFINED;
    return defined ? read_value(r, out) : 0;
}

static int decode_v3(struct ts_rd *r, struct ts_fill_msg *out)
{
    unsigned flags = ts_rd_u8(r);
    if (r->bad || flags & 0xC0 || (flags & 0x30) == 0x30)
        return TS_ERR(OHDR, CANTDECODE, "fill value message: flags %#x", flags);
    out->alloc_time = (H5D_alloc_time_t)(flags & 3);
    out->fill_time = (H5D_fill_time_t)(flags >> 2 & 3);
    if (check_times(out) < 0)
        return -1;
    out->state = flags & 0x10 ? H5D_FILL_VALUE_UNDEFINED : H5D_FILL_VALUE_DEFAULT;
    return flags & 0x20 ? read_value(r, out) : 0;
}

int ts_fill_decode(const uint8_t *buf, size_t size, struct ts_fill_msg *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_fill_msg){.state = H5D_FILL_VALUE_DEFAULT};
    unsigned version = ts_rd_u8(&r);
    out->version = version;
    if (version == 1 || version == 2)
        return decode_v1(&r, out);
    if (version == 3)
        return decode_v3(&r, out);
    return TS_ERR(OHDR, VERSION, "fill value message: version %u", version);
}

int ts_fill_decode_old(const uint8_t *buf, size_t size, struct ts_fill_msg *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    *out = (struct ts_fill_msg){
        .alloc_time = H5D_ALLOC_TIME_DEFAULT, .fill_time = H5D_FILL_TIME_IFSET, .state = H5D_FILL_VALUE_DEFAULT};
    if (read_value(&r, out) < 0)
        return -1;
    /* It is written for values that a user gave: one without a value says nothing. */
    if (out->size == 0)
        out->state = H5D_FILL_VALUE_UNDEFINED;
    return 0;
}

static void put_value(const struct ts_fill_msg *msg, struct ts_wr *w)
{
    size_t size = msg->state == H5D_FILL_VALUE_USER_DEFINED ? msg->size : 0;
    ts_put_uint(w, size, 4);
    ts_wr_bytes(w, msg->value, size);
}

static void encode_v3(const struct ts_fill_msg *msg, struct ts_wr *w)
{
    bool value = msg->state == H5D_FILL_VALUE_USER_DEFINED, none = msg->state == H5D_FILL_VALUE_UNDEFINED;
    ts_wr_u8(w, (uint8_t)((unsigned)msg->alloc_time | (unsigned)msg->fill_time << 2 | (none ? 0x10u : 0) |
                          (value ? 0x20u : 0)));
    if (value)
        put_value(msg, w);
}

static void encode_v1(const struct ts_fill_msg *msg, struct ts_wr *w)
{
    bool defined = msg->state != H5D_FILL_VALUE_UNDEFINED;
    ts_wr_u8(w, (uint8_t)msg->alloc_time);
    ts_wr_u8(w, (uint8_t)msg->fill_time);
    ts_wr_u8(w, defined);
    if (defined || msg->version == 1)
        put_value(msg, w);
}

int ts_fill_encode(const struct ts_fill_msg *msg, struct ts_wr *w)
{
    if (msg->version > 3)
        return TS_ERR(OHDR, VERSION, "fill value message: version %u", msg->version);
    if (msg->version == 0) {
        put_value(msg, w);
        return ts_put_end(w);
    }
    if (check_times(msg) < 0)
        return -1;
    ts_wr_u8(w, (uint8_t)msg->version);
    if (msg->version == 3)
        encode_v3(msg, w);
    else
        encode_v1(msg, w);
    return ts_put_end(w);
}
