/* Group creation lists. */
#ifndef TS_PLIST_GCPL_H
#define TS_PLIST_GCPL_H

#include <stdbool.h>
#include <stdint.h>

#include "plist/property.h"

struct ts_gcpl_links {
    bool track_order, index_order;
};

struct ts_gcpl_group {
    uint32_t heap_hint;
    uint16_t max_compact, min_dense, est_entries, est_name_len;
    bool phase_change_set, estimates_set; /* not the defaults: the message in the file says them */
};

TS_PROPERTY_STRUCT(gcpl, link_info, struct ts_gcpl_links, "link info");
TS_PROPERTY_STRUCT(gcpl, group_info, struct ts_gcpl_group, "group info");

#endif
