/* What a dataset tells of its storage. */
#include "base/checked.h"
#include "dataset/chunk_query.h"
#include "file/gather.h"

bool ts_dataset_allocated(const struct ts_dataset *d)
{
    return d->core->layout.cls == H5D_COMPACT || d->core->layout.cls == H5D_VIRTUAL || d->core->external.n > 0 ||
           d->core->allocated;
}

haddr_t ts_dataset_offset(const struct ts_dataset *d)
{
    struct ts_dataset_core *core = d->core;
    if (ts_dataset_core_lock_read(core) < 0)
        return HADDR_UNDEF;
    haddr_t addr = core->layout.cls == H5D_CONTIGUOUS && core->external.n == 0 ? core->layout.addr : HADDR_UNDEF;
    ts_dataset_core_unlock(core);
    /* Whoever asks will look there. */
    return addr == HADDR_UNDEF || ts_gather_write(core->file) < 0 ? HADDR_UNDEF : addr + core->file->sb.base;
}

static int add_chunk(const struct ts_chunk_rec *rec, void *ctx)
{
    *(hsize_t *)ctx += rec->size;
    return 0;
}

static int sum_chunks(struct ts_dataset *d, hsize_t *bytes)
{
    struct ts_chunk_index *index;
    if (ts_chunks_begin(d->core, &index) < 0)
        return -1;
    return ts_chunks_end(d->core, ts_chunk_index_iterate_from(index, NULL, add_chunk, bytes));
}

int ts_dataset_storage_size(struct ts_dataset *d, hsize_t *out)
{
    *out = 0;
    switch (d->core->layout.cls) {
    case H5D_COMPACT:
        *out = d->core->layout.compact.size;
        return 0;
    case H5D_CONTIGUOUS:
        if (ts_dataset_core_lock_read(d->core) < 0)
            return -1;
        if (ts_dataset_allocated(d))
            *out = d->core->layout.contiguous.size;
        ts_dataset_core_unlock(d->core);
        return 0;
    case H5D_CHUNKED:
    case H5D_STRUCT_CHUNK:
        return sum_chunks(d, out);
    default:
        return 0;
    }
}

int ts_dataset_space_status(struct ts_dataset *d, H5D_space_status_t *out)
{
    struct ts_space *space = ts_dataset_core_space(d->core);
    hsize_t size, full;
    if (!ts_mul_u64(ts_space_npoints(space), ts_type_size(d->type), &full))
        full = UINT64_MAX;
    ts_space_unref(space);
    if (ts_dataset_core_lock_read(d->core) < 0)
        return -1;
    *out = ts_dataset_allocated(d) ? H5D_SPACE_STATUS_ALLOCATED : H5D_SPACE_STATUS_NOT_ALLOCATED;
    ts_dataset_core_unlock(d->core);
    if (!ts_dataset_is_indexed(d->core))
        return 0;
    if (ts_dataset_storage_size(d, &size) < 0)
        return -1;
    /* As HDF5 counts: chunks that are compressed, or stand out at the edge, make a dataset look part allocated. */
    *out = size == 0      ? H5D_SPACE_STATUS_NOT_ALLOCATED
           : size == full ? H5D_SPACE_STATUS_ALLOCATED
                          : H5D_SPACE_STATUS_PART_ALLOCATED;
    return 0;
}
