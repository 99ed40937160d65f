#include <stdlib.h>
#include <string.h>

#include "chunks.h"

bool chunk_view_external(const struct chunk_view *view)
{
    return view->layout == H5D_CONTIGUOUS && H5Pget_external_count(view->dcpl) > 0;
}

bool chunk_view_chunked(const struct chunk_view *view)
{
    return view->layout == H5D_CHUNKED || view->layout == H5D_STRUCT_CHUNK;
}

const char *chunk_view_layout(const struct chunk_view *view)
{
    switch (view->layout) {
    case H5D_COMPACT:
        return "compact";
    case H5D_CONTIGUOUS:
        return chunk_view_external(view) ? "external" : "contiguous";
    case H5D_CHUNKED:
        return "chunked";
    case H5D_STRUCT_CHUNK:
        return view->sparse ? "sparse" : "variable-length";
    case H5D_VIRTUAL:
        return "virtual";
    default:
        return "unknown";
    }
}

const char *chunk_view_index(const struct chunk_view *view)
{
    static const char *const names[] = {
        [H5D_CHUNK_IDX_BTREE] = "B-tree v1",         [H5D_CHUNK_IDX_SINGLE] = "single chunk",
        [H5D_CHUNK_IDX_NONE] = "implicit",           [H5D_CHUNK_IDX_FARRAY] = "fixed array",
        [H5D_CHUNK_IDX_EARRAY] = "extensible array", [H5D_CHUNK_IDX_BT2] = "B-tree v2"};
    return view->index < H5D_CHUNK_IDX_NTYPES ? names[view->index] : "unknown index";
}

const char *section_name(H5_section_type_t type)
{
    return type == H5_SECTION_SELECTION ? "selection" : type == H5_SECTION_VL ? "heap" : "values";
}

/* "START:STOP", either of which may be missing: from the first, to the last. What follows it, or NULL. */
static const char *read_range(const char *text, hsize_t size, hsize_t *start, hsize_t *stop)
{
    char *end;
    *start = 0;
    *stop = size;
    if (*text != ':') {
        *start = strtoull(text, &end, 10);
        if (end == text || *text == '-')
            return NULL;
        text = end;
    }
    if (*text++ != ':')
        return NULL;
    if (*text != ',' && *text) {
        *stop = strtoull(text, &end, 10);
        if (end == text || *text == '-')
            return NULL;
        text = end;
    }
    return *text == ',' || !*text ? text : NULL;
}

static int wrong_box(const struct chunk_view *view, const char *box)
{
    return tool_error("--box '%s': not START:STOP for each of %d dimension%s", box, view->rank,
                      view->rank == 1 ? "" : "s");
}

static int read_box(struct chunk_view *view, const char *box)
{
    const char *at = box;
    for (int d = 0; d < view->rank; d++) {
        at = read_range(at, view->dims[d], &view->start[d], &view->stop[d]);
        if (!at || (*at == ',') != (d + 1 < view->rank))
            return wrong_box(view, box);
        if (view->start[d] >= view->stop[d] || view->stop[d] > view->dims[d])
            return tool_error("--box '%s': %llu:%llu is no part of 0:%llu", box, (unsigned long long)view->start[d],
                              (unsigned long long)view->stop[d], (unsigned long long)view->dims[d]);
        at += *at == ',';
    }
    view->boxed = true;
    return *at ? wrong_box(view, box) : 0;
}

static int select_box(struct chunk_view *view)
{
    hsize_t count[H5S_MAX_RANK];
    for (int d = 0; d < view->rank; d++)
        count[d] = view->stop[d] - view->start[d];
    view->selection = H5Dget_space(view->dset);
    if (view->selection < 0 || H5Sselect_hyperslab(view->selection, H5S_SELECT_SET, view->start, NULL, count, NULL) < 0)
        return tool_error("%s: cannot select the box", view->path);
    return 0;
}

static int learn_chunks(struct chunk_view *view)
{
    unsigned flags = 0;
    int rank = view->layout == H5D_CHUNKED ? H5Pget_chunk(view->dcpl, H5S_MAX_RANK, view->chunk)
                                           : H5Pget_struct_chunk(view->dcpl, H5S_MAX_RANK, view->chunk, &flags);
    view->sparse = flags & H5D_SPARSE_CHUNK;
    if (rank != view->rank || H5Dget_chunk_index_type(view->dset, &view->index) < 0 ||
        H5Dget_chunk_base(view->dset, &view->base) < 0 ||
        H5Pget_struct_sections_info(view->dset, &view->sections, view->types) < 0 ||
        H5Pget_chunk_opts(view->dcpl, &view->options) < 0)
        return tool_error("%s: cannot tell its chunks", view->path);
    return 0;
}

