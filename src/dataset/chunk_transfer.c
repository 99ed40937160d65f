/* Reading and writing chunked datasets.
 *
 * Filtered chunks are read through the cache of decoded chunks; unfiltered ones straight from the file, unless the cache
 * has them. A write that covers a chunk goes straight to the file, encoded where there are filters; any other changes
 * the chunk in the cache, but a large unfiltered chunk is changed where it is. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/chunks.h"
#include "dataset/layouts.h"

/* Unfiltered chunks beyond this are changed in the file: bringing them into memory and back costs more than it saves. */
#define CACHED_BYTES ((uint64_t)1 << 20)
/* New chunks that are entered into the index together. */
#define MAX_PENDING 1024

/* Where the pieces of the current chunk come from or go to. */
struct chunk_io {
    struct ts_transfer *t;
    enum { FILL, STORE, CACHED, OWNED } where;
    haddr_t addr;           /* STORE */
    struct ts_chunk *chunk; /* CACHED */
    bool blank;             /* it was made for this write, and what it holds is of no use until that is done */
    void *owned;            /* OWNED */
    hsize_t moved;          /* elements */
    hsize_t start, end;     /* the first element that was touched, and behind the last */
    hsize_t scaled[H5S_MAX_RANK];
    struct ts_chunk_rec *pending; /* new chunks on their way to the file */
    size_t n_pending, pending_capacity;
};

static int check_plain(const struct ts_dataset_core *core, const struct ts_chunk_rec *rec)
{
    if (rec->size >= core->chunk_bytes && ts_file_has(core->file, rec->addr, rec->size))
        return 0;
    return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: a chunk of %llu bytes is stored as %llu at %#llx",
                  (unsigned long long)core->addr, (unsigned long long)core->chunk_bytes, (unsigned long long)rec->size,
                  (unsigned long long)rec->addr);
}

/* The chunk if the cache has it: 1 or 0. */
static int find_cached(struct chunk_io *io, const hsize_t *scaled)
{
    int found = ts_chunk_pin(&io->t->core->chunks, scaled, TS_CHUNK_FIND, NULL, &io->chunk, NULL);
    if (found > 0)
        io->where = CACHED;
    return found;
}

static int read_filtered(struct chunk_io *io, const hsize_t *scaled, const struct ts_chunk_rec *rec)
{
    const struct ts_filter_options *filter = &io->t->options->filter;
    struct ts_chunk_load how = {.rec = rec, .options = filter};
    /* What was decoded without checks is not for others. */
    if (filter->skip_checksums || filter->on_fail) {
        io->where = OWNED;
        return ts_chunk_decode(io->t->core, rec, filter, &io->owned);
    }
    io->where = CACHED;
    return ts_chunk_pin(&io->t->core->chunks, scaled, TS_CHUNK_LOAD, &how, &io->chunk, NULL) < 0 ? -1 : 0;
}

static int begin_read(const hsize_t *scaled, void *ctx)
{
    struct chunk_io *io = ctx;
    struct ts_dataset_core *core = io->t->core;
    struct ts_chunk_rec rec;
    bool filtered = ts_core_chunk_filtered(core, io->t->dims, scaled);
    io->moved = 0;
    if ((filtered || core->file->writable) && find_cached(io, scaled) > 0)
        return 0;
    int found = ts_chunk_locate(core, scaled, &rec);
    if (found < 0)
        return -1;
    if (found == 0) {
        io->where = FILL;
        return 0;
    }
    if (filtered)
        return read_filtered(io, scaled, &rec);
    io->where = STORE;
    io->addr = rec.addr;
    return check_plain(core, &rec);
}

