/* H5P: properties of dataset creation lists. */
#include <string.h>

#include "api/plist_args.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "plist/dcpl.h"
#include "plist/engine.h"
#include "plist/sections.h"
#include "plist/virtual_map.h"
#include "space/space.h"
#include "type/type.h"

#define SZIP_LSB 8u
#define SZIP_MSB 16u
#define SZIP_RAW 128u

herr_t H5Pset_layout(hid_t plist_id, H5D_layout_t layout)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (layout < 0 || layout >= H5D_NLAYOUTS)
        return TS_API_ERR(-1, ARGS, BADRANGE, "raw data layout method is not valid: no layout %d", (int)layout);
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    struct ts_layout_prop prop = {.cls = layout};
    return TS_API_RET(pl ? ts_dcpl_choose_layout(pl, &prop) : -1);
}

H5D_layout_t H5Pget_layout(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_layout_prop layout;
    if (ts_dcpl_peek_layout(TS_P_LIST(plist_id, DATASET_CREATE), &layout) < 0)
        return TS_API_FAIL(H5D_LAYOUT_ERROR);
    return layout.cls == H5D_STRUCT_CHUNK ? TS_ABI_STRUCT_CHUNK : layout.cls;
}

int ts_p_fill_chunk(struct ts_layout_prop *layout, int ndims, const hsize_t *dim, uint64_t max)
{
    if (ndims <= 0 || ndims > H5S_MAX_RANK)
        return TS_ERR(ARGS, BADRANGE, "chunk dimensionality %s: %d", ndims > 0 ? "is too large" : "must be positive",
                      ndims);
    if (!dim)
        return TS_ERR(ARGS, BADVALUE, "no chunk dimensions specified");
    hsize_t elements = 1;
    layout->chunk_rank = (unsigned)ndims;
    for (int i = 0; i < ndims; i++) {
        if (dim[i] == 0 || dim[i] > max)
            return TS_ERR(ARGS, BADRANGE, "all chunk dimensions must be %s: chunk dimension %d is %llu",
                          dim[i] == 0        ? "positive"
                          : max > UINT32_MAX ? "less than 2^63"
                                             : "less than 2^32",
                          i, (unsigned long long)dim[i]);
        if (!ts_mul_u64(elements, dim[i], &elements) || elements > max)
            return TS_ERR(ARGS, BADRANGE, "number of elements in chunk must be < %s: dimension %d has %llu",
                          max > UINT32_MAX ? "2^63" : "4GB", i, (unsigned long long)dim[i]);
        layout->chunk_dims[i] = dim[i];
    }
    return 0;
}

/* H5D_STRUCT_CHUNK that was given to H5Pset_layout waits for its dimensions; a list that has them becomes one of plain
 * chunks, as every other. */
static H5D_layout_t chunked_layout(const struct ts_layout_prop *old)
{
    return old->cls == H5D_STRUCT_CHUNK && old->struct_type == 0 ? H5D_STRUCT_CHUNK : H5D_CHUNKED;
}

herr_t H5Pset_chunk(hid_t plist_id, int ndims, const hsize_t dim[])
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_layout_prop layout = {.cls = H5D_CHUNKED}, old;
    if (ts_p_fill_chunk(&layout, ndims, dim, TS_ABI_CHUNK_MAX) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    if (!pl || ts_dcpl_peek_layout(pl, &old) < 0)
        return TS_API_FAIL(-1);
    layout.cls = chunked_layout(&old);
    return TS_API_RET(ts_dcpl_choose_layout(pl, &layout));
}

static int get_chunked(struct ts_api_scope *scope, hid_t plist_id, struct ts_layout_prop *layout)
{
    if (ts_dcpl_peek_layout(ts_p_list(scope, plist_id, TS_PLIST_DATASET_CREATE), layout) < 0)
        return -1;
    bool chunked = layout->cls == H5D_CHUNKED || layout->cls == H5D_STRUCT_CHUNK;
    return chunked ? 0 : TS_ERR(ARGS, BADVALUE, "not a chunked storage layout");
}

/* Of structured chunks too: those who only look for the shape of chunks see one. */
int H5Pget_chunk(hid_t plist_id, int max_ndims, hsize_t dim[])
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_layout_prop layout;
    if (get_chunked(&ts_scope_, plist_id, &layout) < 0)
        return TS_API_FAIL(-1);
    for (int i = 0; dim && i < max_ndims && i < (int)layout.chunk_rank; i++)
        dim[i] = layout.chunk_dims[i];
    return (int)layout.chunk_rank;
}

