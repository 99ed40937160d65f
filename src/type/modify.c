/* Changes to a node that nobody else holds yet. A change to an array, vlen or enum is one to what it is made of. */
#include "type/type.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

/* Makes a child safe to change. What the application may do with it stays. */
static int own(struct ts_type **child)
{
    struct ts_type *copy;
    if (ts_count_is_one(&(*child)->refs) && !(*child)->named)
        return 0;
    if (ts_type_copy(*child, &copy) < 0)
        return -1;
    if (!(*child)->named)
        copy->state = (*child)->state;
    ts_type_unref(*child);
    *child = copy;
    return 0;
}

/* What follows from a change of the base. */
static int follow_base(struct ts_type *t)
{
    if (ts_type_deepen(t, t->base) < 0)
        return -1;
    size_t n = t->cls == H5T_ARRAY ? t->u.array.n_elements : 2;
    if (t->cls == H5T_ENUM)
        t->size = t->base->size;
    else if (t->cls == H5T_ARRAY || t->cls == H5T_COMPLEX) {
        if (!ts_mul_size(n, t->base->size, &t->size))
            return TS_ERR(DATATYPE, BADRANGE, "%zu elements or parts of %zu bytes", n, t->base->size);
        t->has_disk_form = t->base->has_disk_form;
    }
    return 0;
}

typedef int (*change_func)(struct ts_type *t, const void *arg);

static int has_members(void)
{
    TS_ERR(DATATYPE, CANTINIT, "the values of an enumeration's members are of the datatype it has");
    return ts_err_because(TS_WHY_MEMBERS);
}

static int change_innermost(struct ts_type *t, change_func change, const void *arg)
{
    if (!t->base)
        return change(t, arg);
    if (t->cls == H5T_ENUM && t->u.enumeration.n > 0)
        return has_members();
    if (own(&t->base) < 0 || change_innermost(t->base, change, arg) < 0)
        return -1;
    return follow_base(t);
}

static bool is_number(const struct ts_type *t)
{
    return t->cls == H5T_INTEGER || t->cls == H5T_FLOAT || t->cls == H5T_TIME || t->cls == H5T_BITFIELD;
}

static bool float_fits(const struct ts_type *t, size_t bits)
{
    const struct ts_float *f = &t->u.flt;
    return f->sign < bits && f->epos + f->esize <= bits && f->mpos + f->msize <= bits;
}

static int become_vlen_string(struct ts_type *t)
{
    H5T_cset_t cset = t->u.str.cset;
    H5T_str_t pad = t->u.str.pad;
    if (ts_type_new_letter(&t->base) < 0)
        return -1;
    t->base_copied = false;
    t->cls = H5T_VLEN;
    t->size = sizeof(char *);
    t->depth = 1;
    t->has_disk_form = true;
    t->loc = TS_LOC_MEMORY;
    memset(&t->atomic, 0, sizeof t->atomic);
    t->u.str.kind = TS_VLEN_STRING;
    t->u.str.cset = cset;
    t->u.str.pad = pad;
    return 0;
}

static int size_number(struct ts_type *t, size_t size)
{
    size_t bits, precision = t->atomic.precision, offset = t->atomic.offset;
    if (!ts_mul_size(size, 8, &bits))
        return TS_ERR(ARGS, BADVALUE, "a number of %zu bytes", size);
    if (precision > bits) {
        precision = bits;
        offset = 0;
    } else if (offset + precision > bits)
        offset = bits - precision;
    if (t->cls == H5T_FLOAT && !float_fits(t, precision + offset))
        return TS_ERR(DATATYPE, BADVALUE, "%zu bytes do not hold the sign, exponent and mantissa", size);
    t->size = size;
    t->atomic.precision = precision;
    t->atomic.offset = offset;
    return 0;
}

