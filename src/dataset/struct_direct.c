#include "dataset/struct_direct.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "dataset/chunks.h"
#include "dataset/storage.h"
#include "dataset/struct_chunk.h"
#include "filter/filter.h"
#include "object/vl_source.h"
#include "space/run_set_direct.h"
#include "type/reclaim.h"

/* A section on its way into the file. */
struct part {
    const uint8_t *bytes; /* after its filters, of the application or made */
    size_t size;
    size_t sum;      /* bytes of the checksum that comes behind them, for there was none */
    uint64_t before; /* bytes before its filters; 0 while that is not known */
    uint32_t mask;
    void *made;
};

/* A chunk of the application on its way into the dataset. */
struct incoming {
    struct ts_dataset_core *core;
    const struct ts_struct_parts *parts;
    hsize_t scaled[H5S_MAX_RANK];
    bool edge; /* it reaches over the extent */
    struct part part[TS_SECTIONS_MAX];
    struct ts_chunk_sections sections;
    size_t size;
    uint8_t *bytes; /* all sections, and behind them where they are, as chunk_places.c wants it */
};

static int refuse(const struct incoming *in, unsigned section, const char *why)
{
    return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: section %u of the chunk that is to be written: %s",
                  (unsigned long long)in->core->addr, section, why);
}

/* Of a chunk at the edge of the extent, or not. */
static size_t n_filters(const struct ts_dataset_core *core, unsigned section, bool edge)
{
    bool without = edge && core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL;
    return without ? 0 : core->sections.section[section].n;
}

/* Some filter has changed it. */
static bool is_changed(const struct ts_dataset_core *core, unsigned section, bool edge, uint32_t mask)
{
    size_t n = n_filters(core, section, edge);
    return n > 0 && mask != UINT32_MAX >> (32 - n);
}

static bool is_metadata(const struct ts_dataset_core *core, unsigned section)
{
    return ts_struct_is_metadata(core->layout.chunk.struct_type, section);
}

static unsigned fixed_section(const struct ts_dataset_core *core)
{
    return ts_struct_fixed_section(core->layout.chunk.struct_type);
}

/* Numbers alone. */
static int check_part(const struct incoming *in, unsigned i)
{
    const struct ts_struct_parts *p = in->parts;
    size_t n = n_filters(in->core, i, false);
    if (p->size[i] > 0 && !p->bytes[i])
        return refuse(in, i, "it has a size, but no bytes");
    if (n < 32 && p->mask[i] >> n != 0)
        return refuse(in, i, "its filter mask names filters that it does not have");
    if (p->size[i] == 0 && p->mask[i] != 0)
        return refuse(in, i, "it is empty and has a filter mask");
    if (!p->sizes_known)
        return 0;
    if ((p->size[i] == 0) != (p->size_before[i] == 0))
        return refuse(in, i, "it is empty on one side of its filters only");
    if (!is_changed(in->core, i, in->edge, p->mask[i]) && p->size[i] != p->size_before[i])
        return refuse(in, i, "it has two sizes, but no filters");
    return 0;
}

static int add_size(struct incoming *in, size_t size)
{
    const struct ts_dataset_core *core = in->core;
    unsigned width = ts_struct_size_width(core->layout.chunk.struct_type, core->chunk_bytes);
    if (!ts_add_size(in->size, size, &in->size) || in->size > SIZE_MAX - sizeof in->sections)
        return TS_ERR(DATASET, OVERFLOW, "sections of more bytes than memory can hold");
    if (width < 8 && (uint64_t)in->size >> 8 * width != 0)
        return TS_ERR(DATASET, BADSIZE, "a chunk of %zu bytes: the index has %u bytes for its size", in->size, width);
    return 0;
}

