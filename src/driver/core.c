/* A file in memory: read whole at opening, given as an image, or new. With a backing store, flushing brings the pages
 * that changed to a file of the same name; without, they go when the file is closed. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/lock.h"
#include "driver/classes.h"

#define PAGE ((size_t)64 << 10)
#define FLUSH_PAGES 16

struct core {
    struct ts_driver base;
    uint8_t *bytes;
    size_t size, capacity; /* what lies between them may be anything */
    size_t increment;
    bool writable;
    struct ts_rwlock lock; /* who moves the bytes or their end has it alone; of use only when writable */
    /* One brings pages to the backing store at a time: none must go back to an older state. */
    struct ts_mutex flush_lock;
    struct ts_driver *backing; /* or NULL */
    atomic_uchar *changed;     /* each page of the capacity, against the backing store */
    size_t n_pages;
    H5FD_file_image_callbacks_t calls; /* an application that manages the bytes itself; those not given are NULL */
};

/* Where the application's own memory is not meant, blocks are aligned: large reads like that. */
static void *get_bytes(struct core *c, size_t size)
{
    if (!c->calls.image_malloc)
        return ts_malloc_aligned(size);
    void *bytes = c->calls.image_malloc(size, H5FD_FILE_IMAGE_OP_FILE_OPEN, c->calls.udata);
    if (!bytes)
        TS_ERR(RESOURCE, NOSPACE, "the application's callback gave no %zu bytes for a file in memory", size);
    return bytes;
}

static void *move_bytes(struct core *c, size_t size)
{
    if (!c->calls.image_realloc)
        return ts_realloc(c->bytes, size);
    void *bytes = c->calls.image_realloc(c->bytes, size, H5FD_FILE_IMAGE_OP_FILE_RESIZE, c->calls.udata);
    if (!bytes)
        TS_ERR(RESOURCE, NOSPACE, "the application's callback gave no %zu bytes for a file in memory", size);
    return bytes;
}

/* From here on the bytes may be the application's, who can keep them. */
static void give_bytes_back(struct core *c)
{
    if (!c->bytes)
        return;
    if (c->calls.image_free)
        c->calls.image_free(c->bytes, H5FD_FILE_IMAGE_OP_FILE_CLOSE, c->calls.udata);
    else
        ts_free(c->bytes);
}

static void core_close(struct ts_driver *d)
{
    struct core *c = (struct core *)d;
    ts_driver_close(c->backing);
    ts_mutex_deinit(&c->flush_lock);
    ts_rwlock_deinit(&c->lock);
    ts_free(c->changed);
    give_bytes_back(c);
    if (c->calls.udata && c->calls.udata_free)
        c->calls.udata_free(c->calls.udata);
    ts_free(c);
}

static void begin_shared(struct core *c)
{
    if (c->writable)
        ts_rwlock_read(&c->lock);
}

static void end_shared(struct core *c)
{
    if (c->writable)
        ts_rwlock_unlock(&c->lock);
}

static int core_eof(struct ts_driver *d, haddr_t *eof)
{
    struct core *c = (struct core *)d;
    begin_shared(c);
    *eof = c->size;
    end_shared(c);
    return 0;
}

static int read_one(const struct core *c, const struct ts_io_vec *v)
{
    if (v->addr > c->size || v->size > c->size - v->addr)
        return TS_ERR(IO, READERROR, "reading %zu bytes at %#llx, behind the end %#zx of the file in memory", v->size,
                      (unsigned long long)v->addr, c->size);
    if (v->size > 0)
        memcpy(v->buf, c->bytes + v->addr, v->size);
    return 0;
}

static int core_readv(struct ts_driver *d, const struct ts_io_vec *v, size_t n)
{
    struct core *c = (struct core *)d;
    int status = 0;
    begin_shared(c);
    for (size_t i = 0; status == 0 && i < n; i++)
        status = read_one(c, &v[i]);
    end_shared(c);
    return status;
}

