/* Open objects: what groups, datasets and committed datatypes have in common. This folder knows object headers,
 * messages, attributes and references, and nothing of what one kind of object has alone. */
#ifndef TS_OBJECT_OBJECT_H
#define TS_OBJECT_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "H5Ipublic.h"
#include "H5Opublic.h"
#include "base/count.h"
#include "file/file.h"
#include "object/ohdr.h"
#include "type/type.h"

struct ts_copy;
struct ts_copy_item;
struct ts_copy_msg;
struct ts_plist;
struct ts_wr;

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
    struct ts_count refs;
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
/* Its own count, and that of the handle that keeps its file open (struct ts_id_class). */
struct ts_count *ts_object_count(void *obj, unsigned i);

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
    /* Brings into the file what waits in memory for the object at an address, which may be of another kind. Without
     * locks. May be NULL. */
    int (*write_waiting)(struct ts_file *f, haddr_t addr);
    /* Bytes of metadata outside the header; may be NULL. */
    int (*meta_size)(const struct ts_loc *loc, const struct ts_ohdr *oh, H5_ih_info_t *out);
    /* So many links to the object, of whatever kind, go, and it may go with the last of them: tells the application
     * what it wants to know before that, without locks. When this returns 0 the caller has the file's lock, and nothing
     * that was not told of goes if the links go now; when the application refuses, it is negative and the caller has no
     * lock. May be NULL. */
    int (*farewell)(struct ts_file *f, haddr_t addr, unsigned links);
    /* The object is being deleted, inside a change: frees what belongs to it alone outside the header (storage, heaps,
     * indexes; not its attributes, which are done for it) and takes back its links with ts_object_link(f, child, -1).
     * Must not change the header. May be NULL. */
    int (*destroy)(struct ts_file *f, const struct ts_ohdr *oh);
    /* Copying (copy.h), with the locks of both files. An error when the object is not sound: then nothing is made that
     * could not be taken back. May be NULL. */
    int (*copy_check)(const struct ts_ohdr *oh);
    /* What a message that only this kind has becomes in the copy: 1 and
     * the rest of *out, whose type and flags are set; 0 when the copy has no such message. Not inside a change. May be
     * NULL. */
    int (*copy_message)(struct ts_copy *copy, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                        struct ts_copy_msg *out);
    /* Brings over what is outside the header but for attributes. Without locks. May be NULL. */
    int (*copy_rest)(struct ts_copy *copy, const struct ts_copy_item *item);
};

/* One link more or less to the object with this header, by +1 or -1; inside a change. An object without links is
 * deleted, at once or, while somebody has it open, with its last close. Objects inside the one deleted do not nest on
 * the stack. */
int ts_object_link(struct ts_file *f, haddr_t addr, int by);
/* Before that, as the kinds' farewell: 0 with the file's lock, or negative without it. */
int ts_object_farewell(struct ts_file *f, haddr_t addr, unsigned links);

/* kind is borrowed for ever. */
void ts_object_kind_register(H5O_type_t type, const struct ts_object_kind *kind);
/* NULL when there is none. */
const struct ts_object_kind *ts_object_kind_of(H5O_type_t type);

/* Opens whatever is there. */
int ts_object_open(const struct ts_loc *loc, const char *path, struct ts_plist *apl, H5I_type_t *id_type, void **out);
/* The kind of the object at loc; negative on error, also when it is none. */
int ts_object_type(const struct ts_loc *loc, H5O_type_t *out);

/* Decodes a datatype message of the file, shared or not. One that leads to a committed datatype gets it as its `named`
 * object. The result has the file's address size applied. */
int ts_object_decode_type(struct ts_fhandle *fh, const struct ts_msg_body *body, struct ts_type **out);
/* 1 and *out, 0 when the header has no datatype, negative on error. */
int ts_object_read_type(struct ts_fhandle *fh, const struct ts_ohdr *oh, struct ts_type **out);

/* The type as the file stores it: sizes of the disk, message version by the file's bounds. A datatype committed in this
 * file stays so; one of another file is as if not committed, and, as in libhdf5, one that was opened through another
 * handle of this file. */
int ts_object_disk_type(const struct ts_fhandle *fh, const struct ts_type *t, struct ts_type **out);
/* An error when nothing can be stored in it or in a part of it: a compound or an enum without members. Such a message
 * cannot be read. */
int ts_object_check_type(const struct ts_type *t);
/* An error when the file's high bound forbids it. */
int ts_object_check_type_bound(struct ts_file *f, const struct ts_type *disk);
/* The body of a datatype message, and flags to add to the message's. When the type is committed it leads there, with
 * TS_MSG_FLAG_SHARED. */
int ts_object_encode_type(struct ts_file *f, const struct ts_type *disk, struct ts_wr *w, uint8_t *flags);

/* The type of stored data as an application gets to see it: in memory, not to be changed, committed if it was. */
int ts_object_user_type(const struct ts_type *stored, unsigned addr_size, struct ts_type **out);

/* A committed datatype: a read-only type whose `named` is the object. */
int ts_named_type_open(const struct ts_loc *loc, const char *path, struct ts_type **out);
/* The object behind a committed datatype, borrowed; NULL when it is not committed. */
static inline struct ts_object *ts_named_type_object(const struct ts_type *t)
{
    return t->named;
}

/* A new committed datatype, as a change of its own. One without links is to be opened before anything else is done. */
int ts_named_type_create(struct ts_file *f, const struct ts_type *t, struct ts_plist *tcpl, uint32_t links,
                         haddr_t *addr);

/* NULL or "" removes it. A change of its own. */
/* As much of it as fits; its length, 0 when there is none. */
ssize_t ts_object_comment(const struct ts_loc *loc, char *buf, size_t size);
int ts_object_set_comment(const struct ts_loc *loc, const char *comment);

/* What H5Oget_info says, by the flags H5O_INFO_*. */
int ts_object_info(const struct ts_loc *loc, unsigned fields, H5O_info1_t *out);

/* In the file of a SWMR writer, the object is from now on as it is there now: its links, attributes and what else its
 * header leads to. Attributes that are open stay as they were read. Nothing to do in other files. */
int ts_object_refresh(const struct ts_loc *loc);

/* Registers committed datatypes. */
void ts_object_init_kinds(void);

#endif
