/*
 * Numbers of any layout, bit by bit: integers of any precision and offset, floats of any fields, in every byte order.
 * One element is read into a 128-bit integer, taken apart, put together in the other layout and stored. The rules of
 * rounding and the exceptions are HDF5's, also where they are surprising; the comments say so.
 */
#include "type/conv_bits.h"

#include <string.h>

typedef ts_wide wide;

static wide low_ones(unsigned n)
{
    return n >= 128 ? ~(wide)0 : ((wide)1 << n) - 1;
}

static unsigned bit_length(wide v)
{
    uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
    if (high)
        return 128 - (unsigned)__builtin_clzll(high);
    return low ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

/* Between memory in the type's order and little-endian bytes; the same permutation in both directions. */
static void reorder(const struct ts_num_side *s, const uint8_t *from, uint8_t *to)
{
    if (s->order == H5T_ORDER_LE)
        memcpy(to, from, s->size);
    else if (s->order == H5T_ORDER_BE)
        for (unsigned i = 0; i < s->size; i++)
            to[s->size - 1 - i] = from[i];
    else
        for (unsigned i = 0; i < s->size; i++)
            to[(s->size - 1 - i) ^ 1u] = from[i];
}

static uint64_t little64(uint64_t v)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap64(v);
}

/* The usual sizes in the usual orders, without going byte by byte. */
static bool load_word(const struct ts_num_side *s, const uint8_t *p, uint64_t *v)
{
    uint16_t v16;
    uint32_t v32;
    bool big = s->order == H5T_ORDER_BE;
    if ((s->order != H5T_ORDER_LE && !big) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return false;
    switch (s->size) {
    case 2:
        memcpy(&v16, p, sizeof v16);
        *v = big ? __builtin_bswap16(v16) : v16;
        return true;
    case 4:
        memcpy(&v32, p, sizeof v32);
        *v = big ? __builtin_bswap32(v32) : v32;
        return true;
    case 8:
        memcpy(v, p, sizeof *v);
        *v = big ? __builtin_bswap64(*v) : *v;
        return true;
    default:
        return false;
    }
}

static bool store_word(const struct ts_num_side *s, uint64_t v, uint8_t *p)
{
    bool big = s->order == H5T_ORDER_BE;
    if ((s->order != H5T_ORDER_LE && !big) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return false;
    if (s->size != 2 && s->size != 4 && s->size != 8)
        return false;
    if (big)
        v = __builtin_bswap64(v) >> (64 - 8 * s->size);
    if (s->size == 2)
        memcpy(p, &v, 2);
    else if (s->size == 4)
        memcpy(p, &v, 4);
    else
        memcpy(p, &v, 8);
    return true;
}

static wide load(const struct ts_num_side *s, const uint8_t *p)
{
    uint8_t bytes[TS_NUM_MAX] = {0};
    uint64_t word;
    if (load_word(s, p, &word))
        return word;
    uint64_t half[2];
    reorder(s, p, bytes);
    memcpy(half, bytes, sizeof half);
    return (wide)little64(half[1]) << 64 | little64(half[0]);
}

/* `value` is at its place already; what lies outside the precision is padding. */
static void store(const struct ts_num_side *s, wide value, uint8_t *p)
{
    wide below = low_ones(s->offset), inside = low_ones(s->offset + s->precision), whole = low_ones(8 * s->size);
    wide v = value & inside & ~below;
    if (s->lsb_pad == H5T_PAD_BACKGROUND || s->msb_pad == H5T_PAD_BACKGROUND) {
        wide old = load(s, p);
        v |= s->lsb_pad == H5T_PAD_BACKGROUND ? old & below : 0;
        v |= s->msb_pad == H5T_PAD_BACKGROUND ? old & whole & ~inside : 0;
    }
    v |= s->lsb_pad == H5T_PAD_ONE ? below : 0;
    v |= s->msb_pad == H5T_PAD_ONE ? whole & ~inside : 0;
    if (store_word(s, (uint64_t)v, p))
        return;
    uint64_t half[2] = {little64((uint64_t)v), little64((uint64_t)(v >> 64))};
    uint8_t bytes[TS_NUM_MAX];
    memcpy(bytes, half, sizeof bytes);
    reorder(s, bytes, p);
}

/* The padding is written over what the application stored, as if that were in little-endian order. */
static void repad(const struct ts_num *num, uint8_t *dst)
{
    struct ts_num_side plain = num->dst;
    plain.order = H5T_ORDER_LE;
    store(&plain, load(&plain, dst), dst);
}

static wide load_magnitude(const struct ts_num_side *s, const uint8_t *p, bool *negative)
{
    wide v = load(s, p) >> s->offset & low_ones(s->precision);
    *negative = s->is_signed && v >> (s->precision - 1) & 1;
    return *negative ? (~v + 1) & low_ones(s->precision) : v;
}

static void store_magnitude(const struct ts_num_side *s, wide magnitude, bool negative, uint8_t *p)
{
    store(s, (negative ? ~magnitude + 1 : magnitude) << s->offset, p);
}

static wide int_max(const struct ts_num_side *s)
{
    return low_ones(s->precision - s->is_signed);
}

static void store_extreme(const struct ts_num_side *s, bool negative, uint8_t *p)
{
    if (negative)
        store_magnitude(s, s->is_signed ? int_max(s) + 1 : 0, true, p);
    else
        store_magnitude(s, int_max(s), false, p);
}

static int int_to_int(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    bool negative;
    wide magnitude = load_magnitude(&num->src, src, &negative), max = int_max(&num->dst);
    bool fits = negative ? num->dst.is_signed && magnitude - 1 <= max : magnitude <= max;
    if (fits) {
        store_magnitude(&num->dst, magnitude, negative, dst);
        return TS_NO_EXCEPT;
    }
    store_extreme(&num->dst, negative, dst);
    return negative ? H5T_CONV_EXCEPT_RANGE_LOW : H5T_CONV_EXCEPT_RANGE_HI;
}

static int bitfield_to_bitfield(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    wide v = load(&num->src, src) >> num->src.offset & low_ones(num->src.precision);
    store(&num->dst, v << num->dst.offset, dst);
    /* Reported for the types, not for the value. */
    return num->src.precision > num->dst.precision ? (int)H5T_CONV_EXCEPT_RANGE_HI : TS_NO_EXCEPT;
}

static uint64_t top_exponent(const struct ts_float *f)
{
    return (uint64_t)low_ones((unsigned)f->esize);
}

/* Bits of the significand after the point. */
static unsigned fraction_bits(const struct ts_float *f)
{
    return (unsigned)f->msize - (f->norm != H5T_NORM_IMPLIED);
}

struct ts_parts ts_num_take_apart(const struct ts_num_side *s, const uint8_t *p)
{
    const struct ts_float *f = &s->flt;
    wide v = load(s, p), m = v >> f->mpos & low_ones((unsigned)f->msize);
    uint64_t e = (uint64_t)(v >> f->epos & low_ones((unsigned)f->esize));
    struct ts_parts x = {.negative = v >> f->sign & 1, .mantissa = m};
    wide fraction = m & low_ones(fraction_bits(f));
    if (e == top_exponent(f)) {
        x.kind = fraction ? TS_FLOAT_NOT_A_NUMBER : TS_FLOAT_INFINITE;
        return x;
    }
    x.kind = m || (e && f->norm == H5T_NORM_IMPLIED) ? TS_FLOAT_FINITE : TS_FLOAT_ZERO;
    if (f->norm == H5T_NORM_IMPLIED && e)
        x.mantissa |= (wide)1 << f->msize;
    x.exponent = (int64_t)(e || f->norm != H5T_NORM_IMPLIED ? e : 1) - (int64_t)f->ebias - (int64_t)fraction_bits(f);
    return x;
}

static void put_together(const struct ts_num_side *s, bool negative, uint64_t e, wide m, uint8_t *p)
{
    const struct ts_float *f = &s->flt;
    wide v = (wide)negative << f->sign | (wide)e << f->epos | (m & low_ones((unsigned)f->msize)) << f->mpos;
    if (f->pad == H5T_PAD_ONE) {
        wide fields =
            (wide)1 << f->sign | low_ones((unsigned)f->esize) << f->epos | low_ones((unsigned)f->msize) << f->mpos;
        v |= ~fields;
    }
    store(s, v, p);
}

static void store_infinity(const struct ts_num_side *s, bool negative, uint8_t *p)
{
    const struct ts_float *f = &s->flt;
    wide m = f->norm == H5T_NORM_IMPLIED ? 0 : (wide)1 << (f->msize - 1);
    put_together(s, negative, top_exponent(f), m, p);
}

static wide shifted(wide v, int64_t left)
{
    if (left >= 128 || left <= -128)
        return 0;
    return left >= 0 ? v << left : v >> -left;
}

static int float_to_int(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    const struct ts_num_side *d = &num->dst;
    struct ts_parts x = ts_num_take_apart(&num->src, src);
    int64_t top = (int64_t)bit_length(x.mantissa) - 1 + x.exponent;
    if (x.kind == TS_FLOAT_NOT_A_NUMBER) {
        store(d, 0, dst);
        return H5T_CONV_EXCEPT_NAN;
    }
    if (x.kind == TS_FLOAT_INFINITE && x.negative && d->is_signed) {
        store(d, (wide)1 << (d->precision - 1), dst); /* sic: the offset does not count */
        return H5T_CONV_EXCEPT_NINF;
    }
    if (x.kind == TS_FLOAT_INFINITE) {
        store_extreme(d, x.negative, dst);
        return x.negative ? H5T_CONV_EXCEPT_NINF : H5T_CONV_EXCEPT_PINF;
    }
    if (x.kind == TS_FLOAT_ZERO || top < 0) {
        store(d, 0, dst);
        return TS_NO_EXCEPT;
    }
    wide magnitude = shifted(x.mantissa, x.exponent);
    /* The least negative number counts as out of range, with the same result. */
    if (top >= 128 || magnitude > int_max(d) || (x.negative && !d->is_signed)) {
        store_extreme(d, x.negative, dst);
        return x.negative ? H5T_CONV_EXCEPT_RANGE_LOW : H5T_CONV_EXCEPT_RANGE_HI;
    }
    store_magnitude(d, magnitude, x.negative, dst);
    /* Reported whenever the significand reaches behind the point, even with zeros. */
    return x.exponent < 0 ? (int)H5T_CONV_EXCEPT_TRUNCATE : TS_NO_EXCEPT;
}

int ts_num_store_magnitude(const struct ts_num_side *d, wide m, unsigned shift, bool negative, uint8_t *dst)
{
    const struct ts_float *f = &d->flt;
    unsigned length = bit_length(m), keep = fraction_bits(f) + 1;
    if (m == 0) {
        put_together(d, false, 0, 0, dst);
        return TS_NO_EXCEPT;
    }
    int except = length > keep ? (int)H5T_CONV_EXCEPT_PRECISION : TS_NO_EXCEPT;
    uint64_t e = f->ebias + length - 1 + shift;
    if (length > keep) {
        unsigned cut = length - keep;
        wide rest = m & low_ones(cut), half = (wide)1 << (cut - 1);
        m >>= cut;
        if (rest > half || (rest == half && (m & 1)))
            m++;
        if (m >> keep) {
            m >>= 1;
            e++;
        }
    } else {
        m <<= keep - length;
    }
    if (e >= top_exponent(f)) {
        store_infinity(d, negative, dst);
        return except == TS_NO_EXCEPT ? (int)H5T_CONV_EXCEPT_RANGE_HI : TS_EXCEPTS(except, H5T_CONV_EXCEPT_RANGE_HI);
    }
    put_together(d, negative, e, m, dst);
    return except;
}

static int int_to_float(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    bool negative;
    wide m = load_magnitude(&num->src, src, &negative);
    return ts_num_store_magnitude(&num->dst, m, 0, negative, dst);
}

static int store_finite(const struct ts_num_side *d, const struct ts_parts *x, uint8_t *dst)
{
    const struct ts_float *f = &d->flt;
    unsigned fraction = fraction_bits(f), length = bit_length(x->mantissa);
    int64_t e = x->exponent + (int64_t)length - 1 + (int64_t)f->ebias;
    if (e >= (int64_t)top_exponent(f)) {
        store_infinity(d, x->negative, dst);
        return H5T_CONV_EXCEPT_RANGE_HI;
    }
    bool denormal = e <= 0;
    /* How far the mantissa must move for its last bit to be the last of the destination. */
    int64_t left = denormal ? x->exponent + (int64_t)f->ebias - 1 + fraction : (int64_t)fraction + 1 - (int64_t)length;
    wide m = shifted(x->mantissa, left);
    if (left < 0 && -left <= 128 && shifted(x->mantissa, left + 1) & 1) {
        m++;
        if (denormal && (int64_t)length + left > 0 && m >> ((int64_t)length + left))
            m >>= 1; /* sic: the carry is lost */
        else if (m >> (fraction + 1)) {
            m >>= 1;
            e++;
        }
        if (e >= (int64_t)top_exponent(f)) {
            e--; /* sic: the largest number, not infinity */
            m = low_ones(fraction + 1);
        }
    }
    put_together(d, x->negative, denormal ? 0 : (uint64_t)e, m, dst);
    return TS_NO_EXCEPT;
}

static int float_to_float(const struct ts_num *num, const uint8_t *src, uint8_t *dst)
{
    const struct ts_num_side *d = &num->dst;
    struct ts_parts x = ts_num_take_apart(&num->src, src);
    switch (x.kind) {
    case TS_FLOAT_ZERO:
        put_together(d, x.negative, 0, 0, dst);
        return TS_NO_EXCEPT;
    case TS_FLOAT_INFINITE:
        store_infinity(d, x.negative, dst);
        return x.negative ? H5T_CONV_EXCEPT_NINF : H5T_CONV_EXCEPT_PINF;
    case TS_FLOAT_NOT_A_NUMBER:
        put_together(d, x.negative, top_exponent(&d->flt), ~(wide)0, dst);
        return H5T_CONV_EXCEPT_NAN;
    case TS_FLOAT_FINITE:
        break;
    }
    return store_finite(d, &x, dst);
}

bool ts_num_is_usable(const struct ts_num_side *s, unsigned max_size)
{
    const struct ts_float *f = &s->flt;
    size_t bits = 8 * (size_t)s->size;
    if (s->size > max_size || s->precision == 0 || s->precision > bits || s->offset > bits - s->precision)
        return false;
    if (s->order == H5T_ORDER_VAX ? s->size % 2 != 0 : s->order != H5T_ORDER_LE && s->order != H5T_ORDER_BE)
        return false;
    if (s->cls != H5T_FLOAT)
        return true;
    /* One bit of headroom in the arithmetic, and exponents that fit an int64_t with room to spare. */
    return f->sign < bits && f->esize > 0 && f->esize < 60 && f->epos <= bits && f->esize <= bits - f->epos &&
           f->msize > (f->norm != H5T_NORM_IMPLIED) && f->msize < 127 && f->mpos <= bits &&
           f->msize <= bits - f->mpos && f->ebias < UINT64_C(1) << 60;
}

ts_num_one *ts_num_short_one(const struct ts_num *num)
{
    bool to_float = num->dst.cls == H5T_FLOAT;
    if (num->src.cls == H5T_BITFIELD || num->dst.cls == H5T_BITFIELD)
        return num->src.cls == num->dst.cls ? bitfield_to_bitfield : NULL;
    if (num->src.cls == H5T_FLOAT)
        return to_float ? float_to_float : float_to_int;
    return to_float ? int_to_float : int_to_int;
}

bool ts_num_bits(struct ts_num *num)
{
    if (!ts_num_is_usable(&num->src, TS_NUM_MAX) || !ts_num_is_usable(&num->dst, TS_NUM_MAX))
        return false;
    num->one = ts_num_short_one(num);
    num->repad = num->src.cls == H5T_FLOAT ? NULL : repad;
    return num->one != NULL;
}
