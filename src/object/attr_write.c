/* Creating and changing attributes. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/change.h"
#include "object/attr.h"
#include "object/attr_store.h"
#include "object/open_objects.h"
#include "object/swmr.h"

/* What the bounds allow and the parts need: 2 can lead to a committed datatype, 3 knows character sets. */
static unsigned message_version(struct ts_file *f, const struct ts_attr_msg *msg)
{
    if (msg->cset != H5T_CSET_ASCII || ts_file_low_bound(f) >= H5F_LIBVER_V18)
        return 3;
    return msg->type_shared ? 2 : 1;
}

static int encode_attr(const struct ts_attr *attr, struct ts_wr *out)
{
    struct ts_file *f = attr->owner.fh->file;
    struct ts_wr type = {0}, space = {0};
    uint8_t flags = 0;
    unsigned space_version = ts_file_low_bound(f) >= H5F_LIBVER_V18 ? 2 : 0;
    int status = ts_object_encode_type(f, attr->type, &type, &flags);
    if (status == 0)
        status = ts_space_encode_extent(attr->space, space_version, ts_file_len_size(f), &space);
    struct ts_attr_msg msg = {.cset = attr->cset,
                              .name = attr->name,
                              .name_len = strlen(attr->name),
                              .type_shared = flags & TS_MSG_FLAG_SHARED,
                              .type = type.data,
                              .type_size = type.size,
                              .space = space.data,
                              .space_size = space.size,
                              .data = attr->data,
                              .data_size = attr->data_size};
    msg.version = message_version(f, &msg);
    if (status == 0)
        status = ts_attr_msg_encode(&msg, out);
    ts_wr_free(&type);
    ts_wr_free(&space);
    if (status < 0)
        ts_wr_free(out);
    return status < 0 ? TS_ERR(ATTR, CANTENCODE, "cannot encode attribute '%s'", attr->name) : 0;
}

static int fill_attr(struct ts_attr *attr, const char *path, const struct ts_attr_create *how)
{
    uint64_t size;
    attr->cset = how->cset;
    attr->name = ts_strdup(how->name);
    attr->owner_path = path ? ts_strdup(path) : NULL;
    if (!attr->name || (path && !attr->owner_path) || ts_object_disk_type(attr->owner.fh, how->type, &attr->type) < 0 ||
        ts_space_copy(how->space, &attr->space) < 0)
        return -1;
    if (!ts_mul_u64(ts_space_npoints(attr->space), ts_type_size(attr->type), &size) || size > SIZE_MAX / 2)
        return TS_ERR(ATTR, BADRANGE, "attribute '%s' is too large", how->name);
    attr->data_size = (size_t)size;
    attr->data = ts_calloc(1, attr->data_size ? attr->data_size : 1);
    if (attr->data && how->data)
        memcpy(attr->data, how->data, attr->data_size);
    attr->corder_valid = how->has_corder;
    attr->corder = how->corder;
    return attr->data ? 0 : -1;
}

static int new_attr(const struct ts_loc *loc, const char *path, const struct ts_attr_create *how, struct ts_attr **out)
{
    struct ts_attr *attr = ts_calloc(1, sizeof *attr);
    if (!attr)
        return -1;
    ts_count_init(&attr->refs, 1);
    attr->owner = *loc;
    ts_fhandle_ref(loc->fh);
    if (fill_attr(attr, path, how) < 0) {
        ts_attr_unref(attr);
        return -1;
    }
    *out = attr;
    return 0;
}

