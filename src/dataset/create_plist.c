#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/dataset.h"
#include "dataset/files.h"
#include "dataset/virtual.h"
#include "object/creation.h"
#include "object/vl_source.h"
#include "plist/dapl.h"
#include "plist/fapl.h"
#include "plist/lapl.h"
#include "plist/ocpl.h"
#include "plist/sections.h"

static int set_layout(const struct ts_dataset *d, struct ts_plist *pl)
{
    struct ts_layout_prop layout = {.cls = d->core->layout.cls};
    if (d->virtual)
        return ts_dcpl_set_vds(pl, ts_virtual_maps(d->virtual));
    if (ts_dataset_is_indexed(d->core)) {
        layout.struct_type = d->core->layout.chunk.struct_type;
        layout.chunk_rank = d->core->rank;
        memcpy(layout.chunk_dims, d->core->layout.chunk.dims, d->core->rank * sizeof layout.chunk_dims[0]);
        if (d->core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL)
            layout.chunk_opts = H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
    }
    return ts_dcpl_set_layout(pl, &layout);
}

/* One element in the form that programs see. */
static int convert_fill(const struct ts_dataset *d, struct ts_fill *fill)
{
    struct ts_conv_path *path;
    struct ts_vl_source source;
    struct ts_conv_env env = {.source = &source};
    size_t disk = ts_type_size(d->type), memory = ts_type_size(fill->type);
    if (ts_conv_find(d->type, fill->type, &path) < 0)
        return -1;
    ts_vl_source_init(&source, ts_dataset_file(d));
    source.make_reference = NULL; /* a property list would keep the file open */
    uint8_t *value = ts_calloc(1, disk > memory ? disk : memory);
    int status = value ? 0 : -1;
    if (status == 0) {
        memcpy(value, d->core->fill.element, disk);
        status = ts_conv_run(path, &env, 1, value, NULL);
    }
    ts_conv_path_unref(path);
    if (status < 0) {
        ts_free(value);
        return -1;
    }
    fill->value = value;
    fill->size = memory;
    return 0;
}

static int set_fill(const struct ts_dataset *d, struct ts_plist *pl)
{
    struct ts_fill fill = {
        .state = d->core->fill.state, .alloc_time = d->core->fill.alloc_time, .fill_time = d->core->fill.fill_time};
    if (fill.state != H5D_FILL_VALUE_USER_DEFINED)
        return ts_dcpl_set_fill(pl, &fill);
    if (ts_dataset_memory_type(d, &fill.type) < 0)
        return -1;
    int status = convert_fill(d, &fill);
    if (status == 0)
        status = ts_dcpl_set_fill(pl, &fill);
    ts_fill_deinit(&fill);
    return status;
}

/* Whether another layout would bring its own allocation time: not when this one was asked for. Late is what a list
 * begins with, and says nothing as long as the rest is as it was too, nor for mappings, which leave it. */
static int set_alloc_state(const struct ts_dataset *d, struct ts_plist *pl)
{
    const struct ts_dataset_core *core = d->core;
    bool as_begun = core->fill.fill_time == H5D_FILL_TIME_IFSET && core->fill.state == H5D_FILL_VALUE_DEFAULT;
    bool untouched = core->fill.alloc_time == H5D_ALLOC_TIME_LATE && (as_begun || d->virtual);
    unsigned follows = untouched || core->fill.alloc_time == ts_dcpl_natural_alloc_time(core->layout.cls), before;
    if (ts_dcpl_alloc_time_follows(pl, &before) < 0)
        return -1;
    /* As in libhdf5 it is the list's own when that had to be found out. */
    bool known = untouched || ts_dataset_made_here(d);
    return known && before == follows ? 0 : ts_dcpl_set_alloc_time_follows(pl, follows);
}

static int set_filters(const struct ts_dataset *d, struct ts_plist *pl)
{
    const struct ts_dataset_core *core = d->core;
    if (core->layout.cls == H5D_STRUCT_CHUNK)
        return ts_dcpl_set_section_pipelines(pl, core->layout.chunk.struct_type, &core->sections);
    return ts_ocpl_set_pipeline(pl, &core->pipeline);
}

static int describe(const struct ts_dataset *d, const struct ts_plist *base, struct ts_plist *pl)
{
    if (set_layout(d, pl) < 0 || set_fill(d, pl) < 0 || ts_dcpl_set_efl(pl, &d->core->external) < 0 ||
        set_filters(d, pl) < 0 || ts_object_describe(&d->base.loc, base, pl) < 0)
        return -1;
    return set_alloc_state(d, pl);
}

int ts_dataset_create_plist(struct ts_dataset *d, struct ts_plist **out)
{
    struct ts_plist *pl = NULL, *base = ts_dataset_made_with(d);
    int status = ts_plist_copy(base, &pl);
    if (status == 0)
        status = describe(d, base, pl);
    ts_plist_unref(base);
    if (status < 0)
        ts_plist_unref(pl);
    else
        *out = pl;
    return status;
}

