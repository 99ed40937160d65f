/* The same datatype in memory, on disk and in structured chunks. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "type/type.h"

static size_t size_of_vlen(const struct ts_type *t, enum ts_type_loc loc, unsigned addr_size)
{
    if (loc == TS_LOC_DISK)
        return 4 + addr_size + 4;
    if (loc == TS_LOC_CHUNK)
        return TS_TYPE_CHUNK_FIELD;
    return t->u.str.kind == TS_VLEN_STRING ? sizeof(char *) : sizeof(hvl_t);
}

static size_t size_of_revised_ref(unsigned addr_size)
{
    return 2 + 4 + addr_size + 4;
}

/* libhdf5 gives the references of a sequence the size that they have in memory, and stores them in the one they have on
 * disk, one behind the other. */
static bool has_size_of_memory(const struct ts_type *base, enum ts_type_loc loc, unsigned addr_size)
{
    return loc == TS_LOC_DISK && base->cls == H5T_REFERENCE && base->u.ref.kind >= H5R_OBJECT2 &&
           base->size != size_of_revised_ref(addr_size);
}

/* References on disk keep the size that the file says. */
static size_t size_of_ref(const struct ts_type *t, enum ts_type_loc loc, unsigned addr_size)
{
    bool old_object = t->u.ref.kind == H5R_OBJECT1;
    if (loc == t->loc || (old_object && loc != TS_LOC_MEMORY && t->loc != TS_LOC_MEMORY))
        return t->size;
    if (loc == TS_LOC_CHUNK && !old_object)
        return TS_TYPE_CHUNK_FIELD;
    switch (t->u.ref.kind) {
    case H5R_OBJECT1:
        return loc == TS_LOC_MEMORY ? H5R_OBJ_REF_BUF_SIZE : addr_size;
    case H5R_DATASET_REGION1:
        return loc == TS_LOC_DISK ? addr_size + 4 : H5R_DSET_REG_REF_BUF_SIZE;
    default:
        return loc == TS_LOC_DISK ? size_of_revised_ref(addr_size) : sizeof(H5R_ref_t);
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct ts_member *x = *(struct ts_member *const *)a, *y = *(struct ts_member *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Members keep their gaps: each one moves by as much as those before it grew. */
static int move_members(struct ts_type *t, enum ts_type_loc loc, unsigned addr_size)
{
    size_t n = t->u.compound.n, grown = 0, shrunk = 0;
    struct ts_member *members = t->u.compound.members;
    struct ts_member **sorted = ts_malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < n; i++)
        sorted[i] = &members[i];
    qsort(sorted, n, sizeof *sorted, by_offset);
    int r = 0;
    for (size_t i = 0; i < n && r >= 0; i++) {
        size_t before = sorted[i]->type->size;
        if (!ts_add_size(sorted[i]->offset - shrunk, grown, &sorted[i]->offset))
            r = TS_ERR(DATATYPE, BADRANGE, "member '%s' moves out of memory", sorted[i]->name);
        else if (ts_type_set_loc(&sorted[i]->type, loc, addr_size) < 0)
            r = -1;
        else if (sorted[i]->type->size > before)
            grown += sorted[i]->type->size - before;
        else
            shrunk += before - sorted[i]->type->size;
    }
    ts_free(sorted);
    if (r == 0 && !ts_add_size(t->size - shrunk, grown, &t->size))
        r = TS_ERR(DATATYPE, BADRANGE, "a compound of more bytes than there can be");
    return r;
}

static bool is_at(const struct ts_type *t, enum ts_type_loc loc, unsigned addr_size)
{
    if (!t->has_disk_form)
        return true;
    if (t->cls == H5T_REFERENCE)
        return t->loc == loc;
    if (t->cls == H5T_VLEN &&
        (t->loc != loc || t->size != size_of_vlen(t, loc, addr_size) || has_size_of_memory(t->base, loc, addr_size)))
        return false;
    if (t->base)
        return is_at(t->base, loc, addr_size);
    for (size_t i = 0; i < t->u.compound.n; i++)
        if (!is_at(t->u.compound.members[i].type, loc, addr_size))
            return false;
    return true;
}

static int move_array(struct ts_type *t, enum ts_type_loc loc, unsigned addr_size)
{
    if (ts_type_set_loc(&t->base, loc, addr_size) < 0)
        return -1;
    if (!ts_mul_size(t->u.array.n_elements, t->base->size, &t->size))
        return TS_ERR(DATATYPE, BADRANGE, "an array of %zu elements of %zu bytes", t->u.array.n_elements,
                      t->base->size);
    return 0;
}

static int resize_ref(struct ts_type **ref, unsigned addr_size)
{
    struct ts_type *sized;
    if (ts_type_copy_all(*ref, &sized) < 0)
        return -1;
    sized->size = size_of_revised_ref(addr_size);
    sized->atomic.precision = 8 * sized->size;
    ts_type_unref(*ref);
    *ref = sized;
    return 0;
}

static int move_node(struct ts_type *t, enum ts_type_loc loc, unsigned addr_size)
{
    if (t->cls == H5T_COMPOUND)
        return move_members(t, loc, addr_size);
    if (t->cls == H5T_ARRAY)
        return move_array(t, loc, addr_size);
    if (t->cls == H5T_REFERENCE) {
        t->size = size_of_ref(t, loc, addr_size);
        t->atomic.precision = 8 * t->size;
    } else {
        t->size = size_of_vlen(t, loc, addr_size);
        if (ts_type_set_loc(&t->base, loc, addr_size) < 0 ||
            (has_size_of_memory(t->base, loc, addr_size) && resize_ref(&t->base, addr_size) < 0))
            return -1;
    }
    t->loc = loc;
    return 0;
}

int ts_type_set_loc(struct ts_type **t, enum ts_type_loc loc, unsigned addr_size)
{
    struct ts_type *moved;
    if (is_at(*t, loc, addr_size))
        return 0;
    if (ts_type_copy_all(*t, &moved) < 0)
        return -1;
    if (move_node(moved, loc, addr_size) < 0) {
        ts_type_unref(moved);
        return -1;
    }
    ts_type_unref(*t);
    *t = moved;
    return 1;
}
