/* H5T: the predefined datatypes. */
#include "hdf5.h"

#include "api/H5Tinternal.h"

/* name, size, byte order, sign */
/* clang-format off */
#define INTEGERS(X) \
    X(STD_I8BE, 1, BE, 2) X(STD_U8BE, 1, BE, NONE) X(STD_I8LE, 1, LE, 2) X(STD_U8LE, 1, LE, NONE) \
    X(STD_I16BE, 2, BE, 2) X(STD_U16BE, 2, BE, NONE) X(STD_I16LE, 2, LE, 2) X(STD_U16LE, 2, LE, NONE) \
    X(STD_I32BE, 4, BE, 2) X(STD_U32BE, 4, BE, NONE) X(STD_I32LE, 4, LE, 2) X(STD_U32LE, 4, LE, NONE) \
    X(STD_I64BE, 8, BE, 2) X(STD_U64BE, 8, BE, NONE) X(STD_I64LE, 8, LE, 2) X(STD_U64LE, 8, LE, NONE) \
    X(NATIVE_SCHAR, sizeof(signed char), LE, 2) X(NATIVE_UCHAR, sizeof(unsigned char), LE, NONE) \
    X(NATIVE_SHORT, sizeof(short), LE, 2) X(NATIVE_USHORT, sizeof(unsigned short), LE, NONE) \
    X(NATIVE_INT, sizeof(int), LE, 2) X(NATIVE_UINT, sizeof(unsigned), LE, NONE) X(NATIVE_LONG, sizeof(long), LE, 2) \
    X(NATIVE_ULONG, sizeof(unsigned long), LE, NONE) X(NATIVE_LLONG, sizeof(long long), LE, 2) \
    X(NATIVE_ULLONG, sizeof(unsigned long long), LE, NONE) X(NATIVE_HADDR, sizeof(haddr_t), LE, NONE) \
    X(NATIVE_HSIZE, sizeof(hsize_t), LE, NONE) X(NATIVE_HSSIZE, sizeof(hssize_t), LE, 2) \
    X(NATIVE_HERR, sizeof(herr_t), LE, 2) X(NATIVE_HBOOL, sizeof(hbool_t), LE, NONE) \
    X(NATIVE_INT8, sizeof(int8_t), LE, 2) X(NATIVE_UINT8, sizeof(uint8_t), LE, NONE) \
    X(NATIVE_INT_LEAST8, sizeof(int_least8_t), LE, 2) X(NATIVE_UINT_LEAST8, sizeof(uint_least8_t), LE, NONE) \
    X(NATIVE_INT_FAST8, sizeof(int_fast8_t), LE, 2) X(NATIVE_UINT_FAST8, sizeof(uint_fast8_t), LE, NONE) \
    X(NATIVE_INT16, sizeof(int16_t), LE, 2) X(NATIVE_UINT16, sizeof(uint16_t), LE, NONE) \
    X(NATIVE_INT_LEAST16, sizeof(int_least16_t), LE, 2) X(NATIVE_UINT_LEAST16, sizeof(uint_least16_t), LE, NONE) \
    X(NATIVE_INT_FAST16, sizeof(int_fast16_t), LE, 2) X(NATIVE_UINT_FAST16, sizeof(uint_fast16_t), LE, NONE) \
    X(NATIVE_INT32, sizeof(int32_t), LE, 2) X(NATIVE_UINT32, sizeof(uint32_t), LE, NONE) \
    X(NATIVE_INT_LEAST32, sizeof(int_least32_t), LE, 2) X(NATIVE_UINT_LEAST32, sizeof(uint_least32_t), LE, NONE) \
    X(NATIVE_INT_FAST32, sizeof(int_fast32_t), LE, 2) X(NATIVE_UINT_FAST32, sizeof(uint_fast32_t), LE, NONE) \
    X(NATIVE_INT64, sizeof(int64_t), LE, 2) X(NATIVE_UINT64, sizeof(uint64_t), LE, NONE) \
    X(NATIVE_INT_LEAST64, sizeof(int_least64_t), LE, 2) X(NATIVE_UINT_LEAST64, sizeof(uint_least64_t), LE, NONE) \
    X(NATIVE_INT_FAST64, sizeof(int_fast64_t), LE, 2) X(NATIVE_UINT_FAST64, sizeof(uint_fast64_t), LE, NONE)
