#include "H5Dpublic.h"

#include <stdlib.h>
#include <string.h>

#include "api/H5Tconv.h"
#include "api/api.h"
#include "api/dataset_args.h"
#include "base/alloc.h"
#include "base/lock.h"
#include "chunk/xfer.h"
#include "dataset/dataset.h"
#include "object/reference.h"
#include "plist/dxpl.h"
#include "plist/lapl.h"
#include "type/reclaim.h"

/* A copy of the space of an id that nobody else can change, dropped with the scope. */
static struct ts_space *copy_space(struct ts_api_scope *scope, hid_t id)
{
    struct ts_space *s = ts_api_pin_argument(scope, id, H5I_DATASPACE), *copy;
    if (!s || ts_space_snapshot(s, &copy) < 0)
        return NULL;
    return ts_api_adopt(scope, H5I_DATASPACE, copy) < 0 ? NULL : copy;
}

/* The same, if its selection lies within its extent. */
static struct ts_space *valid_space(struct ts_api_scope *scope, hid_t id, enum ts_err_why why)
{
    struct ts_space *s = copy_space(scope, id);
    if (s && ts_space_valid(s))
        return s;
    if (s)
        TS_ERR(DATASPACE, BADRANGE, "selection + offset not within extent");
    ts_err_because(why);
    return NULL;
}

/* The same, if it has an extent. */
static struct ts_space *snapshot(struct ts_api_scope *scope, hid_t id)
{
    struct ts_space *copy = copy_space(scope, id);
    if (copy && !ts_space_has_extent(copy)) {
        TS_ERR(ARGS, BADVALUE, "dataspace does not have extent set");
        return NULL;
    }
    return copy;
}

/* H5S_ALL is NULL, H5S_PLIST the selection of the transfer list. */
static int selection(struct ts_api_scope *scope, hid_t id, hid_t dxpl_id, struct ts_space **out)
{
    struct ts_space *set;
    *out = NULL;
    if (id == H5S_ALL)
        return 0;
    if (id == H5S_PLIST) {
        struct ts_plist *dxpl = ts_api_plist(scope, dxpl_id, TS_PLIST_DATASET_XFER);
        if (!dxpl || ts_dxpl_peek_io_selection(dxpl, &set) < 0)
            return -1;
        if (!set || ts_space_copy(set, out) < 0)
            return set ? -1 : TS_ERR(ARGS, BADVALUE, "the transfer list holds no selection");
        return ts_api_adopt(scope, H5I_DATASPACE, *out);
    }
    *out = valid_space(scope, id, TS_WHY_SPACE);
    return *out ? 0 : -1;
}

/* NULL for H5S_ALL, and for H5S_BLOCK so far. */
static int memory_selection(struct ts_api_scope *scope, hid_t id, struct ts_space **out)
{
    *out = NULL;
    if (id == H5S_ALL || id == H5S_BLOCK)
        return 0;
    *out = valid_space(scope, id, TS_WHY_MEM_SPACE);
    return *out ? 0 : -1;
}

/* H5S_BLOCK is one run of as many elements as the file selection has. */
static int block(struct ts_api_scope *scope, struct ts_dataset *d, const struct ts_space *file, struct ts_space **out)
{
    struct ts_space *extent;
    if (ts_dataset_space(d, &extent) < 0)
        return -1;
    hsize_t n = ts_space_selected(file ? file : extent);
    ts_space_unref(extent);
    if (ts_space_new_simple(1, &n, NULL, out) < 0)
        return -1;
    return ts_api_adopt(scope, H5I_DATASPACE, *out);
}

/* The memory type of an id, as its elements are in memory; dropped with the scope. */
static struct ts_type *memory_type(struct ts_api_scope *scope, hid_t id)
{
    struct ts_type *t = ts_api_pin_argument(scope, id, H5I_DATATYPE);
    if (!t)
        return NULL;
    t = ts_type_ref(t);
    if (ts_type_set_loc(&t, TS_LOC_MEMORY, sizeof(haddr_t)) < 0) {
        ts_type_unref(t);
        return NULL;
    }
    return ts_api_adopt(scope, H5I_DATATYPE, t) < 0 ? NULL : t;
}

