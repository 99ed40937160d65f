#include "group/dense.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/change.h"
#include "filter/pipeline_codec.h"
#include "format/btree2.h"
#include "heap/fractal_heap.h"
#include "index/btree2.h"
#include "meta/meta.h"
#include "object/storage.h"

/* Name index: hash 4, heap id 7. Creation index: order 8, heap id 7. */
enum { HEAP_ID = 7, NAME_KEY = 4, ORDER_KEY = 8, RECORD_MAX = ORDER_KEY + HEAP_ID };

struct store {
    struct ts_file *file;
    struct ts_fheap *heap;
    struct ts_btree2 *tree;
    size_t key; /* bytes before the heap id in a record */
    struct ts_wr buf; /* the link message last read */
};

static void store_close(struct store *st)
{
    ts_wr_free(&st->buf);
    ts_btree2_close(st->tree);
    ts_fheap_close(st->heap);
}

static int store_open(struct ts_file *f, const struct ts_link_info *info, bool by_corder, struct store *out)
{
    bool ordered = by_corder && info->corder_index != HADDR_UNDEF;
    haddr_t addr = ordered ? info->corder_index : info->name_index;
    *out = (struct store){.file = f, .key = ordered ? ORDER_KEY : NAME_KEY};
    if (ts_fheap_open(f, info->heap, &out->heap) < 0)
        return -1;
    if (ts_btree2_open(f, addr, &out->tree) < 0) {
        ts_fheap_close(out->heap);
        return -1;
    }
    if (ts_btree2_record_size(out->tree) == out->key + HEAP_ID)
        return 0;
    store_close(out);
    return TS_ERR(SYM, CANTLOAD, "link index at %#llx: not of links", (unsigned long long)addr);
}

/* The bytes stay in st->buf until the next call. */
static int read_message(struct store *st, const uint8_t *record)
{
    st->buf.size = 0;
    if (ts_fheap_read(st->heap, record + st->key, HEAP_ID, &st->buf) < 0 || st->buf.bad)
        return TS_ERR(SYM, CANTGET, "cannot read a link from its heap");
    return 0;
}

static int read_link(struct store *st, const uint8_t *record, struct ts_link *out)
{
    if (read_message(st, record) < 0)
        return -1;
    return ts_link_decode(st->buf.data, st->buf.size, ts_file_addr_size(st->file), out);
}

struct wanted {
    struct store *st;
    const char *name;
    uint32_t hash;
};

static int compare_names(const char *a, const char *b, size_t b_len)
{
    size_t a_len = strlen(a);
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : a_len < b_len ? -1 : a_len > b_len;
}

/* By hash, and by name among equal hashes. */
static int compare(const uint8_t *record, void *ctx, int *order)
{
    struct wanted *want = ctx;
    struct ts_rd r = ts_rd_init(record, NAME_KEY);
    uint32_t hash = ts_rd_u32(&r);
    if (hash != want->hash) {
        *order = want->hash < hash ? -1 : 1;
        return 0;
    }
    const char *name;
    size_t len;
    if (read_message(want->st, record) < 0 ||
        ts_link_peek_name(want->st->buf.data, want->st->buf.size, &name, &len) < 0)
        return -1;
    *order = compare_names(want->name, name, len);
    return 0;
}

int ts_dense_find(struct ts_file *f, const struct ts_link_info *info, const char *name, struct ts_link *out)
{
    struct store st;
    uint8_t record[RECORD_MAX];
    if (store_open(f, info, false, &st) < 0)
        return -1;
    struct wanted want = {&st, name, ts_checksum(name, strlen(name))};
    int found = ts_btree2_find(st.tree, compare, &want, record);
    if (found == 1 && read_link(&st, record, out) < 0)
        found = -1;
    store_close(&st);
    return found;
}

int ts_dense_count(struct ts_file *f, const struct ts_link_info *info, hsize_t *out)
{
    struct ts_btree2 *tree;
    if (ts_btree2_open(f, info->name_index, &tree) < 0)
        return -1;
    *out = ts_btree2_count(tree);
    ts_btree2_close(tree);
    return 0;
}

struct gather {
    struct store *st;
    struct ts_link_list *list;
};

static int gather(const uint8_t *record, void *ctx)
{
    struct gather *g = ctx;
    struct ts_link link;
    return read_link(g->st, record, &link) < 0 ? -1 : ts_link_list_add(g->list, &link);
}

