#include "object/attr_store.h"

#include <string.h>

#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "object/attr.h"
#include "object/attr_names.h"
#include "object/storage.h"

void ts_attr_record_decode(const uint8_t *buf, bool has_hash, struct ts_attr_record *out)
{
    struct ts_rd r = ts_rd_init(buf, has_hash ? TS_ATTR_RECORD_NAME : TS_ATTR_RECORD_ORDER);
    memcpy(out->id, ts_rd_bytes(&r, TS_ATTR_HEAP_ID), TS_ATTR_HEAP_ID);
    out->flags = ts_rd_u8(&r);
    out->corder = ts_rd_u32(&r);
    out->hash = has_hash ? ts_rd_u32(&r) : 0;
}

static void put_u32(uint8_t *buf, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        buf[i] = (uint8_t)(v >> 8 * i);
}

void ts_attr_record_encode(const struct ts_attr_record *rec, uint8_t *buf)
{
    memcpy(buf, rec->id, TS_ATTR_HEAP_ID);
    buf[TS_ATTR_HEAP_ID] = rec->flags;
    put_u32(buf + TS_ATTR_HEAP_ID + 1, rec->corder);
    put_u32(buf + TS_ATTR_RECORD_ORDER, rec->hash);
}

int ts_attr_store_read_info(const struct ts_ohdr *oh, struct ts_attr_store *out)
{
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_ATTR_INFO);
    *out =
        (struct ts_attr_store){.oh = (struct ts_ohdr *)oh,
                               .info = {.heap = HADDR_UNDEF, .name_index = HADDR_UNDEF, .corder_index = HADDR_UNDEF}};
    if (!msg)
        return 0;
    if (ts_attr_info_decode(msg->body, msg->size, ts_file_addr_size(oh->file), &out->info) < 0)
        return -1;
    out->has_info = true;
    out->dense = out->info.heap != HADDR_UNDEF;
    return 0;
}

void ts_attr_store_close(struct ts_attr_store *st)
{
    if (st->heap)
        ts_fheap_close(st->heap);
    ts_ohdr_close(st->oh);
}

int ts_attr_store_open(struct ts_file *f, haddr_t addr, struct ts_attr_store *out)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(f, addr, &oh) < 0)
        return -1;
    if (ts_attr_store_read_info(oh, out) < 0) {
        ts_ohdr_close(oh);
        return -1;
    }
    if (out->dense && ts_fheap_open(f, out->info.heap, &out->heap) < 0) {
        ts_attr_store_close(out);
        return -1;
    }
    return 0;
}

/* The message behind an index record: in the object's heap, or shared. */
int ts_attr_record_body(const struct ts_attr_store *st, const uint8_t *record, struct ts_msg_body *out)
{
    struct ts_wr bytes = {0};
    *out = (struct ts_msg_body){.committed = HADDR_UNDEF};
    if (record[TS_ATTR_HEAP_ID] & TS_MSG_FLAG_SHARED) {
        uint8_t ref[2 + TS_ATTR_HEAP_ID] = {3, 1};
        memcpy(ref + 2, record, TS_ATTR_HEAP_ID);
        return ts_msg_load(st->oh->file, TS_MSG_ATTR, true, ref, sizeof ref, out);
    }
    if (ts_fheap_read(st->heap, record, TS_ATTR_HEAP_ID, &bytes) < 0 || bytes.bad) {
        ts_wr_free(&bytes);
        return -1;
    }
    out->owned = bytes.data;
    out->data = bytes.data;
    out->size = bytes.size;
    return 0;
}

static int open_index(const struct ts_attr_store *st, haddr_t addr, size_t record_size, struct ts_btree2 **out)
{
    if (ts_btree2_open(st->oh->file, addr, out) < 0)
        return -1;
    if (ts_btree2_record_size(*out) == record_size)
        return 0;
    ts_btree2_close(*out);
    return TS_ERR(ATTR, CANTLOAD, "attribute index at %#llx: not of attributes", (unsigned long long)addr);
}

int ts_attr_store_name_index(const struct ts_attr_store *st, struct ts_btree2 **out)
{
    return open_index(st, st->info.name_index, TS_ATTR_RECORD_NAME, out);
}

int ts_attr_store_order_index(const struct ts_attr_store *st, struct ts_btree2 **out)
{
    return open_index(st, st->info.corder_index, TS_ATTR_RECORD_ORDER, out);
}

int ts_attr_store_count(const struct ts_attr_store *st, hsize_t *out)
{
    struct ts_btree2 *tree;
    if (!st->dense) {
        *out = ts_ohdr_count(st->oh, TS_MSG_ATTR);
        return 0;
    }
    if (ts_attr_store_name_index(st, &tree) < 0)
        return -1;
    *out = ts_btree2_count(tree);
    ts_btree2_close(tree);
    return 0;
}

