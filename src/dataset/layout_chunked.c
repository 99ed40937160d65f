/* Chunks in an index, most often filtered: the cache format is the array of all elements. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/chunks.h"
#include "dataset/layouts.h"

static unsigned long long addr_of(const struct ts_dataset_core *core)
{
    return core->addr;
}

static bool is_filtered(const struct ts_dataset_core *core, bool partial_bound)
{
    return core->pipeline.n > 0 && !(partial_bound && core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL);
}

static bool begins_with_zeros(const struct ts_dataset_core *core)
{
    return !ts_dataset_fills(core) || !core->fill.element;
}

static int query(void *owner, hsize_t *chunk_dims, struct ts_sc_layout *out)
{
    const struct ts_dataset_core *core = owner;
    memcpy(chunk_dims, core->layout.chunk.dims, core->rank * sizeof *chunk_dims);
    out->coded = core->pipeline.n > 0;
    out->partial_bound_differs = out->coded && core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL;
    out->zeros = begins_with_zeros(core);
    out->any_thread = ts_pipeline_any_thread(&core->pipeline);
    return 0;
}

/* Sizes in the index are believed only as far as the file goes. */
static int check(const struct ts_dataset_core *core, const struct ts_chunk_rec *rec)
{
    bool filtered = ts_dataset_core_chunk_filtered(core, core->sc.dims, rec->scaled);
    if (!filtered && rec->size < core->chunk_bytes)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: a chunk of %llu bytes is stored as %llu at %#llx",
                      addr_of(core), (unsigned long long)core->chunk_bytes, (unsigned long long)rec->size,
                      (unsigned long long)rec->addr);
    if (rec->size == 0 || !ts_file_has(core->file, rec->addr, rec->size))
        return TS_ERR(IO, READERROR, "dataset at %#llx: a chunk of %llu bytes at %#llx lies behind the end of the file",
                      addr_of(core), (unsigned long long)rec->size, (unsigned long long)rec->addr);
    return 0;
}

/* What the index says of a chunk, if it has it. */
static int describe(struct ts_dataset_core *core, bool found, const struct ts_chunk_rec *rec, struct ts_sc_stored *at)
{
    *at = (struct ts_sc_stored){.addr = HADDR_UNDEF, .hint = (size_t)core->chunk_bytes};
    if (!found)
        return 0;
    at->addr = rec->addr;
    at->size = rec->size;
    at->note = rec->filter_mask;
    return check(core, rec);
}

static int lookup(void *owner, struct ts_sc_spot *spots, size_t n)
{
    return ts_chunks_lookup(owner, spots, n, describe);
}

static int decode(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d)
{
    const struct ts_dataset_core *core = owner;
    const struct ts_decoding *one = how->transfer;
    size_t size = d->used, wanted = (size_t)core->chunk_bytes;
    if (is_filtered(core, how->partial_bound)) {
        /* The thread of the transfer tries again. */
        if (one && one->filter->on_fail && !pthread_equal(one->thread, pthread_self()))
            return TS_ERR(PLINE, CANTFILTER, "a callback of the application is not for workers");
        int status = ts_pipeline_decode_with(&core->pipeline, (uint32_t)how->at->note, &d->chunk, &size, wanted,
                                             one ? one->filter : NULL);
        d->alloc = size;
        if (status < 0)
            return -1;
    }
    if (size < wanted)
        return TS_ERR(PLINE, CANTFILTER, "dataset at %#llx: the chunk at %#llx decodes to %zu bytes instead of %zu",
                      addr_of(core), (unsigned long long)how->at->addr, size, wanted);
    d->used = wanted;
    return 0;
}

static int new_chunk(void *owner, bool fill, struct ts_sc_data *d)
{
    struct ts_dataset_core *core = owner;
    size_t size = (size_t)core->chunk_bytes;
    *d = (struct ts_sc_data){.chunk = ts_malloc(size), .used = size, .alloc = size};
    if (!d->chunk)
        return -1;
    if (!fill)
        return 0;
    d->zeros = begins_with_zeros(core);
    if (d->zeros) {
        memset(d->chunk, 0, size);
        return 0;
    }
    if (ts_dataset_fill_elements(core, size / ts_type_size(core->type), d->chunk) == 0)
        return 0;
    ts_free(d->chunk);
    *d = (struct ts_sc_data){0};
    return -1;
}

static int encode(void *owner, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out)
{
    const struct ts_dataset_core *core = owner;
    size_t size = (size_t)core->chunk_bytes;
    uint32_t mask = 0;
    if (is_filtered(core, how->partial_bound)) {
        void *bytes;
        if (ts_pipeline_encode_from(&core->pipeline, d->chunk, &size, &bytes, &mask, NULL) < 0)
            return -1;
        out->bytes = bytes;
        out->alloc = size;
    }
    out->at.size = size;
    out->at.note = mask;
    return 0;
}

static int encode_in_place(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d, struct ts_sc_coded *out)
{
    const struct ts_dataset_core *core = owner;
    void *bytes = d->chunk;
    size_t size = (size_t)core->chunk_bytes;
    uint32_t mask = 0;
    *d = (struct ts_sc_data){0};
    if (is_filtered(core, how->partial_bound) && ts_pipeline_encode(&core->pipeline, &bytes, &size, &mask, NULL) < 0) {
        ts_free(bytes);
        return -1;
    }
    out->bytes = bytes;
    out->alloc = out->at.size = size;
    out->at.note = mask;
    return 0;
}

static int selection_read(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    out->possible = !is_filtered(owner, a->partial_bound);
    out->addr = a->at->addr;
    return 0;
}

static int selection_write(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    const struct ts_dataset_core *core = owner;
    out->possible = core->pipeline.n == 0 && a->at->size == core->chunk_bytes && !ts_type_has_vlen_or_ref(core->type);
    out->addr = a->at->addr;
    return 0;
}

const struct ts_sc_layout_ops ts_layout_chunked = {
    .lookup = lookup,
    .decode = decode,
    .new_chunk = new_chunk,
    .encode = encode,
    .encode_in_place = encode_in_place,
    .place = ts_chunks_place,
    .insert = ts_chunks_insert,
    .displace = ts_chunks_displace,
    .write = ts_layout_write,
    .selection_read = selection_read,
    .selection_write = selection_write,
    .fill = ts_layout_fill,
    .layout_query = query,
    .delete_chunk = ts_chunks_delete,
    .read_missing = ts_layout_read_missing,
    .describe = ts_layout_describe,
    .fate = ts_layout_fate,
};
