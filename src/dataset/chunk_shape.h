/* The shape of sparse chunks for whoever gave none. */
#ifndef TS_DATASET_CHUNK_SHAPE_H
#define TS_DATASET_CHUNK_SHAPE_H

#include "H5public.h"

struct ts_space;
struct ts_type;

/* Chunk dimensions for a dataset of this extent and type; what of it lies in a heap is not counted. They hold about 1
 * MiB of defined data when 1 of 100 elements is defined. From three dimensions on, the last two are a frame, which
 * stays whole as long as a chunk of one is not absurdly large; a chunk then takes as many frames as fit. Matrices, and
 * frames that are too large, are cut into pieces that are as square as their sides allow. An error when the dataspace
 * has no dimensions. */
int ts_chunk_shape_choose(const struct ts_space *space, struct ts_type *type, hsize_t *dims);

#endif
