/* The type that a C program on this machine would declare for the data of another type. */
#include <stdalign.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "type/type.h"

static int native_of(const struct ts_type *t, struct ts_type **out, size_t *align);

static size_t integer_bytes(size_t precision)
{
    return precision <= 8 ? 1 : precision <= 16 ? 2 : precision <= 32 ? 4 : 8;
}

static size_t float_bytes(size_t size)
{
    return size <= sizeof(float) ? sizeof(float) : size <= sizeof(double) ? sizeof(double) : sizeof(long double);
}

static int native_reference(const struct ts_type *t, struct ts_type **out, size_t *align)
{
    *align = t->u.ref.kind == H5R_DATASET_REGION1 ? 1 : 8;
    return ts_type_new_reference(t->u.ref.kind, out);
}

/* The value of an integer of any layout, its lowest 64 bits, extended by its sign. */
static uint64_t integer_value(const struct ts_type *t, const uint8_t *p)
{
    size_t n = t->atomic.precision < 64 ? t->atomic.precision : 64;
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        size_t bit = t->atomic.offset + i, byte = bit / 8;
        if (t->atomic.order == H5T_ORDER_BE)
            byte = t->size - 1 - byte;
        v |= (uint64_t)(p[byte] >> bit % 8 & 1) << i;
    }
    if (t->u.sign == H5T_SGN_2 && n < 64 && v >> (n - 1) & 1)
        v |= ~UINT64_C(0) << n;
    return v;
}

static int native_enum(const struct ts_type *t, struct ts_type **out, size_t *align)
{
    struct ts_type *base = NULL, *e = NULL;
    if (native_of(t->base, &base, align) < 0)
        return -1;
    int r = ts_type_new_enum(base, &e);
    ts_type_unref(base);
    if (r < 0)
        return -1;
    for (size_t i = 0; i < t->u.enumeration.n; i++) {
        uint64_t v = integer_value(t->base, t->u.enumeration.values + i * t->size);
        uint8_t bytes[8];
        for (unsigned b = 0; b < 8; b++)
            bytes[b] = (uint8_t)(v >> 8 * b);
        if (ts_type_enum_insert(e, t->u.enumeration.names[i], bytes) < 0) {
            ts_type_unref(e);
            return -1;
        }
    }
    *out = e;
    return 0;
}

static int native_vlen(const struct ts_type *t, struct ts_type **out, size_t *align)
{
    struct ts_type *base = NULL;
    size_t base_align;
    if (ts_type_is_vlen_string(t)) {
        *align = alignof(char *);
        int status = ts_type_new_string(H5T_VARIABLE, t->u.str.cset, t->u.str.pad, out);
        /* As of any native type, the application may change the part. */
        if (status == 0)
            (*out)->base_copied = true;
        return status;
    }
    if (native_of(t->base, &base, &base_align) < 0)
        return -1;
    *align = alignof(hvl_t);
    int r = ts_type_new_vlen(base, out);
    ts_type_unref(base);
    return r;
}

static int native_array(const struct ts_type *t, struct ts_type **out, size_t *align)
{
    struct ts_type *base = NULL;
    if (native_of(t->base, &base, align) < 0)
        return -1;
    int r = ts_type_new_array(base, t->u.array.rank, t->u.array.dims, out);
    ts_type_unref(base);
    return r;
}

static int native_complex(const struct ts_type *t, struct ts_type **out, size_t *align)
{
    struct ts_type *base = NULL;
    if (native_of(t->base, &base, align) < 0)
        return -1;
    int r = ts_type_new_complex(base, out);
    ts_type_unref(base);
    return r;
}

static bool round_up(size_t *size, size_t align)
{
    size_t rest = *size % align;
    return rest == 0 || ts_add_size(*size, align - rest, size);
}

struct native_member {
    struct ts_type *type;
    size_t offset;
};

/* Lays the members out as a compiler does. */
static int lay_out(const struct ts_type *t, struct native_member *m, size_t *size, size_t *align)
{
    *size = 0;
    *align = 1;
    for (size_t i = 0; i < t->u.compound.n; i++) {
        size_t a;
        if (native_of(t->u.compound.members[i].type, &m[i].type, &a) < 0)
            return -1;
        if (a > *align)
            *align = a;
        if (!round_up(size, a))
            return TS_ERR(DATATYPE, BADRANGE, "a struct of more bytes than there can be");
        m[i].offset = *size;
        if (!ts_add_size(*size, m[i].type->size, size))
            return TS_ERR(DATATYPE, BADRANGE, "a struct of more bytes than there can be");
    }
    return round_up(size, *align) ? 0 : TS_ERR(DATATYPE, BADRANGE, "a struct of more bytes than there can be");
}

static int insert_all(const struct ts_type *t, const struct native_member *m, struct ts_type *c)
{
    for (size_t i = 0; i < t->u.compound.n; i++)
        if (ts_type_insert(c, t->u.compound.members[i].name, m[i].offset, m[i].type) < 0)
            return -1;
    return 0;
}

static int native_compound(const struct ts_type *t, struct ts_type **out, size_t *align)
{
    size_t size, n = t->u.compound.n;
    struct ts_type *c = NULL;
    if (n == 0)
        return TS_ERR(DATATYPE, BADVALUE, "a compound without members has no native type");
    struct native_member *m = ts_calloc(n, sizeof *m);
    if (!m)
        return -1;
    int r = lay_out(t, m, &size, align);
    if (r == 0)
        r = ts_type_new(H5T_COMPOUND, size, &c);
    if (r == 0)
        r = insert_all(t, m, c);
    for (size_t i = 0; i < n; i++)
        ts_type_unref(m[i].type);
    ts_free(m);
    if (r < 0) {
        ts_type_unref(c);
        return -1;
    }
    *out = c;
    return 0;
}

static int native_of(const struct ts_type *t, struct ts_type **out, size_t *align)
{
    size_t size;
    switch (t->cls) {
    case H5T_INTEGER:
        *align = size = integer_bytes(t->atomic.precision);
        return ts_type_new_integer(size, H5T_ORDER_LE, t->u.sign, out);
    case H5T_BITFIELD:
        *align = 1; /* no C type has bits only, so libhdf5 does not align them */
        return ts_type_new_bitfield(integer_bytes(t->atomic.precision), H5T_ORDER_LE, out);
    case H5T_FLOAT:
        *align = size = float_bytes(t->size);
        return ts_type_new_float(size, H5T_ORDER_LE, out);
    case H5T_STRING:
    case H5T_OPAQUE:
        *align = 1;
        return ts_type_copy(t, out);
    case H5T_REFERENCE:
        return native_reference(t, out, align);
    case H5T_ENUM:
        return native_enum(t, out, align);
    case H5T_VLEN:
        return native_vlen(t, out, align);
    case H5T_ARRAY:
        return native_array(t, out, align);
    case H5T_COMPLEX:
        return native_complex(t, out, align);
    case H5T_COMPOUND:
        return native_compound(t, out, align);
    default:
        return TS_ERR(DATATYPE, UNSUPPORTED, "class %d has no native type", t->cls);
    }
}

/* On a machine where every size has one integer and one float type, up and down find the same. */
int ts_type_native(const struct ts_type *t, H5T_direction_t dir, struct ts_type **out)
{
    size_t align;
    if (dir != H5T_DIR_DEFAULT && dir != H5T_DIR_ASCEND && dir != H5T_DIR_DESCEND)
        return TS_ERR(ARGS, BADTYPE, "not valid direction value: %d", dir);
    return native_of(t, out, &align);
}
