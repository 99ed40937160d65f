/* Which ids are of a file. */
#ifndef TS_CONTAINER_IDS_H
#define TS_CONTAINER_IDS_H

#include <sys/types.h>

#include "H5Ipublic.h"
#include "file/file.h"

/* Which of them are wanted. */
struct ts_container_ids {
    const struct ts_file *file;     /* NULL: any */
    const struct ts_fhandle *local; /* only those opened through this handle; NULL: any */
    struct ts_fhandle *tree;        /* only those of files mounted together with it; NULL: any */
    unsigned types;
};

/* How many there are, up to max; they go to out, which may be NULL. */
ssize_t ts_container_ids_collect(const struct ts_container_ids *filter, size_t max, hid_t *out);
/* Registers the kind of ids that files have. */
void ts_container_ids_init(void);

#endif
