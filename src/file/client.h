/* What other rooms keep with an open file. A room that has something to keep is a client of the file: it attaches its
 * state to a slot of its own when it first has some, with a table of what it does when the file is flushed, changed and
 * closed. file/ asks the clients and knows nothing of them. */
#ifndef TS_FILE_CLIENT_H
#define TS_FILE_CLIENT_H

#include <stdatomic.h>
#include <stdbool.h>

struct ts_file;

/* The clients, in the order in which they write and, when the file is closed, go: each may need those behind it until
 * then. */
enum ts_client_slot {
    TS_CLIENT_DATASETS,        /* those that nobody has open and that have chunks in the cache: dataset/core_table.c */
    TS_CLIENT_CHUNKS,          /* the cache of chunks: chunk/shared_cache.c */
    TS_CLIENT_LINKS,           /* those of one group in the order of their names: group/dense.c */
    TS_CLIENT_HEAPS,           /* global heap collections with room: heap/global_heap.c */
    TS_CLIENT_OBJECTS,         /* those that somebody has open: object/open_objects.c */
    TS_CLIENT_EXTENSION,       /* what the superblock's extension says: container/space.c */
    TS_CLIENT_SHARED_MESSAGES, /* their indexes: object/sohm_table.c */
    TS_CLIENT_METADATA,        /* the metadata cache: meta/attach.c */
    TS_CLIENTS
};

/* What a client does. All but the last may be NULL. */
struct ts_client_ops {
    /* Of a flush. Without the file's lock: writes raw data that it keeps in memory, as much as it can. */
    int (*write_raw)(struct ts_file *f);
    /* Then, in TS_CLIENT_METADATA only: everything dirty goes into the file, as one commit. */
    int (*commit)(struct ts_file *f);
    /* Whether it has something to say about the file that can be known only once everything else has its place; and
     * saying it, after that commit and before one more. */
    bool (*unfinished)(struct ts_file *f);
    int (*finish)(struct ts_file *f);
    /* Of a change. Within the first one since ts_change_await. */
    int (*first_change)(struct ts_file *f);
    /* After the outermost one, in TS_CLIENT_METADATA only: makes room in memory. */
    int (*relieve)(struct ts_file *f);
    /* Of a SWMR reader: what was read is old. Asked in turned order, as each has read through those behind it. */
    void (*refresh)(struct ts_file *f);
    /* The file is closed: the state goes. Its driver is still there. */
    void (*drop)(struct ts_file *f, void *state);
};

struct ts_client {
    _Atomic(void *) state;
    _Atomic(const struct ts_client_ops *) ops; /* set after the state */
};

/* The state that the slot has from now on: when another thread was faster it is that one's, and the caller keeps what
 * it brought. It is there until the file is closed. */
void *ts_file_attach(struct ts_file *f, enum ts_client_slot slot, const struct ts_client_ops *ops, void *state);

/* Asks the clients. Those that can fail return a negative number when one of them has. */
int ts_clients_write_raw(struct ts_file *f);
int ts_clients_commit(struct ts_file *f);
bool ts_clients_unfinished(struct ts_file *f);
int ts_clients_finish(struct ts_file *f);
int ts_clients_first_change(struct ts_file *f);
int ts_clients_relieve(struct ts_file *f);
/* Only a SWMR reader's. Needs no lock. */
void ts_clients_refresh(struct ts_file *f);
void ts_clients_drop(struct ts_file *f);

#endif
