/*
 * The body of a datatype message.
 *
 *   bytes  field
 *   1      class in bits 0-3, version in bits 4-7
 *   3      class bit field
 *   4      size of an element
 *   n      properties, by class:
 *            0 integer   offset 2, precision 2                  bits: 0 big-endian, 1 lsb pad, 2 msb pad, 3 signed
 *            1 float     offset 2, precision 2, exponent location 1 and size 1, mantissa location 1 and size 1, bias 4
 *                                                               bits: 0 and 6 order, 1-3 pads, 4-5 norm, 8-15 sign
 *            2 time      precision 2                            bits: 0 big-endian
 *            3 string    -                                      bits: 0-3 padding, 4-7 character set
 *            4 bitfield  offset 2, precision 2                  bits: as integer
 *            5 opaque    tag, padded to 8 bytes                 bits: 0-7 length of the tag
 *            6 compound  per member: name, offset, type         bits: 0-15 members
 *                        version 1: name padded to 8, offset 4, rank 1, zeros 3, permutation 4, zeros 4, 4 dimensions
 *                        of 4 version 2: name padded to 8, offset 4
 *                        version 3: name, offset in as many bytes as the compound's size needs
 *            7 reference -                                      bits: 0-3 kind, version 4: 4-7 version of the encoding
 *            8 enum      base type, names (padded to 8 before version 3), values
 *                                                               bits: 0-15 members
 *            9 vlen      base type                              bits: 0-3 kind, 4-7 padding, 8-11 character set
 *            10 array    rank 1, zeros 3 (version 2), dimensions of 4, permutation of 4 each (version 2), base type
 *            11 complex  base type (version 5)                  bits: 0 parts of one type, 1-2 form
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "type/type.h"

#define VERSION_MAX TS_TYPE_VERSION_COMPLEX

/* Bits of a complex number: 0 says that both parts have one type, 1 and 2 that they are real and imaginary when not
 * set. */
enum { COMPLEX_SAME_PARTS = 1, COMPLEX_FORM = 7 };

struct head {
    unsigned version, flags, depth;
};

static int decode_node(struct ts_rd *r, unsigned depth, struct ts_type **out);

static int truncated(const char *what)
{
    return TS_ERR(DATATYPE, CANTDECODE, "datatype: %s is cut off", what);
}

static H5T_order_t order_of_bit(unsigned flags)
{
    return flags & 1 ? H5T_ORDER_BE : H5T_ORDER_LE;
}

static H5T_pad_t pad_of_bit(unsigned flags, unsigned bit)
{
    return flags >> bit & 1 ? H5T_PAD_ONE : H5T_PAD_ZERO;
}

static int check_bits(const struct ts_type *t)
{
    size_t bits = 8 * t->size, p = t->atomic.precision;
    if (p == 0 || p > bits || t->atomic.offset > bits - p)
        return TS_ERR(DATATYPE, BADVALUE, "datatype of class %d: %zu bits at %zu of %zu bytes", t->cls, p,
                      t->atomic.offset, t->size);
    return 0;
}

static int decode_bits(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    t->atomic.order = order_of_bit(h->flags);
    t->atomic.lsb_pad = pad_of_bit(h->flags, 1);
    t->atomic.msb_pad = pad_of_bit(h->flags, 2);
    t->atomic.offset = ts_rd_u16(r);
    t->atomic.precision = ts_rd_u16(r);
    return r->bad ? truncated("a number") : check_bits(t);
}

static int decode_integer(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    t->u.sign = h->flags >> 3 & 1 ? H5T_SGN_2 : H5T_SGN_NONE;
    return decode_bits(r, h, t);
}

