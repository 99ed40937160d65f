/* The metadata cache of a file: decoded structures by address. It knows no formats; a class says how to load one and
 * how to write it.
 *
 * An entry is shared by all who pin it. In a file that is open for writing a pin holds the file's lock (file/change.h),
 * so pin and unpin in one thread and never keep a pin across raw I/O or callbacks; inside a change a pinned structure
 * may be changed and made dirty. In a file open for reading, two threads that want the same entry load it once: the
 * second waits. No lock of the cache is held while loading. Loading one structure must not pin another. When nobody
 * changes the file what is loaded is found without a lock (still.c), and what leaves the cache while it is pinned stays
 * in memory until its last unpin.
 *
 * A SWMR reader follows a file that another process changes. Loading is tried again when it fails (file/retry.h), and
 * ts_clients_refresh makes all that was loaded stale: what is pinned from then on is as the file has it, or newer; what
 * is pinned already stays until its last unpin.
 *
 * Nothing dirty is written before a flush writes all of it. Flush dependencies order the writes: a parent is never
 * written while a child is dirty. */
#ifndef TS_META_META_H
#define TS_META_META_H

#include <stddef.h>
#include <stdint.h>

#include "H5ACpublic.h"
#include "file/file.h"
#include "file/retry.h"

struct ts_blocks;

struct ts_meta_class {
    const char *name;
    /* Reads and decodes the structure at addr; *bytes is what it holds in memory, for the cache's budget. arg is the
     * caller's, alive during the call only. */
    int (*load)(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes);
    void (*free)(void *obj);
    /* Appends its blocks as they are to stand in the file, each after those it points at. May be NULL in classes whose
     * entries are never dirty. */
    int (*encode)(struct ts_file *f, const void *obj, struct ts_blocks *out);
    /* Optional, before a flush encodes anything, children first: may allocate, move itself and dirty its parents. */
    int (*settle)(struct ts_file *f, void *obj);
    /* Before a change touches the structure, at most once in each: keeps (file/undo.h) what a change of it may touch,
     * but for large buffers, where whoever changes them does. NULL in classes whose entries never change. */
    int (*keep)(struct ts_file *f, void *obj);
    /* Optional, in classes that write more than they read: how many bytes are its own in the file, from its address on.
     * What does not lie in the file with all of them cannot be changed, for writing it would go over something else. */
    uint64_t (*extent)(const struct ts_file *f, const void *obj);
    /* What H5Fget_metadata_read_retry_info counts it as; retry_of, which may be NULL, tells it by what is loaded. */
    enum ts_retry_kind retry;
    enum ts_retry_kind (*retry_of)(const void *arg);
};

/* Gives the file a cache, which goes with the file. Fine when it has one. */
int ts_meta_attach(struct ts_file *f);

/* The decoded structure at addr, pinned until ts_meta_unpin. An address that holds an entry of another class is an
 * error: the file contradicts itself. */
int ts_meta_pin(struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr, const void *arg, void **obj);
void ts_meta_unpin(struct ts_file *f, haddr_t addr);
/* In a file open for reading that nobody changes: what this thread has pinned, as obj, is kept in the cache from now
 * on, for whatever thread pins it again in the end, once. False when the file is another, or the structure is on its
 * way out of the cache: it is pinned as before. */
bool ts_meta_keep(struct ts_file *f, haddr_t addr, const void *obj);
void ts_meta_repin(struct ts_file *f, haddr_t addr);

/* Changes; inside ts_change_begin/end, which undo all of them when the change fails. */

/* A new structure in space just allocated: dirty, and pinned by the caller. On failure obj stays the caller's. */
int ts_meta_insert(struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr, void *obj, size_t bytes);
/* The pinned structure at addr is about to be changed: keeps it as it is and makes it dirty. When that fails it must
 * not be touched. */
int ts_meta_edit(struct ts_file *f, haddr_t addr);
/* What it holds in memory now. */
void ts_meta_resize(struct ts_file *f, haddr_t addr, size_t bytes);
/* The structure exists no longer: it is never written, and freed with its last pin. Its space is the caller's to free.
 * Fine when it is not in the cache. */
void ts_meta_remove(struct ts_file *f, haddr_t addr);
/* The structure, which must be in the cache, stands at another address from now on and is dirty; pins and dependencies
 * follow (unpin by the new address). */
int ts_meta_move(struct ts_file *f, haddr_t from, haddr_t to);

/* The parent points at the child: it is not written while the child is dirty, and stays while it has dirty children.
 * The parent must be in the cache: whoever declares this has it pinned, or made it dirty in this change. The child need
 * not be: the cache lets nothing go that is dirty or has dirty children, so one that is gone is on file, with all below
 * it. Declared again it is the same dependency; a circle is refused. It ends when the child leaves the cache or is
 * removed, so declare it whenever a child is made dirty. */
int ts_meta_depend(struct ts_file *f, haddr_t parent, haddr_t child);
void ts_meta_undepend(struct ts_file *f, haddr_t parent, haddr_t child);
/* The child has another parent from now on. Fine when it is not in the cache. */
int ts_meta_adopt(struct ts_file *f, haddr_t from, haddr_t to, haddr_t child);

/* Until the release no commit is made; with the file's lock. For raw data that may go into the file at once as long as
 * nothing on file names it. */
void ts_meta_hold(struct ts_file *f);
void ts_meta_release(struct ts_file *f);

/* A flush (ts_file_flush) without the raw data that is kept in memory: no index names it. For those who have locks that
 * writing it waits for. */
int ts_meta_commit(struct ts_file *f);

/* Tests: every structure that a change pins is encoded before and after. When a change that fails does not put back
 * every byte of it, or one is changed without ts_meta_edit, the program ends. Only in builds with TS_MUTATIONS. */
extern bool ts_meta_watching;

/* One object more (+1) or less (-1) whose metadata only a flush by the application may write. Needs no lock. */
void ts_meta_cork(struct ts_file *f, int change);

/* What the cache holds and how often it had what was asked for. */
struct ts_meta_stats {
    size_t budget; /* unpinned entries go when the cache holds more bytes than this */
    size_t bytes, entries;
    size_t dirty_bytes, dirty_entries;
    uint64_t asked, found; /* since the last ts_meta_reset_rate */
};

void ts_meta_stats(struct ts_file *f, struct ts_meta_stats *out);
void ts_meta_reset_rate(struct ts_file *f);
/* The settings of the file's access list, or what ts_meta_configure set since. */
void ts_meta_config(struct ts_file *f, H5AC_cache_config_t *out);
/* Takes settings that make sense: max_size is the new budget. */
void ts_meta_configure(struct ts_file *f, const H5AC_cache_config_t *config);

#endif
