#include "support/faulty.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "support/wrap.h"

static struct {
    pthread_mutex_t lock;
    unsigned long made, fail_at;
    unsigned calls;
    enum faulty_kind kind;
    bool once;
} f = {.lock = PTHREAD_MUTEX_INITIALIZER};

unsigned long faulty_fail_at(unsigned long n, unsigned calls, enum faulty_kind kind, bool once)
{
    pthread_mutex_lock(&f.lock);
    unsigned long made = f.made;
    f.made = 0;
    f.fail_at = n;
    f.calls = calls;
    f.kind = kind;
    f.once = once;
    pthread_mutex_unlock(&f.lock);
    return made;
}

static bool must_fail(unsigned call)
{
    pthread_mutex_lock(&f.lock);
    bool counts = f.calls & call;
    f.made += counts;
    bool fail = counts && f.fail_at > 0 && (f.once ? f.made == f.fail_at : f.made >= f.fail_at);
    pthread_mutex_unlock(&f.lock);
    return fail;
}

static struct ts_driver *inner(struct ts_driver *d)
{
    return ((struct wrap *)d)->inner;
}

static int fault(const char *what)
{
    return TS_ERR(IO, WRITEERROR, "%s fails as the test wants: %s", what,
                  strerror(f.kind == FAULTY_ENOSPC ? ENOSPC : EIO));
}

static int fail_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    return must_fail(FAULTY_READ) ? fault("reading") : ts_driver_readv(inner(d), v, n);
}

static void write_half(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += v[i].size;
    for (size_t left = total / 2, i = 0; left > 0; i++) {
        size_t now = v[i].size < left ? v[i].size : left;
        if (ts_driver_write(d, v[i].addr, now, v[i].buf) < 0)
            return;
        left -= now;
    }
}

static int fail_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    if (!must_fail(FAULTY_WRITE))
        return ts_driver_writev(inner(d), v, n);
    if (f.kind == FAULTY_SHORT)
        write_half(inner(d), v, n);
    return fault("writing");
}

static int fail_truncate(struct ts_driver *d, haddr_t eof)
{
    return must_fail(FAULTY_TRUNCATE) ? fault("truncating") : ts_driver_truncate(inner(d), eof);
}

static int fail_flush(struct ts_driver *d)
{
    return must_fail(FAULTY_FLUSH) ? fault("flushing") : ts_driver_flush(inner(d));
}

static struct ts_driver *wrap_faulty(struct ts_driver *d, unsigned flags)
{
    struct wrap *w = wrap_new(d);
    (void)flags;
    w->cls.readv = fail_readv;
    w->writing.writev = fail_writev;
    w->writing.truncate = fail_truncate;
    w->writing.flush = fail_flush;
    return &w->base;
}

void faulty_start(const char *name)
{
    wrap_add(name, wrap_faulty);
}

void faulty_stop(void)
{
    wrap_remove(wrap_faulty);
    faulty_fail_at(0, 0, FAULTY_EIO, false);
}
