/* Making datasets. */
#ifndef TS_DATASET_CREATE_H
#define TS_DATASET_CREATE_H

#include "dataset/dataset.h"
#include "group/edit.h"

struct ts_dataset_create {
    struct ts_fhandle *fh;
    const struct ts_spot *spot; /* its name, in the same file; NULL: it has none */
    /* As the application gave it; committed in this file, and opened through fh, it is shared. */
    const struct ts_type *type;
    struct ts_space *space; /* nobody changes it any more; its selection means nothing */
    struct ts_plist *dcpl;
    struct ts_plist *dapl;               /* NULL: the default list */
    const struct ts_filter_calls *calls; /* how filters of the application are asked; NULL: they are not */
};

/* Makes a dataset and opens it. One without a name goes away with its last handle unless something links to it. */
int ts_dataset_create(const struct ts_dataset_create *how, struct ts_dataset **out);

#endif
