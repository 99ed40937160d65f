/* The open file: one struct ts_file per file on disk however often it is opened, one ts_fhandle per H5Fopen. */
#ifndef TS_FILE_FILE_H
#define TS_FILE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Fpublic.h"
#include "H5public.h"
#include "base/count.h"
#include "base/lock.h"
#include "base/process.h"
#include "driver/driver.h"
#include "file/client.h"
#include "file/undo.h"
#include "format/superblock.h"

struct ts_access;
struct ts_alloc;
struct ts_mount;
struct ts_overlay;
struct ts_plist;
struct ts_retries;

/* Single writer, many readers (SWMR): the file is written here while others read it, or read here while another writes
 * it (file/swmr.c). */
enum ts_swmr { TS_SWMR_OFF, TS_SWMR_WRITER, TS_SWMR_READER };

/* Among the files that are open here. file.c guards it. */
struct ts_file_entry {
    struct ts_driver_identity identity;
    unsigned long serial; /* H5Fget_fileno */
    struct ts_file *next;
    unsigned char stage; /* opening, open, closing */
    atomic_uint claims;  /* handles that hold to the close degree: all but those of virtual datasets */
};

/* What its handles have in common, however often it is opened. file.c, handle.c, bounds.c */
struct ts_file_agreed {
    struct ts_mutex lock;                     /* one of them sets the file up, or adds to this; the others wait */
    _Atomic(struct ts_access *) access;       /* what binds any of them, ever; NULL: nothing. Those before stay in it */
    _Atomic(H5F_close_degree_t) close_degree; /* never H5F_CLOSE_DEFAULT; the application's first handle says it */
    atomic_int low_bound;                     /* the H5F_libver_t of fapl: every change of metadata asks for it */
    atomic_bool no_attrs_hint;                /* H5Fset_dset_no_attrs_hint */
};

/* Other processes that may have the file. swmr.c */
struct ts_file_others {
    uint64_t process; /* that opened it (ts_process); one that was forked from that may read it, no more */
    bool sworn_alone; /* the application says that nobody else has it: ts_file_sworn_alone */
    bool locked;      /* against them, as far as the driver can */
    bool life;        /* the driver's lock of life is ours: this process is the SWMR writer for as long as it lives */
    struct ts_retries *retries; /* of a SWMR reader; retry.h */
};

/* Files that are mounted on groups of this one. mount.c guards them. */
struct ts_file_mounts {
    struct ts_mount *first;
    atomic_uint n;
    atomic_bool renamed; /* one changed the names of objects of this file, now or before */
};

/* Whose turn it is to change the file. change.h; nothing in files that are open for reading only */
struct ts_file_change {
    struct ts_mutex lock;    /* its owner may take it again */
    _Atomic pthread_t owner; /* the thread that has it; 0: none */
    unsigned depth;          /* how often it has */
    unsigned begun;          /* and not ended */
    bool awaited;            /* a client has something to do in the next one (ts_change_await) */
};

/* What is in the file, and what the next commit must say anew. commit.c, mark.c */
struct ts_file_commits {
    struct ts_superblock stored; /* as it is in the file; all 0 in a new one */
    bool half_written;     /* as it was opened: its superblock was marked by a commit on its way (ts_superblock_mark) */
    bool reparted, joined; /* its members were made anew, or put together: what it says of them changes */
    uint32_t journals;     /* commits that had one */
    struct ts_mutex mark_lock; /* guards writing the mark of an open file */
    atomic_bool marked;        /* as open for writing, or its superblock has no room for that */
    atomic_bool closing;       /* the flush that runs is the last */
};

/* What of it the disk has. durability.c */
struct ts_file_sync {
    _Atomic(H5F_durability_t) level; /* never H5F_DURABILITY_DEFAULT; grows when the file is opened again for more */
    atomic_bool unsynced;            /* something was written since the last barrier began */
    bool unsynced_end;               /* what was behind the end went since then. With the file's lock */
};

/* Where there are bytes in the driver, and what is read on top of them. io.c, write.c, overlay.h. Addresses are
 * absolute. */
struct ts_file_bytes {
    _Atomic haddr_t physical; /* behind it the driver has no bytes, and those up to the file's end are zeros */
    _Atomic haddr_t tail; /* the driver's end when it is behind `physical`: zeros lie between them, or dead journals */
    _Atomic haddr_t dead; /* before this there are none of those */
    _Atomic haddr_t fresh_from; /* nothing on file points behind this; HADDR_UNDEF: nobody knows. alloc.c keeps it */
    _Atomic(struct ts_overlay *) overlay; /* a metadata cache image, or what a journal has, or NULL */
    struct ts_overlay *past_overlay;      /* one that a commit has put in place; readers may still look at it */
};

