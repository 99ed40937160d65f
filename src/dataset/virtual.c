#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "dataset/files.h"
#include "dataset/virtual_parts.h"
#include "group/path.h"
#include "heap/global_heap.h"
#include "plist/dapl.h"

/* Sources that stay open with the virtual dataset: each holds a file. */
#define MAX_SOURCES 128

bool ts_virtual_follows(const struct ts_virtual *v)
{
    return v->follows;
}

const struct ts_vds *ts_virtual_maps(const struct ts_virtual *v)
{
    return &v->maps;
}

void ts_virtual_free(struct ts_virtual *v)
{
    size_t pos = 0;
    const char *key;
    void *source;
    if (!v)
        return;
    while (ts_dict_next(&v->sources, &pos, &key, &source))
        ts_dataset_unref(source);
    ts_dict_deinit(&v->sources);
    ts_vds_deinit(&v->maps);
    ts_mutex_deinit(&v->lock);
    ts_free(v);
}

static int decode_maps(struct ts_dataset *d, const uint8_t *data, size_t size, struct ts_virtual *v)
{
    if (ts_virtual_decode(data, size, ts_file_len_size(ts_dataset_file(d)), d->shown, &v->maps) < 0)
        return -1;
    for (size_t i = 0; i < v->maps.n; i++)
        if (ts_space_unlim_dim(v->maps.maps[i].dst) >= 0)
            v->follows = true;
    return 0;
}

/* The heap object with the mappings, borrowed while the heap is open. 1, or 0 when there never was one. */
static int open_mappings(const struct ts_dataset_core *core, struct ts_gheap **heap, const uint8_t **data, size_t *size)
{
    if (core->layout.addr == HADDR_UNDEF)
        return 0;
    if (ts_gheap_open(core->file, core->layout.addr, heap) < 0)
        return -1;
    if (ts_gheap_get(*heap, core->layout.virtual.index, data, size) < 0) {
        ts_gheap_close(*heap);
        return -1;
    }
    return 1;
}

static int load_maps(struct ts_dataset *d, struct ts_virtual *v)
{
    struct ts_gheap *heap;
    const uint8_t *data;
    size_t size;
    int found = open_mappings(d->core, &heap, &data, &size);
    if (found <= 0)
        return found;
    int status = decode_maps(d, data, size, v);
    ts_gheap_close(heap);
    return status;
}

int ts_virtual_open(struct ts_dataset *d, struct ts_virtual **out)
{
    struct ts_virtual *v = ts_calloc(1, sizeof *v);
    if (!v)
        return -1;
    ts_mutex_init(&v->lock, TS_RANK_VIRTUAL_SOURCES);
    if (ts_dapl_vds_view(d->dapl, &v->view) < 0 || ts_dapl_vds_gap(d->dapl, &v->gap) < 0 ||
        ts_dapl_vds_unreadable(d->dapl, &v->unreadable) < 0 || load_maps(d, v) < 0) {
        ts_virtual_free(v);
        return -1;
    }
    *out = v;
    return 0;
}

int ts_virtual_know_sources(struct ts_virtual *v, const struct ts_vds *asked)
{
    TS_ASSERT(v->maps.n == asked->n);
    for (size_t i = 0; i < asked->n; i++) {
        struct ts_space *known;
        if (ts_space_copy(asked->maps[i].src, &known) < 0)
            return -1;
        ts_space_unref(v->maps.maps[i].src);
        v->maps.maps[i].src = known;
    }
    return 0;
}

int ts_virtual_heap_size(const struct ts_dataset_core *core, hsize_t *out)
{
    struct ts_gheap *heap;
    const uint8_t *data;
    size_t size;
    *out = 0;
    int found = open_mappings(core, &heap, &data, &size);
    if (found <= 0)
        return found;
    ts_gheap_close(heap);
    *out = size;
    return 0;
}

/* %b becomes the number, %% a single %. */
static void write_name(struct ts_wr *w, const char *name, hsize_t block)
{
    for (; *name; name++) {
        if (name[0] == '%' && name[1] == 'b') {
            char number[24];
            size_t at = sizeof number;
            hsize_t rest = block;
            do
                number[--at] = (char)('0' + rest % 10);
            while ((rest /= 10) > 0);
            ts_wr_bytes(w, number + at, sizeof number - at);
            name++;
            continue;
        }
        if (name[0] == '%' && name[1] == '%')
            name++;
        ts_wr_u8(w, (uint8_t)*name);
    }
    ts_wr_u8(w, 0);
}