static int size_compound(struct ts_type *t, size_t size)
{
    for (size_t i = 0; i < t->u.compound.n; i++) {
        const struct ts_member *m = &t->u.compound.members[i];
        if (m->offset + m->type->size > size)
            return TS_ERR(DATATYPE, BADVALUE, "%zu bytes would cut member '%s'", size, m->name);
    }
    t->size = size;
    return 0;
}

static int change_size(struct ts_type *t, const void *arg)
{
    size_t size = *(const size_t *)arg;
    if (size == H5T_VARIABLE)
        return t->cls == H5T_STRING ? become_vlen_string(t)
                                    : TS_ERR(ARGS, BADVALUE, "only strings may be variable length");
    switch (t->cls) {
    case H5T_STRING:
        t->size = size;
        t->atomic.precision = 8 * size;
        t->atomic.offset = 0;
        return 0;
    case H5T_COMPOUND:
        return size_compound(t, size);
    case H5T_OPAQUE:
        t->size = size;
        return 0;
    case H5T_REFERENCE:
        return TS_SAY(DATATYPE, CANTINIT, "operation not defined for this datatype: a reference has its size");
    default:
        return size_number(t, size);
    }
}

static bool is_made_of_complex(const struct ts_type *t)
{
    while (t->base && t->cls != H5T_COMPLEX)
        t = t->base;
    return t->cls == H5T_COMPLEX;
}

int ts_type_set_size(struct ts_type *t, size_t size)
{
    if (size == 0)
        return TS_ERR(ARGS, BADVALUE, "size must be positive");
    if (size == H5T_VARIABLE && t->cls != H5T_STRING && !ts_type_is_vlen_string(t))
        return TS_ERR(ARGS, BADVALUE, "only strings may be variable length");
    if (size == H5T_VARIABLE && ts_type_is_vlen_string(t))
        return 0;
    if (is_made_of_complex(t))
        return TS_SAY(DATATYPE, CANTINIT,
                      "operation not defined for this datatype: a complex number has the size of its parts");
    return change_innermost(t, change_size, &size);
}

static int change_precision(struct ts_type *t, const void *arg)
{
    size_t precision = *(const size_t *)arg, size = t->size, offset = t->atomic.offset;
    if (!is_number(t))
        return TS_ERR(DATATYPE, UNSUPPORTED, "class %d has no precision to set", t->cls);
    if (precision > SIZE_MAX - 7)
        return TS_ERR(ARGS, BADVALUE, "a precision of %zu bits", precision);
    if (precision > 8 * size) {
        offset = 0;
        size = (precision + 7) / 8;
    } else if (offset + precision > 8 * size)
        offset = 8 * size - precision;
    if (t->cls == H5T_FLOAT && !float_fits(t, precision + offset))
        return TS_ERR(DATATYPE, BADVALUE, "%zu bits do not hold the sign, exponent and mantissa", precision);
    t->size = size;
    t->atomic.offset = offset;
    t->atomic.precision = precision;
    return 0;
}

int ts_type_set_precision(struct ts_type *t, size_t precision)
{
    if (precision == 0)
        return TS_ERR(ARGS, BADVALUE, "precision must be positive");
    if (t->cls == H5T_STRING)
        return TS_ERR(ARGS, UNSUPPORTED, "precision for this type is read-only: a string");
    if (t->cls == H5T_OPAQUE || t->cls == H5T_COMPOUND)
        return TS_SAY(DATATYPE, UNSUPPORTED, "operation not defined for specified datatype: class %d", t->cls);
    return change_innermost(t, change_precision, &precision);
}

static int change_offset(struct ts_type *t, const void *arg)
{
    size_t offset = *(const size_t *)arg, end;
    if (!is_number(t) && t->cls != H5T_STRING)
        return TS_SAY(DATATYPE, UNSUPPORTED, "operation not defined for this datatype: class %d", t->cls);
    if (!ts_add_size(offset, t->atomic.precision, &end) || end > SIZE_MAX - 7)
        return TS_ERR(ARGS, BADVALUE, "an offset of %zu bits", offset);
    if (end > 8 * t->size)
        t->size = (end + 7) / 8;
    t->atomic.offset = offset;
    return 0;
}

