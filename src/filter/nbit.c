/* Only the significant bits of each value are stored, packed, the most significant first.
 *
 * Parameters: [0] how many there are, [1] 1 when the data is stored as it is, [2] elements in the chunk, [3 …] the type:
 *   1 atomic:   size, order (0 little, 1 big), precision, offset
 *   2 array:    size, the base type
 *   3 compound: size, members, then for each its offset and type
 *   4 bytes:    size (stored whole) */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "filter/bits.h"
#include "filter/filter.h"

enum { ATOMIC = 1, ARRAY, COMPOUND, BYTES };
#define MAX_DEPTH 32

struct parameters {
    const unsigned *values;
    size_t n, at;
    unsigned depth;
};

static unsigned take(struct parameters *p)
{
    return p->at < p->n ? p->values[p->at++] : 0;
}

static int bad_type(const char *what, unsigned value)
{
    return TS_ERR(PLINE, CANTFILTER, "nbit: %s %u in the parameters", what, value);
}

static int decode_type(struct parameters *p, struct ts_bits *bits, uint8_t *out, size_t room);

static void put_bits(uint8_t *out, unsigned size, bool big, unsigned offset, unsigned count, uint64_t value)
{
    for (unsigned done = 0; done < count;) {
        unsigned bit = offset + done, byte = bit / 8, shift = bit % 8;
        unsigned now = 8 - shift < count - done ? 8 - shift : count - done;
        out[big ? size - 1 - byte : byte] |= (uint8_t)((value & ((1u << now) - 1)) << shift);
        value >>= now;
        done += now;
    }
}

static int decode_atomic(struct parameters *p, struct ts_bits *bits, uint8_t *out, size_t room)
{
    unsigned size = take(p), order = take(p), precision = take(p), offset = take(p);
    if (size == 0 || size > room)
        return bad_type("atomic size", size);
    if (order > 1)
        return bad_type("byte order", order);
    if (precision == 0 || precision > size * 8 || offset > size * 8 - precision)
        return bad_type("precision or offset", precision);
    if (!ts_bits_have(bits, precision))
        return TS_ERR(PLINE, CANTFILTER, "nbit: the stored bytes end before the last element");
    /* From the most significant end, at most 64 bits at a time. */
    for (unsigned left = precision; left > 0;) {
        unsigned now = left % 64 ? left % 64 : 64;
        left -= now;
        put_bits(out, size, order == 1, offset + left, now, ts_bits_get(bits, now));
    }
    return 0;
}

static int decode_bytes(struct parameters *p, struct ts_bits *bits, uint8_t *out, size_t room)
{
    unsigned size = take(p);
    if (size > room)
        return bad_type("size", size);
    if (!ts_bits_have(bits, (uint64_t)size * 8))
        return TS_ERR(PLINE, CANTFILTER, "nbit: the stored bytes end before the last element");
    for (unsigned i = 0; i < size; i++)
        out[i] = (uint8_t)ts_bits_get(bits, 8);
    return 0;
}

static int decode_array(struct parameters *p, struct ts_bits *bits, uint8_t *out, size_t room)
{
    unsigned size = take(p);
    /* Size of the base type stands behind its class whatever that is. */
    unsigned base = p->at + 1 < p->n ? p->values[p->at + 1] : 0;
    if (size == 0 || size > room || base == 0 || size % base != 0)
        return bad_type("array size", size);
    size_t start = p->at;
    for (unsigned done = 0; done < size; done += base) {
        p->at = start;
        if (decode_type(p, bits, out + done, base) < 0)
            return -1;
    }
    return 0;
}

static int decode_compound(struct parameters *p, struct ts_bits *bits, uint8_t *out, size_t room)
{
    unsigned size = take(p), members = take(p);
    if (size == 0 || size > room)
        return bad_type("compound size", size);
    if (members > p->n)
        return bad_type("number of members", members);
    for (unsigned i = 0; i < members; i++) {
        unsigned offset = take(p);
        if (offset >= size)
            return bad_type("member offset", offset);
        if (decode_type(p, bits, out + offset, size - offset) < 0)
            return -1;
    }
    return 0;
}

static int decode_type(struct parameters *p, struct ts_bits *bits, uint8_t *out, size_t room)
{
    int status;
    unsigned cls = take(p);
    if (++p->depth > MAX_DEPTH)
        return bad_type("nesting", p->depth);
    switch (cls) {
    case ATOMIC:
        status = decode_atomic(p, bits, out, room);
        break;
    case ARRAY:
        status = decode_array(p, bits, out, room);
        break;
    case COMPOUND:
        status = decode_compound(p, bits, out, room);
        break;
    case BYTES:
        status = decode_bytes(p, bits, out, room);
        break;
    default:
        return bad_type("class", cls);
    }
    p->depth--;
    return status;
}

static int decode_elements(const struct ts_filter *f, const struct ts_block *b, uint8_t *out)
{
    struct ts_bits bits = {.p = b->data, .size = b->size};
    unsigned elements = f->values[2], size = f->values[4];
    for (unsigned i = 0; i < elements; i++) {
        struct parameters p = {.values = f->values, .n = f->n_values, .at = 3};
        if (decode_type(&p, &bits, out + (size_t)i * size, size) < 0)
            return -1;
    }
    return 0;
}

int ts_decode_nbit(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    if (f->n_values < 5 || f->values[0] != f->n_values)
        return TS_ERR(PLINE, CANTFILTER, "nbit: %zu parameters", f->n_values);
    if (f->values[1])
        return 0;
    size_t total;
    if (!ts_mul_size(f->values[2], f->values[4], &total) || (b->expected && total > b->expected))
        return TS_ERR(PLINE, CANTFILTER, "nbit: %u elements of %u bytes, the chunk has %zu bytes", f->values[2], f->values[4],
                      b->expected);
    uint8_t *out = ts_calloc(total, 1);
    if (!out)
        return -1;
    if (decode_elements(f, b, out) < 0) {
        ts_free(out);
        return -1;
    }
    ts_block_replace(b, out, total);
    return 0;
}
