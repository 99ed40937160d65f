/* Reading and writing little-endian structures. Errors are sticky: read everything, check once at the end. */
#ifndef TS_BASE_CURSOR_H
#define TS_BASE_CURSOR_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ts_rd {
    const uint8_t *start, *p, *end;
    bool bad;
};

static inline struct ts_rd ts_rd_init(const void *buf, size_t size)
{
    const uint8_t *b = buf;
    return (struct ts_rd){.start = b, .p = b, .end = b + size};
}

static inline size_t ts_rd_left(const struct ts_rd *r)
{
    return (size_t)(r->end - r->p);
}

static inline size_t ts_rd_pos(const struct ts_rd *r)
{
    return (size_t)(r->p - r->start);
}

/* The next n bytes, borrowed from the buffer; NULL and a sticky error when there are fewer. */
static inline const uint8_t *ts_rd_bytes(struct ts_rd *r, size_t n)
{
    if (r->bad || n > ts_rd_left(r)) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *at = r->p;
    r->p += n;
    return at;
}

static inline void ts_rd_skip(struct ts_rd *r, size_t n)
{
    (void)ts_rd_bytes(r, n);
}

/* An unsigned integer of 0 to 8 bytes; 0 after an error. */
static inline uint64_t ts_rd_uint(struct ts_rd *r, unsigned width)
{
    const uint8_t *at = ts_rd_bytes(r, width);
    uint64_t v = 0;
    if (!at)
        return 0;
    /* Sizes that the compiler knows are one instruction each, and 8 is what nearly all addresses and lengths have. */
    switch (width) {
    case 2:
        memcpy(&v, at, 2);
        return le64toh(v);
    case 4:
        memcpy(&v, at, 4);
        return le64toh(v);
    case 8:
        memcpy(&v, at, 8);
        return le64toh(v);
    default:
        for (unsigned i = width; i-- > 0;)
            v = v << 8 | at[i];
        return v;
    }
}

static inline uint8_t ts_rd_u8(struct ts_rd *r)
{
    const uint8_t *at = ts_rd_bytes(r, 1);
    return at ? *at : 0;
}

static inline uint16_t ts_rd_u16(struct ts_rd *r)
{
    return (uint16_t)ts_rd_uint(r, 2);
}

static inline uint32_t ts_rd_u32(struct ts_rd *r)
{
    return (uint32_t)ts_rd_uint(r, 4);
}

static inline uint64_t ts_rd_u64(struct ts_rd *r)
{
    return ts_rd_uint(r, 8);
}

/* A file address or length of `width` bytes; all bits set means undefined and becomes UINT64_MAX (HADDR_UNDEF). */
static inline uint64_t ts_rd_addr(struct ts_rd *r, unsigned width)
{
    uint64_t v = ts_rd_uint(r, width);
    return width < 8 && v == (UINT64_C(1) << 8 * width) - 1 ? UINT64_MAX : v;
}

/* A NUL-terminated string inside the buffer, borrowed; the cursor moves behind the NUL. */
static inline const char *ts_rd_cstr(struct ts_rd *r)
{
    const uint8_t *nul = r->bad ? NULL : memchr(r->p, 0, ts_rd_left(r));
    if (!nul) {
        r->bad = true;
        return NULL;
    }
    return (const char *)ts_rd_bytes(r, (size_t)(nul - r->p) + 1);
}

static inline bool ts_rd_magic(struct ts_rd *r, const char magic[4])
{
    const uint8_t *at = ts_rd_bytes(r, 4);
    return at && memcmp(at, magic, 4) == 0;
}

/* Reads a stored checksum and compares it with that of everything before it in the buffer. */
bool ts_rd_checksum(struct ts_rd *r);

/* A buffer that grows as it is written. */
struct ts_wr {
    uint8_t *data;
    size_t size, capacity;
    bool bad;
    bool lent; /* data is somebody else's */
};

/* Memory for a buffer that nearly always stays small: only when it grows beyond that it has some of its own. */
enum { TS_WR_ROOM = 96 };
static inline struct ts_wr ts_wr_on(uint8_t room[TS_WR_ROOM])
{
    return (struct ts_wr){.data = room, .capacity = TS_WR_ROOM, .lent = true};
}

void ts_wr_free(struct ts_wr *w);
/* Room for n more bytes at the end, counted in size; NULL and a sticky error when memory is short. */
uint8_t *ts_wr_reserve(struct ts_wr *w, size_t n);
void ts_wr_bytes(struct ts_wr *w, const void *p, size_t n);
void ts_wr_zeros(struct ts_wr *w, size_t n);
void ts_wr_uint_any(struct ts_wr *w, uint64_t v, unsigned width);
/* Appends the checksum of everything from `from` to the end. */
void ts_wr_checksum(struct ts_wr *w, size_t from);

/* An unsigned integer of 0 to 8 bytes. Where there is room all 8 are written, whatever stands behind the number then:
 * one instruction for every width. */
static inline void ts_wr_uint(struct ts_wr *w, uint64_t v, unsigned width)
{
    uint64_t le = htole64(v);
    if (w->bad || width > sizeof le || w->capacity - w->size <= sizeof le) {
        ts_wr_uint_any(w, v, width);
        return;
    }
    memcpy(w->data + w->size, &le, sizeof le);
    w->size += width;
}

static inline void ts_wr_u8(struct ts_wr *w, uint8_t v)
{
    ts_wr_uint(w, v, 1);
}

static inline void ts_wr_u16(struct ts_wr *w, uint16_t v)
{
    ts_wr_uint(w, v, 2);
}

static inline void ts_wr_u32(struct ts_wr *w, uint32_t v)
{
    ts_wr_uint(w, v, 4);
}

static inline void ts_wr_u64(struct ts_wr *w, uint64_t v)
{
    ts_wr_uint(w, v, 8);
}

#endif
