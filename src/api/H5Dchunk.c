/* H5D: which chunks there are, and chunks as they are stored. */
#include "H5Dpublic.h"

#include "api/dataset_args.h"
#include "base/abi.h"
#include "base/lock.h"
#include "dataset/chunk_query.h"

/* Fails unless there are chunks that are not structured; other: what is for those that are. */
static int check_dense(const struct ts_dataset *d, const char *other)
{
    if (ts_api_check_chunked(d) < 0)
        return -1;
    if (d->core->layout.cls != H5D_CHUNKED)
        return TS_ERR(DATASET, BADTYPE, "the chunks of the dataset are structured: %s is for them", other);
    return 0;
}

static struct ts_dataset *dense(struct ts_api_scope *scope, hid_t id, const char *other)
{
    struct ts_dataset *d = ts_api_pin(scope, id, H5I_DATASET);
    return d && check_dense(d, other) == 0 ? d : NULL;
}

herr_t H5Dget_chunk_index_type(hid_t did, H5D_chunk_index_t *idx_type)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_dataset *d = TS_API_OBJ(did, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!ts_dataset_is_indexed(d->core))
        return TS_API_ERR(-1, ARGS, BADTYPE, "dataset is not chunked");
    if (idx_type)
        *idx_type = (H5D_chunk_index_t)d->core->layout.chunk.index;
    return 0;
}

herr_t H5Dget_num_chunks(hid_t dset_id, hid_t fspace_id, hsize_t *nchunks)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get number of chunks", TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "invalid dataspace identifier"));
    struct ts_space *space;
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d || ts_api_selection(&ts_scope_, fspace_id, &space) < 0)
        return TS_API_FAIL(-1);
    if (!nchunks)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid argument (null)");
    return TS_API_RET(ts_api_check_chunked(d) < 0 ? -1 : ts_chunks_count(d, space, nchunks));
}

/* The address that a program is told: it counts from the file's base address, as in release 1.10. */
static haddr_t told_address(const struct ts_dataset *d, const struct ts_chunk_rec *rec)
{
#ifdef TS_ABI_CHUNK_PLACES
    return d->core->layout.cls == H5D_STRUCT_CHUNK ? rec->addr : rec->addr + ts_dataset_file(d)->sb.base;
#else
    (void)d;
    return rec->addr;
#endif
}

/* rec NULL: there is no such chunk. */
static void give_chunk(const struct ts_dataset *d, const struct ts_chunk_rec *rec, unsigned *filter_mask, haddr_t *addr,
                       hsize_t *size)
{
    if (rec && filter_mask)
        *filter_mask = rec->filter_mask;
    if (addr)
        *addr = rec ? told_address(d, rec) : HADDR_UNDEF;
    if (size)
        *size = rec ? rec->size : 0;
}

static void give_offset(const struct ts_dataset *d, const struct ts_chunk_rec *rec, hsize_t *offset)
{
    for (unsigned i = 0; i < d->core->rank; i++)
        offset[i] = rec->scaled[i] * d->core->layout.chunk.dims[i];
}

herr_t H5Dget_chunk_info(hid_t dset_id, hid_t fspace_id, hsize_t chk_idx, hsize_t *offset, unsigned *filter_mask,
                         haddr_t *addr, hsize_t *size)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get chunk info", TS_BAD_ID(ARGS, BADTYPE, "not a dataset ID"),
                 TS_WRONG(SPACE, ARGS, BADTYPE, "not a dataspace ID"));
    struct ts_chunk_rec rec;
    struct ts_space *space;
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d || ts_api_selection(&ts_scope_, fspace_id, &space) < 0)
        return TS_API_FAIL(-1);
    if (!offset && !filter_mask && !addr && !size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid arguments, must have at least one non-null output argument");
    int found = check_dense(d, "H5Dget_struct_chunk_info") < 0 ? -1 : ts_chunks_nth(d, space, chk_idx, &rec);
    if (found < 0)
        return TS_API_FAIL(-1);
    if (found && offset)
        give_offset(d, &rec, offset);
    give_chunk(d, found ? &rec : NULL, filter_mask, addr, size);
    return 0;
}

