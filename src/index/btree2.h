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
/* All records from the first (or, in reverse, from the last), skipping the first `skip` in that order without
 * reading the nodes they are in. */
int ts_btree2_walk(struct ts_btree2 *tree, bool reverse, uint64_t skip, ts_btree2_visit_fn *visit, void *ctx);
/* Bytes of header and nodes. */
int ts_btree2_storage(struct ts_btree2 *tree, uint64_t *bytes);

static inline int ts_btree2_iterate(struct ts_btree2 *tree, ts_btree2_visit_fn *visit, void *ctx)
{
    return ts_btree2_walk(tree, false, 0, visit, ctx);
}

#endif
