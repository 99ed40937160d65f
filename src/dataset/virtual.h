/* Virtual datasets: selections of other datasets shown as one.
 *
 * The mappings are an object of the global heap, L = size of lengths:
 *   version 1 (0, 1) | entries L | entries: source file, NUL | source dataset, NUL | source selection | virtual
 *   selection checksum 4
 * Entries of version 1, which 2.0 brought, have a byte of flags first: 1 and 2, instead of the file's or the dataset's
 * name is the number of an entry before it (L, from 0) that has the same; 4, the file is "." and its name is left out.
 * A source file "." is the virtual dataset's own. "%b" in a source's names stands for the number of a block of an
 * unlimited virtual selection: each block has a source of its own. */
#ifndef TS_DATASET_VIRTUAL_H
#define TS_DATASET_VIRTUAL_H

#include "dataset/dataset.h"

struct ts_vds;
struct ts_wr;

int ts_virtual_open(struct ts_dataset *d, struct ts_virtual **out);
/* The extents of the sources, which a file does not tell, from the list that the dataset was just made with. */
int ts_virtual_know_sources(struct ts_virtual *v, const struct ts_vds *asked);
void ts_virtual_free(struct ts_virtual *v); /* NULL is fine */
/* The mappings, borrowed. */
const struct ts_vds *ts_virtual_maps(const struct ts_virtual *v);
/* Fails when a mapping does not lie in an extent of these dims. One without an end says itself how far it goes in the
 * dimension that has none, and one of everything is of what there is. */
int ts_virtual_check_dims(const struct ts_vds *maps, unsigned rank, const hsize_t *dims);
/* Sets the extent that unlimited mappings give as their sources are now. */
int ts_virtual_refresh(struct ts_dataset *d);
/* ts_dataset_refresh of the sources that are open. */
int ts_virtual_refresh_sources(struct ts_dataset *d);
/* The extent depends on sources that grow. */
bool ts_virtual_follows(const struct ts_virtual *v);
/* Another extent was set. */
int ts_virtual_show(struct ts_dataset *d, const hsize_t *dims);
/* As ts_dataset_get_defined, of a selection in the extent: what a source defines, or has when it is dense. */
int ts_virtual_get_defined(struct ts_dataset *d, const struct ts_space *chosen, struct ts_space **out);
/* An error when a source has some of the selection and cannot erase it. */
int ts_virtual_may_erase(struct ts_dataset *d, const struct ts_space *chosen);
/* After that. What no source has is undefined as it is. */
int ts_virtual_erase(struct ts_dataset *d, const struct ts_space *chosen);
/* The mappings as they go into the global heap. */
int ts_virtual_encode(const struct ts_vds *maps, unsigned len_size, H5F_libver_t low, struct ts_wr *w);
/* Bytes of the mappings in the global heap. */
int ts_virtual_heap_size(const struct ts_dataset_core *core, hsize_t *out);

#endif
