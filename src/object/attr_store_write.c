/* Changing where attributes are kept. Up to a number they are messages of the header, beyond it they go to a heap, and
 * back when fewer than another number are left. */
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/btree2.h"
#include "meta/meta.h"
#include "object/attr.h"
#include "object/attr_store.h"
#include "object/object.h"
#include "object/sohm.h"

static struct ts_file *file_of(const struct ts_attr_store *st)
{
    return st->oh->file;
}

static int put_info(struct ts_attr_store *st)
{
    struct ts_wr w = {0};
    if (st->oh->prefix.version == 1)
        return 0;
    int status = ts_attr_info_encode(&st->info, ts_file_addr_size(file_of(st)), &w);
    if (status == 0)
        status = ts_ohdr_put(st->oh, TS_MSG_ATTR_INFO, TS_MSG_FLAG_DONT_SHARE, w.data, w.size);
    ts_wr_free(&w);
    st->has_info = true;
    return status;
}

/* An object that has its first attribute. */
static void init_info(struct ts_attr_store *st)
{
    if (st->has_info)
        return;
    uint8_t flags = st->oh->prefix.flags;
    st->info = (struct ts_attr_info){.tracked = flags & H5O_HDR_ATTR_CRT_ORDER_TRACKED,
                                     .indexed = flags & H5O_HDR_ATTR_CRT_ORDER_INDEXED,
                                     .heap = HADDR_UNDEF,
                                     .name_index = HADDR_UNDEF,
                                     .corder_index = HADDR_UNDEF};
}

static int depend_on(struct ts_attr_store *st, haddr_t child)
{
    return ts_meta_depend(file_of(st), st->oh->addr, child);
}

/* A tree of attributes in the heap, or in that of shared messages: the header waits for it, and it for the heap. */
static int depend_on_tree(struct ts_attr_store *st, haddr_t tree)
{
    if (ts_meta_depend(file_of(st), tree, st->info.heap) < 0)
        return -1;
    return depend_on(st, tree);
}

static int compare_order(const uint8_t *record, void *ctx, int *order)
{
    const struct ts_attr_record *want = ctx;
    struct ts_attr_record rec;
    ts_attr_record_decode(record, false, &rec);
    *order = want->corder < rec.corder ? -1 : want->corder > rec.corder;
    return 0;
}

static int index_insert_name(struct ts_attr_store *st, const char *name, const uint8_t *record)
{
    struct ts_attr_wanted want = ts_attr_want(st, name);
    struct ts_btree2 *tree;
    if (ts_attr_store_name_index(st, &tree) < 0)
        return -1;
    int status = ts_btree2_insert(tree, record, ts_attr_compare_name, &want);
    if (status == 0)
        status = depend_on_tree(st, st->info.name_index);
    ts_btree2_close(tree);
    return status == 1 ? TS_ERR(ATTR, EXISTS, "attribute '%s' already exists", name) : status;
}

static int index_insert_order(struct ts_attr_store *st, const uint8_t *record)
{
    struct ts_attr_record rec;
    struct ts_btree2 *tree;
    if (st->info.corder_index == HADDR_UNDEF)
        return 0;
    ts_attr_record_decode(record, false, &rec);
    if (ts_attr_store_order_index(st, &tree) < 0)
        return -1;
    int status = ts_btree2_insert(tree, record, compare_order, &rec);
    if (status == 0)
        status = depend_on_tree(st, st->info.corder_index);
    ts_btree2_close(tree);
    return status == 1 ? TS_ERR(ATTR, EXISTS, "two attributes have creation order %u", rec.corder) : status;
}

static int heap_insert(struct ts_attr_store *st, const uint8_t *body, size_t size, struct ts_attr_record *rec)
{
    if (ts_fheap_insert(st->heap, body, size, rec->id, sizeof rec->id) < 0)
        return -1;
    return depend_on(st, st->info.heap);
}

/* The bytes of an attribute, where other objects may share them or in the heap of this one. */
static int store_body(struct ts_attr_store *st, const uint8_t *body, size_t size, struct ts_attr_record *rec)
{
    int shared = ts_sohm_share(st->oh, TS_MSG_ATTR, body, size, rec->id);
    rec->flags = (uint8_t)((rec->flags & ~TS_MSG_FLAG_SHARED) | (shared == 1 ? TS_MSG_FLAG_SHARED : 0));
    return shared == 0 ? heap_insert(st, body, size, rec) : shared < 0 ? -1 : 0;
}

