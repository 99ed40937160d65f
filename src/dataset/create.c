#include "dataset/create.h"

#include <string.h>

#include "base/abi.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "dataset/chunk_shape.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "dataset/virtual.h"
#include "file/change.h"
#include "filter/filter.h"
#include "filter/pipeline_codec.h"
#include "format/messages.h"
#include "heap/global_heap.h"
#include "meta/meta.h"
#include "object/swmr.h"
#include "object/vl_sink.h"
#include "plist/fapl.h"
#include "plist/ocpl.h"
#include "plist/sections.h"

/* Everything about a dataset before it exists. */
struct draft {
    struct ts_file *f;
    const struct ts_dataset_create *how;
    struct ts_plist *kept; /* of the creation list, as long as the dataset is open; or NULL */
    H5F_libver_t low, high;
    struct ts_type *type; /* on disk; committed if it is so in this file, by this handle */
    struct ts_layout_prop asked;
    struct ts_efl external;
    struct ts_fill fill;
    uint8_t *element; /* the fill value on disk, or NULL */
    struct ts_pipeline pipeline;
    struct ts_pipeline_sections sections; /* of structured chunks */
    struct ts_type *chunk_type;           /* of elements in them */
    struct ts_layout layout;
    uint64_t bytes; /* of all elements */
    haddr_t heap;   /* that messages point at, or HADDR_UNDEF */
};

static void draft_deinit(struct draft *d)
{
    ts_layout_deinit(&d->layout);
    ts_pipeline_deinit(&d->pipeline);
    ts_pipeline_sections_deinit(&d->sections);
    ts_type_unref(d->chunk_type);
    ts_free(d->element);
    ts_fill_deinit(&d->fill);
    ts_efl_deinit(&d->external);
    ts_layout_prop_deinit(&d->asked);
    ts_type_unref(d->type);
}

static int draft_type(struct draft *d)
{
    return ts_object_check_type(d->how->type) < 0 ? -1 : ts_object_disk_type(d->how->fh, d->how->type, &d->type);
}

static bool is_structured(const struct draft *d)
{
    return d->asked.cls == H5D_STRUCT_CHUNK;
}

static int draft_section_pipelines(struct draft *d)
{
    unsigned fixed = ts_struct_fixed_section(d->asked.struct_type);
    struct ts_pipeline_sections sections;
    if (ts_dcpl_section_pipelines(d->how->dcpl, d->asked.struct_type, &sections) < 0)
        return -1;
    d->sections = sections;
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++)
        d->sections.section[i].access = &d->f->agreed.access;
    /* What is for all sections is for this one in any case. */
    struct ts_pipeline *data = &d->sections.section[fixed];
    for (size_t i = 0; i < data->n; i++)
        data->filters[i].only = TS_ONLY_NUMBER(fixed);
    return 0;
}

static int draft_pipelines(struct draft *d)
{
    struct ts_pipeline pipeline;
    if (is_structured(d))
        return draft_section_pipelines(d);
    if (ts_ocpl_pipeline(d->how->dcpl, &pipeline) < 0)
        return -1;
    d->pipeline = pipeline;
    d->pipeline.access = &d->f->agreed.access;
    return 0;
}

/* Structured chunks for which the list has no dimensions. */
static int draft_chunk_shape(struct draft *d)
{
    if (!is_structured(d) || d->asked.chunk_rank > 0)
        return 0;
    d->asked.chunk_rank = ts_space_rank(d->how->space);
    return ts_chunk_shape_choose(d->how->space, d->type, d->asked.chunk_dims);
}

/* What a getter leaves behind when it fails is not ours to free. */
static int draft_lists(struct draft *d)
{
    struct ts_plist *dcpl = d->how->dcpl, *fapl = d->f->fapl;
    struct ts_layout_prop asked;
    struct ts_efl external;
    struct ts_fill fill;
    d->low = ts_file_low_bound(d->f);
    if (ts_fapl_libver_high(fapl, &d->high) < 0 ||
        ts_dcpl_creation_layout(dcpl, ts_type_has_chunk_fields(d->type), &asked) < 0)
        return -1;
    d->asked = asked;
    if (draft_chunk_shape(d) < 0)
        return -1;
    if (ts_dcpl_efl(dcpl, &external) < 0)
        return -1;
    d->external = external;
    if (ts_dcpl_fill(dcpl, &fill) < 0)
        return -1;
    d->fill = fill;
    return draft_pipelines(d);
}

