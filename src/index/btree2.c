#include "index/btree2.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/blocks.h"
#include "file/change.h"
#include "index/btree2_node.h"
#include "meta/block.h"
#include "meta/meta.h"

/* What a load needs to know, and what a node from the cache must agree with. */
struct want {
    const struct ts_btree2 *tree;
    unsigned level;
    struct ts_btree2_child self;
};

static int header_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    uint8_t buf[64];
    unsigned addr_size = ts_file_addr_size(f), len_size = ts_file_len_size(f);
    size_t size = ts_btree2_header_size(addr_size, len_size);
    struct ts_btree2 *t = ts_calloc(1, sizeof *t);
    if (!t)
        return -1;
    t->file = f;
    t->addr = addr;
    if (ts_file_read(f, addr, size, buf) < 0 ||
        ts_btree2_header_decode(buf, size, addr_size, len_size, &t->shape) < 0) {
        ts_free(t);
        return TS_ERR(BTREE, CANTLOAD, "cannot load the B-tree header at %#llx", (unsigned long long)addr);
    }
    *obj = t;
    *bytes = sizeof *t;
    return 0;
}

static int header_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct ts_btree2 *t = obj;
    struct ts_wr *w = ts_blocks_begin(out);
    if (ts_btree2_header_encode(&t->shape.header, ts_file_addr_size(f), ts_file_len_size(f), w) < 0)
        return -1;
    return ts_blocks_end(out, t->addr);
}

/* What is derived from it for a level is the same whatever the depth. */
static int header_keep(struct ts_file *f, void *obj)
{
    struct ts_btree2 *t = obj;
    return ts_undo_bytes(f, &t->shape.header, sizeof t->shape.header);
}

static void header_free(void *obj)
{
    struct ts_btree2 *t = obj;
    if (t->held)
        t->held->free(t->held);
    ts_free(t);
}

static int header_settle(struct ts_file *f, void *obj)
{
    (void)f;
    struct ts_btree2 *t = obj;
    return t->held && t->held->n > 0 ? t->held->settle(t, t->held) : 0;
}

const struct ts_meta_class ts_btree2_header_class = {.name = "version 2 B-tree",
                                                     .load = header_load,
                                                     .free = header_free,
                                                     .encode = header_encode,
                                                     .settle = header_settle,
                                                     .keep = header_keep,
                                                     .retry = TS_RETRY_BTREE2_HEADER};

int ts_btree2_open_held(struct ts_file *f, haddr_t addr, struct ts_btree2 **out)
{
    void *obj;
    if (ts_meta_pin(f, &ts_btree2_header_class, addr, NULL, &obj) < 0)
        return -1;
    *out = obj;
    return 0;
}

int ts_btree2_open(struct ts_file *f, haddr_t addr, struct ts_btree2 **out)
{
    if (ts_btree2_open_held(f, addr, out) < 0)
        return -1;
    if (!(*out)->held || (*out)->held->n == 0)
        return 0;
    int status = ts_change_begin(f);
    if (status == 0)
        status = ts_change_end(f, header_settle(f, *out));
    if (status < 0)
        ts_btree2_close(*out);
    return status;
}

struct ts_btree2_held *ts_btree2_held(const struct ts_btree2 *tree)
{
    return tree->held;
}

void ts_btree2_hold(struct ts_btree2 *tree, struct ts_btree2_held *held)
{
    tree->held = held;
}

int ts_btree2_edit_held(struct ts_btree2 *tree)
{
    return ts_meta_edit(tree->file, tree->addr);
}

void ts_btree2_resize_held(struct ts_btree2 *tree, size_t bytes)
{
    ts_meta_resize(tree->file, tree->addr, sizeof *tree + bytes);
}

void ts_btree2_close(struct ts_btree2 *tree)
{
    if (tree)
        ts_meta_unpin(tree->file, tree->addr);
}

unsigned ts_btree2_type(const struct ts_btree2 *tree)
{
    return tree->shape.header.type;
}

size_t ts_btree2_record_size(const struct ts_btree2 *tree)
{
    return tree->shape.header.record_size;
}

uint64_t ts_btree2_count(const struct ts_btree2 *tree)
{
    return tree->shape.header.records;
}

void ts_btree2_node_free(void *obj)
{
    struct ts_btree2_node *n = obj;
    ts_free(n->children);
    ts_free(n->buf);
    ts_free(n);
}

static int read_node(struct ts_file *f, haddr_t addr, const struct want *want, struct ts_btree2_node *n)
{
    const struct ts_btree2_shape *shape = &want->tree->shape;
    if (ts_meta_read_block(f, addr, ts_btree2_node_size(shape, want->level, want->self.records), &n->buf) < 0)
        return -1;
    if (want->level > 0) {
        n->children = ts_calloc((size_t)want->self.records + 1, sizeof *n->children);
        if (!n->children)
            return -1;
    }
    return ts_btree2_node_decode(shape, want->level, &want->self, n->buf, n->children);
}

