#include "index/chunk_index.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/alloc.h"
#include "index/chunk_kinds.h"
#include "index/chunk_marks.h"

static int single_open(struct ts_chunk_index *ix)
{
    const struct ts_layout *layout = &ix->layout;
    bool filtered = layout->chunk.flags & TS_CHUNK_SINGLE_FILTERED;
    ix->single.size = filtered ? layout->chunk.u.single.filtered_size : ix->chunk_bytes;
    ix->single.filter_mask = filtered ? layout->chunk.u.single.filter_mask : 0;
    if (!ix->n_sections)
        return 0;
    ix->single.size = layout->chunk.u.single.filtered_size;
    ix->single.filter_mask = 0;
    ix->single.sections = layout->chunk.u.single.sections;
    const char *problem = ts_sections_problem(&ix->single.sections, ix->n_sections, ix->filtered, ix->single.size);
    if (problem || filtered != ix->filtered)
        return TS_ERR(DATASET, BADVALUE, "single structured chunk of %llu bytes: %s",
                      (unsigned long long)ix->single.size,
                      problem ? problem : "filtered or not, the layout says otherwise");
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
    out->sections = ix->single.sections;
    return 1;
}

static int single_nth(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out)
{
    (void)n;
    *out = (struct ts_chunk_rec){.addr = ix->addr,
                                 .size = ix->single.size,
                                 .filter_mask = ix->single.filter_mask,
                                 .sections = ix->single.sections};
    return 1;
}

static int single_count(struct ts_chunk_index *ix, uint64_t *n)
{
    (void)ix;
    *n = 1;
    return 0;
}

static int single_iterate(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx)
{
    struct ts_chunk_rec rec;
    for (unsigned i = 0; from && i < ix->rank; i++)
        if (from[i] > 0)
            return 0;
    single_nth(ix, 0, &rec);
    return visit(&rec, ctx);
}

static int single_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec)
{
    unsigned width = ix->n_sections ? ts_struct_size_width(ix->layout.chunk.struct_type, ix->chunk_bytes) : 8;
    if (ts_chunk_check(ix, rec) < 0)
        return -1;
    if (width < 8 && rec->size >> 8 * width)
        return TS_ERR(DATASET, CANTENCODE, "chunk of %llu bytes where sizes have %u", (unsigned long long)rec->size,
                      width);
    ix->addr = rec->addr;
    ix->single.size = rec->size;
    ix->single.filter_mask = rec->filter_mask;
    ix->single.sections = rec->sections;
    return 0;
}

static int single_remove(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    (void)scaled;
    ix->addr = HADDR_UNDEF;
    ix->single.size = 0;
    ix->single.filter_mask = 0;
    ix->single.sections = (struct ts_chunk_sections){.n = (uint8_t)ix->n_sections};
    return 0;
}

static int single_destroy(struct ts_chunk_index *ix)
{
    return single_remove(ix, NULL);
}

static const struct ts_chunk_kind single = {.open = single_open,
                                            .lookup = single_lookup,
                                            .iterate = single_iterate,
                                            .count = single_count,
                                            .nth = single_nth,
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
static int implicit_count(struct ts_chunk_index *ix, uint64_t *n)
{
    *n = 1;
    for (unsigned i = 0; i < ix->rank; i++)
        if (!ts_mul_u64(*n, ix->chunks[i], n))
            return TS_ERR(DATASET, OVERFLOW, "dataset with more chunks than can be counted");
    return 0;
}

static int implicit_nth(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out)
{
    for (unsigned i = ix->rank; i-- > 0;) {
        out->scaled[i] = n % ix->chunks[i];
        n /= ix->chunks[i];
    }
    return implicit_lookup(ix, out->scaled, out);
}

/* How many of the present extent come before a position. */
static uint64_t implicit_rank(const struct ts_chunk_index *ix, const hsize_t *at)
{
    uint64_t n = 0;
    bool inside = true; /* in all dimensions so far: else the rest makes no difference */
    for (unsigned i = 0; i < ix->rank; i++) {
        n *= ix->chunks[i];
        if (inside)
            n += at[i] < ix->chunks[i] ? at[i] : ix->chunks[i];
        inside = inside && at[i] < ix->chunks[i];
    }
    return n;
}

static int implicit_iterate(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx)
{
    struct ts_chunk_rec rec = {0};
    uint64_t n;
    int status = implicit_count(ix, &n);
    for (uint64_t i = from ? implicit_rank(ix, from) : 0; status == 0 && i < n; i++) {
        status = implicit_nth(ix, i, &rec);
        if (status == 1)
            status = visit(&rec, ctx);
    }
    return status;
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

static int implicit_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec)
{
    struct ts_chunk_rec at;
    if (implicit_lookup(ix, rec->scaled, &at) != 1 || at.addr != rec->addr || at.size != rec->size)
        return TS_ERR(DATASET, BADVALUE, "chunk at %#llx is not in its place", (unsigned long long)rec->addr);
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
                                              .count = implicit_count,
                                              .nth = implicit_nth,
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
        ix->order[i] = i;
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
    unsigned n_sections = layout->cls == H5D_STRUCT_CHUNK ? ts_struct_sections(layout->chunk.struct_type) : 0;
    bool fits = layout->cls == H5D_CHUNKED ||
                (n_sections > 0 && kind != TS_CHUNK_INDEX_BTREE1 && kind != TS_CHUNK_INDEX_IMPLICIT);
    if (!fits || kind >= sizeof kinds / sizeof *kinds)
        return TS_ERR(DATASET, UNSUPPORTED, "layout class %d with chunk index %u", (int)layout->cls, kind);
    struct ts_chunk_index *ix = ts_calloc(1, sizeof *ix);
    if (!ix)
        return -1;
    atomic_init(&ix->refs, 1);
    ix->file = f;
    ix->addr = layout->addr;
    ix->layout = *layout;
    ix->n_sections = n_sections;
    ix->single.sections.n = (uint8_t)n_sections;
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
    if (!ix || atomic_fetch_sub(&ix->refs, 1) > 1)
        return;
    if (ts_chunk_index_present(ix) && ix->kind->close)
        ix->kind->close(ix);
    ts_chunk_marks_drop(ix);
    ts_free(ix);
}

int ts_chunk_index_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    if (!ts_chunk_index_present(ix))
        return 0;
    memcpy(out->scaled, scaled, ix->rank * sizeof *scaled);
    out->sections.n = 0;
    return ix->kind->lookup(ix, scaled, out);
}