/* A message that is shared already gets one more user. */
static int keep_shared(struct ts_attr_store *st, const struct ts_raw_msg *msg, struct ts_attr_record *rec)
{
    struct ts_file *f = file_of(st);
    struct ts_shared_ref ref;
    if (ts_shared_ref_decode(msg->body, msg->size, ts_file_addr_size(f), ts_file_len_size(f), &ref) < 0)
        return -1;
    memcpy(rec->id, ref.heap_id, sizeof rec->id);
    return ts_sohm_count(f, TS_MSG_ATTR, rec->id, 1);
}

/* A message as it stands in a header: a shared one leads to the heap of shared messages, and so does its record. */
static int dense_insert(struct ts_attr_store *st, const char *name, const struct ts_raw_msg *msg)
{
    struct ts_attr_record rec = {
        .flags = msg->flags, .corder = msg->creation_index, .hash = ts_attr_want(st, name).hash};
    uint8_t record[TS_ATTR_RECORD_MAX];
    if ((msg->flags & TS_MSG_FLAG_SHARED ? keep_shared(st, msg, &rec) : store_body(st, msg->body, msg->size, &rec)) < 0)
        return -1;
    ts_attr_record_encode(&rec, record);
    return index_insert_name(st, name, record) < 0 ? -1 : index_insert_order(st, record);
}

static int create_index(struct ts_attr_store *st, unsigned type, uint16_t record_size, haddr_t *addr)
{
    struct ts_btree2_params params = {.type = type,
                                      .node_size = TS_BTREE2_NODE,
                                      .record_size = record_size,
                                      .split_percent = TS_BTREE2_SPLIT,
                                      .merge_percent = TS_BTREE2_MERGE};
    return ts_btree2_create(file_of(st), &params, addr);
}

static int create_dense(struct ts_attr_store *st)
{
    if (ts_fheap_create(file_of(st), &ts_fheap_for_attrs, &st->info.heap) < 0 ||
        create_index(st, TS_BTREE2_ATTR_NAME, TS_ATTR_RECORD_NAME, &st->info.name_index) < 0)
        return -1;
    if (st->info.indexed && create_index(st, TS_BTREE2_ATTR_ORDER, TS_ATTR_RECORD_ORDER, &st->info.corder_index) < 0)
        return -1;
    if (ts_fheap_open(file_of(st), st->info.heap, &st->heap) < 0)
        return -1;
    st->dense = true;
    return 0;
}

static int move_msg_to_heap(struct ts_attr_store *st, const struct ts_ohdr_msg *msg)
{
    struct ts_attr_spot spot = {.msg = msg};
    struct ts_raw_msg raw = {.type = msg->type, .flags = msg->flags, .body = msg->body, .size = msg->size};
    struct ts_attr_msg attr;
    struct ts_msg_body body;
    raw.creation_index = st->info.tracked ? msg->creation_index : TS_ATTR_NO_ORDER;
    int status = ts_attr_store_body(st, &spot, &body);
    if (status == 0)
        status = ts_attr_msg_decode(body.data, body.size, &attr);
    if (status == 0)
        status = dense_insert(st, attr.name, &raw);
    ts_msg_body_deinit(&body);
    return status;
}

static int go_dense(struct ts_attr_store *st)
{
    if (create_dense(st) < 0)
        return -1;
    for (size_t i = 0; i < st->oh->n_msgs; i++)
        if (st->oh->msgs[i].type == TS_MSG_ATTR && move_msg_to_heap(st, &st->oh->msgs[i]) < 0)
            return -1;
    return ts_ohdr_remove_all(st->oh, TS_MSG_ATTR) < 0 ? -1 : put_info(st);
}

int ts_attr_store_check_size(const struct ts_attr_store *st, size_t size)
{
    if (st->oh->prefix.version == 1 && size > TS_OHDR_BODY_MAX)
        return TS_ERR(ATTR, BADSIZE, "object header message is too large: an attribute of %zu bytes", size);
    return 0;
}

/* In files for the oldest readers libhdf5 keeps any number of attributes in the header, in the order in which they were
 * made, and programs count on that order. A heap would lose it, unless it is tracked. */
