/* Chunks in fixed and extensible arrays. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "index/chunk_kinds.h"
#include "meta/meta.h"

/* The number of the client says what elements are: 0 chunks, 1 filtered chunks, 2 and 3 the same of structured ones. */
static unsigned client_of(const struct ts_chunk_index *ix)
{
    return (ix->n_sections ? 2u : 0u) + (ix->filtered ? 1u : 0u);
}

static int check_elements(struct ts_chunk_index *ix, unsigned client, size_t element_size)
{
    if (client != client_of(ix))
        return TS_ERR(DATASET, BADTYPE, "array of client %u indexes a dataset that needs client %u", client,
                      client_of(ix));
    return ts_chunk_set_size_width(ix, element_size);
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
    int there = ts_chunk_element_decode(w->ix, element, 0, &rec);
    if (there != 1)
        return there;
    ts_chunk_from_number(w->ix, index, rec.scaled);
    return w->visit(&rec, w->ctx);
}

static int first_number(const struct ts_chunk_index *ix, const hsize_t *from, uint64_t *first)
{
    *first = 0;
    if (from && !ts_chunk_number(ix, from, first))
        return TS_ERR(DATASET, BADRANGE, "chunks from outside of the largest extent on");
    return 0;
}

static int encode(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, uint64_t *number, uint8_t *element)
{
    if (!ts_chunk_number(ix, rec->scaled, number))
        return TS_ERR(DATASET, BADRANGE, "chunk outside of the largest extent");
    return ts_chunk_element_encode(ix, rec, 0, element);
}

static int encode_none(const struct ts_chunk_index *ix, const hsize_t *scaled, uint64_t *number, uint8_t *element)
{
    struct ts_chunk_rec none = {.addr = HADDR_UNDEF, .size = ix->filtered || ix->n_sections ? 0 : ix->chunk_bytes};
    memcpy(none.scaled, scaled, ix->rank * sizeof *scaled);
    return encode(ix, &none, number, element);
}

/* The array while it is used. */
static int fixed_hold(struct ts_chunk_index *ix, struct ts_farray **out)
{
    *out = ix->farray;
    return *out ? 0 : ts_farray_open(ix->file, ix->addr, out);
}

static void fixed_release(struct ts_chunk_index *ix, struct ts_farray *array)
{
    if (!ix->farray)
        ts_farray_close(array);
}

static int fixed_open(struct ts_chunk_index *ix)
{
    struct ts_farray *array;
    for (unsigned i = 0; i < ix->rank; i++)
        if (ix->max_chunks[i] == H5S_UNLIMITED)
            return TS_ERR(DATASET, BADVALUE, "fixed array for a dataset with unlimited dimension %u", i);
    if (ts_chunk_set_order(ix, 0) < 0 || ts_farray_open(ix->file, ix->addr, &array) < 0)
        return -1;
    int status = check_elements(ix, ts_farray_client(array), ts_farray_element_size(array));
    if (status == 0 && ts_meta_keep(ix->file, ix->addr, array))
        ix->farray = array;
    else
        ts_farray_close(array);
    return status;
}

static void fixed_close(struct ts_chunk_index *ix)
{
    if (ix->farray)
        ts_meta_repin(ix->file, ix->addr);
    ts_farray_close(ix->farray);
}

static int fixed_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    uint8_t element[TS_CHUNK_ELEMENT_MAX];
    uint64_t number;
    struct ts_farray *array;
    if (!ts_chunk_number(ix, scaled, &number))
        return 0;
    if (fixed_hold(ix, &array) < 0)
        return -1;
    int got = ts_farray_get(array, number, element);
    fixed_release(ix, array);
    return got > 0 ? ts_chunk_element_decode(ix, element, 0, out) : got;
}

static int fixed_iterate(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx)
{
    struct walk w = {.ix = ix, .visit = visit, .ctx = ctx};
    struct ts_farray *array;
    uint64_t first;
    if (first_number(ix, from, &first) < 0 || fixed_hold(ix, &array) < 0)
        return -1;
    int status = ts_farray_walk(array, first, visit_element, &w);
    fixed_release(ix, array);
    return status;
}

static int fixed_storage(struct ts_chunk_index *ix, uint64_t *bytes)
{
    struct ts_farray *array;
    if (fixed_hold(ix, &array) < 0)
        return -1;
    int status = ts_farray_storage(array, bytes);
    fixed_release(ix, array);
    return status;
}

static int fixed_create(struct ts_chunk_index *ix, haddr_t *addr)
{
    struct ts_farray_params params = {.client = client_of(ix),
                                      .element_size = (unsigned)ts_chunk_element_size(ix),
                                      .page_bits = ix->layout.chunk.u.fixed_array.page_bits,
                                      .count = 1};
    for (unsigned i = 0; i < ix->rank; i++)
        if (!ts_mul_u64(params.count, ix->max_chunks[i], &params.count))
            return TS_ERR(DATASET, OVERFLOW, "dataset with more chunks than can be counted");
    return ts_farray_create(ix->file, &params, addr);
}

static int fixed_set(struct ts_chunk_index *ix, uint64_t number, const uint8_t *element)
{
    struct ts_farray *array;
    if (fixed_hold(ix, &array) < 0)
        return -1;
    int status = ts_farray_set(array, number, element);
    fixed_release(ix, array);
    return status;
}

static int fixed_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec)
{
    uint8_t element[TS_CHUNK_ELEMENT_MAX];
    uint64_t number;
    return encode(ix, rec, &number, element) < 0 ? -1 : fixed_set(ix, number, element);
}

