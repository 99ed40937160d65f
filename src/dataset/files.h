/* Files that a dataset names: external raw files, sources of virtual datasets. */
#ifndef TS_DATASET_FILES_H
#define TS_DATASET_FILES_H

#include "dataset/dataset.h"

/* The folder to put before names: what the environment variable says unless it is empty, else the property of the access
 * list. ${ORIGIN} at its start is the folder of the dataset's file. *out is NULL when there is none; the caller frees it. */
int ts_dataset_prefix(const struct ts_dataset *d, const char *variable, const char *property, char **out);
/* External files have one place for all handles of a dataset: the same as with the access list that came first. */
int ts_dataset_check_prefix(const struct ts_dataset *d, struct ts_plist *first);
/* Opens the file of a virtual dataset's source. 1 and *out, 0 when it is not found, negative on error. */
int ts_source_file_open(const struct ts_dataset *d, const char *name, struct ts_fhandle **out);

#endif
