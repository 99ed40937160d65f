/* The chunks of an operation, some at a time: as many as may be in memory at once. Private to this folder.
 *
 * An operation gives its selections, and serves one batch after the other. Serving is a row of steps (load.h), each for
 * all chunks of the batch, so that one lookup, one read and one run of the workers does for many. In a batch the positions
 * of each dataset's chunks ascend, and no chunk comes twice. */
#ifndef TS_CHUNK_BATCH_H
#define TS_CHUNK_BATCH_H

#include "chunk/chunks.h"

/* What a chunk of the batch is at the moment. */
enum ts_sc_state {
    TS_SC_AWAY,  /* not in memory, or of no use there */
    TS_SC_MAKE,  /* to be made anew */
    TS_SC_LOAD,  /* to be loaded */
    TS_SC_WAIT,  /* another thread loads it */
    TS_SC_READY, /* its data are in memory */
    TS_SC_PLACE, /* to be given a place in the file, where its elements go straight */
    TS_SC_PLACED, /* that was done; its index does not know yet */
    TS_SC_DONE,  /* served without them */
};

/* How much of a chunk an operation covers: less than all that lies in the extent, all of that, all of the chunk. */
enum ts_cover { TS_COVER_PART, TS_COVER_EXTENT, TS_COVER_CHUNK };

struct ts_sc_visit {
    struct ts_sc_io *io;
    struct ts_sc_dset *dset;
    const hsize_t *scaled;
    const struct ts_piece *pieces;
    size_t n;
    struct ts_run_set *set; /* NULL, or the elements are members of it, and the pieces say where these go */
    bool exact;             /* the set is certain to be what is defined */
    size_t scaled_at, pieces_at; /* where these are kept */
    hsize_t elements; /* in the pieces */
    hsize_t from, to; /* the first of them in the chunk, and behind the last */
    bool skip;        /* the cache is not to keep it: by wish, or for its size */
    bool bulk;        /* the operation moves enough for calls of its own */
    bool large;       /* the operation has more chunks than the cache should be flooded with */
    bool split;       /* it has more pieces, which come in another batch */
    enum ts_cover cover; /* writing */
    enum ts_sc_state state;
    bool keep;         /* MAKE, LOAD: in the cache */
    bool defined_only; /* LOAD: which elements are defined is enough */
    bool raw;          /* data holds the disk format */
    bool made;         /* it was not loaded: nothing of it is known to be right before the operation is done */
    bool touched;      /* it may have been changed */
    bool moved;        /* its elements were moved */
    bool encoded;      /* coded holds it */
    struct ts_sc_chunk *chunk; /* pinned, or NULL */
    struct ts_sc_stored at;    /* where it is, once it was looked up */
    struct ts_sc_data data;    /* its own, when it is not in the cache or not yet */
    struct ts_sc_coded coded;  /* on its way out without the cache */
};

struct ts_sc_lane {
    const struct ts_sc_io *io; /* of the transfer, NULL: none */
    struct ts_xfer xfer;
};

struct ts_sc_batch {
    struct ts_sc *cache;
    /* The settings as they are at the beginning. */
    size_t budget;
    unsigned threads;
    /* The operation's. */
    int (*serve)(struct ts_sc_batch *b);
    void *ctx;
    unsigned claim;    /* TS_SC_CHANGE, or 0 */
    bool defined_only; /* it never needs values */
    bool by_sets;      /* it takes a selection as sets where the layout does */
    bool ahead;        /* nobody waits for what it loads */
    /* What is gathered. */
    struct ts_sc_io *io;
    hsize_t most_chunks; /* of the io; 0: not known */
    bool exact;          /* sets of the io are certain to be what is defined */
    bool large, bulk, skip;
    size_t chunk_bytes;
    size_t usual_bytes; /* sparse: what a chunk of the batch before takes; 0: not known, or not sparse */
    struct ts_sc_visit *visits;
    size_t n, capacity;
    hsize_t *scaled;
    size_t n_scaled, scaled_capacity;
    struct ts_piece *pieces;
    size_t n_pieces, pieces_capacity;
    size_t bytes; /* the chunks will take in memory, about */
    /* Scratch of the steps. */
    size_t held;
    struct ts_sc_spot *spots;
    struct ts_sc_visit **todo;
    struct ts_io_vec *vectors;
    struct ts_sc_coded *placed;
    struct ts_sc_out *outs;
    size_t spots_capacity, todo_capacity, vectors_capacity, placed_capacity, outs_capacity, n_placed;
    struct ts_sc_lane *lanes;
    /* Encoded chunks of the batch before, all of late_io: written while workers are at this one. */
    struct ts_sc_out *late;
    hsize_t *late_scaled;
    size_t n_late, late_capacity, late_scaled_capacity;
    const struct ts_sc_io *late_io;
    H5F_chunk_cache_stats_t counts; /* what happened since they were last added to the cache's */
};

void ts_sc_batch_init(struct ts_sc_batch *b, struct ts_sc *cache, int (*serve)(struct ts_sc_batch *b));
void ts_sc_batch_deinit(struct ts_sc_batch *b);
/* Gathers the chunks of a selection, serving whenever there are enough. */
int ts_sc_batch_add(struct ts_sc_batch *b, struct ts_sc_io *io);
/* The same by hand: an io without a plan, then chunk by chunk in ascending order. */
int ts_sc_batch_io(struct ts_sc_batch *b, struct ts_sc_io *io);
int ts_sc_batch_chunk(struct ts_sc_batch *b, const hsize_t *scaled);
int ts_sc_batch_pieces(struct ts_sc_batch *b, const struct ts_piece *pieces, size_t n);
int ts_sc_batch_chunk_end(struct ts_sc_batch *b);
/* What is gathered becomes visits; then it may be served by hand. */
void ts_sc_batch_settle(struct ts_sc_batch *b);
/* Serves what is gathered. */
int ts_sc_batch_flush(struct ts_sc_batch *b);

/* All chunks of the operation together, each with so many bytes, are more than the cache should be flooded with. */
bool ts_sc_batch_floods(const struct ts_sc_batch *b, size_t bytes);

/* How many are in this state. */
size_t ts_sc_batch_count(const struct ts_sc_batch *b, enum ts_sc_state state);

/* Bytes of a dataset's chunk in memory, when it has all its elements. */
size_t ts_sc_chunk_bytes(const struct ts_sc_dset *dset);
/* The chunk's elements that lie in the extent. */
hsize_t ts_sc_chunk_inside(const struct ts_sc_dset *dset, const hsize_t *scaled);

/* Its position in the order of rows. */
hsize_t ts_sc_chunk_linear(const struct ts_sc_dset *dset, const hsize_t *scaled);
/* Counts a use of a little of a chunk that is not in memory, nor coded: true when it is time to bring it there, for it or
 * the one before it was used last, or it so often that reading it whole would have cost no more. */
bool ts_sc_chunk_comes_back(struct ts_sc_dset *dset, const hsize_t *scaled);

/* The transfer that a lane uses for a visit; lane 0 is the caller's and has that of the application. */
struct ts_xfer *ts_sc_lane_xfer(struct ts_sc_batch *b, const struct ts_sc_visit *v, unsigned lane);

/* Adds to the cache's statistics; both are 0 afterwards where they count events. */
void ts_sc_add_counts(struct ts_sc *cache, H5F_chunk_cache_stats_t *counts);

#endif