/* NULL when there is nothing to do; otherwise the caller's. */
static int read_transform(struct ts_plist *dxpl, struct ts_transform **out)
{
    char *text;
    *out = NULL;
    if (ts_dxpl_transform(dxpl, &text) < 0)
        return -1;
    int status = text ? ts_transform_parse(text, out) : 0;
    ts_free(text);
    if (*out && ts_transform_is_identity(*out)) {
        ts_transform_free(*out);
        *out = NULL;
    }
    return status;
}

static int transfer_options(struct ts_plist *dxpl, hid_t dxpl_id, struct ts_transfer_options *o)
{
    struct ts_dxpl_transfer t;
    if (ts_dxpl_transfer(dxpl, &t) < 0)
        return -1;
    o->env = ts_conv_env_of(&t, dxpl_id);
    o->filter = (struct ts_filter_options){.skip_checksums = t.edc == H5Z_DISABLE_EDC, .on_fail = t.filter_cb.func,
                                           .on_fail_data = t.filter_cb.op_data};
    o->buffer_hint = t.buffer_size;
    return t.untouched ? 0 : read_transform(dxpl, &o->transform);
}

/* The arrays of the functions for many datasets, all of n. */
struct requests {
    size_t n;
    const hid_t *dset, *mem_type, *mem_space, *file_space;
    void *const *buf;
    bool write;
};

static int check_extents(const struct ts_space *mem, const struct ts_space *file)
{
    bool set = (!mem || ts_space_has_extent(mem)) && (!file || ts_space_has_extent(file));
    return set ? 0 : TS_ERR(DATASET, BADVALUE, "dataspace does not have extent set");
}

/* The dataset and the selections; in the order in which libhdf5 looks at them. */
static int take_spaces(struct ts_api_scope *scope, const struct requests *all, size_t i, hid_t dxpl_id,
                       struct ts_dataset_part *part)
{
    struct ts_space *file, *mem;
    struct ts_dataset *d = ts_api_pin(scope, all->dset[i], H5I_DATASET);
    if (!d)
        return ts_err_because(TS_WHY_LOCATION);
    if (memory_selection(scope, all->mem_space[i], &mem) < 0 || selection(scope, all->file_space[i], dxpl_id, &file) < 0 ||
        (all->mem_space[i] == H5S_BLOCK && block(scope, d, file, &mem) < 0))
        return -1;
    *part = (struct ts_dataset_part){.d = d, .mem = mem, .file = file, .buf = all->buf[i],
                                      .mem_type_id = all->mem_type[i]};
    return 0;
}

static int take_type(struct ts_api_scope *scope, const struct requests *all, size_t i, struct ts_dataset_part *part)
{
    part->mem_type = memory_type(scope, all->mem_type[i]);
    return part->mem_type ? check_extents(part->mem, part->file) : -1;
}

static int wrong(const struct requests *all, size_t i)
{
    return all->n == 1 ? -1 : TS_ERR(ARGS, BADVALUE, "arguments for dataset %zu of %zu", i + 1, all->n);
}

static struct ts_plist *prepare(struct ts_api_scope *scope, const struct requests *all, hid_t dxpl_id,
                                struct ts_dataset_part *parts)
{
    for (size_t i = 0; i < all->n; i++)
        if (take_spaces(scope, all, i, dxpl_id, &parts[i]) < 0)
            return (void)wrong(all, i), NULL;
    struct ts_plist *dxpl = ts_api_plist(scope, dxpl_id, TS_PLIST_DATASET_XFER);
    for (size_t i = 0; dxpl && i < all->n; i++)
        if (take_type(scope, all, i, &parts[i]) < 0)
            return (void)wrong(all, i), NULL;
    return dxpl;
}

/* The exception callback is told the types; only then the datasets' need ids. */
static int make_type_ids(struct ts_dataset_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ts_type *t = ts_type_ref(parts[i].d->type);
        hid_t id = ts_id_register(H5I_DATATYPE, t);
        if (id < 0) {
            ts_type_unref(t);
            return -1;
        }
        parts[i].type_id = id;
    }
    return 0;
}

static void drop_type_ids(const struct ts_dataset_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parts[i].type_id > 0)
            ts_id_dec(parts[i].type_id);
}

