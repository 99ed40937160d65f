/* Changing the extent of a dataset. What becomes of chunks at its edge is the cache's (chunk/extent.c); those that leave it
 * are removed from the index here. */
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "dataset/storage.h"
#include "dataset/virtual.h"
#include "file/alloc.h"
#include "file/change.h"

static int free_chunk(const struct ts_chunk_rec *rec, void *ctx)
{
    ts_file_free(ctx, H5FD_MEM_DRAW, rec->addr, rec->size);
    return 0;
}

/* The dataspace message, in the version that is there. */
static int put_space(struct ts_ohdr *oh, const struct ts_space *space)
{
    struct ts_wr w = {0};
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_SPACE);
    if (!msg)
        return TS_ERR(DATASET, NOTFOUND, "dataset at %#llx has no dataspace", (unsigned long long)oh->addr);
    bool shared = msg->flags & TS_MSG_FLAG_SHARED;
    unsigned version = !shared && msg->size > 0 && msg->body[0] == 1 ? 1 : 2;
    int status = ts_space_encode_extent(space, version, ts_file_len_size(oh->file), &w);
    /* A message that other objects have too stays as it is. */
    if (status == 0 && shared)
        status = ts_ohdr_remove(oh, msg);
    if (status == 0)
        status = ts_ohdr_put(oh, TS_MSG_SPACE, TS_MSG_FLAG_DONT_SHARE, w.data, w.size);
    ts_wr_free(&w);
    return status < 0 ? -1 : ts_ohdr_touch(oh, false);
}

static int store_space(struct ts_dataset_core *core, const struct ts_space *space)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(core->file, core->addr, &oh) < 0)
        return -1;
    int status = put_space(oh, space);
    ts_ohdr_close(oh);
    return status;
}

/* Inside a change. */
static int resize_index(struct ts_dataset_core *core, const hsize_t *dims)
{
    struct ts_chunk_index *index;
    if (!ts_dataset_is_indexed(core))
        return 0;
    if (ts_dataset_core_index(core, &index) < 0 || ts_chunk_index_resize(index, dims, free_chunk, core->file) < 0)
        return -1;
    return ts_dataset_store_layout(core);
}

/* The dataspace message, the index and what memory says of them become those of space, which the core takes over. */
static int change_extent(struct ts_dataset_core *core, struct ts_space *space)
{
    if (ts_change_begin(core->file) < 0)
        return -1;
    int status = resize_index(core, ts_space_dims(space));
    if (status == 0)
        status = store_space(core, space);
    if (status == 0) {
        pthread_mutex_lock(&core->lock);
        struct ts_space *old = core->space;
        core->space = ts_space_ref(space);
        pthread_mutex_unlock(&core->lock);
        ts_space_unref(old);
    }
    return ts_change_end(core->file, status);
}

/* The cache goes first: when a chunk at the edge cannot be read, nothing has happened. */
static int resize_chunked(struct ts_dataset_core *core, const hsize_t *old, struct ts_space *space)
{
    const hsize_t *dims = ts_space_dims(space);
    if (H5SC_set_extent_notify(&core->sc, dims) < 0)
        return -1;
    int status = change_extent(core, space);
    if (status < 0) {
        if (H5SC_set_extent_notify(&core->sc, old) == 0)
            ts_sc_dset_thaw(&core->sc);
    } else if (core->fill.alloc_time == H5D_ALLOC_TIME_EARLY) {
        status = ts_dataset_allocate_chunks(core, old, dims);
    }
    ts_sc_dset_thaw(&core->sc);
    return status;
}

static int check(const struct ts_dataset_core *core, const hsize_t *dims)
{
    if (core->rank == 0)
        return TS_ERR(DATASET, CANTSET, "dataset has no dimensions to change");
    if (core->layout.cls == H5D_COMPACT)
        return TS_ERR(DATASET, BADVALUE, "dataset has compact storage");
    if (core->layout.cls == H5D_CONTIGUOUS && core->external.n == 0)
        return TS_ERR(DATASET, BADVALUE, "dataset has contiguous storage");
    for (unsigned i = 0; i < core->rank; i++)
        if (dims[i] > core->max_dims[i])
            return TS_ERR(DATASET, BADVALUE, "dimension %u cannot exceed the existing maximal size (new: %llu max: %llu)", i,
                          (unsigned long long)dims[i], (unsigned long long)core->max_dims[i]);
    return 0;
}

static int set_extent(struct ts_dataset *d, const hsize_t *dims)
{
    struct ts_dataset_core *core = d->core;
    struct ts_space *space;
    hsize_t old[H5S_MAX_RANK];
    memcpy(old, ts_space_dims(core->space), core->rank * sizeof *old);
    if (memcmp(old, dims, core->rank * sizeof *old) == 0)
        return 0;
    if (ts_space_copy(core->space, &space) < 0)
        return -1;
    int status = ts_space_resize(space, dims);
    if (status == 0)
        status = ts_dataset_is_indexed(core) ? resize_chunked(core, old, space) : change_extent(core, space);
    ts_space_unref(space);
    return status == 0 && d->virtual ? ts_virtual_show(d, dims) : status;
}

/* dims may be less than what is there only with `shrink`. */
static int change_dims(struct ts_dataset *d, const hsize_t *dims, bool shrink)
{
    struct ts_dataset_core *core = d->core;
    hsize_t wanted[H5S_MAX_RANK] = {0};
    if (ts_dataset_may_resize(core) < 0)
        return -1;
    memcpy(wanted, dims, core->rank * sizeof *wanted);
    ts_dataset_core_lock_write(core);
    for (unsigned i = 0; !shrink && i < core->rank; i++)
        if (wanted[i] < ts_space_dims(core->space)[i])
            wanted[i] = ts_space_dims(core->space)[i];
    int status = check(core, wanted) < 0 ? -1 : set_extent(d, wanted);
    ts_dataset_core_unlock(core);
    return status < 0 ? TS_ERR(DATASET, CANTINIT, "unable to set the extent of the dataset at %#llx",
                               (unsigned long long)core->addr) : 0;
}

int ts_dataset_set_extent(struct ts_dataset *d, const hsize_t *dims)
{
    return change_dims(d, dims, true);
}

int ts_dataset_extend(struct ts_dataset *d, const hsize_t *dims)
{
    return change_dims(d, dims, false);
}
