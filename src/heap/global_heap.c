#include "heap/global_heap.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/alloc.h"
#include "file/blocks.h"
#include "file/change.h"
#include "format/global_heap.h"
#include "heap/gheap_bulk.h"
#include "meta/block.h"
#include "meta/meta.h"

enum { MIN_SIZE = TS_GHEAP_MIN_SIZE, MAX_INDEX = UINT16_MAX, MAX_ROOM = 16 };

struct ts_gheap {
    struct ts_file *file;
    haddr_t addr;
    size_t size;
    bool known;      /* among those with room, or too full for them */
    uint64_t edited; /* by this change */
    /* What a change keeps as it was begins here; objects it keeps where it changes them, and the data of those that are
     * there it does not touch. */
    uint8_t *data;                   /* as in the file, but removed objects leave gaps until the space is needed */
    size_t end;                      /* of the last object */
    struct ts_gheap_object *objects; /* by index; offset 0: none has the index */
    size_t n, capacity;
    size_t count;     /* of those that are there */
    size_t low_empty; /* none before has offset 0 */
    size_t free;      /* bytes, with those of the gaps */
};

/* Collections with room for more, of one file. */
struct room {
    uint64_t kept; /* by this change */
    size_t n;
    struct {
        haddr_t addr;
        size_t free;
    } items[MAX_ROOM];
    /* What is before this edit_room keeps. */
    struct ts_gheap_bulk *bulk; /* a writer's, while it is at work: what it has is not on file yet. Or NULL */
};

static void heap_free(void *obj)
{
    struct ts_gheap *heap = obj;
    ts_free(heap->objects);
    ts_free(heap->data);
    ts_free(heap);
}

static int read_collection(struct ts_gheap *heap)
{
    struct ts_file *f = heap->file;
    unsigned len_size = ts_file_len_size(f);
    size_t header = ts_gheap_header_size(len_size);
    /* Most collections are as small as they may be: those are read at once. */
    size_t first = ts_file_has(f, heap->addr, MIN_SIZE) ? MIN_SIZE : header;
    uint8_t buf[MIN_SIZE];
    uint64_t size;
    if (ts_file_read(f, heap->addr, first, buf) < 0)
        return -1;
    if (ts_gheap_header_decode(buf, header, len_size, &size) < 0)
        return -1;
    heap->size = (size_t)size;
    if (size > first)
        return ts_meta_read_block(f, heap->addr, size, &heap->data);
    heap->data = ts_memdup(buf, heap->size);
    return heap->data ? 0 : -1;
}

static int by_index(const void *a, const void *b)
{
    return (int)((const struct ts_gheap_object *)a)->index - (int)((const struct ts_gheap_object *)b)->index;
}

static int list_objects(struct ts_gheap *heap)
{
    unsigned len_size = ts_file_len_size(heap->file);
    size_t pos = ts_gheap_header_size(len_size);
    struct ts_gheap_object object;
    bool sorted = true;
    int more;
    while ((more = ts_gheap_object_next(heap->data, heap->size, len_size, &pos, &object)) > 0) {
        if (TS_GROW(heap->objects, heap->capacity, heap->n + 1) < 0)
            return -1;
        sorted = sorted && (heap->n == 0 || heap->objects[heap->n - 1].index < object.index);
        heap->objects[heap->n++] = object;
    }
    heap->end = pos;
    heap->free = heap->size - pos;
    heap->count = heap->low_empty = heap->n;
    if (more < 0 || sorted)
        return more;
    qsort(heap->objects, heap->n, sizeof *heap->objects, by_index);
    for (size_t i = 1; i < heap->n; i++)
        if (heap->objects[i].index == heap->objects[i - 1].index)
            return TS_ERR(HEAP, BADVALUE, "object %u twice in a global heap collection", heap->objects[i].index);
    return 0;
}

static size_t memory_of(const struct ts_gheap *heap)
{
    return sizeof *heap + heap->size + heap->capacity * sizeof *heap->objects;
}

static int heap_load(struct ts_file *f, haddr_t addr, const void *arg, void **obj, size_t *bytes)
{
    (void)arg;
    struct ts_gheap *heap = ts_calloc(1, sizeof *heap);
    if (!heap)
        return -1;
    heap->file = f;
    heap->addr = addr;
    if (read_collection(heap) < 0 || list_objects(heap) < 0) {
        heap_free(heap);
        return TS_ERR(HEAP, CANTLOAD, "cannot load the global heap collection at %#llx", (unsigned long long)addr);
    }
    *obj = heap;
    *bytes = memory_of(heap);
    return 0;
}

