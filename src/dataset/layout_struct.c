/* Structured chunks in an index: sparse ones, which know which of their elements are defined, and dense ones of
 * elements of variable length. What they refer to is in the chunk; in memory they are struct ts_struct_chunk. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/chunks.h"
#include "dataset/layouts.h"
#include "dataset/struct_chunk.h"

static unsigned long long addr_of(const struct ts_dataset_core *core)
{
    return core->addr;
}

static unsigned n_sections(const struct ts_dataset_core *core)
{
    return ts_struct_sections(core->layout.chunk.struct_type);
}

static const struct ts_pipeline *data_pipeline(const struct ts_dataset_core *core)
{
    return &core->sections.section[ts_struct_fixed_section(core->layout.chunk.struct_type)];
}

static int query(void *owner, hsize_t *chunk_dims, struct ts_sc_layout *out)
{
    const struct ts_dataset_core *core = owner;
    memcpy(chunk_dims, core->layout.chunk.dims, core->rank * sizeof *chunk_dims);
    *out = (struct ts_sc_layout){.coded = true, .sparse = ts_struct_is_sparse(core), .any_thread = true};
    for (unsigned i = 0; i < n_sections(core); i++)
        out->any_thread = out->any_thread && ts_pipeline_any_thread(&core->sections.section[i]);
    out->partial_bound_differs = core->filtered && core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL;
    return 0;
}

/* Sizes in the index are believed only as far as the file goes. */
static int check(const struct ts_dataset_core *core, const struct ts_chunk_rec *rec)
{
    const char *problem = ts_sections_problem(&rec->sections, n_sections(core), core->filtered, rec->size);
    if (problem)
        return TS_ERR(DATASET, BADVALUE, "dataset at %#llx: the chunk at %#llx: %s", addr_of(core),
                      (unsigned long long)rec->addr, problem);
    if (!ts_file_has(core->file, rec->addr, rec->size))
        return TS_ERR(IO, READERROR, "dataset at %#llx: a chunk of %llu bytes at %#llx lies behind the end of the file",
                      addr_of(core), (unsigned long long)rec->size, (unsigned long long)rec->addr);
    return 0;
}

/* Bytes in memory, about: no more than the chunk can have. */
static void estimate(const struct ts_dataset_core *core, const struct ts_chunk_sections *s, struct ts_sc_stored *at)
{
    size_t bins = (size_t)(core->chunk_elements / TS_RUN_BIN_SIZE + 1), bytes = 0;
    for (unsigned i = ts_struct_is_sparse(core); i < s->n; i++)
        bytes += (size_t)(s->size[i] < core->chunk_bytes ? s->size[i] : core->chunk_bytes);
    at->defined_hint =
        sizeof(struct ts_struct_chunk) + bins * (sizeof(struct ts_struct_bin) + sizeof(struct ts_run_bin));
    if (ts_struct_is_sparse(core))
        at->defined_hint += (size_t)(s->size[0] < core->chunk_elements ? s->size[0] : core->chunk_elements);
    at->hint = at->defined_hint + bytes;
}

/* What the index says of a chunk, if it has it. One of no bytes has no elements either. */
static int describe(struct ts_dataset_core *core, bool found, const struct ts_chunk_rec *rec, struct ts_sc_stored *at)
{
    *at = (struct ts_sc_stored){.addr = HADDR_UNDEF};
    if (!found || rec->size == 0)
        return 0;
    if (check(core, rec) < 0 || !(at->udata = ts_memdup(&rec->sections, sizeof rec->sections)))
        return -1;
    at->addr = rec->addr;
    at->size = rec->size;
    if (ts_struct_is_sparse(core))
        at->defined_size = ts_section_stored(&rec->sections, 0, rec->size);
    estimate(core, &rec->sections, at);
    return 0;
}

static int lookup(void *owner, struct ts_sc_spot *spots, size_t n)
{
    return ts_chunks_lookup(owner, spots, n, describe);
}

static int fill_bins(struct ts_dataset_core *core, struct ts_struct_chunk *c, bool fill)
{
    for (size_t i = 0; i < c->n_bins; i++) {
        memset(c->bins[i].values, 0, c->bins[i].n * ts_struct_element_size(core));
        if (fill && ts_struct_fill_values(core, c, c->bins[i].n, c->bins[i].values) < 0)
            return -1;
    }
    return 0;
}

static int new_chunk(void *owner, bool fill, struct ts_sc_data *d)
{
    struct ts_dataset_core *core = owner;
    struct ts_struct_chunk *c;
    if (ts_struct_chunk_new(core, &c) < 0)
        return -1;
    if (!c->set && fill_bins(core, c, fill) < 0) {
        ts_struct_chunk_free(c);
        return -1;
    }
    d->chunk = c;
    ts_struct_chunk_count(core, d);
    return 0;
}

