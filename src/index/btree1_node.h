/* Inside of version 1 B-trees: nodes as they are in the metadata cache. */
#ifndef TS_INDEX_BTREE1_NODE_H
#define TS_INDEX_BTREE1_NODE_H

#include "base/cursor.h"
#include "format/btree1.h"
#include "index/btree1.h"
#include "meta/meta.h"

struct ts_btree1_node {
    struct ts_btree1_prefix prefix;
    haddr_t addr;
    size_t key_size;
    unsigned addr_size, k;
    bool room;     /* body has memory for 2k + 1 children; always once it was edited */
    uint8_t *body; /* keys and children, as in the file */
    size_t unkept; /* once it was edited: its first bytes, which the innermost change has not kept to go back to */
};

extern const struct ts_meta_class ts_btree1_node_class;

/* An error, and no pin any more, when a pinned node is none of this tree with this level. */
int ts_btree1_node_check(const struct ts_btree1 *t, haddr_t addr, int level, const struct ts_btree1_node *n);

/* level: what the node must have, or -1 for the root, which may have any. A tree ends because it is exact. */
static inline int ts_btree1_node_pin(const struct ts_btree1 *t, haddr_t addr, int level, struct ts_btree1_node **out)
{
    void *obj;
    if (ts_meta_pin(t->file, &ts_btree1_node_class, addr, t, &obj) < 0)
        return -1;
    *out = obj;
    return ts_btree1_node_check(t, addr, level, obj);
}

/* 1: the target is in child *at. 0: before the first, *at is 0; or behind the last, *at is how many there are. */
int ts_btree1_node_search(const struct ts_btree1_node *n, ts_btree1_locate_fn *locate, void *ctx, size_t *at);
void ts_btree1_node_free(void *obj);

/* Half the children that a node of this tree has room for. */
static inline unsigned ts_btree1_k(const struct ts_file *f, unsigned type)
{
    return type == TS_BTREE1_GROUP ? f->sb.group_internal_k : f->sb.chunk_k;
}

static inline uint8_t *ts_btree1_key(const struct ts_btree1_node *n, size_t i)
{
    return n->body + i * (n->key_size + n->addr_size);
}

static inline haddr_t ts_btree1_child(const struct ts_btree1_node *n, size_t i)
{
    struct ts_rd r = ts_rd_init(ts_btree1_key(n, i) + n->key_size, n->addr_size);
    return ts_rd_addr(&r, n->addr_size);
}

#endif