static int decode_float(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    static const H5T_norm_t norms[] = {H5T_NORM_NONE, H5T_NORM_MSBSET, H5T_NORM_IMPLIED};
    struct ts_float *f = &t->u.flt;
    if (decode_bits(r, h, t) < 0)
        return -1;
    /* Before version 3 the bit has no meaning. */
    if (h->version >= 3 && h->flags >> 6 & 1) {
        if (!(h->flags & 1))
            return TS_ERR(DATATYPE, BADVALUE, "datatype: float of an unknown byte order, flags %#x", h->flags);
        t->atomic.order = H5T_ORDER_VAX;
    }
    if ((h->flags >> 4 & 3) == 3)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: float of an unknown normalization");
    f->norm = norms[h->flags >> 4 & 3];
    f->pad = pad_of_bit(h->flags, 3);
    f->sign = h->flags >> 8 & 0xff;
    f->epos = ts_rd_u8(r);
    f->esize = ts_rd_u8(r);
    f->mpos = ts_rd_u8(r);
    f->msize = ts_rd_u8(r);
    f->ebias = ts_rd_u32(r);
    if (r->bad)
        return truncated("a float");
    size_t end = t->atomic.offset + t->atomic.precision;
    if (f->sign >= end || f->epos + f->esize > end || f->mpos + f->msize > end)
        return TS_ERR(DATATYPE, BADVALUE,
                      "datatype: float with sign %zu, exponent %zu+%zu, mantissa %zu+%zu in %zu bits", f->sign, f->epos,
                      f->esize, f->mpos, f->msize, end);
    return 0;
}

static int decode_time(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    t->atomic.order = order_of_bit(h->flags);
    t->atomic.precision = ts_rd_u16(r);
    return r->bad ? truncated("a time") : check_bits(t);
}

static int check_string(unsigned pad, unsigned cset)
{
    if (pad >= H5T_NSTR || cset >= H5T_NCSET)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: string of padding %u and character set %u", pad, cset);
    return 0;
}

static int decode_string(const struct head *h, struct ts_type *t)
{
    t->atomic.order = H5T_ORDER_NONE;
    t->atomic.precision = 8 * t->size;
    t->u.str.pad = (H5T_str_t)(h->flags & 15);
    t->u.str.cset = (H5T_cset_t)(h->flags >> 4 & 15);
    return check_string(h->flags & 15, h->flags >> 4 & 15);
}

static int decode_opaque(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    size_t n = h->flags & 0xff;
    const uint8_t *tag = ts_rd_bytes(r, n);
    if (!tag)
        return truncated("the tag of an opaque type");
    return ts_type_name_new((const char *)tag, strnlen((const char *)tag, n), &t->u.opaque.tag);
}

static int decode_reference(const struct head *h, struct ts_type *t)
{
    unsigned kind = h->flags & 15;
    bool revised = kind >= H5R_OBJECT2;
    if (kind > H5R_ATTR || revised != (h->version >= 4))
        return TS_ERR(DATATYPE, BADVALUE, "datatype: reference of kind %u in version %u", kind, h->version);
    if (t->size > sizeof(H5R_ref_t) || (kind == H5R_OBJECT1 && t->size > H5R_OBJ_REF_BUF_SIZE))
        return TS_ERR(DATATYPE, BADVALUE, "datatype: reference of kind %u with %zu bytes", kind, t->size);
    t->u.ref.kind = (H5R_type_t)kind;
    t->u.ref.version = revised ? h->flags >> 4 & 15 : 0;
    if (revised && t->u.ref.version != 1)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: reference encoding of version %u", t->u.ref.version);
    t->has_disk_form = true;
    t->loc = TS_LOC_DISK;
    t->atomic.order = H5T_ORDER_NONE;
    t->atomic.precision = 8 * t->size;
    return 0;
}

/* A name and what pads it; before version 3 that is to a multiple of 8 bytes, counted with the NUL. */
static const char *decode_name(struct ts_rd *r, unsigned version)
{
    const char *name = ts_rd_cstr(r);
    if (name && version < 3) {
        size_t with_nul = strlen(name) + 1;
        ts_rd_skip(r, (8 - with_nul % 8) % 8);
    }
    return r->bad ? NULL : name;
}