static int reserve_pages(struct core *c, size_t capacity)
{
    size_t n = ts_div_ceil(capacity, PAGE);
    if (!c->backing || n <= c->n_pages)
        return 0;
    atomic_uchar *pages = ts_realloc(c->changed, n);
    if (!pages)
        return -1;
    memset((void *)(pages + c->n_pages), 0, n - c->n_pages);
    c->changed = pages;
    c->n_pages = n;
    return 0;
}

/* Whole increments, and at least half as much again: however small the increment, the copying stays linear. Not so when
 * the application has the memory: it gets what it asked for, and all of that in the end, so it is not left to
 * chance. */
static int reserve(struct core *c, size_t need)
{
    size_t want = c->calls.image_realloc ? need : c->capacity + c->capacity / 2, rounded;
    if (need <= c->capacity)
        return 0;
    want = want < need ? need : want;
    if (!ts_add_size(want, c->increment - 1, &rounded))
        return TS_ERR(RESOURCE, NOSPACE, "a file of %zu bytes does not fit into memory", need);
    rounded -= rounded % c->increment;
    if (reserve_pages(c, rounded) < 0)
        return -1;
    uint8_t *bytes = move_bytes(c, rounded);
    if (!bytes)
        return -1;
    if (c->calls.image_realloc)
        memset(bytes + c->capacity, 0, rounded - c->capacity);
    c->bytes = bytes;
    c->capacity = rounded;
    return 0;
}

static void mark_changed(struct core *c, size_t from, size_t to)
{
    if (!c->backing || from == to)
        return;
    for (size_t page = from / PAGE; page <= (to - 1) / PAGE; page++)
        atomic_store_explicit(&c->changed[page], 1, memory_order_relaxed);
}

/* With the lock. */
static int resize(struct core *c, haddr_t size)
{
    TS_ASSERT(!c->writable || ts_lock_held_alone(&c->lock));
    if (size > SIZE_MAX / 2)
        return TS_ERR(RESOURCE, NOSPACE, "a file of %llu bytes does not fit into memory", (unsigned long long)size);
    if (size > c->size) {
        if (reserve(c, (size_t)size) < 0)
            return -1;
        memset(c->bytes + c->size, 0, (size_t)size - c->size);
        mark_changed(c, c->size, (size_t)size);
    }
    c->size = (size_t)size;
    return 0;
}

static int make_room(struct core *c, const struct ts_io_out *v, size_t n)
{
    haddr_t end = 0;
    for (size_t i = 0; i < n; i++) {
        haddr_t this_end;
        if (!ts_add_u64(v[i].addr, v[i].size, &this_end))
            return TS_ERR(IO, WRITEERROR, "writing %zu bytes at %#llx", v[i].size, (unsigned long long)v[i].addr);
        end = this_end > end && v[i].size > 0 ? this_end : end;
    }
    ts_rwlock_read(&c->lock);
    bool fits = end <= c->size;
    ts_rwlock_unlock(&c->lock);
    if (fits)
        return 0;
    ts_rwlock_write(&c->lock);
    int status = end > c->size ? resize(c, end) : 0;
    ts_rwlock_unlock(&c->lock);
    return status;
}

static int core_writev(struct ts_driver *d, const struct ts_io_out *v, size_t n)
{
    struct core *c = (struct core *)d;
    int status = 0;
    if (make_room(c, v, n) < 0)
        return -1;
    /* Writers of different bytes do not disturb each other, only whoever moves them all. */
    ts_rwlock_read(&c->lock);
    for (size_t i = 0; status == 0 && i < n; i++) {
        if (v[i].size == 0)
            continue;
        if (v[i].addr + v[i].size > c->size) {
            status = TS_ERR(IO, WRITEERROR, "the file in memory was cut while it was written at %#llx",
                            (unsigned long long)v[i].addr);
            break;
        }
        memcpy(c->bytes + v[i].addr, v[i].buf, v[i].size);
        mark_changed(c, (size_t)v[i].addr, (size_t)v[i].addr + v[i].size);
    }
    ts_rwlock_unlock(&c->lock);
    return status;
}

