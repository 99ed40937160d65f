/* What the files about virtual datasets share. */
#ifndef TS_DATASET_VIRTUAL_PARTS_H
#define TS_DATASET_VIRTUAL_PARTS_H

#include "base/map.h"
#include "chunk/plan.h"
#include "dataset/virtual.h"
#include "plist/dcpl.h"

struct ts_virtual {
    struct ts_vds maps;
    bool follows; /* some mapping is unlimited: the extent depends on the sources */
    H5D_vds_view_t view;
    hsize_t gap;                     /* blocks that may be missing in a row */
    H5D_vds_unreadable_t unreadable; /* never H5D_VDS_UNREADABLE_DEFAULT */
    struct ts_mutex lock;            /* of the sources */
    struct ts_dict sources;          /* open datasets by file and name */
};

/* What is in the global heap, of a dataset that shows such an extent. Mappings are added. */
int ts_virtual_decode(const uint8_t *data, size_t size, unsigned len_size, const struct ts_space *shown,
                      struct ts_vds *maps);

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

/* What a part of a virtual dataset shows, source by source; virtual_walk.c. */
enum ts_virtual_lock { TS_VIRTUAL_UNLOCKED, TS_VIRTUAL_READS, TS_VIRTUAL_WRITES };

struct ts_virtual_walk {
    struct ts_dataset *d;
    const struct ts_space *extent;                 /* everything selected */
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK]; /* bounds of the part; other mappings are passed over */
    enum ts_virtual_lock lock; /* of the source, from before its extent is looked at until it was visited */
    /* dst of the virtual dataset shows src of the source: equally many elements, as far as both datasets have them. */
    int (*visit)(struct ts_dataset *source, const struct ts_space *dst, const struct ts_space *src, void *ctx);
    void *ctx;
};

/* Mapping after mapping. Sources that are missing are not visited. */
int ts_virtual_walk(const struct ts_virtual_walk *w);

/* Runs that grow in number; virtual_pairs.c. */
struct ts_pairs {
    struct ts_pair *items;
    size_t n, capacity;
};
int ts_pairs_add(struct ts_pairs *l, hsize_t src, hsize_t mem, hsize_t n);
/* By src. */
void ts_pairs_sort(struct ts_pairs *l);
/* Sorts the runs and joins those that touch or overlap; what they have in mem is lost. */
void ts_pairs_unite(struct ts_pairs *l);
/* A selection of what united runs have in src, in an extent like that of `like`. */
int ts_pairs_select(const struct ts_pairs *l, const struct ts_space *like, struct ts_space **out);

#endif
