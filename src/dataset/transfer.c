/* Reading and writing datasets: from selections and types to what the cache moves (chunk/shared_cache.h), or to layouts
 * that it does not serve. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "dataset/struct_chunk.h"
#include "file/alloc.h"
#include "file/change.h"
#include "object/vl_sink.h"
#include "object/vl_source.h"
#include "plist/dxpl.h"

int ts_dataset_core_read_fill(struct ts_dataset_core *core, struct ts_xfer *xfer, const struct ts_piece *pieces,
                              size_t n)
{
    const struct ts_dataset_fill *fill = &core->fill;
    if (ts_struct_never_fills(core) || fill->state == H5D_FILL_VALUE_UNDEFINED)
        return 0;
    if (core->chunk_type)
        return ts_struct_read_fill(core, xfer, pieces, n);
    return ts_xfer_fill(xfer, fill->element, pieces, n);
}

int ts_read_fill(struct ts_transfer *t, const struct ts_piece *pieces, size_t n)
{
    return ts_dataset_core_read_fill(t->core, &t->xfer, pieces, n);
}

int ts_layout_read_missing(void *core, const struct ts_sc_io *io, const struct ts_sc_move *m)
{
    (void)io;
    return ts_dataset_core_read_fill(core, m->xfer, m->pieces, m->n);
}

int ts_layout_write(void *owner, const struct ts_io_out *v, size_t n)
{
    struct ts_dataset_core *core = owner;
    return ts_vl_write(core->file, v, n);
}

static bool is_cached(const struct ts_dataset_core *core)
{
    return core->sc.cache != NULL;
}

/* As in HDF5, what is stored goes through the transform, and with it the fill value for missing chunks; but not the
 * fill value of a dataset without storage, nor that between the sources of a virtual dataset. */
static bool transforms(const struct ts_transfer *t)
{
    return t->options->transform && t->core->layout.cls != H5D_VIRTUAL && !t->missing;
}

/* A chunk leaves the cache after it was stored: who asks in this order sees one of both. */
static bool is_missing(const struct ts_transfer *t)
{
    return !ts_dataset_allocated(t->d) && ts_sc_dset_empty(&t->core->sc) && !ts_dataset_allocated(t->d);
}

/* As in HDF5, a dataset without storage and without a fill value of its own has zeros of any type. */
static bool is_blank(const struct ts_transfer *t)
{
    return t->missing && !t->core->fill.element && !t->core->chunk_type;
}

static const struct ts_type *stored_type(const struct ts_dataset *d)
{
    return d->core->chunk_type ? d->core->chunk_type : d->type;
}

static int find_path(const struct ts_dataset *d, const struct ts_type *mem_type, bool write, struct ts_conv_path **path)
{
    const struct ts_type *stored = stored_type(d);
    int found = write ? ts_conv_find(mem_type, stored, path) : ts_conv_find(stored, mem_type, path);
    return found < 0 ? TS_ERR(DATASET, UNSUPPORTED, "unable to convert between src and dest datatype") : 0;
}

/* Everything for the conversion, with the lock held. end() undoes it, also after a failure. */
static int begin(struct ts_transfer *t, struct ts_dataset *d, const struct ts_transfer_options *options)
{
    t->d = d;
    t->core = d->core;
    t->options = options;
    t->write = options->write;
    t->heap = ts_type_has_vlen_or_ref(d->type);
    if (t->write && !t->core->file->writable)
        return TS_ERR(DATASET, WRITEERROR, "no write intent on file");
    const struct ts_type *stored = stored_type(d);
    if (find_path(d, t->mem_type, t->write, &t->path) < 0)
        return -1;
    t->missing = !t->write && is_missing(t);
    ts_vl_source_init(&t->source, t->core->file);
    t->env.source = &t->source;
    t->env.made = !t->write && ts_type_has_vlen_or_ref(t->mem_type) ? &t->made : NULL;
    struct ts_xfer_options how = {.write = t->write,
                                  .src_size = ts_type_size(stored),
                                  .mem_size = ts_type_size(t->mem_type),
                                  .path = t->path,
                                  .env = &t->env,
                                  .flat = !ts_type_has_vlen_or_ref(t->mem_type),
                                  .buffer_hint = options->buffer_hint};
    if (is_blank(t)) {
        how.path = NULL;
        how.src_size = how.mem_size;
    }
    if (transforms(t)) {
        if (ts_transform_work_init(&t->transform, options->transform, t->mem_type) < 0)
            return -1;
        how.transform = &t->transform;
    }
    /* What elements refer to goes into the file before they do; what those before them referred to goes afterwards. */
    if (t->write && t->heap && t->core->layout.cls != H5D_VIRTUAL) {
        if (ts_vl_sink_open(t->core->file, &t->sink) < 0)
            return -1;
        t->env.sink = &t->sink;
    }
    ts_xfer_init(&t->xfer, t->buf, &how);
    return 0;
}

