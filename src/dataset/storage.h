/* Storage of datasets in the file; for the files of this folder. */
#ifndef TS_DATASET_STORAGE_H
#define TS_DATASET_STORAGE_H

#include "dataset/dataset.h"

/* Makes and fills all chunks of the extent dims that those of old_dims (NULL: none) lack. As ts_dataset_allocate. */
int ts_dataset_allocate_chunks(struct ts_dataset_core *core, const hsize_t *old_dims, const hsize_t *dims);
/* As the kind's destroy of object.h. */
int ts_dataset_destroy(struct ts_file *f, const struct ts_ohdr *oh);

#endif
