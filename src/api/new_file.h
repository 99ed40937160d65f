/* Making files: for H5Fcreate, and for H5Fopen of one that is empty. */
#ifndef TS_API_NEW_FILE_H
#define TS_API_NEW_FILE_H

#include "file/file.h"

/* With neither H5F_ACC_TRUNC nor H5F_ACC_EXCL the file must exist and be empty. */
int ts_api_create_file(const char *name, unsigned flags, struct ts_plist *fcpl, struct ts_plist *fapl,
                       struct ts_fhandle **out);

#endif