static int core_truncate(struct ts_driver *d, haddr_t eof)
{
    struct core *c = (struct core *)d;
    ts_rwlock_write(&c->lock);
    int status = resize(c, eof);
    ts_rwlock_unlock(&c->lock);
    return status;
}

/* Copies the next changed pages from *page on, as many as the buffer holds, and takes their marks away. */
static size_t take_changed(struct core *c, size_t *page, uint8_t *buf, size_t *end)
{
    size_t n = 0, size = 0;
    ts_rwlock_write(&c->lock);
    size_t pages = ts_div_ceil(c->size, PAGE);
    while (*page < pages && !c->changed[*page])
        ++*page;
    while (*page + n < pages && n < FLUSH_PAGES && c->changed[*page + n])
        c->changed[*page + n++] = 0;
    if (n > 0) {
        size = (*page + n) * PAGE < c->size ? n * PAGE : c->size - *page * PAGE;
        memcpy(buf, c->bytes + *page * PAGE, size);
    }
    *end = c->size;
    ts_rwlock_unlock(&c->lock);
    return size;
}

/* With the flush lock, and none on the bytes while they are written. */
static int write_back(struct core *c, uint8_t *buf)
{
    TS_HELD(&c->flush_lock);
    size_t end, size;
    for (size_t page = 0; (size = take_changed(c, &page, buf, &end)) > 0; page += ts_div_ceil(size, PAGE))
        if (ts_driver_write(c->backing, page * PAGE, size, buf) < 0) {
            ts_rwlock_write(&c->lock);
            mark_changed(c, page * PAGE, page * PAGE + size);
            ts_rwlock_unlock(&c->lock);
            return -1;
        }
    return ts_driver_truncate(c->backing, end);
}

static int core_flush(struct ts_driver *d)
{
    struct core *c = (struct core *)d;
    if (!c->backing)
        return 0;
    uint8_t *buf = ts_malloc_aligned(FLUSH_PAGES * PAGE);
    if (!buf)
        return -1;
    ts_mutex_lock(&c->flush_lock);
    int status = write_back(c, buf);
    ts_mutex_unlock(&c->flush_lock);
    ts_free(buf);
    return status;
}

/* Memory itself never is on the disk, and nobody expects that. */
static int core_sync(struct ts_driver *d)
{
    struct core *c = (struct core *)d;
    if (!c->backing)
        return 0;
    return core_flush(d) < 0 ? -1 : ts_driver_sync(c->backing);
}

/* Nothing else can be a file in memory, unless it is that of a file which another has open too. */
static int core_identity(struct ts_driver *d, struct ts_driver_identity *id)
{
    struct core *c = (struct core *)d;
    if (c->backing)
        return c->backing->cls->identity(c->backing, id);
    *id = (struct ts_driver_identity){.unique = true};
    return 0;
}

static int core_handle(struct ts_driver *d, const struct ts_driver_part *part, void **handle)
{
    (void)part;
    *handle = &((struct core *)d)->bytes;
    return 0;
}

static int core_lock(struct ts_driver *d, bool exclusive)
{
    struct core *c = (struct core *)d;
    return c->backing ? c->backing->cls->lock(c->backing, exclusive) : 0;
}

static int core_unlock(struct ts_driver *d)
{
    struct core *c = (struct core *)d;
    return c->backing ? c->backing->cls->unlock(c->backing) : 0;
}

static const struct ts_driver_writing core_writing = {
    .writev = core_writev, .truncate = core_truncate, .flush = core_flush, .sync = core_sync};