static int fixed_remove(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    uint8_t element[TS_CHUNK_ELEMENT_MAX];
    uint64_t number;
    return encode_none(ix, scaled, &number, element) < 0 ? -1 : fixed_set(ix, number, element);
}

static int fixed_destroy(struct ts_chunk_index *ix)
{
    return ts_farray_delete(ix->file, ix->addr, NULL, NULL);
}

static int fixed_verify(struct ts_chunk_index *ix, const char **reason)
{
    struct ts_farray *array;
    if (fixed_hold(ix, &array) < 0)
        return -1;
    int status = ts_farray_verify(array, reason);
    fixed_release(ix, array);
    return status;
}

const struct ts_chunk_kind ts_chunk_fixed_array = {.open = fixed_open,
                                                   .close = fixed_close,
                                                   .lookup = fixed_lookup,
                                                   .iterate = fixed_iterate,
                                                   .storage = fixed_storage,
                                                   .create = fixed_create,
                                                   .insert = fixed_insert,
                                                   .remove = fixed_remove,
                                                   .destroy = fixed_destroy,
                                                   .verify = fixed_verify};

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

static int ext_hold(struct ts_chunk_index *ix, struct ts_earray **out)
{
    *out = ix->earray;
    return *out ? 0 : ts_earray_open(ix->file, ix->addr, out);
}

static void ext_release(struct ts_chunk_index *ix, struct ts_earray *array)
{
    if (!ix->earray)
        ts_earray_close(array);
}

static int ext_open(struct ts_chunk_index *ix)
{
    struct ts_earray *array;
    if (set_unlimited_first(ix) < 0 || ts_earray_open(ix->file, ix->addr, &array) < 0)
        return -1;
    int status = check_elements(ix, ts_earray_client(array), ts_earray_element_size(array));
    if (status == 0 && ts_meta_keep(ix->file, ix->addr, array))
        ix->earray = array;
    else
        ts_earray_close(array);
    return status;
}

static void ext_close(struct ts_chunk_index *ix)
{
    if (ix->earray)
        ts_meta_repin(ix->file, ix->addr);
    ts_earray_close(ix->earray);
}

static int ext_lookup(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *out)
{
    uint8_t element[TS_CHUNK_ELEMENT_MAX];
    uint64_t number;
    struct ts_earray *array;
    if (!ts_chunk_number(ix, scaled, &number))
        return 0;
    if (ext_hold(ix, &array) < 0)
        return -1;
    int got = ts_earray_get(array, number, element);
    ext_release(ix, array);
    return got > 0 ? ts_chunk_element_decode(ix, element, 0, out) : got;
}

static int ext_iterate(struct ts_chunk_index *ix, const hsize_t *from, ts_chunk_visit_fn *visit, void *ctx)
{
    struct walk w = {.ix = ix, .visit = visit, .ctx = ctx};
    struct ts_earray *array;
    uint64_t first;
    if (first_number(ix, from, &first) < 0 || ext_hold(ix, &array) < 0)
        return -1;
    int status = ts_earray_walk(array, first, visit_element, &w);
    ext_release(ix, array);
    return status;
}

static int ext_storage(struct ts_chunk_index *ix, uint64_t *bytes)
{
    struct ts_earray *array;
    if (ext_hold(ix, &array) < 0)
        return -1;
    int status = ts_earray_storage(array, bytes);
    ext_release(ix, array);
    return status;
}

static int ext_create(struct ts_chunk_index *ix, haddr_t *addr)
{
    const struct ts_layout *l = &ix->layout;
    struct ts_earray_params params = {.client = client_of(ix),
                                      .element_size = (unsigned)ts_chunk_element_size(ix),
                                      .max_bits = l->chunk.u.ext_array.max_bits,
                                      .index_elements = l->chunk.u.ext_array.index_elements,
                                      .min_elements = l->chunk.u.ext_array.min_elements,
                                      .min_pointers = l->chunk.u.ext_array.min_pointers,
                                      .page_bits = l->chunk.u.ext_array.page_bits};
    return ts_earray_create(ix->file, &params, addr);
}

static int ext_set(struct ts_chunk_index *ix, uint64_t number, const uint8_t *element)
{
    struct ts_earray *array;
    if (ext_hold(ix, &array) < 0)
        return -1;
    int status = ts_earray_set(array, number, element);
    ext_release(ix, array);
    return status;
}

static int ext_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec)
{
    uint8_t element[TS_CHUNK_ELEMENT_MAX];
    uint64_t number;
    return encode(ix, rec, &number, element) < 0 ? -1 : ext_set(ix, number, element);
}

static int ext_remove(struct ts_chunk_index *ix, const hsize_t *scaled)
{
    uint8_t element[TS_CHUNK_ELEMENT_MAX];
    uint64_t number;
    return encode_none(ix, scaled, &number, element) < 0 ? -1 : ext_set(ix, number, element);
}

static int ext_destroy(struct ts_chunk_index *ix)
{
    return ts_earray_delete(ix->file, ix->addr, NULL, NULL);
}

static int ext_verify(struct ts_chunk_index *ix, const char **reason)
{
    struct ts_earray *array;
    if (ext_hold(ix, &array) < 0)
        return -1;
    int status = ts_earray_verify(array, reason);
    ext_release(ix, array);
    return status;
}

const struct ts_chunk_kind ts_chunk_ext_array = {.open = ext_open,
                                                 .close = ext_close,
                                                 .lookup = ext_lookup,
                                                 .iterate = ext_iterate,
                                                 .storage = ext_storage,
                                                 .create = ext_create,
                                                 .insert = ext_insert,
                                                 .remove = ext_remove,
                                                 .destroy = ext_destroy,
                                                 .verify = ext_verify};
