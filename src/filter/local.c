/* What the built-in filters must know of a dataset: parameters computed from its datatype, chunk and fill value. */
#include <limits.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "filter/filter.h"

int ts_local_elements(const struct ts_filter_local *local, unsigned *elements)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < local->rank; i++)
        if (!ts_mul_u64(n, local->chunk_dims[i], &n) || n > UINT_MAX)
            return TS_ERR(PLINE, BADRANGE, "a chunk of more elements than a filter can count");
    *elements = (unsigned)n;
    return 0;
}

static int check_size(const struct ts_filter_local *local)
{
    if (local->type->size == 0 || local->type->size > UINT_MAX)
        return TS_ERR(PLINE, BADTYPE, "elements of %zu bytes", local->type->size);
    return 0;
}

int ts_local_shuffle(struct ts_filter *f, const struct ts_filter_local *local)
{
    if (check_size(local) < 0)
        return -1;
    unsigned size = (unsigned)(local->unit ? local->unit : local->type->size);
    return ts_filter_set_values(f, 1, &size);
}

static bool has_order(const struct ts_type *t)
{
    switch (t->cls) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_TIME:
    case H5T_BITFIELD:
        return t->atomic.order == H5T_ORDER_LE || t->atomic.order == H5T_ORDER_BE;
    default:
        return false;
    }
}

bool ts_can_szip(const struct ts_filter_local *local)
{
    return has_order(ts_type_innermost(local->type)) && (local->type->size <= 4 || local->type->size == 8);
}

/* szip takes every number up to 24 as it is; above that only 32 and 64. Its pixels are of 1, 2, 4 or 8 bytes; with
 * elements that are no multiple of them libhdf5 loses bits, so such elements go byte by byte. */
static size_t szip_bits(const struct ts_type *type, const struct ts_type *base)
{
    size_t bits = base->atomic.offset ? 8 * type->size : base->atomic.precision;
    if (bits > 64)
        return bits;
    size_t pixel = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    if (type->size % pixel)
        return 8;
    return bits > 24 ? 8 * pixel : bits;
}

/* A scan line is the fastest dimension, when it has a block; else as much of the chunk as it can take. */
static int szip_line(const struct ts_filter_local *local, unsigned block, unsigned *line)
{
    enum { MAX_BLOCKS = 128, MAX_LINE = 4096 };
    unsigned elements = 0, longest = block * MAX_BLOCKS;
    if (ts_local_elements(local, &elements) < 0)
        return -1;
    hsize_t fastest = local->rank ? local->chunk_dims[local->rank - 1] : 1;
    if (fastest < block) {
        if (elements < block)
            return TS_ERR(PLINE, BADVALUE, "szip: a block has %u pixels, the whole chunk %u elements", block, elements);
        fastest = elements;
    } else if (fastest > MAX_LINE) {
        *line = longest;
        return 0;
    }
    *line = fastest < longest ? (unsigned)fastest : longest;
    return 0;
}

/* Told at the filter itself; the first two are from the user. */
int ts_local_szip(struct ts_filter *f, const struct ts_filter_local *local)
{
    enum { LITTLE = 8, BIG = 16 };
    const struct ts_type *base = ts_type_innermost(local->type);
    unsigned values[4] = {0};
    for (size_t i = 0; i < 2 && i < f->n_values; i++)
        values[i] = f->values[i];
    if (!has_order(base))
        return TS_ERR(PLINE, BADTYPE, "szip: a datatype of class %d has no byte order", (int)base->cls);
    if (check_size(local) < 0 || szip_line(local, values[1], &values[3]) < 0)
        return -1;
    size_t bits = szip_bits(local->type, base);
    if (bits > UINT_MAX)
        return TS_ERR(PLINE, BADTYPE, "szip: elements of %zu bytes", local->type->size);
    values[0] &= ~(unsigned)(LITTLE | BIG);
    values[0] |= base->atomic.order == H5T_ORDER_BE ? BIG : LITTLE;
    values[2] = (unsigned)bits;
    return ts_filter_set_values(f, 4, values);
}

static int check_scaleoffset(const struct ts_type *t)
{
    bool good_class = t->cls == H5T_INTEGER || t->cls == H5T_FLOAT;
    if (!good_class || !has_order(t))
        return TS_ERR(PLINE, BADTYPE, "scaleoffset: for integers and floats only, not class %d", (int)t->cls);
    bool good_size = t->size == 4 || t->size == 8 || (t->cls == H5T_INTEGER && (t->size == 1 || t->size == 2));
    if (!good_size)
        return TS_ERR(PLINE, BADTYPE, "scaleoffset: no C type has the %zu bytes of the datatype", t->size);
    return 0;
}

/* The same holds here. */
int ts_local_scaleoffset(struct ts_filter *f, const struct ts_filter_local *local)
{
    enum { CLASS = 3, SIZE, SIGN, ORDER, HAS_FILL, FILL, N = 20 };
    const struct ts_type *t = local->type;
    unsigned values[N] = {0};
    if (check_scaleoffset(t) < 0 || ts_local_elements(local, &values[2]) < 0)
        return -1;
    bool big = t->atomic.order == H5T_ORDER_BE;
    for (size_t i = 0; i < 2 && i < f->n_values; i++)
        values[i] = f->values[i];
    values[CLASS] = t->cls == H5T_FLOAT;
    values[SIZE] = (unsigned)t->size;
    values[SIGN] = t->cls == H5T_INTEGER && t->u.sign == H5T_SGN_2;
    values[ORDER] = big;
    values[HAS_FILL] = local->has_fill;
    const uint8_t *fill = local->has_fill ? local->fill : NULL;
    for (size_t i = 0; fill && i < t->size; i++)
        values[FILL + i / 4] |= (unsigned)fill[big ? t->size - 1 - i : i] << 8 * (i % 4);
    return ts_filter_set_values(f, N, values);
}

/* [0] revision of the filter, [1] version of the lzf library, [2] bytes in a chunk; as h5py, which made this filter,
 * writes them. What the user put behind them stays. */
int ts_local_lzf(struct ts_filter *f, const struct ts_filter_local *local)
{
    enum { REVISION = 4, LIBRARY = 0x0105 };
    size_t n = f->n_values > 3 ? f->n_values : 3, bytes;
    unsigned elements = 0;
    if (check_size(local) < 0 || ts_local_elements(local, &elements) < 0)
        return -1;
    if (!ts_mul_size(elements, local->type->size, &bytes) || bytes > UINT_MAX)
        return TS_ERR(PLINE, BADRANGE, "lzf: a chunk of %u elements of %zu bytes", elements, local->type->size);
    unsigned *values = ts_calloc(n, sizeof *values);
    if (!values)
        return -1;
    for (size_t i = 0; i < f->n_values; i++)
        values[i] = f->values[i];
    values[0] = values[0] ? values[0] : REVISION;
    values[1] = values[1] ? values[1] : LIBRARY;
    values[2] = (unsigned)bytes;
    int status = ts_filter_set_values(f, n, values);
    ts_free(values);
    return status;
}
