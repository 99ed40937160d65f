/* Every ordered pair of numeric types over edge values, with and without an exception callback. One line per pair and
 * mode: number of exceptions by kind, a hash of the results and a hash of the exceptions in their order. With two type
 * names as arguments the program prints every value of that pair instead. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#define MAX_TYPES 64
#define MAX_VALUES 8192
#define MAX_SIZE 16

struct named_type {
    const char *name;
    hid_t id;
};

struct seen {
    int mode;
    bool verbose;
    size_t src_size, dst_size;
    unsigned count[8];
    uint64_t hash;
};

enum { MODE_NONE, MODE_UNHANDLED, MODE_HANDLED, MODE_MIXED, MODE_COUNT };

static struct named_type types[MAX_TYPES];
static size_t n_types;
static unsigned char values[MAX_VALUES * MAX_SIZE], work[MAX_VALUES * MAX_SIZE];
static size_t n_values;

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * UINT64_C(0x100000001b3);
    return h;
}

static void hex(const unsigned char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", b[i]);
}

static H5T_conv_ret_t on_except(H5T_conv_except_t kind, hid_t src, hid_t dst, void *from, void *to, void *data)
{
    struct seen *s = data;
    unsigned char k = (unsigned char)kind;
    (void)src;
    (void)dst;
    s->count[k & 7]++;
    s->hash = mix(mix(s->hash, &k, 1), from, s->src_size);
    if (s->verbose) {
        printf("  except %d src ", (int)kind);
        hex(from, s->src_size);
        printf("\n");
    }
    if (s->mode == MODE_UNHANDLED || (s->mode == MODE_MIXED && (s->count[k & 7] & 1)))
        return H5T_CONV_UNHANDLED;
    for (size_t i = 0; i < s->dst_size; i++)
        ((unsigned char *)to)[i] = (unsigned char)(0xa0 + kind + i);
    return H5T_CONV_HANDLED;
}

static void add(const char *name, hid_t id)
{
    types[n_types++] = (struct named_type){name, id};
}

static hid_t odd(hid_t base, size_t size, size_t precision, size_t offset, H5T_order_t order)
{
    hid_t t = H5Tcopy(base);
    H5Tset_size(t, size);
    H5Tset_precision(t, precision);
    H5Tset_offset(t, offset);
    H5Tset_order(t, order);
    return t;
}

static hid_t pads(hid_t t, H5T_pad_t low, H5T_pad_t high)
{
    H5Tset_pad(t, low, high);
    return t;
}

static hid_t tiny_float(size_t size, size_t precision, size_t offset, size_t exponent, H5T_norm_t norm)
{
    hid_t t = H5Tcopy(H5T_IEEE_F64LE);
    size_t mantissa = precision - 1 - exponent;
    H5Tset_fields(t, offset + precision - 1, offset + mantissa, exponent, offset, mantissa);
    H5Tset_precision(t, offset + precision);
    H5Tset_size(t, size);
    H5Tset_offset(t, offset);
    H5Tset_precision(t, precision);
    H5Tset_ebias(t, ((size_t)1 << (exponent - 1)) - 1);
    H5Tset_norm(t, norm);
    return t;
}

static void make_types(void)
{
    add("i8", H5T_NATIVE_SCHAR);
    add("u8", H5T_NATIVE_UCHAR);
    add("i16", H5T_NATIVE_SHORT);
    add("u16", H5T_NATIVE_USHORT);
    add("i32", H5T_NATIVE_INT);
    add("u32", H5T_NATIVE_UINT);
    add("i64", H5T_NATIVE_LONG);
    add("u64", H5T_NATIVE_ULLONG);
    add("f32", H5T_NATIVE_FLOAT);
    add("f64", H5T_NATIVE_DOUBLE);
    add("f80", H5T_NATIVE_LDOUBLE);
    add("i16be", H5T_STD_I16BE);
    add("u16be", H5T_STD_U16BE);
    add("i32be", H5T_STD_I32BE);
    add("u32be", H5T_STD_U32BE);
    add("i64be", H5T_STD_I64BE);
    add("u64be", H5T_STD_U64BE);
    add("f32be", H5T_IEEE_F32BE);
    add("f64be", H5T_IEEE_F64BE);
    add("i24", odd(H5T_NATIVE_INT, 3, 24, 0, H5T_ORDER_LE));
    add("u24be", odd(H5T_NATIVE_UINT, 3, 24, 0, H5T_ORDER_BE));
    add("i12o3", pads(odd(H5T_NATIVE_SHORT, 2, 12, 3, H5T_ORDER_LE), H5T_PAD_ONE, H5T_PAD_ZERO));
    add("u20o5be", pads(odd(H5T_NATIVE_UINT, 4, 20, 5, H5T_ORDER_BE), H5T_PAD_ZERO, H5T_PAD_ONE));
    add("i17in8", odd(H5T_NATIVE_LONG, 8, 17, 30, H5T_ORDER_LE));
    add("i56", odd(H5T_NATIVE_LONG, 7, 56, 0, H5T_ORDER_LE));
    add("u63", odd(H5T_NATIVE_ULONG, 8, 63, 0, H5T_ORDER_LE));
    add("i1", odd(H5T_NATIVE_SCHAR, 1, 1, 0, H5T_ORDER_LE));
    add("u128", odd(H5T_NATIVE_ULONG, 16, 128, 0, H5T_ORDER_LE));
    add("i100", odd(H5T_NATIVE_LONG, 16, 100, 11, H5T_ORDER_BE));
    add("f16", tiny_float(2, 16, 0, 5, H5T_NORM_IMPLIED));
    add("bf16", tiny_float(2, 16, 0, 8, H5T_NORM_IMPLIED));
    add("f20o2", tiny_float(3, 20, 2, 6, H5T_NORM_IMPLIED));
    add("vax32", H5T_VAX_F32);
    add("vax64", H5T_VAX_F64);
    add("b8", H5T_STD_B8LE);
    add("b16be", H5T_STD_B16BE);
    add("b32", H5T_STD_B32LE);
    add("b64", H5T_STD_B64LE);
    add("b11o2", pads(odd(H5T_STD_B16LE, 2, 11, 2, H5T_ORDER_LE), H5T_PAD_ONE, H5T_PAD_ONE));
}

/* The bits of a value (low word, high word) shifted to the type's offset and stored in its byte order. */
static void put(hid_t t, uint64_t low, uint64_t high)
{
    size_t size = H5Tget_size(t), precision = H5Tget_precision(t);
    size_t offset = (size_t)H5Tget_offset(t);
    unsigned char le[MAX_SIZE], *to = values + n_values * size;
    H5T_order_t order = H5Tget_order(t);
    if (n_values == MAX_VALUES)
        abort();
    memset(le, 0, sizeof le);
    for (size_t i = 0; i < precision; i++)
        if ((i < 64 ? low >> i : high >> (i - 64)) & 1)
            le[(i + offset) / 8] |= (unsigned char)(1u << (i + offset) % 8);
    for (size_t i = 0; i < size; i++)
        to[i] = order == H5T_ORDER_BE ? le[size - 1 - i] : order == H5T_ORDER_VAX ? le[(size - 1 - i) ^ 1] : le[i];
    n_values++;
}

