/* Decoding a structure and encoding what was decoded: one function per structure, for comparing with the bytes it came
 * from. */
#ifndef TESTS_UNIT_FORMAT_RECODE_H
#define TESTS_UNIT_FORMAT_RECODE_H

#include "base/alloc.h"
#include "base/cursor.h"
#include "filter/pipeline_codec.h"
#include "format/attribute.h"
#include "format/btree1.h"
#include "format/btree2.h"
#include "format/ext_array.h"
#include "format/fill.h"
#include "format/fixed_array.h"
#include "format/fractal_heap.h"
#include "format/free_space.h"
#include "format/global_heap.h"
#include "format/layout.h"
#include "format/link.h"
#include "format/local_heap.h"
#include "format/messages.h"
#include "format/object_header.h"
#include "format/put.h"
#include "format/sohm.h"
#include "format/superblock.h"
#include "space/space.h"
#include "type/type.h"

/* What a codec must know besides the bytes. */
struct site {
    unsigned O, L;
    const void *arg;
};

/* 0, or negative when the bytes do not decode or the result does not encode. */
typedef int recode_fn(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out);

static inline int recode_superblock(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_superblock sb;
    return ts_superblock_decode(in, n, &sb) < 0 ? -1 : ts_superblock_encode(&sb, out);
}

static inline int recode_driver_info(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_driver_info info;
    return ts_driver_info_decode(in, n, &info) < 0 ? -1 : ts_driver_info_encode(&info, out);
}

static inline int recode_space(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_space *space;
    if (ts_space_decode_extent(in, n, s->L, &space) < 0)
        return -1;
    int status = ts_space_encode_extent(space, in[0], s->L, out);
    ts_space_unref(space);
    return status;
}

/* The library forgets a later version than the type needs (type/codec.c). */
static inline int recode_type(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_type *type;
    size_t used;
    if (ts_type_decode(in, n, &used, &type) < 0)
        return -1;
    unsigned version = in[0] >> 4;
    int status = version > TS_TYPE_VERSION_PACKED ? ts_type_raise_version(type, version) : 0;
    if (status == 0)
        status = ts_type_encode(type, out);
    ts_type_unref(type);
    return status;
}

static inline int recode_fill_old(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_fill_msg msg;
    return ts_fill_decode_old(in, n, &msg) < 0 ? -1 : ts_fill_encode(&msg, out);
}

static inline int recode_fill(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_fill_msg msg;
    return ts_fill_decode(in, n, &msg) < 0 ? -1 : ts_fill_encode(&msg, out);
}

static inline int recode_link(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_link link;
    if (ts_link_decode(in, n, s->O, &link) < 0)
        return -1;
    int status = ts_link_encode(&link, s->O, out);
    ts_link_deinit(&link);
    return status;
}

static inline int recode_link_info(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_link_info info;
    return ts_link_info_decode(in, n, s->O, &info) < 0 ? -1 : ts_link_info_encode(&info, s->O, out);
}

static inline int recode_group_info(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_group_info info;
    return ts_group_info_decode(in, n, &info) < 0 ? -1 : ts_group_info_encode(&info, out);
}

static inline int recode_symbol_table(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_symbol_table t;
    return ts_symbol_table_decode(in, n, s->O, &t) < 0 ? -1 : ts_symbol_table_encode(&t, s->O, out);
}

static inline int recode_efl(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_efl_msg msg;
    if (ts_efl_decode(in, n, s->O, s->L, &msg) < 0)
        return -1;
    int status = ts_efl_encode(&msg, s->O, s->L, out);
    ts_free(msg.slots);
    return status;
}

static inline int recode_layout(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_layout layout;
    if (ts_layout_decode(in, n, s->O, s->L, &layout) < 0)
        return -1;
    int status = ts_layout_encode(&layout, s->O, s->L, out);
    ts_layout_deinit(&layout);
    return status;
}

static inline int recode_pipeline_sections(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_pipeline_sections p;
    if (ts_pipeline_sections_decode(in, n, &p) < 0)
        return -1;
    int status = ts_pipeline_sections_encode(&p, out);
    ts_pipeline_sections_deinit(&p);
    return status;
}

