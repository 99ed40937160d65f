#include "index/chunk_index.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "index/chunk_kinds.h"

int ts_chunk_set_order(struct ts_chunk_index *ix, unsigned slowest)
{
    unsigned n = 0;
    ix->order[n++] = slowest;
    for (unsigned i = 0; i < ix->rank; i++)
        if (i != slowest)
            ix->order[n++] = i;
    uint64_t chunks = 1;
    for (unsigned k = ix->rank; k-- > 0;) {
        ix->stride[ix->order[k]] = chunks;
        if (k > 0 && !ts_mul_u64(chunks, ix->max_chunks[ix->order[k]], &chunks))
            return TS_ERR(DATASET, OVERFLOW, "dataset with more chunks than can be counted");
    }
    return 0;
}

int ts_chunk_number(const struct ts_chunk_index *ix, const hsize_t *scaled, uint64_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < ix->rank; i++) {
        uint64_t part;
        if (scaled[i] >= ix->max_chunks[i] || !ts_mul_u64(scaled[i], ix->stride[i], &part) ||
            !ts_add_u64(*number, part, number))
            return 0;
    }
    return 1;
}

void ts_chunk_from_number(const struct ts_chunk_index *ix, uint64_t number, hsize_t *scaled)
{
    for (unsigned k = 0; k < ix->rank; k++) {
        uint64_t stride = ix->stride[ix->order[k]];
        scaled[ix->order[k]] = number / stride;
        number %= stride;
    }
}

int ts_chunk_set_size_width(struct ts_chunk_index *ix, size_t size)
{
    size_t addr_size = ts_file_addr_size(ix->file), rest = size - addr_size;
    bool good = size >= addr_size && (ix->filtered ? rest > 4 && rest <= 12 : rest == 0);
    if (!good)
        return TS_ERR(DATASET, BADSIZE, "chunk index with %zu bytes for a %s chunk", size,
                      ix->filtered ? "filtered" : "plain");
    ix->size_width = ix->filtered ? (unsigned)rest - 4 : 0;
    return 0;
}

void ts_chunk_element_decode(const struct ts_chunk_index *ix, const uint8_t *element, struct ts_chunk_rec *out)
{
    unsigned addr_size = ts_file_addr_size(ix->file);
    struct ts_rd r = ts_rd_init(element, addr_size + (ix->filtered ? ix->size_width + 4 : 0));
    out->addr = ts_rd_addr(&r, addr_size);
    out->size = ix->filtered ? ts_rd_uint(&r, ix->size_width) : ix->chunk_bytes;
    out->filter_mask = ix->filtered ? ts_rd_u32(&r) : 0;
}

static int single_open(struct ts_chunk_index *ix, const struct ts_layout *layout)
{
    bool filtered = layout->chunk.flags & TS_CHUNK_SINGLE_FILTERED;
    ix->single.size = filtered ? layout->chunk.u.single.filtered_size : ix->chunk_bytes;
    ix->single.filter_mask = filtered ? layout->chunk.u.single.filter_mask : 0;
    return 0;
}

static int single_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    for (unsigned i = 0; i < ix->rank; i++)
        if (scaled[i] != 0)
            return 0;
    out->addr = ix->addr;
    out->size = ix->single.size;
    out->filter_mask = ix->single.filter_mask;
    return 1;
}

static int single_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct ts_chunk_rec rec = {.addr = ix->addr, .size = ix->single.size, .filter_mask = ix->single.filter_mask};
    return visit(&rec, ctx);
}

static const struct ts_chunk_kind single = {.open = single_open, .lookup = single_lookup, .iterate = single_iterate};

static int implicit_open(struct ts_chunk_index *ix, const struct ts_layout *layout)
{
    (void)layout;
    for (unsigned i = 0; i < ix->rank; i++)
        if (ix->max_chunks[i] == H5S_UNLIMITED)
            return TS_ERR(DATASET, BADVALUE, "dimension %u of a dataset without a chunk index is unlimited", i);
    if (ix->filtered)
        return TS_ERR(DATASET, BADVALUE, "filtered dataset without a chunk index");
    return ts_chunk_set_order(ix, 0);
}

static int implicit_record(const struct ts_chunk_index *ix, uint64_t number, struct ts_chunk_rec *out)
{
    uint64_t offset;
    if (!ts_mul_u64(number, ix->chunk_bytes, &offset) || !ts_add_u64(ix->addr, offset, &out->addr) ||
        !ts_file_has(ix->file, out->addr, ix->chunk_bytes))
        return TS_ERR(DATASET, BADRANGE, "chunk %llu of the array at %#llx lies behind the end of the file",
                      (unsigned long long)number, (unsigned long long)ix->addr);
    out->size = ix->chunk_bytes;
    out->filter_mask = 0;
    return 1;
}

