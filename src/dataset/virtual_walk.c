/* From a part of a virtual dataset to the parts of its sources that it shows. */
#include "base/error.h"
#include "dataset/virtual_parts.h"

/* The source's selection in the extent that the source has. */
static int in_source(struct ts_dataset *source, const struct ts_space *selection, struct ts_space **out)
{
    struct ts_space *extent;
    if (ts_dataset_space(source, &extent) < 0)
        return -1;
    int status = ts_space_copy(extent, out);
    ts_space_unref(extent);
    if (status < 0)
        return -1;
    if (ts_space_sel_type(selection) == H5S_SEL_ALL)
        return 0;
    if (ts_space_rank(selection) != ts_space_rank(*out))
        status = TS_ERR(DATASET, BADVALUE, "virtual mapping: a selection of %u dimensions in a source of %u",
                        ts_space_rank(selection), ts_space_rank(*out));
    else
        status = ts_space_select_copy(*out, selection);
    if (status < 0)
        ts_space_unref(*out);
    return status;
}

static int in_extent(const struct ts_space *extent, const struct ts_space *selection, struct ts_space **out)
{
    if (ts_space_copy(extent, out) < 0)
        return -1;
    if (ts_space_select_copy(*out, selection) == 0)
        return 0;
    ts_space_unref(*out);
    *out = NULL;
    return -1;
}

/* Both ends of an unlimited mapping are cut to the slices that source and virtual dataset have. */
static int cut_unlimited(struct ts_space *dst, struct ts_space *src)
{
    int to = ts_space_unlim_dim(dst), from = ts_space_unlim_dim(src);
    if (to < 0 || from < 0)
        return 0;
    hsize_t shown = ts_space_unlim_slices(dst, ts_space_dims(dst)[to]);
    hsize_t there = ts_space_unlim_slices(src, ts_space_dims(src)[from]);
    hsize_t slices = shown < there ? shown : there;
    if (ts_space_clip_unlimited(dst, ts_space_unlim_size(dst, slices, false)) < 0)
        return -1;
    return ts_space_clip_unlimited(src, ts_space_unlim_size(src, slices, false));
}

/* Cuts one end of a mapping to its extent: *out is what is left of it there, *other what is left of the other end. */
static int cut_end(struct ts_space *end, const struct ts_space *extent, struct ts_space **out, struct ts_space **other)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK], dims[H5S_MAX_RANK], zeros[H5S_MAX_RANK] = {0};
    struct ts_space *part, *cut = NULL;
    if (ts_space_bounds(end, low, high) < 0)
        return -1;
    for (unsigned i = 0; i < ts_space_rank(end); i++)
        dims[i] = high[i] + 1;
    if (ts_space_set_simple(end, ts_space_rank(end), dims, NULL) < 0)
        return -1;
    if (ts_space_clip(end, zeros, ts_space_dims(extent), &part) < 0)
        return -1;
    int status = in_extent(extent, part, out);
    if (status == 0)
        status = ts_space_set_simple(part, ts_space_rank(part), dims, NULL);
    if (status == 0)
        status = ts_space_project(end, part, *other, &cut);
    ts_space_unref(part);
    if (status == 0) {
        ts_space_unref(*other);
        *other = cut;
    }
    return status;
}

/* A source that shrank has only a part of what is mapped; the rest has no source. */
static int cut_source(struct ts_space **src, struct ts_space **dst)
{
    struct ts_space *mapped, *cut = NULL;
    if (ts_space_valid(*src))
        return 0;
    if (ts_space_npoints(*src) == 0) {
        ts_space_select_none(*src);
        ts_space_select_none(*dst);
        return 0;
    }
    if (ts_space_copy(*src, &mapped) < 0)
        return -1;
    int status = cut_end(mapped, *src, &cut, dst);
    ts_space_unref(mapped);
    if (cut) {
        ts_space_unref(*src);
        *src = cut;
    }
    return status;
}

/* The virtual selection of a mapping without blocks, in the extent. */
static int cut_whole(const struct ts_virtual_walk *w, const struct ts_vds_map *map, struct ts_space **dst,
                     struct ts_space *src)
{
    if (in_extent(w->extent, map->dst, dst) < 0)
        return -1;
    return cut_unlimited(*dst, src);
}

static int visit_cut(const struct ts_virtual_walk *w, struct ts_dataset *source, const struct ts_vds_map *map,
                     struct ts_space *block)
{
    struct ts_space *src = NULL, *dst = NULL;
    int status = in_source(source, map->src, &src);
    if (status < 0)
        return -1;
    status = block ? cut_end(block, w->extent, &dst, &src) : cut_whole(w, map, &dst, src);
    if (status == 0)
        status = cut_source(&src, &dst);
    if (status == 0)
        status = w->visit(source, dst, src, w->ctx);
    ts_space_unref(dst);
    ts_space_unref(src);
    return status;
}

static int lock_source(const struct ts_virtual_walk *w, struct ts_dataset *source)
{
    switch (w->lock) {
    case TS_VIRTUAL_READS:
        return ts_dataset_core_lock_read(source->core);
    case TS_VIRTUAL_WRITES:
        return ts_dataset_core_lock_write(source->core);
    default:
        return 0;
    }
}

/* One block of a printf-style mapping, the i-th, or with NULL all of another mapping. */
static int visit_mapped(const struct ts_virtual_walk *w, const struct ts_vds_map *map, struct ts_space *block,
                        hsize_t i)
{
    struct ts_dataset *source;
    int found = ts_virtual_source(w->d, map, i, &source);
    if (found <= 0)
        return found;
    int status = lock_source(w, source);
    if (status == 0) {
        status = visit_cut(w, source, map, block);
        if (w->lock != TS_VIRTUAL_UNLOCKED)
            ts_dataset_core_unlock(source->core);
    }
    ts_dataset_unref(source);
    return status;
}

static int visit_map(const struct ts_virtual_walk *w, const struct ts_vds_map *map)
{
    int touches = ts_space_intersects(map->dst, w->low, w->high);
    return touches > 0 ? visit_mapped(w, map, NULL, 0) : touches;
}

/* The blocks of a printf-style mapping that what is wanted touches. */
static int visit_blocks(const struct ts_virtual_walk *w, const struct ts_vds_map *map)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], size[H5S_MAX_RANK];
    int dim = ts_space_unlim_dim(map->dst), status = 0;
    ts_space_regular(map->dst, start, stride, count, size);
    if (w->high[dim] < start[dim])
        return 0;
    hsize_t first = w->low[dim] > start[dim] ? (w->low[dim] - start[dim]) / stride[dim] : 0;
    hsize_t last = (w->high[dim] - start[dim]) / stride[dim];
    for (hsize_t i = first; i <= last && status == 0; i++) {
        struct ts_space *block;
        if (ts_space_unlim_block(map->dst, i, &block) < 0)
            return -1;
        status = ts_space_intersects(block, w->low, w->high);
        if (status > 0)
            status = visit_mapped(w, map, block, i);
        ts_space_unref(block);
    }
    return status;
}

int ts_virtual_walk(const struct ts_virtual_walk *w)
{
    const struct ts_vds *maps = &w->d->virtual->maps;
    for (size_t i = 0; i < maps->n; i++) {
        const struct ts_vds_map *map = &maps->maps[i];
        if ((ts_virtual_is_printf(map) ? visit_blocks(w, map) : visit_map(w, map)) < 0)
            return -1;
    }
    return 0;
}