static inline int recode_pipeline(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_pipeline p;
    if (ts_pipeline_decode_message(in, n, &p) < 0)
        return -1;
    int status = ts_pipeline_encode_message(&p, in[0], out);
    ts_pipeline_deinit(&p);
    return status;
}

static inline int recode_shared(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_shared_ref ref;
    return ts_shared_ref_decode(in, n, s->O, s->L, &ref) < 0 ? -1 : ts_shared_ref_encode(&ref, s->O, s->L, out);
}

/* With its datatype and dataspace. */
static inline int recode_attr(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_attr_msg msg;
    struct ts_wr type = {0}, space = {0};
    if (ts_attr_msg_decode(in, n, &msg) < 0)
        return -1;
    recode_fn *of_type = msg.type_shared ? recode_shared : recode_type;
    recode_fn *of_space = msg.space_shared ? recode_shared : recode_space;
    int status = of_type(s, msg.type, msg.type_size, &type);
    if (status == 0)
        status = of_space(s, msg.space, msg.space_size, &space);
    if (status == 0) {
        msg.type = type.data;
        msg.type_size = type.size;
        msg.space = space.data;
        msg.space_size = space.size;
        status = ts_attr_msg_encode(&msg, out);
    }
    ts_wr_free(&type);
    ts_wr_free(&space);
    return status;
}

static inline int recode_attr_info(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_attr_info info;
    return ts_attr_info_decode(in, n, s->O, &info) < 0 ? -1 : ts_attr_info_encode(&info, s->O, out);
}

static inline int recode_comment(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    const char *text;
    return ts_comment_decode(in, n, &text) < 0 ? -1 : ts_comment_encode(text, out);
}

static inline int recode_mtime_old(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    time_t t;
    return ts_mtime_decode_old(in, n, &t) < 0 ? -1 : ts_mtime_encode_old(t, out);
}

static inline int recode_mtime(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    time_t t;
    return ts_mtime_decode(in, n, &t) < 0 ? -1 : ts_mtime_encode(t, out);
}

static inline int recode_sohm_msg(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_sohm_msg msg;
    return ts_sohm_msg_decode(in, n, s->O, &msg) < 0 ? -1 : ts_sohm_msg_encode(&msg, s->O, out);
}

static inline int recode_continuation(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_continuation c;
    return ts_continuation_decode(in, n, s->O, s->L, &c) < 0 ? -1 : ts_continuation_encode(&c, s->O, s->L, out);
}

static inline int recode_btree_k(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_btree_k k;
    return ts_btree_k_decode(in, n, &k) < 0 ? -1 : ts_btree_k_encode(&k, out);
}

static inline int recode_driver_msg(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    struct ts_driver_msg msg;
    return ts_driver_msg_decode(in, n, &msg) < 0 ? -1 : ts_driver_msg_encode(&msg, out);
}

static inline int recode_ref_count(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    uint32_t count;
    return ts_ref_count_decode(in, n, &count) < 0 ? -1 : ts_ref_count_encode(count, out);
}

static inline int recode_file_space(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_file_space fs;
    return ts_file_space_decode(in, n, s->O, s->L, &fs) < 0 ? -1 : ts_file_space_encode(&fs, s->O, s->L, out);
}

static inline int recode_cache_image(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_cache_image image;
    return ts_cache_image_decode(in, n, s->O, s->L, &image) < 0 ? -1 : ts_cache_image_encode(&image, s->O, s->L, out);
}

