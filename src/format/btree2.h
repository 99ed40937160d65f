/* Version 2 B-trees. O = size of offsets, L = size of lengths.
 *
 * header                    | internal node                         | leaf
 *   0 "BTHD" 4              |   0 "BTIN" 4                          |   0 "BTLF" 4
 *   4 version 1 (0, 1)      |   4 version 1 (0, 1)                  |   4 version 1 (0, 1)
 *   5 type 1                |   5 type 1                            |   5 type 1
 *   6 node size 4           |   6 records, N of the record size     |   6 records
 *  10 record size 2         |     N + 1 children:                   |     checksum 4
 *  12 depth 2               |       address O                       |
 *  14 split percent 1       |       records in it, c bytes          |
 *  15 merge percent 1       |       records in it and below,        |
 *  16 root O                |         t bytes, not above leaves     |
 *     records in root 2     |     checksum 4                        |
 *     records in tree L     |                                       |
 *     checksum 4            |                                       |
 *
 * Nodes have no record count: the pointer to them carries it. c and t are the fewest bytes that hold the greatest count
 * possible one level down, so they follow from node and record size alone. Version 1 says the
 * same as version 0 and is read, not written. */
#ifndef TS_FORMAT_BTREE2_H
#define TS_FORMAT_BTREE2_H

#include <stddef.h>
#include <stdint.h>

#include "H5public.h"

struct ts_wr;

enum {
    TS_BTREE2_HUGE_INDIRECT = 1,
    TS_BTREE2_HUGE_INDIRECT_FILTERED = 2,
    TS_BTREE2_HUGE_DIRECT = 3,
    TS_BTREE2_HUGE_DIRECT_FILTERED = 4,
    TS_BTREE2_LINK_NAME = 5,
    TS_BTREE2_LINK_ORDER = 6,
    TS_BTREE2_SHARED_MESSAGE = 7,
    TS_BTREE2_ATTR_NAME = 8,
    TS_BTREE2_ATTR_ORDER = 9,
    TS_BTREE2_CHUNK = 10,
    TS_BTREE2_CHUNK_FILTERED = 11,
    TS_BTREE2_STRUCT_CHUNK = 12,
    TS_BTREE2_STRUCT_CHUNK_FILTERED = 13
};

/* Each level at least doubles the records of a tree, so a deeper one cannot be. */
#define TS_BTREE2_MAX_DEPTH 64

struct ts_btree2_header {
    unsigned type, depth, split_percent, merge_percent;
    uint32_t node_size;
    uint16_t record_size, root_records;
    haddr_t root;
    uint64_t records;
};

/* What a node of one level can hold, and how its pointers to children are written. */
struct ts_btree2_level {
    uint64_t max_records; /* in the node */
    uint64_t max_total;   /* in the node and below; UINT64_MAX when it does not fit */
    unsigned count_width, total_width, pointer_size;
};

struct ts_btree2_shape {
    struct ts_btree2_header header;
    unsigned addr_size;
    struct ts_btree2_level levels[TS_BTREE2_MAX_DEPTH + 1]; /* 0 is the leaves */
};

struct ts_btree2_child {
    haddr_t addr;
    uint64_t records, total;
};

static inline size_t ts_btree2_header_size(unsigned addr_size, unsigned len_size)
{
    return 22 + (size_t)addr_size + len_size;
}

/* Offset of the records in a node. */
#define TS_BTREE2_NODE_PREFIX 6

/* Decodes the header and derives the levels. */
int ts_btree2_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                            struct ts_btree2_shape *out);
int ts_btree2_header_encode(const struct ts_btree2_header *h, unsigned addr_size, unsigned len_size, struct ts_wr *w);
/* Derives the levels from header and addr_size: a writer calls it when the depth changes. */
int ts_btree2_shape_derive(struct ts_btree2_shape *shape);

/* Bytes of a node with this many records, at most the header's node size: records must be at most the level's. */
size_t ts_btree2_node_size(const struct ts_btree2_shape *shape, unsigned level, uint64_t records);

/* self: level's node address unused, records and total as the pointer to the node says. buf holds
 * ts_btree2_node_size bytes. children has room for self->records + 1 and is not used for a leaf. */
int ts_btree2_node_decode(const struct ts_btree2_shape *shape, unsigned level, const struct ts_btree2_child *self,
                          const uint8_t *buf, struct ts_btree2_child *children);
/* The whole node of the header's node size: n records and, above the leaves, n + 1 children. */
int ts_btree2_node_encode(const struct ts_btree2_shape *shape, unsigned level, uint64_t n, const uint8_t *records,
                          const struct ts_btree2_child *children, struct ts_wr *w);

#endif
