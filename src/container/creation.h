/* What a file was created with, as a list. */
#ifndef TS_CONTAINER_CREATION_H
#define TS_CONTAINER_CREATION_H

#include "file/file.h"

struct ts_plist;

int ts_container_creation_list(struct ts_file *f, struct ts_plist **out);

#endif