/* Records without the coordinates that the dataset does not have. */
struct gathered {
    uint64_t *words;
    size_t n, capacity;
    unsigned rank;
    size_t section_words, per_record;
};

static int gather(const struct ts_chunk_rec *rec, void *ctx)
{
    struct gathered *g = ctx;
    if (TS_GROW(g->words, g->capacity, g->n + g->per_record) < 0)
        return -1;
    uint64_t *at = g->words + g->n;
    at[0] = rec->addr;
    at[1] = rec->size;
    at[2] = rec->filter_mask;
    memcpy(at + 3, rec->scaled, g->rank * sizeof *rec->scaled);
    memcpy(at + 3 + g->rank, &rec->sections, g->section_words * sizeof *at);
    g->n += g->per_record;
    return 0;
}

/* What is visited may read chunks or change the index, so nothing is pinned then. */
static int iterate_unpinned(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct gathered g = {.rank = ix->rank};
    g.section_words = ix->n_sections ? sizeof(struct ts_chunk_sections) / sizeof *g.words : 0;
    g.per_record = 3 + g.rank + g.section_words;
    int status = ix->kind->iterate(ix, NULL, gather, &g);
    for (size_t i = 0; status == 0 && i < g.n; i += g.per_record) {
        const uint64_t *at = g.words + i;
        struct ts_chunk_rec rec = {.addr = at[0], .size = at[1], .filter_mask = (uint32_t)at[2]};
        memcpy(rec.scaled, at + 3, g.rank * sizeof *rec.scaled);
        memcpy(&rec.sections, at + 3 + g.rank, g.section_words * sizeof *at);
        status = visit(&rec, ctx);
    }
    ts_free(g.words);
    return status;
}

_Static_assert(sizeof(struct ts_chunk_sections) % sizeof(uint64_t) == 0, "sections are gathered as words");

int ts_chunk_index_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    if (!ts_chunk_index_present(ix))
        return 0;
    return ts_file_changes(ix->file) ? iterate_unpinned(ix, visit, ctx) : ix->kind->iterate(ix, NULL, visit, ctx);
}

int ts_chunk_index_iterate_from(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx)
{
    return ts_chunk_index_present(ix) ? ix->kind->iterate(ix, from, visit, ctx) : 0;
}

int ts_chunk_index_count(struct ts_chunk_index *ix, uint64_t *n)
{
    *n = 0;
    if (!ts_chunk_index_present(ix))
        return 0;
    return ix->kind->count ? ix->kind->count(ix, n) : ts_chunk_marks_count(ix, n);
}

int ts_chunk_index_nth(struct ts_chunk_index *ix, uint64_t n, struct ts_chunk_rec *out)
{
    uint64_t count;
    if (!ts_chunk_index_present(ix))
        return 0;
    out->sections.n = 0;
    if (!ix->kind->nth)
        return ts_chunk_marks_nth(ix, n, out);
    if (ix->kind->count(ix, &count) < 0)
        return -1;
    return n < count ? ix->kind->nth(ix, n, out) : 0;
}

void ts_chunk_index_order(const struct ts_chunk_index *ix, unsigned *order)
{
    memcpy(order, ix->order, ix->rank * sizeof *order);
}

uint64_t ts_chunk_index_generation(const struct ts_chunk_index *ix)
{
    return ix->generation;
}

int ts_chunk_index_storage(struct ts_chunk_index *ix, uint64_t *bytes)
{
    *bytes = 0;
    return ts_chunk_index_present(ix) && ix->kind->storage ? ix->kind->storage(ix, bytes) : 0;
}
