/* Group creation lists. */
#ifndef TS_PLIST_GCPL_H
#define TS_PLIST_GCPL_H

#include <stdbool.h>
#include <stdint.h>

#include "plist/plist.h"

#define TS_P_LINK_INFO "link info"   /* struct ts_gcpl_links */
#define TS_P_GROUP_INFO "group info" /* struct ts_gcpl_group */

struct ts_gcpl_links {
    bool track_order, index_order;
};

struct ts_gcpl_group {
    uint32_t heap_hint;
    uint16_t max_compact, min_dense, est_entries, est_name_len;
    bool phase_change_set, estimates_set; /* not the defaults: the message in the file says them */
};

#endif