static int add_to(struct ts_attr_store *st, struct ts_attr *attr, const struct ts_wr *body)
{
    struct ts_attr_spot spot;
    int found = ts_attr_store_find(st, attr->name, &spot);
    if (found != 0)
        return found < 0 ? -1 : TS_ERR_AS(ATTR, ALREADYEXISTS, "attribute already exists", "'%s'", attr->name);
    if (ts_attr_store_check_size(st, body->size) < 0 || ts_open_attrs_enter(attr) < 0)
        return -1;
    unsigned corder;
    if (attr->corder_valid && ts_attr_store_set_next(st, attr->corder) < 0)
        return -1;
    if (ts_attr_store_add(st, attr->name, body, &corder) < 0)
        return -1;
    attr->corder_valid = st->info.tracked;
    attr->corder = attr->corder_valid ? corder : 0;
    return ts_attr_count_use(st->oh->file, body->data, body->size, 1);
}

static int insert(struct ts_attr *attr)
{
    struct ts_attr_store st;
    struct ts_wr body = {0};
    if (encode_attr(attr, &body) < 0)
        return -1;
    int status = ts_attr_store_open(attr->owner.fh->file, attr->owner.addr, &st);
    if (status == 0) {
        status = add_to(&st, attr, &body);
        ts_attr_store_close(&st);
    }
    ts_wr_free(&body);
    return status;
}

int ts_attr_create(const struct ts_loc *loc, const char *path, const struct ts_attr_create *how, struct ts_attr **out)
{
    struct ts_file *f = loc->fh->file;
    struct ts_attr *attr;
    if (new_attr(loc, path, how, &attr) < 0)
        return -1;
    int status = ts_swmr_change_names(f, loc->addr, "create an attribute");
    if (status == 0)
        status = ts_change_end(f, insert(attr));
    if (status < 0) {
        TS_ERR(ATTR, CANTINSERT, "unable to create attribute '%s'", how->name);
        ts_attr_unref(attr);
        return -1;
    }
    *out = attr;
    return 0;
}

/* The message of an attribute, decoded; hold keeps its bytes. */
static int load_msg(struct ts_attr_store *st, const char *name, struct ts_msg_body *hold, struct ts_attr_msg *out)
{
    struct ts_attr_spot spot;
    int found = ts_attr_store_find(st, name, &spot);
    *hold = (struct ts_msg_body){.committed = HADDR_UNDEF};
    if (found == 0)
        return TS_ERR(ATTR, NOTFOUND, "can't locate attribute: '%s'", name);
    if (found < 0 || ts_attr_store_body(st, &spot, hold) < 0)
        return -1;
    return ts_attr_msg_decode(hold->data, hold->size, out);
}

/* Only the data changes: all else in the message stays as whoever made it wrote it. */
static int write_data(struct ts_attr_store *st, const struct ts_attr *attr, const uint8_t *data)
{
    struct ts_msg_body hold;
    struct ts_attr_msg msg;
    struct ts_wr body = {0};
    int status = load_msg(st, attr->name, &hold, &msg);
    if (status == 0 && msg.data_size < attr->data_size)
        status = TS_ERR(ATTR, CANTUPDATE, "attribute '%s' has become another one", attr->name);
    if (status == 0) {
        ts_wr_bytes(&body, hold.data, hold.size);
        status = body.bad ? -1 : 0;
    }
    if (status == 0) {
        memcpy(body.data + (msg.data - hold.data), data, attr->data_size);
        status = ts_attr_store_replace(st, attr->name, &body);
    }
    ts_wr_free(&body);
    ts_msg_body_deinit(&hold);
    return status;
}

/* Ends a change of an attribute: those who have it open see it too. */
static int end_and_tell(const struct ts_loc *loc, int status, const struct ts_attr_event *event)
{
    struct ts_file *f = loc->fh->file;
    if (status == 0)
        status = ts_open_attrs_tell(f, loc->addr, event);
    return ts_change_end(f, status);
}

static int write_in_change(struct ts_attr *attr, const uint8_t *data)
{
    struct ts_file *f = attr->owner.fh->file;
    struct ts_attr_store st;
    if (attr->gone)
        return TS_ERR(ATTR, NOTFOUND, "can't locate attribute: '%s' was deleted", attr->name);
    if (ts_attr_store_open(f, attr->owner.addr, &st) < 0)
        return -1;
    int status = write_data(&st, attr, data);
    ts_attr_store_close(&st);
    return status;
}