herr_t H5Dget_chunk_info_by_coord(hid_t dset_id, const hsize_t *offset, unsigned *filter_mask, haddr_t *addr,
                                  hsize_t *size)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get chunk info");
    struct ts_chunk_rec rec;
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid argument (null)");
    if (!filter_mask && !addr && !size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid arguments, must have at least one non-null output argument");
    int found = check_dense(d, "H5Dget_struct_chunk_info_by_coord") < 0 ? -1 : ts_chunks_at(d, offset, &rec);
    if (found < 0)
        return TS_API_FAIL(-1);
    give_chunk(d, found ? &rec : NULL, filter_mask, addr, size);
    return 0;
}

/* As libhdf5 has it: a chunk that is missing is an error, unless nothing at all is stored. */
static int stored_size(struct ts_dataset *d, const hsize_t *offset, hsize_t *bytes)
{
    struct ts_chunk_rec rec;
    *bytes = 0;
    int found = ts_chunks_at(d, offset, &rec);
    if (found < 0 || (found == 0 && !ts_dataset_allocated(d)))
        return found;
    if (found == 0)
        return TS_ERR(DATASET, NOTFOUND, "there is no such chunk");
    /* Without filters the size is known, whatever the index says. */
    bool sized = d->core->pipeline.n > 0 || d->core->layout.cls == H5D_STRUCT_CHUNK;
    *bytes = sized ? rec.size : d->core->chunk_bytes;
    return 0;
}

herr_t H5Dget_chunk_storage_size(hid_t dset_id, const hsize_t *offset, hsize_t *chunk_bytes)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get storage size of chunk",
                 TS_BAD_ID(ARGS, BADTYPE, "dset_id parameter is not a valid dataset identifier"));
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "offset parameter cannot be NULL");
    if (!chunk_bytes)
        return TS_API_ERR(-1, ARGS, BADVALUE, "chunk_nbytes parameter cannot be NULL");
    return TS_API_RET(ts_api_check_chunked(d) < 0 ? -1 : stored_size(d, offset, chunk_bytes));
}

herr_t H5Dget_chunk_base(hid_t dset_id, haddr_t *base)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get where addresses of chunks count from");
    struct ts_dataset *d = ts_api_chunked(&ts_scope_, dset_id);
    if (!d)
        return TS_API_FAIL(-1);
    if (!base)
        return TS_API_ERR(-1, ARGS, BADVALUE, "base cannot be NULL");
    const struct ts_chunk_rec first = {.addr = 0};
    *base = ts_dataset_file(d)->sb.base - told_address(d, &first);
    return 0;
}

hid_t H5Dget_chunk_selection(hid_t dset_id)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get selection of chunk");
    struct ts_space *space;
    struct ts_dataset *d = ts_api_chunked(&ts_scope_, dset_id);
    if (!d || ts_chunks_selection(d, &space) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_DATASPACE, space);
}