int ts_type_set_offset(struct ts_type *t, size_t offset)
{
    if (t->cls == H5T_STRING && offset != 0)
        return TS_ERR(ARGS, BADVALUE, "offset must be zero for this type: a string starts at bit 0");
    return change_innermost(t, change_offset, &offset);
}

static int change_order(struct ts_type *t, const void *arg)
{
    H5T_order_t order = *(const H5T_order_t *)arg;
    if (order == H5T_ORDER_NONE && t->cls != H5T_REFERENCE && t->cls != H5T_OPAQUE && t->cls != H5T_STRING)
        return TS_ERR(DATATYPE, BADVALUE, "class %d has a byte order", t->cls);
    if (t->cls == H5T_COMPOUND && t->u.compound.n == 0)
        return TS_ERR(DATATYPE, UNINITIALIZED, "no member is in the compound data type");
    if (ts_type_is_atomic(t))
        t->atomic.order = order;
    if (t->cls == H5T_COMPOUND)
        for (size_t i = 0; i < t->u.compound.n; i++) {
            struct ts_member *m = &t->u.compound.members[i];
            if (own(&m->type) < 0 || change_innermost(m->type, change_order, arg) < 0)
                return -1;
        }
    return 0;
}

int ts_type_set_order(struct ts_type *t, H5T_order_t order)
{
    return change_innermost(t, change_order, &order);
}

static int change_sign(struct ts_type *t, const void *arg)
{
    if (t->cls != H5T_INTEGER)
        return TS_SAY(DATATYPE, CANTINIT, "operation not defined for datatype class: %d", t->cls);
    t->u.sign = *(const H5T_sign_t *)arg;
    return 0;
}

int ts_type_set_sign(struct ts_type *t, H5T_sign_t sign)
{
    if (sign < H5T_SGN_NONE || sign >= H5T_NSGN)
        return TS_ERR(ARGS, BADVALUE, "illegal sign type: %d", sign);
    return change_innermost(t, change_sign, &sign);
}

static int change_pad(struct ts_type *t, const void *arg)
{
    const H5T_pad_t *pads = arg;
    if (!ts_type_is_atomic(t))
        return TS_SAY(DATATYPE, UNSUPPORTED, "operation not defined for specified data type: class %d", t->cls);
    t->atomic.lsb_pad = pads[0];
    t->atomic.msb_pad = pads[1];
    return 0;
}

static bool valid_pad(H5T_pad_t pad)
{
    return pad >= H5T_PAD_ZERO && pad < H5T_NPAD;
}

int ts_type_set_pad(struct ts_type *t, H5T_pad_t lsb, H5T_pad_t msb)
{
    if (!valid_pad(lsb) || !valid_pad(msb))
        return TS_ERR(ARGS, BADVALUE, "invalid pad type: %d, %d", lsb, msb);
    return change_innermost(t, change_pad, (H5T_pad_t[]){lsb, msb});
}

/* Whatever else keeps it from being changed, it must be one. */
static int change_float(struct ts_type *t, change_func change, const void *arg)
{
    H5T_class_t cls = ts_type_innermost(t)->cls;
    if (cls != H5T_FLOAT)
        return TS_SAY(DATATYPE, BADTYPE, "operation not defined for datatype class: %d", cls);
    return change_innermost(t, change, arg);
}

/* As libhdf5 adds: a sum that overflows is a small one. */
static bool is_in(size_t bit, size_t pos, size_t size)
{
    return bit >= pos && bit < pos + size;
}

