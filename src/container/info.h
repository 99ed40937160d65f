/* What a file says about itself as a whole. */
#ifndef TS_CONTAINER_INFO_H
#define TS_CONTAINER_INFO_H

#include "H5Fpublic.h"
#include "file/file.h"

int ts_container_info(struct ts_file *f, H5F_info2_t *out);
/* Bytes that the persistent free space managers track. */
int ts_container_free_bytes(struct ts_file *f, uint64_t *out);
/* The sections of one kind of memory, or of all with H5FD_MEM_DEFAULT; by manager, size and address. *out is the
 * caller's. */
int ts_container_free_sections(struct ts_file *f, H5F_mem_t type, H5F_sect_info_t **out, size_t *n);

#endif
