/* Filters and file drivers in shared libraries: the search path, and finding one of them. */
#ifndef TS_FILTER_PLUGIN_H
#define TS_FILTER_PLUGIN_H

#include <stddef.h>

#include "H5FDpublic.h"
#include "H5PLpublic.h"
#include "H5Zpublic.h"

struct ts_access;

/* 1, the class of a plugin that stays loaded, and its file, from ts_malloc. 0 when no file in the path has it that may
 * be loaded; the error stack says then which one may not, if there is one. */
int ts_plugin_find_filter(H5Z_filter_t id, const struct ts_access *access, H5Z_class2_t *out, char **file);

/* The same of a file driver: by its name, or, name NULL, by its number. */
int ts_plugin_find_driver(const char *name, H5FD_class_value_t value, const struct ts_access *access,
                          H5FD_class_t *out);

/* The path as a list of folders, first of all HDF5_PLUGIN_PATH. Positions are checked. */
size_t ts_plugin_path_count(void);
int ts_plugin_path_get(size_t index, char **folder);
int ts_plugin_path_insert(size_t index, const char *folder);
int ts_plugin_path_append(const char *folder);
int ts_plugin_path_replace(size_t index, const char *folder);
int ts_plugin_path_remove(size_t index);
/* The next use of it looks at the environment again. */
void ts_plugin_forget_path(void);

unsigned ts_plugin_mask(void);
void ts_plugin_set_mask(unsigned mask);

#endif
