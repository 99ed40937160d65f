/* Changing the extent of a dataset.
 *
 * Chunks that leave the extent are removed. Of those that stay at its edge, the elements that leave it get the fill value,
 * so that they show it when the extent grows again. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "dataset/chunks.h"
#include "dataset/storage.h"
#include "dataset/virtual.h"
#include "file/alloc.h"
#include "file/change.h"

struct resize {
    struct ts_dataset_core *core;
    const hsize_t *old, *dims;
    hsize_t kept[H5S_MAX_RANK]; /* chunks in both extents */
    uint8_t *blank;             /* one fill value, NULL when each element needs its own */
};

static hsize_t chunks_in(const struct resize *r, const hsize_t *dims, unsigned i)
{
    return ts_div_ceil(dims[i], r->core->layout.chunk.dims[i]);
}

/* Some of the chunk's elements leave the extent in this dimension. */
static bool is_cut(const struct resize *r, const hsize_t *scaled, unsigned i)
{
    hsize_t size = r->core->layout.chunk.dims[i];
    return r->dims[i] < r->old[i] && scaled[i] == r->dims[i] / size && r->dims[i] % size != 0;
}

static int reset_run(const struct resize *r, uint8_t *bytes, hsize_t from, hsize_t n)
{
    size_t size = ts_type_size(r->core->type);
    if (!r->blank)
        return ts_dataset_fill_elements(r->core, (size_t)n, bytes + from * size);
    for (hsize_t i = 0; i < n; i++)
        memcpy(bytes + (from + i) * size, r->blank, size);
    return 0;
}

struct reset {
    const struct resize *r;
    const hsize_t *scaled;
};

/* Row by row: of rows that stay, what lies behind the edge goes; other rows go whole. */
static int reset_chunk(void *bytes, void *ctx)
{
    const struct reset *e = ctx;
    const struct resize *r = e->r;
    const hsize_t *size = r->core->layout.chunk.dims;
    unsigned rank = r->core->rank;
    hsize_t at[H5S_MAX_RANK] = {0}, keep[H5S_MAX_RANK], from = 0;
    for (unsigned i = 0; i < rank; i++)
        keep[i] = is_cut(r, e->scaled, i) ? r->dims[i] % size[i] : size[i];
    for (unsigned i = 0; i < rank;) {
        bool all = false;
        for (unsigned k = 0; k + 1 < rank; k++)
            all = all || at[k] >= keep[k];
        hsize_t stay = all ? 0 : keep[rank - 1];
        if (stay < size[rank - 1] && reset_run(r, bytes, from + stay, size[rank - 1] - stay) < 0)
            return -1;
        from += size[rank - 1];
        for (i = 1; i < rank; i++) {
            unsigned k = rank - 1 - i;
            if (++at[k] < size[k])
                break;
            at[k] = 0;
        }
    }
    return 0;
}

/* A chunk that stays: other elements, or another way to be stored. */
static int adapt_chunk(struct resize *r, const hsize_t *scaled)
{
    struct reset e = {r, scaled};
    bool cut = false;
    for (unsigned i = 0; i < r->core->rank; i++)
        cut = cut || is_cut(r, scaled, i);
    if (!cut && ts_core_chunk_filtered(r->core, r->old, scaled) == ts_core_chunk_filtered(r->core, r->dims, scaled))
        return 0;
    return ts_dataset_chunk_edit(r->core, scaled, cut ? reset_chunk : NULL, &e) < 0 ? -1 : 0;
}

/* Chunks that stay, of one slab: those with this place in dimension `dim`. */
static int adapt_slab(struct resize *r, unsigned dim, hsize_t place)
{
    hsize_t scaled[H5S_MAX_RANK] = {0};
    unsigned rank = r->core->rank;
    scaled[dim] = place;
    for (unsigned i = 0; i < rank;) {
        if (adapt_chunk(r, scaled) < 0)
            return -1;
        for (i = 0; i < rank; i++) {
            unsigned k = rank - 1 - i;
            if (k == dim)
                continue;
            if (++scaled[k] < r->kept[k])
                break;
            scaled[k] = 0;
        }
    }
    return 0;
}

