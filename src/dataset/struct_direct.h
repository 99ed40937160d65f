/* Structured chunks as they are stored, section by section, between the file and the application. */
#ifndef TS_DATASET_STRUCT_DIRECT_H
#define TS_DATASET_STRUCT_DIRECT_H

#include "dataset/dataset.h"

/* A chunk that the application has encoded. */
struct ts_struct_parts {
    unsigned n;
    const void *bytes[TS_SECTIONS_MAX];
    size_t size[TS_SECTIONS_MAX];
    bool sizes_known;                    /* those before filters; else they are found by decoding */
    size_t size_before[TS_SECTIONS_MAX]; /* filters */
    uint32_t mask[TS_SECTIONS_MAX];      /* filters that were skipped */
};

/* The chunk that begins at offset becomes this one; without any bytes or elements there is none afterwards. It is decoded
 * first, as a reader would: what is not sound is refused, and all stays as it is. */
int ts_dataset_write_struct_chunk(struct ts_dataset *d, const hsize_t *offset, const struct ts_struct_parts *parts);
/* Where the chunk that begins at offset is and, in bufs that are not NULL (bufs may be, too), the stored bytes of its
 * sections. 1, or 0 when there is none. */
int ts_dataset_read_struct_chunk(struct ts_dataset *d, const hsize_t *offset, void *const *bufs,
                                 struct ts_chunk_rec *out);

#endif
