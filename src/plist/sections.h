/* Structured chunks in dataset creation lists.
 *
 * A list does not know the datatype, nor, until its layout and its density are set, that chunks will have sections. So
 * all filters are kept in one pipeline in the order in which they were added, each for one section (ts_filter.only) or
 * for every section it makes sense for; which those are is answered by what the list says at the moment of asking.
 * docs/structured-chunk-format.md has the table, "Which call puts which filter where". */
#ifndef TS_PLIST_SECTIONS_H
#define TS_PLIST_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "plist/dcpl.h"

/* TS_STRUCT_* of the chunks that a list asks for, 0 when they are not structured. Variable-length data are known of
 * only where H5D_VL_CHUNK was said. Lists that create other objects ask for none. */
int ts_dcpl_struct_type(struct ts_plist *pl, unsigned *type);

/* The layout of a dataset created with the list: the density has turned chunks into sparse ones, and struct_type is the
 * final one; their dimensions may still be for the library to choose. heap: the datatype has parts that would lie in a
 * heap section. The caller deinits it. */
int ts_dcpl_creation_layout(struct ts_plist *pl, bool heap, struct ts_layout_prop *out);
/* The filters of each section in structured chunks of this final type, as the user gave them (`only` tells for which);
 * the caller deinits them. */
int ts_dcpl_section_pipelines(struct ts_plist *pl, unsigned type, struct ts_pipeline_sections *out);
/* The other way round, for the list of an open dataset, whose layout is set already. */
int ts_dcpl_set_section_pipelines(struct ts_plist *pl, unsigned type, const struct ts_pipeline_sections *sections);

/* Changes the layout; the filters follow when sections get other numbers, or go. */
int ts_dcpl_change_layout(struct ts_plist *pl, const struct ts_layout_prop *layout);
/* The same for a layout that the application asks for: the allocation time follows unless it chose one. */
int ts_dcpl_choose_layout(struct ts_plist *pl, const struct ts_layout_prop *layout);
int ts_dcpl_set_density(struct ts_plist *pl, H5D_density_t density);

/* The section that a user names. Functions without one mean all; of these, getters show the fixed data. The rest is for
 * all lists that create objects: without structured chunks there is one pipeline, whatever the section. */
#define TS_SECTION_ALL UINT64_MAX

/* A copy, which the caller deinits. */
int ts_dcpl_filters(struct ts_plist *pl, uint64_t section, struct ts_pipeline *out);
int ts_dcpl_add_filter(struct ts_plist *pl, uint64_t section, const struct ts_filter *filter);
/* The same for the section of a kind, of which there must be one. */
int ts_dcpl_add_kind_filter(struct ts_plist *pl, H5_section_type_t kind, const struct ts_filter *filter);
/* The number that the section of a kind has, for the other functions; an error when the list asks for chunks
 * without. */
int ts_dcpl_kind_section(struct ts_plist *pl, H5_section_type_t kind, uint64_t *section);
/* Other flags and parameters for the filter with this id. */
int ts_dcpl_modify_filter(struct ts_plist *pl, uint64_t section, const struct ts_filter *filter);
int ts_dcpl_remove_filter(struct ts_plist *pl, uint64_t section, H5Z_filter_t id);

#endif
