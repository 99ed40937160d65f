/* Reading and writing datasets: from selections and types to the layout, and the layouts that lie in one piece. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "file/alloc.h"
#include "file/change.h"
#include "meta/meta.h"
#include "object/vl_sink.h"
#include "object/vl_source.h"

static int readv_file(void *ctx, const struct ts_io_vec *v, size_t n)
{
    return ts_file_readv(ctx, v, n);
}

static int writev_file(void *ctx, const struct ts_io_out *v, size_t n)
{
    return ts_file_writev(ctx, v, n);
}

struct ts_store ts_file_store(struct ts_file *f)
{
    return (struct ts_store){.readv = readv_file, .writev = writev_file, .ctx = f};
}

int ts_read_fill(struct ts_transfer *t, const struct ts_piece *pieces, size_t n)
{
    const struct ts_dataset_fill *fill = &t->core->fill;
    if (fill->fill_time == H5D_FILL_TIME_NEVER || fill->state == H5D_FILL_VALUE_UNDEFINED)
        return 0;
    return ts_xfer_fill(&t->xfer, fill->element, pieces, n);
}

static int fill_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    return ts_read_fill(ctx, pieces, n);
}

static int compact_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct ts_transfer *t = ctx;
    return ts_xfer_memory(&t->xfer, t->core->layout.compact.data, pieces, n);
}

static int contiguous_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct ts_transfer *t = ctx;
    struct ts_store store = ts_file_store(t->core->file);
    if (t->write && t->heap)
        store.writev = ts_vl_write;
    return ts_xfer_file(&t->xfer, &store, t->core->layout.addr, pieces, n);
}

static int read_layout(struct ts_transfer *t)
{
    const struct ts_dataset_core *core = t->core;
    if (core->layout.cls == H5D_VIRTUAL)
        return ts_transfer_virtual(t);
    if (core->external.n > 0)
        return ts_transfer_external(t);
    if (!ts_dataset_allocated(t->d) && (core->layout.cls != H5D_CHUNKED || ts_chunk_set_empty(&t->core->chunks))) {
        if (core->fill.state == H5D_FILL_VALUE_UNDEFINED && core->fill.fill_time != H5D_FILL_TIME_NEVER)
            return TS_ERR(DATASET, READERROR, "read requested with no data and no fill value");
        return ts_plan_linear(t->plan, fill_pieces, t);
    }
    switch (core->layout.cls) {
    case H5D_COMPACT:
        return ts_plan_linear(t->plan, compact_pieces, t);
    case H5D_CONTIGUOUS:
        return ts_plan_linear(t->plan, contiguous_pieces, t);
    default:
        return ts_read_chunked(t);
    }
}

/* The data are a part of the object header. Also after a failure what memory shows goes there. */
static int write_compact(struct ts_transfer *t)
{
    struct ts_file *f = t->core->file;
    int status = ts_plan_linear(t->plan, compact_pieces, t);
    if (status == 0)
        status = ts_xfer_finish(&t->xfer);
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, ts_dataset_store_layout(t->core)) < 0 ? -1 : status;
}

/* True when every element gets a value that does not depend on the one it had. */
static bool overwrites_all(const struct ts_transfer *t)
{
    hsize_t all = 1;
    for (unsigned i = 0; i < t->plan->rank; i++)
        all *= t->plan->dims[i];
    bool background = t->xfer.path && ts_conv_needs_background(t->xfer.path);
    return t->plan->affine && t->plan->total == all && !background;
}

static int write_layout(struct ts_transfer *t)
{
    struct ts_dataset_core *core = t->core;
    if (core->layout.cls == H5D_VIRTUAL)
        return ts_transfer_virtual(t);
    if (core->external.n > 0)
        return ts_transfer_external(t);
    if (core->layout.cls == H5D_COMPACT)
        return write_compact(t);
    if (core->layout.addr == HADDR_UNDEF && ts_dataset_allocate(core, overwrites_all(t)) < 0)
        return -1;
    return core->layout.cls == H5D_CONTIGUOUS ? ts_plan_linear(t->plan, contiguous_pieces, t) : ts_write_chunked(t);
}

/* As in HDF5, what is stored goes through the transform, and with it the fill value for missing chunks; but not the fill
 * value of a dataset without storage, nor that between the sources of a virtual dataset. */
static bool transforms(const struct ts_transfer *t)
{
    if (!t->options->transform || t->core->layout.cls == H5D_VIRTUAL)
        return false;
    return t->write || t->core->external.n > 0 || ts_dataset_allocated(t->d) ||
           (t->core->layout.cls == H5D_CHUNKED && !ts_chunk_set_empty(&t->core->chunks));
}

