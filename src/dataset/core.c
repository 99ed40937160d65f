#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/recycle.h"
#include "dataset/chunk_picks.h"
#include "dataset/layouts.h"
#include "file/change.h"
#include "object/open_objects.h"

static unsigned long long addr_of(const struct ts_dataset_core *c)
{
    return c->addr;
}

/* The memory of one that went. For blocks of this size malloc tidies up all small ones first, which is a 60th of making
 * small datasets. */
static _Atomic(struct ts_dataset_core *) spare;

static struct ts_dataset_core *core_new(void)
{
    struct ts_dataset_core *c = atomic_exchange(&spare, NULL);
    return c ? memset(c, 0, sizeof *c) : ts_calloc(1, sizeof *c);
}

static void core_free(struct ts_dataset_core *c)
{
    ts_free(TS_RECYCLING ? atomic_exchange(&spare, c) : c);
}

void ts_dataset_core_drop(struct ts_dataset_core *c)
{
    ts_sc_dset_close(&c->sc);
    ts_chunk_index_close(atomic_load(&c->index));
    ts_chunk_index_close(c->retired);
    ts_chunk_picks_unref(c->picks);
    ts_efl_deinit(&c->external);
    ts_free(c->fill.element);
    ts_pipeline_deinit(&c->pipeline);
    ts_pipeline_sections_deinit(&c->sections);
    ts_type_unref(c->chunk_type);
    ts_type_unref(c->last[0].type);
    ts_type_unref(c->last[1].type);
    ts_layout_deinit(&c->layout);
    ts_space_unref(c->space);
    ts_type_unref(c->type);
    ts_free(c->left);
    ts_free(c->name);
    ts_count_deinit(&c->uses);
    ts_mutex_deinit(&c->lock);
    ts_rwlock_deinit(&c->io);
    core_free(c);
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
    /* Of sparse chunks there is nothing to allocate before they are written. */
    if (c->layout.cls == H5D_STRUCT_CHUNK)
        c->fill.alloc_time = H5D_ALLOC_TIME_INCR;
    if (msg->state != H5D_FILL_VALUE_USER_DEFINED)
        return 0;
    if (msg->size != size)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: a fill value of %zu bytes, elements of %zu", addr_of(c),
                      msg->size, size);
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

/* Elements as structured chunks have them, and whether the datatype needs the heap that they have. */
static int load_chunk_type(struct ts_dataset_core *c)
{
    bool heap = c->layout.chunk.struct_type & TS_STRUCT_VL;
    if (heap != ts_type_has_chunk_fields(c->type))
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: chunks %s a heap do not go with its datatype", addr_of(c),
                      heap ? "with" : "without");
    if (!heap)
        return 0;
    c->chunk_type = ts_type_ref(c->type);
    return ts_type_set_loc(&c->chunk_type, TS_LOC_CHUNK, ts_file_addr_size(c->file)) < 0 ? -1 : 0;
}

static int check_structured(struct ts_dataset_core *c)
{
    const struct ts_layout *l = &c->layout;
    if (l->chunk.rank != c->rank || c->rank == 0)
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: chunks of %u dimensions in a dataspace of %u", addr_of(c),
                      l->chunk.rank, c->rank);
    if (ts_struct_sections(l->chunk.struct_type) == 0 || c->external.n > 0)
        return TS_ERR(DATASET, UNSUPPORTED, "dataset at %#llx: structured chunks of type %u", addr_of(c),
                      l->chunk.struct_type);
    if (load_chunk_type(c) < 0)
        return -1;
    size_t size = ts_type_size(c->chunk_type ? c->chunk_type : c->type);
    if (l->chunk.element_size != size)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: chunks of elements of %u bytes, datatype of %zu", addr_of(c),
                      l->chunk.element_size, size);
    c->chunk_elements = 1;
    for (unsigned i = 0; i < c->rank; i++)
        if (l->chunk.dims[i] == 0 || !ts_mul_u64(c->chunk_elements, l->chunk.dims[i], &c->chunk_elements) ||
            c->chunk_elements > UINT32_MAX)
            return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: size of chunks in dimension %u is %llu", addr_of(c), i,
                          (unsigned long long)l->chunk.dims[i]);
    c->chunk_bytes = c->chunk_elements * size;
    return 0;
}

