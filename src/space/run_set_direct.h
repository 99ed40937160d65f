/* Sets as selection sections without a selection in between, for what scattered elements look like. */
#ifndef TS_SPACE_RUN_SET_DIRECT_H
#define TS_SPACE_RUN_SET_DIRECT_H

#include "base/cursor.h"
#include "space/run_set.h"

/* The section but for its checksum, when its elements are points and take fewer bytes so than as a hyperslab for certain:
 * 1. Otherwise 0, and nothing is written. */
int ts_run_set_encode_points(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_wr *w);

/* A section of `size` bytes, the checksum not among them: 1 when it is a list of points, or of blocks within one row each,
 * that ascend; 0 when it is anything else, sound or not. */
int ts_run_set_decode_list(const struct ts_selection_section *section, size_t size, struct ts_run_set **out);

#endif
