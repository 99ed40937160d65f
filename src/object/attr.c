#include "object/attr.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/attribute.h"
#include "heap/fractal_heap.h"
#include "index/btree2.h"
#include "object/storage.h"

/* Records of the two indexes: heap id, message flags, creation order; the name index has the name's hash as well. */
enum { HEAP_ID = 8, RECORD_ORDER = 13, RECORD_NAME = 17, RECORD_MAX = 17 };

struct ts_attr *ts_attr_ref(struct ts_attr *attr)
{
    atomic_fetch_add(&attr->refs, 1);
    return attr;
}

void ts_attr_unref(struct ts_attr *attr)
{
    if (!attr || atomic_fetch_sub(&attr->refs, 1) != 1)
        return;
    ts_type_unref(attr->type);
    if (attr->space)
        ts_space_unref(attr->space);
    ts_free(attr->data);
    ts_free(attr->name);
    ts_free(attr->owner_path);
    ts_fhandle_unref(attr->owner.fh);
    ts_free(attr);
}

static int decode_parts(struct ts_attr *attr, const struct ts_attr_msg *msg)
{
    struct ts_fhandle *fh = attr->owner.fh;
    struct ts_msg_body type = {.committed = HADDR_UNDEF}, space = {.committed = HADDR_UNDEF};
    int status = ts_msg_load(fh->file, TS_MSG_TYPE, msg->type_shared, msg->type, msg->type_size, &type);
    if (status == 0)
        status = ts_object_decode_type(fh, &type, &attr->type);
    if (status == 0)
        status = ts_msg_load(fh->file, TS_MSG_SPACE, msg->space_shared, msg->space, msg->space_size, &space);
    if (status == 0)
        status = ts_space_decode_extent(space.data, space.size, ts_file_len_size(fh->file), &attr->space);
    ts_msg_body_deinit(&type);
    ts_msg_body_deinit(&space);
    return status;
}

static int copy_data(struct ts_attr *attr, const struct ts_attr_msg *msg)
{
    uint64_t size;
    if (!ts_mul_u64(ts_space_npoints(attr->space), ts_type_size(attr->type), &size) || size > msg->data_size)
        return TS_ERR(ATTR, CANTDECODE, "attribute \"%s\": %llu elements of %zu bytes in %zu bytes", attr->name,
                      (unsigned long long)ts_space_npoints(attr->space), ts_type_size(attr->type), msg->data_size);
    attr->data_size = (size_t)size;
    attr->data = ts_memdup(msg->data, attr->data_size);
    return attr->data ? 0 : -1;
}

/* Where an attribute was found, for what is not in its message. */
struct origin {
    const struct ts_loc *loc;
    const char *path;
    bool corder_valid;
    unsigned corder;
};

static int attr_decode(const struct origin *from, const uint8_t *buf, size_t size, struct ts_attr **out)
{
    struct ts_attr_msg msg;
    if (ts_attr_msg_decode(buf, size, &msg) < 0)
        return -1;
    struct ts_attr *attr = ts_calloc(1, sizeof *attr);
    if (!attr)
        return -1;
    atomic_init(&attr->refs, 1);
    attr->owner = *from->loc;
    ts_fhandle_ref(attr->owner.fh);
    attr->cset = msg.cset;
    attr->corder_valid = from->corder_valid;
    attr->corder = from->corder;
    attr->name = ts_strdup(msg.name);
    attr->owner_path = from->path ? ts_strdup(from->path) : NULL;
    if (!attr->name || (from->path && !attr->owner_path) || decode_parts(attr, &msg) < 0 || copy_data(attr, &msg) < 0) {
        TS_ERR(ATTR, CANTDECODE, "cannot decode attribute \"%.64s\"", msg.name);
        ts_attr_unref(attr);
        return -1;
    }
    *out = attr;
    return 0;
}

/* The attributes of one object, open for looking. */
struct store {
    struct ts_ohdr *oh;
    struct origin from;
    bool has_info, dense;
    struct ts_attr_info info;
    struct ts_fheap *heap;
};

static int read_info(const struct ts_ohdr *oh, struct store *out)
{
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_ATTR_INFO);
    if (!msg)
        return 0;
    if (ts_attr_info_decode(msg->body, msg->size, ts_file_addr_size(oh->file), &out->info) < 0)
        return -1;
    out->has_info = true;
    out->dense = out->info.heap != HADDR_UNDEF;
    return 0;
}

static void store_close(struct store *st)
{
    if (st->heap)
        ts_fheap_close(st->heap);
    ts_ohdr_close(st->oh);
}

