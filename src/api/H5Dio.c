/* H5D: reading and writing datasets. */
#include "H5Dpublic.h"

#include "api/H5Tconv.h"
#include "api/api.h"
#include "api/dataset_args.h"
#include "base/alloc.h"
#include "dataset/dataset.h"
#include "plist/dxpl.h"

/* The space of an id, if its selection lies within its extent. */
static struct ts_space *valid_space(struct ts_api_scope *scope, hid_t id, enum ts_err_why why)
{
    struct ts_space *s = ts_api_copy_space(scope, id);
    if (s && ts_space_valid(s))
        return s;
    if (s)
        TS_ERR(DATASPACE, BADRANGE, "selection + offset not within extent");
    ts_err_because(why);
    return NULL;
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
    o->filter = (struct ts_filter_options){
        .skip_checksums = t.edc == H5Z_DISABLE_EDC, .on_fail = t.filter_cb.func, .on_fail_data = t.filter_cb.op_data};
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
    if (memory_selection(scope, all->mem_space[i], &mem) < 0 ||
        selection(scope, all->file_space[i], dxpl_id, &file) < 0 ||
        (all->mem_space[i] == H5S_BLOCK && block(scope, d, file, &mem) < 0))
        return -1;
    *part =
        (struct ts_dataset_part){.d = d, .mem = mem, .file = file, .buf = all->buf[i], .mem_type_id = all->mem_type[i]};
    return 0;
}

