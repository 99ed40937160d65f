#include "base/alloc.h"
#include "base/error.h"
#include "driver/access.h"
#include "file/file.h"
#include "file/mount.h"
#include "plist/fapl.h"

/* Takes over both references, also on failure. */
static int handle_new(struct ts_file *file, const char *name, unsigned flags, struct ts_access *access,
                      struct ts_fhandle **out)
{
    struct ts_fhandle *fh = ts_calloc(1, sizeof *fh);
    char *copy = fh ? ts_strdup(name) : NULL;
    if (!copy) {
        ts_free(fh);
        ts_access_unref(access);
        ts_file_unref(file);
        return -1;
    }
    ts_count_init(&fh->refs, 1);
    fh->file = file;
    fh->name = copy;
    fh->flags = flags;
    fh->access = access;
    *out = fh;
    return 0;
}

int ts_fhandle_new(struct ts_file *file, const char *name, unsigned flags, struct ts_fhandle **out)
{
    return handle_new(file, name, flags, ts_access_ref(file->agreed.access), out);
}

/* Makes a handle one of those that hold to the file's close degree, or drops it. */
static int claim(struct ts_fhandle **fh, H5F_close_degree_t degree)
{
    if (ts_file_claim((*fh)->file, degree) < 0) {
        ts_fhandle_unref(*fh);
        return -1;
    }
    (*fh)->claims = true;
    return 0;
}

int ts_fhandle_again(const struct ts_fhandle *fh, struct ts_fhandle **out)
{
    ts_file_ref(fh->file);
    if (handle_new(fh->file, fh->name, fh->flags, ts_access_ref(fh->access), out) < 0)
        return -1;
    return claim(out, fh->file->agreed.close_degree);
}

/* Whoever looks at the old rules may do so as long as the file is open: the new ones have a reference to them. */
static int bind_file(struct ts_file *file, struct ts_access *access)
{
    struct ts_access *joined;
    ts_mutex_lock(&file->agreed.lock);
    struct ts_access *old = file->agreed.access;
    int status = ts_access_join(old, access, &joined);
    if (status == 0) {
        file->agreed.access = joined;
        ts_access_unref(old);
    }
    ts_mutex_unlock(&file->agreed.lock);
    return status;
}

int ts_fhandle_new_with(struct ts_file *file, const char *name, unsigned flags, struct ts_plist *fapl,
                        struct ts_fhandle **out)
{
    struct ts_access *access;
    struct ts_fapl_within within;
    H5F_close_degree_t degree;
    if (ts_fapl_peek_within(fapl, &within) < 0 || ts_fapl_close_degree(fapl, &degree) < 0 ||
        ts_fapl_access(fapl, name, &access) < 0) {
        ts_file_unref(file);
        return -1;
    }
    if (access && bind_file(file, access) < 0) {
        ts_access_unref(access);
        ts_file_unref(file);
        return -1;
    }
    if (handle_new(file, name, flags, access, out) < 0)
        return -1;
    (*out)->by_link = within.kind == H5F_EXTERNAL_LINK;
    return within.kind == H5F_EXTERNAL_SOURCE ? 0 : claim(out, degree);
}

void ts_fhandle_ref(struct ts_fhandle *fh)
{
    ts_count_add(&fh->refs);
}

/* True when it was the last. What mounts have must not change between looking and dropping. */
static bool drop_ref(struct ts_fhandle *fh)
{
    if (ts_count_drop_spread(&fh->refs))
        return false;
    long refs = atomic_load(&fh->refs.n);
    do {
        if (refs & TS_FHANDLE_MOUNTS)
            return ts_mount_unref(fh);
    } while (!atomic_compare_exchange_weak(&fh->refs.n, &refs, refs - 1));
    return refs == 1;
}

void ts_fhandle_unref(struct ts_fhandle *fh)
{
    if (!drop_ref(fh))
        return;
    if (fh->claims)
        ts_file_disclaim(fh->file);
    ts_file_unref(fh->file);
    ts_access_unref(fh->access);
    ts_free(fh->name);
    ts_count_deinit(&fh->refs);
    ts_free(fh);
}

void ts_fhandle_close(struct ts_fhandle *fh)
{
    bool last = ts_count_is_one(&fh->refs) && atomic_load(&fh->file->refs) == 1;
    /* The last reference flushes by itself. */
    if (!last && !ts_file_inherited(fh->file) && ts_file_flush(fh->file) < 0)
        ts_err_owe();
    ts_fhandle_unref(fh);
}
