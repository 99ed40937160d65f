/* What elements of structured chunks refer to, and their fill value. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/xfer.h"
#include "dataset/struct_chunk.h"
#include "object/vl_sink.h"
#include "object/vl_source.h"
#include "type/reclaim.h"

/* The fill value in the form of memory, n times, becomes elements of a chunk; each has its own part of the heap. */
static int put_values(struct ts_dataset_core *core, const struct ts_type *memory, const void *value, size_t n,
                      uint8_t *values, struct ts_chunk_heap *heap)
{
    struct ts_vl_source source;
    struct ts_vl_sink sink;
    struct ts_conv_env env = {
        .source = &source, .sink = &sink, .chunk = heap, .src_id = -1, .dst_id = -1, .dxpl = H5P_DATASET_XFER_DEFAULT};
    struct ts_conv_path *path;
    size_t size = ts_type_size(memory), stored = ts_struct_element_size(core);
    ts_vl_source_init(&source, core->file);
    if (ts_conv_find(memory, core->chunk_type, &path) < 0)
        return -1;
    uint8_t *all = ts_malloc(n * (size > stored ? size : stored) + 1);
    int status = all ? ts_vl_sink_open(core->file, &sink) : -1;
    if (status == 0) {
        for (size_t i = 0; i < n; i++)
            memcpy(all + i * size, value, size);
        status = ts_conv_run(path, &env, n, all, NULL);
        ts_vl_sink_close(&sink);
    }
    if (status == 0)
        memcpy(values, all, n * stored);
    ts_free(all);
    ts_conv_path_unref(path);
    return status;
}

/* The fill value, as it is in the header, in the form of memory; the caller reclaims and frees it. */
static int fill_in_memory(struct ts_dataset_core *core, const struct ts_type *memory, const struct ts_vl_source *source,
                          void **out)
{
    struct ts_conv_env env = {.source = source, .src_id = -1, .dst_id = -1, .dxpl = H5P_DATASET_XFER_DEFAULT};
    struct ts_conv_path *path;
    size_t disk = ts_type_size(core->type), size = ts_type_size(memory);
    if (ts_conv_find(core->type, memory, &path) < 0)
        return -1;
    void *value = ts_calloc(1, disk > size ? disk : size);
    int status = value ? 0 : -1;
    if (status == 0) {
        memcpy(value, core->fill.element, disk);
        status = ts_conv_run(path, &env, 1, value, NULL);
    }
    ts_conv_path_unref(path);
    if (status < 0)
        ts_free(value);
    else
        *out = value;
    return status;
}

static int put_fill(struct ts_dataset_core *core, size_t n, uint8_t *values, struct ts_chunk_heap *heap)
{
    struct ts_type *memory = ts_type_ref(core->type);
    struct ts_vl_source source;
    void *value = NULL;
    ts_vl_source_init(&source, core->file);
    int status = ts_type_set_loc(&memory, TS_LOC_MEMORY, ts_file_addr_size(core->file)) < 0 ? -1 : 0;
    if (status == 0)
        status = fill_in_memory(core, memory, &source, &value);
    if (status == 0) {
        struct ts_reclaim how = {.destroy_reference = source.destroy_reference};
        status = put_values(core, memory, value, n, values, heap);
        ts_reclaim(memory, &how, 1, value);
        ts_free(value);
    }
    ts_type_unref(memory);
    return status;
}

int ts_struct_fill_values(struct ts_dataset_core *core, struct ts_struct_chunk *c, size_t n, uint8_t *values)
{
    size_t size = ts_struct_element_size(core);
    bool zeros = !core->fill.element || ts_struct_never_fills(core);
    if (zeros || core->chunk_type)
        memset(values, 0, n * size);
    if (!zeros && core->chunk_type)
        return put_fill(core, n, values, &c->heap);
    if (!zeros)
        ts_fill_run(values, core->fill.element, size, n);
    return 0;
}

int ts_struct_heap_begin(struct ts_struct_heap_use *u, struct ts_xfer *xfer, struct ts_chunk_heap *heap)
{
    u->old = NULL;
    if (!heap)
        return 0;
    if (ts_xfer_finish(xfer) < 0)
        return -1;
    u->old = xfer->env;
    u->env = *xfer->env;
    u->env.chunk = heap;
    xfer->env = &u->env;
    return 0;
}

int ts_struct_heap_end(struct ts_struct_heap_use *u, struct ts_xfer *xfer, int status)
{
    if (!u->old)
        return status;
    if (status == 0)
        status = ts_xfer_finish(xfer);
    xfer->env = u->old;
    return status;
}

int ts_struct_read_fill(struct ts_dataset_core *core, struct ts_xfer *xfer, const struct ts_piece *pieces, size_t n)
{
    struct ts_chunk_heap heap = {0};
    struct ts_struct_heap_use use;
    uint8_t *element = ts_calloc(1, ts_struct_element_size(core));
    int status = element ? 0 : -1;
    if (status == 0 && core->fill.element)
        status = put_fill(core, 1, element, &heap);
    if (status == 0)
        status = ts_struct_heap_begin(&use, xfer, &heap);
    if (status == 0)
        status = ts_struct_heap_end(&use, xfer, ts_xfer_fill(xfer, element, pieces, n));
    ts_chunk_heap_deinit(&heap);
    ts_free(element);
    return status;
}

struct fields {
    struct ts_dataset_core *core;
    struct ts_struct_chunk *c;
};

static int each_field(void *owner, ts_chunk_field_fn *fn, void *ctx)
{
    const struct fields *f = owner;
    int status = 0;
    for (size_t i = 0; i < f->c->n_bins && status == 0; i++)
        status = ts_chunk_fields(f->core->chunk_type, f->c->bins[i].n, f->c->bins[i].values, fn, ctx);
    return status;
}

int ts_struct_check_heap(struct ts_dataset_core *core, struct ts_struct_chunk *c)
{
    struct fields f = {core, c};
    return ts_chunk_heap_repack(&c->heap, each_field, &f);
}

void ts_struct_tidy_heap(struct ts_dataset_core *core, struct ts_struct_chunk *c)
{
    struct fields f = {core, c};
    unsigned mark = ts_err_mark();
    if (!core->chunk_type || !ts_chunk_heap_wants_repack(&c->heap))
        return;
    if (ts_chunk_heap_repack(&c->heap, each_field, &f) < 0)
        ts_err_rewind(mark);
}