static int pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct chunk_io *io = ctx;
    for (size_t i = 0; i < n; i++) {
        hsize_t end = pieces[i].src + (pieces[i].count - 1) * pieces[i].src_step + pieces[i].n;
        io->moved += pieces[i].n * pieces[i].count;
        io->start = pieces[i].src < io->start ? pieces[i].src : io->start;
        io->end = end > io->end ? end : io->end;
    }
    if (io->where == FILL)
        return ts_read_fill(io->t, pieces, n);
    if (io->where == CACHED)
        return ts_xfer_memory(&io->t->xfer, io->chunk->bytes, pieces, n);
    if (io->where == OWNED)
        return ts_xfer_memory(&io->t->xfer, io->owned, pieces, n);
    struct ts_store store = ts_file_store(io->t->core->file);
    return ts_xfer_file(&io->t->xfer, &store, io->addr, pieces, n);
}

static int end_read(void *ctx)
{
    struct chunk_io *io = ctx;
    struct ts_chunk *c = io->chunk;
    bool all = io->moved * io->t->xfer.src_size >= io->t->core->chunk_bytes;
    io->chunk = NULL;
    ts_free(io->owned);
    io->owned = NULL;
    return c ? ts_chunk_unpin(c, all ? TS_CHUNK_SPENT : 0) : 0;
}

int ts_read_chunked(struct ts_transfer *t)
{
    static const struct ts_plan_chunk_ops ops = {begin_read, pieces, end_read};
    struct chunk_io io = {.t = t};
    int status = ts_plan_chunks(t->plan, t->core->layout.chunk.dims, &ops, &io);
    /* After a failure one may still be in use. */
    return end_read(&io) < 0 ? -1 : status;
}

/* What waits goes to the file, then the new chunks into the index. */
static int settle(struct chunk_io *io)
{
    size_t n = io->n_pending;
    if (ts_xfer_finish(&io->t->xfer) < 0)
        return -1;
    io->n_pending = 0;
    return ts_chunks_enter(io->t->core, io->pending, n);
}

/* A place in the file for a chunk that the write covers. */
static int write_new(struct chunk_io *io, const hsize_t *scaled)
{
    struct ts_dataset_core *core = io->t->core;
    struct ts_chunk_rec rec = {.size = core->chunk_bytes};
    if (io->n_pending == MAX_PENDING && settle(io) < 0)
        return -1;
    if (TS_GROW(io->pending, io->pending_capacity, io->n_pending + 1) < 0 ||
        ts_chunk_alloc(core, rec.size, &rec.addr) < 0)
        return -1;
    memcpy(rec.scaled, scaled, core->rank * sizeof *scaled);
    io->pending[io->n_pending++] = rec;
    io->where = STORE;
    io->addr = rec.addr;
    return 0;
}

/* An unfiltered chunk in the file. One that is new and not covered by this write gets its fill values first. */
static int write_in_file(struct chunk_io *io, const hsize_t *scaled, enum ts_cover cover)
{
    struct ts_dataset_core *core = io->t->core;
    struct ts_chunk_rec rec;
    int found = ts_chunk_locate(core, scaled, &rec);
    if (found == 0 && cover == TS_COVER_CHUNK)
        return write_new(io, scaled);
    if (found == 0) {
        void *bytes = ts_malloc((size_t)core->chunk_bytes);
        if (!bytes)
            return -1;
        if (ts_chunk_blank(core, bytes) < 0) {
            ts_free(bytes);
            return -1;
        }
        if (ts_chunk_store_owned(core, scaled, bytes) < 0)
            return -1;
        found = ts_chunk_locate(core, scaled, &rec);
    }
    if (found < 0)
        return -1;
    io->where = STORE;
    io->addr = rec.addr;
    return check_plain(core, &rec);
}

static int write_cached(struct chunk_io *io, const hsize_t *scaled, enum ts_cover cover)
{
    struct ts_dataset_core *core = io->t->core;
    enum ts_chunk_want want = cover == TS_COVER_PART ? TS_CHUNK_LOAD : TS_CHUNK_BLANK;
    bool made = false;
    if (ts_chunk_pin(&core->chunks, scaled, want, NULL, &io->chunk, &made) < 0)
        return -1;
    io->where = CACHED;
    io->blank = want == TS_CHUNK_BLANK && made;
    /* It is zeros already. */
    bool fill = ts_dataset_fills(core) && core->fill.element;
    return io->blank && cover == TS_COVER_EXTENT && fill ? ts_chunk_blank(core, io->chunk->bytes) : 0;
}