/* Data goes through the library's own cache, chunk by chunk, block by block: never from a selection of the file straight to
 * one of memory in one call of the driver. Said in libhdf5's words for that. */
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

static void tell(struct ts_plist *dxpl, const struct ts_dataset_part *parts, size_t n)
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

static int transfer_parts(struct ts_api_scope *scope, const struct requests *all, struct ts_dataset_part *parts,
                          hid_t dxpl_id)
{
    struct ts_transfer_options options = {.write = all->write};
    struct ts_plist *dxpl = prepare(scope, all, dxpl_id, parts);
    if (!dxpl || transfer_options(dxpl, dxpl_id, &options) < 0)
        return -1;
    int status = options.env.except.func ? make_type_ids(parts, all->n) : 0;
    if (status == 0)
        status = ts_dataset_transfer_multi(parts, all->n, &options);
    if (status == 0 && dxpl_id != H5P_DEFAULT)
        tell(dxpl, parts, all->n);
    if (options.env.except.func)
        drop_type_ids(parts, all->n);
    ts_transform_free(options.transform);
    return status;
}

static int transfer(struct ts_api_scope *scope, const struct requests *all, hid_t dxpl_id)
{
    struct ts_dataset_part one = {0}, *parts = &one;
    if (all->n > 1 && !(parts = ts_calloc(all->n, sizeof *parts)))
        return -1;
    int status = transfer_parts(scope, all, parts, dxpl_id);
    if (parts != &one)
        ts_free(parts);
    return status;
}