static const struct {
    const char *name;
    recode_fn *recode;
} messages[TS_MSG_KNOWN_END] = {
    [TS_MSG_SPACE] = {"message: dataspace", recode_space},
    [TS_MSG_LINK_INFO] = {"message: link info", recode_link_info},
    [TS_MSG_TYPE] = {"message: datatype", recode_type},
    [TS_MSG_FILL_OLD] = {"message: old fill value", recode_fill_old},
    [TS_MSG_FILL] = {"message: fill value", recode_fill},
    [TS_MSG_LINK] = {"message: link", recode_link},
    [TS_MSG_EFL] = {"message: external files", recode_efl},
    [TS_MSG_LAYOUT] = {"message: layout", recode_layout},
    [TS_MSG_GROUP_INFO] = {"message: group info", recode_group_info},
    [TS_MSG_PIPELINE] = {"message: pipeline", recode_pipeline},
    [TS_MSG_ATTR] = {"message: attribute", recode_attr},
    [TS_MSG_COMMENT] = {"message: comment", recode_comment},
    [TS_MSG_MTIME_OLD] = {"message: old modification time", recode_mtime_old},
    [TS_MSG_SOHM_TABLE] = {"message: shared message table", recode_sohm_msg},
    [TS_MSG_CONTINUATION] = {"message: continuation", recode_continuation},
    [TS_MSG_SYMBOL_TABLE] = {"message: symbol table", recode_symbol_table},
    [TS_MSG_MTIME] = {"message: modification time", recode_mtime},
    [TS_MSG_BTREE_K] = {"message: B-tree k", recode_btree_k},
    [TS_MSG_DRIVER_INFO] = {"message: driver info", recode_driver_msg},
    [TS_MSG_ATTR_INFO] = {"message: attribute info", recode_attr_info},
    [TS_MSG_REF_COUNT] = {"message: reference count", recode_ref_count},
    [TS_MSG_FILE_SPACE] = {"message: file space", recode_file_space},
    [TS_MSG_CACHE_IMAGE] = {"message: cache image", recode_cache_image},
};

/* arg: k of leaves. */
static inline int recode_symbol_node(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_symbol *symbols;
    size_t count;
    if (ts_symbol_node_decode(in, n, s->O, s->L, &symbols, &count) < 0)
        return -1;
    int status = ts_symbol_node_encode(symbols, count, *(const unsigned *)s->arg, s->O, s->L, out);
    ts_free(symbols);
    return status;
}

static inline int recode_lheap(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_lheap_header h;
    return ts_lheap_header_decode(in, n, s->O, s->L, &h) < 0 ? -1 : ts_lheap_header_encode(&h, s->O, s->L, out);
}

/* What a free block has behind its head stays as it is. */
static inline int recode_lheap_free(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_lheap_free block;
    if (ts_lheap_free_decode(in, n, 0, s->L, &block) < 0 || ts_lheap_free_encode(&block, s->L, out) < 0)
        return -1;
    ts_wr_bytes(out, in + 2 * (size_t)s->L, (size_t)block.size - 2 * (size_t)s->L);
    return 0;
}

/* A whole collection: its objects, then what is free. */
static inline int recode_gheap(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    uint64_t size;
    if (ts_gheap_header_decode(in, n, s->L, &size) < 0 || size != n || ts_gheap_header_encode(size, s->L, out) < 0)
        return -1;
    size_t pos = ts_gheap_header_size(s->L);
    struct ts_gheap_object o;
    int more;
    while ((more = ts_gheap_object_next(in, n, s->L, &pos, &o)) > 0)
        if (ts_gheap_object_encode(&o, in + o.offset, s->L, out) < 0)
            return -1;
    return more < 0 ? -1 : ts_gheap_free_encode(n - pos, s->L, out);
}

static inline int recode_fheap_header(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_fheap_header h;
    struct ts_wr filters = {0};
    if (ts_fheap_header_decode(in, n, s->O, s->L, &h) < 0)
        return -1;
    int status = h.filter_size ? recode_pipeline(s, h.filters, h.filter_size, &filters) : 0;
    h.filters = filters.data;
    h.filter_size = (unsigned)filters.size;
    if (status == 0)
        status = ts_fheap_header_encode(&h, out);
    ts_wr_free(&filters);
    return status;
}

struct fheap_site {
    const struct ts_fheap_header *header;
    struct ts_fheap_place place;
};