/* The objects without the gaps between them. */
static int heap_encode(struct ts_file *f, const void *obj, struct ts_blocks *out)
{
    const struct ts_gheap *heap = obj;
    unsigned len_size = ts_file_len_size(f);
    struct ts_wr *w = ts_blocks_begin(out);
    size_t from = w->size;
    if (ts_gheap_header_encode(heap->size, len_size, w) < 0)
        return -1;
    for (size_t i = 0; i < heap->n; i++) {
        const struct ts_gheap_object *o = &heap->objects[i];
        if (o->offset > 0 && ts_gheap_object_encode(o, heap->data + o->offset, len_size, w) < 0)
            return -1;
    }
    if (ts_gheap_free_encode(heap->size - (w->size - from), len_size, w) < 0)
        return -1;
    return ts_blocks_end(out, heap->addr);
}

static int heap_keep(struct ts_file *f, void *obj)
{
    struct ts_gheap *heap = obj;
    return ts_undo_bytes(f, &heap->data, sizeof *heap - offsetof(struct ts_gheap, data));
}

static const struct ts_meta_class gheap_class = {
    .name = "global heap collection", .load = heap_load, .free = heap_free, .encode = heap_encode, .keep = heap_keep};

static struct room *room_of(const struct ts_file *f)
{
    return ts_file_client(f, TS_CLIENT_HEAPS);
}

static void drop_all_room(struct ts_file *f, void *room)
{
    (void)f;
    ts_free(room);
}

static const struct ts_client_ops client = {.drop = drop_all_room};

/* Before a change of those with room. They may be none: that is no loss of data, so neither is a lack of memory for
 * them. */
static int edit_room(struct ts_file *f)
{
    unsigned mark = ts_err_mark();
    struct room *room = room_of(f);
    if (!room && (room = ts_calloc(1, sizeof *room)))
        ts_file_attach(f, TS_CLIENT_HEAPS, &client, room);
    if (!room)
        ts_err_rewind(mark);
    if (!room || !ts_undo_keeps(f) || room->kept == f->undo.change)
        return 0;
    if (ts_undo_bytes(f, room, offsetof(struct room, bulk)) < 0)
        return -1;
    room->kept = f->undo.change;
    return 0;
}

static void drop_room(struct room *room, haddr_t addr)
{
    for (size_t i = 0; i < room->n; i++)
        if (room->items[i].addr == addr) {
            room->items[i] = room->items[--room->n];
            return;
        }
}

static int forget_room(struct ts_file *f, haddr_t addr)
{
    if (edit_room(f) < 0)
        return -1;
    if (room_of(f))
        drop_room(room_of(f), addr);
    return 0;
}

/* When there are many, the fullest is forgotten. */
static void put_room(struct room *room, haddr_t addr, size_t free)
{
    size_t at = room->n;
    for (size_t i = 0; room->n == MAX_ROOM && i < room->n; i++)
        if (room->items[i].free < (at == room->n ? free : room->items[at].free))
            at = i;
    if (at == MAX_ROOM)
        return;
    room->items[at].addr = addr;
    room->items[at].free = free;
    room->n += at == room->n;
}

static bool is_room(const struct ts_file *f, size_t free)
{
    return free >= ts_gheap_object_size(1, ts_file_len_size(f));
}

/* Remembers how much room the collection has. */
static int note_room(struct ts_gheap *heap)
{
    struct ts_file *f = heap->file;
    if (edit_room(f) < 0 || (!heap->known && ts_undo_bytes(f, &heap->known, sizeof heap->known) < 0))
        return -1;
    heap->known = true;
    struct room *room = room_of(f);
    if (!room)
        return 0;
    drop_room(room, heap->addr);
    if (heap->size % 8 == 0 && is_room(f, heap->free))
        put_room(room, heap->addr, heap->free);
    return 0;
}

/* What the writer put is on file from here on. */
static int write_bulk(struct ts_file *f)
{
    struct room *room = room_of(f);
    struct ts_gheap_left left;
    if (ts_gheap_bulk_write(room->bulk, &left) < 0)
        return -1;
    if (left.addr == HADDR_UNDEF || !is_room(f, left.free))
        return 0;
    if (edit_room(f) < 0)
        return -1;
    put_room(room, left.addr, left.free);
    return 0;
}

