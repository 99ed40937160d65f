/* Selection sections without a selection in between, for what scattered elements look like: sets, and lists of
 * points. */
#ifndef TS_SPACE_RUN_SET_DIRECT_H
#define TS_SPACE_RUN_SET_DIRECT_H

#include "base/cursor.h"
#include "space/run_set.h"

struct ts_section_points {
    unsigned rank;
    const hsize_t *dims; /* of the chunk */
    size_t n;
    const hsize_t *coords;
};

/* The section but for its checksum, when its elements are points and take fewer bytes so than as a hyperslab for
 * certain:
 * 1. Otherwise 0, and nothing is written. */
int ts_run_set_encode_points(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_wr *w);

/* A section of `size` bytes, the checksum not among them: 1 when it is a list of points, or of blocks within one row
 * each, that ascend; 0 when it is anything else, sound or not. */
int ts_run_set_decode_list(const struct ts_selection_section *section, size_t size, struct ts_run_set **out);

/* Points in any order as a section without its checksum. One outside of the chunk is an error. */
int ts_section_encode_points(const struct ts_section_points *points, struct ts_wr *w);
/* A section without its checksum is a list of points, as far as its head and its length tell. */
bool ts_section_is_points(const struct ts_selection_section *section);
/* The same: 1 and how many there are when none of them reaches a limit, else 0. */
int ts_section_count_points(const struct ts_selection_section *section, const hsize_t *limit, size_t *n);

#endif