/* Before any byte is looked at. */
static int check_parts(struct incoming *in)
{
    unsigned n = ts_struct_sections(in->core->layout.chunk.struct_type);
    if (in->parts->n != n)
        return TS_ERR(DATASET, BADVALUE, "a chunk of %u sections for a dataset whose chunks have %u", in->parts->n, n);
    for (unsigned i = 0; i < n; i++)
        if (check_part(in, i) < 0 || add_size(in, in->parts->size[i]) < 0)
            return -1;
    return 0;
}

/* A selection and nothing behind it. */
static bool is_whole_selection(const uint8_t *bytes, size_t size)
{
    struct ts_space *space;
    size_t used;
    unsigned mark = ts_err_mark();
    if (ts_space_decode(bytes, size, &used, &space) < 0) {
        ts_err_rewind(mark);
        return false;
    }
    ts_space_unref(space);
    return used == size;
}

/* A section without checksum. */
static struct ts_selection_section selection_of(const struct ts_dataset_core *core, const uint8_t *bytes, size_t size)
{
    return (struct ts_selection_section){.bytes = bytes,
                                         .size = size,
                                         .rank = core->layout.chunk.rank,
                                         .dims = core->layout.chunk.dims,
                                         .most = UINT64_MAX};
}

static bool is_point_list(const struct ts_dataset_core *core, const uint8_t *bytes, size_t size)
{
    struct ts_selection_section section = selection_of(core, bytes, size);
    return ts_section_is_points(&section);
}

/* Sections come with their checksum or without. What ends with it by chance, as one in 2^32 does, is known by its
 * length, but for a heap. */
static bool has_sum(const struct ts_dataset_core *core, unsigned section, const uint8_t *bytes, size_t size)
{
    unsigned fixed = fixed_section(core);
    if ((section < fixed && is_point_list(core, bytes, size)) || !ts_section_has_sum(bytes, size))
        return false;
    return section < fixed    ? !is_whole_selection(bytes, size)
           : section == fixed ? size % ts_struct_element_size(core) != 0
                              : true;
}

/* It had been filtered before it had its checksum: both is done once more, in the right order. */
static int filter_again(const struct incoming *in, unsigned i, void **raw, size_t size, struct part *out)
{
    const struct ts_filter_options options = {.no_growth = true};
    void *bytes = ts_realloc(*raw, size + TS_SECTION_CHECKSUM);
    if (!bytes)
        return -1;
    ts_section_put_sum(bytes, size);
    *raw = bytes;
    out->size = size + TS_SECTION_CHECKSUM;
    out->before = out->size;
    if (ts_pipeline_encode(&in->core->sections.section[i], raw, &out->size, &out->mask, &options) < 0)
        return -1;
    out->bytes = out->made = *raw;
    *raw = NULL;
    return 0;
}

/* One that must have a checksum, and filters. */
static int take_filtered(const struct incoming *in, unsigned i, struct part *out)
{
    const struct ts_struct_parts *p = in->parts;
    size_t size = p->size[i], expected = p->sizes_known ? p->size_before[i] : SIZE_MAX / 2;
    void *raw = ts_memdup(p->bytes[i], size);
    int status = raw ? ts_pipeline_decode(&in->core->sections.section[i], p->mask[i], &raw, &size, expected) : -1;
    if (status == 0 && p->sizes_known && size != expected)
        status = refuse(in, i, "it decodes to another number of bytes");
    if (status == 0 && size == 0)
        status = refuse(in, i, "it is empty on one side of its filters only");
    if (status == 0)
        out->before = size;
    if (status == 0 && !has_sum(in->core, i, raw, size))
        status = filter_again(in, i, &raw, size, out);
    ts_free(raw);
    return status;
}