herr_t H5Pset_chunk_opts(hid_t plist_id, unsigned opts)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_layout_prop layout;
    if (opts & ~H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS)
        return TS_API_ERR(-1, ARGS, BADRANGE, "unknown chunk options: chunk options %#x", opts);
    if (get_chunked(&ts_scope_, plist_id, &layout) < 0)
        return TS_API_FAIL(-1);
    layout.chunk_opts = opts;
    return TS_API_RET(ts_dcpl_set_layout(TS_P_LIST(plist_id, DATASET_CREATE), &layout));
}

herr_t H5Pget_chunk_opts(hid_t plist_id, unsigned *opts)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_layout_prop layout;
    if (get_chunked(&ts_scope_, plist_id, &layout) < 0)
        return TS_API_FAIL(-1);
    if (opts)
        *opts = layout.chunk_opts;
    return 0;
}

static struct ts_space *snapshot(struct ts_api_scope *scope, hid_t id)
{
    struct ts_space *s = ts_api_pin(scope, id, H5I_DATASPACE), *copy;
    if (!s)
        TS_SAY(PLIST, BADTYPE, "not a dataspace");
    if (!s || ts_space_snapshot(s, &copy) < 0)
        return NULL;
    return ts_api_adopt(scope, H5I_DATASPACE, copy) < 0 ? NULL : copy;
}

herr_t H5Pset_virtual(hid_t dcpl_id, hid_t vspace_id, const char *src_file_name, const char *src_dset_name,
                      hid_t src_space_id)
{
    TS_API_ENTER(PLIST, BADVALUE, "invalid mapping selections");
    if (!src_file_name)
        return TS_API_ERR(-1, PLIST, BADVALUE, "source file name not provided");
    if (!src_dset_name)
        return TS_API_ERR(-1, PLIST, BADRANGE, "source dataset name not provided");
    bool has_number = false;
    struct ts_vds_map m = {.file = src_file_name, .dset = src_dset_name};
    m.dst = snapshot(&ts_scope_, vspace_id);
    m.src = m.dst ? snapshot(&ts_scope_, src_space_id) : NULL;
    if (!m.src)
        return TS_API_FAIL(-1);
    if (ts_vds_take_offset(m.dst) < 0 || ts_vds_take_offset(m.src) < 0)
        return TS_API_ERR(-1, PLIST, CANTINIT, "unable to update virtual dataset minimum dimensions");
    if (ts_vds_map_check_selections(&m) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    if (!pl)
        return TS_API_FAIL(-1);
    if (!ts_vds_name_is_sound(src_file_name, &has_number))
        return TS_API_ERR(-1, PLIST, CANTINIT, "can't parse source file name '%s'", src_file_name);
    if (!ts_vds_name_is_sound(src_dset_name, &has_number))
        return TS_API_ERR(-1, PLIST, CANTINIT, "can't parse source dataset name '%s'", src_dset_name);
    return TS_API_RET(ts_vds_map_check_number(&m, has_number) < 0 ? -1 : ts_dcpl_add_mapping(pl, &m));
}

/* The list's mapping, held with the list until ts_plist_release. */
static const struct ts_vds_map *hold_mapping(struct ts_plist *pl, size_t index)
{
    const struct ts_layout_prop *layout = ts_dcpl_hold_layout(pl);
    if (!layout)
        return NULL;
    if (layout->cls == H5D_VIRTUAL && index < layout->vds.n)
        return &layout->vds.maps[index];
    if (layout->cls != H5D_VIRTUAL)
        TS_ERR(ARGS, BADVALUE, "not a virtual storage layout");
    else
        TS_ERR(ARGS, BADRANGE, "invalid index (out of range): mapping %zu of %zu", index, layout->vds.n);
    ts_plist_release(pl);
    return NULL;
}

herr_t H5Pget_virtual_count(hid_t dcpl_id, size_t *count)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_layout_prop layout;
    if (ts_dcpl_peek_layout(TS_P_LIST(dcpl_id, DATASET_CREATE), &layout) < 0)
        return TS_API_FAIL(-1);
    if (layout.cls != H5D_VIRTUAL)
        return TS_API_ERR(-1, ARGS, BADVALUE, "not a virtual storage layout");
    if (count)
        *count = layout.vds.n;
    return 0;
}

