#include "dataset/chunks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/change.h"
#include "file/mutation.h"
#include "object/vl_sink.h"

static unsigned long long addr_of(const struct ts_dataset_core *core)
{
    return core->addr;
}

int ts_chunk_locate(struct ts_dataset_core *core, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    ts_file_lock(core->file);
    int found = ts_dataset_core_index(core, &index) < 0 ? -1 : ts_chunk_index_lookup(index, scaled, out);
    ts_file_unlock(core->file);
    return found;
}

bool ts_core_chunk_filtered(const struct ts_dataset_core *core, const hsize_t *dims, const hsize_t *scaled)
{
    if (core->pipeline.n == 0)
        return false;
    if (!(core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL))
        return true;
    for (unsigned i = 0; i < core->rank; i++)
        if (scaled[i] >= dims[i] / core->layout.chunk.dims[i])
            return false;
    return true;
}

/* By the extent of now; for writers. */
static bool filtered_now(struct ts_dataset_core *core, const hsize_t *scaled)
{
    return ts_core_chunk_filtered(core, ts_space_dims(core->space), scaled);
}

static int decode(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, const struct ts_filter_options *options,
                  void **buf)
{
    size_t size = (size_t)rec->size;
    if (ts_file_read(core->file, rec->addr, size, *buf) < 0 ||
        ts_pipeline_decode_with(&core->pipeline, rec->filter_mask, buf, &size, (size_t)core->chunk_bytes, options) < 0)
        return -1;
    if (size < core->chunk_bytes)
        return TS_ERR(PLINE, CANTFILTER, "dataset at %#llx: the chunk at %#llx decodes to %zu bytes instead of %llu",
                      addr_of(core), (unsigned long long)rec->addr, size, (unsigned long long)core->chunk_bytes);
    return 0;
}

/* The size in the index is believed only as far as the file goes. */
int ts_chunk_decode(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, const struct ts_filter_options *options,
                    void **bytes)
{
    if (!ts_file_has(core->file, rec->addr, rec->size))
        return TS_ERR(IO, READERROR, "dataset at %#llx: a chunk of %llu bytes at %#llx lies behind the end of the file",
                      addr_of(core), (unsigned long long)rec->size, (unsigned long long)rec->addr);
    void *buf = ts_malloc(rec->size ? (size_t)rec->size : 1);
    if (!buf)
        return -1;
    if (decode(core, rec, options, &buf) < 0) {
        ts_free(buf);
        return -1;
    }
    *bytes = buf;
    return 0;
}

static int read_plain(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, void **bytes)
{
    if (rec->size < core->chunk_bytes || !ts_file_has(core->file, rec->addr, rec->size))
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: a chunk of %llu bytes is stored as %llu at %#llx", addr_of(core),
                      (unsigned long long)core->chunk_bytes, (unsigned long long)rec->size,
                      (unsigned long long)rec->addr);
    *bytes = ts_malloc((size_t)core->chunk_bytes);
    if (!*bytes)
        return -1;
    if (ts_file_read(core->file, rec->addr, (size_t)core->chunk_bytes, *bytes) < 0) {
        ts_free(*bytes);
        *bytes = NULL;
        return -1;
    }
    return 0;
}

int ts_chunk_blank(struct ts_dataset_core *core, void *bytes)
{
    if (ts_dataset_fills(core))
        return ts_dataset_fill_elements(core, (size_t)(core->chunk_bytes / ts_type_size(core->type)), bytes);
    memset(bytes, 0, (size_t)core->chunk_bytes);
    return 0;
}

static int new_blank(struct ts_dataset_core *core, void **bytes)
{
    *bytes = ts_malloc((size_t)core->chunk_bytes);
    if (!*bytes)
        return -1;
    if (ts_chunk_blank(core, *bytes) == 0)
        return 0;
    ts_free(*bytes);
    *bytes = NULL;
    return -1;
}

