#include "base/alloc.h"
#include "base/error.h"
#include "file/file.h"
#include "file/mount.h"

int ts_fhandle_new(struct ts_file *file, const char *name, unsigned flags, struct ts_fhandle **out)
{
    struct ts_fhandle *fh = ts_calloc(1, sizeof *fh);
    char *copy = fh ? ts_strdup(name) : NULL;
    if (!copy) {
        ts_free(fh);
        ts_file_unref(file);
        return -1;
    }
    atomic_init(&fh->refs, 1);
    fh->file = file;
    fh->name = copy;
    fh->flags = flags;
    *out = fh;
    return 0;
}

void ts_fhandle_ref(struct ts_fhandle *fh)
{
    atomic_fetch_add(&fh->refs, 1);
}

/* True when it was the last. What mounts have must not change between looking and dropping. */
static bool drop_ref(struct ts_fhandle *fh)
{
    unsigned refs = atomic_load(&fh->refs);
    do {
        if (refs & TS_FHANDLE_MOUNTS)
            return ts_mount_unref(fh);
    } while (!atomic_compare_exchange_weak(&fh->refs, &refs, refs - 1));
    return refs == 1;
}

void ts_fhandle_unref(struct ts_fhandle *fh)
{
    if (!drop_ref(fh))
        return;
    ts_file_unref(fh->file);
    ts_free(fh->name);
    ts_free(fh);
}

void ts_fhandle_close(struct ts_fhandle *fh)
{
    bool last = atomic_load(&fh->refs) == 1 && atomic_load(&fh->file->refs) == 1;
    /* The last reference flushes by itself. */
    if (!last && ts_file_flush(fh->file) < 0)
        ts_err_owe();
    ts_fhandle_unref(fh);
}