static hid_t mapping_space(struct ts_api_scope *scope, hid_t dcpl_id, size_t index, bool source)
{
    struct ts_plist *pl = ts_p_list(scope, dcpl_id, TS_PLIST_DATASET_CREATE);
    const struct ts_vds_map *m = hold_mapping(pl, index);
    if (!m)
        return -1;
    struct ts_space *copy;
    int ret = ts_space_copy(source ? m->src : m->dst, &copy);
    ts_plist_release(pl);
    if (ret < 0)
        return -1;
    hid_t id = ts_id_register(H5I_DATASPACE, copy);
    if (id < 0)
        ts_space_unref(copy);
    return id;
}

hid_t H5Pget_virtual_vspace(hid_t dcpl_id, size_t index)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(mapping_space(&ts_scope_, dcpl_id, index, false));
}

hid_t H5Pget_virtual_srcspace(hid_t dcpl_id, size_t index)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    return TS_API_RET(mapping_space(&ts_scope_, dcpl_id, index, true));
}

ssize_t H5Pget_virtual_filename(hid_t dcpl_id, size_t index, char *name, size_t size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    const struct ts_vds_map *m = hold_mapping(pl, index);
    if (!m)
        return TS_API_FAIL(-1);
    ssize_t n = (ssize_t)ts_api_copy_name(name, size, m->file);
    ts_plist_release(pl);
    return n;
}

ssize_t H5Pget_virtual_dsetname(hid_t dcpl_id, size_t index, char *name, size_t size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(dcpl_id, DATASET_CREATE);
    const struct ts_vds_map *m = hold_mapping(pl, index);
    if (!m)
        return TS_API_FAIL(-1);
    ssize_t n = (ssize_t)ts_api_copy_name(name, size, m->dset);
    ts_plist_release(pl);
    return n;
}

static int add_external(struct ts_efl *efl, const struct ts_efl_file *file)
{
    hsize_t total = file->size;
    if (efl->n > 0 && efl->slots[efl->n - 1].size == H5F_UNLIMITED)
        return TS_ERR(ARGS, BADVALUE, "previous file size is unlimited");
    /* Nothing can follow an external file of no size. */
    for (size_t i = 0; file->size != H5F_UNLIMITED && i < efl->n; i++)
        if (efl->slots[i].size == 0 || __builtin_add_overflow(total, efl->slots[i].size, &total))
            return TS_SAY(EFL, OVERFLOW, "total external data size overflowed");
    return ts_efl_add(efl, file);
}

herr_t H5Pset_external(hid_t plist_id, const char *name, off_t offset, hsize_t size)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (!name || !*name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no name given");
    if (offset < 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "negative external file offset: offset %lld in an external file",
                          (long long)offset);
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    struct ts_efl *efl = ts_dcpl_edit_efl(pl);
    if (!efl)
        return TS_API_FAIL(-1);
    struct ts_efl_file file = {.name = (char *)name, .offset = offset, .size = size};
    int ret = add_external(efl, &file);
    ts_plist_release(pl);
    return TS_API_RET(ret);
}

int H5Pget_external_count(hid_t plist_id)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_efl efl;
    if (ts_dcpl_peek_efl(TS_P_LIST(plist_id, DATASET_CREATE), &efl) < 0)
        return TS_API_FAIL(-1);
    return (int)efl.n;
}

herr_t H5Pget_external(hid_t plist_id, unsigned idx, size_t name_size, char *name, off_t *offset, hsize_t *size)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    const struct ts_efl *efl = ts_dcpl_hold_efl(pl);
    if (!efl)
        return TS_API_FAIL(-1);
    if (idx < efl->n) {
        const struct ts_efl_file *file = &efl->slots[idx];
        /* As it always was: a name that is cut off does not end in a NUL. */
        size_t length = strlen(file->name);
        if (name && name_size > 0)
            memcpy(name, file->name, length < name_size ? length + 1 : name_size);
        if (offset)
            *offset = file->offset;
        if (size)
            *size = file->size;
    }
    size_t n = efl->n;
    ts_plist_release(pl);
    if (idx >= n)
        return TS_API_ERR(-1, ARGS, BADRANGE, "external file index is out of range: external file %u of %zu", idx, n);
    return 0;
}

