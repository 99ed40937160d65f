/* Open objects: what groups, datasets and committed datatypes have in common. This folder knows object headers, messages,
 * attributes and references, and nothing of what one kind of object has alone. */
#ifndef TS_OBJECT_OBJECT_H
#define TS_OBJECT_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "H5Ipublic.h"
#include "H5Opublic.h"
#include "file/file.h"
#include "object/ohdr.h"
#include "type/type.h"

struct ts_plist;

/* Where an object is. Who stores one owns a reference to the handle, which keeps the file open. */
struct ts_loc {
    struct ts_fhandle *fh;
    haddr_t addr; /* of its object header */
};

static inline struct ts_loc ts_loc_root(struct ts_fhandle *fh)
{
    return (struct ts_loc){fh, fh->file->sb.root};
}

static inline bool ts_loc_equal(const struct ts_loc *a, const struct ts_loc *b)
{
    return a->fh->file == b->fh->file && a->addr == b->addr;
}

/* The base of a group, dataset or committed datatype: their first member. */
struct ts_object {
    atomic_uint refs;
    H5I_type_t kind;
    struct ts_loc loc;
    char *path; /* from the root, as the user came here; NULL when not known */
    /* Frees the whole struct after ts_object_deinit. */
    void (*free)(struct ts_object *obj);
};

/* path may be NULL. The object's first reference is the caller's. On failure nothing is held. */
int ts_object_init(struct ts_object *obj, H5I_type_t kind, const struct ts_loc *loc, const char *path,
                   void (*free)(struct ts_object *obj));
struct ts_object *ts_object_ref(struct ts_object *obj);
void ts_object_unref(struct ts_object *obj); /* NULL is fine */

/* A bare object: all that a group or a committed datatype needs. */
int ts_object_new(H5I_type_t kind, const struct ts_loc *loc, const char *path, struct ts_object **out);

static inline int ts_object_header(const struct ts_object *obj, struct ts_ohdr **out)
{
    return ts_ohdr_open(obj->loc.fh->file, obj->loc.addr, out);
}

/* How a kind of object is opened. Rooms above this one register theirs when the library starts. */
struct ts_object_kind {
    H5I_type_t id_type;
    /* What the id will stand for, with one reference. apl is the access list of the kind or NULL. */
    int (*open)(const struct ts_loc *loc, const char *path, struct ts_plist *apl, void **out);
    /* Bytes of metadata outside the header; may be NULL. */
    int (*meta_size)(const struct ts_loc *loc, const struct ts_ohdr *oh, H5_ih_info_t *out);
};

/* kind is borrowed for ever. */
void ts_object_kind_register(H5O_type_t type, const struct ts_object_kind *kind);

/* Opens whatever is there. */
int ts_object_open(const struct ts_loc *loc, const char *path, H5I_type_t *id_type, void **out);
/* The kind of the object at loc; negative on error, also when it is none. */
int ts_object_type(const struct ts_loc *loc, H5O_type_t *out);

/* Decodes a datatype message of the file, shared or not. One that leads to a committed datatype gets it as its `named`
 * object. The result has the file's address size applied. */
int ts_object_decode_type(struct ts_fhandle *fh, const struct ts_msg_body *body, struct ts_type **out);
/* 1 and *out, 0 when the header has no datatype, negative on error. */
int ts_object_read_type(struct ts_fhandle *fh, const struct ts_ohdr *oh, struct ts_type **out);

/* The type of stored data as an application gets to see it: in memory, not to be changed, committed if it was. */
int ts_object_user_type(const struct ts_type *stored, unsigned addr_size, struct ts_type **out);

/* A committed datatype: a read-only type whose `named` is the object. */
int ts_named_type_open(const struct ts_loc *loc, const char *path, struct ts_type **out);
/* The object behind a committed datatype, borrowed; NULL when it is not committed. */
static inline struct ts_object *ts_named_type_object(const struct ts_type *t)
{
    return t->named;
}

/* What H5Oget_info says, by the flags H5O_INFO_*. */
int ts_object_info(const struct ts_loc *loc, unsigned fields, H5O_info1_t *out);

/* Registers committed datatypes. */
void ts_object_init_kinds(void);

#endif
