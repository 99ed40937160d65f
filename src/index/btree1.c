#include "index/btree1.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/blocks.h"
#include "file/undo.h"
#include "index/btree1_node.h"
#include "meta/block.h"
#include "meta/meta.h"

void ts_btree1_node_free(void *obj)
{
    struct ts_btree1_node *n = obj;
    ts_free(n->body);
    ts_free(n);
}

static int read_node(struct ts_file *f, haddr_t addr, struct ts_btree1_node *n)
{
    uint8_t head[24];
    size_t head_size = ts_btree1_prefix_size(n->addr_size);
    if (ts_file_read(f, addr, head_size, head) < 0 ||
        ts_btree1_prefix_decode(head, head_size, n->addr_size, &n->prefix) < 0)
        return -1;
    return ts_meta_read_block(f, addr + head_size, ts_btree1_body_size(n->prefix.entries, n->key_size, n->addr_size),
                              &n->body);
}

static int node_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    struct ts_btree1_node *n = ts_calloc(1, sizeof *n);
    if (!n)
        return -1;
    const struct ts_btree1 *tree = arg;
    n->addr = addr;
    n->key_size = tree->key_size;
    n->addr_size = ts_file_addr_size(f);
    n->k = ts_btree1_k(f, tree->type);
    if (read_node(f, addr, n) < 0) {
        ts_btree1_node_free(n);
        return TS_ERR(BTREE, CANTLOAD, "cannot load the B-tree node at %#llx", (unsigned long long)addr);
    }
    *obj = n;
    *bytes = sizeof *n + ts_btree1_body_size(n->prefix.entries, n->key_size, n->addr_size);
    return 0;
}

static int node_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct ts_btree1_node *n = obj;
    struct ts_wr *w = ts_blocks_begin(out);
    if (ts_btree1_node_encode(&n->prefix, n->body, n->k, n->key_size, n->addr_size, w) < 0)
        return -1;
    return ts_blocks_end(out, n->addr);
}

static uint64_t node_extent(const struct ts_file *f, const void *obj)
{
    (void)f;
    const struct ts_btree1_node *n = obj;
    return ts_btree1_node_size(n->k, n->key_size, n->addr_size);
}

/* The body is kept from where it changes on. */
static int node_keep(struct ts_file *f, void *obj)
{
    struct ts_btree1_node *n = obj;
    n->unkept = n->prefix.entries > 0 ? ts_btree1_body_size(n->prefix.entries, n->key_size, n->addr_size) : 0;
    return ts_undo_bytes(f, &n->prefix, sizeof n->prefix);
}

const struct ts_meta_class ts_btree1_node_class = {.name = "version 1 B-tree node",
                                                   .load = node_load,
                                                   .free = ts_btree1_node_free,
                                                   .encode = node_encode,
                                                   .keep = node_keep,
                                                   .extent = node_extent};

int ts_btree1_node_check(const struct ts_btree1 *t, haddr_t addr, int level, const struct ts_btree1_node *n)
{
    if (n->prefix.type == t->type && n->key_size == t->key_size && (level < 0 || n->prefix.level == (unsigned)level))
        return 0;
    int status = TS_ERR(BTREE, BADVALUE, "B-tree node at %#llx has type %u and level %u instead of %u and %d",
                        (unsigned long long)addr, n->prefix.type, n->prefix.level, t->type, level);
    ts_meta_unpin(t->file, addr);
    return status;
}

