#include "object/vl_sink.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "heap/global_heap.h"
#include "meta/meta.h"
#include "object/reference.h"
#include "object/vl_source.h"

struct heap_id {
    haddr_t collection;
    uint32_t index;
};

struct store {
    struct ts_file *file;
    bool writing; /* the writer is at work, and holds the file's lock */
    int status;   /* of what was written since */
    struct ts_gheap_writer writer;
    struct heap_id *old; /* to be removed */
    size_t n_old, capacity_old;
};

static int resume(struct store *s)
{
    if (s->writing)
        return 0;
    int status = s->writer.file ? ts_gheap_begin_again(&s->writer) : ts_gheap_begin(&s->writer, s->file);
    if (status < 0)
        return -1;
    s->writing = true;
    s->status = 0;
    return 0;
}

static int pause(void *ctx)
{
    struct store *s = ctx;
    if (!s->writing)
        return 0;
    s->writing = false;
    return ts_gheap_end(&s->writer, s->status);
}

static void encode_id(const struct store *s, const struct heap_id *id, uint8_t *out)
{
    unsigned addr_size = ts_file_addr_size(s->file);
    uint64_t addr = htole64(id->collection);
    uint32_t index = htole32(id->index);
    if (addr_size == sizeof addr)
        memcpy(out, &addr, sizeof addr);
    else
        for (unsigned i = 0; i < addr_size; i++)
            out[i] = (uint8_t)(id->collection >> 8 * i);
    memcpy(out + addr_size, &index, sizeof index);
}

static int write_object(void *ctx, const void *data, size_t size, uint8_t *heap_id)
{
    struct store *s = ctx;
    struct heap_id id;
    if (resume(s) < 0)
        return -1;
    if (ts_gheap_put(&s->writer, data, size, &id.collection, &id.index) < 0) {
        s->status = -1;
        return -1;
    }
    encode_id(s, &id, heap_id);
    return 0;
}

static int release_object(void *ctx, const uint8_t *heap_id)
{
    struct store *s = ctx;
    struct ts_rd r = ts_rd_init(heap_id, ts_file_addr_size(s->file) + 4);
    struct heap_id id = {.collection = ts_rd_addr(&r, ts_file_addr_size(s->file))};
    id.index = ts_rd_u32(&r);
    if (TS_GROW(s->old, s->capacity_old, s->n_old + 1) < 0)
        return -1;
    s->old[s->n_old++] = id;
    return 0;
}

static int store_reference(void *ctx, H5R_type_t kind, const void *from, uint8_t *disk, size_t size)
{
    struct store *s = ctx;
    struct ts_ref ref;
    struct ts_wr block = {0};
    H5R_ref_t copy;
    memcpy(&copy, from, sizeof copy);
    ts_ref_load(&ref, &copy);
    bool old = kind < H5R_OBJECT2;
    int where = old ? ts_ref_encode_old(s->file, kind, &ref, disk, size, &block)
                    : ts_ref_encode(s->file, &ref, disk, size, &block);
    if (where > 0)
        where = write_object(s, block.data, block.size, old ? disk : disk + TS_REF_HEAP_ID);
    ts_wr_free(&block);
    return where;
}

static int release_reference(void *ctx, const uint8_t *disk, size_t size)
{
    struct store *s = ctx;
    return ts_ref_is_in_heap(disk, size, ts_file_addr_size(s->file)) ? release_object(s, disk + TS_REF_HEAP_ID) : 0;
}

static int encode_reference(void *ctx, const void *from, struct ts_wr *segment)
{
    struct store *s = ctx;
    struct ts_ref ref;
    H5R_ref_t copy;
    memcpy(&copy, from, sizeof copy);
    ts_ref_load(&ref, &copy);
    return ts_ref_encode_in_line(s->file, &ref, segment);
}