/* Elements of variable length are looked into when they are overwritten: what is there must be a fill value by then. */
static int check_times(struct draft *d)
{
    if (ts_type_has_class(d->type, H5T_VLEN, false)) {
        if (d->fill.fill_time == H5D_FILL_TIME_NEVER)
            return TS_ERR(DATASET, UNSUPPORTED, "Dataset doesn't support VL datatype when fill value is not defined");
        if (d->fill.fill_time == H5D_FILL_TIME_IFSET && d->fill.state != H5D_FILL_VALUE_UNDEFINED)
            d->fill.fill_time = H5D_FILL_TIME_ALLOC;
    }
    if (d->fill.fill_time == H5D_FILL_TIME_ALLOC && d->fill.state == H5D_FILL_VALUE_UNDEFINED)
        return TS_ERR(DATASET, BADVALUE, "fill value writing on allocation set, but no fill value defined");
    if (d->asked.cls == H5D_COMPACT && d->fill.alloc_time != H5D_ALLOC_TIME_EARLY)
        return TS_ERR(DATASET, BADVALUE, "compact dataset must have early space allocation");
    /* What a structured chunk takes follows from what is in it: there is nothing to allocate before. */
    if (is_structured(d))
        d->fill.alloc_time = H5D_ALLOC_TIME_INCR;
    return 0;
}

static bool is_extendible(const struct ts_space *s, unsigned from)
{
    for (unsigned i = from; i < ts_space_rank(s); i++)
        if (ts_space_maxdims(s)[i] != ts_space_dims(s)[i])
            return true;
    return false;
}

static bool in_one_piece(const struct draft *d)
{
    return d->asked.cls == H5D_COMPACT || d->asked.cls == H5D_CONTIGUOUS;
}

/* Bytes of all elements in an extent of these dims: UINT64_MAX when one is unlimited, or when they are more and not
 * stored in one piece: of a dataset in chunks only a part need ever be there. */
static int all_bytes(const struct draft *d, const hsize_t *dims, uint64_t *bytes)
{
    const struct ts_space *s = d->how->space;
    unsigned rank = ts_space_rank(s);
    *bytes = ts_space_class(s) == H5S_NULL ? 0 : ts_type_size(d->type);
    for (unsigned i = 0; i < rank; i++)
        if (dims[i] == 0)
            *bytes = 0;
    for (unsigned i = 0; i<rank && * bytes> 0; i++) {
        bool fits = dims[i] != H5S_UNLIMITED && ts_mul_u64(*bytes, dims[i], bytes) && *bytes <= INT64_MAX;
        if (dims[i] == H5S_UNLIMITED || (!fits && dims[i] <= INT64_MAX && !in_one_piece(d))) {
            *bytes = UINT64_MAX;
            return 0;
        }
        if (!fits)
            return TS_ERR(DATASET, OVERFLOW, "the size of the dataset does not fit in 64 bits");
    }
    return 0;
}

static int check_external(const struct draft *d)
{
    uint64_t room = 0, most;
    if (is_extendible(d->how->space, 1))
        return TS_ERR(DATASET, CANTINIT, "only the first dimension can be extendible");
    if (all_bytes(d, ts_space_maxdims(d->how->space), &most) < 0)
        return -1;
    for (size_t i = 0; i < d->external.n; i++)
        if (d->external.slots[i].size == H5F_UNLIMITED || !ts_add_u64(room, d->external.slots[i].size, &room))
            return 0;
    if (most > room)
        return TS_ERR(DATASET, CANTINIT,
                      most == UINT64_MAX ? "unlimited dataspace but finite storage"
                                         : "dataspace size exceeds external storage size");
    return 0;
}

static int draft_contiguous(struct draft *d)
{
    if (d->external.n > 0 ? check_external(d) < 0 : is_extendible(d->how->space, 0))
        return d->external.n > 0 ? -1
                                 : TS_ERR(DATASET, CANTINIT, "extendible contiguous non-external dataset not allowed");
    d->layout.contiguous.known = true;
    d->layout.contiguous.size = d->bytes;
    return 0;
}

/* What of a layout message is not data. */
#define COMPACT_HEAD 4

static int draft_compact(struct draft *d)
{
    if (d->external.n > 0)
        return TS_ERR(DATASET, CANTINIT, "external storage not supported with compact layout");
    if (is_extendible(d->how->space, 0))
        return TS_ERR(DATASET, CANTINIT, "extendible compact dataset not allowed");
    if (d->bytes > TS_OHDR_BODY_MAX - COMPACT_HEAD)
        return TS_ERR(DATASET, BADRANGE, "compact dataset size is bigger than header message maximum size");
    d->layout.compact.size = (size_t)d->bytes;
    if (d->bytes > 0 && !(d->layout.compact.data = ts_calloc(1, (size_t)d->bytes)))
        return -1;
    return 0;
}

