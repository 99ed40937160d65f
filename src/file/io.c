/* Reading at addresses of the file. */
#include <string.h>

#include "base/error.h"
#include "file/file.h"
#include "file/gather.h"
#include "file/internal.h"
#include "file/overlay.h"

static bool inside(const struct ts_file *f, haddr_t addr, uint64_t size)
{
    haddr_t end = f->end;
    return addr <= end && size <= end - addr;
}

/* The end only grows here, whoever else looks at the same time. */
static void look_at_end(struct ts_file *f)
{
    haddr_t eof, now = f->end;
    unsigned mark = ts_err_mark();
    if (ts_driver_eof(f->driver, &eof) < 0)
        ts_err_rewind(mark);
    else if (eof > f->sb.base)
        while (now < eof - f->sb.base && !atomic_compare_exchange_weak(&f->end, &now, eof - f->sb.base))
            ;
}

bool ts_file_has(struct ts_file *f, haddr_t addr, uint64_t size)
{
    if (inside(f, addr, size))
        return true;
    if (f->swmr != TS_SWMR_READER || addr == HADDR_UNDEF)
        return false;
    look_at_end(f);
    return inside(f, addr, size);
}

bool ts_file_blank(struct ts_file *f, haddr_t addr, uint64_t size)
{
    haddr_t at = f->sb.base + addr;
    if (ts_gather_has(f, at, size))
        return false;
    return at >= f->bytes.physical && (at >= f->bytes.tail || at + size <= f->bytes.dead);
}

int ts_file_check_range(struct ts_file *f, haddr_t addr, size_t size)
{
    if (addr == HADDR_UNDEF)
        return TS_ERR(IO, READERROR, "%s: %zu bytes at the undefined address", f->name, size);
    if (!ts_file_has(f, addr, size))
        return TS_ERR(IO, READERROR, "%s: %zu bytes at %#llx lie behind the end of the file, %#llx", f->name, size,
                      (unsigned long long)addr, (unsigned long long)f->end);
    return 0;
}

/* How many bytes the driver has from an absolute address on. */
static int bytes_there(struct ts_file *f, haddr_t at, haddr_t *out)
{
    if (f->driver->cls->room)
        return f->driver->cls->room(f->driver, at, out);
    haddr_t physical = f->bytes.physical;
    *out = at < physical ? physical - at : 0;
    return 0;
}

/* Space that was allocated and never written is zeros. */
static int read_writable(struct ts_file *f, const struct ts_io_vec *v)
{
    haddr_t there;
    if (bytes_there(f, v->addr, &there) < 0)
        return -1;
    size_t now = v->size < there ? v->size : (size_t)there;
    if (now > 0 && ts_driver_read(f->driver, v->addr, now, v->buf) < 0)
        return -1;
    memset((uint8_t *)v->buf + now, 0, v->size - now);
    return 0;
}

static int read_driver(struct ts_file *f, const struct ts_io_vec *v, size_t n)
{
    bool all_there = !f->writable;
    if (!all_there && !f->driver->cls->room) {
        haddr_t physical = f->bytes.physical;
        all_there = true;
        for (size_t i = 0; i < n && all_there; i++)
            all_there = v[i].addr + v[i].size <= physical;
    }
    if (all_there)
        return ts_driver_readv(f->driver, v, n);
    for (size_t i = 0; i < n; i++)
        if (read_writable(f, &v[i]) < 0)
            return -1;
    return 0;
}

static int read_absolute(struct ts_file *f, const struct ts_io_vec *v, size_t n)
{
    return ts_gather_is_empty(f) ? read_driver(f, v, n) : ts_gather_read(f, v, n, read_driver);
}

static inline int read_checked(struct ts_file *f, haddr_t addr, size_t size, void *buf)
{
    struct ts_io_vec v = {.addr = f->sb.base + addr, .size = size, .buf = buf};
    if (read_absolute(f, &v, 1) < 0)
        return -1;
    const struct ts_overlay *overlay = f->bytes.overlay;
    if (overlay)
        ts_overlay_apply(overlay, addr, size, buf);
    return 0;
}

int ts_file_read(struct ts_file *f, haddr_t addr, size_t size, void *buf)
{
    if (ts_file_check_range(f, addr, size) < 0)
        return -1;
    return read_checked(f, addr, size, buf);
}

int ts_file_readv(struct ts_file *f, const struct ts_io_vec *v, size_t n)
{
    struct ts_io_vec absolute[TS_IO_BATCH];
    while (n > 0) {
        size_t now = n < TS_IO_BATCH ? n : TS_IO_BATCH;
        for (size_t i = 0; i < now; i++) {
            if (ts_file_check_range(f, v[i].addr, v[i].size) < 0)
                return -1;
            absolute[i] = v[i];
            absolute[i].addr += f->sb.base;
        }
        if (read_absolute(f, absolute, now) < 0)
            return -1;
        const struct ts_overlay *overlay = f->bytes.overlay;
        for (size_t i = 0; overlay && i < now; i++)
            ts_overlay_apply(overlay, v[i].addr, v[i].size, v[i].buf);
        v += now;
        n -= now;
    }
    return 0;
}

int ts_file_read_some(struct ts_file *f, haddr_t addr, size_t size, void *buf, size_t *got)
{
    if (ts_file_check_range(f, addr, 1) < 0)
        return -1;
    haddr_t room = f->end - addr, piece, eof;
    /* Behind the end that its writer will give the file there may have been a journal when we looked. */
    if (f->swmr == TS_SWMR_READER) {
        if (ts_driver_eof(f->driver, &eof) < 0)
            return -1;
        eof = eof > f->sb.base ? eof - f->sb.base : 0;
        room = eof > addr ? eof - addr : 0;
    }
    if (f->driver->cls->room && !f->writable) {
        if (f->driver->cls->room(f->driver, f->sb.base + addr, &piece) < 0)
            return -1;
        room = piece < room ? piece : room;
    }
    *got = size < room ? size : (size_t)room;
    return read_checked(f, addr, *got, buf);
}
