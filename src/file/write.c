/* Writing raw data: the first of it marks the file. */
#include "base/error.h"
#include "file/file.h"
#include "file/gather.h"
#include "file/internal.h"

static int check_writing(const struct ts_file *f)
{
    if (!f->writable)
        return TS_ERR_AS(FILE, WRITEERROR, "no write intent on file", "%s is open for reading only", f->name);
    if (f->broken)
        return TS_ERR(FILE, WRITEERROR, "%s: an earlier flush failed half-way: nothing more is written", f->name);
    return ts_file_check_process(f);
}

/* On a disk that is nearly full nothing waits: who writes learns of it at once. */
static bool waits(struct ts_file *f, const struct ts_io_out *v)
{
    return ts_gather_takes(f, v) && ts_file_may_wait(f, v->size) && ts_gather(f, v);
}

int ts_file_writev(struct ts_file *f, const struct ts_io_out *v, size_t n)
{
    struct ts_io_out absolute[TS_IO_BATCH];
    if (check_writing(f) < 0 || ts_file_mark(f) < 0)
        return -1;
    while (n > 0) {
        size_t now = n < TS_IO_BATCH ? n : TS_IO_BATCH;
        for (size_t i = 0; i < now; i++) {
            if (ts_file_check_range(f, v[i].addr, v[i].size) < 0)
                return -1;
            absolute[i] = v[i];
            absolute[i].addr += f->sb.base;
        }
        if (!(n == 1 && waits(f, absolute)) &&
            (ts_gather_yield(f, absolute, now) < 0 || ts_file_put(f, absolute, now) < 0))
            return -1;
        v += now;
        n -= now;
    }
    return 0;
}

int ts_file_write(struct ts_file *f, haddr_t addr, size_t size, const void *buf)
{
    struct ts_io_out v = {.addr = addr, .size = size, .buf = buf};
    return ts_file_writev(f, &v, 1);
}