static int open_in(struct ts_fhandle *fh, const char *name, struct ts_plist *dapl, struct ts_dataset **out)
{
    struct ts_place place, root;
    struct ts_loc at = ts_loc_root(fh);
    if (ts_place_init(&root, &at, "/") < 0)
        return -1;
    if (ts_path_object(&root, name, NULL, &place) < 0)
        return -1;
    int status = ts_dataset_open_aside(&place.loc, place.path, dapl, out);
    ts_place_deinit(&place);
    return status;
}

/* 1, 0 when there is no such file, negative for all else. */
static int try_source(struct ts_dataset *d, const char *file, const char *name, struct ts_dataset **out)
{
    struct ts_fhandle *fh = d->base.loc.fh;
    if (strcmp(file, ".") == 0) {
        ts_fhandle_ref(fh);
    } else {
        int found = ts_source_file_open(d, file, &fh);
        if (found <= 0)
            return found;
    }
    int status = open_in(fh, name, d->dapl, out);
    ts_fhandle_unref(fh);
    return status < 0 ? -1 : 1;
}

/* 1, 0 when the file or the dataset is not there. Where libhdf5's ways are asked for, whatever else stands in the way
 * makes a source missing, too; but nobody takes fill values for data that he has forbidden to read. */
static int open_source(struct ts_dataset *d, const char *file, const char *name, struct ts_dataset **out)
{
    unsigned mark = ts_err_mark();
    int found = try_source(d, file, name, out);
    if (found >= 0)
        return found;
    bool missing = ts_err_was(mark, TS_WHY_ABSENT) ||
                   (d->virtual->unreadable == H5D_VDS_UNREADABLE_FILL && !ts_err_was(mark, TS_WHY_REFUSED));
    if (missing && !ts_err_no_memory(mark)) {
        ts_err_rewind(mark);
        return 0;
    }
    return TS_ERR(DATASET, CANTOPENOBJ,
                  "dataset '%s' of file '%s', a source of the virtual dataset '%s', cannot be read", name, file,
                  d->base.path ? d->base.path : "");
}

static struct ts_dataset *recall_source(struct ts_virtual *v, const char *key)
{
    ts_mutex_lock(&v->lock);
    struct ts_dataset *source = ts_dict_get(&v->sources, key);
    if (source)
        ts_dataset_ref(source);
    ts_mutex_unlock(&v->lock);
    return source;
}

/* Keeps a source open; when there is no room for it, it just closes after use. */
static void remember_source(struct ts_virtual *v, const char *key, struct ts_dataset *source)
{
    unsigned mark = ts_err_mark();
    ts_mutex_lock(&v->lock);
    if (ts_dict_count(&v->sources) < MAX_SOURCES && !ts_dict_get(&v->sources, key) &&
        ts_dict_put(&v->sources, key, source) == 0)
        ts_dataset_ref(source);
    ts_mutex_unlock(&v->lock);
    ts_err_rewind(mark);
}

int ts_virtual_source(struct ts_dataset *d, const struct ts_vds_map *map, hsize_t block, struct ts_dataset **out)
{
    /* The file, the dataset, and both as one key: the length of the first keeps pairs apart. */
    struct ts_wr file = {0}, name = {0}, key = {0};
    write_name(&file, map->file, block);
    write_name(&name, map->dset, block);
    int found = -1;
    if (!file.bad && !name.bad) {
        char length[24];
        snprintf(length, sizeof length, "%zu:", file.size);
        ts_wr_bytes(&key, length, strlen(length));
        ts_wr_bytes(&key, file.data, file.size - 1);
        ts_wr_bytes(&key, name.data, name.size);
    }
    if (key.size > 0 && !key.bad) {
        *out = recall_source(d->virtual, (const char *)key.data);
        found = *out ? 1 : open_source(d, (const char *)file.data, (const char *)name.data, out);
        if (found == 1)
            remember_source(d->virtual, (const char *)key.data, *out);
    }
    ts_wr_free(&file);
    ts_wr_free(&name);
    ts_wr_free(&key);
    return found;
}

static _Thread_local const struct ts_virtual_visit *visiting;

/* Not inlined: the compiler would take the list's head for a pointer that outlives its frame. */
__attribute__((noinline)) int ts_virtual_enter(struct ts_virtual_visit *visit, const struct ts_dataset *d)
{
    for (const struct ts_virtual_visit *v = visiting; v; v = v->outer)
        if (ts_loc_equal(&v->d->base.loc, &d->base.loc))
            return TS_ERR(DATASET, BADVALUE, "virtual dataset at %#llx is a source of itself",
                          (unsigned long long)d->base.loc.addr);
    *visit = (struct ts_virtual_visit){.d = d, .outer = visiting};
    visiting = visit;
    return 0;
}

void ts_virtual_leave(const struct ts_virtual_visit *visit)
{
    visiting = visit->outer;
}

