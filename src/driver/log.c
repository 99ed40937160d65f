/* A POSIX file and a log of what is done with it (H5Pset_fapl_log): where is read and written, how often, and how long
 * it takes. What kind of data it is, and what space is allocated, a driver does not know here. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "H5FDlog.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "driver/classes.h"

enum event { READ, WRITTEN, TRUNCATED, EVENTS };

/* The flags that ask for one kind of event. */
static const struct {
    const char *done, *noun;
    uint64_t place, number, time;
} kinds[EVENTS] = {{"Read", "read", H5FD_LOG_LOC_READ, H5FD_LOG_NUM_READ, H5FD_LOG_TIME_READ},
                   {"Written", "write", H5FD_LOG_LOC_WRITE, H5FD_LOG_NUM_WRITE, H5FD_LOG_TIME_WRITE},
                   {"Truncated", "truncate", H5FD_LOG_TRUNCATE, H5FD_LOG_NUM_TRUNCATE, H5FD_LOG_TIME_TRUNCATE}};

struct log {
    struct ts_driver base;
    struct ts_driver *inner;
    char *path; /* NULL: what the process says on standard error */
    uint64_t flags;
    struct ts_mutex lock; /* guards the rest */
    FILE *out; /* made when there is something to say: a file that is open already is opened for a look only */
    uint64_t times[EVENTS];
    double seconds[EVENTS], opening;
};

static struct ts_driver *inner_of(struct ts_driver *d)
{
    return ((struct log *)d)->inner;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int begin(struct log *l)
{
    if (l->out)
        return 0;
    l->out = l->path ? fopen(l->path, "w") : stderr;
    if (!l->out)
        return TS_ERR(VFL, CANTOPENFILE, "unable to open log file: name = '%s', " TS_ERRNO, l->path,
                      TS_ERRNO_OF(errno));
    if (l->flags & H5FD_LOG_TIME_OPEN)
        fprintf(l->out, "Open took: (%f s)\n", l->opening);
    return 0;
}

/* A log that cannot be written any further is no reason to fail. */
static int say(struct log *l, enum event event, haddr_t addr, uint64_t size, double seconds)
{
    ts_mutex_lock(&l->lock);
    int status = begin(l);
    l->times[event]++;
    l->seconds[event] += seconds;
    if (status == 0 && l->flags & kinds[event].place) {
        if (event == TRUNCATED)
            fprintf(l->out, "%10" PRIu64 " bytes %s", addr, kinds[event].done);
        else
            fprintf(l->out, "%10" PRIu64 "-%10" PRIu64 " (%10" PRIu64 " bytes) %s", addr, addr + size - (size > 0),
                    size, kinds[event].done);
        if (l->flags & kinds[event].time)
            fprintf(l->out, " (%fs)", seconds);
        fputc('\n', l->out);
    }
    ts_mutex_unlock(&l->lock);
    return status;
}

/* Vectors go to the system together: their time is shared out. */
static int log_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    double start = now();
    int status = ts_driver_readv(inner_of(d), v, n);
    double each = (now() - start) / (double)(n ? n : 1);
    for (size_t i = 0; i < n && status == 0; i++)
        status = say((struct log *)d, READ, v[i].addr, v[i].size, each);
    return status;
}

static int log_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    double start = now();
    int status = ts_driver_writev(inner_of(d), v, n);
    double each = (now() - start) / (double)(n ? n : 1);
    for (size_t i = 0; i < n && status == 0; i++)
        status = say((struct log *)d, WRITTEN, v[i].addr, v[i].size, each);
    return status;
}

static int log_truncate(struct ts_driver *d, haddr_t eof)
{
    double start = now();
    int status = ts_driver_truncate(inner_of(d), eof);
    return status == 0 ? say((struct log *)d, TRUNCATED, eof, 0, now() - start) : status;
}

static void sum_up(struct log *l, double closing)
{
    if (l->flags & H5FD_LOG_TIME_CLOSE)
        fprintf(l->out, "Close took: (%f s)\n", closing);
    for (int i = 0; i < EVENTS; i++)
        if (l->flags & kinds[i].number)
            fprintf(l->out, "Total number of %s operations: %" PRIu64 "\n", kinds[i].noun, l->times[i]);
    for (int i = 0; i < EVENTS; i++)
        if (l->flags & kinds[i].time)
            fprintf(l->out, "Total time in %s operations: %f s\n", kinds[i].noun, l->seconds[i]);
    if (l->path)
        fclose(l->out);
    else
        fflush(l->out);
}

static void log_close(struct ts_driver *d)
{
    struct log *l = (struct log *)d;
    double start = now();
    ts_driver_close(l->inner);
    if (l->out)
        sum_up(l, now() - start);
    ts_mutex_deinit(&l->lock);
    ts_free(l->path);
    ts_free(l);
}

static int log_eof(struct ts_driver *d, haddr_t *eof)
{
    return ts_driver_eof(inner_of(d), eof);
}

static int log_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    return inner_of(d)->cls->identity(inner_of(d), id);
}

static int log_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    return inner_of(d)->cls->handle(inner_of(d), part, handle);
}

static int log_lock(struct ts_driver *d, bool exclusive)
{
    return inner_of(d)->cls->lock(inner_of(d), exclusive);
}

static int log_unlock(struct ts_driver *d)
{
    return ts_driver_unlock(inner_of(d));
}

static enum ts_life_answer log_life(struct ts_driver *d, enum ts_life want)
{
    return inner_of(d)->cls->life(inner_of(d), want);
}

static int log_flush(struct ts_driver *d)
{
    return ts_driver_flush(inner_of(d));
}

static int log_sync(struct ts_driver *d)
{
    return ts_driver_sync(inner_of(d));
}

static void log_give_back(struct ts_driver *d)
{
    ts_driver_give_back(inner_of(d));
}

static int log_free_room(struct ts_driver *d, haddr_t *bytes)
{
    return inner_of(d)->cls->writing->free_room(inner_of(d), bytes);
}

static const struct ts_driver_writing log_writing = {.writev = log_writev,
                                                     .truncate = log_truncate,
                                                     .flush = log_flush,
                                                     .sync = log_sync,
                                                     .give_back = log_give_back,
                                                     .free_room = log_free_room};

static const struct ts_driver_class log_class = {.name = "log",
                                                 .close = log_close,
                                                 .eof = log_eof,
                                                 .readv = log_readv,
                                                 .identity = log_identity,
                                                 .handle = log_handle,
                                                 .lock = log_lock,
                                                 .unlock = log_unlock,
                                                 .life = log_life,
                                                 .crash_safe = true,
                                                 .writing = &log_writing};

int ts_log_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    if (config->log.flags == 0)
        return ts_sec2_open(name, flags, config, out);
    struct log *l = ts_calloc(1, sizeof *l);
    if (!l)
        return -1;
    l->base.cls = &log_class;
    l->flags = config->log.flags;
    double start = now();
    if ((config->log.path && !(l->path = ts_strdup(config->log.path))) ||
        ts_sec2_open(name, flags, config, &l->inner) < 0) {
        ts_free(l->path);
        ts_free(l);
        return -1;
    }
    l->opening = now() - start;
    ts_mutex_init(&l->lock, TS_RANK_DRIVER_SPLITTER_LOG);
    *out = &l->base;
    return 0;
}