static int implicit_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    uint64_t number;
    return ts_chunk_number(ix, scaled, &number) ? implicit_record(ix, number, out) : 0;
}

/* Space is there for the chunks of the largest extent; those outside the present one are not the dataset's yet. */
static int implicit_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct ts_chunk_rec rec = {0};
    unsigned i = 0;
    for (unsigned k = 0; k < ix->rank; k++)
        if (ix->chunks[k] == 0)
            return 0;
    while (i < ix->rank) {
        int status = implicit_lookup(ix, rec.scaled, &rec);
        if (status == 1)
            status = visit(&rec, ctx);
        if (status != 0)
            return status;
        for (i = 0; i < ix->rank; i++) {
            unsigned k = ix->rank - 1 - i;
            if (++rec.scaled[k] < ix->chunks[k])
                break;
            rec.scaled[k] = 0;
        }
    }
    return 0;
}

static const struct ts_chunk_kind implicit = {
    .open = implicit_open, .lookup = implicit_lookup, .iterate = implicit_iterate};

static const struct ts_chunk_kind *const kinds[] = {
    [TS_CHUNK_INDEX_BTREE1] = &ts_chunk_btree1,
    [TS_CHUNK_INDEX_SINGLE] = &single,
    [TS_CHUNK_INDEX_IMPLICIT] = &implicit,
    [TS_CHUNK_INDEX_FIXED_ARRAY] = &ts_chunk_fixed_array,
    [TS_CHUNK_INDEX_EXT_ARRAY] = &ts_chunk_ext_array,
    [TS_CHUNK_INDEX_BTREE2] = &ts_chunk_btree2,
};

static int set_geometry(struct ts_chunk_index *ix, const struct ts_chunk_geometry *g)
{
    if (g->rank == 0 || g->rank > H5S_MAX_RANK || g->chunk_bytes == 0)
        return TS_ERR(DATASET, BADVALUE, "chunks of rank %u and %llu bytes", g->rank,
                      (unsigned long long)g->chunk_bytes);
    ix->rank = g->rank;
    ix->chunk_bytes = g->chunk_bytes;
    ix->filtered = g->filtered;
    for (unsigned i = 0; i < g->rank; i++) {
        if (g->chunk_dims[i] == 0)
            return TS_ERR(DATASET, BADVALUE, "chunks of size 0 in dimension %u", i);
        ix->chunk_dims[i] = g->chunk_dims[i];
        ix->chunks[i] = ts_div_ceil(g->dims[i], g->chunk_dims[i]);
        ix->max_chunks[i] =
            g->max_dims[i] == H5S_UNLIMITED ? H5S_UNLIMITED : ts_div_ceil(g->max_dims[i], g->chunk_dims[i]);
    }
    return 0;
}

static bool can_hold_chunks(const struct ts_chunk_index *ix)
{
    for (unsigned i = 0; i < ix->rank; i++)
        if (ix->max_chunks[i] == 0)
            return false;
    return true;
}

int ts_chunk_index_open(struct ts_file *f, const struct ts_layout *layout, const struct ts_chunk_geometry *g,
                        struct ts_chunk_index **out)
{
    unsigned kind = (unsigned)layout->chunk.index;
    if (layout->cls != H5D_CHUNKED || kind >= sizeof kinds / sizeof *kinds)
        return TS_ERR(DATASET, UNSUPPORTED, "layout class %d with chunk index %u", (int)layout->cls, kind);
    struct ts_chunk_index *ix = ts_calloc(1, sizeof *ix);
    if (!ix)
        return -1;
    ix->file = f;
    ix->addr = layout->addr;
    int status = set_geometry(ix, g);
    if (status == 0 && layout->addr != HADDR_UNDEF && can_hold_chunks(ix)) {
        ix->kind = kinds[kind];
        status = ix->kind->open(ix, layout);
    }
    if (status < 0) {
        ts_free(ix);
        return -1;
    }
    *out = ix;
    return 0;
}

void ts_chunk_index_close(struct ts_chunk_index *ix)
{
    if (ix && ix->kind && ix->kind->close)
        ix->kind->close(ix);
    ts_free(ix);
}

int ts_chunk_index_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    if (!ix->kind)
        return 0;
    memcpy(out->scaled, scaled, ix->rank * sizeof *scaled);
    return ix->kind->lookup(ix, scaled, out);
}

int ts_chunk_index_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    return ix->kind ? ix->kind->iterate(ix, visit, ctx) : 0;
}

int ts_chunk_index_storage(struct ts_chunk_index *ix, uint64_t *bytes)
{
    *bytes = 0;
    return ix->kind && ix->kind->storage ? ix->kind->storage(ix, bytes) : 0;
}