/* Small raw data that goes into the file together. gather.h */
struct ts_file_gathered {
    struct ts_mutex lock;
    _Atomic size_t bytes; /* that wait; 0: none */
    haddr_t addr;         /* where they go, absolute */
    uint8_t *buf;         /* NULL before the first */
};

/* What waits in memory, and the room there is for it on disk. room.c */
struct ts_file_room {
    _Atomic size_t raw_waiting;     /* about how many bytes of raw data are not in the file yet; chunk/ keeps it */
    _Atomic haddr_t enough_for;     /* so much may wait before the room is looked at again */
    _Atomic haddr_t full, full_for; /* the room when it was last too small, and for how much */
};

struct ts_file {
    atomic_uint refs;
    char *name;
    unsigned flags; /* H5F_ACC_* it was opened with */
    bool writable;
    _Atomic(enum ts_swmr) swmr; /* a writer may become one late; a reader is one from the start */
    atomic_bool broken;         /* a commit failed half-way, or the disk did not take it: nothing more is written */
    struct ts_driver *driver;
    struct ts_superblock sb;
    _Atomic haddr_t end;                  /* first address behind what is allocated, relative to the base address */
    struct ts_plist *fapl;                /* the file's own copy, as is the next */
    struct ts_plist *fcpl;                /* what it was created with; NULL when it was opened */
    struct ts_client clients[TS_CLIENTS]; /* what other rooms keep with it */
    /* The rest is for the files of this folder that each of them names. */
    struct ts_file_entry entry;
    struct ts_file_agreed agreed;
    struct ts_file_others others;
    struct ts_file_mounts mounts;
    struct ts_file_change change;
    struct ts_undo undo; /* what a change that fails goes back to */
    struct ts_file_commits commits;
    struct ts_file_sync sync;
    struct ts_file_bytes bytes;
    struct ts_file_gathered gathered;
    struct ts_file_room room;
    struct ts_alloc *alloc; /* which space is free; alloc.h */
};

/* What a client has attached, or NULL. */
static inline void *ts_file_client(const struct ts_file *f, enum ts_client_slot slot)
{
    return atomic_load_explicit(&f->clients[slot].state, memory_order_acquire);
}

/* Whether there is a change to go back from (undo.h); false while that is being done. */
static inline bool ts_undo_keeps(const struct ts_file *f)
{
    return f->undo.begin > 0 && !f->undo.going_back;
}

#define TS_FHANDLE_MOUNTS (1L << 62)

/* What an H5F id stands for. */
struct ts_fhandle {
    struct ts_count refs; /* with TS_FHANDLE_MOUNTS while mounts have some */
    struct ts_file *file;
    char *name; /* as given to H5Fopen */
    unsigned flags;
    struct ts_access *access; /* which files may be opened because this one names them; NULL: any */
    struct ts_mount *mount;   /* of this handle on another, or NULL; mount.c guards it */
    unsigned held;            /* those of the references that mounts have; so is this */
    bool by_link;             /* an external link led to it */
    bool claims;              /* the file's close degree is the one that was asked for */
};

int ts_file_open(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_file **out);
/* The low bound of the file's access list. What 1.12 and 1.14 could write, 1.10 is left to read: their bounds are that
 * of 1.10. */
static inline H5F_libver_t ts_file_low_bound(const struct ts_file *f)
{
    int low = atomic_load_explicit(&f->agreed.low_bound, memory_order_relaxed);
    return low > H5F_LIBVER_V110 && low < H5F_LIBVER_V200 ? H5F_LIBVER_V110 : (H5F_libver_t)low;
}
int ts_file_set_low_bound(struct ts_file *f, H5F_libver_t low);
/* A fork left it to two processes: it is more than a copy in memory. */
bool ts_file_shared_by_fork(const struct ts_file *f);
/* The error of ts_file_check_process. */
int ts_file_refuse_inherited(const struct ts_file *f);
/* This process was forked from the one that opened the file. Memory is its own then, the file is not: what it would
 * write is the parent's to write, and closing the file does nothing but close it. */
static inline bool ts_file_inherited(const struct ts_file *f)
{
    return f->others.process != ts_process() && ts_file_shared_by_fork(f);
}
/* An error when the file is inherited. */
static inline int ts_file_check_process(const struct ts_file *f)
{
    return ts_file_inherited(f) ? ts_file_refuse_inherited(f) : 0;
}
/* From now on SWMR readers may open and follow the file. All objects are in the file when this returns. */
int ts_file_start_swmr(struct ts_file *f);
/* A new file that has nothing in it; nothing is on disk before its first commit. Its root group is the caller's to
 * make. The list of creation properties is not kept. With neither H5F_ACC_TRUNC nor H5F_ACC_EXCL it must be there and
 * be empty. */
