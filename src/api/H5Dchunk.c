#include "H5Dpublic.h"

#include "api/api.h"
#include "dataset/dataset.h"

/* The dataset of an id, if it has chunks. */
static struct ts_dataset *chunked(struct ts_api_scope *scope, hid_t id)
{
    struct ts_dataset *d = ts_api_pin(scope, id, H5I_DATASET);
    if (d && d->core->layout.cls != H5D_CHUNKED) {
        TS_ERR(DATASET, BADTYPE, "dataset is not chunked");
        return NULL;
    }
    return d;
}

herr_t H5Dget_chunk_index_type(hid_t did, H5D_chunk_index_t *idx_type)
{
    TS_API_ENTER();
    struct ts_dataset *d = chunked(&ts_scope_, did);
    if (!d)
        return TS_API_FAIL(-1);
    if (idx_type)
        *idx_type = (H5D_chunk_index_t)d->core->layout.chunk.index;
    return 0;
}

herr_t H5Dget_num_chunks(hid_t dset_id, hid_t fspace_id, hsize_t *nchunks)
{
    TS_API_ENTER();
    (void)fspace_id;
    struct ts_dataset *d = chunked(&ts_scope_, dset_id);
    if (!d)
        return TS_API_FAIL(-1);
    if (!nchunks)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid argument (null)");
    return TS_API_RET(ts_dataset_chunk_count(d, nchunks));
}

/* Addresses count from the file's base address, as in release 1.10. */
static void give_chunk(const struct ts_chunk_rec *rec, unsigned *filter_mask, haddr_t *addr, hsize_t *size)
{
    if (filter_mask)
        *filter_mask = rec ? rec->filter_mask : 0;
    if (addr)
        *addr = rec ? rec->addr : HADDR_UNDEF;
    if (size)
        *size = rec ? rec->size : 0;
}

herr_t H5Dget_chunk_info(hid_t dset_id, hid_t fspace_id, hsize_t chk_idx, hsize_t *offset, unsigned *filter_mask,
    haddr_t *addr, hsize_t *size)
{
    TS_API_ENTER();
    struct ts_chunk_rec rec;
    (void)fspace_id;
    struct ts_dataset *d = chunked(&ts_scope_, dset_id);
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset && !filter_mask && !addr && !size)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid arguments, must have at least one non-null output argument");
    int found = ts_dataset_chunk_nth(d, chk_idx, &rec);
    if (found < 0)
        return TS_API_FAIL(-1);
    for (unsigned i = 0; found && offset && i < d->core->rank; i++)
        offset[i] = rec.scaled[i] * d->core->layout.chunk.dims[i];
    give_chunk(found ? &rec : NULL, filter_mask, addr, size);
    return 0;
}

herr_t H5Dget_chunk_info_by_coord(
    hid_t dset_id, const hsize_t *offset, unsigned *filter_mask, haddr_t *addr, hsize_t *size)
{
    TS_API_ENTER();
    struct ts_chunk_rec rec;
    struct ts_dataset *d = chunked(&ts_scope_, dset_id);
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset || (!filter_mask && !addr && !size))
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid argument (null)");
    int found = ts_dataset_chunk_at(d, offset, &rec);
    if (found < 0)
        return TS_API_FAIL(-1);
    give_chunk(found ? &rec : NULL, filter_mask, addr, size);
    return 0;
}

herr_t H5Dget_chunk_storage_size(hid_t dset_id, const hsize_t *offset, hsize_t *chunk_bytes)
{
    TS_API_ENTER();
    struct ts_chunk_rec rec;
    struct ts_dataset *d = chunked(&ts_scope_, dset_id);
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset || !chunk_bytes)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid argument (null)");
    int found = ts_dataset_chunk_at(d, offset, &rec);
    if (found < 0)
        return TS_API_FAIL(-1);
    /* Without filters the size is known, whatever the index says. */
    *chunk_bytes = !found ? 0 : d->core->pipeline.n ? rec.size : d->core->chunk_bytes;
    return 0;
}

herr_t H5Dread_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf)
{
    TS_API_ENTER();
    struct ts_dataset *d = chunked(&ts_scope_, dset_id);
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    if (!offset || !filters || !buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%s cannot be NULL", !buf ? "buf" : !offset ? "offset" : "filters");
    return TS_API_RET(ts_dataset_read_chunk(d, offset, filters, buf));
}

herr_t H5Dwrite_chunk(
    hid_t dset_id, hid_t dxpl_id, uint32_t filters, const hsize_t *offset, size_t data_size, const void *buf)
{
    TS_API_ENTER();
    struct ts_dataset *d = chunked(&ts_scope_, dset_id);
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    if (!buf || !offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%s cannot be NULL", buf ? "offset" : "buf");
    if (data_size == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "data_size cannot be zero");
    if (data_size > UINT32_MAX)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid data_size - chunks cannot be > 4GB");
    return TS_API_RET(ts_dataset_write_chunk(d, offset, filters, data_size, buf));
}

struct user_visit {
    const struct ts_dataset *d;
    H5D_chunk_iter_op_t op;
    void *data;
};

static int visit(const struct ts_chunk_rec *rec, void *ctx)
{
    struct user_visit *v = ctx;
    hsize_t offset[H5S_MAX_RANK];
    for (unsigned i = 0; i < v->d->core->rank; i++)
        offset[i] = rec->scaled[i] * v->d->core->layout.chunk.dims[i];
    int answer = v->op(offset, rec->filter_mask, rec->addr, rec->size, v->data);
    return answer < 0 ? TS_ERR(DATASET, CALLBACK, "the application's function failed on a chunk") : answer;
}

herr_t H5Dchunk_iter(hid_t dset_id, hid_t dxpl_id, H5D_chunk_iter_op_t cb, void *op_data)
{
    TS_API_ENTER();
    struct ts_dataset *d = chunked(&ts_scope_, dset_id);
    struct user_visit v = {.d = d, .op = cb, .data = op_data};
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    if (!cb)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback to chunk iteration");
    return TS_API_RET(ts_dataset_chunk_iterate(d, visit, &v));
}
