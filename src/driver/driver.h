/* Where the bytes of a file live. A driver is one vtable; addresses are absolute offsets in the logical file. Drivers know
 * nothing of what the bytes mean. */
#ifndef TS_DRIVER_DRIVER_H
#define TS_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5FDpublic.h"
#include "H5public.h"

enum ts_driver_kind {
    TS_DRIVER_SEC2,
    TS_DRIVER_CORE,
    TS_DRIVER_FAMILY,
    TS_DRIVER_MULTI,
    TS_DRIVER_LOG,
    TS_DRIVER_STDIO,
    TS_DRIVER_COUNT
};

struct ts_driver;
struct ts_driver_config;

#define TS_MULTI_MEMBERS H5FD_MEM_NTYPES

/* How to open: the file access list's driver part. The members' configurations are owned by whoever owns this. */
struct ts_driver_config {
    enum ts_driver_kind kind;
    union {
        struct {
            size_t increment;
            bool backing_store;
            const void *image; /* borrowed for the open call; NULL: read the named file */
            size_t image_size;
        } core;
        struct {
            hsize_t member_size; /* 0: take it from the first member */
            struct ts_driver_config *member; /* NULL: sec2 */
        } family;
        struct {
            H5FD_mem_t map[TS_MULTI_MEMBERS];
            struct ts_driver_config *member[TS_MULTI_MEMBERS]; /* NULL: sec2 */
            char *name[TS_MULTI_MEMBERS];
            haddr_t addr[TS_MULTI_MEMBERS];
            bool relax;
        } multi;
    };
};

struct ts_io_vec {
    haddr_t addr;
    size_t size;
    void *buf;
};

enum { TS_OPEN_WRITE = 1, TS_OPEN_CREATE = 2, TS_OPEN_EXCL = 4, TS_OPEN_TRUNC = 8 };

/* Identity of what is open, so that one file opened twice is known to be one. */
struct ts_driver_identity {
    uint64_t device, inode;
    bool unique; /* nothing else can be the same file (memory) */
};

struct ts_driver_class {
    const char *name;
    void (*close)(struct ts_driver *d);
    int (*eof)(struct ts_driver *d, haddr_t *eof);
    /* All of the vectors or an error. Bytes beyond the end read as an error, never as zeros. */
    int (*readv)(struct ts_driver *d, const struct ts_io_vec *v, size_t n);
    int (*identity)(struct ts_driver *d, struct ts_driver_identity *id);
    /* The file descriptor or memory behind it for H5Fget_vfd_handle; -1 and an error when there is none. */
    int (*handle)(struct ts_driver *d, void **handle);
    /* Optional, for address spaces with gaps: how many bytes there are in one piece from addr on. */
    int (*room)(struct ts_driver *d, haddr_t addr, haddr_t *bytes);
    /* Optional: takes what the superblock's driver information block says. */
    int (*apply_info)(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size);
};

struct ts_driver {
    const struct ts_driver_class *cls;
};

int ts_driver_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out);

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

int ts_driver_config_copy(struct ts_driver_config *dst, const struct ts_driver_config *src);
void ts_driver_config_deinit(struct ts_driver_config *config);

#endif
