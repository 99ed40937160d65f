/* Structured chunks between memory and disk (format/structured_chunk.h). */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "dataset/struct_chunk.h"
#include "filter/filter.h"

enum { CHECKSUM = TS_SECTION_CHECKSUM };

/* Where filters keep the number of elements. */
enum { NBIT_ELEMENTS = 2, SCALEOFFSET_ELEMENTS = 2 };

static unsigned long long addr_of(const struct ts_dataset_core *core)
{
    return core->addr;
}

static unsigned fixed_section(const struct ts_dataset_core *core)
{
    return ts_struct_fixed_section(core->layout.chunk.struct_type);
}

static bool has_checksum(const struct ts_dataset_core *core, unsigned section)
{
    return ts_struct_is_metadata(core->layout.chunk.struct_type, section);
}

static int damaged(const struct ts_dataset_core *core, const struct ts_sc_stored *at, unsigned section,
                   const char *what)
{
    return TS_ERR(DATASET, CANTDECODE, "dataset at %#llx: section %u of the chunk at %#llx: %s", addr_of(core), section,
                  (unsigned long long)at->addr, what);
}

/* Filters were fitted to chunks with all their elements; two of them must know how many there really are. The caller
 * deinits the copy. */
static int fit_pipeline(const struct ts_pipeline *p, uint64_t elements, struct ts_pipeline *out)
{
    *out = (struct ts_pipeline){0};
    if (ts_pipeline_copy(out, p) < 0)
        return -1;
    out->owner = p->owner;
    out->access = p->access;
    for (size_t i = 0; i < out->n; i++) {
        struct ts_filter *f = &out->filters[i];
        size_t at = f->id == H5Z_FILTER_NBIT          ? NBIT_ELEMENTS
                    : f->id == H5Z_FILTER_SCALEOFFSET ? SCALEOFFSET_ELEMENTS
                                                      : 0;
        if (at > 0 && at < f->n_values)
            f->values[at] = (unsigned)elements;
    }
    return 0;
}

static bool wants_elements(const struct ts_pipeline *p)
{
    return ts_pipeline_find(p, H5Z_FILTER_NBIT) || ts_pipeline_find(p, H5Z_FILTER_SCALEOFFSET);
}

/* Chunks at the edge may go without. */
static bool is_filtered(const struct ts_dataset_core *core, const struct ts_sc_coding *how, unsigned section)
{
    return core->sections.section[section].n > 0 &&
           !(how->partial_bound && core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL);
}

/* A section before its filters: borrowed from the stored chunk, or made. */
struct section {
    const uint8_t *bytes;
    size_t size; /* without the checksum */
    void *made;
    bool packed; /* it is a selection that is still packed */
};

/* A stored chunk that is being decoded. */
struct stored {
    struct ts_dataset_core *core;
    const struct ts_sc_coding *how;
    const struct ts_chunk_sections *sections;
    const uint8_t *bytes;
};

/* The selection was packed before all other filters. */
static bool is_packed(const struct stored *s)
{
    const struct ts_pipeline *p = &s->core->sections.section[0];
    return is_filtered(s->core, s->how, 0) && p->filters[0].id == TS_FILTER_SELECTION_PACKING &&
           !(s->sections->mask[0] & 1);
}

/* All but packing. */
static int undo_filters(const struct stored *s, unsigned i, struct section *out)
{
    const struct ts_pipeline *p = &s->core->sections.section[i];
    const struct ts_decoding *one = s->how->transfer;
    size_t wanted = out->size, size = (size_t)ts_section_stored(s->sections, i, s->how->at->size);
    uint32_t mask = s->sections->mask[i] | out->packed;
    struct ts_pipeline fitted = {0};
    /* The thread of the transfer tries again. */
    if (one && one->filter->on_fail && !pthread_equal(one->thread, pthread_self()))
        return TS_ERR(PLINE, CANTFILTER, "a callback of the application is not for workers");
    bool fit = i == fixed_section(s->core) && wants_elements(p);
    if (fit && fit_pipeline(p, wanted / ts_struct_element_size(s->core), &fitted) < 0)
        return -1;
    out->made = ts_memdup(out->bytes, size);
    int status = out->made ? ts_pipeline_decode_with(fit ? &fitted : p, mask, &out->made, &size, wanted,
                                                     one ? one->filter : NULL)
                           : -1;
    ts_pipeline_deinit(&fitted);
    out->bytes = out->made;
    if (out->packed)
        out->size = size;
    else if (status == 0 && size != wanted)
        status = damaged(s->core, s->how->at, i, "it decodes to another number of bytes");
    return status;
}

