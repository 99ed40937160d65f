/* Values minus the chunk's minimum, in as few bits as the largest needs; floats are first made integers by a power of
 * 10.
 *
 * Parameters: [0] method (0 decimal scaling of floats, 2 integers), [1] scale factor: the power of 10, or the bits per
 * integer (0 or less: as needed), [2] elements, [3] class (0 integer, 1 float), [4] size, [5] signed, [6] order (0
 * little, 1 big), [7] 1 when a fill value is defined, [8 …] the fill value's bytes in little-endian words.
 *
 * Stored: bits per value 4, size of the minimum 1, the minimum 8, 8 bytes not used, the packed values (most significant
 * bit first) and always one byte more with the bits left over or none. All ones stand for the fill value. With as many
 * bits as the type has, the values stand there whole, little-endian; when the user asked for so many, nothing but the
 * data is stored. */
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
enum { FLOAT_DECIMAL = 0, INTEGER = 2 };

struct job {
    unsigned elements, size, bits;
    bool is_float, is_signed, big, has_fill;
    int factor;
    uint64_t minimum, fill;
    double power, resolution; /* 10 to the factor, and to its negative */
};

static int read_parameters(const struct ts_filter *f, struct job *job)
{
    const unsigned *v = f->values;
    if (f->n_values < N_PARAMETERS)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %zu parameters", f->n_values);
    *job = (struct job){.elements = v[ELEMENTS],
                        .size = v[SIZE],
                        .is_float = v[CLASS] == 1,
                        .is_signed = v[SIGN] == 1,
                        .big = v[ORDER] == 1,
                        .has_fill = v[FILL_DEFINED] == 1,
                        .factor = (int)v[FACTOR]};
    bool good_size = job->is_float ? job->size == 4 || job->size == 8
                                   : job->size == 1 || job->size == 2 || job->size == 4 || job->size == 8;
    if (!good_size || v[CLASS] > 1 || v[ORDER] > 1 || v[METHOD] != (job->is_float ? FLOAT_DECIMAL : INTEGER))
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: class %u, size %u, order %u, method %u", v[CLASS], v[SIZE],
                      v[ORDER], v[METHOD]);
    if (!job->is_float && job->factor > (int)job->size * 8)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %d bits for integers of %u bytes", job->factor, job->size);
    job->power = pow(10.0, (double)job->factor);
    job->resolution = pow(10.0, -(double)job->factor);
    job->fill = v[FILL] | (job->size > 4 ? (uint64_t)v[FILL + 1] << 32 : 0);
    return 0;
}

static bool stores_whole(const struct job *job)
{
    return !job->is_float && job->factor == (int)job->size * 8;
}

static int read_header(struct ts_rd *r, struct job *job)
{
    job->bits = ts_rd_u32(r);
    unsigned width = ts_rd_u8(r);
    const uint8_t *minimum = ts_rd_bytes(r, 8);
    ts_rd_skip(r, HEADER - 13);
    if (r->bad || width > 8 || job->bits > job->size * 8)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %u bits per value of %u bytes, minimum of %u bytes", job->bits,
                      job->size, width);
    struct ts_rd m = ts_rd_init(minimum, width);
    job->minimum = ts_rd_uint(&m, width);
    return 0;
}

