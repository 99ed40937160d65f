/* The chunks of an operation, some at a time: as many as may be in memory at once. Private to this folder.
 *
 * An operation has selections, and pulls one batch of chunks after the other from them (ts_sc_batch_next). With each it
 * goes through a row of steps (load.h), each for all chunks of the batch, so that one lookup, one read and one run of
 * the workers does for many. In a batch the positions of each dataset's chunks ascend, and no chunk comes twice. */
#ifndef TS_CHUNK_BATCH_H
#define TS_CHUNK_BATCH_H

#include "chunk/chunks.h"
#include "chunk/plan_cursor.h"
#include "chunk/policy.h"

/* What a chunk of the batch is at the moment. */
enum ts_sc_state {
    TS_SC_AWAY,  /* not in memory, or of no use there: its way says what is done about it */
    TS_SC_WAIT,  /* another thread loads it */
    TS_SC_READY, /* its data are in memory */
    TS_SC_DONE,  /* served without them, or with them */
};

/* What an operation wants of a chunk. */
struct ts_sc_want {
    const hsize_t *scaled;
    const struct ts_piece *pieces;
    size_t n;
    struct ts_run_set *set; /* NULL, or the elements are members of it, and the pieces say where these go */
    hsize_t elements;       /* in the pieces */
    hsize_t from, to;       /* the first of them in the chunk, and behind the last */
    bool split;             /* it has more pieces, which come in another batch */
};

/* A chunk on its way in. */
struct ts_sc_in {
    struct ts_sc_stored at; /* where it is, once it was looked up */
    struct ts_sc_data data; /* its own, when it is not in the cache or not yet */
    bool raw;               /* data holds the disk format */
    bool defined_only;      /* which elements are defined is enough */
};

/* A chunk that a write changes. */
struct ts_sc_change {
    enum ts_sc_cover cover;
    bool made;    /* it was not loaded: nothing of it is known to be right before the operation is done */
    bool touched; /* it may have been changed */
    bool encoded; /* coded holds it, on its way out without the cache */
    struct ts_sc_coded coded;
};

struct ts_sc_visit {
    struct ts_sc_io *io;
    struct ts_sc_dset *dset;
    struct ts_sc_want want;
    enum ts_sc_state state;
    struct ts_sc_way way;      /* of one that is not in memory */
    struct ts_sc_chunk *chunk; /* pinned, or NULL */
    struct ts_sc_in in;
    struct ts_sc_change out;
    bool skip;   /* the cache is not to keep it */
    bool passes; /* most likely it is in memory only while a thread is at it */
    bool moved;  /* its elements were moved */
};

struct ts_sc_lane {
    const struct ts_sc_io *io; /* of the transfer, NULL: none */
    struct ts_xfer xfer;
};

/* Where the chunks come from. */
struct ts_sc_source {
    struct ts_sc_io *io; /* NULL: they are added by hand */
    size_t n, next;      /* of these; the next one to begin with */
    bool by_sets;        /* a selection is taken as sets where its layout does */
    struct ts_plan_cursor *cursor;
    bool open;    /* the cursor is in the plan of the io before the next */
    bool pending; /* and at a chunk that is not taken, or not all of it */
    bool split;   /* some of that one was in the batch before */
};

/* Scratch memory of the steps. */
struct ts_sc_scratch {
    struct ts_sc_spot *spots;
    struct ts_sc_visit **todo; /* for workers */
    struct ts_io_vec *vectors;
    struct ts_sc_lane *lanes;
    size_t spots_capacity, todo_capacity, vectors_capacity;
};