static int take_part(const struct incoming *in, unsigned i, struct part *out)
{
    const struct ts_struct_parts *p = in->parts;
    /* Without filters at the edge it says the same to skip them or not. */
    uint32_t mask = n_filters(in->core, i, in->edge) > 0 ? p->mask[i] : 0;
    *out = (struct part){.bytes = p->bytes[i], .size = p->size[i], .mask = mask};
    if (out->size == 0)
        return 0;
    if (is_changed(in->core, i, in->edge, out->mask)) {
        out->before = p->sizes_known ? p->size_before[i] : 0;
        return is_metadata(in->core, i) ? take_filtered(in, i, out) : 0;
    }
    if (is_metadata(in->core, i) && !has_sum(in->core, i, out->bytes, out->size))
        out->sum = TS_SECTION_CHECKSUM;
    out->before = out->size + out->sum;
    return 0;
}

static int take_parts(struct incoming *in)
{
    in->size = 0;
    in->sections.n = (uint8_t)in->parts->n;
    for (unsigned i = 0; i < in->parts->n; i++) {
        struct part *p = &in->part[i];
        if (take_part(in, i, p) < 0)
            return -1;
        in->sections.offset[i] = in->size;
        in->sections.size[i] = p->before;
        in->sections.mask[i] = p->mask;
        if (add_size(in, p->size + p->sum) < 0)
            return -1;
    }
    return 0;
}

static int join(struct incoming *in)
{
    in->bytes = ts_malloc(in->size + sizeof in->sections);
    if (!in->bytes)
        return -1;
    for (unsigned i = 0; i < in->parts->n; i++) {
        const struct part *p = &in->part[i];
        uint8_t *to = in->bytes + in->sections.offset[i];
        if (p->size > 0)
            memcpy(to, p->bytes, p->size);
        if (p->sum > 0)
            ts_section_put_sum(to, p->size);
    }
    return 0;
}

static int decode(const struct incoming *in, struct ts_struct_chunk **out)
{
    struct ts_chunk_sections sections = in->sections;
    struct ts_sc_stored at = {.addr = HADDR_UNDEF, .size = in->size, .udata = &sections};
    struct ts_sc_coding how = {.at = &at, .partial_bound = in->edge};
    struct ts_sc_data d = {.chunk = ts_memdup(in->bytes, in->size), .used = in->size, .alloc = in->size};
    if (!d.chunk)
        return -1;
    int status = ts_struct_decode(in->core, &how, &d);
    if (status < 0 && d.used == 0)
        ts_free(d.chunk);
    else if (status < 0)
        ts_struct_chunk_free(d.chunk);
    else
        *out = d.chunk;
    return status;
}

/* A run of elements in the chunk, cut where its rows end. */
static bool is_inside(const struct ts_layout *l, const hsize_t *limit, struct ts_run run)
{
    unsigned last = l->chunk.rank - 1;
    while (run.length > 0) {
        hsize_t column = run.offset % l->chunk.dims[last], left = l->chunk.dims[last] - column, row = run.offset;
        hsize_t n = run.length < left ? run.length : left;
        if (column + n > limit[last])
            return false;
        for (unsigned d = last; d-- > 0;) {
            row /= l->chunk.dims[d + 1];
            if (row % l->chunk.dims[d] >= limit[d])
                return false;
        }
        run.offset += n;
        run.length -= n;
    }
    return true;
}

/* What of the chunk is inside of the extent. */
static void find_limit(const struct incoming *in, hsize_t *limit)
{
    const hsize_t *dims = in->core->layout.chunk.dims;
    for (unsigned d = 0; d < in->core->rank; d++) {
        hsize_t left = in->core->sc.dims[d] - in->scaled[d] * dims[d];
        limit[d] = left < dims[d] ? left : dims[d];
    }
}

static int check_inside(const struct incoming *in, const struct ts_run_set *set, const hsize_t *limit)
{
    enum { PORTION = 128 };
    struct ts_run runs[PORTION];
    struct ts_run_cursor cursor = {0};
    size_t n;
    while ((n = ts_run_set_next(set, &cursor, runs, PORTION)) > 0)
        for (size_t i = 0; i < n; i++)
            if (!is_inside(&in->core->layout, limit, runs[i]))
                return refuse(in, 0, "it has elements outside of the dataset's extent");
    return 0;
}

