/* Inside of the chunk indexes: what they share, and one table of functions per kind. */
#ifndef TS_INDEX_CHUNK_KINDS_H
#define TS_INDEX_CHUNK_KINDS_H

#include "index/btree1.h"
#include "index/btree2.h"
#include "index/chunk_index.h"
#include "index/ext_array.h"
#include "index/fixed_array.h"

struct ts_chunk_kind {
    /* The index is filled in but for the part of its kind. close is not called when this fails. */
    int (*open)(struct ts_chunk_index *ix, const struct ts_layout *layout);
    void (*close)(struct ts_chunk_index *ix); /* may be NULL */
    /* out->scaled is set already. */
    int (*lookup)(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out);
    int (*iterate)(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx);
    int (*storage)(struct ts_chunk_index *ix, uint64_t *bytes); /* NULL: none */
};

struct ts_chunk_index {
    const struct ts_chunk_kind *kind; /* NULL when nothing is allocated */
    struct ts_file *file;
    haddr_t addr;
    unsigned rank;
    hsize_t chunk_dims[H5S_MAX_RANK];
    hsize_t chunks[H5S_MAX_RANK];     /* in the present extent */
    hsize_t max_chunks[H5S_MAX_RANK]; /* H5S_UNLIMITED in an unlimited dimension */
    uint64_t chunk_bytes;
    bool filtered;
    unsigned size_width; /* bytes of a chunk's size in elements and records, when filtered */
    /* Arrays count chunks by sum(scaled * stride); order[0] is the slowest dimension. */
    uint64_t stride[H5S_MAX_RANK];
    unsigned order[H5S_MAX_RANK];
    union {
        struct {
            uint64_t size;
            uint32_t filter_mask;
        } single;
        struct ts_farray *farray;
        struct ts_earray *earray;
        struct ts_btree1 btree1;
        struct ts_btree2 *btree2;
    };
};

extern const struct ts_chunk_kind ts_chunk_fixed_array, ts_chunk_ext_array, ts_chunk_btree1, ts_chunk_btree2;

/* Sets order and stride, with `slowest` before all other dimensions. */
int ts_chunk_set_order(struct ts_chunk_index *ix, unsigned slowest);
/* The place of a chunk in that order. Returns 1, or 0 when no such chunk can be. */
int ts_chunk_number(const struct ts_chunk_index *ix, const hsize_t *scaled, uint64_t *number);
void ts_chunk_from_number(const struct ts_chunk_index *ix, uint64_t number, hsize_t *scaled);

/* `size` bytes of an array element or record before the coordinates must be what chunks of this dataset have. */
int ts_chunk_set_size_width(struct ts_chunk_index *ix, size_t size);
/* The part that array elements and B-tree records have in common: address, and when filtered size and mask. */
void ts_chunk_element_decode(const struct ts_chunk_index *ix, const uint8_t *element, struct ts_chunk_rec *out);

#endif
