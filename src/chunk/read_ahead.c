/* Reading ahead: read ts_sc_read_ahead, at the end, which read.c calls after each read. Chunks are entered as loading
 * by the thread that read, and filled by a worker (run) with the steps of load.c. */
#include "chunk/read_ahead.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "chunk/chunk_parts.h"
#include "chunk/load.h"

/* What a worker brings in: a batch that was entered already. */
struct ahead {
    struct ts_job job;
    struct ts_sc_io io;
    struct ts_sc_batch batch;
};

static void position(const struct ts_sc_dset *dset, hsize_t at, hsize_t *scaled)
{
    for (unsigned d = dset->rank; d-- > 0;) {
        hsize_t n = ts_div_ceil(dset->dims[d], dset->chunk_dims[d]);
        scaled[d] = at % n;
        at /= n;
    }
}

/* The first and the last chunk of a selection. */
static void ends(const struct ts_sc_io *io, hsize_t *first, hsize_t *last)
{
    const struct ts_sc_dset *dset = io->dset;
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    for (unsigned d = 0; d < dset->rank; d++) {
        const struct ts_slab *s = &io->plan->slab[d];
        low[d] = s->start / dset->chunk_dims[d];
        high[d] = (s->start + (s->count - 1) * s->stride + s->block - 1) / dset->chunk_dims[d];
    }
    *first = ts_sc_chunk_linear(dset, low);
    *last = ts_sc_chunk_linear(dset, high);
}

/* How many chunks are to be read ahead, from *from on. With the cache's lock. */
static hsize_t follow(struct ts_sc_dset *dset, hsize_t first, hsize_t last, hsize_t *from)
{
    TS_HELD(&dset->cache->lock);
    const struct ts_sc *cache = dset->cache;
    bool goes_on = dset->next_chunk > 0 && first <= dset->next_chunk && last >= dset->next_chunk;
    bool stays = last + 1 == dset->next_chunk;
    unsigned in_sequence = atomic_load_explicit(&dset->in_sequence, memory_order_relaxed);
    if (!goes_on && !stays) {
        in_sequence = 0;
        dset->ahead = 0;
    } else if (goes_on) {
        in_sequence++;
    }
    atomic_store_explicit(&dset->in_sequence, in_sequence, memory_order_relaxed);
    dset->next_chunk = last + 1;
    if (in_sequence < TS_SC_READS_IN_SEQUENCE || dset->uncached || cache->threads == 0)
        return 0;
    hsize_t end = 1, most = cache->budget / 4 / ts_sc_chunk_bytes(dset);
    for (unsigned d = 0; d < dset->rank; d++)
        end *= ts_div_ceil(dset->dims[d], dset->chunk_dims[d]);
    most = most < cache->settings.read_ahead ? most : cache->settings.read_ahead;
    end = end - dset->next_chunk < most ? end : dset->next_chunk + most;
    *from = dset->ahead > dset->next_chunk ? dset->ahead : dset->next_chunk;
    if (*from >= end)
        return 0;
    dset->ahead = end;
    return end - *from;
}

/* The job's end: the cache may be gone right afterwards. */
static void finish(struct ahead *a)
{
    struct ts_sc *cache = a->batch.cache;
    ts_sc_batch_end(&a->batch);
    ts_sc_batch_deinit(&a->batch);
    ts_free(a);
    ts_mutex_lock(&cache->lock);
    cache->jobs--;
    pthread_cond_broadcast(&cache->changed);
    ts_mutex_unlock(&cache->lock);
}

static void run(struct ts_job *job)
{
    struct ahead *a = (struct ahead *)job;
    struct ts_sc_batch *b = &a->batch;
    bool fetched = ts_sc_batch_fetch(b) == 0;
    b->ahead = true;
    for (size_t i = 0; fetched && i < b->n; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_LOAD) && ts_sc_visit_load(b, &b->visits[i]) == 0)
            b->counts.loads_ahead++;
    finish(a);
}

