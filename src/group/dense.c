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
#include "group/held_links.h"
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
    size_t key;       /* bytes before the heap id in a record */
    struct ts_wr buf; /* the link message last read */
};

static void store_close(struct store *st)
{
    ts_wr_free(&st->buf);
    ts_btree2_close(st->tree);
    ts_fheap_close(st->heap);
}

static int not_of_links(haddr_t index)
{
    return TS_ERR(SYM, CANTLOAD, "link index at %#llx: not of links", (unsigned long long)index);
}

/* The name index, which may hold links, or with all of them in their places. */
static int open_names(struct ts_file *f, const struct ts_link_info *info, bool whole, struct ts_btree2 **out)
{
    int status = whole ? ts_btree2_open(f, info->name_index, out) : ts_btree2_open_held(f, info->name_index, out);
    if (status < 0)
        return -1;
    if (ts_btree2_record_size(*out) == NAME_KEY + HEAP_ID)
        return 0;
    ts_btree2_close(*out);
    return not_of_links(info->name_index);
}

static int open_order(struct ts_file *f, const struct ts_link_info *info, struct ts_btree2 **out)
{
    if (ts_btree2_open(f, info->corder_index, out) < 0)
        return -1;
    if (ts_btree2_record_size(*out) == ORDER_KEY + HEAP_ID)
        return 0;
    ts_btree2_close(*out);
    return not_of_links(info->corder_index);
}

static int store_open(struct ts_file *f, const struct ts_link_info *info, bool by_corder, struct store *out)
{
    *out = (struct store){.file = f, .key = NAME_KEY};
    if (open_names(f, info, true, &out->tree) < 0)
        return -1;
    if (by_corder && info->corder_index != HADDR_UNDEF) {
        ts_btree2_close(out->tree);
        out->key = ORDER_KEY;
        if (open_order(f, info, &out->tree) < 0)
            return -1;
    }
    if (ts_fheap_open(f, info->heap, &out->heap) == 0)
        return 0;
    ts_btree2_close(out->tree);
    return -1;
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
    uint32_t hash;
    const char *name; /* not terminated; NULL: that of the message */
    size_t len;
    const uint8_t *message;
    size_t size;
};

static struct wanted wanted(struct store *st, const char *name)
{
    size_t len = strlen(name);
    return (struct wanted){.st = st, .hash = ts_checksum(name, len), .name = name, .len = len};
}

static int compare_names(const struct wanted *a, const char *b, size_t b_len)
{
    int order = memcmp(a->name, b, a->len < b_len ? a->len : b_len);
    return order ? order : a->len < b_len ? -1 : a->len > b_len;
}

/* By hash, and by name among equal hashes. */
static int compare(const uint8_t *record, void *ctx, int *order)
{
    struct wanted *want = ctx;
    uint32_t hash;
    memcpy(&hash, record, sizeof hash);
    hash = le32toh(hash);
    if (hash != want->hash) {
        *order = want->hash < hash ? -1 : 1;
        return 0;
    }
    const char *name;
    size_t len;
    if ((!want->name && ts_link_peek_name(want->message, want->size, &want->name, &want->len) < 0) ||
        read_message(want->st, record) < 0 ||
        ts_link_peek_name(want->st->buf.data, want->st->buf.size, &name, &len) < 0)
        return -1;
    *order = compare_names(want, name, len);
    return 0;
}

/* Among those in their places: 1, and the link if *out is given. */
static int find_placed(struct ts_file *f, struct ts_btree2 *tree, const struct ts_link_info *info, struct wanted *want,
                       struct ts_link *out)
{
    struct store st = {.file = f, .tree = tree, .key = NAME_KEY};
    uint8_t record[RECORD_MAX];
    if (ts_btree2_count(tree) == 0)
        return 0;
    if (ts_fheap_open(f, info->heap, &st.heap) < 0)
        return -1;
    want->st = &st;
    int found = ts_btree2_find(tree, compare, want, record);
    if (found == 1 && out && read_link(&st, record, out) < 0)
        found = -1;
    ts_wr_free(&st.buf);
    ts_fheap_close(st.heap);
    return found;
}