static int check_contiguous(struct ts_dataset_core *c, uint64_t bytes)
{
    struct ts_layout *l = &c->layout;
    if (c->pipeline.n > 0)
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: filters without chunks", addr_of(c));
    /* What has no storage yet gets what its elements need, whatever the file says. */
    if (!l->contiguous.known || (l->addr == HADDR_UNDEF && c->external.n == 0))
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
    for (unsigned i = 0; i<c->rank && * bytes> 0; i++)
        if (!ts_mul_u64(*bytes, dims[i], bytes))
            return TS_ERR(DATASET, OVERFLOW, "dataset at %#llx: its size does not fit in 64 bits", addr_of(c));
    return 0;
}

static int check_layout(struct ts_dataset_core *c)
{
    uint64_t bytes;
    if (ts_type_size(c->type) == 0)
        return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: elements of no size", addr_of(c));
    switch (c->layout.cls) {
    case H5D_COMPACT:
        if (data_bytes(c, &bytes) < 0)
            return -1;
        if (c->layout.compact.size < bytes)
            return TS_ERR(DATASET, BADSIZE, "dataset at %#llx: %zu bytes of compact storage for %llu of data",
                          addr_of(c), c->layout.compact.size, (unsigned long long)bytes);
        return 0;
    case H5D_CONTIGUOUS:
        return data_bytes(c, &bytes) < 0 ? -1 : check_contiguous(c, bytes);
    case H5D_CHUNKED:
        return check_chunks(c);
    case H5D_STRUCT_CHUNK:
        return check_structured(c);
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

static int load_filters(struct ts_dataset_core *c, const struct ts_ohdr *oh)
{
    if (c->layout.cls != H5D_STRUCT_CHUNK)
        return ts_ohdr_pipeline(oh, &c->pipeline);
    if (ts_ohdr_pipeline_sections(oh, &c->sections) < 0)
        return -1;
    unsigned n = ts_struct_sections(c->layout.chunk.struct_type);
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++) {
        if (i >= n && c->sections.section[i].n > 0)
            return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: filters of section %u in chunks of %u", addr_of(c), i,
                          n);
        c->filtered = c->filtered || c->sections.section[i].n > 0;
    }
    return 0;
}

static void see_space(struct ts_dataset_core *c)
{
    c->rank = ts_space_rank(c->space);
    if (c->rank > 0)
        memcpy(c->max_dims, ts_space_maxdims(c->space), c->rank * sizeof c->max_dims[0]);
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
                      !type    ? "datatype"
                      : !space ? "dataspace"
                               : "layout");
    see_space(c);
    if (load_filters(c, oh) < 0 || ts_ohdr_efl(oh, &c->external) < 0 || load_fill(c, oh) < 0)
        return -1;
    return check_layout(c);
}

static struct ts_dataset_core *core_at(struct ts_file *f, haddr_t addr)
{
    struct ts_dataset_core *c = core_new();
    if (!c)
        return NULL;
    c->file = f;
    c->addr = addr;
    ts_rwlock_init(&c->io, TS_RANK_DATASET_ORDER);
    ts_mutex_init(&c->lock, TS_RANK_DATASET);
    atomic_init(&c->index, NULL);
    return c;
}

/* All of it is there, or that failed with this status. */
static int complete(struct ts_dataset_core *c, int status, struct ts_dataset_core **out)
{
    if (status < 0) {
        ts_dataset_core_drop(c);
        return -1;
    }
    struct ts_file *f = c->file;
    atomic_init(&c->allocated, c->layout.addr != HADDR_UNDEF);
    c->pipeline.owner = f;
    c->pipeline.access = &f->agreed.access;
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++) {
        c->sections.section[i].owner = f;
        c->sections.section[i].access = &f->agreed.access;
    }
    *out = c;
    return 0;
}

