#include "object/object.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "object/attr.h"
#include "object/open_objects.h"

int ts_object_init(struct ts_object *obj, H5I_type_t kind, const struct ts_loc *loc, const char *path,
                   void (*free)(struct ts_object *obj))
{
    char *copy = path ? ts_strdup(path) : NULL;
    if ((path && !copy) || ts_open_objects_enter(loc->fh->file, loc->addr) < 0) {
        ts_free(copy);
        return -1;
    }
    ts_count_init(&obj->refs, 1);
    obj->kind = kind;
    obj->loc = *loc;
    ts_fhandle_ref(loc->fh);
    obj->path = copy;
    obj->free = free;
    return 0;
}

struct ts_object *ts_object_ref(struct ts_object *obj)
{
    ts_count_add(&obj->refs);
    return obj;
}

void ts_object_unref(struct ts_object *obj)
{
    if (!obj || !ts_count_drop(&obj->refs))
        return;
    struct ts_loc loc = obj->loc;
    ts_free(obj->path);
    ts_count_deinit(&obj->refs);
    obj->free(obj);
    /* Last: freeing a dataset may still need its file. */
    ts_open_objects_leave(loc.fh->file, loc.addr);
    ts_fhandle_unref(loc.fh);
}

struct ts_count *ts_object_count(void *obj, unsigned i)
{
    struct ts_object *o = obj;
    return i == 0 ? &o->refs : i == 1 ? &o->loc.fh->refs : NULL;
}

static void free_bare(struct ts_object *obj)
{
    ts_free(obj);
}

int ts_object_new(H5I_type_t kind, const struct ts_loc *loc, const char *path, struct ts_object **out)
{
    struct ts_object *obj = ts_calloc(1, sizeof *obj);
    if (!obj)
        return -1;
    if (ts_object_init(obj, kind, loc, path, free_bare) < 0) {
        ts_free(obj);
        return -1;
    }
    *out = obj;
    return 0;
}

/* NULL and an error when nobody can open this. */
static const struct ts_object_kind *kind_of(H5O_type_t type)
{
    const struct ts_object_kind *kind = ts_object_kind_of(type);
    if (!kind)
        TS_ERR(OHDR, UNSUPPORTED, "objects of kind %d cannot be opened", (int)type);
    return kind;
}

int ts_object_type(const struct ts_loc *loc, H5O_type_t *out)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    *out = ts_ohdr_kind(oh);
    ts_ohdr_close(oh);
    if (*out == H5O_TYPE_UNKNOWN)
        return TS_ERR(OHDR, CANTINIT, "the object header at %#llx is neither group, dataset nor datatype",
                      (unsigned long long)loc->addr);
    return 0;
}

int ts_object_open(const struct ts_loc *loc, const char *path, struct ts_plist *apl, H5I_type_t *id_type, void **out)
{
    H5O_type_t type;
    if (ts_object_type(loc, &type) < 0)
        return -1;
    const struct ts_object_kind *kind = kind_of(type);
    if (!kind || kind->open(loc, path, apl, out) < 0)
        return -1;
    *id_type = kind->id_type;
    return 0;
}

static void named_ref(void *named)
{
    ts_object_ref(named);
}

static void named_unref(void *named)
{
    ts_object_unref(named);
}

static const struct ts_named_ops named_ops = {named_ref, named_unref};

/* A freshly decoded node is nobody else's yet, so it may be changed in place. */
static int attach_named(struct ts_type *t, const struct ts_loc *loc, const char *path)
{
    struct ts_object *obj;
    if (ts_object_new(H5I_DATATYPE, loc, path, &obj) < 0)
        return -1;
    ts_type_set_named(t, obj, &named_ops);
    t->state = TS_TYPE_READONLY;
    return 0;
}

int ts_object_decode_type(struct ts_fhandle *fh, const struct ts_msg_body *body, struct ts_type **out)
{
    struct ts_type *t;
    size_t used;
    if (ts_type_decode(body->data, body->size, &used, &t) < 0)
        return -1;
    int status = ts_type_set_loc(&t, TS_LOC_DISK, ts_file_addr_size(fh->file));
    struct ts_loc loc = {fh, body->committed};
    if (status >= 0 && body->committed != HADDR_UNDEF)
        status = attach_named(t, &loc, NULL);
    if (status < 0) {
        ts_type_unref(t);
        return -1;
    }
    *out = t;
    return 0;
}

int ts_object_read_type(struct ts_fhandle *fh, const struct ts_ohdr *oh, struct ts_type **out)
{
    struct ts_msg_body body;
    int found = ts_ohdr_load(oh, TS_MSG_TYPE, &body);
    if (found == 1 && ts_object_decode_type(fh, &body, out) < 0)
        found = -1;
    ts_msg_body_deinit(&body);
    return found;
}