/* In libhdf5's order, and with its sums, so that the same is told of what is wrong for both. */
static int check_fields(const struct ts_float *f, size_t p)
{
    if (f->epos + f->esize > p)
        return TS_ERR(ARGS, BADVALUE, "exponent bit field size/location is invalid: %zu bits at %zu of %zu", f->esize,
                      f->epos, p);
    if (f->mpos + f->msize > p)
        return TS_ERR(ARGS, BADVALUE, "mantissa bit field size/location is invalid: %zu bits at %zu of %zu", f->msize,
                      f->mpos, p);
    if (f->sign >= p)
        return TS_ERR(ARGS, BADVALUE, "sign location is not valid: bit %zu of %zu", f->sign, p);
    if (is_in(f->sign, f->epos, f->esize))
        return TS_ERR(ARGS, BADVALUE, "sign bit appears within exponent field: bit %zu", f->sign);
    if (is_in(f->sign, f->mpos, f->msize))
        return TS_ERR(ARGS, BADVALUE, "sign bit appears within mantissa field: bit %zu", f->sign);
    if ((f->epos < f->mpos && f->epos + f->esize > f->mpos) || (f->mpos < f->epos && f->mpos + f->msize > f->epos))
        return TS_ERR(ARGS, BADVALUE, "exponent and mantissa fields overlap");
    return 0;
}

static int change_fields(struct ts_type *t, const void *arg)
{
    const struct ts_float *f = arg;
    size_t p = t->atomic.precision;
    if (check_fields(f, p) < 0)
        return -1;
    if (f->epos > p || f->esize > p - f->epos || f->mpos > p || f->msize > p - f->mpos)
        return TS_ERR(ARGS, BADVALUE, "%zu bits at %zu or %zu bits at %zu are beyond the %zu that there are", f->esize,
                      f->epos, f->msize, f->mpos, p);
    if (f->epos == f->mpos && f->esize && f->msize)
        return TS_ERR(ARGS, BADVALUE, "exponent and mantissa fields overlap: both begin at bit %zu", f->epos);
    t->u.flt.sign = f->sign;
    t->u.flt.epos = f->epos;
    t->u.flt.esize = f->esize;
    t->u.flt.mpos = f->mpos;
    t->u.flt.msize = f->msize;
    return 0;
}

int ts_type_set_fields(struct ts_type *t, const struct ts_float *f)
{
    return change_float(t, change_fields, f);
}

static int change_ebias(struct ts_type *t, const void *arg)
{
    t->u.flt.ebias = *(const uint64_t *)arg;
    return 0;
}

int ts_type_set_ebias(struct ts_type *t, uint64_t ebias)
{
    return change_float(t, change_ebias, &ebias);
}

static int change_norm(struct ts_type *t, const void *arg)
{
    t->u.flt.norm = *(const H5T_norm_t *)arg;
    return 0;
}

int ts_type_set_norm(struct ts_type *t, H5T_norm_t norm)
{
    if (norm < H5T_NORM_IMPLIED || norm > H5T_NORM_NONE)
        return TS_ERR(ARGS, BADVALUE, "illegal normalization: %d", norm);
    return change_float(t, change_norm, &norm);
}

static int change_inpad(struct ts_type *t, const void *arg)
{
    t->u.flt.pad = *(const H5T_pad_t *)arg;
    return 0;
}

int ts_type_set_inpad(struct ts_type *t, H5T_pad_t pad)
{
    if (!valid_pad(pad))
        return TS_ERR(ARGS, BADVALUE, "illegal internal pad type: %d", pad);
    return change_float(t, change_inpad, &pad);
}

static int change_string(struct ts_type *t, const H5T_cset_t *cset, const H5T_str_t *pad)
{
    if (t->cls == H5T_STRING || ts_type_is_vlen_string(t)) {
        if (cset)
            t->u.str.cset = *cset;
        if (pad)
            t->u.str.pad = *pad;
        return 0;
    }
    if (!t->base)
        return TS_SAY(DATATYPE, UNSUPPORTED, "operation not defined for %s class: %d", cset ? "data type" : "datatype",
                      t->cls);
    return own(&t->base) < 0 ? -1 : change_string(t->base, cset, pad);
}

