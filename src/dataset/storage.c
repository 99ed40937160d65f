#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/xfer.h"
#include "dataset/chunks.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "file/alloc.h"
#include "file/change.h"
#include "format/messages.h"
#include "heap/global_heap.h"
#include "heap/local_heap.h"
#include "meta/meta.h"
#include "object/vl_sink.h"
#include "object/vl_source.h"
#include "type/reclaim.h"

/* Most bytes of fill values that are written at once. */
#define FILL_BUFFER (1024 * 1024)

static unsigned long long addr_of(const struct ts_dataset_core *c)
{
    return c->addr;
}

bool ts_dataset_fills(const struct ts_dataset_core *core)
{
    return core->fill.fill_time != H5D_FILL_TIME_NEVER && core->fill.state != H5D_FILL_VALUE_UNDEFINED;
}

/* Each element gets heap objects of its own, for each may be overwritten alone: the value goes to memory form and
 * back. */
static int fill_with_sink(struct ts_dataset_core *core, const struct ts_type *memory, size_t n, uint8_t *buf)
{
    struct ts_conv_path *in = NULL, *out = NULL;
    struct ts_vl_source source;
    struct ts_vl_sink sink;
    struct ts_conv_env env = {.source = &source, .src_id = -1, .dst_id = -1, .dxpl = H5P_DATASET_XFER_DEFAULT};
    size_t disk = ts_type_size(core->type), size = ts_type_size(memory), room = disk > size ? disk : size;
    ts_vl_source_init(&source, core->file);
    uint8_t *value = ts_calloc(1, room), *all = ts_calloc(n, room);
    int status =
        value && all && ts_conv_find(core->type, memory, &in) == 0 && ts_conv_find(memory, core->type, &out) == 0 ? 0
                                                                                                                  : -1;
    if (status == 0) {
        memcpy(value, core->fill.element, disk);
        status = ts_conv_run(in, &env, 1, value, NULL);
    }
    if (status == 0) {
        struct ts_reclaim how = {.destroy_reference = source.destroy_reference};
        for (size_t i = 0; i < n; i++)
            memcpy(all + i * size, value, size);
        status = ts_vl_sink_open(core->file, &sink);
        if (status == 0) {
            env.sink = &sink;
            status = ts_conv_run(out, &env, n, all, NULL);
            ts_vl_sink_close(&sink);
        }
        ts_reclaim(memory, &how, 1, value);
    }
    if (status == 0)
        memcpy(buf, all, n * disk);
    ts_conv_path_unref(in);
    ts_conv_path_unref(out);
    ts_free(value);
    ts_free(all);
    return status;
}

int ts_dataset_fill_elements(struct ts_dataset_core *core, size_t n, void *buf)
{
    size_t size = ts_type_size(core->type);
    if (!core->fill.element || core->fill.fill_time == H5D_FILL_TIME_NEVER) {
        memset(buf, 0, n * size);
        return 0;
    }
    if (ts_type_has_vlen_or_ref(core->type)) {
        struct ts_type *memory = ts_type_ref(core->type);
        int status = ts_type_set_loc(&memory, TS_LOC_MEMORY, ts_file_addr_size(core->file));
        if (status >= 0)
            status = fill_with_sink(core, memory, n, buf);
        ts_type_unref(memory);
        return status;
    }
    ts_fill_run(buf, core->fill.element, size, n);
    return 0;
}

int ts_layout_fill(void *owner, const struct ts_piece *pieces, size_t n, struct ts_sc_data *d)
{
    struct ts_dataset_core *core = owner;
    size_t size = ts_type_size(core->type);
    for (size_t i = 0; i < n; i++)
        for (hsize_t k = 0; k < pieces[i].count; k++) {
            uint8_t *at = (uint8_t *)d->chunk + (pieces[i].src + k * pieces[i].src_step) * size;
            if (ts_dataset_fill_elements(core, (size_t)pieces[i].n, at) < 0)
                return -1;
        }
    return 0;
}

/* New storage of elements, [addr, addr + bytes), gets fill values. Without a value of the user it becomes zeros: that
 * libhdf5 leaves there what was before would show the content of deleted objects. */