int ts_dataset_core_peek(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    TS_FILE_HELD(f);
    struct ts_ohdr *oh;
    struct ts_dataset_core *c = core_at(f, addr);
    if (!c)
        return -1;
    int status = ts_ohdr_open(f, addr, &oh);
    if (status == 0) {
        status = load_messages(c, oh);
        ts_ohdr_close(oh);
    }
    return complete(c, status, out);
}

/* Of a space that nobody changes any more. */
static int take_extent(struct ts_space *from, struct ts_space **out)
{
    if (ts_space_sel_type(from) == H5S_SEL_ALL) {
        *out = ts_space_ref(from);
        return 0;
    }
    if (ts_space_new(ts_space_class(from), out) < 0)
        return -1;
    return ts_space_extent_copy(*out, from);
}

static int take_parts(struct ts_dataset_core *c, struct ts_dataset_parts *parts)
{
    c->committed = HADDR_UNDEF;
    c->type = ts_type_ref(parts->type);
    c->layout = *parts->layout;
    *parts->layout = (struct ts_layout){.addr = HADDR_UNDEF};
    if (take_extent(parts->space, &c->space) < 0)
        return -1;
    see_space(c);
    return set_fill(c, &parts->fill) < 0 ? -1 : check_layout(c);
}

int ts_dataset_core_of(struct ts_file *f, haddr_t addr, struct ts_dataset_parts *parts, struct ts_dataset_core **out)
{
    struct ts_dataset_core *c = core_at(f, addr);
    return c ? complete(c, take_parts(c, parts), out) : -1;
}

#ifdef TS_CONTRACTS
static bool same_fill(const struct ts_dataset_core *a, const struct ts_dataset_core *b)
{
    const struct ts_dataset_fill *x = &a->fill, *y = &b->fill;
    return x->alloc_time == y->alloc_time && x->fill_time == y->fill_time && x->state == y->state &&
           !x->element == !y->element && (!x->element || memcmp(x->element, y->element, ts_type_size(a->type)) == 0);
}

static bool same_layout(const struct ts_dataset_core *a, const struct ts_dataset_core *b)
{
    unsigned addr_size = ts_file_addr_size(a->file), len_size = ts_file_len_size(a->file);
    struct ts_wr x = {0}, y = {0};
    bool same = ts_layout_encode(&a->layout, addr_size, len_size, &x) == 0 &&
                ts_layout_encode(&b->layout, addr_size, len_size, &y) == 0 && x.size == y.size &&
                memcmp(x.data, y.data, x.size) == 0 && a->layout.chunk.index == b->layout.chunk.index;
    ts_wr_free(&x);
    ts_wr_free(&y);
    return same;
}

static bool same_core(const struct ts_dataset_core *a, const struct ts_dataset_core *b)
{
    return ts_type_equal(a->type, b->type) && ts_space_extent_equal(a->space, b->space) && a->rank == b->rank &&
           memcmp(a->max_dims, b->max_dims, a->rank * sizeof *a->max_dims) == 0 && a->chunk_bytes == b->chunk_bytes &&
           a->chunk_elements == b->chunk_elements && b->pipeline.n == 0 && !b->filtered && same_fill(a, b) &&
           same_layout(a, b);
}

bool ts_dataset_core_agrees(const struct ts_dataset_core *c)
{
    struct ts_dataset_core *read;
    unsigned mark = ts_err_mark();
    ts_alloc_spare(true);
    bool agrees = true;
    if (ts_dataset_core_peek(c->file, c->addr, &read) == 0) {
        agrees = same_core(c, read);
        ts_dataset_core_drop(read);
    }
    ts_alloc_spare(false);
    ts_err_rewind(mark);
    return agrees;
}
#endif

/* Neither the header nor what is read after it comes from before; refresh.c tells why. */
int ts_dataset_core_peek_anew(struct ts_file *f, haddr_t addr, struct ts_dataset_core **out)
{
    ts_clients_refresh(f);
    int status = ts_dataset_core_peek(f, addr, out);
    ts_clients_refresh(f);
    return status;
}

