/* Runs a conversion. Every node goes from one buffer to another; converting in place goes through a small buffer, a
 * block at a time, from the end when elements grow. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/lock.h"
#include "type/conv_internal.h"

/* Bytes of a block: with what it comes from and goes to, it stays in the second cache. */
#define BLOCK_BYTES ((size_t)32768)

int ts_conv_ask(struct ts_run_ctx *ctx, const struct ts_node *node, H5T_conv_except_t kind, void *src, void *dst,
                bool *handled)
{
    TS_MAY_CALL_OUT();
    const struct ts_conv_env *env = ctx->env;
    bool own = env->ids && node->part;
    if (ts_sink_pause(env) < 0)
        return -1;
    hid_t src_id = own ? env->ids->make(node->src) : env->src_id;
    hid_t dst_id = own ? env->ids->make(node->dst) : env->dst_id;
    H5T_conv_ret_t ret = env->except.func(kind, src_id, dst_id, src, dst, env->except.data);
    if (own) {
        env->ids->drop(src_id);
        env->ids->drop(dst_id);
    }
    *handled = ret == H5T_CONV_HANDLED;
    if (ret == H5T_CONV_ABORT)
        return TS_ERR(DATATYPE, CANTCONVERT, "the application's callback aborted the conversion");
    return 0;
}

static void run_copy(const struct ts_node *node, const struct ts_lane *lane)
{
    size_t size = node->src_size;
    if (lane->src_stride == size && lane->dst_stride == size) {
        memcpy(lane->dst, lane->src, lane->n * size);
        return;
    }
    for (size_t i = 0; i < lane->n; i++)
        memcpy(lane->dst + i * lane->dst_stride, lane->src + i * lane->src_stride, size);
}

