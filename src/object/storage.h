/* Bytes that structures behind an address take in the file, for the calls that report them. */
#ifndef TS_OBJECT_STORAGE_H
#define TS_OBJECT_STORAGE_H

#include "file/file.h"

/* Each adds to *total; HADDR_UNDEF adds nothing. */
int ts_storage_add_btree2(struct ts_file *f, haddr_t addr, hsize_t *total);
int ts_storage_add_fheap(struct ts_file *f, haddr_t addr, hsize_t *total);

#endif
