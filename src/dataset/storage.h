/* Storage of datasets in the file; for the files of this folder. */
#ifndef TS_DATASET_STORAGE_H
#define TS_DATASET_STORAGE_H

#include "dataset/dataset.h"

/* Makes and fills all chunks of the extent dims that those of old_dims (NULL: none) lack. As ts_dataset_allocate. */
int ts_dataset_allocate_chunks(struct ts_dataset_core *core, const hsize_t *old_dims, const hsize_t *dims);
/* Chunks on their way to places that they have now (chunk/layout_ops.h), with the file's lock. When the dataset is gone
 * they lose these: there is nothing to write then. */
void ts_dataset_placed(struct ts_dataset_core *core, struct ts_sc_coded *chunks, size_t n);
/* They are there, or will not come. Those that have no place are not counted. */
void ts_dataset_written(struct ts_dataset_core *core, const struct ts_sc_coded *chunks, size_t n);
/* As the kind's destroy of object.h. */
int ts_dataset_destroy(struct ts_file *f, const struct ts_ohdr *oh);

#endif
