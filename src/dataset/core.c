#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "dataset/chunks.h"
#include "dataset/layouts.h"
#include "file/change.h"

static unsigned long long addr_of(const struct ts_dataset_core *c)
{
    return c->addr;
}

static void core_free(struct ts_dataset_core *c)
{
    ts_chunk_set_close(&c->chunks);
    ts_chunk_index_close(atomic_load(&c->index));
    ts_efl_deinit(&c->external);
    ts_free(c->fill.element);
    ts_pipeline_deinit(&c->pipeline);
    ts_layout_deinit(&c->layout);
    ts_space_unref(c->space);
    ts_type_unref(c->type);
    pthread_mutex_destroy(&c->lock);
    pthread_rwlock_destroy(&c->io);
    ts_free(c);
}

/* The library decides by layout when storage is made, for files that do not say. */
static H5D_alloc_time_t default_alloc_time(H5D_layout_t layout)
{
    switch (layout) {
    case H5D_COMPACT:
        return H5D_ALLOC_TIME_EARLY;
    case H5D_CONTIGUOUS:
        return H5D_ALLOC_TIME_LATE;
    default:
        return H5D_ALLOC_TIME_INCR;
    }
}

static int set_fill(struct ts_dataset_core *c, const struct ts_fill_msg *msg)
{
    size_t size = ts_type_size(c->type);
    c->fill.alloc_time = msg->alloc_time;
    c->fill.fill_time = msg->fill_time;
    c->fill.state = msg->state;
    if (c->fill.alloc_time == H5D_ALLOC_TIME_DEFAULT)
        c->fill.alloc_time = default_alloc_time(c->layout.cls);
    if (msg->state != H5D_FILL_VALUE_USER_DEFINED)
        return 0;
    if (msg->size != size)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: a fill value of %zu bytes, elements of %zu", addr_of(c), msg->size,
                      size);
    c->fill.element = ts_memdup(msg->value, size);
    return c->fill.element ? 0 : -1;
}

static int load_fill(struct ts_dataset_core *c, const struct ts_ohdr *oh)
{
    /* Without a message there is no value either. */
    struct ts_fill_msg msg = {.fill_time = H5D_FILL_TIME_IFSET, .state = H5D_FILL_VALUE_UNDEFINED};
    struct ts_msg_body hold;
    int found = ts_ohdr_fill(oh, &msg, &hold);
    if (found < 0)
        return -1;
    int status = set_fill(c, &msg);
    if (found)
        ts_msg_body_deinit(&hold);
    return status;
}

static int check_chunks(struct ts_dataset_core *c)
{
    const struct ts_layout *l = &c->layout;
    if (l->chunk.rank != c->rank)
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: chunks of %u dimensions in a dataspace of %u", addr_of(c),
                      l->chunk.rank, c->rank);
    if (l->chunk.element_size != ts_type_size(c->type))
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: chunks of elements of %u bytes, datatype of %zu", addr_of(c),
                      l->chunk.element_size, ts_type_size(c->type));
    c->chunk_bytes = l->chunk.element_size;
    for (unsigned i = 0; i < c->rank; i++)
        if (l->chunk.dims[i] == 0 || !ts_mul_u64(c->chunk_bytes, l->chunk.dims[i], &c->chunk_bytes))
            return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: size of chunks in dimension %u is %llu", addr_of(c), i,
                          (unsigned long long)l->chunk.dims[i]);
    return 0;
}

static int check_contiguous(struct ts_dataset_core *c, uint64_t bytes)
{
    struct ts_layout *l = &c->layout;
    if (c->pipeline.n > 0)
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: filters without chunks", addr_of(c));
    if (!l->contiguous.known)
        l->contiguous.size = bytes;
    if (l->addr != HADDR_UNDEF && l->contiguous.size < bytes)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: %llu bytes of storage for %llu of data", addr_of(c),
                      (unsigned long long)l->contiguous.size, (unsigned long long)bytes);
    uint64_t end;
    if (l->addr != HADDR_UNDEF && !ts_add_u64(l->addr, bytes, &end))
        return TS_ERR(DATASET, OVERFLOW, "dataset at %#llx: %llu bytes at %#llx", addr_of(c), (unsigned long long)bytes,
                      (unsigned long long)l->addr);
    return 0;
}

/* Bytes of all elements; an error when they do not fit in 64 bits. */
static int data_bytes(const struct ts_dataset_core *c, uint64_t *bytes)
{
    const hsize_t *dims = ts_space_dims(c->space);
    *bytes = ts_space_class(c->space) == H5S_NULL ? 0 : ts_type_size(c->type);
    for (unsigned i = 0; i < c->rank; i++)
        if (dims[i] == 0)
            *bytes = 0;
    for (unsigned i = 0; i < c->rank && *bytes > 0; i++)
        if (!ts_mul_u64(*bytes, dims[i], bytes))
            return TS_ERR(DATASET, OVERFLOW, "dataset at %#llx: its size does not fit in 64 bits", addr_of(c));
    return 0;
}

