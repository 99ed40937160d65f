/* What an access list says about a page buffer (H5Pset_page_buffer_size). There is none: metadata, chunks and
 * contiguous data have caches of their own. But a list that asks for one is checked as libhdf5 does, or made to fit,
 * and tells the size that it would have; the statistics of a page buffer that nothing goes through are all 0. */
#ifndef TS_CONTAINER_PAGE_BUFFER_H
#define TS_CONTAINER_PAGE_BUFFER_H

#include <stdbool.h>

#include "file/file.h"
#include "format/messages.h"

/* *size is what the list asks for, in whole pages; 0 without a page buffer. */
int ts_page_buffer_check(struct ts_plist *fapl, const struct ts_file_space *space, size_t *size);
/* Of a file that was set up: checks its access list and makes it say the true size. */
int ts_page_buffer_agree(struct ts_file *f);
bool ts_page_buffer_wanted(const struct ts_file *f);

#endif
