#include "object/sohm.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "format/btree2.h"
#include "format/messages.h"
#include "heap/fractal_heap.h"
#include "index/btree2.h"
#include "meta/meta.h"
#include "plist/fcpl.h"

/* What the cache has of the table: a copy of the one that all look at. */
static int table_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg, (void)addr;
    *obj = ts_memdup(ts_sohm_table(f), sizeof(struct ts_sohm_table));
    *bytes = sizeof(struct ts_sohm_table);
    return *obj ? 0 : -1;
}

static int table_keep(struct ts_file *f, void *obj)
{
    return ts_undo_bytes(f, obj, sizeof(struct ts_sohm_table));
}

static int table_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    if (ts_sohm_table_encode(obj, ts_file_addr_size(f), ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, ts_sohm_of(f)->addr);
}

static const struct ts_meta_class table_class = {
    .name = "shared message table", .load = table_load, .free = ts_free, .encode = table_encode, .keep = table_keep};

struct list {
    haddr_t addr;
    size_t n, room;
    struct ts_sohm_record *records;
};

static void list_free(void *obj)
{
    struct list *list = obj;
    ts_free(list->records);
    ts_free(list);
}

static struct list *list_new(haddr_t addr, size_t n, size_t room)
{
    struct list *list = ts_calloc(1, sizeof *list);
    if (!list)
        return NULL;
    *list = (struct list){addr, n, room, ts_calloc(room + 1, sizeof *list->records)};
    if (list->records)
        return list;
    list_free(list);
    return NULL;
}

static size_t list_bytes(const struct list *list)
{
    return sizeof *list + (list->room + 1) * sizeof *list->records;
}

static int list_read(struct ts_file *f, struct list *list)
{
    size_t size = ts_sohm_list_size(list->n, ts_file_addr_size(f));
    uint8_t *buf = ts_malloc(size);
    int status = buf ? ts_file_read(f, list->addr, size, buf) : -1;
    if (status == 0)
        status = ts_sohm_list_decode(buf, list->n, ts_file_addr_size(f), list->records);
    ts_free(buf);
    return status;
}

static int list_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    const struct ts_sohm_index *index = arg;
    if (index->messages > index->list_max)
        return TS_ERR(SOHM, CANTLOAD, "%s: %u shared messages in a list for %u", f->name, index->messages,
                      index->list_max);
    struct list *list = list_new(addr, index->messages, index->list_max);
    if (!list)
        return -1;
    if (list_read(f, list) < 0) {
        list_free(list);
        return -1;
    }
    *obj = list;
    *bytes = list_bytes(list);
    return 0;
}

static int list_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct list *list = obj;
    if (ts_sohm_list_encode(list->records, list->n, list->room, ts_file_addr_size(f), ts_blocks_begin(out)) < 0)
        return -1;
    return ts_blocks_end(out, list->addr);
}

/* Who changes records keeps them. */
static int list_keep(struct ts_file *f, void *obj)
{
    struct list *list = obj;
    return ts_undo_bytes(f, &list->n, sizeof list->n);
}

static const struct ts_meta_class list_class = {.name = "shared message list",
                                                .load = list_load,
                                                .free = list_free,
                                                .encode = list_encode,
                                                .keep = list_keep,
                                                .retry = TS_RETRY_SOHM_LIST};

/* An index that is open, and what is looked for in it. */
struct look {
    struct ts_file *f;
    struct ts_sohm_index *index; /* of the file's table */
    struct ts_fheap *heap;
    struct list *list; /* one of the two */
    struct ts_btree2 *tree;
    unsigned type;
    const uint8_t *body;
    size_t size;
    uint32_t hash;
    struct ts_sohm_record found;
    int delta; /* of users, for the record that is found */
};

static int put_table(struct look *at)
{
    struct ts_file *f = at->f;
    haddr_t addr = ts_sohm_of(f)->addr;
    void *table;
    if (ts_meta_pin(f, &table_class, addr, NULL, &table) < 0)
        return -1;
    int status = ts_meta_edit(f, addr);
    if (status == 0) {
        *(struct ts_sohm_table *)table = ts_sohm_of(f)->table;
        status = ts_meta_depend(f, addr, at->index->index);
    }
    if (status == 0)
        status = ts_meta_depend(f, addr, at->index->heap);
    ts_meta_unpin(f, addr);
    return status;
}

