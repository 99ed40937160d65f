/*
 * Datatypes. A struct ts_type that more than one place can see is immutable: who wants a change makes a node copy with
 * ts_type_copy, changes that while nobody else holds it, and puts it in the place of the old one. So a reference is a
 * copy, children are shared freely, and no datatype needs a lock. (H5Tinsert spares the copy when an id holds the only
 * reference: ts_id_update.)
 */
#ifndef TS_TYPE_TYPE_H
#define TS_TYPE_TYPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Rpublic.h"
#include "H5Tpublic.h"
#include "base/count.h"
#include "base/cursor.h"

/* Levels of datatypes inside each other. Much of what is done with a datatype calls itself for what is in it, so this
 * bounds the stack it takes. No datatype is ever made deeper: what can be written can be read. */
#define TS_TYPE_MAX_DEPTH 1024
/* Versions of the message: compounds, arrays and enumerations are packed, references are those of 1.12, complex
 * numbers. */
enum { TS_TYPE_VERSION_PACKED = 3, TS_TYPE_VERSION_REFERENCE = 4, TS_TYPE_VERSION_COMPLEX = 5 };
#define TS_TYPE_MAX_RANK 32
#define TS_TYPE_MAX_MEMBERS 65535

/* What may be done with the type behind an id. */
enum ts_type_state {
    TS_TYPE_TRANSIENT, /* may be changed */
    TS_TYPE_READONLY,  /* may be closed, not changed: what H5Dget_type and the like give */
    TS_TYPE_IMMUTABLE, /* may not even be closed: predefined, or H5Tlock */
};

/* Variable-length elements and references are other bytes in memory than on disk, where they are other bytes again in
 * structured chunks, which have heaps of their own (chunk_heap.h). Meaningful for H5T_VLEN and H5T_REFERENCE nodes
 * only; all nodes of one type agree. */
enum ts_type_loc { TS_LOC_MEMORY, TS_LOC_DISK, TS_LOC_CHUNK };

/* Bytes that stand in a structured chunk for each sequence and reference. */
enum { TS_TYPE_CHUNK_FIELD = 16 };

enum ts_vlen_kind { TS_VLEN_SEQUENCE, TS_VLEN_STRING };

/* Bit positions count from the least significant bit of the element, 0. */
struct ts_float {
    size_t sign, epos, esize, mpos, msize;
    uint64_t ebias;
    H5T_norm_t norm;
    H5T_pad_t pad; /* internal */
};

struct ts_atomic {
    H5T_order_t order;
    size_t precision, offset; /* in bits */
    H5T_pad_t lsb_pad, msb_pad;
};

struct ts_member {
    const char *name; /* reference counted, see ts_type_name_ref */
    size_t offset;
    struct ts_type *type;
    bool copied; /* as ts_type.base_copied */
};

struct ts_named_ops {
    void (*ref)(void *named);
    void (*unref)(void *named);
};

struct ts_type {
    struct ts_count refs;
    H5T_class_t cls;
    enum ts_type_state state;
    enum ts_type_loc loc;
    unsigned version;   /* of the message; encoding never goes below */
    size_t size;        /* of one element, in bytes */
    unsigned depth;     /* levels below it */
    bool has_disk_form; /* it or a part of it is variable-length or a reference: memory and disk bytes differ */
    bool base_copied; /* the base came with H5Tcopy: the application may change it and its parts, whatever they were */
    struct ts_type *base; /* H5T_ENUM, H5T_VLEN, H5T_ARRAY, H5T_COMPLEX; NULL for the others */
    void *named;          /* committed: the open object, kept alive by named_ops */
    const struct ts_named_ops *named_ops;

