/* Random changes of every kind to one file, through the public API only: built with either library, the same seed does
 * the same. What must be in the file is known from dumps (dump.h) that are taken where the workload says so.
 *
 * The elements of datasets are 64-bit numbers that say when they were written, into which dataset and at which place, so
 * that it can be told of any element whether it may stand where it stands. */
#ifndef TESTS_CRASH_WORKLOAD_H
#define TESTS_CRASH_WORKLOAD_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ITEMS = 120, MAX_SHRINKS = 400, PATH_SIZE = 64 };

enum item_kind { ITEM_GROUP, ITEM_CELLS, ITEM_VLEN, ITEM_TYPE, ITEM_LINK };

struct item {
    enum item_kind kind;
    char path[PATH_SIZE];
    unsigned oid; /* ITEM_CELLS */
    unsigned attributes;
};

/* Elements beyond an extent that became smaller, and erased ones, turn into fill values where they stand. */
struct shrink {
    unsigned oid;
    uint64_t tick;
};

/* No pointers: it is handed from a program of one library to one of the other as bytes. */
struct world {
    uint64_t random;
    uint64_t tick; /* writes of elements so far */
    unsigned next; /* number for names and datasets */
    unsigned n_items, n_shrinks;
    struct item items[MAX_ITEMS];
    struct shrink shrinks[MAX_SHRINKS];
};

enum {
    WORK_LATEST = 1,
    WORK_SMALL_CACHE = 2,
    WORK_PERSIST = 4,
    WORK_PAGES = 8,
    WORK_USERBLOCK = 16,
    WORK_APPEND = 32,
    WORK_SHARED = 64,
    WORK_SPARSE = 128, /* datasets are in structured chunks; not with stock libhdf5 */
    WORK_FAMILY = 512, /* the path is a pattern of members of WORK_MEMBER bytes */
    WORK_OVERWRITE = 1024, /* some datasets, of which elements are written over and over */
    WORK_SWMR = 256,   /* with SWMR readers, who see new objects too; not with stock libhdf5 */
    WORK_SHORT = 2048, /* addresses of 4 bytes */
};

#define WORK_MEMBER 8192 /* bytes of one, in a family */

/* What happened; marks are asked for after each. Between two calls of settled all that may be in the file is the state
 * at one of them; `flushed` says that this state is in the file for sure. */
struct work {
    struct world *world;
    const char *path;
    unsigned how; /* WORK_* */
    hid_t file;
    void (*settled)(struct work *w, bool flushed);
    void *ctx;
};

uint64_t cell(uint64_t tick, unsigned oid, uint64_t index);
uint64_t cell_tick(uint64_t value);
/* Whether a value was written into this dataset at this place, at whatever time; the fill value was at time 0. */
bool cell_belongs(uint64_t value, unsigned oid, uint64_t index);
#define CELL_ROW 64 /* places of a matrix count row by row of this length */

hid_t work_access(unsigned how);
/* Aborts on any error. Leaves the file open. */
void work_create(struct work *w);
void work_open(struct work *w);
void work_run(struct work *w, unsigned operations);
void work_close(struct work *w);

#endif