static bool order_is_place(const struct ts_attr_store *st)
{
    return !st->info.tracked && !(st->oh->prefix.flags & H5O_HDR_ATTR_STORE_PHASE_CHANGE) &&
           ts_file_low_bound(file_of(st)) < H5F_LIBVER_V18;
}

/* Whether one more attribute, of this size, cannot be in the header. */
static bool overflows(const struct ts_attr_store *st, size_t size)
{
    const struct ts_ohdr *oh = st->oh;
    if (oh->prefix.version == 1)
        return false;
    return size > TS_OHDR_BODY_MAX || (!order_is_place(st) && ts_ohdr_count(oh, TS_MSG_ATTR) >= oh->prefix.max_compact);
}

int ts_attr_store_set_next(struct ts_attr_store *st, unsigned corder)
{
    init_info(st);
    if (!st->info.tracked || st->info.max_corder == corder)
        return 0;
    st->info.max_corder = corder;
    return put_info(st);
}

int ts_attr_store_add(struct ts_attr_store *st, const char *name, const struct ts_wr *body, unsigned *corder)
{
    init_info(st);
    if (ts_attr_store_check_size(st, body->size) < 0)
        return -1;
    if (st->info.tracked && st->info.max_corder >= TS_ATTR_NO_ORDER)
        return TS_ERR(ATTR, CANTINC, "attribute creation index can't be incremented");
    *corder = st->info.tracked ? st->info.max_corder++ : TS_ATTR_NO_ORDER;
    struct ts_raw_msg raw = {
        .type = TS_MSG_ATTR, .creation_index = (uint16_t)*corder, .body = body->data, .size = body->size};
    if (!st->dense && overflows(st, body->size) && go_dense(st) < 0)
        return -1;
    if (!st->dense && !st->info.tracked)
        raw.creation_index = 0;
    /* In the heap first, where a large one is written at once: nothing is touched when that fails. In the header the
     * attribute stands behind what is known of all of them. */
    int status = st->dense ? dense_insert(st, name, &raw) : 0;
    if (status == 0)
        status = put_info(st);
    if (status == 0 && !st->dense)
        status = ts_ohdr_add_raw(st->oh, &raw);
    return status < 0 ? -1 : ts_ohdr_touch(st->oh, false);
}

/* The new place of a message, for the record that is found by name or by order. */
struct new_place {
    struct ts_attr_wanted want;  /* by name */
    struct ts_attr_record order; /* by order */
    const struct ts_attr_record *now;
    bool by_name;
};

static int compare_place(const uint8_t *record, void *ctx, int *order)
{
    struct new_place *p = ctx;
    return p->by_name ? ts_attr_compare_name(record, &p->want, order) : compare_order(record, &p->order, order);
}

static int set_place(uint8_t *record, void *ctx)
{
    struct new_place *p = ctx;
    memcpy(record, p->now->id, TS_ATTR_HEAP_ID);
    record[TS_ATTR_HEAP_ID] = p->now->flags;
    return 1;
}

/* 1 if the record was there, 0 if not. */
static int modify_index(struct ts_attr_store *st, struct new_place *p, bool by_name)
{
    struct ts_btree2 *tree;
    p->by_name = by_name;
    if ((by_name ? ts_attr_store_name_index(st, &tree) : ts_attr_store_order_index(st, &tree)) < 0)
        return -1;
    int found = ts_btree2_modify(tree, compare_place, set_place, p);
    if (found == 1 && depend_on(st, by_name ? st->info.name_index : st->info.corder_index) < 0)
        found = -1;
    ts_btree2_close(tree);
    return found;
}

static int modify_order_index(struct ts_attr_store *st, const char *name, const struct ts_attr_record *now)
{
    struct new_place p = {.want = ts_attr_want(st, name), .order = *now, .now = now};
    uint8_t record[TS_ATTR_RECORD_MAX];
    if (st->info.corder_index == HADDR_UNDEF)
        return 0;
    int found = modify_index(st, &p, false);
    if (found != 0)
        return found < 0 ? -1 : 0;
    /* libhdf5 1.10 loses the record when it renames. */
    ts_attr_record_encode(now, record);
    return index_insert_order(st, record);
}

