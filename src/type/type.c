/* The life of datatypes: references, node copies, construction. */
#include "type/type.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

struct name {
    atomic_uint refs;
    char text[];
};

static struct name *name_of(const char *text)
{
    return (struct name *)(uintptr_t)(text - offsetof(struct name, text));
}

int ts_type_name_new(const char *s, size_t n, const char **out)
{
    struct name *name = ts_malloc(sizeof *name + n + 1);
    if (!name)
        return -1;
    atomic_init(&name->refs, 1);
    memcpy(name->text, s, n);
    name->text[n] = 0;
    *out = name->text;
    return 0;
}

const char *ts_type_name_ref(const char *text)
{
    if (text)
        atomic_fetch_add_explicit(&name_of(text)->refs, 1, memory_order_relaxed);
    return text;
}

void ts_type_name_unref(const char *text)
{
    if (text && atomic_fetch_sub_explicit(&name_of(text)->refs, 1, memory_order_acq_rel) == 1)
        ts_free(name_of(text));
}

struct ts_type *ts_type_ref(struct ts_type *t)
{
    ts_count_add(&t->refs);
    return t;
}

static void free_members(struct ts_member *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ts_type_name_unref(members[i].name);
        ts_type_unref(members[i].type);
    }
    ts_free(members);
}

static void free_enum(struct ts_type *t)
{
    for (size_t i = 0; i < t->u.enumeration.n; i++)
        ts_type_name_unref(t->u.enumeration.names[i]);
    ts_free(t->u.enumeration.names);
    ts_free(t->u.enumeration.values);
}

/* Apart from the next, which hardly ever comes here. */
static __attribute__((noinline)) void end(struct ts_type *t)
{
    if (t->cls == H5T_COMPOUND)
        free_members(t->u.compound.members, t->u.compound.n);
    else if (t->cls == H5T_ENUM)
        free_enum(t);
    else if (t->cls == H5T_OPAQUE)
        ts_type_name_unref(t->u.opaque.tag);
    ts_type_unref(t->base);
    if (t->named)
        t->named_ops->unref(t->named);
    ts_count_deinit(&t->refs);
    ts_free(t);
}

void ts_type_unref(struct ts_type *t)
{
    if (t && ts_count_drop(&t->refs))
        end(t);
}

static int copy_members(const struct ts_type *from, struct ts_type *to)
{
    size_t n = from->u.compound.n;
    to->u.compound.members = NULL;
    to->u.compound.capacity = n;
    if (n == 0)
        return 0;
    struct ts_member *members = ts_memdup(from->u.compound.members, n * sizeof *members);
    if (!members) {
        to->u.compound.n = 0;
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        ts_type_name_ref(members[i].name);
        ts_type_ref(members[i].type);
    }
    to->u.compound.members = members;
    return 0;
}

static int copy_enum(const struct ts_type *from, struct ts_type *to)
{
    size_t n = from->u.enumeration.n;
    to->u.enumeration.n = to->u.enumeration.capacity = to->u.enumeration.values_capacity = 0;
    to->u.enumeration.names = NULL;
    to->u.enumeration.values = NULL;
    if (n == 0)
        return 0;
    to->u.enumeration.names = ts_memdup(from->u.enumeration.names, n * sizeof *from->u.enumeration.names);
    to->u.enumeration.values = ts_memdup(from->u.enumeration.values, n * from->size);
    if (!to->u.enumeration.names || !to->u.enumeration.values)
        return -1;
    for (size_t i = 0; i < n; i++)
        ts_type_name_ref(from->u.enumeration.names[i]);
    to->u.enumeration.n = to->u.enumeration.capacity = n;
    to->u.enumeration.values_capacity = n * from->size;
    return 0;
}

/* The parts that a node owns, as opposed to what was copied with the struct. */
static int copy_parts(const struct ts_type *from, struct ts_type *to)
{
    if (to->base)
        ts_type_ref(to->base);
    if (to->cls == H5T_COMPOUND)
        return copy_members(from, to);
    if (to->cls == H5T_ENUM)
        return copy_enum(from, to);
    if (to->cls == H5T_OPAQUE)
        ts_type_name_ref(to->u.opaque.tag);
    return 0;
}

