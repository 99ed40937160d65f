/* Two channels: everything is read from and written to the first, and written to the second besides. What goes wrong
 * with the second can be written to a log instead of being an error. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "driver/classes.h"

struct splitter {
    struct ts_driver base;
    struct ts_driver *rw, *wo; /* wo is NULL when it could not be opened and errors are ignored */
    bool ignore;
    FILE *log; /* one line for each failure of the second channel; may be NULL */
    struct ts_mutex log_lock;
};

/* The result for the caller after the second channel failed. */
static int wo_failed(struct splitter *s, unsigned mark, const char *what)
{
    if (s->log) {
        ts_mutex_lock(&s->log_lock);
        fprintf(s->log, "%s\n", what);
        fflush(s->log);
        ts_mutex_unlock(&s->log_lock);
    }
    if (!s->ignore)
        return TS_ERR(VFL, CANTOPERATE, "%s", what);
    ts_err_rewind(mark);
    return 0;
}

static void splitter_close(struct ts_driver *d)
{
    struct splitter *s = (struct splitter *)d;
    ts_driver_close(s->rw);
    unsigned mark = ts_err_mark(), owed = ts_err_owed();
    ts_driver_close(s->wo);
    if (s->ignore) {
        ts_err_rewind(mark);
        ts_err_pay(owed);
    }
    if (s->log)
        fclose(s->log);
    ts_mutex_deinit(&s->log_lock);
    ts_free(s);
}

static int splitter_eof(struct ts_driver *d, haddr_t *eof)
{
    return ts_driver_eof(((struct splitter *)d)->rw, eof);
}

static int splitter_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    return ts_driver_readv(((struct splitter *)d)->rw, v, n);
}

static int splitter_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    struct ts_driver *rw = ((struct splitter *)d)->rw;
    return rw->cls->identity(rw, id);
}

static int splitter_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    struct ts_driver *rw = ((struct splitter *)d)->rw;
    return rw->cls->handle(rw, part, handle);
}

static int lock_one(struct ts_driver *d, bool exclusive)
{
    return d->cls->lock ? d->cls->lock(d, exclusive) : 0;
}

static int splitter_unlock(struct ts_driver *d)
{
    struct splitter *s = (struct splitter *)d;
    unsigned mark = ts_err_mark();
    if (s->wo && ts_driver_unlock(s->wo) < 0 && wo_failed(s, mark, "unable to unlock W/O file") < 0)
        return -1;
    return ts_driver_unlock(s->rw);
}

static int splitter_lock(struct ts_driver *d, bool exclusive)
{
    struct splitter *s = (struct splitter *)d;
    int status = lock_one(s->rw, exclusive);
    unsigned mark = ts_err_mark();
    if (status != 0 || !s->wo || lock_one(s->wo, exclusive) >= 0)
        return status;
    if (wo_failed(s, mark, "unable to lock W/O file") == 0)
        return 0;
    ts_driver_unlock(s->rw);
    return -1;
}

static int splitter_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    struct splitter *s = (struct splitter *)d;
    if (ts_driver_writev(s->rw, v, n) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    if (s->wo && ts_driver_writev(s->wo, v, n) < 0)
        return wo_failed(s, mark, "unable to write W/O file");
    return 0;
}