herr_t H5Dread_chunk1(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf)
{
    TS_API_ENTER(DATASET, READERROR, "can't read unprocessed chunk data",
                 TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"),
                 TS_WRONG(OFFSET, DATASET, CANTALLOC, "failure to copy offset array"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "dxpl_id is not a dataset transfer property list ID"));
    struct ts_dataset *d = dense(&ts_scope_, dset_id, "H5Dread_struct_chunk");
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset || !filters || !buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%s cannot be NULL", !buf ? "buf" : !offset ? "offset" : "filters");
    if (!TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    size_t size = SIZE_MAX;
    return TS_API_RET(ts_dataset_read_chunk(d, offset, filters, buf, &size));
}

/* Nothing is read into a buffer that is missing or too small: what it takes is told. */
herr_t H5Dread_chunk2(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf,
                      size_t *buf_size)
{
    TS_API_ENTER(DATASET, READERROR, "can't read unprocessed chunk data",
                 TS_BAD_ID(ARGS, BADTYPE, "dset_id is not a dataset ID"),
                 TS_WRONG(OFFSET, DATASET, CANTALLOC, "failure to copy offset array"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "dxpl_id is not a dataset transfer property list ID"));
    struct ts_dataset *d = dense(&ts_scope_, dset_id, "H5Dread_struct_chunk");
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset || !filters || !buf_size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%s cannot be NULL",
                          !offset    ? "offset"
                          : !filters ? "filters"
                                     : "buf_size");
    if (!TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    size_t size = buf ? *buf_size : 0;
    if (ts_dataset_read_chunk(d, offset, filters, buf, &size) < 0)
        return TS_API_ERR(-1, DATASET, READERROR, "can't read unprocessed chunk data");
    *buf_size = size;
    return 0;
}

herr_t H5Dwrite_chunk(hid_t dset_id, hid_t dxpl_id, uint32_t filters, const hsize_t *offset, size_t data_size,
                      const void *buf)
{
    TS_API_ENTER(DATASET, WRITEERROR, "can't write unprocessed chunk data",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid dataset ID"),
                 TS_WRONG(OFFSET, DATASET, CANTALLOC, "failure to copy offset array"),
                 TS_WRONG(OTHER_LIST, ARGS, BADTYPE, "dxpl_id is not a dataset transfer property list ID"));
    struct ts_dataset *d = dense(&ts_scope_, dset_id, "H5Dwrite_struct_chunk");
    if (!d)
        return TS_API_FAIL(-1);
    if (!buf || !offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%s cannot be NULL", buf ? "offset" : "buf");
    if (data_size == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "data_size cannot be zero");
    if (data_size > UINT32_MAX)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid data_size - chunks cannot be > 4 GiB");
    if (!TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dataset_write_chunk(d, offset, filters, data_size, buf));
}

/* What the application's function says is passed on. */
static int pass(int answer)
{
    if (answer < 0)
        TS_ERR(DATASET, CALLBACK, "the application's function failed on a chunk");
    return answer;
}

struct user_op {
    const struct ts_dataset *d;
    H5D_chunk_iter_op_t op;
    void *data;
};

static int call_op(const struct ts_chunk_rec *rec, void *ctx)
{
    TS_MAY_CALL_OUT();
    const struct user_op *u = ctx;
    hsize_t offset[H5S_MAX_RANK];
    give_offset(u->d, rec, offset);
    return pass(u->op(offset, rec->filter_mask, told_address(u->d, rec), rec->size, u->data));
}

herr_t H5Dchunk_iter(hid_t dset_id, hid_t dxpl_id, H5D_chunk_iter_op_t cb, void *op_data)
{
    TS_API_ENTER(DATASET, BADITER, "error iterating over dataset chunks",
                 TS_BAD_ID(ARGS, BADTYPE, "invalid dataset identifier"));
    hsize_t first = 0;
    struct ts_dataset *d = dense(&ts_scope_, dset_id, "H5Dstruct_chunk_iter");
    struct user_op u = {.d = d, .op = cb, .data = op_data};
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    if (!cb)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback to chunk iteration");
    return TS_API_RET(ts_chunks_visit(d, NULL, TS_CHUNKS_NATIVE, &first, call_op, &u));
}

struct user_cb {
    const struct ts_dataset *d;
    H5D_chunk_iter_cb_t op;
    void *data;
};

static int call_cb(const struct ts_chunk_rec *rec, void *ctx)
{
    TS_MAY_CALL_OUT();
    const struct user_cb *u = ctx;
    H5D_chunk_info_t info = {.filter_mask = rec->filter_mask, .size = rec->size, .addr = told_address(u->d, rec)};
    give_offset(u->d, rec, info.offset);
    return pass(u->op(&info, u->data));
}

herr_t H5Dchunk_iterate(hid_t dset_id, hid_t fspace_id, H5D_chunk_order_t order, hsize_t *idx, H5D_chunk_iter_cb_t op,
                        void *op_data)
{
    TS_API_ENTER(DATASET, BADITER, "error iterating over chunks");
    hsize_t first = 0;
    enum ts_chunk_order by;
    struct ts_space *space;
    struct ts_dataset *d = ts_api_chunked(&ts_scope_, dset_id);
    struct user_cb u = {.d = d, .op = op, .data = op_data};
    if (!d || ts_api_selection(&ts_scope_, fspace_id, &space) < 0 || ts_api_chunk_order(order, &by) < 0)
        return TS_API_FAIL(-1);
    if (!op)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback to chunk iteration");
    return TS_API_RET(ts_chunks_visit(d, space, by, idx ? idx : &first, call_cb, &u));
}
