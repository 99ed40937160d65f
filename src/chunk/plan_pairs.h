/* The pairs of a plan that is not affine, some at a time: from its list, or from both selections' runs side by side.
 * For plan.c. */
#ifndef TS_CHUNK_PLAN_PAIRS_H
#define TS_CHUNK_PLAN_PAIRS_H

#include "chunk/plan.h"

struct ts_pair_walk;

/* NULL when memory is short. */
struct ts_pair_walk *ts_pair_walk_new(const struct ts_plan *plan);
void ts_pair_walk_free(struct ts_pair_walk *w);
/* The next ones, borrowed until the next call; 0 at the end. */
size_t ts_pair_walk_next(struct ts_pair_walk *w, const struct ts_pair **out);

#endif
