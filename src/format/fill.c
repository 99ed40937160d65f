#include "format/fill.h"

#include "base/cursor.h"
#include "base/error.h"

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