int ts_type_copy(const struct ts_type *t, struct ts_type **out)
{
    struct ts_type *copy = ts_malloc(sizeof *copy);
    if (!copy)
        return -1;
    /* Others count their references meanwhile. */
    const size_t from = offsetof(struct ts_type, cls);
    memcpy((char *)copy + from, (const char *)t + from, sizeof *copy - from);
    ts_count_init(&copy->refs, 1);
    copy->state = TS_TYPE_TRANSIENT;
    copy->named = NULL;
    copy->named_ops = NULL;
    if (copy_parts(t, copy) < 0) {
        ts_type_unref(copy);
        return -1;
    }
    *out = copy;
    return 0;
}

int ts_type_copy_parts(const struct ts_type *t, struct ts_type **out)
{
    if (ts_type_copy(t, out) < 0)
        return -1;
    (*out)->base_copied = true;
    for (size_t i = 0; t->cls == H5T_COMPOUND && i < t->u.compound.n; i++)
        (*out)->u.compound.members[i].copied = true;
    return 0;
}

int ts_type_copy_all(const struct ts_type *t, struct ts_type **out)
{
    if (ts_type_copy(t, out) < 0)
        return -1;
    (*out)->state = t->state;
    if (t->named) {
        t->named_ops->ref(t->named);
        ts_type_set_named(*out, t->named, t->named_ops);
    }
    return 0;
}

bool ts_type_has_named(const struct ts_type *t)
{
    if (t->named || (t->base && ts_type_has_named(t->base)))
        return true;
    for (size_t i = 0; t->cls == H5T_COMPOUND && i < t->u.compound.n; i++)
        if (ts_type_has_named(t->u.compound.members[i].type))
            return true;
    return false;
}

int ts_type_deepen(struct ts_type *t, const struct ts_type *part)
{
    if (part->depth >= TS_TYPE_MAX_DEPTH)
        return TS_ERR(DATATYPE, BADRANGE, "datatypes inside each other on more than %d levels", TS_TYPE_MAX_DEPTH);
    if (t->depth < part->depth + 1)
        t->depth = part->depth + 1;
    return 0;
}

void ts_type_set_named(struct ts_type *t, void *named, const struct ts_named_ops *ops)
{
    t->named = named;
    t->named_ops = ops;
}

static struct ts_type *node_new(H5T_class_t cls, size_t size)
{
    struct ts_type *t = ts_calloc(1, sizeof *t);
    if (!t)
        return NULL;
    ts_count_init(&t->refs, 1);
    t->cls = cls;
    t->size = size;
    t->version = 1;
    return t;
}

/* One that consists of others of the same kind. */
static int derived_new(H5T_class_t cls, size_t size, struct ts_type *base, struct ts_type **out)
{
    struct ts_type *t = node_new(cls, size);
    if (!t)
        return -1;
    if (ts_type_deepen(t, base) < 0) {
        ts_free(t);
        return -1;
    }
    t->version = base->version;
    t->base = ts_type_ref(base);
    *out = t;
    return 0;
}

static struct ts_type *atomic_new(H5T_class_t cls, size_t size, H5T_order_t order)
{
    struct ts_type *t = node_new(cls, size);
    if (!t)
        return NULL;
    t->atomic.order = order;
    t->atomic.precision = 8 * size;
    return t;
}

int ts_type_new_integer(size_t size, H5T_order_t order, H5T_sign_t sign, struct ts_type **out)
{
    struct ts_type *t = atomic_new(H5T_INTEGER, size, order);
    if (!t)
        return -1;
    t->u.sign = sign;
    *out = t;
    return 0;
}

int ts_type_new_bitfield(size_t size, H5T_order_t order, struct ts_type **out)
{
    *out = atomic_new(H5T_BITFIELD, size, order);
    return *out ? 0 : -1;
}

int ts_type_new_time(size_t size, H5T_order_t order, struct ts_type **out)
{
    *out = atomic_new(H5T_TIME, size, order);
    return *out ? 0 : -1;
}