static struct ts_held_links *held_by(const struct ts_btree2 *tree)
{
    return (struct ts_held_links *)ts_btree2_held(tree);
}

/* The tree is that of names, as it is. */
static int find(struct ts_file *f, struct ts_btree2 *tree, const struct ts_link_info *info, struct wanted *want,
                struct ts_link *out)
{
    const struct ts_held_links *held = held_by(tree);
    const struct ts_held_link *link;
    int found = held ? ts_held_links_find(held, want->name, want->hash, &link) : 0;
    if (found == 0 && held && !ts_held_links_may_be_placed(held, want->hash))
        return 0;
    if (found == 0)
        return find_placed(f, tree, info, want, out);
    if (found == 1 && out && ts_link_decode(held->bytes + link->at, link->size, ts_file_addr_size(f), out) < 0)
        found = -1;
    return found;
}

int ts_dense_find(struct ts_file *f, const struct ts_link_info *info, const char *name, struct ts_link *out)
{
    struct ts_btree2 *tree;
    if (open_names(f, info, false, &tree) < 0)
        return -1;
    struct wanted want = wanted(NULL, name);
    int found = find(f, tree, info, &want, out);
    ts_btree2_close(tree);
    return found;
}

int ts_dense_count(struct ts_file *f, const struct ts_link_info *info, hsize_t *out)
{
    struct ts_btree2 *tree;
    if (open_names(f, info, false, &tree) < 0)
        return -1;
    const struct ts_btree2_held *held = ts_btree2_held(tree);
    *out = ts_btree2_count(tree) + (held ? held->n : 0);
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
    int status = n < count
                     ? ts_btree2_at(st.tree, from_end ? count - 1 - n : n, record)
                     : TS_ERR(SYM, BADRANGE, "link %llu of %llu", (unsigned long long)n, (unsigned long long)count);
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

int ts_dense_at_name(struct ts_file *f, const struct ts_link_info *info, bool from_end, hsize_t n, struct ts_link *out)
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

/* What goes into the indexes at once: links that waited, or one. */
struct batch {
    const struct sorted *by_name;
    struct wanted want;
    const uint8_t *by_order; /* records */
    int64_t corder;
};

struct sorted {
    uint32_t hash, number;
    const uint8_t *message;
    size_t size;
};

static int by_name(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    struct wanted want = {0};
    const char *name;
    size_t len;
    /* They were decoded when they were found to be new. */
    (void)ts_link_peek_name(x->message, x->size, &want.name, &want.len);
    (void)ts_link_peek_name(y->message, y->size, &name, &len);
    return compare_names(&want, name, len);
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* By one digit of the hash; what has the same keeps its order. */
static void sort_by_digit(const struct sorted *from, struct sorted *to, size_t n, unsigned shift)
{
    uint32_t at[DIGITS + 1] = {0};
    for (size_t i = 0; i < n; i++)
        at[(from[i].hash >> shift) % DIGITS + 1]++;
    for (size_t digit = 0; digit < DIGITS; digit++)
        at[digit + 1] += at[digit];
    for (size_t i = 0; i < n; i++)
        to[at[(from[i].hash >> shift) % DIGITS]++] = from[i];
}

/* By hash, and by name among equal hashes. The result is in `spare`, which has as much room. */
static void sort_names_by_hash(struct sorted *items, struct sorted *spare, size_t n)
{
    sort_by_digit(items, spare, n, 0);
    sort_by_digit(spare, items, n, DIGIT_BITS);
    sort_by_digit(items, spare, n, 2 * DIGIT_BITS);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && spare[end].hash == spare[i].hash; end++)
            continue;
        if (end > i + 1)
            qsort(spare + i, end - i, sizeof *spare, by_name);
    }
}

