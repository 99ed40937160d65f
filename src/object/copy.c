#include "object/copy.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "format/messages.h"
#include "meta/meta.h"
#include "object/attr.h"
#include "object/attr_store.h"
#include "object/open_objects.h"
#include "object/sohm.h"
#include "space/space.h"

/* A header before it is made. */
struct draft {
    struct ts_ohdr_create how;
    struct ts_ohdr_prefix prefix; /* of the source */
    size_t n, capacity;
    struct ts_copy_msg *msgs;
};

static void draft_deinit(struct draft *d)
{
    for (size_t i = 0; i < d->n; i++)
        ts_wr_free(&d->msgs[i].body);
    ts_free(d->msgs);
}

static struct ts_copy_msg *draft_add(struct draft *d, const struct ts_ohdr_msg *from)
{
    if (TS_GROW(d->msgs, d->capacity, d->n + 1) < 0)
        return NULL;
    struct ts_copy_msg *msg = &d->msgs[d->n++];
    *msg = (struct ts_copy_msg){.type = from->type, .child = HADDR_UNDEF};
    msg->flags = from->flags & (uint8_t) ~(TS_MSG_FLAG_SHARED | TS_MSG_FLAG_INDEXED);
    return msg;
}

static int copy_space(const struct ts_copy *c, const struct ts_ohdr *oh, const struct ts_msg_body *body,
                      struct ts_wr *w)
{
    struct ts_space *space;
    if (ts_space_decode_extent(body->data, body->size, ts_file_len_size(oh->file), &space) < 0)
        return -1;
    unsigned version = body->data[0] == 1 ? 1 : 2; /* as it was */
    int status = ts_space_encode_extent(space, version, ts_file_len_size(ts_copy_file(c)), w);
    ts_space_unref(space);
    return status;
}

static int copy_plain_type(const struct ts_copy *c, const struct ts_msg_body *body, struct ts_wr *w)
{
    struct ts_type *src, *dst;
    size_t used;
    if (ts_type_decode(body->data, body->size, &used, &src) < 0)
        return -1;
    int status = ts_copy_disk_type(c, src, &dst);
    ts_type_unref(src);
    if (status < 0)
        return -1;
    status = ts_type_encode(dst, w);
    ts_type_unref(dst);
    return status;
}

static int copy_type(struct ts_copy *c, const struct ts_copy_item *item, const struct ts_msg_body *body,
                     struct ts_copy_msg *out)
{
    struct ts_file *f = ts_copy_file(c);
    struct ts_loc loc = {item->from.fh, body->committed};
    struct ts_shared_ref ref = {.version = ts_file_low_bound(f) >= H5F_LIBVER_V18 ? 3 : 2};
    if (item->type == H5O_TYPE_NAMED_DATATYPE)
        out->flags |= TS_MSG_FLAG_DONT_SHARE;
    if (body->committed == HADDR_UNDEF)
        return copy_plain_type(c, body, &out->body);
    if (ts_copy_object(c, &loc, TS_COPY_LINK, &ref.addr) < 0)
        return -1;
    out->flags |= TS_MSG_FLAG_SHARED;
    return ts_shared_ref_encode(&ref, ts_file_addr_size(f), ts_file_len_size(f), &out->body);
}

/* 1 when the copy has such a message, 0 when not. */
static int translate(struct ts_copy *c, const struct ts_copy_item *item, const struct ts_ohdr *oh,
                     const struct ts_msg_body *body, struct ts_copy_msg *out)
{
    const struct ts_object_kind *kind = ts_object_kind_of(item->type);
    switch (out->type) {
    case TS_MSG_TYPE:
        return copy_type(c, item, body, out) < 0 ? -1 : 1;
    case TS_MSG_SPACE:
        return copy_space(c, oh, body, &out->body) < 0 ? -1 : 1;
    case TS_MSG_LAYOUT:
    case TS_MSG_FILL:
    case TS_MSG_FILL_OLD:
    case TS_MSG_EFL:
    case TS_MSG_LINK_INFO:
    case TS_MSG_SYMBOL_TABLE:
        return kind && kind->copy_message ? kind->copy_message(c, oh, body, out) : 0;
    default:
        ts_wr_bytes(&out->body, body->data, body->size);
        return 1;
    }
}

