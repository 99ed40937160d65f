/* The small messages. O = size of offsets, L = size of lengths.
 *
 * modification time: version 1 (1) | reserved 3 | seconds 4
 * modification time, old: year 4, month 2, day 2, hour 2, minute 2, second 2 in ASCII digits, UTC | reserved 2
 * reference count: version 1 (0) | count 4
 * external files: version 1 (1) | reserved 3 | allocated slots 2 | used slots 2 | local heap O | slots, each:
 *                 name offset L | offset in the file L | size L
 * B-tree K: version 1 (0) | chunk K 2 | group internal K 2 | group leaf K 2
 * driver info: version 1 (0) | name 8 | size 2 | information
 * shared message table: version 1 (0) | table O | number of indexes 1
 * file space info, version 0: version 1 | strategy 1 | threshold L | 6 managers O each (strategy 1)
 *                  version 1: version 1 | strategy 1 | persist 1 | threshold L | page size L (specified: 4) |
 *                             page end threshold 2 | end of allocation O | 12 managers O each (persist)
 * cache image: version 1 (0) | address O | size L
 */
#ifndef TS_FORMAT_MESSAGES_H
#define TS_FORMAT_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "H5Fpublic.h"
#include "H5public.h"

struct ts_wr;

int ts_mtime_decode(const uint8_t *buf, size_t size, time_t *out);
int ts_mtime_encode(time_t t, struct ts_wr *w);
int ts_mtime_decode_old(const uint8_t *buf, size_t size, time_t *out);
int ts_mtime_encode_old(time_t t, struct ts_wr *w);
int ts_ref_count_decode(const uint8_t *buf, size_t size, uint32_t *out);
int ts_ref_count_encode(uint32_t count, struct ts_wr *w);
/* Borrowed from the message. */
int ts_comment_decode(const uint8_t *buf, size_t size, const char **out);
int ts_comment_encode(const char *comment, struct ts_wr *w);

struct ts_efl_slot {
    uint64_t name_offset, offset, size;
};

struct ts_efl_msg {
    haddr_t heap;
    size_t n, allocated;
    struct ts_efl_slot *slots; /* owned; n of them */
};

int ts_efl_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size, struct ts_efl_msg *out);
size_t ts_efl_size(size_t slots, unsigned addr_size, unsigned len_size);
/* All allocated slots; those not in use are zeros. A slot of unlimited size has all bits set. */
int ts_efl_encode(const struct ts_efl_msg *msg, unsigned addr_size, unsigned len_size, struct ts_wr *w);

struct ts_btree_k {
    unsigned chunk_k, group_internal_k, group_leaf_k;
};

int ts_btree_k_decode(const uint8_t *buf, size_t size, struct ts_btree_k *out);
int ts_btree_k_encode(const struct ts_btree_k *k, struct ts_wr *w);

struct ts_driver_msg {
    char name[9];
    const uint8_t *info; /* borrowed */
    size_t size;
};

int ts_driver_msg_decode(const uint8_t *buf, size_t size, struct ts_driver_msg *out);
int ts_driver_msg_encode(const struct ts_driver_msg *msg, struct ts_wr *w);

struct ts_sohm_msg {
    haddr_t table;
    unsigned n_indexes;
};

int ts_sohm_msg_decode(const uint8_t *buf, size_t size, unsigned addr_size, struct ts_sohm_msg *out);
int ts_sohm_msg_encode(const struct ts_sohm_msg *msg, unsigned addr_size, struct ts_wr *w);

#define TS_FSPACE_MANAGERS 12

struct ts_file_space {
    unsigned version;
    H5F_fspace_strategy_t strategy;
    bool persist;
    hsize_t threshold, page_size;
    unsigned page_end_threshold;
    haddr_t end_before_managers;
    haddr_t managers[TS_FSPACE_MANAGERS]; /* six for small, six for large sections; HADDR_UNDEF when absent */
};

int ts_file_space_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                         struct ts_file_space *out);
int ts_file_space_encode(const struct ts_file_space *fs, unsigned addr_size, unsigned len_size, struct ts_wr *w);

struct ts_cache_image {
    haddr_t addr;
    uint64_t size;
};

int ts_cache_image_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                          struct ts_cache_image *out);
int ts_cache_image_encode(const struct ts_cache_image *image, unsigned addr_size, unsigned len_size, struct ts_wr *w);

#endif
