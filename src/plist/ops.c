/* Coding values of plain types, and what strings need. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "plist/engine.h"

void ts_prop_write_size(struct ts_wr *w, uint64_t v)
{
    unsigned n = ts_bytes_for(v);
    ts_wr_u8(w, (uint8_t)n);
    ts_wr_uint(w, v, n);
}

uint64_t ts_prop_read_size(struct ts_rd *r)
{
    unsigned n = ts_rd_u8(r);
    if (n > 8)
        r->bad = true;
    return r->bad ? 0 : ts_rd_uint(r, n);
}

char *ts_prop_read_string(struct ts_rd *r, size_t n)
{
    const uint8_t *at = ts_rd_bytes(r, n);
    return at ? ts_strndup((const char *)at, n) : NULL;
}

static int damaged(void)
{
    return TS_ERR(PLIST, CANTDECODE, "encoded property list: the value ends early or has an impossible width");
}

static void byte_encode(const void *value, size_t size, struct ts_wr *w)
{
    ts_wr_bytes(w, value, size);
}

static int byte_decode(struct ts_rd *r, void *value, size_t size)
{
    const uint8_t *at = ts_rd_bytes(r, size);
    if (!at)
        return damaged();
    memcpy(value, at, size);
    return 0;
}

static void enum_encode(const void *value, size_t size, struct ts_wr *w)
{
    int v;
    (void)size;
    memcpy(&v, value, sizeof v);
    ts_wr_u8(w, (uint8_t)v);
}

static int enum_decode(struct ts_rd *r, void *value, size_t size)
{
    int v = ts_rd_u8(r);
    (void)size;
    memcpy(value, &v, sizeof v);
    return r->bad ? damaged() : 0;
}

/* One or more of them: the length byte once, then all. */
static void unsigned_encode(const void *value, size_t size, struct ts_wr *w)
{
    ts_wr_u8(w, sizeof(unsigned));
    for (size_t i = 0; i < size; i += sizeof(unsigned)) {
        unsigned v;
        memcpy(&v, (const char *)value + i, sizeof v);
        ts_wr_u32(w, v);
    }
}

static int unsigned_decode(struct ts_rd *r, void *value, size_t size)
{
    if (ts_rd_u8(r) != sizeof(unsigned))
        return damaged();
    for (size_t i = 0; i < size; i += sizeof(unsigned)) {
        unsigned v = ts_rd_u32(r);
        memcpy((char *)value + i, &v, sizeof v);
    }
    return r->bad ? damaged() : 0;
}

static void size_encode(const void *value, size_t size, struct ts_wr *w)
{
    uint64_t v;
    (void)size;
    memcpy(&v, value, sizeof v);
    ts_prop_write_size(w, v);
}

static int size_decode(struct ts_rd *r, void *value, size_t size)
{
    uint64_t v = ts_prop_read_size(r);
    (void)size;
    memcpy(value, &v, sizeof v);
    return r->bad ? damaged() : 0;
}

static void double_encode(const void *value, size_t size, struct ts_wr *w)
{
    ts_wr_u8(w, sizeof(double));
    for (size_t i = 0; i < size; i += sizeof(double)) {
        uint64_t bits;
        memcpy(&bits, (const char *)value + i, sizeof bits);
        ts_wr_u64(w, bits);
    }
}

static int double_decode(struct ts_rd *r, void *value, size_t size)
{
    if (ts_rd_u8(r) != sizeof(double))
        return damaged();
    for (size_t i = 0; i < size; i += sizeof(double)) {
        uint64_t bits = ts_rd_u64(r);
        memcpy((char *)value + i, &bits, sizeof bits);
    }
    return r->bad ? damaged() : 0;
}

static int string_copy(void *value)
{
    char **s = value;
    if (!*s)
        return 0;
    *s = ts_strdup(*s);
    return *s ? 0 : -1;
}

static void string_close(void *value)
{
    ts_free(*(char **)value);
}

static int string_cmp(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    return strcmp(x ? x : "", y ? y : "");
}

static bool string_given(const void *value)
{
    return *(char *const *)value != NULL;
}

static void string_encode(const void *value, size_t size, struct ts_wr *w)
{
    const char *s = *(char *const *)value;
    size_t n = s ? strlen(s) : 0;
    (void)size;
    ts_prop_write_size(w, n);
    ts_wr_bytes(w, s, n);
}

static int string_decode(struct ts_rd *r, void *value, size_t size)
{
    uint64_t n = ts_prop_read_size(r);
    (void)size;
    *(char **)value = NULL;
    if (r->bad || n > ts_rd_left(r))
        return damaged();
    if (n == 0)
        return 0;
    *(char **)value = ts_prop_read_string(r, (size_t)n);
    return *(char **)value ? 0 : -1;
}

const struct ts_prop_ops ts_prop_plain = {0};
const struct ts_prop_ops ts_prop_byte = {.encode = byte_encode, .decode = byte_decode};
const struct ts_prop_ops ts_prop_enum = {.encode = enum_encode, .decode = enum_decode};
const struct ts_prop_ops ts_prop_unsigned = {.encode = unsigned_encode, .decode = unsigned_decode};
const struct ts_prop_ops ts_prop_size = {.encode = size_encode, .decode = size_decode};
const struct ts_prop_ops ts_prop_double = {.encode = double_encode, .decode = double_decode};
const struct ts_prop_ops ts_prop_string = {
    .copy = string_copy, .close = string_close, .cmp = string_cmp, .encode = string_encode, .decode = string_decode};
const struct ts_prop_ops ts_prop_given_string = {.copy = string_copy,
                                                 .close = string_close,
                                                 .cmp = string_cmp,
                                                 .encode = string_encode,
                                                 .decode = string_decode,
                                                 .given = string_given};
