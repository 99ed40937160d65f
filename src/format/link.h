/* What groups are made of: link message, link info, group info, symbol table message, symbol table node.
 * O = size of offsets, L = size of lengths.
 *
 * link: version 1 (1) | flags 1 | type 1 (bit 3) | creation order 8 (bit 2) | character set 1 (bit 4) |
 *       name length 1, 2, 4 or 8 (bits 0-1) | name | hard: address O; others: length 2, value
 * link info: version 1 (0) | flags 1 | max creation order 8 (bit 0) | heap O | name index O | order index O (bit 1)
 * group info: version 1 (0) | flags 1 | max compact 2, min dense 2 (bit 0) | entries 2, name length 2 (bit 1)
 * symbol table message: B-tree O | local heap O
 * symbol table node: "SNOD" | version 1 (1) | reserved 1 | entries 2 | entries, each:
 *       name offset L (the specification says O; files have L) | object header O | cache type 4 | reserved 4 | scratch
 *       16 scratch of cache type 1: B-tree O, local heap O; of type 2: offset of the soft link's value 4
 */
#ifndef TS_FORMAT_LINK_H
#define TS_FORMAT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Lpublic.h"
#include "H5Tpublic.h"
#include "H5public.h"

struct ts_wr;

struct ts_link {
    char *name;
    H5L_type_t type;
    bool corder_valid;
    int64_t corder;
    H5T_cset_t cset;
    haddr_t addr; /* hard links */
    char *value;  /* the others: the bytes with a NUL behind them */
    size_t value_size;
    /* Symbol tables may cache where a hard link's group has its own; else HADDR_UNDEF. */
    haddr_t cached_btree, cached_heap;
};

void ts_link_deinit(struct ts_link *link);
int ts_link_copy(struct ts_link *dst, const struct ts_link *src);
int ts_link_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_link *out);
/* The fewest fields that say it: no type for a hard link, no character set for ASCII. */
int ts_link_encode(const struct ts_link *link, unsigned addr_size, struct ts_wr *w);
/* The size of the value as H5Lget_info and H5Lget_val know it: a soft link's NUL counts. */
size_t ts_link_value_size(const struct ts_link *link);

/* Only the name, borrowed and not terminated: searching decodes nothing else. */
int ts_link_peek_name(const uint8_t *buf, size_t size, const char **name, size_t *len);

struct ts_link_info {
    bool tracked, indexed; /* creation order */
    int64_t max_corder;
    haddr_t heap, name_index, corder_index;
};

int ts_link_info_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_link_info *out);
int ts_link_info_encode(const struct ts_link_info *info, unsigned addr_size, struct ts_wr *w);

struct ts_group_info {
    bool has_phase_change, has_estimates;
    unsigned max_compact, min_dense, est_entries, est_name_len;
};

int ts_group_info_decode(const uint8_t *buf, size_t size, struct ts_group_info *out);
int ts_group_info_encode(const struct ts_group_info *info, struct ts_wr *w);

struct ts_symbol_table {
    haddr_t btree, heap;
};

int ts_symbol_table_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_symbol_table *out);
int ts_symbol_table_encode(const struct ts_symbol_table *t, unsigned addr_size, struct ts_wr *w);

struct ts_symbol {
    uint64_t name_offset;
    haddr_t addr;
    uint32_t cache_type;
    haddr_t cached_btree, cached_heap; /* cache type 1 */
    uint32_t value_offset;             /* cache type 2 */
};

enum { TS_SYMBOL_CACHE_NONE = 0, TS_SYMBOL_CACHE_GROUP = 1, TS_SYMBOL_CACHE_SOFT = 2 };

static inline size_t ts_symbol_size(unsigned addr_size, unsigned len_size)
{
    return (size_t)len_size + addr_size + 24;
}

static inline size_t ts_symbol_node_size(unsigned leaf_k, unsigned addr_size, unsigned len_size)
{
    return 8 + 2 * (size_t)leaf_k * ts_symbol_size(addr_size, len_size);
}

/* The entries in order; *out is owned by the caller and NULL when there are none. */
int ts_symbol_node_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                          struct ts_symbol **out, size_t *n);
void ts_symbol_encode(const struct ts_symbol *s, unsigned addr_size, unsigned len_size, struct ts_wr *w);
/* The whole node of ts_symbol_node_size bytes. */
int ts_symbol_node_encode(const struct ts_symbol *symbols, size_t n, unsigned leaf_k, unsigned addr_size,
                          unsigned len_size, struct ts_wr *w);

#endif