static int store_open(const struct ts_loc *loc, const char *path, struct store *out)
{
    *out = (struct store){.from = {.loc = loc, .path = path}};
    if (ts_ohdr_open(loc->fh->file, loc->addr, &out->oh) < 0)
        return -1;
    out->from.corder_valid = out->oh->prefix.flags & H5O_HDR_ATTR_CRT_ORDER_TRACKED;
    if (read_info(out->oh, out) < 0 || (out->dense && ts_fheap_open(loc->fh->file, out->info.heap, &out->heap) < 0)) {
        store_close(out);
        return -1;
    }
    return 0;
}

/* The message behind an index record: in the object's heap, or shared. */
static int record_body(const struct store *st, const uint8_t *record, struct ts_msg_body *out)
{
    struct ts_wr bytes = {0};
    *out = (struct ts_msg_body){.committed = HADDR_UNDEF};
    if (record[HEAP_ID] & TS_MSG_FLAG_SHARED) {
        uint8_t ref[2 + HEAP_ID] = {3, 1};
        memcpy(ref + 2, record, HEAP_ID);
        return ts_msg_load(st->oh->file, TS_MSG_ATTR, true, ref, sizeof ref, out);
    }
    if (ts_fheap_read(st->heap, record, HEAP_ID, &bytes) < 0 || bytes.bad) {
        ts_wr_free(&bytes);
        return -1;
    }
    out->owned = bytes.data;
    out->data = bytes.data;
    out->size = bytes.size;
    return 0;
}

static int attr_from_record(const struct store *st, const uint8_t *record, struct ts_attr **out)
{
    struct ts_msg_body body;
    struct origin from = st->from;
    struct ts_rd r = ts_rd_init(record + HEAP_ID + 1, 4);
    from.corder = ts_rd_u32(&r);
    int status = record_body(st, record, &body);
    if (status == 0)
        status = attr_decode(&from, body.data, body.size, out);
    ts_msg_body_deinit(&body);
    return status;
}

/* Without tracking, the order in the header counts as that of creation. */
static unsigned position(const struct ts_ohdr *oh, const struct ts_ohdr_msg *msg)
{
    unsigned n = 0;
    for (const struct ts_ohdr_msg *m = oh->msgs; m < msg; m++)
        n += m->type == TS_MSG_ATTR;
    return n;
}

static int attr_from_msg(const struct store *st, const struct ts_ohdr_msg *msg, struct ts_attr **out)
{
    struct ts_msg_body body;
    struct origin from = st->from;
    from.corder = from.corder_valid ? msg->creation_index : position(st->oh, msg);
    from.corder_valid = true;
    int status =
        ts_msg_load(st->oh->file, TS_MSG_ATTR, msg->flags & TS_MSG_FLAG_SHARED, msg->body, msg->size, &body);
    if (status == 0)
        status = attr_decode(&from, body.data, body.size, out);
    ts_msg_body_deinit(&body);
    return status;
}

static int open_index(const struct store *st, haddr_t addr, size_t record_size, struct ts_btree2 **out)
{
    if (ts_btree2_open(st->oh->file, addr, out) < 0)
        return -1;
    if (ts_btree2_record_size(*out) == record_size)
        return 0;
    ts_btree2_close(*out);
    return TS_ERR(ATTR, CANTLOAD, "attribute index at %#llx: not of attributes", (unsigned long long)addr);
}

static int dense_count(const struct store *st, hsize_t *out)
{
    struct ts_btree2 *tree;
    if (open_index(st, st->info.name_index, RECORD_NAME, &tree) < 0)
        return -1;
    *out = ts_btree2_count(tree);
    ts_btree2_close(tree);
    return 0;
}

int ts_attr_count(const struct ts_ohdr *oh, hsize_t *out)
{
    struct store st = {.oh = (struct ts_ohdr *)oh};
    if (read_info(oh, &st) < 0)
        return -1;
    if (st.dense)
        return dense_count(&st, out);
    *out = ts_ohdr_count(oh, TS_MSG_ATTR);
    return 0;
}

int ts_attr_meta_size(const struct ts_ohdr *oh, H5_ih_info_t *out)
{
    struct store st = {.oh = (struct ts_ohdr *)oh};
    *out = (H5_ih_info_t){0, 0};
    if (read_info(oh, &st) < 0)
        return -1;
    if (st.dense && (ts_storage_add_btree2(oh->file, st.info.name_index, &out->index_size) < 0 ||
                     ts_storage_add_btree2(oh->file, st.info.corder_index, &out->index_size) < 0 ||
                     ts_storage_add_fheap(oh->file, st.info.heap, &out->heap_size) < 0))
        return -1;
    return 0;
}