int ts_dense_list(struct ts_file *f, const struct ts_link_info *info, bool by_corder, struct ts_link_list *out)
{
    struct store st;
    if (store_open(f, info, by_corder, &st) < 0)
        return -1;
    struct gather g = {&st, out};
    int status = ts_btree2_iterate(st.tree, gather, &g);
    store_close(&st);
    return status;
}

int ts_dense_at(struct ts_file *f, const struct ts_link_info *info, bool by_corder, bool from_end, hsize_t n,
                struct ts_link *out)
{
    struct store st;
    uint8_t record[RECORD_MAX];
    if (store_open(f, info, by_corder, &st) < 0)
        return -1;
    hsize_t count = ts_btree2_count(st.tree);
    int status = n < count ? ts_btree2_at(st.tree, from_end ? count - 1 - n : n, record)
                           : TS_ERR(SYM, BADRANGE, "link %llu of %llu", (unsigned long long)n,
                                    (unsigned long long)count);
    if (status == 0)
        status = read_link(&st, record, out);
    store_close(&st);
    return status;
}

/* Heap ids of a group's links by name. */
struct by_name {
    haddr_t index; /* the group's name index */
    size_t n;
    uint8_t ids[][HEAP_ID];
};

/* The links of one group that a file keeps by name. Whoever uses them takes them out meanwhile. */
struct kept_order {
    _Atomic(struct by_name *) links;
};

static void forget_order(struct ts_file *f)
{
    struct kept_order *kept = ts_file_client(f, TS_CLIENT_LINKS);
    if (kept)
        ts_free(atomic_exchange(&kept->links, NULL));
}

static void order_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)step;
    forget_order(f);
}

/* Links are about to change. When that is undone, so is what was read of them meanwhile. */
static int edit_order(struct ts_file *f)
{
    forget_order(f);
    return ts_undo_add(f, (struct ts_undo_step){.back = order_back});
}

static void drop_order(struct ts_file *f, void *state)
{
    forget_order(f);
    ts_free(state);
}

static const struct ts_client_ops client = {.refresh = forget_order, .drop = drop_order};

/* Two threads may be the first. */
static struct kept_order *keep_order(struct ts_file *f)
{
    struct kept_order *kept = ts_file_client(f, TS_CLIENT_LINKS), *mine;
    if (kept)
        return kept;
    mine = ts_calloc(1, sizeof *mine);
    if (!mine)
        return NULL;
    kept = ts_file_attach(f, TS_CLIENT_LINKS, &client, mine);
    if (kept != mine)
        ts_free(mine);
    return kept;
}

struct named_id {
    char *name;
    uint8_t id[HEAP_ID];
};

struct name_list {
    struct store *st;
    size_t n, capacity;
    struct named_id *items;
};

static int gather_name(const uint8_t *record, void *ctx)
{
    struct name_list *list = ctx;
    const char *name;
    size_t len;
    if (read_message(list->st, record) < 0 ||
        ts_link_peek_name(list->st->buf.data, list->st->buf.size, &name, &len) < 0 ||
        TS_GROW(list->items, list->capacity, list->n + 1) < 0)
        return -1;
    struct named_id *item = &list->items[list->n];
    item->name = ts_strndup(name, len);
    if (!item->name)
        return -1;
    memcpy(item->id, record + NAME_KEY, HEAP_ID);
    list->n++;
    return 0;
}

static int compare_items(const void *a, const void *b)
{
    return strcmp(((const struct named_id *)a)->name, ((const struct named_id *)b)->name);
}

static struct by_name *sort_names(struct store *st, haddr_t index)
{
    struct name_list list = {.st = st};
    struct by_name *order = NULL;
    if (ts_btree2_iterate(st->tree, gather_name, &list) == 0) {
        if (list.n > 1)
            qsort(list.items, list.n, sizeof *list.items, compare_items);
        order = ts_malloc(sizeof *order + list.n * HEAP_ID);
    }
    if (order) {
        order->index = index;
        order->n = list.n;
        for (size_t i = 0; i < list.n; i++)
            memcpy(order->ids[i], list.items[i].id, HEAP_ID);
    }
    for (size_t i = 0; i < list.n; i++)
        ts_free(list.items[i].name);
    ts_free(list.items);
    return order;
}

static struct by_name *take_order(struct kept_order *kept, struct store *st, haddr_t index)
{
    struct by_name *order = atomic_exchange(&kept->links, NULL);
    if (order && order->index == index && order->n == ts_btree2_count(st->tree))
        return order;
    ts_free(order);
    return sort_names(st, index);
}