static int fill_range(struct ts_dataset_core *core, haddr_t addr, uint64_t bytes)
{
    TS_MAY_MOVE_RAW_DATA();
    size_t size = ts_type_size(core->type);
    if (!ts_dataset_fills(core) || (!core->fill.element && ts_file_blank(core->file, addr, bytes)))
        return 0;
    bool unique = core->fill.element && ts_type_has_vlen_or_ref(core->type);
    uint64_t most = FILL_BUFFER / size ? FILL_BUFFER / size : 1, elements = ts_div_ceil(bytes, size);
    size_t n = (size_t)(elements < most ? elements : most);
    uint8_t *buf = ts_malloc(n * size);
    int status = buf ? ts_dataset_fill_elements(core, n, buf) : -1;
    while (status == 0 && bytes > 0) {
        size_t now = bytes < n * size ? (size_t)bytes : n * size;
        status = ts_file_write(core->file, addr, now, buf);
        addr += now;
        bytes -= now;
        if (unique && status == 0 && bytes > 0)
            status = ts_dataset_fill_elements(core, n, buf);
    }
    ts_free(buf);
    return status;
}

static void allocated_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    atomic_store(&((struct ts_dataset_core *)step->at)->allocated, step->a);
}

int ts_dataset_keep_layout(struct ts_dataset_core *core)
{
    struct ts_undo_step step = {.back = allocated_back, .at = core, .a = core->allocated};
    return ts_undo_add(core->file, step) < 0 ? -1 : ts_undo_bytes(core->file, &core->layout, sizeof core->layout);
}

int ts_dataset_put_layout(struct ts_dataset_core *core, haddr_t child)
{
    TS_IN_CHANGE(core->file);
    struct ts_ohdr *oh;
    uint8_t room[TS_WR_ROOM];
    struct ts_wr w = ts_wr_on(room);
    struct ts_file *f = core->file;
    struct ts_layout *l = &core->layout;
    /* Older versions cannot be written; what they said, this says. */
    if (l->version < 3)
        l->version = 3;
    if (l->cls == H5D_CONTIGUOUS)
        l->contiguous.known = true;
    if (ts_layout_encode(l, ts_file_addr_size(f), ts_file_len_size(f), &w) < 0 ||
        ts_ohdr_open(f, core->addr, &oh) < 0) {
        ts_wr_free(&w);
        return -1;
    }
    int status = ts_ohdr_put(oh, TS_MSG_LAYOUT, 0, w.data, w.size);
    if (status == 0 && child != HADDR_UNDEF)
        status = ts_meta_depend(f, core->addr, child);
    if (status == 0)
        status = ts_ohdr_touch(oh, false);
    ts_ohdr_close(oh);
    ts_wr_free(&w);
    return status;
}

/* The header's extent may be new: it is not written before the index has the chunks in it. */
static int wait_for_index(struct ts_dataset_core *core, haddr_t root)
{
    struct ts_ohdr *oh;
    if (root == HADDR_UNDEF)
        return 0;
    if (ts_ohdr_open(core->file, core->addr, &oh) < 0)
        return -1;
    int status = ts_meta_depend(core->file, core->addr, root);
    ts_ohdr_close(oh);
    return status;
}

int ts_dataset_store_layout(struct ts_dataset_core *core)
{
    TS_IN_CHANGE(core->file);
    struct ts_chunk_index *index;
    bool changed = true;
    haddr_t root = HADDR_UNDEF;
    /* Of others only who changes it knows. */
    if (ts_dataset_is_indexed(core)) {
        if (ts_dataset_keep_layout(core) < 0 || ts_dataset_core_index(core, &index) < 0)
            return -1;
        changed = ts_chunk_index_layout(index, &core->layout);
        root = ts_chunk_index_root(index);
    }
    atomic_store(&core->allocated, core->layout.addr != HADDR_UNDEF);
    return changed ? ts_dataset_put_layout(core, root) : wait_for_index(core, root);
}

static int store_address(struct ts_dataset_core *core, haddr_t addr)
{
    if (ts_change_begin(core->file) < 0)
        return -1;
    int status = ts_dataset_keep_layout(core);
    if (status == 0) {
        core->layout.addr = addr;
        status = ts_dataset_store_layout(core);
    }
    return ts_change_end(core->file, status);
}

