/* Version 2 B-trees with raw records; what a record means is the client's. */
#ifndef TS_INDEX_BTREE2_H
#define TS_INDEX_BTREE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/file.h"

struct ts_btree2;

/* The header, pinned in the metadata cache until ts_btree2_close. */
int ts_btree2_open(struct ts_file *f, haddr_t addr, struct ts_btree2 **out);
void ts_btree2_close(struct ts_btree2 *tree);

unsigned ts_btree2_type(const struct ts_btree2 *tree); /* TS_BTREE2_* of format/btree2.h */
size_t ts_btree2_record_size(const struct ts_btree2 *tree);
uint64_t ts_btree2_count(const struct ts_btree2 *tree);

/* Compares what is looked for with a record: *order < 0, 0 or > 0 when it sorts before, equal or behind. Returns
 * negative on error. */
typedef int ts_btree2_compare_fn(const uint8_t *record, void *ctx, int *order);
/* 0 goes on; anything else stops and is returned. */
typedef int ts_btree2_visit_fn(const uint8_t *record, void *ctx);

/* Copies the record to `record`, of ts_btree2_record_size bytes. Returns 1 found, 0 none, negative on error. */
int ts_btree2_find(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, void *ctx, uint8_t *record);
/* The record at a position in the tree's order, O(log n). A position behind the last is an error. */
int ts_btree2_at(struct ts_btree2 *tree, uint64_t position, uint8_t *record);
/* How many records sort before what is looked for, O(log n). */
int ts_btree2_rank(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, void *ctx, uint64_t *rank);
/* All records from the first (or, in reverse, from the last), skipping the first `skip` in that order without
 * reading the nodes they are in. */
int ts_btree2_walk(struct ts_btree2 *tree, bool reverse, uint64_t skip, ts_btree2_visit_fn *visit, void *ctx);
/* Bytes of header and nodes. */
int ts_btree2_storage(struct ts_btree2 *tree, uint64_t *bytes);

/* Changes; inside ts_change_begin/end (file/change.h). A tree that is open stays so, and sees them. */

struct ts_btree2_params {
    unsigned type; /* TS_BTREE2_* */
    uint32_t node_size;
    uint16_t record_size;
    unsigned split_percent, merge_percent;
};

/* What libhdf5 gives trees of links, attributes and huge objects, and those of chunks. */
enum { TS_BTREE2_NODE = 512, TS_BTREE2_CHUNK_NODE = 2048, TS_BTREE2_SPLIT = 100, TS_BTREE2_MERGE = 40 };

/* An empty tree; *addr is that of its header. */
int ts_btree2_create(struct ts_file *f, const struct ts_btree2_params *params, haddr_t *addr);
/* compare knows the new record by ctx. Returns 0, or 1 when there is an equal one: then nothing changed. */
int ts_btree2_insert(struct ts_btree2 *tree, const uint8_t *record, ts_btree2_compare_fn *compare, void *ctx);
/* Many records, one behind the other, that are in the tree's order and not in the tree: those for one leaf go in
 * together. `about` makes ctx mean record i. Returns 0, or 1 when there is an equal one: then some were put in. */
struct ts_btree2_many {
    const uint8_t *records;
    size_t n;
    void (*about)(void *ctx, size_t i);
    ts_btree2_compare_fn *compare;
    void *ctx;
};
int ts_btree2_insert_many(struct ts_btree2 *tree, const struct ts_btree2_many *many);
/* Returns 1 removed, 0 none. removed, when given, receives the record. */
int ts_btree2_remove(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, void *ctx, uint8_t *removed);
/* Changes a record where it is, not its place in the order. Returns negative on error. */
typedef int ts_btree2_modify_fn(uint8_t *record, void *ctx);
/* Returns 1 found, 0 none. ctx is for both functions. */
int ts_btree2_modify(struct ts_btree2 *tree, ts_btree2_compare_fn *compare, ts_btree2_modify_fn *modify, void *ctx);
/* Frees header and nodes; no one may have the tree open. Each record goes to visit first, when given. */
int ts_btree2_delete(struct ts_file *f, haddr_t addr, ts_btree2_visit_fn *visit, void *ctx);

/* 1 when all is as it must be: counts, fill of nodes, and with `order` (negative, 0 or positive as a sorts before,
 * with or behind b) the order of records. Else 0 and why. */
typedef int ts_btree2_order_fn(const uint8_t *a, const uint8_t *b, void *ctx);
int ts_btree2_verify(struct ts_btree2 *tree, ts_btree2_order_fn *order, void *ctx, const char **reason);

/* What a client has for the tree, but keeps back until somebody opens it or it is written: many records at once are
 * less work. It makes the tree dirty when it has something, and undoes by itself what a change that fails did to it. */
struct ts_btree2_held {
    /* Puts it into the tree, inside a change. */
    int (*settle)(struct ts_btree2 *tree, struct ts_btree2_held *held);
    void (*free)(struct ts_btree2_held *held);
    size_t n; /* records */
};

/* The tree without what is held: for the client. */
int ts_btree2_open_held(struct ts_file *f, haddr_t addr, struct ts_btree2 **out);
struct ts_btree2_held *ts_btree2_held(const struct ts_btree2 *tree);
/* Once for each tree; it goes with the tree. */
void ts_btree2_hold(struct ts_btree2 *tree, struct ts_btree2_held *held);
/* Of an open tree: what it holds is about to change; and takes so much memory from here on. */
int ts_btree2_edit_held(struct ts_btree2 *tree);
void ts_btree2_resize_held(struct ts_btree2 *tree, size_t bytes);

static inline int ts_btree2_iterate(struct ts_btree2 *tree, ts_btree2_visit_fn *visit, void *ctx)
{
    return ts_btree2_walk(tree, false, 0, visit, ctx);
}

#endif
