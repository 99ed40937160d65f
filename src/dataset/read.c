#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "object/vl_source.h"

static unsigned long long addr_of(const struct ts_read *r)
{
    return r->d->base.loc.addr;
}

static int readv_file(void *ctx, const struct ts_io_vec *v, size_t n)
{
    return ts_file_readv(ctx, v, n);
}

int ts_read_fill(struct ts_read *r, const struct ts_piece *pieces, size_t n)
{
    const struct ts_dataset_fill *fill = &r->d->fill;
    if (fill->fill_time == H5D_FILL_TIME_NEVER || fill->state == H5D_FILL_VALUE_UNDEFINED)
        return 0;
    return ts_xfer_fill(&r->xfer, fill->element, pieces, n);
}

static int fill_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    return ts_read_fill(ctx, pieces, n);
}

static int compact_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct ts_read *r = ctx;
    return ts_xfer_memory(&r->xfer, r->d->layout.compact.data, pieces, n);
}

static int contiguous_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct ts_read *r = ctx;
    struct ts_xfer_source source = {.readv = readv_file, .ctx = ts_dataset_file(r->d)};
    return ts_xfer_file(&r->xfer, &source, r->d->layout.addr, pieces, n);
}

void ts_chunk_data_unref(struct ts_chunk_data *c)
{
    if (c && atomic_fetch_sub(&c->refs, 1) == 1) {
        ts_free(c->bytes);
        ts_free(c);
    }
}

/* The chunk that was decoded last, if it is this one. */
static struct ts_chunk_data *recall_chunk(struct ts_dataset *d, const hsize_t *scaled)
{
    struct ts_chunk_data *c = NULL;
    pthread_mutex_lock(&d->lock);
    if (d->last && memcmp(d->last->scaled, scaled, d->rank * sizeof *scaled) == 0) {
        c = d->last;
        atomic_fetch_add(&c->refs, 1);
    }
    pthread_mutex_unlock(&d->lock);
    return c;
}

static void remember_chunk(struct ts_dataset *d, struct ts_chunk_data *c)
{
    atomic_fetch_add(&c->refs, 1);
    pthread_mutex_lock(&d->lock);
    struct ts_chunk_data *old = d->last;
    d->last = c;
    pthread_mutex_unlock(&d->lock);
    ts_chunk_data_unref(old);
}

/* The stored bytes, decoded. The size in the index is believed only as far as the file goes. */
static int decode_chunk(struct ts_read *r, const struct ts_chunk_rec *rec, void **bytes)
{
    struct ts_file *f = ts_dataset_file(r->d);
    if (!ts_file_has(f, rec->addr, rec->size))
        return TS_ERR(IO, READERROR, "dataset at %#llx: a chunk of %llu bytes at %#llx lies behind the end of the file",
                      addr_of(r), (unsigned long long)rec->size, (unsigned long long)rec->addr);
    size_t size = (size_t)rec->size;
    void *buf = ts_malloc(size ? size : 1);
    if (!buf)
        return -1;
    if (ts_file_read(f, rec->addr, size, buf) < 0 ||
        ts_pipeline_decode_with(&r->d->pipeline, rec->filter_mask, &buf, &size, (size_t)r->d->chunk_bytes,
                                &r->options->filter) < 0) {
        ts_free(buf);
        return -1;
    }
    if (size < r->d->chunk_bytes) {
        ts_free(buf);
        return TS_ERR(PLINE, CANTFILTER, "dataset at %#llx: the chunk at %#llx decodes to %zu bytes instead of %llu",
                      addr_of(r), (unsigned long long)rec->addr, size, (unsigned long long)r->d->chunk_bytes);
    }
    *bytes = buf;
    return 0;
}