static void end(struct ts_transfer *t)
{
    ts_xfer_deinit(&t->xfer);
    if (t->env.sink)
        ts_vl_sink_close(&t->sink);
    ts_conv_made_deinit(&t->made);
    ts_transform_work_deinit(&t->transform);
    ts_conv_path_unref(t->path);
}

/* Chunks must not wait in memory while the file loses what their old elements refer to; nor does compact data, so that
 * the header always has it. */
static int store_at_once(struct ts_transfer *t)
{
    bool compact = t->core->layout.cls == H5D_COMPACT;
    bool heap = t->heap && !t->core->chunk_type;
    if (!t->write || (!heap && !compact) || ts_sc_dset_empty(&t->core->sc))
        return 0;
    int status = H5SC_flush_dset(&t->core->sc, compact);
    if (status < 0 && compact)
        ts_sc_dset_drop(&t->core->sc, NULL, NULL);
    return status;
}

static int clear_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    struct ts_transfer *t = ctx;
    size_t size = ts_type_size(t->mem_type);
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++)
            memset((uint8_t *)t->buf + (pieces[i].mem + k * pieces[i].mem_step) * size, 0, pieces[i].n * size);
    return 0;
}

/* The read failed after some of its passes: who reclaims the elements finds none, and who does not loses no memory. */
static void take_back(struct ts_transfer *t)
{
    ts_conv_undo(&t->env);
    ts_plan_linear(t->plan, clear_pieces, t);
}

/* After the elements were moved, or that failed. */
static int finish(struct ts_transfer *t, int status)
{
    if (status == 0)
        status = ts_xfer_finish(&t->xfer);
    if (store_at_once(t) < 0)
        status = -1;
    if (status == 0 && t->env.sink)
        status = ts_vl_sink_remove_old(&t->sink);
    if (status < 0 && t->env.made)
        take_back(t);
    if (status == 0 && t->first)
        status = ts_dataset_enter_storage(t->core);
    if (status < 0 && t->first)
        ts_dataset_unallocate(t->core);
    return status;
}

static int fill_pieces(const struct ts_piece *pieces, size_t n, void *ctx)
{
    return ts_read_fill(ctx, pieces, n);
}

static int read_nothing(struct ts_transfer *t)
{
    const struct ts_dataset_fill *fill = &t->core->fill;
    if (fill->state == H5D_FILL_VALUE_UNDEFINED && fill->fill_time != H5D_FILL_TIME_NEVER)
        return TS_ERR(DATASET, READERROR, "read requested with no data and no fill value");
    return ts_plan_linear(t->plan, fill_pieces, t);
}

static bool selects_all(const struct ts_plan *plan)
{
    hsize_t all = 1;
    for (unsigned i = 0; i < plan->rank; i++)
        all *= plan->dims[i];
    return plan->affine && plan->total == all;
}

/* True when every element gets a value that does not depend on the one it had. */
static bool overwrites_all(const struct ts_transfer *t)
{
    return selects_all(t->plan) && !(t->xfer.path && ts_conv_needs_background(t->xfer.path));
}