struct wanted {
    const struct store *st;
    const char *name;
    uint32_t hash;
};

/* By hash, and by name among equal hashes. */
static int compare_name(const uint8_t *record, void *ctx, int *order)
{
    const struct wanted *want = ctx;
    struct ts_rd r = ts_rd_init(record + RECORD_ORDER, 4);
    uint32_t hash = ts_rd_u32(&r);
    if (hash != want->hash) {
        *order = want->hash < hash ? -1 : 1;
        return 0;
    }
    struct ts_msg_body body;
    struct ts_attr_msg msg;
    int status = record_body(want->st, record, &body);
    if (status == 0)
        status = ts_attr_msg_decode(body.data, body.size, &msg);
    if (status == 0)
        *order = strcmp(want->name, msg.name);
    ts_msg_body_deinit(&body);
    return status;
}

static int find_dense(const struct store *st, const char *name, uint8_t *record)
{
    struct wanted want = {st, name, ts_checksum(name, strlen(name))};
    struct ts_btree2 *tree;
    if (open_index(st, st->info.name_index, RECORD_NAME, &tree) < 0)
        return -1;
    int found = ts_btree2_find(tree, compare_name, &want, record);
    ts_btree2_close(tree);
    return found;
}

static int has_name(const struct store *st, const struct ts_ohdr_msg *msg, const char *name)
{
    struct ts_msg_body body;
    struct ts_attr_msg attr;
    int status =
        ts_msg_load(st->oh->file, TS_MSG_ATTR, msg->flags & TS_MSG_FLAG_SHARED, msg->body, msg->size, &body);
    if (status == 0)
        status = ts_attr_msg_decode(body.data, body.size, &attr);
    if (status == 0)
        status = strcmp(attr.name, name) == 0;
    ts_msg_body_deinit(&body);
    return status;
}

static int find_compact(const struct store *st, const char *name, const struct ts_ohdr_msg **out)
{
    for (size_t i = 0; i < st->oh->n_msgs; i++) {
        const struct ts_ohdr_msg *msg = &st->oh->msgs[i];
        int is = msg->type == TS_MSG_ATTR ? has_name(st, msg, name) : 0;
        if (is) {
            *out = msg;
            return is;
        }
    }
    return 0;
}

/* out may be NULL: only whether it is there. */
static int find(const struct store *st, const char *name, struct ts_attr **out)
{
    uint8_t record[RECORD_MAX];
    const struct ts_ohdr_msg *msg = NULL;
    int found = st->dense ? find_dense(st, name, record) : find_compact(st, name, &msg);
    if (found != 1 || !out)
        return found;
    int status = st->dense ? attr_from_record(st, record, out) : attr_from_msg(st, msg, out);
    return status < 0 ? -1 : 1;
}

int ts_attr_exists(const struct ts_loc *loc, const char *name)
{
    struct store st;
    if (store_open(loc, NULL, &st) < 0)
        return -1;
    int found = find(&st, name, NULL);
    store_close(&st);
    return found;
}

int ts_attr_open(const struct ts_loc *loc, const char *path, const char *name, struct ts_attr **out)
{
    struct store st;
    if (store_open(loc, path, &st) < 0)
        return -1;
    int found = find(&st, name, out);
    store_close(&st);
    if (found == 0)
        return TS_ERR(ATTR, NOTFOUND, "can't locate attribute: '%s'", name);
    return found < 0 ? TS_ERR(ATTR, CANTOPENOBJ, "cannot open attribute '%s'", name) : 0;
}

void ts_attr_list_deinit(struct ts_attr_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        ts_attr_unref(list->attrs[i]);
    ts_free(list->attrs);
    *list = (struct ts_attr_list){0};
}

static int add(struct ts_attr_list *list, struct ts_attr *attr)
{
    if (TS_GROW(list->attrs, list->capacity, list->n + 1) < 0) {
        ts_attr_unref(attr);
        return -1;
    }
    list->attrs[list->n++] = attr;
    return 0;
}

static int list_compact(const struct store *st, struct ts_attr_list *list)
{
    struct ts_attr *attr;
    for (size_t i = 0; i < st->oh->n_msgs; i++)
        if (st->oh->msgs[i].type == TS_MSG_ATTR &&
            (attr_from_msg(st, &st->oh->msgs[i], &attr) < 0 || add(list, attr) < 0))
            return -1;
    return 0;
}

struct gather {
    const struct store *st;
    struct ts_attr_list *list;
};

static int gather_record(const uint8_t *record, void *ctx)
{
    struct gather *g = ctx;
    struct ts_attr *attr;
    return attr_from_record(g->st, record, &attr) < 0 ? -1 : add(g->list, attr);
}

