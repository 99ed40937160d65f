/* Compiles two datatypes into the tree of nodes that converts one into the other. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "type/conv_internal.h"

static const char *class_name(const struct ts_type *t)
{
    static const char *const names[] = {"integer",     "floating-point",  "time",     "string",
                                        "bitfield",    "opaque",          "compound", "reference",
                                        "enumeration", "variable-length", "array",    "complex"};
    return (unsigned)t->cls < sizeof names / sizeof *names ? names[t->cls] : "unknown";
}

static int no_way(const struct ts_type *src, const struct ts_type *dst)
{
    return TS_ERR_AS(DATATYPE, UNSUPPORTED, "no appropriate function for conversion path",
                     "no conversion from %s of %zu bytes to %s of %zu bytes", class_name(src), src->size,
                     class_name(dst), dst->size);
}

static struct ts_node *node_new(enum ts_node_kind kind, const struct ts_type *src, const struct ts_type *dst)
{
    struct ts_node *node = ts_calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->kind = kind;
    node->src = src;
    node->dst = dst;
    node->src_size = src->size;
    node->dst_size = dst->size;
    return node;
}

static void free_user(struct ts_node *node)
{
    struct ts_conv_call call = {.cdata = &node->u.user.cdata};
    unsigned mark = ts_err_mark();
    if (node->u.user.replaced) {
        call.src = node->src;
        call.dst = node->dst;
    }
    node->u.user.cdata.command = H5T_CONV_FREE;
    node->u.user.invoke(node->u.user.func, &call);
    ts_err_rewind(mark);
}

void ts_node_free(struct ts_node *node)
{
    if (!node)
        return;
    switch (node->kind) {
    case TS_NODE_ENUM:
        ts_free(node->u.map.entries);
        break;
    case TS_NODE_COMPOUND:
        for (size_t i = 0; i < node->u.compound.n; i++)
            ts_node_free(node->u.compound.parts[i].node);
        ts_free(node->u.compound.parts);
        break;
    case TS_NODE_ARRAY:
        ts_node_free(node->u.array.base);
        break;
    case TS_NODE_VLEN:
        ts_node_free(node->u.vlen.base);
        break;
    case TS_NODE_COMPLEX:
        ts_node_free(node->u.complex.part);
        break;
    case TS_NODE_USER:
        free_user(node);
        break;
    default:
        break;
    }
    ts_free(node);
}

int ts_node_new(enum ts_node_kind kind, const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    *out = node_new(kind, src, dst);
    return *out ? 0 : -1;
}

static bool is_number(const struct ts_type *t)
{
    return t->cls == H5T_INTEGER || t->cls == H5T_FLOAT || t->cls == H5T_BITFIELD;
}

static struct ts_num_side side_of(const struct ts_type *t)
{
    struct ts_num_side s = {
        .cls = t->cls,
        .size = t->size > TS_NUM_LONG_MAX ? TS_NUM_LONG_MAX + 1 : (unsigned)t->size,
        .offset = (unsigned)t->atomic.offset,
        .precision = (unsigned)t->atomic.precision,
        .order = t->atomic.order,
        .lsb_pad = t->atomic.lsb_pad,
        .msb_pad = t->atomic.msb_pad,
        .is_signed = t->cls == H5T_INTEGER && t->u.sign == H5T_SGN_2,
    };
    if (t->cls == H5T_FLOAT)
        s.flt = t->u.flt;
    return s;
}

static bool plain_order(const struct ts_type *t)
{
    return t->atomic.order == H5T_ORDER_LE || t->atomic.order == H5T_ORDER_BE;
}

static bool same_fields(const struct ts_float *a, const struct ts_float *b)
{
    return a->sign == b->sign && a->epos == b->epos && a->esize == b->esize && a->mpos == b->mpos &&
           a->msize == b->msize && a->ebias == b->ebias && a->norm == b->norm && a->pad == b->pad;
}

/* Only the byte order differs. For integers that start at bit 0 HDF5 looks at nothing else: neither at the sign, so
 * that -1 becomes 255, nor at the precision. */