/* Several threads may move elements: no callback, no heap, and in memory each element once. */
static bool is_parallel(const struct ts_transfer *t)
{
    const struct ts_plan *plan = t->plan;
    bool once = t->write || plan->affine || (plan->mem && ts_space_sel_type(plan->mem) != H5S_SEL_POINTS);
    return once && !t->heap && !ts_type_has_vlen_or_ref(t->mem_type) && !t->xfer.transform && !t->env.except.func &&
           !t->options->filter.on_fail && ts_conv_is_own(t->path);
}

/* The index is there before the cache asks for chunks. */
static int open_index(const struct ts_transfer *t, const struct ts_sc_io *io)
{
    struct ts_chunk_index *index;
    return io->skip_io || !ts_dataset_is_indexed(t->core) ? 0 : ts_dataset_core_index(t->core, &index);
}

/* The cache's part of a transfer, or skip_io when there is nothing for it to do. */
static int make_io(struct ts_transfer *t, struct ts_sc_io *io)
{
    const struct ts_filter_options *filter = &t->options->filter;
    *io = (struct ts_sc_io){.dset = &t->core->sc, .plan = t->plan, .xfer = &t->xfer, .parallel = is_parallel(t)};
    io->skip_io = t->plan->total == 0 || t->missing;
    if (t->missing)
        return read_nothing(t);
    t->decoding = (struct ts_decoding){filter, pthread_self()};
    if (filter->skip_checksums || filter->on_fail)
        io->transfer = &t->decoding;
    /* What was decoded without checks is not for other readers. Who takes all that lies in one piece at once most
     * likely does not come again. */
    io->bypass = (io->transfer && !t->write) || (t->core->layout.cls == H5D_CONTIGUOUS && selects_all(t->plan));
    if (!t->write || io->skip_io)
        return 0;
    bool contiguous = t->core->layout.cls == H5D_CONTIGUOUS, was = t->core->allocated, all = overwrites_all(t);
    int status = ts_dataset_allocate(t->core, all);
    t->first = contiguous && all && !was && t->core->allocated;
    return status;
}

/* All of a small dataset in one piece. */
static bool is_simple(const struct ts_transfer *t, const struct ts_sc_io *io)
{
    return io->bypass && !io->skip_io && t->core->layout.cls == H5D_CONTIGUOUS && !t->heap &&
           t->core->sc.chunk_elements >= t->plan->total;
}

/* Transfers of datasets of one file, all begun: 0 when the cache is to move their elements, 1 when all is done, -1. */
static int prepare_cached(struct ts_transfer *const *all, size_t n, struct ts_sc_io *io)
{
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = make_io(all[i], &io[i]) < 0 ? -1 : open_index(all[i], &io[i]);
    if (status == 0 && n == 1 && is_simple(all[0], io))
        status = ts_sc_pass(io, all[0]->core->layout.addr);
    return status;
}

/* The same of one, which may be one that the cache does not serve. */
static int prepare_one(struct ts_transfer *t, struct ts_sc_io *io)
{
    int status;
    if (t->core->layout.cls != H5D_VIRTUAL && t->core->external.n == 0)
        return prepare_cached(&t, 1, io);
    status = t->core->layout.cls == H5D_VIRTUAL ? ts_transfer_virtual(t) : ts_transfer_external(t);
    return status < 0 ? -1 : 1;
}

/* After they were prepared, with that result. */
static inline int move_prepared(int prepared, struct ts_transfer *first, size_t n, struct ts_sc_io *io)
{
    struct ts_sc *cache = first->core->sc.cache;
    if (prepared != 0)
        return prepared < 0 ? -1 : 0;
    return first->write ? H5SC_write(cache, n, io) : H5SC_read(cache, n, io);
}

int ts_dataset_transfer(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_plan *plan,
                        const struct ts_transfer_options *options, void *buf)
{
    struct ts_transfer t = {.plan = plan, .mem_type = mem_type, .buf = buf, .env = options->env};
    struct ts_sc_io io;
    int status = begin(&t, d, options);
    if (status == 0)
        status = finish(&t, move_prepared(prepare_one(&t, &io), &t, 1, &io));
    end(&t);
    return status;
}