/* Version 1 has array members without an array type. */
static int decode_old_dims(struct ts_rd *r, unsigned *rank, hsize_t dims[4])
{
    *rank = ts_rd_u8(r);
    ts_rd_skip(r, 3 + 4 + 4);
    for (int i = 0; i < 4; i++)
        dims[i] = ts_rd_u32(r);
    if (r->bad)
        return truncated("a compound member");
    return *rank <= 4 ? 0 : TS_ERR(DATATYPE, BADVALUE, "datatype: compound member of rank %u", *rank);
}

static int wrap_in_array(struct ts_type **type, unsigned rank, const hsize_t *dims)
{
    struct ts_type *array;
    if (rank == 0)
        return 0;
    if (ts_type_new_array(*type, rank, dims, &array) < 0)
        return -1;
    ts_type_unref(*type);
    *type = array;
    return 0;
}

static int decode_member(struct ts_rd *r, const struct head *h, struct ts_type *t, struct ts_member *out)
{
    unsigned rank = 0;
    hsize_t dims[4];
    const char *name = decode_name(r, h->version);
    out->offset = (size_t)ts_rd_uint(r, h->version >= 3 ? ts_bytes_for(t->size) : 4);
    if (!name || r->bad)
        return truncated("a compound member");
    if (h->version == 1 && decode_old_dims(r, &rank, dims) < 0)
        return -1;
    if (decode_node(r, h->depth + 1, &out->type) < 0)
        return -1;
    if (wrap_in_array(&out->type, rank, dims) < 0 || ts_type_deepen(t, out->type) < 0 ||
        ts_type_name_new(name, strlen(name), &out->name) < 0) {
        ts_type_unref(out->type);
        return -1;
    }
    return 0;
}

static int check_place(const struct ts_type *t, const struct ts_member *m, size_t *end)
{
    size_t own_end;
    if (!ts_add_size(m->offset, m->type->size, &own_end) || own_end > t->size)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: member '%.100s' of %zu bytes at %zu in a compound of %zu", m->name,
                      m->type->size, m->offset, t->size);
    for (size_t i = 0; m->offset < *end && i < t->u.compound.n; i++) {
        const struct ts_member *o = &t->u.compound.members[i];
        if (m->offset < o->offset + o->type->size && o->offset < own_end)
            return TS_ERR(DATATYPE, BADVALUE, "datatype: members '%.100s' and '%.100s' overlap", o->name, m->name);
    }
    if (own_end > *end)
        *end = own_end;
    return 0;
}

