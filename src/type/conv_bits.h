/* What the bit by bit conversions of short and of long numbers share. */
#ifndef TS_TYPE_CONV_BITS_H
#define TS_TYPE_CONV_BITS_H

#include "type/conv_internal.h"

__extension__ typedef unsigned __int128 ts_wide;

enum ts_float_kind { TS_FLOAT_ZERO, TS_FLOAT_FINITE, TS_FLOAT_INFINITE, TS_FLOAT_NOT_A_NUMBER };

/* mantissa * 2^exponent */
struct ts_parts {
    enum ts_float_kind kind;
    bool negative;
    ts_wide mantissa;
    int64_t exponent;
};

/* Sizes, orders and fields that make sense, and that the arithmetic has room for. */
bool ts_num_is_usable(const struct ts_num_side *s, unsigned max_size);
/* The conversion between two numbers of at most TS_NUM_MAX bytes; NULL when there is none. */
ts_num_one *ts_num_short_one(const struct ts_num *num);
struct ts_parts ts_num_take_apart(const struct ts_num_side *s, const uint8_t *p);
/* Makes a float of m * 2^shift; its last bit stands for all that was cut off below when shift is not 0. */
int ts_num_store_magnitude(const struct ts_num_side *d, ts_wide m, unsigned shift, bool negative, uint8_t *dst);

#endif