static bool has_dims_of(const struct ts_space *s, const struct ts_space *extent)
{
    unsigned rank = ts_space_rank(s);
    return rank == ts_space_rank(extent) &&
           (rank == 0 || memcmp(ts_space_dims(s), ts_space_dims(extent), rank * sizeof(hsize_t)) == 0);
}

/* "All" of another extent is as much as that has. */
static int select_as(struct ts_space *s, const struct ts_space *user)
{
    static const hsize_t origin[H5S_MAX_RANK];
    if (ts_space_sel_type(user) != H5S_SEL_ALL)
        return ts_space_select_copy(s, user);
    return ts_space_select_hyperslab(s, H5S_SELECT_SET, origin, NULL, ts_space_dims(user), NULL);
}

/* The user's selection in the extent that the dataset has now. A space of another shape with as many elements is taken
 * as another view of data that lie in one piece, as the library does. */
static int file_selection(struct ts_dataset *d, const struct ts_space *extent, const struct ts_space *user,
                          struct ts_space **out)
{
    bool same_rank = ts_space_rank(user) == ts_space_rank(extent);
    if (has_dims_of(user, extent))
        return ts_space_copy(user, out);
    if (!ts_dataset_is_indexed(d->core) && d->core->layout.cls != H5D_VIRTUAL &&
        ts_space_npoints(user) == ts_space_npoints(extent))
        return ts_space_copy(user, out);
    if (!same_rank)
        return TS_ERR(DATASPACE, BADVALUE, "a file selection of %u dimensions for a dataset of %u", ts_space_rank(user),
                      ts_space_rank(extent));
    if (ts_space_copy(extent, out) < 0)
        return -1;
    if (select_as(*out, user) < 0) {
        ts_space_unref(*out);
        return -1;
    }
    return 0;
}

/* One dataset's part, with all that it needs. */
struct job {
    struct ts_dataset_part *part;
    struct ts_space *extent, *chosen; /* chosen: NULL when the part has it, or it is the extent */
    struct ts_pair *pairs;
    struct ts_plan plan;
    bool nothing; /* is selected, or not known yet what */
    struct ts_transfer t;
};

/* The cache knows the dataset's extent only. */
static int see_extent(struct job *j)
{
    const struct ts_sc_dset *sc = &j->part->d->core->sc;
    struct ts_plan *plan = &j->plan;
    size_t n;
    if (!is_cached(j->part->d->core) ||
        (plan->rank == sc->rank && memcmp(plan->dims, sc->dims, sc->rank * sizeof *sc->dims) == 0))
        return 0;
    if (ts_plan_pairs(plan, &j->pairs, &n) < 0)
        return -1;
    ts_plan_init_pairs(plan, j->extent, j->pairs, n);
    return 0;
}

/* Whatever the shape of the spaces is. */
static bool selects_nothing(const struct ts_dataset_part *p)
{
    return p->file && ts_space_selected(p->file) == 0 && (!p->mem || ts_space_selected(p->mem) == 0);
}

/* With the core's lock. 1, or 0 when there is nothing to do. */
static int plan_job(struct job *j)
{
    TS_CORE_HELD(j->part->d->core);
    const struct ts_dataset_part *p = j->part;
    if (selects_nothing(p))
        return 0;
    if (ts_dataset_space(p->d, &j->extent) < 0)
        return -1;
    if (p->file && !has_dims_of(p->file, j->extent) && file_selection(p->d, j->extent, p->file, &j->chosen) < 0)
        return -1;
    const struct ts_space *chosen = j->chosen ? j->chosen : p->file ? p->file : j->extent;
    const struct ts_space *mem = p->mem ? p->mem : p->file ? p->file : chosen;
    if (ts_space_class(j->extent) == H5S_NULL && ts_space_selected(chosen) > 0)
        return TS_ERR(DATASPACE, BADVALUE, "%llu elements are selected in a dataset that has none",
                      (unsigned long long)ts_space_selected(chosen));
    if (ts_plan_init(&j->plan, chosen, mem) < 0)
        return -1;
    if (j->plan.total == 0)
        return 0;
    if (!p->buf)
        return TS_ERR(DATASET, BADVALUE, "no output buffer");
    return see_extent(j) < 0 ? -1 : 1;
}

