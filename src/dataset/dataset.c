#include "dataset/dataset.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "dataset/virtual.h"

static unsigned long long addr_of(const struct ts_dataset *d)
{
    return d->base.loc.addr;
}

static void dataset_free(struct ts_object *obj)
{
    struct ts_dataset *d = (struct ts_dataset *)obj;
    ts_virtual_free(d->virtual);
    ts_chunk_data_unref(d->last);
    ts_chunk_index_close(atomic_load(&d->index));
    if (d->dapl)
        ts_plist_unref(d->dapl);
    ts_efl_deinit(&d->external);
    ts_free(d->fill.element);
    ts_pipeline_deinit(&d->pipeline);
    ts_layout_deinit(&d->layout);
    ts_space_unref(d->space);
    ts_type_unref(d->type);
    pthread_mutex_destroy(&d->lock);
    ts_free(d);
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

static int set_fill(struct ts_dataset *d, const struct ts_fill_msg *msg)
{
    size_t size = ts_type_size(d->type);
    d->fill.alloc_time = msg->alloc_time;
    d->fill.fill_time = msg->fill_time;
    d->fill.state = msg->state;
    if (d->fill.alloc_time == H5D_ALLOC_TIME_DEFAULT)
        d->fill.alloc_time = default_alloc_time(d->layout.cls);
    if (msg->state != H5D_FILL_VALUE_USER_DEFINED)
        return 0;
    if (msg->size != size)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: a fill value of %zu bytes, elements of %zu", addr_of(d), msg->size,
                      size);
    d->fill.element = ts_memdup(msg->value, size);
    return d->fill.element ? 0 : -1;
}

static int load_fill(struct ts_dataset *d, const struct ts_ohdr *oh)
{
    /* Without a message there is no value either. */
    struct ts_fill_msg msg = {.fill_time = H5D_FILL_TIME_IFSET, .state = H5D_FILL_VALUE_UNDEFINED};
    struct ts_msg_body hold;
    int found = ts_ohdr_fill(oh, &msg, &hold);
    if (found < 0)
        return -1;
    int status = set_fill(d, &msg);
    if (found)
        ts_msg_body_deinit(&hold);
    return status;
}

static int check_chunks(struct ts_dataset *d)
{
    const struct ts_layout *l = &d->layout;
    if (l->chunk.rank != d->rank)
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: chunks of %u dimensions in a dataspace of %u", addr_of(d),
                      l->chunk.rank, d->rank);
    if (l->chunk.element_size != ts_type_size(d->type))
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: chunks of elements of %u bytes, datatype of %zu", addr_of(d),
                      l->chunk.element_size, ts_type_size(d->type));
    d->chunk_bytes = l->chunk.element_size;
    for (unsigned i = 0; i < d->rank; i++)
        if (l->chunk.dims[i] == 0 || !ts_mul_u64(d->chunk_bytes, l->chunk.dims[i], &d->chunk_bytes))
            return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: size of chunks in dimension %u is %llu", addr_of(d), i,
                          (unsigned long long)l->chunk.dims[i]);
    return 0;
}

static int check_contiguous(struct ts_dataset *d, uint64_t bytes)
{
    struct ts_layout *l = &d->layout;
    if (d->pipeline.n > 0)
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: filters without chunks", addr_of(d));
    if (!l->contiguous.known)
        l->contiguous.size = bytes;
    if (l->addr != HADDR_UNDEF && l->contiguous.size < bytes)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: %llu bytes of storage for %llu of data", addr_of(d),
                      (unsigned long long)l->contiguous.size, (unsigned long long)bytes);
    uint64_t end;
    if (l->addr != HADDR_UNDEF && !ts_add_u64(l->addr, bytes, &end))
        return TS_ERR(DATASET, OVERFLOW, "dataset at %#llx: %llu bytes at %#llx", addr_of(d), (unsigned long long)bytes,
                      (unsigned long long)l->addr);
    return 0;
}