static bool by_order_index(const struct store *st, H5_index_t index)
{
    return index == H5_INDEX_CRT_ORDER && st->info.corder_index != HADDR_UNDEF;
}

static int open_index_for(const struct store *st, H5_index_t index, struct ts_btree2 **out)
{
    if (by_order_index(st, index))
        return open_index(st, st->info.corder_index, RECORD_ORDER, out);
    return open_index(st, st->info.name_index, RECORD_NAME, out);
}

static int list_dense(const struct store *st, H5_index_t index, struct ts_attr_list *list)
{
    struct gather g = {st, list};
    struct ts_btree2 *tree;
    if (open_index_for(st, index, &tree) < 0)
        return -1;
    int status = ts_btree2_iterate(tree, gather_record, &g);
    ts_btree2_close(tree);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct ts_attr *const *)a)->name, (*(struct ts_attr *const *)b)->name);
}

static int by_name_down(const void *a, const void *b)
{
    return by_name(b, a);
}

static int by_corder(const void *a, const void *b)
{
    unsigned x = (*(struct ts_attr *const *)a)->corder, y = (*(struct ts_attr *const *)b)->corder;
    return x < y ? -1 : x > y;
}

static int by_corder_down(const void *a, const void *b)
{
    return by_corder(b, a);
}

static void sort(struct ts_attr_list *list, H5_index_t index, H5_iter_order_t order)
{
    if (order == H5_ITER_NATIVE || list->n < 2)
        return;
    bool up = order == H5_ITER_INC;
    if (index == H5_INDEX_NAME)
        qsort(list->attrs, list->n, sizeof *list->attrs, up ? by_name : by_name_down);
    else
        qsort(list->attrs, list->n, sizeof *list->attrs, up ? by_corder : by_corder_down);
}

static int list_store(const struct store *st, H5_index_t index, H5_iter_order_t order, struct ts_attr_list *out)
{
    *out = (struct ts_attr_list){0};
    if ((st->dense ? list_dense(st, index, out) : list_compact(st, out)) < 0) {
        ts_attr_list_deinit(out);
        return -1;
    }
    sort(out, index, order);
    return 0;
}

int ts_attr_list(const struct ts_loc *loc, const char *path, H5_index_t index, H5_iter_order_t order,
                 struct ts_attr_list *out)
{
    struct store st;
    if (store_open(loc, path, &st) < 0)
        return -1;
    int status = list_store(&st, index, order, out);
    store_close(&st);
    return status;
}

static int out_of_bounds(hsize_t n, hsize_t count)
{
    return TS_ERR(ATTR, BADRANGE, "attribute %llu of %llu", (unsigned long long)n, (unsigned long long)count);
}

/* Straight from an index that is in the wanted order. */
static int at_in_index(const struct store *st, H5_index_t index, bool down, hsize_t n, struct ts_attr **out)
{
    struct ts_btree2 *tree;
    uint8_t record[RECORD_MAX];
    if (open_index_for(st, index, &tree) < 0)
        return -1;
    hsize_t count = ts_btree2_count(tree);
    int status = n < count ? ts_btree2_at(tree, down ? count - 1 - n : n, record) : out_of_bounds(n, count);
    ts_btree2_close(tree);
    return status < 0 ? -1 : attr_from_record(st, record, out);
}

static int at_in_list(const struct store *st, H5_index_t index, H5_iter_order_t order, hsize_t n, struct ts_attr **out)
{
    struct ts_attr_list list;
    if (list_store(st, index, order, &list) < 0)
        return -1;
    int status = n < list.n ? 0 : out_of_bounds(n, list.n);
    if (status == 0)
        *out = ts_attr_ref(list.attrs[n]);
    ts_attr_list_deinit(&list);
    return status;
}

int ts_attr_open_by_idx(const struct ts_loc *loc, const char *path, H5_index_t index, H5_iter_order_t order, hsize_t n,
                        struct ts_attr **out)
{
    struct store st;
    int status;
    if (store_open(loc, path, &st) < 0)
        return -1;
    if (st.dense && (order == H5_ITER_NATIVE || by_order_index(&st, index)))
        status = at_in_index(&st, index, order == H5_ITER_DEC, n, out);
    else
        status = at_in_list(&st, index, order, n, out);
    store_close(&st);
    return status;
}

void ts_attr_info(const struct ts_attr *attr, H5A_info_t *out)
{
    *out = (H5A_info_t){
        .corder_valid = attr->corder_valid, .corder = attr->corder, .cset = attr->cset, .data_size = attr->data_size};
}