herr_t H5Pset_shuffle(hid_t plist_id)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to shuffle the data",
                 TS_BAD_ID(ARGS, BADTYPE, "not a dataset creation property list"));
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    return TS_API_RET(pl ? ts_p_add_filter(pl, H5Z_FILTER_SHUFFLE, H5Z_FLAG_OPTIONAL, 0, NULL) : -1);
}

herr_t H5Pset_nbit(hid_t plist_id)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to add nbit filter to pipeline",
                 TS_BAD_ID(ARGS, BADTYPE, "not a dataset creation property list"));
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    return TS_API_RET(pl ? ts_p_add_filter(pl, H5Z_FILTER_NBIT, H5Z_FLAG_OPTIONAL, 0, NULL) : -1);
}

herr_t H5Pset_scaleoffset(hid_t plist_id, H5Z_SO_scale_type_t scale_type, int scale_factor)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to add scaleoffset filter to pipeline",
                 TS_BAD_ID(ARGS, BADTYPE, "not a dataset creation property list"));
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    if (!pl)
        return TS_API_FAIL(-1);
    if (scale_factor < 0)
        return TS_API_ERR(-1, ARGS, BADVALUE, "scale factor must be >= 0: scale factor %d is negative", scale_factor);
    if (scale_type != H5Z_SO_FLOAT_DSCALE && scale_type != H5Z_SO_FLOAT_ESCALE && scale_type != H5Z_SO_INT)
        return TS_API_ERR(-1, ARGS, BADTYPE, "invalid scale type: no scale type %d", (int)scale_type);
    unsigned values[H5Z_SCALEOFFSET_USER_NPARMS] = {(unsigned)scale_type, (unsigned)scale_factor};
    return TS_API_RET(ts_p_add_filter(pl, H5Z_FILTER_SCALEOFFSET, H5Z_FLAG_OPTIONAL, 2, values));
}

herr_t H5Pset_szip(hid_t plist_id, unsigned options_mask, unsigned pixels_per_block)
{
    TS_API_ENTER(PLINE, CANTINIT, "unable to add szip filter to pipeline");
    if (pixels_per_block % 2 == 1)
        return TS_API_ERR(-1, ARGS, BADVALUE, "pixels_per_block is not even: pixels per block %u: it must be even",
                          pixels_per_block);
    if (pixels_per_block > H5_SZIP_MAX_PIXELS_PER_BLOCK)
        return TS_API_ERR(-1, ARGS, BADVALUE, "pixels_per_block is too large: pixels per block %u: at most %d",
                          pixels_per_block, H5_SZIP_MAX_PIXELS_PER_BLOCK);
    /* Every file has the K13 and the raw option, none the one for the chip; the byte order is that of the datatype. */
    options_mask &= ~((unsigned)H5_SZIP_CHIP_OPTION_MASK | SZIP_LSB | SZIP_MSB);
    options_mask |= H5_SZIP_ALLOW_K13_OPTION_MASK | SZIP_RAW;
    unsigned values[H5Z_SZIP_USER_NPARMS] = {options_mask, pixels_per_block};
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    return TS_API_RET(pl ? ts_p_add_filter(pl, H5Z_FILTER_SZIP, H5Z_FLAG_OPTIONAL, H5Z_SZIP_USER_NPARMS, values) : -1);
}

/* The times of the old value stay. */
static int set_fill(struct ts_plist *pl, struct ts_type *type, const void *value)
{
    struct ts_fill fill, set = {.state = H5D_FILL_VALUE_UNDEFINED};
    if (ts_dcpl_peek_fill(pl, &fill) < 0)
        return -1;
    set.alloc_time = fill.alloc_time;
    set.fill_time = fill.fill_time;
    if (value) {
        set.state = H5D_FILL_VALUE_USER_DEFINED;
        set.type = type;
        set.value = (void *)value;
        set.size = ts_type_size(type);
    }
    return ts_dcpl_set_fill(pl, &set);
}

herr_t H5Pset_fill_value(hid_t plist_id, hid_t type_id, const void *value)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    struct ts_type *type = pl && value ? TS_API_OBJ(type_id, H5I_DATATYPE) : NULL;
    if (!pl || (value && !type))
        return TS_API_FAIL(-1);
    return TS_API_RET(set_fill(pl, type, value));
}

