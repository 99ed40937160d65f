/* Variable-length elements and references on their way to disk.
 *
 * A sequence on disk: length 4 | address O | heap index 4; all zeros when there is none. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "type/conv_internal.h"

enum { LENGTH_SIZE = 4, INDEX_SIZE = 4 };

int ts_sink_pause(const struct ts_conv_env *env)
{
    return env->sink && env->sink->pause ? env->sink->pause(env->sink->ctx) : 0;
}

static bool all_zero(const uint8_t *p, size_t n)
{
    for (uint64_t word; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        if (word)
            return false;
    }
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

static int release(const struct ts_conv_env *env, const struct ts_type *t, size_t n, const uint8_t *disk);

/* What the elements of an old sequence referred to themselves. One that cannot be read has nothing to release. */
static int release_elements(const struct ts_conv_env *env, const struct ts_type *t, const uint8_t *disk)
{
    struct ts_rd r = ts_rd_init(disk, t->size);
    size_t n = ts_rd_u32(&r), size, bytes;
    void *data;
    if (n == 0 || !env->source)
        return 0;
    unsigned mark = ts_err_mark();
    if (env->source->read(env->source->ctx, r.p, &data, &size) < 0) {
        if (ts_err_no_memory(mark))
            return -1;
        ts_err_rewind(mark);
        return 0;
    }
    int status = ts_mul_size(n, t->base->size, &bytes) && bytes <= size ? release(env, t->base, n, data) : 0;
    ts_free(data);
    return status;
}

static int release_one(const struct ts_conv_env *env, const struct ts_type *t, const uint8_t *disk)
{
    const struct ts_vl_sink *sink = env->sink;
    if (t->cls == H5T_ARRAY)
        return release(env, t->base, t->u.array.n_elements, disk);
    if (t->cls == H5T_COMPOUND) {
        for (size_t i = 0; i < t->u.compound.n; i++) {
            const struct ts_member *m = &t->u.compound.members[i];
            if (release(env, m->type, 1, disk + m->offset) < 0)
                return -1;
        }
        return 0;
    }
    if (all_zero(disk, t->size))
        return 0;
    if (t->cls == H5T_REFERENCE)
        return t->u.ref.kind >= H5R_OBJECT2 ? sink->release_reference(sink->ctx, disk, t->size) : 0;
    if (t->size != LENGTH_SIZE + sink->addr_size + INDEX_SIZE || all_zero(disk + LENGTH_SIZE, sink->addr_size))
        return 0;
    if (ts_type_has_vlen_or_ref(t->base) && release_elements(env, t, disk) < 0)
        return -1;
    return sink->release(sink->ctx, disk + LENGTH_SIZE);
}

static int release(const struct ts_conv_env *env, const struct ts_type *t, size_t n, const uint8_t *disk)
{
    if (!ts_type_has_vlen_or_ref(t))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (release_one(env, t, disk + i * t->size) < 0)
            return -1;
    return 0;
}

int ts_conv_release(const struct ts_conv_env *env, const struct ts_type *t, size_t n, const uint8_t *disk)
{
    return release(env, t, n, disk);
}

static int no_sink(void)
{
    return TS_ERR(DATATYPE, CANTCONVERT, "variable-length data or references for a disk, but no file to put them in");
}

/* The elements in their form on disk; *owned is to be freed. */
static int convert_elements(struct ts_run_ctx *ctx, const struct ts_node *base, const struct ts_sequence *seq,
                            size_t bytes, void **owned)
{
    struct ts_lane l = {seq->n, base->src_size, base->dst_size, seq->data, NULL};
    l.dst = ts_malloc(bytes);
    *owned = l.dst;
    if (!l.dst)
        return -1;
    if (base->background || base->kind == TS_NODE_NUM)
        memset(l.dst, 0, bytes);
    return ts_node_run(ctx, base, &l);
}

static int put(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_sequence *seq, uint8_t *dst)
{
    const struct ts_node *base = node->u.vlen.base;
    const struct ts_vl_sink *sink = ctx->env->sink;
    size_t bytes;
    void *owned = NULL;
    if (seq->n > UINT32_MAX || !ts_mul_size(seq->n, base->dst_size, &bytes))
        return TS_ERR(DATATYPE, OVERFLOW, "a sequence of %zu elements of %zu bytes", seq->n, base->dst_size);
    int r = 0;
    if (base->kind != TS_NODE_COPY && seq->n > 0)
        r = convert_elements(ctx, base, seq, bytes, &owned);
    if (r == 0)
        r = sink->write(sink->ctx, owned ? owned : seq->data, bytes, dst + LENGTH_SIZE);
    ts_free(owned);
    uint32_t n = htole32((uint32_t)seq->n);
    if (r == 0)
        memcpy(dst, &n, sizeof n);
    return r;
}

int ts_sink_sequence(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_sequence *seq, uint8_t *dst)
{
    const struct ts_vl_sink *sink = ctx->env->sink;
    bool nil = seq->nil || (seq->n == 0 && !node->u.vlen.dst_string);
    bool zeros = all_zero(dst, node->dst_size);
    if (!sink && !(nil && zeros))
        return no_sink();
    if (!zeros && release_one(ctx->env, node->dst, dst) < 0)
        return -1;
    if (sink && node->dst_size != LENGTH_SIZE + sink->addr_size + INDEX_SIZE)
        return TS_ERR(DATATYPE, BADSIZE, "a sequence of %zu bytes on disk, addresses of %u", node->dst_size,
                      sink->addr_size);
    if (!nil)
        return put(ctx, node, seq, dst);
    memset(dst, 0, node->dst_size);
    return 0;
}

/* Old references are numbers: wide ones fit a file with short addresses unless they are of another. */
static int narrow(const struct ts_node *node, const uint8_t *src, uint8_t *dst)
{
    size_t index = node->src->u.ref.kind == H5R_DATASET_REGION1 ? INDEX_SIZE : 0;
    size_t address = node->dst_size - index, more = node->src_size - index - address;
    if (!all_zero(src + address, more))
        return TS_ERR(DATATYPE, CANTCONVERT, "a reference that needs more than %zu bytes of address", address);
    memcpy(dst, src, address);
    memcpy(dst + address, src + address + more, index);
    return 0;
}

int ts_sink_reference(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *dst)
{
    const struct ts_vl_sink *sink = ctx->env->sink;
    if (node->src->u.ref.kind < H5R_OBJECT2)
        return narrow(node, src, dst);
    if (!sink)
        return no_sink();
    if (release_one(ctx->env, node->dst, dst) < 0)
        return -1;
    memset(dst, 0, node->dst_size);
    if (all_zero(src, node->src_size))
        return 0;
    return sink->store_reference(sink->ctx, node->dst->u.ref.kind, src, dst, node->dst_size);
}