static bool differ_in_order(const struct ts_type *a, const struct ts_type *b)
{
    if (a->cls != b->cls || a->size != b->size || !plain_order(a) || !plain_order(b) ||
        a->atomic.order == b->atomic.order)
        return false;
    if (a->cls == H5T_INTEGER)
        return a->atomic.offset == 0 && b->atomic.offset == 0;
    return a->cls == H5T_FLOAT && a->atomic.precision == b->atomic.precision && a->atomic.offset == b->atomic.offset &&
           a->atomic.lsb_pad == b->atomic.lsb_pad && a->atomic.msb_pad == b->atomic.msb_pad &&
           same_fields(&a->u.flt, &b->u.flt);
}

/* 1: built, 0: not a direct conversion. */
static int build_native(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    if (!is_number(src) || !is_number(dst))
        return 0;
    struct ts_num num = {.src = side_of(src), .dst = side_of(dst)};
    if (!ts_num_native(&num))
        return 0;
    *out = node_new(TS_NODE_NUM, src, dst);
    if (!*out)
        return -1;
    (*out)->u.num = num;
    return 1;
}

static int build_num(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    if (differ_in_order(src, dst))
        return ts_node_new(src->size == 1 ? TS_NODE_COPY : TS_NODE_SWAP, src, dst, out);
    struct ts_num num = {.src = side_of(src), .dst = side_of(dst)};
    if (ts_num_bits(&num))
        ts_num_swapped(&num);
    else if (!ts_num_long(&num))
        return no_way(src, dst);
    *out = node_new(TS_NODE_NUM, src, dst);
    if (!*out)
        return -1;
    (*out)->u.num = num;
    return 0;
}

int ts_num_build(const struct ts_type *src, const struct ts_type *dst, bool direct, struct ts_node **out)
{
    if (direct)
        return build_native(src, dst, out);
    return build_num(src, dst, out) < 0 ? -1 : 1;
}

bool ts_num_is_native(const struct ts_type *t)
{
    struct ts_num_side side = side_of(t);
    return is_number(t) && ts_num_side_is_native(&side);
}

