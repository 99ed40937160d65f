/* The table of shared object header message indexes. O = size of offsets.
 *
 * "SMTB" | indexes, each: version 1 (0) | kind 1 | message types 2 | minimum size 4 | list cutoff 2 | B-tree cutoff 2 |
 *          messages 2 | index O | heap O | ... | checksum 4
 */
#ifndef TS_FORMAT_SOHM_H
#define TS_FORMAT_SOHM_H

#include <stddef.h>
#include <stdint.h>

#include "H5Opublic.h"
#include "H5public.h"

enum ts_sohm_kind { TS_SOHM_LIST = 0, TS_SOHM_BTREE = 1 };

struct ts_sohm_index {
    enum ts_sohm_kind kind;
    unsigned types; /* H5O_SHMESG_*_FLAG: bit n is message type n */
    uint32_t min_size;
    unsigned list_max, btree_min, messages;
    haddr_t index, heap;
};

struct ts_sohm_table {
    unsigned n;
    struct ts_sohm_index index[H5O_SHMESG_MAX_NINDEXES];
};

static inline size_t ts_sohm_table_size(unsigned n_indexes, unsigned addr_size)
{
    return 4 + (size_t)n_indexes * (14 + 2 * (size_t)addr_size) + 4;
}

/* buf is exactly ts_sohm_table_size bytes. */
int ts_sohm_table_decode(const uint8_t *buf, unsigned n_indexes, unsigned addr_size, struct ts_sohm_table *out);

/* Which index has messages of this type; NULL when none. */
const struct ts_sohm_index *ts_sohm_table_find(const struct ts_sohm_table *t, unsigned msg_type);

#endif
