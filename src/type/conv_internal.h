/* How a conversion path is made: a tree of nodes, compiled once from two datatypes. */
#ifndef TS_TYPE_CONV_INTERNAL_H
#define TS_TYPE_CONV_INTERNAL_H

#include <stdatomic.h>

#include "base/cursor.h"
#include "type/chunk_heap.h"
#include "type/conv.h"
#include "type/type.h"

/* Numbers up to this many bytes are converted whole; longer ones bit by bit (conv_long.c), up to so many that bits can
 * be counted. */
#define TS_NUM_MAX 16
#define TS_NUM_LONG_MAX (1u << 28)
/* Returned by a conversion of one number when there is nothing to report. */
#define TS_NO_EXCEPT (-1)
/* Two exceptions of one number, the second reported when the first was not handled. */
#define TS_EXCEPTS(first, second) ((int)(first) | ((int)(second) + 1) << 8)

/* n elements from one place to another, which do not overlap. */
struct ts_lane {
    size_t n, src_stride, dst_stride;
    const uint8_t *src;
    uint8_t *dst;
};

struct ts_num_side {
    H5T_class_t cls; /* H5T_INTEGER, H5T_FLOAT or H5T_BITFIELD */
    unsigned size, offset, precision;
    H5T_order_t order;
    H5T_pad_t lsb_pad, msb_pad;
    bool is_signed;
    struct ts_float flt;
};

struct ts_num;
/* One number: stores the default result and returns the exception, if any. */
typedef int ts_num_one(const struct ts_num *num, const uint8_t *src, uint8_t *dst);
/* Many in native byte order, without looking at exceptions. */
typedef void ts_num_many(const struct ts_lane *lane);

struct ts_num {
    struct ts_num_side src, dst;
    bool hard;
    ts_num_one *one;
    void (*repad)(const struct ts_num *num, uint8_t *dst); /* after the application stored a result; or NULL */
    ts_num_many *many;                                     /* NULL: only one by one */
    bool swap_src, swap_dst;                               /* around many */
};

enum ts_node_kind {
    TS_NODE_COPY,
    TS_NODE_SWAP,
    TS_NODE_NUM,
    TS_NODE_COMPLEX,
    TS_NODE_ENUM,
    TS_NODE_STRING,
    TS_NODE_COMPOUND,
    TS_NODE_ARRAY,
    TS_NODE_VLEN,
    TS_NODE_REFERENCE,
    TS_NODE_USER,
};

struct ts_node;

struct ts_node_part {
    size_t src_offset, dst_offset;
    struct ts_node *node;
};

/* Source values in ascending order, each with where the destination's values have the same name. A name that the
 * destination lacks has no entry. */
struct ts_enum_entry {
    uint64_t key; /* the source value's bytes, followed by zeros */
    const uint8_t *value;
};

struct ts_enum_map {
    size_t n;
    struct ts_enum_entry *entries;
};

struct ts_node {
    enum ts_node_kind kind;
    const struct ts_type *src, *dst; /* parts of the path's types; borrowed */
    size_t src_size, dst_size;
    bool background; /* leaves bytes of the destination alone */
    bool part;       /* its types are parts of those that the application knows */
    union {
        struct ts_num num;
        struct {
            /* Between a part of a complex number, or the whole number, and one of the other side. */
            struct ts_node *part;
            bool hard;
        } complex;
        struct ts_enum_map map;
        struct {
            size_t n;
            struct ts_node_part *parts;
        } compound;
        struct {
            size_t count;
            struct ts_node *base;
        } array;
        struct {
            struct ts_node *base;
            bool src_string, dst_string;
        } vlen;
        struct {
            H5T_conv_t func;
            int (*invoke)(H5T_conv_t func, const struct ts_conv_call *call);
            H5T_cdata_t cdata;
            bool hard;
            bool replaced; /* by another soft one: it is told the types when it goes */
        } user;
    } u;
};

/* conv_plan.c. The types must outlive the node. */
int ts_node_build(const struct ts_type *src, const struct ts_type *dst, struct ts_node **out);
void ts_node_free(struct ts_node *node);

/* conv_path.c: the application's conversion for the pair, as a ready node in *out; 0 when there is none. */
int ts_conv_user_node(const struct ts_type *src, const struct ts_type *dst, bool hard, struct ts_node **out);

int ts_node_new(enum ts_node_kind kind, const struct ts_type *src, const struct ts_type *dst, struct ts_node **out);
/* 1: built, 0: not one of the direct conversions, when only these were asked for. */
int ts_num_build(const struct ts_type *src, const struct ts_type *dst, bool direct, struct ts_node **out);
bool ts_num_is_native(const struct ts_type *t);

