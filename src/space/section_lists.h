/* Selection sections from and to plain lists, for who has elements of a chunk but no dataspace. Sections are without
 * their checksum; the chunk has at most 2^32 - 1 elements, which are numbered in row-major order. */
#ifndef TS_SPACE_SECTION_LISTS_H
#define TS_SPACE_SECTION_LISTS_H

#include "space/run_set.h"

/* Runs that ascend and are disjoint; anything else is an error. */
int ts_section_encode_runs(unsigned rank, const hsize_t *dims, size_t n, const struct ts_run *runs, struct ts_wr *w);
/* Boxes that are disjoint, in any order: of each the first corner and the last. */
int ts_section_encode_boxes(unsigned rank, const hsize_t *dims, size_t n, const hsize_t *corners, struct ts_wr *w);

/* A section of a chunk of these dimensions, with a checksum that fits or without: its elements in their order, which is
 * that of their values. */
int ts_section_decode(const struct ts_selection_section *section, ts_runs_fn *fn, void *ctx);
/* As coordinates, or as first element and number of elements of each run. *num: the room in the list, and then how many
 * there are; the list may be NULL. */
int ts_section_to_points(const struct ts_selection_section *section, size_t *num, hsize_t *coords);
int ts_section_to_runs(const struct ts_selection_section *section, size_t *num, hsize_t *runs);

#endif