    /* H5T_INTEGER, H5T_FLOAT, H5T_TIME, H5T_BITFIELD, H5T_STRING, H5T_REFERENCE. */
    struct ts_atomic atomic;
    union {
        H5T_sign_t sign;     /* H5T_INTEGER */
        struct ts_float flt; /* H5T_FLOAT */
        struct {             /* H5T_STRING of fixed size, and H5T_VLEN of kind string */
            H5T_cset_t cset;
            H5T_str_t pad;
            enum ts_vlen_kind kind; /* H5T_VLEN */
        } str;
        struct { /* H5T_REFERENCE */
            H5R_type_t kind;
            unsigned version; /* of the encoding of the revised kinds; 0 for the two old ones */
        } ref;
        struct {             /* H5T_OPAQUE */
            const char *tag; /* as ts_member.name */
        } opaque;
        struct { /* H5T_COMPOUND: members in the order of insertion, no two overlap */
            size_t n, capacity;
            struct ts_member *members;
        } compound;
        struct { /* H5T_ENUM: values packed, each of base->size bytes */
            size_t n, capacity, values_capacity;
            const char **names; /* as ts_member.name */
            uint8_t *values;
        } enumeration;
        struct { /* H5T_ARRAY: slowest dimension first */
            unsigned rank;
            size_t n_elements;
            hsize_t dims[TS_TYPE_MAX_RANK];
        } array;
    } u;
};

struct ts_type *ts_type_ref(struct ts_type *t);
void ts_type_unref(struct ts_type *t); /* NULL is fine */
/* A new node that may be changed until it is shared: transient, not committed, children shared. */
int ts_type_copy(const struct ts_type *t, struct ts_type **out);
/* What H5Tcopy makes: parts that may be changed, too. */
int ts_type_copy_parts(const struct ts_type *t, struct ts_type **out);
/* The same as ts_type_copy, with the state and the committed object kept. */
int ts_type_copy_all(const struct ts_type *t, struct ts_type **out);
/* The parts become those of another node of the same type, with what may be done with them. Nobody else holds t yet. */
int ts_type_adopt_parts(struct ts_type *t, const struct ts_type *from);
void ts_type_set_named(struct ts_type *t, void *named, const struct ts_named_ops *ops); /* takes over one reference */
/* It or a part of it is committed: who keeps it keeps a file open. */
bool ts_type_has_named(const struct ts_type *t);
/* The part gets into t: counts its levels, and fails where there would be too many. */
int ts_type_deepen(struct ts_type *t, const struct ts_type *part);

/* Names and tags: immutable strings with their own count. */
int ts_type_name_new(const char *s, size_t n, const char **out);
const char *ts_type_name_ref(const char *name);
void ts_type_name_unref(const char *name); /* NULL is fine */

static inline H5T_class_t ts_type_class(const struct ts_type *t)
{
    return t->cls;
}

static inline size_t ts_type_size(const struct ts_type *t)
{
    return t->size;
}

static inline bool ts_type_is_vlen_string(const struct ts_type *t)
{
    return t->cls == H5T_VLEN && t->u.str.kind == TS_VLEN_STRING;
}

/* It or a part of it is variable-length or a reference. */
static inline bool ts_type_has_vlen_or_ref(const struct ts_type *t)
{
    return t->has_disk_form;
}

/* In a structured chunk it refers to the chunk's heap. */
static inline bool ts_type_is_chunk_field(const struct ts_type *t)
{
    return t->cls == H5T_VLEN || (t->cls == H5T_REFERENCE && t->u.ref.kind != H5R_OBJECT1);
}

/* It or a part of it does: a structured chunk of such elements needs a heap. */
bool ts_type_has_chunk_fields(const struct ts_type *t);

/* Construction. Sizes and ranges are checked. */
int ts_type_new(H5T_class_t cls, size_t size, struct ts_type **out); /* what H5Tcreate makes */
int ts_type_new_integer(size_t size, H5T_order_t order, H5T_sign_t sign, struct ts_type **out);
int ts_type_new_bitfield(size_t size, H5T_order_t order, struct ts_type **out);
int ts_type_new_time(size_t size, H5T_order_t order, struct ts_type **out);
int ts_type_new_string(size_t size, H5T_cset_t cset, H5T_str_t pad, struct ts_type **out); /* H5T_VARIABLE allowed */
int ts_type_new_letter(struct ts_type **out); /* what variable-length strings consist of */
int ts_type_new_reference(H5R_type_t kind, struct ts_type **out);
int ts_type_new_enum(struct ts_type *base, struct ts_type **out);
int ts_type_new_vlen(struct ts_type *base, struct ts_type **out);
int ts_type_new_complex(struct ts_type *base, struct ts_type **out);
int ts_type_new_array(struct ts_type *base, unsigned rank, const hsize_t *dims, struct ts_type **out);
/* IEEE binary16, 32, 64 and x86's 80 bits in 16 bytes. */
int ts_type_new_float(size_t size, H5T_order_t order, struct ts_type **out);
/* One of few bits, in so many bytes: a sign, an exponent, a mantissa, whose highest bit is implied. */
int ts_type_new_small_float(size_t size, H5T_order_t order, size_t exponent, size_t mantissa, struct ts_type **out);

