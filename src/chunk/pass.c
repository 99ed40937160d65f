/* A short cut for all of a small dataset that is one chunk and not in the cache: its elements go straight between file
 * and buffer, without a batch. Everything else goes by read.c and write.c. */
#include "base/lock.h"
#include "chunk/load.h"

struct pass {
    struct ts_xfer *xfer;
    struct ts_store store;
    haddr_t addr;
};

static int pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct pass *p = ctx;
    return ts_xfer_file(p->xfer, &p->store, p->addr, pieces, n);
}

/* What is longer is read in the way that io_list.c finds best. */
#define ONE_CALL_BYTES ((size_t)16 << 10)

/* Elements that stay as they are, and lie in memory in one run as they do in the file. */
static bool is_one_run(const struct ts_sc_io *io)
{
    const struct ts_plan *plan = io->plan;
    hsize_t next = 1;
    if (!plan->affine || io->xfer->path || plan->total > ONE_CALL_BYTES / io->xfer->src_size)
        return false;
    for (unsigned d = plan->rank; d-- > 0; next *= plan->shape[d])
        if (plan->shape[d] > 1 && plan->mem_stride[d] != next)
            return false;
    return true;
}

/* Without a list; what it moves is counted with the lock of the cache that the pass takes anyhow. */
static int move_run(const struct ts_sc_io *io, haddr_t addr, size_t size)
{
    const struct ts_xfer *x = io->xfer;
    struct ts_file *f = io->dset->cache->file;
    uint8_t *buf = x->buf + io->plan->mem_start * x->mem_size;
    return x->write ? ts_file_write(f, addr, size, buf) : ts_file_read(f, addr, size, buf);
}

static void count(struct ts_sc *cache, bool write, size_t one_run)
{
    cache->stats.misses++;
    cache->stats.bypasses++;
    if (one_run > 0 && write) {
        cache->stats.write_calls++;
        cache->stats.bytes_written += one_run;
    } else if (one_run > 0) {
        cache->stats.read_calls++;
        cache->stats.bytes_read += one_run;
    }
}

int ts_sc_pass(struct ts_sc_io *io, haddr_t addr)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_sc *cache = io->dset->cache;
    size_t one_run = is_one_run(io) ? (size_t)io->plan->total * io->xfer->src_size : 0;
    ts_mutex_lock(&cache->lock);
    bool empty = io->dset->n_chunks == 0;
    if (empty)
        count(cache, io->xfer->write, one_run);
    ts_mutex_unlock(&cache->lock);
    if (!empty)
        return 0;
    struct pass p = {.xfer = io->xfer, .store = ts_sc_store(cache), .addr = addr};
    int status = one_run > 0 ? move_run(io, addr, one_run) : ts_plan_linear(io->plan, pieces, &p);
    return status < 0 ? -1 : 1;
}
