/* The chunks in memory: which there are, who uses them, what may leave, and how they get out. Private to this folder.
 *
 * The life of a chunk: an operation claims it. When it was not there it is entered as loading, and the claimer fills it
 * (ts_sc_loaded) or gives up (ts_sc_failed); others who claim it meanwhile wait, after they have done their own
 * loading, so that nobody waits in a circle. In use it is pinned; released, it stands in one of the lists of those that
 * may leave:
 *   spent     read or written whole: leaves first
 *   used      the rest, by time of last use
 *   listed    those that only tell which elements are defined
 *   sheltered of a dataset within its reserve: leaves when nothing else does
 * Busy means that someone encodes it or writes it out (see shared_cache.h). */
#ifndef TS_CHUNK_CHUNKS_H
#define TS_CHUNK_CHUNKS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/lane.h"
#include "base/pool.h"
#include "chunk/shared_cache.h"

/* Where a chunk stands in a list. */
struct ts_sc_link {
    struct ts_sc_chunk *newer, *older;
    struct ts_sc_list *list; /* NULL: in none */
};

enum { TS_SC_BY_USE, TS_SC_TO_ENCODE, TS_SC_LINKS };

struct ts_sc_chunk {
    struct ts_sc_dset *dset;
    hsize_t *scaled; /* behind the struct */
    struct ts_sc_data data;
    bool has_values; /* false: data tells which elements are defined, no more */
    /* at is right: where it is on file now. Both change when it is written back: look at them with the cache's lock,
     * after claiming it to change it, or while loading it. at.udata is the chunk's. */
    bool located;
    struct ts_sc_stored at;
    struct ts_sc_coded coded; /* when encoded: the disk format of what data holds. A change drops it */
    bool encoded;             /* coded.bytes NULL: the cache format is that */
    bool preemptive;          /* that was encoded before it had to be */
    bool dirty, loading, failed, busy, spent;
    bool stuck; /* dirty, and could not be written: making room passes it over until the next flush */
    bool gone;  /* forgotten while in use: freed with the last pin */
    /* Dirty, and not coded: bytes outside are as they are on file. One that is nowhere and was made with data.zeros has
     * zeros there. */
    size_t from, to;
    /* The last bytes of data, which are meant to be zeros and are not yet: most likely they are written next. Whoever
     * wants to see them calls ts_sc_complete first; a claim does. */
    size_t blank;
    _Atomic(struct ts_sc_chunk *) *shown_at; /* its place in the view of its dataset (view.h), or NULL */
    bool was_shown;                          /* somebody may still look at it */
    atomic_uchar looked_at;                  /* so since its time */
    unsigned pins;
    size_t counted;     /* bytes of it that the cache has counted */
    uint64_t key, time; /* time: of the last use */
    uint64_t tried;     /* the last flush that tried to write it */
    struct ts_sc_chunk *same_key;
    struct ts_sc_link links[TS_SC_LINKS];
};

enum { TS_SC_NOT_LOOKED_AT, TS_SC_LOOKED_PART, TS_SC_LOOKED_WHOLE };

/* How often a little of a chunk was used past the cache; others with the same place in the table push it out. */
struct ts_sc_touch {
    uint32_t who, count;
};

enum { TS_SC_TOUCHED = 512 };

struct ts_sc {
    struct ts_file *file;
    uint64_t process; /* that made it (ts_process): a child of it has no workers that could end what they began */
    struct ts_mutex lock;
    pthread_cond_t changed; /* a load ended, a chunk is no longer busy, a visitor left */
    H5F_shared_chunk_cache_t settings;
    atomic_uint threads; /* workers beside the caller, from the settings; with budget, read without the lock */
    H5F_chunk_cache_stats_t stats; /* who does it counts it, with the lock; bytes and chunks are elsewhere */
    atomic_size_t budget;          /* of the settings, or more when datasets have reserves of their own */
    size_t bytes;                  /* of all buffers of all chunks */
    size_t held;                   /* promised to operations under way */
    size_t leaving;                /* bytes of chunks that are on their way out */
    size_t stuck_bytes;            /* of chunks that could not be written: they count beside the budget */
    size_t dirty_bytes;            /* of chunks that wait to be encoded */
    size_t n_chunks, n_dirty;
    uint64_t clock, flushes, tries;
    struct ts_sc_list spent, used, listed;
    size_t listed_bytes;                         /* of those in that list */
    struct ts_sc_list encode_soon, encode_later; /* dirty, not in use, not encoded: spent ones, others */
    struct ts_sc_dset *dsets;
    size_t own_reserves; /* of datasets that have one of their own */
    unsigned n_shared;   /* datasets that hold chunks and have none */
    struct ts_sc_touch touched[TS_SC_TOUCHED];
    struct ts_lane_cell *looks; /* hits without the lock (view.h); NULL: there are none */
    unsigned jobs;              /* background jobs that were submitted and have not ended */
    bool closing;
};

/* Memory for an operation: makes room for that many bytes more, by letting chunks leave (dirty ones are written), and
 * counts them as held. Never fails for want of room, nor because a chunk could not be written: that one stays, and its
 * flush will tell. Without the cache's lock, and not while claims of the caller are loading. for_dset: whose operation
 * it is; it gets no shelter from itself. */
