/* Inside of the chunk indexes: what they share, and one table of functions per kind. */
#ifndef TS_INDEX_CHUNK_KINDS_H
#define TS_INDEX_CHUNK_KINDS_H

#include <stdatomic.h>

#include "index/btree1.h"
#include "index/btree2.h"
#include "index/chunk_index.h"
#include "index/ext_array.h"
#include "index/fixed_array.h"

struct ts_chunk_kind {
    /* The index is filled in but for the part of its kind; its address is defined. close is not called when this
     * fails. */
    int (*open)(struct ts_chunk_index *ix);
    void (*close)(struct ts_chunk_index *ix); /* may be NULL */
    /* out->scaled is set already. */
    int (*lookup)(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out);
    /* From a position on that a chunk may have, NULL: from the first. */
    int (*iterate)(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx);
    /* Both or none: without them the chunks are counted (index/chunk_marks.h). nth returns 1, n is below the count. */
    int (*count)(struct ts_chunk_index *ix, uint64_t *n);
    int (*nth)(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out);
    int (*storage)(struct ts_chunk_index *ix, uint64_t *bytes); /* NULL: none */
    /* Makes an empty one; `open` follows. NULL: the first chunk is the index. */
    int (*create)(struct ts_chunk_index *ix, haddr_t *addr);
    /* Adds or replaces. */
    int (*insert)(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec);
    int (*remove)(struct ts_chunk_index *ix, const hsize_t *scaled); /* it is there */
    int (*destroy)(struct ts_chunk_index *ix);                       /* all but the chunks */
    int (*verify)(struct ts_chunk_index *ix, const char **reason);   /* NULL: always sound */
};

struct ts_chunk_index {
    atomic_uint refs;                 /* its owner, and the changes that may have to go back to what it was */
    uint64_t kept;                    /* the number of the change that last kept it */
    const struct ts_chunk_kind *kind; /* NULL when the dataset can have no chunks */
    struct ts_file *file;
    haddr_t addr;            /* HADDR_UNDEF when nothing is allocated */
    struct ts_layout layout; /* as given: kind and parameters */
    unsigned rank;
    hsize_t chunk_dims[H5S_MAX_RANK];
    hsize_t chunks[H5S_MAX_RANK];     /* in the present extent */
    hsize_t max_chunks[H5S_MAX_RANK]; /* H5S_UNLIMITED in an unlimited dimension */
    uint64_t chunk_bytes;
    bool filtered;
    unsigned n_sections; /* of structured chunks; 0: they are not */
    unsigned size_width; /* bytes of a chunk's size in elements and records, when filtered or structured */
    /* order[0] is the slowest dimension; arrays count chunks by sum(scaled * stride). */
    uint64_t stride[H5S_MAX_RANK];
    unsigned order[H5S_MAX_RANK];
    uint64_t generation;
    _Atomic(struct ts_chunk_marks *) marks; /* NULL: nobody asked yet */
    struct {
        uint64_t size;
        uint32_t filter_mask;
        struct ts_chunk_sections sections;
    } single;
    struct ts_btree1 btree1;
    /* Kept (ts_meta_keep) in files that nobody changes, else NULL. */
    union {
        struct ts_farray *farray;
        struct ts_earray *earray;
        struct ts_btree2 *btree2;
    };
};

static inline bool ts_chunk_index_present(const struct ts_chunk_index *ix)
{
    return ix->kind && ix->addr != HADDR_UNDEF;
}

extern const struct ts_chunk_kind ts_chunk_fixed_array, ts_chunk_ext_array, ts_chunk_btree1, ts_chunk_btree2;

/* The largest element, or record without its coordinates. */
#define TS_CHUNK_ELEMENT_MAX 80

/* Bytes of an element, or of a record without its coordinates, for a new index. */
size_t ts_chunk_element_size(const struct ts_chunk_index *ix);
/* Bytes of its part that comes before coordinates: all but the metadata of a structured chunk. */
size_t ts_chunk_head_size(const struct ts_chunk_index *ix);

/* Sets order and stride, with `slowest` before all other dimensions. */
int ts_chunk_set_order(struct ts_chunk_index *ix, unsigned slowest);
/* The place of a chunk in that order. Returns 1, or 0 when no such chunk can be. */
int ts_chunk_number(const struct ts_chunk_index *ix, const hsize_t *scaled, uint64_t *number);
void ts_chunk_from_number(const struct ts_chunk_index *ix, uint64_t number, hsize_t *scaled);

/* `size` bytes of an array element, or of a record without its coordinates, must be what chunks of this dataset have.
 */
int ts_chunk_set_size_width(struct ts_chunk_index *ix, size_t size);
/* The part that array elements and B-tree records have in common: address, when filtered size and mask; of a structured
 * chunk address, size and, `gap` bytes of coordinates later, metadata. Returns 1, or 0 when there is no chunk. */
int ts_chunk_element_decode(const struct ts_chunk_index *ix, const uint8_t *element, size_t gap,
                            struct ts_chunk_rec *out);
/* The chunk is one that this index can hold. */
int ts_chunk_check(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec);
/* Fails when the chunk is larger than the index can say, or its sections are not sound. */
int ts_chunk_element_encode(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, size_t gap,
                            uint8_t *element);

#endif
