/* Objects too large for the blocks of a fractal heap: each by itself in the file, in a B-tree. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "filter/filter.h"
#include "format/btree2.h"
#include "heap/fheap.h"
#include "index/btree2.h"
#include "meta/meta.h"

#define MAX_RECORD 64

/* Ids with room for it say where the object is; others have a key. */
static bool has_direct_ids(const struct ts_fheap_header *h)
{
    size_t extent = h->addr_size + h->len_size + (h->filter_size ? 4 + (size_t)h->len_size : 0);
    return h->id_size - 1 >= extent;
}

static unsigned tree_type(const struct ts_fheap_header *h)
{
    if (has_direct_ids(h))
        return h->filter_size ? TS_BTREE2_HUGE_DIRECT_FILTERED : TS_BTREE2_HUGE_DIRECT;
    return h->filter_size ? TS_BTREE2_HUGE_INDIRECT_FILTERED : TS_BTREE2_HUGE_INDIRECT;
}

static size_t record_size(const struct ts_fheap_header *h)
{
    return ts_fheap_huge_record_size(h) - (has_direct_ids(h) ? h->len_size : 0);
}

/* Records with keys are in their order, the others in that of addresses. */
struct search {
    const struct ts_fheap_header *header;
    const struct ts_fheap_id *id;
    const uint8_t *record; /* to put there */
};

static void decode_record(const struct ts_fheap_header *h, const uint8_t *record, struct ts_fheap_id *out)
{
    uint8_t whole[MAX_RECORD] = {0};
    memcpy(whole, record, record_size(h));
    ts_fheap_huge_record_decode(h, whole, out);
}

static int compare(const uint8_t *record, void *ctx, int *order)
{
    const struct search *s = ctx;
    struct ts_fheap_id id;
    decode_record(s->header, record, &id);
    bool direct = has_direct_ids(s->header);
    uint64_t want = direct ? s->id->extent.addr : s->id->key, have = direct ? id.extent.addr : id.key;
    *order = (want > have) - (want < have);
    return 0;
}

static int open_tree(const struct ts_fheap *heap, struct ts_btree2 **out)
{
    const struct ts_fheap_header *h = &heap->header;
    if (ts_btree2_open(heap->file, h->huge_btree, out) < 0)
        return -1;
    unsigned type = ts_btree2_type(*out);
    size_t size = ts_btree2_record_size(*out);
    if (type == tree_type(h) && size == record_size(h))
        return 0;
    ts_btree2_close(*out);
    return TS_ERR(HEAP, BADTYPE, "huge objects in a B-tree of type %u with records of %zu bytes", type, size);
}

static int no_such(const struct ts_fheap *heap, const struct ts_fheap_id *id)
{
    return TS_ERR(HEAP, NOTFOUND, "no huge object %llu in the fractal heap at %#llx",
                  (unsigned long long)(id->direct ? id->extent.addr : id->key), (unsigned long long)heap->addr);
}

static int find(const struct ts_fheap *heap, struct ts_fheap_id *id)
{
    struct search search = {.header = &heap->header, .id = id};
    uint8_t record[MAX_RECORD];
    struct ts_btree2 *tree;
    if (open_tree(heap, &tree) < 0)
        return -1;
    int found = ts_btree2_find(tree, compare, &search, record);
    ts_btree2_close(tree);
    if (found == 0)
        return no_such(heap, id);
    if (found > 0)
        ts_fheap_huge_record_decode(&heap->header, record, id);
    return found < 0 ? -1 : 0;
}

int ts_fheap_huge_read(struct ts_fheap *heap, struct ts_fheap_id *id, struct ts_wr *out)
{
    uint8_t *buf;
    if (!id->direct && find(heap, id) < 0)
        return -1;
    if (id->extent.size == 0)
        return TS_ERR(HEAP, BADSIZE, "huge object of no bytes in the fractal heap at %#llx",
                      (unsigned long long)heap->addr);
    if (ts_fheap_read_filtered(heap, &id->extent, &buf) < 0)
        return -1;
    ts_wr_bytes(out, buf, (size_t)id->extent.size);
    ts_free(buf);
    return out->bad ? -1 : 0;
}

/* Into new space at once: nothing in the file points there. */
static int store(struct ts_fheap *heap, const void *data, size_t size, struct ts_fheap_extent *out)
{
    *out = (struct ts_fheap_extent){.length = size, .size = size};
    void *buf = NULL;
    if (heap->header.filter_size) {
        buf = ts_memdup(data, size);
        size_t length = size;
        if (!buf || ts_pipeline_encode(&heap->pipeline, &buf, &length, &out->filter_mask, &ts_fheap_coding) < 0) {
            ts_free(buf);
            return -1;
        }
        out->length = length;
    }
    int status = ts_file_alloc(heap->file, H5FD_MEM_FHEAP_HUGE_OBJ, out->length, &out->addr);
    if (status == 0)
        status = ts_file_write(heap->file, out->addr, (size_t)out->length, buf ? buf : data);
    ts_free(buf);
    return status;
}

static int make_tree(struct ts_fheap *heap)
{
    struct ts_fheap_header *h = &heap->header;
    struct ts_btree2_params params = {.type = tree_type(h),
                                      .node_size = TS_BTREE2_NODE,
                                      .record_size = (uint16_t)record_size(h),
                                      .split_percent = TS_BTREE2_SPLIT,
                                      .merge_percent = TS_BTREE2_MERGE};
    return h->huge_btree != HADDR_UNDEF ? 0 : ts_btree2_create(heap->file, &params, &h->huge_btree);
}

