#include "dataset/struct_direct.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "dataset/chunks.h"
#include "dataset/storage.h"
#include "dataset/struct_chunk.h"
#include "object/vl_source.h"
#include "type/reclaim.h"

enum { CHECKSUM = 4 };

/* A chunk of the application on its way into the dataset. */
struct incoming {
    struct ts_dataset_core *core;
    const struct ts_struct_parts *parts;
    hsize_t scaled[H5S_MAX_RANK];
    bool edge; /* it reaches over the extent */
    struct ts_chunk_sections sections;
    size_t size;
    uint8_t *bytes; /* all sections, and behind them where they are, as chunk_places.c wants it */
};

static int refuse(const struct incoming *in, unsigned section, const char *why)
{
    return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: section %u of the chunk that is to be written: %s",
                  (unsigned long long)in->core->addr, section, why);
}

static size_t n_filters(const struct incoming *in, unsigned section)
{
    bool without = in->edge && in->core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL;
    return without ? 0 : in->core->sections.section[section].n;
}

/* Numbers alone. */
static int check_part(const struct incoming *in, unsigned i)
{
    const struct ts_struct_parts *p = in->parts;
    size_t n = n_filters(in, i);
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
    return n == 0 && p->size[i] != p->size_before[i] ? refuse(in, i, "it has two sizes, but no filters") : 0;
}

static int check_parts(struct incoming *in)
{
    const struct ts_layout *l = &in->core->layout;
    unsigned n = ts_struct_sections(l->chunk.struct_type);
    unsigned width = ts_struct_size_width(l->chunk.struct_type, in->core->chunk_bytes);
    if (in->parts->n != n)
        return TS_ERR(DATASET, BADVALUE, "a chunk of %u sections for a dataset whose chunks have %u", in->parts->n, n);
    for (unsigned i = 0; i < n; i++) {
        in->sections.offset[i] = in->size;
        if (check_part(in, i) < 0)
            return -1;
        if (!ts_add_size(in->size, in->parts->size[i], &in->size))
            return TS_ERR(DATASET, OVERFLOW, "sections of more bytes than memory can hold");
    }
    if (width < 8 && (uint64_t)in->size >> 8 * width != 0)
        return TS_ERR(DATASET, BADSIZE, "a chunk of %zu bytes: the index has %u bytes for its size", in->size, width);
    in->sections.n = (uint8_t)n;
    return 0;
}

static int join(struct incoming *in)
{
    if (in->size > SIZE_MAX - sizeof in->sections)
        return TS_ERR(DATASET, OVERFLOW, "sections of more bytes than memory can hold");
    in->bytes = ts_malloc(in->size + sizeof in->sections);
    if (!in->bytes)
        return -1;
    for (unsigned i = 0; i < in->parts->n; i++)
        if (in->parts->size[i] > 0)
            memcpy(in->bytes + in->sections.offset[i], in->parts->bytes[i], in->parts->size[i]);
    return 0;
}

/* Bytes that a section with filters has before them. */
static int measure(const struct incoming *in, unsigned i, uint64_t *out)
{
    size_t size = in->parts->size[i];
    void *bytes = ts_memdup(in->parts->bytes[i], size);
    if (!bytes)
        return -1;
    int status = ts_pipeline_decode(&in->core->sections.section[i], in->parts->mask[i], &bytes, &size, SIZE_MAX / 2);
    ts_free(bytes);
    *out = size;
    return status;
}

static int decode(const struct incoming *in, bool values, struct ts_struct_chunk **out)
{
    struct ts_chunk_sections sections = in->sections;
    struct ts_sc_stored at = {.addr = HADDR_UNDEF, .size = in->size, .udata = &sections};
    struct ts_sc_coding how = {.at = &at, .partial_bound = in->edge};
    struct ts_sc_data d = {.chunk = ts_memdup(in->bytes, in->size), .used = in->size, .alloc = in->size};
    if (!d.chunk)
        return -1;
    int status = values ? ts_struct_decode(in->core, &how, &d) : ts_struct_decode_defined(in->core, &how, &d);
    if (status < 0 && d.used == 0)
        ts_free(d.chunk);
    else if (status < 0)
        ts_struct_chunk_free(d.chunk);
    else
        *out = d.chunk;
    return status;
}

/* The values are as many as there are elements: their filters need not be undone for it. */
static int measure_values(struct incoming *in, unsigned i)
{
    size_t sum = ts_struct_is_metadata(in->core->layout.chunk.struct_type, i) ? CHECKSUM : 0;
    uint64_t n = in->core->chunk_elements;
    struct ts_struct_chunk *c;
    if (ts_struct_is_sparse(in->core)) {
        in->sections.size[i] = SIZE_MAX / 2;
        if (decode(in, false, &c) < 0)
            return -1;
        n = ts_run_set_count(c->set);
        ts_struct_chunk_free(c);
    }
    in->sections.size[i] = n * ts_struct_element_size(in->core) + sum;
    return 0;
}