static int decode_compound(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    size_t n = h->flags & 0xffff, end = 0;
    unsigned version = t->version;
    /* A member takes 10 bytes at least: a NUL, an offset, a type. */
    if (n == 0 || n > ts_rd_left(r) / 10)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: %zu members in %zu bytes", n, ts_rd_left(r));
    if (TS_GROW(t->u.compound.members, t->u.compound.capacity, n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ts_member m = {0};
        if (decode_member(r, h, t, &m) < 0)
            return -1;
        int ok = check_place(t, &m, &end);
        t->u.compound.members[t->u.compound.n++] = m;
        if (ok < 0)
            return -1;
        t->has_disk_form |= m.type->has_disk_form;
        version = m.type->version > version ? m.type->version : version;
    }
    return version > t->version ? ts_type_raise_version(t, version) : 0;
}

static int decode_base(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    return decode_node(r, h->depth + 1, &t->base) < 0 ? -1 : ts_type_deepen(t, t->base);
}

static int decode_enum(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    size_t n = h->flags & 0xffff;
    if (decode_base(r, h, t) < 0)
        return -1;
    if (t->base->cls != H5T_INTEGER || t->base->size != t->size)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: enum of %zu bytes on class %d of %zu bytes", t->size, t->base->cls,
                      t->base->size);
    if (n > ts_rd_left(r) / (t->size + 1))
        return TS_ERR(DATATYPE, BADVALUE, "datatype: %zu enum members in %zu bytes", n, ts_rd_left(r));
    if (n == 0)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: enum without members");
    if (TS_GROW(t->u.enumeration.names, t->u.enumeration.capacity, n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *name = decode_name(r, h->version);
        if (!name)
            return truncated("an enum name");
        if (ts_type_name_new(name, strlen(name), &t->u.enumeration.names[i]) < 0)
            return -1;
        t->u.enumeration.n++;
    }
    const uint8_t *values = ts_rd_bytes(r, n * t->size);
    if (!values)
        return truncated("the values of an enum");
    t->u.enumeration.values = ts_memdup(values, n * t->size);
    t->u.enumeration.values_capacity = n * t->size;
    return t->u.enumeration.values ? 0 : -1;
}

static int decode_vlen(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    unsigned kind = h->flags & 15;
    t->has_disk_form = true;
    t->loc = TS_LOC_DISK;
    if (kind > TS_VLEN_STRING)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: variable-length of kind %u", kind);
    t->u.str.kind = (enum ts_vlen_kind)kind;
    if (kind == TS_VLEN_STRING) {
        t->u.str.pad = (H5T_str_t)(h->flags >> 4 & 15);
        t->u.str.cset = (H5T_cset_t)(h->flags >> 8 & 15);
        if (check_string(h->flags >> 4 & 15, h->flags >> 8 & 15) < 0)
            return -1;
    }
    return decode_base(r, h, t);
}

static int decode_array(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    size_t n = 1, bytes;
    /* Releases of 1.4 wrote them as version 1, in the form of version 2. */
    if (h->version < 2)
        t->version = 2;
    unsigned rank = ts_rd_u8(r);
    if (rank == 0 || rank > TS_TYPE_MAX_RANK)
        return r->bad ? truncated("an array") : TS_ERR(DATATYPE, BADVALUE, "datatype: array of rank %u", rank);
    if (h->version < 3)
        ts_rd_skip(r, 3);
    for (unsigned i = 0; i < rank; i++)
        t->u.array.dims[i] = ts_rd_u32(r);
    if (h->version < 3)
        ts_rd_skip(r, 4 * rank);
    if (r->bad)
        return truncated("an array");
    t->u.array.rank = rank;
    for (unsigned i = 0; i < rank; i++)
        if (!ts_mul_size(n, (size_t)t->u.array.dims[i], &n))
            return TS_ERR(DATATYPE, BADVALUE, "datatype: array of more elements than can be");
    t->u.array.n_elements = n;
    if (decode_base(r, h, t) < 0)
        return -1;
    t->has_disk_form = t->base->has_disk_form;
    if (n == 0 || !ts_mul_size(n, t->base->size, &bytes) || bytes != t->size)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: array of %zu bytes with %zu elements of %zu bytes", t->size, n,
                      t->base->size);
    return 0;
}

/* Nobody writes two parts of different types, or other forms than the real part and the imaginary one. */
static int decode_complex(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    size_t size;
    if (h->version < TS_TYPE_VERSION_COMPLEX)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: complex number in version %u", h->version);
    if ((h->flags & COMPLEX_FORM) != COMPLEX_SAME_PARTS)
        return TS_ERR(DATATYPE, UNSUPPORTED, "datatype: complex number of the form %#x", h->flags & COMPLEX_FORM);
    if (decode_base(r, h, t) < 0)
        return -1;
    if (t->base->cls != H5T_FLOAT || !ts_mul_size(2, t->base->size, &size) || size != t->size)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: complex number of %zu bytes on class %d of %zu bytes", t->size,
                      t->base->cls, t->base->size);
    return 0;
}