static int create_list(struct ts_file *f, struct ts_sohm_index *index)
{
    uint64_t size = ts_sohm_list_size(index->list_max, ts_file_addr_size(f));
    haddr_t addr;
    if (ts_file_alloc(f, H5FD_MEM_BTREE, size, &addr) < 0)
        return -1;
    struct list *list = list_new(addr, 0, index->list_max);
    if (!list)
        return -1;
    if (ts_meta_insert(f, &list_class, addr, list, list_bytes(list)) < 0) {
        list_free(list);
        return -1;
    }
    ts_meta_unpin(f, addr);
    index->index = addr;
    index->kind = TS_SOHM_LIST;
    return 0;
}

static int create_tree(struct ts_file *f, struct ts_sohm_index *index)
{
    struct ts_btree2_params params = {.type = TS_BTREE2_SHARED_MESSAGE,
                                      .node_size = TS_BTREE2_NODE,
                                      .record_size = (uint16_t)ts_sohm_record_size(ts_file_addr_size(f)),
                                      .split_percent = TS_BTREE2_SPLIT,
                                      .merge_percent = TS_BTREE2_MERGE};
    index->kind = TS_SOHM_BTREE;
    return ts_btree2_create(f, &params, &index->index);
}

static int create_index(struct ts_file *f, struct ts_sohm_index *index)
{
    if (index->index == HADDR_UNDEF && (index->list_max > 0 ? create_list(f, index) : create_tree(f, index)) < 0)
        return -1;
    return index->heap == HADDR_UNDEF ? ts_fheap_create(f, &ts_fheap_for_attrs, &index->heap) : 0;
}

static void close_look(struct look *at)
{
    if (at->heap)
        ts_fheap_close(at->heap);
    if (at->list)
        ts_meta_unpin(at->f, at->list->addr);
    if (at->tree)
        ts_btree2_close(at->tree);
    at->heap = NULL;
    at->list = NULL;
    at->tree = NULL;
}

static int open_index(struct look *at)
{
    void *list;
    if (at->index->kind == TS_SOHM_BTREE) {
        if (ts_btree2_open(at->f, at->index->index, &at->tree) < 0)
            return -1;
        if (ts_btree2_record_size(at->tree) == ts_sohm_record_size(ts_file_addr_size(at->f)))
            return 0;
        return TS_ERR(SOHM, CANTLOAD, "%s: the index of shared messages is another kind of B-tree", at->f->name);
    }
    if (ts_meta_pin(at->f, &list_class, at->index->index, at->index, &list) < 0)
        return -1;
    at->list = list;
    return 0;
}

static int open_look(struct look *at)
{
    if (ts_fheap_open(at->f, at->index->heap, &at->heap) == 0 && open_index(at) == 0)
        return 0;
    close_look(at);
    return -1;
}

static int order_bytes(const struct look *at, const uint8_t *data, size_t size)
{
    int order = memcmp(at->body, data, at->size < size ? at->size : size);
    return order ? order : at->size < size ? -1 : at->size > size;
}

static int compare_in_header(const struct look *at, const struct ts_sohm_record *rec, int *order)
{
    struct ts_ohdr *oh;
    if (rec->msg_type != at->type) {
        *order = at->type < rec->msg_type ? -1 : 1;
        return 0;
    }
    if (ts_ohdr_open(at->f, rec->header, &oh) < 0)
        return -1;
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, rec->msg_type);
    *order = msg ? order_bytes(at, msg->body, msg->size < at->size ? msg->size : at->size) : 1;
    ts_ohdr_close(oh);
    return 0;
}

/* By hash, and by the bytes among equal hashes. */
static int compare(const struct look *at, const struct ts_sohm_record *rec, int *order)
{
    struct ts_wr bytes = {0};
    if (at->hash != rec->hash) {
        *order = at->hash < rec->hash ? -1 : 1;
        return 0;
    }
    if (!rec->in_heap)
        return compare_in_header(at, rec, order);
    int status = ts_fheap_read(at->heap, rec->heap_id, TS_SOHM_ID, &bytes);
    if (status == 0)
        *order = order_bytes(at, bytes.data, bytes.size);
    ts_wr_free(&bytes);
    return status;
}

static int compare_record(const uint8_t *record, void *ctx, int *order)
{
    struct look *at = ctx;
    struct ts_sohm_record rec;
    return ts_sohm_record_decode(record, ts_file_addr_size(at->f), &rec) < 0 ? -1 : compare(at, &rec, order);
}