/* What a dataset takes from its file's access list unless its own says otherwise. */
static int inherit_cache(const struct ts_dataset *d, struct ts_plist *pl)
{
    struct ts_plist *fapl = ts_dataset_file(d)->fapl;
    size_t slots, bytes;
    double w0;
    if (ts_dapl_nslots(pl, &slots) < 0 || ts_dapl_nbytes(pl, &bytes) < 0 || ts_dapl_w0(pl, &w0) < 0)
        return -1;
    if (slots == H5D_CHUNK_CACHE_NSLOTS_DEFAULT &&
        (ts_fapl_nslots(fapl, &slots) < 0 || ts_dapl_set_nslots(pl, slots) < 0))
        return -1;
    if (bytes == H5D_CHUNK_CACHE_NBYTES_DEFAULT &&
        (ts_fapl_nbytes(fapl, &bytes) < 0 || ts_dapl_set_nbytes(pl, bytes) < 0))
        return -1;
    if (w0 < 0 && (ts_fapl_w0(fapl, &w0) < 0 || ts_dapl_set_w0(pl, w0) < 0))
        return -1;
    return 0;
}

/* The cache and the boundaries are those of the first handle. */
static int take_first(const struct ts_dataset *d, struct ts_plist *pl)
{
    struct ts_plist *first = ts_dataset_first_access(d);
    struct ts_append_flush flush;
    size_t slots, bytes;
    double w0;
    int status = ts_dapl_nslots(first, &slots) < 0 || ts_dapl_nbytes(first, &bytes) < 0 || ts_dapl_w0(first, &w0) < 0 ||
                 ts_dapl_append_flush(first, &flush) < 0;
    ts_plist_unref(first);
    if (status != 0 || ts_dapl_set_nslots(pl, slots) < 0 || ts_dapl_set_nbytes(pl, bytes) < 0 ||
        ts_dapl_set_w0(pl, w0) < 0 || ts_dapl_set_append_flush(pl, &flush) < 0)
        return -1;
    return inherit_cache(d, pl);
}

/* Without chunks there is no cache: the list tells what there would be by default. */
static int default_cache(struct ts_plist *pl)
{
    struct ts_plist *fapl = ts_plist_default(TS_PLIST_FILE_ACCESS);
    size_t slots, bytes;
    double w0;
    if (ts_fapl_nslots(fapl, &slots) < 0 || ts_fapl_nbytes(fapl, &bytes) < 0 || ts_fapl_w0(fapl, &w0) < 0 ||
        ts_dapl_set_nslots(pl, slots) < 0 || ts_dapl_set_nbytes(pl, bytes) < 0)
        return -1;
    return ts_dapl_set_w0(pl, w0);
}

/* How sources are looked at means nothing for other layouts. */
static int clear_view(struct ts_plist *pl)
{
    H5D_vds_view_t view = H5D_VDS_FIRST_MISSING;
    hsize_t gap = 0;
    return ts_dapl_set_vds_view(pl, view) < 0 ? -1 : ts_dapl_set_vds_gap(pl, gap);
}

/* For others it is told as asked for. */
static int keep_view(const struct ts_dataset *d, struct ts_plist *pl)
{
    H5D_vds_view_t view;
    hsize_t gap;
    if (ts_dapl_vds_view(d->dapl, &view) < 0 || ts_dapl_vds_gap(d->dapl, &gap) < 0 ||
        ts_dapl_set_vds_view(pl, view) < 0)
        return -1;
    return ts_dapl_set_vds_gap(pl, gap);
}

/* Only datasets in chunks are appended to. */
static int tell_no_chunks(struct ts_plist *pl)
{
    struct ts_append_flush none = {0};
    return ts_dapl_set_append_flush(pl, &none) < 0 ? -1 : default_cache(pl);
}

/* The list tells the folder that is used, not what was asked for. */
static int true_prefix(const struct ts_dataset *d, const struct ts_prefix *kind, struct ts_plist *pl)
{
    char *prefix, *asked = NULL;
    if (ts_dataset_prefix(d, kind, &prefix) < 0)
        return -1;
    int status = kind->get(pl, &asked);
    if (status == 0 && (prefix || asked))
        status = kind->set(pl, prefix);
    ts_free(asked);
    ts_free(prefix);
    return status;
}

/* What the application has added to a list is that of the first handle, too. */
static int copy_access(const struct ts_dataset *d, struct ts_plist **out)
{
    struct ts_plist *first = ts_dataset_first_access(d);
    int status = ts_plist_is_plain(first) ? ts_plist_copy_known(TS_PLIST_DATASET_ACCESS, d->dapl, out)
                                          : ts_plist_copy(first, out);
    ts_plist_unref(first);
    return status;
}

int ts_dataset_access_plist(struct ts_dataset *d, struct ts_plist **out)
{
    struct ts_plist *pl;
    if (copy_access(d, &pl) < 0)
        return -1;
    if ((ts_dataset_is_indexed(d->core) ? take_first(d, pl) : tell_no_chunks(pl)) < 0 ||
        (d->virtual ? keep_view(d, pl) : clear_view(pl)) < 0 || true_prefix(d, &ts_external_prefix, pl) < 0 ||
        true_prefix(d, &ts_virtual_prefix, pl) < 0) {
        ts_plist_unref(pl);
        return -1;
    }
    *out = pl;
    return 0;
}
