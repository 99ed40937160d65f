/* Dataset creation lists: layout, fill value, external files, virtual mappings; filters are in ocpl.h, those of
 * structured chunks in sections.h. */
#ifndef TS_PLIST_DCPL_H
#define TS_PLIST_DCPL_H

#include <stdbool.h>
#include <sys/types.h>

#include "H5Dpublic.h"
#include "H5Spublic.h"
#include "plist/ocpl.h"
#include "plist/property.h"

struct ts_space;
struct ts_type;

/* One mapping of a virtual dataset: where the selection src of dset in file appears as the selection dst. */
struct ts_vds_map {
    const char *file, *dset; /* reference counted in a struct ts_vds and what is added shared, see ts_type_name_ref */
    struct ts_space *src, *dst;
};

struct ts_vds {
    size_t n, capacity;
    struct ts_vds_map *maps;
};

struct ts_layout_prop {
    H5D_layout_t cls;
    unsigned chunk_rank; /* 0: not set yet */
    hsize_t chunk_dims[H5S_MAX_RANK];
    unsigned chunk_opts;  /* H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS */
    unsigned struct_type; /* H5D_STRUCT_CHUNK: H5D_SPARSE_CHUNK, H5D_VL_CHUNK; 0: not set yet. See sections.h */
    struct ts_vds vds;
};

struct ts_efl_file {
    char *name;
    off_t offset;
    hsize_t size; /* H5F_UNLIMITED: as far as it goes */
};

struct ts_efl {
    size_t n, capacity;
    struct ts_efl_file *slots;
};

struct ts_fill {
    H5D_fill_value_t state;
    H5D_alloc_time_t alloc_time;
    H5D_fill_time_t fill_time;
    struct ts_type *type; /* of the value, NULL unless user-defined. Variable-length data is in memory form */
    void *value;
    size_t size;
};

TS_PROPERTY_OWNER(dcpl, layout, struct ts_layout_prop, "layout");
TS_PROPERTY_OWNER(dcpl, efl, struct ts_efl, "efl");
TS_PROPERTY_OWNER(dcpl, fill, struct ts_fill, "fill_value");
TS_PROPERTY(dcpl, alloc_time_follows, unsigned, "alloc_time_state"); /* 1 when the allocation time follows the layout */
TS_PROPERTY(dcpl, minimize_header, bool, "dset_oh_minimize");
TS_PROPERTY(dcpl, said_density, H5D_density_t, "density");
TS_PROPERTY(dcpl, selection_packing, bool, "selection_packing");

/* Getters make deep copies that the caller deinits; setters copy what they get. */
int ts_dcpl_layout(struct ts_plist *pl, struct ts_layout_prop *out);
int ts_dcpl_set_layout(struct ts_plist *pl, const struct ts_layout_prop *layout);
int ts_dcpl_set_vds(struct ts_plist *pl, const struct ts_vds *vds); /* makes the layout virtual */
int ts_dcpl_efl(struct ts_plist *pl, struct ts_efl *out);
int ts_dcpl_set_efl(struct ts_plist *pl, const struct ts_efl *efl);
int ts_dcpl_fill(struct ts_plist *pl, struct ts_fill *out);
int ts_dcpl_set_fill(struct ts_plist *pl, const struct ts_fill *fill);
/* The value as an element of the type; what it points at is the caller's. */
int ts_dcpl_fill_as(struct ts_plist *pl, struct ts_type *type, void *value);

void ts_layout_prop_deinit(struct ts_layout_prop *layout);
void ts_vds_deinit(struct ts_vds *vds);
int ts_vds_copy(struct ts_vds *dst, const struct ts_vds *src);
void ts_vds_map_deinit(struct ts_vds_map *map);
/* Spaces are copied, with their selections; names, too, or only referred to. */
int ts_vds_add(struct ts_vds *vds, const struct ts_vds_map *map);
int ts_vds_add_shared(struct ts_vds *vds, const struct ts_vds_map *map);
void ts_efl_deinit(struct ts_efl *efl);
int ts_efl_copy(struct ts_efl *dst, const struct ts_efl *src);
int ts_efl_add(struct ts_efl *efl, const struct ts_efl_file *file);
void ts_fill_deinit(struct ts_fill *fill);
int ts_fill_copy(struct ts_fill *dst, const struct ts_fill *src);

/* The allocation time that goes with a layout. */
H5D_alloc_time_t ts_dcpl_natural_alloc_time(H5D_layout_t cls);

/* n packed elements in memory form: what they point at is duplicated, or freed. Allocated with malloc, as all memory is
 * that an application may reclaim. */
int ts_vlen_duplicate(const struct ts_type *type, void *elements, size_t n);
void ts_vlen_reclaim(const struct ts_type *type, void *elements, size_t n);

#endif
