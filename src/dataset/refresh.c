/* Following a SWMR writer. The header is read first and the index after it: the writer writes them the other way round,
 * so the index has all chunks of the extent that the header tells. Between two refreshes parts of the index may be read
 * again, and are newer then; a chunk that moved meanwhile is still where it was, as its writer gives no space out
 * again. */
#include <string.h>

#include "base/error.h"
#include "dataset/chunk_picks.h"
#include "dataset/virtual_parts.h"

/* What handles and the cache took for granted when the dataset was opened. */
static bool is_same(const struct ts_dataset_core *core, const struct ts_dataset_core *now)
{
    const struct ts_layout *a = &core->layout, *b = &now->layout;
    size_t bytes = core->rank * sizeof core->max_dims[0];
    if (core->rank != now->rank || memcmp(core->max_dims, now->max_dims, bytes) != 0 || a->cls != b->cls ||
        ts_space_class(core->space) != ts_space_class(now->space) || !ts_type_equal(core->type, now->type) ||
        core->pipeline.n != now->pipeline.n || core->filtered != now->filtered || core->external.n != now->external.n)
        return false;
    if (!ts_dataset_is_indexed(core))
        return a->cls != H5D_COMPACT || a->compact.size == b->compact.size;
    return memcmp(a->chunk.dims, b->chunk.dims, bytes) == 0 && a->chunk.flags == b->chunk.flags &&
           a->chunk.index == b->chunk.index && a->chunk.struct_type == b->chunk.struct_type;
}

/* Only what may be another: the rest is looked at without the lock. */
static void take_layout(struct ts_dataset_core *core, struct ts_dataset_core *now)
{
    struct ts_layout *to = &core->layout, *from = &now->layout;
    struct ts_chunk_index *old = atomic_load(&core->index);
    to->addr = from->addr;
    to->contiguous = from->contiguous;
    uint8_t *data = to->compact.data;
    to->compact.data = from->compact.data;
    from->compact.data = data;
    if (ts_dataset_is_indexed(core))
        to->chunk.u = from->chunk.u;
    atomic_store(&core->index, atomic_load(&now->index));
    atomic_store(&now->index, old);
    atomic_store(&core->allocated, to->addr != HADDR_UNDEF);
}

static void take_space(struct ts_dataset_core *core, struct ts_dataset_core *now)
{
    ts_mutex_lock(&core->lock);
    struct ts_space *old = core->space;
    core->space = now->space;
    now->space = old;
    now->picks = core->picks;
    core->picks = NULL;
    ts_mutex_unlock(&core->lock);
}

/* Chunks that are coded get another place with each change; writers of stock libhdf5 promise no such thing. */
static bool is_moving(const struct ts_dataset_core *core)
{
    bool moves = core->layout.cls == H5D_STRUCT_CHUNK ||
                 (core->pipeline.n > 0 && !(core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL));
    return moves && ts_file_space_stays(core->file);
}

static int renew(struct ts_dataset_core *core)
{
    struct ts_dataset_core *now;
    struct ts_chunk_index *index;
    if (ts_dataset_core_peek_anew(core->file, core->addr, &now) < 0)
        return -1;
    int status = 0;
    if (!is_same(core, now))
        status = TS_ERR(DATASET, BADVALUE,
                        "the dataset at %#llx is another than when it was opened: close it, and open it again",
                        (unsigned long long)core->addr);
    else if (ts_dataset_is_indexed(now))
        status = ts_dataset_core_index(now, &index);
    if (status == 0) {
        take_layout(core, now);
        take_space(core, now);
        if (core->rank > 0)
            ts_sc_dset_refresh(&core->sc, ts_space_dims(core->space), is_moving(core));
        else
            ts_sc_dset_drop(&core->sc, NULL, NULL);
    }
    ts_dataset_core_drop(now);
    return status;
}

int ts_dataset_refresh(struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    if (core->file->swmr != TS_SWMR_READER)
        return 0;
    if (ts_dataset_core_lock_write(core) < 0)
        return -1;
    int status = renew(core);
    ts_dataset_core_unlock(core);
    if (status == 0 && d->virtual)
        status = ts_virtual_refresh_sources(d);
    return status < 0
               ? TS_ERR(DATASET, CANTLOAD, "unable to refresh the dataset at %#llx", (unsigned long long)core->addr)
               : 0;
}

/* One source after the other, by its place in the table: while one is refreshed others may come. */
int ts_virtual_refresh_sources(struct ts_dataset *d)
{
    struct ts_virtual_visit visit;
    struct ts_virtual *v = d->virtual;
    size_t pos = 0;
    const char *key;
    void *found;
    int status = ts_virtual_enter(&visit, d);
    if (status < 0)
        return -1;
    for (bool more = true; more && status == 0;) {
        ts_mutex_lock(&v->lock);
        more = ts_dict_next(&v->sources, &pos, &key, &found);
        struct ts_dataset *source = more ? ts_dataset_ref(found) : NULL;
        ts_mutex_unlock(&v->lock);
        if (source)
            status = ts_dataset_refresh(source);
        ts_dataset_unref(source);
    }
    ts_virtual_leave(&visit);
    return status;
}
