/* H5D: chunks of every kind as they are stored. Those that are not structured are one section. */
#include "H5Dpublic.h"

#include "api/dataset_args.h"
#include "base/lock.h"
#include "dataset/chunk_query.h"
#include "dataset/struct_direct.h"

static bool is_structured(const struct ts_dataset *d)
{
    return d->core->layout.cls == H5D_STRUCT_CHUNK;
}

static unsigned n_sections(const struct ts_dataset *d)
{
    return is_structured(d) ? ts_struct_sections(d->core->layout.chunk.struct_type) : 1;
}

static H5D_native_section_type_t type_of(const struct ts_dataset *d, unsigned section)
{
    unsigned fixed = is_structured(d) ? ts_struct_fixed_section(d->core->layout.chunk.struct_type) : 0;
    return section < fixed    ? H5D_NATIVE_SECTION_SELECTION
           : section == fixed ? H5D_NATIVE_SECTION_FIXED
                              : H5D_NATIVE_SECTION_VLEN;
}

static int give_sections(const struct ts_dataset *d, const struct ts_chunk_rec *rec, H5D_native_section_info_t *info)
{
    unsigned n = n_sections(d);
    struct ts_struct_sizes sizes = {.stored = {(size_t)rec->size}};
    if (info && is_structured(d))
        ts_struct_sizes(d->core, rec, &sizes);
    for (unsigned i = 0; info && i < n; i++) {
        uint32_t mask = is_structured(d) ? rec->sections.mask[i] : rec->filter_mask;
        if (mask > UINT16_MAX)
            return TS_ERR(DATASET, BADRANGE, "the filter mask %#x of section %u has more than 16 bits", mask, i);
    }
    for (unsigned i = 0; info && i < n; i++) {
        info[i].type = type_of(d, i);
        info[i].filter_mask = (uint16_t)(is_structured(d) ? rec->sections.mask[i] : rec->filter_mask);
        info[i].size = sizes.stored[i];
    }
    return 0;
}

herr_t H5Dnative_get_section_count(hid_t dset_id, size_t *num_sections)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!num_sections)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the number of sections");
    *num_sections = n_sections(d);
    return 0;
}

herr_t H5Dnative_get_section_types(hid_t dset_id, H5D_native_section_type_t sect_types[])
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!sect_types)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the types of sections");
    for (unsigned i = 0; i < n_sections(d); i++)
        sect_types[i] = type_of(d, i);
    return 0;
}

static int check_count(const struct ts_dataset *d, const hsize_t *offset, size_t num_sections)
{
    if (!offset)
        return TS_ERR(ARGS, BADVALUE, "offset cannot be NULL");
    if (num_sections != n_sections(d))
        return TS_ERR(ARGS, BADVALUE, "%zu sections for a dataset whose chunks have %u", num_sections, n_sections(d));
    return 0;
}

static int write_dense(struct ts_dataset *d, const hsize_t *offset, const H5D_native_section_info_t *info,
                       const void *buf)
{
    if (!buf || info->size == 0 || info->size > UINT32_MAX)
        return TS_ERR(ARGS, BADVALUE, "a chunk of %zu bytes%s", info->size, buf ? "" : ", but nowhere");
    return ts_dataset_write_chunk(d, offset, info->filter_mask, info->size, buf);
}

static int check_types(const struct ts_dataset *d, const H5D_native_section_info_t *info)
{
    for (unsigned i = 0; i < n_sections(d); i++)
        if (info[i].type != type_of(d, i))
            return TS_ERR(ARGS, BADVALUE, "section %u of type %d: it is of type %d", i, info[i].type, type_of(d, i));
    return 0;
}

static int write_sections(struct ts_dataset *d, const hsize_t *offset, const H5D_native_section_info_t *info,
                          const void *const *buf)
{
    struct ts_struct_parts parts = {.n = n_sections(d)};
    for (unsigned i = 0; i < parts.n; i++) {
        parts.bytes[i] = buf[i];
        parts.size[i] = info[i].size;
        parts.mask[i] = info[i].filter_mask;
    }
    return ts_dataset_write_struct_chunk(d, offset, &parts);
}

herr_t H5Dnative_write_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, size_t num_sections,
                             const H5D_native_section_info_t section_info[], const void *const buf[])
{
    TS_API_ENTER(DATASET, WRITEERROR, "can't write unprocessed chunk data");
    struct ts_dataset *d = ts_api_chunked(&ts_scope_, dset_id);
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER) || check_count(d, offset, num_sections) < 0)
        return TS_API_FAIL(-1);
    if (!section_info || !buf)
        return TS_API_ERR(-1, ARGS, BADVALUE, "%s cannot be NULL", buf ? "section_info" : "buf");
    if (check_types(d, section_info) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(is_structured(d) ? write_sections(d, offset, section_info, buf)
                                       : write_dense(d, offset, section_info, buf[0]));
}