/* Most of a job is filled in when it is needed. */
static void init_job(struct job *j, struct ts_dataset_part *part)
{
    j->part = part;
    j->extent = j->chosen = NULL;
    j->pairs = NULL;
    j->nothing = true;
}

/* Types that cannot be converted are an error, also where there is nothing to convert. */
static int check_types(const struct ts_dataset_part *p, bool write)
{
    struct ts_conv_path *path;
    if (find_path(p->d, p->mem_type, write, &path) < 0)
        return -1;
    ts_conv_path_unref(path);
    return 0;
}

static int begin_job(struct job *j, const struct ts_transfer_options *options)
{
    const struct ts_dataset_part *p = j->part;
    struct ts_transfer *t = &j->t;
    int some = plan_job(j);
    if (some <= 0)
        return some < 0 ? -1 : check_types(p, options->write);
    j->nothing = false;
    *t = (struct ts_transfer){.plan = &j->plan, .mem_type = p->mem_type, .buf = p->buf, .env = options->env};
    if (p->mem_type_id > 0)
        *(options->write ? &t->env.src_id : &t->env.dst_id) = p->mem_type_id;
    if (p->type_id > 0)
        *(options->write ? &t->env.dst_id : &t->env.src_id) = p->type_id;
    return begin(t, p->d, options);
}

static void end_job(struct job *j)
{
    if (!j->nothing)
        end(&j->t);
    ts_free(j->pairs);
    ts_space_unref(j->chosen);
    ts_space_unref(j->extent);
}

static int lock(struct ts_dataset_core *core, bool write)
{
    return write ? ts_dataset_core_lock_write(core) : ts_dataset_core_lock_read(core);
}

int ts_dataset_transfer_part(struct ts_dataset_part *part, const struct ts_transfer_options *options)
{
    struct job j;
    struct ts_sc_io io;
    struct ts_dataset_core *core = part->d->core;
    init_job(&j, part);
    if ((options->write && ts_dataset_may_write(core) < 0) || lock(core, options->write) < 0)
        return -1;
    int status = begin_job(&j, options);
    if (status == 0 && !j.nothing)
        status = finish(&j.t, move_prepared(prepare_one(&j.t, &io), &j.t, 1, &io));
    end_job(&j);
    ts_dataset_core_unlock(core);
    return status;
}

/* Several datasets at once. */
struct many {
    const struct ts_transfer_options *options;
    struct job *jobs; /* of those that the cache serves */
    size_t n;
    struct ts_dataset_core **locked; /* each once, by address */
    size_t n_locked;
    struct ts_transfer **group; /* of one file */
    struct ts_sc_io *io;
};

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (struct ts_dataset_core *const *)a,
              y = (uintptr_t) * (struct ts_dataset_core *const *)b;
    return x < y ? -1 : x > y;
}

static void unlock_all(const struct many *m)
{
    for (size_t i = 0; i < m->n_locked; i++)
        ts_dataset_core_unlock(m->locked[i]);
}

/* All threads take the locks in the same order. */
static int lock_all(struct many *m)
{
    size_t distinct = 0;
    for (size_t i = 0; i < m->n; i++)
        m->locked[i] = m->jobs[i].part->d->core;
    qsort(m->locked, m->n, sizeof *m->locked, by_address);
    for (size_t i = 0; i < m->n; i++)
        if (distinct == 0 || m->locked[distinct - 1] != m->locked[i])
            m->locked[distinct++] = m->locked[i];
    for (; m->n_locked < distinct; m->n_locked++)
        if (lock(m->locked[m->n_locked], m->options->write) < 0) {
            unlock_all(m);
            return -1;
        }
    return 0;
}

/* All jobs of the file of the first, which move to the end of what is done. */
static int move_group(struct many *m, struct ts_file *f)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (!m->jobs[i].nothing && m->jobs[i].t.core->file == f)
            m->group[n++] = &m->jobs[i].t;
    if (n == 0)
        return 0;
    int status = move_prepared(prepare_cached(m->group, n, m->io), m->group[0], n, m->io);
    for (size_t i = 0; i < n; i++)
        if (finish(m->group[i], status) < 0)
            status = -1;
    return status;
}