/* out->made is to be freed in any case. An empty section stays NULL. */
static int load_section(const struct stored *s, unsigned i, struct section *out)
{
    uint64_t size = s->sections->size[i];
    *out = (struct section){0};
    if (size == 0)
        return 0;
    if (size > SIZE_MAX / 2)
        return damaged(s->core, s->how->at, i, "it is too large for this machine");
    out->bytes = s->bytes + s->sections->offset[i];
    out->size = (size_t)size;
    out->packed = i < fixed_section(s->core) && is_packed(s);
    if (is_filtered(s->core, s->how, i))
        return undo_filters(s, i, out);
    return size == ts_section_stored(s->sections, i, s->how->at->size) ? 0
                                                                       : damaged(s->core, s->how->at, i, "wrong size");
}

/* Takes the checksum off. That of the selection is checked where it is decoded. */
static int check_sum(const struct stored *s, unsigned i, struct section *out)
{
    if (out->size == 0 || !has_checksum(s->core, i))
        return 0;
    if (out->size < CHECKSUM)
        return damaged(s->core, s->how->at, i, "it is shorter than its checksum");
    if (!ts_section_has_sum(out->bytes, out->size))
        return damaged(s->core, s->how->at, i, "wrong checksum");
    out->size -= CHECKSUM;
    return 0;
}

/* Values that the fixed data must have room for, by what the index says. */
static uint64_t most_values(const struct stored *s)
{
    unsigned i = fixed_section(s->core);
    uint64_t size = s->sections->size[i];
    if (size > 0 && has_checksum(s->core, i))
        size = size < CHECKSUM ? 0 : size - CHECKSUM;
    return size / ts_struct_element_size(s->core);
}

static int unpack(const struct stored *s, struct section *selection)
{
    const struct ts_decoding *one = s->how->transfer;
    size_t wanted = (size_t)s->sections->size[0];
    if (ts_pipeline_decode_with(&s->core->sections.section[0], ~UINT32_C(1), &selection->made, &selection->size, wanted,
                                one ? one->filter : NULL) < 0)
        return -1;
    selection->bytes = selection->made;
    return selection->size == wanted ? 0 : damaged(s->core, s->how->at, 0, "it decodes to another number of bytes");
}

/* The order of values, and how many there are, as ts_run_set_decode. */
static int read_selection(const struct stored *s, struct section *selection, struct ts_run_set **set, uint32_t **order,
                          size_t *n)
{
    const struct ts_layout *l = &s->core->layout;
    struct ts_selection_section in = {.size = (size_t)s->sections->size[0],
                                      .rank = l->chunk.rank,
                                      .dims = l->chunk.dims,
                                      .most = most_values(s),
                                      .summed = selection->packed};
    int straight = selection->packed ? ts_unpack_selection(selection->bytes, selection->size, &in, set) : 0;
    if (straight == 1) {
        *n = (size_t)ts_run_set_count(*set);
        return 0;
    }
    if (straight < 0 || (selection->packed && unpack(s, selection) < 0))
        return -1;
    in.bytes = selection->bytes;
    return ts_run_set_decode(&in, set, order, n);
}

static int decode_selection(const struct stored *s, struct ts_run_set **set, uint32_t **order, size_t *n)
{
    struct section selection;
    int status = load_section(s, 0, &selection);
    if (status == 0)
        status = read_selection(s, &selection, set, order, n);
    ts_free(selection.made);
    return status;
}

int ts_struct_decode_selection(struct ts_dataset_core *core, const struct ts_sc_coding *how, const uint8_t *bytes,
                               struct ts_run_set **set, size_t *n)
{
    struct stored s = {.core = core, .how = how, .sections = how->at->udata, .bytes = bytes};
    uint32_t *order = NULL;
    int status = decode_selection(&s, set, &order, n);
    ts_free(order);
    return status;
}

/* Values in the order in which points were stored go to the places that they have by their elements. *values is
 * replaced. */
static int sort_values(const struct stored *s, const uint32_t *order, size_t n, uint64_t count, struct section *values)
{
    size_t size = ts_struct_element_size(s->core);
    uint8_t *sorted = ts_malloc((size_t)count * size);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < n; i++)
        memcpy(sorted + order[i] * size, values->bytes + i * size, size);
    ts_free(values->made);
    values->made = sorted;
    values->bytes = sorted;
    values->size = (size_t)count * size;
    return 0;
}