static int encode_record(const struct ts_fheap *heap, const struct ts_fheap_id *id, uint8_t record[MAX_RECORD])
{
    struct ts_wr w = {0};
    int status = ts_fheap_huge_record_encode(&heap->header, id, &w);
    if (status == 0)
        memcpy(record, w.data, w.size);
    ts_wr_free(&w);
    return status;
}

static int insert_record(struct ts_fheap *heap, const struct ts_fheap_id *id)
{
    struct search search = {.header = &heap->header, .id = id};
    uint8_t record[MAX_RECORD];
    struct ts_btree2 *tree;
    if (encode_record(heap, id, record) < 0 || make_tree(heap) < 0 || open_tree(heap, &tree) < 0)
        return -1;
    int status = ts_btree2_insert(tree, record, compare, &search);
    ts_btree2_close(tree);
    if (status > 0)
        return TS_ERR(HEAP, EXISTS, "huge object %llu is in the fractal heap at %#llx already",
                      (unsigned long long)id->key, (unsigned long long)heap->addr);
    return status;
}

int ts_fheap_huge_insert(struct ts_fheap *heap, const void *data, size_t size, struct ts_fheap_id *id)
{
    struct ts_fheap_header *h = &heap->header;
    *id = (struct ts_fheap_id){.kind = TS_FHEAP_HUGE, .direct = has_direct_ids(h)};
    id->key = id->direct ? 0 : h->next_huge_id + 1;
    if (ts_fheap_edit(heap) < 0 || store(heap, data, size, &id->extent) < 0 || insert_record(heap, id) < 0)
        return -1;
    h->next_huge_id += !id->direct;
    h->huge_count++;
    h->huge_size += size;
    return ts_meta_depend(heap->file, heap->addr, h->huge_btree);
}

static int put_record(uint8_t *record, void *ctx)
{
    const struct search *s = ctx;
    memcpy(record, s->record, record_size(s->header));
    return 1;
}

static int modify_record(struct ts_fheap *heap, const struct ts_fheap_id *id)
{
    uint8_t record[MAX_RECORD];
    struct search search = {.header = &heap->header, .id = id, .record = record};
    struct ts_btree2 *tree;
    if (encode_record(heap, id, record) < 0 || open_tree(heap, &tree) < 0)
        return -1;
    int found = ts_btree2_modify(tree, compare, put_record, &search);
    ts_btree2_close(tree);
    return found == 0 ? no_such(heap, id) : found < 0 ? -1 : 0;
}

static void free_extent(struct ts_fheap *heap, const struct ts_fheap_extent *e)
{
    ts_file_free(heap->file, H5FD_MEM_FHEAP_HUGE_OBJ, e->addr, e->length);
}

/* Other bytes for an object with a key; it keeps it. */
int ts_fheap_huge_replace(struct ts_fheap *heap, struct ts_fheap_id *id, const void *data, size_t size)
{
    if (find(heap, id) < 0)
        return -1;
    struct ts_fheap_extent old = id->extent;
    if (ts_fheap_edit(heap) < 0 || store(heap, data, size, &id->extent) < 0 || modify_record(heap, id) < 0)
        return -1;
    heap->header.huge_size += size - old.size;
    free_extent(heap, &old);
    return ts_meta_depend(heap->file, heap->addr, heap->header.huge_btree);
}

int ts_fheap_huge_remove(struct ts_fheap *heap, struct ts_fheap_id *id)
{
    struct ts_fheap_header *h = &heap->header;
    struct search search = {.header = h, .id = id};
    uint8_t record[MAX_RECORD] = {0};
    struct ts_btree2 *tree;
    if (h->huge_btree == HADDR_UNDEF)
        return no_such(heap, id);
    if (ts_fheap_edit(heap) < 0 || open_tree(heap, &tree) < 0)
        return -1;
    int found = ts_btree2_remove(tree, compare, &search, record);
    ts_btree2_close(tree);
    if (found <= 0)
        return found < 0 ? -1 : no_such(heap, id);
    decode_record(h, record, id);
    free_extent(heap, &id->extent);
    h->huge_count--;
    h->huge_size -= id->extent.size;
    return h->huge_count == 0 ? ts_fheap_huge_delete(heap) : ts_meta_depend(heap->file, heap->addr, h->huge_btree);
}

static int free_record(const uint8_t *record, void *ctx)
{
    struct ts_fheap *heap = ctx;
    struct ts_fheap_id id;
    decode_record(&heap->header, record, &id);
    free_extent(heap, &id.extent);
    return 0;
}

int ts_fheap_huge_delete(struct ts_fheap *heap)
{
    struct ts_fheap_header *h = &heap->header;
    struct ts_btree2 *tree;
    if (h->huge_btree == HADDR_UNDEF)
        return 0;
    if (open_tree(heap, &tree) < 0)
        return -1;
    ts_btree2_close(tree);
    if (ts_btree2_delete(heap->file, h->huge_btree, free_record, heap) < 0)
        return -1;
    h->huge_btree = HADDR_UNDEF;
    h->next_huge_id = h->huge_count = h->huge_size = 0;
    return 0;
}