static void int_values(hid_t t)
{
    size_t precision = H5Tget_precision(t);
    static const uint64_t deltas[] = {0, 1, 2, UINT64_MAX, UINT64_MAX - 1, 0x55, 0x12345};
    for (size_t k = 0; k < precision; k++)
        for (size_t d = 0; d < sizeof deltas / sizeof *deltas; d++) {
            uint64_t low = k < 64 ? UINT64_C(1) << k : 0, high = k < 64 ? 0 : UINT64_C(1) << (k - 64);
            uint64_t sum = low + deltas[d], up = high + (deltas[d] >> 63 ? UINT64_MAX : 0) + (sum < low);
            put(t, sum, up);
            put(t, ~sum, ~up);
        }
    put(t, 0, 0);
}

static void float_value(hid_t t, uint64_t e, uint64_t m, bool negative)
{
    size_t spos, epos, esize, mpos, msize, offset = (size_t)H5Tget_offset(t);
    unsigned __int128 v = 0;
    H5Tget_fields(t, &spos, &epos, &esize, &mpos, &msize);
    v = (unsigned __int128)(msize < 64 ? m & ((UINT64_C(1) << msize) - 1) : m) << (mpos - offset);
    v |= (unsigned __int128)e << (epos - offset);
    v |= (unsigned __int128)negative << (spos - offset);
    put(t, (uint64_t)v, (uint64_t)(v >> 64));
}

static void float_values(hid_t t)
{
    size_t spos, epos, esize, mpos, msize;
    H5Tget_fields(t, &spos, &epos, &esize, &mpos, &msize);
    uint64_t bias = (uint64_t)H5Tget_ebias(t), top = (UINT64_C(1) << esize) - 1;
    uint64_t half = UINT64_C(1) << (msize - 1), all = half | (half - 1);
    const uint64_t mantissas[] = {0,
                                  1,
                                  half,
                                  half + 1,
                                  half - 1,
                                  all,
                                  all - 1,
                                  all - 5,
                                  half >> 1,
                                  half | half >> 1,
                                  UINT64_C(0x123456789abcdef) & all,
                                  all & ~(all >> 11),
                                  all & ~(all >> 8),
                                  all & ~(all >> 24),
                                  all & ~(all >> 25)};
    bool explicit_bit = H5Tget_norm(t) != H5T_NORM_IMPLIED;
    for (uint64_t e = 0; e <= top; e++) {
        bool near = e <= 2 || top - e <= 2 || (e + 4 >= bias && e <= bias + 66);
        near = near || (e + 26 >= bias && e <= bias - 13) || (e + 128 >= bias && e <= bias - 125);
        near = near || e == bias - 1022 || e == bias - 1023 || e == bias - 149 || e == bias - 151 || e == bias + 127;
        near = near || e == bias + 1023 || e == bias + 1024 || e == bias + 128 || e == bias - 1074;
        for (size_t i = 0; near && i < sizeof mantissas / sizeof *mantissas; i++)
            for (int s = 0; s < 2; s++)
                float_value(t, e, explicit_bit && e != 0 ? mantissas[i] | half : mantissas[i], s);
    }
}

