/* Open datasets. This folder knows the layouts and how elements get from storage into the user's memory; finding chunks
 * is index/'s, decoding them filter/'s, converting elements type/'s.
 *
 * Any number of threads may use one dataset at a time, through one handle or several. */
#ifndef TS_DATASET_DATASET_H
#define TS_DATASET_DATASET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "H5Dpublic.h"
#include "base/lock.h"
#include "chunk/shared_cache.h"
#include "file/change.h"
#include "filter/filter.h"
#include "index/chunk_index.h"
#include "object/object.h"
#include "plist/dcpl.h"
#include "plist/plist.h"
#include "space/space.h"
#include "type/conv.h"
#include "type/transform.h"
#include "type/type.h"

struct ts_chunk_picks;
struct ts_virtual;

enum { TS_DATASET_NAME = 256 }; /* bytes for what messages call a dataset */

struct ts_dataset_fill {
    H5D_alloc_time_t alloc_time;
    H5D_fill_time_t fill_time;
    H5D_fill_value_t state;
    uint8_t *element; /* the user's value as on disk; NULL when there is none */
};

/* Space in the file. */
struct ts_dataset_space {
    haddr_t addr;
    uint64_t size;
};

/* The type in memory of the last box (box_transfer.c). */
struct ts_dataset_mem_type {
    struct ts_type *type;       /* a reference, so that it does not change; or NULL */
    atomic_ulong generation;    /* ts_conv_generation */
    atomic_uintptr_t as_stored; /* the type, if its elements need no conversion; it and one if they do; 0 meanwhile */
};

/* Of an access list, for the chunk cache. */
struct ts_dataset_caching {
    bool told;
    size_t reserve;
    double w0;
    bool uncached;
};

/* What all handles of one dataset share. There is one for each dataset that is open, and for some that are not: a core
 * waits for the next handle as long as the cache has chunks of it, dirty ones too (core_table.c).
 *
 * Three locks. `io` keeps a writer apart from readers for as long as a transfer or a change of the extent takes; it is
 * taken before the file's lock (file/change.h), never while holding it. Chunks leave the cache without it: what storing
 * them changes is marked with `file`, and belongs to the file's lock. `lock` is held for a moment and guards what is
 * marked so; whoever has `io` for writing may also look at that without it. */
struct ts_dataset_core {
    unsigned refs; /* this and the next three belong to the table of cores */
    struct ts_dataset_core *next;
    struct ts_dataset_core *newer, *older; /* among those without references, or all of a still file */
    /* Of a still file instead of the first two: handles, and the table itself; the next in its table. */
    struct ts_count uses;
    struct ts_strangers strangers;
    _Atomic(struct ts_dataset_core *) beside;
    atomic_bool gone;        /* the dataset was deleted: nothing of it is written any more */
    struct ts_file *file;    /* borrowed: each handle keeps it open, and closing it drops the rest */
    haddr_t addr;            /* of the object header */
    struct ts_type *type;    /* as on disk, without the committed datatype it may be */
    haddr_t committed;       /* object header of that datatype, or HADDR_UNDEF */
    struct ts_layout layout; /* file: where chunks are. io: where contiguous data are, and compact data */
    atomic_bool allocated;   /* layout.addr is defined */
    atomic_bool swmr_header; /* the header is known to be of a kind that SWMR readers can follow */
    struct ts_pipeline pipeline;
    struct ts_pipeline_sections sections; /* of structured chunks, which have no other filters */
    bool filtered;                        /* any of these */
    struct ts_type *chunk_type;           /* of elements in structured chunks; NULL: as on disk */
    struct ts_dataset_fill fill;
    struct ts_efl external;
    unsigned rank;
    hsize_t max_dims[H5S_MAX_RANK];
    uint64_t chunk_bytes;    /* of a decoded chunk; of a structured one, if all its elements were defined */
    uint64_t chunk_elements; /* of structured chunks */
    _Atomic(struct ts_chunk_index *) index; /* opened when first needed */
    struct ts_chunk_index *retired;     /* the one before, which another thread may still look at (format_convert.c) */
    struct ts_chunk_picks *picks;       /* lock: the chunks of the selection that was last asked for, or NULL */
    struct ts_sc_dset sc;               /* its chunks in the cache; not opened when the layout has none */
    struct ts_dataset_mem_type last[2]; /* of a read, of a write. Changed with lock */
    atomic_uint writing;                /* chunks that have a place and are on their way to it */
    struct ts_dataset_space *left;      /* file: when gone, what must not be free while there are such */
    size_t n_left, left_capacity;
    struct ts_rwlock io;
    struct ts_mutex lock;
    /* lock: the access list of the first of the application's handles, NULL when there are none. */
    struct ts_plist *access;
    /* lock: while it is open, the list it was made with, if the application has anything in it. */
    struct ts_plist *made_with;
    struct ts_dataset_caching caching; /* lock: what the cache was told last */
    bool made_here;                    /* lock: it was made, not opened, and some handle was there ever since */
    unsigned n_access;                 /* lock: handles of the application */
    char *name;                        /* lock: the path by which it was opened last, for messages; NULL: not known */
    struct ts_space *space; /* lock. Changed only while nobody else has a reference: take one with ts_dataset_space */
};