static int decode_properties(struct ts_rd *r, const struct head *h, struct ts_type *t)
{
    switch (t->cls) {
    case H5T_INTEGER:
        return decode_integer(r, h, t);
    case H5T_FLOAT:
        return decode_float(r, h, t);
    case H5T_TIME:
        return decode_time(r, h, t);
    case H5T_STRING:
        return decode_string(h, t);
    case H5T_BITFIELD:
        return decode_bits(r, h, t);
    case H5T_OPAQUE:
        return decode_opaque(r, h, t);
    case H5T_COMPOUND:
        return decode_compound(r, h, t);
    case H5T_REFERENCE:
        return decode_reference(h, t);
    case H5T_ENUM:
        return decode_enum(r, h, t);
    case H5T_VLEN:
        return decode_vlen(r, h, t);
    case H5T_COMPLEX:
        return decode_complex(r, h, t);
    default:
        return decode_array(r, h, t);
    }
}

/* With high bounds files have later versions than their types need. They are not kept: a type that is written elsewhere
 * has the version that the bounds there ask for. */
static unsigned needed_version(const struct ts_type *t)
{
    unsigned version = TS_TYPE_VERSION_PACKED;
    if (t->cls == H5T_COMPLEX)
        return TS_TYPE_VERSION_COMPLEX;
    if (t->cls == H5T_REFERENCE && t->u.ref.kind >= H5R_OBJECT2)
        return TS_TYPE_VERSION_REFERENCE;
    if (t->base && t->base->version > version)
        version = t->base->version;
    for (size_t i = 0; t->cls == H5T_COMPOUND && i < t->u.compound.n; i++)
        if (t->u.compound.members[i].type->version > version)
            version = t->u.compound.members[i].type->version;
    return version;
}

static int decode_node(struct ts_rd *r, unsigned depth, struct ts_type **out)
{
    if (depth > TS_TYPE_MAX_DEPTH)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: nested deeper than %d", TS_TYPE_MAX_DEPTH);
    unsigned first = ts_rd_u8(r);
    struct head h = {.version = first >> 4, .flags = (unsigned)ts_rd_uint(r, 3), .depth = depth};
    uint32_t size = ts_rd_u32(r);
    if (r->bad)
        return truncated("the message");
    if (h.version < 1 || h.version > VERSION_MAX)
        return TS_ERR(DATATYPE, VERSION, "datatype: version %u", h.version);
    if ((first & 15) >= H5T_NCLASSES)
        return TS_ERR(DATATYPE, BADTYPE, "datatype: class %u", first & 15);
    if (size == 0)
        return TS_ERR(DATATYPE, BADVALUE, "datatype: an element of 0 bytes, class %u", first & 15);
    struct ts_type *t = ts_calloc(1, sizeof *t);
    if (!t)
        return -1;
    ts_count_init(&t->refs, 1);
    t->cls = (H5T_class_t)(first & 15);
    t->size = size;
    t->version = h.version;
    if (decode_properties(r, &h, t) < 0) {
        ts_type_unref(t);
        return -1;
    }
    if (t->version > TS_TYPE_VERSION_PACKED)
        t->version = needed_version(t);
    *out = t;
    return 0;
}

int ts_type_decode(const uint8_t *buf, size_t n, size_t *used, struct ts_type **out)
{
    struct ts_rd r = ts_rd_init(buf, n);
    if (decode_node(&r, 0, out) < 0)
        return -1;
    if (used)
        *used = ts_rd_pos(&r);
    return 0;
}

static unsigned pad_bit(H5T_pad_t pad, unsigned bit)
{
    return pad == H5T_PAD_ONE ? 1u << bit : 0;
}

static int encode_order(const struct ts_type *t, unsigned *flags)
{
    if (t->atomic.order == H5T_ORDER_BE)
        *flags |= 1;
    else if (t->atomic.order == H5T_ORDER_VAX && t->cls == H5T_FLOAT)
        *flags |= 1 | 1 << 6;
    else if (t->atomic.order != H5T_ORDER_LE)
        return TS_ERR(DATATYPE, CANTENCODE, "byte order %d of class %d has no encoding", t->atomic.order, t->cls);
    return 0;
}

/* Padding with the background has no encoding. libhdf5 nevertheless writes it as ones for the high bits of an integer,
 * and the bytes are to be the same. */