int ts_type_set_cset(struct ts_type *t, H5T_cset_t cset)
{
    if (cset < H5T_CSET_ASCII || cset >= H5T_NCSET)
        return TS_ERR(ARGS, BADVALUE, "illegal character set type: %d", cset);
    return change_string(t, &cset, NULL);
}

int ts_type_set_strpad(struct ts_type *t, H5T_str_t pad)
{
    if (pad < H5T_STR_NULLTERM || pad >= H5T_NSTR)
        return TS_ERR(ARGS, BADVALUE, "illegal string pad type: %d", pad);
    return change_string(t, NULL, &pad);
}

static int change_tag(struct ts_type *t, const void *arg)
{
    const char *tag = arg, *copy;
    if (ts_type_name_new(tag, strlen(tag), &copy) < 0)
        return -1;
    ts_type_name_unref(t->u.opaque.tag);
    t->u.opaque.tag = copy;
    return 0;
}

int ts_type_set_tag(struct ts_type *t, const char *tag)
{
    H5T_class_t cls = ts_type_innermost(t)->cls;
    if (cls != H5T_OPAQUE)
        return TS_ERR(ARGS, BADTYPE, "not an opaque data type: class %d", cls);
    if (!tag)
        return TS_ERR(ARGS, BADVALUE, "no tag");
    if (strlen(tag) >= H5T_OPAQUE_TAG_MAX)
        return TS_ERR(ARGS, BADVALUE, "tag too long: %zu letters", strlen(tag));
    return change_innermost(t, change_tag, tag);
}

int ts_type_raise_version(struct ts_type *t, unsigned version)
{
    if (t->base) {
        if (own(&t->base) < 0 || ts_type_raise_version(t->base, version) < 0)
            return -1;
    }
    if (t->cls == H5T_COMPOUND)
        for (size_t i = 0; i < t->u.compound.n; i++) {
            struct ts_member *m = &t->u.compound.members[i];
            if (own(&m->type) < 0 || ts_type_raise_version(m->type, version) < 0)
                return -1;
        }
    if (t->cls == H5T_VLEN)
        version = t->base->version;
    else if (t->cls != H5T_COMPOUND && t->cls != H5T_ARRAY && t->cls != H5T_ENUM)
        return 0;
    if (t->version < version)
        t->version = version;
    return 0;
}

/* The message has the version that the file gave it. */
static int adopt_part(struct ts_type **part, struct ts_type *from)
{
    struct ts_type *its = NULL, *old = *part;
    if (old->version <= from->version)
        its = ts_type_ref(from);
    else if (ts_type_copy_all(from, &its) < 0 || ts_type_raise_version(its, old->version) < 0) {
        ts_type_unref(its);
        return -1;
    }
    *part = its;
    ts_type_unref(old);
    return 0;
}

int ts_type_adopt_parts(struct ts_type *t, const struct ts_type *from)
{
    if (t->base && adopt_part(&t->base, from->base) < 0)
        return -1;
    t->base_copied = from->base_copied;
    for (size_t i = 0; t->cls == H5T_COMPOUND && i < t->u.compound.n; i++) {
        if (adopt_part(&t->u.compound.members[i].type, from->u.compound.members[i].type) < 0)
            return -1;
        t->u.compound.members[i].copied = from->u.compound.members[i].copied;
    }
    return 0;
}

static int check_member(const struct ts_type *t, const char *name, size_t offset, size_t size)
{
    size_t end;
    if (!ts_add_size(offset, size, &end) || end > t->size)
        return TS_ERR(DATATYPE, CANTINSERT, "member '%s' of %zu bytes at %zu is past the end of %zu bytes", name, size,
                      offset, t->size);
    for (size_t i = 0; i < t->u.compound.n; i++) {
        const struct ts_member *m = &t->u.compound.members[i];
        if (strcmp(m->name, name) == 0)
            return TS_ERR(DATATYPE, CANTINSERT, "there is a member '%s'", name);
        if (offset < m->offset + m->type->size && m->offset < end)
            return TS_ERR(DATATYPE, CANTINSERT, "member '%s' at %zu overlaps '%s'", name, offset, m->name);
    }
    return 0;
}