static int learn(struct chunk_view *view)
{
    hid_t space = H5Dget_space(view->dset);
    view->type = H5Dget_type(view->dset);
    view->dcpl = H5Dget_create_plist(view->dset);
    view->layout = H5Pget_layout(view->dcpl);
    H5S_class_t cls = H5Sget_simple_extent_type(space);
    view->rank = cls == H5S_NULL ? -1 : H5Sget_simple_extent_dims(space, view->dims, NULL);
    H5Sclose(space);
    if (cls == H5S_NULL)
        return tool_error("%s is empty: it has a null space", view->path);
    if (view->type < 0 || view->dcpl < 0 || view->layout < 0 || view->rank < 0)
        return tool_error("%s: cannot describe the dataset", view->path);
    memcpy(view->stop, view->dims, sizeof view->dims);
    memcpy(view->chunk, view->dims, sizeof view->dims);
    return chunk_view_chunked(view) ? learn_chunks(view) : 0;
}

int chunk_view_init(struct chunk_view *view, const struct target *target, const char *box)
{
    *view = (struct chunk_view){.path = target->path, .dset = target->obj, .type = -1, .dcpl = -1};
    view->selection = H5S_ALL;
    view->sections = 1;
    view->types[0] = H5_SECTION_FIXED;
    if (H5Iget_type(target->obj) != H5I_DATASET)
        return tool_error("%s is no dataset", target->path);
    int status = learn(view);
    if (status == 0 && box)
        status = read_box(view, box);
    return status == 0 && box ? select_box(view) : status;
}

void chunk_view_deinit(struct chunk_view *view)
{
    if (view->selection > 0)
        H5Sclose(view->selection);
    if (view->dcpl >= 0)
        H5Pclose(view->dcpl);
    if (view->type >= 0)
        H5Tclose(view->type);
}

static hsize_t whole_bytes(const struct chunk_view *view)
{
    /* What leads to a string is as large in the file as what leads to a list. */
    hsize_t bytes = H5Tis_variable_str(view->type) > 0 ? sizeof(hvl_t) : H5Tget_size(view->type);
    for (int d = 0; d < view->rank; d++)
        bytes *= view->chunk[d];
    return bytes;
}

hsize_t chunk_plain_bytes(const struct chunk_view *view, const struct chunk *chunk)
{
    hsize_t bytes = 0;
    if (view->layout != H5D_STRUCT_CHUNK)
        return whole_bytes(view);
    for (unsigned s = 0; s < view->sections; s++)
        bytes += view->types[s] == H5_SECTION_SELECTION ? 0 : chunk->plain[s];
    return bytes;
}

hsize_t chunk_view_possible(const struct chunk_view *view)
{
    hsize_t n = 1;
    for (int d = 0; d < view->rank; d++)
        n *= view->stop[d] ? (view->stop[d] - 1) / view->chunk[d] - view->start[d] / view->chunk[d] + 1 : 0;
    return n;
}

void chunk_sums_add(struct chunk_sums *sums, const struct chunk_view *view, const struct chunk *chunk)
{
    sums->chunks++;
    sums->bytes += chunk->size;
    sums->plain += chunk_plain_bytes(view, chunk);
    sums->defined += chunk->defined;
}

static bool reaches_over(const struct chunk_view *view, const struct chunk *chunk)
{
    for (int d = 0; d < view->rank; d++)
        if (view->dims[d] - chunk->offset[d] < view->chunk[d])
            return true;
    return false;
}

/* With this option the index does not say that the chunks at the edge have no filters. */
static void mark_unfiltered_edge(const struct chunk_view *view, struct chunk *chunk)
{
    if (!(view->options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) || !reaches_over(view, chunk))
        return;
    for (unsigned s = 0; s < view->sections; s++) {
        int n = 0;
        H5Pget_nfilters2(view->dcpl, s, &n);
        chunk->masks[s] |= (unsigned)(((uint64_t)1 << n) - 1);
    }
}

static const H5D_chunk_order_t orders[] = {H5_CHUNK_ITER_ORDER_NATIVE, H5_CHUNK_ITER_ORDER_COORD,
                                           H5_CHUNK_ITER_ORDER_ADDR};

/* What `use` is called through. */
struct visit {
    const struct chunk_view *view;
    void (*use)(const struct chunk_view *view, const struct chunk *chunk, void *ctx);
    void *ctx;
};

static int visit_dense(const H5D_chunk_info_t *info, void *data)
{
    const struct visit *v = data;
    struct chunk chunk = {.address = info->addr + v->view->base, .size = info->size, .masks = {info->filter_mask}};
    memcpy(chunk.offset, info->offset, (size_t)v->view->rank * sizeof chunk.offset[0]);
    mark_unfiltered_edge(v->view, &chunk);
    v->use(v->view, &chunk, v->ctx);
    return H5_ITER_CONT;
}

