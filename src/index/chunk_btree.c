/* Chunks in B-trees, version 1 and 2. */
#include <string.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/btree1.h"
#include "format/btree2.h"
#include "index/chunk_kinds.h"
#include "meta/meta.h"

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

static int open1(struct ts_chunk_index *ix)
{
    ix->btree1 = (struct ts_btree1){
        .file = ix->file, .root = ix->addr, .type = TS_BTREE1_CHUNK, .key_size = ts_btree1_chunk_key_size(ix->rank)};
    return 0;
}

#define KEY_MAX (8 + 8 * (H5S_MAX_RANK + 1))

static bool offset_of(const struct ts_chunk_index *ix, const hsize_t *scaled, hsize_t *offset)
{
    for (unsigned i = 0; i < ix->rank; i++)
        if (!ts_mul_u64(scaled[i], ix->chunk_dims[i], &offset[i]))
            return false;
    return true;
}

static int lookup1(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    hsize_t offset[H5S_MAX_RANK];
    uint8_t keys[2 * KEY_MAX];
    struct search s = {.ix = ix, .at = offset};
    if (!offset_of(ix, scaled, offset))
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
    const struct search *from; /* of version 1: NULL once no more can come before it */
    ts_chunk_visit_fn *visit;
    void *ctx;
};

