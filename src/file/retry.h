/* Reading again. A SWMR reader may read a block while its writer is writing it: the checksum is wrong then, or two
 * blocks do not fit together, and a moment later they do. */
#ifndef TS_FILE_RETRY_H
#define TS_FILE_RETRY_H

#include <stdbool.h>

#include "file/file.h"

/* What is counted on its own, in the order of H5Fget_metadata_read_retry_info, from 1 on. */
enum ts_retry_kind {
    TS_RETRY_UNCOUNTED,
    TS_RETRY_OHDR,
    TS_RETRY_OHDR_CHUNK,
    TS_RETRY_BTREE2_HEADER,
    TS_RETRY_BTREE2_INTERNAL,
    TS_RETRY_BTREE2_LEAF,
    TS_RETRY_FHEAP_HEADER,
    TS_RETRY_FHEAP_DIRECT,
    TS_RETRY_FHEAP_INDIRECT,
    TS_RETRY_FSPACE_HEADER,
    TS_RETRY_FSPACE_SECTIONS,
    TS_RETRY_SOHM_TABLE,
    TS_RETRY_SOHM_LIST,
    TS_RETRY_EARRAY_HEADER,
    TS_RETRY_EARRAY_INDEX,
    TS_RETRY_EARRAY_SECONDARY,
    TS_RETRY_EARRAY_DATA,
    TS_RETRY_EARRAY_PAGE,
    TS_RETRY_FARRAY_HEADER,
    TS_RETRY_FARRAY_DATA,
    TS_RETRY_FARRAY_PAGE,
    TS_RETRY_SUPERBLOCK,
    TS_RETRY_END
};

/* Where the access list does not say how many attempts to make, it says so from now on: SWMR files have a default of
 * their own. */
int ts_retries_agree(struct ts_file *f);
/* Before the first read of a file that a SWMR reader opens; agrees on them too. */
int ts_retries_new(struct ts_file *f);
void ts_retries_free(struct ts_retries *r); /* NULL is fine */

/* After the n-th attempt failed, n from 1 on: true when there is to be another, after a sleep, the longer the more
 * there were. Never in files without a SWMR writer. */
bool ts_retry_again(struct ts_file *f, unsigned n);
/* It took this many attempts more than one; 0 is not counted. */
void ts_retry_count(struct ts_file *f, enum ts_retry_kind kind, unsigned retries);

/* The bins that the file counts in: [0] 1 to 9 retries, [1] 10 to 99, … */
int ts_retry_bins(struct ts_file *f, unsigned *n);
/* The counts of a kind, *n of them as above, ts_malloc'ed; *out NULL when all are 0. */
int ts_retry_counts(struct ts_file *f, enum ts_retry_kind kind, uint32_t **out);

#endif