static int by_key(const void *a, const void *b)
{
    const struct ts_enum_entry *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int build_enum(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    size_t n = src->u.enumeration.n;
    if (src->size > sizeof(uint64_t))
        return no_way(src, dst);
    struct ts_node *node = node_new(TS_NODE_ENUM, src, dst);
    struct ts_enum_entry *entries = node ? ts_calloc(n, sizeof *entries) : NULL;
    if (!entries) {
        ts_node_free(node);
        return -1;
    }
    node->u.map.entries = entries;
    for (size_t i = 0; i < n; i++) {
        int at = ts_type_member_index(dst, src->u.enumeration.names[i]);
        if (at < 0)
            continue;
        struct ts_enum_entry *e = &entries[node->u.map.n++];
        memcpy(&e->key, src->u.enumeration.values + i * src->size, src->size);
        e->value = dst->u.enumeration.values + (size_t)at * dst->size;
    }
    qsort(entries, node->u.map.n, sizeof *entries, by_key);
    *out = node;
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct ts_node_part *x = a, *y = b;
    return x->dst_offset < y->dst_offset ? -1 : x->dst_offset > y->dst_offset;
}

/* Copies that touch each other on both sides become one. */
static void merge_copies(struct ts_node *node)
{
    struct ts_node_part *parts = node->u.compound.parts;
    size_t kept = 0;
    for (size_t i = 0; i < node->u.compound.n; i++) {
        struct ts_node_part *last = kept ? &parts[kept - 1] : NULL;
        bool both = last && last->node->kind == TS_NODE_COPY && parts[i].node->kind == TS_NODE_COPY;
        if (both && last->src_offset + last->node->src_size == parts[i].src_offset &&
            last->dst_offset + last->node->dst_size == parts[i].dst_offset) {
            last->node->src_size += parts[i].node->src_size;
            last->node->dst_size += parts[i].node->dst_size;
            ts_node_free(parts[i].node);
        } else {
            parts[kept++] = parts[i];
        }
    }
    node->u.compound.n = kept;
}

static int build_part(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    if (ts_node_build(src, dst, out) < 0)
        return -1;
    (*out)->part = true;
    return 0;
}

static int add_members(struct ts_node *node, const struct ts_type *src, const struct ts_type *dst)
{
    size_t covered = 0;
    for (size_t i = 0; i < dst->u.compound.n; i++) {
        const struct ts_member *to = &dst->u.compound.members[i];
        int at = ts_type_member_index(src, to->name);
        if (at < 0)
            continue;
        const struct ts_member *from = &src->u.compound.members[at];
        struct ts_node_part *part = &node->u.compound.parts[node->u.compound.n];
        *part = (struct ts_node_part){.src_offset = from->offset, .dst_offset = to->offset};
        if (build_part(from->type, to->type, &part->node) < 0)
            return TS_ERR(DATATYPE, UNSUPPORTED, "member '%s' cannot be converted", to->name);
        node->u.compound.n++;
        covered += part->node->background ? 0 : to->type->size;
    }
    node->background = covered != dst->size;
    return 0;
}

static int build_compound(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    struct ts_node *node = node_new(TS_NODE_COMPOUND, src, dst);
    if (!node)
        return -1;
    node->u.compound.parts = ts_calloc(dst->u.compound.n, sizeof *node->u.compound.parts);
    if (!node->u.compound.parts || add_members(node, src, dst) < 0) {
        ts_node_free(node);
        return -1;
    }
    qsort(node->u.compound.parts, node->u.compound.n, sizeof *node->u.compound.parts, by_offset);
    merge_copies(node);
    const struct ts_node_part *first = node->u.compound.parts;
    if (node->u.compound.n == 1 && first->node->kind == TS_NODE_COPY && first->node->src_size == src->size &&
        src->size == dst->size) {
        ts_node_free(node);
        return ts_node_new(TS_NODE_COPY, src, dst, out);
    }
    *out = node;
    return 0;
}

static int build_array(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    unsigned rank = src->u.array.rank;
    if (rank != dst->u.array.rank ||
        memcmp(src->u.array.dims, dst->u.array.dims, rank * sizeof *src->u.array.dims) != 0)
        return TS_ERR(DATATYPE, UNSUPPORTED, "no conversion between arrays of different dimensions");
    struct ts_node *base;
    if (build_part(src->base, dst->base, &base) < 0)
        return -1;
    if (base->kind == TS_NODE_COPY && src->size == dst->size) {
        ts_node_free(base);
        return ts_node_new(TS_NODE_COPY, src, dst, out);
    }
    struct ts_node *node = node_new(TS_NODE_ARRAY, src, dst);
    if (!node) {
        ts_node_free(base);
        return -1;
    }
    node->background = base->background;
    node->u.array.count = src->u.array.n_elements;
    node->u.array.base = base;
    *out = node;
    return 0;
}

static int build_vlen(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    /* Strings of another character set keep their bytes, as in HDF5, which does so once it has seen two of one set. */
    bool from = ts_type_is_vlen_string(src), to = ts_type_is_vlen_string(dst);
    if (src->loc == TS_LOC_CHUNK && dst->loc == TS_LOC_CHUNK) /* a run has one heap, which moves as it grows */
        return no_way(src, dst);
    struct ts_node *base, *node;
    if (build_part(src->base, dst->base, &base) < 0)
        return -1;
    node = node_new(TS_NODE_VLEN, src, dst);
    if (!node) {
        ts_node_free(base);
        return -1;
    }
    node->background = dst->loc != TS_LOC_MEMORY; /* what is overwritten goes from the heap */
    node->u.vlen.base = base;
    node->u.vlen.src_string = from;
    node->u.vlen.dst_string = to;
    *out = node;
    return 0;
}

/* A region of the old kind is an address and a heap index of 4 bytes; a file's type may claim less. */
static size_t shortest_reference(const struct ts_type *disk)
{
    return disk->u.ref.kind == H5R_DATASET_REGION1 ? 2 + 4 : 1;
}

/* Between memory and the heap of a structured chunk. */
static int build_chunk_reference(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    const struct ts_type *memory = dst->loc == TS_LOC_CHUNK ? src : dst;
    size_t size = memory->u.ref.kind == H5R_DATASET_REGION1 ? H5R_DSET_REG_REF_BUF_SIZE : sizeof(H5R_ref_t);
    if (memory->loc != TS_LOC_MEMORY || memory->size != size)
        return no_way(src, dst);
    if (ts_node_new(TS_NODE_REFERENCE, src, dst, out) < 0)
        return -1;
    (*out)->background = dst->loc == TS_LOC_CHUNK;
    return 0;
}

static size_t longest_old_reference(const struct ts_type *disk)
{
    return disk->u.ref.kind == H5R_DATASET_REGION1 ? H5R_DSET_REG_REF_BUF_SIZE : H5R_OBJ_REF_BUF_SIZE;
}

/* What programs of today read from files of before 1.12. Old references in memory do not say of which file they are. */
static int build_revision(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    if (src->loc == TS_LOC_MEMORY || dst->loc != TS_LOC_MEMORY || dst->size != sizeof(H5R_ref_t))
        return no_way(src, dst);
    bool field = src->loc == TS_LOC_CHUNK && ts_type_is_chunk_field(src);
    if (!field && (src->size < shortest_reference(src) || src->size > longest_old_reference(src)))
        return no_way(src, dst);
    return ts_node_new(TS_NODE_REFERENCE, src, dst, out);
}

/* What programs of today write into files of before 1.12. */
static int build_old_form(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    bool field = dst->loc == TS_LOC_CHUNK && ts_type_is_chunk_field(dst);
    if (src->loc != TS_LOC_MEMORY || src->size != sizeof(H5R_ref_t) || dst->loc == TS_LOC_MEMORY || field)
        return no_way(src, dst);
    if (dst->size < shortest_reference(dst) || dst->size > longest_old_reference(dst))
        return no_way(src, dst);
    return ts_node_new(TS_NODE_REFERENCE, src, dst, out);
}

static int build_reference(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    bool revised = dst->u.ref.kind >= H5R_OBJECT2;
    if (revised && src->u.ref.kind < H5R_OBJECT2)
        return build_revision(src, dst, out);
    if (!revised && src->u.ref.kind >= H5R_OBJECT2)
        return build_old_form(src, dst, out);
    if (src->u.ref.kind != dst->u.ref.kind)
        return no_way(src, dst);
    if (ts_type_is_chunk_field(dst) && (src->loc == TS_LOC_CHUNK || dst->loc == TS_LOC_CHUNK))
        return build_chunk_reference(src, dst, out);
    if (src->loc == dst->loc || (!revised && src->size == dst->size))
        return src->size == dst->size ? ts_node_new(TS_NODE_COPY, src, dst, out) : no_way(src, dst);
    bool to_disk = dst->loc != TS_LOC_MEMORY;
    const struct ts_type *disk = to_disk ? dst : src, *memory = to_disk ? src : dst;
    if (disk->size > memory->size || disk->size < shortest_reference(disk))
        return no_way(src, dst);
    if (ts_node_new(TS_NODE_REFERENCE, src, dst, out) < 0)
        return -1;
    (*out)->background = to_disk && revised;
    return 0;
}

static int build_string(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    if (src->u.str.cset != dst->u.str.cset)
        return TS_ERR(DATATYPE, UNSUPPORTED, "no conversion between strings of different character sets");
    return ts_node_new(TS_NODE_STRING, src, dst, out);
}

static int build_by_class(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    if (is_number(src) && is_number(dst))
        return build_num(src, dst, out);
    if (src->cls == H5T_ENUM && (dst->cls == H5T_INTEGER || dst->cls == H5T_FLOAT))
        return build_part(src->base, dst, out);
    if (src->cls != dst->cls)
        return no_way(src, dst);
    switch (src->cls) {
    case H5T_STRING:
        return build_string(src, dst, out);
    case H5T_COMPOUND:
        return build_compound(src, dst, out);
    case H5T_REFERENCE:
        return build_reference(src, dst, out);
    case H5T_ENUM:
        return build_enum(src, dst, out);
    case H5T_VLEN:
        return build_vlen(src, dst, out);
    case H5T_ARRAY:
        return build_array(src, dst, out);
    default:
        return no_way(src, dst);
    }
}

int ts_node_build(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out)
{
    if (ts_type_equal(src, dst) && !ts_type_has_class(src, H5T_VLEN, false))
        return ts_node_new(TS_NODE_COPY, src, dst, out);
    int r = ts_conv_user_node(src, dst, true, out);
    if (r == 0)
        r = build_native(src, dst, out);
    if (r == 0)
        r = ts_complex_build(src, dst, true, out);
    if (r == 0)
        r = ts_conv_user_node(src, dst, false, out);
    if (r == 0)
        r = ts_complex_build(src, dst, false, out);
    if (r != 0)
        return r < 0 ? -1 : 0;
    return build_by_class(src, dst, out);
}
