/*
 * Direct conversions between the native numbers of C: one function per ordered pair for many elements, one for a single
 * element with its exception. The results are those of HDF5, which are C's casts where these are defined, with
 * clamping; where they are not, what the x86 instructions give.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "type/conv_internal.h"

/* Each list twice, because a macro does not expand inside itself. */
/* clang-format off */
#define INTEGERS_1(X, ...)                                                                                             \
    X(i8, __VA_ARGS__)                                                                                                 \
    X(u8, __VA_ARGS__) X(i16, __VA_ARGS__) X(u16, __VA_ARGS__) X(i32, __VA_ARGS__) X(u32, __VA_ARGS__)                 \
        X(i64, __VA_ARGS__) X(u64, __VA_ARGS__)
#define INTEGERS_2(X, ...)                                                                                             \
    X(i8, __VA_ARGS__)                                                                                                 \
    X(u8, __VA_ARGS__) X(i16, __VA_ARGS__) X(u16, __VA_ARGS__) X(i32, __VA_ARGS__) X(u32, __VA_ARGS__)                 \
        X(i64, __VA_ARGS__) X(u64, __VA_ARGS__)
/* clang-format on */
#define FLOATS_1(X, ...) X(f32, __VA_ARGS__) X(f64, __VA_ARGS__) X(f80, __VA_ARGS__)
#define FLOATS_2(X, ...) X(f32, __VA_ARGS__) X(f64, __VA_ARGS__) X(f80, __VA_ARGS__)

typedef int8_t t_i8;
typedef uint8_t t_u8;
typedef int16_t t_i16;
typedef uint16_t t_u16;
typedef int32_t t_i32;
typedef uint32_t t_u32;
typedef int64_t t_i64;
typedef uint64_t t_u64;
typedef float t_f32;
typedef double t_f64;
typedef long double t_f80;

enum {
    SIGNED_i8 = 1,
    SIGNED_u8 = 0,
    SIGNED_i16 = 1,
    SIGNED_u16 = 0,
    SIGNED_i32 = 1,
    SIGNED_u32 = 0,
    SIGNED_i64 = 1,
    SIGNED_u64 = 0
};
enum {
    BITS_i8 = 7,
    BITS_u8 = 8,
    BITS_i16 = 15,
    BITS_u16 = 16,
    BITS_i32 = 31,
    BITS_u32 = 32,
    BITS_i64 = 63,
    BITS_u64 = 64
};
enum { BITS_f32 = FLT_MANT_DIG, BITS_f64 = DBL_MANT_DIG, BITS_f80 = LDBL_MANT_DIG };

#define MIN_i8 INT8_MIN
#define MIN_u8 0
#define MIN_i16 INT16_MIN
#define MIN_u16 0
#define MIN_i32 INT32_MIN
#define MIN_u32 0
#define MIN_i64 INT64_MIN
#define MIN_u64 0
#define MAX_i8 INT8_MAX
#define MAX_u8 UINT8_MAX
#define MAX_i16 INT16_MAX
#define MAX_u16 UINT16_MAX
#define MAX_i32 INT32_MAX
#define MAX_u32 UINT32_MAX
#define MAX_i64 INT64_MAX
#define MAX_u64 UINT64_MAX
#define MAX_f32 FLT_MAX
#define MAX_f64 DBL_MAX
#define MAX_f80 LDBL_MAX

/* What x86 makes of a NaN that is cast to an integer: the indefinite value of the instruction's width, cut. The old
 * floating-point unit, which long double uses, has one more width. */
#define NAN_i8(s) 0
#define NAN_u8(s) 0
#define NAN_i16(s) (sizeof(t_##s) > 8 ? INT16_MIN : 0)
#define NAN_u16(s) 0
#define NAN_i32(s) INT32_MIN
#define NAN_u32(s) 0
#define NAN_i64(s) INT64_MIN
#define NAN_u64(s) (UINT64_C(1) << 63)

/* The padding of a long double is not part of its value but of its bytes. */
#define STORE_PLAIN(p, v) memcpy((p), &(v), sizeof(v))
#define STORE_i8 STORE_PLAIN
#define STORE_u8 STORE_PLAIN
#define STORE_i16 STORE_PLAIN
#define STORE_u16 STORE_PLAIN
#define STORE_i32 STORE_PLAIN
#define STORE_u32 STORE_PLAIN
#define STORE_i64 STORE_PLAIN
#define STORE_u64 STORE_PLAIN
#define STORE_f32 STORE_PLAIN
#define STORE_f64 STORE_PLAIN
#define STORE_f80(p, v) (memset((p), 0, sizeof(v)), memcpy((p), &(v), 10))

/* `flavour` names the rules: hard, or soft as in conv_bits.c. value_<flavour>_<s>_<d>(v) is the result without a
 * callback. */