int ts_type_insert(struct ts_type *t, const char *name, size_t offset, struct ts_type *member)
{
    if (check_member(t, name, offset, member->size) < 0)
        return -1;
    if (t->u.compound.n >= TS_TYPE_MAX_MEMBERS)
        return TS_ERR(DATATYPE, CANTINSERT, "more than %d members", TS_TYPE_MAX_MEMBERS);
    if (TS_GROW(t->u.compound.members, t->u.compound.capacity, t->u.compound.n + 1) < 0)
        return -1;
    struct ts_member *m = &t->u.compound.members[t->u.compound.n];
    if (ts_type_name_new(name, strlen(name), &m->name) < 0)
        return -1;
    if (ts_type_deepen(t, member) < 0) {
        ts_type_name_unref(m->name);
        return -1;
    }
    m->offset = offset;
    m->copied = false;
    m->type = ts_type_ref(member);
    t->u.compound.n++;
    t->has_disk_form |= member->has_disk_form;
    return member->version > t->version ? ts_type_raise_version(t, member->version) : 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct ts_member *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* What was locked or committed when it became a part stays as it is; a copy of the whole has copies of its parts. */
static int pack_part(struct ts_type **part, bool copied)
{
    struct ts_type *copy;
    if (ts_type_is_packed(*part))
        return 0;
    if (!copied && ((*part)->state != TS_TYPE_TRANSIENT || (*part)->named))
        return TS_ERR(DATATYPE, CANTINIT, "a part of %zu bytes is not packed, and read-only", (*part)->size);
    if ((copied ? ts_type_copy_parts(*part, &copy) : ts_type_copy(*part, &copy)) < 0)
        return -1;
    ts_type_unref(*part);
    *part = copy;
    return ts_type_pack(copy);
}

int ts_type_pack(struct ts_type *t)
{
    if (t->base)
        return pack_part(&t->base, t->base_copied) < 0 ? -1 : follow_base(t);
    if (t->cls != H5T_COMPOUND || ts_type_is_packed(t))
        return 0;
    struct ts_member *members = t->u.compound.members;
    for (size_t i = 0; i < t->u.compound.n; i++)
        if (pack_part(&members[i].type, members[i].copied) < 0)
            return -1;
    if (t->u.compound.n > 0)
        qsort(members, t->u.compound.n, sizeof *members, by_offset);
    size_t at = 0;
    for (size_t i = 0; i < t->u.compound.n; i++) {
        members[i].offset = at;
        at += members[i].type->size;
    }
    t->size = at > 0 ? at : 1;
    return 0;
}

int ts_type_enum_insert(struct ts_type *t, const char *name, const void *value)
{
    size_t n = t->u.enumeration.n, bytes;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(t->u.enumeration.names[i], name) == 0)
            return TS_ERR(DATATYPE, CANTINIT, "there is a member '%s'", name);
        if (memcmp(t->u.enumeration.values + i * t->size, value, t->size) == 0)
            return TS_ERR(DATATYPE, CANTINIT, "'%s' has the value of '%s'", name, t->u.enumeration.names[i]);
    }
    if (n >= TS_TYPE_MAX_MEMBERS)
        return TS_ERR(DATATYPE, CANTINIT, "more than %d members", TS_TYPE_MAX_MEMBERS);
    if (!ts_mul_size(n + 1, t->size, &bytes) || TS_GROW(t->u.enumeration.names, t->u.enumeration.capacity, n + 1) < 0 ||
        TS_GROW(t->u.enumeration.values, t->u.enumeration.values_capacity, bytes) < 0)
        return -1;
    if (ts_type_name_new(name, strlen(name), &t->u.enumeration.names[n]) < 0)
        return -1;
    memcpy(t->u.enumeration.values + n * t->size, value, t->size);
    t->u.enumeration.n++;
    return 0;
}
