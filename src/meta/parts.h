/* What the files of this folder share. */
#ifndef TS_META_PARTS_H
#define TS_META_PARTS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/lock.h"
#include "base/map.h"
#include "meta/meta.h"

/* A flush dependency, in the lists of both its ends. */
struct ts_meta_edge {
    struct ts_meta_entry *parent, *child;
    struct ts_meta_edge *next_parent, **at_parent; /* in child->parents */
    struct ts_meta_edge *next_child, **at_child;   /* in parent->children */
};

/* What every commit looks at stands first, in as few lines of the processor's cache as it can. */
struct ts_meta_entry {
    const struct ts_meta_class *cls;
    void *obj;
    struct ts_meta_entry *dirty_next, *dirty_prev;
    struct ts_meta_edge *parents, *children;
    bool loading, dirty, settled;
    bool may_go;        /* in the list by time of last use: not pinned, clean, no dirty children */
    bool in_doubt;      /* removed by a change that has not ended */
    atomic_bool in_use; /* of a still file: pinned since somebody looked for what may go */
    unsigned pins;      /* of a still file: those who keep it */
    uint32_t epoch;     /* when loading it began */
    haddr_t addr;
    uint64_t kept;                    /* the number of the change that last kept it */
    uint64_t walk;                    /* the last one that came here */
    struct ts_meta_edge *cursor;      /* of a walk: the edge to look at next */
    struct ts_meta_entry *stacked_on; /* of a walk */
    uint64_t above;                   /* the last flush that found it above something dirty */
    size_t bytes;
    unsigned dirty_children;
    struct ts_meta_entry *newer,
        *older; /* by last use; of a ghost, older is the next of those whose address nothing new has */
    /* Removed entries may still be pinned, by an address that a new entry can have. Then nobody knows whose a pin is:
     * the new one has the pins of all, and they live as long. */
    struct ts_meta_entry *ghost; /* those that share its pins */
#ifdef TS_MUTATIONS
    uint64_t watched; /* the number of the change that last watched it; watch.c */
#endif
};

enum { TS_META_RECENT = 16 };

struct ts_meta_still;

/* In a file that is open for writing the file's lock guards the table and its entries, in others the cache's own. */
struct ts_meta {
    struct ts_mutex lock; /* after the file's lock */
    pthread_cond_t loaded;
    pthread_cond_t released;
    struct ts_map entries;
    /* Of those that were asked for last; what leaves the table, or moves, leaves this too. */
    struct ts_meta_entry *recent[TS_META_RECENT];
    size_t bytes, dirty_bytes, dirty_entries;
    uint64_t asked, found;
    uint64_t walks;
    unsigned holds; /* no commit until there are none */
    atomic_uint corks;
    uint32_t epoch; /* entries of older ones are stale */
    H5AC_cache_config_t config;
    struct ts_meta_entry *newest, *oldest;
    struct ts_meta_entry *dirty_first, *dirty_last;
    struct ts_meta_entry *ghosts;
    struct ts_meta_still *still; /* of a file that does not change; NULL: of another */
};

static inline struct ts_meta *ts_meta_of(const struct ts_file *f)
{
    return ts_file_client(f, TS_CLIENT_METADATA);
}

static inline void ts_meta_lock(struct ts_file *f)
{
    if (!f->writable)
        ts_mutex_lock(&ts_meta_of(f)->lock);
}

static inline void ts_meta_unlock(struct ts_file *f)
{
    if (!f->writable)
        ts_mutex_unlock(&ts_meta_of(f)->lock);
}

/* still.c. NULL and an error when there is no memory. */
struct ts_meta_still *ts_meta_still_new(void);
void ts_meta_still_free(struct ts_meta_still *s);
/* This thread has one pin more, for what it finds at addr: NULL when that is not loaded, or has no place. */
struct ts_meta_entry *ts_meta_still_pin(struct ts_meta_still *s, haddr_t addr);
/* One less; true when there is something to reap. */
bool ts_meta_still_unpin(struct ts_meta_still *s);
void ts_meta_still_reap(struct ts_meta *meta);