static int each_dense(const struct visit *v, enum chunk_order order)
{
    if (H5Dchunk_iterate(v->view->dset, v->view->selection, orders[order], NULL, visit_dense, (void *)v) < 0)
        return tool_error("%s: cannot go through its chunks", v->view->path);
    return 0;
}

/* The elements of a box that are defined, from the selections alone. */
static int count_defined(const struct chunk_view *view, struct chunk *chunk)
{
    hsize_t count[H5S_MAX_RANK];
    hid_t box = H5Dget_space(view->dset), defined = -1;
    for (int d = 0; d < view->rank; d++)
        count[d] =
            view->dims[d] - chunk->offset[d] < view->chunk[d] ? view->dims[d] - chunk->offset[d] : view->chunk[d];
    if (H5Sselect_hyperslab(box, H5S_SELECT_SET, chunk->offset, NULL, count, NULL) >= 0)
        defined = H5Dget_defined(view->dset, box, H5P_DEFAULT);
    hssize_t n = defined < 0 ? -1 : H5Sget_select_npoints(defined);
    chunk->defined = n < 0 ? 0 : (hsize_t)n;
    H5Sclose(defined);
    H5Sclose(box);
    return n < 0 ? tool_error("%s: cannot tell what is defined", view->path) : 0;
}

/* Elements of fixed size are counted by the bytes they take: nothing is read. */
static int learn_defined(const struct chunk_view *view, struct chunk *chunk)
{
    if (view->sections > 2)
        return count_defined(view, chunk);
    chunk->defined = chunk->plain[1] / H5Tget_size(view->type);
    return 0;
}

/* Direct chunk I/O is without the checksum of a section that no filter has changed; here sections are what is in the
 * file. */
static void add_checksums(const struct chunk_view *view, struct chunk *chunk)
{
    bool heap = view->types[view->sections - 1] == H5_SECTION_VL;
    for (unsigned s = 0; s < view->sections; s++) {
        int n = 0;
        H5Pget_nfilters2(view->dcpl, s, &n);
        bool summed = heap || view->types[s] == H5_SECTION_SELECTION;
        if (!summed || chunk->stored[s] == 0 || chunk->masks[s] != (unsigned)(((uint64_t)1 << n) - 1))
            continue;
        chunk->stored[s] += 4;
        chunk->plain[s] += 4;
    }
}

/* Beside the chunk, whether it failed: the library's answer does not tell why. */
struct struct_visit {
    const struct visit *visit;
    int status;
};

static int visit_struct(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *addr, hsize_t *size, void *data)
{
    struct struct_visit *s = data;
    const struct chunk_view *view = s->visit->view;
    struct chunk chunk = {.address = *addr + view->base, .size = *size};
    memcpy(chunk.offset, offset, (size_t)view->rank * sizeof chunk.offset[0]);
    for (unsigned i = 0; i < view->sections; i++) {
        chunk.masks[i] = info->filter_mask[i];
        chunk.stored[i] = info->section_size[i];
        chunk.plain[i] = info->section_orig_size[i];
    }
    mark_unfiltered_edge(view, &chunk);
    add_checksums(view, &chunk);
    s->status = view->sparse ? learn_defined(view, &chunk) : 0;
    if (s->status)
        return H5_ITER_STOP;
    s->visit->use(view, &chunk, s->visit->ctx);
    return H5_ITER_CONT;
}

static int each_struct(const struct visit *v, enum chunk_order order)
{
    struct struct_visit s = {.visit = v};
    if (H5Dstruct_chunk_iterate(v->view->dset, v->view->selection, orders[order], NULL, visit_struct, &s) < 0)
        return tool_error("%s: cannot go through its chunks", v->view->path);
    return s.status;
}

static void each_contiguous(const struct visit *v)
{
    struct chunk chunk = {.address = H5Dget_offset(v->view->dset), .size = H5Dget_storage_size(v->view->dset)};
    if (chunk_view_external(v->view))
        chunk.size = whole_bytes(v->view);
    bool placed = v->view->layout == H5D_COMPACT || chunk_view_external(v->view) || chunk.address != HADDR_UNDEF;
    if (chunk.size > 0 && placed)
        v->use(v->view, &chunk, v->ctx);
}

int chunk_view_each(const struct chunk_view *view, enum chunk_order order,
                    void (*use)(const struct chunk_view *view, const struct chunk *chunk, void *ctx), void *ctx)
{
    struct visit v = {view, use, ctx};
    if (view->layout == H5D_CHUNKED)
        return each_dense(&v, order);
    if (view->layout == H5D_STRUCT_CHUNK)
        return each_struct(&v, order);
    each_contiguous(&v);
    return 0;
}