/* Elements of a heap are read, and forgotten. */
struct reading {
    struct ts_dataset_core *core;
    struct ts_type *memory;
    struct ts_conv_path *path;
    struct ts_conv_env env;
    struct ts_reclaim reclaim;
    uint8_t *buf;
};

enum { AT_ONCE = 64 };

static int read_bin(const struct reading *r, const struct ts_struct_bin *bin)
{
    size_t size = ts_struct_element_size(r->core);
    for (uint32_t i = 0, n; i < bin->n; i += n) {
        n = bin->n - i < AT_ONCE ? bin->n - i : AT_ONCE;
        memcpy(r->buf, bin->values + i * size, n * size);
        if (ts_conv_run(r->path, &r->env, n, r->buf, NULL) < 0)
            return -1;
        ts_reclaim(r->memory, &r->reclaim, n, r->buf);
    }
    return 0;
}

static int read_values(struct ts_dataset_core *core, struct ts_struct_chunk *c)
{
    struct ts_vl_source source;
    struct reading r = {
        .core = core,
        .memory = ts_type_ref(core->type),
        .env = {.source = &source, .chunk = &c->heap, .src_id = -1, .dst_id = -1, .dxpl = H5P_DATASET_XFER_DEFAULT}};
    ts_vl_source_init(&source, core->file);
    r.reclaim.destroy_reference = source.destroy_reference;
    int status = ts_type_set_loc(&r.memory, TS_LOC_MEMORY, ts_file_addr_size(core->file)) < 0 ? -1 : 0;
    if (status == 0)
        status = ts_conv_find(core->chunk_type, r.memory, &r.path);
    if (status == 0) {
        size_t size = ts_type_size(r.memory), stored = ts_struct_element_size(core);
        r.buf = ts_malloc(AT_ONCE * (size > stored ? size : stored));
        status = r.buf ? 0 : -1;
    }
    for (size_t i = 0; i < c->n_bins && status == 0; i++)
        status = read_bin(&r, &c->bins[i]);
    ts_free(r.buf);
    ts_conv_path_unref(r.path);
    ts_type_unref(r.memory);
    return status;
}

/* Values of which some filter, or a heap, tells more than their size does. */
static int check_values(const struct incoming *in)
{
    struct ts_struct_chunk *c;
    if (decode(in, &c) < 0)
        return -1;
    /* Elements that share bytes of the heap would lose them when one is overwritten. */
    int status = in->core->chunk_type ? ts_struct_check_heap(in->core, c) : 0;
    if (status == 0 && in->core->chunk_type)
        status = read_values(in->core, c);
    ts_struct_chunk_free(c);
    return status;
}

/* *n: values that there must be. 1 when it has elements, 0 when it has none. */
static int decode_selection(const struct incoming *in, const hsize_t *limit, size_t *n)
{
    struct ts_chunk_sections sections = in->sections;
    struct ts_sc_stored at = {.addr = HADDR_UNDEF, .size = in->size, .udata = &sections};
    struct ts_sc_coding how = {.at = &at, .partial_bound = in->edge};
    struct ts_run_set *set;
    unsigned fixed = fixed_section(in->core);
    if (sections.size[fixed] == 0 && in->part[fixed].size > 0)
        sections.size[fixed] = SIZE_MAX / 2;
    if (ts_struct_decode_selection(in->core, &how, in->bytes, &set, n) < 0)
        return -1;
    int status = in->edge ? check_inside(in, set, limit) : 0;
    if (status == 0)
        status = ts_run_set_count(set) > 0;
    ts_run_set_free(set);
    return status;
}