static int check_layout(struct ts_dataset_core *c)
{
    uint64_t bytes;
    if (ts_type_size(c->type) == 0)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: elements of no size", addr_of(c));
    if (data_bytes(c, &bytes) < 0)
        return -1;
    switch (c->layout.cls) {
    case H5D_COMPACT:
        if (c->layout.compact.size < bytes)
            return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: %zu bytes of compact storage for %llu of data", addr_of(c),
                          c->layout.compact.size, (unsigned long long)bytes);
        return 0;
    case H5D_CONTIGUOUS:
        return check_contiguous(c, bytes);
    case H5D_CHUNKED:
        return check_chunks(c);
    default:
        return 0;
    }
}

/* 1, or 0 when there is none. */
static int load_type(struct ts_dataset_core *c, const struct ts_ohdr *oh)
{
    struct ts_msg_body body;
    size_t used;
    int found = ts_ohdr_load(oh, TS_MSG_TYPE, &body);
    c->committed = body.committed;
    if (found == 1 && (ts_type_decode(body.data, body.size, &used, &c->type) < 0 ||
                       ts_type_set_loc(&c->type, TS_LOC_DISK, ts_file_addr_size(c->file)) < 0))
        found = -1;
    ts_msg_body_deinit(&body);
    return found;
}

static int load_messages(struct ts_dataset_core *c, const struct ts_ohdr *oh)
{
    int type = load_type(c, oh);
    int space = type < 0 ? -1 : ts_ohdr_space(oh, &c->space);
    int layout = space < 0 ? -1 : ts_ohdr_layout(oh, &c->layout);
    if (layout < 0)
        return -1;
    if (!type || !space || !layout)
        return TS_ERR(DATASET, CANTINIT, "the object at %#llx is not a dataset: it has no %s", addr_of(c),
                      !type ? "datatype" : !space ? "dataspace" : "layout");
    c->rank = ts_space_rank(c->space);
    if (c->rank > 0)
        memcpy(c->max_dims, ts_space_maxdims(c->space), c->rank * sizeof c->max_dims[0]);
    if (ts_ohdr_pipeline(oh, &c->pipeline) < 0 || ts_ohdr_efl(oh, &c->external) < 0 || load_fill(c, oh) < 0)
        return -1;
    return check_layout(c);
}

static int core_load(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    struct ts_ohdr *oh;
    struct ts_dataset_core *c = ts_calloc(1, sizeof *c);
    if (!c)
        return -1;
    c->refs = 1;
    c->file = f;
    c->addr = addr;
    pthread_rwlock_init(&c->io, NULL);
    pthread_mutex_init(&c->lock, NULL);
    atomic_init(&c->index, NULL);
    int status = ts_ohdr_open(f, addr, &oh);
    if (status == 0) {
        status = load_messages(c, oh);
        ts_ohdr_close(oh);
    }
    if (status < 0) {
        core_free(c);
        return -1;
    }
    *out = c;
    return 0;
}

int ts_dataset_core_peek(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    return core_load(f, addr, out);
}

void ts_dataset_core_drop(struct ts_dataset_core *core)
{
    core_free(core);
}

/* The cores of all open datasets of all files. A handle's core is found here; the table itself keeps none alive. */
#define BUCKETS 4096