/* Bytes of all elements; an error when they do not fit in 64 bits. */
static int data_bytes(const struct ts_dataset *d, uint64_t *bytes)
{
    const hsize_t *dims = ts_space_dims(d->space);
    *bytes = ts_space_class(d->space) == H5S_NULL ? 0 : ts_type_size(d->type);
    for (unsigned i = 0; i < d->rank; i++)
        if (dims[i] == 0)
            *bytes = 0;
    for (unsigned i = 0; i < d->rank && *bytes > 0; i++)
        if (!ts_mul_u64(*bytes, dims[i], bytes))
            return TS_ERR(DATASET, OVERFLOW, "dataset at %#llx: its size does not fit in 64 bits", addr_of(d));
    return 0;
}

static int check_layout(struct ts_dataset *d)
{
    uint64_t bytes;
    if (ts_type_size(d->type) == 0)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: elements of no size", addr_of(d));
    if (data_bytes(d, &bytes) < 0)
        return -1;
    switch (d->layout.cls) {
    case H5D_COMPACT:
        if (d->layout.compact.size < bytes)
            return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: %zu bytes of compact storage for %llu of data", addr_of(d),
                          d->layout.compact.size, (unsigned long long)bytes);
        return 0;
    case H5D_CONTIGUOUS:
        return check_contiguous(d, bytes);
    case H5D_CHUNKED:
        return check_chunks(d);
    default:
        return 0;
    }
}

static int load_messages(struct ts_dataset *d, const struct ts_ohdr *oh)
{
    int type = ts_object_read_type(d->base.loc.fh, oh, &d->type);
    int space = type < 0 ? -1 : ts_ohdr_space(oh, &d->space);
    int layout = space < 0 ? -1 : ts_ohdr_layout(oh, &d->layout);
    if (layout < 0)
        return -1;
    if (!type || !space || !layout)
        return TS_ERR(DATASET, CANTINIT, "the object at %#llx is not a dataset: it has no %s", addr_of(d),
                      !type ? "datatype" : !space ? "dataspace" : "layout");
    d->rank = ts_space_rank(d->space);
    if (d->rank > 0)
        memcpy(d->max_dims, ts_space_maxdims(d->space), d->rank * sizeof d->max_dims[0]);
    if (ts_ohdr_pipeline(oh, &d->pipeline) < 0 || ts_ohdr_efl(oh, &d->external) < 0 || load_fill(d, oh) < 0)
        return -1;
    return check_layout(d);
}

static int load(struct ts_dataset *d)
{
    struct ts_ohdr *oh;
    if (ts_object_header(&d->base, &oh) < 0)
        return -1;
    int status = load_messages(d, oh);
    ts_ohdr_close(oh);
    if (status == 0 && d->layout.cls == H5D_VIRTUAL)
        status = ts_virtual_open(d, &d->virtual);
    return status;
}

int ts_dataset_open(const struct ts_loc *loc, const char *path, struct ts_plist *dapl, struct ts_dataset **out)
{
    struct ts_dataset *d = ts_calloc(1, sizeof *d);
    if (!d)
        return -1;
    pthread_mutex_init(&d->lock, NULL);
    atomic_init(&d->index, NULL);
    if (ts_object_init(&d->base, H5I_DATASET, loc, path, dataset_free) < 0) {
        pthread_mutex_destroy(&d->lock);
        ts_free(d);
        return -1;
    }
    d->dapl = dapl ? dapl : ts_plist_default(TS_PLIST_DATASET_ACCESS);
    if (d->dapl)
        ts_plist_ref(d->dapl);
    if (load(d) < 0) {
        ts_dataset_unref(d);
        return TS_ERR(DATASET, CANTOPENOBJ, "unable to open dataset%s%s", path ? " " : "", path ? path : "");
    }
    *out = d;
    return 0;
}

static int open_kind(const struct ts_loc *loc, const char *path, struct ts_plist *apl, void **out)
{
    struct ts_dataset *d;
    if (ts_dataset_open(loc, path, apl, &d) < 0)
        return -1;
    *out = d;
    return 0;
}