static const struct ts_driver_class core_class = {.name = "core",
                                                  .close = core_close,
                                                  .eof = core_eof,
                                                  .readv = core_readv,
                                                  .identity = core_identity,
                                                  .handle = core_handle,
                                                  .lock = core_lock,
                                                  .unlock = core_unlock,
                                                  .writing = &core_writing};

/* The buffer is exactly as long as the contents: most files in memory are only read. */
static int set_size(struct core *c, size_t size)
{
    c->bytes = get_bytes(c, size);
    if (!c->bytes)
        return -1;
    c->size = c->capacity = size;
    return reserve_pages(c, size);
}

static int load_file(struct core *c, const char *name, unsigned flags, const struct ts_driver_config *config)
{
    bool keep = config->core.backing_store;
    struct ts_driver *file;
    haddr_t size;
    if (ts_sec2_open(name, keep ? flags : 0, config, &file) < 0)
        return -1;
    if (keep)
        c->backing = file;
    int status = ts_driver_eof(file, &size);
    if (status == 0)
        status = set_size(c, (size_t)size) < 0 ? -1 : ts_driver_read(file, 0, c->size, c->bytes);
    if (!keep)
        ts_driver_close(file);
    return status;
}

/* An image is not meant to go over a file that exists already. */
static int load_image(struct core *c, const char *name, unsigned flags, const struct ts_driver_config *config)
{
    unsigned create = TS_OPEN_WRITE | TS_OPEN_CREATE | TS_OPEN_EXCL;
    if (config->core.backing_store && ts_sec2_open(name, create, config, &c->backing) < 0)
        return -1;
    if (set_size(c, config->core.image_size) < 0)
        return -1;
    if (!c->calls.image_memcpy)
        memcpy(c->bytes, config->core.image, c->size);
    else if (c->calls.image_memcpy(c->bytes, config->core.image, c->size, H5FD_FILE_IMAGE_OP_FILE_OPEN,
                                   c->calls.udata) != c->bytes)
        return TS_ERR(RESOURCE, CANTCOPY, "the application's callback did not copy the %zu bytes of a file image",
                      c->size);
    mark_changed(c, 0, c->size);
    return c->backing && flags & TS_OPEN_WRITE ? core_flush(&c->base) : 0;
}

static int load(struct core *c, const char *name, unsigned flags, const struct ts_driver_config *config)
{
    bool keep = config->core.backing_store;
    if (flags & TS_OPEN_EXCL && config->core.image)
        return TS_ERR(FILE, FILEEXISTS, "'%s' is there already: its image is", name);
    if (flags & TS_OPEN_CREATE)
        return keep ? ts_sec2_open(name, flags, config, &c->backing) : 0;
    return config->core.image ? load_image(c, name, flags, config) : load_file(c, name, flags, config);
}

/* Copied: the list they come from may be closed before the file is. */
static int take_calls(struct core *c, const H5FD_file_image_callbacks_t *calls)
{
    H5FD_file_image_callbacks_t own = *calls;
    if (own.udata && (!own.udata_copy || !(own.udata = own.udata_copy(own.udata))))
        return TS_ERR(RESOURCE, CANTCOPY, "the file image callbacks did not copy their data");
    c->calls = own;
    return 0;
}

int ts_core_open(const char *name, unsigned flags, const struct ts_driver_config *config, struct ts_driver **out)
{
    struct core *c = ts_calloc(1, sizeof *c);
    if (!c)
        return -1;
    c->base.cls = &core_class;
    c->writable = flags & TS_OPEN_WRITE;
    c->increment = config->core.increment ? config->core.increment : PAGE;
    ts_rwlock_init(&c->lock, TS_RANK_DRIVER_CORE);
    ts_mutex_init(&c->flush_lock, TS_RANK_DRIVER_CORE_FLUSH);
    if (take_calls(c, &config->core.calls) < 0 || load(c, name, flags, config) < 0) {
        core_close(&c->base);
        return -1;
    }
    *out = &c->base;
    return 0;
}
