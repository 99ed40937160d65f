/* Changing object headers: messages come, change and go; where they find room is the business of ohdr_blocks.c. */
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "format/messages.h"
#include "object/attr_names.h"
#include "object/object.h"
#include "object/ohdr_parts.h"
#include "object/open_objects.h"
#include "object/sohm.h"
#include "plist/ocpl.h"

enum { LEAST_BLOCK = 64, LEAST_CUT = 256, MSGS_MAX_V1 = 60000 };

size_t ts_ohdr_room(const struct ts_ohdr_create *how, size_t body_size)
{
    return ts_ohdr_message_room(how->version ? how->version : 2, how->flags, body_size);
}

/* One user more or less of what a shared message leads to. */
static int count_use(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, int by)
{
    struct ts_shared_ref ref;
    if (ts_shared_ref_decode(msg->body, msg->size, ts_file_addr_size(oh->file), ts_file_len_size(oh->file), &ref) < 0)
        return -1;
    return ref.in_heap ? ts_sohm_count(oh->file, msg->type, ref.heap_id, by) : ts_object_link(oh->file, ref.addr, by);
}

int ts_ohdr_let_go(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg)
{
    if (msg->flags & TS_MSG_FLAG_SHARED)
        return count_use(oh, msg, -1);
    return msg->flags & TS_MSG_FLAG_INDEXED ? ts_sohm_forget(oh, msg) : 0;
}

static int check_size(const struct ts_ohdr *oh, unsigned type, size_t size)
{
    if (size > TS_OHDR_BODY_MAX)
        return TS_ERR(OHDR, BADSIZE, "object header message is too large: %zu bytes of type %#x", size, type);
    if (oh->prefix.version == 1 && oh->n_msgs + oh->n_chunks >= MSGS_MAX_V1)
        return TS_ERR(OHDR, NOSPACE, "object header %#llx: too many messages", (unsigned long long)oh->addr);
    return 0;
}

/* An attribute stands behind those that are there. */
static size_t first_chunk_for(const struct ts_ohdr *oh, unsigned type)
{
    size_t i = type == TS_MSG_ATTR ? oh->n_msgs : 0;
    while (i > 0 && oh->msgs[i - 1].type != TS_MSG_ATTR)
        i--;
    return i > 0 ? oh->msgs[i - 1].chunk : 0;
}

static int add_owned(struct ts_ohdr *oh, struct ts_ohdr_msg msg)
{
    size_t chunk;
    if (ts_ohdr_make_room(oh, first_chunk_for(oh, msg.type), ts_ohdr_room_of(oh, msg.size), &chunk) < 0)
        return ts_ohdr_lose(oh, msg.owned);
    return ts_ohdr_insert(oh, chunk, msg);
}

/* Never NULL for an empty body, and padded in old headers, as it reads back. */
static uint8_t *copy_body(struct ts_ohdr *oh, const uint8_t *body, size_t size, size_t *out_size)
{
    *out_size = oh->prefix.version == 1 ? ts_ohdr_align(size) : size;
    uint8_t *copy = ts_malloc(*out_size ? *out_size : 1);
    if (!copy)
        return NULL;
    if (size)
        memcpy(copy, body, size);
    memset(copy + size, 0, *out_size - size);
    return ts_ohdr_made(oh, copy);
}

static int add_as_is(struct ts_ohdr *oh, const struct ts_raw_msg *raw)
{
    struct ts_ohdr_msg msg = {.type = raw->type, .flags = raw->flags, .creation_index = raw->creation_index};
    if (ts_ohdr_change(oh) < 0 || !(msg.owned = copy_body(oh, raw->body, raw->size, &msg.size)))
        return -1;
    return add_owned(oh, msg);
}

