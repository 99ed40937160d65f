/* File creation lists. */
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
        TS_PROPERTY_SPEC(fcpl, userblock, NULL, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fcpl, sym_leaf_k, &leaf_k, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fcpl, btree_k, &btree_k, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fcpl, addr_size, &eight, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fcpl, length_size, &eight, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fcpl, superblock_version, NULL, &ts_prop_plain, 0),
        TS_PROPERTY_SPEC(fcpl, sohm_indexes, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fcpl, sohm_types, NULL, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fcpl, sohm_min_size, &min_sizes, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fcpl, sohm_max_list, &max_list, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fcpl, sohm_min_btree, &min_btree, &ts_prop_unsigned, 0),
        TS_PROPERTY_SPEC(fcpl, space_strategy, NULL, &ts_prop_enum, 0),
        TS_PROPERTY_SPEC(fcpl, space_persist, NULL, &ts_prop_byte, 0),
        TS_PROPERTY_SPEC(fcpl, space_threshold, &threshold, &ts_prop_size, 0),
        TS_PROPERTY_SPEC(fcpl, space_page_size, &page_size, &ts_prop_size, 0),
    };
    return ts_plist_define(TS_PLIST_FILE_CREATE, specs, sizeof specs / sizeof *specs);
}
