#include "base/cursor.h"

#include "base/alloc.h"
#include "base/checksum.h"

bool ts_rd_checksum(struct ts_rd *r)
{
    uint32_t computed = r->bad ? 0 : ts_checksum(r->start, ts_rd_pos(r));
    uint32_t stored = ts_rd_u32(r);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    /* A fuzzer cannot guess checksums: without this it would never come past them. */
    stored = computed;
#endif
    return !r->bad && stored == computed;
}

void ts_wr_free(struct ts_wr *w)
{
    if (!w->lent)
        ts_free(w->data);
    *w = (struct ts_wr){0};
}

/* Most messages fit into the first buffer, so that few grow. */
enum { FIRST_CAPACITY = 64 };

static int move_out(struct ts_wr *w, size_t need)
{
    uint8_t *own = NULL;
    size_t capacity = 0;
    if (TS_GROW(own, capacity, need < 2 * TS_WR_ROOM ? 2 * TS_WR_ROOM : need) < 0)
        return -1;
    memcpy(own, w->data, w->size);
    w->data = own;
    w->capacity = capacity;
    w->lent = false;
    return 0;
}

static int make_room(struct ts_wr *w, size_t n)
{
    if (w->bad || n >= SIZE_MAX - w->size - FIRST_CAPACITY)
        return -1;
    /* Never an empty buffer, not even for no bytes: the result must point somewhere. */
    size_t need = w->size + n + (n == 0);
    if (w->lent)
        return move_out(w, need);
    return TS_GROW(w->data, w->capacity, need < FIRST_CAPACITY ? FIRST_CAPACITY : need);
}

uint8_t *ts_wr_reserve(struct ts_wr *w, size_t n)
{
    if ((w->bad || n >= w->capacity - w->size) && make_room(w, n) < 0) {
        w->bad = true;
        return NULL;
    }
    uint8_t *at = w->data + w->size;
    w->size += n;
    return at;
}

void ts_wr_bytes(struct ts_wr *w, const void *p, size_t n)
{
    uint8_t *at = ts_wr_reserve(w, n);
    if (at && n)
        memcpy(at, p, n);
}

void ts_wr_zeros(struct ts_wr *w, size_t n)
{
    uint8_t *at = ts_wr_reserve(w, n);
    if (at && n)
        memset(at, 0, n);
}

void ts_wr_uint_any(struct ts_wr *w, uint64_t v, unsigned width)
{
    uint8_t *at = ts_wr_reserve(w, width);
    if (!at)
        return;
    for (unsigned i = 0; i < width; i++)
        at[i] = i < 8 ? (uint8_t)(v >> 8 * i) : (uint8_t)(v == UINT64_MAX ? 0xff : 0);
}

void ts_wr_checksum(struct ts_wr *w, size_t from)
{
    ts_wr_u32(w, w->bad ? 0 : ts_checksum(w->data + from, w->size - from));
}