static int check_chunk_rank(const struct draft *d)
{
    const struct ts_space *s = d->how->space;
    if (d->asked.chunk_rank == 0 || d->asked.chunk_rank != ts_space_rank(s))
        return TS_ERR(DATASET, BADVALUE, "dimensionality of chunks doesn't match the dataspace");
    for (unsigned i = 0; i < d->asked.chunk_rank; i++) {
        hsize_t max = ts_space_maxdims(s)[i];
        if (ts_space_dims(s)[i] > 0 && max != H5S_UNLIMITED && max < d->asked.chunk_dims[i])
            return TS_ERR(DATASET, CANTINIT, "chunk size must be <= maximum dimension size for fixed-sized dimensions");
    }
    return 0;
}

static int check_chunk_dims(const struct draft *d, uint64_t *bytes)
{
    uint64_t max = d->high < TS_ABI_LIBVER_LATEST ? UINT32_MAX : TS_ABI_CHUNK_MAX;
    *bytes = ts_type_size(d->type);
    if (check_chunk_rank(d) < 0)
        return -1;
    for (unsigned i = 0; i < d->asked.chunk_rank; i++)
        if (!ts_mul_u64(*bytes, d->asked.chunk_dims[i], bytes) || *bytes > max)
            return max > UINT32_MAX ? TS_ERR(DATASET, CANTINIT, "chunk size must be < 2^63 bytes")
                                    : TS_ERR(DATASET, CANTINIT, "chunk size must be < 4GB");
    return 0;
}

static bool has_section_filters(const struct draft *d)
{
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++)
        if (d->sections.section[i].n > 0)
            return true;
    return false;
}

/* Arrays number the chunks there can be; trees have those there are. */
static int check_countable(const struct ts_layout *l, const struct ts_chunk_geometry *g)
{
    uint64_t chunks = 1;
    if (l->chunk.index == TS_CHUNK_INDEX_BTREE1 || l->chunk.index == TS_CHUNK_INDEX_BTREE2)
        return 0;
    for (unsigned i = 0; i < g->rank; i++) {
        uint64_t n = g->max_dims[i] / g->chunk_dims[i] + (g->max_dims[i] % g->chunk_dims[i] != 0);
        if (g->max_dims[i] != H5S_UNLIMITED && !ts_mul_u64(chunks, n, &chunks))
            return TS_ERR(DATASET, OVERFLOW,
                          "the dataset can have more chunks than 64 bits count, and its index counts them: let two of "
                          "its dimensions be unlimited");
    }
    return 0;
}

static int draft_chunked(struct draft *d)
{
    struct ts_layout *l = &d->layout;
    if (d->external.n > 0)
        return TS_ERR(DATASET, CANTINIT, "external storage not supported with chunked layout");
    uint64_t bytes;
    if (check_chunk_dims(d, &bytes) < 0)
        return -1;
    /* Nothing before HDF5 2.0 reads chunks of 4 GiB; its own format has other records where sizes of chunks are
     * stored. */
    if (bytes > UINT32_MAX || (d->low >= H5F_LIBVER_V200 && d->pipeline.n > 0))
        l->version = 5;
    l->chunk.rank = d->asked.chunk_rank;
    l->chunk.element_size = (uint32_t)ts_type_size(d->type);
    memcpy(l->chunk.dims, d->asked.chunk_dims, l->chunk.rank * sizeof l->chunk.dims[0]);
    if (d->asked.chunk_opts & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS)
        l->chunk.flags |= TS_CHUNK_DONT_FILTER_PARTIAL;
    struct ts_chunk_geometry g = {.rank = l->chunk.rank,
                                  .dims = ts_space_dims(d->how->space),
                                  .max_dims = ts_space_maxdims(d->how->space),
                                  .chunk_dims = l->chunk.dims,
                                  .chunk_bytes = bytes,
                                  .filtered = d->pipeline.n > 0};
    ts_chunk_index_choose(l, &g, d->fill.alloc_time == H5D_ALLOC_TIME_EARLY);
    return check_countable(l, &g);
}