/* Points that come as they are need no set: how many elements they are is not asked here. */
static int check_selection(const struct incoming *in, size_t *n)
{
    const struct part *p = &in->part[0];
    struct ts_selection_section section = selection_of(in->core, p->bytes, p->size);
    hsize_t limit[H5S_MAX_RANK];
    find_limit(in, limit);
    bool plain = p->sum > 0 && ts_section_count_points(&section, limit, n) == 1;
    return plain ? 1 : decode_selection(in, limit, n);
}

/* 1 when it is sound and has elements, 0 when it has none. */
static int check_chunk(struct incoming *in)
{
    unsigned fixed = fixed_section(in->core);
    size_t n = (size_t)in->core->chunk_elements;
    int full = ts_struct_is_sparse(in->core) ? check_selection(in, &n) : 1;
    if (full < 0)
        return -1;
    uint64_t wanted = (uint64_t)n * ts_struct_element_size(in->core);
    if (in->part[fixed].size > 0 && in->sections.size[fixed] == 0)
        in->sections.size[fixed] = wanted;
    const char *problem = ts_sections_problem(&in->sections, in->parts->n, in->core->filtered, in->size);
    if (problem)
        return TS_ERR(DATASET, BADVALUE, "the chunk that is to be written: %s", problem);
    bool plain = !ts_struct_has_heap(in->core) && !is_changed(in->core, fixed, in->edge, in->part[fixed].mask);
    if (plain && in->sections.size[fixed] != wanted)
        return refuse(in, fixed, "its size is not that of the values");
    return !plain && check_values(in) < 0 ? -1 : full;
}

static int check_incoming(struct incoming *in)
{
    if (check_parts(in) < 0 || take_parts(in) < 0 || join(in) < 0)
        return -1;
    int full = in->size > 0 ? check_chunk(in) : 0;
    if (full > 0)
        memcpy(in->bytes + in->size, &in->sections, sizeof in->sections);
    else
        in->size = 0;
    return full < 0 ? -1 : 0;
}

/* What the cache has of the chunk is written, so that it is not lost when the new one cannot be. */
static int write_cached_chunk(struct ts_dataset_core *core, const hsize_t *scaled, struct ts_sc_stored *at)
{
    size_t size = 0;
    return H5SC_direct_chunk_read(&core->sc, scaled, at, NULL, &size);
}

static int store(struct incoming *in)
{
    struct ts_sc_stored at, to = {.addr = HADDR_UNDEF, .size = in->size};
    int had = write_cached_chunk(in->core, in->scaled, &at);
    if (had < 0)
        return -1;
    return had == 0 && in->size == 0 ? 0 : H5SC_direct_chunk_write(&in->core->sc, in->scaled, &to, in->bytes);
}

static int write_chunk(struct ts_dataset_core *core, const hsize_t *offset, const struct ts_struct_parts *parts)
{
    struct incoming in = {.core = core, .parts = parts};
    if (ts_chunk_position(core, offset, in.scaled) < 0)
        return -1;
    for (unsigned d = 0; d < core->rank; d++)
        in.edge = in.edge || in.scaled[d] >= core->sc.dims[d] / core->layout.chunk.dims[d];
    int status = check_incoming(&in);
    if (status == 0)
        status = store(&in);
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++)
        ts_free(in.part[i].made);
    ts_free(in.bytes);
    return status;
}

int ts_dataset_write_struct_chunk(struct ts_dataset *d, const hsize_t *offset, const struct ts_struct_parts *parts)
{
    if (ts_dataset_may_write(d->core) < 0)
        return -1;
    if (ts_dataset_core_lock_write(d->core) < 0)
        return -1;
    int status = write_chunk(d->core, offset, parts);
    ts_dataset_core_unlock(d->core);
    return status;
}

static bool is_at_edge(struct ts_dataset_core *core, const hsize_t *scaled)
{
    bool edge = false;
    struct ts_space *space = ts_dataset_core_space(core);
    for (unsigned d = 0; d < core->rank; d++)
        edge = edge || scaled[d] >= ts_space_dims(space)[d] / core->layout.chunk.dims[d];
    ts_space_unref(space);
    return edge;
}