static int complete_sections(struct incoming *in)
{
    const struct ts_struct_parts *p = in->parts;
    unsigned fixed = ts_struct_fixed_section(in->core->layout.chunk.struct_type);
    int status = 0;
    for (unsigned i = 0; i < p->n && status == 0; i++) {
        in->sections.mask[i] = p->mask[i];
        in->sections.size[i] = p->sizes_known ? p->size_before[i] : p->size[i];
        if (p->sizes_known || p->size[i] == 0 || n_filters(in, i) == 0)
            continue;
        status = i == fixed ? measure_values(in, i) : measure(in, i, &in->sections.size[i]);
    }
    if (status < 0)
        return -1;
    const char *problem = ts_sections_problem(&in->sections, p->n, in->core->filtered, in->size);
    if (problem)
        return TS_ERR(DATASET, BADVALUE, "the chunk that is to be written: %s", problem);
    memcpy(in->bytes + in->size, &in->sections, sizeof in->sections);
    return 0;
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

static int check_inside(const struct incoming *in, const struct ts_struct_chunk *c)
{
    enum { PORTION = 128 };
    const struct ts_layout *l = &in->core->layout;
    struct ts_run runs[PORTION];
    struct ts_run_cursor cursor = {0};
    hsize_t limit[H5S_MAX_RANK];
    size_t n;
    for (unsigned d = 0; d < in->core->rank; d++) {
        hsize_t left = in->core->sc.dims[d] - in->scaled[d] * l->chunk.dims[d];
        limit[d] = left < l->chunk.dims[d] ? left : l->chunk.dims[d];
    }
    while ((n = ts_run_set_next(c->set, &cursor, runs, PORTION)) > 0)
        for (size_t i = 0; i < n; i++)
            if (!is_inside(l, limit, runs[i]))
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

static int read_box(const struct reading *r, const struct ts_struct_box *box)
{
    size_t size = ts_struct_element_size(r->core);
    for (uint32_t i = 0, n; i < box->n; i += n) {
        n = box->n - i < AT_ONCE ? box->n - i : AT_ONCE;
        memcpy(r->buf, box->values + i * size, n * size);
        if (ts_conv_run(r->path, &r->env, n, r->buf, NULL) < 0)
            return -1;
        ts_reclaim(r->memory, &r->reclaim, n, r->buf);
    }
    return 0;
}

static int read_values(struct ts_dataset_core *core, struct ts_struct_chunk *c)
{
    struct ts_vl_source source;
    struct reading r = {.core = core, .memory = ts_type_ref(core->type),
                        .env = {.source = &source, .chunk = &c->heap, .src_id = -1, .dst_id = -1,
                                .dxpl = H5P_DATASET_XFER_DEFAULT}};
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
    for (size_t i = 0; i < c->n_boxes && status == 0; i++)
        status = read_box(&r, &c->boxes[i]);
    ts_free(r.buf);
    ts_conv_path_unref(r.path);
    ts_type_unref(r.memory);
    return status;
}

/* 1 when it is sound and has elements, 0 when it has none. */
static int check_chunk(const struct incoming *in)
{
    struct ts_struct_chunk *c;
    if (decode(in, true, &c) < 0)
        return -1;
    int status = in->edge && c->set ? check_inside(in, c) : 0;
    /* Elements that share bytes of the heap would lose them when one is overwritten. */
    if (status == 0 && in->core->chunk_type)
        status = ts_struct_check_heap(in->core, c) < 0 ? -1 : read_values(in->core, c);
    if (status == 0)
        status = !c->set || ts_run_set_count(c->set) > 0;
    ts_struct_chunk_free(c);
    return status;
}

static int check_incoming(struct incoming *in)
{
    if (check_parts(in) < 0 || join(in) < 0 || complete_sections(in) < 0)
        return -1;
    int full = in->size > 0 ? check_chunk(in) : 0;
    if (full == 0)
        in->size = 0;
    return full < 0 ? -1 : 0;
}

/* What the cache has of the chunk is written, so that it is not lost when the new one cannot be. */
static int settle_chunk(struct ts_dataset_core *core, const hsize_t *scaled, struct ts_sc_stored *at)
{
    size_t size = 0;
    return H5SC_direct_chunk_read(&core->sc, scaled, at, NULL, &size);
}

static int store(struct incoming *in)
{
    struct ts_sc_stored at, to = {.addr = HADDR_UNDEF, .size = in->size};
    int had = settle_chunk(in->core, in->scaled, &at);
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

static int read_sections(struct ts_dataset_core *core, const struct ts_chunk_rec *rec, void *const *bufs)
{
    const struct ts_chunk_sections *s = &rec->sections;
    for (unsigned i = 0; i < s->n; i++) {
        uint64_t size = ts_section_stored(s, i, rec->size);
        if (bufs[i] && size > 0 && ts_file_read(core->file, rec->addr + s->offset[i], (size_t)size, bufs[i]) < 0)
            return -1;
    }
    return 0;
}

static int read_chunk(struct ts_dataset_core *core, const hsize_t *offset, void *const *bufs, struct ts_chunk_rec *out)
{
    struct ts_sc_stored at;
    *out = (struct ts_chunk_rec){.addr = HADDR_UNDEF};
    int found = ts_chunk_position(core, offset, out->scaled) < 0 ? -1 : settle_chunk(core, out->scaled, &at);
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