int ts_vl_sink_open(struct ts_file *f, struct ts_vl_sink *sink)
{
    struct store *s = ts_calloc(1, sizeof *s);
    if (!s)
        return -1;
    s->file = f;
    *sink = (struct ts_vl_sink){.write = write_object,
                                .release = release_object,
                                .store_reference = store_reference,
                                .release_reference = release_reference,
                                .encode_reference = encode_reference,
                                .pause = pause,
                                .addr_size = ts_file_addr_size(f),
                                .ctx = s};
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct heap_id *x = a, *y = b;
    if (x->collection != y->collection)
        return x->collection < y->collection ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Elements that were never written may have held anything, and one that is written twice by a call was read twice
 * before. */
static int remove_old(struct store *s)
{
    if (s->n_old > 1)
        qsort(s->old, s->n_old, sizeof *s->old, by_place);
    int gone = 0;
    for (size_t i = 0; i < s->n_old; i++) {
        const struct heap_id *id = &s->old[i], *last = i > 0 ? id - 1 : NULL;
        if (!last || last->collection != id->collection)
            gone = 0;
        else if (gone || last->index == id->index)
            continue;
        gone = ts_gheap_discard(s->file, id->collection, id->index);
        if (gone < 0)
            return -1;
    }
    s->n_old = 0;
    return 0;
}

int ts_vl_sink_release(struct ts_vl_sink *sink, const struct ts_type *t, size_t n, const uint8_t *elements)
{
    struct store *s = sink->ctx;
    struct ts_vl_source source;
    struct ts_conv_env env = {.source = &source, .sink = sink};
    ts_vl_source_init(&source, s->file);
    return ts_conv_release(&env, t, n, elements);
}

int ts_vl_sink_remove_old(struct ts_vl_sink *sink)
{
    struct store *s = sink->ctx;
    if (pause(s) < 0)
        return -1;
    if (s->n_old == 0)
        return 0;
    if (ts_change_begin(s->file) < 0)
        return -1;
    return ts_change_end(s->file, remove_old(s));
}

void ts_vl_sink_close(struct ts_vl_sink *sink)
{
    struct store *s = sink->ctx;
    if (!s)
        return;
    (void)pause(s);
    ts_free(s->old);
    ts_free(s);
    sink->ctx = NULL;
}

/* Elements that wait for a commit, as the metadata cache holds them: so they go through the journal. */
struct waiting {
    haddr_t addr;
    size_t size;
    uint8_t bytes[];
};

static int waiting_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    (void)f;
    const struct waiting *w = obj;
    ts_wr_bytes(ts_blocks_begin(out), w->bytes, w->size);
    return ts_blocks_end(out, w->addr);
}

static const struct ts_meta_class waiting_class = {
    .name = "block of elements", .free = ts_free, .encode = waiting_encode};

static int wait_for_commit(struct ts_file *f, const struct ts_io_out *v)
{
    struct waiting *w = ts_malloc(sizeof *w + v->size);
    if (!w)
        return -1;
    w->addr = v->addr;
    w->size = v->size;
    memcpy(w->bytes, v->buf, v->size);
    if (ts_meta_insert(f, &waiting_class, v->addr, w, sizeof *w + v->size) < 0) {
        ts_free(w);
        return -1;
    }
    ts_meta_unpin(f, v->addr);
    return 0;
}

static int wait_all(struct ts_file *f, const struct ts_io_out *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].size > 0 && wait_for_commit(f, &v[i]) < 0)
            return -1;
    return 0;
}

static int write_by_commit(struct ts_file *f, const struct ts_io_out *v, size_t n)
{
    if (ts_change_begin(f) < 0)
        return -1;
    int status = ts_change_end(f, wait_all(f, v, n));
    if (status == 0)
        status = ts_meta_commit(f);
    /* They are raw data again: nothing in the cache may hide what is written there next. */
    ts_file_lock(f);
    for (size_t i = 0; i < n; i++)
        ts_meta_remove(f, v[i].addr);
    ts_file_unlock(f);
    return status;
}

int ts_vl_write(void *file, const struct ts_io_out *v, size_t n)
{
    struct ts_file *f = file;
    bool fresh = true;
    ts_file_lock(f);
    for (size_t i = 0; i < n && fresh; i++)
        fresh = ts_file_fresh(f, v[i].addr);
    /* It has to stay so until the write is done. */
    if (fresh)
        ts_meta_hold(f);
    ts_file_unlock(f);
    if (!fresh)
        return write_by_commit(f, v, n);
    int status = ts_file_writev(f, v, n);
    ts_meta_release(f);
    return status;
}
