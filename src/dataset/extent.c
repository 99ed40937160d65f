/* Changing the extent of a dataset. What becomes of chunks at its edge is the cache's (chunk/extent.c); those that
 * leave it are removed from the index here. */
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "dataset/storage.h"
#include "dataset/virtual.h"
#include "file/alloc.h"
#include "file/change.h"
#include "object/sohm.h"

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

static void take_space(struct ts_dataset_core *core, struct ts_space *space)
{
    ts_mutex_lock(&core->lock);
    struct ts_space *old = core->space;
    core->space = ts_space_ref(space);
    ts_mutex_unlock(&core->lock);
    ts_space_unref(old);
}

/* The dataspace message, the index and what memory says of them become those of space, which the core takes over. */
static int change_extent(struct ts_dataset_core *core, struct ts_space *space)
{
    if (ts_change_begin(core->file) < 0)
        return -1;
    int status = resize_index(core, ts_space_dims(space));
    if (status == 0)
        status = store_space(core, space);
    /* Locked once more, so that nobody sees the one without the other. */
    ts_file_lock(core->file);
    status = ts_change_end(core->file, status);
    if (status == 0)
        take_space(core, space);
    ts_file_unlock(core->file);
    return status;
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

/* Puts dimensions into the dataspace message: what its other bytes say, they still say. 0 when it is not one where that
 * will do. */
static int patch_dims(struct ts_ohdr *oh, unsigned rank, const hsize_t *dims)
{
    enum { LENGTH = 8, MOST = 8 + 2 * LENGTH * H5S_MAX_RANK };
    uint8_t body[MOST];
    const struct ts_ohdr_msg *msg = ts_ohdr_find(oh, TS_MSG_SPACE);
    if (!msg || msg->flags & (TS_MSG_FLAG_SHARED | TS_MSG_FLAG_INDEXED) || msg->size < 2 || msg->size > MOST ||
        ts_file_len_size(oh->file) != LENGTH)
        return 0;
    size_t head = msg->body[0] == 1 ? 8 : 4;
    if (msg->body[1] != rank || msg->size < head + rank * LENGTH)
        return 0;
    memcpy(body, msg->body, msg->size);
    for (unsigned d = 0; d < rank; d++) {
        uint64_t le = htole64(dims[d]);
        memcpy(body + head + d * LENGTH, &le, LENGTH);
    }
    return ts_ohdr_replace(oh, msg, body, msg->size) < 0 || ts_ohdr_touch(oh, false) < 0 ? -1 : 1;
}

/* The message, and the core's dataspace where it is, last: that is not undone. 0, and nothing has happened, when
 * somebody else has it. */
static int patch_space(struct ts_dataset_core *core, const hsize_t *dims)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(core->file, core->addr, &oh) < 0)
        return -1;
    ts_mutex_lock(&core->lock);
    int done = ts_space_is_own(core->space) ? patch_dims(oh, core->rank, dims) : 0;
    if (done == 1 && (core->file->undo.doomed || ts_space_resize(core->space, dims) < 0))
        done = -1;
    ts_mutex_unlock(&core->lock);
    ts_ohdr_close(oh);
    return done;
}

/* The index of an extent in which no chunk changes need not be written. */
static int grow_in_place(struct ts_dataset_core *core, const hsize_t *dims)
{
    struct ts_chunk_index *index;
    struct ts_file *f = core->file;
    if (ts_change_begin(f) < 0)
        return -1;
    int done =
        ts_dataset_core_index(core, &index) < 0 || ts_chunk_index_resize(index, dims, free_chunk, f) < 0 ? -1 : 1;
    /* What a file does with its first change may fail. */
    if (done == 1)
        done = ts_change_awaited(f) ? 0 : patch_space(core, dims);
    if (ts_change_end(f, done == 1 ? 0 : -1) == 0)
        return 1;
    return done == 0 ? 0 : -1;
}

/* What appending does for each row. 0, and nothing has happened, when there is more to do than this. */
static int grow(struct ts_dataset_core *core, const hsize_t *old, const hsize_t *dims)
{
    if (!ts_dataset_is_indexed(core) || core->fill.alloc_time == H5D_ALLOC_TIME_EARLY ||
        !ts_sc_dset_grows(&core->sc, dims))
        return 0;
    for (unsigned i = 0; i < core->rank; i++)
        if (dims[i] == H5S_UNLIMITED)
            return 0;
    ts_sc_dset_grow(&core->sc, dims);
    int done = grow_in_place(core, dims);
    if (done != 1)
        ts_sc_dset_grow(&core->sc, old);
    return done;
}

static int check(const struct ts_dataset_core *core, const hsize_t *dims)
{
    if (core->layout.cls == H5D_COMPACT)
        return TS_ERR(DATASET, BADVALUE, "dataset has compact storage");
    if (core->layout.cls == H5D_CONTIGUOUS && core->external.n == 0)
        return TS_ERR(DATASET, BADVALUE, "dataset has contiguous storage");
    for (unsigned i = 0; i < core->rank; i++)
        if (dims[i] > core->max_dims[i])
            return TS_ERR(DATASET, BADVALUE, "dimension cannot exceed the existing maximal size (new: %llu max: %llu)",
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
    int grown = grow(core, old, dims);
    if (grown != 0)
        return grown < 0 ? -1 : 0;
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
    hsize_t wanted[H5S_MAX_RANK];
    if (ts_dataset_may_resize(core) < 0)
        return -1;
    memcpy(wanted, dims, core->rank * sizeof *wanted);
    if (ts_dataset_core_lock_write(core) < 0)
        return -1;
    for (unsigned i = 0; !shrink && i < core->rank; i++)
        if (wanted[i] < ts_space_dims(core->space)[i])
            wanted[i] = ts_space_dims(core->space)[i];
    int status = check(core, wanted);
    if (status == 0 && d->virtual)
        status = ts_virtual_check_dims(ts_virtual_maps(d->virtual), core->rank, wanted);
    if (status == 0)
        status = set_extent(d, wanted);
    ts_dataset_core_unlock(core);
    return status < 0 ? TS_ERR(DATASET, CANTINIT, "unable to set the extent of the dataset at %#llx",
                               (unsigned long long)core->addr)
                      : 0;
}

int ts_dataset_set_extent(struct ts_dataset *d, const hsize_t *dims)
{
    return change_dims(d, dims, true);
}

int ts_dataset_extend(struct ts_dataset *d, const hsize_t *dims)
{
    return change_dims(d, dims, false);
}