static int new_float(size_t size, size_t precision, H5T_order_t order, const struct ts_float *flt, struct ts_type **out)
{
    struct ts_type *t = atomic_new(H5T_FLOAT, size, order);
    if (!t)
        return -1;
    t->atomic.precision = precision;
    t->u.flt = *flt;
    *out = t;
    return 0;
}

int ts_type_new_float(size_t size, H5T_order_t order, struct ts_type **out)
{
    static const struct {
        size_t size, precision;
        struct ts_float flt;
    } layouts[] = {
        {2, 16, {.sign = 15, .epos = 10, .esize = 5, .msize = 10, .ebias = 15, .norm = H5T_NORM_IMPLIED}},
        {4, 32, {.sign = 31, .epos = 23, .esize = 8, .msize = 23, .ebias = 127, .norm = H5T_NORM_IMPLIED}},
        {8, 64, {.sign = 63, .epos = 52, .esize = 11, .msize = 52, .ebias = 1023, .norm = H5T_NORM_IMPLIED}},
        {16, 80, {.sign = 79, .epos = 64, .esize = 15, .msize = 64, .ebias = 16383, .norm = H5T_NORM_NONE}},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (layouts[i].size != size)
            continue;
        if (new_float(size, layouts[i].precision, order, &layouts[i].flt, out) < 0)
            return -1;
        if (order == H5T_ORDER_VAX)
            (*out)->version = TS_TYPE_VERSION_PACKED;
        return 0;
    }
    return TS_ERR(DATATYPE, BADVALUE, "no floating-point format of %zu bytes", size);
}

int ts_type_new_small_float(size_t size, H5T_order_t order, size_t exponent, size_t mantissa, struct ts_type **out)
{
    struct ts_float flt = {.sign = exponent + mantissa,
                           .epos = mantissa,
                           .esize = exponent,
                           .msize = mantissa,
                           .ebias = (1u << (exponent - 1)) - 1,
                           .norm = H5T_NORM_IMPLIED};
    return new_float(size, 1 + exponent + mantissa, order, &flt, out);
}

int ts_type_new_letter(struct ts_type **out)
{
    if (ts_type_new_integer(1, H5T_ORDER_LE, H5T_SGN_NONE, out) < 0)
        return -1;
    (*out)->state = TS_TYPE_READONLY;
    return 0;
}

static int new_vlen_string(H5T_cset_t cset, H5T_str_t pad, struct ts_type **out)
{
    struct ts_type *base = NULL;
    if (ts_type_new_letter(&base) < 0)
        return -1;
    int r = ts_type_new_vlen(base, out);
    ts_type_unref(base);
    if (r < 0)
        return -1;
    (*out)->u.str.kind = TS_VLEN_STRING;
    (*out)->u.str.cset = cset;
    (*out)->u.str.pad = pad;
    (*out)->size = sizeof(char *);
    return 0;
}

int ts_type_new_string(size_t size, H5T_cset_t cset, H5T_str_t pad, struct ts_type **out)
{
    if (size == 0)
        return TS_ERR(DATATYPE, BADVALUE, "a string of 0 bytes");
    if (size == H5T_VARIABLE)
        return new_vlen_string(cset, pad, out);
    struct ts_type *t = atomic_new(H5T_STRING, size, H5T_ORDER_NONE);
    if (!t)
        return -1;
    t->u.str.cset = cset;
    t->u.str.pad = pad;
    *out = t;
    return 0;
}

int ts_type_new_reference(H5R_type_t kind, struct ts_type **out)
{
    size_t size = kind == H5R_OBJECT1           ? H5R_OBJ_REF_BUF_SIZE
                  : kind == H5R_DATASET_REGION1 ? H5R_DSET_REG_REF_BUF_SIZE
                                                : sizeof(H5R_ref_t);
    struct ts_type *t = atomic_new(H5T_REFERENCE, size, H5T_ORDER_NONE);
    if (!t)
        return -1;
    t->has_disk_form = true;
    t->u.ref.kind = kind;
    if (kind >= H5R_OBJECT2) {
        t->version = TS_TYPE_VERSION_REFERENCE;
        t->u.ref.version = 1;
    }
    *out = t;
    return 0;
}

