#include "group/dense.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "heap/fractal_heap.h"
#include "index/btree2.h"
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

int ts_dense_meta_size(struct ts_file *f, const struct ts_link_info *info, H5_ih_info_t *out)
{
    if (ts_storage_add_btree2(f, info->name_index, &out->index_size) < 0 ||
        ts_storage_add_btree2(f, info->corder_index, &out->index_size) < 0 ||
        ts_storage_add_fheap(f, info->heap, &out->heap_size) < 0)
        return -1;
    return 0;
}