/* conv_complex.c: the same for pairs with a complex number; 0 for others, too. */
int ts_complex_build(const struct ts_type *src, const struct ts_type *dst, bool direct, struct ts_node **out);
/* conv_native.c: the direct conversion between two native numbers; false when one of them is not native. */
bool ts_num_native(struct ts_num *num);
bool ts_num_side_is_native(const struct ts_num_side *side);
/* The same pairs, whole bytes in any byte order, with the rules of the bit by bit conversion. */
bool ts_num_swapped(struct ts_num *num);

/* conv_bits.c: everything else, bit by bit; false when it cannot be done. */
bool ts_num_bits(struct ts_num *num);

/* conv_long.c: the same when one of them has more than TS_NUM_MAX bytes. */
bool ts_num_long(struct ts_num *num);

void ts_swap_many(size_t size, const struct ts_lane *lane);

/* Inside a sequence that goes to a structured chunk: its nested sequences and references as they are in a segment.
 * Until the segment is put together, fields of its elements say where in here, and how many bytes with the count. */
struct ts_flat {
    struct ts_flat *outer;
    struct ts_wr nested;
};

/* What a run does with the heap of a structured chunk. */
struct ts_conv_chunk {
    struct ts_flat *flat;         /* NULL: not inside a sequence */
    unsigned depth;               /* of the sequences that are being read. Inside one, fields of elements say where in
                                     the heap and how many elements, and are known to be good */
    struct ts_chunk_segment *old; /* of what is overwritten */
    size_t n_old, capacity_old;
    size_t heap_size; /* when the run began */
    bool changed;     /* the heap, or elements that refer to it */
};

/* conv_run.c */
struct ts_run_ctx {
    const struct ts_conv_env *env;
    const struct ts_node *root;
    void **made; /* memory of variable-length elements made so far, to undo on failure */
    size_t n_made, capacity_made;
    H5R_ref_t *refs; /* references made so far, for the same reason: the bytes, wherever they have moved since */
    size_t n_refs, capacity_refs;
    struct ts_conv_chunk chunk;
};

/* The destination holds the background where the node needs it. */
int ts_node_run(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane);
/* Whole runs; a failure undoes what was made for variable-length elements and references. */
int ts_node_run_in_place(const struct ts_node *root, const struct ts_conv_env *env, size_t n, void *buf,
                         const void *bkg);
int ts_node_run_copy(const struct ts_node *root, const struct ts_conv_env *env, size_t n, const void *src, void *dst);
/* Asks the application about an exception; *handled says that it has stored a result at dst. */
int ts_conv_ask(struct ts_run_ctx *ctx, const struct ts_node *node, H5T_conv_except_t kind, void *src, void *dst,
                bool *handled);

/* conv_complex.c */
int ts_complex_run(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane);

/* conv_sink.c: to the form on disk. dst holds what is overwritten, and lets go of what that referred to. */

/* One sequence: where its elements are, and who must free them. */
struct ts_sequence {
    bool nil;
    size_t n;
    const uint8_t *data;
    void *owned;
};

int ts_sink_sequence(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_sequence *seq, uint8_t *dst);
int ts_sink_reference(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *dst);
/* Before anything of the application or of another file runs. */
int ts_sink_pause(const struct ts_conv_env *env);

/* conv_chunk.c: to and from structured chunks. */
int ts_chunk_put_sequence(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_sequence *seq,
                          uint8_t *field);
int ts_chunk_put_reference(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *src, uint8_t *field);
/* The elements may be those in the heap. */
int ts_chunk_get_sequence(struct ts_run_ctx *ctx, const struct ts_node *node, const uint8_t *field,
                          struct ts_sequence *seq);
/* The bytes that stand for a reference, in the heap; none when it refers to nothing. */
int ts_chunk_get_reference(struct ts_run_ctx *ctx, const uint8_t *field, const uint8_t **bytes, size_t *size);
/* Removes what was overwritten, or after an error nothing. */
void ts_chunk_finish(struct ts_run_ctx *ctx, int status);

/* conv_num.c */
int ts_num_run(struct ts_run_ctx *ctx, const struct ts_node *node, const struct ts_lane *lane);
/* With an exception callback, in the order in which the application expects to be asked. */
int ts_num_run_in_place(struct ts_run_ctx *ctx, const struct ts_node *node, size_t n, uint8_t *buf);

#endif
