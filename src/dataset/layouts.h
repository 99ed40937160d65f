/* A read on its way through a dataset's layout; for the files of this folder. */
#ifndef TS_DATASET_LAYOUTS_H
#define TS_DATASET_LAYOUTS_H

#include "dataset/dataset.h"
#include "dataset/plan.h"
#include "dataset/xfer.h"

struct ts_read {
    struct ts_dataset *d;
    const struct ts_plan *plan;
    const hsize_t *dims; /* the dataset's extent during this read */
    const struct ts_read_options *options;
    const struct ts_type *mem_type;
    void *buf;
    struct ts_xfer xfer;
};

/* Reads what the plan says into buf. */
int ts_dataset_read_plan(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_plan *plan,
                         const struct ts_read_options *options, void *buf);

int ts_read_external(struct ts_read *r);
int ts_read_virtual(struct ts_read *r);
/* The fill value for parts that nothing is stored for. When the dataset has none, they are left as they are. */
int ts_read_fill(struct ts_read *r, const struct ts_piece *pieces, size_t n);

void ts_chunk_data_unref(struct ts_chunk_data *c); /* NULL is fine */

/* Bytes of the local heap with the names of external files. */
int ts_external_heap_size(const struct ts_ohdr *oh, hsize_t *out);

#endif