static int node_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    const struct want *want = arg;
    struct ts_btree2_node *n = ts_calloc(1, sizeof *n);
    if (!n)
        return -1;
    n->tree = want->tree->addr;
    n->level = want->level;
    n->self = want->self;
    n->type = want->tree->shape.header.type;
    n->node_size = want->tree->shape.header.node_size;
    n->record_size = want->tree->shape.header.record_size;
    if (read_node(f, addr, want, n) < 0) {
        ts_btree2_node_free(n);
        return TS_ERR(BTREE, CANTLOAD, "cannot load the B-tree node at %#llx", (unsigned long long)addr);
    }
    *obj = n;
    *bytes = ts_btree2_node_bytes(n, n->self.records);
    return 0;
}

size_t ts_btree2_node_bytes(const struct ts_btree2_node *n, uint64_t records)
{
    return sizeof *n + TS_BTREE2_NODE_PREFIX + (size_t)records * n->record_size +
           (n->level > 0 ? ((size_t)records + 1) * sizeof *n->children : 0);
}

static int node_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct ts_btree2_node *n = obj;
    struct ts_btree2_shape shape = {.header = {.type = n->type,
                                               .depth = n->level,
                                               .node_size = n->node_size,
                                               .record_size = n->record_size,
                                               .root_records = (uint16_t)n->self.records,
                                               .records = n->self.total},
                                    .addr_size = ts_file_addr_size(f)};
    struct ts_wr *w = ts_blocks_begin(out);
    if (ts_btree2_shape_derive(&shape) < 0 ||
        ts_btree2_node_encode(&shape, n->level, n->self.records, ts_btree2_record(n, 0), n->children, w) < 0)
        return -1;
    return ts_blocks_end(out, n->self.addr);
}

static uint64_t node_extent(const struct ts_file *f, const void *obj)
{
    (void)f;
    return ((const struct ts_btree2_node *)obj)->node_size;
}

/* Records and children are for who changes them to keep: most changes are of few. */
static int node_keep(struct ts_file *f, void *obj)
{
    struct ts_btree2_node *n = obj;
    return ts_undo_bytes(f, &n->self, sizeof n->self);
}

static enum ts_retry_kind node_retry(const void *arg)
{
    return ((const struct want *)arg)->level > 0 ? TS_RETRY_BTREE2_INTERNAL : TS_RETRY_BTREE2_LEAF;
}

const struct ts_meta_class ts_btree2_node_class = {.name = "version 2 B-tree node",
                                                   .load = node_load,
                                                   .free = ts_btree2_node_free,
                                                   .encode = node_encode,
                                                   .keep = node_keep,
                                                   .extent = node_extent,
                                                   .retry_of = node_retry};

int ts_btree2_node_pin(const struct ts_btree2 *t, unsigned level, const struct ts_btree2_child *at,
                       struct ts_btree2_node **out)
{
    struct want want = {.tree = t, .level = level, .self = *at};
    void *obj;
    if (ts_meta_pin(t->file, &ts_btree2_node_class, at->addr, &want, &obj) < 0)
        return -1;
    struct ts_btree2_node *n = obj;
    if (n->tree != t->addr || n->level != level || n->self.records != at->records || n->self.total != at->total) {
        int status =
            TS_ERR(BTREE, BADVALUE, "B-tree node at %#llx is used in two places", (unsigned long long)at->addr);
        ts_meta_unpin(t->file, at->addr);
        return status;
    }
    *out = n;
    return 0;
}

int ts_btree2_node_search(const struct ts_btree2_node *n, ts_btree2_compare_fn *compare, void *ctx, uint64_t *at)
{
    uint64_t low = 0, high = n->self.records;
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        int order;
        if (compare(ts_btree2_record(n, mid), ctx, &order) < 0)
            return -1;
        if (order == 0) {
            *at = mid;
            return 1;
        }
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    *at = low;
    return 0;
}

/* What comes before child i, or before record i when that is it. */
static uint64_t before(const struct ts_btree2_node *n, uint64_t i, bool record)
{
    uint64_t sum = i;
    for (uint64_t k = 0; n->children && k < i + record; k++)
        sum += n->children[k].total;
    return sum;
}

/* 1 found, 0 none. record, when given, receives it; to rank is added how many come before what is looked for. */
static inline int descend(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, void *ctx, uint8_t *record,
                          uint64_t *rank)
{
    struct ts_btree2_child at = ts_btree2_root(tree);
    if (at.total == 0)
        return 0;
    for (unsigned level = tree->shape.header.depth;; level--) {
        struct ts_btree2_node *n;
        uint64_t i = 0;
        if (ts_btree2_node_pin(tree, level, &at, &n) < 0)
            return -1;
        haddr_t addr = at.addr;
        int found = ts_btree2_node_search(n, compare, ctx, &i);
        if (record && found == 1)
            memcpy(record, ts_btree2_record(n, i), ts_btree2_record_size(tree));
        if (rank && found >= 0)
            *rank += before(n, i, found == 1);
        if (found == 0 && level > 0)
            at = n->children[i];
        ts_meta_unpin(tree->file, addr);
        if (found != 0 || level == 0)
            return found;
    }
}

