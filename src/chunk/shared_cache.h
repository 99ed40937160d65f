/* The shared chunk cache: all raw data of a file's datasets goes through one cache with one budget. Layouts are its
 * clients (layout_ops.h); docs/shared-chunk-cache.md shows a write's way through it.
 *
 * Locks. Each dataset has an `order` lock, taken by whoever calls: for reading by reads, for writing by everything that
 * changes the dataset, so that writes keep their order. It is taken before any lock of the file, never while holding
 * one. The cache's own lock is held for moments, never while reading, writing, coding or calling a layout. A chunk that
 * someone encodes or writes out is `busy`: it may be read, and whoever wants to change it waits. So a chunk leaves the
 * cache, encoded and written by any thread, without its dataset's order lock. Whoever does that takes the file's lock,
 * so nothing here is called with it: not what flushes, drops, closes or changes the extent, nor a read or a write. */
#ifndef TS_CHUNK_SHARED_CACHE_H
#define TS_CHUNK_SHARED_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Fpublic.h"
#include "base/lock.h"
#include "base/map.h"
#include "chunk/layout_ops.h"
#include "chunk/plan.h"
#include "chunk/xfer.h"
#include "file/file.h"
#include "space/space.h"

struct ts_sc;       /* the cache */
struct ts_sc_chunk; /* a chunk in it */

struct ts_sc_list {
    struct ts_sc_chunk *newest, *oldest;
};

/* A dataset as the cache sees it: a member of its owner. */
struct ts_sc_dset {
    /* The owner fills these in before ts_sc_dset_open. */
    const struct ts_sc_layout_ops *ops;
    void *owner;
    struct ts_rwlock *order; /* not used in a file that is open for reading only */
    unsigned rank;
    size_t element_size;        /* in cache format, when ops->scatter_mem is NULL */
    hsize_t dims[H5S_MAX_RANK]; /* the extent; changed by H5SC_set_extent_notify only */
    size_t reserve; /* bytes that others do not push out; SIZE_MAX: as the cache's settings say. ts_sc_dset_configure */
    double w0;      /* negative: as the cache's settings */
    atomic_bool uncached; /* chunks are forgotten after each operation */
    /* The cache's. */
    struct ts_sc *cache;
    hsize_t chunk_dims[H5S_MAX_RANK];
    hsize_t chunk_elements;
    struct ts_sc_layout layout;
    struct ts_map chunks;
    _Atomic(struct ts_sc_view *) view; /* of those that may be looked at without a lock (view.h), or NULL */
    atomic_bool looked;                /* somebody has tried that */
    size_t bytes, n_dirty;
    atomic_size_t n_chunks; /* changed with the cache's lock */
    unsigned frozen;        /* nothing of it may be encoded or written out by others */
    unsigned n_busy;        /* chunks that are busy, loading, or being freed */
    unsigned visitors;      /* flushes on their way to it */
    uint64_t visited;
    struct ts_sc_list sheltered; /* kept within the reserve: not among those that may leave */
    size_t leaving;              /* bytes of chunks that are on their way out */
    atomic_bool failed;          /* a chunk could not be encoded or written since all of them were */
    uint64_t stamp;              /* another after each change, in all datasets; 0: others change it, too */
    hsize_t last_touched;        /* behind the position of the chunk of which a little was last used past the cache */
    bool last_again;             /* and that was not the first time */
    hsize_t next_chunk;          /* linear position behind the last read; for reading ahead */
    hsize_t ahead;               /* linear position behind what was read ahead */
    atomic_uint in_sequence;     /* how many reads in a row went on where the one before ended */
    struct ts_sc_dset *next, *prev;
};

/* How much a read or a write moves of a dataset, as far as that is known when it begins. */
struct ts_sc_scale {
    hsize_t chunks;     /* at most; 0: not known */
    size_t chunk_bytes; /* in memory, when a chunk has all its elements */
    size_t usual_bytes; /* sparse: what a chunk took so far; 0: not known, or not sparse */
    bool skip;          /* the cache is not to keep its chunks: by wish, or for their size */
    bool large;         /* it has more chunks than the cache should be flooded with */
    bool bulk;          /* it moves enough for calls of its own */
    bool exact;         /* sets of its plan are certain to be what is defined */
};

/* One dataset's part in a read or a write. */
struct ts_sc_io {
    struct ts_sc_dset *dset;
    const struct ts_plan *plan; /* both selections */
    struct ts_xfer *xfer;       /* the application's buffer and the conversion; the caller finishes it afterwards */
    bool skip_io;               /* nothing to do */
    bool bypass;                /* its chunks are not kept */
    bool parallel; /* its elements may be moved by several threads at once: no callback of the application and no heap
                    * takes part, and no element of the buffer is named twice. Workers use ts_xfer_clone */
    /* The layout's, for decoding chunks in the way of this transfer; in a read bypass is set then. */
    const void *transfer;
    struct ts_sc_scale scale; /* the cache's */
};

/* The cache of a file, made when the first dataset asks for it. Settings come from the file access list. Never
 * exported. */
struct ts_sc *H5SC_create(struct ts_file *f, const struct ts_plist *fapl);
/* Frees everything, written or not. No dataset is open in it. */
void H5SC_destroy(struct ts_sc *cache);
/* With the order locks of all their datasets. All datasets are of the cache's file; one may come more than once, and is
 * served in the order of the array. Elements read with conversion may wait in io->xfer until ts_xfer_finish. */
