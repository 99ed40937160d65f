/* Decoded chunks of datasets, kept in memory so that many small reads and writes of a chunk decode it once and encode it
 * once. This folder knows no layout and no format: a class says how to load a chunk and how to store it.
 *
 * Each file has one cache with one budget; each dataset has its set of chunks in it. Whoever uses chunks of a set holds the
 * set's lock, which is the dataset's: many readers or one writer. A dirty chunk is stored only by someone who has that
 * lock for writing: a writer of the dataset, one of another that needs room and finds the lock free, or a flush. The
 * cache's own lock is held for a moment only, never while loading or storing. */
#ifndef TS_CHUNK_CACHE_H
#define TS_CHUNK_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Spublic.h"
#include "base/map.h"
#include "file/file.h"

struct ts_chunk_cache;
struct ts_chunk_set;
struct ts_chunk;

struct ts_chunk_class {
    /* The content as it is stored, or the fill value where nothing is: *bytes from ts_malloc. arg is that of the pin. */
    int (*load)(void *owner, const hsize_t *scaled, const void *arg, void **bytes);
    int (*store)(void *owner, const struct ts_chunk *c);
};

struct ts_chunk {
    uint8_t *bytes;
    struct ts_chunk_set *set;
    hsize_t *scaled; /* behind the struct */
    size_t from, to; /* when dirty: the bytes outside are as they were stored */
    /* The cache's. */
    uint64_t key, used;
    struct ts_chunk *same_key, *newer, *older;
    unsigned pins;
    bool loading, dirty;
};

struct ts_chunk_set {
    struct ts_chunk_cache *cache;
    const struct ts_chunk_class *cls;
    void *owner;
    pthread_rwlock_t *lock; /* not used in a file that is open for reading only */
    unsigned rank;
    size_t chunk_bytes;
    /* The cache's lock guards the rest. */
    struct ts_map chunks;
    struct ts_chunk *spent; /* the one read whole last */
    struct ts_chunk *done;  /* the one whose end was written last */
    size_t n_dirty;
    unsigned visitors; /* flushes on their way to it */
    uint64_t visited;  /* the flush that was here last */
    struct ts_chunk_set *next, *prev;
};

/* owner, lock and cls are borrowed. The set's other members are filled in before: cls, owner, lock, rank, chunk_bytes. */
int ts_chunk_set_open(struct ts_chunk_set *set, struct ts_file *f);
/* Forgets what it holds, dirty or not. Nobody else may use the set, but another dataset's writer or a flush may be
 * storing some of it: this waits for them. Fine when the set was not opened. */
void ts_chunk_set_close(struct ts_chunk_set *set);

enum ts_chunk_want {
    TS_CHUNK_FIND,  /* only if it is there */
    TS_CHUNK_LOAD,  /* loaded if it is not */
    TS_CHUNK_BLANK, /* not loaded: the caller writes all of it. Zeros when it was not there */
};

/* 1 and *out, in use until ts_chunk_unpin; 0 when it is not there; negative on error. *fresh, which may be NULL, tells
 * whether a blank one was made. */
int ts_chunk_pin(struct ts_chunk_set *set, const hsize_t *scaled, enum ts_chunk_want want, const void *arg,
                 struct ts_chunk **out, bool *fresh);

enum {
    TS_CHUNK_DIRTY = 1, /* all of it may have changed; needs the set's lock for writing */
    TS_CHUNK_SPENT = 2, /* all of it was read: it goes before others */
    TS_CHUNK_DROP = 4,  /* its content is of no use */
    TS_CHUNK_DONE = 8,  /* with DIRTY: its end was written, so most likely nothing more is; it is stored before others */
};

/* What is too much leaves the cache. Stores only after a change; a failure to store is reported, the chunk that could
 * not be stored stays. */
int ts_chunk_unpin(struct ts_chunk *c, unsigned flags);
/* With TS_CHUNK_DIRTY among the flags, when only [from, to) was changed. */
int ts_chunk_unpin_changed(struct ts_chunk *c, size_t from, size_t to, unsigned flags);

/* Quick answer to whether it holds any chunk at all; for the set's users. */
bool ts_chunk_set_empty(struct ts_chunk_set *set);
/* Whether something must be stored. False also for a set that was not opened. */
bool ts_chunk_set_dirty(struct ts_chunk_set *set);
/* With the set's lock for writing: stores all that are dirty. They stay. */
int ts_chunk_set_store(struct ts_chunk_set *set);
/* With the set's lock for writing: forgets those of which the function says so, dirty or not; NULL: all. */
void ts_chunk_set_drop(struct ts_chunk_set *set, bool (*which)(const hsize_t *scaled, const void *ctx), const void *ctx);

/* Bytes that the cache of a file may keep; the default is 64 MiB. For tests. */
void ts_chunk_cache_set_budget(struct ts_chunk_cache *cache, size_t bytes);

#endif
