/* Open datasets. This folder knows the layouts and how elements get from storage into the user's memory; finding chunks is
 * index/'s, decoding them filter/'s, converting elements type/'s.
 *
 * Everything but the extent of a virtual dataset and the caches is fixed at opening, so any number of
 * threads may read through one struct ts_dataset. */
#ifndef TS_DATASET_DATASET_H
#define TS_DATASET_DATASET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "H5Dpublic.h"
#include "filter/filter.h"
#include "index/chunk_index.h"
#include "object/object.h"
#include "plist/dcpl.h"
#include "plist/plist.h"
#include "space/space.h"
#include "type/conv.h"
#include "type/transform.h"
#include "type/type.h"

struct ts_virtual;

struct ts_dataset_fill {
    H5D_alloc_time_t alloc_time;
    H5D_fill_time_t fill_time;
    H5D_fill_value_t state;
    uint8_t *element; /* the user's value as on disk; NULL when there is none */
};

/* A decoded chunk; shared by those who read from it. */
struct ts_chunk_data {
    atomic_uint refs;
    hsize_t scaled[H5S_MAX_RANK];
    void *bytes;
};

struct ts_dataset {
    struct ts_object base;
    struct ts_type *type; /* as on disk */
    struct ts_layout layout;
    struct ts_pipeline pipeline;
    struct ts_dataset_fill fill;
    struct ts_efl external;
    struct ts_plist *dapl;
    struct ts_virtual *virtual; /* NULL for other layouts */
    unsigned rank;
    hsize_t max_dims[H5S_MAX_RANK];
    uint64_t chunk_bytes; /* of a decoded chunk */
    _Atomic(struct ts_chunk_index *) index; /* opened when first needed */
    pthread_mutex_t lock;       /* of what follows */
    struct ts_space *space;     /* replaced, never changed: take it with ts_dataset_space */
    struct ts_chunk_data *last; /* the chunk decoded last */
};

/* dapl may be NULL: the default list. */
int ts_dataset_open(const struct ts_loc *loc, const char *path, struct ts_plist *dapl, struct ts_dataset **out);

static inline struct ts_dataset *ts_dataset_ref(struct ts_dataset *d)
{
    ts_object_ref(&d->base);
    return d;
}

static inline void ts_dataset_unref(struct ts_dataset *d)
{
    ts_object_unref(d ? &d->base : NULL);
}

static inline struct ts_file *ts_dataset_file(const struct ts_dataset *d)
{
    return d->base.loc.fh->file;
}

/* Registers datasets as a kind of object. */
void ts_dataset_init_kind(void);

/* The extent, as a reference; it must not be changed. That of a virtual dataset follows its sources. */
int ts_dataset_space(struct ts_dataset *d, struct ts_space **out);
/* The datatype as programs see it. */
int ts_dataset_memory_type(const struct ts_dataset *d, struct ts_type **out);
int ts_dataset_create_plist(struct ts_dataset *d, struct ts_plist **out);
int ts_dataset_access_plist(struct ts_dataset *d, struct ts_plist **out);

/* Storage. */
bool ts_dataset_allocated(const struct ts_dataset *d);
int ts_dataset_storage_size(struct ts_dataset *d, hsize_t *out);
int ts_dataset_space_status(struct ts_dataset *d, H5D_space_status_t *out);
haddr_t ts_dataset_offset(const struct ts_dataset *d);

/* Chunks; an error when the layout is another. */
int ts_dataset_index(struct ts_dataset *d, struct ts_chunk_index **out); /* borrowed */
/* Chunks at the edge may have been left unfiltered. */
bool ts_dataset_chunk_filtered(const struct ts_dataset *d, const hsize_t *dims, const hsize_t *scaled);
/* The chunk that holds the element, or the n-th of the index: 1 found, 0 no such chunk, negative on error. */
int ts_dataset_chunk_at(struct ts_dataset *d, const hsize_t *offset, struct ts_chunk_rec *out);
int ts_dataset_chunk_nth(struct ts_dataset *d, hsize_t n, struct ts_chunk_rec *out);
int ts_dataset_chunk_count(struct ts_dataset *d, hsize_t *out);
int ts_dataset_chunk_iterate(struct ts_dataset *d, ts_chunk_visit_fn *visit, void *ctx);

/* Reading. */
struct ts_read_options {
    struct ts_conv_env env; /* its source is set by the reader */
    struct ts_filter_options filter;
    size_t buffer_hint;
    struct ts_transform *transform; /* NULL: none */
};

/* file NULL: the whole extent. mem NULL: like the file selection, or with file NULL the whole extent too. */
int ts_dataset_read(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_space *mem,
                    const struct ts_space *file, const struct ts_read_options *options, void *buf);
/* The bytes of the chunk that begins at offset, as stored. */
int ts_dataset_read_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t *filter_mask, void *buf);

#endif
