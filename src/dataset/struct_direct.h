/* Structured chunks as they are stored, section by section, between the file and the application. Checksums of sections
 * are the library's: it adds them, checks them and leaves them out, unless filters have made one thing of both. */
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

/* The chunk that begins at offset becomes this one; without any bytes or elements there is none afterwards. It is
 * looked at first, as a reader would: what is not sound is refused, and all stays as it is. Sections may have their
 * checksum or not. */
int ts_dataset_write_struct_chunk(struct ts_dataset *d, const hsize_t *offset, const struct ts_struct_parts *parts);
/* Bytes of the sections of a stored chunk as the application sees them. */
struct ts_struct_sizes {
    size_t stored[TS_SECTIONS_MAX], before[TS_SECTIONS_MAX]; /* filters */
};
void ts_struct_sizes(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, struct ts_struct_sizes *out);
/* Where the chunk that begins at offset is and, in bufs that are not NULL (bufs may be, too), the bytes of its
 * sections. 1, or 0 when there is none. */
int ts_dataset_read_struct_chunk(struct ts_dataset *d, const hsize_t *offset, void *const *bufs,
                                 struct ts_chunk_rec *out);

#endif
