/*
 * Numbers of more bytes than the arithmetic has: integers and bit fields bit by bit, and floats, whose fields are taken
 * out into a short one and put back. The rules are those of conv_bits.c.
 */
#include <string.h>

#include "type/conv_bits.h"

/* Where the byte with that significance lies. */
static size_t place(const struct ts_num_side *s, size_t byte)
{
    if (s->order == H5T_ORDER_LE)
        return byte;
    return s->size - 1 - (s->order == H5T_ORDER_BE ? byte : byte ^ 1u);
}

static bool bit(const struct ts_num_side *s, const uint8_t *p, size_t i)
{
    return p[place(s, i / 8)] >> (i % 8) & 1;
}

static void put(const struct ts_num_side *s, uint8_t *p, size_t i, bool value)
{
    uint8_t *byte = &p[place(s, i / 8)], mask = (uint8_t)(1u << (i % 8));
    *byte = value ? *byte | mask : *byte & (uint8_t)~mask;
}

static void put_run(const struct ts_num_side *s, uint8_t *p, size_t from, size_t to, H5T_pad_t pad)
{
    for (size_t i = from; i < to && pad != H5T_PAD_BACKGROUND; i++)
        put(s, p, i, pad == H5T_PAD_ONE);
}

static void put_padding(const struct ts_num_side *s, uint8_t *p)
{
    put_run(s, p, 0, s->offset, s->lsb_pad);
    put_run(s, p, (size_t)s->offset + s->precision, 8 * (size_t)s->size, s->msb_pad);
}

/* As if what the application stored were in little-endian order. */
static void repad(const struct ts_num *num, uint8_t *dst)
{
    struct ts_num_side plain = num->dst;
    plain.order = H5T_ORDER_LE;
    put_padding(&plain, dst);
}

static bool is_negative(const struct ts_num_side *s, const uint8_t *p)
{
    return s->is_signed && bit(s, p, (size_t)s->offset + s->precision - 1);
}

static void store_extreme(const struct ts_num_side *d, bool negative, uint8_t *p)
{
    unsigned top = d->precision - 1;
    for (unsigned i = 0; i < d->precision; i++) {
        bool highest = d->is_signed && i == top;
        put(d, p, (size_t)d->offset + i, negative ? highest : !highest);
    }
    put_padding(d, p);
}

static bool fits(const struct ts_num *num, const uint8_t *src, bool negative)
{
    const struct ts_num_side *s = &num->src, *d = &num->dst;
    if (negative && !d->is_signed)
        return false;
    for (unsigned i = d->precision - d->is_signed; i < s->precision; i++)
        if (bit(s, src, (size_t)s->offset + i) != negative)
            return false;
    return true;
}

static void copy_bits(const struct ts_num *num, const uint8_t *src, bool above, uint8_t *dst)
{
    const struct ts_num_side *s = &num->src, *d = &num->dst;
    for (unsigned i = 0; i < d->precision; i++)
        put(d, dst, (size_t)d->offset + i, i < s->precision ? bit(s, src, (size_t)s->offset + i) : above);
    put_padding(d, dst);
}

static int int_to_int(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    bool negative = is_negative(&num->src, src);
    if (fits(num, src, negative)) {
        copy_bits(num, src, negative, dst);
        return TS_NO_EXCEPT;
    }
    store_extreme(&num->dst, negative, dst);
    return negative ? H5T_CONV_EXCEPT_RANGE_LOW : H5T_CONV_EXCEPT_RANGE_HI;
}

static int bitfield_to_bitfield(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    copy_bits(num, src, false, dst);
    return num->src.precision > num->dst.precision ? (int)H5T_CONV_EXCEPT_RANGE_HI : TS_NO_EXCEPT;
}

/* Bits of the magnitude from the lowest on; a negative number is one more than its bits turned. */
struct magnitude {
    const struct ts_num_side *s;
    const uint8_t *p;
    bool negative;
    unsigned lowest; /* bit that is set */
};

static bool magnitude_bit(const struct magnitude *m, unsigned i)
{
    bool b = bit(m->s, m->p, (size_t)m->s->offset + i);
    return m->negative && i > m->lowest ? !b : b;
}

static int int_to_float(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    const struct ts_num_side *s = &num->src;
    struct magnitude m = {.s = s, .p = src, .negative = is_negative(s, src)};
    while (m.lowest < s->precision && !bit(s, src, (size_t)s->offset + m.lowest))
        m.lowest++;
    unsigned length = s->precision;
    while (length > 0 && !(m.lowest < s->precision && magnitude_bit(&m, length - 1)))
        length--;
    /* One bit for all those below. */
    unsigned shift = length > 128 ? length - 128 : 0;
    ts_wide v = 0;
    for (unsigned i = length; i-- > shift;)
        v = v << 1 | magnitude_bit(&m, i);
    if (shift > m.lowest)
        v |= 1;
    return ts_num_store_magnitude(&num->dst, v, shift, m.negative, dst);
}

/* Turns all bits and adds one. */
static void negate(const struct ts_num_side *d, uint8_t *p)
{
    bool carry = true;
    for (unsigned i = 0; i < d->precision; i++) {
        bool b = !bit(d, p, (size_t)d->offset + i);
        put(d, p, (size_t)d->offset + i, b != carry);
        carry = carry && b;
    }
}