int ts_gheap_open(struct ts_file *f, haddr_t addr, struct ts_gheap **out)
{
    void *obj;
    /* A writer holds the file's lock, so who comes here meanwhile is the same thread. */
    const struct room *room = f->writable && ts_file_owned(f) ? room_of(f) : NULL;
    if (room && room->bulk && ts_gheap_bulk_has(room->bulk, addr) && write_bulk(f) < 0)
        return -1;
    if (ts_meta_pin(f, &gheap_class, addr, NULL, &obj) < 0)
        return -1;
    struct ts_gheap *heap = obj;
    if (f->writable && !heap->known && note_room(heap) < 0) {
        ts_meta_unpin(f, addr);
        return -1;
    }
    *out = heap;
    return 0;
}

void ts_gheap_close(struct ts_gheap *heap)
{
    if (heap)
        ts_meta_unpin(heap->file, heap->addr);
}

haddr_t ts_gheap_addr(const struct ts_gheap *heap)
{
    return heap->addr;
}

static struct ts_gheap_object *find(const struct ts_gheap *heap, uint32_t index)
{
    struct ts_gheap_object key = {.index = (uint16_t)index}, *found;
    if (index == 0 || index > MAX_INDEX || heap->n == 0)
        return NULL;
    /* Indexes are given out from 1 on, so in most collections the n-th object is at place n - 1. */
    if (index <= heap->n && heap->objects[index - 1].index == index)
        found = &heap->objects[index - 1];
    else
        found = bsearch(&key, heap->objects, heap->n, sizeof key, by_index);
    return found && found->offset > 0 ? found : NULL;
}

static int no_object(const struct ts_gheap *heap, uint32_t index)
{
    return TS_ERR(HEAP, NOTFOUND, "no object %u in the global heap collection at %#llx", index,
                  (unsigned long long)heap->addr);
}

int ts_gheap_get(const struct ts_gheap *heap, uint32_t index, const uint8_t **data, size_t *size)
{
    const struct ts_gheap_object *object = find(heap, index);
    if (!object)
        return no_object(heap, index);
    *data = heap->data + object->offset;
    *size = object->size;
    return 0;
}

int ts_gheap_read(struct ts_file *f, haddr_t collection, uint32_t index, void **data, size_t *size)
{
    struct ts_gheap *heap;
    const uint8_t *at;
    if (ts_gheap_open(f, collection, &heap) < 0)
        return -1;
    int status = ts_gheap_get(heap, index, &at, size);
    if (status == 0) {
        *data = ts_memdup(at, *size);
        status = *data ? 0 : -1;
    }
    ts_gheap_close(heap);
    return status;
}

/* A collection of `size` bytes in new space, pinned. */
static int create(struct ts_file *f, size_t size, struct ts_gheap **out)
{
    struct ts_gheap *heap = ts_calloc(1, sizeof *heap);
    if (!heap)
        return -1;
    heap->file = f;
    heap->size = size;
    heap->end = ts_gheap_header_size(ts_file_len_size(f));
    heap->free = size - heap->end;
    heap->known = true;
    heap->data = ts_malloc(size);
    if (!heap->data || ts_file_alloc(f, H5FD_MEM_GHEAP, size, &heap->addr) < 0 ||
        ts_meta_insert(f, &gheap_class, heap->addr, heap, memory_of(heap)) < 0) {
        heap_free(heap);
        return -1;
    }
    *out = heap;
    return 0;
}

/* Other places for the objects, and other data; what is not NULL. Both are freed on failure. */
static int replace(struct ts_gheap *heap, struct ts_gheap_object *objects, uint8_t *data)
{
    struct ts_file *f = heap->file;
    if (ts_undo_free(f, objects ? heap->objects : NULL) < 0 || ts_undo_free(f, data ? heap->data : NULL) < 0 ||
        ts_undo_new(f, objects) < 0) {
        ts_free(objects);
        ts_free(data);
        return -1;
    }
    if (ts_undo_new(f, data) < 0) {
        ts_free(data);
        return -1;
    }
    heap->objects = objects ? objects : heap->objects;
    heap->data = data ? data : heap->data;
    return 0;
}