/* Without an argument it is a writer who asks. */
static int load(void *owner, const hsize_t *scaled, const void *arg, void **bytes)
{
    struct ts_dataset_core *core = owner;
    const struct ts_chunk_load *how = arg;
    struct ts_chunk_rec rec;
    if (how)
        return ts_chunk_decode(core, how->rec, how->options, bytes);
    int found = ts_chunk_locate(core, scaled, &rec);
    if (found < 0)
        return -1;
    if (!found)
        return new_blank(core, bytes);
    return filtered_now(core, scaled) ? ts_chunk_decode(core, &rec, NULL, bytes) : read_plain(core, &rec, bytes);
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
        int had = ts_chunk_index_insert(index, &recs[i], false, &old);
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
    if (!core->gone)
        return ts_change_end(core->file, enter(core, recs, n));
    for (size_t i = 0; i < n; i++)
        ts_file_free(core->file, H5FD_MEM_DRAW, recs[i].addr, recs[i].size);
    return ts_change_end(core->file, 0);
}

/* A broken rule, for tests: never true otherwise. */
static bool overwrites_filtered(struct ts_dataset_core *core, struct ts_chunk_rec *rec)
{
    struct ts_chunk_rec old;
    if (!ts_mutation(TS_MUTATION_CHUNK_IN_PLACE) || ts_chunk_locate(core, rec->scaled, &old) <= 0 || old.size != rec->size)
        return false;
    rec->addr = old.addr;
    return true;
}

/* To a new place. The bytes are on file before the index names them. */
static int store_elsewhere(struct ts_dataset_core *core, struct ts_chunk_rec *rec, const void *bytes)
{
    if (overwrites_filtered(core, rec))
        return ts_file_write(core->file, rec->addr, (size_t)rec->size, bytes);
    if (ts_chunk_alloc(core, rec->size, &rec->addr) < 0)
        return -1;
    if (ts_mutation(TS_MUTATION_INDEX_FIRST) && ts_chunks_enter(core, rec, 1) < 0)
        return -1;
    if (ts_file_write(core->file, rec->addr, (size_t)rec->size, bytes) < 0) {
        ts_chunk_free(core, rec);
        return TS_ERR(DATASET, WRITEERROR, "dataset at %#llx: cannot write a chunk of %llu bytes", addr_of(core),
                      (unsigned long long)rec->size);
    }
    return ts_chunks_enter(core, rec, 1);
}

static bool is_fresh(struct ts_dataset_core *core, haddr_t addr)
{
    ts_file_lock(core->file);
    bool fresh = ts_file_fresh(core->file, addr);
    ts_file_unlock(core->file);
    return fresh;
}

/* Where the bytes of a chunk that has its place and is not filtered now may go. After a crash half-way they must be right
 * as the last commit sees them, each element old or new: elements that lead to heaps need a commit of their own, and what
 * was filtered by the extent of that commit is not touched, unless nothing on file names the chunk yet. */
static enum { ELSEWHERE, IN_PLACE, CAREFULLY } way_for(struct ts_dataset_core *core, const struct ts_chunk_rec *rec)
{
    bool heap = ts_type_has_vlen_or_ref(core->type);
    if (rec->size != core->chunk_bytes || !ts_file_has(core->file, rec->addr, rec->size))
        return ELSEWHERE;
    if (!heap && core->pipeline.n == 0)
        return IN_PLACE;
    bool stays = core->layout.chunk.index == TS_CHUNK_INDEX_IMPLICIT || is_fresh(core, rec->addr);
    return stays ? CAREFULLY : ELSEWHERE;
}