/* Those that belong to the file or the place, and those that come with what they stand for. */
static bool is_left_out(unsigned type)
{
    switch (type) {
    case TS_MSG_NIL:
    case TS_MSG_LINK:
    case TS_MSG_ATTR:
    case TS_MSG_ATTR_INFO:
    case TS_MSG_CONTINUATION:
    case TS_MSG_REF_COUNT:
    case TS_MSG_SOHM_TABLE:
    case TS_MSG_BTREE_K:
    case TS_MSG_DRIVER_INFO:
    case TS_MSG_FILE_SPACE:
    case TS_MSG_CACHE_IMAGE:
        return true;
    default:
        return false;
    }
}

static int draft_message(struct ts_copy *c, const struct ts_copy_item *item, const struct ts_ohdr *oh,
                         const struct ts_ohdr_msg *from, struct draft *d)
{
    struct ts_msg_body body;
    struct ts_copy_msg *msg = draft_add(d, from);
    if (!msg || ts_msg_load(oh->file, from->type, from->flags & TS_MSG_FLAG_SHARED, from->body, from->size, &body) < 0)
        return -1;
    int keep = translate(c, item, oh, &body, msg);
    ts_msg_body_deinit(&body);
    if (keep == 0)
        ts_wr_free(&d->msgs[--d->n].body);
    if (keep > 0 && msg->body.bad)
        return -1;
    if (keep > 0 && msg->body.size > TS_OHDR_BODY_MAX)
        return TS_ERR(OHDR, BADSIZE, "message %#x of %zu bytes does not fit in a header", msg->type, msg->body.size);
    return keep < 0 ? -1 : 0;
}

static int draft_header(struct ts_copy *c, const struct ts_copy_item *item, const struct ts_ohdr *oh, struct draft *d)
{
    d->prefix = oh->prefix;
    d->how = (struct ts_ohdr_create){.version = oh->prefix.version,
                                     .flags = oh->prefix.flags,
                                     .max_compact = oh->prefix.max_compact,
                                     .min_dense = oh->prefix.min_dense,
                                     .links = 1};
    for (size_t i = 0; i < oh->n_msgs; i++)
        if (!is_left_out(oh->msgs[i].type) && draft_message(c, item, oh, &oh->msgs[i], d) < 0)
            return -1;
    for (size_t i = 0; i < d->n; i++)
        d->how.room += ts_ohdr_room(&d->how, d->msgs[i].body.size);
    return 0;
}

static void set_times(struct ts_ohdr *oh, const struct ts_ohdr_prefix *from)
{
    oh->prefix.atime = from->atime;
    oh->prefix.mtime = from->mtime;
    oh->prefix.ctime = from->ctime;
    oh->prefix.btime = from->btime;
}

static int add_messages(struct ts_file *f, struct ts_ohdr *oh, const struct draft *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct ts_copy_msg *msg = &d->msgs[i];
        if (ts_ohdr_add(oh, msg->type, msg->flags, msg->body.data, msg->body.size) < 0 ||
            (msg->child != HADDR_UNDEF && ts_meta_depend(f, oh->addr, msg->child) < 0))
            return -1;
    }
    return 0;
}

static int build(struct ts_file *f, const struct draft *d, haddr_t *addr)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_create(f, &d->how, &oh) < 0)
        return -1;
    *addr = oh->addr;
    set_times(oh, &d->prefix);
    int status = add_messages(f, oh, d);
    ts_ohdr_close(oh);
    return status;
}

static int make_from(struct ts_copy *c, struct ts_copy_item *item, struct ts_ohdr *oh)
{
    struct ts_file *f = ts_copy_file(c);
    const struct ts_object_kind *kind = ts_object_kind_of(item->type);
    struct draft d = {.n = 0};
    int status = kind && kind->copy_check ? kind->copy_check(oh) : 0;
    if (status == 0)
        status = draft_header(c, item, oh, &d);
    if (status == 0)
        status = ts_change_begin(f);
    if (status == 0)
        status = ts_change_end(f, build(f, &d, &item->to));
    draft_deinit(&d);
    if (status < 0)
        item->to = HADDR_UNDEF;
    return status;
}

