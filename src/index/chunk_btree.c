/* Chunks in B-trees, version 1 and 2. */
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/btree1.h"
#include "format/btree2.h"
#include "index/chunk_kinds.h"

/* Looking for a position: in elements in version 1 trees, in chunks in version 2. */
struct search {
    const struct ts_chunk_index *ix;
    const hsize_t *at;
};

static int compare(const struct search *s, const uint8_t *coordinates)
{
    struct ts_rd r = ts_rd_init(coordinates, 8 * (size_t)s->ix->rank);
    for (unsigned i = 0; i < s->ix->rank; i++) {
        uint64_t v = ts_rd_u64(&r);
        if (s->at[i] != v)
            return s->at[i] < v ? -1 : 1;
    }
    return 0;
}

#define KEY_OFFSET 8 /* size and filter mask come before the offset in a version 1 key */

/* A key has one coordinate more, inside the element: 0 for every chunk, but not in the key that ends the tree, which
 * may share all others with the last chunk. */
static int compare_key(const struct search *s, const uint8_t *key)
{
    const uint8_t *coordinates = key + KEY_OFFSET;
    int order = compare(s, coordinates);
    struct ts_rd r = ts_rd_init(coordinates + 8 * (size_t)s->ix->rank, 8);
    return order == 0 && ts_rd_u64(&r) != 0 ? -1 : order;
}

static int locate1(const uint8_t *left, const uint8_t *right, void *ctx, int *order)
{
    const struct search *s = ctx;
    if (compare_key(s, left) < 0)
        *order = -1;
    else
        *order = compare_key(s, right) >= 0;
    return 0;
}

static int open1(struct ts_chunk_index *ix, const struct ts_layout *layout)
{
    (void)layout;
    ix->btree1 = (struct ts_btree1){
        .file = ix->file, .root = ix->addr, .type = TS_BTREE1_CHUNK, .key_size = ts_btree1_chunk_key_size(ix->rank)};
    return 0;
}

static int lookup1(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    hsize_t offset[H5S_MAX_RANK];
    uint8_t keys[2 * (8 + 8 * (H5S_MAX_RANK + 1))];
    struct search s = {.ix = ix, .at = offset};
    for (unsigned i = 0; i < ix->rank; i++)
        if (!ts_mul_u64(scaled[i], ix->chunk_dims[i], &offset[i]))
            return 0;
    int found = ts_btree1_find(&ix->btree1, locate1, &s, &out->addr, keys);
    if (found != 1)
        return found;
    if (compare(&s, keys + KEY_OFFSET) != 0)
        return 0;
    struct ts_btree1_chunk_key key;
    ts_btree1_chunk_key_decode(keys, ix->rank, &key);
    out->size = key.size;
    out->filter_mask = key.filter_mask;
    return 1;
}

struct walk {
    const struct ts_chunk_index *ix;
    ts_chunk_visit_fn *visit;
    void *ctx;
};

static int visit1(const struct ts_btree1_entry *entry, void *ctx)
{
    const struct walk *w = ctx;
    struct ts_btree1_chunk_key key;
    ts_btree1_chunk_key_decode(entry->left, w->ix->rank, &key);
    struct ts_chunk_rec rec = {.addr = entry->child, .size = key.size, .filter_mask = key.filter_mask};
    for (unsigned i = 0; i < w->ix->rank; i++) {
        rec.scaled[i] = key.offset[i] / w->ix->chunk_dims[i];
        if (key.offset[i] % w->ix->chunk_dims[i])
            return TS_ERR(BTREE, BADVALUE, "chunk at %llu in dimension %u: chunks have %llu",
                          (unsigned long long)key.offset[i], i, (unsigned long long)w->ix->chunk_dims[i]);
    }
    return w->visit(&rec, w->ctx);
}

static int iterate1(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct walk w = {.ix = ix, .visit = visit, .ctx = ctx};
    return ts_btree1_iterate(&ix->btree1, visit1, &w);
}

static int storage1(struct ts_chunk_index *ix, uint64_t *bytes)
{
    return ts_btree1_storage(&ix->btree1, ix->file->sb.chunk_k, bytes);
}

const struct ts_chunk_kind ts_chunk_btree1 = {
    .open = open1, .lookup = lookup1, .iterate = iterate1, .storage = storage1};

/* Where the coordinates stand in a version 2 record. */
static size_t coordinates2(const struct ts_chunk_index *ix)
{
    return ts_file_addr_size(ix->file) + (ix->filtered ? ix->size_width + 4 : 0);
}

static int check2(struct ts_chunk_index *ix)
{
    unsigned type = ts_btree2_type(ix->btree2);
    size_t size = ts_btree2_record_size(ix->btree2), coordinates = 8 * (size_t)ix->rank;
    if (type != (ix->filtered ? TS_BTREE2_CHUNK_FILTERED : TS_BTREE2_CHUNK) || size < coordinates)
        return TS_ERR(BTREE, BADTYPE, "B-tree of type %u, records of %zu bytes, indexes a %s dataset of rank %u", type,
                      size, ix->filtered ? "filtered" : "plain", ix->rank);
    return ts_chunk_set_size_width(ix, size - coordinates);
}

static int open2(struct ts_chunk_index *ix, const struct ts_layout *layout)
{
    (void)layout;
    if (ts_btree2_open(ix->file, ix->addr, &ix->btree2) < 0)
        return -1;
    if (check2(ix) < 0) {
        ts_btree2_close(ix->btree2);
        return -1;
    }
    return 0;
}

static void close2(struct ts_chunk_index *ix)
{
    ts_btree2_close(ix->btree2);
}

static int compare2(const uint8_t *record, void *ctx, int *order)
{
    const struct search *s = ctx;
    *order = compare(s, record + coordinates2(s->ix));
    return 0;
}

static int lookup2(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    uint8_t record[20 + 8 * H5S_MAX_RANK];
    struct search s = {.ix = ix, .at = scaled};
    int found = ts_btree2_find(ix->btree2, compare2, &s, record);
    if (found == 1)
        ts_chunk_element_decode(ix, record, out);
    return found;
}

static int visit2(const uint8_t *record, void *ctx)
{
    const struct walk *w = ctx;
    struct ts_chunk_rec rec;
    ts_chunk_element_decode(w->ix, record, &rec);
    struct ts_rd r = ts_rd_init(record + coordinates2(w->ix), 8 * (size_t)w->ix->rank);
    for (unsigned i = 0; i < w->ix->rank; i++)
        rec.scaled[i] = ts_rd_u64(&r);
    return w->visit(&rec, w->ctx);
}

static int iterate2(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct walk w = {.ix = ix, .visit = visit, .ctx = ctx};
    return ts_btree2_iterate(ix->btree2, visit2, &w);
}

static int storage2(struct ts_chunk_index *ix, uint64_t *bytes)
{
    return ts_btree2_storage(ix->btree2, bytes);
}

const struct ts_chunk_kind ts_chunk_btree2 = {
    .open = open2, .close = close2, .lookup = lookup2, .iterate = iterate2, .storage = storage2};