static int read_dense(struct ts_dataset *d, const hsize_t *offset, void *buf, struct ts_chunk_rec *rec)
{
    size_t size = SIZE_MAX;
    int found = ts_chunks_at(d, offset, rec);
    if (found <= 0 || !buf)
        return found;
    return ts_dataset_read_chunk(d, offset, &rec->filter_mask, buf, &size) < 0 ? -1 : 1;
}

herr_t H5Dnative_read_chunk(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, size_t num_sections,
                            H5D_native_section_info_t section_info[], void *buf[])
{
    TS_API_ENTER(DATASET, READERROR, "can't read unprocessed chunk data");
    struct ts_chunk_rec rec;
    struct ts_dataset *d = ts_api_chunked(&ts_scope_, dset_id);
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER) || check_count(d, offset, num_sections) < 0)
        return TS_API_FAIL(-1);
    int found = is_structured(d) ? ts_dataset_read_struct_chunk(d, offset, buf, &rec)
                                 : read_dense(d, offset, buf ? buf[0] : NULL, &rec);
    if (found == 0)
        return TS_API_ERR(-1, DATASET, NOTFOUND, "chunk address isn't defined: there is no such chunk");
    return found < 0 ? TS_API_FAIL(-1) : TS_API_RET(give_sections(d, &rec, section_info));
}

herr_t H5Dnative_get_chunk_info(hid_t dset_id, const hsize_t *offset, H5D_native_section_info_t section_info[],
                                haddr_t *chunk_addr, hsize_t *chunk_size)
{
    TS_API_ENTER(DATASET, CANTOPERATE, "can't operate on dataset");
    struct ts_chunk_rec rec;
    struct ts_dataset *d = ts_api_chunked(&ts_scope_, dset_id);
    if (!d)
        return TS_API_FAIL(-1);
    if (!offset)
        return TS_API_ERR(-1, ARGS, BADVALUE, "offset cannot be NULL");
    int found = ts_chunks_at(d, offset, &rec);
    if (found < 0 || (found && give_sections(d, &rec, section_info) < 0))
        return TS_API_FAIL(-1);
    if (chunk_addr)
        *chunk_addr = found ? rec.addr : HADDR_UNDEF;
    if (chunk_size)
        *chunk_size = found ? rec.size : 0;
    return 0;
}

struct user_visit {
    const struct ts_dataset *d;
    H5D_native_chunk_iter_op_t op;
    void *data;
};

static int visit(const struct ts_chunk_rec *rec, void *ctx)
{
    struct user_visit *v = ctx;
    hsize_t offset[H5S_MAX_RANK];
    for (unsigned i = 0; i < v->d->core->rank; i++)
        offset[i] = rec->scaled[i] * v->d->core->layout.chunk.dims[i];
    TS_MAY_CALL_OUT();
    int answer = v->op(offset, v->data);
    return answer < 0 ? TS_ERR(DATASET, CALLBACK, "the application's function failed on a chunk") : answer;
}

herr_t H5Dnative_chunk_iter(hid_t dset_id, hid_t dxpl_id, H5D_native_chunk_iter_op_t op, void *op_data)
{
    TS_API_ENTER(DATASET, BADITER, "error iterating over chunks");
    hsize_t first = 0;
    struct ts_dataset *d = ts_api_chunked(&ts_scope_, dset_id);
    struct user_visit v = {.d = d, .op = op, .data = op_data};
    if (!d || !TS_API_PLIST(dxpl_id, TS_PLIST_DATASET_XFER))
        return TS_API_FAIL(-1);
    if (!op)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid callback to chunk iteration");
    return TS_API_RET(ts_chunks_visit(d, NULL, TS_CHUNKS_NATIVE, &first, visit, &v));
}

herr_t H5Dnative_get_chunk_storage_size(hid_t dset_id, const hsize_t *offset, hsize_t *chunk_bytes)
{
    return H5Dget_chunk_storage_size(dset_id, offset, chunk_bytes);
}

herr_t H5Dnative_get_num_chunks(hid_t dset_id, hid_t fspace_id, hsize_t *nchunks)
{
    return H5Dget_num_chunks(dset_id, fspace_id, nchunks);
}
