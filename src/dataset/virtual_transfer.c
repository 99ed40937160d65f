#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "dataset/virtual_parts.h"

/* Runs sorted by where they are in the virtual dataset. */
struct list {
    struct ts_pair *items;
    size_t n, capacity;
};

struct virtual_transfer {
    struct ts_transfer *t;
    struct ts_space *extent;        /* of the virtual dataset, everything selected */
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK]; /* bounds of what is wanted */
    struct list wanted;             /* src in the virtual extent, mem in memory */
    hsize_t longest;                /* of the wanted runs */
    struct list covered;            /* src in the virtual extent: what sources have; mem unused */
    bool check;                     /* nothing moves yet: what do sources have? */
};

static int by_src(const void *a, const void *b)
{
    hsize_t x = ((const struct ts_pair *)a)->src, y = ((const struct ts_pair *)b)->src;
    return (x > y) - (x < y);
}

static void sort_list(struct list *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (l->items[i].src < l->items[i - 1].src) {
            qsort(l->items, l->n, sizeof l->items[0], by_src);
            return;
        }
}

static int list_add(struct list *l, hsize_t src, hsize_t mem, hsize_t n)
{
    if (TS_GROW(l->items, l->capacity, l->n + 1) < 0)
        return -1;
    l->items[l->n++] = (struct ts_pair){.src = src, .mem = mem, .n = n};
    return 0;
}

/* The first wanted run that may reach behind a place. Points may want an element twice, so runs may overlap. */
static size_t first_behind(const struct virtual_transfer *v, hsize_t place)
{
    size_t low = 0, high = v->wanted.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (v->wanted.items[mid].src + v->longest <= place)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* What is wanted of a mapping: for each run of it, the parts that are also in the wanted runs. */
static int join(struct virtual_transfer *v, const struct list *map, struct list *out)
{
    for (size_t i = 0; i < map->n; i++) {
        const struct ts_pair *m = &map->items[i];
        hsize_t end = m->src + m->n;
        for (size_t k = first_behind(v, m->src); k < v->wanted.n && v->wanted.items[k].src < end; k++) {
            const struct ts_pair *w = &v->wanted.items[k];
            if (w->src + w->n <= m->src)
                continue;
            hsize_t from = w->src > m->src ? w->src : m->src;
            hsize_t to = w->src + w->n < end ? w->src + w->n : end;
            if (list_add(out, m->mem + (from - m->src), w->mem + (from - w->src), to - from) < 0 ||
                list_add(&v->covered, from, 0, to - from) < 0)
                return -1;
        }
    }
    return 0;
}

/* Moves what is wanted of dst, which shows the selection src of a source. The source's lock is held. */
static int move_source(struct virtual_transfer *v, struct ts_dataset *source, const struct ts_space *dst,
                       const struct ts_space *src)
{
    TS_CORE_HELD(source->core);
    struct ts_plan plan;
    struct list map = {0}, pairs = {0};
    int status = ts_plan_init(&plan, dst, src);
    if (status == 0)
        status = ts_plan_pairs(&plan, &map.items, &map.n);
    if (status == 0) {
        sort_list(&map);
        status = join(v, &map, &pairs);
    }
    if (status == 0 && pairs.n > 0 && !v->check) {
        ts_plan_init_pairs(&plan, src, pairs.items, pairs.n);
        status = ts_dataset_transfer(source, v->t->mem_type, &plan, v->t->options, v->t->buf);
    }
    ts_free(map.items);
    ts_free(pairs.items);
    return status;
}

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
static int cut_whole(const struct virtual_transfer *v, const struct ts_vds_map *map, struct ts_space **dst,
                     struct ts_space *src)
{
    if (in_extent(v->extent, map->dst, dst) < 0)
        return -1;
    return cut_unlimited(*dst, src);
}

/* One block of a printf-style mapping, the i-th, or with NULL all of another mapping. */
static int move_mapped(struct virtual_transfer *v, const struct ts_vds_map *map, struct ts_space *block, hsize_t i)
{
    struct ts_dataset *source;
    struct ts_space *src = NULL, *dst = NULL;
    int found = ts_virtual_source(v->t->d, map, i, &source);
    if (found <= 0)
        return found;
    if ((v->t->write ? ts_dataset_core_lock_write(source->core) : ts_dataset_core_lock_read(source->core)) < 0) {
        ts_dataset_unref(source);
        return -1;
    }
    int status = in_source(source, map->src, &src);
    if (status == 0) {
        status = block ? cut_end(block, v->extent, &dst, &src) : cut_whole(v, map, &dst, src);
        if (status == 0)
            status = cut_source(&src, &dst);
        if (status == 0)
            status = move_source(v, source, dst, src);
        if (dst)
            ts_space_unref(dst);
        ts_space_unref(src);
    }
    ts_dataset_core_unlock(source->core);
    ts_dataset_unref(source);
    return status;
}

static int move_map(struct virtual_transfer *v, const struct ts_vds_map *map)
{
    int touches = ts_space_intersects(map->dst, v->low, v->high);
    return touches > 0 ? move_mapped(v, map, NULL, 0) : touches;
}

/* The blocks of a printf-style mapping that what is wanted touches. */
static int move_blocks(struct virtual_transfer *v, const struct ts_vds_map *map)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], size[H5S_MAX_RANK];
    int dim = ts_space_unlim_dim(map->dst), status = 0;
    ts_space_regular(map->dst, start, stride, count, size);
    if (v->high[dim] < start[dim])
        return 0;
    hsize_t first = v->low[dim] > start[dim] ? (v->low[dim] - start[dim]) / stride[dim] : 0;
    hsize_t last = (v->high[dim] - start[dim]) / stride[dim];
    for (hsize_t i = first; i <= last && status == 0; i++) {
        struct ts_space *block;
        if (ts_space_unlim_block(map->dst, i, &block) < 0)
            return -1;
        status = ts_space_intersects(block, v->low, v->high);
        if (status > 0)
            status = move_mapped(v, map, block, i);
        ts_space_unref(block);
    }
    return status;
}