/* Its chunks are in an index. */
static inline bool ts_dataset_is_indexed(const struct ts_dataset_core *core)
{
    return core->layout.cls == H5D_CHUNKED || core->layout.cls == H5D_STRUCT_CHUNK;
}

/* A handle: what an H5D id stands for. */
struct ts_dataset {
    struct ts_object base;
    struct ts_dataset_core *core;
    struct ts_type *type; /* as on disk */
    struct ts_plist *dapl;
    bool counted;               /* in the core's n_access */
    struct ts_virtual *virtual; /* NULL for other layouts */
    /* The core's lock. The extent that a virtual dataset's sources give, in this handle's view. */
    struct ts_space *shown;
};

/* An error in a filter that is called for a chunk of the same file: this thread has such a lock already, or others wait
 * for the chunk while they have the lock. */
int ts_dataset_core_refuse(struct ts_dataset_core *core);

/* Nothing to lock in a file where nothing changes. */
static inline int ts_dataset_core_lock_read(struct ts_dataset_core *core)
{
    if (ts_filter_runs_for(core->file))
        return ts_dataset_core_refuse(core);
    if (!ts_file_changes(core->file))
        return 0;
    ts_rwlock_read(&core->io);
    ts_raw_work_begin(core->file);
    return 0;
}

static inline int ts_dataset_core_lock_write(struct ts_dataset_core *core)
{
    if (ts_filter_runs_for(core->file))
        return ts_dataset_core_refuse(core);
    if (!ts_file_changes(core->file))
        return 0;
    ts_rwlock_write(&core->io);
    ts_raw_work_begin(core->file);
    ts_sc_dset_changes(&core->sc);
    return 0;
}

static inline void ts_dataset_core_unlock(struct ts_dataset_core *core)
{
    if (!ts_file_changes(core->file))
        return;
    ts_raw_work_end(core->file);
    ts_rwlock_unlock(&core->io);
}

/* Contracts: the calling thread has the lock, or there is none. */
#define TS_CORE_HELD(core) TS_ASSERT(!ts_file_changes((core)->file) || ts_lock_held(&(core)->io))
#define TS_CORE_HELD_ALONE(core) TS_ASSERT(!ts_file_changes((core)->file) || ts_lock_held_alone(&(core)->io))

/* The core of the dataset at an address, loaded if there is none yet. */
int ts_dataset_core_open(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out);
/* NULL is fine. When the dataset has been read or written, without the file's lock. */
void ts_dataset_core_unref(struct ts_dataset_core *core);
/* The dataset is being deleted, inside a change: nothing of it is wanted any more. *busy is the core when chunks are on
 * their way to places that the dataset has in the file, else NULL: its space must stay until they are there. */
int ts_dataset_core_forget(struct ts_file *f, haddr_t addr, struct ts_dataset_core **busy);
/* For those who hold the file's lock: what the header says, as a core that nobody shares, without chunks in memory. */
int ts_dataset_core_peek(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out);
void ts_dataset_core_drop(struct ts_dataset_core *core);
/* The same without the file's lock, which a SWMR reader has none of: as the file is now, and an index that is opened in
 * it later is not older than the header. */
int ts_dataset_core_peek_anew(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out);
/* What a dataset without filters is made of. The type is not committed, nobody changes the space any more; the layout
 * is taken over, also on failure. */
struct ts_dataset_parts {
    struct ts_type *type;
    struct ts_space *space;
    struct ts_layout *layout;
    struct ts_fill_msg fill;
};
/* Of a dataset whose header is made in this change: as the header would say. Nobody else has it before it is entered in
 * the table, where it has one reference then; on failure it is the caller's to drop. */