/* Of a chunk that the file has in place, only bytes [from, to) are written. */
static int store_plain(struct ts_dataset_core *core, const hsize_t *scaled, const uint8_t *bytes, size_t from, size_t to)
{
    struct ts_chunk_rec rec = {.size = 0};
    int found = ts_chunk_locate(core, scaled, &rec);
    if (found < 0)
        return -1;
    int way = found ? way_for(core, &rec) : ELSEWHERE;
    struct ts_io_out v = {.addr = rec.addr, .size = (size_t)core->chunk_bytes, .buf = bytes};
    if (way == IN_PLACE)
        return ts_file_write(core->file, rec.addr + from, to - from, bytes + from);
    if (way == CAREFULLY)
        return ts_vl_write(core->file, &v, 1);
    rec = (struct ts_chunk_rec){.size = core->chunk_bytes};
    memcpy(rec.scaled, scaled, core->rank * sizeof *scaled);
    return store_elsewhere(core, &rec, bytes);
}

int ts_chunk_store_owned(struct ts_dataset_core *core, const hsize_t *scaled, void *bytes)
{
    struct ts_chunk_rec rec = {.filter_mask = 0};
    size_t size = (size_t)core->chunk_bytes;
    int status;
    if (filtered_now(core, scaled)) {
        status = ts_pipeline_encode(&core->pipeline, &bytes, &size, &rec.filter_mask, NULL);
        rec.size = size;
        memcpy(rec.scaled, scaled, core->rank * sizeof *scaled);
        if (status == 0)
            status = store_elsewhere(core, &rec, bytes);
    } else {
        status = store_plain(core, scaled, bytes, 0, size);
    }
    ts_free(bytes);
    return status;
}

int ts_chunk_store(struct ts_dataset_core *core, const hsize_t *scaled, const void *bytes)
{
    if (!filtered_now(core, scaled))
        return store_plain(core, scaled, bytes, 0, (size_t)core->chunk_bytes);
    void *copy = ts_memdup(bytes, (size_t)core->chunk_bytes);
    return copy ? ts_chunk_store_owned(core, scaled, copy) : -1;
}

static int store(void *owner, const struct ts_chunk *c)
{
    struct ts_dataset_core *core = owner;
    if (core->gone)
        return 0;
    return filtered_now(core, c->scaled) ? ts_chunk_store(core, c->scaled, c->bytes)
                                         : store_plain(core, c->scaled, c->bytes, c->from, c->to);
}

int ts_dataset_chunks_open(struct ts_dataset_core *core)
{
    static const struct ts_chunk_class cls = {.load = load, .store = store};
    if (core->layout.cls != H5D_CHUNKED)
        return 0;
    core->chunks.cls = &cls;
    core->chunks.owner = core;
    core->chunks.lock = &core->io;
    core->chunks.rank = core->rank;
    core->chunks.chunk_bytes = (size_t)core->chunk_bytes;
    return ts_chunk_set_open(&core->chunks, core->file);
}

int ts_dataset_chunk_edit(struct ts_dataset_core *core, const hsize_t *scaled, ts_chunk_edit_fn *edit, void *ctx)
{
    struct ts_chunk_rec rec;
    struct ts_chunk *c;
    int found = ts_chunk_pin(&core->chunks, scaled, TS_CHUNK_FIND, NULL, &c, NULL);
    if (found == 0) {
        found = ts_chunk_locate(core, scaled, &rec);
        if (found > 0)
            found = ts_chunk_pin(&core->chunks, scaled, TS_CHUNK_LOAD, NULL, &c, NULL);
    }
    if (found <= 0)
        return found;
    int status = edit ? edit(c->bytes, ctx) : 0;
    if (ts_chunk_unpin(c, TS_CHUNK_DIRTY) < 0)
        status = -1;
    return status < 0 ? -1 : 1;
}

struct outside {
    const struct ts_dataset_core *core;
    const hsize_t *dims;
};

static bool is_outside(const hsize_t *scaled, const void *ctx)
{
    const struct outside *o = ctx;
    for (unsigned i = 0; i < o->core->rank; i++)
        if (scaled[i] * o->core->layout.chunk.dims[i] >= o->dims[i])
            return true;
    return false;
}