int ts_ohdr_add_raw(struct ts_ohdr *oh, const struct ts_raw_msg *raw)
{
    TS_IN_CHANGE(oh->file);
    uint8_t ref[TS_SOHM_REF] = {3, 1};
    struct ts_raw_msg msg = *raw;
    if (check_size(oh, raw->type, raw->size) < 0)
        return -1;
    if (raw->flags & TS_MSG_FLAG_SHARED) {
        struct ts_ohdr_msg lead = {.type = raw->type, .body = raw->body, .size = raw->size};
        return add_as_is(oh, raw) < 0 ? -1 : count_use(oh, &lead, 1);
    }
    int shared = raw->flags & TS_MSG_FLAG_DONT_SHARE ? 0 : ts_sohm_share(oh, raw->type, raw->body, raw->size, ref + 2);
    if (shared < 0)
        return -1;
    if (shared == 1) {
        msg.flags |= TS_MSG_FLAG_SHARED;
        msg.body = ref;
        msg.size = sizeof ref;
    }
    return add_as_is(oh, &msg);
}

int ts_ohdr_add(struct ts_ohdr *oh, unsigned type, uint8_t flags, const uint8_t *body, size_t size)
{
    TS_IN_CHANGE(oh->file);
    struct ts_raw_msg raw = {.type = type, .flags = flags, .body = body, .size = size};
    return ts_ohdr_add_raw(oh, &raw);
}

/* Those of version 1 are padded, and what may be shared is looked at one by one. */
static bool fit_together(const struct ts_ohdr *oh, const struct ts_ohdr_first *msgs, size_t n)
{
    size_t room = 0;
    for (size_t i = 0; i < n; i++) {
        if (msgs[i].flags & TS_MSG_FLAG_SHARED || msgs[i].size > TS_OHDR_BODY_MAX)
            return false;
        room += ts_ohdr_room_of(oh, msgs[i].size);
    }
    return ts_ohdr_goes_with_change(oh) && oh->n_msgs == 0 && oh->prefix.version > 1 && room <= oh->chunks[0].gap &&
           ts_sohm_table(oh->file)->n == 0;
}

int ts_ohdr_add_first(struct ts_ohdr *oh, const struct ts_ohdr_first *msgs, size_t n, const struct ts_wr *bodies)
{
    TS_IN_CHANGE(oh->file);
    const uint8_t *body = bodies->data;
    if (fit_together(oh, msgs, n))
        return ts_ohdr_insert_first(oh, msgs, n, bodies);
    for (size_t i = 0; i < n; body += msgs[i++].size)
        if (ts_ohdr_add(oh, msgs[i].type, msgs[i].flags, body, msgs[i].size) < 0)
            return -1;
    return 0;
}

/* The bytes of a body that may be written over, which are its own or the chunk's. */
static uint8_t *bytes_of(const struct ts_ohdr *oh, const struct ts_ohdr_msg *msg)
{
    uint8_t *buf = oh->chunks[msg->chunk].buf;
    return msg->owned ? msg->owned : buf + (msg->body - buf);
}

/* ts_ohdr_change, and which one of the list the message is then. */
static int change_at(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, size_t *at)
{
    size_t was = (size_t)(msg - oh->msgs), nils = 0;
    for (size_t i = 0; i < was && !oh->changed; i++)
        nils += oh->msgs[i].type == TS_MSG_NIL;
    *at = was - nils;
    return ts_ohdr_change(oh);
}

static int replace_at(struct ts_ohdr *oh, size_t at, uint8_t *owned, size_t size)
{
    struct ts_ohdr_msg *msg = &oh->msgs[at];
    struct ts_ohdr_chunk *c = &oh->chunks[msg->chunk];
    size_t old_room = ts_ohdr_room_of(oh, msg->size), new_room = ts_ohdr_room_of(oh, size);
    if (new_room <= old_room + c->gap) {
        c->gap = c->gap + old_room - new_room;
        return ts_ohdr_set_body(oh, msg, owned, size);
    }
    struct ts_ohdr_msg moved;
    if (ts_ohdr_drop_message(oh, at, &moved) < 0)
        return -1;
    moved.owned = owned;
    moved.size = size;
    return add_owned(oh, moved);
}

