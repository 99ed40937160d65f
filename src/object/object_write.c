/* Changes that objects of all kinds have in common, and committed datatypes. */
#include <string.h>

#include "base/abi.h"
#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/change.h"
#include "format/messages.h"
#include "object/object.h"
#include "object/swmr.h"
#include "plist/fapl.h"

/* Files for HDF5 2.0 have the version of complex numbers everywhere, others what their types need. */
static unsigned version_asked(struct ts_file *f)
{
    H5F_libver_t low = ts_file_low_bound(f);
    return low >= H5F_LIBVER_V200 ? TS_TYPE_VERSION_COMPLEX : low >= H5F_LIBVER_V18 ? TS_TYPE_VERSION_PACKED : 1;
}

int ts_object_check_type_bound(struct ts_file *f, const struct ts_type *disk)
{
    static const H5F_libver_t since[] = {[TS_TYPE_VERSION_PACKED] = H5F_LIBVER_V18,
                                         [TS_TYPE_VERSION_REFERENCE] = H5F_LIBVER_V112,
                                         [TS_TYPE_VERSION_COMPLEX] = H5F_LIBVER_V200};
    H5F_libver_t high;
    if (disk->version <= TS_TYPE_VERSION_PACKED)
        return 0;
    if (ts_fapl_libver_high(f->fapl, &high) < 0)
        return -1;
    if (high < TS_ABI_LIBVER_LATEST && high < since[disk->version])
        return TS_ERR_AS(DATATYPE, BADRANGE, "Datatype version out of bounds",
                         "the file's high bound (H5Pset_libver_bounds) forbids datatypes of version %u", disk->version);
    return 0;
}

/* keep: a committed one stays so. */
static int disk_type(struct ts_file *f, const struct ts_type *t, bool keep, struct ts_type **out)
{
    struct ts_type *disk;
    if ((keep ? ts_type_copy_all(t, &disk) : ts_type_copy(t, &disk)) < 0)
        return -1;
    int status = keep ? 0 : ts_type_raise_version(disk, version_asked(f));
    if (status < 0 || ts_object_check_type_bound(f, disk) < 0 ||
        ts_type_set_loc(&disk, TS_LOC_DISK, ts_file_addr_size(f)) < 0) {
        ts_type_unref(disk);
        return -1;
    }
    *out = disk;
    return 0;
}

int ts_object_disk_type(const struct ts_fhandle *fh, const struct ts_type *t, struct ts_type **out)
{
    const struct ts_object *committed = ts_named_type_object(t);
    return disk_type(fh->file, t, committed && committed->loc.fh == fh, out);
}

int ts_object_check_type(const struct ts_type *t)
{
    if ((t->cls == H5T_COMPOUND && t->u.compound.n == 0) || (t->cls == H5T_ENUM && t->u.enumeration.n == 0))
        return TS_ERR(ARGS, BADTYPE, "datatype is not sensible");
    for (size_t i = 0; t->cls == H5T_COMPOUND && i < t->u.compound.n; i++)
        if (ts_object_check_type(t->u.compound.members[i].type) < 0)
            return -1;
    return t->base ? ts_object_check_type(t->base) : 0;
}

int ts_object_encode_type(struct ts_file *f, const struct ts_type *disk, struct ts_wr *w, uint8_t *flags)
{
    const struct ts_object *committed = ts_named_type_object(disk);
    if (!committed)
        return ts_type_encode(disk, w);
    *flags |= TS_MSG_FLAG_SHARED;
    /* Version 2 is what all bounds read. */
    struct ts_shared_ref ref = {.version = ts_file_low_bound(f) >= H5F_LIBVER_V18 ? 3 : 2, .addr = committed->loc.addr};
    return ts_shared_ref_encode(&ref, ts_file_addr_size(f), ts_file_len_size(f), w);
}

static int set_comment(const struct ts_loc *loc, const char *comment)
{
    struct ts_ohdr *oh;
    struct ts_wr w = {0};
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    int status = ts_ohdr_remove_all(oh, TS_MSG_COMMENT);
    if (status >= 0 && comment && *comment) {
        status = ts_comment_encode(comment, &w);
        if (status == 0)
            status = ts_ohdr_add(oh, TS_MSG_COMMENT, 0, w.data, w.size);
    }
    if (status >= 0)
        status = ts_ohdr_touch(oh, false);
    ts_wr_free(&w);
    ts_ohdr_close(oh);
    return status;
}

int ts_object_set_comment(const struct ts_loc *loc, const char *comment)
{
    struct ts_file *f = loc->fh->file;
    if (comment && strlen(comment) >= TS_OHDR_BODY_MAX)
        return TS_ERR(OHDR, BADSIZE, "a comment of %zu bytes is too long for an object header", strlen(comment));
    if (ts_swmr_change_names(f, loc->addr, "set a comment") < 0)
        return -1;
    return ts_change_end(f, set_comment(loc, comment));
}

static int create_named(struct ts_file *f, const struct ts_ohdr_create *how, const struct ts_wr *body, haddr_t *addr)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_create(f, how, &oh) < 0)
        return -1;
    *addr = oh->addr;
    int status = ts_ohdr_add(oh, TS_MSG_TYPE, TS_MSG_FLAG_CONSTANT | TS_MSG_FLAG_DONT_SHARE, body->data, body->size);
    ts_ohdr_close(oh);
    return status;
}

int ts_named_type_create(struct ts_file *f, const struct ts_type *t, struct ts_plist *tcpl, uint32_t links,
                         haddr_t *addr)
{
    struct ts_ohdr_create how;
    struct ts_type *disk;
    struct ts_wr body = {0};
    if (ts_ohdr_create_init(&how, tcpl) < 0 || disk_type(f, t, false, &disk) < 0)
        return -1;
    int status = ts_type_encode(disk, &body);
    ts_type_unref(disk);
    if (status == 0 && body.size > TS_OHDR_BODY_MAX)
        status = TS_ERR(DATATYPE, BADSIZE, "datatype of %zu bytes is too large for an object header", body.size);
    how.room = ts_ohdr_room(&how, body.size);
    how.links = links;
    if (status == 0)
        status = ts_swmr_change_names(f, HADDR_UNDEF, "commit a datatype");
    if (status == 0)
        status = ts_change_end(f, create_named(f, &how, &body, addr));
    ts_wr_free(&body);
    return status;
}