int ts_dense_at_name(struct ts_file *f, const struct ts_link_info *info, bool from_end, hsize_t n,
                     struct ts_link *out)
{
    struct store st;
    uint8_t record[RECORD_MAX];
    struct kept_order *kept = keep_order(f);
    if (!kept || store_open(f, info, false, &st) < 0)
        return -1;
    struct by_name *order = take_order(kept, &st, info->name_index);
    int status = order ? 0 : -1;
    if (order && n >= order->n)
        status = TS_ERR(SYM, BADRANGE, "link %llu of %zu", (unsigned long long)n, order->n);
    if (status == 0) {
        memcpy(record + NAME_KEY, order->ids[from_end ? order->n - 1 - n : n], HEAP_ID);
        status = read_link(&st, record, out);
    }
    ts_free(atomic_exchange(&kept->links, order));
    store_close(&st);
    return status;
}

int ts_dense_meta_size(struct ts_file *f, const struct ts_link_info *info, H5_ih_info_t *out)
{
    if (ts_storage_add_btree2(f, info->name_index, &out->index_size) < 0 ||
        ts_storage_add_btree2(f, info->corder_index, &out->index_size) < 0 ||
        ts_storage_add_fheap(f, info->heap, &out->heap_size) < 0)
        return -1;
    return 0;
}

static int create_index(struct ts_file *f, unsigned type, uint16_t record_size, haddr_t *addr)
{
    struct ts_btree2_params params = {.type = type,
                                      .node_size = TS_BTREE2_NODE,
                                      .record_size = record_size,
                                      .split_percent = TS_BTREE2_SPLIT,
                                      .merge_percent = TS_BTREE2_MERGE};
    return ts_btree2_create(f, &params, addr);
}

/* Inside a heap libhdf5 knows version 2 of the filter message only. */
static int create_heap(struct ts_file *f, const struct ts_pipeline *filters, haddr_t *addr)
{
    struct ts_fheap_params params = ts_fheap_for_links;
    struct ts_wr message = {0};
    if (filters->n > 0 && ts_pipeline_encode_message(filters, 2, &message) < 0) {
        ts_wr_free(&message);
        return -1;
    }
    params.filters = filters->n > 0 ? message.data : NULL;
    params.filter_size = message.size;
    int status = ts_fheap_create(f, &params, addr);
    ts_wr_free(&message);
    return status;
}

int ts_dense_create(struct ts_file *f, const struct ts_pipeline *filters, struct ts_link_info *info)
{
    TS_IN_CHANGE(f);
    if (create_heap(f, filters, &info->heap) < 0 ||
        create_index(f, TS_BTREE2_LINK_NAME, NAME_KEY + HEAP_ID, &info->name_index) < 0)
        return -1;
    return info->indexed ? create_index(f, TS_BTREE2_LINK_ORDER, ORDER_KEY + HEAP_ID, &info->corder_index) : 0;
}

static int compare_order(const uint8_t *record, void *ctx, int *order)
{
    const int64_t *wanted = ctx;
    struct ts_rd r = ts_rd_init(record, ORDER_KEY);
    int64_t there = (int64_t)ts_rd_u64(&r);
    *order = *wanted < there ? -1 : *wanted > there;
    return 0;
}

/* The heap is open. */
static int index_order(struct ts_file *f, const struct ts_link_info *info, int64_t corder, const uint8_t *id)
{
    struct ts_btree2 *tree;
    uint8_t record[RECORD_MAX];
    for (unsigned i = 0; i < ORDER_KEY; i++)
        record[i] = (uint8_t)((uint64_t)corder >> 8 * i);
    memcpy(record + ORDER_KEY, id, HEAP_ID);
    if (ts_btree2_open(f, info->corder_index, &tree) < 0)
        return -1;
    int status = ts_btree2_insert(tree, record, compare_order, &corder);
    if (status == 0)
        status = ts_meta_depend(f, info->corder_index, info->heap);
    ts_btree2_close(tree);
    if (status > 0)
        return TS_ERR(SYM, CANTINSERT, "two links with creation order %lld", (long long)corder);
    return status;
}

static int index_name(struct store *st, struct wanted *want, const uint8_t *id)
{
    uint8_t record[RECORD_MAX];
    for (unsigned i = 0; i < NAME_KEY; i++)
        record[i] = (uint8_t)(want->hash >> 8 * i);
    memcpy(record + NAME_KEY, id, HEAP_ID);
    int status = ts_btree2_insert(st->tree, record, compare, want);
    if (status > 0)
        return TS_ERR_AS(LINK, EXISTS, "name already exists", "'%s'", want->name);
    return status;
}

