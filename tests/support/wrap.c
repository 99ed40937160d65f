#include "support/wrap.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WRAPPERS 4

static struct {
    wrap_fn *fn;
    char *name;
} wrappers[MAX_WRAPPERS];
static int n_wrappers;

static struct ts_driver *inner(struct ts_driver *d)
{
    return ((struct wrap *)d)->inner;
}

static void pass_close(struct ts_driver *d)
{
    ts_driver_close(inner(d));
    free(d);
}

static int pass_eof(struct ts_driver *d, haddr_t *eof)
{
    return ts_driver_eof(inner(d), eof);
}

static int pass_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    return ts_driver_readv(inner(d), v, n);
}

static int pass_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    return inner(d)->cls->identity(inner(d), id);
}

static int pass_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    return inner(d)->cls->handle(inner(d), part, handle);
}

static int pass_room(struct ts_driver *d, haddr_t addr, haddr_t *bytes)
{
    return inner(d)->cls->room(inner(d), addr, bytes);
}

static int pass_apply_info(struct ts_driver *d, const char id[8], const uint8_t *info, size_t size)
{
    return inner(d)->cls->apply_info(inner(d), id, info, size);
}

static int pass_lock(struct ts_driver *d, bool exclusive)
{
    return inner(d)->cls->lock(inner(d), exclusive);
}

static int pass_unlock(struct ts_driver *d)
{
    return inner(d)->cls->unlock(inner(d));
}

static enum ts_life_answer pass_life(struct ts_driver *d, enum ts_life want)
{
    return inner(d)->cls->life(inner(d), want);
}

static int pass_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    return ts_driver_writev(inner(d), v, n);
}

static int pass_truncate(struct ts_driver *d, haddr_t eof)
{
    return ts_driver_truncate(inner(d), eof);
}

static int pass_flush(struct ts_driver *d)
{
    return ts_driver_flush(inner(d));
}

static int pass_sync(struct ts_driver *d)
{
    return ts_driver_sync(inner(d));
}

static void pass_give_back(struct ts_driver *d)
{
    ts_driver_give_back(inner(d));
}

static int pass_region(struct ts_driver *d, H5FD_mem_t kind, haddr_t *start, haddr_t *limit)
{
    return inner(d)->cls->writing->region(inner(d), kind, start, limit);
}

static int pass_info(struct ts_driver *d, char id[8], struct ts_wr *out)
{
    return inner(d)->cls->writing->info(inner(d), id, out);
}

struct wrap *wrap_new(struct ts_driver *d)
{
    struct wrap *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    /* What the inner driver does not have, the outer one must not pretend to. */
    w->writing = (struct ts_driver_writing){.writev = pass_writev,
                                            .truncate = pass_truncate,
                                            .flush = pass_flush,
                                            .sync = d->cls->writing->sync ? pass_sync : NULL,
                                            .give_back = pass_give_back,
                                            .region = d->cls->writing->region ? pass_region : NULL,
                                            .info = d->cls->writing->info ? pass_info : NULL};
    w->cls = (struct ts_driver_class){.name = d->cls->name,
                                      .close = pass_close,
                                      .eof = pass_eof,
                                      .readv = pass_readv,
                                      .identity = pass_identity,
                                      .handle = pass_handle,
                                      .room = d->cls->room ? pass_room : NULL,
                                      .apply_info = d->cls->apply_info ? pass_apply_info : NULL,
                                      .lock = d->cls->lock ? pass_lock : NULL,
                                      .unlock = d->cls->unlock ? pass_unlock : NULL,
                                      .life = d->cls->life ? pass_life : NULL,
                                      .crash_safe = d->cls->crash_safe,
                                      .writing = &w->writing};
    w->base.cls = &w->cls;
    w->inner = d;
    return w;
}

static int wrap_all(const char *name, unsigned flags, struct ts_driver *d, struct ts_driver **out)
{
    for (int i = 0; i < n_wrappers; i++)
        if (!wrappers[i].name || strcmp(wrappers[i].name, name) == 0)
            d = wrappers[i].fn(d, flags);
    *out = d;
    return 0;
}

void wrap_add(const char *name, wrap_fn *fn)
{
    if (n_wrappers == MAX_WRAPPERS)
        abort();
    wrappers[n_wrappers].fn = fn;
    wrappers[n_wrappers++].name = name ? strdup(name) : NULL;
    ts_driver_set_wrapper(wrap_all);
}

void wrap_remove(wrap_fn *fn)
{
    for (int i = 0; i < n_wrappers; i++)
        if (wrappers[i].fn == fn) {
            free(wrappers[i].name);
            memmove(&wrappers[i], &wrappers[i + 1], (size_t)(--n_wrappers - i) * sizeof wrappers[0]);
            break;
        }
    if (n_wrappers == 0)
        ts_driver_set_wrapper(NULL);
}