/* What others use too, or is found by its bytes, is not changed: another message takes its place. */
static int replace_shared(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, const uint8_t *body, size_t size)
{
    struct ts_raw_msg raw = {.type = msg->type,
                             .flags = msg->flags & (uint8_t) ~(TS_MSG_FLAG_SHARED | TS_MSG_FLAG_INDEXED),
                             .creation_index = msg->creation_index,
                             .body = body,
                             .size = size};
    return ts_ohdr_remove(oh, msg) < 0 ? -1 : ts_ohdr_add_raw(oh, &raw);
}

int ts_ohdr_replace(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg, const uint8_t *body, size_t size)
{
    TS_IN_CHANGE(oh->file);
    size_t new_size, at;
    if (check_size(oh, msg->type, size) < 0)
        return -1;
    if (msg->flags & (TS_MSG_FLAG_SHARED | TS_MSG_FLAG_INDEXED))
        return replace_shared(oh, msg, body, size);
    if (change_at(oh, msg, &at) < 0)
        return -1;
    struct ts_ohdr_msg *here = &oh->msgs[at];
    if (here->size == size && size > 0) {
        uint8_t *bytes = bytes_of(oh, here);
        if (ts_ohdr_keep_bytes(oh, bytes, size) < 0)
            return -1;
        ts_attr_names_replaced(oh, here, body, size);
        memcpy(bytes, body, size);
        oh->chunks[here->chunk].changed = true;
        return 0;
    }
    uint8_t *copy = copy_body(oh, body, size, &new_size);
    return copy ? replace_at(oh, at, copy, new_size) : -1;
}

int ts_ohdr_put(struct ts_ohdr *oh, unsigned type, uint8_t flags, const uint8_t *body, size_t size)
{
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, type);
    return msg ? ts_ohdr_replace(oh, msg, body, size) : ts_ohdr_add(oh, type, flags, body, size);
}

/* A chunk of which three quarters are free is cut to twice what is in it: what was deleted gives its place back, and
 * whoever makes and deletes by turns does not pay for it each time. Readers of a SWMR writer may know the old size. */
static int cut(struct ts_ohdr *oh, size_t chunk)
{
    struct ts_ohdr_chunk *c = &oh->chunks[chunk];
    struct ts_ohdr_prefix prefix = oh->prefix;
    size_t used = c->size - c->gap, less = c->gap > used ? (c->gap - used) / 8 * 8 : 0;
    if (c->gap < LEAST_CUT || c->gap / 3 < used || oh->file->swmr == TS_SWMR_WRITER)
        return 0;
    size_t size = c->size - less;
    if (chunk == 0) {
        ts_ohdr_set_first_block(&prefix, prefix.block_size - less);
        size -= oh->prefix.prefix_size - prefix.prefix_size;
    }
    if (!ts_file_shrink(oh->file, H5FD_MEM_OHDR, c->addr, c->size, size))
        return 0;
    c->size = size;
    c->gap -= less;
    c->changed = true;
    oh->prefix = prefix;
    return chunk > 0 ? ts_ohdr_point_continuation(oh, c->addr, c) : 0;
}

int ts_ohdr_remove(struct ts_ohdr *oh, const struct ts_ohdr_msg *msg)
{
    TS_IN_CHANGE(oh->file);
    struct ts_ohdr_msg gone;
    size_t at;
    if (ts_ohdr_let_go(oh, msg) < 0 || change_at(oh, msg, &at) < 0)
        return -1;
    int status = ts_ohdr_drop_message(oh, at, &gone);
    for (size_t i = 0; status == 0 && i < oh->n_chunks; i++)
        status = cut(oh, i);
    return status;
}

int ts_ohdr_remove_all(struct ts_ohdr *oh, unsigned type)
{
    int n = 0;
    for (const struct ts_ohdr_msg *msg; (msg = ts_ohdr_find(oh, type)) != NULL; n++)
        if (ts_ohdr_remove(oh, msg) < 0)
            return -1;
    return n;
}