herr_t H5Pget_fill_value(hid_t plist_id, hid_t type_id, void *value)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get fill value", TS_WRONG(TYPE, ARGS, BADTYPE, "not a datatype"));
    struct ts_type *type = ts_api_pin_argument(&ts_scope_, type_id, H5I_DATATYPE);
    if (!type)
        return TS_API_FAIL(-1);
    if (!value)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no fill value output buffer");
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    if (!pl)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dcpl_fill_as(pl, type, value));
}

herr_t H5Pfill_value_defined(hid_t plist, H5D_fill_value_t *status)
{
    TS_API_ENTER(PLIST, CANTOPERATE, "can't operate on property list");
    struct ts_fill fill;
    if (ts_dcpl_peek_fill(TS_P_LIST(plist, DATASET_CREATE), &fill) < 0)
        return TS_API_FAIL(-1);
    if (!status)
        return TS_API_ERR(-1, ARGS, BADVALUE, "nowhere to put the answer");
    *status = fill.state;
    return 0;
}

static int edit_times(struct ts_plist *pl, const H5D_alloc_time_t *alloc, const H5D_fill_time_t *fill_time)
{
    struct ts_fill *fill = ts_dcpl_edit_fill(pl);
    if (!fill)
        return -1;
    if (alloc)
        fill->alloc_time = *alloc;
    if (fill_time)
        fill->fill_time = *fill_time;
    ts_plist_release(pl);
    return 0;
}

herr_t H5Pset_alloc_time(hid_t plist_id, H5D_alloc_time_t alloc_time)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (alloc_time < H5D_ALLOC_TIME_DEFAULT || alloc_time > H5D_ALLOC_TIME_INCR)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid allocation time setting: no allocation time %d",
                          (int)alloc_time);
    struct ts_plist *pl = TS_P_LIST(plist_id, DATASET_CREATE);
    struct ts_layout_prop layout;
    unsigned follows = alloc_time == H5D_ALLOC_TIME_DEFAULT;
    if (!pl || ts_dcpl_peek_layout(pl, &layout) < 0)
        return TS_API_FAIL(-1);
    if (follows)
        alloc_time = ts_dcpl_natural_alloc_time(layout.cls);
    if (edit_times(pl, &alloc_time, NULL) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_dcpl_set_alloc_time_follows(pl, follows));
}

herr_t H5Pget_alloc_time(hid_t plist_id, H5D_alloc_time_t *alloc_time)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_fill fill;
    if (ts_dcpl_peek_fill(TS_P_LIST(plist_id, DATASET_CREATE), &fill) < 0)
        return TS_API_FAIL(-1);
    if (alloc_time)
        *alloc_time = fill.alloc_time;
    return 0;
}

herr_t H5Pset_fill_time(hid_t plist_id, H5D_fill_time_t fill_time)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    if (fill_time < H5D_FILL_TIME_ALLOC || fill_time > H5D_FILL_TIME_IFSET)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid fill time setting: no fill time %d", (int)fill_time);
    return TS_API_RET(edit_times(TS_P_LIST(plist_id, DATASET_CREATE), NULL, &fill_time));
}

herr_t H5Pget_fill_time(hid_t plist_id, H5D_fill_time_t *fill_time)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    struct ts_fill fill;
    if (ts_dcpl_peek_fill(TS_P_LIST(plist_id, DATASET_CREATE), &fill) < 0)
        return TS_API_FAIL(-1);
    if (fill_time)
        *fill_time = fill.fill_time;
    return 0;
}

herr_t H5Pset_dset_no_attrs_hint(hid_t dcpl_id, hbool_t minimize)
{
    TS_API_ENTER(PLIST, CANTSET, "can't set value");
    return TS_API_RET(ts_dcpl_set_minimize_header(TS_P_LIST(dcpl_id, DATASET_CREATE), minimize));
}

herr_t H5Pget_dset_no_attrs_hint(hid_t dcpl_id, hbool_t *minimize)
{
    TS_API_ENTER(PLIST, CANTGET, "can't get value");
    if (!minimize)
        return TS_API_ERR(-1, ARGS, BADVALUE, "receiving pointer cannot be NULL");
    return TS_API_RET(ts_dcpl_minimize_header(TS_P_LIST(dcpl_id, DATASET_CREATE), minimize));
}