static int spread_values(const struct stored *s, const struct section *values, struct ts_struct_chunk *c)
{
    size_t size = ts_struct_element_size(s->core);
    const uint8_t *from = values->bytes;
    uint64_t before = 0;
    for (size_t i = 0; i < c->n_bins; i++) {
        uint64_t end = c->set ? ts_run_set_rank(c->set, (uint64_t)(i + 1) * TS_RUN_BIN_SIZE)
                              : before + ts_struct_bin_most(s->core, i);
        uint32_t n = (uint32_t)(end - before);
        if (n == 0)
            continue;
        if (ts_struct_bin_room(s->core, c, i, n) < 0)
            return -1;
        memcpy(c->bins[i].values, from, n * size);
        c->bins[i].n = n;
        from += n * size;
        before = end;
    }
    return 0;
}

/* n: values that are stored. */
static int decode_values(const struct stored *s, const uint32_t *order, size_t n, struct ts_struct_chunk *c)
{
    struct section values;
    unsigned i = fixed_section(s->core);
    uint64_t wanted;
    int status = load_section(s, i, &values);
    if (status == 0)
        status = check_sum(s, i, &values);
    if (status == 0 && (!ts_mul_u64(n, ts_struct_element_size(s->core), &wanted) || values.size != wanted))
        status = damaged(s->core, s->how->at, i, "its size is not that of the values");
    if (status == 0 && order)
        status = sort_values(s, order, n, ts_run_set_count(c->set), &values);
    if (status == 0)
        status = spread_values(s, &values, c);
    ts_free(values.made);
    return status;
}

static int decode_heap(const struct stored *s, struct ts_struct_chunk *c)
{
    struct section heap;
    unsigned i = fixed_section(s->core) + 1;
    if (!ts_struct_has_heap(s->core))
        return 0;
    int status = load_section(s, i, &heap);
    if (status == 0)
        status = check_sum(s, i, &heap);
    if (status == 0)
        status = ts_chunk_heap_decode(heap.bytes, heap.size, &c->heap);
    ts_free(heap.made);
    return status;
}

/* Which elements are defined: told already, or decoded. */
static int find_set(const struct stored *s, struct ts_struct_chunk *c, uint32_t **order, size_t *n)
{
    struct ts_run_set *set = s->how->set ? ts_run_set_ref(s->how->set) : NULL;
    if (!set && decode_selection(s, &set, order, n) < 0)
        return -1;
    if (s->how->set)
        *n = (size_t)ts_run_set_count(set);
    ts_run_set_free(c->set);
    c->set = set;
    c->unordered = *order != NULL;
    return 0;
}

static int decode_all(const struct stored *s, bool values, struct ts_struct_chunk *c)
{
    uint32_t *order = NULL;
    size_t n = (size_t)s->core->chunk_elements;
    if (ts_struct_is_sparse(s->core) && find_set(s, c, &order, &n) < 0)
        return -1;
    int status = 0;
    if (values)
        status = decode_values(s, order, n, c) < 0 ? -1 : decode_heap(s, c);
    ts_free(order);
    return status;
}

static int decode(struct ts_dataset_core *core, const struct ts_sc_coding *how, struct ts_sc_data *d, bool values)
{
    struct stored s = {.core = core, .how = how, .sections = how->at->udata, .bytes = d->chunk};
    struct ts_struct_chunk *c;
    /* Nothing of d->chunk is in the cache format before all is. */
    d->used = 0;
    if (!s.sections)
        return TS_ERR(DATASET, CANTDECODE, "dataset at %#llx: a chunk whose sections are not known", addr_of(core));
    if (ts_struct_chunk_new(core, &c) < 0)
        return -1;
    c->no_values = !values;
    if (decode_all(&s, values, c) < 0) {
        ts_struct_chunk_free(c);
        return -1;
    }
    ts_free(d->chunk);
    d->chunk = c;
    ts_struct_chunk_count(core, d);
    return 0;
}

int ts_struct_decode(void *core, const struct ts_sc_coding *how, struct ts_sc_data *d)
{
    return decode(core, how, d, true);
}

int ts_struct_decode_defined(void *core, const struct ts_sc_coding *how, struct ts_sc_data *d)
{
    return decode(core, how, d, false);
}

/* A section on its way to disk. */
struct coded {
    void *bytes; /* from ts_malloc; NULL: it is empty, or its bytes are copied last */
    size_t size;
};

static uint64_t count_values(const struct ts_dataset_core *core, const struct ts_struct_chunk *c)
{
    return c->set ? ts_run_set_count(c->set) : core->chunk_elements;
}

static void copy_values(const struct ts_dataset_core *core, const struct ts_struct_chunk *c, uint8_t *to)
{
    size_t size = ts_struct_element_size(core);
    for (size_t i = 0; i < c->n_bins; i++) {
        if (c->bins[i].n == 0)
            continue;
        memcpy(to, c->bins[i].values, c->bins[i].n * size);
        to += c->bins[i].n * size;
    }
}

