/* Mappings of virtual datasets in dataset creation lists. */
#ifndef TS_PLIST_VIRTUAL_MAP_H
#define TS_PLIST_VIRTUAL_MAP_H

#include "plist/dcpl.h"

/* %b in a name stands for the number of the block, %% for a %; nothing else may follow one. *has_number becomes true
 * when there is one. */
bool ts_vds_name_is_sound(const char *name, bool *has_number);
/* A mapping has no offset beside its selection, which is moved by it. */
int ts_vds_take_offset(struct ts_space *s);
/* Both selections fit together. */
int ts_vds_map_check_selections(const struct ts_vds_map *m);
/* Numbers make sense for an unlimited virtual selection of limited sources, and only for that. */
int ts_vds_map_check_number(const struct ts_vds_map *m, bool has_number);
/* A copy; the layout becomes virtual. */
int ts_dcpl_add_mapping(struct ts_plist *pl, const struct ts_vds_map *m);

#endif
