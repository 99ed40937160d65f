/* H5D: structured chunks as they are stored. */
#include "H5Dpublic.h"

#include "api/dataset_args.h"
#include "base/lock.h"
#include "dataset/chunk_query.h"
#include "dataset/struct_direct.h"

/* The dataset of an id, if its chunks are structured; other: what is for those that are not. */
static struct ts_dataset *structured(struct ts_api_scope *scope, hid_t id, const char *other)
{
    struct ts_dataset *d = ts_api_pin(scope, id, H5I_DATASET);
    if (d && d->core->layout.cls != H5D_STRUCT_CHUNK) {
        if (d->core->layout.cls == H5D_CHUNKED)
            TS_ERR(DATASET, BADTYPE, "the chunks of the dataset are not structured: %s is for them", other);
        else
            TS_ERR(ARGS, BADTYPE, "not a chunked dataset");
        return NULL;
    }
    return d;
}

/* Before anything is answered. */
static int check_room(const struct ts_dataset *d, const H5D_struct_chunk_info_t *info)
{
    unsigned n = ts_struct_sections(d->core->layout.chunk.struct_type);
    if (info && (info->filter_mask || info->section_size || info->section_orig_size) && info->num_sections < n)
        return TS_ERR(ARGS, BADVALUE, "chunk_info has room for %u sections of %u", info->num_sections, n);
    return 0;
}

static int give_info(const struct ts_dataset *d, const struct ts_chunk_rec *rec, H5D_struct_chunk_info_t *info)
{
    const struct ts_chunk_sections *s = &rec->sections;
    struct ts_struct_sizes sizes;
    if (!info)
        return 0;
    ts_struct_sizes(d->core, rec, &sizes);
    for (unsigned i = 0; info->filter_mask && i < s->n; i++)
        if (s->mask[i] > UINT16_MAX)
            return TS_ERR(DATASET, BADRANGE, "the filter mask %#x of section %u has more than 16 bits", s->mask[i], i);
    info->type = H5D_STRUCT_CHUNK;
    info->num_sections = s->n;
    for (unsigned i = 0; i < s->n; i++) {
        if (info->filter_mask)
            info->filter_mask[i] = (uint16_t)s->mask[i];
        if (info->section_size)
            info->section_size[i] = sizes.stored[i];
        if (info->section_orig_size)
            info->section_orig_size[i] = sizes.before[i];
    }
    return 0;
}

/* rec NULL: there is no such chunk. */
static int give_chunk(const struct ts_dataset *d, const struct ts_chunk_rec *rec, H5D_struct_chunk_info_t *info,
                      haddr_t *addr, hsize_t *size)
{
    if (rec && give_info(d, rec, info) < 0)
        return -1;
    if (addr)
        *addr = rec ? rec->addr : HADDR_UNDEF;
    if (size)
        *size = rec ? rec->size : 0;
    return 0;
}

static void give_offset(const struct ts_dataset *d, const struct ts_chunk_rec *rec, hsize_t *offset)
{
    for (unsigned i = 0; i < d->core->rank; i++)
        offset[i] = rec->scaled[i] * d->core->layout.chunk.dims[i];
}

herr_t H5Dget_struct_chunk_info(hid_t dset_id, hid_t fspace_id, hsize_t chunk_idx, hsize_t *offset,
                                H5D_struct_chunk_info_t *chunk_info, haddr_t *addr, hsize_t *chunk_size)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get chunk info");
    struct ts_chunk_rec rec;
    struct ts_space *space;
    struct ts_dataset *d = structured(&ts_scope_, dset_id, "H5Dget_chunk_info");
    if (!d || ts_api_selection(&ts_scope_, fspace_id, &space) < 0 || check_room(d, chunk_info) < 0)
        return TS_API_FAIL(-1);
    int found = ts_chunks_nth(d, space, chunk_idx, &rec);
    if (found < 0 || give_chunk(d, found ? &rec : NULL, chunk_info, addr, chunk_size) < 0)
        return TS_API_FAIL(-1);
    if (found && offset)
        give_offset(d, &rec, offset);
    return 0;
}

herr_t H5Dget_struct_chunk_info_by_coord(hid_t dset_id, const hsize_t *offset, H5D_struct_chunk_info_t *chunk_info,
                                         haddr_t *addr, hsize_t *chunk_size)
{
    TS_API_ENTER(DATASET, CANTGET, "can't get chunk info");
    struct ts_chunk_rec rec;
    struct ts_dataset *d = structured(&ts_scope_, dset_id, "H5Dget_chunk_info_by_coord");
    if (!d || check_room(d, chunk_info) < 0)
        return TS_API_FAIL(-1);
    if (!offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "offset cannot be NULL");
    int found = ts_chunks_at(d, offset, &rec);
    return found < 0 ? TS_API_FAIL(-1) : TS_API_RET(give_chunk(d, found ? &rec : NULL, chunk_info, addr, chunk_size));
}