static int draft_structured(struct draft *d)
{
    struct ts_layout *l = &d->layout;
    uint64_t elements = 1;
    if (d->external.n > 0)
        return TS_ERR(DATASET, CANTINIT, "external storage not supported with structured chunks");
    l->chunk.struct_type = d->asked.struct_type;
    d->chunk_type = ts_type_ref(d->type);
    if (l->chunk.struct_type & TS_STRUCT_VL &&
        ts_type_set_loc(&d->chunk_type, TS_LOC_CHUNK, ts_file_addr_size(d->f)) < 0)
        return -1;
    if (check_chunk_rank(d) < 0)
        return -1;
    for (unsigned i = 0; i < d->asked.chunk_rank; i++)
        if (!ts_mul_u64(elements, d->asked.chunk_dims[i], &elements) || elements > UINT32_MAX)
            return TS_ERR(DATASET, CANTINIT, "a structured chunk must have < 2^32 elements");
    if (ts_type_size(d->chunk_type) > UINT32_MAX)
        return TS_ERR(DATASET, CANTINIT, "elements of %zu bytes in structured chunks", ts_type_size(d->chunk_type));
    l->chunk.rank = d->asked.chunk_rank;
    l->chunk.element_size = (uint32_t)ts_type_size(d->chunk_type);
    memcpy(l->chunk.dims, d->asked.chunk_dims, l->chunk.rank * sizeof l->chunk.dims[0]);
    if (d->asked.chunk_opts & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS)
        l->chunk.flags |= TS_CHUNK_DONT_FILTER_PARTIAL;
    struct ts_chunk_geometry g = {.rank = l->chunk.rank,
                                  .dims = ts_space_dims(d->how->space),
                                  .max_dims = ts_space_maxdims(d->how->space),
                                  .chunk_dims = l->chunk.dims,
                                  .chunk_bytes = elements * l->chunk.element_size,
                                  .filtered = has_section_filters(d)};
    ts_chunk_index_choose(l, &g, false);
    return check_countable(l, &g);
}

