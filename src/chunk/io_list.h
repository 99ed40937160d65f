/* Reads or writes that wait, to be made in few calls: sorted by address, long runs go straight between their place in
 * memory and the store, short ones that lie close together go through one window. Much is read by several threads. */
#ifndef TS_CHUNK_IO_LIST_H
#define TS_CHUNK_IO_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "H5public.h"
#include "driver/driver.h"

/* Where bytes are kept; addresses are the store's own. */
struct ts_store {
    int (*readv)(void *ctx, const struct ts_io_vec *v, size_t n);
    int (*writev)(void *ctx, const struct ts_io_out *v, size_t n); /* NULL in one that is only read from */
    void *ctx;
    struct ts_driver_costs costs;
    unsigned helpers; /* so many workers may read beside the caller, if that is of use there */
};

bool ts_store_same(const struct ts_store *a, const struct ts_store *b);

/* count runs of n bytes, the first at addr. Between runs of one block lies nothing that another thread may be writing:
 * only there is what lies between them read and written along. */
struct ts_io_run {
    haddr_t addr;
    uint8_t *buf;
    size_t n, count, step, buf_step;
    size_t block;
    size_t order; /* set by the list */
};

/* More than so many runs do not wait; a longer run waits in pieces, which threads can share. */
enum { TS_IO_LIST_RUNS = 1 << 16, TS_IO_LIST_PIECE = 1 << 20 };

struct ts_io_list {
    struct ts_store store;
    bool write; /* what the list holds; set it while the list is empty */
    struct ts_io_run *runs;
    size_t n, capacity;
    bool unsorted;
    uint8_t *window;
    size_t window_size, window_used;
};

void ts_io_list_deinit(struct ts_io_list *l);
/* The memory must stay until ts_io_list_flush. Of writes that overlap the one added last stays. */
int ts_io_list_add(struct ts_io_list *l, const struct ts_io_run *r);
/* The same of one run of n bytes: there may be many. */
static inline int ts_io_list_add_one(struct ts_io_list *l, haddr_t addr, uint8_t *buf, size_t n, size_t block)
{
    if (l->n == l->capacity || l->n == TS_IO_LIST_RUNS || n > TS_IO_LIST_PIECE)
        return ts_io_list_add(l, &(struct ts_io_run){.addr = addr, .buf = buf, .n = n, .count = 1, .block = block});
    struct ts_io_run *r = &l->runs[l->n];
    l->unsorted = l->unsorted || (l->n > 0 && r[-1].addr > addr);
    r->addr = addr;
    r->buf = buf;
    r->n = n;
    r->count = 1;
    r->step = r->buf_step = 0;
    r->block = block;
    r->order = l->n++;
    return 0;
}
int ts_io_list_flush(struct ts_io_list *l);
/* Moves what waits in one list to another of the same direction, whose store becomes that of both: they have the same,
 * or the other list is empty. */
int ts_io_list_join(struct ts_io_list *l, struct ts_io_list *from);

/* count runs of n bytes from one place in memory to another. */
void ts_copy_runs(uint8_t *dst, size_t dst_step, const uint8_t *src, size_t src_step, size_t n, size_t count);

#endif