int ts_type_new_enum(struct ts_type *base, struct ts_type **out)
{
    if (base->cls != H5T_INTEGER)
        return TS_ERR(DATATYPE, BADTYPE, "an enumeration of class %d: its base must be an integer", base->cls);
    return derived_new(H5T_ENUM, base->size, base, out);
}

int ts_type_new_vlen(struct ts_type *base, struct ts_type **out)
{
    if (derived_new(H5T_VLEN, sizeof(hvl_t), base, out) < 0)
        return -1;
    (*out)->has_disk_form = true;
    (*out)->u.str.kind = TS_VLEN_SEQUENCE;
    return 0;
}

int ts_type_new_array(struct ts_type *base, unsigned rank, const hsize_t *dims, struct ts_type **out)
{
    if (rank == 0 || rank > TS_TYPE_MAX_RANK)
        return TS_ERR(DATATYPE, BADRANGE, "an array of rank %u", rank);
    size_t n = 1, size;
    for (unsigned i = 0; i < rank; i++)
        if (dims[i] == 0 || dims[i] > SIZE_MAX || !ts_mul_size(n, (size_t)dims[i], &n))
            return TS_ERR(DATATYPE, BADRANGE, "array dimension %u of %llu elements", i, (unsigned long long)dims[i]);
    if (!ts_mul_size(n, base->size, &size))
        return TS_ERR(DATATYPE, BADRANGE, "an array of %zu elements of %zu bytes", n, base->size);
    struct ts_type *t;
    if (derived_new(H5T_ARRAY, size, base, &t) < 0)
        return -1;
    if (t->version < 2)
        t->version = 2;
    t->has_disk_form = base->has_disk_form;
    t->u.array.rank = rank;
    t->u.array.n_elements = n;
    memcpy(t->u.array.dims, dims, rank * sizeof *dims);
    *out = t;
    return 0;
}

int ts_type_new_complex(struct ts_type *base, struct ts_type **out)
{
    size_t size;
    if (base->cls != H5T_FLOAT)
        return TS_ERR(ARGS, BADVALUE, "base datatype is not a H5T_FLOAT datatype: class %d", base->cls);
    if (!ts_mul_size(2, base->size, &size))
        return TS_ERR(DATATYPE, BADRANGE, "a complex number of two parts of %zu bytes", base->size);
    if (derived_new(H5T_COMPLEX, size, base, out) < 0)
        return -1;
    (*out)->version = TS_TYPE_VERSION_COMPLEX;
    return 0;
}

static int new_empty_enum(size_t size, struct ts_type **out)
{
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return TS_ERR(DATATYPE, CANTINIT, "an enumeration of %zu bytes: no C integer has that size", size);
    struct ts_type *base = NULL;
    if (ts_type_new_integer(size, H5T_ORDER_LE, H5T_SGN_2, &base) < 0)
        return -1;
    base->state = TS_TYPE_READONLY;
    int r = ts_type_new_enum(base, out);
    ts_type_unref(base);
    return r;
}

static int new_opaque(size_t size, struct ts_type **out)
{
    struct ts_type *t = node_new(H5T_OPAQUE, size);
    if (!t || ts_type_name_new("", 0, &t->u.opaque.tag) < 0) {
        ts_type_unref(t);
        return -1;
    }
    *out = t;
    return 0;
}

int ts_type_new(H5T_class_t cls, size_t size, struct ts_type **out)
{
    if (size == 0)
        return TS_ERR(ARGS, BADVALUE, "size must be positive: a datatype of 0 bytes");
    switch (cls) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_TIME:
    case H5T_STRING:
        return ts_type_new_string(size, H5T_CSET_ASCII, H5T_STR_NULLTERM, out);
    case H5T_OPAQUE:
        return new_opaque(size, out);
    case H5T_COMPOUND:
        *out = node_new(cls, size);
        return *out ? 0 : -1;
    case H5T_ENUM:
        return new_empty_enum(size, out);
    default:
        return TS_ERR(DATATYPE, UNSUPPORTED, "a datatype of class %d is not made from a size", cls);
    }
}