static void store_finite(const struct ts_num_side *d, const struct ts_parts *x, uint8_t *dst)
{
    for (unsigned i = 0; i < d->precision; i++) {
        int64_t from = (int64_t)i - x->exponent;
        put(d, dst, (size_t)d->offset + i, from >= 0 && from < 128 && x->mantissa >> from & 1);
    }
    if (x->negative)
        negate(d, dst);
    put_padding(d, dst);
}

static int64_t top_bit(const struct ts_parts *x)
{
    int64_t top = 127;
    while (top >= 0 && !(x->mantissa >> top & 1))
        top--;
    return top + x->exponent;
}

static int float_to_int(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    const struct ts_num_side *d = &num->dst;
    struct ts_parts x = ts_num_take_apart(&num->src, src);
    const struct ts_parts zero = {.kind = TS_FLOAT_ZERO};
    int64_t top = top_bit(&x);
    if (x.kind == TS_FLOAT_INFINITE) {
        store_extreme(d, x.negative, dst);
        return x.negative ? H5T_CONV_EXCEPT_NINF : H5T_CONV_EXCEPT_PINF;
    }
    if (x.kind != TS_FLOAT_FINITE || top < 0) {
        store_finite(d, &zero, dst);
        return x.kind == TS_FLOAT_NOT_A_NUMBER ? (int)H5T_CONV_EXCEPT_NAN : TS_NO_EXCEPT;
    }
    if (top >= (int64_t)(d->precision - d->is_signed) || (x.negative && !d->is_signed)) {
        store_extreme(d, x.negative, dst);
        return x.negative ? H5T_CONV_EXCEPT_RANGE_LOW : H5T_CONV_EXCEPT_RANGE_HI;
    }
    store_finite(d, &x, dst);
    return x.exponent < 0 ? (int)H5T_CONV_EXCEPT_TRUNCATE : TS_NO_EXCEPT;
}

static bool is_long_float(const struct ts_num_side *s)
{
    return s->cls == H5T_FLOAT && s->size > TS_NUM_MAX;
}

/* The same fields without anything between and around them. */
static struct ts_num_side squeezed(const struct ts_num_side *s)
{
    struct ts_num_side out = {
        .cls = H5T_FLOAT, .size = TS_NUM_MAX, .precision = 8 * TS_NUM_MAX, .order = H5T_ORDER_LE, .flt = s->flt};
    out.flt.mpos = 0;
    out.flt.epos = s->flt.msize;
    out.flt.sign = s->flt.msize + s->flt.esize;
    out.flt.pad = H5T_PAD_ZERO;
    return out;
}

static void move_fields(const struct ts_num_side *s, const uint8_t *src, const struct ts_num_side *d, uint8_t *dst)
{
    const struct ts_float *from = &s->flt, *to = &d->flt;
    for (size_t i = 0; i < from->msize; i++)
        put(d, dst, to->mpos + i, bit(s, src, from->mpos + i));
    for (size_t i = 0; i < from->esize; i++)
        put(d, dst, to->epos + i, bit(s, src, from->epos + i));
    put(d, dst, to->sign, bit(s, src, from->sign));
}

static void expand(const struct ts_num_side *d, const uint8_t *fields, uint8_t *dst)
{
    const struct ts_num_side from = squeezed(d);
    put_run(d, dst, d->offset, (size_t)d->offset + d->precision, d->flt.pad);
    put_padding(d, dst);
    move_fields(&from, fields, d, dst);
}

static ts_num_one *choose(const struct ts_num *num)
{
    bool to_float = num->dst.cls == H5T_FLOAT;
    if (num->src.size <= TS_NUM_MAX && num->dst.size <= TS_NUM_MAX)
        return ts_num_short_one(num);
    if (num->src.cls == H5T_BITFIELD)
        return bitfield_to_bitfield;
    if (num->src.cls == H5T_FLOAT)
        return float_to_int;
    return to_float ? int_to_float : int_to_int;
}

static int any_to_any(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    struct ts_num n = *num;
    uint8_t from[TS_NUM_MAX] = {0}, to[TS_NUM_MAX] = {0}, *out = dst;
    if (is_long_float(&num->src)) {
        n.src = squeezed(&num->src);
        move_fields(&num->src, src, &n.src, from);
        src = from;
    }
    if (is_long_float(&num->dst)) {
        n.dst = squeezed(&num->dst);
        out = to;
    }
    int except = choose(&n)(&n, src, out);
    if (out == to)
        expand(&num->dst, to, dst);
    return except;
}

/* A short float has room for all fields. */
static bool can_squeeze(const struct ts_num_side *s)
{
    return !is_long_float(s) || s->flt.msize + s->flt.esize < 8 * TS_NUM_MAX;
}

bool ts_num_long(struct ts_num *num)
{
    if (num->src.size <= TS_NUM_MAX && num->dst.size <= TS_NUM_MAX)
        return false;
    if (!ts_num_is_usable(&num->src, TS_NUM_LONG_MAX) || !ts_num_is_usable(&num->dst, TS_NUM_LONG_MAX) ||
        !can_squeeze(&num->src) || !can_squeeze(&num->dst) || !ts_num_short_one(num))
        return false;
    num->one = any_to_any;
    num->repad = num->src.cls == H5T_FLOAT ? NULL : repad;
    return true;
}
