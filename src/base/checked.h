/* Arithmetic that says when it does not fit. True means the result is good. */
#ifndef TS_BASE_CHECKED_H
#define TS_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool ts_add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool ts_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool ts_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool ts_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Bytes needed to hold v: 1 for 0. */
static inline unsigned ts_bytes_for(uint64_t v)
{
    unsigned n = 1;
    while (v >>= 8)
        n++;
    return n;
}

/* floor(log2(v)); v must not be 0. */
static inline unsigned ts_log2_floor(uint64_t v)
{
    return 63u - (unsigned)__builtin_clzll(v);
}

static inline bool ts_is_power_of_2(uint64_t v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

static inline uint64_t ts_div_ceil(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