int ts_dataset_core_join_cache(struct ts_dataset_core *core)
{
    struct ts_sc_dset *sc = &core->sc;
    switch (core->layout.cls) {
    case H5D_COMPACT:
        sc->ops = &ts_layout_compact;
        break;
    case H5D_CONTIGUOUS:
        sc->ops = &ts_layout_contiguous;
        break;
    case H5D_CHUNKED:
        sc->ops = &ts_layout_chunked;
        break;
    case H5D_STRUCT_CHUNK:
        sc->ops = core->layout.chunk.struct_type & TS_STRUCT_SPARSE ? &ts_layout_sparse : &ts_layout_vl;
        break;
    default:
        return 0;
    }
    if (core->external.n > 0)
        return 0;
    sc->owner = core;
    sc->order = &core->io;
    sc->element_size = ts_type_size(core->chunk_type ? core->chunk_type : core->type);
    /* How many elements of a sparse chunk will be defined nobody knows: a byte for each. */
    if (sc->ops == &ts_layout_sparse)
        sc->element_size = 0;
    /* As a plan sees it (chunk/plan.h): a scalar has one dimension of one element. */
    sc->rank = core->rank > 0 ? core->rank : 1;
    sc->dims[0] = ts_space_class(core->space) == H5S_NULL ? 0 : 1;
    if (core->rank > 0)
        memcpy(sc->dims, ts_space_dims(core->space), core->rank * sizeof *sc->dims);
    sc->reserve = SIZE_MAX;
    sc->w0 = -1;
    sc->uncached = core->layout.cls == H5D_COMPACT;
    return ts_sc_dset_open(sc, core->file);
}

void ts_dataset_core_describe(struct ts_dataset_core *core, char *text, size_t size)
{
    ts_mutex_lock(&core->lock);
    if (core->name)
        snprintf(text, size, "dataset '%s'", core->name);
    else
        snprintf(text, size, "the dataset at %#llx", addr_of(core));
    ts_mutex_unlock(&core->lock);
}

void ts_layout_describe(void *owner, char *text, size_t size)
{
    ts_dataset_core_describe(owner, text, size);
}

enum ts_sc_fate ts_layout_fate(void *owner)
{
    const struct ts_dataset_core *core = owner;
    if (core->gone)
        return TS_SC_GONE;
    return ts_open_objects_doomed(core->file, core->addr) ? TS_SC_DOOMED : TS_SC_STAYS;
}

int ts_dataset_core_refuse(struct ts_dataset_core *core)
{
    char name[TS_DATASET_NAME];
    ts_dataset_core_describe(core, name, sizeof name);
    return TS_ERR(DATASET, CANTOPERATE, "%s: %s cannot be used by a filter that is called for a chunk of the same file",
                  core->file->name, name);
}

struct ts_space *ts_dataset_core_space(struct ts_dataset_core *core)
{
    ts_mutex_lock(&core->lock);
    struct ts_space *space = ts_space_ref(core->space);
    ts_mutex_unlock(&core->lock);
    return space;
}

static int open_index(struct ts_dataset_core *core, struct ts_chunk_index **out)
{
    struct ts_space *space = ts_dataset_core_space(core);
    struct ts_chunk_geometry g = {.rank = core->rank,
                                  .dims = ts_space_dims(space),
                                  .max_dims = core->max_dims,
                                  .chunk_dims = core->layout.chunk.dims,
                                  .chunk_bytes = core->chunk_bytes,
                                  .filtered = core->pipeline.n > 0 || core->filtered};
    int status = ts_chunk_index_open(core->file, &core->layout, &g, out);
    ts_space_unref(space);
    return status;
}

int ts_dataset_core_index(struct ts_dataset_core *core, struct ts_chunk_index **out)
{
    struct ts_chunk_index *index = atomic_load(&core->index), *none = NULL;
    if (!ts_dataset_is_indexed(core))
        return TS_ERR(DATASET, BADTYPE, "dataset at %#llx is not chunked", addr_of(core));
    if (!index) {
        ts_file_lock(core->file);
        int status = open_index(core, &index);
        ts_file_unlock(core->file);
        if (status < 0)
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
