/* A file of its own that indexes are made in, without anything above meta/. */
#ifndef TESTS_UNIT_INDEX_WRITABLE_H
#define TESTS_UNIT_INDEX_WRITABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/api.h"
#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "file/file.h"
#include "meta/meta.h"
#include "plist/plist.h"
#include "unit/cmocka_all.h"

static char writable_path[64];

/* A status that must not be an error; prints the stack when it is. */
static inline int ok(int status)
{
    struct ts_err_stack *stack = ts_err_current();
    for (unsigned i = 0; status < 0 && i < stack->depth; i++)
        print_error("%s: %s\n", stack->rec[i].func, stack->rec[i].text);
    assert_true(status >= 0);
    return status;
}

static inline int writable_create(struct ts_file **f)
{
    ts_api_init();
    snprintf(writable_path, sizeof writable_path, "/tmp/tessera-index-%d.h5", (int)getpid());
    if (ts_file_create(writable_path, H5F_ACC_TRUNC, ts_plist_default(TS_PLIST_FILE_CREATE),
                       ts_plist_default(TS_PLIST_FILE_ACCESS), f) < 0)
        return -1;
    if (ts_meta_attach(*f) == 0)
        return 0;
    ts_file_unref(*f);
    return -1;
}

static inline struct ts_file *writable_new(void)
{
    struct ts_file *f;
    ok(writable_create(&f));
    return f;
}

/* Closes the file and opens it again, so that all is read from what was written. */
static inline struct ts_file *writable_again(struct ts_file *f, unsigned flags)
{
    unsigned owed = ts_err_owed();
    ts_file_unref(f);
    assert_int_equal(ts_err_owed(), owed);
    ok(ts_file_open(writable_path, flags, ts_plist_default(TS_PLIST_FILE_ACCESS), &f));
    ok(ts_meta_attach(f));
    return f;
}

static inline void writable_close(struct ts_file *f)
{
    ts_file_unref(f);
    unlink(writable_path);
}

/* The same numbers in every run. */
static inline uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