static int write_owned(struct chunk_io *io)
{
    io->where = OWNED;
    io->owned = ts_malloc((size_t)io->t->core->chunk_bytes);
    return io->owned ? 0 : -1;
}

static int begin_write(const hsize_t *scaled, void *ctx)
{
    struct chunk_io *io = ctx;
    struct ts_dataset_core *core = io->t->core;
    bool background = io->t->xfer.path && ts_conv_needs_background(io->t->xfer.path);
    enum ts_cover cover = background ? TS_COVER_PART : ts_plan_cover(io->t->plan, core->layout.chunk.dims, scaled);
    bool filtered = ts_core_chunk_filtered(core, io->t->dims, scaled);
    memcpy(io->scaled, scaled, core->rank * sizeof *scaled);
    io->blank = false;
    io->start = HSIZE_UNDEF;
    io->end = 0;
    int cached = find_cached(io, scaled);
    if (cached != 0)
        return cached < 0 ? -1 : 0;
    if (filtered && cover == TS_COVER_CHUNK)
        return write_owned(io);
    if (core->pipeline.n == 0 && !io->t->heap && (cover == TS_COVER_CHUNK || core->chunk_bytes > CACHED_BYTES))
        return write_in_file(io, scaled, cover);
    return write_cached(io, scaled, cover);
}

/* The last element that the chunk can ever have was written. */
static bool wrote_end(const struct chunk_io *io)
{
    const struct ts_dataset_core *core = io->t->core;
    const hsize_t *dims = core->layout.chunk.dims;
    hsize_t last = 0;
    for (unsigned i = 0; i < core->rank; i++) {
        hsize_t left = core->max_dims[i] - io->scaled[i] * dims[i];
        last = last * dims[i] + (left < dims[i] ? left : dims[i]) - 1;
    }
    return io->end > last;
}

static int unpin_written(const struct chunk_io *io, struct ts_chunk *c)
{
    unsigned flags = TS_CHUNK_DIRTY | (wrote_end(io) ? TS_CHUNK_DONE : 0);
    size_t size = io->t->xfer.src_size;
    if (io->blank || io->end <= io->start)
        return ts_chunk_unpin(c, flags);
    return ts_chunk_unpin_changed(c, (size_t)io->start * size, (size_t)io->end * size, flags);
}

static int end_write(void *ctx)
{
    struct chunk_io *io = ctx;
    if (io->where == CACHED) {
        struct ts_chunk *c = io->chunk;
        io->chunk = NULL;
        return unpin_written(io, c);
    }
    if (io->where != OWNED)
        return 0;
    void *bytes = io->owned;
    io->owned = NULL;
    return ts_chunk_store_owned(io->t->core, io->scaled, bytes);
}

/* After a failure: elements of a chunk that was there are old or new; one that was made is not kept. */
static void give_up(struct chunk_io *io)
{
    if (io->chunk)
        (void)ts_chunk_unpin(io->chunk, io->blank ? TS_CHUNK_DROP : TS_CHUNK_DIRTY);
    ts_free(io->owned);
    for (size_t i = 0; i < io->n_pending; i++)
        ts_chunk_free(io->t->core, &io->pending[i]);
}

int ts_write_chunked(struct ts_transfer *t)
{
    static const struct ts_plan_chunk_ops ops = {begin_write, pieces, end_write};
    struct chunk_io io = {.t = t};
    int status = ts_plan_chunks(t->plan, t->core->layout.chunk.dims, &ops, &io);
    if (status == 0)
        status = settle(&io);
    if (status < 0)
        give_up(&io);
    ts_free(io.pending);
    return status;
}