/* H5Oget_info counts the chunk index as metadata of the object. */
static int meta_size(const struct ts_loc *loc, const struct ts_ohdr *oh, H5_ih_info_t *out)
{
    struct ts_dataset *d;
    struct ts_chunk_index *index;
    uint64_t bytes = 0;
    if (ts_dataset_open(loc, NULL, NULL, &d) < 0)
        return -1;
    int status = 0;
    if (d->layout.cls == H5D_CHUNKED)
        status = ts_dataset_index(d, &index) < 0 ? -1 : ts_chunk_index_storage(index, &bytes);
    else if (d->external.n > 0)
        status = ts_external_heap_size(oh, &out->heap_size);
    else if (d->virtual)
        status = ts_virtual_heap_size(d, &out->heap_size);
    out->index_size = bytes;
    ts_dataset_unref(d);
    return status;
}

void ts_dataset_init_kind(void)
{
    static const struct ts_object_kind kind = {.id_type = H5I_DATASET, .open = open_kind, .meta_size = meta_size};
    ts_object_kind_register(H5O_TYPE_DATASET, &kind);
}

int ts_dataset_space(struct ts_dataset *d, struct ts_space **out)
{
    if (d->virtual && ts_virtual_refresh(d) < 0)
        return -1;
    pthread_mutex_lock(&d->lock);
    *out = ts_space_ref(d->space);
    pthread_mutex_unlock(&d->lock);
    return 0;
}

int ts_dataset_memory_type(const struct ts_dataset *d, struct ts_type **out)
{
    struct ts_type *t = ts_type_ref(d->type);
    if (ts_type_set_loc(&t, TS_LOC_MEMORY, ts_file_addr_size(ts_dataset_file(d))) < 0) {
        ts_type_unref(t);
        return -1;
    }
    *out = t;
    return 0;
}

bool ts_dataset_allocated(const struct ts_dataset *d)
{
    return d->layout.cls == H5D_COMPACT || d->layout.cls == H5D_VIRTUAL || d->external.n > 0 ||
           d->layout.addr != HADDR_UNDEF;
}

haddr_t ts_dataset_offset(const struct ts_dataset *d)
{
    if (d->layout.cls != H5D_CONTIGUOUS || d->external.n > 0 || d->layout.addr == HADDR_UNDEF)
        return HADDR_UNDEF;
    return d->layout.addr + ts_dataset_file(d)->sb.base;
}

int ts_dataset_index(struct ts_dataset *d, struct ts_chunk_index **out)
{
    struct ts_chunk_index *index = atomic_load(&d->index), *none = NULL;
    if (d->layout.cls != H5D_CHUNKED)
        return TS_ERR(DATASET, BADTYPE, "dataset at %#llx is not chunked", addr_of(d));
    if (!index) {
        struct ts_chunk_geometry g = {.rank = d->rank, .dims = ts_space_dims(d->space), .max_dims = d->max_dims,
                                      .chunk_dims = d->layout.chunk.dims, .chunk_bytes = d->chunk_bytes,
                                      .filtered = d->pipeline.n > 0};
        if (ts_chunk_index_open(ts_dataset_file(d), &d->layout, &g, &index) < 0)
            return -1;
        /* Another thread may have been faster: its index is used, this one goes. */
        if (!atomic_compare_exchange_strong(&d->index, &none, index)) {
            ts_chunk_index_close(index);
            index = none;
        }
    }
    *out = index;
    return 0;
}

struct total {
    hsize_t bytes, count;
};

static int add_chunk(const struct ts_chunk_rec *rec, void *ctx)
{
    struct total *t = ctx;
    t->bytes += rec->size;
    t->count++;
    return 0;
}

static int sum_chunks(struct ts_dataset *d, struct total *t)
{
    struct ts_chunk_index *index;
    *t = (struct total){0};
    return ts_dataset_index(d, &index) < 0 ? -1 : ts_chunk_index_iterate(index, add_chunk, t);
}

int ts_dataset_chunk_count(struct ts_dataset *d, hsize_t *out)
{
    struct total t;
    if (sum_chunks(d, &t) < 0)
        return -1;
    *out = t.count;
    return 0;
}