void ts_dataset_chunks_drop(struct ts_dataset_core *core, const hsize_t *dims)
{
    struct outside o = {.core = core, .dims = dims};
    bool smaller = !dims;
    for (unsigned i = 0; i < core->rank && !smaller; i++)
        smaller = dims[i] < ts_space_dims(core->space)[i];
    if (core->layout.cls == H5D_CHUNKED && smaller)
        ts_chunk_set_drop(&core->chunks, dims ? is_outside : NULL, &o);
}

int ts_dataset_chunks_flush(struct ts_dataset_core *core)
{
    return core->layout.cls == H5D_CHUNKED ? ts_chunk_set_store(&core->chunks) : 0;
}

/* The position of the chunk that begins at an offset. */
static int position(struct ts_dataset_core *core, const hsize_t *offset, hsize_t *scaled)
{
    const hsize_t *dims = ts_space_dims(core->space);
    for (unsigned i = 0; i < core->rank; i++) {
        if (offset[i] >= dims[i])
            return TS_ERR(DATASET, BADRANGE, "offset exceeds dimensions of dataset: %llu of %llu in dimension %u",
                          (unsigned long long)offset[i], (unsigned long long)dims[i], i);
        if (offset[i] % core->layout.chunk.dims[i] != 0)
            return TS_ERR(DATASET, BADVALUE, "offset doesn't fall on chunks's boundary: %llu in dimension %u",
                          (unsigned long long)offset[i], i);
        scaled[i] = offset[i] / core->layout.chunk.dims[i];
    }
    return 0;
}

struct one {
    const hsize_t *scaled;
    unsigned rank;
};

static bool is_same(const hsize_t *scaled, const void *ctx)
{
    const struct one *one = ctx;
    return memcmp(scaled, one->scaled, one->rank * sizeof *scaled) == 0;
}

static int write_raw(struct ts_dataset_core *core, struct ts_chunk_rec *rec, const void *buf)
{
    struct one one = {.scaled = rec->scaled, .rank = core->rank};
    ts_chunk_set_drop(&core->chunks, is_same, &one);
    if (core->layout.addr == HADDR_UNDEF && ts_dataset_allocate(core, false) < 0)
        return -1;
    if (core->pipeline.n > 0)
        return store_elsewhere(core, rec, buf);
    if (rec->size != core->chunk_bytes)
        return TS_ERR(DATASET, BADSIZE, "%llu bytes for a chunk of %llu that no filter changes",
                      (unsigned long long)rec->size, (unsigned long long)core->chunk_bytes);
    return store_plain(core, rec->scaled, buf, 0, (size_t)rec->size);
}

int ts_dataset_write_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t filter_mask, size_t size,
                           const void *buf)
{
    struct ts_dataset_core *core = d->core;
    struct ts_chunk_rec rec = {.size = size, .filter_mask = filter_mask};
    if (!core->file->writable)
        return TS_ERR(DATASET, WRITEERROR, "no write intent on file");
    ts_dataset_core_lock_write(core);
    int status = position(core, offset, rec.scaled);
    if (status == 0)
        status = write_raw(core, &rec, buf);
    ts_dataset_core_unlock(core);
    return status;
}

static int read_raw(struct ts_dataset_core *core, const hsize_t *offset, uint32_t *filter_mask, void *buf)
{
    struct ts_chunk_rec rec;
    hsize_t scaled[H5S_MAX_RANK];
    if (position(core, offset, scaled) < 0)
        return -1;
    int found = ts_chunk_locate(core, scaled, &rec);
    if (found < 0)
        return -1;
    if (found == 0)
        return TS_ERR(DATASET, NOTFOUND, "chunk address isn't defined: there is no such chunk");
    *filter_mask = rec.filter_mask;
    return ts_file_read(core->file, rec.addr, rec.size, buf);
}

int ts_dataset_read_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t *filter_mask, void *buf)
{
    if (ts_dataset_settle(d->core) < 0)
        return -1;
    ts_dataset_core_lock_read(d->core);
    int status = read_raw(d->core, offset, filter_mask, buf);
    ts_dataset_core_unlock(d->core);
    return status;
}