static int touch_v1(struct ts_ohdr *oh, time_t now, bool force)
{
    const struct ts_ohdr_msg *old = ts_ohdr_find(oh, TS_MSG_MTIME_OLD), *msg = ts_ohdr_find(oh, TS_MSG_MTIME);
    struct ts_wr w = {0};
    if (!old && !msg && !force)
        return 0;
    int status = old ? ts_mtime_encode_old(now, &w) : ts_mtime_encode(now, &w);
    if (status == 0)
        status = ts_ohdr_put(oh, old ? TS_MSG_MTIME_OLD : TS_MSG_MTIME, 0, w.data, w.size);
    ts_wr_free(&w);
    return status;
}

int ts_ohdr_touch(struct ts_ohdr *oh, bool force)
{
    TS_IN_CHANGE(oh->file);
    time_t now = time(NULL);
    if (oh->prefix.version == 1)
        return touch_v1(oh, now, force);
    struct ts_ohdr_prefix *p = &oh->prefix;
    /* Times that are not kept are 0, and stay so. */
    uint32_t atime = p->atime ? (uint32_t)now : 0, ctime = p->ctime ? (uint32_t)now : 0;
    if (p->flags & H5O_HDR_STORE_TIMES && (p->atime != atime || p->ctime != ctime)) {
        if (ts_ohdr_change(oh) < 0)
            return -1;
        p->atime = atime;
        p->ctime = ctime;
    }
    return 0;
}

static int put_ref_count(struct ts_ohdr *oh, uint32_t links)
{
    uint8_t room[TS_WR_ROOM];
    struct ts_wr w = ts_wr_on(room);
    int status = ts_ref_count_encode(links, &w);
    if (status == 0)
        status = ts_ohdr_put(oh, TS_MSG_REF_COUNT, TS_MSG_FLAG_DONT_SHARE, w.data, w.size);
    ts_wr_free(&w);
    return status;
}

int ts_ohdr_set_links(struct ts_ohdr *oh, uint32_t links)
{
    TS_IN_CHANGE(oh->file);
    bool in_message = oh->prefix.version != 1 && links > 1;
    if ((in_message ? put_ref_count(oh, links) : ts_ohdr_change(oh)) < 0)
        return -1;
    oh->ref_count = links;
    if (oh->prefix.version == 1)
        oh->prefix.ref_count = links;
    return in_message || ts_ohdr_remove_all(oh, TS_MSG_REF_COUNT) >= 0 ? 0 : -1;
}

int ts_ohdr_create_init(struct ts_ohdr_create *how, struct ts_plist *ocpl)
{
    *how = (struct ts_ohdr_create){0};
    if (ts_ocpl_header_flags(ocpl, &how->flags) < 0 || ts_ocpl_attr_max_compact(ocpl, &how->max_compact) < 0 ||
        ts_ocpl_attr_min_dense(ocpl, &how->min_dense) < 0)
        return -1;
    how->flags &= (uint8_t) ~(H5O_HDR_CHUNK0_SIZE | H5O_HDR_ATTR_STORE_PHASE_CHANGE);
    if (how->max_compact != 8 || how->min_dense != 6)
        how->flags |= H5O_HDR_ATTR_STORE_PHASE_CHANGE;
    return 0;
}

/* libhdf5 would make it of version 1, which has neither thresholds for attributes nor times of groups and committed
 * datatypes: a file can be the same byte by byte whenever it is made. */
static bool is_for_oldest(const struct ts_file *f, const struct ts_ohdr_create *how)
{
    return how->version == 0 && !(how->flags & H5O_HDR_ATTR_CRT_ORDER_TRACKED) && ts_file_low_bound(f) < H5F_LIBVER_V18;
}

