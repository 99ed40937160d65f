/* The parameters of nbit, built from the datatype; what they say is told at the filter. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"
#include "filter/nbit.h"

struct list {
    unsigned *values;
    size_t n, capacity;
    bool packs; /* some number has bits to leave out */
    /* An array of arrays or of compounds was last: libhdf5 does not find its way to what follows. */
    bool ends_astray, is_astray;
};

/* The count of parameters has 16 bits on file. */
enum { MAX_VALUES = 65535 };

static int push(struct list *l, size_t value)
{
    if (value > UINT32_MAX || l->n == MAX_VALUES)
        return TS_ERR(PLINE, BADTYPE, "nbit: the datatype is too large, at parameter %zu, %zu", l->n, value);
    if (TS_GROW(l->values, l->capacity, l->n + 1) < 0)
        return -1;
    l->values[l->n++] = (unsigned)value;
    return 0;
}

static int push_type(struct list *l, const struct ts_type *t);

static int push_atomic(struct list *l, const struct ts_type *t)
{
    H5T_order_t order = t->atomic.order;
    if (order != H5T_ORDER_LE && order != H5T_ORDER_BE)
        return TS_ERR(PLINE, BADTYPE, "nbit: a number in byte order %d", (int)order);
    l->ends_astray = false;
    l->packs |= t->atomic.precision < 8 * t->size;
    if (push(l, TS_NBIT_ATOMIC) < 0 || push(l, t->size) < 0 || push(l, order == H5T_ORDER_BE) < 0 ||
        push(l, t->atomic.precision) < 0)
        return -1;
    return push(l, t->atomic.offset);
}

static int push_bytes(struct list *l, size_t size)
{
    l->ends_astray = false;
    return push(l, TS_NBIT_BYTES) < 0 ? -1 : push(l, size);
}

static int push_array(struct list *l, const struct ts_type *t)
{
    if (t->base->cls == H5T_VLEN)
        return TS_ERR(PLINE, BADTYPE, "nbit: an array of elements of variable length");
    if (push(l, TS_NBIT_ARRAY) < 0 || push(l, t->size) < 0)
        return -1;
    int status = push_type(l, t->base);
    l->ends_astray = t->base->cls == H5T_ARRAY || t->base->cls == H5T_COMPOUND;
    return status;
}

static int by_offset(const void *a, const void *b)
{
    const struct ts_member *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* libhdf5 puts the members of a compound in the order of their offsets when one of them changes on the way to disk;
 * its other compounds keep the order of insertion. */
static bool is_sorted(const struct ts_type *t)
{
    if (t->cls == H5T_VLEN || (t->cls == H5T_REFERENCE && t->u.ref.kind == H5R_OBJECT1))
        return true;
    if (t->cls == H5T_ARRAY)
        return is_sorted(t->base);
    for (size_t i = 0; t->cls == H5T_COMPOUND && i < t->u.compound.n; i++)
        if (is_sorted(t->u.compound.members[i].type))
            return true;
    return false;
}

static int push_members(struct list *l, const struct ts_type *t, const struct ts_member *members)
{
    size_t n = t->u.compound.n;
    l->ends_astray = false;
    for (size_t i = 0; i < n; i++) {
        const struct ts_member *m = &members[i];
        l->is_astray |= l->ends_astray;
        /* An element of variable length takes everything up to the next member. */
        size_t end = i + 1 < n ? members[i + 1].offset : t->size;
        if (push(l, m->offset) < 0)
            return -1;
        if ((m->type->cls == H5T_VLEN ? push_bytes(l, end - m->offset) : push_type(l, m->type)) < 0)
            return -1;
    }
    return 0;
}

static int push_compound(struct list *l, const struct ts_type *t)
{
    size_t n = t->u.compound.n;
    if (push(l, TS_NBIT_COMPOUND) < 0 || push(l, t->size) < 0 || push(l, n) < 0)
        return -1;
    if (!is_sorted(t))
        return push_members(l, t, t->u.compound.members);
    struct ts_member *sorted = ts_memdup(t->u.compound.members, n * sizeof *sorted);
    if (!sorted)
        return -1;
    qsort(sorted, n, sizeof *sorted, by_offset);
    int status = push_members(l, t, sorted);
    ts_free(sorted);
    return status;
}

static int push_type(struct list *l, const struct ts_type *t)
{
    switch (t->cls) {
    case H5T_INTEGER:
    case H5T_FLOAT:
        return push_atomic(l, t);
    case H5T_ARRAY:
        return push_array(l, t);
    case H5T_COMPOUND:
        return push_compound(l, t);
    default:
        return push_bytes(l, t->size);
    }
}

static bool is_packable(const struct ts_type *t)
{
    return t->cls == H5T_INTEGER || t->cls == H5T_FLOAT || t->cls == H5T_ARRAY || t->cls == H5T_COMPOUND;
}

int ts_local_nbit(struct ts_filter *f, const struct ts_filter_local *local)
{
    struct list l = {0};
    unsigned elements = 0;
    if (ts_local_elements(local, &elements) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < TS_NBIT_TYPE && status == 0; i++)
        status = push(&l, 0);
    if (status == 0 && is_packable(local->type))
        status = push_type(&l, local->type);
    if (status == 0) {
        l.values[TS_NBIT_COUNT] = (unsigned)l.n;
        /* Data that libhdf5 could not unpack is better not packed. */
        l.values[TS_NBIT_WHOLE] = !l.packs || l.is_astray;
        l.values[TS_NBIT_ELEMENTS] = elements;
        status = ts_filter_set_values(f, l.n, l.values);
    }
    ts_free(l.values);
    return status;
}
