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
    return ts_plan_linear(io->plan, pieces, &p) < 0 ? -1 : 1;
}