/* The bytes of a shared message are for others too, so another one takes its place. */
static int dense_replace_shared(struct ts_attr_store *st, const char *name, struct ts_attr_record rec,
                                const struct ts_wr *body)
{
    struct ts_attr_record old = rec;
    struct new_place p = {.want = ts_attr_want(st, name), .now = &rec};
    if (store_body(st, body->data, body->size, &rec) < 0 || modify_index(st, &p, true) != 1 ||
        modify_order_index(st, name, &rec) < 0)
        return -1;
    return ts_sohm_count(file_of(st), TS_MSG_ATTR, old.id, -1);
}

static int dense_replace(struct ts_attr_store *st, const char *name, const uint8_t *record, const struct ts_wr *body)
{
    struct ts_attr_record rec;
    struct ts_wr old = {0};
    ts_attr_record_decode(record, true, &rec);
    if (rec.flags & TS_MSG_FLAG_SHARED)
        return dense_replace_shared(st, name, rec, body);
    int status = ts_fheap_read(st->heap, rec.id, sizeof rec.id, &old);
    bool same_size = status == 0 && old.size == body->size;
    ts_wr_free(&old);
    if (status < 0)
        return -1;
    if (!same_size)
        return ts_attr_store_rename(st, name, name, body);
    if (ts_fheap_replace(st->heap, rec.id, sizeof rec.id, body->data, body->size) != 0)
        return TS_ERR(ATTR, CANTUPDATE, "attribute '%s' cannot be written where it is", name);
    return depend_on(st, st->info.heap);
}

static int find_or_fail(struct ts_attr_store *st, const char *name, struct ts_attr_spot *spot)
{
    int found = ts_attr_store_find(st, name, spot);
    return found == 0 ? TS_ERR(ATTR, NOTFOUND, "can't locate attribute: '%s'", name) : found < 0 ? -1 : 0;
}

int ts_attr_store_replace(struct ts_attr_store *st, const char *name, const struct ts_wr *body)
{
    struct ts_attr_spot spot;
    if (find_or_fail(st, name, &spot) < 0)
        return -1;
    int status = spot.msg ? ts_ohdr_replace(st->oh, spot.msg, body->data, body->size)
                          : dense_replace(st, name, spot.record, body);
    return status < 0 ? -1 : ts_ohdr_touch(st->oh, false);
}

static int index_remove_name(struct ts_attr_store *st, const char *name, struct ts_attr_record *out)
{
    struct ts_attr_wanted want = ts_attr_want(st, name);
    uint8_t record[TS_ATTR_RECORD_MAX];
    struct ts_btree2 *tree;
    if (ts_attr_store_name_index(st, &tree) < 0)
        return -1;
    int found = ts_btree2_remove(tree, ts_attr_compare_name, &want, record);
    int status = found == 1 ? depend_on(st, st->info.name_index) : -1;
    ts_btree2_close(tree);
    if (found == 1)
        ts_attr_record_decode(record, true, out);
    return found == 0 ? TS_ERR(ATTR, NOTFOUND, "attribute '%s' is not in its index", name) : status;
}

static int index_remove_order(struct ts_attr_store *st, struct ts_attr_record *rec)
{
    struct ts_btree2 *tree;
    if (st->info.corder_index == HADDR_UNDEF)
        return 0;
    if (ts_attr_store_order_index(st, &tree) < 0)
        return -1;
    int found = ts_btree2_remove(tree, compare_order, rec, NULL);
    int status = found == 1 ? depend_on(st, st->info.corder_index) : found;
    ts_btree2_close(tree);
    /* It need not be there: libhdf5 1.10 loses records when it renames. */
    return status;
}

static int heap_remove(struct ts_attr_store *st, const struct ts_attr_record *rec)
{
    if (rec->flags & TS_MSG_FLAG_SHARED)
        return ts_sohm_count(file_of(st), TS_MSG_ATTR, rec->id, -1);
    return ts_fheap_remove(st->heap, rec->id, sizeof rec->id) < 0 ? -1 : depend_on(st, st->info.heap);
}