static int encode_pads(const struct ts_type *t, unsigned *flags)
{
    bool high_as_ones = t->cls == H5T_INTEGER && t->atomic.msb_pad == H5T_PAD_BACKGROUND;
    if (t->atomic.lsb_pad > H5T_PAD_ONE || (t->atomic.msb_pad > H5T_PAD_ONE && !high_as_ones))
        return TS_ERR(DATATYPE, CANTENCODE, "padding with the background has no encoding");
    *flags |= pad_bit(t->atomic.lsb_pad, 1) | pad_bit(high_as_ones ? H5T_PAD_ONE : t->atomic.msb_pad, 2);
    return 0;
}

static int encode_float_flags(const struct ts_type *t, unsigned *flags)
{
    static const unsigned norms[] = {[H5T_NORM_IMPLIED] = 2, [H5T_NORM_MSBSET] = 1, [H5T_NORM_NONE] = 0};
    const struct ts_float *f = &t->u.flt;
    if (f->pad > H5T_PAD_ONE)
        return TS_ERR(DATATYPE, CANTENCODE, "padding with the background has no encoding");
    if (f->sign > 255 || f->epos > 255 || f->esize > 255 || f->mpos > 255 || f->msize > 255 || f->ebias > UINT32_MAX)
        return TS_ERR(DATATYPE, CANTENCODE, "a field of the float is past bit 255, or its bias above 32 bits");
    *flags |= pad_bit(f->pad, 3) | norms[f->norm] << 4 | (unsigned)f->sign << 8;
    return 0;
}

static size_t opaque_tag_bytes(const struct ts_type *t)
{
    return (strlen(t->u.opaque.tag) + 7) / 8 * 8;
}

static int encode_flags(const struct ts_type *t, unsigned *flags)
{
    switch (t->cls) {
    case H5T_FLOAT:
        if (encode_float_flags(t, flags) < 0)
            return -1;
        return encode_order(t, flags) < 0 || encode_pads(t, flags) < 0 ? -1 : 0;
    case H5T_INTEGER:
        *flags = t->u.sign == H5T_SGN_2 ? 8 : 0;
        return encode_order(t, flags) < 0 || encode_pads(t, flags) < 0 ? -1 : 0;
    case H5T_BITFIELD:
        return encode_order(t, flags) < 0 || encode_pads(t, flags) < 0 ? -1 : 0;
    case H5T_TIME:
        return encode_order(t, flags);
    case H5T_STRING:
        *flags = (unsigned)t->u.str.pad | (unsigned)t->u.str.cset << 4;
        return 0;
    case H5T_OPAQUE:
        *flags = (unsigned)opaque_tag_bytes(t) & 0xff;
        return 0;
    case H5T_COMPOUND:
        *flags = (unsigned)t->u.compound.n;
        return 0;
    case H5T_REFERENCE:
        *flags = (unsigned)t->u.ref.kind | t->u.ref.version << 4;
        return 0;
    case H5T_ENUM:
        *flags = (unsigned)t->u.enumeration.n;
        return 0;
    case H5T_COMPLEX:
        *flags = COMPLEX_SAME_PARTS;
        return 0;
    case H5T_VLEN:
        *flags = (unsigned)t->u.str.kind | (unsigned)t->u.str.pad << 4 | (unsigned)t->u.str.cset << 8;
        return 0;
    default:
        return 0;
    }
}

static int encode_bits(const struct ts_type *t, struct ts_wr *w)
{
    if (t->atomic.offset > UINT16_MAX || t->atomic.precision > UINT16_MAX)
        return TS_ERR(DATATYPE, CANTENCODE, "%zu bits at bit %zu: both must be below 65536", t->atomic.precision,
                      t->atomic.offset);
    if (t->cls != H5T_TIME)
        ts_wr_u16(w, (uint16_t)t->atomic.offset);
    ts_wr_u16(w, (uint16_t)t->atomic.precision);
    if (t->cls == H5T_FLOAT) {
        ts_wr_u8(w, (uint8_t)t->u.flt.epos);
        ts_wr_u8(w, (uint8_t)t->u.flt.esize);
        ts_wr_u8(w, (uint8_t)t->u.flt.mpos);
        ts_wr_u8(w, (uint8_t)t->u.flt.msize);
        ts_wr_u32(w, (uint32_t)t->u.flt.ebias);
    }
    return 0;
}

