/* What a dataset tells of its storage. */
#include "base/alloc.h"
#include "base/error.h"
#include "dataset/dataset.h"
#include "file/change.h"

bool ts_dataset_allocated(const struct ts_dataset *d)
{
    return d->core->layout.cls == H5D_COMPACT || d->core->layout.cls == H5D_VIRTUAL || d->core->external.n > 0 ||
           d->core->allocated;
}

haddr_t ts_dataset_offset(const struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    ts_dataset_core_lock_read(core);
    haddr_t addr = core->layout.cls == H5D_CONTIGUOUS && core->external.n == 0 ? core->layout.addr : HADDR_UNDEF;
    ts_dataset_core_unlock(core);
    return addr == HADDR_UNDEF ? addr : addr + core->file->sb.base;
}

/* Chunks that wait in memory are written, for the index does not have them yet; then it stays as it is until end. */
static int begin(struct ts_dataset *d, struct ts_chunk_index **index)
{
    if (ts_dataset_settle(d->core) < 0)
        return -1;
    ts_dataset_core_lock_read(d->core);
    ts_file_lock(d->core->file);
    int status = ts_dataset_core_index(d->core, index);
    if (status < 0) {
        ts_file_unlock(d->core->file);
        ts_dataset_core_unlock(d->core);
    }
    return status;
}

static int end(struct ts_dataset *d, int status)
{
    ts_file_unlock(d->core->file);
    ts_dataset_core_unlock(d->core);
    return status;
}

struct total {
    hsize_t bytes, count;
};

static int add_chunk(const struct ts_chunk_rec *rec, void *ctx)
{
    struct total *t = ctx;
    t->bytes += rec->size;
    t->count++;
    return 0;
}

static int sum_chunks(struct ts_dataset *d, struct total *t)
{
    struct ts_chunk_index *index;
    *t = (struct total){0};
    return begin(d, &index) < 0 ? -1 : end(d, ts_chunk_index_iterate(index, add_chunk, t));
}

int ts_dataset_chunk_count(struct ts_dataset *d, hsize_t *out)
{
    struct total t;
    if (sum_chunks(d, &t) < 0)
        return -1;
    *out = t.count;
    return 0;
}

int ts_dataset_storage_size(struct ts_dataset *d, hsize_t *out)
{
    struct total t;
    *out = 0;
    switch (d->core->layout.cls) {
    case H5D_COMPACT:
        *out = d->core->layout.compact.size;
        return 0;
    case H5D_CONTIGUOUS:
        ts_dataset_core_lock_read(d->core);
        if (ts_dataset_allocated(d))
            *out = d->core->layout.contiguous.size;
        ts_dataset_core_unlock(d->core);
        return 0;
    case H5D_CHUNKED:
    case H5D_STRUCT_CHUNK:
        if (sum_chunks(d, &t) < 0)
            return -1;
        *out = t.bytes;
        return 0;
    default:
        return 0;
    }
}

int ts_dataset_space_status(struct ts_dataset *d, H5D_space_status_t *out)
{
    struct ts_space *space = ts_dataset_core_space(d->core);
    hsize_t size, full = ts_space_npoints(space) * ts_type_size(d->type);
    ts_space_unref(space);
    ts_dataset_core_lock_read(d->core);
    *out = ts_dataset_allocated(d) ? H5D_SPACE_STATUS_ALLOCATED : H5D_SPACE_STATUS_NOT_ALLOCATED;
    ts_dataset_core_unlock(d->core);
    if (!ts_dataset_is_indexed(d->core))
        return 0;
    if (ts_dataset_storage_size(d, &size) < 0)
        return -1;
    /* As HDF5 counts: chunks that are compressed, or stand out at the edge, make a dataset look part allocated. */
    *out = size == 0 ? H5D_SPACE_STATUS_NOT_ALLOCATED
                     : size == full ? H5D_SPACE_STATUS_ALLOCATED : H5D_SPACE_STATUS_PART_ALLOCATED;
    return 0;
}

int ts_dataset_chunk_at(struct ts_dataset *d, const hsize_t *offset, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    hsize_t scaled[H5S_MAX_RANK];
    if (begin(d, &index) < 0)
        return -1;
    struct ts_space *space = ts_dataset_core_space(d->core);
    bool inside = true;
    for (unsigned i = 0; i < d->core->rank; i++) {
        inside = inside && offset[i] < ts_space_dims(space)[i];
        scaled[i] = offset[i] / d->core->layout.chunk.dims[i];
    }
    ts_space_unref(space);
    return end(d, inside ? ts_chunk_index_lookup(index, scaled, out) : 0);
}

struct nth {
    hsize_t left;
    struct ts_chunk_rec *out;
};

static int take_nth(const struct ts_chunk_rec *rec, void *ctx)
{
    struct nth *n = ctx;
    if (n->left-- > 0)
        return 0;
    *n->out = *rec;
    return 1;
}

int ts_dataset_chunk_nth(struct ts_dataset *d, hsize_t n, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    struct nth nth = {.left = n, .out = out};
    return begin(d, &index) < 0 ? -1 : end(d, ts_chunk_index_iterate(index, take_nth, &nth));
}

struct records {
    struct ts_chunk_rec *items;
    size_t n, capacity;
};

static int keep_record(const struct ts_chunk_rec *rec, void *ctx)
{
    struct records *r = ctx;
    if (TS_GROW(r->items, r->capacity, r->n + 1) < 0)
        return -1;
    r->items[r->n++] = *rec;
    return 0;
}

/* Where chunks may change, the visitor gets a list made before: no lock is held while it runs. */
int ts_dataset_chunk_iterate(struct ts_dataset *d, ts_chunk_visit_fn *visit, void *ctx)
{
    struct ts_chunk_index *index;
    struct records r = {0};
    if (begin(d, &index) < 0)
        return -1;
    if (!d->core->file->writable)
        return ts_chunk_index_iterate(index, visit, ctx);
    int status = end(d, ts_chunk_index_iterate(index, keep_record, &r));
    for (size_t i = 0; i < r.n && status == 0; i++)
        status = visit(&r.items[i], ctx);
    ts_free(r.items);
    return status;
}
