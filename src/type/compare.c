/* Questions about datatypes: equality and order, what they contain, whether their structure is sound. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "type/type.h"

#define CMP(a, b)                                                                                                      \
    do {                                                                                                               \
        if ((a) != (b))                                                                                                \
            return (a) < (b) ? -1 : 1;                                                                                 \
    } while (0)

const struct ts_type *ts_type_innermost(const struct ts_type *t)
{
    while (t->base)
        t = t->base;
    return t;
}

const struct ts_type *ts_type_string(const struct ts_type *t)
{
    while (t->base && !ts_type_is_vlen_string(t))
        t = t->base;
    return t->cls == H5T_STRING || ts_type_is_vlen_string(t) ? t : NULL;
}

static int cmp_float(const struct ts_float *a, const struct ts_float *b)
{
    CMP(a->sign, b->sign);
    CMP(a->epos, b->epos);
    CMP(a->esize, b->esize);
    CMP(a->ebias, b->ebias);
    CMP(a->mpos, b->mpos);
    CMP(a->msize, b->msize);
    CMP(a->norm, b->norm);
    CMP(a->pad, b->pad);
    return 0;
}

static int cmp_atomic(const struct ts_type *a, const struct ts_type *b)
{
    CMP(a->atomic.order, b->atomic.order);
    CMP(a->atomic.precision, b->atomic.precision);
    CMP(a->atomic.offset, b->atomic.offset);
    CMP(a->atomic.lsb_pad, b->atomic.lsb_pad);
    CMP(a->atomic.msb_pad, b->atomic.msb_pad);
    if (a->cls == H5T_INTEGER)
        CMP(a->u.sign, b->u.sign);
    else if (a->cls == H5T_FLOAT)
        return cmp_float(&a->u.flt, &b->u.flt);
    else if (a->cls == H5T_STRING) {
        CMP(a->u.str.cset, b->u.str.cset);
        CMP(a->u.str.pad, b->u.str.pad);
    } else if (a->cls == H5T_REFERENCE) {
        CMP(a->u.ref.kind, b->u.ref.kind);
        CMP(a->loc, b->loc);
    }
    return 0;
}

static int member_by_name(const void *a, const void *b)
{
    const struct ts_member *x = *(const struct ts_member *const *)a, *y = *(const struct ts_member *const *)b;
    return strcmp(x->name, y->name);
}

static int cmp_member(const struct ts_member *a, const struct ts_member *b)
{
    int r = strcmp(a->name, b->name);
    if (r != 0)
        return r;
    CMP(a->offset, b->offset);
    return ts_type_cmp(a->type, b->type);
}

static bool same_order_of_members(const struct ts_type *a, const struct ts_type *b)
{
    for (size_t i = 0; i < a->u.compound.n; i++)
        if (strcmp(a->u.compound.members[i].name, b->u.compound.members[i].name) != 0)
            return false;
    return true;
}

/* Members in another order do not make another type, so both sides are looked at by name. */
static int cmp_compound(const struct ts_type *a, const struct ts_type *b)
{
    size_t n = a->u.compound.n;
    int r = 0;
    CMP(n, b->u.compound.n);
    if (same_order_of_members(a, b)) {
        for (size_t i = 0; i < n && r == 0; i++)
            r = cmp_member(&a->u.compound.members[i], &b->u.compound.members[i]);
        return r;
    }
    const struct ts_member **sorted = ts_malloc(2 * n * sizeof *sorted);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = &a->u.compound.members[i];
        sorted[n + i] = &b->u.compound.members[i];
    }
    qsort(sorted, n, sizeof *sorted, member_by_name);
    qsort(sorted + n, n, sizeof *sorted, member_by_name);
    for (size_t i = 0; i < n && r == 0; i++)
        r = cmp_member(sorted[i], sorted[n + i]);
    ts_free(sorted);
    return r;
}

struct enum_entry {
    const char *name;
    const uint8_t *value;
};

