/* What virtual.c and virtual_transfer.c share. */
#ifndef TS_DATASET_VIRTUAL_PARTS_H
#define TS_DATASET_VIRTUAL_PARTS_H

#include "base/map.h"
#include "dataset/virtual.h"
#include "plist/dcpl.h"

struct ts_virtual {
    struct ts_vds maps;
    bool follows;  /* some mapping is unlimited: the extent depends on the sources */
    H5D_vds_view_t view;
    hsize_t gap; /* blocks that may be missing in a row */
    H5D_vds_unreadable_t unreadable; /* never H5D_VDS_UNREADABLE_DEFAULT */
    struct ts_mutex lock; /* of the sources */
    struct ts_dict sources; /* open datasets by file and name */
};

/* Each block of the virtual selection has its own source. */
bool ts_virtual_is_printf(const struct ts_vds_map *map);

/* The source of a mapping, or of its block. 1 and *out (a reference), 0 when it is missing, negative on error. */
int ts_virtual_source(struct ts_dataset *d, const struct ts_vds_map *map, hsize_t block, struct ts_dataset **out);

/* Virtual datasets may be sources of others; one that leads to itself is an error. */
struct ts_virtual_visit {
    const struct ts_dataset *d;
    const struct ts_virtual_visit *outer;
};
int ts_virtual_enter(struct ts_virtual_visit *visit, const struct ts_dataset *d);
void ts_virtual_leave(const struct ts_virtual_visit *visit);

#endif