static int dense_rename(struct ts_attr_store *st, const char *from, const char *to, const struct ts_wr *body)
{
    struct ts_attr_record old, now;
    uint8_t record[TS_ATTR_RECORD_MAX];
    if (index_remove_name(st, from, &old) < 0)
        return -1;
    now = old;
    now.hash = ts_attr_want(st, to).hash;
    if (heap_remove(st, &old) < 0 || store_body(st, body->data, body->size, &now) < 0)
        return -1;
    ts_attr_record_encode(&now, record);
    return index_insert_name(st, to, record) < 0 ? -1 : modify_order_index(st, to, &now);
}

int ts_attr_store_rename(struct ts_attr_store *st, const char *from, const char *to, const struct ts_wr *body)
{
    struct ts_attr_spot spot;
    if (ts_attr_store_check_size(st, body->size) < 0)
        return -1;
    if (!st->dense && body->size > TS_OHDR_BODY_MAX && go_dense(st) < 0)
        return -1;
    if (find_or_fail(st, from, &spot) < 0)
        return -1;
    int status =
        st->dense ? dense_rename(st, from, to, body) : ts_ohdr_replace(st->oh, spot.msg, body->data, body->size);
    return status < 0 ? -1 : ts_ohdr_touch(st->oh, false);
}

/* What is left in the heap, on its way back to the header. */
struct leftovers {
    const struct ts_attr_store *st;
    size_t n, capacity;
    struct leftover {
        struct ts_attr_record rec;
        struct ts_msg_body body;
    } * items;
    bool too_large;
};

static void leftovers_deinit(struct leftovers *all)
{
    for (size_t i = 0; i < all->n; i++)
        ts_msg_body_deinit(&all->items[i].body);
    ts_free(all->items);
}

static int gather(const uint8_t *record, void *ctx)
{
    struct leftovers *all = ctx;
    if (TS_GROW(all->items, all->capacity, all->n + 1) < 0)
        return -1;
    struct leftover *item = &all->items[all->n];
    ts_attr_record_decode(record, true, &item->rec);
    item->body = (struct ts_msg_body){.committed = HADDR_UNDEF};
    all->n++;
    if (item->rec.flags & TS_MSG_FLAG_SHARED)
        return 0;
    if (ts_attr_record_body(all->st, record, &item->body) < 0)
        return -1;
    all->too_large |= item->body.size > TS_OHDR_BODY_MAX;
    return 0;
}

static int gather_all(const struct ts_attr_store *st, struct leftovers *all)
{
    struct ts_btree2 *tree;
    *all = (struct leftovers){.st = st};
    if (ts_attr_store_name_index(st, &tree) < 0)
        return -1;
    int status = ts_btree2_iterate(tree, gather, all);
    ts_btree2_close(tree);
    return status;
}

static int put_back(struct ts_attr_store *st, const struct leftover *item)
{
    struct ts_raw_msg raw = {.type = TS_MSG_ATTR,
                             .flags = item->rec.flags,
                             .creation_index = st->info.tracked ? (uint16_t)item->rec.corder : 0,
                             .body = item->body.data,
                             .size = item->body.size};
    uint8_t ref[2 + TS_ATTR_HEAP_ID] = {3, 1};
    if (item->rec.flags & TS_MSG_FLAG_SHARED) {
        memcpy(ref + 2, item->rec.id, TS_ATTR_HEAP_ID);
        raw.body = ref;
        raw.size = sizeof ref;
    }
    /* A shared one was counted in the heap's index as well, which is gone. */
    if (ts_ohdr_add_raw(st->oh, &raw) < 0)
        return -1;
    return raw.flags & TS_MSG_FLAG_SHARED ? ts_sohm_count(file_of(st), TS_MSG_ATTR, item->rec.id, -1) : 0;
}

static int delete_dense(struct ts_attr_store *st)
{
    struct ts_attr_info was = st->info;
    ts_fheap_close(st->heap);
    st->heap = NULL;
    st->dense = false;
    st->info.heap = st->info.name_index = st->info.corder_index = HADDR_UNDEF;
    if (put_info(st) < 0 || ts_fheap_delete(file_of(st), was.heap) < 0 ||
        ts_btree2_delete(file_of(st), was.name_index, NULL, NULL) < 0)
        return -1;
    return was.corder_index == HADDR_UNDEF ? 0 : ts_btree2_delete(file_of(st), was.corder_index, NULL, NULL);
}