static void evict(void *owner, struct ts_sc_data *d)
{
    (void)owner;
    ts_struct_chunk_free(d->chunk);
    *d = (struct ts_sc_data){0};
}

static void evict_values(void *owner, struct ts_sc_data *d)
{
    struct ts_struct_chunk *c = d->chunk;
    ts_struct_values_free(c);
    c->no_values = true;
    ts_struct_chunk_count(owner, d);
}

static int condense(void *owner, struct ts_sc_data *d)
{
    struct ts_dataset_core *core = owner;
    struct ts_struct_chunk *c = d->chunk;
    size_t size = ts_struct_element_size(core);
    int status = 0;
    for (size_t i = 0; i < c->n_bins; i++) {
        struct ts_struct_bin *b = &c->bins[i];
        if (b->n == b->capacity)
            continue;
        uint8_t *values = ts_realloc(b->values, b->n * size);
        if (!values) {
            status = -1;
            break;
        }
        c->values_alloc -= b->capacity - b->n;
        b->values = values;
        b->capacity = b->n;
    }
    ts_chunk_heap_condense(&c->heap);
    ts_struct_chunk_count(core, d);
    return status;
}

/* Values that are moved between a chunk and the application, as pieces of one bin. */
enum { BATCH = 256 };

struct move {
    struct ts_dataset_core *core;
    struct ts_struct_chunk *c;
    struct ts_xfer *xfer;
    bool one_by_one; /* an element that comes again must find what it was before */
    size_t bin, n, n_missing;
    struct ts_piece pieces[BATCH], missing[BATCH];
};

static int flush_defined(struct move *m)
{
    size_t n = m->n;
    m->n = 0;
    return n > 0 ? ts_xfer_memory(m->xfer, m->c->bins[m->bin].values, m->pieces, n) : 0;
}

static int move_defined(void *ctx, size_t bin, const struct ts_piece *p)
{
    struct move *m = ctx;
    if (m->n > 0 && bin == m->bin && !m->one_by_one && ts_piece_join(&m->pieces[m->n - 1], p))
        return 0;
    if ((bin != m->bin || m->n == BATCH || m->one_by_one) && flush_defined(m) < 0)
        return -1;
    m->bin = bin;
    m->pieces[m->n++] = *p;
    return 0;
}

static int flush_missing(struct move *m)
{
    size_t n = m->n_missing;
    m->n_missing = 0;
    return n > 0 ? ts_dataset_core_read_fill(m->core, m->xfer, m->missing, n) : 0;
}

static int move_missing(void *ctx, const struct ts_piece *p)
{
    struct move *m = ctx;
    struct ts_piece piece = *p;
    struct ts_piece *last = m->n_missing > 0 ? &m->missing[m->n_missing - 1] : NULL;
    /* Where it comes from is nowhere. */
    piece.src = piece.mem;
    piece.src_step = piece.mem_step;
    if (last && ts_piece_join(last, &piece))
        return 0;
    if (m->n_missing == BATCH && flush_missing(m) < 0)
        return -1;
    m->missing[m->n_missing++] = piece;
    return 0;
}

/* There is nothing to convert. */
static void copy_piece(const struct ts_xfer *x, const uint8_t *values, const struct ts_piece *p)
{
    memcpy(x->buf + p->mem * x->mem_size, values + p->src * x->src_size, (size_t)p->n * x->src_size);
}

/* Members of the chunk's own set: their ordinals say where the values are. */
static int move_members(struct move *m, const struct ts_piece *pieces, size_t n)
{
    const struct ts_struct_bin *bins = m->c->bins;
    size_t bin = 0;
    hsize_t before = 0;
    for (size_t i = 0; i < n; i++)
        for (hsize_t done = 0, some; done < pieces[i].n; done += some) {
            hsize_t src = pieces[i].src + done, left = pieces[i].n - done;
            while (src - before >= bins[bin].n)
                before += bins[bin++].n;
            hsize_t here = before + bins[bin].n - src;
            some = left < here ? left : here;
            struct ts_piece part = {.src = src - before, .mem = pieces[i].mem + done, .n = some, .count = 1};
            if (!m->xfer->path)
                copy_piece(m->xfer, bins[bin].values, &part);
            else if (move_defined(m, bin, &part) < 0)
                return -1;
        }
    return 0;
}

struct elements {
    struct ts_piece *items;
    size_t n, capacity;
};

