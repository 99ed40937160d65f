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

static int move_run(const struct ts_sc_io *io, const struct ts_store *store, haddr_t addr)
{
    const struct ts_xfer *x = io->xfer;
    uint8_t *buf = x->buf + io->plan->mem_start * x->mem_size;
    size_t size = (size_t)io->plan->total * x->src_size;
    return x->write ? store->writev(store->ctx, &(struct ts_io_out){addr, size, buf}, 1)
                    : store->readv(store->ctx, &(struct ts_io_vec){addr, size, buf}, 1);
}

int ts_sc_pass(struct ts_sc_io *io, haddr_t addr)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_sc *cache = io->dset->cache;
    struct pass p = {.xfer = io->xfer, .store = ts_sc_store(cache), .addr = addr};
    ts_mutex_lock(&cache->lock);
    bool empty = io->dset->n_chunks == 0;
    cache->stats.misses += empty;
    cache->stats.bypasses += empty;
    ts_mutex_unlock(&cache->lock);
    if (!empty)
        return 0;
    int status = is_one_run(io) ? move_run(io, &p.store, addr) : ts_plan_linear(io->plan, pieces, &p);
    return status < 0 ? -1 : 1;
}