int ts_object_user_type(const struct ts_type *stored, unsigned addr_size, struct ts_type **out)
{
    struct ts_type *t;
    if (ts_type_copy_all(stored, &t) < 0)
        return -1;
    /* A new node even when nothing moves: the state is changed. */
    if (ts_type_set_loc(&t, TS_LOC_MEMORY, addr_size) < 0) {
        ts_type_unref(t);
        return -1;
    }
    t->state = TS_TYPE_READONLY;
    *out = t;
    return 0;
}

/* The type of a committed datatype itself, which is not one that leads to a committed datatype. */
static int read_own_type(struct ts_fhandle *fh, const struct ts_ohdr *oh, struct ts_type **out)
{
    struct ts_msg_body body;
    int found = ts_ohdr_load(oh, TS_MSG_TYPE, &body);
    body.committed = HADDR_UNDEF;
    if (found == 1 && ts_object_decode_type(fh, &body, out) < 0)
        found = -1;
    ts_msg_body_deinit(&body);
    return found;
}

int ts_named_type_open(const struct ts_loc *loc, const char *path, struct ts_type **out)
{
    struct ts_ohdr *oh;
    struct ts_type *t;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    int found = ts_ohdr_kind(oh) == H5O_TYPE_NAMED_DATATYPE ? read_own_type(loc->fh, oh, &t) : 0;
    ts_ohdr_close(oh);
    if (found == 0)
        return TS_ERR_AS(DATATYPE, BADTYPE, "not a named datatype", "the object at %#llx is not a committed datatype",
                         (unsigned long long)loc->addr);
    if (found < 0)
        return -1;
    if (ts_type_set_loc(&t, TS_LOC_MEMORY, ts_file_addr_size(loc->fh->file)) < 0 || attach_named(t, loc, path) < 0) {
        ts_type_unref(t);
        return -1;
    }
    *out = t;
    return 0;
}

static int open_named_type(const struct ts_loc *loc, const char *path, struct ts_plist *apl, void **out)
{
    (void)apl;
    struct ts_type *t;
    if (ts_named_type_open(loc, path, &t) < 0)
        return -1;
    *out = t;
    return 0;
}

void ts_object_init_kinds(void)
{
    static const struct ts_object_kind kind = {.id_type = H5I_DATATYPE, .open = open_named_type};
    ts_object_kind_register(H5O_TYPE_NAMED_DATATYPE, &kind);
}

static int fill_info(const struct ts_loc *loc, const struct ts_ohdr *oh, unsigned fields, H5O_info1_t *out)
{
    if (fields & H5O_INFO_BASIC) {
        out->fileno = loc->fh->file->entry.serial;
        out->addr = loc->addr;
        out->type = ts_ohdr_kind(oh);
        out->rc = oh->ref_count;
    }
    struct ts_ohdr_times times;
    if (fields & H5O_INFO_TIME) {
        if (ts_ohdr_times(oh, &times) < 0)
            return -1;
        out->atime = times.atime;
        out->mtime = times.mtime;
        out->ctime = times.ctime;
        out->btime = times.btime;
    }
    if (fields & H5O_INFO_NUM_ATTRS && ts_attr_count(oh, &out->num_attrs) < 0)
        return -1;
    if (fields & H5O_NATIVE_INFO_HDR)
        ts_ohdr_stats(oh, &out->hdr);
    if (fields & H5O_NATIVE_INFO_META_SIZE) {
        const struct ts_object_kind *kind = kind_of(ts_ohdr_kind(oh));
        if (!kind || (kind->meta_size && kind->meta_size(loc, oh, &out->meta_size.obj) < 0))
            return -1;
        return ts_attr_meta_size(oh, &out->meta_size.attr);
    }
    return 0;
}

static int write_waiting(const struct ts_loc *loc)
{
    const struct ts_object_kind *kind = ts_object_kind_of(H5O_TYPE_DATASET);
    return kind && kind->write_waiting ? kind->write_waiting(loc->fh->file, loc->addr) : 0;
}

int ts_object_info(const struct ts_loc *loc, unsigned fields, H5O_info1_t *out)
{
    struct ts_ohdr *oh;
    memset(out, 0, sizeof *out);
    if (fields & H5O_NATIVE_INFO_META_SIZE && write_waiting(loc) < 0)
        return -1;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    int status = fill_info(loc, oh, fields, out);
    ts_ohdr_close(oh);
    return status;
}

ssize_t ts_object_comment(const struct ts_loc *loc, char *buf, size_t size)
{
    struct ts_ohdr *oh;
    char *text = NULL;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    int found = ts_ohdr_comment(oh, &text);
    ts_ohdr_close(oh);
    if (found < 0)
        return -1;
    size_t len = text ? strlen(text) : 0;
    /* As it always was: a comment that is cut off does not end in a NUL. */
    if (buf && size > 0)
        strncpy(buf, text ? text : "", len < size ? len + 1 : size);
    ts_free(text);
    return (ssize_t)len;
}
