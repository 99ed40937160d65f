/* Filters of the application may go only when nothing needs them. */
#ifndef TS_DATASET_FILTER_USE_H
#define TS_DATASET_FILTER_USE_H

#include "H5Zpublic.h"

/* An error when an open dataset or group has the filter. All files are flushed: what waits in memory may need it. */
int ts_filter_check_unused(H5Z_filter_t id);

#endif