/* Chunks change at the edges of the extents only: the last of the smaller one in each dimension that changes. Where slabs
 * cross, chunks come again; they are as they must be then. */
static int adapt_edges(struct resize *r)
{
    bool partial = r->core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL && r->core->pipeline.n > 0;
    for (unsigned i = 0; i < r->core->rank; i++)
        if (r->kept[i] == 0)
            return 0;
    for (unsigned i = 0; i < r->core->rank; i++)
        if (r->dims[i] < r->old[i] || (partial && r->dims[i] != r->old[i]))
            if (adapt_slab(r, i, r->kept[i] - 1) < 0)
                return -1;
    return 0;
}

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
    if (core->layout.cls != H5D_CHUNKED)
        return 0;
    if (ts_dataset_core_index(core, &index) < 0 || ts_chunk_index_resize(index, dims, free_chunk, core->file) < 0)
        return -1;
    return ts_dataset_store_layout(core);
}

static int change_extent(struct ts_dataset_core *core, const hsize_t *dims)
{
    struct ts_space *space;
    if (ts_space_copy(core->space, &space) < 0)
        return -1;
    if (ts_space_resize(space, dims) < 0 || ts_change_begin(core->file) < 0) {
        ts_space_unref(space);
        return -1;
    }
    int status = resize_index(core, dims);
    if (status == 0)
        status = store_space(core, space);
    if (status == 0) {
        pthread_mutex_lock(&core->lock);
        struct ts_space *old = core->space;
        core->space = space;
        pthread_mutex_unlock(&core->lock);
        space = old;
    }
    ts_space_unref(space);
    return ts_change_end(core->file, status);
}

static int make_blank(struct resize *r)
{
    if (r->core->fill.element && ts_type_has_vlen_or_ref(r->core->type))
        return 0;
    r->blank = ts_malloc(ts_type_size(r->core->type));
    return r->blank ? ts_dataset_fill_elements(r->core, 1, r->blank) : -1;
}

static int resize_chunked(struct ts_dataset_core *core, const hsize_t *old, const hsize_t *dims)
{
    struct resize r = {.core = core, .old = old, .dims = dims};
    for (unsigned i = 0; i < core->rank; i++) {
        hsize_t before = chunks_in(&r, old, i), after = chunks_in(&r, dims, i);
        r.kept[i] = before < after ? before : after;
    }
    int status = make_blank(&r);
    if (status == 0)
        status = adapt_edges(&r);
    ts_free(r.blank);
    if (status < 0)
        return -1;
    ts_dataset_chunks_drop(core, dims);
    if (change_extent(core, dims) < 0)
        return -1;
    return core->fill.alloc_time == H5D_ALLOC_TIME_EARLY ? ts_dataset_allocate_chunks(core, old, dims) : 0;
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
    hsize_t old[H5S_MAX_RANK];
    memcpy(old, ts_space_dims(core->space), core->rank * sizeof *old);
    if (memcmp(old, dims, core->rank * sizeof *old) == 0)
        return 0;
    if (core->layout.cls == H5D_CHUNKED)
        return resize_chunked(core, old, dims);
    if (change_extent(core, dims) < 0)
        return -1;
    return d->virtual ? ts_virtual_show(d, dims) : 0;
}

/* dims may be less than what is there only with `shrink`. */
static int change_dims(struct ts_dataset *d, const hsize_t *dims, bool shrink)
{
    struct ts_dataset_core *core = d->core;
    hsize_t wanted[H5S_MAX_RANK] = {0};
    if (!core->file->writable)
        return TS_ERR(FILE, WRITEERROR, "%s is open for reading only: no write intent", core->file->name);
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
