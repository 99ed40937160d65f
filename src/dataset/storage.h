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
/* The user's selection (NULL: all) in the extent that the dataset has now, as a copy. Without the core's lock it may
 * soon have another. */
int ts_dataset_select(struct ts_dataset *d, const struct ts_space *file, struct ts_space **out);
/* defined.c, for virtual datasets and their sources. Some elements of the dataset may be undefined. */
bool ts_dataset_is_partial(const struct ts_dataset *d);
/* What of a selection in the extent is defined. With the core's lock. */
int ts_dataset_defined_locked(struct ts_dataset *d, const struct ts_space *chosen, struct ts_space **out);
/* As ts_dataset_get_defined and ts_dataset_erase, but what of the part lies outside of the extent, which may have
 * shrunk since it was looked at, is undefined; the answer has the part's extent. */
int ts_dataset_defined_within(struct ts_dataset *d, const struct ts_space *part, struct ts_space **out);
int ts_dataset_erase_within(struct ts_dataset *d, const struct ts_space *part);
/* An error when the dataset, or a source of it that has some of the part, is not sparse or not to be written. */
int ts_dataset_may_erase(struct ts_dataset *d, const struct ts_space *part);
/* Stores the layout as it is in memory. child: what of the index must be written first, or HADDR_UNDEF. Inside a
 * change. */
/* Inside a change, before what the core says of its storage changes. */
int ts_dataset_keep_layout(struct ts_dataset_core *core);
int ts_dataset_put_layout(struct ts_dataset_core *core, haddr_t child);
/* As the kind's destroy of object.h. */
int ts_dataset_destroy(struct ts_file *f, const struct ts_ohdr *oh);

/* H5DOappend flushes where the extent becomes a multiple of the boundaries that H5Pset_append_flush set in the list.
 * Fails when they are not for the dimensions that can grow. For datasets in chunks. */
int ts_append_flush_check(const struct ts_plist *dapl, const struct ts_space *space);

/* swmr.c: fails when the file is open for reading only, or has a SWMR writer and the dataset is of a kind that its
 * readers cannot follow. */
int ts_dataset_may_write(struct ts_dataset_core *core);
/* The same, for another extent. */
int ts_dataset_may_resize(struct ts_dataset_core *core);

#endif