#define MANY(flavour, s, d)                                                                                            \
    static void many_##flavour##_##s##_##d(const struct ts_lane *lane)                                                 \
    {                                                                                                                  \
        const uint8_t *restrict src = lane->src;                                                                       \
        uint8_t *restrict dst = lane->dst;                                                                             \
        size_t n = lane->n, src_stride = lane->src_stride, dst_stride = lane->dst_stride;                              \
        if (src_stride == sizeof(t_##s) && dst_stride == sizeof(t_##d)) {                                              \
            for (size_t i = 0; i < n; i++) {                                                                           \
                t_##s v;                                                                                               \
                memcpy(&v, src + i * sizeof v, sizeof v);                                                              \
                t_##d r = value_##flavour##_##s##_##d(v);                                                              \
                STORE_##d(dst + i * sizeof r, r);                                                                      \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                                               \
            t_##s v;                                                                                                   \
            memcpy(&v, src + i * src_stride, sizeof v);                                                                \
            t_##d r = value_##flavour##_##s##_##d(v);                                                                  \
            STORE_##d(dst + i * dst_stride, r);                                                                        \
        }                                                                                                              \
    }

#define ONE(s, d)                                                                                                      \
    static int one_##s##_##d(const struct ts_num *num, const uint8_t *src, uint8_t *dst)                               \
    {                                                                                                                  \
        t_##s v;                                                                                                       \
        (void)num;                                                                                                     \
        memcpy(&v, src, sizeof v);                                                                                     \
        t_##d r = value_hard_##s##_##d(v);                                                                             \
        int except = except_##s##_##d(v, &r);                                                                          \
        STORE_##d(dst, r);                                                                                             \
        return except;                                                                                                 \
    }

/* Integer to integer: the part of the source's range that fits. */
#define LOW(s, d) (t_##s)(SIGNED_##s && (!SIGNED_##d || (int)BITS_##s > (int)BITS_##d) ? MIN_##d : MIN_##s)
#define HIGH(s, d) (t_##s)((int)BITS_##s > (int)BITS_##d ? MAX_##d : MAX_##s)

#define INT_TO_INT(d, s)                                                                                               \
    static inline t_##d value_hard_##s##_##d(t_##s v)                                                                  \
    {                                                                                                                  \
        const t_##s low = LOW(s, d), high = HIGH(s, d);                                                                \
        return (t_##d)(v < low ? low : v > high ? high : v);                                                           \
    }                                                                                                                  \
    static inline int except_##s##_##d(t_##s v, t_##d *r)                                                              \
    {                                                                                                                  \
        const t_##s low = LOW(s, d), high = HIGH(s, d);                                                                \
        (void)r;                                                                                                       \
        return v < low ? (int)H5T_CONV_EXCEPT_RANGE_LOW : v > high ? (int)H5T_CONV_EXCEPT_RANGE_HI : TS_NO_EXCEPT;     \
    }                                                                                                                  \
    MANY(hard, s, d)                                                                                                   \
    ONE(s, d)
#define INT_TO_INTS(s, ...) INTEGERS_2(INT_TO_INT, s)
INTEGERS_1(INT_TO_INTS, )

/* Integer to float. Precision is said to be lost when the distance of the outermost bits set in the source, a negative
 * one taken as it is stored, is more than the significand holds. */
static inline int bit_span(uint64_t v)
{
    return v ? 64 - __builtin_clzll(v) - __builtin_ctzll(v) : 0;
}

#define RAW_i8(v) (uint8_t)(v)
#define RAW_u8(v) (v)
#define RAW_i16(v) (uint16_t)(v)
#define RAW_u16(v) (v)
#define RAW_i32(v) (uint32_t)(v)
#define RAW_u32(v) (v)
#define RAW_i64(v) (uint64_t)(v)
#define RAW_u64(v) (v)

#define INT_TO_FLOAT(d, s)                                                                                             \
    static inline t_##d value_hard_##s##_##d(t_##s v)                                                                  \
    {                                                                                                                  \
        return (t_##d)v;                                                                                               \
    }                                                                                                                  \
    static inline int except_##s##_##d(t_##s v, t_##d *r)                                                              \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        return bit_span(RAW_##s(v)) > BITS_##d ? (int)H5T_CONV_EXCEPT_PRECISION : TS_NO_EXCEPT;                        \
    }                                                                                                                  \
    MANY(hard, s, d)                                                                                                   \
    ONE(s, d)
#define INT_TO_FLOATS(s, ...) FLOATS_2(INT_TO_FLOAT, s)
INTEGERS_1(INT_TO_FLOATS, )

/* Float to integer. (t_s)MAX_d is a power of two, one more than MAX_d, when the significand is shorter than the
 * integer: that very value is not clamped without a callback, but wraps. */
#define ROUNDED_UP(s, d) ((int)BITS_##d > (int)BITS_##s)
#define MIN_IN(s, d) ((t_##s)MIN_##d)
#define MAX_IN(s, d) ((t_##s)MAX_##d)

#define FLOAT_TO_INT(d, s)                                                                                             \
    static inline t_##d value_hard_##s##_##d(t_##s v)                                                                  \
    {                                                                                                                  \
        if (v > MAX_IN(s, d))                                                                                          \
            return MAX_##d;                                                                                            \
        if (v < MIN_IN(s, d))                                                                                          \
            return MIN_##d;                                                                                            \
        if (ROUNDED_UP(s, d) && v == MAX_IN(s, d))                                                                     \
            return MIN_##d;                                                                                            \
        return v != v ? (t_##d)NAN_##d(s) : (t_##d)v;                                                                  \
    }                                                                                                                  \
    static inline int except_##s##_##d(t_##s v, t_##d *r)                                                              \
    {                                                                                                                  \
        if (v > MAX_IN(s, d) || (ROUNDED_UP(s, d) && v == MAX_IN(s, d))) {                                             \
            *r = MAX_##d;                                                                                              \
            return H5T_CONV_EXCEPT_RANGE_HI;                                                                           \
        }                                                                                                              \
        if (v < MIN_IN(s, d))                                                                                          \
            return H5T_CONV_EXCEPT_RANGE_LOW;                                                                          \
        return v != (t_##s) * r ? (int)H5T_CONV_EXCEPT_TRUNCATE : TS_NO_EXCEPT;                                        \
    }                                                                                                                  \
    static inline t_##d value_soft_##s##_##d(t_##s v)                                                                  \
    {                                                                                                                  \
        if (v > MAX_IN(s, d) || (ROUNDED_UP(s, d) && v == MAX_IN(s, d)))                                               \
            return MAX_##d;                                                                                            \
        if (v < MIN_IN(s, d))                                                                                          \
            return MIN_##d;                                                                                            \
        return v != v ? 0 : (t_##d)v;                                                                                  \
    }                                                                                                                  \
    MANY(hard, s, d)                                                                                                   \
    MANY(soft, s, d)                                                                                                   \
    ONE(s, d)
#define FLOAT_TO_INTS(s, ...) INTEGERS_2(FLOAT_TO_INT, s)
FLOATS_1(FLOAT_TO_INTS, )

/* Float to float. */
#define WIDEN(s, d)                                                                                                    \
    static inline t_##d value_hard_##s##_##d(t_##s v)                                                                  \
    {                                                                                                                  \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline int except_##s##_##d(t_##s v, t_##d *r)                                                              \
    {                                                                                                                  \
        (void)v;                                                                                                       \
        (void)r;                                                                                                       \
        return TS_NO_EXCEPT;                                                                                           \
    }                                                                                                                  \
    MANY(hard, s, d)                                                                                                   \
    ONE(s, d)
WIDEN(f32, f64)
WIDEN(f32, f80)
WIDEN(f64, f80)

#define NARROW(s, d)                                                                                                   \
    static inline t_##d value_hard_##s##_##d(t_##s v)                                                                  \
    {                                                                                                                  \
        return v > (t_##s)MAX_##d ? (t_##d)INFINITY : v < -(t_##s)MAX_##d ? -(t_##d)INFINITY : (t_##d)v;               \
    }                                                                                                                  \
    static inline int except_##s##_##d(t_##s v, t_##d *r)                                                              \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        return v > (t_##s)MAX_##d    ? (int)H5T_CONV_EXCEPT_RANGE_HI                                                   \
               : v < -(t_##s)MAX_##d ? (int)H5T_CONV_EXCEPT_RANGE_LOW                                                  \
                                     : TS_NO_EXCEPT;                                                                   \
    }                                                                                                                  \
    MANY(hard, s, d)                                                                                                   \
    ONE(s, d)
NARROW(f64, f32)
NARROW(f80, f32)
NARROW(f80, f64)

static inline t_f64 value_soft_f32_f64(t_f32 v)
{
    if (v == v)
        return v;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint64_t all = (uint64_t)(bits >> 31) << 63 | UINT64_C(0x7fffffffffffffff);
    t_f64 r;
    memcpy(&r, &all, sizeof r);
    return r;
}
MANY(soft, f32, f64)

/* Half precision, which C does not have, but data does: its exponent is moved by a multiplication, which is exact, and
 * which makes denormal numbers normal. */
typedef uint16_t t_f16;

static inline t_f32 value_soft_f16_f32(t_f16 v)
{
    uint32_t bits = (uint32_t)(v & 0x7fff) << 13, special = v & 0x3ff ? 0x7fffffff : 0x7f800000;
    t_f32 r;
    memcpy(&r, &bits, sizeof r);
    r *= 0x1p112f;
    memcpy(&bits, &r, sizeof bits);
    bits = ((v & 0x7c00) == 0x7c00 ? special : bits) | (uint32_t)(v & 0x8000) << 16;
    memcpy(&r, &bits, sizeof r);
    return r;
}
MANY(soft, f16, f32)

static inline t_f64 value_soft_f16_f64(t_f16 v)
{
    return value_soft_f32_f64(value_soft_f16_f32(v));
}
MANY(soft, f16, f64)

enum native { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f80, NATIVES };

struct pair {
    ts_num_one *one;
    ts_num_many *hard, *soft;
};

static const struct pair pairs[NATIVES][NATIVES] = {
#define FROM_INT(d, s) [s][d] = {one_##s##_##d, many_hard_##s##_##d, many_hard_##s##_##d},
#define FROM_FLOAT(d, s) [s][d] = {one_##s##_##d, many_hard_##s##_##d, many_soft_##s##_##d},
#define FROM_INTS(s, ...) INTEGERS_2(FROM_INT, s) FLOATS_2(FROM_INT, s)
#define FROM_FLOATS(s, ...) INTEGERS_2(FROM_FLOAT, s)
    INTEGERS_1(FROM_INTS, ) FLOATS_1(FROM_FLOATS, )[f32][f64] = {one_f32_f64, many_hard_f32_f64, many_soft_f32_f64},
    [f32][f80] = {one_f32_f80, many_hard_f32_f80, NULL},
    [f64][f80] = {one_f64_f80, many_hard_f64_f80, NULL},
    [f64][f32] = {one_f64_f32, many_hard_f64_f32, NULL},
    [f80][f32] = {one_f80_f32, many_hard_f80_f32, NULL},
    [f80][f64] = {one_f80_f64, many_hard_f80_f64, NULL},
};

static bool float_is(const struct ts_num_side *s, unsigned esize, unsigned msize, H5T_norm_t norm)
{
    const struct ts_float *f = &s->flt;
    return s->precision == 1 + esize + msize && f->sign == esize + msize && f->epos == msize && f->esize == esize &&
           f->mpos == 0 && f->msize == msize && f->norm == norm && f->ebias == (UINT64_C(1) << (esize - 1)) - 1;
}

/* Which native number it is but for the byte order; NATIVES when none. */
static enum native native_of(const struct ts_num_side *s)
{
    if (s->offset != 0 || (s->order != H5T_ORDER_LE && s->order != H5T_ORDER_BE))
        return NATIVES;
    if (s->cls == H5T_INTEGER) {
        bool whole = s->size <= 8 && (s->size & (s->size - 1)) == 0 && s->precision == 8 * s->size;
        unsigned log2 = s->size == 8 ? 3 : s->size / 2;
        return whole ? (enum native)(2 * log2 + !s->is_signed) : NATIVES;
    }
    if (s->cls != H5T_FLOAT)
        return NATIVES;
    if (s->size == 4 && float_is(s, 8, 23, H5T_NORM_IMPLIED))
        return f32;
    if (s->size == 8 && float_is(s, 11, 52, H5T_NORM_IMPLIED))
        return f64;
    return s->size == 16 && sizeof(long double) == 16 && float_is(s, 15, 64, H5T_NORM_NONE) ? f80 : NATIVES;
}

static bool foreign_order(const struct ts_num_side *s)
{
    H5T_order_t native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? H5T_ORDER_LE : H5T_ORDER_BE;
    return s->order != native;
}

bool ts_num_side_is_native(const struct ts_num_side *side)
{
    return native_of(side) != NATIVES && !foreign_order(side);
}

bool ts_num_native(struct ts_num *num)
{
    enum native s = native_of(&num->src), d = native_of(&num->dst);
    if (s == NATIVES || d == NATIVES || !pairs[s][d].one || foreign_order(&num->src) || foreign_order(&num->dst))
        return false;
    num->hard = true;
    num->one = pairs[s][d].one;
    num->many = pairs[s][d].hard;
    return true;
}

static ts_num_many *soft_pair(const struct ts_num_side *src, enum native d)
{
    enum native s = native_of(src);
    bool half = src->cls == H5T_FLOAT && src->size == 2 && src->offset == 0 && src->order != H5T_ORDER_VAX &&
                float_is(src, 5, 10, H5T_NORM_IMPLIED);
    if (half && (d == f32 || d == f64))
        return d == f32 ? many_soft_f16_f32 : many_soft_f16_f64;
    return s == NATIVES || d == NATIVES || s == f80 || d == f80 ? NULL : pairs[s][d].soft;
}

bool ts_num_swapped(struct ts_num *num)
{
    num->many = soft_pair(&num->src, native_of(&num->dst));
    if (!num->many)
        return false;
    num->swap_src = num->src.size > 1 && foreign_order(&num->src);
    num->swap_dst = num->dst.size > 1 && foreign_order(&num->dst);
    return true;
}
