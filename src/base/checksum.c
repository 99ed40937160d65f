#include "base/checksum.h"

#include <endian.h>
#include <string.h>

struct state {
    uint32_t a, b, c;
};

static uint32_t rotl(uint32_t v, unsigned k)
{
    return v << k | v >> (32 - k);
}

static void mix(struct state *s)
{
    s->a -= s->c, s->a ^= rotl(s->c, 4), s->c += s->b;
    s->b -= s->a, s->b ^= rotl(s->a, 6), s->a += s->c;
    s->c -= s->b, s->c ^= rotl(s->b, 8), s->b += s->a;
    s->a -= s->c, s->a ^= rotl(s->c, 16), s->c += s->b;
    s->b -= s->a, s->b ^= rotl(s->a, 19), s->a += s->c;
    s->c -= s->b, s->c ^= rotl(s->b, 4), s->b += s->a;
}

static void final(struct state *s)
{
    s->c ^= s->b, s->c -= rotl(s->b, 14);
    s->a ^= s->c, s->a -= rotl(s->c, 11);
    s->b ^= s->a, s->b -= rotl(s->a, 25);
    s->c ^= s->b, s->c -= rotl(s->b, 16);
    s->a ^= s->c, s->a -= rotl(s->c, 4);
    s->b ^= s->a, s->b -= rotl(s->a, 14);
    s->c ^= s->b, s->c -= rotl(s->b, 24);
}

/* Up to four bytes, missing ones as zero. */
static uint32_t word(const uint8_t *p, size_t n)
{
    uint32_t v = 0;
    if (n >= sizeof v) {
        memcpy(&v, p, sizeof v);
        return le32toh(v);
    }
    for (size_t i = n; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static void add(struct state *s, const uint8_t *p, size_t n)
{
    s->a += word(p, n);
    s->b += n > 4 ? word(p + 4, n - 4) : 0;
    s->c += n > 8 ? word(p + 8, n - 8) : 0;
}

uint32_t ts_checksum(const void *data, size_t size)
{
    return ts_checksum_from(data, size, 0);
}

uint32_t ts_checksum_from(const void *data, size_t size, uint32_t initial)
{
    const uint8_t *p = data;
    uint32_t seed = 0xdeadbeef + (uint32_t)size + initial;
    struct state s = {seed, seed, seed};
    while (size > 12) {
        add(&s, p, 12);
        mix(&s);
        p += 12;
        size -= 12;
    }
    if (size == 0)
        return s.c;
    add(&s, p, size);
    final(&s);
    return s.c;
}