int ts_attr_write(struct ts_attr *attr, const uint8_t *data)
{
    struct ts_file *f = attr->owner.fh->file;
    if (ts_swmr_change(f, attr->owner.addr) < 0)
        return -1;
    struct ts_attr_event event = {.name = attr->name, .data = data, .self = attr->listed && !attr->gone ? attr : NULL};
    return end_and_tell(&attr->owner, write_in_change(attr, data), &event);
}

static int rename_in(struct ts_attr_store *st, const char *from, const char *to)
{
    struct ts_attr_spot spot;
    struct ts_msg_body hold;
    struct ts_attr_msg msg;
    struct ts_wr body = {0};
    int taken = ts_attr_store_find(st, to, &spot);
    if (taken != 0)
        return taken < 0 ? -1 : TS_ERR_AS(ATTR, ALREADYEXISTS, "attribute already exists", "'%s'", to);
    int status = load_msg(st, from, &hold, &msg);
    msg.name = to;
    msg.name_len = strlen(to);
    if (status == 0)
        status = ts_attr_msg_encode(&msg, &body);
    if (status == 0)
        status = ts_attr_store_rename(st, from, to, &body);
    ts_wr_free(&body);
    ts_msg_body_deinit(&hold);
    return status;
}

static int rename_in_change(const struct ts_loc *loc, const char *from, const char *to)
{
    struct ts_attr_store st;
    if (ts_attr_store_open(loc->fh->file, loc->addr, &st) < 0)
        return -1;
    int status = rename_in(&st, from, to);
    ts_attr_store_close(&st);
    return status;
}

int ts_attr_rename(const struct ts_loc *loc, const char *from, const char *to)
{
    struct ts_file *f = loc->fh->file;
    if (ts_swmr_change_names(f, loc->addr, "rename an attribute") < 0)
        return -1;
    struct ts_attr_event event = {.name = from, .to = to};
    return end_and_tell(loc, rename_in_change(loc, from, to), &event);
}

/* Whoever has it open may read it once more. */
static int release_values(const struct ts_attr_store *st, const char *name)
{
    struct ts_attr_spot spot;
    if (ts_open_attrs_has(st->oh->file, st->oh->addr, name))
        return 0;
    return ts_attr_store_find(st, name, &spot) < 0 ? -1 : ts_attr_release_values(st, &spot);
}

static int delete_in(struct ts_attr_store *st, const char *name)
{
    struct ts_msg_body hold;
    struct ts_attr_msg msg;
    struct ts_wr body = {0};
    int status = load_msg(st, name, &hold, &msg);
    if (status == 0) {
        /* Of its own: the bytes go with the attribute. */
        ts_wr_bytes(&body, hold.data, hold.size);
        status = body.bad ? -1 : ts_attr_may_refer(&msg) ? release_values(st, name) : 0;
    }
    if (status == 0)
        status = ts_attr_store_remove(st, name);
    if (status == 0)
        status = ts_attr_count_use(st->oh->file, body.data, body.size, -1);
    ts_wr_free(&body);
    ts_msg_body_deinit(&hold);
    return status;
}

static int delete_in_change(const struct ts_loc *loc, const char *name)
{
    struct ts_attr_store st;
    if (ts_attr_store_open(loc->fh->file, loc->addr, &st) < 0)
        return -1;
    int status = delete_in(&st, name);
    ts_attr_store_close(&st);
    return status;
}

int ts_attr_delete(const struct ts_loc *loc, const char *name)
{
    struct ts_file *f = loc->fh->file;
    if (ts_swmr_change_names(f, loc->addr, "delete an attribute") < 0)
        return -1;
    struct ts_attr_event event = {.name = name, .gone = true};
    return end_and_tell(loc, delete_in_change(loc, name), &event);
}