/* The members of a run, the first of which has this ordinal, that pieces from *at on name. */
static int add_elements(struct elements *out, const struct ts_sc_move *how, size_t *at, struct ts_run run,
                        hsize_t ordinal)
{
    for (; *at < how->n && how->pieces[*at].src < ordinal + run.length; ++*at) {
        const struct ts_piece *p = &how->pieces[*at];
        hsize_t from = p->src > ordinal ? p->src : ordinal, end = ordinal + run.length, behind = p->src + p->n;
        struct ts_piece part = {.src = run.offset + (from - ordinal), .mem = p->mem + (from - p->src), .count = 1};
        part.n = (behind < end ? behind : end) - from;
        if (TS_GROW(out->items, out->capacity, out->n + 1) < 0)
            return -1;
        out->items[out->n++] = part;
        if (behind > end)
            break;
    }
    return 0;
}

/* The chunk has changed since the set was made: which of its elements are still defined must be found. */
static int visit_members(const struct ts_struct_chunk *c, const struct ts_sc_move *how,
                         const struct ts_struct_visitor *v)
{
    struct elements list = {0};
    struct ts_run_cursor cursor = {0};
    struct ts_run runs[BATCH];
    hsize_t ordinal = 0;
    size_t at = 0;
    int status = 0;
    for (size_t n; status == 0 && (n = ts_run_set_next(how->set, &cursor, runs, BATCH)) > 0;)
        for (size_t i = 0; i < n && status == 0; i++) {
            status = add_elements(&list, how, &at, runs[i], ordinal);
            ordinal += runs[i].length;
        }
    if (status == 0)
        status = ts_struct_visit(c, list.items, list.n, v);
    ts_free(list.items);
    return status;
}

static int visit(struct move *m, const struct ts_sc_move *how, const struct ts_struct_visitor *v)
{
    if (!how->set)
        return ts_struct_visit(m->c, how->pieces, how->n, v);
    return m->c->set && ts_run_set_equal(m->c->set, how->set) ? move_members(m, how->pieces, how->n)
                                                              : visit_members(m->c, how, v);
}

static int scatter(void *owner, const struct ts_sc_move *how, const struct ts_sc_data *d)
{
    struct move m;
    m.core = owner;
    m.c = d->chunk;
    m.xfer = how->xfer;
    m.bin = m.n = m.n_missing = 0;
    m.one_by_one = false;
    struct ts_struct_visitor v = {.defined = move_defined, .missing = move_missing, .ctx = &m};
    struct ts_struct_heap_use use;
    if (ts_struct_heap_begin(&use, m.xfer, ts_struct_has_heap(m.core) ? &m.c->heap : NULL) < 0)
        return -1;
    int status = visit(&m, how, &v);
    if (status == 0)
        status = flush_defined(&m);
    if (status == 0)
        status = flush_missing(&m);
    return ts_struct_heap_end(&use, m.xfer, status);
}

static int gather_values(struct move *m, const struct ts_sc_move *how, bool last)
{
    struct ts_struct_visitor v = {.defined = move_defined, .ctx = m};
    struct ts_struct_heap_use use;
    bool heap = ts_struct_has_heap(m->core);
    int overlaps = heap && !last ? ts_struct_overlaps(how->pieces, how->n) : 0;
    m->one_by_one = overlaps > 0;
    if (overlaps < 0 || ts_struct_heap_begin(&use, m->xfer, heap ? &m->c->heap : NULL) < 0)
        return -1;
    int status =
        last ? ts_struct_visit_last(m->c, how->pieces, how->n, &v) : ts_struct_visit(m->c, how->pieces, how->n, &v);
    if (status == 0)
        status = flush_defined(m);
    return ts_struct_heap_end(&use, m->xfer, status);
}

static int gather(void *owner, const struct ts_sc_move *how, struct ts_sc_data *d)
{
    struct ts_dataset_core *core = owner;
    struct move m;
    m.core = core;
    m.c = d->chunk;
    m.xfer = how->xfer;
    m.bin = m.n = 0;
    /* Copying cannot fail and sets all bytes. */
    bool fill_first = m.xfer->path || ts_struct_has_heap(core);
    int status = ts_struct_define(core, m.c, how->pieces, how->n, fill_first);
    if (status >= 0)
        status = gather_values(&m, how, status > 0);
    ts_struct_tidy_heap(core, m.c);
    ts_struct_chunk_count(core, d);
    return status;
}

static int fill_defined(void *ctx, size_t bin, const struct ts_piece *p)
{
    struct move *m = ctx;
    size_t size = ts_struct_element_size(m->core);
    for (hsize_t k = 0; k < p->count; k++) {
        uint8_t *at = m->c->bins[bin].values + (p->src + k * p->src_step) * size;
        ts_chunk_heap_erase(&m->c->heap, m->core->chunk_type, (size_t)p->n, at);
        if (ts_struct_fill_values(m->core, m->c, (size_t)p->n, at) < 0)
            return -1;
    }
    return 0;
}