static float as_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t float_value(const struct job *job, uint64_t packed)
{
    if (job->size == 4) {
        float value = (float)(int32_t)packed / (float)job->power + as_float(job->minimum);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    double value = (double)(int64_t)packed / job->power + as_double(job->minimum);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put(uint8_t *out, uint64_t value, unsigned size, bool big)
{
    for (unsigned i = 0; i < size; i++)
        out[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *in, unsigned size, bool big)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)in[big ? size - 1 - i : i] << 8 * i;
    return value;
}

static uint64_t all_ones(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t unpacked(const struct job *job, uint64_t packed)
{
    if (job->bits == 0)
        return job->minimum;
    if (job->has_fill && packed == all_ones(job->bits))
        return job->fill;
    return job->is_float ? float_value(job, packed) : packed + job->minimum;
}

static void unpack(const struct job *job, struct ts_bits *bits, uint8_t *out)
{
    for (unsigned i = 0; i < job->elements; i++)
        put(out + (size_t)i * job->size, unpacked(job, ts_bits_get(bits, job->bits)), job->size, job->big);
}

/* Between little-endian and the order of the type; the same both ways. */
static void reorder(const struct job *job, uint8_t *out, const uint8_t *in, size_t total)
{
    if (!job->big)
        memcpy(out, in, total);
    else
        for (size_t at = 0; at < total; at += job->size)
            put(out + at, get(in + at, job->size, false), job->size, true);
}

static int decode_values(const struct job *job, struct ts_rd *r, uint8_t *out, size_t total)
{
    if (job->bits == job->size * 8) {
        const uint8_t *whole = ts_rd_bytes(r, total);
        if (whole)
            reorder(job, out, whole, total);
    } else {
        struct ts_bits bits = {.p = r->p, .size = ts_rd_left(r)};
        if (ts_bits_have(&bits, (uint64_t)job->bits * job->elements))
            unpack(job, &bits, out);
        else
            r->bad = true;
    }
    if (r->bad)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: the stored bytes end before the last of %u elements",
                      job->elements);
    return 0;
}

int ts_decode_scaleoffset(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    struct job job = {0};
    struct ts_rd r = ts_rd_init(b->data, b->size);
    if (read_parameters(f, &job) < 0)
        return -1;
    if (stores_whole(&job))
        return 0;
    if (read_header(&r, &job) < 0)
        return -1;
    size_t total;
    if (!ts_mul_size(job.elements, job.size, &total) || total > b->expected)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %u elements of %u bytes, the chunk has %zu bytes", job.elements,
                      job.size, b->expected);
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

/* Bits for the numbers from 0 to the largest, and one number more for the fill value. */
static unsigned bits_for(uint64_t largest, bool has_fill)
{
    largest += has_fill;
    return largest ? ts_log2_floor(largest) + 1 : 0;
}

/* Fewer bits than the type has would not do. libhdf5 then does not look for the minimum any more. */
static void keep_whole(struct job *job)
{
    job->bits = job->size * 8;
    job->minimum = 0;
}

/* Of a signed type with its top bit turned, so that it compares as unsigned. */
static uint64_t integer_at(const struct job *job, const uint8_t *in, size_t i)
{
    uint64_t top = job->is_signed ? UINT64_C(1) << (job->size * 8 - 1) : 0;
    return get(in + i * job->size, job->size, job->big) ^ top;
}

static void measure_integers(struct job *job, const uint8_t *in)
{
    uint64_t top = job->is_signed ? UINT64_C(1) << (job->size * 8 - 1) : 0, mask = all_ones(job->size * 8);
    uint64_t low = mask, high = 0, fill = (job->fill & mask) ^ top;
    for (size_t i = 0; i < job->elements; i++) {
        uint64_t v = integer_at(job, in, i);
        if (job->has_fill && v == fill)
            continue;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    bool none = low > high;
    uint64_t span = none ? 0 : high - low;
    /* Back to the number itself, in 64 bits. */
    job->minimum = none ? 0 : low - top;
    if (job->factor > 0) {
        job->bits = (unsigned)job->factor;
        return;
    }
    job->bits = bits_for(span, job->has_fill);
    /* libhdf5 never gives up on signed bytes without a fill value. */
    bool gives_up = job->size > 1 || !job->is_signed || job->has_fill;
    if (gives_up && span > mask - 2)
        keep_whole(job);
}

static uint64_t packed_integer(const struct job *job, uint64_t value)
{
    if (job->has_fill && value == (job->fill & all_ones(job->size * 8)))
        return UINT64_MAX;
    return value - job->minimum;
}

/* A float is a fill value when the scaling could not tell the two apart. */
static bool is_fill(const struct job *job, uint64_t bits)
{
    if (!job->has_fill)
        return false;
    if (job->size == 4)
        return fabsf(as_float(bits) - as_float(job->fill)) < job->resolution;
    return fabs(as_double(bits) - as_double(job->fill)) < job->resolution;
}

/* How far above the minimum in units of the scale, not rounded yet. */
static double scaled(const struct job *job, uint64_t bits, uint64_t minimum)
{
    if (job->size == 4) {
        float power = (float)job->power;
        float high = as_float(bits) * power, low = as_float(minimum) * power;
        return high - low;
    }
    return as_double(bits) * job->power - as_double(minimum) * job->power;
}

static bool is_less(const struct job *job, uint64_t a, uint64_t b)
{
    return job->size == 4 ? as_float(a) < as_float(b) : as_double(a) < as_double(b);
}

static void measure_floats(struct job *job, const uint8_t *in)
{
    uint64_t low = 0, high = 0;
    bool any = false, all_finite = true;
    for (size_t i = 0; i < job->elements; i++) {
        uint64_t v = get(in + i * job->size, job->size, job->big);
        if (is_fill(job, v))
            continue;
        if (!any)
            low = high = v;
        any = true;
        low = is_less(job, v, low) ? v : low;
        high = is_less(job, high, v) ? v : high;
        all_finite = all_finite && isfinite(scaled(job, v, 0));
    }
    double span = scaled(job, high, low), most = job->size == 4 ? 0x1p31 : 0x1p63;
    /* No scaled integer stands for infinities and not-a-numbers; whole they survive. */
    if (!all_finite || !(span <= most)) {
        keep_whole(job);
        return;
    }
    job->minimum = low;
    job->bits = bits_for(span < 0x1p63 ? (uint64_t)llround(span) : UINT64_C(1) << 63, job->has_fill);
}

static uint64_t packed_float(const struct job *job, uint64_t value)
{
    return is_fill(job, value) ? UINT64_MAX : (uint64_t)llround(scaled(job, value, job->minimum));
}

static void pack(const struct job *job, const uint8_t *in, struct ts_bits_out *bits)
{
    for (size_t i = 0; i < job->elements; i++) {
        uint64_t v = get(in + i * job->size, job->size, job->big);
        ts_bits_put(bits, job->is_float ? packed_float(job, v) : packed_integer(job, v), job->bits);
    }
}

static uint8_t *encode_values(const struct job *job, const struct ts_block *b, size_t *size)
{
    bool whole = job->bits == job->size * 8;
    size_t packed = (size_t)((uint64_t)job->bits * job->elements / 8);
    *size = HEADER + packed + !whole;
    uint8_t *out = ts_malloc_aligned(*size);
    if (!out)
        return NULL;
    memset(out, 0, HEADER);
    put(out, job->bits, 4, false);
    out[4] = 8;
    put(out + 5, job->minimum, 8, false);
    if (whole) {
        reorder(job, out + HEADER, b->data, b->size);
    } else {
        struct ts_bits_out bits = {.p = out + HEADER, .size = packed + 1};
        pack(job, b->data, &bits);
        ts_bits_close(&bits);
    }
    return out;
}

int ts_encode_scaleoffset(const struct ts_filter *f, struct ts_block *b)
{
    struct job job = {0};
    size_t total, size;
    if (read_parameters(f, &job) < 0)
        return -1;
    if (!ts_mul_size(job.elements, job.size, &total) || total != b->size)
        return TS_ERR(PLINE, CANTFILTER, "scaleoffset: %u elements of %u bytes, the chunk has %zu bytes", job.elements,
                      job.size, b->size);
    if (stores_whole(&job))
        return 0;
    if (job.is_float)
        measure_floats(&job, b->data);
    else
        measure_integers(&job, b->data);
    uint8_t *out = encode_values(&job, b, &size);
    if (!out)
        return -1;
    ts_block_replace(b, out, size);
    return 0;
}
