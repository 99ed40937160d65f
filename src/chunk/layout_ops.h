/* What a layout does for the shared chunk cache. The cache decides when a chunk is looked up, read, decoded, changed,
 * encoded, written, entered into an index and forgotten; it knows neither how chunks look nor how they are found.
 *
 * A piece of data has three formats: that of the application's buffer; the cache format, which is the layout's own
 * (struct ts_sc_data holds it); and the disk format, bytes at an address. Selections inside a chunk are pieces
 * (chunk/plan.h), their src counting elements in the order of the chunk's box.
 *
 * Which thread: callbacks marked [any] may run in a worker, several at a time for different chunks; they take no lock
 * and push errors only. The others run in the thread of the operation. None is called with a lock of the cache held.
 * `owner` is what the dataset was opened with. All return 0, or negative with the error pushed. */
#ifndef TS_CHUNK_LAYOUT_OPS_H
#define TS_CHUNK_LAYOUT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"
#include "chunk/plan.h"
#include "driver/driver.h"

struct ts_run_set;
struct ts_sc_io;
struct ts_xfer;

/* Where a chunk is on disk. */
struct ts_sc_stored {
    haddr_t addr;          /* HADDR_UNDEF: nowhere */
    uint64_t size;         /* bytes; 0: there is nothing to read, decoding makes it up */
    uint64_t defined_size; /* bytes that tell which elements are defined, the first of them; 0: all are */
    size_t hint;           /* bytes that the chunk takes in memory, decoded */
    size_t defined_hint;   /* bytes it takes with the list of defined elements only */
    uint64_t note;         /* the layout's own, such as a mask of filters */
    void *udata;           /* the layout's own, freed with ts_free; mostly NULL */
};

struct ts_sc_spot {
    const hsize_t *scaled; /* position in units of chunks */
    struct ts_sc_stored at;
};

/* A chunk in memory. In callbacks that change it, both counts are brought up to date. */
struct ts_sc_data {
    void *chunk;  /* from ts_malloc, or what the layout's evict frees */
    size_t used;  /* bytes of all its buffers that hold something */
    size_t alloc; /* bytes of all its buffers */
    bool zeros;   /* set by new_chunk: it holds nothing else */
};

/* How a chunk is coded. */
struct ts_sc_coding {
    const struct ts_sc_stored *at; /* decoding: where it came from; encoding: where it is so far */
    bool partial_bound;            /* it reaches over the edge of the extent; false when the layout does not care */
    /* Decoding: NULL, or which elements are defined, for certain: the layout may keep a reference. */
    struct ts_run_set *set;
    const void *transfer; /* decoding in the way of one transfer: its struct ts_sc_io.transfer, else NULL */
};

/* A chunk on its way to disk. */
struct ts_sc_coded {
    const hsize_t *scaled;
    struct ts_sc_stored old, at; /* the place it had, and the new one: encoding sets size and note, place the rest */
    bool in_place;               /* set by place: at.addr is its old place, and only what changed needs writing */
    bool careful;                /* set by place: the bytes go through write */
    bool blank;                  /* set by place: what is not written of it reads as zeros */
    void *bytes;                 /* the disk format, from ts_malloc; NULL: the cache format is that */
    size_t alloc;                /* bytes of that buffer */
};

/* Elements of a chunk where they are in the file. */
struct ts_sc_direct {
    bool possible;
    bool require_defined;    /* not without knowing which are defined: call again with that chunk in memory */
    haddr_t addr;            /* elements count from here */
    struct ts_piece *pieces; /* vector calls only: from ts_malloc, the caller frees them */
    size_t n;
};

struct ts_sc_access {
    const hsize_t *scaled;
    const struct ts_sc_stored *at;
    bool partial_bound;
    const struct ts_sc_data *data; /* NULL, or a chunk of which perhaps only the defined elements are known */
    const struct ts_piece *pieces;
    size_t n;
};

/* Elements of a chunk and where they go or come from. */
struct ts_sc_move {
    const hsize_t *scaled;
    struct ts_xfer *xfer; /* knows the application's buffer and how to convert */
    const struct ts_piece *pieces;
    size_t n;
    /* Reading, of a layout that has defined_set: NULL, or the elements are the members of this set, most likely those
     * that are defined: the pieces' src are their ordinals, ascending, count is 1. */
    const struct ts_run_set *set;
};

/* 0 goes on; anything else stops and is returned. */
typedef int ts_sc_runs_fn(const struct ts_run *runs, size_t n, void *ctx);

struct ts_sc_layout {
    bool coded;                 /* the disk format differs from the cache format for at least some chunks */
    bool partial_bound_differs; /* chunks over the edge of the extent are coded in another way */
    bool sparse; /* a chunk has memory only for elements that are defined: what it takes is known when it was looked up
                  */
    bool zeros;  /* what new_chunk fills a chunk with, always */
    bool any_thread; /* what is marked [any] really may run in a worker: false with filters of the application */
};