static int allocate_contiguous(struct ts_dataset_core *core, bool overwritten)
{
    haddr_t addr;
    uint64_t bytes = core->layout.contiguous.size;
    if (core->allocated || bytes == 0)
        return 0;
    if (ts_chunk_alloc(core, bytes, &addr) < 0)
        return -1;
    if (overwritten) {
        core->layout.addr = addr;
        atomic_store(&core->allocated, true);
        return 0;
    }
    if (fill_range(core, addr, bytes) < 0 || store_address(core, addr) < 0) {
        ts_chunk_free(core, &(struct ts_chunk_rec){.addr = addr, .size = bytes});
        return -1;
    }
    return 0;
}

/* A chunk of fill values as it is stored; all new chunks of a kind are the same unless elements refer to heaps. */
struct blank {
    uint8_t *bytes; /* NULL: not made yet */
    size_t size;
    uint32_t filter_mask;
};

struct chunk_fill {
    struct ts_dataset_core *core;
    struct ts_chunk_index *index;
    const hsize_t *dims;
    struct blank plain, filtered;
};

static int make_blank(struct chunk_fill *c, bool filtered, struct blank *b)
{
    size_t size = (size_t)c->core->chunk_bytes;
    if (b->bytes && !(c->core->fill.element && ts_type_has_vlen_or_ref(c->core->type)))
        return 0;
    ts_free(b->bytes);
    b->size = size;
    b->filter_mask = 0;
    void *bytes = b->bytes = ts_malloc(size);
    if (!bytes || ts_dataset_fill_elements(c->core, size / ts_type_size(c->core->type), bytes) < 0)
        return -1;
    int status = filtered ? ts_pipeline_encode(&c->core->pipeline, &bytes, &b->size, &b->filter_mask, NULL) : 0;
    b->bytes = bytes;
    return status;
}

static int enter_chunk(struct chunk_fill *c, const struct ts_chunk_rec *rec)
{
    struct ts_chunk_rec old;
    struct ts_file *f = c->core->file;
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_chunk_index_insert(c->index, rec, &old);
    if (status >= 0)
        status = ts_dataset_store_layout(c->core);
    return ts_change_end(f, status);
}

static int new_chunk(struct chunk_fill *c, const hsize_t *scaled)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_dataset_core *core = c->core;
    bool filtered = ts_dataset_core_chunk_filtered(core, c->dims, scaled);
    struct blank *b = filtered ? &c->filtered : &c->plain;
    struct ts_chunk_rec rec = {.size = core->chunk_bytes};
    if (filtered && make_blank(c, true, b) < 0)
        return -1;
    if (filtered) {
        rec.size = b->size;
        rec.filter_mask = b->filter_mask;
    }
    memcpy(rec.scaled, scaled, core->rank * sizeof *scaled);
    if (ts_chunk_alloc(core, rec.size, &rec.addr) < 0)
        return -1;
    int status = filtered ? ts_file_write(core->file, rec.addr, b->size, b->bytes)
                          : fill_range(core, rec.addr, core->chunk_bytes);
    if (status == 0)
        status = enter_chunk(c, &rec);
    if (status < 0)
        ts_chunk_free(core, &rec);
    return status;
}

/* Implicit chunks have their places from the index's creation on. */
static int fill_implicit(struct chunk_fill *c, const hsize_t *scaled)
{
    struct ts_chunk_rec rec;
    int found = ts_chunk_locate(c->core, scaled, &rec);
    return found <= 0 ? found : fill_range(c->core, rec.addr, c->core->chunk_bytes);
}

static int each_chunk(struct chunk_fill *c, const hsize_t *old_chunks, int (*fn)(struct chunk_fill *, const hsize_t *))
{
    const struct ts_dataset_core *core = c->core;
    hsize_t scaled[H5S_MAX_RANK] = {0}, chunks[H5S_MAX_RANK];
    for (unsigned i = 0; i < core->rank; i++) {
        chunks[i] = ts_div_ceil(c->dims[i], core->layout.chunk.dims[i]);
        if (chunks[i] == 0)
            return 0;
    }
    for (unsigned i = 0; i < core->rank;) {
        bool old = old_chunks != NULL;
        for (unsigned k = 0; old && k < core->rank; k++)
            old = scaled[k] < old_chunks[k];
        if (!old && fn(c, scaled) < 0)
            return -1;
        /* Where the old extent has all of a row, its end is next. */
        unsigned last = core->rank - 1;
        if (old)
            scaled[last] = old_chunks[last] - 1;
        for (i = 0; i < core->rank; i++) {
            unsigned k = last - i;
            if (++scaled[k] < chunks[k])
                break;
            scaled[k] = 0;
        }
    }
    return 0;
}

