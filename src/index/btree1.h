/* Version 1 B-trees: of symbol table nodes (groups) and of chunks. */
#ifndef TS_INDEX_BTREE1_H
#define TS_INDEX_BTREE1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

struct ts_btree1 {
    struct ts_file *file;
    haddr_t root;
    unsigned type;   /* TS_BTREE1_GROUP or TS_BTREE1_CHUNK, of format/btree1.h */
    size_t key_size; /* group: size of lengths; chunk: ts_btree1_chunk_key_size(rank) */
};

/* Says where the target lies as seen from a child between two keys: *order < 0 before it, 0 in it, > 0 behind it.
 * Returns negative on error. */
typedef int ts_btree1_locate_fn(const uint8_t *left, const uint8_t *right, void *ctx, int *order);

/* What the leaf level points at. keys, when given, receives the left and then the right key, key_size bytes each.
 * Returns 1 found, 0 none, negative on error. */
int ts_btree1_find(const struct ts_btree1 *tree, ts_btree1_locate_fn *locate, void *ctx, haddr_t *child, uint8_t *keys);

struct ts_btree1_entry {
    haddr_t child;
    const uint8_t *left, *right; /* raw keys, borrowed during the call */
};

/* 0 goes on; anything else stops and is returned. */
typedef int ts_btree1_visit_fn(const struct ts_btree1_entry *entry, void *ctx);

/* Every leaf entry in key order, from the one that holds the target on, or from that behind it. locate NULL: from the
 * first. */
int ts_btree1_walk(const struct ts_btree1 *tree, ts_btree1_locate_fn *locate, void *target, ts_btree1_visit_fn *visit,
                   void *ctx);
/* Bytes of all nodes, each with room for 2 * k children. */
int ts_btree1_storage(const struct ts_btree1 *tree, unsigned k, uint64_t *bytes);

/* Changes; inside ts_change_begin/end (file/change.h). The root never moves. */

/* An empty tree. */
int ts_btree1_create(struct ts_file *f, unsigned type, size_t key_size, haddr_t *root);

/* A leaf entry to be changed: copies of its keys, and what it points at. A key may lie closer to the target than the
 * one in the file where that leaves a gap between two leaves; chunks have such gaps on their left, with order < 0. */
struct ts_btree1_slot {
    int order; /* not 0 when the target lies before the first entry or behind the last of the tree */
    bool none; /* the tree is empty: there is no entry, only TS_BTREE1_FIRST makes sense */
    haddr_t child;
    uint8_t *left, *right;
    haddr_t leaf; /* the node with the entry, for dependencies; entries added may go to another */
    /* Of an entry that is added beside this one: */
    haddr_t new_child;
    uint8_t *new_key; /* between the two */
};

enum ts_btree1_edit {
    TS_BTREE1_KEEP,        /* nothing changed */
    TS_BTREE1_UPDATE,      /* left, right or child did */
    TS_BTREE1_ADD_RIGHT,   /* left, child, new_key, new_child, right */
    TS_BTREE1_ADD_LEFT,    /* left, new_child, new_key, child, right */
    TS_BTREE1_FIRST,       /* left, new_child, right */
    TS_BTREE1_REMOVE,      /* the entry and its left key: that of chunks describes them */
    TS_BTREE1_REMOVE_RIGHT /* the entry and its right key: that of groups is its greatest name */
};

/* Returns one of them, or negative on error. Must not use this tree. */
typedef int ts_btree1_edit_fn(struct ts_btree1_slot *slot, void *ctx);

/* Finds the entry that holds the target, or is nearest to it, and changes it. ctx is for both functions. Returns what
 * edit returned. */
int ts_btree1_edit(const struct ts_btree1 *tree, ts_btree1_locate_fn *locate, ts_btree1_edit_fn *edit, void *ctx);
/* Frees all nodes. Each leaf entry goes to visit first, when given. */
int ts_btree1_delete(const struct ts_btree1 *tree, ts_btree1_visit_fn *visit, void *ctx);

/* 1 when levels, siblings and the keys at the borders of nodes agree, else 0 and why. With `order` the keys must
 * ascend. */
typedef int ts_btree1_order_fn(const uint8_t *a, const uint8_t *b, void *ctx);
int ts_btree1_verify(const struct ts_btree1 *tree, ts_btree1_order_fn *order, void *ctx, const char **reason);

static inline int ts_btree1_iterate(const struct ts_btree1 *tree, ts_btree1_visit_fn *visit, void *ctx)
{
    return ts_btree1_walk(tree, NULL, NULL, visit, ctx);
}

#endif