static int entry_by_name(const void *a, const void *b)
{
    const struct enum_entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void fill_entries(const struct ts_type *t, struct enum_entry *out)
{
    for (size_t i = 0; i < t->u.enumeration.n; i++)
        out[i] = (struct enum_entry){t->u.enumeration.names[i], t->u.enumeration.values + i * t->size};
    qsort(out, t->u.enumeration.n, sizeof *out, entry_by_name);
}

static int cmp_enum(const struct ts_type *a, const struct ts_type *b)
{
    size_t n = a->u.enumeration.n;
    int r = 0;
    CMP(n, b->u.enumeration.n);
    if (n == 0)
        return 0;
    struct enum_entry *e = ts_malloc(2 * n * sizeof *e);
    if (!e)
        return -1;
    fill_entries(a, e);
    fill_entries(b, e + n);
    for (size_t i = 0; i < n && r == 0; i++) {
        r = strcmp(e[i].name, e[n + i].name);
        if (r == 0)
            r = memcmp(e[i].value, e[n + i].value, a->size);
    }
    ts_free(e);
    return r;
}

/* As in libhdf5, variable-length strings are equal whatever their padding and character set. */
static int cmp_vlen(const struct ts_type *a, const struct ts_type *b)
{
    CMP(a->u.str.kind, b->u.str.kind);
    CMP(a->loc, b->loc);
    return 0;
}

static int cmp_array(const struct ts_type *a, const struct ts_type *b)
{
    CMP(a->u.array.rank, b->u.array.rank);
    for (unsigned i = 0; i < a->u.array.rank; i++)
        CMP(a->u.array.dims[i], b->u.array.dims[i]);
    return 0;
}

int ts_type_cmp(const struct ts_type *a, const struct ts_type *b)
{
    if (a == b)
        return 0;
    CMP(a->cls, b->cls);
    CMP(a->size, b->size);
    if (a->base && b->base) {
        int r = ts_type_cmp(a->base, b->base);
        if (r != 0)
            return r;
    }
    switch (a->cls) {
    case H5T_COMPOUND:
        return cmp_compound(a, b);
    case H5T_ENUM:
        return cmp_enum(a, b);
    case H5T_VLEN:
        return cmp_vlen(a, b);
    case H5T_ARRAY:
        return cmp_array(a, b);
    case H5T_OPAQUE:
        return strcmp(a->u.opaque.tag, b->u.opaque.tag);
    case H5T_COMPLEX:
        return 0;
    default:
        return cmp_atomic(a, b);
    }
}

bool ts_type_equal(const struct ts_type *a, const struct ts_type *b)
{
    return ts_type_cmp(a, b) == 0;
}

bool ts_type_has_class(const struct ts_type *t, H5T_class_t cls, bool from_api)
{
    if (from_api && ts_type_is_vlen_string(t))
        return cls == H5T_STRING;
    if (t->cls == cls)
        return true;
    if (t->cls == H5T_COMPOUND)
        for (size_t i = 0; i < t->u.compound.n; i++) {
            const struct ts_type *m = t->u.compound.members[i].type;
            if (m->cls == cls || ts_type_has_class(m, cls, from_api))
                return true;
        }
    return t->base && ts_type_has_class(t->base, cls, from_api);
}

bool ts_type_has_chunk_fields(const struct ts_type *t)
{
    if (!t->has_disk_form || ts_type_is_chunk_field(t))
        return t->has_disk_form;
    for (size_t i = 0; t->cls == H5T_COMPOUND && i < t->u.compound.n; i++)
        if (ts_type_has_chunk_fields(t->u.compound.members[i].type))
            return true;
    return t->base && ts_type_has_chunk_fields(t->base);
}

/* Of the flags of a number. Before version 3 of the message there is no order of VAX, and libhdf5 stores padding with
 * the background as ones. */
static bool is_number_kept(const struct ts_type *t)
{
    const struct ts_atomic *a = &t->atomic;
    return (a->order == H5T_ORDER_LE || a->order == H5T_ORDER_BE) && a->lsb_pad <= H5T_PAD_ONE &&
           a->msb_pad <= H5T_PAD_ONE;
}

bool ts_type_is_kept_by_files(const struct ts_type *t)
{
    if (t->cls == H5T_INTEGER || t->cls == H5T_FLOAT || t->cls == H5T_BITFIELD || t->cls == H5T_TIME)
        return is_number_kept(t);
    if (t->cls == H5T_OPAQUE)
        return strlen(t->u.opaque.tag) <= UINT8_MAX - 7;
    if (t->cls == H5T_COMPOUND) {
        if (t->u.compound.n > UINT16_MAX)
            return false;
        for (size_t i = 0; i < t->u.compound.n; i++)
            if (!ts_type_is_kept_by_files(t->u.compound.members[i].type))
                return false;
    }
    return !t->base || ts_type_is_kept_by_files(t->base);
}

bool ts_type_is_atomic(const struct ts_type *t)
{
    return t->cls <= H5T_BITFIELD || t->cls == H5T_REFERENCE;
}

bool ts_type_is_packed(const struct ts_type *t)
{
    if (t->base)
        return ts_type_is_packed(t->base);
    if (t->cls != H5T_COMPOUND)
        return true;
    size_t sum = 0;
    for (size_t i = 0; i < t->u.compound.n; i++) {
        if (!ts_type_is_packed(t->u.compound.members[i].type))
            return false;
        sum += t->u.compound.members[i].type->size;
    }
    return sum == t->size;
}

static H5T_order_t order_of_members(const struct ts_type *t)
{
    H5T_order_t order = H5T_ORDER_NONE;
    for (size_t i = 0; i < t->u.compound.n; i++) {
        H5T_order_t o = ts_type_order(t->u.compound.members[i].type);
        if (o == H5T_ORDER_NONE)
            continue;
        if (o == H5T_ORDER_MIXED || (order != H5T_ORDER_NONE && o != order))
            return H5T_ORDER_MIXED;
        order = o;
    }
    return order;
}

H5T_order_t ts_type_order(const struct ts_type *t)
{
    t = ts_type_innermost(t);
    if (t->cls == H5T_COMPOUND)
        return order_of_members(t);
    return ts_type_is_atomic(t) ? t->atomic.order : H5T_ORDER_NONE;
}

int ts_type_member_index(const struct ts_type *t, const char *name)
{
    if (t->cls == H5T_COMPOUND) {
        for (size_t i = 0; i < t->u.compound.n; i++)
            if (strcmp(t->u.compound.members[i].name, name) == 0)
                return (int)i;
    } else if (t->cls == H5T_ENUM) {
        for (size_t i = 0; i < t->u.enumeration.n; i++)
            if (strcmp(t->u.enumeration.names[i], name) == 0)
                return (int)i;
    }
    return -1;
}

static const char *why_not_atomic(const struct ts_type *t)
{
    const struct ts_float *f = &t->u.flt;
    size_t p = t->atomic.precision;
    if (p == 0 || p > 8 * t->size || t->atomic.offset > 8 * t->size - p)
        return "bits outside of the element";
    if (t->cls == H5T_FLOAT && (f->sign >= p + t->atomic.offset || f->epos + f->esize > p + t->atomic.offset ||
                                f->mpos + f->msize > p + t->atomic.offset))
        return "a field of the float outside of its bits";
    if (t->cls == H5T_REFERENCE && !t->has_disk_form)
        return "a reference that is the same in memory and on disk";
    return NULL;
}

static const char *why_not_compound(const struct ts_type *t)
{
    bool disk_form = false;
    for (size_t i = 0; i < t->u.compound.n; i++) {
        const struct ts_member *m = &t->u.compound.members[i];
        const char *reason;
        if (m->offset > t->size || m->type->size > t->size - m->offset)
            return "a member past the end";
        for (size_t j = 0; j < i; j++) {
            const struct ts_member *o = &t->u.compound.members[j];
            if (m->offset < o->offset + o->type->size && o->offset < m->offset + m->type->size)
                return "members overlap";
        }
        disk_form |= m->type->has_disk_form;
        if (m->type->depth >= t->depth)
            return "a member that is as deep as the whole";
        if (!ts_type_verify(m->type, &reason))
            return reason;
    }
    return disk_form == t->has_disk_form ? NULL : "has_disk_form is not that of the members";
}

static const char *why_not_derived(const struct ts_type *t)
{
    const char *reason;
    size_t n = 1;
    if (!t->base)
        return "no base";
    if (t->base->depth + 1 != t->depth)
        return "another depth than its base has it";
    if (t->cls == H5T_ENUM && (t->base->cls != H5T_INTEGER || t->size != t->base->size))
        return "an enumeration that is not as its base";
    if (t->cls == H5T_COMPLEX &&
        (t->base->cls != H5T_FLOAT || t->size != 2 * t->base->size || t->version < TS_TYPE_VERSION_COMPLEX))
        return "a complex number that is not two floats";
    if (t->cls == H5T_ARRAY) {
        for (unsigned i = 0; i < t->u.array.rank; i++)
            if (!ts_mul_size(n, (size_t)t->u.array.dims[i], &n))
                return "too many array elements";
        if (n != t->u.array.n_elements || n == 0 || t->size != n * t->base->size)
            return "an array of another size than its elements";
        if (t->has_disk_form != t->base->has_disk_form)
            return "has_disk_form is not that of the elements";
    }
    if (t->cls == H5T_VLEN && !t->has_disk_form)
        return "variable-length data that is the same in memory and on disk";
    return ts_type_verify(t->base, &reason) ? NULL : reason;
}

bool ts_type_verify(const struct ts_type *t, const char **reason)
{
    if (t->size == 0)
        *reason = "an element of 0 bytes";
    else if (t->depth > TS_TYPE_MAX_DEPTH)
        *reason = "too many levels";
    else if (ts_type_is_atomic(t))
        *reason = why_not_atomic(t);
    else if (t->cls == H5T_COMPOUND)
        *reason = why_not_compound(t);
    else if (t->cls == H5T_OPAQUE)
        *reason = t->u.opaque.tag ? NULL : "an opaque type without a tag";
    else
        *reason = why_not_derived(t);
    return *reason == NULL;
}