static void init_times(const struct ts_file *f, const struct ts_ohdr_create *how, struct ts_ohdr_prefix *p)
{
    uint32_t now = (uint32_t)time(NULL);
    bool oldest = is_for_oldest(f, how);
    p->ctime = !oldest || how->is_dataset ? now : 0;
    p->atime = p->mtime = p->btime = oldest ? 0 : now;
}

static void init_prefix(const struct ts_file *f, const struct ts_ohdr_create *how, struct ts_ohdr_prefix *p)
{
    bool stored = how->flags & H5O_HDR_ATTR_STORE_PHASE_CHANGE;
    *p = (struct ts_ohdr_prefix){.version = how->version ? how->version : 2,
                                 .max_compact = stored ? how->max_compact : 8,
                                 .min_dense = stored ? how->min_dense : 6,
                                 .ref_count = how->links};
    if (p->version == 2)
        p->flags = how->flags & (uint8_t)~H5O_HDR_CHUNK0_SIZE;
    if (p->flags & H5O_HDR_STORE_TIMES)
        init_times(f, how, p);
    size_t room = how->room > LEAST_BLOCK ? how->room : LEAST_BLOCK;
    ts_ohdr_set_first_block(p, p->version == 1 ? ts_ohdr_align(room) : room);
}

static int init_blocks(struct ts_ohdr *oh, const struct ts_ohdr_create *how)
{
    init_prefix(oh->file, how, &oh->prefix);
    struct ts_ohdr_chunk *c = oh->chunks = ts_malloc(sizeof *oh->chunks);
    if (!c)
        return -1;
    oh->chunks_capacity = 1;
    *c = (struct ts_ohdr_chunk){.size = ts_ohdr_overhead(oh, 0) + (size_t)oh->prefix.block_size,
                                .gap = (size_t)oh->prefix.block_size};
    if (ts_file_alloc(oh->file, H5FD_MEM_OHDR, c->size, &c->addr) < 0)
        return -1;
    oh->n_chunks = 1;
    oh->addr = c->addr;
    oh->bytes = sizeof *oh + sizeof *c;
    return 0;
}

static bool shares_attributes(const struct ts_file *f)
{
    const struct ts_sohm_table *shared = ts_sohm_table(f);
    for (unsigned i = 0; i < shared->n; i++)
        if (shared->index[i].types & H5O_SHMESG_ATTR_FLAG)
            return true;
    return false;
}

int ts_ohdr_create(struct ts_file *f, const struct ts_ohdr_create *asked, struct ts_ohdr **out)
{
    TS_IN_CHANGE(f);
    struct ts_ohdr_create own = *asked, *how = &own;
    struct ts_ohdr *oh = ts_calloc(1, sizeof *oh);
    if (!oh)
        return -1;
    /* An attribute that stays in its header is found by header and creation index. */
    if (shares_attributes(f))
        own.flags |= H5O_HDR_ATTR_CRT_ORDER_TRACKED;
    if (is_for_oldest(f, how))
        own.flags &= (uint8_t)~H5O_HDR_ATTR_STORE_PHASE_CHANGE;
    oh->file = f;
    oh->made_in = f->undo.change;
    oh->ref_count = how->links;
    oh->changed = true;
    if (init_blocks(oh, how) < 0 || ts_meta_insert(f, &ts_ohdr_class, oh->addr, oh, oh->bytes) < 0) {
        ts_ohdr_class.free(oh);
        return -1;
    }
    *out = oh;
    int status = how->links == 0 ? ts_open_objects_doom(f, oh->addr, true) : ts_ohdr_set_links(oh, how->links);
    if (status < 0)
        ts_ohdr_close(oh);
    return status;
}

void ts_ohdr_destroy(struct ts_ohdr *oh)
{
    TS_IN_CHANGE(oh->file);
    for (size_t i = 0; i < oh->n_chunks; i++)
        ts_file_free(oh->file, H5FD_MEM_OHDR, oh->chunks[i].addr, oh->chunks[i].size);
    ts_meta_remove(oh->file, oh->addr);
}