static int splitter_truncate(struct ts_driver *d, haddr_t eof)
{
    struct splitter *s = (struct splitter *)d;
    if (ts_driver_truncate(s->rw, eof) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    if (s->wo && ts_driver_truncate(s->wo, eof) < 0)
        return wo_failed(s, mark, "unable to truncate W/O file");
    return 0;
}

static int splitter_flush(struct ts_driver *d)
{
    struct splitter *s = (struct splitter *)d;
    if (ts_driver_flush(s->rw) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    if (s->wo && ts_driver_flush(s->wo) < 0)
        return wo_failed(s, mark, "unable to flush W/O file");
    return 0;
}

static int sync_one(struct ts_driver *d)
{
    if (!d->cls->writing->sync)
        return TS_ERR(VFL, UNSUPPORTED, "a file of driver '%s' cannot be brought to the disk", d->cls->name);
    return ts_driver_sync(d);
}

static int splitter_sync(struct ts_driver *d)
{
    struct splitter *s = (struct splitter *)d;
    if (sync_one(s->rw) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    if (s->wo && sync_one(s->wo) < 0)
        return wo_failed(s, mark, "unable to bring W/O file to the disk");
    return 0;
}

static void splitter_give_back(struct ts_driver *d)
{
    struct splitter *s = (struct splitter *)d;
    ts_driver_give_back(s->rw);
    if (s->wo)
        ts_driver_give_back(s->wo);
}

/* A second file that was there before may be longer. */
static int splitter_finish(struct ts_driver *d)
{
    struct splitter *s = (struct splitter *)d;
    haddr_t end, copy_end;
    if (ts_driver_eof(s->rw, &end) < 0)
        return -1;
    unsigned mark = ts_err_mark();
    if (s->wo && (ts_driver_eof(s->wo, &copy_end) < 0 || (copy_end > end && ts_driver_truncate(s->wo, end) < 0)))
        return wo_failed(s, mark, "unable to truncate W/O file");
    return 0;
}

static const struct ts_driver_writing splitter_writing = {.writev = splitter_writev,
                                                          .truncate = splitter_truncate,
                                                          .flush = splitter_flush,
                                                          .sync = splitter_sync,
                                                          .give_back = splitter_give_back,
                                                          .finish = splitter_finish};

static const struct ts_driver_class splitter_class = {.name = "splitter",
                                                      .close = splitter_close,
                                                      .eof = splitter_eof,
                                                      .readv = splitter_readv,
                                                      .identity = splitter_identity,
                                                      .handle = splitter_handle,
                                                      .lock = splitter_lock,
                                                      .unlock = splitter_unlock,
                                                      .crash_safe = true,
                                                      .writing = &splitter_writing};

static int open_channels(struct splitter *s, const char *name, unsigned flags, const struct ts_driver_config *config)
{
    const char *log = config->splitter.log_path;
    if (log && *log && !(s->log = fopen(log, "w")))
        return TS_ERR(VFL, CANTOPENFILE, "unable to open log file: name = '%s', " TS_ERRNO, log, TS_ERRNO_OF(errno));
    if (ts_driver_open_part(name, flags, config->splitter.rw, config, &s->rw) < 0)
        return TS_ERR(VFL, CANTOPENFILE, "unable to open R/W file");
    unsigned mark = ts_err_mark();
    const char *copy = config->splitter.wo_path ? config->splitter.wo_path : "";
    if (ts_driver_open_part(copy, flags, config->splitter.wo, config, &s->wo) == 0)
        return 0;
    s->wo = NULL;
    return wo_failed(s, mark, "unable to open W/O file");
}

int ts_splitter_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct splitter *s = ts_calloc(1, sizeof *s);
    if (!s)
        return -1;
    s->base.cls = &splitter_class;
    s->ignore = config->splitter.ignore_wo_errors;
    ts_mutex_init(&s->log_lock, TS_RANK_DRIVER_SPLITTER_LOG);
    if (open_channels(s, name, flags, config) < 0) {
        splitter_close(&s->base);
        return -1;
    }
    *out = &s->base;
    return 0;
}

int ts_splitter_delete(const char *name, const struct ts_driver_config *config)
{
    unsigned mark = ts_err_mark();
    if (ts_driver_delete_part(name, config->splitter.rw) < 0)
        return -1;
    if (ts_driver_delete_part(config->splitter.wo_path ? config->splitter.wo_path : "", config->splitter.wo) == 0)
        return 0;
    if (!config->splitter.ignore_wo_errors)
        return -1;
    ts_err_rewind(mark);
    return 0;
}