/* 1 and at->found, with its place in a list. */
static int find(struct look *at, size_t *place)
{
    uint8_t record[32];
    int order, status;
    if (at->tree) {
        status = ts_btree2_find(at->tree, compare_record, at, record);
        if (status == 1 && ts_sohm_record_decode(record, ts_file_addr_size(at->f), &at->found) < 0)
            return -1;
        return status;
    }
    for (*place = 0; *place < at->list->n; ++*place) {
        const struct ts_sohm_record *rec = &at->list->records[*place];
        if (compare(at, rec, &order) < 0)
            return -1;
        if (order == 0) {
            at->found = *rec;
            return 1;
        }
    }
    return 0;
}

static int encode_record(const struct look *at, const struct ts_sohm_record *rec, struct ts_wr *w)
{
    size_t size = ts_sohm_record_size(ts_file_addr_size(at->f));
    if (ts_sohm_record_encode(rec, ts_file_addr_size(at->f), w) < 0)
        return -1;
    if (w->size < size)
        ts_wr_zeros(w, size - w->size);
    return w->bad ? -1 : 0;
}

static int tree_insert(struct look *at, const struct ts_sohm_record *rec)
{
    struct ts_wr w = {0};
    int status = encode_record(at, rec, &w);
    if (status == 0)
        status = ts_btree2_insert(at->tree, w.data, compare_record, at);
    ts_wr_free(&w);
    return status == 1 ? TS_ERR(SOHM, EXISTS, "%s: a shared message is in its index twice", at->f->name) : status;
}

/* The bytes by which a record sorts are those of its message. */
static int move_record(struct look *at, const struct ts_sohm_record *rec)
{
    struct ts_wr bytes = {0};
    struct look as = *at;
    as.hash = rec->hash;
    /* Of those in headers no two are equal, and only collisions of hashes look at the bytes. */
    if (!rec->in_heap)
        return tree_insert(&as, rec);
    int status = ts_fheap_read(at->heap, rec->heap_id, TS_SOHM_ID, &bytes);
    as.body = bytes.data;
    as.size = bytes.size;
    if (status == 0)
        status = tree_insert(&as, rec);
    ts_wr_free(&bytes);
    return status;
}

static int list_to_tree(struct look *at)
{
    struct list *list = at->list;
    haddr_t addr = list->addr;
    if (create_tree(at->f, at->index) < 0 || ts_btree2_open(at->f, at->index->index, &at->tree) < 0)
        return -1;
    for (size_t i = 0; i < list->n; i++)
        if (move_record(at, &list->records[i]) < 0)
            return -1;
    ts_file_free(at->f, H5FD_MEM_BTREE, addr, ts_sohm_list_size(list->room, ts_file_addr_size(at->f)));
    ts_meta_remove(at->f, addr);
    at->list = NULL;
    ts_meta_unpin(at->f, addr);
    return 0;
}

/* Records of the list from `from` on, up to `to`, are about to change. */
static int edit_records(struct look *at, size_t from, size_t to)
{
    struct list *list = at->list;
    if (ts_meta_edit(at->f, list->addr) < 0)
        return -1;
    return ts_undo_bytes(at->f, &list->records[from], (to - from) * sizeof *list->records);
}

static int insert(struct look *at, const struct ts_sohm_record *rec)
{
    if (at->list && at->list->n >= at->list->room && list_to_tree(at) < 0)
        return -1;
    at->index->messages++;
    if (at->tree)
        return tree_insert(at, rec);
    if (edit_records(at, at->list->n, at->list->n) < 0)
        return -1;
    at->list->records[at->list->n++] = *rec;
    return 0;
}

static int add_users(uint8_t *record, void *ctx)
{
    struct look *at = ctx;
    struct ts_sohm_record rec;
    struct ts_wr w = {0};
    if (ts_sohm_record_decode(record, ts_file_addr_size(at->f), &rec) < 0)
        return -1;
    rec.references += (uint32_t)at->delta;
    int status = encode_record(at, &rec, &w);
    if (status == 0)
        memcpy(record, w.data, w.size);
    ts_wr_free(&w);
    return status < 0 ? -1 : 1;
}

static int change_users(struct look *at, size_t place, int by)
{
    at->delta = by;
    if (at->tree)
        return ts_btree2_modify(at->tree, compare_record, add_users, at) == 1 ? 0 : -1;
    if (edit_records(at, place, place + 1) < 0)
        return -1;
    at->list->records[place].references += (uint32_t)by;
    return 0;
}