/* Only of chunks that have all their elements: what others lose is undefined. */
static int fill(void *owner, const struct ts_piece *pieces, size_t n, struct ts_sc_data *d)
{
    struct move m;
    m.core = owner;
    m.c = d->chunk;
    struct ts_struct_visitor v = {.defined = fill_defined, .ctx = &m};
    int status = ts_struct_visit(m.c, pieces, n, &v);
    ts_struct_tidy_heap(m.core, m.c);
    ts_struct_chunk_count(m.core, d);
    return status;
}

static int erase_values(void *owner, const struct ts_sc_move *how, struct ts_sc_data *d, bool *delete_chunk)
{
    struct ts_dataset_core *core = owner;
    struct ts_struct_chunk *c = d->chunk;
    int status = ts_struct_undefine(core, c, how->pieces, how->n);
    *delete_chunk = status == 0 && ts_run_set_count(c->set) == 0;
    ts_struct_tidy_heap(core, c);
    ts_struct_chunk_count(core, d);
    return status;
}

static int defined_values(void *owner, const struct ts_sc_move *m, const struct ts_sc_data *d, ts_sc_runs_fn *fn,
                          void *ctx)
{
    (void)owner;
    return ts_struct_defined(d->chunk, m->pieces, m->n, fn, ctx);
}

static int defined_set(void *owner, const struct ts_sc_data *d, struct ts_run_set **out)
{
    const struct ts_struct_chunk *c = d->chunk;
    (void)owner;
    *out = c->set ? ts_run_set_ref(c->set) : NULL;
    return c->unordered;
}

/* Values where they are in the file. */
struct places {
    const struct ts_struct_chunk *c;
    size_t bin;     /* of which `before` is known */
    hsize_t before; /* values in the bins before it */
    struct ts_piece *items;
    size_t n, capacity;
};

static int add_values(void *ctx, size_t bin, const struct ts_piece *piece)
{
    struct places *out = ctx;
    struct ts_piece p = *piece;
    if (bin != out->bin) {
        out->before = ts_run_set_rank(out->c->set, (uint64_t)bin * TS_RUN_BIN_SIZE);
        out->bin = bin;
    }
    p.src += out->before;
    if (out->n > 0 && ts_piece_join(&out->items[out->n - 1], &p))
        return 0;
    if (TS_GROW(out->items, out->capacity, out->n + 1) < 0)
        return -1;
    out->items[out->n++] = p;
    return 0;
}

static int has_no_value(void *ctx, const struct ts_piece *piece)
{
    (void)ctx;
    (void)piece;
    return 1;
}

/* Elements of no heap, whose values no filter changes and which stand in the file in the order of the elements. */
static int vector_access(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    const struct ts_dataset_core *core = owner;
    const struct ts_chunk_sections *sections = a->at->udata;
    if (ts_struct_has_heap(core) || data_pipeline(core)->n > 0 || !sections)
        return 0;
    if (!a->data) {
        out->require_defined = true;
        return 0;
    }
    struct places list = {.c = a->data->chunk, .bin = SIZE_MAX};
    struct ts_struct_visitor v = {.defined = add_values, .missing = has_no_value, .ctx = &list};
    if (list.c->unordered)
        return 0;
    int status = ts_struct_visit(list.c, a->pieces, a->n, &v);
    if (status != 0) {
        ts_free(list.items);
        return status < 0 ? -1 : 0;
    }
    out->possible = true;
    out->addr = a->at->addr + sections->offset[ts_struct_fixed_section(core->layout.chunk.struct_type)];
    out->pieces = list.items;
    out->n = list.n;
    return 0;
}

/* What both kinds of layout do. */
#define STRUCT_OPS                                                                                                     \
    .lookup = lookup, .decode = ts_struct_decode, .new_chunk = new_chunk, .condense = condense,                        \
    .encode = ts_struct_encode, .evict = evict, .place = ts_chunks_place, .insert = ts_chunks_insert,                  \
    .displace = ts_chunks_displace, .scatter_mem = scatter, .gather_mem = gather, .layout_query = query,               \
    .delete_chunk = ts_chunks_delete, .read_missing = ts_layout_read_missing, .describe = ts_layout_describe,          \
    .fate = ts_layout_fate

const struct ts_sc_layout_ops ts_layout_sparse = {
    STRUCT_OPS,
    .decode_defined_values = ts_struct_decode_defined,
    .vector_read = vector_access,
    .vector_write = vector_access,
    .defined_values = defined_values,
    .defined_set = defined_set,
    .erase_values = erase_values,
    .evict_values = evict_values,
};

const struct ts_sc_layout_ops ts_layout_vl = {
    STRUCT_OPS,
    .fill = fill,
};