static int visit1(const struct ts_btree1_entry *entry, void *ctx)
{
    struct walk *w = ctx;
    struct ts_btree1_chunk_key key;
    /* The first entry reaches up to the next one, over chunks that are not there. */
    bool before = w->from && compare_key(w->from, entry->left) > 0;
    w->from = NULL;
    if (before)
        return 0;
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

static int iterate1(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx)
{
    hsize_t offset[H5S_MAX_RANK];
    struct search s = {.ix = ix, .at = offset};
    struct walk w = {.ix = ix, .from = from ? &s : NULL, .visit = visit, .ctx = ctx};
    if (!from)
        return ts_btree1_iterate(&ix->btree1, visit1, &w);
    if (!offset_of(ix, from, offset))
        return TS_ERR(DATASET, BADRANGE, "chunks from outside of the largest extent on");
    return ts_btree1_walk(&ix->btree1, locate1, &s, visit1, &w);
}

static int storage1(struct ts_chunk_index *ix, uint64_t *bytes)
{
    return ts_btree1_storage(&ix->btree1, ix->file->sb.chunk_k, bytes);
}

static int create1(struct ts_chunk_index *ix, haddr_t *addr)
{
    return ts_btree1_create(ix->file, TS_BTREE1_CHUNK, ts_btree1_chunk_key_size(ix->rank), addr);
}

/* A change of one entry. s comes first: it is what locate1 gets. */
struct change {
    struct search s;
    uint8_t key[KEY_MAX], end[KEY_MAX]; /* the chunk's own, and the one behind it if it is the last */
    haddr_t addr;
};

static int insert_slot(struct ts_btree1_slot *slot, void *ctx)
{
    struct change *c = ctx;
    size_t size = ts_btree1_chunk_key_size(c->s.ix->rank);
    if (!slot->none && slot->order == 0 && compare(&c->s, slot->left + KEY_OFFSET) == 0) {
        memcpy(slot->left, c->key, size);
        slot->child = c->addr;
        return TS_BTREE1_UPDATE;
    }
    slot->new_child = c->addr;
    if (slot->none || slot->order > 0)
        memcpy(slot->right, c->end, size);
    if (slot->none || slot->order < 0) {
        memcpy(slot->new_key, slot->left, size);
        memcpy(slot->left, c->key, size);
        return slot->none ? TS_BTREE1_FIRST : TS_BTREE1_ADD_LEFT;
    }
    memcpy(slot->new_key, c->key, size);
    return TS_BTREE1_ADD_RIGHT;
}

static int encode_key(const struct ts_btree1_chunk_key *key, unsigned rank, uint8_t *out)
{
    struct ts_wr w = {0};
    ts_btree1_chunk_key_encode(key, rank, &w);
    if (!w.bad)
        memcpy(out, w.data, w.size);
    int status = w.bad ? -1 : 0;
    ts_wr_free(&w);
    return status;
}

static int set_keys(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, struct change *c)
{
    struct ts_btree1_chunk_key key = {.size = (uint32_t)rec->size, .filter_mask = rec->filter_mask};
    if (rec->size > UINT32_MAX || (!ix->filtered && rec->size != ix->chunk_bytes))
        return TS_ERR(DATASET, CANTENCODE, "chunk of %llu bytes in an index of chunks of %llu",
                      (unsigned long long)rec->size, (unsigned long long)ix->chunk_bytes);
    if (!offset_of(ix, rec->scaled, key.offset))
        return TS_ERR(DATASET, BADRANGE, "chunk at an offset that does not fit in 64 bits");
    if (encode_key(&key, ix->rank, c->key) < 0)
        return -1;
    key.size = key.filter_mask = 0;
    for (unsigned i = 0; i < ix->rank; i++)
        if (!ts_add_u64(key.offset[i], ix->chunk_dims[i], &key.offset[i]))
            return TS_ERR(DATASET, BADRANGE, "chunk whose end does not fit in 64 bits");
    key.in_element = ix->layout.chunk.element_size;
    return encode_key(&key, ix->rank, c->end);
}

static int insert1(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec)
{
    hsize_t offset[H5S_MAX_RANK];
    struct change c = {.s = {.ix = ix, .at = offset}, .addr = rec->addr};
    if (set_keys(ix, rec, &c) < 0 || !offset_of(ix, rec->scaled, offset))
        return -1;
    int what = ts_btree1_edit(&ix->btree1, locate1, insert_slot, &c);
    return what < 0 ? -1 : 0;
}

static int remove_slot(struct ts_btree1_slot *slot, void *ctx)
{
    const struct change *c = ctx;
    bool exact = !slot->none && slot->order == 0 && compare(&c->s, slot->left + KEY_OFFSET) == 0;
    return exact ? TS_BTREE1_REMOVE : TS_BTREE1_KEEP;
}

static int remove1(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    hsize_t offset[H5S_MAX_RANK];
    struct change c = {.s = {.ix = ix, .at = offset}};
    if (!offset_of(ix, scaled, offset))
        return 0;
    return ts_btree1_edit(&ix->btree1, locate1, remove_slot, &c) < 0 ? -1 : 0;
}

static int destroy1(struct ts_chunk_index *ix)
{
    return ts_btree1_delete(&ix->btree1, NULL, NULL);
}

static int order1(const uint8_t *a, const uint8_t *b, void *ctx)
{
    const struct ts_chunk_index *ix = ctx;
    struct ts_btree1_chunk_key x, y;
    ts_btree1_chunk_key_decode(a, ix->rank, &x);
    ts_btree1_chunk_key_decode(b, ix->rank, &y);
    for (unsigned i = 0; i < ix->rank; i++)
        if (x.offset[i] != y.offset[i])
            return x.offset[i] < y.offset[i] ? -1 : 1;
    return x.in_element < y.in_element ? -1 : x.in_element > y.in_element;
}

static int verify1(struct ts_chunk_index *ix, const char **reason)
{
    return ts_btree1_verify(&ix->btree1, order1, ix, reason);
}

const struct ts_chunk_kind ts_chunk_btree1 = {.open = open1,
                                              .lookup = lookup1,
                                              .iterate = iterate1,
                                              .storage = storage1,
                                              .create = create1,
                                              .insert = insert1,
                                              .remove = remove1,
                                              .destroy = destroy1,
                                              .verify = verify1};

static unsigned type2(const struct ts_chunk_index *ix)
{
    return (ix->n_sections ? TS_BTREE2_STRUCT_CHUNK : TS_BTREE2_CHUNK) + (ix->filtered ? 1u : 0u);
}

static size_t coordinates_size(const struct ts_chunk_index *ix)
{
    return 8 * (size_t)ix->rank;
}

static int check2(struct ts_chunk_index *ix, const struct ts_btree2 *tree)
{
    unsigned type = ts_btree2_type(tree);
    size_t size = ts_btree2_record_size(tree);
    if (type != type2(ix) || size < coordinates_size(ix))
        return TS_ERR(BTREE, BADTYPE,
                      "B-tree of type %u, records of %zu bytes, indexes a dataset of rank %u that needs %u", type, size,
                      ix->rank, type2(ix));
    return ts_chunk_set_size_width(ix, size - coordinates_size(ix));
}

/* The tree while it is used. */
static int hold2(struct ts_chunk_index *ix, struct ts_btree2 **out)
{
    *out = ix->btree2;
    return *out ? 0 : ts_btree2_open(ix->file, ix->addr, out);
}

static void release2(struct ts_chunk_index *ix, struct ts_btree2 *tree)
{
    if (!ix->btree2)
        ts_btree2_close(tree);
}

static int open2(struct ts_chunk_index *ix)
{
    struct ts_btree2 *tree;
    if (ts_btree2_open(ix->file, ix->addr, &tree) < 0)
        return -1;
    int status = check2(ix, tree);
    if (status == 0 && ts_meta_keep(ix->file, ix->addr, tree))
        ix->btree2 = tree;
    else
        ts_btree2_close(tree);
    return status;
}

static void close2(struct ts_chunk_index *ix)
{
    if (ix->btree2)
        ts_meta_repin(ix->file, ix->addr);
    ts_btree2_close(ix->btree2);
}

static int compare2(const uint8_t *record, void *ctx, int *order)
{
    const struct search *s = ctx;
    *order = compare(s, record + ts_chunk_head_size(s->ix));
    return 0;
}

#define RECORD_MAX (TS_CHUNK_ELEMENT_MAX + 8 * H5S_MAX_RANK)

static int lookup2(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    uint8_t record[RECORD_MAX];
    struct search s = {.ix = ix, .at = scaled};
    struct ts_btree2 *tree;
    if (hold2(ix, &tree) < 0)
        return -1;
    int found = ts_btree2_find(tree, compare2, &s, record);
    release2(ix, tree);
    return found == 1 ? ts_chunk_element_decode(ix, record, coordinates_size(ix), out) : found;
}

static int visit2(const uint8_t *record, void *ctx)
{
    const struct walk *w = ctx;
    struct ts_chunk_rec rec;
    int there = ts_chunk_element_decode(w->ix, record, coordinates_size(w->ix), &rec);
    if (there != 1)
        return there;
    struct ts_rd r = ts_rd_init(record + ts_chunk_head_size(w->ix), coordinates_size(w->ix));
    for (unsigned i = 0; i < w->ix->rank; i++)
        rec.scaled[i] = ts_rd_u64(&r);
    return w->visit(&rec, w->ctx);
}

static int iterate2(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx)
{
    struct walk w = {.ix = ix, .visit = visit, .ctx = ctx};
    struct search s = {.ix = ix, .at = from};
    struct ts_btree2 *tree;
    uint64_t skip = 0;
    if (hold2(ix, &tree) < 0)
        return -1;
    int status = from ? ts_btree2_rank(tree, compare2, &s, &skip) : 0;
    if (status == 0)
        status = ts_btree2_walk(tree, false, skip, visit2, &w);
    release2(ix, tree);
    return status;
}

static int count2(struct ts_chunk_index *ix, uint64_t *n)
{
    struct ts_btree2 *tree;
    if (hold2(ix, &tree) < 0)
        return -1;
    *n = ts_btree2_count(tree);
    release2(ix, tree);
    return 0;
}

static int take2(const struct ts_chunk_rec *rec, void *ctx)
{
    *(struct ts_chunk_rec *)ctx = *rec;
    return 1;
}

static int nth2(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out)
{
    uint8_t record[RECORD_MAX];
    struct walk w = {.ix = ix, .visit = take2, .ctx = out};
    struct ts_btree2 *tree;
    if (hold2(ix, &tree) < 0)
        return -1;
    int status = ts_btree2_at(tree, n, record);
    release2(ix, tree);
    if (status < 0)
        return -1;
    int found = visit2(record, &w);
    return found == 0 ? TS_ERR(BTREE, BADVALUE, "record %llu of a B-tree has no chunk", (unsigned long long)n) : found;
}

static int storage2(struct ts_chunk_index *ix, uint64_t *bytes)
{
    struct ts_btree2 *tree;
    if (hold2(ix, &tree) < 0)
        return -1;
    int status = ts_btree2_storage(tree, bytes);
    release2(ix, tree);
    return status;
}

static int create2(struct ts_chunk_index *ix, haddr_t *addr)
{
    const struct ts_layout *l = &ix->layout;
    struct ts_btree2_params params = {.type = type2(ix),
                                      .node_size = l->chunk.u.btree2.node_size,
                                      .record_size = (uint16_t)(ts_chunk_element_size(ix) + coordinates_size(ix)),
                                      .split_percent = l->chunk.u.btree2.split_percent,
                                      .merge_percent = l->chunk.u.btree2.merge_percent};
    return ts_btree2_create(ix->file, &params, addr);
}

static int encode_record(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, uint8_t *record)
{
    uint8_t *at = record + ts_chunk_head_size(ix);
    for (unsigned i = 0; i < ix->rank; i++)
        for (unsigned b = 0; b < 8; b++)
            *at++ = (uint8_t)(rec->scaled[i] >> 8 * b);
    return ts_chunk_element_encode(ix, rec, coordinates_size(ix), record);
}

/* s comes first: it is what compare2 gets. */
struct replacement {
    struct search s;
    const uint8_t *record;
    size_t size;
};

static int replace_record(uint8_t *record, void *ctx)
{
    const struct replacement *r = ctx;
    memcpy(record, r->record, r->size);
    return 1;
}

static int insert2(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec)
{
    uint8_t record[RECORD_MAX];
    struct replacement r = {.s = {.ix = ix, .at = rec->scaled}, .record = record};
    struct ts_btree2 *tree;
    if (encode_record(ix, rec, record) < 0 || hold2(ix, &tree) < 0)
        return -1;
    r.size = ts_btree2_record_size(tree);
    int found = ts_btree2_insert(tree, record, compare2, &r);
    if (found == 1)
        found = ts_btree2_modify(tree, compare2, replace_record, &r);
    release2(ix, tree);
    return found < 0 ? -1 : 0;
}

static int remove2(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    struct search s = {.ix = ix, .at = scaled};
    struct ts_btree2 *tree;
    if (hold2(ix, &tree) < 0)
        return -1;
    int found = ts_btree2_remove(tree, compare2, &s, NULL);
    release2(ix, tree);
    return found < 0 ? -1 : 0;
}

static int destroy2(struct ts_chunk_index *ix)
{
    return ts_btree2_delete(ix->file, ix->addr, NULL, NULL);
}

static int order2(const uint8_t *a, const uint8_t *b, void *ctx)
{
    const struct ts_chunk_index *ix = ctx;
    hsize_t at[H5S_MAX_RANK];
    struct search s = {.ix = ix, .at = at};
    struct ts_rd r = ts_rd_init(a + ts_chunk_head_size(ix), 8 * (size_t)ix->rank);
    for (unsigned i = 0; i < ix->rank; i++)
        at[i] = ts_rd_u64(&r);
    return compare(&s, b + ts_chunk_head_size(ix));
}

static int verify2(struct ts_chunk_index *ix, const char **reason)
{
    struct ts_btree2 *tree;
    if (hold2(ix, &tree) < 0)
        return -1;
    int status = ts_btree2_verify(tree, order2, ix, reason);
    release2(ix, tree);
    return status;
}

const struct ts_chunk_kind ts_chunk_btree2 = {.open = open2,
                                              .close = close2,
                                              .lookup = lookup2,
                                              .iterate = iterate2,
                                              .count = count2,
                                              .nth = nth2,
                                              .storage = storage2,
                                              .create = create2,
                                              .insert = insert2,
                                              .remove = remove2,
                                              .destroy = destroy2,
                                              .verify = verify2};