struct ts_sc_batch {
    struct ts_sc *cache;
    /* The settings as they are at the beginning. */
    size_t budget;
    unsigned threads;
    /* The operation's. */
    unsigned claim;    /* TS_SC_CHANGE, or 0 */
    bool defined_only; /* it never needs values */
    bool ahead;        /* nobody waits for what it loads */
    struct ts_sc_source from;
    /* What is gathered. */
    struct ts_sc_visit *visits;
    size_t n, capacity;
    struct {
        hsize_t *items;
        size_t n, capacity;
    } scaled; /* of all visits, one behind the other */
    struct {
        struct ts_piece *items;
        size_t n, capacity;
    } pieces;
    size_t bytes; /* the chunks will take in memory, about */
    size_t held;
    struct ts_sc_scratch scratch;
    H5F_chunk_cache_stats_t counts; /* what happened since they were last added to the cache's */
};

/* One that is not in memory goes this way. */
static inline bool ts_sc_goes(const struct ts_sc_visit *v, enum ts_sc_route route)
{
    return v->state == TS_SC_AWAY && v->way.route == route;
}

void ts_sc_batch_init(struct ts_sc_batch *b, struct ts_sc *cache);
void ts_sc_batch_deinit(struct ts_sc_batch *b);
/* From these selections chunks are pulled. All of it stays until ts_sc_batch_deinit. */
void ts_sc_batch_from(struct ts_sc_batch *b, struct ts_plan_cursor *cursor, struct ts_sc_io *io, size_t n);
/* The next chunks in place of those there were: 1, 0 when there are no more, -1. */
int ts_sc_batch_next(struct ts_sc_batch *b);
/* Another batch of the operation, empty or used before, takes the chunks from now on; this one keeps those it has. */
void ts_sc_batch_follow(struct ts_sc_batch *next, struct ts_sc_batch *b);
/* The same by hand: chunk by chunk in ascending order, each with pieces or without, as long as there is room. Then
 * ts_sc_batch_gathered. */
void ts_sc_batch_clear(struct ts_sc_batch *b);
bool ts_sc_batch_is_full(const struct ts_sc_batch *b);
int ts_sc_batch_add(struct ts_sc_batch *b, struct ts_sc_io *io, const hsize_t *scaled);
/* Room for *n pieces of the last one, of which ts_sc_batch_take tells how many were filled in; NULL when memory is
 * short. */
struct ts_piece *ts_sc_batch_room(struct ts_sc_batch *b, size_t *n);
void ts_sc_batch_take(struct ts_sc_batch *b, size_t n);
void ts_sc_batch_gathered(struct ts_sc_batch *b);
/* How much an operation moves of a dataset; ts_sc_batch_next sees to it itself. */
void ts_sc_scale_init(const struct ts_sc_batch *b, struct ts_sc_io *io);

/* How many go this way; with TS_SC_ASK, of how many it is not known yet. */
size_t ts_sc_batch_count(const struct ts_sc_batch *b, enum ts_sc_route route);

/* The facts of a visit, as far as they are the same for reading and writing. */
struct ts_sc_facts ts_sc_visit_facts(const struct ts_sc_batch *b, const struct ts_sc_visit *v);
/* The way that these facts lead to; whether a chunk comes back is found out when it depends on that. */
struct ts_sc_way ts_sc_visit_way(const struct ts_sc_visit *v, struct ts_sc_facts *f);

/* Bytes of a dataset's chunk in memory, when it has all its elements. */
size_t ts_sc_chunk_bytes(const struct ts_sc_dset *dset);
/* The chunk's elements that lie in the extent. */
hsize_t ts_sc_chunk_inside(const struct ts_sc_dset *dset, const hsize_t *scaled);

/* Its position in the order of rows. */
hsize_t ts_sc_chunk_linear(const struct ts_sc_dset *dset, const hsize_t *scaled);
/* The transfer that a lane uses for a visit; lane 0 is the caller's and has that of the application. */
struct ts_xfer *ts_sc_lane_xfer(struct ts_sc_batch *b, const struct ts_sc_visit *v, unsigned lane);

/* Adds to the cache's statistics; both are 0 afterwards where they count events. */
void ts_sc_add_counts(struct ts_sc *cache, H5F_chunk_cache_stats_t *counts);

#endif