/* With everything for the conversion in place. */
static int run(struct ts_transfer *t, const struct ts_xfer_options *how)
{
    ts_xfer_init(&t->xfer, t->buf, how);
    int status = t->write ? write_layout(t) : read_layout(t);
    if (status == 0)
        status = ts_xfer_finish(&t->xfer);
    ts_xfer_deinit(&t->xfer);
    return status;
}

/* What elements refer to goes into the file before they do; what those before them referred to goes afterwards. */
static int run_with_sink(struct ts_transfer *t, const struct ts_xfer_options *how, struct ts_conv_env *env)
{
    struct ts_vl_sink sink;
    if (!t->write || !t->heap || t->core->layout.cls == H5D_VIRTUAL)
        return run(t, how);
    if (ts_vl_sink_open(t->core->file, &sink) < 0)
        return -1;
    env->sink = &sink;
    int status = run(t, how);
    /* Chunks must not wait in memory while the file loses what their old elements refer to. */
    if (t->core->layout.cls == H5D_CHUNKED && ts_chunk_set_store(&t->core->chunks) < 0)
        status = -1;
    if (status == 0)
        status = ts_vl_sink_settle(&sink);
    ts_vl_sink_close(&sink);
    return status;
}

static int run_converting(struct ts_transfer *t, struct ts_conv_path *path)
{
    struct ts_vl_source source;
    struct ts_conv_env env = t->options->env;
    ts_vl_source_init(&source, t->core->file);
    env.source = &source;
    struct ts_xfer_options how = {.write = t->write, .src_size = ts_type_size(t->d->type),
                                  .mem_size = ts_type_size(t->mem_type), .path = path, .env = &env,
                                  .flat = !ts_type_has_vlen_or_ref(t->mem_type),
                                  .buffer_hint = t->options->buffer_hint};
    struct ts_transform_run transform = {0};
    if (transforms(t)) {
        if (ts_transform_run_init(&transform, t->options->transform, t->mem_type) < 0)
            return -1;
        how.transform = &transform;
    }
    int status = run_with_sink(t, &how, &env);
    ts_transform_run_deinit(&transform);
    return status;
}

int ts_dataset_transfer(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_plan *plan,
                        const struct ts_transfer_options *options, void *buf)
{
    struct ts_conv_path *path;
    struct ts_transfer t = {.d = d, .core = d->core, .plan = plan, .dims = plan->dims, .options = options,
                            .mem_type = mem_type, .buf = buf, .write = options->write,
                            .heap = ts_type_has_vlen_or_ref(d->type)};
    if (t.write && !t.core->file->writable)
        return TS_ERR(DATASET, WRITEERROR, "no write intent on file");
    int found = t.write ? ts_conv_find(mem_type, d->type, &path) : ts_conv_find(d->type, mem_type, &path);
    if (found < 0)
        return TS_ERR(DATASET, UNSUPPORTED, "unable to convert between src and dest datatype");
    int status = run_converting(&t, path);
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
    if (d->core->layout.cls != H5D_CHUNKED && d->core->layout.cls != H5D_VIRTUAL &&
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

/* With the core's lock. */
static int transfer_selected(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_space *mem,
                             const struct ts_space *file, const struct ts_transfer_options *options, void *buf)
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
        status = TS_ERR(ARGS, BADVALUE, "no %s buffer", options->write ? "input" : "output");
    if (status == 0 && plan.total > 0)
        status = ts_dataset_transfer(d, mem_type, &plan, options, buf);
done:
    ts_space_unref(chosen);
    ts_space_unref(extent);
    return status;
}

int ts_dataset_read(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_space *mem,
                    const struct ts_space *file, const struct ts_transfer_options *options, void *buf)
{
    ts_dataset_core_lock_read(d->core);
    int status = transfer_selected(d, mem_type, mem, file, options, buf);
    ts_dataset_core_unlock(d->core);
    return status;
}

int ts_dataset_write(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_space *mem,
                     const struct ts_space *file, const struct ts_transfer_options *options, const void *buf)
{
    struct ts_transfer_options writing = *options;
    writing.write = true;
    if (!d->core->file->writable)
        return TS_ERR(DATASET, WRITEERROR, "no write intent on file");
    ts_dataset_core_lock_write(d->core);
    int status = transfer_selected(d, mem_type, mem, file, &writing, (void *)(uintptr_t)buf);
    ts_dataset_core_unlock(d->core);
    return status;
}
