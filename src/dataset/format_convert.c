/* H5Dformat_convert: the chunk index becomes a B-tree of version 1 and the layout message one of version 3, which
 * libhdf5 1.8 reads. The chunks stay where they are. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/chunk_picks.h"
#include "dataset/storage.h"
#include "file/change.h"

struct records {
    const struct ts_dataset_core *core;
    struct ts_chunk_rec *recs;
    size_t n, capacity;
};

/* Version 3 cannot say that partial chunks at the edge are not filtered, but that filters were skipped. */
static int take(const struct ts_chunk_rec *rec, void *ctx)
{
    struct records *all = ctx;
    const struct ts_dataset_core *core = all->core;
    if (TS_GROW(all->recs, all->capacity, all->n + 1) < 0)
        return -1;
    struct ts_chunk_rec *own = &all->recs[all->n++];
    *own = *rec;
    if (core->pipeline.n > 0 && !ts_dataset_core_chunk_filtered(core, ts_space_dims(core->space), rec->scaled))
        own->filter_mask = core->pipeline.n < 32 ? (1u << core->pipeline.n) - 1 : UINT32_MAX;
    return 0;
}

static int keep(const struct ts_chunk_rec *rec, void *ctx)
{
    (void)rec, (void)ctx;
    return 0;
}

/* Implicit chunks have no index that could go, and would go with it. */
static int drop_old(struct ts_chunk_index *old, enum ts_chunk_index_kind kind)
{
    return kind == TS_CHUNK_INDEX_IMPLICIT ? 0 : ts_chunk_index_delete(old, keep, NULL);
}

static void index_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_dataset_core *core = step->at;
    struct ts_chunk_index *made = atomic_exchange(&core->index, core->retired);
    core->retired = NULL;
    ts_chunk_index_close(made);
}

/* Inside a change. Another thread may still look at the old index. */
static int replace(struct ts_dataset_core *core, struct ts_chunk_index *old, const struct records *all)
{
    struct ts_chunk_index *index;
    struct ts_chunk_rec none;
    enum ts_chunk_index_kind kind = core->layout.chunk.index;
    if (drop_old(old, kind) < 0 || ts_dataset_keep_layout(core) < 0 ||
        ts_undo_add(core->file, (struct ts_undo_step){.back = index_back, .at = core}) < 0)
        return -1;
    core->layout.version = 3;
    core->layout.addr = HADDR_UNDEF;
    core->layout.chunk.flags = 0;
    core->layout.chunk.index = TS_CHUNK_INDEX_BTREE1;
    memset(&core->layout.chunk.u, 0, sizeof core->layout.chunk.u);
    core->retired = old;
    atomic_store(&core->index, NULL);
    if (ts_dataset_core_index(core, &index) < 0)
        return -1;
    for (size_t i = 0; i < all->n; i++)
        if (ts_chunk_index_insert(index, &all->recs[i], &none) < 0)
            return -1;
    ts_chunk_index_layout(index, &core->layout);
    return ts_dataset_put_layout(core, ts_chunk_index_root(index));
}

static int convert_index(struct ts_dataset_core *core)
{
    struct ts_chunk_index *old;
    struct records all = {.core = core};
    if (ts_dataset_core_index(core, &old) < 0 || ts_change_begin(core->file) < 0)
        return -1;
    int status = ts_chunk_index_iterate(old, take, &all);
    if (status == 0)
        status = replace(core, old, &all);
    status = ts_change_end(core->file, status);
    ts_free(all.recs);
    return status;
}

static void forget_picks(struct ts_dataset_core *core)
{
    ts_mutex_lock(&core->lock);
    struct ts_chunk_picks *picks = core->picks;
    core->picks = NULL;
    ts_mutex_unlock(&core->lock);
    ts_chunk_picks_unref(picks);
}

static int lower_version(struct ts_dataset_core *core)
{
    if (core->layout.version <= 3)
        return 0;
    if (ts_change_begin(core->file) < 0)
        return -1;
    int status = ts_dataset_keep_layout(core);
    if (status == 0) {
        core->layout.version = 3;
        status = ts_dataset_put_layout(core, HADDR_UNDEF);
    }
    return ts_change_end(core->file, status);
}

static int convert(struct ts_dataset_core *core)
{
    switch (core->layout.cls) {
    case H5D_COMPACT:
    case H5D_CONTIGUOUS:
        return lower_version(core);
    case H5D_CHUNKED:
        if (core->layout.chunk.index == TS_CHUNK_INDEX_BTREE1)
            return 0;
        /* What is in memory knows how it was stored. */
        if (H5SC_flush_dset(&core->sc, true) < 0)
            return -1;
        forget_picks(core);
        return convert_index(core);
    case H5D_VIRTUAL: /* which has no index */
        return 0;
    default:
        return TS_ERR(DATASET, UNSUPPORTED, "the layout of the dataset at %#llx has no older format",
                      (unsigned long long)core->addr);
    }
}

int ts_dataset_format_convert(struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    if (ts_dataset_may_write(core) < 0)
        return -1;
    if (core->file->swmr == TS_SWMR_WRITER)
        return TS_ERR(DATASET, UNSUPPORTED, "%s: SWMR readers could not follow another chunk index", core->file->name);
    if (ts_dataset_core_lock_write(core) < 0)
        return -1;
    int status = convert(core);
    ts_dataset_core_unlock(core);
    return status;
}