static int make(struct ts_copy *c, struct ts_copy_item *item)
{
    struct ts_ohdr *oh;
    struct ts_file *from = item->from.fh->file, *to = ts_copy_file(c);
    ts_file_lock_two(from, to);
    int status = ts_ohdr_open(from, item->from.addr, &oh);
    if (status == 0) {
        status = make_from(c, item, oh);
        ts_ohdr_close(oh);
    }
    ts_file_unlock_two(from, to);
    return status == 0 ? ts_map_put(&c->made, item->to, item) : status;
}

/* In a damaged file a link may lead to free space, which the copy is then made in: it would go on copying itself. */
static int check_not_made_here(const struct ts_copy *c, const struct ts_loc *from)
{
    if (from->fh->file != ts_copy_file(c) || !ts_map_get(&c->made, from->addr))
        return 0;
    return TS_ERR(OHDR, BADVALUE, "a link leads to %#llx, which was free space when the copy began",
                  (unsigned long long)from->addr);
}

static struct ts_copy_source *source_of(struct ts_copy *c, struct ts_file *f)
{
    for (size_t i = 0; i < c->n_sources; i++)
        if (c->sources[i].file == f)
            return &c->sources[i];
    if (TS_GROW(c->sources, c->sources_capacity, c->n_sources + 1) < 0)
        return NULL;
    c->sources[c->n_sources] = (struct ts_copy_source){.file = f};
    return &c->sources[c->n_sources++];
}

static void item_free(struct ts_copy_item *item)
{
    ts_open_objects_leave(item->from.fh->file, item->from.addr);
    ts_fhandle_unref(item->from.fh);
    ts_free(item);
}

static int item_new(const struct ts_loc *from, enum ts_copy_way way, struct ts_copy_item **out)
{
    struct ts_copy_item *item = ts_calloc(1, sizeof *item);
    if (!item)
        return -1;
    *item = (struct ts_copy_item){
        .from = *from, .to = HADDR_UNDEF, .top = way == TS_COPY_TOP, .by_reference = way == TS_COPY_REFERENCE};
    if (ts_open_objects_enter(from->fh->file, from->addr) < 0) {
        ts_free(item);
        return -1;
    }
    ts_fhandle_ref(item->from.fh);
    if (ts_object_type(from, &item->type) < 0) {
        item_free(item);
        return -1;
    }
    *out = item;
    return 0;
}

/* Takes over the item, also on failure. */
static int enter(struct ts_copy *c, struct ts_copy_item *item)
{
    struct ts_copy_source *source = source_of(c, item->from.fh->file);
    if (!source || TS_GROW(c->items, c->capacity, c->n + 1) < 0 ||
        ts_map_put(&source->items, item->from.addr, item) < 0) {
        item_free(item);
        return -1;
    }
    c->items[c->n++] = item;
    return 0;
}

static int merge(struct ts_copy *c, struct ts_copy_item *item)
{
    if (item->type != H5O_TYPE_NAMED_DATATYPE || !c->find_type)
        return 0;
    int found = c->find_type(c, &item->from, &item->to);
    item->merged = found == 1;
    return found;
}

int ts_copy_object(struct ts_copy *c, const struct ts_loc *from, enum ts_copy_way way, haddr_t *to)
{
    struct ts_copy_source *source = source_of(c, from->fh->file);
    struct ts_copy_item *item = source ? ts_map_get(&source->items, from->addr) : NULL;
    if (!source)
        return -1;
    if (item && item->to != HADDR_UNDEF) {
        *to = item->to;
        return 0;
    }
    if (!item && (check_not_made_here(c, from) < 0 || item_new(from, way, &item) < 0 || enter(c, item) < 0))
        return -1;
    int merged = merge(c, item);
    if (merged < 0 || (merged == 0 && make(c, item) < 0))
        return TS_ERR(OHDR, CANTCOPY, "cannot copy the object at %#llx", (unsigned long long)from->addr);
    *to = item->to;
    return 0;
}

