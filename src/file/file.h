/* The open file: one struct ts_file per file on disk however often it is opened, one ts_fhandle per H5Fopen. */
#ifndef TS_FILE_FILE_H
#define TS_FILE_FILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5Fpublic.h"
#include "H5public.h"
#include "driver/driver.h"
#include "format/superblock.h"

struct ts_meta;
struct ts_mount;
struct ts_overlay;
struct ts_plist;

struct ts_file {
    atomic_uint refs;
    struct ts_driver *driver;
    struct ts_driver_identity identity;
    char *name;
    unsigned flags; /* H5F_ACC_* it was opened with */
    unsigned long serial; /* H5Fget_fileno */
    struct ts_superblock sb;
    haddr_t end;          /* first address behind the file, relative to the base address */
    struct ts_meta *meta; /* the metadata cache; meta/ sets it and how to drop it */
    void (*drop_meta)(struct ts_file *f);
    void *shared_messages; /* the table of shared messages; object/ sets it, freed with the cache */
    pthread_mutex_t setup_lock; /* one thread reads the superblock's extension; the others wait */
    struct ts_overlay *overlay; /* a metadata cache image, or NULL */
    struct ts_plist *fapl; /* the file's own copy */
    H5F_close_degree_t close_degree; /* never H5F_CLOSE_DEFAULT */
    atomic_bool no_attrs_hint; /* H5Fset_dset_no_attrs_hint */
    struct ts_mount *mounts; /* on groups of this file; mount.c guards them */
    atomic_uint n_mounts;
    atomic_bool renamed; /* a mount changed the names of objects of this file, now or before */
    struct ts_file *next; /* of all that are open */
};

#define TS_FHANDLE_MOUNTS 0x80000000u

/* What an H5F id stands for. */
struct ts_fhandle {
    atomic_uint refs; /* with TS_FHANDLE_MOUNTS while mounts have some */
    struct ts_file *file;
    char *name; /* as given to H5Fopen */
    unsigned flags;
    struct ts_mount *mount; /* of this handle on another, or NULL; mount.c guards it */
    unsigned held; /* those of the references that mounts have; so is this */
};

int ts_file_open(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_file **out);
/* 1 when the name opens and has a signature, 0 when it opens and has none, negative when it does not open. */
int ts_file_is_hdf5(const char *name, struct ts_plist *fapl);
/* Checks the stored end of file against the real one: at opening, or later when the driver must first learn its
 * members from the superblock's extension. */
int ts_file_settle_end(struct ts_file *f);
void ts_file_ref(struct ts_file *f);
void ts_file_unref(struct ts_file *f);

/* Takes over the reference to the file, also on failure. */
int ts_fhandle_new(struct ts_file *file, const char *name, unsigned flags, struct ts_fhandle **out);
void ts_fhandle_ref(struct ts_fhandle *fh);
void ts_fhandle_unref(struct ts_fhandle *fh);

/* Addresses in the file's structures are relative to its base address; these add it and check the end of file. */
int ts_file_read(struct ts_file *f, haddr_t addr, size_t size, void *buf);
int ts_file_readv(struct ts_file *f, const struct ts_io_vec *v, size_t n);
/* As much as there is from addr on, at most size bytes: for structures whose length is inside them. */
int ts_file_read_some(struct ts_file *f, haddr_t addr, size_t size, void *buf, size_t *got);
/* True when [addr, addr + size) lies inside the file. */
bool ts_file_has(const struct ts_file *f, haddr_t addr, uint64_t size);

static inline unsigned ts_file_addr_size(const struct ts_file *f)
{
    return f->sb.addr_size;
}

static inline unsigned ts_file_len_size(const struct ts_file *f)
{
    return f->sb.len_size;
}

#endif