static int create_index(struct chunk_fill *c)
{
    if (ts_change_begin(c->core->file) < 0)
        return -1;
    int status = ts_chunk_index_create(c->index);
    if (status == 0)
        status = ts_dataset_store_layout(c->core);
    return ts_change_end(c->core->file, status);
}

int ts_dataset_allocate_chunks(struct ts_dataset_core *core, const hsize_t *old_dims, const hsize_t *dims)
{
    struct chunk_fill c = {.core = core, .dims = dims};
    hsize_t old_chunks[H5S_MAX_RANK];
    bool implicit = core->layout.chunk.index == TS_CHUNK_INDEX_IMPLICIT;
    if (ts_dataset_core_index(core, &c.index) < 0)
        return -1;
    for (unsigned i = 0; old_dims && i < core->rank; i++)
        old_chunks[i] = ts_div_ceil(old_dims[i], core->layout.chunk.dims[i]);
    int status = !core->allocated && core->layout.chunk.index != TS_CHUNK_INDEX_SINGLE ? create_index(&c) : 0;
    if (status == 0)
        status = each_chunk(&c, old_dims ? old_chunks : NULL, implicit ? fill_implicit : new_chunk);
    ts_free(c.plain.bytes);
    ts_free(c.filtered.bytes);
    return status;
}

int ts_dataset_allocate(struct ts_dataset_core *core, bool overwritten)
{
    TS_CORE_HELD_ALONE(core);
    TS_FILE_NOT_HELD(core->file);
    if (core->layout.cls == H5D_CONTIGUOUS && core->external.n == 0)
        return allocate_contiguous(core, overwritten);
    if (core->layout.cls != H5D_CHUNKED || core->allocated || core->fill.alloc_time == H5D_ALLOC_TIME_INCR)
        return 0;
    struct ts_space *space = ts_dataset_core_space(core);
    int status = ts_dataset_allocate_chunks(core, NULL, ts_space_dims(space));
    ts_space_unref(space);
    return status;
}

int ts_dataset_enter_storage(struct ts_dataset_core *core)
{
    TS_CORE_HELD_ALONE(core);
    if (ts_change_begin(core->file) < 0)
        return -1;
    return ts_change_end(core->file, ts_dataset_store_layout(core));
}

void ts_dataset_unallocate(struct ts_dataset_core *core)
{
    TS_CORE_HELD_ALONE(core);
    struct ts_chunk_rec storage = {.addr = core->layout.addr, .size = core->layout.contiguous.size};
    unsigned mark = ts_err_mark();
    if (ts_sc_dset_empty(&core->sc)) {
        core->layout.addr = HADDR_UNDEF;
        atomic_store(&core->allocated, false);
        ts_chunk_free(core, &storage);
    } else if (fill_range(core, storage.addr, storage.size) == 0) {
        /* Parts of it that are in memory know where they belong. */
        (void)ts_dataset_enter_storage(core);
    }
    ts_err_rewind(mark);
}

void ts_dataset_placed(struct ts_dataset_core *core, struct ts_sc_coded *chunks, size_t n)
{
    TS_FILE_HELD(core->file);
    if (!core->gone) {
        unsigned count = 0;
        for (size_t i = 0; i < n; i++)
            count += chunks[i].at.addr != HADDR_UNDEF;
        atomic_fetch_add(&core->writing, count);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        chunks[i].at.addr = HADDR_UNDEF;
        chunks[i].at.size = 0;
        chunks[i].in_place = true;
        chunks[i].careful = false;
    }
}

void ts_dataset_written(struct ts_dataset_core *core, const struct ts_sc_coded *chunks, size_t n)
{
    unsigned count = 0;
    for (size_t i = 0; i < n; i++)
        count += chunks[i].at.addr != HADDR_UNDEF;
    /* Who deletes the dataset first says so, then looks whether something is on its way. */
    if (count == 0 || atomic_fetch_sub(&core->writing, count) != count || !core->gone ||
        ts_change_begin(core->file) < 0)
        return;
    for (size_t i = 0; i < core->n_left; i++)
        ts_file_free(core->file, H5FD_MEM_DRAW, core->left[i].addr, core->left[i].size);
    core->n_left = 0;
    (void)ts_change_end(core->file, 0);
}

