#include "container/setup.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "container/space.h"
#include "file/change.h"
#include "file/overlay.h"
#include "meta/meta.h"
#include "object/ohdr.h"
#include "object/open_objects.h"
#include "object/sohm.h"

static int apply_btree_k(struct ts_file *f, const struct ts_ohdr_msg *msg)
{
    struct ts_btree_k k;
    if (ts_btree_k_decode(msg->body, msg->size, &k) < 0)
        return -1;
    f->sb.chunk_k = k.chunk_k;
    f->sb.group_internal_k = k.group_internal_k;
    f->sb.group_leaf_k = k.group_leaf_k;
    return 0;
}

static int apply_driver(struct ts_file *f, const struct ts_ohdr_msg *msg)
{
    struct ts_driver_msg info;
    if (!f->driver->cls->apply_info)
        return 0;
    if (ts_driver_msg_decode(msg->body, msg->size, &info) < 0)
        return -1;
    return f->driver->cls->apply_info(f->driver, info.name, info.info, info.size);
}

static int apply_cache_image(struct ts_file *f, const struct ts_ohdr_msg *msg, struct ts_extension *ext)
{
    if (ts_cache_image_decode(msg->body, msg->size, ts_file_addr_size(f), ts_file_len_size(f), &ext->image) < 0)
        return -1;
    return ext->image.addr == HADDR_UNDEF ? 0 : ts_file_overlay_image(f, ext->image.addr, ext->image.size);
}

static int apply_msg(struct ts_file *f, const struct ts_ohdr_msg *msg, struct ts_extension *ext)
{
    switch (msg->type) {
    case TS_MSG_BTREE_K:
        return apply_btree_k(f, msg);
    case TS_MSG_DRIVER_INFO:
        return apply_driver(f, msg);
    case TS_MSG_SOHM_TABLE:
        return ts_sohm_load(f, msg);
    case TS_MSG_FILE_SPACE:
        /* Whoever changed the file without knowing of this message used space as it liked: what it says is no longer
         * so. */
        if (msg->flags & TS_MSG_FLAG_WAS_UNKNOWN)
            return 0;
        return ts_file_space_decode(msg->body, msg->size, ts_file_addr_size(f), ts_file_len_size(f), &ext->space);
    case TS_MSG_CACHE_IMAGE:
        return apply_cache_image(f, msg, ext);
    default:
        return 0;
    }
}

/* What the others depend on: the driver's members, and the metadata that is in the cache image. */
static bool comes_first(const struct ts_ohdr_msg *msg)
{
    return msg->type == TS_MSG_DRIVER_INFO || msg->type == TS_MSG_CACHE_IMAGE;
}

static int read_extension(struct ts_file *f, struct ts_extension *ext)
{
    struct ts_ohdr *oh;
    if (f->sb.extension == HADDR_UNDEF)
        return 0;
    if (ts_ohdr_open(f, f->sb.extension, &oh) < 0)
        return -1;
    int status = 0;
    const struct ts_ohdr_msg *driver = ts_ohdr_find(oh, TS_MSG_DRIVER_INFO),
                             *image = ts_ohdr_find(oh, TS_MSG_CACHE_IMAGE);
    if (driver)
        status = apply_msg(f, driver, ext);
    if (status == 0 && f->driver->cls->apply_info)
        status = ts_file_check_end(f);
    if (status == 0 && image)
        status = apply_msg(f, image, ext);
    for (size_t i = 0; i < oh->n_msgs && status == 0; i++)
        if (!comes_first(&oh->msgs[i]))
            status = apply_msg(f, &oh->msgs[i], ext);
    ts_ohdr_close(oh);
    return status;
}

/* A file that was put together from members is no longer a driver's. */
static int forget_driver(struct ts_file *f)
{
    struct ts_ohdr *oh;
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_ohdr_open(f, f->sb.extension, &oh);
    if (status == 0) {
        status = ts_ohdr_find(oh, TS_MSG_DRIVER_INFO) ? ts_ohdr_remove_all(oh, TS_MSG_DRIVER_INFO) : 0;
        ts_ohdr_close(oh);
    }
    return ts_change_end(f, status);
}

static int setup(struct ts_file *f)
{
    if (ts_container_extension(f))
        return 0;
    if (ts_meta_attach(f) < 0 || ts_open_objects_attach(f) < 0)
        return -1;
    struct ts_extension *ext = ts_calloc(1, sizeof *ext);
    if (!ext)
        return -1;
    ext->image.addr = HADDR_UNDEF;
    ext->space = ts_container_space_default;
    if (read_extension(f, ext) < 0) {
        ts_free(ext);
        return TS_ERR(FILE, CANTOPENFILE, "%s: cannot read the superblock extension", f->name);
    }
    ts_container_space_attach(f, ext);
    if (!f->writable || !f->commits.stored.addr_size)
        return 0;
    if (ts_container_space_load(f) < 0)
        return -1;
    return f->commits.joined && f->sb.extension != HADDR_UNDEF ? forget_driver(f) : 0;
}

int ts_container_setup(struct ts_file *f)
{
    ts_mutex_lock(&f->agreed.lock);
    int status = setup(f);
    ts_mutex_unlock(&f->agreed.lock);
    return status;
}

int ts_fhandle_open(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_fhandle **out)
{
    struct ts_file *file;
    if (ts_file_open(name, flags, fapl, &file) < 0)
        return -1;
    if (ts_container_setup(file) < 0 || (flags & H5F_ACC_SWMR_WRITE && ts_file_start_swmr(file) < 0)) {
        ts_file_unref(file);
        return -1;
    }
    return ts_fhandle_new_with(file, name, flags, fapl, out);
}
