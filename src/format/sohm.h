/* The table of shared object header message indexes, and the list that is one kind of index. O = size of offsets.
 *
 * "SMTB" | indexes, each: version 1 (0) | kind 1 | message types 2 | minimum size 4 | list cutoff 2 | B-tree cutoff 2 |
 *          messages 2 | index O | heap O | ... | checksum 4
 * list: "SMLI" | records | checksum 4, behind the records in use; room for list cutoff of them
 * record, the same in a B-tree: location 1 | hash 4 | in the heap (location 0): references 4, heap id 8;
 *          in an object header (location 1): reserved 1, message type 1, creation index 2, header O
 */
#ifndef TS_FORMAT_SOHM_H
#define TS_FORMAT_SOHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Opublic.h"
#include "H5public.h"

struct ts_wr;

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
int ts_sohm_table_encode(const struct ts_sohm_table *t, unsigned addr_size, struct ts_wr *w);

/* Which index has messages of this type; NULL when none. */
const struct ts_sohm_index *ts_sohm_table_find(const struct ts_sohm_table *t, unsigned msg_type);

struct ts_sohm_record {
    bool in_heap;
    uint32_t hash;
    uint32_t references; /* in the heap */
    uint8_t heap_id[8];  /* in the heap */
    unsigned msg_type;   /* in an object header, as those below */
    uint16_t creation_index;
    haddr_t header;
};

/* Both forms take the room of the larger. */
static inline size_t ts_sohm_record_size(unsigned addr_size)
{
    return 5 + (addr_size > 8 ? 4 + (size_t)addr_size : 12);
}

static inline size_t ts_sohm_list_size(size_t n, unsigned addr_size)
{
    return 8 + n * ts_sohm_record_size(addr_size);
}

/* buf holds ts_sohm_record_size bytes. */
int ts_sohm_record_decode(const uint8_t *buf, unsigned addr_size, struct ts_sohm_record *out);
int ts_sohm_record_encode(const struct ts_sohm_record *rec, unsigned addr_size, struct ts_wr *w);
/* buf holds ts_sohm_list_size(n, addr_size) bytes, out has room for n. */
int ts_sohm_list_decode(const uint8_t *buf, size_t n, unsigned addr_size, struct ts_sohm_record *out);
/* The list with room for list_max records. */
int ts_sohm_list_encode(const struct ts_sohm_record *recs, size_t n, size_t list_max, unsigned addr_size,
                        struct ts_wr *w);

#endif