/* Bytes of the checksum that the application is not shown. */
static size_t hidden_sum(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, unsigned i, bool edge)
{
    bool hidden = is_metadata(core, i) && !is_changed(core, i, edge, rec->sections.mask[i]) &&
                  ts_section_stored(&rec->sections, i, rec->size) >= TS_SECTION_CHECKSUM;
    return hidden ? TS_SECTION_CHECKSUM : 0;
}

void ts_struct_sizes(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, struct ts_struct_sizes *out)
{
    bool edge = is_at_edge(core, rec->scaled);
    for (unsigned i = 0; i < rec->sections.n; i++) {
        size_t sum = hidden_sum(core, rec, i, edge);
        out->stored[i] = (size_t)ts_section_stored(&rec->sections, i, rec->size) - sum;
        out->before[i] = sum > 0 ? out->stored[i] : (size_t)rec->sections.size[i];
    }
}

/* A section and its checksum, which stays here. */
static int read_summed(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, unsigned i, void *buf)
{
    size_t stored = (size_t)ts_section_stored(&rec->sections, i, rec->size);
    uint8_t *bytes = ts_malloc(stored);
    if (!bytes)
        return -1;
    int status = ts_file_read(core->file, rec->addr + rec->sections.offset[i], stored, bytes);
    if (status == 0 && !ts_section_has_sum(bytes, stored))
        status = TS_ERR(DATASET, CANTDECODE, "dataset at %#llx: section %u of the chunk at %#llx: wrong checksum",
                        (unsigned long long)core->addr, i, (unsigned long long)rec->addr);
    if (status == 0)
        memcpy(buf, bytes, stored - TS_SECTION_CHECKSUM);
    ts_free(bytes);
    return status;
}

static int read_section(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, unsigned i, bool edge, void *buf)
{
    uint64_t size = ts_section_stored(&rec->sections, i, rec->size);
    if (size == 0)
        return 0;
    return hidden_sum(core, rec, i, edge) > 0
               ? read_summed(core, rec, i, buf)
               : ts_file_read(core->file, rec->addr + rec->sections.offset[i], (size_t)size, buf);
}

static int read_sections(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, void *const *bufs)
{
    bool edge = is_at_edge(core, rec->scaled);
    for (unsigned i = 0; i < rec->sections.n; i++)
        if (bufs[i] && read_section(core, rec, i, edge, bufs[i]) < 0)
            return -1;
    return 0;
}

static int read_chunk(struct ts_dataset_core *core, const hsize_t *offset, void *const *bufs, struct ts_chunk_rec *out)
{
    struct ts_sc_stored at;
    *out = (struct ts_chunk_rec){.addr = HADDR_UNDEF};
    int found = ts_chunk_position(core, offset, out->scaled) < 0 ? -1 : write_cached_chunk(core, out->scaled, &at);
    if (found <= 0)
        return found;
    struct ts_sc_spot spot = {.scaled = out->scaled};
    if (core->sc.ops->lookup(core, &spot, 1) < 0)
        return -1;
    if (spot.at.addr == HADDR_UNDEF)
        return 0;
    out->addr = spot.at.addr;
    out->size = spot.at.size;
    memcpy(&out->sections, spot.at.udata, sizeof out->sections);
    ts_free(spot.at.udata);
    return bufs && read_sections(core, out, bufs) < 0 ? -1 : 1;
}

int ts_dataset_read_struct_chunk(struct ts_dataset *d, const hsize_t *offset, void *const *bufs,
                                 struct ts_chunk_rec *out)
{
    if (ts_dataset_core_lock_read(d->core) < 0)
        return -1;
    int found = read_chunk(d->core, offset, bufs, out);
    ts_dataset_core_unlock(d->core);
    return found;
}
