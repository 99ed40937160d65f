/* File creation lists. */
#ifndef TS_PLIST_FCPL_H
#define TS_PLIST_FCPL_H

#include <stdint.h>

#include "H5Fpublic.h"
#include "H5Opublic.h"
#include "plist/plist.h"

#define TS_P_USERBLOCK "block_size"                  /* hsize_t */
#define TS_P_SYM_LEAF_K "symbol_leaf"                /* unsigned */
#define TS_P_BTREE_K "btree_rank"                    /* unsigned[2]: of groups, of chunks */
#define TS_P_ADDR_SIZE "addr_byte_num"               /* uint8_t */
#define TS_P_LENGTH_SIZE "obj_byte_num"              /* uint8_t */
#define TS_P_SUPERBLOCK_VERSION "super_version"      /* unsigned */
#define TS_P_SOHM_INDEXES "num_shmsg_indexes"        /* unsigned */
#define TS_P_SOHM_TYPES "shmsg_message_types"        /* unsigned[H5O_SHMESG_MAX_NINDEXES] */
#define TS_P_SOHM_MIN_SIZE "shmsg_message_minsize"   /* unsigned[H5O_SHMESG_MAX_NINDEXES] */
#define TS_P_SOHM_MAX_LIST "shmsg_list_max"          /* unsigned */
#define TS_P_SOHM_MIN_BTREE "shmsg_btree_min"        /* unsigned */
#define TS_P_SPACE_STRATEGY "file_space_strategy"    /* H5F_fspace_strategy_t */
#define TS_P_SPACE_PERSIST "free_space_persist"      /* bool */
#define TS_P_SPACE_THRESHOLD "free_space_threshold"  /* hsize_t */
#define TS_P_SPACE_PAGE_SIZE "file_space_page_size"  /* hsize_t */

#endif
