/* A node of a version 1 B-tree. O = size of offsets.
 *
 *   0 "TREE" 4
 *   4 type 1 (0 group, 1 chunks)
 *   5 level 1 (0 is a leaf)
 *   6 entries used N, 2
 *   8 left sibling O
 *     right sibling O
 *     key 0, child 0 O, key 1, child 1 O, … child N - 1, key N; room for 2k children follows
 *
 * Key of a group: offset of a name in the local heap, size of lengths. The name is the greatest in the child to the
 * left. Key of a chunk: bytes 4, filter mask 4, offset in elements 8 per dimension, offset in the element 8: 0, but
 * not in the key that ends the tree. It is the least in the child to the right. */
#ifndef TS_FORMAT_BTREE1_H
#define TS_FORMAT_BTREE1_H

#include <stddef.h>
#include <stdint.h>

#include "H5Spublic.h"
#include "H5public.h"

struct ts_wr;

enum { TS_BTREE1_GROUP = 0, TS_BTREE1_CHUNK = 1 };

struct ts_btree1_prefix {
    unsigned type, level, entries;
    haddr_t left, right;
};

static inline size_t ts_btree1_prefix_size(unsigned addr_size)
{
    return 8 + 2 * (size_t)addr_size;
}

/* Bytes of n children with the n + 1 keys around them. */
static inline size_t ts_btree1_body_size(size_t n, size_t key_size, unsigned addr_size)
{
    return n * (key_size + addr_size) + key_size;
}

static inline size_t ts_btree1_chunk_key_size(unsigned rank)
{
    return 8 + 8 * ((size_t)rank + 1);
}

int ts_btree1_prefix_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_btree1_prefix *out);
int ts_btree1_prefix_encode(const struct ts_btree1_prefix *p, unsigned addr_size, struct ts_wr *w);

static inline size_t ts_btree1_node_size(unsigned k, size_t key_size, unsigned addr_size)
{
    return ts_btree1_prefix_size(addr_size) + ts_btree1_body_size(2 * (size_t)k, key_size, addr_size);
}

/* The whole node of ts_btree1_node_size bytes. body: keys and children in turn, ts_btree1_body_size bytes of
 * p->entries children; without children, none. */
int ts_btree1_node_encode(const struct ts_btree1_prefix *p, const uint8_t *body, unsigned k, size_t key_size,
                          unsigned addr_size, struct ts_wr *w);

struct ts_btree1_chunk_key {
    uint32_t size, filter_mask;
    uint64_t offset[H5S_MAX_RANK];
    uint64_t in_element;
};

/* buf holds ts_btree1_chunk_key_size(rank) bytes. */
void ts_btree1_chunk_key_decode(const uint8_t *buf, unsigned rank, struct ts_btree1_chunk_key *out);
void ts_btree1_chunk_key_encode(const struct ts_btree1_chunk_key *key, unsigned rank, struct ts_wr *w);

#endif
