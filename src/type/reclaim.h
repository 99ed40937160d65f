/* Gives back what reading variable-length elements and references made. */
#ifndef TS_TYPE_RECLAIM_H
#define TS_TYPE_RECLAIM_H

#include <stddef.h>

#include "H5MMpublic.h"

struct ts_type;

struct ts_reclaim {
    H5MM_free_t free; /* NULL: free. Is given the NULL of a string, too, as by libhdf5. */
    void *info;
    void (*destroy_reference)(void *ref); /* of an H5R_ref_t; NULL: left alone */
};

/* n packed elements of a memory type. What they pointed to is free, and they say so: length 0, NULL. */
void ts_reclaim(const struct ts_type *t, const struct ts_reclaim *how, size_t n, void *buf);

#endif