static int make_selection(const struct ts_dataset_core *core, const struct ts_struct_chunk *c, struct coded *out)
{
    struct ts_wr w = {0};
    if (ts_run_set_encode(c->set, core->layout.chunk.rank, core->layout.chunk.dims, &w) < 0) {
        ts_wr_free(&w);
        return -1;
    }
    *out = (struct coded){w.data, w.size};
    return 0;
}

static int make_values(const struct ts_dataset_core *core, const struct ts_struct_chunk *c, bool filtered,
                       struct coded *out)
{
    unsigned i = fixed_section(core);
    uint64_t bytes = count_values(core, c) * ts_struct_element_size(core);
    size_t sum = bytes > 0 && has_checksum(core, i) ? CHECKSUM : 0;
    *out = (struct coded){NULL, (size_t)bytes + sum};
    if (bytes == 0 || (sum == 0 && !filtered))
        return 0;
    out->bytes = ts_malloc(out->size);
    if (!out->bytes)
        return -1;
    copy_values(core, c, out->bytes);
    if (sum)
        ts_section_put_sum(out->bytes, (size_t)bytes);
    return 0;
}

static int make_heap(const struct ts_struct_chunk *c, struct coded *out)
{
    *out = (struct coded){0};
    if (c->heap.size == 0)
        return 0;
    out->size = c->heap.size + CHECKSUM;
    uint8_t *bytes = out->bytes = ts_malloc(out->size);
    if (!bytes)
        return -1;
    memcpy(bytes, c->heap.bytes, c->heap.size);
    ts_section_put_sum(bytes, c->heap.size);
    return 0;
}

static int make_section(const struct ts_dataset_core *core, const struct ts_struct_chunk *c, unsigned i, bool filtered,
                        struct coded *out)
{
    unsigned fixed = fixed_section(core);
    return i < fixed    ? make_selection(core, c, out)
           : i == fixed ? make_values(core, c, filtered, out)
                        : make_heap(c, out);
}

static int filter_section(const struct ts_dataset_core *core, const struct ts_struct_chunk *c, unsigned i,
                          struct coded *s, uint32_t *mask)
{
    const struct ts_pipeline *p = &core->sections.section[i];
    struct ts_pipeline fitted = {0};
    bool fit = i == fixed_section(core) && wants_elements(p);
    if (fit && fit_pipeline(p, count_values(core, c), &fitted) < 0)
        return -1;
    const struct ts_filter_options options = {.no_growth = true, .exact = has_checksum(core, i)};
    int status = ts_pipeline_encode(fit ? &fitted : p, &s->bytes, &s->size, mask, &options);
    ts_pipeline_deinit(&fitted);
    return status;
}

/* All sections in one block, behind which stands where they are: ts_chunk_coded_sections finds it there. */
static int join_sections(const struct ts_dataset_core *core, const struct ts_struct_chunk *c, const struct coded *parts,
                         struct ts_chunk_sections *sections, struct ts_sc_coded *out)
{
    size_t size = 0;
    for (unsigned i = 0; i < sections->n; i++) {
        sections->offset[i] = size;
        if (!ts_add_size(size, parts[i].size, &size))
            return TS_ERR(DATASET, OVERFLOW, "a chunk does not fit into memory");
    }
    out->alloc = size + sizeof *sections;
    uint8_t *bytes = ts_malloc(out->alloc);
    if (!bytes)
        return -1;
    for (unsigned i = 0; i < sections->n; i++) {
        uint8_t *to = bytes + sections->offset[i];
        if (parts[i].bytes)
            memcpy(to, parts[i].bytes, parts[i].size);
        else if (parts[i].size > 0)
            copy_values(core, c, to);
    }
    memcpy(bytes + size, sections, sizeof *sections);
    out->bytes = bytes;
    out->at.size = size;
    return 0;
}

int ts_struct_encode(void *owner, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out)
{
    const struct ts_dataset_core *core = owner;
    const struct ts_struct_chunk *c = d->chunk;
    struct ts_chunk_sections sections = {.n = (uint8_t)ts_struct_sections(core->layout.chunk.struct_type)};
    struct coded parts[TS_SECTIONS_MAX] = {{0}};
    int status = 0;
    for (unsigned i = 0; i < sections.n && status == 0; i++) {
        bool filtered = is_filtered(core, how, i);
        status = make_section(core, c, i, filtered, &parts[i]);
        sections.size[i] = parts[i].size;
        if (status == 0 && filtered && parts[i].size > 0)
            status = filter_section(core, c, i, &parts[i], &sections.mask[i]);
    }
    if (status == 0)
        status = join_sections(core, c, parts, &sections, out);
    for (unsigned i = 0; i < sections.n; i++)
        ts_free(parts[i].bytes);
    return status;
}