static struct {
    pthread_mutex_t lock;
    struct ts_dataset_core *buckets[BUCKETS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct ts_dataset_core **bucket_of(const struct ts_file *f, haddr_t addr)
{
    uint64_t mixed = ((uint64_t)(uintptr_t)f ^ addr) * UINT64_C(0x9e3779b97f4a7c15);
    return &table.buckets[mixed >> 52];
}

/* A new reference to the one that is there already, else the given one, which may be NULL, goes in. */
static struct ts_dataset_core *find_or_put(const struct ts_file *f, haddr_t addr, struct ts_dataset_core *c)
{
    pthread_mutex_lock(&table.lock);
    struct ts_dataset_core **bucket = bucket_of(f, addr), *found = *bucket;
    while (found && (found->file != f || found->addr != addr || found->gone))
        found = found->next;
    if (found) {
        found->refs += !found->kept;
        found->kept = false;
        found->opens++;
    } else if (c) {
        c->next = *bucket;
        *bucket = c;
        found = c;
    }
    pthread_mutex_unlock(&table.lock);
    return found;
}

/* With the file's lock nobody changes the header between its reading and the core's appearance in the table. In a file
 * that is open for reading only there is no such lock, and another thread may be faster. */
static int load_and_put(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    struct ts_dataset_core *mine;
    *out = find_or_put(f, addr, NULL);
    if (*out)
        return 0;
    if (core_load(f, addr, &mine) < 0)
        return -1;
    if (ts_dataset_chunks_open(mine) < 0) {
        core_free(mine);
        return -1;
    }
    *out = find_or_put(f, addr, mine);
    if (*out != mine)
        core_free(mine);
    return 0;
}

int ts_dataset_core_open(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    *out = find_or_put(f, addr, NULL);
    if (*out)
        return 0;
    ts_file_lock(f);
    int status = load_and_put(f, addr, out);
    ts_file_unlock(f);
    return status;
}

static void take_out(struct ts_dataset_core *core)
{
    struct ts_dataset_core **at = bucket_of(core->file, core->addr);
    while (*at != core)
        at = &(*at)->next;
    *at = core->next;
}

int ts_dataset_settle(struct ts_dataset_core *core)
{
    if (!ts_chunk_set_dirty(&core->chunks))
        return 0;
    ts_dataset_core_lock_write(core);
    int status = ts_dataset_chunks_flush(core);
    ts_dataset_core_unlock(core);
    return status;
}

static void drop_kept(struct ts_file *f)
{
    struct ts_dataset_core *dropped = NULL, *core;
    pthread_mutex_lock(&table.lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct ts_dataset_core **at = &table.buckets[i]; (core = *at);) {
            if (core->file != f || !core->kept) {
                at = &core->next;
                continue;
            }
            *at = core->next;
            core->next = dropped;
            dropped = core;
        }
    pthread_mutex_unlock(&table.lock);
    while ((core = dropped)) {
        dropped = core->next;
        core_free(core);
    }
}

void ts_dataset_core_forget(const struct ts_file *f, haddr_t addr)
{
    pthread_mutex_lock(&table.lock);
    for (struct ts_dataset_core *core = *bucket_of(f, addr); core; core = core->next)
        if (core->file == f && core->addr == addr && core->kept)
            core->gone = true;
    pthread_mutex_unlock(&table.lock);
}

void ts_dataset_core_unref(struct ts_dataset_core *core)
{
    if (!core)
        return;
    int status = 0;
    unsigned mark = ts_err_mark();
    pthread_mutex_lock(&table.lock);
    unsigned settled = core->opens - 1;
    /* What waits in memory is written while the core can still be found, so that who opens the dataset next sees it. */
    while (core->refs == 1 && settled != core->opens) {
        settled = core->opens;
        pthread_mutex_unlock(&table.lock);
        status = ts_dataset_settle(core);
        pthread_mutex_lock(&table.lock);
    }
    /* There is nobody to tell; the next flush tries again, and tells. */
    core->kept = status < 0 && core->refs == 1 && !core->file->broken;
    if (core->kept)
        core->file->drop_raw = drop_kept;
    bool last = !core->kept && --core->refs == 0;
    if (last)
        take_out(core);
    pthread_mutex_unlock(&table.lock);
    if (status < 0)
        ts_err_rewind(mark);
    if (last)
        core_free(core);
}

struct ts_space *ts_dataset_core_space(struct ts_dataset_core *core)
{
    pthread_mutex_lock(&core->lock);
    struct ts_space *space = ts_space_ref(core->space);
    pthread_mutex_unlock(&core->lock);
    return space;
}

static int open_index(struct ts_dataset_core *core, struct ts_chunk_index **out)
{
    struct ts_space *space = ts_dataset_core_space(core);
    struct ts_chunk_geometry g = {.rank = core->rank, .dims = ts_space_dims(space), .max_dims = core->max_dims,
                                  .chunk_dims = core->layout.chunk.dims, .chunk_bytes = core->chunk_bytes,
                                  .filtered = core->pipeline.n > 0};
    int status = ts_chunk_index_open(core->file, &core->layout, &g, out);
    ts_space_unref(space);
    return status;
}

int ts_dataset_core_index(struct ts_dataset_core *core, struct ts_chunk_index **out)
{
    struct ts_chunk_index *index = atomic_load(&core->index), *none = NULL;
    if (core->layout.cls != H5D_CHUNKED)
        return TS_ERR(DATASET, BADTYPE, "dataset at %#llx is not chunked", addr_of(core));
    if (!index) {
        if (open_index(core, &index) < 0)
            return -1;
        /* Another thread may have been faster: its index is used, this one goes. */
        if (!atomic_compare_exchange_strong(&core->index, &none, index)) {
            ts_chunk_index_close(index);
            index = none;
        }
    }
    *out = index;
    return 0;
}
