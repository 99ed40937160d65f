/* H5P: structured chunks in dataset creation lists, and the filters of their sections. */
#include <string.h>

#include "api/plist_args.h"
#include "dataset/chunk_shape.h"
#include "dataset/dataset.h"
#include "plist/engine.h"
#include "plist/sections.h"

static int set_struct(struct ts_api_scope *scope, hid_t dcpl_id, struct ts_layout_prop *layout, int ndims,
                      const hsize_t *dim)
{
    if (ts_p_fill_chunk(layout, ndims, dim, UINT32_MAX) < 0)
        return -1;
    struct ts_plist *pl = ts_p_list(scope, dcpl_id, TS_PLIST_DATASET_CREATE);
    return pl ? ts_dcpl_choose_layout(pl, layout) : -1;
}

herr_t H5Pset_struct_chunk(hid_t dcpl_id, int ndims, const hsize_t dim[], unsigned flag)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_layout_prop layout = {.cls = H5D_STRUCT_CHUNK, .struct_type = flag};
    if (flag == 0 || flag & ~(H5D_SPARSE_CHUNK | H5D_VL_CHUNK))
        return TS_API_ERR(-1, ARGS, BADVALUE, "no structured chunks of kind %#x", flag);
    return TS_API_RET(set_struct(&ts_scope_, dcpl_id, &layout, ndims, dim));
}

herr_t H5Pset_sparse_chunk(hid_t dcpl_id, int ndims, const hsize_t dim[])
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_layout_prop layout = {.cls = H5D_STRUCT_CHUNK, .struct_type = H5D_SPARSE_CHUNK};
    return TS_API_RET(set_struct(&ts_scope_, dcpl_id, &layout, ndims, dim));
}

/* The rank of structured chunks, with their dimensions and their kind; also of chunks that a density makes sparse. */
static int get_struct(struct ts_api_scope *scope, hid_t dcpl_id, int max_ndims, hsize_t *dim, unsigned *type)
{
    struct ts_plist *pl = ts_p_list(scope, dcpl_id, TS_PLIST_DATASET_CREATE);
    struct ts_layout_prop layout;
    if (!pl || ts_dcpl_peek_layout(pl, &layout) < 0 || ts_dcpl_struct_type(pl, type) < 0)
        return -1;
    if (*type == 0 || layout.chunk_rank == 0)
        return TS_ERR(ARGS, BADVALUE, "the list has no dimensions of structured chunks");
    for (int i = 0; dim && i < max_ndims && i < (int)layout.chunk_rank; i++)
        dim[i] = layout.chunk_dims[i];
    return (int)layout.chunk_rank;
}

int H5Pget_struct_chunk(hid_t dcpl_id, int max_ndims, hsize_t dim[], unsigned *flag)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned type;
    int rank = get_struct(&ts_scope_, dcpl_id, max_ndims, dim, &type);
    if (rank >= 0 && flag)
        *flag = type;
    return TS_API_RET(rank);
}

int H5Pget_sparse_chunk(hid_t dcpl_id, int max_ndims, hsize_t dim[])
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    unsigned type;
    int rank = get_struct(&ts_scope_, dcpl_id, 0, NULL, &type);
    if (rank >= 0 && !(type & H5D_SPARSE_CHUNK))
        return TS_API_ERR(-1, ARGS, BADVALUE, "the chunks are not sparse");
    return TS_API_RET(rank < 0 ? -1 : get_struct(&ts_scope_, dcpl_id, max_ndims, dim, &type));
}

/* A copy of the dataspace, which nobody changes meanwhile. */
static int choose_chunk(struct ts_type *type, struct ts_space *space, hsize_t *dims)
{
    struct ts_space *copy;
    if (ts_space_snapshot(space, &copy) < 0)
        return -1;
    int rank = ts_chunk_shape_choose(copy, type, dims) < 0 ? -1 : (int)ts_space_rank(copy);
    ts_space_unref(copy);
    return rank;
}

static int default_chunk(struct ts_plist *pl, struct ts_type *type, struct ts_space *space, hsize_t *dims)
{
    struct ts_layout_prop layout;
    unsigned kind;
    if (ts_dcpl_peek_layout(pl, &layout) < 0 || ts_dcpl_struct_type(pl, &kind) < 0)
        return -1;
    if (kind == 0)
        return TS_ERR(ARGS, BADVALUE, "the list asks for no structured chunks");
    if (layout.chunk_rank == 0)
        return choose_chunk(type, space, dims);
    memcpy(dims, layout.chunk_dims, layout.chunk_rank * sizeof dims[0]);
    return (int)layout.chunk_rank;
}

int H5Pget_default_chunk(hid_t dcpl_id, hid_t type_id, hid_t space_id, int max_ndims, hsize_t dim[])
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    hsize_t dims[H5S_MAX_RANK];
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    struct ts_type *type = pl ? TS_API_OBJ(type_id, H5I_DATATYPE) : NULL;
    struct ts_space *space = type ? TS_API_OBJ(space_id, H5I_DATASPACE) : NULL;
    int rank = space ? default_chunk(pl, type, space, dims) : -1;
    for (int i = 0; dim && i < max_ndims && i < rank; i++)
        dim[i] = dims[i];
    return TS_API_RET(rank);
}

herr_t H5Pset_density(hid_t dcpl_id, unsigned density)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (density != H5D_DENSITY_DENSE && density != H5D_DENSITY_SPARSE)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no density %u", density);
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    return TS_API_RET(pl ? ts_dcpl_set_density(pl, (H5D_density_t)density) : -1);
}

herr_t H5Pget_density(hid_t dcpl_id, unsigned *density)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    H5D_density_t said;
    unsigned type;
    if (!pl || ts_dcpl_said_density(pl, &said) < 0 || ts_dcpl_struct_type(pl, &type) < 0)
        return TS_API_FAIL(-1);
    if (!density)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the answer");
    *density = said == H5D_DENSITY_SPARSE || type & H5D_SPARSE_CHUNK ? H5D_DENSITY_SPARSE : H5D_DENSITY_DENSE;
    return 0;
}

herr_t H5Pset_selection_packing(hid_t dcpl_id)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    bool yes = true;
    return TS_API_RET(ts_dcpl_set_selection_packing(TS_P_LIST(dcpl_id, DATASET_CREATE), yes));
}

htri_t H5Pget_selection_packing(hid_t dcpl_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    struct ts_pipeline p;
    bool packed;
    if (!pl || ts_dcpl_selection_packing(pl, &packed) < 0 || ts_ocpl_pipeline(pl, &p) < 0)
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
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    struct ts_layout_prop layout;
    unsigned type;
    if (!pl || ts_dcpl_peek_layout(pl, &layout) < 0 || ts_dcpl_struct_type(pl, &type) < 0)
        return TS_API_FAIL(-1);
    if (!num_sections)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the number of sections");
    if (type == 0 && layout.cls != H5D_CHUNKED)
        return TS_API_ERR(-1, ARGS, BADVALUE, "the list has no chunks");
    give_sections(type, num_sections, types);
    return 0;
}

herr_t H5Pget_struct_sections_info(hid_t dset_id, unsigned *num_sections, H5_section_type_t types[])
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
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
