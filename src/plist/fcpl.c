#include "plist/fcpl.h"

#include "plist/engine.h"

enum { SOHM_MIN_SIZE = 250, CHUNK_K = 32, GROUP_K = 16, LEAF_K = 4 };

int ts_fcpl_define(void)
{
    static const unsigned btree_k[2] = {GROUP_K, CHUNK_K}, leaf_k = LEAF_K, max_list = 50, min_btree = 40;
    static const unsigned min_sizes[H5O_SHMESG_MAX_NINDEXES] = {SOHM_MIN_SIZE, SOHM_MIN_SIZE, SOHM_MIN_SIZE,
                                                               SOHM_MIN_SIZE, SOHM_MIN_SIZE, SOHM_MIN_SIZE};
    static const uint8_t eight = 8;
    static const hsize_t threshold = 1, page_size = 4096;
    static const struct ts_prop_spec specs[] = {
        {TS_P_USERBLOCK, sizeof(hsize_t), NULL, &ts_prop_size, 0},
        {TS_P_SYM_LEAF_K, sizeof leaf_k, &leaf_k, &ts_prop_unsigned, 0},
        {TS_P_BTREE_K, sizeof btree_k, btree_k, &ts_prop_unsigned, 0},
        {TS_P_ADDR_SIZE, 1, &eight, &ts_prop_byte, 0},
        {TS_P_LENGTH_SIZE, 1, &eight, &ts_prop_byte, 0},
        {TS_P_SUPERBLOCK_VERSION, sizeof(unsigned), NULL, &ts_prop_plain, 0},
        {TS_P_SOHM_INDEXES, sizeof(unsigned), NULL, &ts_prop_unsigned, 0},
        {TS_P_SOHM_TYPES, sizeof min_sizes, NULL, &ts_prop_unsigned, 0},
        {TS_P_SOHM_MIN_SIZE, sizeof min_sizes, min_sizes, &ts_prop_unsigned, 0},
        {TS_P_SOHM_MAX_LIST, sizeof max_list, &max_list, &ts_prop_unsigned, 0},
        {TS_P_SOHM_MIN_BTREE, sizeof min_btree, &min_btree, &ts_prop_unsigned, 0},
        {TS_P_SPACE_STRATEGY, sizeof(int), NULL, &ts_prop_enum, 0},
        {TS_P_SPACE_PERSIST, sizeof(bool), NULL, &ts_prop_byte, 0},
        {TS_P_SPACE_THRESHOLD, sizeof threshold, &threshold, &ts_prop_size, 0},
        {TS_P_SPACE_PAGE_SIZE, sizeof page_size, &page_size, &ts_prop_size, 0},
    };
    return ts_plist_define(TS_PLIST_FILE_CREATE, specs, sizeof specs / sizeof *specs);
}