/* What is in memory, or on its way there, needs nothing. */
static void pass_over_known(struct ts_sc_batch *b)
{
    ts_mutex_lock(&b->cache->lock);
    for (size_t i = 0; i < b->n; i++)
        if (ts_sc_find(b->visits[i].dset, b->visits[i].want.scaled))
            b->visits[i].state = TS_SC_DONE;
    ts_mutex_unlock(&b->cache->lock);
}

/* Those that are on file and not in memory are entered as loading. -1: another thread came in between. */
static int enter(struct ts_sc_batch *b)
{
    pass_over_known(b);
    if (ts_sc_batch_locate(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        v->way = (struct ts_sc_way){TS_SC_LOAD, true};
        if (v->state == TS_SC_AWAY && v->in.at.addr == HADDR_UNDEF)
            v->state = TS_SC_DONE;
    }
    if (ts_sc_batch_enter(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_WAIT || b->visits[i].state == TS_SC_READY)
            return -1;
    return 0;
}

static int gather(struct ahead *a, hsize_t from, hsize_t n)
{
    hsize_t scaled[H5S_MAX_RANK];
    ts_sc_scale_init(&a->batch, &a->io);
    for (hsize_t i = 0; i < n && !ts_sc_batch_is_full(&a->batch); i++) {
        position(a->io.dset, from + i, scaled);
        if (ts_sc_batch_add(&a->batch, &a->io, scaled) < 0)
            return -1;
    }
    ts_sc_batch_gathered(&a->batch);
    return enter(&a->batch);
}

static void submit(struct ahead *a)
{
    struct ts_sc *cache = a->batch.cache;
    ts_mutex_lock(&cache->lock);
    cache->jobs++;
    ts_mutex_unlock(&cache->lock);
    a->job.run = run;
    if (!ts_pool_submit(&a->job, a->batch.threads))
        finish(a);
}

static void begin(struct ts_sc_dset *dset, hsize_t from, hsize_t n)
{
    unsigned mark = ts_err_mark();
    struct ahead *a = ts_calloc(1, sizeof *a);
    if (a) {
        ts_sc_batch_init(&a->batch, dset->cache);
        a->io.dset = dset;
        if (gather(a, from, n) == 0) {
            submit(a);
            return;
        }
        ts_sc_batch_end(&a->batch);
        ts_sc_batch_deinit(&a->batch);
        ts_free(a);
    }
    /* The read itself was fine. */
    ts_err_rewind(mark);
}

/* After a read from one chunk to another. */
static void read_on(struct ts_sc_dset *dset, hsize_t first, hsize_t last)
{
    hsize_t from = 0;
    ts_mutex_lock(&dset->cache->lock);
    hsize_t n = follow(dset, first, last, &from), each = n > 0 ? ts_div_ceil(n, dset->cache->threads) : 1;
    ts_mutex_unlock(&dset->cache->lock);
    for (hsize_t i = 0; i < n; i += each)
        begin(dset, from + i, each < n - i ? each : n - i);
}

static bool pays(const struct ts_sc_dset *dset)
{
    return dset->layout.coded && dset->layout.any_thread;
}

void ts_sc_read_ahead(const struct ts_sc_io *io)
{
    hsize_t first, last;
    if (io->skip_io || io->bypass || io->transfer || !io->plan->affine || io->plan->total == 0 || !pays(io->dset))
        return;
    ends(io, &first, &last);
    read_on(io->dset, first, last);
}

void ts_sc_read_on(struct ts_sc_dset *dset, const hsize_t *scaled)
{
    if (!pays(dset))
        return;
    hsize_t at = ts_sc_chunk_linear(dset, scaled);
    read_on(dset, at, at);
}

/* A sequence begins with chunks that are not in memory: those who look only go on with one. */
void ts_sc_look_on(struct ts_sc_dset *dset, const hsize_t *low, const hsize_t *high)
{
    if (atomic_load_explicit(&dset->in_sequence, memory_order_relaxed) > 0 && pays(dset))
        read_on(dset, ts_sc_chunk_linear(dset, low), ts_sc_chunk_linear(dset, high));
}
