/* Moving pieces between the user's memory and where elements are stored (memory, or a store of bytes such as a file),
 * in either direction, with or without conversion. Reading, a fill value may stand for what is not stored.
 *
 * Accesses to a store are collected and made in few calls (io_list.h). With conversion, elements are packed into a
 * buffer that fits the processor's cache, converted there and put in place. A data transform works on elements of the
 * memory type: after they were converted in reading, before in writing. */
#ifndef TS_CHUNK_XFER_H
#define TS_CHUNK_XFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunk/io_list.h"
#include "chunk/plan.h"
#include "type/conv.h"
#include "type/transform.h"

struct ts_xfer_place;

struct ts_xfer {
    uint8_t *buf; /* the user's memory, element 0 of its extent; not changed by a write */
    bool write;
    size_t src_size, mem_size; /* of an element, stored and in memory */
    struct ts_conv_path *path; /* NULL: bytes are copied */
    const struct ts_conv_env *env;
    const struct ts_transform_work *transform; /* NULL: none */
    /* Conversion: elements that wait, packed, and where they go. */
    uint8_t *pack, *background;
    size_t pack_elements, pack_bytes, packed;
    struct ts_xfer_place *places;
    size_t n_places, places_capacity;
    size_t block;    /* counts the calls of ts_xfer_file: each has a place of its own in the store */
    uint8_t *target; /* of the places, writing to memory; NULL: they are in the store */
    bool long_runs;  /* no place is short */
    bool flat;       /* converted elements hold no pointers */
    uint8_t *fill;   /* the fill value converted, when it may be copied */
    uint8_t *zeros;  /* an element of the source, once it was needed */
    struct ts_io_list io;
};

struct ts_xfer_options {
    bool write;
    size_t src_size, mem_size;
    struct ts_conv_path *path; /* borrowed; NULL or one that does nothing: no conversion */
    const struct ts_conv_env *env;
    bool flat;                                 /* converted elements hold no pointers: one may be copied all over */
    size_t buffer_hint;                        /* bytes for conversion; 0: no wish */
    const struct ts_transform_work *transform; /* borrowed; NULL: none. With one a path is needed */
};

void ts_xfer_init(struct ts_xfer *x, void *buf, const struct ts_xfer_options *options);
/* Another one for the same memory and conversion, with scratch memory of its own: for another thread. */
void ts_xfer_clone(struct ts_xfer *x, const struct ts_xfer *from);
/* Drops what still waits. */
void ts_xfer_deinit(struct ts_xfer *x);

/* src counts elements from base. All is done when this returns, except that elements read with conversion may wait. */
int ts_xfer_memory(struct ts_xfer *x, void *base, const struct ts_piece *pieces, size_t n);
/* src counts elements from addr. The store must stay until ts_xfer_finish or the next change of store. */
int ts_xfer_file(struct ts_xfer *x, const struct ts_store *store, haddr_t addr, const struct ts_piece *pieces,
                 size_t n);
/* Reading: the same element of the source type everywhere, NULL for zeros; it must be the same in all calls. */
int ts_xfer_fill(struct ts_xfer *x, const void *element, const struct ts_piece *pieces, size_t n);
/* Everything is in place afterwards. */
int ts_xfer_finish(struct ts_xfer *x);

/* One element all over a run of n. */
void ts_fill_run(uint8_t *dst, const uint8_t *element, size_t size, size_t n);

#endif
