/* For the H5P files: from an id and a class to the property. */
#ifndef TS_API_PLIST_ARGS_H
#define TS_API_PLIST_ARGS_H

#include "H5Dpublic.h"
#include "H5Zpublic.h"
#include "api/api.h"

struct ts_layout_prop;

/* Unlike functions that use lists, those that set and get properties do not take H5P_DEFAULT. NULL will do for the
 * functions of properties (plist/property.h). */
struct ts_plist *ts_p_list(struct ts_api_scope *scope, hid_t id, enum ts_plist_kind kind);

#define TS_P_LIST(id, kind) ts_p_list(&ts_scope_, (id), TS_PLIST_##kind)

/* Copies a text property as the getters of prefixes do; when it is not set, 0, and the buffer is left alone. */
ssize_t ts_p_string(struct ts_plist *pl, int (*get)(struct ts_plist *pl, char **out), char *buf, size_t size);

/* Appends a filter to the pipeline of an object creation list; for structured chunks wherever it makes sense. */
int ts_p_add_filter(struct ts_plist *pl, H5Z_filter_t id, unsigned flags, size_t n, const unsigned *values);
/* What can be wrong with a filter's definition. */
int ts_p_check_filter(H5Z_filter_t filter, uint64_t flags);

/* Where the getters of filters put what they find; members may be NULL. */
struct ts_p_filter_out {
    unsigned *flags;
    size_t *n_values;
    unsigned *values;
    size_t name_size;
    char *name;
    unsigned *config;
};

/* The filters of a section of this kind, or, for NULL, as functions without a section show them. */
int ts_p_count_filters(struct ts_api_scope *scope, hid_t plist_id, const H5_section_type_t *kind);
H5Z_filter_t ts_p_filter_at(struct ts_api_scope *scope, hid_t plist_id, const H5_section_type_t *kind, unsigned idx,
                            const struct ts_p_filter_out *out);
int ts_p_filter_by_id(struct ts_api_scope *scope, hid_t plist_id, const H5_section_type_t *kind, H5Z_filter_t id,
                      const struct ts_p_filter_out *out);

/* Chunk dimensions into a layout; max: how long each may be, and how many elements a chunk may have. */
int ts_p_fill_chunk(struct ts_layout_prop *layout, int ndims, const hsize_t *dim, uint64_t max);

#endif
