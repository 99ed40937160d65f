/* A filter pipeline as a dataset carries it: which filters with which parameters, in the order of writing. */
#ifndef TS_FILTER_PIPELINE_H
#define TS_FILTER_PIPELINE_H

#include <stddef.h>

#include "H5Zpublic.h"
#include "format/structured_chunk.h"

struct ts_access;

struct ts_filter {
    H5Z_filter_t id;
    unsigned flags;
    char *name; /* NULL when none is stored */
    size_t n_values;
    unsigned *values;
    unsigned only; /* in creation lists: which section of structured chunks it is for, TS_ONLY_*; 0: all that it is good
                      for */
};

/* By number, or by H5_section_type_t: the one that has this number when the dataset is created, or the one of this
 * kind. */
#define TS_ONLY_NUMBER(section) ((section) + 1u)
#define TS_ONLY_KIND(kind) (0x1000u + (unsigned)(kind))

struct ts_pipeline {
    size_t n;
    struct ts_filter *filters;
    const void *owner;                   /* whose blocks go through it, for ts_filter_runs_for; a copy has none */
    _Atomic(struct ts_access *) *access; /* where plugins for it may lie, the file's; NULL: anywhere. A copy has none */
};

/* Those of structured chunks: one per section, empty where there are no filters. */
struct ts_pipeline_sections {
    struct ts_pipeline section[TS_SECTIONS_MAX];
};

void ts_pipeline_deinit(struct ts_pipeline *p);
void ts_pipeline_sections_deinit(struct ts_pipeline_sections *p);
int ts_pipeline_copy(struct ts_pipeline *dst, const struct ts_pipeline *src);
/* Appends; name may be NULL, values are copied. */
int ts_pipeline_add(struct ts_pipeline *p, const struct ts_filter *filter);
/* Borrowed, NULL when the pipeline has no such filter. */
struct ts_filter *ts_pipeline_find(const struct ts_pipeline *p, H5Z_filter_t id);
/* Puts other parameters, copied, in the place of the filter's own. */
int ts_filter_set_values(struct ts_filter *f, size_t n, const unsigned *values);
void ts_pipeline_remove_at(struct ts_pipeline *p, size_t i);

#endif
