/* A few hundred datatypes with a name each, for programs that ask the same things of all of them. */
#ifndef TYPE_SET_H
#define TYPE_SET_H

#include <hdf5.h>
#include <stdio.h>

#define MAX_TYPES 1000

struct type_set {
    size_t n;
    struct {
        char name[64];
        hid_t id;
    } t[MAX_TYPES];
};

static hid_t add(struct type_set *s, const char *name, hid_t id)
{
    snprintf(s->t[s->n].name, sizeof s->t[s->n].name, "%s", name);
    s->t[s->n].id = id;
    return s->t[s->n++].id;
}

static void close_types(struct type_set *s)
{
    for (size_t i = 0; i < s->n; i++)
        H5Tclose(s->t[i].id);
}

#define PREDEFINED(X) \
    X(IEEE_F32BE) X(IEEE_F32LE) X(IEEE_F64BE) X(IEEE_F64LE) X(STD_I8BE) X(STD_I8LE) X(STD_I16BE) X(STD_I16LE) \
    X(STD_I32BE) X(STD_I32LE) X(STD_I64BE) X(STD_I64LE) X(STD_U8BE) X(STD_U8LE) X(STD_U16BE) X(STD_U16LE) X(STD_U32BE) \
    X(STD_U32LE) X(STD_U64BE) X(STD_U64LE) X(STD_B8BE) X(STD_B8LE) X(STD_B16BE) X(STD_B16LE) X(STD_B32BE) X(STD_B32LE) \
    X(STD_B64BE) X(STD_B64LE) X(STD_REF_OBJ) X(STD_REF_DSETREG) X(UNIX_D32BE) X(UNIX_D32LE) X(UNIX_D64BE) X(UNIX_D64LE) \
    X(C_S1) X(FORTRAN_S1) X(VAX_F32) X(VAX_F64) X(INTEL_I8) X(INTEL_U16) X(INTEL_B32) X(INTEL_F64) X(ALPHA_I64) \
    X(ALPHA_F32) X(MIPS_I16) X(MIPS_U64) X(MIPS_B8) X(MIPS_F32) X(NATIVE_CHAR) X(NATIVE_SCHAR) X(NATIVE_UCHAR) \
    X(NATIVE_SHORT) X(NATIVE_USHORT) X(NATIVE_INT) X(NATIVE_UINT) X(NATIVE_LONG) X(NATIVE_ULONG) X(NATIVE_LLONG) \
    X(NATIVE_ULLONG) X(NATIVE_FLOAT) X(NATIVE_DOUBLE) X(NATIVE_LDOUBLE) X(NATIVE_B8) X(NATIVE_B16) X(NATIVE_B32) \
    X(NATIVE_B64) X(NATIVE_OPAQUE) X(NATIVE_HADDR) X(NATIVE_HSIZE) X(NATIVE_HSSIZE) X(NATIVE_HERR) X(NATIVE_HBOOL) \
    X(NATIVE_INT8) X(NATIVE_UINT8) X(NATIVE_INT_LEAST8) X(NATIVE_UINT_LEAST8) X(NATIVE_INT_FAST8) X(NATIVE_UINT_FAST8) \
    X(NATIVE_INT16) X(NATIVE_UINT16) X(NATIVE_INT_LEAST16) X(NATIVE_UINT_LEAST16) X(NATIVE_INT_FAST16) \
    X(NATIVE_UINT_FAST16) X(NATIVE_INT32) X(NATIVE_UINT32) X(NATIVE_INT_LEAST32) X(NATIVE_UINT_LEAST32) \
    X(NATIVE_INT_FAST32) X(NATIVE_UINT_FAST32) X(NATIVE_INT64) X(NATIVE_UINT64) X(NATIVE_INT_LEAST64) \
    X(NATIVE_UINT_LEAST64) X(NATIVE_INT_FAST64) X(NATIVE_UINT_FAST64)