/* Sorts the runs and joins those that touch or overlap. */
static void unite(struct list *l)
{
    size_t n = 0;
    sort_list(l);
    for (size_t i = 0; i < l->n; i++) {
        struct ts_pair *last = n > 0 ? &l->items[n - 1] : NULL;
        hsize_t end = l->items[i].src + l->items[i].n;
        if (!last || l->items[i].src > last->src + last->n)
            l->items[n++] = l->items[i];
        else if (end > last->src + last->n)
            last->n = end - last->src;
    }
    l->n = n;
}

/* The fill value for what of a wanted run no source gave; `at` is the first covered run that ends behind its start. */
static int fill_gaps(struct virtual_transfer *v, struct ts_pair w, size_t at)
{
    const struct list *c = &v->covered;
    while (w.n > 0) {
        bool met = at < c->n && c->items[at].src < w.src + w.n;
        hsize_t gap = !met ? w.n : c->items[at].src > w.src ? c->items[at].src - w.src : 0;
        struct ts_piece piece = {.mem = w.mem, .n = gap, .count = 1};
        if (gap > 0 && ts_read_fill(v->t, &piece, 1) < 0)
            return -1;
        hsize_t skip = met ? c->items[at].src + c->items[at].n - w.src : gap;
        if (skip > w.n)
            skip = w.n;
        w.src += skip;
        w.mem += skip;
        w.n -= skip;
        at++;
    }
    return 0;
}

static int fill_rest(struct virtual_transfer *v)
{
    const struct list *c = &v->covered;
    size_t at = 0;
    unite(&v->covered);
    for (size_t i = 0; i < v->wanted.n; i++) {
        while (at < c->n && c->items[at].src + c->items[at].n <= v->wanted.items[i].src)
            at++;
        if (fill_gaps(v, v->wanted.items[i], at) < 0)
            return -1;
    }
    return 0;
}

static int move_all(struct virtual_transfer *v)
{
    const struct ts_vds *maps = &v->t->d->virtual->maps;
    v->covered.n = 0;
    for (size_t i = 0; i < maps->n; i++) {
        const struct ts_vds_map *map = &maps->maps[i];
        if ((ts_virtual_is_printf(map) ? move_blocks(v, map) : move_map(v, map)) < 0)
            return -1;
    }
    return 0;
}

/* As in HDF5, nothing is written unless all of it has a source. */
static int check_sources(struct virtual_transfer *v)
{
    hsize_t there = 0, wanted = 0;
    v->check = true;
    int status = move_all(v);
    v->check = false;
    if (status < 0)
        return -1;
    unite(&v->covered);
    for (size_t i = 0; i < v->covered.n; i++)
        there += v->covered.items[i].n;
    struct list all = {.items = ts_memdup(v->wanted.items, v->wanted.n * sizeof *all.items), .n = v->wanted.n};
    if (!all.items)
        return -1;
    unite(&all);
    for (size_t i = 0; i < all.n; i++)
        wanted += all.items[i].n;
    ts_free(all.items);
    return there == wanted ? 0 : TS_ERR(DATASPACE, BADVALUE, "write requested to unmapped portion of virtual dataset");
}

static int want(struct virtual_transfer *v)
{
    if (ts_plan_pairs(v->t->plan, &v->wanted.items, &v->wanted.n) < 0)
        return -1;
    sort_list(&v->wanted);
    for (size_t i = 0; i < v->wanted.n; i++)
        if (v->wanted.items[i].n > v->longest)
            v->longest = v->wanted.items[i].n;
    return 0;
}

static int transfer(struct virtual_transfer *v)
{
    if (want(v) < 0 || (v->t->write && check_sources(v) < 0) || move_all(v) < 0)
        return -1;
    return v->t->write ? 0 : fill_rest(v);
}

/* Bounds of what the plan wants; the whole extent when it is a list of runs. */
static int find_bounds(struct virtual_transfer *v)
{
    const struct ts_plan *plan = v->t->plan;
    if (plan->file && ts_space_rank(plan->file) > 0)
        return ts_space_bounds(plan->file, v->low, v->high);
    for (unsigned i = 0; i < plan->rank; i++) {
        v->low[i] = 0;
        v->high[i] = plan->dims[i] - 1;
    }
    return 0;
}

int ts_transfer_virtual(struct ts_transfer *t)
{
    struct virtual_transfer v = {.t = t};
    struct ts_virtual_visit visit;
    unsigned rank = t->core->rank;
    if (t->plan->total == 0)
        return 0;
    if (ts_virtual_enter(&visit, t->d) < 0)
        return -1;
    int status = rank ? ts_space_new_simple(rank, t->plan->dims, NULL, &v.extent) : ts_space_new_scalar(&v.extent);
    if (status == 0) {
        status = find_bounds(&v) < 0 ? -1 : transfer(&v);
        ts_space_unref(v.extent);
    }
    ts_free(v.wanted.items);
    ts_free(v.covered.items);
    ts_virtual_leave(&visit);
    return status;
}
