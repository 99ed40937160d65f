/* Small pieces of raw data that go where nothing on file points at yet: the elements of one small dataset after
 * another. They wait in memory as long as each lies where the one before it ends, and go into the file with one call:
 * when the next lies elsewhere, with a flush, and before anything on file can name them, which every commit sees to.
 * Whoever reads finds them. What the file has of them before, nobody looks at: a crash loses nothing that was
 * flushed. */
#ifndef TS_FILE_GATHER_H
#define TS_FILE_GATHER_H

#include "file/file.h"

/* Of vectors with absolute addresses; none needs the file's lock. */

/* Whether a piece is one of those that may wait. */
bool ts_gather_takes(const struct ts_file *f, const struct ts_io_out *v);
/* Whether the piece, which is one of those, waits now; false: it is the caller's to write, and nothing that waits is in
 * its way. */
bool ts_gather(struct ts_file *f, const struct ts_io_out *v);
/* Before they are written in another way: what waits for the same places goes first. */
int ts_gather_yield(struct ts_file *f, const struct ts_io_out *v, size_t n);
/* Without a lock: another thread's pieces may come and go, the caller's own are seen. */
static inline bool ts_gather_is_empty(const struct ts_file *f)
{
    return atomic_load_explicit(&f->gathered.bytes, memory_order_acquire) == 0;
}
/* Reads by `read`, which does not know what waits. */
int ts_gather_read(struct ts_file *f, const struct ts_io_vec *v, size_t n,
                   int (*read)(struct ts_file *f, const struct ts_io_vec *v, size_t n));
/* Whether some of it waits. */
bool ts_gather_has(struct ts_file *f, haddr_t addr, uint64_t size);
/* All that waits goes into the file, if that is ours to write and takes anything more. */
int ts_gather_write(struct ts_file *f);

#endif
