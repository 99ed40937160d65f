#include "support/faulty.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "support/wrap.h"

enum { SECTOR = 512 };

static struct {
    pthread_mutex_t lock;
    unsigned long made, fail_at;
    unsigned calls;
    enum faulty_kind kind;
    bool once;
    haddr_t bad;
    hsize_t bad_size;
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

void faulty_fail_range(haddr_t addr, hsize_t size)
{
    pthread_mutex_lock(&f.lock);
    f.bad = addr;
    f.bad_size = size;
    pthread_mutex_unlock(&f.lock);
}

static bool is_bad(const struct ts_io_out *v, size_t n)
{
    bool bad = false;
    pthread_mutex_lock(&f.lock);
    for (size_t i = 0; i < n && !bad; i++)
        bad = f.bad_size > 0 && v[i].addr < f.bad + f.bad_size && f.bad < v[i].addr + v[i].size;
    pthread_mutex_unlock(&f.lock);
    return bad;
}

static struct ts_driver *inner(struct ts_driver *d)
{
    return ((struct wrap *)d)->inner;
}

/* `end` is where what the call writes ends. */
static bool must_fail(struct ts_driver *d, unsigned call, haddr_t end)
{
    haddr_t eof = 0;
    pthread_mutex_lock(&f.lock);
    bool counts = f.calls & call && (f.kind != FAULTY_FULL || (ts_driver_eof(inner(d), &eof) == 0 && end > eof));
    f.made += counts;
    bool fail = counts && f.fail_at > 0 && (f.once ? f.made == f.fail_at : f.made >= f.fail_at);
    pthread_mutex_unlock(&f.lock);
    return fail;
}

static int fault(const char *what)
{
    return TS_ERR(IO, WRITEERROR, "%s fails as the test wants: %s", what,
                  strerror(f.kind == FAULTY_ENOSPC || f.kind == FAULTY_FULL ? ENOSPC : EIO));
}

static int fail_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    return must_fail(d, FAULTY_READ, 0) ? fault("reading") : ts_driver_readv(inner(d), v, n);
}

/* What lies inside one sector is written whole or not at all. */
static void write_half(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += v[i].size;
    left /= 2;
    for (size_t i = 0; left > 0; i++) {
        size_t now = v[i].size;
        if (left < now) {
            haddr_t end = (v[i].addr + left) / SECTOR * SECTOR;
            now = end > v[i].addr ? (size_t)(end - v[i].addr) : 0;
            left = now;
        }
        if (now > 0 && ts_driver_write(d, v[i].addr, now, v[i].buf) < 0)
            return;
        left -= now;
    }
}

static int fail_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    haddr_t end = 0;
    for (size_t i = 0; i < n; i++)
        end = v[i].addr + v[i].size > end ? v[i].addr + v[i].size : end;
    if (is_bad(v, n))
        return fault("writing");
    if (!must_fail(d, FAULTY_WRITE, end))
        return ts_driver_writev(inner(d), v, n);
    if (f.kind == FAULTY_SHORT)
        write_half(inner(d), v, n);
    return fault("writing");
}

static int fail_truncate(struct ts_driver *d, haddr_t eof)
{
    return must_fail(d, FAULTY_TRUNCATE, eof) ? fault("truncating") : ts_driver_truncate(inner(d), eof);
}

static int fail_flush(struct ts_driver *d)
{
    return must_fail(d, FAULTY_FLUSH, 0) ? fault("flushing") : ts_driver_flush(inner(d));
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
    faulty_fail_range(0, 0);
    faulty_fail_at(0, 0, FAULTY_EIO, false);
}
