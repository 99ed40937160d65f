/* Files of this folder's tests, which know nothing of objects. */
#ifndef TESTS_UNIT_FILE_FILE_UTIL_H
#define TESTS_UNIT_FILE_FILE_UTIL_H

#include <stdio.h>
#include <unistd.h>

#include "file/change.h"
#include "file/commit.h"
#include "file/file.h"
#include "file/internal.h"
#include "plist/fapl.h"
#include "plist/fcpl.h"
#include "plist/plist.h"

/* A path of its own for each process, in the current directory. */
static inline const char *scratch(const char *what)
{
    static char path[128];
    snprintf(path, sizeof path, "file_%s_%ld.h5", what, (long)getpid());
    return path;
}

static inline unsigned rng(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline int commit_nothing(struct ts_file *f)
{
    struct ts_blocks none = {0};
    ts_file_lock(f);
    int status = ts_file_commit(f, &none);
    ts_file_unlock(f);
    return status;
}

/* In the place of the metadata cache; it has no state. */
static inline void drop_nothing(struct ts_file *f, void *state)
{
    (void)f, (void)state;
}

static inline struct ts_file *with_commits(struct ts_file *f)
{
    static const struct ts_client_ops client = {.commit = commit_nothing, .drop = drop_nothing};
    ts_file_attach(f, TS_CLIENT_METADATA, &client, f);
    return f;
}

static inline struct ts_file *create(const char *path, struct ts_plist *fapl)
{
    struct ts_file *f;
    struct ts_plist *fcpl = ts_plist_default(TS_PLIST_FILE_CREATE);
    if (ts_file_create(path, H5F_ACC_TRUNC, fcpl, fapl ? fapl : ts_plist_default(TS_PLIST_FILE_ACCESS), &f) < 0)
        return NULL;
    return with_commits(f);
}

static inline struct ts_file *reopen(const char *path, unsigned flags)
{
    struct ts_file *f;
    if (ts_file_open(path, flags, ts_plist_default(TS_PLIST_FILE_ACCESS), &f) < 0)
        return NULL;
    return with_commits(f);
}

#endif
