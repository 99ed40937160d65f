/* Inside of version 2 B-trees: header and nodes as they are in the metadata cache. */
#ifndef TS_INDEX_BTREE2_NODE_H
#define TS_INDEX_BTREE2_NODE_H

#include "format/btree2.h"
#include "index/btree2.h"

struct ts_btree2 {
    struct ts_file *file;
    haddr_t addr;
    struct ts_btree2_shape shape;
    struct ts_btree2_held *held; /* or NULL */
};

struct ts_btree2_node {
    haddr_t tree; /* header */
    unsigned level;
    struct ts_btree2_child self;      /* where it is and what is in it; the pointer to it says the same */
    struct ts_btree2_child *children; /* self.records + 1; NULL in a leaf */
    uint8_t *buf;                     /* as in the file up to the last record */
    uint64_t room;                    /* records there is memory for, and one child more; 0: as many as there are,
                                         never once it was edited */
    unsigned type;                    /* these three so that it can be written without its header */
    uint32_t node_size;
    uint16_t record_size;
};

extern const struct ts_meta_class ts_btree2_header_class, ts_btree2_node_class;

/* The node that a pointer leads to. Unpin by its self.addr. */
int ts_btree2_node_pin(const struct ts_btree2 *t, unsigned level, const struct ts_btree2_child *at,
                       struct ts_btree2_node **out);
/* 1: record *at is it. 0: it would be in child *at. */
int ts_btree2_node_search(const struct ts_btree2_node *n, ts_btree2_compare_fn *compare, void *ctx, uint64_t *at);
size_t ts_btree2_node_bytes(const struct ts_btree2_node *n, uint64_t records);
void ts_btree2_node_free(void *obj);

static inline uint8_t *ts_btree2_record(const struct ts_btree2_node *n, uint64_t i)
{
    return n->buf + TS_BTREE2_NODE_PREFIX + (size_t)i * n->record_size;
}

static inline struct ts_btree2_child ts_btree2_root(const struct ts_btree2 *t)
{
    const struct ts_btree2_header *h = &t->shape.header;
    return (struct ts_btree2_child){.addr = h->root, .records = h->root_records, .total = h->records};
}

/* How many records a node of a level may have, and how few when it is not the root. */
static inline uint64_t ts_btree2_most(const struct ts_btree2 *t, unsigned level)
{
    uint64_t max = t->shape.levels[level].max_records;
    if (max > UINT16_MAX)
        max = UINT16_MAX; /* the header has 2 bytes for the records of the root */
    uint64_t most = max * t->shape.header.split_percent / 100;
    return most < 2 || most > max ? max : most;
}

static inline uint64_t ts_btree2_fewest(const struct ts_btree2 *t, unsigned level)
{
    uint64_t max = t->shape.levels[level].max_records, fewest = max * t->shape.header.merge_percent / 100;
    return fewest == 0 && max > 1 ? 1 : fewest; /* a node without records has no sibling to its children */
}

#endif
