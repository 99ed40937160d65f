/* Moving pieces into the user's memory: from memory, from a file, or a fill value, with or without conversion.
 *
 * Reads from a file are collected, sorted by address, and made in few calls: long runs go straight to their place, short
 * ones that lie close together are read in one window and copied out. With conversion, elements are packed into a buffer
 * that fits the processor's cache, converted there and put in place. A data transform works on what was converted. */
#ifndef TS_DATASET_XFER_H
#define TS_DATASET_XFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataset/plan.h"
#include "driver/driver.h"
#include "type/conv.h"
#include "type/transform.h"

/* Where bytes come from; addresses are the source's own. */
struct ts_xfer_source {
    int (*readv)(void *ctx, const struct ts_io_vec *v, size_t n);
    void *ctx;
};

struct ts_xfer_read;
struct ts_xfer_place;

struct ts_xfer {
    uint8_t *buf;               /* the user's memory, element 0 of its extent */
    size_t src_size, mem_size;  /* of an element */
    struct ts_conv_path *path;  /* NULL: bytes are copied */
    const struct ts_conv_env *env;
    const struct ts_transform_run *transform; /* NULL: none */
    /* Conversion: elements that wait, packed, and where they go. */
    uint8_t *pack, *background;
    size_t pack_elements, pack_bytes, packed;
    struct ts_xfer_place *places;
    size_t n_places, places_capacity;
    bool long_runs; /* no place is short */
    bool flat;      /* converted elements hold no pointers */
    uint8_t *fill;  /* the fill value converted, when it may be copied */
    uint8_t *zeros; /* an element of the source, once it was needed */
    /* Reads that wait. */
    struct ts_xfer_source source;
    struct ts_xfer_read *reads;
    size_t n_reads, reads_capacity;
    bool sorted;
    uint8_t *window;
    size_t window_size;
};

struct ts_xfer_options {
    size_t src_size, mem_size;
    struct ts_conv_path *path; /* borrowed; NULL or one that does nothing: no conversion */
    const struct ts_conv_env *env;
    bool flat;          /* converted elements hold no pointers: one may be copied all over */
    size_t buffer_hint; /* bytes for conversion; 0: no wish */
    const struct ts_transform_run *transform; /* borrowed; NULL: none. With one a path is needed */
};

void ts_xfer_init(struct ts_xfer *x, void *buf, const struct ts_xfer_options *options);
/* Drops what still waits. */
void ts_xfer_deinit(struct ts_xfer *x);

/* src counts elements from base. */
int ts_xfer_memory(struct ts_xfer *x, const void *base, const struct ts_piece *pieces, size_t n);
/* src counts elements from addr. The source must stay until ts_xfer_finish or the next change of source. */
int ts_xfer_file(struct ts_xfer *x, const struct ts_xfer_source *source, haddr_t addr, const struct ts_piece *pieces,
                 size_t n);
/* The same element of the source type everywhere, NULL for zeros; it must be the same in all calls. */
int ts_xfer_fill(struct ts_xfer *x, const void *element, const struct ts_piece *pieces, size_t n);
/* Everything is in place afterwards. */
int ts_xfer_finish(struct ts_xfer *x);

#endif
