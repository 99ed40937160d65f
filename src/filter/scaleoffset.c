/* Values minus the chunk's minimum, in as few bits as the largest needs; floats are first made integers by a power of 10.
 *
 * Parameters: [0] method (0 decimal scaling of floats, 2 integers), [1] scale factor, [2] elements, [3] class (0 integer,
 * 1 float), [4] size, [5] signed, [6] order (0 little, 1 big), [7] 1 when a fill value is defined, [8 …] the fill value's
 * bytes in little-endian words.
 *
 * Stored: bits per value 4, size of the minimum 1, the minimum 8, 8 bytes not used, the packed values (most significant
 * bit first). With as many bits as the type has, the values stand unchanged. All ones stand for the fill value. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/bits.h"
#include "filter/filter.h"

enum { METHOD, FACTOR, ELEMENTS, CLASS, SIZE, SIGN, ORDER, FILL_DEFINED, FILL };
enum { HEADER = 21, N_PARAMETERS = 20 };

struct job {
    unsigned elements, size, bits;
    bool is_float, big, has_fill;
    uint64_t minimum, fill;
    double power;
};

static int read_parameters(const struct ts_filter *f, struct job *job)
{
    const unsigned *v = f->values;
    if (f->n_values < N_PARAMETERS)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %zu parameters", f->n_values);
    *job = (struct job){.elements = v[ELEMENTS], .size = v[SIZE], .is_float = v[CLASS] == 1, .big = v[ORDER] == 1,
                        .has_fill = v[FILL_DEFINED] == 1};
    bool good_size = job->is_float ? job->size == 4 || job->size == 8
                                   : job->size == 1 || job->size == 2 || job->size == 4 || job->size == 8;
    if (!good_size || v[CLASS] > 1 || v[ORDER] > 1 || (job->is_float && v[METHOD] != 0))
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: class %u, size %u, order %u, method %u", v[CLASS], v[SIZE], v[ORDER],
                      v[METHOD]);
    job->power = pow(10.0, (double)(int)v[FACTOR]);
    job->fill = v[FILL] | (job->size > 4 ? (uint64_t)v[FILL + 1] << 32 : 0);
    return 0;
}

static int read_header(struct ts_rd *r, struct job *job)
{
    job->bits = ts_rd_u32(r);
    unsigned width = ts_rd_u8(r);
    const uint8_t *minimum = ts_rd_bytes(r, 8);
    ts_rd_skip(r, HEADER - 13);
    if (r->bad || width > 8 || job->bits > job->size * 8)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %u bits per value of %u bytes, minimum of %u bytes", job->bits, job->size,
                      width);
    struct ts_rd m = ts_rd_init(minimum, width);
    job->minimum = ts_rd_uint(&m, width);
    return 0;
}

static uint64_t float_value(const struct job *job, uint64_t packed)
{
    if (job->size == 4) {
        float minimum, value;
        uint32_t bits = (uint32_t)job->minimum;
        memcpy(&minimum, &bits, sizeof minimum);
        value = (float)(int32_t)packed / (float)job->power + minimum;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    double minimum, value;
    uint64_t bits = job->minimum;
    memcpy(&minimum, &bits, sizeof minimum);
    value = (double)(int64_t)packed / job->power + minimum;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put(uint8_t *out, uint64_t value, unsigned size, bool big)
{
    for (unsigned i = 0; i < size; i++)
        out[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void unpack(const struct job *job, struct ts_bits *bits, uint8_t *out)
{
    uint64_t all_ones = job->bits == 64 ? UINT64_MAX : (UINT64_C(1) << job->bits) - 1;
    for (unsigned i = 0; i < job->elements; i++) {
        uint64_t packed = ts_bits_get(bits, job->bits), value;
        if (job->has_fill && packed == all_ones)
            value = job->fill;
        else
            value = job->is_float ? float_value(job, packed) : packed + job->minimum;
        put(out + (size_t)i * job->size, value, job->size, job->big);
    }
}

static int decode_values(const struct job *job, struct ts_rd *r, uint8_t *out, size_t total)
{
    if (job->bits == job->size * 8) {
        const uint8_t *whole = ts_rd_bytes(r, total);
        if (whole)
            memcpy(out, whole, total);
    } else {
        struct ts_bits bits = {.p = r->p, .size = ts_rd_left(r)};
        if (ts_bits_have(&bits, (uint64_t)job->bits * job->elements))
            unpack(job, &bits, out);
        else
            r->bad = true;
    }
    if (r->bad)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: the stored bytes end before the last of %u elements", job->elements);
    return 0;
}

int ts_decode_scaleoffset(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    struct job job;
    struct ts_rd r = ts_rd_init(b->data, b->size);
    if (read_parameters(f, &job) < 0 || read_header(&r, &job) < 0)
        return -1;
    size_t total;
    if (!ts_mul_size(job.elements, job.size, &total) || (b->expected && total > b->expected))
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %u elements of %u bytes, the chunk has %zu bytes", job.elements, job.size,
                      b->expected);
    uint8_t *out = ts_malloc_aligned(total);
    if (!out)
        return -1;
    if (decode_values(&job, &r, out, total) < 0) {
        ts_free(out);
        return -1;
    }
    ts_block_replace(b, out, total);
    return 0;
}