static int take_type(struct ts_api_scope *scope, const struct requests *all, size_t i, struct ts_dataset_part *part)
{
    part->mem_type = ts_api_memory_type(scope, all->mem_type[i]);
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

static int transfer(struct ts_api_scope *scope, const struct requests *all, struct ts_dataset_part *parts,
                    hid_t dxpl_id)
{
    struct ts_transfer_options options = {.write = all->write};
    struct ts_plist *dxpl = prepare(scope, all, dxpl_id, parts);
    if (!dxpl || transfer_options(dxpl, dxpl_id, &options) < 0)
        return -1;
    int status = options.env.except.func ? make_type_ids(parts, all->n) : 0;
    if (status == 0)
        status = all->n == 1 ? ts_dataset_transfer_part(parts, &options)
                             : ts_dataset_transfer_multi(parts, all->n, &options);
    if (status == 0 && dxpl_id != H5P_DEFAULT)
        ts_dataset_tell_io(dxpl, parts, all->n);
    if (options.env.except.func)
        drop_type_ids(parts, all->n);
    ts_transform_free(options.transform);
    return status;
}

static bool is_id(hid_t space_id)
{
    return space_id != H5S_ALL && space_id != H5S_BLOCK && space_id != H5S_PLIST;
}

/* The transfer list has nothing of the application's in it. */
static bool is_plain(struct ts_api_scope *scope, hid_t dxpl_id, struct ts_plist **out)
{
    *out = ts_api_plist(scope, dxpl_id, TS_PLIST_DATASET_XFER);
    return *out && ts_plist_untouched(*out, TS_PLIST_DATASET_XFER);
}

/* As ts_dataset_move_box. Which of several wrong arguments is told, the other way decides. */
static int move_box(struct ts_api_scope *scope, const struct requests *one, hid_t dxpl_id)
{
    if (!is_id(*one->mem_space) || !is_id(*one->file_space))
        return 0;
    unsigned mark = ts_err_mark();
    struct ts_plist *dxpl;
    struct ts_dataset *d = is_plain(scope, dxpl_id, &dxpl) ? ts_api_pin(scope, *one->dset, H5I_DATASET) : NULL;
    struct ts_type *type = d ? ts_api_pin(scope, *one->mem_type, H5I_DATATYPE) : NULL;
    struct ts_space *file = type ? ts_api_pin(scope, *one->file_space, H5I_DATASPACE) : NULL;
    struct ts_space *mem = file ? ts_api_pin(scope, *one->mem_space, H5I_DATASPACE) : NULL;
    if (!mem) {
        ts_api_unpin_all(scope);
        ts_err_rewind(mark);
        return 0;
    }
    int done = ts_dataset_move_box(d, type, mem, file, one->write, *one->buf);
    if (done > 0 && dxpl_id != H5P_DEFAULT)
        ts_dataset_tell_io(dxpl, &(struct ts_dataset_part){.d = d}, 1);
    return done;
}

static inline int transfer_one(struct ts_api_scope *scope, const struct requests *one, hid_t dxpl_id)
{
    int done = move_box(scope, one, dxpl_id);
    if (done != 0)
        return done < 0 ? -1 : 0;
    struct ts_dataset_part part = {0};
    return transfer(scope, one, &part, dxpl_id);
}

herr_t H5Dread(hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, void *buf)
{
    TS_API_ENTER(DATASET, READERROR, "can't read data", TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"),
                 TS_WRONG(TYPE, DATASET, READERROR, "can't read data"),
                 TS_WRONG(SPACE, ARGS, BADVALUE, "could not get a validated dataspace from file_space_id"),
                 TS_WRONG(MEM_SPACE, ARGS, BADVALUE, "could not get a validated dataspace from mem_space_id"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not xfer parms"),
                 TS_SYNCHRONOUS(DATASET, READERROR, "can't synchronously read data"));
    struct requests one = {1, &dset_id, &mem_type_id, &mem_space_id, &file_space_id, &buf, false};
    return TS_API_RET(transfer_one(&ts_scope_, &one, dxpl_id));
}

herr_t H5Dwrite(hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id,
                const void *buf)
{
    TS_API_ENTER(DATASET, WRITEERROR, "can't write data", TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"),
                 TS_WRONG(TYPE, DATASET, WRITEERROR, "can't write data"),
                 TS_WRONG(SPACE, ARGS, BADVALUE, "could not get a validated dataspace from file_space_id"),
                 TS_WRONG(MEM_SPACE, ARGS, BADVALUE, "could not get a validated dataspace from mem_space_id"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "not xfer parms"),
                 TS_SYNCHRONOUS(DATASET, WRITEERROR, "can't synchronously write data"));
    void *elements = (void *)(uintptr_t)buf;
    struct requests one = {1, &dset_id, &mem_type_id, &mem_space_id, &file_space_id, &elements, true};
    return TS_API_RET(transfer_one(&ts_scope_, &one, dxpl_id));
}

static int transfer_many(struct ts_api_scope *scope, const struct requests *all, hid_t dxpl_id)
{
    if (all->n == 0)
        return 0;
    if (!all->dset || !all->mem_type || !all->mem_space || !all->file_space || !all->buf)
        return TS_ERR(ARGS, BADVALUE, "an array of arguments is missing");
    struct ts_dataset_part *parts = ts_calloc(all->n, sizeof *parts);
    int status = parts ? transfer(scope, all, parts, dxpl_id) : -1;
    ts_free(parts);
    return status;
}

herr_t H5Dread_multi(size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[],
                     hid_t dxpl_id, void *buf[])
{
    TS_API_ENTER(DATASET, READERROR, "can't read data",
                 TS_SYNCHRONOUS(DATASET, READERROR, "can't synchronously read data"));
    struct requests all = {count, dset_id, mem_type_id, mem_space_id, file_space_id, buf, false};
    return TS_API_RET(transfer_many(&ts_scope_, &all, dxpl_id));
}

herr_t H5Dwrite_multi(size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[],
                      hid_t dxpl_id, const void *buf[])
{
    TS_API_ENTER(DATASET, WRITEERROR, "can't write data",
                 TS_SYNCHRONOUS(DATASET, WRITEERROR, "can't synchronously write data"));
    struct requests all = {count, dset_id, mem_type_id, mem_space_id, file_space_id, (void *const *)buf, true};
    return TS_API_RET(transfer_many(&ts_scope_, &all, dxpl_id));
}
