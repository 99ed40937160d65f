#include "dataset/chunks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "dataset/storage.h"
#include "file/alloc.h"
#include "file/change.h"

static unsigned long long addr_of(const struct ts_dataset_core *core)
{
    return core->addr;
}

bool ts_dataset_core_chunk_partial(const struct ts_dataset_core *core, const hsize_t *dims, const hsize_t *scaled)
{
    for (unsigned i = 0; i < core->rank; i++)
        if (scaled[i] >= dims[i] / core->layout.chunk.dims[i])
            return true;
    return false;
}

bool ts_dataset_core_chunk_filtered(const struct ts_dataset_core *core, const hsize_t *dims, const hsize_t *scaled)
{
    if (core->pipeline.n == 0)
        return false;
    return !(core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL) ||
           !ts_dataset_core_chunk_partial(core, dims, scaled);
}

int ts_chunks_begin_lookup(struct ts_dataset_core *core, struct ts_chunk_index **index)
{
    ts_file_lock(core->file);
    if (ts_dataset_core_index(core, index) == 0)
        return 0;
    ts_file_unlock(core->file);
    return -1;
}

void ts_chunks_end_lookup(struct ts_dataset_core *core)
{
    ts_file_unlock(core->file);
}

int ts_chunk_locate(struct ts_dataset_core *core, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    if (ts_chunks_begin_lookup(core, &index) < 0)
        return -1;
    int found = ts_chunk_index_lookup(index, scaled, out);
    ts_chunks_end_lookup(core);
    return found;
}

static int decode(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, void **buf)
{
    TS_MAY_MOVE_RAW_DATA();
    size_t size = (size_t)rec->size;
    if (ts_file_read(core->file, rec->addr, size, *buf) < 0 ||
        ts_pipeline_decode(&core->pipeline, rec->filter_mask, buf, &size, (size_t)core->chunk_bytes) < 0)
        return -1;
    if (size < core->chunk_bytes)
        return TS_ERR(PLINE, CANTFILTER, "dataset at %#llx: the chunk at %#llx decodes to %zu bytes instead of %llu",
                      addr_of(core), (unsigned long long)rec->addr, size, (unsigned long long)core->chunk_bytes);
    return 0;
}

/* The size in the index is believed only as far as the file goes. */
int ts_chunk_decode(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, void **bytes)
{
    if (!ts_file_has(core->file, rec->addr, rec->size))
        return TS_ERR(IO, READERROR, "dataset at %#llx: a chunk of %llu bytes at %#llx lies behind the end of the file",
                      addr_of(core), (unsigned long long)rec->size, (unsigned long long)rec->addr);
    void *buf = ts_malloc(rec->size ? (size_t)rec->size : 1);
    if (!buf)
        return -1;
    if (decode(core, rec, &buf) < 0) {
        ts_free(buf);
        return -1;
    }
    *bytes = buf;
    return 0;
}

int ts_chunk_alloc(struct ts_dataset_core *core, uint64_t size, haddr_t *addr)
{
    if (ts_change_begin(core->file) < 0)
        return -1;
    return ts_change_end(core->file, ts_file_alloc(core->file, H5FD_MEM_DRAW, size, addr));
}

void ts_chunk_free(struct ts_dataset_core *core, const struct ts_chunk_rec *rec)
{
    if (ts_change_begin(core->file) < 0)
        return;
    ts_file_free(core->file, H5FD_MEM_DRAW, rec->addr, rec->size);
    (void)ts_change_end(core->file, 0);
}

static int enter(struct ts_dataset_core *core, const struct ts_chunk_rec *recs, size_t n)
{
    struct ts_chunk_index *index;
    struct ts_chunk_rec old;
    if (ts_dataset_core_index(core, &index) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int had = ts_chunk_index_insert(index, &recs[i], &old);
        if (had < 0)
            return -1;
        if (had && old.addr != recs[i].addr)
            ts_file_free(core->file, H5FD_MEM_DRAW, old.addr, old.size);
    }
    return ts_dataset_store_layout(core);
}

int ts_chunks_enter(struct ts_dataset_core *core, const struct ts_chunk_rec *recs, size_t n)
{
    if (n == 0)
        return 0;
    if (ts_change_begin(core->file) < 0)
        return -1;
    return ts_change_end(core->file, enter(core, recs, n));
}

int ts_chunk_position(const struct ts_dataset_core *core, const hsize_t *offset, hsize_t *scaled)
{
    TS_CORE_HELD(core);
    unsigned behind = 0;
    for (unsigned i = 0; i < core->rank; i++) {
        if (offset[i] > core->sc.dims[i])
            return TS_ERR(DATASET, BADRANGE, "offset exceeds dimensions of dataset: %llu of %llu in dimension %u",
                          (unsigned long long)offset[i], (unsigned long long)core->sc.dims[i], i),
                   ts_err_because(TS_WHY_OFFSET);
        if (offset[i] % core->layout.chunk.dims[i] != 0)
            return TS_ERR(DATASET, BADVALUE, "offset doesn't fall on chunks's boundary: %llu in dimension %u",
                          (unsigned long long)offset[i], i),
                   ts_err_because(TS_WHY_OFFSET);
        scaled[i] = offset[i] / core->layout.chunk.dims[i];
        behind += offset[i] == core->sc.dims[i];
    }
    /* Right behind the end no chunk is: to libhdf5 the offset is a good one. */
    return behind == 0 ? 0 : TS_ERR(DATASET, BADRANGE, "the chunk lies behind the end of the dataset");
}

static int write_raw(struct ts_dataset_core *core, const hsize_t *scaled, const struct ts_sc_stored *at,
                     const void *buf)
{
    if (core->pipeline.n == 0 && at->size != core->chunk_bytes)
        return TS_ERR(DATASET, BADSIZE, "%llu bytes for a chunk of %llu that no filter changes",
                      (unsigned long long)at->size, (unsigned long long)core->chunk_bytes);
    if (ts_dataset_allocate(core, false) < 0)
        return -1;
    return H5SC_direct_chunk_write(&core->sc, scaled, at, buf);
}

int ts_dataset_write_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t filter_mask, size_t size,
                           const void *buf)
{
    struct ts_dataset_core *core = d->core;
    struct ts_sc_stored at = {
        .addr = HADDR_UNDEF, .size = size, .hint = (size_t)core->chunk_bytes, .note = filter_mask};
    hsize_t scaled[H5S_MAX_RANK];
    if (ts_dataset_may_write(core) < 0 || ts_dataset_core_lock_write(core) < 0)
        return -1;
    int status = ts_chunk_position(core, offset, scaled);
    if (status == 0)
        status = write_raw(core, scaled, &at, buf);
    ts_dataset_core_unlock(core);
    return status;
}

int ts_dataset_read_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t *filter_mask, void *buf, size_t *size)
{
    struct ts_sc_stored at;
    hsize_t scaled[H5S_MAX_RANK];
    if (ts_dataset_core_lock_read(d->core) < 0)
        return -1;
    int found = ts_chunk_position(d->core, offset, scaled) < 0
                    ? -1
                    : H5SC_direct_chunk_read(&d->core->sc, scaled, &at, buf, size);
    ts_dataset_core_unlock(d->core);
    if (found == 0)
        return TS_ERR(DATASET, NOTFOUND, "chunk address isn't defined: there is no such chunk");
    if (found > 0)
        *filter_mask = (uint32_t)at.note;
    return found < 0 ? -1 : 0;
}
