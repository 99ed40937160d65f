/* A read or a write on its way through a dataset's layout; for the files of this folder. */
#ifndef TS_DATASET_LAYOUTS_H
#define TS_DATASET_LAYOUTS_H

#include "chunk/plan.h"
#include "chunk/xfer.h"
#include "dataset/dataset.h"

/* How chunks are decoded in the way of one transfer. */
struct ts_decoding {
    const struct ts_filter_options *filter;
    pthread_t thread; /* in which its callback runs */
};

struct ts_transfer {
    struct ts_dataset *d;
    struct ts_dataset_core *core; /* the dataset's; its lock is held, for writing in a write */
    const struct ts_plan *plan;
    const struct ts_transfer_options *options;
    const struct ts_type *mem_type;
    void *buf; /* not changed by a write */
    bool write;
    bool heap; /* elements refer to heaps of the file */
    struct ts_xfer xfer;
    /* What the xfer uses. */
    struct ts_conv_path *path;
    struct ts_conv_env env;
    struct ts_conv_made made; /* when env.made is it: reading what is more than its bytes */
    struct ts_vl_source source;
    struct ts_vl_sink sink; /* when env.sink is it */
    struct ts_transform_work transform;
    struct ts_decoding decoding;
    bool missing; /* reading: nothing of the dataset is stored */
    bool first;   /* writing: contiguous storage was allocated to be overwritten by it */
};

/* Moves what the plan says between the dataset and buf. The caller has the core's lock. */
int ts_dataset_transfer(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_plan *plan,
                        const struct ts_transfer_options *options, void *buf);

/* The layouts that the cache serves. Owner is the core. */
extern const struct ts_sc_layout_ops ts_layout_chunked, ts_layout_contiguous, ts_layout_compact, ts_layout_sparse,
    ts_layout_vl;
/* What they have in common. Fill values in memory: n elements that are pieces of a chunk; and as the reader gets
 * them. */
int ts_layout_fill(void *core, const struct ts_piece *pieces, size_t n, struct ts_sc_data *d);
int ts_layout_read_missing(void *core, const struct ts_sc_io *io, const struct ts_sc_move *m);
int ts_layout_write(void *core, const struct ts_io_out *v, size_t n);
void ts_layout_describe(void *core, char *text, size_t size);
enum ts_sc_fate ts_layout_fate(void *core);
/* Chunks into their places and the index, and out of it; chunk_places.c. The bytes of a structured chunk are followed
 * by a struct ts_chunk_sections. */
int ts_chunks_place(void *core, struct ts_sc_coded *chunks, size_t n);
int ts_chunks_insert(void *core, struct ts_sc_coded *chunks, size_t n);
void ts_chunks_displace(void *core, struct ts_sc_coded *chunks, size_t n);
int ts_chunks_delete(void *core, const hsize_t *scaled, const struct ts_sc_stored *at);

/* The others move elements by themselves. */
int ts_transfer_external(struct ts_transfer *t);
int ts_transfer_virtual(struct ts_transfer *t);
/* Reading: the fill value for parts that nothing is stored for. When the dataset has none, they are left as they
 * are. */
int ts_read_fill(struct ts_transfer *t, const struct ts_piece *pieces, size_t n);
int ts_dataset_core_read_fill(struct ts_dataset_core *core, struct ts_xfer *xfer, const struct ts_piece *pieces,
                              size_t n);

/* The message about external files, whose names go into a local heap of their own; inside a change. */
int ts_external_encode(struct ts_file *f, const struct ts_efl *efl, haddr_t *heap, struct ts_wr *w);
/* Bytes of the local heap with the names of external files. */
int ts_external_heap_size(const struct ts_ohdr *oh, hsize_t *out);

#endif