static int go_compact(struct ts_attr_store *st)
{
    struct leftovers all;
    int status = gather_all(st, &all);
    if (status == 0 && !all.too_large) {
        status = delete_dense(st);
        for (size_t i = 0; i < all.n && status == 0; i++)
            status = put_back(st, &all.items[i]);
    }
    leftovers_deinit(&all);
    return status;
}

static int dense_remove(struct ts_attr_store *st, const char *name)
{
    struct ts_attr_record rec;
    hsize_t n;
    if (index_remove_name(st, name, &rec) < 0 || index_remove_order(st, &rec) < 0 || heap_remove(st, &rec) < 0 ||
        ts_attr_store_count(st, &n) < 0)
        return -1;
    return n < st->oh->prefix.min_dense || n == 0 ? go_compact(st) : 0;
}

/* With the last attribute the order of creation starts anew. */
static int forget_info(struct ts_attr_store *st)
{
    st->has_info = false;
    return ts_ohdr_remove_all(st->oh, TS_MSG_ATTR_INFO) < 0 ? -1 : 0;
}

int ts_attr_store_remove(struct ts_attr_store *st, const char *name)
{
    struct ts_attr_spot spot;
    if (find_or_fail(st, name, &spot) < 0)
        return -1;
    int status = st->dense ? dense_remove(st, name) : ts_ohdr_remove(st->oh, spot.msg);
    if (status < 0)
        return -1;
    if (!st->dense && ts_ohdr_count(st->oh, TS_MSG_ATTR) == 0 && forget_info(st) < 0)
        return -1;
    return ts_ohdr_touch(st->oh, false);
}

int ts_attr_count_use(struct ts_file *f, const uint8_t *body, size_t size, int by)
{
    struct ts_attr_msg msg;
    struct ts_shared_ref ref;
    if (ts_attr_msg_decode(body, size, &msg) < 0)
        return -1;
    if (!msg.type_shared)
        return 0;
    if (ts_shared_ref_decode(msg.type, msg.type_size, ts_file_addr_size(f), ts_file_len_size(f), &ref) < 0)
        return -1;
    return ref.in_heap ? 0 : ts_object_link(f, ref.addr, by);
}

static int release_record(const uint8_t *record, void *ctx)
{
    const struct ts_attr_store *st = ctx;
    struct ts_msg_body body;
    struct ts_attr_spot spot = {.msg = NULL};
    memcpy(spot.record, record, TS_ATTR_RECORD_NAME);
    if (ts_attr_release_values(st, &spot) < 0)
        return -1;
    if (record[TS_ATTR_HEAP_ID] & TS_MSG_FLAG_SHARED)
        return ts_sohm_count(file_of(st), TS_MSG_ATTR, record, -1);
    int status = ts_attr_record_body(st, record, &body);
    if (status == 0)
        status = ts_attr_count_use(file_of(st), body.data, body.size, -1);
    ts_msg_body_deinit(&body);
    return status;
}

static int destroy_dense(const struct ts_attr_store *st)
{
    struct ts_attr_store look = *st;
    struct ts_file *f = file_of(st);
    if (ts_fheap_open(f, st->info.heap, &look.heap) < 0)
        return -1;
    int status = ts_btree2_delete(f, st->info.name_index, release_record, &look);
    ts_fheap_close(look.heap);
    if (status < 0 || ts_fheap_delete(f, st->info.heap) < 0)
        return -1;
    return st->info.corder_index == HADDR_UNDEF ? 0 : ts_btree2_delete(f, st->info.corder_index, NULL, NULL);
}

static int destroy_compact(const struct ts_attr_store *st, const struct ts_ohdr_msg *msg)
{
    struct ts_attr_spot spot = {.msg = msg};
    if (ts_attr_release_values(st, &spot) < 0)
        return -1;
    return msg->flags & TS_MSG_FLAG_SHARED ? 0 : ts_attr_count_use(file_of(st), msg->body, msg->size, -1);
}

int ts_attr_destroy_all(const struct ts_ohdr *oh)
{
    struct ts_attr_store st;
    if (ts_attr_store_read_info(oh, &st) < 0)
        return -1;
    for (size_t i = 0; i < oh->n_msgs; i++)
        if (oh->msgs[i].type == TS_MSG_ATTR && destroy_compact(&st, &oh->msgs[i]) < 0)
            return -1;
    return st.dense ? destroy_dense(&st) : 0;
}
