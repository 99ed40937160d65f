/* Files that a dataset names: external raw files, sources of virtual datasets. */
#ifndef TS_DATASET_FILES_H
#define TS_DATASET_FILES_H

#include "dataset/dataset.h"

/* The folder to put before names: what the environment variable says unless it is empty, else the property of the
 * access list. ${ORIGIN} at its start is the folder of the dataset's file. */
struct ts_prefix {
    const char *variable;
    int (*get)(struct ts_plist *dapl, char **out);
    int (*set)(struct ts_plist *dapl, const char *folder);
};

extern const struct ts_prefix ts_external_prefix, ts_virtual_prefix;

/* *out is NULL when there is none; the caller frees it. */
int ts_dataset_prefix(const struct ts_dataset *d, const struct ts_prefix *kind, char **out);
/* External files have one place for all handles of a dataset: the same as with the access list that came first. */
int ts_dataset_check_prefix(const struct ts_dataset *d, struct ts_plist *first);
/* Opens the file of a virtual dataset's source. 1 and *out, 0 when it is not found, negative on error. */
int ts_source_file_open(const struct ts_dataset *d, const char *name, struct ts_fhandle **out);

#endif