/* As in libhdf5, the references that an attribute is made of do not stay as they are in the same file either; those
 * inside of other types do. */
static enum ts_copy_refs attr_refs(const struct ts_copy *c, const struct ts_attr *attr)
{
    enum ts_copy_refs refs = ts_copy_refs(c, attr->owner.fh->file);
    if (attr->type->cls != H5T_REFERENCE || refs != TS_COPY_KEEP_REFS)
        return refs;
    return c->flags & H5O_COPY_EXPAND_REFERENCE_FLAG ? TS_COPY_MOVE_REFS : TS_COPY_CLEAR_REFS;
}

/* The data as the destination has it. */
static int attr_data(struct ts_copy *c, const struct ts_attr *attr, uint8_t **out)
{
    struct ts_type *dst;
    if (ts_copy_disk_type(c, attr->type, &dst) < 0)
        return -1;
    size_t n = (size_t)ts_space_npoints(attr->space);
    uint8_t *data = ts_malloc(attr->data_size ? attr->data_size : 1), *moved = ts_calloc(n ? n : 1, dst->size);
    struct ts_copy_elements how = {
        .copy = c, .from = attr->owner.fh, .src = attr->type, .dst = dst, .refs = attr_refs(c, attr)};
    int status = data && moved ? 0 : -1;
    if (status == 0) {
        ts_attr_copy_data(attr, data);
        status = ts_copy_elements(&how, n, data, moved);
    }
    ts_free(data);
    ts_type_unref(dst);
    if (status < 0)
        ts_free(moved);
    else
        *out = moved;
    return status;
}

/* The type as it is given to the new attribute: committed in the destination if it is so in the source. */
static int attr_type(struct ts_copy *c, const struct ts_attr *attr, struct ts_type **out)
{
    const struct ts_object *committed = ts_named_type_object(attr->type);
    struct ts_loc loc = {.fh = c->to};
    if (!committed) {
        *out = ts_type_ref(attr->type);
        return 0;
    }
    if (ts_copy_object(c, &committed->loc, TS_COPY_LINK, &loc.addr) < 0)
        return -1;
    return ts_named_type_open(&loc, NULL, out);
}

static int create_attr(struct ts_copy *c, const struct ts_copy_item *item, const struct ts_attr *attr,
                       struct ts_attr_create *how)
{
    struct ts_loc loc = {c->to, item->to};
    struct ts_type *type;
    struct ts_attr *made;
    char *name = ts_attr_copy_name(attr);
    if (!name || attr_type(c, attr, &type) < 0) {
        ts_free(name);
        return -1;
    }
    how->name = name;
    how->type = type;
    int status = ts_attr_create(&loc, NULL, how, &made);
    if (status == 0)
        ts_attr_unref(made);
    ts_type_unref(type);
    ts_free(name);
    return status;
}

static int copy_attr(struct ts_copy *c, const struct ts_copy_item *item, const struct ts_attr *attr)
{
    uint8_t *data;
    if (attr_data(c, attr, &data) < 0)
        return -1;
    struct ts_attr_create how = {.cset = attr->cset,
                                 .space = attr->space,
                                 .data = data,
                                 .has_corder = attr->corder_valid,
                                 .corder = attr->corder};
    int status = create_attr(c, item, attr, &how);
    ts_free(data);
    return status < 0 ? TS_ERR(ATTR, CANTCOPY, "cannot copy attribute '%s'", attr->name) : 0;
}

static int set_next_attr(struct ts_file *f, haddr_t addr, unsigned next)
{
    struct ts_attr_store st;
    if (ts_attr_store_open(f, addr, &st) < 0)
        return -1;
    int status = ts_attr_store_set_next(&st, next);
    ts_attr_store_close(&st);
    return status;
}

/* The next attribute of the copy gets the creation order that the next one of the source would get. */
static int copy_next_attr(struct ts_copy *c, const struct ts_copy_item *item)
{
    struct ts_attr_store st;
    struct ts_file *f = ts_copy_file(c);
    if (ts_attr_store_open(item->from.fh->file, item->from.addr, &st) < 0)
        return -1;
    bool tracked = st.has_info && st.info.tracked;
    unsigned next = st.info.max_corder;
    ts_attr_store_close(&st);
    if (!tracked)
        return 0;
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, set_next_attr(f, item->to, next));
}

