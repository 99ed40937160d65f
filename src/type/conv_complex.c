/* Conversions of complex numbers: part by part as the floats they are; a real number has an imaginary part of 0, and
 * loses one without being asked. Exceptions are those of the whole number. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "type/conv_internal.h"

static const struct ts_type *part_of(const struct ts_type *t)
{
    return t->cls == H5T_COMPLEX ? t->base : t;
}

static bool has_value(const struct ts_type *t)
{
    return t->cls == H5T_COMPLEX || t->cls == H5T_INTEGER || t->cls == H5T_FLOAT;
}

static int build_part(const struct ts_type *src, const struct ts_type *dst, bool direct, struct ts_node **out)
{
    if (!ts_type_equal(src, dst))
        return ts_num_build(src, dst, direct, out);
    if (direct && !ts_num_is_native(src))
        return 0;
    return ts_node_build(src, dst, out) < 0 ? -1 : 1;
}

static int build_values(const struct ts_type *src, const struct ts_type *dst, bool direct, struct ts_node **out)
{
    struct ts_node *part = NULL, *node;
    int r = build_part(part_of(src), part_of(dst), direct, &part);
    if (r <= 0)
        return r;
    if (ts_node_new(TS_NODE_COMPLEX, src, dst, &node) < 0) {
        ts_node_free(part);
        return -1;
    }
    node->u.complex.part = part;
    node->u.complex.hard = direct;
    *out = node;
    return 1;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* How programs have written complex numbers before there were any: two floats by names that tell what they are. */
static bool is_compound_of(const struct ts_type *t, const struct ts_type *part)
{
    static const char *const real[] = {"r", "re", "real", NULL};
    static const char *const imaginary[] = {"i", "im", "imag", "imaginary", NULL};
    if (t->u.compound.n != 2)
        return false;
    for (size_t i = 0; i < 2; i++) {
        const struct ts_member *m = &t->u.compound.members[i];
        if (!is_one_of(m->name, m->offset ? imaginary : real) || (m->offset != 0 && m->offset != part->size) ||
            !ts_type_equal(m->type, part))
            return false;
    }
    return true;
}

/* Two floats that are the same bytes. */
static bool is_pair_of(const struct ts_type *t, const struct ts_type *complex)
{
    if (complex->cls != H5T_COMPLEX || t->size != complex->size)
        return false;
    if (t->cls == H5T_ARRAY)
        return t->u.array.n_elements == 2 && ts_type_equal(t->base, complex->base);
    return t->cls == H5T_COMPOUND && is_compound_of(t, complex->base);
}

int ts_complex_build(const struct ts_type *src, const struct ts_type *dst, bool direct, struct ts_node **out)
{
    if (src->cls != H5T_COMPLEX && dst->cls != H5T_COMPLEX)
        return 0;
    if (has_value(src) && has_value(dst))
        return build_values(src, dst, direct, out);
    if (direct || !(is_pair_of(src, dst) || is_pair_of(dst, src)))
        return 0;
    return ts_node_new(TS_NODE_COPY, src, dst, out) < 0 ? -1 : 1;
}

/* Both parts, or the real one where a side has only that. */
static size_t parts_of(const struct ts_node *node)
{
    return node->src->cls == H5T_COMPLEX && node->dst->cls == H5T_COMPLEX ? 2 : 1;
}

static void end_parts(const struct ts_node *node, uint8_t *dst)
{
    if (node->src->cls != H5T_COMPLEX)
        memset(dst + node->dst_size / 2, 0, node->dst_size / 2);
}

static int run_unasked(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    const struct ts_node *part = node->u.complex.part;
    struct ts_lane l = *lane;
    bool packed = l.src_stride == node->src_size && l.dst_stride == node->dst_size;
    size_t parts = parts_of(node);
    if (parts == 2 && packed) {
        l = (struct ts_lane){2 * l.n, part->src_size, part->dst_size, l.src, l.dst};
        parts = 1;
    }
    for (size_t i = 0; i < parts; i++, l.src += part->src_size, l.dst += part->dst_size)
        if (ts_node_run(ctx, part, &l) < 0)
            return -1;
    for (size_t i = 0; i < lane->n; i++)
        end_parts(node, lane->dst + i * lane->dst_stride);
    return 0;
}

/* The exceptions of the first part that has some. */
static int convert_parts(const struct ts_node *node, const uint8_t *in, uint8_t *out)
{
    const struct ts_num *num = &node->u.complex.part->u.num;
    int except = TS_NO_EXCEPT;
    for (size_t i = 0; i < parts_of(node); i++) {
        int e = num->one(num, in + i * num->src.size, out + i * num->dst.size);
        except = except == TS_NO_EXCEPT ? e : except;
    }
    end_parts(node, out);
    return except;
}

static int run_asked(struct ts_run_ctx *ctx, const struct ts_node *node, uint8_t *in, uint8_t *out)
{
    const struct ts_num *num = &node->u.complex.part->u.num;
    int except = convert_parts(node, in, out);
    bool handled = false, asked = except >= 0;
    for (; except >= 0 && !handled; except = (except >> 8) - 1)
        if (ts_conv_ask(ctx, node, (H5T_conv_except_t)(except & 0xff), in, out, &handled) < 0)
            return -1;
    if (asked && !handled)
        convert_parts(node, in, out);
    for (size_t i = 0; handled && num->repad && i < parts_of(node); i++)
        num->repad(num, out + i * num->dst.size);
    return 0;
}

int ts_complex_run(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    if (!ctx->env->except.func || node->u.complex.part->kind != TS_NODE_NUM)
        return run_unasked(ctx, node, lane);
    uint8_t *in = ts_malloc_aligned(node->src_size + node->dst_size), *out = in ? in + node->src_size : NULL;
    int r = in ? 0 : -1;
    for (size_t i = 0; r == 0 && i < lane->n; i++) {
        uint8_t *dst = lane->dst + i * lane->dst_stride;
        memcpy(in, lane->src + i * lane->src_stride, node->src_size);
        memcpy(out, dst, node->dst_size);
        r = run_asked(ctx, node, in, out);
        memcpy(dst, out, node->dst_size);
    }
    ts_free(in);
    return r;
}