/* All gaps go to the end. */
static int compact(struct ts_gheap *heap)
{
    unsigned len_size = ts_file_len_size(heap->file);
    size_t header = ts_gheap_header_size(len_size), pos = header;
    uint8_t *data = ts_malloc(heap->size);
    struct ts_gheap_object *objects = data ? ts_malloc(heap->capacity * sizeof *objects) : NULL;
    if (!objects) {
        ts_free(data);
        return -1;
    }
    memcpy(objects, heap->objects, heap->n * sizeof *objects);
    for (size_t i = 0; i < heap->n; i++) {
        struct ts_gheap_object *o = &objects[i];
        if (o->offset == 0)
            continue;
        memcpy(data + pos + header, heap->data + o->offset, o->size);
        o->offset = pos + header;
        pos += ts_gheap_object_size(o->size, len_size);
    }
    if (replace(heap, objects, data) < 0)
        return -1;
    heap->end = pos;
    return 0;
}

/* Places for all indexes below the last: those that are missing become empty ones. */
static int fill_indexes(struct ts_gheap *heap)
{
    struct ts_gheap_object *all = ts_calloc(MAX_INDEX, sizeof *all);
    if (!all)
        return -1;
    for (size_t i = 0; i < MAX_INDEX; i++)
        all[i].index = (uint16_t)(i + 1);
    for (size_t i = 0; i < heap->n; i++)
        all[heap->objects[i].index - 1] = heap->objects[i];
    if (replace(heap, all, NULL) < 0)
        return -1;
    heap->n = heap->capacity = MAX_INDEX;
    heap->low_empty = 0;
    return 0;
}

/* A place for one more object, its index set. */
static int new_place(struct ts_gheap *heap, struct ts_gheap_object **out)
{
    if (heap->count == heap->n && heap->n > 0 && heap->objects[heap->n - 1].index == MAX_INDEX &&
        fill_indexes(heap) < 0)
        return -1;
    if (heap->count == heap->n) {
        unsigned last = heap->n ? heap->objects[heap->n - 1].index : 0;
        if (TS_UNDO_GROW(heap->file, heap->objects, heap->capacity, heap->n + 1) < 0)
            return -1;
        *out = &heap->objects[heap->n++];
        **out = (struct ts_gheap_object){.index = (uint16_t)(last + 1)};
        heap->low_empty = heap->n;
        return 0;
    }
    while (heap->objects[heap->low_empty].offset > 0)
        heap->low_empty++;
    *out = &heap->objects[heap->low_empty++];
    return ts_undo_bytes(heap->file, *out, sizeof **out);
}

static bool has_room(const struct ts_gheap *heap, size_t need)
{
    return heap->free >= need && heap->count < MAX_INDEX;
}

/* For each of a million strings: asking the cache once in a change is enough. */
static int edit(struct ts_gheap *heap)
{
    struct ts_file *f = heap->file;
    if (ts_undo_keeps(f) && heap->edited == f->undo.change)
        return 0;
    if (ts_meta_edit(f, heap->addr) < 0)
        return -1;
    heap->edited = f->undo.change;
    return 0;
}

static int add(struct ts_gheap *heap, const void *data, size_t size, uint32_t *index)
{
    unsigned len_size = ts_file_len_size(heap->file);
    size_t need = ts_gheap_object_size(size, len_size), header = ts_gheap_header_size(len_size);
    struct ts_gheap_object *o;
    if (edit(heap) < 0 || (heap->size - heap->end < need && compact(heap) < 0))
        return -1;
    if (new_place(heap, &o) < 0)
        return -1;
    o->offset = heap->end + header;
    o->size = size;
    o->references = 0; /* as libhdf5 has it: one owner */
    if (size > 0)
        memcpy(heap->data + o->offset, data, size);
    heap->end += need;
    heap->free -= need;
    heap->count++;
    *index = o->index;
    return 0;
}

int ts_gheap_begin(struct ts_gheap_writer *w, struct ts_file *f)
{
    *w = (struct ts_gheap_writer){.file = f, .next_size = MIN_SIZE};
    return ts_change_begin(f);
}

int ts_gheap_begin_again(struct ts_gheap_writer *w)
{
    return ts_change_begin(w->file);
}

static int let_go(struct ts_gheap_writer *w)
{
    if (!w->open)
        return 0;
    ts_meta_resize(w->file, w->open->addr, memory_of(w->open));
    int status = note_room(w->open);
    ts_gheap_close(w->open);
    w->open = NULL;
    return status;
}