/* The rest with the lock. */

/* The entry was loaded and can be found; is found no longer, and is freed when nobody can have it. */
void ts_meta_still_enter(struct ts_meta *meta, struct ts_meta_entry *e);
void ts_meta_still_leave(struct ts_meta *meta, struct ts_meta_entry *e);
void ts_meta_still_miss(struct ts_meta_still *s);
void ts_meta_still_stats(struct ts_meta_still *s, struct ts_meta_stats *out);
void ts_meta_still_reset_rate(struct ts_meta_still *s);

static inline struct ts_meta_entry **ts_meta_recent(struct ts_meta *meta, haddr_t addr)
{
    return &meta->recent[(addr >> 3 ^ addr >> 7) % TS_META_RECENT];
}

static inline struct ts_meta_entry *ts_meta_find(struct ts_meta *meta, haddr_t addr)
{
    struct ts_meta_entry **recent = ts_meta_recent(meta, addr);
    if (!*recent || (*recent)->addr != addr)
        *recent = ts_map_get(&meta->entries, addr);
    return *recent;
}

void ts_meta_set_dirty(struct ts_meta *meta, struct ts_meta_entry *e);
void ts_meta_set_clean(struct ts_meta *meta, struct ts_meta_entry *e);
static inline void ts_meta_lru_remove(struct ts_meta *meta, struct ts_meta_entry *e)
{
    *(e->newer ? &e->newer->older : &meta->newest) = e->older;
    *(e->older ? &e->older->newer : &meta->oldest) = e->newer;
    e->newer = e->older = NULL;
    e->may_go = false;
}

static inline void ts_meta_lru_add(struct ts_meta *meta, struct ts_meta_entry *e)
{
    e->older = meta->newest;
    e->newer = NULL;
    *(meta->newest ? &meta->newest->newer : &meta->oldest) = e;
    meta->newest = e;
    e->may_go = true;
}

/* Lets the entry go, or stay, as its state says now. */
static inline void ts_meta_reconsider(struct ts_meta *meta, struct ts_meta_entry *e)
{
    bool may_go = e->pins == 0 && !e->dirty && e->dirty_children == 0;
    if (may_go && !e->may_go)
        ts_meta_lru_add(meta, e);
    else if (!may_go && e->may_go)
        ts_meta_lru_remove(meta, e);
}

void ts_meta_entry_free(struct ts_meta_entry *e); /* with its ghosts */
void ts_meta_evict_oldest(struct ts_file *f);

/* Not during a change: what it looked at must be there when it is undone. */
static inline void ts_meta_shrink(struct ts_file *f)
{
    const struct ts_meta *meta = ts_meta_of(f);
    if (meta->bytes > meta->config.max_size && f->change.begun == 0)
        ts_meta_evict_oldest(f);
}
/* Takes the entry, which is clean, out of the table and its dependencies. */
void ts_meta_detach(struct ts_meta *meta, struct ts_meta_entry *e);
/* The child became dirty (+1) or clean (-1). */
void ts_meta_tell_parents(struct ts_meta *meta, struct ts_meta_entry *child, int change);
/* watch.c: sees that a change of the entry, which this thread has pinned, is undone to the last byte when it fails. */
#ifdef TS_MUTATIONS
void ts_meta_watch(struct ts_file *f, struct ts_meta_entry *e);
#else
static inline void ts_meta_watch(struct ts_file *f, struct ts_meta_entry *e)
{
    (void)f, (void)e;
}
#endif
/* Writes all if what is dirty has outgrown the budget: at the end of changes. Not while an object is corked, nor in the
 * file of a SWMR writer: its readers see what was flushed, and rows that are not there yet must not be said to be. */
int ts_meta_relieve(struct ts_file *f);
/* What a change drops it can go back to: negative, with some dropped, when there is no memory for that. */
int ts_meta_drop_edges(struct ts_file *f, struct ts_meta_entry *e);

#endif
