/* Streams of bits, the most significant of each byte first. */
#ifndef TS_FILTER_BITS_H
#define TS_FILTER_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_bits {
    const uint8_t *p;
    size_t size, pos; /* pos in bits */
};

static inline bool ts_bits_have(const struct ts_bits *s, uint64_t n)
{
    return n <= (uint64_t)s->size * 8 - s->pos;
}

/* The next n bits, 64 at most, which must be there. */
static inline uint64_t ts_bits_get(struct ts_bits *s, unsigned n)
{
    uint64_t v = 0;
    while (n > 0) {
        unsigned used = s->pos % 8, left = 8 - used;
        unsigned now = n < left ? n : left;
        unsigned bits = (s->p[s->pos / 8] >> (left - now)) & ((1u << now) - 1);
        v = v << now | bits;
        s->pos += now;
        n -= now;
    }
    return v;
}

struct ts_bits_out {
    uint8_t *p;
    size_t size, at;  /* in bytes */
    uint64_t pending; /* the lowest `held` bits wait for their byte; always fewer than 8 between calls */
    unsigned held;
};

static inline bool ts_bits_room(const struct ts_bits_out *s, uint64_t n)
{
    return n <= (uint64_t)(s->size - s->at) * 8 - s->held;
}

/* The lowest n bits of v, 32 at most, for which there must be room. */
static inline void ts_bits_put32(struct ts_bits_out *s, uint64_t v, unsigned n)
{
    s->pending = s->pending << n | (v & ((UINT64_C(1) << n) - 1));
    s->held += n;
    while (s->held >= 8) {
        s->held -= 8;
        s->p[s->at++] = (uint8_t)(s->pending >> s->held);
    }
}

/* The same for 64 at most. */
static inline void ts_bits_put(struct ts_bits_out *s, uint64_t v, unsigned n)
{
    if (n > 32) {
        ts_bits_put32(s, v >> 32, n - 32);
        n = 32;
    }
    ts_bits_put32(s, v, n);
}

/* Closes the stream with a byte that holds the bits left over, or none: both packing filters always store one more.
 * There must be room for it. Returns the size in bytes. */
static inline size_t ts_bits_close(struct ts_bits_out *s)
{
    s->p[s->at++] = (uint8_t)(s->pending << (8 - s->held));
    return s->at;
}

#endif
