/* Variable-length elements and references on their way to and from the heap of a structured chunk (chunk_heap.h). */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "type/conv_internal.h"

enum { COUNT_SIZE = 8 };

static int no_heap(void)
{
    return TS_ERR(DATATYPE, CANTCONVERT, "elements of a structured chunk, but no heap of the chunk");
}

static bool all_zero(const uint8_t *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

/* A field that is overwritten; inside a sequence they are all new. Its segment stays until all is converted, for after
 * an error elements may still refer to it. One that is past the heap as it was must not take away what has come since.
 */
static int remember_old(struct ts_run_ctx *ctx, const uint8_t *field)
{
    struct ts_conv_chunk *c = &ctx->chunk;
    struct ts_chunk_segment old = ts_chunk_field_get(field);
    if (old.size == 0)
        return 0;
    if (!ctx->env->chunk)
        return no_heap();
    if (old.offset > c->heap_size || old.size > c->heap_size - old.offset)
        return 0;
    if (TS_GROW(c->old, c->capacity_old, c->n_old + 1) < 0)
        return -1;
    c->old[c->n_old++] = old;
    c->changed = true;
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct ts_chunk_segment *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void ts_chunk_finish(struct ts_run_ctx *ctx, int status)
{
    struct ts_conv_chunk *c = &ctx->chunk;
    struct ts_chunk_heap *heap = ctx->env->chunk;
    /* In order they become few gaps. The same one twice: its element was written twice. */
    if (status == 0 && c->n_old > 1)
        qsort(c->old, c->n_old, sizeof *c->old, by_offset);
    for (size_t i = 0; status == 0 && i < c->n_old; i++)
        if (i == 0 || c->old[i].offset != c->old[i - 1].offset)
            ts_chunk_heap_remove(heap, c->old[i].offset, c->old[i].size);
    if (status < 0 && c->changed)
        heap->ragged = heap->size > 0;
    ts_free(c->old);
}

/* A sequence or reference of `bytes` bytes in a segment of its own, or in that of the sequence around it. Its field is
 * written with what the caller has put there. */
struct room {
    uint8_t *at;
    uint64_t offset, size;
};

static int make_room(struct ts_run_ctx *ctx, uint64_t count, size_t bytes, struct room *out)
{
    struct ts_conv_chunk *c = &ctx->chunk;
    if (c->flat) {
        struct ts_wr *w = &c->flat->nested;
        out->offset = w->size;
        ts_wr_u64(w, count);
        out->at = ts_wr_reserve(w, bytes);
        out->size = w->size - out->offset;
        return out->at ? 0 : -1;
    }
    if (!ctx->env->chunk)
        return no_heap();
    out->at = ts_chunk_heap_reserve(ctx->env->chunk, bytes, &out->offset);
    if (!out->at)
        return -1;
    out->size = bytes;
    c->changed = true;
    return 0;
}

static int put_nothing(struct ts_run_ctx *ctx, uint8_t *field)
{
    if (remember_old(ctx, field) < 0)
        return -1;
    memset(field, 0, TS_TYPE_CHUNK_FIELD);
    return 0;
}

static int put_bytes(struct ts_run_ctx *ctx, const void *data, size_t n, uint8_t *field)
{
    struct room room;
    if (remember_old(ctx, field) < 0 || make_room(ctx, n, n, &room) < 0)
        return -1;
    memcpy(room.at, data, n);
    ts_chunk_field_put(field, room.offset, room.size);
    return 0;
}

/* Elements that are the same bytes in a segment as elsewhere. */
static int put_plain(struct ts_run_ctx *ctx, const struct ts_node *base, const struct ts_sequence *seq, size_t bytes,
                     uint8_t *field)
{
    struct room room;
    if (make_room(ctx, seq->n, bytes, &room) < 0)
        return -1;
    if (base->background || base->kind == TS_NODE_NUM)
        memset(room.at, 0, bytes);
    struct ts_lane l = {seq->n, base->src_size, base->dst_size, seq->data, room.at};
    if (ts_node_run(ctx, base, &l) < 0)
        return -1;
    ts_chunk_field_put(field, room.offset, room.size);
    return 0;
}

/* n elements as they are in a segment. A field that a function of the application made up is not followed. */
static void flatten(const struct ts_type *t, size_t n, const uint8_t *elements, const struct ts_wr *nested,
                    struct ts_wr *out)
{
    bool field = ts_type_is_chunk_field(t);
    if (!ts_type_has_vlen_or_ref(t) || (t->cls == H5T_REFERENCE && !field)) {
        ts_wr_bytes(out, elements, n * t->size);
        return;
    }
    for (size_t i = 0; i < n && !out->bad; i++, elements += t->size) {
        struct ts_chunk_segment s = field ? ts_chunk_field_get(elements) : (struct ts_chunk_segment){0};
        if (s.size > 0 && (s.offset > nested->size || s.size > nested->size - s.offset))
            out->bad = true;
        else if (s.size > 0)
            ts_wr_bytes(out, nested->data + s.offset, s.size);
        else if (field)
            ts_wr_u64(out, 0);
        else if (t->cls == H5T_ARRAY)
            flatten(t->base, t->u.array.n_elements, elements, nested, out);
        for (size_t m = 0; t->cls == H5T_COMPOUND && m < t->u.compound.n; m++)
            flatten(t->u.compound.members[m].type, 1, elements + t->u.compound.members[m].offset, nested, out);
    }
}

static int put_flat(struct ts_run_ctx *ctx, const struct ts_type *base, size_t n, const uint8_t *elements,
                    const struct ts_flat *own, uint8_t *field)
{
    struct ts_wr segment = {0}, *out = own->outer ? &own->outer->nested : &segment;
    struct room room;
    size_t start = out->size;
    if (own->outer)
        ts_wr_u64(out, n);
    flatten(base, n, elements, &own->nested, out);
    int r = out->bad ? TS_ERR(DATATYPE, CANTCONVERT, "%zu elements with nested ones cannot be put in a segment", n) : 0;
    if (own->outer) {
        ts_chunk_field_put(field, start, out->size - start);
        return r;
    }
    if (r == 0)
        r = make_room(ctx, n, segment.size, &room);
    if (r == 0) {
        memcpy(room.at, segment.data, segment.size);
        ts_chunk_field_put(field, room.offset, room.size);
    }
    ts_wr_free(&segment);
    return r;
}

/* Elements that have nested sequences or references. */
static int put_nested(struct ts_run_ctx *ctx, const struct ts_node *base, const struct ts_sequence *seq, size_t bytes,
                      uint8_t *field)
{
    struct ts_flat own = {.outer = ctx->chunk.flat};
    struct ts_lane l = {seq->n, base->src_size, base->dst_size, seq->data, ts_calloc(1, bytes)};
    if (!l.dst)
        return -1;
    ctx->chunk.flat = &own;
    int r = ts_node_run(ctx, base, &l);
    ctx->chunk.flat = own.outer;
    if (r == 0)
        r = put_flat(ctx, base->dst, seq->n, l.dst, &own, field);
    ts_wr_free(&own.nested);
    ts_free(l.dst);
    return r;
}

int ts_chunk_put_sequence(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_sequence *seq,
                          uint8_t *field)
{
    const struct ts_node *base = node->u.vlen.base;
    size_t bytes;
    if (seq->n == 0) {
        bool empty = node->u.vlen.dst_string && !seq->nil;
        return empty ? put_bytes(ctx, "", 1, field) : put_nothing(ctx, field);
    }
    if (!ts_mul_size(seq->n, base->dst_size, &bytes))
        return TS_ERR(DATATYPE, OVERFLOW, "a sequence of %zu elements of %zu bytes", seq->n, base->dst_size);
    if (remember_old(ctx, field) < 0)
        return -1;
    return ts_type_has_vlen_or_ref(base->dst) ? put_nested(ctx, base, seq, bytes, field)
                                              : put_plain(ctx, base, seq, bytes, field);
}

static int put_revised(struct ts_run_ctx *ctx, const uint8_t *src, uint8_t *field)
{
    const struct ts_vl_sink *sink = ctx->env->sink;
    struct ts_wr segment = {0};
    if (!sink || !sink->encode_reference)
        return TS_ERR(DATATYPE, CANTCONVERT, "references for a structured chunk, but no file that they are to be in");
    int r = sink->encode_reference(sink->ctx, src, &segment);
    if (r == 0)
        r = put_bytes(ctx, segment.data, segment.size, field);
    ts_wr_free(&segment);
    return r;
}

int ts_chunk_put_reference(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *field)
{
    if (all_zero(src, node->src_size))
        return put_nothing(ctx, field);
    return node->src->u.ref.kind == H5R_DATASET_REGION1 ? put_bytes(ctx, src, node->src_size, field)
                                                        : put_revised(ctx, src, field);
}

/* The cursor moves behind n elements in a segment. Every element takes at least a byte, so that bad counts end soon. */
static void skip(const struct ts_type *t, uint64_t n, struct ts_rd *r)
{
    uint64_t bytes;
    if (!ts_type_has_vlen_or_ref(t) || (t->cls == H5T_REFERENCE && !ts_type_is_chunk_field(t))) {
        if (!ts_mul_u64(n, t->size, &bytes) || bytes > ts_rd_left(r))
            r->bad = true;
        else
            ts_rd_skip(r, bytes);
        return;
    }
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        if (t->cls == H5T_VLEN)
            skip(t->base, ts_rd_u64(r), r);
        else if (t->cls == H5T_ARRAY)
            skip(t->base, t->u.array.n_elements, r);
        else if (t->cls == H5T_REFERENCE) {
            uint64_t size = ts_rd_u64(r);
            ts_rd_skip(r, size <= ts_rd_left(r) ? size : SIZE_MAX);
        }
        for (size_t m = 0; t->cls == H5T_COMPOUND && m < t->u.compound.n; m++)
            skip(t->u.compound.members[m].type, 1, r);
    }
}

/* One element of a segment with fields: where in the heap, whose first byte is r->start, and how many elements. */
static void unflatten(const struct ts_type *t, struct ts_rd *r, uint8_t *element)
{
    if (ts_type_is_chunk_field(t)) {
        struct ts_rd before = *r;
        uint64_t n = ts_rd_u64(&before);
        skip(t, 1, r);
        if (!r->bad && n > 0)
            ts_chunk_field_put(element, ts_rd_pos(&before), n);
        return;
    }
    if (t->cls == H5T_ARRAY && ts_type_has_vlen_or_ref(t)) {
        for (size_t i = 0; i < t->u.array.n_elements && !r->bad; i++)
            unflatten(t->base, r, element + i * t->base->size);
        return;
    }
    if (t->cls == H5T_COMPOUND && ts_type_has_vlen_or_ref(t)) {
        for (size_t m = 0; m < t->u.compound.n && !r->bad; m++)
            unflatten(t->u.compound.members[m].type, r, element + t->u.compound.members[m].offset);
        return;
    }
    const uint8_t *bytes = ts_rd_bytes(r, t->size);
    if (bytes)
        memcpy(element, bytes, t->size);
}

/* Of a whole segment the number of elements is known only at its end, of a nested sequence before. */
static int get_nested(struct ts_rd *r, const struct ts_type *base, uint64_t most, struct ts_sequence *seq)
{
    struct ts_wr elements = {0};
    size_t n = 0;
    for (; n < most && ts_rd_left(r) > 0 && !r->bad && !elements.bad; n++) {
        uint8_t *element = ts_wr_reserve(&elements, base->size);
        if (!element)
            break;
        memset(element, 0, base->size);
        unflatten(base, r, element);
    }
    seq->owned = elements.data;
    seq->data = elements.data;
    seq->n = n;
    if (elements.bad)
        return -1;
    return r->bad ? TS_ERR(DATATYPE, BADSIZE, "a segment that ends inside of its element %zu", n - 1) : 0;
}

static int get_plain(const struct ts_type *base, const struct ts_chunk_segment *s, struct ts_sequence *seq)
{
    if (s->size % base->size != 0)
        return TS_ERR(DATATYPE, BADSIZE, "a segment of %llu bytes, elements of %zu", (unsigned long long)s->size,
                      base->size);
    seq->n = s->size / base->size;
    return 0;
}

int ts_chunk_get_sequence(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *field,
                          struct ts_sequence *seq)
{
    const struct ts_chunk_heap *heap = ctx->env->chunk;
    const struct ts_type *base = node->src->base;
    struct ts_chunk_segment s = ts_chunk_field_get(field);
    bool inside = ctx->chunk.depth > 0;
    seq->nil = s.size == 0;
    if (seq->nil)
        return 0;
    if (!heap)
        return no_heap();
    seq->data = inside ? heap->bytes + s.offset : ts_chunk_heap_get(heap, s.offset, s.size);
    if (!seq->data)
        return -1;
    if (ts_type_has_vlen_or_ref(base)) {
        struct ts_rd r = ts_rd_init(heap->bytes, inside ? heap->size : s.offset + s.size);
        ts_rd_skip(&r, s.offset);
        return get_nested(&r, base, inside ? s.size : UINT64_MAX, seq);
    }
    if (inside)
        seq->n = s.size;
    else if (get_plain(base, &s, seq) < 0)
        return -1;
    if (node->u.vlen.src_string && seq->n == 1 && seq->data[0] == 0)
        seq->n = 0;
    return 0;
}

int ts_chunk_get_reference(struct ts_run_ctx *ctx, const uint8_t *field, const uint8_t **bytes, size_t *size)
{
    const struct ts_chunk_heap *heap = ctx->env->chunk;
    struct ts_chunk_segment s = ts_chunk_field_get(field);
    *size = s.size;
    *bytes = NULL;
    if (s.size == 0)
        return 0;
    if (!heap)
        return no_heap();
    *bytes = ctx->chunk.depth > 0 ? heap->bytes + s.offset : ts_chunk_heap_get(heap, s.offset, s.size);
    return *bytes ? 0 : -1;
}
