/* Runs conversions of numbers: fast when nobody wants to hear of exceptions, else one by one. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "type/conv_internal.h"

#define BLOCK 256

#define SWAP_LOOP(type, swap)                                                                                          \
    for (size_t i = 0; i < lane->n; i++) {                                                                             \
        type v;                                                                                                        \
        memcpy(&v, lane->src + i * lane->src_stride, sizeof v);                                                        \
        v = swap(v);                                                                                                   \
        memcpy(lane->dst + i * lane->dst_stride, &v, sizeof v);                                                        \
    }

/* With the strides known the compiler vectorises; the destination may be the source. */
#define SWAP_PACKED(type, swap)                                                                                        \
    for (size_t i = 0; i < lane->n; i++) {                                                                             \
        type v;                                                                                                        \
        memcpy(&v, lane->src + i * sizeof v, sizeof v);                                                                \
        v = swap(v);                                                                                                   \
        memcpy(lane->dst + i * sizeof v, &v, sizeof v);                                                                \
    }

static void swap_bytes(size_t size, const struct ts_lane *lane)
{
    for (size_t i = 0; i < lane->n; i++) {
        const uint8_t *s = lane->src + i * lane->src_stride;
        uint8_t *d = lane->dst + i * lane->dst_stride;
        for (size_t a = 0, b = size - 1; a <= b && b < size; a++, b--) {
            uint8_t first = s[a], last = s[b];
            d[a] = last;
            d[b] = first;
        }
    }
}

void ts_swap_many(size_t size, const struct ts_lane *lane)
{
    bool packed = lane->src_stride == size && lane->dst_stride == size;
    if (size == 2 && packed) {
        SWAP_PACKED(uint16_t, __builtin_bswap16)
    } else if (size == 4 && packed) {
        SWAP_PACKED(uint32_t, __builtin_bswap32)
    } else if (size == 8 && packed) {
        SWAP_PACKED(uint64_t, __builtin_bswap64)
    } else if (size == 2) {
        SWAP_LOOP(uint16_t, __builtin_bswap16)
    } else if (size == 4) {
        SWAP_LOOP(uint32_t, __builtin_bswap32)
    } else if (size == 8) {
        SWAP_LOOP(uint64_t, __builtin_bswap64)
    } else {
        swap_bytes(size, lane);
    }
}

/* In blocks that stay in the nearest cache: byte order in, conversion, byte order out. */
static void run_many(const struct ts_num *num, const struct ts_lane *lane)
{
    uint8_t in[BLOCK * TS_NUM_MAX], out[BLOCK * TS_NUM_MAX];
    if (!num->swap_src && !num->swap_dst) {
        num->many(lane);
        return;
    }
    for (size_t done = 0; done < lane->n;) {
        size_t n = lane->n - done < BLOCK ? lane->n - done : BLOCK;
        struct ts_lane part = {n, lane->src_stride, lane->dst_stride, lane->src + done * lane->src_stride,
                               lane->dst + done * lane->dst_stride};
        struct ts_lane step = part;
        if (num->swap_src) {
            step.dst = in;
            step.dst_stride = num->src.size;
            ts_swap_many(num->src.size, &step);
            step.src = in;
            step.src_stride = num->src.size;
        }
        step.dst = num->swap_dst ? out : part.dst;
        step.dst_stride = num->swap_dst ? num->dst.size : part.dst_stride;
        num->many(&step);
        if (num->swap_dst) {
            part.src = out;
            part.src_stride = num->dst.size;
            ts_swap_many(num->dst.size, &part);
        }
        done += n;
    }
}

static int ask_about(struct ts_run_ctx *ctx, const struct ts_node *node, int except, uint8_t *in, uint8_t *out)
{
    const struct ts_num *num = &node->u.num;
    bool handled = false;
    for (; except >= 0; except = (except >> 8) - 1) {
        if (ts_conv_ask(ctx, node, (H5T_conv_except_t)(except & 0xff), in, out, &handled) < 0)
            return -1;
        if (handled) {
            if (num->repad)
                num->repad(num, out);
            return 0;
        }
    }
    num->one(num, in, out);
    return 0;
}

/* What an element is copied to. */
struct copies {
    uint8_t *in, *out;
};

static int run_in(struct ts_run_ctx *ctx, const struct ts_node *node, const struct copies *c, const uint8_t *src,
                  uint8_t *dst)
{
    const struct ts_num *num = &node->u.num;
    memcpy(c->in, src, num->src.size);
    memcpy(c->out, dst, num->dst.size);
    int except = num->one(num, c->in, c->out);
    if (except != TS_NO_EXCEPT && ctx->env->except.func && ask_about(ctx, node, except, c->in, c->out) < 0)
        return -1;
    memcpy(dst, c->out, num->dst.size);
    return 0;
}

static int run_long(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *dst)
{
    struct copies c = {.in = ts_malloc((size_t)node->u.num.src.size + node->u.num.dst.size)};
    if (!c.in)
        return -1;
    c.out = c.in + node->u.num.src.size;
    int status = run_in(ctx, node, &c, src, dst);
    ts_free(c.in);
    return status;
}

/* One element through aligned copies, so that source and destination may be the same place. */
static int run_one(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *dst)
{
    _Alignas(16) uint8_t in[TS_NUM_MAX], out[TS_NUM_MAX];
    const struct ts_num *num = &node->u.num;
    if (num->src.size > TS_NUM_MAX || num->dst.size > TS_NUM_MAX)
        return run_long(ctx, node, src, dst);
    return run_in(ctx, node, &(struct copies){in, out}, src, dst);
}

int ts_num_run(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane)
{
    if (node->u.num.many && !ctx->env->except.func) {
        run_many(&node->u.num, lane);
        return 0;
    }
    for (size_t i = 0; i < lane->n; i++)
        if (run_one(ctx, node, lane->src + i * lane->src_stride, lane->dst + i * lane->dst_stride) < 0)
            return -1;
    return 0;
}

static int run_forward(struct ts_run_ctx *ctx, const struct ts_node *node, size_t first, size_t end, uint8_t *buf)
{
    for (size_t i = first; i < end; i++)
        if (run_one(ctx, node, buf + i * node->src_size, buf + i * node->dst_size) < 0)
            return -1;
    return 0;
}

static int run_backward(struct ts_run_ctx *ctx, const struct ts_node *node, size_t end, uint8_t *buf)
{
    while (end-- > 0)
        if (run_one(ctx, node, buf + end * node->src_size, buf + end * node->dst_size) < 0)
            return -1;
    return 0;
}

int ts_num_run_in_place(struct ts_run_ctx *ctx, const struct ts_node *node, size_t n, uint8_t *buf)
{
    size_t s = node->src_size, d = node->dst_size;
    if (d <= s)
        return run_forward(ctx, node, 0, n, buf);
    /* The direct conversions take elements whose result lies behind all sources forward, again and again, and only the
     * last few backward. */
    while (node->u.num.hard) {
        size_t first = n / d * s + (n % d * s + d - 1) / d;
        if (n - first < 2)
            break;
        if (run_forward(ctx, node, first, n, buf) < 0)
            return -1;
        n = first;
    }
    return run_backward(ctx, node, n, buf);
}