int ts_dataset_core_of(struct ts_file *f, haddr_t addr, struct ts_dataset_parts *parts, struct ts_dataset_core **out);
int ts_dataset_core_enter(struct ts_dataset_core *core);
/* For contracts: it is as the header says. */
bool ts_dataset_core_agrees(const struct ts_dataset_core *core);
/* What messages call it. */
void ts_dataset_core_describe(struct ts_dataset_core *core, char *text, size_t size);
/* Writes the chunks that wait in memory. Without locks. */
int ts_dataset_write_waiting(struct ts_dataset_core *core);
/* The same of the object at an address, which need not be a dataset. */
int ts_dataset_write_waiting_at(struct ts_file *f, haddr_t addr);
/* The extent, as a reference. */
struct ts_space *ts_dataset_core_space(struct ts_dataset_core *core);
int ts_dataset_core_index(struct ts_dataset_core *core, struct ts_chunk_index **out); /* borrowed */
/* In an extent of these dims: whether it reaches over the edge; such chunks may be left unfiltered. */
bool ts_dataset_core_chunk_partial(const struct ts_dataset_core *core, const hsize_t *dims, const hsize_t *scaled);
bool ts_dataset_core_chunk_filtered(const struct ts_dataset_core *core, const hsize_t *dims, const hsize_t *scaled);
/* Makes it a client of the file's cache, when its layout has chunks. It needs no lock. */
int ts_dataset_core_join_cache(struct ts_dataset_core *core);

/* Storage of an open dataset; storage.c. With the lock for writing. */

/* Makes the storage that is not there yet: that of a contiguous dataset, the chunk index, all chunks when the
 * allocation time is not incremental; fill values go into it as the fill time says. overwritten: what comes next covers
 * all of it, so nothing needs filling, and the header does not say so before ts_dataset_enter_storage. Does nothing
 * when there is some. Not inside a change. */
int ts_dataset_allocate(struct ts_dataset_core *core, bool overwritten);
/* Contiguous storage that was allocated to be overwritten has been: the header says where it is. */
int ts_dataset_enter_storage(struct ts_dataset_core *core);
/* Or that failed: it is not there, or, when parts of it are in memory, shows fill values. Without an error. */
void ts_dataset_unallocate(struct ts_dataset_core *core);
/* n elements as on disk with the fill value, zeros when there is none. Each has its own variable-length data. */
int ts_dataset_fill_elements(struct ts_dataset_core *core, size_t n, void *buf);
/* New chunks and new contiguous storage begin with fill values. */
bool ts_dataset_fills(const struct ts_dataset_core *core);
/* Brings core->layout into the object header (compact data included), with the index's own part of it and its flush
 * dependency. Inside a change. */
int ts_dataset_store_layout(struct ts_dataset_core *core);

/* What release 1.8 reads: chunks in a B-tree of version 1. */
int ts_dataset_format_convert(struct ts_dataset *d);
/* extent.c: other current dimensions, as H5Dset_extent. */
int ts_dataset_set_extent(struct ts_dataset *d, const hsize_t *dims);
/* Grows to these where they are larger, as H5Dextend. */
int ts_dataset_extend(struct ts_dataset *d, const hsize_t *dims);

/* refresh.c: in the file of a SWMR writer, all handles of the dataset see it as it is now. Nothing to do in others.
 * Without locks. */
int ts_dataset_refresh(struct ts_dataset *d);

/* To be asked before a handle goes, without locks: an error when it is the dataset's last and chunks cannot be written.
 * Chunks that have failed before, and those with filters of the application, are tried for that; the others wait. The
 * handle can go all the same: what could not be written stays, and the next flush tries again. */
int ts_dataset_close_status(struct ts_dataset *d);

/* For the application. dapl may be NULL: the default list. */
int ts_dataset_open(const struct ts_loc *loc, const char *path, struct ts_plist *dapl, struct ts_dataset **out);
/* For the library itself: the dataset of another, or what is to be copied. */
int ts_dataset_open_aside(const struct ts_loc *loc, const char *path, struct ts_plist *dapl, struct ts_dataset **out);
/* Those of a dataset that is made. */
struct ts_dataset_lists {
    struct ts_plist *access;    /* NULL: the default list */
    struct ts_plist *made_with; /* as ts_dataset_made */
};
/* The access list that the application's first handle was opened with; a reference. */
struct ts_plist *ts_dataset_first_access(const struct ts_dataset *d);
/* The list it was made with, or the default one: what is not on file is as there. A reference. */
struct ts_plist *ts_dataset_made_with(const struct ts_dataset *d);
/* For a new dataset; with: the list it was made with, NULL when the application has nothing in it. */
void ts_dataset_made(struct ts_dataset *d, struct ts_plist *with);
/* The same for one that was not opened, but is made of these parts. The caller's change is the one that makes it. */
int ts_dataset_open_made(const struct ts_loc *loc, const char *path, const struct ts_dataset_lists *lists,
                         struct ts_dataset_parts *parts, struct ts_dataset **out);