static int move_groups(struct many *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct ts_file *f = m->jobs[i].part->d->core->file;
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = m->jobs[k].part->d->core->file == f;
        if (!seen && move_group(m, f) < 0)
            return -1;
    }
    return 0;
}

static int transfer_many(struct many *m)
{
    size_t begun = 0;
    int status = 0;
    if (lock_all(m) < 0)
        return -1;
    while (begun < m->n && status == 0)
        status = begin_job(&m->jobs[begun++], m->options);
    if (status == 0)
        status = move_groups(m);
    for (size_t i = 0; i < begun; i++)
        end_job(&m->jobs[i]);
    unlock_all(m);
    return status;
}

static int transfer_cached(struct ts_dataset_part *parts, size_t n, const struct ts_transfer_options *options)
{
    struct many m = {.options = options};
    m.jobs = ts_calloc(n, sizeof *m.jobs);
    m.locked = ts_calloc(n, sizeof *m.locked);
    m.group = ts_calloc(n, sizeof *m.group);
    m.io = ts_calloc(n, sizeof *m.io);
    int status = m.jobs && m.locked && m.group && m.io ? 0 : -1;
    for (size_t i = 0; i < n && status == 0; i++)
        if (is_cached(parts[i].d->core))
            init_job(&m.jobs[m.n++], &parts[i]);
    if (status == 0 && m.n > 0)
        status = transfer_many(&m);
    ts_free(m.jobs);
    ts_free(m.locked);
    ts_free(m.group);
    ts_free(m.io);
    return status;
}

int ts_dataset_transfer_multi(struct ts_dataset_part *parts, size_t n, const struct ts_transfer_options *options)
{
    for (size_t i = 0; i < n; i++)
        if (options->write && ts_dataset_may_write(parts[i].d->core) < 0)
            return -1;
    if (n > 0 && transfer_cached(parts, n, options) < 0)
        return -1;
    /* One at a time: they take locks of other datasets. */
    for (size_t i = 0; i < n; i++)
        if (!is_cached(parts[i].d->core) && ts_dataset_transfer_part(&parts[i], options) < 0)
            return -1;
    return 0;
}

int ts_dataset_read(struct ts_dataset *d, const struct ts_type *mem_type, const struct ts_space *mem,
                    const struct ts_space *file, const struct ts_transfer_options *options, void *buf)
{
    struct ts_dataset_part part = {.d = d, .mem_type = mem_type, .mem = mem, .file = file, .buf = buf};
    return ts_dataset_transfer_part(&part, options);
}

/* Data goes through the library's own cache, chunk by chunk, block by block: never from a selection of the file
 * straight to one of memory in one call of the driver. Said in libhdf5's words for that. */
static uint32_t why_no_selection_io(const struct ts_dataset_core *core, int mode)
{
    if (mode == H5D_SELECTION_IO_MODE_OFF)
        return H5D_SEL_IO_DISABLE_BY_API;
    if (core->layout.cls == H5D_CONTIGUOUS)
        return H5D_SEL_IO_CONTIGUOUS_SIEVE_BUFFER;
    if (core->layout.cls == H5D_CHUNKED)
        return core->pipeline.n > 0 ? H5D_SEL_IO_DATASET_FILTER : H5D_SEL_IO_CHUNK_CACHE;
    return H5D_SEL_IO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET;
}

void ts_dataset_tell_io(struct ts_plist *dxpl, const struct ts_dataset_part *parts, size_t n)
{
    H5D_selection_io_mode_t mode = H5D_SELECTION_IO_MODE_DEFAULT;
    uint32_t causes = 0;
    unsigned mark = ts_err_mark();
    if (!ts_plist_untouched(dxpl, TS_PLIST_DATASET_XFER) && ts_dxpl_selection_io(dxpl, &mode) < 0)
        ts_err_rewind(mark); /* somebody took the property out of the list */
    for (size_t i = 0; i < n; i++)
        causes |= why_no_selection_io(parts[i].d->core, mode);
    ts_dxpl_tell_io(dxpl, causes);
}
