/* New files: the superblock's extension, for what the superblock has no room for. */
#ifndef TS_CONTAINER_CREATE_H
#define TS_CONTAINER_CREATE_H

#include "file/file.h"

struct ts_plist;

/* A new file, set up, without a root group; nothing is on disk yet. */
int ts_container_create(const char *name, unsigned flags, struct ts_plist *fcpl, struct ts_plist *fapl,
                        struct ts_file **out);

#endif
