/* Reads or writes that wait, to be made in few calls: sorted by address, long runs go straight between their place in
 * memory and the store, short ones that lie close together go through one window. */
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
};

bool ts_store_same(const struct ts_store *a, const struct ts_store *b);

/* count runs of n bytes, the first at addr. Between runs of one block lies nothing that another thread may be writing: only
 * there is what lies between them read and written along. */
struct ts_io_run {
    haddr_t addr;
    uint8_t *buf;
    size_t n, count, step, buf_step;
    size_t block;
    size_t order; /* set by the list */
};

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
int ts_io_list_add(struct ts_io_list *l, struct ts_io_run r);
int ts_io_list_flush(struct ts_io_list *l);
/* Moves what waits in one list to another of the same direction, whose store becomes that of both: they have the same,
 * or the other list is empty. */
int ts_io_list_join(struct ts_io_list *l, struct ts_io_list *from);

/* count runs of n bytes from one place in memory to another. */
void ts_copy_runs(uint8_t *dst, size_t dst_step, const uint8_t *src, size_t src_step, size_t n, size_t count);

#endif
