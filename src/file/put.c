/* The calls of the driver that change the bytes of the file, and what is known of its end. */
#include "base/error.h"
#include "file/file.h"
#include "file/internal.h"

/* The end of the bytes in the driver only grows here, whoever else writes at the same time. */
static void raise_physical(struct ts_file *f, haddr_t end)
{
    haddr_t now = f->bytes.physical;
    if (now < end)
        f->room.enough_for = 0;
    while (now < end && !atomic_compare_exchange_weak(&f->bytes.physical, &now, end))
        ;
}

/* Of a write that failed some bytes may be there, where space must not be taken for blank. */
static void see_end(struct ts_file *f)
{
    haddr_t eof;
    unsigned mark = ts_err_mark();
    if (ts_driver_eof(f->driver, &eof) == 0)
        raise_physical(f, eof);
    ts_err_rewind(mark);
}

int ts_file_put(struct ts_file *f, const struct ts_io_out *v, size_t n)
{
    int status = f->driver->cls->writing->writev(f->driver, v, n);
    /* Afterwards: a barrier that began before this may not have seen it. */
    f->sync.unsynced = true;
    if (status < 0) {
        see_end(f);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        raise_physical(f, v[i].addr + v[i].size);
    return 0;
}

int ts_file_cut(struct ts_file *f, haddr_t eof)
{
    if (f->driver->cls->writing->truncate(f->driver, eof) < 0)
        return -1;
    f->bytes.physical = eof;
    f->bytes.tail = 0;
    return 0;
}
