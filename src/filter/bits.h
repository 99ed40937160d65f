/* A stream of bits, the most significant of each byte first. */
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

#endif
