/* File creation lists. */
#ifndef TS_PLIST_FCPL_H
#define TS_PLIST_FCPL_H

#include <stdint.h>

#include "H5Fpublic.h"
#include "H5Opublic.h"
#include "plist/property.h"

TS_PROPERTY(fcpl, userblock, hsize_t, "block_size");
TS_PROPERTY(fcpl, sym_leaf_k, unsigned, "symbol_leaf");
TS_PROPERTY_ARRAY(fcpl, btree_k, unsigned, 2, "btree_rank"); /* of groups, of chunks */
TS_PROPERTY(fcpl, addr_size, uint8_t, "addr_byte_num");
TS_PROPERTY(fcpl, length_size, uint8_t, "obj_byte_num");
TS_PROPERTY(fcpl, superblock_version, unsigned, "super_version");
TS_PROPERTY(fcpl, sohm_indexes, unsigned, "num_shmsg_indexes");
TS_PROPERTY_ARRAY(fcpl, sohm_types, unsigned, H5O_SHMESG_MAX_NINDEXES, "shmsg_message_types");
TS_PROPERTY_ARRAY(fcpl, sohm_min_size, unsigned, H5O_SHMESG_MAX_NINDEXES, "shmsg_message_minsize");
TS_PROPERTY(fcpl, sohm_max_list, unsigned, "shmsg_list_max");
TS_PROPERTY(fcpl, sohm_min_btree, unsigned, "shmsg_btree_min");
TS_PROPERTY(fcpl, space_strategy, H5F_fspace_strategy_t, "file_space_strategy");
TS_PROPERTY(fcpl, space_persist, bool, "free_space_persist");
TS_PROPERTY(fcpl, space_threshold, hsize_t, "free_space_threshold");
TS_PROPERTY(fcpl, space_page_size, hsize_t, "file_space_page_size");

#endif