static int drop_record(struct look *at, size_t place)
{
    at->index->messages--;
    if (at->tree)
        return ts_btree2_remove(at->tree, compare_record, at, NULL) == 1 ? 0 : -1;
    struct list *list = at->list;
    if (edit_records(at, place, list->n) < 0)
        return -1;
    memmove(&list->records[place], &list->records[place + 1], (list->n - place - 1) * sizeof *list->records);
    list->n--;
    return 0;
}

/* What the table says of the index is about to change. */
static int edit_index(const struct look *at)
{
    return ts_undo_bytes(at->f, at->index, sizeof *at->index);
}

/* False when messages of the type are not shared. */
static bool init_look(struct look *at, struct ts_file *f, unsigned type, const uint8_t *body, size_t size)
{
    *at = (struct look){.f = f, .type = type, .body = body, .size = size};
    struct ts_sohm *shared = ts_sohm_of(f);
    const struct ts_sohm_index *index = shared ? ts_sohm_table_find(&shared->table, type) : NULL;
    if (!index)
        return false;
    at->index = &shared->table.index[index - shared->table.index];
    at->hash = ts_checksum_from(body, size, type);
    return true;
}

static int share_in(struct look *at, uint8_t *id)
{
    size_t place = 0;
    int found = find(at, &place);
    if (found < 0)
        return -1;
    if (found == 1) {
        if (!at->found.in_heap || at->found.references == UINT32_MAX)
            return 0;
        memcpy(id, at->found.heap_id, TS_SOHM_ID);
        return change_users(at, place, 1) < 0 || put_table(at) < 0 ? -1 : 1;
    }
    if (at->index->messages >= UINT16_MAX)
        return 0;
    struct ts_sohm_record rec = {.in_heap = true, .hash = at->hash, .references = 1, .header = HADDR_UNDEF};
    if (ts_fheap_insert(at->heap, at->body, at->size, rec.heap_id, sizeof rec.heap_id) < 0 || insert(at, &rec) < 0)
        return -1;
    memcpy(id, rec.heap_id, TS_SOHM_ID);
    return put_table(at) < 0 ? -1 : 1;
}

int ts_sohm_share(struct ts_ohdr *oh, unsigned type, const uint8_t *body, size_t size, uint8_t *id)
{
    TS_IN_CHANGE(oh->file);
    struct look at;
    /* Who leads a SWMR reader to the header would have to wait for the heap of shared messages. */
    if (oh->file->swmr == TS_SWMR_WRITER)
        return 0;
    if (!init_look(&at, oh->file, type, body, size) || size < at.index->min_size)
        return 0;
    if (edit_index(&at) < 0 || create_index(at.f, at.index) < 0 || open_look(&at) < 0)
        return -1;
    int shared = share_in(&at, id);
    if (shared == 1 && ts_meta_depend(at.f, oh->addr, at.index->heap) < 0)
        shared = -1;
    close_look(&at);
    return shared;
}

static int count_in(struct look *at, const uint8_t *id, int by)
{
    size_t place = 0;
    int found = find(at, &place);
    if (found <= 0 || !at->found.in_heap)
        return found < 0 ? -1 : TS_ERR(SOHM, NOTFOUND, "%s: a shared message is not in its index", at->f->name);
    bool last = by < 0 && at->found.references <= 1;
    if ((last ? drop_record(at, place) : change_users(at, place, by)) < 0)
        return -1;
    if (last && ts_fheap_remove(at->heap, id, TS_SOHM_ID) < 0)
        return -1;
    return put_table(at);
}

/* 1 when there is one user, 0 when there are more. */
static int is_alone_in(struct look *at)
{
    size_t place = 0;
    int found = find(at, &place);
    return found <= 0 ? found : at->found.references <= 1;
}

/* By 0: whether it is alone. */
static int count_by_id(struct ts_file *f, unsigned type, const uint8_t *id, int by)
{
    TS_IN_CHANGE(f);
    struct look at;
    struct ts_wr bytes = {0};
    if (!init_look(&at, f, type, NULL, 0))
        return TS_ERR(SOHM, NOTFOUND, "%s: message %#x is shared, but the file has no index for its type", f->name,
                      type);
    if (edit_index(&at) < 0 || open_look(&at) < 0)
        return -1;
    int status = ts_fheap_read(at.heap, id, TS_SOHM_ID, &bytes);
    at.body = bytes.data;
    at.size = bytes.size;
    if (status == 0) {
        at.hash = ts_checksum_from(at.body, at.size, type);
        status = by ? count_in(&at, id, by) : is_alone_in(&at);
    }
    close_look(&at);
    ts_wr_free(&bytes);
    return status;
}