herr_t H5Dread(
    hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, void *buf)
{
    TS_API_ENTER(DATASET, READERROR, "can't read data", TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"),
                 TS_WRONG(TYPE, DATASET, READERROR, "can't read data"),
                 TS_WRONG(SPACE, ARGS, BADVALUE, "could not get a validated dataspace from file_space_id"),
                 TS_WRONG(MEM_SPACE, ARGS, BADVALUE, "could not get a validated dataspace from mem_space_id"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not xfer parms"),
                 TS_SYNCHRONOUS(DATASET, READERROR, "can't synchronously read data"));
    struct requests one = {1, &dset_id, &mem_type_id, &mem_space_id, &file_space_id, &buf, false};
    return TS_API_RET(transfer(&ts_scope_, &one, dxpl_id));
}

static bool is_id(hid_t space_id)
{
    return space_id != H5S_ALL && space_id != H5S_BLOCK && space_id != H5S_PLIST;
}

/* For another way of doing the same, which pins what it needs. */
static void unpin_all(struct ts_api_scope *scope)
{
    while (scope->n_pins > 0) {
        struct ts_api_pin *pin = &scope->pins[--scope->n_pins];
        ts_id_unpin(pin->type, pin->obj);
    }
}

/* As ts_dataset_write_box. */
static int write_box(struct ts_api_scope *scope, hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id,
                     hid_t file_space_id, const void *buf)
{
    if (!ts_plist_untouched(ts_plist_default(TS_PLIST_DATASET_XFER), TS_PLIST_DATASET_XFER))
        return 0;
    unsigned mark = ts_err_mark();
    struct ts_dataset *d = ts_api_pin(scope, dset_id, H5I_DATASET);
    struct ts_type *type = d ? ts_api_pin(scope, mem_type_id, H5I_DATATYPE) : NULL;
    struct ts_space *file = type ? ts_api_pin(scope, file_space_id, H5I_DATASPACE) : NULL;
    struct ts_space *mem = file ? ts_api_pin(scope, mem_space_id, H5I_DATASPACE) : NULL;
    /* Which of several wrong arguments is told, the other way decides. */
    if (!mem)
        ts_err_rewind(mark);
    int done = mem ? ts_dataset_write_box(d, type, mem, file, buf) : 0;
    if (done == 0)
        unpin_all(scope);
    return done;
}

herr_t H5Dwrite(
    hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, const void *buf)
{
    TS_API_ENTER(DATASET, WRITEERROR, "can't write data", TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"),
                 TS_WRONG(TYPE, DATASET, WRITEERROR, "can't write data"),
                 TS_WRONG(SPACE, ARGS, BADVALUE, "could not get a validated dataspace from file_space_id"),
                 TS_WRONG(MEM_SPACE, ARGS, BADVALUE, "could not get a validated dataspace from mem_space_id"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not xfer parms"),
                 TS_SYNCHRONOUS(DATASET, WRITEERROR, "can't synchronously write data"));
    void *elements = (void *)(uintptr_t)buf;
    if (dxpl_id == H5P_DEFAULT && is_id(mem_space_id) && is_id(file_space_id)) {
        int done = write_box(&ts_scope_, dset_id, mem_type_id, mem_space_id, file_space_id, buf);
        if (done != 0)
            return TS_API_RET(done < 0 ? -1 : 0);
    }
    struct requests one = {1, &dset_id, &mem_type_id, &mem_space_id, &file_space_id, &elements, true};
    return TS_API_RET(transfer(&ts_scope_, &one, dxpl_id));
}

static int transfer_many(struct ts_api_scope *scope, const struct requests *all, hid_t dxpl_id)
{
    if (all->n == 0)
        return 0;
    if (!all->dset || !all->mem_type || !all->mem_space || !all->file_space || !all->buf)
        return TS_ERR(ARGS, BADVALUE, "an array of arguments is missing");
    return transfer(scope, all, dxpl_id);
}

herr_t H5Dread_multi(size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[],
    hid_t file_space_id[], hid_t dxpl_id, void *buf[])
{
    TS_API_ENTER(DATASET, READERROR, "can't read data",
                 TS_SYNCHRONOUS(DATASET, READERROR, "can't synchronously read data"));
    struct requests all = {count, dset_id, mem_type_id, mem_space_id, file_space_id, buf, false};
    return TS_API_RET(transfer_many(&ts_scope_, &all, dxpl_id));
}

herr_t H5Dwrite_multi(size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[],
    hid_t file_space_id[], hid_t dxpl_id, const void *buf[])
{
    TS_API_ENTER(DATASET, WRITEERROR, "can't write data",
                 TS_SYNCHRONOUS(DATASET, WRITEERROR, "can't synchronously write data"));
    struct requests all = {count, dset_id, mem_type_id, mem_space_id, file_space_id, (void *const *)buf, true};
    return TS_API_RET(transfer_many(&ts_scope_, &all, dxpl_id));
}

/* The selected elements of a buffer, one after the other in portions. */
struct walk {
    struct ts_runs runs;
    struct ts_run run;
};

static int walk_init(struct walk *w, const struct ts_space *space)
{
    w->run = (struct ts_run){0};
    return ts_runs_init(&w->runs, space) == 0
               ? 0
               : TS_SAY(ARGS, BADVALUE, "dataspace does not have its selection within its extent");
}

#define CANNOT_COUNT "unable to get number of elements in selection: there are too many, or no end of them"

/* Up to max elements that lie together; false at the end. */
static bool walk_next(struct walk *w, hsize_t max, struct ts_run *out)
{
    if (w->run.length == 0 && ts_runs_next(&w->runs, &w->run, 1, HSIZE_UNDEF) == 0)
        return false;
    out->offset = w->run.offset;
    out->length = w->run.length < max ? w->run.length : max;
    w->run.offset += out->length;
    w->run.length -= out->length;
    return true;
}

/* What the application's function gives. One that gives nothing new is asked for the same again, as in libhdf5. */
struct source {
    H5D_scatter_func_t op;
    void *op_data;
    const void *src;
    size_t bytes;
};

static int ask(struct source *from, size_t size, hsize_t most)
{
    TS_MAY_CALL_OUT();
    if (from->op(&from->src, &from->bytes, from->op_data) < 0)
        return TS_SAY(DATASET, CALLBACK, "callback operator returned failure");
    if (!from->src)
        return TS_SAY(ARGS, BADVALUE, "callback did not return a buffer");
    if (from->bytes == 0)
        return TS_SAY(ARGS, BADVALUE, "callback returned a buffer size of 0");
    if (from->bytes % size != 0)
        return TS_SAY(ARGS, BADVALUE, "buffer size is not a multiple of datatype size: callback returned %zu bytes, elements have %zu",
                      from->bytes, size);
    if (from->bytes / size > most)
        return TS_SAY(ARGS, BADVALUE, "callback returned more elements than in selection");
    return 0;
}

/* Whether the selection lies within the extent shows when the first elements are there. */
static int scatter(struct source *from, size_t size, const struct ts_space *space, uint8_t *dst)
{
    struct walk w;
    struct ts_run run;
    hssize_t left = ts_api_count_selected(space);
    bool begun = false;
    int status = left < 0 ? TS_SAY(DATASET, CANTCOUNT, CANNOT_COUNT) : 0;
    while (status == 0 && left > 0 && (status = ask(from, size, (hsize_t)left)) == 0) {
        size_t n = from->bytes / size;
        const uint8_t *at = from->src;
        if (!begun && (status = walk_init(&w, space)) < 0)
            break;
        begun = true;
        left -= (hssize_t)n;
        for (; n > 0 && walk_next(&w, n, &run); n -= (size_t)run.length) {
            memcpy(dst + run.offset * size, at, run.length * size);
            at += run.length * size;
        }
    }
    if (begun)
        ts_runs_deinit(&w.runs);
    return status;
}

herr_t H5Dscatter(H5D_scatter_func_t op, void *op_data, hid_t type_id, hid_t dst_space_id, void *dst_buf)
{
    TS_API_ENTER(DATASET, CANTCOPY, "can't scatter data", TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace"));
    struct source from = {.op = op, .op_data = op_data};
    if (!op)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback function pointer");
    struct ts_type *t = ts_api_pin_argument(&ts_scope_, type_id, H5I_DATATYPE);
    struct ts_space *space = t ? copy_space(&ts_scope_, dst_space_id) : NULL;
    if (!space)
        return TS_API_FAIL(-1);
    if (!dst_buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no destination buffer provided");
    if (!ts_space_has_extent(space))
        return TS_API_ERR(-1, ARGS, BADVALUE, "dataspace does not have extent set");
    if (ts_space_class(space) == H5S_NULL)
        return 0;
    return TS_API_RET(scatter(&from, ts_type_size(t), space, dst_buf));
}

struct gather {
    const uint8_t *src;
    size_t size, room; /* bytes of an element, elements in dst */
    uint8_t *dst;
    H5D_gather_func_t op;
    void *op_data;
};

static int gather_runs(const struct gather *g, struct walk *w, hsize_t left)
{
    while (left > 0) {
        size_t n = 0, most = left < g->room ? (size_t)left : g->room;
        struct ts_run run;
        while (n < most && walk_next(w, most - n, &run)) {
            memcpy(g->dst + n * g->size, g->src + run.offset * g->size, run.length * g->size);
            n += run.length;
        }
        left -= n;
        TS_MAY_CALL_OUT();
        if (g->op && g->op(g->dst, n * g->size, g->op_data) < 0)
            return TS_SAY(DATASET, CALLBACK, "callback operator returned failure");
    }
    return 0;
}

static int gather(const struct gather *g, const struct ts_space *space)
{
    struct walk w;
    hssize_t n = ts_api_count_selected(space);
    if (n < 0)
        return TS_SAY(DATASET, CANTCOUNT, CANNOT_COUNT);
    if (!g->op && (hsize_t)n > g->room)
        return TS_ERR(ARGS, BADVALUE, "no callback supplied and destination buffer too small");
    if (walk_init(&w, space) < 0)
        return -1;
    int status = gather_runs(g, &w, (hsize_t)n);
    ts_runs_deinit(&w.runs);
    return status;
}

herr_t H5Dgather(hid_t src_space_id, const void *src_buf, hid_t type_id, size_t dst_buf_size, void *dst_buf,
    H5D_gather_func_t op, void *op_data)
{
    TS_API_ENTER(DATASET, CANTCOPY, "can't gather data", TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace"));
    struct ts_space *space = copy_space(&ts_scope_, src_space_id);
    if (!space)
        return TS_API_FAIL(-1);
    if (!src_buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no source buffer provided");
    struct ts_type *t = ts_api_pin_argument(&ts_scope_, type_id, H5I_DATATYPE);
    if (!t)
        return TS_API_FAIL(-1);
    if (!dst_buf || dst_buf_size == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, dst_buf ? "destination buffer size is 0" : "no destination buffer provided");
    struct gather g = {.src = src_buf, .size = ts_type_size(t), .dst = dst_buf, .op = op, .op_data = op_data};
    g.room = dst_buf_size / g.size;
    if (g.room == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "destination buffer is not large enough to hold one element");
    if (!ts_space_has_extent(space))
        return TS_API_ERR(-1, ARGS, BADVALUE, "dataspace does not have extent set");
    if (ts_space_class(space) == H5S_NULL)
        return 0;
    return TS_API_RET(gather(&g, space));
}

static int fill_runs(struct ts_xfer *x, const void *element, struct ts_runs *runs)
{
    struct ts_run run;
    while (ts_runs_next(runs, &run, 1, HSIZE_UNDEF) > 0) {
        struct ts_piece piece = {.mem = run.offset, .n = run.length, .count = 1};
        if (ts_xfer_fill(x, element, &piece, 1) < 0)
            return -1;
    }
    return ts_xfer_finish(x);
}

static int check_fillable(const struct ts_space *space)
{
    if (ts_api_count_selected(space) < 0)
        return TS_ERR(DATASET, CANTCOUNT, CANNOT_COUNT);
    return ts_space_valid(space) ? 0 : TS_SAY(ARGS, BADVALUE, "selection + offset not within extent");
}

static int fill_selected(const void *fill, const struct ts_type *src, const struct ts_type *dst,
                         const struct ts_space *space, void *buf)
{
    struct ts_conv_path *path;
    struct ts_conv_env env = {0};
    struct ts_runs runs;
    struct ts_xfer x;
    if (ts_conv_find(src, dst, &path) < 0)
        return TS_ERR(DATASET, UNSUPPORTED, "unable to convert between src and dest datatype");
    if (check_fillable(space) < 0) {
        ts_conv_path_unref(path);
        return -1;
    }
    struct ts_xfer_options o = {.src_size = ts_type_size(src), .mem_size = ts_type_size(dst), .path = path, .env = &env,
                                .flat = !ts_type_has_vlen_or_ref(dst)};
    int status = ts_runs_init(&runs, space);
    if (status == 0) {
        ts_xfer_init(&x, buf, &o);
        status = fill_runs(&x, fill, &runs);
        ts_xfer_deinit(&x);
        ts_runs_deinit(&runs);
    }
    ts_conv_path_unref(path);
    return status;
}

herr_t H5Dfill(const void *fill, hid_t fill_type_id, void *buf, hid_t buf_type_id, hid_t space_id)
{
    TS_API_ENTER(DATASET, CANTENCODE, "filling selection failed", TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace"));
    if (!buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid buffer");
    struct ts_space *space = copy_space(&ts_scope_, space_id);
    struct ts_type *src = space ? memory_type(&ts_scope_, fill_type_id) : NULL;
    struct ts_type *dst = src ? memory_type(&ts_scope_, buf_type_id) : NULL;
    if (!dst || check_extents(space, NULL) < 0)
        return TS_API_FAIL(-1);
    if (fill)
        return TS_API_RET(fill_selected(fill, src, dst, space, buf));
    /* No value: zeros, whatever the type. */
    void *zeros = ts_calloc(1, ts_type_size(dst));
    int status = zeros ? fill_selected(zeros, dst, dst, space, buf) : -1;
    ts_free(zeros);
    return TS_API_RET(status);
}

static void coordinates(const struct ts_space *space, hsize_t offset, hsize_t *point)
{
    const hsize_t *dims = ts_space_dims(space);
    for (unsigned d = ts_space_rank(space); d-- > 0; offset /= dims[d])
        point[d] = offset % dims[d];
}

static void next_point(const hsize_t *dims, unsigned rank, hsize_t *point)
{
    for (unsigned d = rank; d-- > 0; point[d] = 0)
        if (++point[d] < dims[d])
            return;
}

struct visitor {
    H5D_operator_t op;
    hid_t type_id;
    size_t size; /* of an element */
    void *data;
};

static herr_t visit_run(const struct visitor *v, const struct ts_space *space, const struct ts_run *run, uint8_t *buf)
{
    TS_MAY_CALL_OUT();
    hsize_t point[H5S_MAX_RANK] = {0};
    const hsize_t *dims = ts_space_dims(space);
    unsigned rank = ts_space_rank(space);
    herr_t answer = 0;
    coordinates(space, run->offset, point);
    for (hsize_t i = 0; i < run->length && answer == 0; i++) {
        answer = v->op(buf + (run->offset + i) * v->size, v->type_id, rank, point, v->data);
        next_point(dims, rank, point);
    }
    return answer;
}

herr_t H5Diterate(void *buf, hid_t type_id, hid_t space_id, H5D_operator_t op, void *operator_data)
{
    TS_API_ENTER(DATASPACE, CANTNEXT, "iteration operator failed", TS_WRONG(TYPE, ARGS, BADTYPE, "invalid datatype"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "invalid dataspace"));
    struct ts_runs runs;
    struct ts_run run;
    if (!op || !buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid %s", op ? "buffer" : "operator");
    struct ts_type *t = ts_api_pin_argument(&ts_scope_, type_id, H5I_DATATYPE);
    struct ts_space *space = t ? snapshot(&ts_scope_, space_id) : NULL;
    if (!space)
        return TS_API_FAIL(-1);
    if (ts_api_check_countable(space) < 0 || ts_runs_init(&runs, space) < 0)
        return TS_API_FAIL(-1);
    struct visitor v = {op, type_id, ts_type_size(t), operator_data};
    herr_t answer = 0;
    while (answer == 0 && ts_runs_next(&runs, &run, 1, HSIZE_UNDEF) > 0)
        answer = visit_run(&v, space, &run, buf);
    ts_runs_deinit(&runs);
    return TS_API_RET(answer);
}

/* Counts what variable-length elements take in memory. */
static void *count_alloc(size_t size, void *info)
{
    *(hsize_t *)info += size;
    return malloc(size ? size : 1);
}

static int measure(struct ts_dataset *d, const struct ts_type *type, const struct ts_space *space, hsize_t *size)
{
    hsize_t n = ts_space_selected(space);
    struct ts_space *mem;
    *size = 0;
    if (n == 0)
        return 0;
    if (n > SIZE_MAX / ts_type_size(type))
        return TS_ERR(ARGS, BADRANGE, "%llu elements do not fit in memory", (unsigned long long)n);
    if (ts_space_new_simple(1, &n, NULL, &mem) < 0)
        return -1;
    struct ts_transfer_options options = {.env = {.vl_alloc = count_alloc, .vl_alloc_info = size}};
    void *buf = ts_calloc((size_t)n, ts_type_size(type));
    int status = buf ? ts_dataset_read(d, type, mem, space, &options, buf) : -1;
    struct ts_reclaim how = {.destroy_reference = ts_ref_destroy};
    if (buf)
        ts_reclaim(type, &how, (size_t)n, buf);
    ts_free(buf);
    ts_space_unref(mem);
    return status < 0 ? TS_SAY(DATASPACE, CANTNEXT, "iteration operator failed") : 0;
}

/* Of what is closed, its id still tells the kind. */
static int check_vlen_arguments(hid_t dset_id, hid_t type_id, const hsize_t *size)
{
    if (ts_id_made_for(dset_id) != H5I_DATASET || ts_id_made_for(type_id) != H5I_DATATYPE || !size)
        return TS_SAY(ARGS, BADVALUE, "invalid argument: %s", size ? "not a dataset, or not a datatype" : "no place for the size");
    if (ts_api_gone(dset_id, H5I_DATASET))
        return TS_SAY(ARGS, BADTYPE, "not a dataset");
    return ts_api_gone(type_id, H5I_DATATYPE) ? TS_SAY(ARGS, BADTYPE, "not an valid base datatype") : 0;
}

herr_t H5Dvlen_get_buf_size(hid_t dset_id, hid_t type_id, hid_t space_id, hsize_t *size)
{
    TS_API_ENTER(DATASPACE, CANTNEXT, "iteration operator failed", TS_BAD_ID(ARGS, BADVALUE, "invalid argument"),
                 TS_WRONG(TYPE, ARGS, BADVALUE, "invalid argument"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "invalid dataspace"));
    if (check_vlen_arguments(dset_id, type_id, size) < 0)
        return TS_API_FAIL(-1);
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    struct ts_type *type = d ? memory_type(&ts_scope_, type_id) : NULL;
    struct ts_space *space = type ? snapshot(&ts_scope_, space_id) : NULL;
    if (!space)
        return TS_API_FAIL(-1);
    return TS_API_RET(measure(d, type, space, size));
}
