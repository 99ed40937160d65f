/* H5P: structured chunks in dataset creation lists, and the filters of their sections. */
#include <string.h>

#include "api/plist_args.h"
#include "base/alloc.h"
#include "dataset/dataset.h"
#include "filter/filter.h"
#include "plist/engine.h"
#include "plist/sections.h"

/* The number of parameters takes two bytes in a file. */
#define MAX_FILTER_BYTES (4 * (size_t)UINT16_MAX)

static int set_struct(struct ts_api_scope *scope, hid_t dcpl_id, struct ts_layout_prop *layout, int ndims,
                      const hsize_t *dim)
{
    if (ts_p_fill_chunk(layout, ndims, dim) < 0)
        return -1;
    struct ts_plist *pl = ts_p_list(scope, dcpl_id, TS_PLIST_DATASET_CREATE);
    return pl ? ts_p_set_layout(pl, layout) : -1;
}

herr_t H5Pset_struct_chunk(hid_t dcpl_id, int ndims, const hsize_t dim[], unsigned flag)
{
    TS_API_ENTER();
    struct ts_layout_prop layout = {.cls = H5D_STRUCT_CHUNK, .struct_type = flag};
    if (flag == 0 || flag & ~(H5D_SPARSE_CHUNK | H5D_VL_CHUNK))
        return TS_API_ERR(-1, ARGS, BADVALUE, "no structured chunks of kind %#x", flag);
    return TS_API_RET(set_struct(&ts_scope_, dcpl_id, &layout, ndims, dim));
}

herr_t H5Pset_sparse_chunk(hid_t dcpl_id, int ndims, const hsize_t dim[])
{
    TS_API_ENTER();
    struct ts_layout_prop layout = {.cls = H5D_STRUCT_CHUNK, .struct_type = H5D_SPARSE_CHUNK};
    return TS_API_RET(set_struct(&ts_scope_, dcpl_id, &layout, ndims, dim));
}

/* The rank of structured chunks, with their dimensions and their kind; also of chunks that a density makes sparse. */
static int get_struct(struct ts_api_scope *scope, hid_t dcpl_id, int max_ndims, hsize_t *dim, unsigned *type)
{
    struct ts_plist *pl = ts_p_list(scope, dcpl_id, TS_PLIST_DATASET_CREATE);
    struct ts_layout_prop layout;
    if (!pl || ts_plist_get(pl, TS_P_LAYOUT, &layout) < 0 || ts_dcpl_struct_type(pl, type) < 0)
        return -1;
    if (*type == 0 || layout.chunk_rank == 0)
        return TS_ERR(ARGS, BADVALUE, "the list has no structured chunks");
    for (int i = 0; dim && i < max_ndims && i < (int)layout.chunk_rank; i++)
        dim[i] = layout.chunk_dims[i];
    return (int)layout.chunk_rank;
}

int H5Pget_struct_chunk(hid_t dcpl_id, int max_ndims, hsize_t dim[], unsigned *flag)
{
    TS_API_ENTER();
    unsigned type;
    int rank = get_struct(&ts_scope_, dcpl_id, max_ndims, dim, &type);
    if (rank >= 0 && flag)
        *flag = type;
    return TS_API_RET(rank);
}

int H5Pget_sparse_chunk(hid_t dcpl_id, int max_ndims, hsize_t dim[])
{
    TS_API_ENTER();
    unsigned type;
    int rank = get_struct(&ts_scope_, dcpl_id, 0, NULL, &type);
    if (rank >= 0 && !(type & H5D_SPARSE_CHUNK))
        return TS_API_ERR(-1, ARGS, BADVALUE, "the chunks are not sparse");
    return TS_API_RET(rank < 0 ? -1 : get_struct(&ts_scope_, dcpl_id, max_ndims, dim, &type));
}

herr_t H5Pset_density(hid_t dcpl_id, unsigned density)
{
    TS_API_ENTER();
    if (density != H5D_DENSITY_DENSE && density != H5D_DENSITY_SPARSE)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no density %u", density);
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    return TS_API_RET(pl ? ts_dcpl_set_density(pl, (H5D_density_t)density) : -1);
}

herr_t H5Pget_density(hid_t dcpl_id, unsigned *density)
{
    TS_API_ENTER();
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    H5D_density_t said;
    unsigned type;
    if (!pl || ts_plist_get(pl, TS_P_DENSITY, &said) < 0 || ts_dcpl_struct_type(pl, &type) < 0)
        return TS_API_FAIL(-1);
    if (!density)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the answer");
    *density = said == H5D_DENSITY_SPARSE || type & H5D_SPARSE_CHUNK ? H5D_DENSITY_SPARSE : H5D_DENSITY_DENSE;
    return 0;
}