static void about_name(void *ctx, size_t i)
{
    struct batch *b = ctx;
    const struct sorted *s = &b->by_name[i];
    b->want = (struct wanted){.st = b->want.st, .hash = s->hash, .message = s->message, .size = s->size};
}

static int compare_name(const uint8_t *record, void *ctx, int *order)
{
    return compare(record, &((struct batch *)ctx)->want, order);
}

static int64_t corder_of(const uint8_t *record)
{
    struct ts_rd r = ts_rd_init(record, ORDER_KEY);
    return (int64_t)ts_rd_u64(&r);
}

static void about_order(void *ctx, size_t i)
{
    struct batch *b = ctx;
    b->corder = corder_of(b->by_order + i * (ORDER_KEY + HEAP_ID));
}

static int by_order(const void *a, const void *b)
{
    int64_t x = corder_of(a), y = corder_of(b);
    return x < y ? -1 : x > y;
}

static int compare_corder(const uint8_t *record, void *ctx, int *order)
{
    return compare_order(record, &((struct batch *)ctx)->corder, order);
}

/* Records of all: a key, which is one of theirs, and the id. */
static int index_names(struct store *st, const struct ts_held_links *links, const uint8_t (*ids)[HEAP_ID])
{
    size_t n = links->base.n;
    struct batch b = {.want = {.st = st}};
    struct sorted *items = ts_malloc(2 * n * sizeof *items), *sorted = items ? items + n : NULL;
    uint8_t *records = items ? ts_malloc(n * (NAME_KEY + HEAP_ID)) : NULL, *at = records;
    for (size_t i = 0; records && i < n; i++)
        items[i] =
            (struct sorted){links->items[i].hash, (uint32_t)i, links->bytes + links->items[i].at, links->items[i].size};
    if (records)
        sort_names_by_hash(items, sorted, n);
    for (size_t i = 0; records && i < n; i++, at += NAME_KEY + HEAP_ID) {
        uint32_t hash = htole32(sorted[i].hash);
        memcpy(at, &hash, sizeof hash);
        memcpy(at + NAME_KEY, ids[sorted[i].number], HEAP_ID);
    }
    b.by_name = sorted;
    struct ts_btree2_many many = {records, n, about_name, compare_name, &b};
    int status = records ? ts_btree2_insert_many(st->tree, &many) : -1;
    ts_free(items);
    ts_free(records);
    if (status > 0)
        return TS_ERR_AS(LINK, EXISTS, "name already exists", "a name in the index at %#llx",
                         (unsigned long long)links->info.name_index);
    return status < 0 ? -1 : ts_meta_depend(st->file, links->info.name_index, links->info.heap);
}

static int index_orders(struct ts_file *f, const struct ts_held_links *links, const uint8_t (*ids)[HEAP_ID])
{
    size_t n = links->base.n;
    struct batch b = {0};
    bool sorted = true;
    struct ts_btree2 *tree;
    if (open_order(f, &links->info, &tree) < 0)
        return -1;
    uint8_t *records = ts_malloc(n * (ORDER_KEY + HEAP_ID)), *at = records;
    for (size_t i = 0; records && i < n; i++, at += ORDER_KEY + HEAP_ID) {
        uint64_t corder = htole64((uint64_t)links->items[i].corder);
        memcpy(at, &corder, sizeof corder);
        memcpy(at + ORDER_KEY, ids[i], HEAP_ID);
        sorted = sorted && (i == 0 || links->items[i - 1].corder < links->items[i].corder);
    }
    /* Those that were in the header when there were too many for it come by name. */
    if (records && !sorted)
        qsort(records, n, ORDER_KEY + HEAP_ID, by_order);
    b.by_order = records;
    struct ts_btree2_many many = {records, n, about_order, compare_corder, &b};
    int status = records ? ts_btree2_insert_many(tree, &many) : -1;
    ts_free(records);
    ts_btree2_close(tree);
    if (status > 0)
        return TS_ERR(SYM, CANTINSERT, "two links with creation order %lld", (long long)b.corder);
    return status < 0 ? -1 : ts_meta_depend(f, links->info.corder_index, links->info.heap);
}