static int load_chunk(struct ts_read *r, const struct ts_chunk_rec *rec, const hsize_t *scaled,
                      struct ts_chunk_data **out)
{
    struct ts_chunk_data *c = ts_calloc(1, sizeof *c);
    if (!c)
        return -1;
    atomic_init(&c->refs, 1);
    memcpy(c->scaled, scaled, r->d->rank * sizeof *scaled);
    if (decode_chunk(r, rec, &c->bytes) < 0) {
        ts_chunk_data_unref(c);
        return -1;
    }
    /* What was decoded without checks is not for others. */
    if (!r->options->filter.skip_checksums && !r->options->filter.on_fail)
        remember_chunk(r->d, c);
    *out = c;
    return 0;
}

/* Where the pieces of the current chunk come from. */
struct chunk_read {
    struct ts_read *r;
    struct ts_chunk_index *index;
    enum { FROM_FILL, FROM_FILE, FROM_MEMORY } from;
    haddr_t addr;
    struct ts_chunk_data *data;
};

static int begin_chunk(const hsize_t *scaled, void *ctx)
{
    struct chunk_read *c = ctx;
    struct ts_read *r = c->r;
    struct ts_chunk_rec rec;
    bool filtered = ts_dataset_chunk_filtered(r->d, r->dims, scaled);
    if (filtered && (c->data = recall_chunk(r->d, scaled))) {
        c->from = FROM_MEMORY;
        return 0;
    }
    int found = ts_chunk_index_lookup(c->index, scaled, &rec);
    if (found < 0)
        return -1;
    if (found == 0) {
        c->from = FROM_FILL;
        return 0;
    }
    if (filtered) {
        c->from = FROM_MEMORY;
        return load_chunk(r, &rec, scaled, &c->data);
    }
    c->from = FROM_FILE;
    c->addr = rec.addr;
    if (rec.size < r->d->chunk_bytes || !ts_file_has(ts_dataset_file(r->d), rec.addr, rec.size))
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: a chunk of %llu bytes is stored as %llu at %#llx", addr_of(r),
                      (unsigned long long)r->d->chunk_bytes, (unsigned long long)rec.size,
                      (unsigned long long)rec.addr);
    return 0;
}

static int chunk_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct chunk_read *c = ctx;
    if (c->from == FROM_FILL)
        return ts_read_fill(c->r, pieces, n);
    if (c->from == FROM_MEMORY)
        return ts_xfer_memory(&c->r->xfer, c->data->bytes, pieces, n);
    struct ts_xfer_source source = {.readv = readv_file, .ctx = ts_dataset_file(c->r->d)};
    return ts_xfer_file(&c->r->xfer, &source, c->addr, pieces, n);
}

static int end_chunk(void *ctx)
{
    struct chunk_read *c = ctx;
    ts_chunk_data_unref(c->data);
    c->data = NULL;
    return 0;
}

static int read_chunked(struct ts_read *r)
{
    static const struct ts_plan_chunk_ops ops = {begin_chunk, chunk_pieces, end_chunk};
    struct chunk_read c = {.r = r};
    if (ts_dataset_index(r->d, &c.index) < 0)
        return -1;
    int status = ts_plan_chunks(r->plan, r->d->layout.chunk.dims, &ops, &c);
    ts_chunk_data_unref(c.data);
    return status;
}

static int read_layout(struct ts_read *r)
{
    const struct ts_dataset *d = r->d;
    if (d->layout.cls == H5D_VIRTUAL)
        return ts_read_virtual(r);
    if (d->external.n > 0)
        return ts_read_external(r);
    if (!ts_dataset_allocated(d)) {
        if (d->fill.state == H5D_FILL_VALUE_UNDEFINED && d->fill.fill_time != H5D_FILL_TIME_NEVER)
            return TS_ERR(DATASET, READERROR, "read requested with no data and no fill value");
        return ts_plan_linear(r->plan, fill_pieces, r);
    }
    switch (d->layout.cls) {
    case H5D_COMPACT:
        return ts_plan_linear(r->plan, compact_pieces, r);
    case H5D_CONTIGUOUS:
        return ts_plan_linear(r->plan, contiguous_pieces, r);
    default:
        return read_chunked(r);
    }
}

/* As in HDF5, what is stored goes through the transform, and with it the fill value for missing chunks; but not the fill
 * value of a dataset without storage, nor that between the sources of a virtual dataset. */