int ts_btree1_node_search(const struct ts_btree1_node *n, ts_btree1_locate_fn *locate, void *ctx, size_t *at)
{
    size_t low = 0, high = n->prefix.entries;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order;
        if (locate(ts_btree1_key(n, mid), ts_btree1_key(n, mid + 1), ctx, &order) < 0)
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

int ts_btree1_find(const struct ts_btree1 *tree, ts_btree1_locate_fn *locate, void *ctx, haddr_t *child, uint8_t *keys)
{
    haddr_t addr = tree->root;
    for (int level = -1; level != 0;) {
        struct ts_btree1_node *n;
        size_t i;
        if (ts_btree1_node_pin(tree, addr, level < 0 ? -1 : level - 1, &n) < 0)
            return -1;
        level = (int)n->prefix.level;
        int found = ts_btree1_node_search(n, locate, ctx, &i);
        haddr_t next = found == 1 ? ts_btree1_child(n, i) : HADDR_UNDEF;
        if (found == 1 && level == 0 && keys) {
            memcpy(keys, ts_btree1_key(n, i), n->key_size);
            memcpy(keys + n->key_size, ts_btree1_key(n, i + 1), n->key_size);
        }
        ts_meta_unpin(tree->file, addr);
        if (found != 1)
            return found;
        addr = next;
    }
    *child = addr;
    return 1;
}

struct walk {
    const struct ts_btree1 *tree;
    ts_btree1_locate_fn *locate; /* NULL once the target is behind */
    void *target;
    ts_btree1_visit_fn *visit; /* NULL: only count nodes */
    void *ctx;
    uint64_t budget; /* bytes of nodes still to be seen: nodes do not overlap, so a tree has no more than the file */
    uint64_t nodes;
};

static int spend(struct walk *w, const struct ts_btree1_node *n, haddr_t addr)
{
    uint64_t bytes =
        ts_btree1_prefix_size(n->addr_size) + ts_btree1_body_size(n->prefix.entries, n->key_size, n->addr_size);
    if (bytes > w->budget)
        return TS_ERR(BTREE, BADVALUE, "B-tree at %#llx uses nodes more than once, last %#llx",
                      (unsigned long long)w->tree->root, (unsigned long long)addr);
    w->budget -= bytes;
    w->nodes++;
    return 0;
}

static int walk_node(struct walk *w, haddr_t addr, int level)
{
    struct ts_btree1_node *n;
    if (ts_btree1_node_pin(w->tree, addr, level, &n) < 0)
        return -1;
    int status = spend(w, n, addr);
    bool leaf = n->prefix.level == 0;
    size_t entries = leaf && !w->visit ? 0 : n->prefix.entries, i = 0;
    if (status == 0 && w->locate && ts_btree1_node_search(n, w->locate, w->target, &i) < 0)
        status = -1;
    if (leaf)
        w->locate = NULL;
    for (; status == 0 && i < entries; i++) {
        struct ts_btree1_entry e = {
            .child = ts_btree1_child(n, i), .left = ts_btree1_key(n, i), .right = ts_btree1_key(n, i + 1)};
        status = leaf ? w->visit(&e, w->ctx) : walk_node(w, e.child, (int)n->prefix.level - 1);
    }
    ts_meta_unpin(w->tree->file, addr);
    return status;
}

int ts_btree1_walk(const struct ts_btree1 *tree, ts_btree1_locate_fn *locate, void *target, ts_btree1_visit_fn *visit,
                   void *ctx)
{
    struct walk w = {
        .tree = tree, .locate = locate, .target = target, .visit = visit, .ctx = ctx, .budget = tree->file->end};
    return walk_node(&w, tree->root, -1);
}

int ts_btree1_storage(const struct ts_btree1 *tree, unsigned k, uint64_t *bytes)
{
    struct walk w = {.tree = tree, .budget = tree->file->end};
    if (walk_node(&w, tree->root, -1) < 0)
        return -1;
    unsigned addr_size = ts_file_addr_size(tree->file);
    uint64_t node = ts_btree1_prefix_size(addr_size) + ts_btree1_body_size(2 * (size_t)k, tree->key_size, addr_size);
    if (!ts_mul_u64(w.nodes, node, bytes))
        return TS_ERR(BTREE, OVERFLOW, "B-tree of %llu nodes of %llu bytes", (unsigned long long)w.nodes,
                      (unsigned long long)node);
    return 0;
}
