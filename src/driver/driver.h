/* Where the bytes of a file live. A driver is one vtable; addresses are absolute offsets in the logical file. Drivers
 * know nothing of what the bytes mean. */
#ifndef TS_DRIVER_DRIVER_H
#define TS_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5FDpublic.h"
#include "H5public.h"
#include "base/cursor.h"

enum ts_driver_kind {
    TS_DRIVER_SEC2,
    TS_DRIVER_CORE,
    TS_DRIVER_FAMILY,
    TS_DRIVER_MULTI,
    TS_DRIVER_LOG,
    TS_DRIVER_STDIO,
    TS_DRIVER_SPLITTER,
    TS_DRIVER_COUNT, /* of the library's own */
    TS_DRIVER_USER = TS_DRIVER_COUNT
};

struct ts_driver;
struct ts_driver_config;
struct ts_user_class;
struct ts_access;

#define TS_MULTI_MEMBERS H5FD_MEM_NTYPES

/* How to open: the file access list's driver part. The members' configurations are owned by whoever owns this. */
struct ts_driver_config {
    enum ts_driver_kind kind;
    struct ts_access *access; /* what may be opened, counted; NULL: anything. Its parts inherit it */
    unsigned access_kind;     /* as what: H5F_EXTERNAL_* */
    bool with_image;          /* the list has a file image, whatever its driver */
    union {
        struct {
            size_t increment;
            bool backing_store;
            const void *image; /* borrowed for the open call; NULL: read the named file */
            size_t image_size;
            H5FD_file_image_callbacks_t calls; /* the memory is the application's; their udata is copied by opening */
        } core;
        struct {
            hsize_t member_size;             /* 0: take it from the first member */
            struct ts_driver_config *member; /* NULL: sec2 */
        } family;
        struct {
            H5FD_mem_t map[TS_MULTI_MEMBERS];
            struct ts_driver_config *member[TS_MULTI_MEMBERS]; /* NULL: sec2 */
            char *name[TS_MULTI_MEMBERS];
            haddr_t addr[TS_MULTI_MEMBERS];
            bool relax;
        } multi;
        struct {
            struct ts_driver_config *rw, *wo; /* NULL: sec2 */
            char *wo_path, *log_path;         /* no log_path: no log */
            bool ignore_wo_errors;
        } splitter;
        struct {
            char *path;     /* NULL: standard error */
            uint64_t flags; /* H5FD_LOG_*; 0: no log */
        } log;
        struct {
            struct ts_user_class *cls; /* counted; user.h */
            void *info;                /* the driver's own settings */
            void *list;                /* the access list, borrowed for the open call */
        } user;
    };
};

struct ts_io_vec {
    haddr_t addr;
    size_t size;
    void *buf;
};

struct ts_io_out {
    haddr_t addr;
    size_t size;
    const void *buf;
};

/* CREATE makes the file when there is none; with EXCL it is an error when there is one. TRUNC says that the old
 * contents do not matter, but opening does not touch them: the caller cuts them off by ts_driver_truncate(d, 0), once
 * it knows that the file is not open already and has the lock. */
enum { TS_OPEN_WRITE = 1, TS_OPEN_CREATE = 2, TS_OPEN_EXCL = 4, TS_OPEN_TRUNC = 8 };

enum ts_lock_policy { TS_LOCK_NONE, TS_LOCK_BEST_EFFORT, TS_LOCK_STRICT };

/* Identity of what is open, so that one file opened twice is known to be one. */
struct ts_driver_identity {
    uint64_t device, inode;
    bool unique; /* nothing else can be the same file (memory) */
};

/* The lock of life, besides the other: a SWMR writer has it exclusively for as long as it lives, while the other lock
 * is left to its readers. Shared by those who found that there is no writer and want to keep it so. */
enum ts_life { TS_LIFE_NONE, TS_LIFE_SHARED, TS_LIFE_EXCLUSIVE };
enum ts_life_answer { TS_LIFE_TAKEN, TS_LIFE_HELD /* by another */, TS_LIFE_UNKNOWN /* no such locks here */ };

/* Which of several files: where its bytes are in all of them, or what kind of data it has. */
struct ts_driver_part {
    haddr_t offset;
    H5FD_mem_t type;
};

struct ts_driver_class {
    const char *name;
    void (*close)(struct ts_driver *d); /* a failure is owed (ts_err_owe) */
    int (*eof)(struct ts_driver *d, haddr_t *eof);
    /* All of the vectors or an error. Bytes beyond the end read as an error, never as zeros. */
    int (*readv)(struct ts_driver *d, const struct ts_io_vec *v, size_t n);
    int (*identity)(struct ts_driver *d, struct ts_driver_identity *id);
    /* The file descriptor or memory behind it for H5Fget_vfd_handle; -1 and an error when there is none. */
    int (*handle)(struct ts_driver *d, const struct ts_driver_part *part, void **handle);
    /* Optional, for address spaces with gaps: how many bytes there are in one piece from addr on. */
    int (*room)(struct ts_driver *d, haddr_t addr, haddr_t *bytes);
    /* Optional: takes what the superblock's driver information block says. */
    int (*apply_info)(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size);
    /* Against other processes: shared for readers, exclusive for a writer. 0 locked, 1 the file system has no locks, an
     * error when another has it. Goes with close. NULL: nothing to lock. Use ts_driver_lock. */
    int (*lock)(struct ts_driver *d, bool exclusive);
    int (*unlock)(struct ts_driver *d);
    /* Optional; only with it can the file have SWMR writers and readers: writes are seen by others in their order. */
    enum ts_life_answer (*life)(struct ts_driver *d, enum ts_life want);
    bool crash_safe; /* its bytes outlive the process as they are written: a journal makes sense */
    const struct ts_driver_writing *writing;
};