static bool transforms(const struct ts_dataset *d, const struct ts_read_options *options)
{
    return options->transform && d->layout.cls != H5D_VIRTUAL && (d->external.n > 0 || ts_dataset_allocated(d));
}

int ts_dataset_read_plan(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_plan *plan,
                         const struct ts_read_options *options, void *buf)
{
    struct ts_conv_path *path;
    struct ts_vl_source source;
    if (ts_conv_find(d->type, mem_type, &path) < 0)
        return TS_ERR(DATASET, UNSUPPORTED, "unable to convert between src and dest datatype");
    struct ts_conv_env env = options->env;
    ts_vl_source_init(&source, ts_dataset_file(d));
    env.source = &source;
    struct ts_xfer_options how = {.src_size = ts_type_size(d->type), .mem_size = ts_type_size(mem_type), .path = path,
                                  .env = &env, .flat = !ts_type_has_vlen_or_ref(mem_type),
                                  .buffer_hint = options->buffer_hint};
    struct ts_transform_run transform = {0};
    if (transforms(d, options)) {
        if (ts_transform_run_init(&transform, options->transform, mem_type) < 0) {
            ts_conv_path_unref(path);
            return -1;
        }
        how.transform = &transform;
    }
    struct ts_read r = {.d = d, .plan = plan, .dims = plan->dims, .options = options, .mem_type = mem_type, .buf = buf};
    ts_xfer_init(&r.xfer, buf, &how);
    int status = read_layout(&r);
    if (status == 0)
        status = ts_xfer_finish(&r.xfer);
    ts_xfer_deinit(&r.xfer);
    ts_transform_run_deinit(&transform);
    ts_conv_path_unref(path);
    return status;
}

/* The user's selection in the extent that the dataset has now. A space of another shape with as many elements is taken
 * as another view of data that lie in one piece, as the library does. */
static int file_selection(struct ts_dataset *d, const struct ts_space *extent, const struct ts_space *user,
                          struct ts_space **out)
{
    bool same_rank = ts_space_rank(user) == ts_space_rank(extent);
    if (same_rank && (ts_space_rank(user) == 0 || memcmp(ts_space_dims(user), ts_space_dims(extent),
                                                         ts_space_rank(user) * sizeof(hsize_t)) == 0))
        return ts_space_copy(user, out);
    if (d->layout.cls != H5D_CHUNKED && d->layout.cls != H5D_VIRTUAL &&
        ts_space_npoints(user) == ts_space_npoints(extent))
        return ts_space_copy(user, out);
    if (!same_rank)
        return TS_ERR(DATASPACE, BADVALUE, "a file selection of %u dimensions for a dataset of %u", ts_space_rank(user),
                      ts_space_rank(extent));
    if (ts_space_copy(extent, out) < 0)
        return -1;
    if (ts_space_select_copy(*out, user) < 0) {
        ts_space_unref(*out);
        return -1;
    }
    return 0;
}

int ts_dataset_read(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_space *mem,
                    const struct ts_space *file, const struct ts_read_options *options, void *buf)
{
    struct ts_space *extent, *chosen;
    struct ts_plan plan;
    if (ts_dataset_space(d, &extent) < 0)
        return -1;
    int status = file ? file_selection(d, extent, file, &chosen) : 0;
    if (status < 0) {
        ts_space_unref(extent);
        return -1;
    }
    if (!file)
        chosen = ts_space_ref(extent);
    if (ts_space_class(extent) == H5S_NULL && ts_space_selected(mem ? mem : chosen) == 0)
        goto done;
    status = ts_plan_init(&plan, chosen, mem ? mem : file ? file : chosen);
    if (status == 0 && plan.total > 0 && !buf)
        status = TS_ERR(ARGS, BADVALUE, "no output buffer");
    if (status == 0 && plan.total > 0)
        status = ts_dataset_read_plan(d, mem_type, &plan, options, buf);
done:
    ts_space_unref(chosen);
    ts_space_unref(extent);
    return status;
}
