#include "index/chunk_index.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "file/alloc.h"
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

size_t ts_chunk_element_size(const struct ts_chunk_index *ix)
{
    /* One byte more than the size before filters needs, for filters may enlarge. */
    unsigned width = 1 + (ts_log2_floor(ix->chunk_bytes) + 8) / 8;
    return ts_file_addr_size(ix->file) + (ix->filtered ? (width > 8 ? 8 : width) + 4 : 0);
}

static void put_uint(uint8_t **at, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        *(*at)++ = (uint8_t)(v >> 8 * i);
}

int ts_chunk_element_encode(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, uint8_t *element)
{
    if (ix->filtered ? ix->size_width < 8 && rec->size >> 8 * ix->size_width : rec->size != ix->chunk_bytes)
        return TS_ERR(DATASET, CANTENCODE, "chunk of %llu bytes in an index of chunks of %llu",
                      (unsigned long long)rec->size, (unsigned long long)ix->chunk_bytes);
    put_uint(&element, rec->addr, ts_file_addr_size(ix->file));
    if (ix->filtered) {
        put_uint(&element, rec->size, ix->size_width);
        put_uint(&element, rec->filter_mask, 4);
    }
    return 0;
}

static int single_open(struct ts_chunk_index *ix)
{
    const struct ts_layout *layout = &ix->layout;
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

static int single_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, haddr_t *holder)
{
    if (!ix->filtered && rec->size != ix->chunk_bytes)
        return TS_ERR(DATASET, CANTENCODE, "chunk of %llu bytes, not of %llu", (unsigned long long)rec->size,
                      (unsigned long long)ix->chunk_bytes);
    ix->addr = rec->addr;
    ix->single.size = rec->size;
    ix->single.filter_mask = rec->filter_mask;
    *holder = HADDR_UNDEF;
    return 0;
}

static int single_remove(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    (void)scaled;
    ix->addr = HADDR_UNDEF;
    ix->single.size = 0;
    ix->single.filter_mask = 0;
    return 0;
}

static int single_destroy(struct ts_chunk_index *ix)
{
    return single_remove(ix, NULL);
}

static const struct ts_chunk_kind single = {.open = single_open,
                                            .lookup = single_lookup,
                                            .iterate = single_iterate,
                                            .insert = single_insert,
                                            .remove = single_remove,
                                            .destroy = single_destroy};

static int implicit_open(struct ts_chunk_index *ix)
{
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

/* Bytes of all chunks that can ever be. */
static int implicit_size(const struct ts_chunk_index *ix, uint64_t *bytes)
{
    *bytes = ix->chunk_bytes;
    for (unsigned i = 0; i < ix->rank; i++)
        if (!ts_mul_u64(*bytes, ix->max_chunks[i], bytes))
            return TS_ERR(DATASET, OVERFLOW, "dataset with more bytes than can be counted");
    return 0;
}

static int implicit_create(struct ts_chunk_index *ix, haddr_t *addr)
{
    uint64_t bytes;
    return implicit_size(ix, &bytes) < 0 ? -1 : ts_file_alloc(ix->file, H5FD_MEM_DRAW, bytes, addr);
}

static int implicit_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, haddr_t *holder)
{
    struct ts_chunk_rec at;
    if (implicit_lookup(ix, rec->scaled, &at) != 1 || at.addr != rec->addr || at.size != rec->size)
        return TS_ERR(DATASET, BADVALUE, "chunk at %#llx is not in its place", (unsigned long long)rec->addr);
    *holder = HADDR_UNDEF;
    return 0;
}

static int implicit_destroy(struct ts_chunk_index *ix)
{
    uint64_t bytes;
    if (implicit_size(ix, &bytes) < 0)
        return -1;
    ts_file_free(ix->file, H5FD_MEM_DRAW, ix->addr, bytes);
    return 0;
}

static const struct ts_chunk_kind implicit = {.open = implicit_open,
                                              .lookup = implicit_lookup,
                                              .iterate = implicit_iterate,
                                              .create = implicit_create,
                                              .insert = implicit_insert,
                                              .destroy = implicit_destroy};

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
    ix->layout = *layout;
    int status = set_geometry(ix, g);
    if (status == 0 && can_hold_chunks(ix))
        ix->kind = kinds[kind];
    if (status == 0 && ts_chunk_index_present(ix))
        status = ix->kind->open(ix);
    if (status < 0) {
        ts_free(ix);
        return -1;
    }
    *out = ix;
    return 0;
}

void ts_chunk_index_close(struct ts_chunk_index *ix)
{
    if (ix && ts_chunk_index_present(ix) && ix->kind->close)
        ix->kind->close(ix);
    ts_free(ix);
}

int ts_chunk_index_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    if (!ts_chunk_index_present(ix))
        return 0;
    memcpy(out->scaled, scaled, ix->rank * sizeof *scaled);
    return ix->kind->lookup(ix, scaled, out);
}

/* Records without the coordinates that the dataset does not have. */
struct gathered {
    uint64_t *words;
    size_t n, capacity;
    unsigned rank;
};

static int gather(const struct ts_chunk_rec *rec, void *ctx)
{
    struct gathered *g = ctx;
    size_t per_record = 3 + (size_t)g->rank;
    if (TS_GROW(g->words, g->capacity, g->n + per_record) < 0)
        return -1;
    uint64_t *at = g->words + g->n;
    at[0] = rec->addr;
    at[1] = rec->size;
    at[2] = rec->filter_mask;
    memcpy(at + 3, rec->scaled, g->rank * sizeof *rec->scaled);
    g->n += per_record;
    return 0;
}

/* What is visited may read chunks or change the index, so nothing is pinned then. */
static int iterate_unpinned(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct gathered g = {.rank = ix->rank};
    int status = ix->kind->iterate(ix, gather, &g);
    for (size_t i = 0; status == 0 && i < g.n; i += 3 + (size_t)g.rank) {
        struct ts_chunk_rec rec = {.addr = g.words[i], .size = g.words[i + 1], .filter_mask = (uint32_t)g.words[i + 2]};
        memcpy(rec.scaled, g.words + i + 3, g.rank * sizeof *rec.scaled);
        status = visit(&rec, ctx);
    }
    ts_free(g.words);
    return status;
}

int ts_chunk_index_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    if (!ts_chunk_index_present(ix))
        return 0;
    return ix->file->writable ? iterate_unpinned(ix, visit, ctx) : ix->kind->iterate(ix, visit, ctx);
}

int ts_chunk_index_storage(struct ts_chunk_index *ix, uint64_t *bytes)
{
    *bytes = 0;
    return ts_chunk_index_present(ix) && ix->kind->storage ? ix->kind->storage(ix, bytes) : 0;
}