static int copy_attrs(struct ts_copy *c, const struct ts_copy_item *item)
{
    struct ts_attr_list list;
    if (ts_attr_list(&item->from, NULL, H5_INDEX_CRT_ORDER, H5_ITER_INC, &list) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < list.n && status == 0; i++)
        status = copy_attr(c, item, list.attrs[i]);
    ts_attr_list_deinit(&list);
    return status < 0 ? -1 : copy_next_attr(c, item);
}

static int fill(struct ts_copy *c, const struct ts_copy_item *item)
{
    const struct ts_object_kind *kind = ts_object_kind_of(item->type);
    if (item->merged)
        return 0;
    if (!(c->flags & H5O_COPY_WITHOUT_ATTR_FLAG) && copy_attrs(c, item) < 0)
        return -1;
    return kind && kind->copy_rest ? kind->copy_rest(c, item) : 0;
}

/* The time of change that old headers have as a message: of the source, again. */
static int copy_time_message(const struct ts_ohdr *from, struct ts_ohdr *to)
{
    unsigned type = ts_ohdr_find(from, TS_MSG_MTIME) ? TS_MSG_MTIME : TS_MSG_MTIME_OLD;
    const struct ts_ohdr_msg *msg = ts_ohdr_find(from, type);
    if (from->prefix.version != 1 || !msg)
        return 0;
    if (ts_ohdr_remove_all(to, type == TS_MSG_MTIME ? TS_MSG_MTIME_OLD : TS_MSG_MTIME) < 0)
        return -1;
    return ts_ohdr_put(to, type, 0, msg->body, msg->size);
}

static int copy_times_between(const struct ts_ohdr *from, struct ts_file *f, haddr_t addr)
{
    struct ts_ohdr *to;
    if (ts_ohdr_open(f, addr, &to) < 0)
        return -1;
    int status = ts_ohdr_change(to);
    if (status == 0) {
        set_times(to, &from->prefix);
        status = copy_time_message(from, to);
    }
    ts_ohdr_close(to);
    return status;
}

/* Filling it changed the times that the header got when it was made. */
static int copy_times(struct ts_copy *c, const struct ts_copy_item *item)
{
    struct ts_ohdr *from;
    struct ts_file *f = ts_copy_file(c);
    if (item->merged)
        return 0;
    ts_file_lock_two(item->from.fh->file, f);
    int status = ts_ohdr_open(item->from.fh->file, item->from.addr, &from);
    if (status == 0) {
        status = ts_change_begin(f);
        if (status == 0)
            status = ts_change_end(f, copy_times_between(from, f, item->to));
        ts_ohdr_close(from);
    }
    ts_file_unlock_two(item->from.fh->file, f);
    return status;
}

int ts_copy_run(struct ts_copy *c)
{
    for (; c->filled < c->n; c->filled++) {
        const struct ts_copy_item *item = c->items[c->filled];
        if (fill(c, item) < 0 || copy_times(c, item) < 0)
            return TS_ERR(OHDR, CANTCOPY, "cannot copy what the object at %#llx holds",
                          (unsigned long long)item->from.addr);
    }
    return 0;
}

static int drop_links(struct ts_copy *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!c->items[i]->merged && c->items[i]->to != HADDR_UNDEF &&
            ts_object_link(ts_copy_file(c), c->items[i]->to, -1) < 0)
            return -1;
    return 0;
}

int ts_copy_let_go(struct ts_copy *c)
{
    struct ts_file *f = ts_copy_file(c);
    if (c->n == 0)
        return 0;
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, drop_links(c));
}

void ts_copy_deinit(struct ts_copy *c)
{
    for (size_t i = 0; i < c->n; i++)
        item_free(c->items[i]);
    ts_free(c->items);
    for (size_t i = 0; i < c->n_sources; i++)
        ts_map_deinit(&c->sources[i].items);
    ts_free(c->sources);
    ts_map_deinit(&c->made);
}
