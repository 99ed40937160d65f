/* Making an open file ready for use: its metadata cache, and what the superblock's extension says about it. */
#ifndef TS_CONTAINER_SETUP_H
#define TS_CONTAINER_SETUP_H

#include <stdbool.h>

#include "file/file.h"
#include "format/messages.h"

struct ts_extension {
    struct ts_file_space space;  /* the default strategy when the file says nothing */
    struct ts_cache_image image; /* addr is HADDR_UNDEF when there is none */
    bool in_flushes;             /* keeps right what it says about the file's space (ts_container_space_watch) */
};

/* Call after every ts_file_open, before anything else: gives the file its metadata cache and applies the extension.
 * May be called again, and by several threads at once. */
int ts_container_setup(struct ts_file *f);
/* A new handle of a file that is open and set up. */
int ts_fhandle_open(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_fhandle **out);

/* Borrowed from the file; never NULL after ts_container_setup. */
static inline const struct ts_extension *ts_container_extension(const struct ts_file *f)
{
    return ts_file_client(f, TS_CLIENT_EXTENSION);
}

#endif