/* Collections have no checksums: readers of a SWMR writer get new ones, and those that they may have seen stay. */
static bool may_change(const struct ts_file *f, haddr_t collection)
{
    return f->swmr != TS_SWMR_WRITER || ts_file_fresh(f, collection);
}

/* Opens a collection that is known to have room; 0 when there is none. */
static int open_with_room(struct ts_gheap_writer *w, size_t need)
{
    struct room *room = room_of(w->file);
    for (size_t i = 0; room && i < room->n; i++) {
        if (room->items[i].free < need || !may_change(w->file, room->items[i].addr))
            continue;
        struct ts_gheap *heap;
        haddr_t addr = room->items[i].addr;
        if (ts_gheap_open(w->file, addr, &heap) < 0)
            return -1;
        if (has_room(heap, need)) {
            w->open = heap;
            return 1;
        }
        ts_gheap_close(heap);
        if (forget_room(w->file, addr) < 0)
            return -1;
        i = (size_t)-1;
    }
    return 0;
}

/* 1 when objects go beside the cache from now on: some collections are full, so there is much to store. */
static int begin_bulk(struct ts_gheap_writer *w)
{
    struct ts_file *f = w->file;
    if (w->next_size < TS_GHEAP_BULK_SIZE)
        return 0;
    if (let_go(w) < 0 || edit_room(f) < 0)
        return -1;
    struct room *room = room_of(f);
    if (!room || room->bulk)
        return 0;
    w->bulk = room->bulk = ts_gheap_bulk_new(f);
    return w->bulk ? 1 : -1;
}

/* Where there was much, there is likely more to come. */
static int end_bulk(struct ts_gheap_writer *w, int status)
{
    struct room *room = room_of(w->file);
    if (!w->bulk)
        return status;
    if (status == 0 && write_bulk(w->file) < 0)
        status = -1;
    w->next_size = w->bulk->whole ? TS_GHEAP_BULK_SIZE : MIN_SIZE;
    room->bulk = NULL;
    ts_gheap_bulk_free(w->bulk);
    w->bulk = NULL;
    return status;
}

static int open_collection(struct ts_gheap_writer *w, size_t need)
{
    size_t header = ts_gheap_header_size(ts_file_len_size(w->file));
    int found = let_go(w) < 0 ? -1 : open_with_room(w, need);
    if (found != 0)
        return found < 0 ? -1 : 0;
    size_t size = need + header > w->next_size ? need + header : w->next_size;
    if (w->next_size < TS_GHEAP_BULK_SIZE)
        w->next_size *= 2;
    return create(w->file, size, &w->open);
}

static int put(struct ts_gheap_writer *w, const void *data, size_t size, haddr_t *collection, uint32_t *index)
{
    size_t need = ts_gheap_object_size(size, ts_file_len_size(w->file));
    bool full = !w->open || !has_room(w->open, need);
    int bulk = full && !w->bulk ? begin_bulk(w) : 0;
    if (bulk < 0)
        return -1;
    if (bulk > 0 && ts_gheap_bulk_takes(size))
        return ts_gheap_bulk_put(w->bulk, data, size, collection, index);
    if (full && open_collection(w, need) < 0)
        return -1;
    *collection = w->open->addr;
    return add(w->open, data, size, index);
}

int ts_gheap_put(struct ts_gheap_writer *w, const void *data, size_t size, haddr_t *collection, uint32_t *index)
{
    if (w->bulk && ts_gheap_bulk_takes(size))
        return ts_gheap_bulk_put(w->bulk, data, size, collection, index);
    if (size > SIZE_MAX - 64)
        return TS_ERR(HEAP, OVERFLOW, "an object of %zu bytes for the global heap", size);
    return put(w, data, size, collection, index);
}

int ts_gheap_end(struct ts_gheap_writer *w, int status)
{
    if (let_go(w) < 0)
        status = -1;
    return ts_change_end(w->file, end_bulk(w, status));
}

int ts_gheap_insert(struct ts_file *f, const void *data, size_t size, haddr_t *collection, uint32_t *index)
{
    struct ts_gheap_writer w;
    if (ts_gheap_begin(&w, f) < 0)
        return -1;
    return ts_gheap_end(&w, ts_gheap_put(&w, data, size, collection, index));
}