/* clang-format on */

/* name, size, byte order */
/* clang-format off */
#define FLOATS(X) \
    X(IEEE_F16BE, 2, BE) X(IEEE_F16LE, 2, LE) X(IEEE_F32BE, 4, BE) X(IEEE_F32LE, 4, LE) X(IEEE_F64BE, 8, BE) \
    X(IEEE_F64LE, 8, LE) X(NATIVE_FLOAT16, 2, LE) X(NATIVE_FLOAT, sizeof(float), LE) \
    X(NATIVE_DOUBLE, sizeof(double), LE) X(NATIVE_LDOUBLE, sizeof(long double), LE) X(VAX_F32, 4, VAX) \
    X(VAX_F64, 8, VAX)
/* clang-format on */

/* name, size, byte order, bits of the exponent, of the mantissa */
/* clang-format off */
#define SMALL_FLOATS(X) \
    X(FLOAT_BFLOAT16BE, 2, BE, 8, 7) X(FLOAT_BFLOAT16LE, 2, LE, 8, 7) X(FLOAT_F8E4M3, 1, LE, 4, 3) X(FLOAT_F8E5M2, 1, LE, 5, 2) \
    X(FLOAT_F6E2M3, 1, LE, 2, 3) X(FLOAT_F6E3M2, 1, LE, 3, 2) X(FLOAT_F4E2M1, 1, LE, 2, 1)
/* clang-format on */

/* name, size of a part, byte order */
/* clang-format off */
#define COMPLEXES(X) \
    X(COMPLEX_IEEE_F16BE, 2, BE) X(COMPLEX_IEEE_F16LE, 2, LE) X(COMPLEX_IEEE_F32BE, 4, BE) X(COMPLEX_IEEE_F32LE, 4, LE) \
    X(COMPLEX_IEEE_F64BE, 8, BE) X(COMPLEX_IEEE_F64LE, 8, LE) X(NATIVE_FLOAT_COMPLEX, sizeof(float), LE) \
    X(NATIVE_DOUBLE_COMPLEX, sizeof(double), LE) X(NATIVE_LDOUBLE_COMPLEX, sizeof(long double), LE)

#define BITFIELDS(X) \
    X(STD_B8BE, 1, BE) X(STD_B8LE, 1, LE) X(STD_B16BE, 2, BE) X(STD_B16LE, 2, LE) X(STD_B32BE, 4, BE) \
    X(STD_B32LE, 4, LE) X(STD_B64BE, 8, BE) X(STD_B64LE, 8, LE) X(NATIVE_B8, 1, LE) X(NATIVE_B16, 2, LE) \
    X(NATIVE_B32, 4, LE) X(NATIVE_B64, 8, LE)

#define TIMES(X) \
    X(UNIX_D32BE, 4, BE) X(UNIX_D32LE, 4, LE) X(UNIX_D64BE, 8, BE) X(UNIX_D64LE, 8, LE)
/* clang-format on */

/* name, padding */
/* clang-format off */
#define STRINGS(X) \
    X(C_S1, NULLTERM) X(FORTRAN_S1, SPACEPAD)

#define REFERENCES(X) \
    X(STD_REF_OBJ, H5R_OBJECT1) X(STD_REF_DSETREG, H5R_DATASET_REGION1) X(STD_REF, H5R_OBJECT2)
/* clang-format on */

#define VARIABLE(name, ...) hid_t H5T_##name##_g = H5I_INVALID_HID;
INTEGERS(VARIABLE)
FLOATS(VARIABLE)
SMALL_FLOATS(VARIABLE)
COMPLEXES(VARIABLE)
BITFIELDS(VARIABLE)
TIMES(VARIABLE)
STRINGS(VARIABLE)
REFERENCES(VARIABLE)
hid_t H5T_NATIVE_OPAQUE_g = H5I_INVALID_HID;

static const struct {
    hid_t *id;
    size_t size;
    H5T_order_t order;
    H5T_sign_t sign;
} integers[] = {
#define X(name, size, order, sign) {&H5T_##name##_g, size, H5T_ORDER_##order, H5T_SGN_##sign},
    INTEGERS(X)
#undef X
};