/* Version 4 is what 1.10 brought; what only it can say is written so unless the file must be read by older ones. */
static int choose_version(struct draft *d)
{
    bool needed = d->asked.cls == H5D_VIRTUAL ||
                  (d->asked.cls == H5D_CHUNKED && d->asked.chunk_opts & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    if (needed && d->high < H5F_LIBVER_V110)
        return TS_ERR(DATASET, BADRANGE, "%s needs a newer format than the file's high bound allows",
                      d->asked.cls == H5D_VIRTUAL ? "a virtual dataset" : "not filtering partial chunks");
    if (is_structured(d) && d->high < TS_ABI_LIBVER_LATEST)
        return TS_ERR(DATASET, BADRANGE, "structured chunks need a newer format than the file's high bound allows");
    d->layout.version = is_structured(d) ? 5 : needed || d->low >= H5F_LIBVER_V110 ? 4 : 3;
    return 0;
}

/* Filters need chunks. Optional ones go away where there is nothing to filter: in one element or none, or in sequences,
 * whose elements lie elsewhere. */
static int drop_needless_filters(struct draft *d)
{
    if (d->pipeline.n == 0 || d->asked.cls == H5D_CHUNKED)
        return 0;
    bool ignored = ts_space_class(d->how->space) != H5S_SIMPLE || d->type->cls == H5T_VLEN;
    for (size_t i = 0; i < d->pipeline.n; i++)
        ignored = ignored && d->pipeline.filters[i].flags & H5Z_FLAG_OPTIONAL;
    if (!ignored)
        return TS_ERR(DATASET, BADVALUE, "filters can only be used with chunked layout");
    ts_pipeline_deinit(&d->pipeline);
    d->pipeline = (struct ts_pipeline){0};
    return 0;
}

/* libhdf5 makes no such dataset, however many elements it has, and opens none. */
static int check_dims(const struct draft *d)
{
    const hsize_t *dims = ts_space_dims(d->how->space);
    for (unsigned i = 0; i < ts_space_rank(d->how->space); i++)
        if (dims[i] > INT64_MAX)
            return TS_ERR(DATASET, CANTINIT, "dimension %u has %llu elements, which is beyond 63 bits", i,
                          (unsigned long long)dims[i]);
    return 0;
}

static int draft_layout(struct draft *d)
{
    d->layout.cls = d->asked.cls;
    d->layout.addr = HADDR_UNDEF;
    if (drop_needless_filters(d) < 0 || check_dims(d) < 0 ||
        all_bytes(d, ts_space_dims(d->how->space), &d->bytes) < 0 || choose_version(d) < 0)
        return -1;
    switch (d->asked.cls) {
    case H5D_COMPACT:
        return draft_compact(d);
    case H5D_CONTIGUOUS:
        return draft_contiguous(d);
    case H5D_CHUNKED:
        return draft_chunked(d);
    case H5D_STRUCT_CHUNK:
        return draft_structured(d);
    case H5D_VIRTUAL:
        return ts_virtual_check_dims(&d->asked.vds, ts_space_rank(d->how->space), ts_space_dims(d->how->space));
    default:
        return TS_ERR(DATASET, UNSUPPORTED, "layout %d", (int)d->asked.cls);
    }
}

/* n elements with the fill value as on disk. What they refer to goes into the file now, for each of them. */
static int convert_fill(struct draft *d, size_t n, uint8_t *elements)
{
    struct ts_conv_path *path;
    struct ts_vl_sink sink;
    struct ts_conv_env env = {.sink = &sink, .src_id = -1, .dst_id = -1, .dxpl = H5P_DATASET_XFER_DEFAULT};
    if (ts_conv_find(d->fill.type, d->type, &path) < 0)
        return TS_ERR(DATASET, CANTINIT, "unable to convert the fill value to the dataset's datatype");
    int status = ts_vl_sink_open(d->f, &sink);
    if (status == 0) {
        for (size_t i = 0; i < n; i++)
            memcpy(elements + i * d->fill.size, d->fill.value, d->fill.size);
        status = ts_conv_run(path, &env, n, elements, NULL);
        ts_vl_sink_close(&sink);
    }
    ts_conv_path_unref(path);
    return status;
}

static size_t fill_room(const struct draft *d)
{
    return ts_type_size(d->type) > d->fill.size ? ts_type_size(d->type) : d->fill.size;
}

static int draft_fill(struct draft *d)
{
    if (d->fill.state != H5D_FILL_VALUE_USER_DEFINED)
        return 0;
    d->element = ts_calloc(1, fill_room(d));
    return d->element ? convert_fill(d, 1, d->element) : -1;
}

/* The coordinates of a point, as wide as those of most selections in such chunks; what is packed has none. */
static size_t selection_unit(const struct draft *d)
{
    size_t width = 2;
    if (ts_pipeline_find(&d->sections.section[0], TS_FILTER_SELECTION_PACKING))
        return 1;
    for (unsigned i = 0; i < d->layout.chunk.rank; i++)
        if (d->layout.chunk.dims[i] > UINT16_MAX)
            width = 4;
    return width * d->layout.chunk.rank;
}

/* An element of the sequences, if they are all of one kind. */
static size_t heap_unit(const struct draft *d)
{
    bool plain = d->type->cls == H5T_VLEN && !ts_type_has_chunk_fields(d->type->base);
    return plain && d->type->base->size <= UINT32_MAX ? d->type->base->size : 1;
}

/* What of a section belongs together; 0: elements of the dataset's type. */
static size_t section_unit(const struct draft *d, unsigned section)
{
    unsigned type = d->asked.struct_type, fixed = ts_struct_fixed_section(type);
    if (section < fixed)
        return selection_unit(d);
    if (section > fixed)
        return heap_unit(d);
    return type & TS_STRUCT_VL ? ts_type_size(d->chunk_type) : 0;
}

/* All but elements of a fixed size is bytes to its filters. */
static int draft_section_filters(struct draft *d, const struct ts_filter_local *data)
{
    unsigned n = ts_struct_sections(d->asked.struct_type);
    struct ts_type *byte;
    int status = ts_type_new_integer(1, H5T_ORDER_LE, H5T_SGN_NONE, &byte);
    if (status < 0)
        return -1;
    for (unsigned i = 0; i < n && status == 0; i++) {
        struct ts_filter_local local = *data;
        local.unit = section_unit(d, i);
        if (local.unit) {
            local.type = byte;
            local.fill = NULL;
        }
        if (d->sections.section[i].n > 0)
            status = ts_pipeline_set_local(&d->sections.section[i], &local);
    }
    ts_type_unref(byte);
    return status;
}

static int draft_filters(struct draft *d)
{
    struct ts_filter_local local = {.type = d->type,
                                    .rank = d->layout.chunk.rank,
                                    .chunk_dims = d->layout.chunk.dims,
                                    .has_fill = d->fill.state != H5D_FILL_VALUE_UNDEFINED,
                                    .fill = d->element,
                                    .calls = d->how->calls};
    if (is_structured(d))
        return draft_section_filters(d, &local);
    return d->pipeline.n > 0 ? ts_pipeline_set_local(&d->pipeline, &local) : 0;
}

static int fill_compact(struct draft *d)
{
    size_t size = ts_type_size(d->type), n = d->layout.compact.size / size;
    if (d->layout.cls != H5D_COMPACT || !d->element || n == 0 || d->fill.fill_time == H5D_FILL_TIME_NEVER)
        return 0;
    if (!ts_type_has_vlen_or_ref(d->type)) {
        for (size_t i = 0; i < n; i++)
            memcpy(d->layout.compact.data + i * size, d->element, size);
        return 0;
    }
    uint8_t *elements = ts_calloc(n, fill_room(d));
    if (!elements || convert_fill(d, n, elements) < 0) {
        ts_free(elements);
        return -1;
    }
    memcpy(d->layout.compact.data, elements, d->layout.compact.size);
    ts_free(elements);
    return 0;
}

static int prepare(struct draft *d)
{
    if (draft_type(d) < 0 || draft_lists(d) < 0 || check_times(d) < 0 || draft_layout(d) < 0 || draft_fill(d) < 0 ||
        draft_filters(d) < 0)
        return -1;
    bool chunks = d->layout.cls == H5D_CHUNKED || d->layout.cls == H5D_STRUCT_CHUNK;
    if (chunks && d->how->dapl && ts_append_flush_check(d->how->dapl, d->how->space) < 0)
        return -1;
    return fill_compact(d);
}

/* The messages of a new header, in the order in which libhdf5 has them. */
enum { MAX_MESSAGES = 6 };

struct messages {
    size_t n;
    struct ts_ohdr_first items[MAX_MESSAGES]; /* their sizes: note_sizes */
    size_t begin[MAX_MESSAGES];
    struct ts_wr bodies; /* one behind the other */
};

/* Where the body goes; it ends where the next begins. */
static struct ts_wr *add_message(struct messages *m, unsigned type, uint8_t flags)
{
    m->begin[m->n] = m->bodies.size;
    m->items[m->n++] = (struct ts_ohdr_first){.type = type, .flags = flags};
    return &m->bodies;
}

static int encode_type(const struct draft *d, struct messages *m)
{
    uint8_t flags = 0;
    struct ts_wr *w = add_message(m, TS_MSG_TYPE, TS_MSG_FLAG_CONSTANT);
    int status = ts_object_encode_type(d->f, d->type, w, &flags);
    m->items[m->n - 1].flags |= flags;
    return status;
}

static struct ts_fill_msg fill_message(const struct draft *d)
{
    return (struct ts_fill_msg){.version = 3,
                                .alloc_time = d->fill.alloc_time,
                                .fill_time = d->fill.fill_time,
                                .state = d->fill.state,
                                .value = d->element,
                                .size = d->element ? ts_type_size(d->type) : 0};
}

static int encode_fill(const struct draft *d, struct messages *m)
{
    struct ts_fill_msg msg = fill_message(d);
    return ts_fill_encode(&msg, add_message(m, TS_MSG_FILL, TS_MSG_FLAG_CONSTANT));
}

/* Their names go to a heap, so what the message takes is asked before. */
static int encode_external(struct draft *d, struct messages *m)
{
    if (d->external.n == 0)
        return 0;
    size_t size = ts_efl_size(d->external.n, ts_file_addr_size(d->f), ts_file_len_size(d->f));
    if (size > TS_OHDR_BODY_MAX)
        return TS_ERR(EFL, BADSIZE, "%zu external files do not fit in a header: their message takes %zu bytes",
                      d->external.n, size);
    return ts_external_encode(d->f, &d->external, &d->heap, add_message(m, TS_MSG_EFL, TS_MSG_FLAG_CONSTANT));
}

static int store_mappings(struct draft *d)
{
    struct ts_wr w = {0};
    if (d->layout.cls != H5D_VIRTUAL || d->asked.vds.n == 0)
        return 0;
    int status = ts_virtual_encode(&d->asked.vds, ts_file_len_size(d->f), d->low, &w);
    if (status == 0)
        status = ts_gheap_insert(d->f, w.data, w.size, &d->layout.addr, &d->layout.virtual.index);
    ts_wr_free(&w);
    d->heap = d->layout.addr;
    return status;
}

static int note_sizes(struct messages *m)
{
    if (m->bodies.bad)
        return -1;
    for (size_t i = 0; i < m->n; i++) {
        struct ts_ohdr_first *item = &m->items[i];
        item->size = (i + 1 < m->n ? m->begin[i + 1] : m->bodies.size) - m->begin[i];
        if (item->size > TS_OHDR_BODY_MAX)
            return TS_ERR(DATASET, BADSIZE, "message %#x of %zu bytes does not fit in a header", item->type,
                          item->size);
    }
    return 0;
}

/* Those of which nothing lies elsewhere: when one of them cannot be, nothing was touched yet. */
static int encode_plain(struct draft *d, struct messages *m)
{
    /* Stock libhdf5 spoils a header whose shared dataspace it changes. */
    uint8_t alone = d->layout.cls == H5D_CHUNKED || is_structured(d) ? TS_MSG_FLAG_DONT_SHARE : 0;
    if (ts_space_encode_extent(d->how->space, 2, ts_file_len_size(d->f), add_message(m, TS_MSG_SPACE, alone)) < 0 ||
        encode_type(d, m) < 0 || encode_fill(d, m) < 0)
        return -1;
    if (d->pipeline.n > 0 &&
        ts_pipeline_encode_message(&d->pipeline, 2, add_message(m, TS_MSG_PIPELINE, TS_MSG_FLAG_CONSTANT)) < 0)
        return -1;
    if (has_section_filters(d) &&
        ts_pipeline_sections_encode(&d->sections, add_message(m, TS_MSG_PIPELINE, TS_MSG_FLAG_CONSTANT)) < 0)
        return -1;
    return note_sizes(m);
}

static int encode_messages(struct draft *d, struct messages *m)
{
    unsigned addr_size = ts_file_addr_size(d->f), len_size = ts_file_len_size(d->f);
    if (encode_plain(d, m) < 0 || encode_external(d, m) < 0 || store_mappings(d) < 0 ||
        ts_layout_encode(&d->layout, addr_size, len_size, add_message(m, TS_MSG_LAYOUT, 0)) < 0)
        return -1;
    return note_sizes(m);
}

/* Room that libhdf5 leaves in a new header at least, for attributes. */
#define USUAL_ROOM 256

static int choose_room(const struct draft *d, const struct messages *m, struct ts_ohdr_create *how)
{
    bool minimize;
    if (ts_dcpl_minimize_header(d->how->dcpl, &minimize) < 0)
        return -1;
    for (size_t i = 0; i < m->n; i++)
        how->room += ts_ohdr_room(how, m->items[i].size);
    if (!minimize && how->room < USUAL_ROOM)
        how->room = USUAL_ROOM;
    return 0;
}

static int add_messages(const struct draft *d, struct messages *m, struct ts_ohdr *oh)
{
    if (ts_ohdr_add_first(oh, m->items, m->n, &m->bodies) < 0)
        return -1;
    return d->heap == HADDR_UNDEF ? 0 : ts_meta_depend(d->f, oh->addr, d->heap);
}

/* A dataset whose storage is allocated now gets its name when that is done: a name is there for good. */
static bool has_name_at_once(const struct draft *d)
{
    return d->how->spot && d->fill.alloc_time != H5D_ALLOC_TIME_EARLY;
}

static int make_header(const struct draft *d, struct messages *m, haddr_t *addr)
{
    struct ts_ohdr_create how = {0};
    struct ts_ohdr *oh;
    if (ts_ohdr_create_init(&how, d->how->dcpl) < 0 || choose_room(d, m, &how) < 0)
        return -1;
    how.links = has_name_at_once(d) ? 1 : 0;
    how.is_dataset = true;
    if (ts_ohdr_create(d->f, &how, &oh) < 0)
        return -1;
    *addr = oh->addr;
    int status = add_messages(d, m, oh);
    ts_ohdr_close(oh);
    return status;
}

static int make_object(struct draft *d, haddr_t *addr)
{
    uint8_t room[TS_WR_ROOM];
    struct messages m = {.bodies = ts_wr_on(room)};
    int status = encode_messages(d, &m);
    if (status == 0)
        status = make_header(d, &m, addr);
    ts_wr_free(&m.bodies);
    return status;
}

/* Everything that its header says is known here; but what leads to other objects, files or filters is looked up as when
 * it is opened later. */
static bool is_known(const struct draft *d)
{
    return d->layout.cls != H5D_VIRTUAL && d->external.n == 0 && d->pipeline.n == 0 && !has_section_filters(d) &&
           !ts_named_type_object(d->type) && ts_type_is_kept_by_files(d->type);
}

static int open_new(struct draft *d, const struct ts_loc *loc, const char *path, struct ts_dataset **out)
{
    struct ts_dataset_parts parts = {
        .type = d->type, .space = d->how->space, .layout = &d->layout, .fill = fill_message(d)};
    struct ts_dataset_lists lists = {.access = d->how->dapl, .made_with = d->kept};
    if (is_known(d)) {
        int status = ts_dataset_open_made(loc, path, &lists, &parts, out);
        TS_ASSERT(status < 0 || ts_dataset_core_agrees((*out)->core));
        return status;
    }
    if (ts_dataset_open(loc, path, d->how->dapl, out) < 0)
        return -1;
    ts_dataset_made(*out, d->kept);
    return 0;
}

/* Opened inside the change: without a link to it, only an open dataset keeps the header. */
static int make(struct draft *d, const char *path, struct ts_dataset **out)
{
    struct ts_loc loc = {.fh = d->how->fh};
    if (make_object(d, &loc.addr) < 0)
        return -1;
    if (has_name_at_once(d) && ts_spot_link(d->how->spot, loc.addr) < 0)
        return -1;
    if (open_new(d, &loc, path, out) < 0)
        return -1;
    return (*out)->virtual ? ts_virtual_know_sources((*out)->virtual, &d->asked.vds) : 0;
}

static int begin(const struct draft *d)
{
    const struct ts_spot *spot = d->how->spot;
    if (has_name_at_once(d))
        return ts_spot_begin(spot);
    if (ts_swmr_change_names(d->f, HADDR_UNDEF, "create a dataset") < 0)
        return -1;
    int vacant = spot ? ts_spot_vacant(spot) : 1;
    if (vacant == 1)
        return 0;
    if (vacant == 0)
        TS_ERR_AS(LINK, EXISTS, "name already exists", "'%s'", spot->name);
    return ts_change_end(d->f, -1);
}

static int make_linked(struct draft *d, struct ts_dataset **out)
{
    bool ok = true;
    char *path = d->how->spot ? ts_spot_path(d->how->spot, &ok) : NULL;
    if (!ok)
        return -1;
    int status = begin(d);
    if (status == 0)
        status = ts_change_end(d->f, make(d, path, out));
    ts_free(path);
    if (status < 0) {
        ts_dataset_unref(*out);
        *out = NULL;
    }
    return status;
}

static int give_name(const struct ts_spot *spot, haddr_t addr)
{
    struct ts_file *f = ts_spot_file(spot);
    if (ts_spot_begin(spot) < 0)
        return -1;
    int status = ts_object_link(f, addr, 1);
    return ts_change_end(f, status < 0 ? -1 : ts_spot_link(spot, addr));
}

/* When this fails the dataset has no name, and goes with its last handle. */
static int allocate_early(const struct draft *d, struct ts_dataset *made)
{
    if (d->fill.alloc_time != H5D_ALLOC_TIME_EARLY)
        return 0;
    if (ts_dataset_core_lock_write(made->core) < 0)
        return -1;
    int status = ts_dataset_allocate(made->core, false);
    ts_dataset_core_unlock(made->core);
    if (status < 0)
        return TS_ERR(DATASET, CANTINIT, "unable to allocate the storage of a new dataset");
    return d->how->spot ? give_name(d->how->spot, made->core->addr) : 0;
}

static int create(const struct ts_dataset_create *how, struct ts_plist *kept, struct ts_dataset **out)
{
    struct draft d = {.f = how->fh->file, .how = how, .kept = kept, .heap = HADDR_UNDEF};
    *out = NULL;
    if (!d.f->writable)
        return TS_ERR_AS(DATASET, CANTINIT, "no write intent on file", "%s is open for reading only", d.f->name);
    int status = prepare(&d);
    if (status == 0)
        status = make_linked(&d, out);
    if (status == 0 && allocate_early(&d, *out) < 0) {
        ts_dataset_unref(*out);
        status = -1;
    }
    draft_deinit(&d);
    return status;
}

/* The application's own properties are no matter of the file: as long as the dataset is open, a copy of the list has
 * them. */
static int create_and_keep(const struct ts_dataset_create *how, struct ts_dataset **out)
{
    struct ts_plist *kept = NULL;
    if (!ts_plist_is_plain(how->dcpl) && ts_plist_copy(how->dcpl, &kept) < 0)
        return -1;
    int status = create(how, kept, out);
    ts_plist_unref(kept);
    return status;
}

int ts_dataset_create(const struct ts_dataset_create *how, struct ts_dataset **out)
{
    return create_and_keep(how, out) < 0 ? TS_ERR(DATASET, CANTINIT, "unable to create dataset") : 0;
}