static int put_in_heap(struct ts_fheap *heap, const struct ts_held_links *links, uint8_t (*ids)[HEAP_ID])
{
    size_t n = links->base.n;
    struct ts_fheap_object *objects = ts_malloc(n * sizeof *objects);
    if (!objects)
        return -1;
    for (size_t i = 0; i < n; i++)
        objects[i] = (struct ts_fheap_object){links->bytes + links->items[i].at, links->items[i].size, ids[i]};
    int status = ts_fheap_insert_many(heap, objects, n, HEAP_ID);
    ts_free(objects);
    return status;
}

/* Links with new names into the heap and the indexes. */
static int place(struct ts_file *f, struct ts_btree2 *names, const struct ts_held_links *links)
{
    struct store st = {.file = f, .tree = names, .key = NAME_KEY};
    uint8_t(*ids)[HEAP_ID] = ts_malloc(links->base.n * sizeof *ids);
    if (!ids)
        return -1;
    int status = ts_fheap_open(f, links->info.heap, &st.heap);
    if (status == 0) {
        status = put_in_heap(st.heap, links, ids);
        if (status == 0)
            status = index_names(&st, links, (const uint8_t(*)[HEAP_ID])ids);
        if (status == 0 && links->info.corder_index != HADDR_UNDEF)
            status = index_orders(f, links, (const uint8_t(*)[HEAP_ID])ids);
        ts_fheap_close(st.heap);
    }
    ts_wr_free(&st.buf);
    ts_free(ids);
    return status;
}

static int place_held(struct ts_btree2 *tree, struct ts_btree2_held *held)
{
    struct ts_held_links *h = (struct ts_held_links *)held, links;
    return ts_held_links_take(tree, h, &links) < 0 ? -1 : place(h->file, tree, &links);
}

/* The tree is open as it is. One that is too long to wait goes behind those that do. */
static int insert(struct ts_file *f, struct ts_btree2 *tree, const struct ts_link_info *info, struct ts_held_link *link,
                  const struct ts_wr *message)
{
    struct ts_held_links *h = held_by(tree);
    if (message->size > TS_HELD_LINK_MAX) {
        struct ts_held_links one = {.base.n = 1, .info = *info, .items = link, .bytes = message->data};
        if (h)
            ts_held_links_placed(h, link, 1);
        return h && h->base.n > 0 && place_held(tree, &h->base) < 0 ? -1 : place(f, tree, &one);
    }
    if (!h && ts_held_links_begin(tree, f, info, place_held) < 0)
        return -1;
    return ts_held_links_add(tree, held_by(tree), link, message->data);
}

int ts_dense_insert(struct ts_file *f, const struct ts_link_info *info, const struct ts_link *link,
                    const struct ts_wr *message, bool vacant)
{
    TS_IN_CHANGE(f);
    struct ts_btree2 *tree;
    if (edit_order(f) < 0 || open_names(f, info, false, &tree) < 0)
        return -1;
    struct wanted want = wanted(NULL, link->name);
    int found = vacant ? 0 : find(f, tree, info, &want, NULL);
    if (found == 1)
        found = TS_ERR_AS(LINK, EXISTS, "name already exists", "'%s'", link->name);
    struct ts_held_link item = {.hash = want.hash, .size = (uint32_t)message->size, .corder = link->corder};
    int status = found == 0 ? insert(f, tree, info, &item, message) : -1;
    ts_btree2_close(tree);
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
    struct wanted want = wanted(&st, link->name);
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
    return by_order(a, b);
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