static void make_values(hid_t t)
{
    n_values = 0;
    memset(values, 0, sizeof values);
    if (H5Tget_class(t) == H5T_FLOAT)
        float_values(t);
    else
        int_values(t);
}

/* What lies behind the ten bytes of a long double is not part of the result. */
static void clear_padding(hid_t t, unsigned char *buf, size_t n)
{
    size_t size = H5Tget_size(t);
    for (size_t i = 0; size == 16 && H5Tget_class(t) == H5T_FLOAT && i < n; i++)
        memset(buf + i * size + 10, 0, 6);
}

/* Floats one by one: the stock library forgets a carry in all that follows a denormal number in the same call. */
static herr_t convert(hid_t s, hid_t d, hid_t dxpl)
{
    size_t ss = H5Tget_size(s), ds = H5Tget_size(d);
    if (H5Tget_class(s) != H5T_FLOAT || H5Tget_class(d) != H5T_FLOAT)
        return H5Tconvert(s, d, n_values, work, NULL, dxpl);
    for (size_t i = 0; i < n_values; i++) {
        unsigned char one[MAX_SIZE] = {0};
        memcpy(one, values + i * ss, ss);
        if (H5Tconvert(s, d, 1, one, NULL, dxpl) < 0)
            return -1;
        memcpy(work + i * ds, one, ds);
    }
    return 0;
}

static void show(const struct named_type *s, const struct named_type *d)
{
    size_t ss = H5Tget_size(s->id), ds = H5Tget_size(d->id);
    printf("%s -> %s\n", s->name, d->name);
    memcpy(work, values, n_values * ss);
    convert(s->id, d->id, H5P_DEFAULT);
    clear_padding(d->id, work, n_values);
    for (size_t i = 0; i < n_values; i++) {
        hex(values + i * ss, ss);
        printf(" -> ");
        hex(work + i * ds, ds);
        printf("\n");
    }
}

/* Where the stock library has no result to compare with: it overruns its stack for integers of more than 64 bits,
 * leaves bits of the mantissa in infinities, loses the high bytes of negative numbers and carries of denormal ones. */
static bool stock_breaks(hid_t s, hid_t d)
{
    bool from_float = H5Tget_class(s) == H5T_FLOAT, to_float = H5Tget_class(d) == H5T_FLOAT;
    if (H5Tget_class(s) == H5T_INTEGER && to_float)
        return H5Tget_precision(s) > 64 || H5Tget_precision(s) - (H5Tget_sign(s) == H5T_SGN_2) > H5Tget_ebias(d);
    bool short_range = from_float && H5Tget_ebias(s) < 127;
    return short_range && (to_float ? H5Tget_precision(d) == 16 && H5Tget_ebias(d) == 127 : H5Tget_precision(d) > 50);
}

static void run_pair(const struct named_type *s, const struct named_type *d, bool verbose)
{
    size_t ss = H5Tget_size(s->id), ds = H5Tget_size(d->id);
    for (int mode = MODE_NONE; mode < MODE_COUNT; mode++) {
        struct seen seen = {
            .mode = mode, .src_size = ss, .dst_size = ds, .verbose = verbose, .hash = 1469598103934665603u};
        hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
        if (mode != MODE_NONE)
            H5Pset_type_conv_cb(dxpl, on_except, &seen);
        if (verbose && mode == MODE_NONE)
            show(s, d);
        memset(work, 0, sizeof work);
        memcpy(work, values, n_values * ss);
        herr_t rc = convert(s->id, d->id, dxpl);
        printf("%s -> %s mode %d: rc %d, %zu values, exceptions", s->name, d->name, mode, (int)rc, n_values);
        for (int k = 0; k < 7; k++)
            printf(" %u", seen.count[k]);
        printf(", in order %016llx", (unsigned long long)seen.hash);
        clear_padding(d->id, work, n_values);
        uint64_t h = rc < 0 ? 0 : mix(1469598103934665603u, work, n_values * ds);
        printf(", result %016llx\n", (unsigned long long)h);
        H5Pclose(dxpl);
    }
}

int main(int argc, char **argv)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_types();
    for (size_t i = 0; i < n_types; i++) {
        if (argc == 3 && strcmp(argv[1], types[i].name) != 0)
            continue;
        make_values(types[i].id);
        for (size_t j = 0; j < n_types; j++)
            if ((argc != 3 || strcmp(argv[2], types[j].name) == 0) && !stock_breaks(types[i].id, types[j].id))
                run_pair(&types[i], &types[j], argc == 3);
    }
    return 0;
}