int ts_dense_insert(struct ts_file *f, const struct ts_link_info *info, const struct ts_link *link,
                    const struct ts_wr *message)
{
    TS_IN_CHANGE(f);
    struct store st;
    uint8_t id[HEAP_ID];
    if (edit_order(f) < 0 || store_open(f, info, false, &st) < 0)
        return -1;
    struct wanted want = {&st, link->name, ts_checksum(link->name, strlen(link->name))};
    int status = ts_fheap_insert(st.heap, message->data, message->size, id, sizeof id);
    if (status == 0)
        status = index_name(&st, &want, id);
    if (status == 0)
        status = ts_meta_depend(f, info->name_index, info->heap);
    if (status == 0 && info->corder_index != HADDR_UNDEF)
        status = index_order(f, info, link->corder, id);
    store_close(&st);
    return status;
}

static int unindex_order(struct ts_file *f, haddr_t addr, int64_t corder)
{
    struct ts_btree2 *tree;
    if (ts_btree2_open(f, addr, &tree) < 0)
        return -1;
    int found = ts_btree2_remove(tree, compare_order, &corder, NULL);
    ts_btree2_close(tree);
    if (found == 0)
        return TS_ERR(SYM, CANTREMOVE, "no link with creation order %lld in its index", (long long)corder);
    return found < 0 ? -1 : 0;
}

int ts_dense_remove(struct ts_file *f, const struct ts_link_info *info, const struct ts_link *link)
{
    TS_IN_CHANGE(f);
    struct store st;
    uint8_t record[RECORD_MAX];
    if (edit_order(f) < 0 || store_open(f, info, false, &st) < 0)
        return -1;
    struct wanted want = {&st, link->name, ts_checksum(link->name, strlen(link->name))};
    int found = ts_btree2_remove(st.tree, compare, &want, record);
    if (found == 1 && ts_fheap_remove(st.heap, record + NAME_KEY, HEAP_ID) < 0)
        found = -1;
    store_close(&st);
    if (found == 1 && info->corder_index != HADDR_UNDEF && unindex_order(f, info->corder_index, link->corder) < 0)
        found = -1;
    return found;
}

int ts_dense_delete(struct ts_file *f, struct ts_link_info *info)
{
    TS_IN_CHANGE(f);
    if (edit_order(f) < 0 || ts_btree2_delete(f, info->name_index, NULL, NULL) < 0 ||
        (info->corder_index != HADDR_UNDEF && ts_btree2_delete(f, info->corder_index, NULL, NULL) < 0) ||
        ts_fheap_delete(f, info->heap) < 0)
        return -1;
    info->heap = info->name_index = info->corder_index = HADDR_UNDEF;
    return 0;
}

static int order_by_hash(const uint8_t *a, const uint8_t *b, void *ctx)
{
    (void)ctx;
    struct ts_rd ra = ts_rd_init(a, NAME_KEY), rb = ts_rd_init(b, NAME_KEY);
    uint32_t x = ts_rd_u32(&ra), y = ts_rd_u32(&rb);
    /* Names with the same hash are in order, which only the heap knows. */
    return x <= y ? -1 : 1;
}

static int order_by_corder(const uint8_t *a, const uint8_t *b, void *ctx)
{
    (void)ctx;
    struct ts_rd ra = ts_rd_init(a, ORDER_KEY), rb = ts_rd_init(b, ORDER_KEY);
    int64_t x = (int64_t)ts_rd_u64(&ra), y = (int64_t)ts_rd_u64(&rb);
    return x < y ? -1 : x > y;
}

static int verify_store(struct store *st, uint64_t *count)
{
    const char *reason = "";
    if (ts_btree2_verify(st->tree, st->key == NAME_KEY ? order_by_hash : order_by_corder, NULL, &reason) != 1)
        return TS_ERR(SYM, CANTLOAD, "an index of links: %s", reason);
    *count = ts_btree2_count(st->tree);
    return ts_fheap_verify(st->heap);
}

int ts_dense_verify(struct ts_file *f, const struct ts_link_info *info)
{
    uint64_t counts[2] = {0, 0};
    unsigned n = info->corder_index != HADDR_UNDEF ? 2 : 1;
    for (unsigned i = 0; i < n; i++) {
        struct store st;
        if (store_open(f, info, i == 1, &st) < 0)
            return -1;
        int status = verify_store(&st, &counts[i]);
        store_close(&st);
        if (status < 0)
            return -1;
    }
    if (n == 2 && counts[0] != counts[1])
        return TS_ERR(SYM, CANTLOAD, "%llu links by name, %llu by creation order", (unsigned long long)counts[0],
                      (unsigned long long)counts[1]);
    return 0;
}