herr_t H5Pset_selection_packing(hid_t dcpl_id)
{
    TS_API_ENTER();
    bool yes = true;
    return TS_API_RET(TS_P_SET(dcpl_id, DATASET_CREATE, TS_P_SELECTION_PACKING, &yes));
}

htri_t H5Pget_selection_packing(hid_t dcpl_id)
{
    TS_API_ENTER();
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    struct ts_pipeline p;
    bool packed;
    if (!pl || ts_plist_get(pl, TS_P_SELECTION_PACKING, &packed) < 0 || ts_ocpl_pipeline(pl, &p) < 0)
        return TS_API_FAIL(-1);
    packed |= ts_pipeline_find(&p, TS_FILTER_SELECTION_PACKING) != NULL;
    ts_pipeline_deinit(&p);
    return packed;
}

static void give_sections(unsigned type, unsigned *n, H5_section_type_t *types)
{
    unsigned count = type ? ts_struct_sections(type) : 1;
    H5_section_type_t first = type & TS_STRUCT_SPARSE ? H5_SECTION_SELECTION : H5_SECTION_FIXED;
    *n = count;
    for (unsigned i = 0; types && i < count; i++)
        types[i] = (H5_section_type_t)((unsigned)first + i);
}

herr_t H5Pget_struct_chunk_sections(hid_t dcpl_id, unsigned *num_sections, H5_section_type_t types[])
{
    TS_API_ENTER();
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    struct ts_layout_prop layout;
    unsigned type;
    if (!pl || ts_plist_get(pl, TS_P_LAYOUT, &layout) < 0 || ts_dcpl_struct_type(pl, &type) < 0)
        return TS_API_FAIL(-1);
    if (!num_sections)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the number of sections");
    if (layout.chunk_rank == 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "the list has no chunks");
    give_sections(type, num_sections, types);
    return 0;
}

herr_t H5Pget_struct_sections_info(hid_t dset_id, unsigned *num_sections, H5_section_type_t types[])
{
    TS_API_ENTER();
    struct ts_dataset *d = TS_API_OBJ(dset_id, H5I_DATASET);
    if (!d)
        return TS_API_FAIL(-1);
    if (!num_sections)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the number of sections");
    if (d->core->layout.cls != H5D_CHUNKED && d->core->layout.cls != H5D_STRUCT_CHUNK)
        return TS_API_ERR(-1, DATASET, BADTYPE, "dataset is not chunked");
    give_sections(d->core->layout.chunk.struct_type, num_sections, types);
    return 0;
}

/* Auxiliary data as parameters: 32-bit words, little-endian, the last one filled up with zeros. */
static int make_values(size_t size, const void *buf, struct ts_filter *f)
{
    const uint8_t *bytes = buf;
    if (size > 0 && !buf)
        return TS_ERR(ARGS, BADVALUE, "%zu bytes for a filter, but nowhere", size);
    if (size > MAX_FILTER_BYTES)
        return TS_ERR(ARGS, BADRANGE, "%zu bytes for a filter: %zu at most", size, MAX_FILTER_BYTES);
    f->n_values = (size + 3) / 4;
    f->values = f->n_values ? ts_calloc(f->n_values, sizeof *f->values) : NULL;
    if (f->n_values && !f->values)
        return -1;
    for (size_t i = 0; i < size; i++)
        f->values[i / 4] |= (unsigned)bytes[i] << i % 4 * 8;
    return 0;
}

typedef int put_fn(struct ts_plist *pl, uint64_t section, const struct ts_filter *filter);

/* A section that was not named is none of the user's. */
static int check_section(uint64_t section)
{
    return section == TS_SECTION_ALL ? TS_ERR(ARGS, BADRANGE, "no section %llu", (unsigned long long)section) : 0;
}

static int put_filter(struct ts_plist *pl, uint64_t section, struct ts_filter *f, size_t size, const void *buf,
                      put_fn *put)
{
    if (!pl || check_section(section) < 0 || make_values(size, buf, f) < 0)
        return -1;
    int status = put(pl, section, f);
    ts_free(f->values);
    return status;
}