static void encode_name(const char *name, unsigned version, struct ts_wr *w)
{
    size_t n = strlen(name) + 1;
    ts_wr_bytes(w, name, n);
    if (version < 3)
        ts_wr_zeros(w, (8 - n % 8) % 8);
}

static int encode_members(const struct ts_type *t, struct ts_wr *w)
{
    for (size_t i = 0; i < t->u.compound.n; i++) {
        const struct ts_member *m = &t->u.compound.members[i];
        encode_name(m->name, t->version, w);
        ts_wr_uint(w, m->offset, t->version >= 3 ? ts_bytes_for(t->size) : 4);
        if (t->version == 1)
            ts_wr_zeros(w, 4 + 4 + 4 + 16);
        if (ts_type_encode(m->type, w) < 0)
            return -1;
    }
    return 0;
}

static int encode_enum(const struct ts_type *t, struct ts_wr *w)
{
    if (ts_type_encode(t->base, w) < 0)
        return -1;
    for (size_t i = 0; i < t->u.enumeration.n; i++)
        encode_name(t->u.enumeration.names[i], t->version, w);
    ts_wr_bytes(w, t->u.enumeration.values, t->u.enumeration.n * t->size);
    return 0;
}

static int encode_array(const struct ts_type *t, struct ts_wr *w)
{
    unsigned rank = t->u.array.rank;
    ts_wr_u8(w, (uint8_t)rank);
    if (t->version < 3)
        ts_wr_zeros(w, 3);
    for (unsigned i = 0; i < rank; i++) {
        if (t->u.array.dims[i] > UINT32_MAX)
            return TS_ERR(DATATYPE, CANTENCODE, "an array dimension above 32 bits");
        ts_wr_u32(w, (uint32_t)t->u.array.dims[i]);
    }
    for (unsigned i = 0; t->version < 3 && i < rank; i++)
        ts_wr_u32(w, i);
    return ts_type_encode(t->base, w);
}

static int encode_properties(const struct ts_type *t, struct ts_wr *w)
{
    switch (t->cls) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_TIME:
    case H5T_BITFIELD:
        return encode_bits(t, w);
    case H5T_OPAQUE: {
        size_t n = strlen(t->u.opaque.tag);
        /* The length has 8 bits: a tag of 249 letters or more does not fit and is left out, as libhdf5 does. */
        if (opaque_tag_bytes(t) <= 0xff) {
            ts_wr_bytes(w, t->u.opaque.tag, n);
            ts_wr_zeros(w, opaque_tag_bytes(t) - n);
        }
        return 0;
    }
    case H5T_COMPOUND:
        return encode_members(t, w);
    case H5T_ENUM:
        return encode_enum(t, w);
    case H5T_VLEN:
    case H5T_COMPLEX:
        return ts_type_encode(t->base, w);
    case H5T_ARRAY:
        return encode_array(t, w);
    default:
        return 0;
    }
}

int ts_type_encode(const struct ts_type *t, struct ts_wr *w)
{
    unsigned flags = 0;
    if (encode_flags(t, &flags) < 0)
        return -1;
    if (t->size > UINT32_MAX)
        return TS_ERR(DATATYPE, CANTENCODE, "an element of %zu bytes", t->size);
    ts_wr_u8(w, (uint8_t)((unsigned)t->cls | t->version << 4));
    ts_wr_uint(w, flags, 3);
    ts_wr_u32(w, (uint32_t)t->size);
    if (encode_properties(t, w) < 0)
        return -1;
    return w->bad ? -1 : 0;
}