struct destroyer {
    struct ts_file *f;
    struct ts_dataset_core *busy; /* chunks of it are on their way to the file, or NULL */
};

/* Space that somebody writes to stays until that is done. When memory is short it is lost. */
static void free_space(const struct destroyer *to, haddr_t addr, uint64_t size)
{
    struct ts_dataset_core *core = to->busy;
    unsigned mark = ts_err_mark();
    if (!core)
        ts_file_free(to->f, H5FD_MEM_DRAW, addr, size);
    else if (addr != HADDR_UNDEF && TS_GROW(core->left, core->left_capacity, core->n_left + 1) == 0)
        core->left[core->n_left++] = (struct ts_dataset_space){addr, size};
    ts_err_rewind(mark);
}

static int free_chunk(const struct ts_chunk_rec *rec, void *ctx)
{
    free_space(ctx, rec->addr, rec->size);
    return 0;
}

/* An index that is nothing but the chunks frees them itself. */
static int destroy_implicit(const struct ts_dataset_core *core, const struct destroyer *to)
{
    uint64_t bytes = core->chunk_bytes;
    for (unsigned i = 0; i < core->rank; i++)
        if (!ts_mul_u64(bytes, ts_div_ceil(core->max_dims[i], core->layout.chunk.dims[i]), &bytes))
            return 0;
    free_space(to, core->layout.addr, bytes);
    return 0;
}

static int destroy_chunks(struct ts_dataset_core *core, struct destroyer *to)
{
    struct ts_chunk_index *index;
    if (to->busy && core->layout.chunk.index == TS_CHUNK_INDEX_IMPLICIT)
        return destroy_implicit(core, to);
    return ts_dataset_core_index(core, &index) < 0 ? -1 : ts_chunk_index_delete(index, free_chunk, to);
}

static int destroy_names(struct ts_file *f, const struct ts_ohdr *oh)
{
    const struct ts_ohdr_msg *at = ts_ohdr_find(oh, TS_MSG_EFL);
    struct ts_efl_msg msg;
    if (!at)
        return 0;
    if (ts_efl_decode(at->body, at->size, ts_file_addr_size(f), ts_file_len_size(f), &msg) < 0)
        return -1;
    ts_free(msg.slots);
    return msg.heap == HADDR_UNDEF ? 0 : ts_lheap_delete(f, msg.heap);
}

static void drop_core(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_dataset_core_drop(step->at);
}

/* What the header says, until the change is over: its index may have to be put back. */
static int peek(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    if (ts_undo_reserve(f) < 0 || ts_dataset_core_peek(f, addr, out) < 0)
        return -1;
    return ts_undo_add(f, (struct ts_undo_step){.back = drop_core, .done = drop_core, .at = *out});
}

int ts_dataset_destroy(struct ts_file *f, const struct ts_ohdr *oh)
{
    TS_IN_CHANGE(f);
    struct ts_dataset_core *core;
    struct destroyer to = {.f = f};
    if (peek(f, oh->addr, &core) < 0 || ts_dataset_core_forget(f, oh->addr, &to.busy) < 0)
        return TS_ERR(DATASET, CANTFREE, "dataset at %#llx: its storage cannot be found", (unsigned long long)oh->addr);
    const struct ts_layout *l = &core->layout;
    int status = destroy_names(f, oh);
    if (status == 0 && ts_dataset_is_indexed(core) && l->addr != HADDR_UNDEF)
        status = destroy_chunks(core, &to);
    else if (status == 0 && l->cls == H5D_VIRTUAL && l->addr != HADDR_UNDEF)
        status = ts_gheap_remove(f, l->addr, l->virtual.index);
    else if (status == 0 && l->cls == H5D_CONTIGUOUS && core->external.n == 0)
        free_space(&to, l->addr, l->contiguous.size);
    if (status < 0)
        TS_ERR(DATASET, CANTFREE, "dataset at %#llx: its storage cannot be freed", addr_of(core));
    return status;
}