/* What becomes of a dataset that was deleted. */
enum ts_sc_fate {
    TS_SC_STAYS,
    TS_SC_DOOMED, /* goes with its last close: that its chunks cannot be written is nobody's loss */
    TS_SC_GONE,   /* nothing of it is to be written any more */
};

struct ts_sc_layout_ops {
    /* Finds n chunks. udata is freed by the cache. */
    int (*lookup)(void *owner, struct ts_sc_spot *spots, size_t n);
    /* [any] From the disk format, d->used bytes in d->chunk, to the cache format. NULL: they are the same. Also after
     * an error d->chunk is the caller's to free with ts_free or, when it is in the cache format already, with evict;
     * then d->used is not 0. */
    int (*decode)(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d);
    /* [any] The same of the first at.defined_size bytes: only which elements are defined. NULL: chunks are decoded
     * whole. */
    int (*decode_defined_values)(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d);
    /* A chunk that is not on disk; with fill it holds fill values, otherwise its elements may be anything and the call
     * is [any]. */
    int (*new_chunk)(void *owner, bool fill, struct ts_sc_data *d);
    /* [any] Gives back memory: afterwards alloc is used. May be NULL. */
    int (*condense)(void *owner, struct ts_sc_data *d);
    /* [any] To the disk format; the chunk stays as it is. out->bytes stays NULL when it is the same. NULL: it always
     * is. */
    int (*encode)(void *owner, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out);
    /* [any] The same, consuming the chunk also when it fails: out->bytes is set in any case of success. NULL: encode,
     * then evict. */
    int (*encode_in_place)(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d, struct ts_sc_coded *out);
    /* [any] Frees what the chunk holds. NULL: ts_free. */
    void (*evict)(void *owner, struct ts_sc_data *d);
    /* Two steps in place of the seed's one, for bytes are on file before an index names them (invariant 1): place finds
     * room for n chunks of at.size bytes, insert enters those that were written and frees the space they had. After a
     * failure in between, displace gives back the room of those that are not in_place. */
    int (*place)(void *owner, struct ts_sc_coded *chunks, size_t n);
    int (*insert)(void *owner, struct ts_sc_coded *chunks, size_t n);
    void (*displace)(void *owner, struct ts_sc_coded *chunks, size_t n);
    /* Writes bytes of chunks that place called careful. NULL: there are none. */
    int (*write)(void *owner, const struct ts_io_out *v, size_t n);
    /* Elements straight between file and application buffer; no conversion is needed. selection: they stand in the file
     * in the order of the chunk's box, from out->addr on. vector: out->pieces says where each stands. May be NULL. */
    int (*selection_read)(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out);
    int (*vector_read)(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out);
    int (*selection_write)(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out);
    int (*vector_write)(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out);
    /* [any when the transfer is parallel] Between chunk and application buffer, with conversion. Gathering defines the
     * elements. NULL: the chunk is an array of all its elements, and the cache does it with ts_xfer_memory. */
    int (*scatter_mem)(void *owner, const struct ts_sc_move *m, const struct ts_sc_data *d);
    int (*gather_mem)(void *owner, const struct ts_sc_move *m, struct ts_sc_data *d);
    /* The fill value into elements of the chunk, which it defines. */
    int (*fill)(void *owner, const struct ts_piece *pieces, size_t n, struct ts_sc_data *d);
    /* [any] Calls fn with where in memory those parts of the pieces go that are defined, in the order of the pieces;
     * m->xfer is NULL. NULL: all are. */
    int (*defined_values)(void *owner, const struct ts_sc_move *m, const struct ts_sc_data *d, ts_sc_runs_fn *fn,
                          void *ctx);
    /* [any] Which elements are defined, as a set that the caller frees and that changes no more. NULL in *out: all are.
     * 1 when the set must not be given to decode again. Such a layout's scatter_mem takes sets. May be NULL. */
    int (*defined_set)(void *owner, const struct ts_sc_data *d, struct ts_run_set **out);
    /* Elements become undefined; *delete_chunk when nothing is left. NULL: they get the fill value. */
    int (*erase_values)(void *owner, const struct ts_sc_move *m, struct ts_sc_data *d, bool *delete_chunk);
    /* [any] Forgets the values, not which are defined. NULL: a chunk goes whole. */
    void (*evict_values)(void *owner, struct ts_sc_data *d);
    /* Asked once, when the dataset is opened. chunk_dims: as many as the dataset has dimensions. */
    int (*layout_query)(void *owner, hsize_t *chunk_dims, struct ts_sc_layout *out);
    /* Takes a chunk out of the index and frees its space. */
    int (*delete_chunk)(void *owner, const hsize_t *scaled, const struct ts_sc_stored *at);
    /* Reading: what the application gets for elements of chunks that are nowhere. */
    int (*read_missing)(void *owner, const struct ts_sc_io *io, const struct ts_sc_move *m);
    /* What messages call the dataset. NULL: "a dataset". */
    void (*describe)(void *owner, char *text, size_t size);
    /* NULL: it stays. */
    enum ts_sc_fate (*fate)(void *owner);
};

#endif
