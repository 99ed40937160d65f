/* Chunks in fixed and extensible arrays. */
#include "base/error.h"
#include "index/chunk_kinds.h"

/* The number of the client says what elements are: 0 chunks, 1 filtered chunks. */
static int check_elements(struct ts_chunk_index *ix, unsigned client, size_t element_size)
{
    if (client != (ix->filtered ? 1u : 0u))
        return TS_ERR(DATASET, BADTYPE, "array of client %u indexes a %s dataset", client,
                      ix->filtered ? "filtered" : "plain");
    return ts_chunk_set_size_width(ix, element_size);
}

static int decode(const struct ts_chunk_index *ix, const uint8_t *element, struct ts_chunk_rec *out)
{
    ts_chunk_element_decode(ix, element, out);
    return out->addr != HADDR_UNDEF;
}

struct walk {
    const struct ts_chunk_index *ix;
    ts_chunk_visit_fn *visit;
    void *ctx;
};

static int visit_element(uint64_t index, const uint8_t *element, void *ctx)
{
    const struct walk *w = ctx;
    struct ts_chunk_rec rec;
    if (!decode(w->ix, element, &rec))
        return 0;
    ts_chunk_from_number(w->ix, index, rec.scaled);
    return w->visit(&rec, w->ctx);
}

static int fixed_open(struct ts_chunk_index *ix, const struct ts_layout *layout)
{
    (void)layout;
    for (unsigned i = 0; i < ix->rank; i++)
        if (ix->max_chunks[i] == H5S_UNLIMITED)
            return TS_ERR(DATASET, BADVALUE, "fixed array for a dataset with unlimited dimension %u", i);
    if (ts_chunk_set_order(ix, 0) < 0 || ts_farray_open(ix->file, ix->addr, &ix->farray) < 0)
        return -1;
    if (check_elements(ix, ts_farray_client(ix->farray), ts_farray_element_size(ix->farray)) < 0) {
        ts_farray_close(ix->farray);
        return -1;
    }
    return 0;
}

static void fixed_close(struct ts_chunk_index *ix)
{
    ts_farray_close(ix->farray);
}

static int fixed_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    uint8_t element[32];
    uint64_t number;
    if (!ts_chunk_number(ix, scaled, &number))
        return 0;
    int got = ts_farray_get(ix->farray, number, element);
    return got > 0 ? decode(ix, element, out) : got;
}

static int fixed_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct walk w = {.ix = ix, .visit = visit, .ctx = ctx};
    return ts_farray_iterate(ix->farray, visit_element, &w);
}

static int fixed_storage(struct ts_chunk_index *ix, uint64_t *bytes)
{
    return ts_farray_storage(ix->farray, bytes);
}

const struct ts_chunk_kind ts_chunk_fixed_array = {.open = fixed_open,
                                                   .close = fixed_close,
                                                   .lookup = fixed_lookup,
                                                   .iterate = fixed_iterate,
                                                   .storage = fixed_storage};

/* The array grows at its end, so the unlimited dimension must be the slowest whichever it is. */
static int set_unlimited_first(struct ts_chunk_index *ix)
{
    unsigned unlimited = 0, at = 0;
    for (unsigned i = 0; i < ix->rank; i++)
        if (ix->max_chunks[i] == H5S_UNLIMITED) {
            unlimited++;
            at = i;
        }
    if (unlimited != 1)
        return TS_ERR(DATASET, BADVALUE, "extensible array for a dataset with %u unlimited dimensions", unlimited);
    return ts_chunk_set_order(ix, at);
}

static int ext_open(struct ts_chunk_index *ix, const struct ts_layout *layout)
{
    (void)layout;
    if (set_unlimited_first(ix) < 0 || ts_earray_open(ix->file, ix->addr, &ix->earray) < 0)
        return -1;
    if (check_elements(ix, ts_earray_client(ix->earray), ts_earray_element_size(ix->earray)) < 0) {
        ts_earray_close(ix->earray);
        return -1;
    }
    return 0;
}

static void ext_close(struct ts_chunk_index *ix)
{
    ts_earray_close(ix->earray);
}

static int ext_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    uint8_t element[32];
    uint64_t number;
    if (!ts_chunk_number(ix, scaled, &number))
        return 0;
    int got = ts_earray_get(ix->earray, number, element);
    return got > 0 ? decode(ix, element, out) : got;
}

static int ext_iterate(struct ts_chunk_index *ix, ts_chunk_visit_fn *visit, void *ctx)
{
    struct walk w = {.ix = ix, .visit = visit, .ctx = ctx};
    return ts_earray_iterate(ix->earray, visit_element, &w);
}

static int ext_storage(struct ts_chunk_index *ix, uint64_t *bytes)
{
    return ts_earray_storage(ix->earray, bytes);
}

const struct ts_chunk_kind ts_chunk_ext_array = {
    .open = ext_open, .close = ext_close, .lookup = ext_lookup, .iterate = ext_iterate, .storage = ext_storage};
