/* A read or a write on its way through a dataset's layout; for the files of this folder. */
#ifndef TS_DATASET_LAYOUTS_H
#define TS_DATASET_LAYOUTS_H

#include "dataset/dataset.h"
#include "dataset/plan.h"
#include "dataset/xfer.h"

struct ts_transfer {
    struct ts_dataset *d;
    struct ts_dataset_core *core; /* the dataset's; its lock is held, for writing in a write */
    const struct ts_plan *plan;
    const hsize_t *dims; /* the dataset's extent during this transfer */
    const struct ts_transfer_options *options;
    const struct ts_type *mem_type;
    void *buf; /* not changed by a write */
    bool write;
    bool heap; /* elements refer to heaps of the file */
    struct ts_xfer xfer;
};

/* Moves what the plan says between the dataset and buf. The caller has the core's lock. */
int ts_dataset_transfer(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_plan *plan,
                        const struct ts_transfer_options *options, void *buf);

int ts_transfer_external(struct ts_transfer *t);
int ts_transfer_virtual(struct ts_transfer *t);
int ts_read_chunked(struct ts_transfer *t);
int ts_write_chunked(struct ts_transfer *t);
/* Reading: the fill value for parts that nothing is stored for. When the dataset has none, they are left as they are. */
int ts_read_fill(struct ts_transfer *t, const struct ts_piece *pieces, size_t n);
/* The file as a store of bytes. */
struct ts_store ts_file_store(struct ts_file *f);

/* The message about external files, whose names go into a local heap of their own; inside a change. */
int ts_external_encode(struct ts_file *f, const struct ts_efl *efl, haddr_t *heap, struct ts_wr *w);
/* Bytes of the local heap with the names of external files. */
int ts_external_heap_size(const struct ts_ohdr *oh, hsize_t *out);

#endif