/* What is not made of whole units cannot be packed again. */
static int check_changeable(const struct ts_gheap *heap)
{
    if (heap->size % 8 == 0)
        return 0;
    return TS_ERR(HEAP, BADSIZE, "global heap collection at %#llx of %zu bytes: cannot be changed",
                  (unsigned long long)heap->addr, heap->size);
}

/* It has been kept. */
static void drop_object(struct ts_gheap *heap, struct ts_gheap_object *o)
{
    size_t place = (size_t)(o - heap->objects);
    heap->free += ts_gheap_object_size(o->size, ts_file_len_size(heap->file));
    heap->count--;
    o->offset = o->size = 0;
    if (place < heap->low_empty)
        heap->low_empty = place;
}

static int drop_reference(struct ts_gheap *heap, struct ts_gheap_object *o)
{
    if (edit(heap) < 0 || ts_undo_bytes(heap->file, o, sizeof *o) < 0)
        return -1;
    if (o->references > 1) {
        o->references--;
        return 0;
    }
    drop_object(heap, o);
    return heap->count == 0 ? forget_room(heap->file, heap->addr) : note_room(heap);
}

/* 1 when the collection went with it. */
static int remove_object(struct ts_file *f, haddr_t collection, uint32_t index)
{
    struct ts_gheap *heap;
    if (!may_change(f, collection))
        return 0;
    if (ts_gheap_open(f, collection, &heap) < 0)
        return -1;
    struct ts_gheap_object *o = find(heap, index);
    int status = o ? check_changeable(heap) : no_object(heap, index);
    if (status == 0)
        status = drop_reference(heap, o);
    size_t size = heap->size;
    bool empty = heap->count == 0;
    ts_gheap_close(heap);
    if (status < 0 || !empty)
        return status;
    ts_meta_remove(f, collection);
    ts_file_free(f, H5FD_MEM_GHEAP, collection, size);
    return 1;
}

static int change_by_removing(struct ts_file *f, haddr_t collection, uint32_t index)
{
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_change_end(f, remove_object(f, collection, index));
}

int ts_gheap_remove(struct ts_file *f, haddr_t collection, uint32_t index)
{
    return change_by_removing(f, collection, index) < 0 ? -1 : 0;
}

int ts_gheap_discard(struct ts_file *f, haddr_t collection, uint32_t index)
{
    struct ts_gheap *heap;
    unsigned mark = ts_err_mark();
    if (ts_gheap_open(f, collection, &heap) < 0) {
        if (ts_err_no_memory(mark))
            return -1;
        ts_err_rewind(mark);
        return 0;
    }
    /* What was a collection once may look like one. */
    bool there = find(heap, index) && heap->size % 8 == 0 && !ts_file_is_free(f, collection);
    ts_gheap_close(heap);
    return there ? change_by_removing(f, collection, index) : 0;
}

static int by_place(const void *a, const void *b)
{
    const struct ts_gheap_object *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

int ts_gheap_verify(const struct ts_gheap *heap)
{
    unsigned len_size = ts_file_len_size(heap->file);
    size_t header = ts_gheap_header_size(len_size), end = header, count = 0, used = header;
    struct ts_gheap_object *sorted = heap->n ? ts_memdup(heap->objects, heap->n * sizeof *sorted) : NULL;
    if (heap->n && !sorted)
        return -1;
    if (sorted)
        qsort(sorted, heap->n, sizeof *sorted, by_place);
    const char *wrong = NULL;
    for (size_t i = 0; i < heap->n; i++) {
        if (i > 0 && heap->objects[i].index <= heap->objects[i - 1].index)
            wrong = "indexes out of order";
        if (sorted[i].offset == 0)
            continue;
        if (sorted[i].offset < end + header)
            wrong = "objects overlap";
        end = sorted[i].offset - header + ts_gheap_object_size(sorted[i].size, len_size);
        used += ts_gheap_object_size(sorted[i].size, len_size);
        count++;
    }
    ts_free(sorted);
    if (end > heap->end || heap->end > heap->size || used + heap->free != heap->size || count != heap->count)
        wrong = "the sums are wrong";
    for (size_t i = 0; i < heap->low_empty; i++)
        if (heap->objects[i].offset == 0)
            wrong = "an empty place is not found";
    if (wrong)
        return TS_ERR(HEAP, BADVALUE, "global heap collection at %#llx: %s", (unsigned long long)heap->addr, wrong);
    return 0;
}