void ts_sc_hold(struct ts_sc_dset *for_dset, size_t bytes);
void ts_sc_unhold(struct ts_sc *cache, size_t bytes);

enum ts_sc_claim { TS_SC_ABSENT, TS_SC_HIT, TS_SC_MINE, TS_SC_OTHERS };
enum {
    TS_SC_ENTER = 1, /* make one that loads, when it is not there */
    TS_SC_CHANGE =
        2, /* it will be changed: wait while it is busy. Drops its encoded copy. Needs the order lock for writing */
    /* One without values is loaded again: MINE, with loading set and without data, for those who look at what it held
     * keep that to themselves. */
    TS_SC_VALUES = 4,
    TS_SC_QUIET = 8, /* not counted as hit or miss */
};
/* Pinned unless ABSENT. HIT: there it is. MINE: loading, by the caller. OTHERS: loading, by another: ts_sc_wait.
 * Negative when memory is short. ABSENT and MINE are counted as a miss, the others as a hit. */
int ts_sc_claim(struct ts_sc_dset *dset, const hsize_t *scaled, unsigned flags, struct ts_sc_chunk **out);
/* Claims one that is there with its values, which counts as a hit. If not, false, and nothing has happened. */
bool ts_sc_claim_hit(struct ts_sc_dset *dset, const hsize_t *scaled, struct ts_sc_chunk **out);
/* The caller has filled in data, at, located and has_values: others may use it. */
void ts_sc_loaded(struct ts_sc_chunk *c);
/* The same for one that was loaded ahead: nobody uses it yet, so its pin goes in the same moment. */
void ts_sc_loaded_ahead(struct ts_sc_chunk *c);
/* It could not be loaded: it is gone, and so is the caller's pin; who waits tries for himself. Its data must be freed
 * already. */
void ts_sc_failed(struct ts_sc_chunk *c);
/* For OTHERS: true when it is loaded; false when that failed, or it has no values and the flags ask for them: the pin
 * is gone, claim again. With CHANGE as for a claim. */
bool ts_sc_wait(struct ts_sc_chunk *c, unsigned flags);

struct ts_sc_use {
    bool dirty;
    size_t from, to; /* when dirty: the bytes that changed, both 0 for all */
    bool whole;      /* read whole, or written whole or to its end: most likely nobody wants it soon */
    bool drop;       /* its content is of no use. One that is dirty from before is lost, too */
    bool in_worker;  /* the caller is one: nothing is written to make room */
};
/* The end of a use. data.alloc may be another than before. Chunks leave when the cache is over its budget; the worker
 * begins to encode dirty ones when many wait. */
void ts_sc_release(struct ts_sc_chunk *c, const struct ts_sc_use *use);
/* Of many at once, uses[i] for chunks[i], all of one cache: what must be written then goes out together. */
void ts_sc_release_many(struct ts_sc_chunk **chunks, const struct ts_sc_use *uses, size_t n);

/* Frees data of a chunk that is not in the cache, by the layout's evict. */
void ts_sc_data_free(struct ts_sc_dset *dset, struct ts_sc_data *d);
bool ts_sc_partial_bound(const struct ts_sc_dset *dset, const hsize_t *scaled);

/* Chunks on their way to disk, of one dataset each, in any order. bytes is set in all; from and to as in a chunk. */
struct ts_sc_out {
    struct ts_sc_dset *dset;
    struct ts_sc_coded coded;
    const void *bytes;         /* coded.bytes, or the cache format */
    size_t from, to;           /* what to write when coded.in_place; else all of coded.at.size */
    bool zeros;                /* outside of these there are zeros: in blank space only these, too */
    struct ts_sc_chunk *chunk; /* whose cache format bytes is, busy; or NULL */
};
/* Places them, writes them sorted by address in as few calls as can be, enters them. coded.at is where they are then.
 * After an error none was entered, except those of datasets that were served before; n_done tells how many, in the
 * order of the array, which is grouped by dataset. */
int ts_sc_put_out(struct ts_sc *cache, struct ts_sc_out *outs, size_t n, size_t *n_done);

/* Encodes and writes chunks that the caller made busy, and makes them clean; all are no longer busy afterwards. After
 * an error some are still dirty: those that could not be written, and no others. */
int ts_sc_write_back(struct ts_sc *cache, struct ts_sc_chunk **chunks, size_t n);

/* Lets a chunk leave that is full. If it cannot be written it stays, and the next flush tells. */
void ts_sc_put_out_one(struct ts_sc_dset *dset, const hsize_t *scaled);
/* Before a write makes more chunks dirty, with the dataset's order lock for writing: an error when those of the dataset
 * that cannot be written have taken as much memory as they may. */
int ts_sc_may_write(struct ts_sc_dset *dset);
/* Brings one chunk to the file when it is there and dirty. With the dataset's order lock, and no pin that may change
 * it. */
int ts_sc_flush_chunk(struct ts_sc_dset *dset, const hsize_t *scaled);

/* Waits until no chunk of it is busy or loading, and keeps others from beginning; with the cache's lock. */
void ts_sc_freeze(struct ts_sc_dset *dset);

/* All that must hold in a cache nobody uses right now: false, and why. For tests. */
bool ts_sc_verify(struct ts_sc *cache, const char **reason);

#endif