int ts_file_create(const char *name, unsigned flags, struct ts_plist *fcpl, struct ts_plist *fapl,
                   struct ts_file **out);
/* 1 when the name opens and has a signature, 0 when it opens and has none, negative when it does not open. */
int ts_file_is_hdf5(const char *name, struct ts_plist *fapl);
/* Checks the stored end of file against the real one: at opening, or later when the driver must first learn its
 * members from the superblock's extension. */
int ts_file_check_end(struct ts_file *f);
/* Raw data and metadata are in the file when this returns. */
int ts_file_flush(struct ts_file *f);
/* Flushes when there may soon be no room on disk for what waits in memory. Fails until it is there. */
int ts_file_relieve_disk(struct ts_file *f);
/* There is room on the disk for what waits and `size` bytes besides. */
bool ts_file_may_wait(struct ts_file *f, size_t size);
/* The bytes that make up the file, without a user block, as they are once everything is flushed. buf may be NULL. */
int ts_file_image(struct ts_file *f, size_t capacity, void *buf, size_t *size);
/* Removes a file that is not open here. */
int ts_file_delete(const char *name, struct ts_plist *fapl);
void ts_file_ref(struct ts_file *f);
/* The last one flushes and closes the file. What cannot be written then is lost, and owed (ts_err_owe). */
void ts_file_unref(struct ts_file *f);

/* One more handle of the application wants this degree, H5F_CLOSE_DEFAULT being weak. The first decides. */
int ts_file_claim(struct ts_file *f, H5F_close_degree_t degree);
void ts_file_disclaim(struct ts_file *f);

/* Takes over the reference to the file, also on failure. It is bound as all handles of the file are together. */
int ts_fhandle_new(struct ts_file *file, const char *name, unsigned flags, struct ts_fhandle **out);
/* The same for a file that was opened or made with a list, and for one more handle like another. */
int ts_fhandle_new_with(struct ts_file *file, const char *name, unsigned flags, struct ts_plist *fapl,
                        struct ts_fhandle **out);
int ts_fhandle_again(const struct ts_fhandle *fh, struct ts_fhandle **out);
void ts_fhandle_ref(struct ts_fhandle *fh);
void ts_fhandle_unref(struct ts_fhandle *fh);
/* The same when the application closes the file: what it has written is flushed, though others may keep the file open.
 * A failure is owed. */
void ts_fhandle_close(struct ts_fhandle *fh);

/* Addresses in the file's structures are relative to its base address; these add it and check the end of file. */
int ts_file_read(struct ts_file *f, haddr_t addr, size_t size, void *buf);
int ts_file_readv(struct ts_file *f, const struct ts_io_vec *v, size_t n);
/* As much as there is from addr on, at most size bytes: for structures whose length is inside them. */
int ts_file_read_some(struct ts_file *f, haddr_t addr, size_t size, void *buf, size_t *got);
/* Raw data: into fresh space, where small pieces of it wait for each other (gather.h), or over data that may be torn by
 * a crash. Needs no lock. */
int ts_file_write(struct ts_file *f, haddr_t addr, size_t size, const void *buf);
int ts_file_writev(struct ts_file *f, const struct ts_io_out *v, size_t n);
/* What waits in memory of raw data, small pieces too, goes into the file as far as it can. */
int ts_file_write_waiting(struct ts_file *f);
/* True when [addr, addr + size) lies inside the file; a SWMR reader's file may have grown, and is looked at again. */
bool ts_file_has(struct ts_file *f, haddr_t addr, uint64_t size);
/* The space lies behind what the file has on disk: it reads as zeros once something behind it is written. */
bool ts_file_blank(struct ts_file *f, haddr_t addr, uint64_t size);

/* Its structures change while it is open: by us, or by the SWMR writer that we follow. What was read from it may be
 * old, and nothing is pinned for long. */
static inline bool ts_file_changes(const struct ts_file *f)
{
    return f->writable || f->swmr == TS_SWMR_READER;
}

/* How it is open, in flags of H5Fopen, also for the files that its links lead to: whoever opened it first decided that,
 * with whatever flags this or that handle was opened later. */
static inline unsigned ts_file_intent(const struct ts_file *f)
{
    enum ts_swmr swmr = f->swmr;
    switch (swmr) {
    case TS_SWMR_WRITER:
        return H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE;
    case TS_SWMR_READER:
        return H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
    default:
        return f->writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
    }
}

/* The SWMR writer that we follow is one of Tessera's: what it frees it does not use again while it has the file. */
bool ts_file_space_stays(const struct ts_file *f);

static inline unsigned ts_file_addr_size(const struct ts_file *f)
{
    return f->sb.addr_size;
}

static inline unsigned ts_file_len_size(const struct ts_file *f)
{
    return f->sb.len_size;
}

#endif