static inline int recode_fheap_direct(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct fheap_site *at = s->arg;
    uint8_t *copy = ts_memdup(in, n);
    if (!copy)
        return -1;
    size_t prefix = ts_fheap_direct_prefix(at->header);
    int status = ts_fheap_direct_check(at->header, at->place.header, at->place.offset, copy, n);
    if (status == 0)
        status = ts_fheap_direct_encode(at->header, at->place.header, at->place.offset, out);
    ts_wr_bytes(out, in + prefix, n - prefix);
    ts_free(copy);
    if (status == 0 && !out->bad)
        ts_fheap_direct_seal(at->header, out->data, out->size);
    return status;
}

static inline int recode_fheap_indirect(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct fheap_site *at = s->arg;
    (void)n;
    struct ts_fheap_child *children = ts_calloc((size_t)at->place.rows * at->header->width, sizeof *children);
    if (!children)
        return -1;
    int status = ts_fheap_indirect_decode(at->header, &at->place, in, children);
    if (status == 0)
        status = ts_fheap_indirect_encode(at->header, &at->place, children, out);
    ts_free(children);
    return status;
}

static inline int recode_fheap_id(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct ts_fheap_header *h = s->arg;
    struct ts_fheap_id id;
    if (ts_fheap_id_decode(h, in, n, &id) < 0)
        return -1;
    return ts_fheap_id_encode(h, &id, in + (id.kind == TS_FHEAP_TINY ? id.offset : 0), out);
}

/* Types 1 and 2 of B-trees. */
static inline int recode_huge_record(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_fheap_id id = {.kind = TS_FHEAP_HUGE};
    if (n != ts_fheap_huge_record_size(s->arg))
        return -1;
    ts_fheap_huge_record_decode(s->arg, in, &id);
    return ts_fheap_huge_record_encode(s->arg, &id, out);
}

struct btree1_site {
    unsigned k, rank; /* rank 0: a group */
};

static inline void recode_btree1_key(const struct site *s, const uint8_t *in, struct ts_wr *out)
{
    const struct btree1_site *at = s->arg;
    struct ts_btree1_chunk_key key;
    struct ts_rd r = ts_rd_init(in, s->L);
    if (at->rank == 0) {
        ts_put_uint(out, ts_rd_uint(&r, s->L), s->L);
        return;
    }
    ts_btree1_chunk_key_decode(in, at->rank, &key);
    ts_btree1_chunk_key_encode(&key, at->rank, out);
}

static inline int recode_btree1(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct btree1_site *at = s->arg;
    struct ts_btree1_prefix p;
    struct ts_wr body = {0};
    size_t key = at->rank ? ts_btree1_chunk_key_size(at->rank) : s->L;
    if (ts_btree1_prefix_decode(in, n, s->O, &p) < 0 || p.entries > 2 * at->k)
        return -1;
    const uint8_t *p_in = in + ts_btree1_prefix_size(s->O);
    for (unsigned i = 0; i < p.entries; i++) {
        recode_btree1_key(s, p_in, &body);
        struct ts_rd r = ts_rd_init(p_in + key, s->O);
        ts_put_addr(&body, ts_rd_addr(&r, s->O), s->O);
        p_in += key + s->O;
    }
    recode_btree1_key(s, p_in, &body);
    int status = ts_btree1_node_encode(&p, body.data, at->k, key, s->O, out);
    ts_wr_free(&body);
    return status;
}

static inline int recode_btree2_header(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_btree2_shape shape;
    if (ts_btree2_header_decode(in, n, s->O, s->L, &shape) < 0)
        return -1;
    return ts_btree2_header_encode(&shape.header, s->O, s->L, out);
}

struct btree2_site {
    const struct ts_btree2_shape *shape;
    unsigned level;
    struct ts_btree2_child self;
};

static inline int recode_btree2_node(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct btree2_site *at = s->arg;
    (void)n;
    struct ts_btree2_child *children = ts_calloc((size_t)at->self.records + 1, sizeof *children);
    if (!children)
        return -1;
    int status = ts_btree2_node_decode(at->shape, at->level, &at->self, in, children);
    if (status == 0)
        status =
            ts_btree2_node_encode(at->shape, at->level, at->self.records, in + TS_BTREE2_NODE_PREFIX, children, out);
    ts_free(children);
    return status;
}