int ts_btree2_find(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, void *ctx, uint8_t *record)
{
    return descend(tree, compare, ctx, record, NULL);
}

int ts_btree2_rank(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, void *ctx, uint64_t *rank)
{
    *rank = 0;
    return descend(tree, compare, ctx, NULL, rank) < 0 ? -1 : 0;
}

struct at {
    uint8_t *record;
    size_t size;
};

static int take_record(const uint8_t *record, void *ctx)
{
    struct at *at = ctx;
    memcpy(at->record, record, at->size);
    return 1;
}

int ts_btree2_at(struct ts_btree2 *tree, uint64_t position, uint8_t *record)
{
    if (position >= ts_btree2_count(tree))
        return TS_ERR(BTREE, BADRANGE, "record %llu of a B-tree with %llu", (unsigned long long)position,
                      (unsigned long long)ts_btree2_count(tree));
    struct at at = {.record = record, .size = ts_btree2_record_size(tree)};
    int status = ts_btree2_walk(tree, false, position, take_record, &at);
    if (status == 0)
        return TS_ERR(BTREE, NOTFOUND, "record %llu of a B-tree is not there", (unsigned long long)position);
    return status < 0 ? -1 : 0;
}

struct walk {
    struct ts_btree2 *tree;
    bool reverse;
    uint64_t skip;
    ts_btree2_visit_fn *visit; /* NULL: only count nodes */
    void *ctx;
    uint64_t budget; /* bytes of nodes still to be seen: nodes do not overlap, so a tree has no more than the file */
    uint64_t nodes;
};

static int walk_child(struct walk *w, unsigned level, const struct ts_btree2_child *at);

static int visit_record(struct walk *w, const uint8_t *record)
{
    if (w->skip > 0) {
        w->skip--;
        return 0;
    }
    return w->visit(record, w->ctx);
}

static int walk_leaf(struct walk *w, const struct ts_btree2_node *n)
{
    uint64_t count = n->self.records, first = w->skip < count ? w->skip : count;
    w->skip -= first;
    int status = 0;
    for (uint64_t i = first; status == 0 && i < count; i++)
        status = w->visit(ts_btree2_record(n, w->reverse ? count - 1 - i : i), w->ctx);
    return status;
}

/* Children and records alternate: child 0, record 0, child 1, … child n. */
static int walk_internal(struct walk *w, const struct ts_btree2_node *n)
{
    uint64_t steps = 2 * n->self.records + 1;
    int status = 0;
    for (uint64_t i = 0; status == 0 && i < steps; i++) {
        uint64_t step = w->reverse ? steps - 1 - i : i;
        if (step % 2 == 0)
            status = walk_child(w, n->level - 1, &n->children[step / 2]);
        else if (w->visit)
            status = visit_record(w, ts_btree2_record(n, step / 2));
    }
    return status;
}

static int walk_child(struct walk *w, unsigned level, const struct ts_btree2_child *at)
{
    if (w->visit && w->skip >= at->total) {
        w->skip -= at->total;
        return 0;
    }
    uint64_t bytes = ts_btree2_node_size(&w->tree->shape, level, at->records);
    if (bytes > w->budget)
        return TS_ERR(BTREE, BADVALUE, "B-tree at %#llx uses nodes more than once, last %#llx",
                      (unsigned long long)w->tree->addr, (unsigned long long)at->addr);
    w->budget -= bytes;
    w->nodes++;
    if (level == 0 && !w->visit)
        return 0;
    struct ts_btree2_node *n;
    if (ts_btree2_node_pin(w->tree, level, at, &n) < 0)
        return -1;
    int status = level > 0 ? walk_internal(w, n) : walk_leaf(w, n);
    ts_meta_unpin(w->tree->file, at->addr);
    return status;
}

int ts_btree2_walk(struct ts_btree2 *tree, bool reverse, uint64_t skip, ts_btree2_visit_fn *visit, void *ctx)
{
    struct walk w = {
        .tree = tree, .reverse = reverse, .skip = skip, .visit = visit, .ctx = ctx, .budget = tree->file->end};
    struct ts_btree2_child root = ts_btree2_root(tree);
    return root.total == 0 ? 0 : walk_child(&w, tree->shape.header.depth, &root);
}

int ts_btree2_storage(struct ts_btree2 *tree, uint64_t *bytes)
{
    struct walk w = {.tree = tree, .budget = tree->file->end};
    struct ts_btree2_child root = ts_btree2_root(tree);
    if (root.total > 0 && walk_child(&w, tree->shape.header.depth, &root) < 0)
        return -1;
    *bytes = ts_btree2_header_size(ts_file_addr_size(tree->file), ts_file_len_size(tree->file)) +
             w.nodes * tree->shape.header.node_size;
    return 0;
}