int ts_dataset_storage_size(struct ts_dataset *d, hsize_t *out)
{
    struct total t;
    *out = 0;
    switch (d->layout.cls) {
    case H5D_COMPACT:
        *out = d->layout.compact.size;
        return 0;
    case H5D_CONTIGUOUS:
        if (ts_dataset_allocated(d))
            *out = d->layout.contiguous.size;
        return 0;
    case H5D_CHUNKED:
        if (sum_chunks(d, &t) < 0)
            return -1;
        *out = t.bytes;
        return 0;
    default:
        return 0;
    }
}

int ts_dataset_space_status(struct ts_dataset *d, H5D_space_status_t *out)
{
    hsize_t size, full = ts_space_npoints(d->space) * ts_type_size(d->type);
    *out = ts_dataset_allocated(d) ? H5D_SPACE_STATUS_ALLOCATED : H5D_SPACE_STATUS_NOT_ALLOCATED;
    if (d->layout.cls != H5D_CHUNKED)
        return 0;
    if (ts_dataset_storage_size(d, &size) < 0)
        return -1;
    /* As HDF5 counts: chunks that are compressed, or stand out at the edge, make a dataset look part allocated. */
    *out = size == 0 ? H5D_SPACE_STATUS_NOT_ALLOCATED
                     : size == full ? H5D_SPACE_STATUS_ALLOCATED : H5D_SPACE_STATUS_PART_ALLOCATED;
    return 0;
}

bool ts_dataset_chunk_filtered(const struct ts_dataset *d, const hsize_t *dims, const hsize_t *scaled)
{
    if (d->pipeline.n == 0)
        return false;
    if (!(d->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL))
        return true;
    for (unsigned i = 0; i < d->rank; i++)
        if (scaled[i] >= dims[i] / d->layout.chunk.dims[i])
            return false;
    return true;
}

int ts_dataset_chunk_at(struct ts_dataset *d, const hsize_t *offset, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    hsize_t scaled[H5S_MAX_RANK];
    if (ts_dataset_index(d, &index) < 0)
        return -1;
    const hsize_t *dims = ts_space_dims(d->space);
    for (unsigned i = 0; i < d->rank; i++) {
        if (offset[i] >= dims[i])
            return 0;
        scaled[i] = offset[i] / d->layout.chunk.dims[i];
    }
    return ts_chunk_index_lookup(index, scaled, out);
}

struct nth {
    hsize_t left;
    struct ts_chunk_rec *out;
};

static int take_nth(const struct ts_chunk_rec *rec, void *ctx)
{
    struct nth *n = ctx;
    if (n->left-- > 0)
        return 0;
    *n->out = *rec;
    return 1;
}

int ts_dataset_chunk_nth(struct ts_dataset *d, hsize_t n, struct ts_chunk_rec *out)
{
    struct ts_chunk_index *index;
    struct nth nth = {.left = n, .out = out};
    if (ts_dataset_index(d, &index) < 0)
        return -1;
    return ts_chunk_index_iterate(index, take_nth, &nth);
}

int ts_dataset_chunk_iterate(struct ts_dataset *d, ts_chunk_visit_fn *visit, void *ctx)
{
    struct ts_chunk_index *index;
    return ts_dataset_index(d, &index) < 0 ? -1 : ts_chunk_index_iterate(index, visit, ctx);
}

int ts_dataset_read_chunk(struct ts_dataset *d, const hsize_t *offset, uint32_t *filter_mask, void *buf)
{
    struct ts_chunk_rec rec;
    for (unsigned i = 0; i < d->rank; i++)
        if (offset[i] % d->layout.chunk.dims[i] != 0)
            return TS_ERR(DATASET, BADVALUE, "offset %llu in dimension %u is not the beginning of a chunk",
                          (unsigned long long)offset[i], i);
    int found = ts_dataset_chunk_at(d, offset, &rec);
    if (found < 0)
        return -1;
    if (found == 0)
        return TS_ERR(DATASET, NOTFOUND, "chunk address isn't defined: there is no such chunk");
    *filter_mask = rec.filter_mask;
    return ts_file_read(ts_dataset_file(d), rec.addr, rec.size, buf);
}