static inline int recode_farray_header(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_farray_header h;
    return ts_farray_header_decode(in, n, s->O, s->L, &h) < 0 ? -1 : ts_farray_header_encode(&h, s->O, s->L, out);
}

struct farray_site {
    const struct ts_farray_header *header;
    haddr_t addr;
};

static inline int recode_farray_block(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct farray_site *at = s->arg;
    if (ts_farray_block_check(at->header, at->addr, s->O, in, n) < 0)
        return -1;
    return ts_farray_block_encode(at->header, at->addr, s->O, in + ts_farray_block_prefix(s->O), out);
}

static inline int recode_page(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    (void)s;
    return ts_array_page_encode(in, n - 4, out);
}

static inline int recode_earray_header(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_earray_header h;
    return ts_earray_header_decode(in, n, s->O, s->L, &h) < 0 ? -1 : ts_earray_header_encode(&h, s->L, out);
}

struct earray_site {
    const struct ts_earray_header *header;
    enum ts_earray_block kind;
    struct ts_earray_place place;
};

static inline int recode_earray_block(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct earray_site *at = s->arg;
    size_t prefix = ts_earray_block_prefix(at->header, at->kind);
    if (ts_earray_block_check(at->header, at->kind, &at->place, in, n) < 0)
        return -1;
    return ts_earray_block_encode(at->header, at->kind, &at->place, in + prefix, n - prefix - 4, out);
}

static inline int recode_free_space(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_free_space fs;
    return ts_free_space_decode(in, n, s->O, s->L, &fs) < 0 ? -1 : ts_free_space_encode(&fs, s->O, s->L, out);
}

struct sections_site {
    const struct ts_free_space *header;
    haddr_t addr;
};

static inline int recode_sections(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct sections_site *at = s->arg;
    struct ts_free_section *list;
    int status = at->header->client == 0 ? ts_heap_sections_decode(in, n, s->O, at->header, at->addr, &list)
                                         : ts_free_sections_decode(in, n, s->O, at->header, at->addr, &list);
    if (status == 0)
        status = ts_free_sections_encode(list, s->O, at->header, at->addr, out);
    if (status == 0 && out->size != ts_free_sections_size(list, s->O, at->header))
        status = -1;
    /* The room that libhdf5 1.14 may leave. */
    if (status == 0 && out->size < n) {
        static const uint8_t zeros[64];
        out->size -= 4;
        ts_wr_bytes(out, zeros, n - 4 - out->size < sizeof zeros ? n - 4 - out->size : sizeof zeros);
        ts_wr_checksum(out, 0);
    }
    ts_free(list);
    return status;
}

/* arg: the number of indexes. */
static inline int recode_sohm_table(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_sohm_table t;
    (void)n;
    return ts_sohm_table_decode(in, *(const unsigned *)s->arg, s->O, &t) < 0 ? -1 : ts_sohm_table_encode(&t, s->O, out);
}

static inline int recode_sohm_list(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    const struct ts_sohm_index *x = s->arg;
    (void)n;
    struct ts_sohm_record *recs = ts_calloc(x->messages ? x->messages : 1, sizeof *recs);
    if (!recs)
        return -1;
    int status = ts_sohm_list_decode(in, x->messages, s->O, recs);
    if (status == 0)
        status = ts_sohm_list_encode(recs, x->messages, x->list_max, s->O, out);
    ts_free(recs);
    return status;
}

static inline int recode_sohm_record(const struct site *s, const uint8_t *in, size_t n, struct ts_wr *out)
{
    struct ts_sohm_record rec;
    if (n != ts_sohm_record_size(s->O) || ts_sohm_record_decode(in, s->O, &rec) < 0)
        return -1;
    return ts_sohm_record_encode(&rec, s->O, out);
}

#endif