static const struct ts_enum_entry *find_value(const struct ts_enum_map *map, uint64_t key)
{
    size_t low = 0, high = map->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (map->entries[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < map->n && map->entries[low].key == key ? &map->entries[low] : NULL;
}

/* A value without a name, or whose name the destination lacks, becomes all ones unless the application knows better. */
static int unknown_value(struct ts_run_ctx *ctx, const struct ts_node *node, uint64_t key, uint8_t *dst)
{
    bool handled = false;
    if (ctx->env->except.func && ts_conv_ask(ctx, node, H5T_CONV_EXCEPT_RANGE_HI, &key, dst, &handled) < 0)
        return -1;
    if (!handled)
        memset(dst, 0xff, node->dst_size);
    return 0;
}

static int run_enum(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    for (size_t i = 0; i < lane->n; i++) {
        uint64_t key = 0;
        uint8_t *dst = lane->dst + i * lane->dst_stride;
        memcpy(&key, lane->src + i * lane->src_stride, node->src_size);
        const struct ts_enum_entry *e = find_value(&node->u.map, key);
        if (e)
            memcpy(dst, e->value, node->dst_size);
        else if (unknown_value(ctx, node, key, dst) < 0)
            return -1;
    }
    return 0;
}

static size_t string_length(const struct ts_node *node, const uint8_t *s)
{
    size_t n = node->src_size;
    if (node->src->u.str.pad == H5T_STR_SPACEPAD) {
        while (n > 0 && s[n - 1] == ' ')
            n--;
        return n;
    }
    const uint8_t *nul = memchr(s, 0, n);
    return nul ? (size_t)(nul - s) : n;
}

static void run_string(const struct ts_node *node, const struct ts_lane *lane)
{
    H5T_str_t pad = node->dst->u.str.pad;
    size_t room = node->dst_size - (pad == H5T_STR_NULLTERM);
    for (size_t i = 0; i < lane->n; i++) {
        const uint8_t *src = lane->src + i * lane->src_stride;
        uint8_t *dst = lane->dst + i * lane->dst_stride;
        size_t length = string_length(node, src);
        if (length > room)
            length = room;
        memcpy(dst, src, length);
        memset(dst + length, pad == H5T_STR_SPACEPAD ? ' ' : 0, node->dst_size - length);
    }
}

/* Part after part, over as many elements as stay in the cache. */
static int run_compound(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    size_t block = BLOCK_BYTES / (lane->src_stride + lane->dst_stride) + 1;
    for (size_t done = 0; done < lane->n; done += block) {
        size_t n = lane->n - done < block ? lane->n - done : block;
        for (size_t i = 0; i < node->u.compound.n; i++) {
            const struct ts_node_part *part = &node->u.compound.parts[i];
            struct ts_lane l = {n, lane->src_stride, lane->dst_stride,
                                lane->src + done * lane->src_stride + part->src_offset,
                                lane->dst + done * lane->dst_stride + part->dst_offset};
            if (ts_node_run(ctx, part->node, &l) < 0)
                return -1;
        }
    }
    return 0;
}

static int run_array(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    const struct ts_node *base = node->u.array.base;
    struct ts_lane l = {node->u.array.count, base->src_size, base->dst_size, lane->src, lane->dst};
    if (lane->src_stride == node->src_size && lane->dst_stride == node->dst_size) {
        l.n *= lane->n;
        return ts_node_run(ctx, base, &l);
    }
    for (size_t i = 0; i < lane->n; i++) {
        l.src = lane->src + i * lane->src_stride;
        l.dst = lane->dst + i * lane->dst_stride;
        if (ts_node_run(ctx, base, &l) < 0)
            return -1;
    }
    return 0;
}

static void vl_release(const struct ts_conv_env *env, void *p)
{
    if (env->vl_free)
        env->vl_free(p, env->vl_free_info);
    else if (!env->vl_alloc)
        ts_free(p);
}

static void *vl_remember(struct ts_run_ctx *ctx, void *p)
{
    if (p && TS_GROW(ctx->made, ctx->capacity_made, ctx->n_made + 1) < 0) {
        vl_release(ctx->env, p);
        return NULL;
    }
    if (p)
        ctx->made[ctx->n_made++] = p;
    return p;
}

static void *vl_new(struct ts_run_ctx *ctx, size_t size)
{
    const struct ts_conv_env *env = ctx->env;
    if (env->vl_alloc)
        TS_MAY_CALL_OUT();
    void *p = env->vl_alloc ? env->vl_alloc(size, env->vl_alloc_info) : ts_malloc(size);
    if (!p && env->vl_alloc)
        TS_ERR(DATATYPE, CANTALLOC, "the application's function cannot allocate %zu bytes", size);
    return vl_remember(ctx, p);
}

static void undo(struct ts_run_ctx *ctx)
{
    while (ctx->n_made > 0)
        vl_release(ctx->env, ctx->made[--ctx->n_made]);
    while (ctx->n_refs > 0)
        ctx->env->source->destroy_reference(&ctx->refs[--ctx->n_refs]);
}

/* What an element on disk says; *bytes are those that its sequence has. */
static int read_element(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, struct ts_sequence *seq,
                        size_t *bytes)
{
    struct ts_rd r = ts_rd_init(src, node->src_size);
    seq->n = ts_rd_u32(&r);
    size_t address_size = ts_rd_left(&r) > 4 ? ts_rd_left(&r) - 4 : 0;
    const uint8_t *id = r.p;
    seq->nil = true;
    *bytes = 0;
    for (size_t i = 0; i < address_size; i++)
        seq->nil = seq->nil && id[i] == 0;
    if (seq->nil)
        seq->n = 0;
    if (seq->n == 0)
        return 0;
    if (!ctx->env->source)
        return TS_ERR(DATATYPE, CANTCONVERT, "variable-length data on disk, but no file to read it from");
    if (!ts_mul_size(seq->n, node->u.vlen.base->src_size, bytes))
        return TS_ERR(DATATYPE, OVERFLOW, "a sequence of %zu elements of %zu bytes", seq->n,
                      node->u.vlen.base->src_size);
    return 0;
}

/* With `held` the elements stay the source's, which gets that back; otherwise they are seq's own. */
static int fetch_from_disk(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, void **held,
                           struct ts_sequence *seq)
{
    const struct ts_vl_source *source = ctx->env->source;
    size_t bytes, size;
    *seq = (struct ts_sequence){0};
    if (read_element(ctx, node, src, seq, &bytes) < 0)
        return -1;
    if (seq->n == 0)
        return 0;
    if (ts_sink_pause(ctx->env) < 0)
        return -1;
    int status = held ? source->borrow(source->ctx, held, src + 4, &seq->data, &size)
                      : source->read(source->ctx, src + 4, &seq->owned, &size);
    if (status < 0)
        return TS_ERR(DATATYPE, READERROR, "cannot read a sequence of %zu elements", seq->n);
    if (size < bytes)
        return TS_ERR(DATATYPE, BADSIZE, "a sequence of %zu bytes, but only %zu in the heap", bytes, size);
    if (!held)
        seq->data = seq->owned;
    return 0;
}

static int fetch(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, struct ts_sequence *seq)
{
    *seq = (struct ts_sequence){0};
    if (node->src->loc == TS_LOC_DISK)
        return fetch_from_disk(ctx, node, src, NULL, seq);
    if (node->src->loc == TS_LOC_CHUNK)
        return ts_chunk_get_sequence(ctx, node, src, seq);
    if (node->u.vlen.src_string) {
        const char *s;
        memcpy(&s, src, sizeof s);
        *seq = (struct ts_sequence){.nil = !s, .n = s ? strlen(s) : 0, .data = (const uint8_t *)s};
    } else {
        hvl_t vl;
        memcpy(&vl, src, sizeof vl);
        *seq = (struct ts_sequence){.nil = vl.len == 0 || !vl.p, .n = vl.p ? vl.len : 0, .data = vl.p};
    }
    return 0;
}

/* The elements in memory of their own; a string gets its NUL. */
static int deliver(struct ts_run_ctx *ctx, const struct ts_node *node, struct ts_sequence *seq, void **out)
{
    const struct ts_node *base = node->u.vlen.base;
    size_t bytes, total;
    if (!ts_mul_size(seq->n, base->dst_size, &bytes) || !ts_add_size(bytes, node->u.vlen.dst_string, &total))
        return TS_ERR(DATATYPE, OVERFLOW, "a sequence of %zu elements of %zu bytes", seq->n, base->dst_size);
    bool as_it_is = seq->owned && base->kind == TS_NODE_COPY && !node->u.vlen.dst_string && !ctx->env->vl_alloc;
    if (as_it_is) {
        *out = vl_remember(ctx, seq->owned);
        seq->owned = NULL;
        return *out ? 0 : -1;
    }
    uint8_t *p = vl_new(ctx, total);
    if (!p)
        return -1;
    if (base->background || base->kind == TS_NODE_NUM || base->kind == TS_NODE_COMPLEX)
        memset(p, 0, bytes);
    if (node->u.vlen.dst_string)
        p[bytes] = 0;
    struct ts_lane l = {seq->n, base->src_size, base->dst_size, seq->data, p};
    *out = p;
    return seq->n ? ts_node_run(ctx, base, &l) : 0;
}

static int store_in_memory(struct ts_run_ctx *ctx, const struct ts_node *node, struct ts_sequence *seq, uint8_t *dst)
{
    bool string = node->u.vlen.dst_string;
    void *data = NULL;
    if (!seq->nil && (string || seq->n > 0) && deliver(ctx, node, seq, &data) < 0)
        return -1;
    hvl_t vl = {.len = seq->n, .p = data};
    if (string)
        memcpy(dst, &data, sizeof data);
    else
        memcpy(dst, &vl, sizeof vl);
    return 0;
}

static int store(struct ts_run_ctx *ctx, const struct ts_node *node, struct ts_sequence *seq, uint8_t *dst)
{
    if (node->dst->loc == TS_LOC_DISK)
        return ts_sink_sequence(ctx, node, seq, dst);
    if (node->dst->loc == TS_LOC_CHUNK)
        return ts_chunk_put_sequence(ctx, node, seq, dst);
    return store_in_memory(ctx, node, seq, dst);
}

/* From disk into memory that the library allocates, elements as they are: nothing runs in between that could want what
 * the source holds. */
static bool may_borrow(const struct ts_conv_env *env, const struct ts_node *node)
{
    return node->src->loc == TS_LOC_DISK && node->dst->loc == TS_LOC_MEMORY &&
           node->u.vlen.base->kind == TS_NODE_COPY && env->source && env->source->borrow && !env->sink &&
           !env->vl_alloc;
}

static int run_vlen_borrowed(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    void *held = NULL;
    int r = TS_GROW(ctx->made, ctx->capacity_made, ctx->n_made + lane->n);
    for (size_t i = 0; r == 0 && i < lane->n; i++) {
        struct ts_sequence seq;
        r = fetch_from_disk(ctx, node, lane->src + i * lane->src_stride, &held, &seq);
        if (r == 0)
            r = store_in_memory(ctx, node, &seq, lane->dst + i * lane->dst_stride);
    }
    ctx->env->source->give_back(ctx->env->source->ctx, held);
    return r;
}

static int run_vlen(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    if (may_borrow(ctx->env, node))
        return run_vlen_borrowed(ctx, node, lane);
    for (size_t i = 0; i < lane->n; i++) {
        struct ts_sequence seq;
        uint8_t *dst = lane->dst + i * lane->dst_stride;
        int r = fetch(ctx, node, lane->src + i * lane->src_stride, &seq);
        ctx->chunk.depth += node->src->loc == TS_LOC_CHUNK;
        if (r == 0)
            r = store(ctx, node, &seq, dst);
        ctx->chunk.depth -= node->src->loc == TS_LOC_CHUNK;
        if (seq.owned)
            ts_free(seq.owned);
        if (r < 0)
            return -1;
    }
    return 0;
}

/* Old references are numbers: addresses of a file with short ones are widened. */
static void widen_reference(const struct ts_node *node, const uint8_t *src, uint8_t *dst)
{
    size_t index = node->dst->u.ref.kind == H5R_DATASET_REGION1 ? 4 : 0;
    size_t address = node->src_size - index;
    memset(dst, 0, node->dst_size);
    memcpy(dst, src, address);
    memcpy(dst + node->dst_size - index, src + address, index);
}

static bool all_zero(const uint8_t *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

static int make_reference(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *dst)
{
    const struct ts_vl_source *source = ctx->env->source;
    H5R_type_t kind = node->src->u.ref.kind;
    bool field = node->src->loc == TS_LOC_CHUNK && ts_type_is_chunk_field(node->src);
    bool in_line = field && kind >= H5R_OBJECT2;
    size_t size = node->src_size;
    if (field && ts_chunk_get_reference(ctx, src, &src, &size) < 0)
        return -1;
    if (all_zero(src, size)) {
        memset(dst, 0, node->dst_size);
        return 0;
    }
    if (!source || (in_line ? !source->decode_reference : !source->make_reference))
        return TS_ERR(DATATYPE, CANTCONVERT, "references on disk, but no file to resolve them with");
    if (TS_GROW(ctx->refs, ctx->capacity_refs, ctx->n_refs + 1) < 0)
        return -1;
    void *ref = &ctx->refs[ctx->n_refs];
    if ((in_line ? source->decode_reference(source->ctx, src, size, ref)
                 : source->make_reference(source->ctx, kind, src, size, ref)) < 0)
        return -1;
    memcpy(dst, &ctx->refs[ctx->n_refs++], sizeof(H5R_ref_t));
    return 0;
}

static int copy_region(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *dst)
{
    const uint8_t *bytes;
    size_t size;
    if (ts_chunk_get_reference(ctx, src, &bytes, &size) < 0)
        return -1;
    if (size != 0 && size != node->dst_size)
        return TS_ERR(DATATYPE, BADSIZE, "a region reference of %zu bytes", size);
    memset(dst, 0, node->dst_size);
    if (size > 0)
        memcpy(dst, bytes, size);
    return 0;
}

static int run_reference(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    bool revised = node->dst->u.ref.kind >= H5R_OBJECT2, to_disk = node->dst->loc != TS_LOC_MEMORY;
    bool field = ts_type_is_chunk_field(node->dst);
    bool to_chunk = field && node->dst->loc == TS_LOC_CHUNK, from_chunk = field && node->src->loc == TS_LOC_CHUNK;
    for (size_t i = 0; i < lane->n; i++) {
        const uint8_t *src = lane->src + i * lane->src_stride;
        uint8_t *dst = lane->dst + i * lane->dst_stride;
        int r = 0;
        if (to_chunk)
            r = ts_chunk_put_reference(ctx, node, src, dst);
        else if (to_disk)
            r = ts_sink_reference(ctx, node, src, dst);
        else if (revised)
            r = make_reference(ctx, node, src, dst);
        else if (from_chunk)
            r = copy_region(ctx, node, src, dst);
        else
            widen_reference(node, src, dst);
        if (r < 0)
            return -1;
    }
    return 0;
}

static int call_user(struct ts_run_ctx *ctx, const struct ts_node *node, size_t n, void *buf, void *bkg)
{
    /* The application's function may write to its client data, which the path shares between threads. */
    H5T_cdata_t cdata = node->u.user.cdata;
    struct ts_conv_call call = {
        .src = node->src, .dst = node->dst, .cdata = &cdata, .n = n, .buf = buf, .bkg = bkg, .env = ctx->env};
    cdata.command = H5T_CONV_CONV;
    if (ts_sink_pause(ctx->env) < 0)
        return -1;
    if (node->u.user.invoke(node->u.user.func, &call) < 0)
        return TS_ERR(DATATYPE, CANTCONVERT, "the application's conversion failed");
    return 0;
}

/* The application's functions work in place on packed elements. */
static int run_user(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    size_t larger = node->src_size > node->dst_size ? node->src_size : node->dst_size;
    size_t block = BLOCK_BYTES / larger + 1;
    if (block > lane->n)
        block = lane->n;
    uint8_t *buf = ts_malloc_aligned(block * larger), *bkg = buf ? ts_malloc_aligned(block * node->dst_size) : NULL;
    int r = bkg ? 0 : -1;
    for (size_t done = 0; r == 0 && done < lane->n; done += block) {
        size_t n = lane->n - done < block ? lane->n - done : block;
        const uint8_t *src = lane->src + done * lane->src_stride;
        uint8_t *dst = lane->dst + done * lane->dst_stride;
        for (size_t i = 0; i < n; i++) {
            memcpy(buf + i * node->src_size, src + i * lane->src_stride, node->src_size);
            memcpy(bkg + i * node->dst_size, dst + i * lane->dst_stride, node->dst_size);
        }
        r = call_user(ctx, node, n, buf, bkg);
        for (size_t i = 0; r == 0 && i < n; i++)
            memcpy(dst + i * lane->dst_stride, buf + i * node->dst_size, node->dst_size);
    }
    ts_free(buf);
    ts_free(bkg);
    return r;
}

int ts_node_run(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    switch (node->kind) {
    case TS_NODE_COPY:
        run_copy(node, lane);
        return 0;
    case TS_NODE_SWAP:
        ts_swap_many(node->src_size, lane);
        return 0;
    case TS_NODE_NUM:
        return ts_num_run(ctx, node, lane);
    case TS_NODE_COMPLEX:
        return ts_complex_run(ctx, node, lane);
    case TS_NODE_ENUM:
        return run_enum(ctx, node, lane);
    case TS_NODE_STRING:
        run_string(node, lane);
        return 0;
    case TS_NODE_COMPOUND:
        return run_compound(ctx, node, lane);
    case TS_NODE_ARRAY:
        return run_array(ctx, node, lane);
    case TS_NODE_VLEN:
        return run_vlen(ctx, node, lane);
    case TS_NODE_REFERENCE:
        return run_reference(ctx, node, lane);
    case TS_NODE_USER:
        return run_user(ctx, node, lane);
    }
    return TS_ERR(DATATYPE, UNSUPPORTED, "conversion of kind %d", (int)node->kind);
}

static int run_block(struct ts_run_ctx *ctx, const struct ts_lane *lane, const uint8_t *bkg)
{
    const struct ts_node *node = ctx->root;
    if (node->background && bkg)
        memcpy(lane->dst, bkg, lane->n * node->dst_size);
    else if (node->background || (node->kind == TS_NODE_NUM && !node->u.num.many) || node->kind == TS_NODE_COMPLEX)
        memset(lane->dst, 0, lane->n * node->dst_size);
    return ts_node_run(ctx, node, lane);
}

/* Block after block through a buffer of its own, in the direction in which results cannot meet sources. */
static int run_staged(struct ts_run_ctx *ctx, size_t n, uint8_t *buf, const uint8_t *bkg)
{
    size_t s = ctx->root->src_size, d = ctx->root->dst_size, block = BLOCK_BYTES / d + 1;
    if (block > n)
        block = n;
    uint8_t *stage = ts_malloc_aligned(block * d);
    if (!stage)
        return -1;
    int r = 0;
    for (size_t done = 0; r == 0 && done < n; done += block) {
        size_t k = n - done < block ? n - done : block, first = d > s ? n - done - k : done;
        struct ts_lane lane = {k, s, d, buf + first * s, stage};
        r = run_block(ctx, &lane, bkg ? bkg + first * d : NULL);
        if (r == 0)
            memcpy(buf + first * d, stage, k * d);
    }
    ts_free(stage);
    return r;
}

static int run_root(struct ts_run_ctx *ctx, size_t n, uint8_t *buf, const uint8_t *bkg)
{
    const struct ts_node *root = ctx->root;
    if (root->kind == TS_NODE_SWAP) {
        struct ts_lane lane = {n, root->src_size, root->src_size, buf, buf};
        ts_swap_many(root->src_size, &lane);
        return 0;
    }
    if (root->kind == TS_NODE_NUM && ctx->env->except.func)
        return ts_num_run_in_place(ctx, root, n, buf);
    if (root->kind == TS_NODE_USER)
        return call_user(ctx, root, n, buf, (void *)(uintptr_t)bkg);
    return run_staged(ctx, n, buf, bkg);
}

/* The next run may fail, and this one's elements with it. */
static int keep_made(const struct ts_run_ctx *ctx)
{
    struct ts_conv_made *all = ctx->env->made;
    if (!all || ctx->n_made + ctx->n_refs == 0)
        return 0;
    if (TS_GROW(all->memory, all->capacity_memory, all->n_memory + ctx->n_made) < 0 ||
        TS_GROW(all->refs, all->capacity_refs, all->n_refs + ctx->n_refs) < 0)
        return -1;
    if (ctx->n_made > 0)
        memcpy(all->memory + all->n_memory, ctx->made, ctx->n_made * sizeof *ctx->made);
    if (ctx->n_refs > 0)
        memcpy(all->refs + all->n_refs, ctx->refs, ctx->n_refs * sizeof *ctx->refs);
    all->n_memory += ctx->n_made;
    all->n_refs += ctx->n_refs;
    return 0;
}

void ts_conv_undo(const struct ts_conv_env *env)
{
    struct ts_conv_made *all = env->made;
    while (all && all->n_memory > 0)
        vl_release(env, all->memory[--all->n_memory]);
    while (all && all->n_refs > 0)
        env->source->destroy_reference(&all->refs[--all->n_refs]);
}

void ts_conv_made_deinit(struct ts_conv_made *made)
{
    ts_free(made->memory);
    ts_free(made->refs);
    *made = (struct ts_conv_made){0};
}

static int finish(struct ts_run_ctx *ctx, int r)
{
    if (ts_sink_pause(ctx->env) < 0 || (r >= 0 && keep_made(ctx) < 0))
        r = -1;
    if (r < 0)
        undo(ctx);
    ts_chunk_finish(ctx, r);
    ts_free(ctx->made);
    ts_free(ctx->refs);
    return r;
}

static struct ts_run_ctx context(const struct ts_node *root, const struct ts_conv_env *env)
{
    static const struct ts_conv_env nothing;
    return (struct ts_run_ctx){
        .env = env ? env : &nothing, .root = root, .chunk.heap_size = env && env->chunk ? env->chunk->size : 0};
}

int ts_node_run_in_place(const struct ts_node *root, const struct ts_conv_env *env, size_t n, void *buf,
                         const void *bkg)
{
    struct ts_run_ctx ctx = context(root, env);
    /* A function of the application is called for no elements, too. */
    if ((n == 0 && root->kind != TS_NODE_USER) || (root->kind == TS_NODE_COPY && root->src_size == root->dst_size))
        return 0;
    return finish(&ctx, run_root(&ctx, n, buf, bkg));
}

int ts_node_run_copy(const struct ts_node *root, const struct ts_conv_env *env, size_t n, const void *src, void *dst)
{
    struct ts_run_ctx ctx = context(root, env);
    struct ts_lane lane = {n, root->src_size, root->dst_size, src, dst};
    return n == 0 ? 0 : finish(&ctx, ts_node_run(&ctx, root, &lane));
}