static void add_predefined(struct type_set *s)
{
#define X(name) add(s, #name, H5Tcopy(H5T_##name));
    PREDEFINED(X)
#undef X
}

static void add_strings(struct type_set *s)
{
    char name[64];
    for (int pad = 0; pad < 3; pad++)
        for (int cset = 0; cset < 2; cset++)
            for (int size = 0; size < 3; size++) {
                const size_t sizes[] = {1, 300, H5T_VARIABLE};
                hid_t t = H5Tcopy(H5T_C_S1);
                H5Tset_size(t, sizes[size]);
                H5Tset_strpad(t, (H5T_str_t)pad);
                H5Tset_cset(t, (H5T_cset_t)cset);
                snprintf(name, sizeof name, "string pad %d cset %d size %d", pad, cset, size);
                add(s, name, t);
            }
    add(s, "create string", H5Tcreate(H5T_STRING, 17));
    add(s, "create vlen string", H5Tcreate(H5T_STRING, H5T_VARIABLE));
}

static void add_opaque(struct type_set *s)
{
    const char *tags[] = {"", "a", "1234567", "12345678", "a tag of some more letters than eight"};
    char name[64];
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        hid_t t = H5Tcreate(H5T_OPAQUE, i + 1);
        H5Tset_tag(t, tags[i]);
        snprintf(name, sizeof name, "opaque %zu", i);
        add(s, name, t);
    }
    add(s, "opaque without tag", H5Tcreate(H5T_OPAQUE, 10));
}