static const struct ordered {
    hid_t *id;
    size_t size;
    H5T_order_t order;
} floats[] =
    {
#define X(name, size, order) {&H5T_##name##_g, size, H5T_ORDER_##order},
        FLOATS(X)},
  complexes[] = {COMPLEXES(X)}, bitfields[] = {BITFIELDS(X)},
  times[] = {TIMES(X)
#undef X
};

static const struct {
    hid_t *id;
    size_t size;
    H5T_order_t order;
    size_t exponent, mantissa;
} small_floats[] = {
#define X(name, size, order, exponent, mantissa) {&H5T_##name##_g, size, H5T_ORDER_##order, exponent, mantissa},
    SMALL_FLOATS(X)
#undef X
};

static const struct {
    hid_t *id;
    H5T_str_t pad;
} strings[] = {
#define X(name, pad) {&H5T_##name##_g, H5T_STR_##pad},
    STRINGS(X)
#undef X
};

static const struct {
    hid_t *id;
    H5R_type_t kind;
} references[] = {
#define X(name, kind) {&H5T_##name##_g, kind},
    REFERENCES(X)
#undef X
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Without memory for its predefined types the library starts all the same; those that are missing stay invalid ids. */
static void publish(int made, struct ts_type **out, hid_t *id)
{
    if (made < 0)
        return;
    struct ts_type *t = *out;
    t->state = TS_TYPE_IMMUTABLE;
    *id = ts_id_register_hidden(H5I_DATATYPE, t);
    if (*id < 0)
        ts_type_unref(t);
}

static void publish_floats(void)
{
    struct ts_type *t = NULL;
    for (size_t i = 0; i < COUNT(floats); i++) {
        int r = ts_type_new_float(floats[i].size, floats[i].order, &t);
        if (r == 0 && floats[i].order == H5T_ORDER_VAX)
            t->u.flt.ebias += 2;
        publish(r, &t, floats[i].id);
    }
    for (size_t i = 0; i < COUNT(small_floats); i++)
        publish(ts_type_new_small_float(small_floats[i].size, small_floats[i].order, small_floats[i].exponent,
                                        small_floats[i].mantissa, &t),
                &t, small_floats[i].id);
}

static int new_complex(size_t part, H5T_order_t order, struct ts_type **out)
{
    struct ts_type *base;
    if (ts_type_new_float(part, order, &base) < 0)
        return -1;
    base->state = TS_TYPE_READONLY;
    int r = ts_type_new_complex(base, out);
    ts_type_unref(base);
    return r;
}

static void publish_numbers(void)
{
    struct ts_type *t = NULL;
    for (size_t i = 0; i < COUNT(integers); i++)
        publish(ts_type_new_integer(integers[i].size, integers[i].order, integers[i].sign, &t), &t, integers[i].id);
    for (size_t i = 0; i < COUNT(complexes); i++)
        publish(new_complex(complexes[i].size, complexes[i].order, &t), &t, complexes[i].id);
    for (size_t i = 0; i < COUNT(bitfields); i++)
        publish(ts_type_new_bitfield(bitfields[i].size, bitfields[i].order, &t), &t, bitfields[i].id);
    for (size_t i = 0; i < COUNT(times); i++)
        publish(ts_type_new_time(times[i].size, times[i].order, &t), &t, times[i].id);
}

static void publish_others(void)
{
    struct ts_type *t = NULL;
    for (size_t i = 0; i < COUNT(strings); i++)
        publish(ts_type_new_string(1, H5T_CSET_ASCII, strings[i].pad, &t), &t, strings[i].id);
    for (size_t i = 0; i < COUNT(references); i++)
        publish(ts_type_new_reference(references[i].kind, &t), &t, references[i].id);
    publish(ts_type_new(H5T_OPAQUE, 1, &t), &t, &H5T_NATIVE_OPAQUE_g);
}

static void ref_type(void *t)
{
    ts_type_ref(t);
}

static void unref_type(void *t)
{
    ts_type_unref(t);
}

static struct ts_count *count_of_type(void *t, unsigned i)
{
    return i == 0 ? &((struct ts_type *)t)->refs : NULL;
}

void ts_type_api_init(void)
{
    static const struct ts_id_class cls = {.ref = ref_type, .unref = unref_type, .count = count_of_type};
    ts_id_class_set(H5I_DATATYPE, &cls);
    publish_numbers();
    publish_floats();
    publish_others();
}
