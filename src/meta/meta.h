/* The metadata cache of a file: decoded structures by address. It knows no formats; a class says how to load one.
 *
 * An entry is shared by all who pin it and must not be changed through this interface. Two threads that want the same
 * entry load it once: the second waits. No lock is held while loading. Loading one structure must not pin another. */
#ifndef TS_META_META_H
#define TS_META_META_H

#include <stddef.h>
#include <stdint.h>

#include "H5ACpublic.h"
#include "file/file.h"

struct ts_meta_class {
    const char *name;
    /* Reads and decodes the structure at addr; *bytes is what it holds in memory, for the cache's budget. arg is the
     * caller's, alive during the call only. */
    int (*load)(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes);
    void (*free)(void *obj);
};

/* Gives the file a cache, which goes with the file. */
int ts_meta_attach(struct ts_file *f);

/* The decoded structure at addr, pinned until ts_meta_unpin. An address that holds an entry of another class is an
 * error: the file contradicts itself. */
int ts_meta_pin(struct ts_file *f, const struct ts_meta_class *cls, haddr_t addr, const void *arg, void **obj);
void ts_meta_unpin(struct ts_file *f, haddr_t addr);

/* What the cache holds and how often it had what was asked for. */
struct ts_meta_stats {
    size_t budget; /* unpinned entries go when the cache holds more bytes than this */
    size_t bytes, entries;
    uint64_t asked, found; /* since the last ts_meta_reset_rate */
};

void ts_meta_stats(struct ts_file *f, struct ts_meta_stats *out);
void ts_meta_reset_rate(struct ts_file *f);
/* The settings of the file's access list, or what ts_meta_configure set since. */
void ts_meta_config(struct ts_file *f, H5AC_cache_config_t *out);
/* Takes settings that make sense: max_size is the new budget. */
void ts_meta_configure(struct ts_file *f, const H5AC_cache_config_t *config);

#endif