int ts_sohm_count(struct ts_file *f, unsigned type, const uint8_t *id, int by)
{
    return count_by_id(f, type, id, by);
}

int ts_sohm_is_alone(struct ts_file *f, unsigned type, const uint8_t *id)
{
    return count_by_id(f, type, id, 0);
}

int ts_sohm_forget(const struct ts_ohdr *oh, const struct ts_ohdr_msg *msg)
{
    TS_IN_CHANGE(oh->file);
    struct look at;
    size_t place = 0;
    if (!init_look(&at, oh->file, msg->type, msg->body, msg->size) || at.index->index == HADDR_UNDEF ||
        at.index->heap == HADDR_UNDEF)
        return 0;
    if (edit_index(&at) < 0 || open_look(&at) < 0)
        return -1;
    int status = find(&at, &place);
    if (status == 1 && !at.found.in_heap && at.found.header == oh->addr)
        status = drop_record(&at, place) < 0 ? -1 : put_table(&at);
    close_look(&at);
    return status < 0 ? -1 : 0;
}

/* A kind of message is shared in one index only. */
static int check_types(const unsigned *types, unsigned n)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < n && i < H5O_SHMESG_MAX_NINDEXES; i++) {
        if (types[i] & seen)
            return TS_ERR(SOHM, BADVALUE, "the same shared message type flag is assigned to more than one index: %#x",
                          types[i] & seen);
        seen |= types[i];
    }
    return 0;
}

static int read_lists(struct ts_plist *fcpl, struct ts_sohm_table *out)
{
    unsigned types[H5O_SHMESG_MAX_NINDEXES], sizes[H5O_SHMESG_MAX_NINDEXES], list_max, btree_min;
    *out = (struct ts_sohm_table){0};
    if (ts_fcpl_sohm_indexes(fcpl, &out->n) < 0 || ts_fcpl_sohm_types(fcpl, types) < 0 ||
        ts_fcpl_sohm_min_size(fcpl, sizes) < 0 || ts_fcpl_sohm_max_list(fcpl, &list_max) < 0 ||
        ts_fcpl_sohm_min_btree(fcpl, &btree_min) < 0 || check_types(types, out->n) < 0)
        return -1;
    for (unsigned i = 0; i < out->n && i < H5O_SHMESG_MAX_NINDEXES; i++)
        out->index[i] = (struct ts_sohm_index){.kind = list_max > 0 ? TS_SOHM_LIST : TS_SOHM_BTREE,
                                               .types = types[i],
                                               .min_size = sizes[i],
                                               .list_max = list_max,
                                               .btree_min = btree_min,
                                               .index = HADDR_UNDEF,
                                               .heap = HADDR_UNDEF};
    return 0;
}

static int insert_table(struct ts_file *f, struct ts_sohm *shared, struct ts_ohdr *extension)
{
    uint64_t size = ts_sohm_table_size(shared->table.n, ts_file_addr_size(f));
    if (ts_file_alloc(f, H5FD_MEM_OHDR, size, &shared->addr) < 0)
        return -1;
    void *table = ts_memdup(&shared->table, sizeof shared->table);
    if (!table)
        return -1;
    if (ts_meta_insert(f, &table_class, shared->addr, table, sizeof shared->table) < 0) {
        ts_free(table);
        return -1;
    }
    int status = ts_meta_depend(f, extension->addr, shared->addr);
    ts_meta_unpin(f, shared->addr);
    return status;
}

int ts_sohm_create(struct ts_file *f, struct ts_plist *fcpl, struct ts_ohdr *extension)
{
    TS_IN_CHANGE(f);
    struct ts_sohm_table table;
    struct ts_wr w = {0};
    if (read_lists(fcpl, &table) < 0)
        return -1;
    if (table.n == 0)
        return 0;
    struct ts_sohm *shared = ts_sohm_attach(f);
    if (!shared || ts_undo_bytes(f, shared, sizeof *shared) < 0)
        return -1;
    shared->table = table;
    if (insert_table(f, shared, extension) < 0)
        return -1;
    struct ts_sohm_msg msg = {shared->addr, table.n};
    int status = ts_sohm_msg_encode(&msg, ts_file_addr_size(f), &w);
    if (status == 0)
        status =
            ts_ohdr_add(extension, TS_MSG_SOHM_TABLE, TS_MSG_FLAG_CONSTANT | TS_MSG_FLAG_DONT_SHARE, w.data, w.size);
    ts_wr_free(&w);
    return status;
}