int ts_attr_count(const struct ts_ohdr *oh, hsize_t *out)
{
    struct ts_attr_store st;
    return ts_attr_store_read_info(oh, &st) < 0 ? -1 : ts_attr_store_count(&st, out);
}

int ts_attr_meta_size(const struct ts_ohdr *oh, H5_ih_info_t *out)
{
    struct ts_attr_store st;
    *out = (H5_ih_info_t){0, 0};
    if (ts_attr_store_read_info(oh, &st) < 0)
        return -1;
    if (st.dense && (ts_storage_add_btree2(oh->file, st.info.name_index, &out->index_size) < 0 ||
                     ts_storage_add_btree2(oh->file, st.info.corder_index, &out->index_size) < 0 ||
                     ts_storage_add_fheap(oh->file, st.info.heap, &out->heap_size) < 0))
        return -1;
    return 0;
}

struct ts_attr_wanted ts_attr_want(const struct ts_attr_store *st, const char *name)
{
    return (struct ts_attr_wanted){st, name, ts_checksum(name, strlen(name))};
}

/* By hash, and by name among equal hashes. */
int ts_attr_compare_name(const uint8_t *record, void *ctx, int *order)
{
    const struct ts_attr_wanted *want = ctx;
    struct ts_rd r = ts_rd_init(record + TS_ATTR_RECORD_ORDER, 4);
    uint32_t hash = ts_rd_u32(&r);
    if (hash != want->hash) {
        *order = want->hash < hash ? -1 : 1;
        return 0;
    }
    struct ts_msg_body body;
    struct ts_attr_msg msg;
    int status = ts_attr_record_body(want->st, record, &body);
    if (status == 0)
        status = ts_attr_msg_decode(body.data, body.size, &msg);
    if (status == 0)
        *order = strcmp(want->name, msg.name);
    ts_msg_body_deinit(&body);
    return status;
}

static int find_dense(const struct ts_attr_store *st, const char *name, uint8_t *record)
{
    struct ts_attr_wanted want = ts_attr_want(st, name);
    struct ts_btree2 *tree;
    if (ts_attr_store_name_index(st, &tree) < 0)
        return -1;
    int found = ts_btree2_find(tree, ts_attr_compare_name, &want, record);
    ts_btree2_close(tree);
    return found;
}

/* Whether the message could be of that name, before it is decoded: most are not. */
static bool may_have_name(const struct ts_ohdr_msg *msg, const char *name, size_t bytes)
{
    size_t at = msg->size > 0 && msg->body[0] == 3 ? 9 : 8;
    return msg->flags & TS_MSG_FLAG_SHARED || (msg->size >= at + bytes && memcmp(msg->body + at, name, bytes) == 0);
}

static int has_name(const struct ts_attr_store *st, const struct ts_ohdr_msg *msg, const char *name)
{
    struct ts_msg_body body;
    struct ts_attr_msg attr;
    int status = ts_msg_load(st->oh->file, TS_MSG_ATTR, msg->flags & TS_MSG_FLAG_SHARED, msg->body, msg->size, &body);
    if (status == 0)
        status = ts_attr_msg_decode(body.data, body.size, &attr);
    if (status == 0)
        status = strcmp(attr.name, name) == 0;
    ts_msg_body_deinit(&body);
    return status;
}

static int find_compact(const struct ts_attr_store *st, const char *name, struct ts_attr_spot *out)
{
    const struct ts_attr_names *names = ts_attr_names_get(st->oh);
    size_t bytes = strlen(name) + 1;
    if (names)
        return (out->msg = ts_attr_names_find(names, st->oh, name, &out->position)) != NULL;
    out->position = 0;
    for (size_t i = 0; i < st->oh->n_msgs; i++) {
        const struct ts_ohdr_msg *msg = &st->oh->msgs[i];
        if (msg->type != TS_MSG_ATTR)
            continue;
        int is = may_have_name(msg, name, bytes) ? has_name(st, msg, name) : 0;
        if (is) {
            out->msg = msg;
            return is;
        }
        out->position++;
    }
    return 0;
}

int ts_attr_store_find(const struct ts_attr_store *st, const char *name, struct ts_attr_spot *out)
{
    out->msg = NULL;
    return st->dense ? find_dense(st, name, out->record) : find_compact(st, name, out);
}

int ts_attr_store_body(const struct ts_attr_store *st, const struct ts_attr_spot *spot, struct ts_msg_body *out)
{
    const struct ts_ohdr_msg *msg = spot->msg;
    if (!msg)
        return ts_attr_record_body(st, spot->record, out);
    return ts_msg_load(st->oh->file, TS_MSG_ATTR, msg->flags & TS_MSG_FLAG_SHARED, msg->body, msg->size, out);
}