/* Changes: only on a node that is not shared yet. */
int ts_type_insert(struct ts_type *t, const char *name, size_t offset, struct ts_type *member);
int ts_type_pack(struct ts_type *t);
int ts_type_enum_insert(struct ts_type *t, const char *name, const void *value);
int ts_type_set_size(struct ts_type *t, size_t size);
int ts_type_set_precision(struct ts_type *t, size_t precision);
int ts_type_set_offset(struct ts_type *t, size_t offset);
int ts_type_set_order(struct ts_type *t, H5T_order_t order);
int ts_type_set_tag(struct ts_type *t, const char *tag);
int ts_type_set_sign(struct ts_type *t, H5T_sign_t sign);
int ts_type_set_pad(struct ts_type *t, H5T_pad_t lsb, H5T_pad_t msb);
/* The positions and sizes of sign, exponent and mantissa; the other members of f are not looked at. */
int ts_type_set_fields(struct ts_type *t, const struct ts_float *f);
int ts_type_set_ebias(struct ts_type *t, uint64_t ebias);
int ts_type_set_norm(struct ts_type *t, H5T_norm_t norm);
int ts_type_set_inpad(struct ts_type *t, H5T_pad_t pad);
int ts_type_set_cset(struct ts_type *t, H5T_cset_t cset);
int ts_type_set_strpad(struct ts_type *t, H5T_str_t pad);
/* Raises the message version of the node and all compound, array, enum and vlen types in it. */
int ts_type_raise_version(struct ts_type *t, unsigned version);
/* Recomputes the sizes of variable-length elements and references for a place, and with them all offsets and sizes
 * around them: in memory hvl_t, char *, H5R_ref_t; on disk 4 + addr_size + 4 bytes and so on; in a structured chunk
 * TS_TYPE_CHUNK_FIELD, whatever addr_size is, and object references of the old kind as on disk. Returns 1 when it
 * changed anything, 0 when not. Replaces *t by a changed copy when it is needed, so *t may be shared. */
int ts_type_set_loc(struct ts_type **t, enum ts_type_loc loc, unsigned addr_size);

/* Questions. */
/* What an array, vlen, enum or complex is made of in the end; the type itself when it is none. */
const struct ts_type *ts_type_innermost(const struct ts_type *t);
/* The outermost string among the type and its bases, NULL when there is none. */
const struct ts_type *ts_type_string(const struct ts_type *t);
bool ts_type_is_atomic(const struct ts_type *t);
int ts_type_cmp(const struct ts_type *a, const struct ts_type *b); /* total order, 0 is equal */
bool ts_type_equal(const struct ts_type *a, const struct ts_type *b);
/* It or a part of it has the class. From the API a variable-length string is H5T_STRING only, except as a member, where
 * it is found as H5T_VLEN too. */
bool ts_type_has_class(const struct ts_type *t, H5T_class_t cls, bool from_api);
/* What a message of any version says of it is all of it. */
bool ts_type_is_kept_by_files(const struct ts_type *t);
bool ts_type_is_packed(const struct ts_type *t); /* a compound without gaps, all the way down */
H5T_order_t ts_type_order(const struct ts_type *t);
int ts_type_member_index(const struct ts_type *t, const char *name); /* compound or enum; -1 when not there, no error */
/* Invariants of the structure; false and why in *reason. */
bool ts_type_verify(const struct ts_type *t, const char **reason);

/* The body of a datatype message. The result is at TS_LOC_DISK with sizes as in the bytes; who knows the file calls
 * ts_type_set_loc. */
int ts_type_decode(const uint8_t *buf, size_t n, size_t *used, struct ts_type **out);
int ts_type_encode(const struct ts_type *t, struct ts_wr *w);

/* The memory type that a C program would declare for t. */
int ts_type_native(const struct ts_type *t, H5T_direction_t dir, struct ts_type **out);

#endif