int H5SC_read(struct ts_sc *cache, size_t count, struct ts_sc_io *io);
int H5SC_write(struct ts_sc *cache, size_t count, struct ts_sc_io *io);
/* A short cut for small datasets: elements of one that is a single chunk, not coded, at addr, go straight between file
 * and buffer. 1, or 0 when the cache has it: then nothing is done. */
int ts_sc_pass(struct ts_sc_io *io, haddr_t addr);
/* Everything that is dirty is on file, and in its index. Takes the order locks for reading, one at a time. A chunk that
 * cannot be encoded or written keeps only itself back: the rest is written, then this fails and names the dataset. The
 * chunk stays, and the next flush tries again. An error at once in a filter that is called for the file. */
int H5SC_flush(struct ts_sc *cache);
/* The same of one dataset, whose order lock the caller has. evict: nothing of it stays, unless it could not be written;
 * then he has it for writing. */
int H5SC_flush_dset(struct ts_sc_dset *dset, bool evict);
/* Whether closing the dataset should try to write what is dirty, to tell in time that this fails: it has failed before,
 * or filters of the application take part. */
bool ts_sc_dset_doubtful(struct ts_sc_dset *dset);
/* The disk format of a chunk as it is on file, after a flush of it when it is dirty. at is an answer, its udata freed
 * already. A buffer that is too small (*size) gets nothing; *size becomes what it takes. 1, or 0 when there is no such
 * chunk. */
int H5SC_direct_chunk_read(struct ts_sc_dset *dset, const hsize_t *scaled, struct ts_sc_stored *at, void *buf,
                           size_t *size);
/* bytes, size and note in at: the disk format as it is. What the cache has of that chunk is forgotten. */
int H5SC_direct_chunk_write(struct ts_sc_dset *dset, const hsize_t *scaled, const struct ts_sc_stored *at,
                            const void *buf);
/* The elements of a selection that are defined; the order of points stays. */
int H5SC_get_defined(struct ts_sc_dset *dset, const struct ts_space *file_space, struct ts_space **out);
/* They become undefined. An error in a layout that does not know which elements are defined. */
int H5SC_erase(struct ts_sc_dset *dset, const struct ts_space *file_space);
/* The extent changes from dset->dims to dims. Called with the order lock for writing, before the dataset's header and
 * index change, so that a chunk that cannot be read stops it in time: chunks at the edge are erased or refilled, and
 * made dirty when they will be coded in another way; chunks outside are forgotten (deleting them on disk is the index's
 * resize). From then on nothing of the dataset leaves the cache until ts_sc_dset_thaw, which makes room: call it
 * without the lock of the file. */
int H5SC_set_extent_notify(struct ts_sc_dset *dset, const hsize_t *dims);
void ts_sc_dset_thaw(struct ts_sc_dset *dset);
/* Another extent in which no chunk changes: no dimension is smaller, and chunks at the edge are coded as others are.
 * Also takes that back. Before the header and the index change, with the order lock for writing and without that of the
 * file. Nothing stays frozen. */
bool ts_sc_dset_grows(const struct ts_sc_dset *dset, const hsize_t *dims);
void ts_sc_dset_grow(struct ts_sc_dset *dset, const hsize_t *dims);

/* Enters a dataset; its file gets a cache when it has none. Asks layout_query. */
int ts_sc_dset_open(struct ts_sc_dset *dset, struct ts_file *f);
/* Whoever takes the order lock for writing says so. */
void ts_sc_dset_changes(struct ts_sc_dset *dset);
/* Forgets what it holds, dirty or not, after waiting for those who encode, load or flush some of it. Without its order
 * lock. Fine when it was not opened. */
void ts_sc_dset_close(struct ts_sc_dset *dset);
/* Other values of these three members. A reserve of its own is kept however many datasets there are: the budget grows
 * by it where it must. */
void ts_sc_dset_configure(struct ts_sc_dset *dset, size_t reserve, double w0, bool uncached);
/* Whether something must be written; whether it holds nothing at all. Quick; fine when it was not opened. */
bool ts_sc_dset_dirty(struct ts_sc_dset *dset);
bool ts_sc_dset_empty(struct ts_sc_dset *dset);
/* The file of a SWMR writer is looked at anew, with the order lock for writing: the extent is dims now, and the owner
 * finds chunks where they are now. Those in memory that may be others are forgotten. moving: a chunk that changes gets
 * another place, so those that have theirs stay. */
void ts_sc_dset_refresh(struct ts_sc_dset *dset, const hsize_t *dims, bool moving);
/* With the order lock for writing: forgets those of which the function says so, dirty or not; NULL: all. */
void ts_sc_dset_drop(struct ts_sc_dset *dset, bool (*which)(const hsize_t *scaled, const void *ctx), const void *ctx);

/* Settings and statistics of an open file; both as in H5Fpublic.h. A file without a cache yet remembers nothing: it
 * gets one. */
int ts_sc_configure(struct ts_file *f, const H5F_shared_chunk_cache_t *settings);
int ts_sc_settings(struct ts_file *f, H5F_shared_chunk_cache_t *out);
int ts_sc_stats(struct ts_file *f, H5F_chunk_cache_stats_t *out);
int ts_sc_reset_stats(struct ts_file *f);

#endif
