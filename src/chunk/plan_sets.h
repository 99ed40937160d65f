/* Plans of selections that are kept as sets by chunk, for those who can do with sets: no run is made of them. For plan.c. */
#ifndef TS_CHUNK_PLAN_SETS_H
#define TS_CHUNK_PLAN_SETS_H

#include "chunk/plan.h"

/* The plan has sets, they are of this grid, and their lines are not far more than their elements. */
bool ts_plan_sets_fit(const struct ts_plan *plan, const hsize_t *chunk_dims);
/* As ts_plan_chunks. */
int ts_plan_sets(const struct ts_plan *plan, const struct ts_plan_chunk_ops *ops, void *ctx);

#endif