static void add_odd_numbers(struct type_set *s)
{
    hid_t t = add(s, "17 bits", H5Tcopy(H5T_STD_I32LE));
    H5Tset_precision(t, 17);
    t = add(s, "17 bits at 5", H5Tcopy(H5T_STD_U32BE));
    H5Tset_precision(t, 17);
    H5Tset_offset(t, 5);
    H5Tset_pad(t, H5T_PAD_ONE, H5T_PAD_ZERO);
    t = add(s, "3 bytes", H5Tcopy(H5T_STD_I32LE));
    H5Tset_size(t, 3);
    t = add(s, "9 bytes", H5Tcopy(H5T_STD_U64LE));
    H5Tset_size(t, 9);
    t = add(s, "100 bytes", H5Tcopy(H5T_STD_I64BE));
    H5Tset_size(t, 100);
    t = add(s, "65 bits of 9 bytes", H5Tcopy(H5T_STD_U64LE));
    H5Tset_precision(t, 65);
    t = add(s, "bitfield 11 at 3", H5Tcopy(H5T_STD_B16BE));
    H5Tset_precision(t, 11);
    H5Tset_offset(t, 3);
#if STOCK_VERSION < 11404 /* which has a native type for them */
    t = add(s, "half", H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_fields(t, 15, 10, 5, 0, 10);
    H5Tset_size(t, 2);
    H5Tset_ebias(t, 15);
    t = add(s, "bfloat", H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_fields(t, 15, 7, 8, 0, 7);
    H5Tset_size(t, 2);
#endif
    t = add(s, "24 bits at 4", H5Tcopy(H5T_IEEE_F32BE));
    H5Tset_fields(t, 23, 15, 8, 0, 15);
    H5Tset_precision(t, 24);
    H5Tset_offset(t, 4);
    H5Tset_inpad(t, H5T_PAD_ONE);
    H5Tset_norm(t, H5T_NORM_NONE);
    t = add(s, "quad", H5Tcopy(H5T_IEEE_F64LE));
    H5Tset_size(t, 16);
    H5Tset_precision(t, 128);
    H5Tset_fields(t, 127, 112, 15, 0, 112);
    H5Tset_ebias(t, 16383);
    t = add(s, "vax le", H5Tcopy(H5T_VAX_F32));
    H5Tset_order(t, H5T_ORDER_LE);
#if STOCK_VERSION < 20200 /* which dies when it encodes them */
    t = add(s, "double of vax order", H5Tcopy(H5T_IEEE_F64LE));
    H5Tset_order(t, H5T_ORDER_VAX);
#endif
}

static hid_t enum_of(hid_t base, int n)
{
    hid_t t = H5Tenum_create(base);
    char name[32];
    for (int i = 0; i < n; i++) {
        unsigned char value[16] = {0};
        value[0] = (unsigned char)(i * 37 % 101);
        snprintf(name, sizeof name, "%.*s%d", i % 12, "name_letters", i * 7 % 13 + 100 * i);
        H5Tenum_insert(t, name, value);
    }
    return t;
}

static void add_enums(struct type_set *s)
{
    char name[64];
    const hid_t bases[] = {H5T_STD_I8LE, H5T_STD_I16BE, H5T_NATIVE_INT, H5T_STD_U64BE};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (int n = 1; n < 8; n += n) {
            snprintf(name, sizeof name, "enum %zu of %d", b, n);
            add(s, name, enum_of(bases[b], n));
        }
    add(s, "boolean", enum_of(H5T_NATIVE_INT8, 2));
}

static void add_derived(struct type_set *s)
{
    char name[128];
    const hsize_t dims[4] = {2, 3, 1, 5};
    size_t n = s->n;
    for (size_t i = 0; i < n; i += 3) {
        snprintf(name, sizeof name, "array of %s", s->t[i].name);
        add(s, name, H5Tarray_create2(s->t[i].id, (unsigned)(1 + i % 4), dims));
    }
    for (size_t i = 1; i < n; i += 3) {
        snprintf(name, sizeof name, "vlen of %s", s->t[i].name);
        add(s, name, H5Tvlen_create(s->t[i].id));
    }
}

static hid_t compound_of(const struct type_set *s, size_t first, size_t n, size_t step, size_t gap)
{
    size_t size = gap;
    for (size_t i = 0; i < n; i++)
        size += H5Tget_size(s->t[(first + i * step) % s->n].id) + gap;
    hid_t t = H5Tcreate(H5T_COMPOUND, size);
    size_t at = gap;
    char name[32];
    for (size_t i = 0; i < n; i++) {
        hid_t m = s->t[(first + i * step) % s->n].id;
        snprintf(name, sizeof name, "%.*s_%zu", (int)(i % 10), "abcdefghij", i);
        H5Tinsert(t, name, at, m);
        at += H5Tget_size(m) + gap;
    }
    return t;
}

static void add_compounds(struct type_set *s)
{
    char name[64];
    for (int round = 0; round < 2; round++) {
        struct type_set parts = *s;
        for (size_t i = 0; i < parts.n; i += 4) {
            snprintf(name, sizeof name, "compound %d %zu", round, i);
            add(s, name, compound_of(&parts, i, 1 + i % 5, 7 + i % 11, i % 3));
        }
    }
    add(s, "empty compound", H5Tcreate(H5T_COMPOUND, 8));
    add(s, "compound of 300", compound_of(s, 0, 300, 1, 0));
    hid_t nested = H5Tcopy(H5T_STD_I16LE);
    for (int i = 0; i < 12; i++) {
        hid_t outer = H5Tcreate(H5T_COMPOUND, H5Tget_size(nested) + 4);
        H5Tinsert(outer, "inner", 3, nested);
        H5Tclose(nested);
        nested = outer;
    }
    add(s, "nested", nested);
}

static void make_types(struct type_set *s)
{
    s->n = 0;
    add_predefined(s);
    add_strings(s);
    add_opaque(s);
    add_odd_numbers(s);
    add_enums(s);
    add_derived(s);
    add_compounds(s);
    size_t n = s->n;
    for (size_t i = n - 120; i < n; i += 5) {
        const hsize_t dims[2] = {4, 2};
        add(s, "array of compound", H5Tarray_create2(s->t[i].id, 2, dims));
        add(s, "vlen of compound", H5Tvlen_create(s->t[i].id));
    }
}

#endif