/* The size that an unlimited mapping gives the virtual dataset: its source's slices, laid out. */
static int unlimited_size(struct ts_dataset *d, const struct ts_vds_map *map, bool first_missing, hsize_t *size)
{
    struct ts_dataset *source;
    struct ts_space *extent;
    hsize_t slices = 0;
    int found = ts_virtual_source(d, map, 0, &source);
    if (found < 0)
        return -1;
    if (found) {
        int dim = ts_space_unlim_dim(map->src), status = ts_dataset_space(source, &extent);
        ts_dataset_unref(source);
        if (status < 0)
            return -1;
        if ((unsigned)dim < ts_space_rank(extent))
            slices = ts_space_unlim_slices(map->src, ts_space_dims(extent)[dim]);
        ts_space_unref(extent);
    }
    *size = ts_space_unlim_size(map->dst, slices, first_missing);
    return 0;
}

/* The same for blocks with a source each: up to the first missing one, or the last that is there before a longer
 * gap. */
static int printf_size(struct ts_dataset *d, const struct ts_vds_map *map, bool first_missing, hsize_t *size)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    int dim = ts_space_unlim_dim(map->dst);
    ts_space_regular(map->dst, start, stride, count, block);
    hsize_t gap = first_missing ? 0 : d->virtual->gap, missing = 0, end = 0;
    for (hsize_t i = 0; missing <= gap; i++) {
        hsize_t at;
        struct ts_dataset *source;
        if (!ts_mul_u64(i, stride[dim], &at) || !ts_add_u64(at, start[dim], &at) || at > d->core->max_dims[dim])
            break;
        int found = ts_virtual_source(d, map, i, &source);
        if (found < 0)
            return -1;
        missing = found ? 0 : missing + 1;
        if (found) {
            ts_dataset_unref(source);
            end = at + block[dim];
        } else if (first_missing) {
            end = at;
        }
    }
    *size = end;
    return 0;
}

static int follow_sources(struct ts_dataset *d, hsize_t *dims)
{
    const struct ts_virtual *v = d->virtual;
    bool first_missing = v->view == H5D_VDS_FIRST_MISSING, set[H5S_MAX_RANK] = {false};
    hsize_t least[H5S_MAX_RANK] = {0}, low[H5S_MAX_RANK], high[H5S_MAX_RANK], size;
    for (size_t i = 0; i < v->maps.n; i++) {
        const struct ts_vds_map *map = &v->maps.maps[i];
        int dim = ts_space_unlim_dim(map->dst);
        if (dim < 0) {
            if (ts_space_selected(map->dst) == 0 || ts_space_sel_type(map->dst) == H5S_SEL_ALL)
                continue;
            if (ts_space_bounds(map->dst, low, high) < 0)
                return -1;
            for (unsigned k = 0; k < d->core->rank; k++)
                if (high[k] + 1 > least[k])
                    least[k] = high[k] + 1;
            continue;
        }
        int status = ts_virtual_is_printf(map) ? printf_size(d, map, first_missing, &size)
                                               : unlimited_size(d, map, first_missing, &size);
        if (status < 0)
            return -1;
        if (!set[dim] || (first_missing ? size < dims[dim] : size > dims[dim]))
            dims[dim] = size;
        set[dim] = true;
    }
    for (unsigned k = 0; k < d->core->rank; k++) {
        if (set[k] && dims[k] < least[k])
            dims[k] = least[k];
        if (dims[k] > d->core->max_dims[k])
            dims[k] = d->core->max_dims[k];
    }
    return 0;
}

int ts_virtual_show(struct ts_dataset *d, const hsize_t *dims)
{
    struct ts_space *space;
    if (ts_space_copy(d->shown, &space) < 0)
        return -1;
    if (ts_space_resize(space, dims) < 0) {
        ts_space_unref(space);
        return -1;
    }
    ts_mutex_lock(&d->core->lock);
    struct ts_space *old = d->shown;
    d->shown = space;
    ts_mutex_unlock(&d->core->lock);
    ts_space_unref(old);
    return 0;
}

int ts_virtual_refresh(struct ts_dataset *d)
{
    struct ts_virtual_visit visit;
    hsize_t before[H5S_MAX_RANK] = {0}, dims[H5S_MAX_RANK];
    if (!d->virtual->follows)
        return 0;
    if (ts_virtual_enter(&visit, d) < 0)
        return -1;
    ts_mutex_lock(&d->core->lock);
    memcpy(before, ts_space_dims(d->shown), d->core->rank * sizeof before[0]);
    ts_mutex_unlock(&d->core->lock);
    memcpy(dims, before, sizeof dims);
    int status = follow_sources(d, dims);
    ts_virtual_leave(&visit);
    if (status < 0 || memcmp(before, dims, d->core->rank * sizeof dims[0]) == 0)
        return status;
    return ts_virtual_show(d, dims);
}