herr_t H5Dread_struct_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, H5D_struct_chunk_info_t *chunk_info,
                            void *buf[])
{
    TS_API_ENTER(DATASET, READERROR, "can't read unprocessed chunk data");
    struct ts_chunk_rec rec;
    struct ts_dataset *d = structured(&ts_scope_, dset_id, "H5Dread_chunk");
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER) || check_room(d, chunk_info) < 0)
        return TS_API_FAIL(-1);
    if (!offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "offset cannot be NULL");
    int found = ts_dataset_read_struct_chunk(d, offset, buf, &rec);
    if (found == 0)
        return TS_API_ERR(-1, DATASET, NOTFOUND, "chunk address isn't defined: there is no such chunk");
    return found < 0 ? TS_API_FAIL(-1) : TS_API_RET(give_info(d, &rec, chunk_info));
}

static int check_written(const struct ts_dataset *d, const H5D_struct_chunk_info_t *info)
{
    unsigned type = d->core->layout.chunk.struct_type, n = ts_struct_sections(type);
    int kind = type & TS_STRUCT_SPARSE ? H5D_SPARSE_CHUNK : H5D_VL_CHUNK;
    if (!info)
        return TS_ERR(ARGS, BADVALUE, "chunk_info cannot be NULL");
    if (info->type != H5D_STRUCT_CHUNK && (int)info->type != kind)
        return TS_ERR(ARGS, BADVALUE, "chunk_info of type %d: a structured chunk of the dataset is %d, or %d",
                      info->type, H5D_STRUCT_CHUNK, kind);
    if (info->num_sections != n)
        return TS_ERR(ARGS, BADVALUE, "%u sections for a dataset whose chunks have %u", info->num_sections, n);
    return info->section_size ? 0 : TS_ERR(ARGS, BADVALUE, "section_size cannot be NULL");
}

herr_t H5Dwrite_struct_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset,
                             const H5D_struct_chunk_info_t *chunk_info, void *buf[])
{
    TS_API_ENTER(DATASET, WRITEERROR, "can't write unprocessed chunk data");
    struct ts_dataset *d = structured(&ts_scope_, dset_id, "H5Dwrite_chunk");
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER) || check_written(d, chunk_info) < 0)
        return TS_API_FAIL(-1);
    if (!offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "offset cannot be NULL");
    struct ts_struct_parts parts = {.n = chunk_info->num_sections,
                                    .sizes_known = chunk_info->section_orig_size != NULL};
    for (unsigned i = 0; i < parts.n; i++) {
        parts.bytes[i] = buf ? buf[i] : NULL;
        parts.size[i] = chunk_info->section_size[i];
        parts.size_before[i] = parts.sizes_known ? chunk_info->section_orig_size[i] : 0;
        parts.mask[i] = chunk_info->filter_mask ? chunk_info->filter_mask[i] : 0;
    }
    return TS_API_RET(ts_dataset_write_struct_chunk(d, offset, &parts));
}

struct user_visit {
    const struct ts_dataset *d;
    H5D_struct_chunk_iter_op_t op;
    void *data;
};

static int visit(const struct ts_chunk_rec *rec, void *ctx)
{
    struct user_visit *v = ctx;
    hsize_t offset[H5S_MAX_RANK], size = rec->size;
    haddr_t addr = rec->addr;
    uint16_t masks[TS_SECTIONS_MAX];
    size_t sizes[TS_SECTIONS_MAX], orig_sizes[TS_SECTIONS_MAX];
    H5D_struct_chunk_info_t info = {.filter_mask = masks, .section_size = sizes, .section_orig_size = orig_sizes};
    if (give_info(v->d, rec, &info) < 0)
        return -1;
    give_offset(v->d, rec, offset);
    TS_MAY_CALL_OUT();
    int answer = v->op(offset, &info, &addr, &size, v->data);
    return answer < 0 ? TS_ERR(DATASET, CALLBACK, "the application's function failed on a chunk") : answer;
}

herr_t H5Dstruct_chunk_iter(hid_t dset_id, hid_t dxpl_id, H5D_struct_chunk_iter_op_t cb, void *op_data)
{
    TS_API_ENTER(DATASET, BADITER, "error iterating over chunks");
    hsize_t first = 0;
    struct ts_dataset *d = structured(&ts_scope_, dset_id, "H5Dchunk_iter");
    struct user_visit v = {.d = d, .op = cb, .data = op_data};
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    if (!cb)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback to chunk iteration");
    return TS_API_RET(ts_chunks_visit(d, NULL, TS_CHUNKS_NATIVE, &first, visit, &v));
}

herr_t H5Dstruct_chunk_iterate(hid_t dset_id, hid_t fspace_id, H5D_chunk_order_t order, hsize_t *idx,
                               H5D_struct_chunk_iter_op_t op, void *op_data)
{
    TS_API_ENTER(DATASET, BADITER, "error iterating over chunks");
    hsize_t first = 0;
    enum ts_chunk_order by;
    struct ts_space *space;
    struct ts_dataset *d = structured(&ts_scope_, dset_id, "H5Dchunk_iterate");
    struct user_visit v = {.d = d, .op = op, .data = op_data};
    if (!d || ts_api_selection(&ts_scope_, fspace_id, &space) < 0 || ts_api_chunk_order(order, &by) < 0)
        return TS_API_FAIL(-1);
    if (!op)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback to chunk iteration");
    return TS_API_RET(ts_chunks_visit(d, space, by, idx ? idx : &first, visit, &v));
}
