/* Version 1 B-trees: of symbol table nodes (groups) and of chunks. */
#ifndef TS_INDEX_BTREE1_H
#define TS_INDEX_BTREE1_H

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

/* Every leaf entry in key order. */
int ts_btree1_iterate(const struct ts_btree1 *tree, ts_btree1_visit_fn *visit, void *ctx);
/* Bytes of all nodes, each with room for 2 * k children. */
int ts_btree1_storage(const struct ts_btree1 *tree, unsigned k, uint64_t *bytes);

#endif