bool ts_dataset_made_here(const struct ts_dataset *d);

static inline struct ts_dataset *ts_dataset_ref(struct ts_dataset *d)
{
    ts_object_ref(&d->base);
    return d;
}

static inline void ts_dataset_unref(struct ts_dataset *d)
{
    ts_object_unref(d ? &d->base : NULL);
}

static inline struct ts_file *ts_dataset_file(const struct ts_dataset *d)
{
    return d->base.loc.fh->file;
}

/* Registers datasets as a kind of object. */
void ts_dataset_init_kind(void);

/* The extent, as a reference; it must not be changed. That of a virtual dataset follows its sources. */
int ts_dataset_space(struct ts_dataset *d, struct ts_space **out);
/* The datatype as programs see it. */
int ts_dataset_memory_type(const struct ts_dataset *d, struct ts_type **out);
int ts_dataset_create_plist(struct ts_dataset *d, struct ts_plist **out);
int ts_dataset_access_plist(struct ts_dataset *d, struct ts_plist **out);

/* Storage. */
bool ts_dataset_allocated(const struct ts_dataset *d);
int ts_dataset_storage_size(struct ts_dataset *d, hsize_t *out);
int ts_dataset_space_status(struct ts_dataset *d, H5D_space_status_t *out);
haddr_t ts_dataset_offset(const struct ts_dataset *d);

/* defined.c: a copy of the selection (file NULL: of the extent) with those elements only that are defined: all, unless
 * the dataset is sparse, or virtual: then those that are in a source. */
int ts_dataset_get_defined(struct ts_dataset *d, const struct ts_space *file, struct ts_space **out);
/* They become undefined; file NULL: all. An error unless the dataset is sparse, or virtual and all sources that have
 * some of them are: then nothing is erased anywhere. */
int ts_dataset_erase(struct ts_dataset *d, const struct ts_space *file);

/* Reading and writing. */
struct ts_transfer_options {
    bool write;
    struct ts_conv_env env; /* its source and its sink are set by the transfer */
    struct ts_filter_options filter;
    size_t buffer_hint;
    struct ts_transform *transform; /* NULL: none */
};

/* Elements that the cache has of a dataset are those that the file has once it is flushed; variable-length elements and
 * compact data are in the file at once. */

/* file NULL: the whole extent. mem NULL: like the file selection, or with file NULL the whole extent too. */
int ts_dataset_read(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_space *mem,
                    const struct ts_space *file, const struct ts_transfer_options *options, void *buf);

/* A short cut for one box, between one run of memory and a chunk that the cache has, without conversion, with the
 * default transfer list. The spaces may be those of ids. buf is not changed by a write. 1; or 0 when it is not of this
 * kind: then nothing is done. */
int ts_dataset_move_box(struct ts_dataset *d, struct ts_type *mem_type, struct ts_space *mem, struct ts_space *file,
                        bool write, void *buf);

/* One dataset's part in a transfer of many. */
struct ts_dataset_part {
    struct ts_dataset *d;
    const struct ts_type *mem_type;
    const struct ts_space *mem, *file; /* as above */
    void *buf;                         /* not changed by a write */
    hid_t mem_type_id, type_id;        /* for callbacks, as src_id and dst_id of the env; 0: as options->env has it */
};
/* options->write says which way. Everything that can be wrong with a part is found before data move. */
int ts_dataset_transfer_part(struct ts_dataset_part *part, const struct ts_transfer_options *options);
int ts_dataset_transfer_multi(struct ts_dataset_part *parts, size_t n, const struct ts_transfer_options *options);
/* Leaves in the transfer list what it then says of the transfer (ts_dxpl_tell_io). */
void ts_dataset_tell_io(struct ts_plist *dxpl, const struct ts_dataset_part *parts, size_t n);
/* The bytes of the chunk that begins at offset, as stored. */
/* *size: the room in buf, and then what the chunk takes; more than there is room for, nothing is read. */
int ts_dataset_read_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t *filter_mask, void *buf, size_t *size);
int ts_dataset_write_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t filter_mask, size_t size,
                           const void *buf);

#endif