herr_t H5Pset_filter2(hid_t plist_id, uint64_t section, H5Z_filter_t filter, uint64_t flags, size_t buf_size,
                      const void *buf)
{
    TS_API_ENTER();
    struct ts_filter f = {.id = filter, .flags = (unsigned)flags};
    if (ts_p_check_filter(filter, flags) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(put_filter(pl, section, &f, buf_size, buf, ts_dcpl_add_filter));
}

herr_t H5Pmodify_filter2(hid_t plist_id, uint64_t section, H5Z_filter_t filter, uint64_t flags, size_t buf_size,
                         const void *buf)
{
    TS_API_ENTER();
    struct ts_filter f = {.id = filter, .flags = (unsigned)flags};
    if (ts_p_check_filter(filter, flags) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    return TS_API_RET(put_filter(pl, section, &f, buf_size, buf, ts_dcpl_modify_filter));
}

herr_t H5Premove_filter2(hid_t plist_id, uint64_t section, H5Z_filter_t filter)
{
    TS_API_ENTER();
    struct ts_plist *pl = TS_P_LIST(plist_id, OBJECT_CREATE);
    if (!pl || check_section(section) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dcpl_remove_filter(pl, section, filter));
}

static int filters_of(struct ts_api_scope *scope, hid_t plist_id, uint64_t section, struct ts_pipeline *out)
{
    struct ts_plist *pl = ts_p_list(scope, plist_id, TS_PLIST_OBJECT_CREATE);
    return !pl || check_section(section) < 0 ? -1 : ts_dcpl_filters(pl, section, out);
}

static int count_filters(struct ts_api_scope *scope, hid_t plist_id, uint64_t section, int *n)
{
    struct ts_pipeline p;
    if (filters_of(scope, plist_id, section, &p) < 0)
        return -1;
    if (n)
        *n = (int)p.n;
    ts_pipeline_deinit(&p);
    return n ? 0 : TS_ERR(ARGS, BADVALUE, "nowhere to put the number of filters");
}

herr_t H5Pget_nfilters2(hid_t plist_id, uint64_t section, int *num_filters)
{
    TS_API_ENTER();
    return TS_API_RET(count_filters(&ts_scope_, plist_id, section, num_filters));
}

herr_t H5Pget_nfilter2(hid_t plist_id, uint64_t section, int *num_filters)
{
    TS_API_ENTER();
    return TS_API_RET(count_filters(&ts_scope_, plist_id, section, num_filters));
}

/* Where the getters of filters put what they find; members may be NULL. */
struct filter_out {
    uint64_t *flags;
    size_t *size;
    uint8_t *bytes;
    size_t name_size;
    char *name;
    unsigned *config;
};

static int tell(const struct ts_filter *f, const struct filter_out *out)
{
    const char *name = f->name ? f->name : ts_filter_name(f->id);
    if (out->size && *out->size > 0 && !out->bytes)
        return TS_ERR(ARGS, BADVALUE, "room for %zu bytes, but nowhere", *out->size);
    if (out->flags)
        *out->flags = f->flags;
    for (size_t i = 0; out->size && i < *out->size && i < 4 * f->n_values; i++)
        out->bytes[i] = (uint8_t)(f->values[i / 4] >> i % 4 * 8);
    if (out->size)
        *out->size = 4 * f->n_values;
    ts_api_copy_name(out->name, out->name_size, name ? name : "");
    return out->config && ts_filter_info(f->id, out->config) < 0 ? -1 : 0;
}

H5Z_filter_t H5Pget_filter3(hid_t plist_id, uint64_t section, unsigned idx, uint64_t *flags, size_t *buf_size,
                            void *buf, size_t namelen, char name[], unsigned *filter_config)
{
    TS_API_ENTER();
    struct filter_out out = {flags, buf_size, buf, namelen, name, filter_config};
    struct ts_pipeline p;
    H5Z_filter_t id = H5Z_FILTER_ERROR;
    if (filters_of(&ts_scope_, plist_id, section, &p) < 0)
        return TS_API_FAIL(H5Z_FILTER_ERROR);
    if (idx >= p.n)
        TS_ERR(ARGS, BADVALUE, "filter %u of %zu", idx, p.n);
    else if (tell(&p.filters[idx], &out) == 0)
        id = p.filters[idx].id;
    ts_pipeline_deinit(&p);
    return TS_API_RET(id);
}

H5Z_filter_t H5Pget_filter_by_id3(hid_t plist_id, uint64_t section, H5Z_filter_t filter, uint64_t *flags,
                                  size_t *buf_size, void *buf, size_t namelen, char name[], unsigned *filter_config)
{
    TS_API_ENTER();
    struct filter_out out = {flags, buf_size, buf, namelen, name, filter_config};
    struct ts_pipeline p;
    if (filters_of(&ts_scope_, plist_id, section, &p) < 0)
        return TS_API_FAIL(H5Z_FILTER_ERROR);
    const struct ts_filter *f = ts_pipeline_find(&p, filter);
    int status = f ? tell(f, &out) : TS_ERR(PLINE, NOTFOUND, "filter %d is not in the pipeline", (int)filter);
    ts_pipeline_deinit(&p);
    return TS_API_RET(status < 0 ? H5Z_FILTER_ERROR : filter);
}