/* What a driver that was opened with TS_OPEN_WRITE can do besides; those that are not optional are there in every
 * driver. */
struct ts_driver_writing {
    /* All of the vectors, in their order, or an error. What lies behind the end makes the file longer. */
    int (*writev)(struct ts_driver *d, const struct ts_io_out *v, size_t n);
    /* The file ends exactly here afterwards; with `region`, the region that eof lies in does and the others stay, so
     * that each can be made as long as its space in use before `info` tells their lengths. 0 empties all. */
    int (*truncate)(struct ts_driver *d, haddr_t eof);
    /* What the driver itself holds back goes where it belongs (memory with a backing store). */
    int (*flush)(struct ts_driver *d);
    /* Optional: all that was written before is on the disk when this returns, under the file's name, whatever happens
     * to the power. After an error nobody knows what is: the system may have dropped it, and the next success says
     * nothing of it. */
    int (*sync)(struct ts_driver *d);
    /* Optional, for drivers that keep kinds of data apart: where space of a kind is, [*start, *limit). The end of file
     * in the superblock of such a file is that of the superblock's region. */
    int (*region)(struct ts_driver *d, H5FD_mem_t kind, haddr_t *start, haddr_t *limit);
    /* Optional: the driver information block for the superblock. */
    int (*info)(struct ts_driver *d, char id[8], struct ts_wr *out);
    /* Optional: before the write that lets others have the file. What the driver has reserved and not used is let
     * go. */
    void (*give_back)(struct ts_driver *d);
    /* Optional: everything is written, and the file is about to be closed by the only one who has it open here. */
    int (*finish)(struct ts_driver *d);
    /* Optional: how many bytes the file may still grow by, as far as the system says. */
    int (*free_room)(struct ts_driver *d, haddr_t *bytes);
};

/* What calls cost there, for those who can do with fewer of them. */
struct ts_driver_costs {
    size_t read_along, write_along; /* bytes between two places that take no longer than a second call; 0: not known */
    bool side_by_side;              /* several threads read faster than one */
};

struct ts_driver {
    const struct ts_driver_class *cls;
    struct ts_driver_costs costs;
};

int ts_driver_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);

/* Removes the file or files that a driver so configured makes by the name, whatever is in them. */
int ts_driver_delete(const char *name, const struct ts_driver_config *config);

static inline void ts_driver_close(struct ts_driver *d)
{
    if (d)
        d->cls->close(d);
}

static inline int ts_driver_eof(struct ts_driver *d, haddr_t *eof)
{
    return d->cls->eof(d, eof);
}

static inline int ts_driver_read(struct ts_driver *d, haddr_t addr, size_t size, void *buf)
{
    struct ts_io_vec v = {.addr = addr, .size = size, .buf = buf};
    return d->cls->readv(d, &v, 1);
}

static inline int ts_driver_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    return d->cls->readv(d, v, n);
}

static inline int ts_driver_write(struct ts_driver *d, haddr_t addr, size_t size, const void *buf)
{
    struct ts_io_out v = {.addr = addr, .size = size, .buf = buf};
    return d->cls->writing->writev(d, &v, 1);
}

static inline int ts_driver_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    return d->cls->writing->writev(d, v, n);
}

static inline int ts_driver_truncate(struct ts_driver *d, haddr_t eof)
{
    return d->cls->writing->truncate(d, eof);
}

static inline int ts_driver_flush(struct ts_driver *d)
{
    return d->cls->writing->flush(d);
}

/* Of a driver that can. */
static inline int ts_driver_sync(struct ts_driver *d)
{
    return d->cls->writing->sync(d);
}

static inline void ts_driver_give_back(struct ts_driver *d)
{
    if (d->cls->writing->give_back)
        d->cls->writing->give_back(d);
}

/* What the access list asks for (H5Pset_file_locking), unless HDF5_USE_FILE_LOCKING in the environment says other. */
enum ts_lock_policy ts_driver_lock_policy(bool use, bool ignore_when_disabled);
/* 0: nobody else has the file. 1: that is not known, and the policy does not ask for it. */
int ts_driver_lock(struct ts_driver *d, bool exclusive, enum ts_lock_policy policy);
int ts_driver_unlock(struct ts_driver *d);

/* Tests only: wraps each driver that ts_driver_open has opened, in another that takes it over on success. Members of a
 * driver are not wrapped on their own. NULL switches it off. */
typedef int ts_driver_wrapper(const char *name, unsigned flags, struct ts_driver *inner, struct ts_driver **out);
void ts_driver_set_wrapper(ts_driver_wrapper *wrapper);

int ts_driver_config_copy(struct ts_driver_config *dst, const struct ts_driver_config *src);
void ts_driver_config_deinit(struct ts_driver_config *config);

#endif
