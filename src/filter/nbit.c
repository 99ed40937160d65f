/* Only the significant bits of each value are stored, packed, the most significant first. Behind the last one stands
 * always one more byte, with the bits left over or none. */
#include "filter/nbit.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "filter/bits.h"
#include "filter/filter.h"

#define MAX_DEPTH 32

/* One walk over the parameters serves both directions. */
struct walk {
    const unsigned *values;
    size_t n, at;
    unsigned depth;
    uint64_t steps; /* that may still be made */
    bool encodes;
    struct ts_bits in;      /* decoding */
    struct ts_bits_out out; /* encoding */
};

static unsigned take(struct walk *w)
{
    return w->at < w->n ? w->values[w->at++] : 0;
}

static int bad_type(const char *what, unsigned value)
{
    return TS_ERR(PLINE, CANTFILTER, "nbit: %s %u in the parameters", what, value);
}

static int check_bits(const struct walk *w, uint64_t n)
{
    if (w->encodes ? !ts_bits_room(&w->out, n) : !ts_bits_have(&w->in, n))
        return TS_ERR(PLINE, CANTFILTER,
                      w->encodes ? "nbit: the parts of an element are larger than the element"
                                 : "nbit: the stored bytes end before the last element");
    return 0;
}

static int do_type(struct walk *w, uint8_t *data, size_t room);

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

static uint64_t get_bits(const uint8_t *in, unsigned size, bool big, unsigned offset, unsigned count)
{
    uint64_t value = 0;
    for (unsigned done = 0; done < count;) {
        unsigned bit = offset + done, byte = bit / 8, shift = bit % 8;
        unsigned now = 8 - shift < count - done ? 8 - shift : count - done;
        uint64_t bits = ((unsigned)in[big ? size - 1 - byte : byte] >> shift) & ((1u << now) - 1);
        value |= bits << done;
        done += now;
    }
    return value;
}

static int do_atomic(struct walk *w, uint8_t *data, size_t room)
{
    unsigned size = take(w), order = take(w), precision = take(w), offset = take(w);
    if (size == 0 || size > room)
        return bad_type("atomic size", size);
    if (order > 1)
        return bad_type("byte order", order);
    if (precision == 0 || precision > (uint64_t)size * 8 || offset > (uint64_t)size * 8 - precision)
        return bad_type("precision or offset", precision);
    if (check_bits(w, precision) < 0)
        return -1;
    /* From the most significant end, at most 64 bits at a time. */
    for (unsigned left = precision; left > 0;) {
        unsigned now = left % 64 ? left % 64 : 64;
        left -= now;
        if (w->encodes)
            ts_bits_put(&w->out, get_bits(data, size, order == 1, offset + left, now), now);
        else
            put_bits(data, size, order == 1, offset + left, now, ts_bits_get(&w->in, now));
    }
    return 0;
}

static int do_bytes(struct walk *w, uint8_t *data, size_t room)
{
    unsigned size = take(w);
    if (size > room)
        return bad_type("size", size);
    if (check_bits(w, (uint64_t)size * 8) < 0)
        return -1;
    for (unsigned i = 0; i < size; i++)
        if (w->encodes)
            ts_bits_put(&w->out, data[i], 8);
        else
            data[i] = (uint8_t)ts_bits_get(&w->in, 8);
    return 0;
}

static int do_array(struct walk *w, uint8_t *data, size_t room)
{
    unsigned size = take(w);
    /* Size of the base type stands behind its class whatever that is. */
    unsigned base = w->at + 1 < w->n ? w->values[w->at + 1] : 0;
    if (size == 0 || size > room || base == 0 || size % base != 0)
        return bad_type("array size", size);
    size_t start = w->at;
    for (unsigned done = 0; done < size; done += base) {
        w->at = start;
        if (do_type(w, data + done, base) < 0)
            return -1;
    }
    /* libhdf5 goes on here, inside the base type, when that has parts itself: what it makes of the members that follow
     * is what its files hold. See ends_astray where the parameters are made. */
    if (w->values[start] == TS_NBIT_ARRAY || w->values[start] == TS_NBIT_COMPOUND)
        w->at = start + 1;
    return 0;
}

static int do_compound(struct walk *w, uint8_t *data, size_t room)
{
    unsigned size = take(w), members = take(w);
    if (size == 0 || size > room)
        return bad_type("compound size", size);
    if (members > w->n)
        return bad_type("number of members", members);
    for (unsigned i = 0; i < members; i++) {
        unsigned offset = take(w);
        if (offset >= size)
            return bad_type("member offset", offset);
        if (do_type(w, data + offset, size - offset) < 0)
            return -1;
    }
    return 0;
}

static int do_type(struct walk *w, uint8_t *data, size_t room)
{
    int status;
    unsigned cls = take(w);
    if (++w->depth > MAX_DEPTH)
        return bad_type("nesting", w->depth);
    if (w->steps-- == 0)
        return bad_type("endless type of class", cls);
    switch (cls) {
    case TS_NBIT_ATOMIC:
        status = do_atomic(w, data, room);
        break;
    case TS_NBIT_ARRAY:
        status = do_array(w, data, room);
        break;
    case TS_NBIT_COMPOUND:
        status = do_compound(w, data, room);
        break;
    case TS_NBIT_BYTES:
        status = do_bytes(w, data, room);
        break;
    default:
        return bad_type("class", cls);
    }
    w->depth--;
    return status;
}

static int do_elements(struct walk *w, uint8_t *data)
{
    unsigned elements = w->values[TS_NBIT_ELEMENTS], size = w->values[TS_NBIT_TYPE + 1];
    /* At no depth have the parts of an element more than its bytes. */
    w->steps = (uint64_t)elements * size * MAX_DEPTH;
    for (unsigned i = 0; i < elements; i++) {
        w->at = TS_NBIT_TYPE;
        if (do_type(w, data + (size_t)i * size, size) < 0)
            return -1;
    }
    return 0;
}

/* 1 when there is something to do, and the size of all elements; 0 when the data is stored as it is. */
static int read_parameters(const struct ts_filter *f, size_t *total)
{
    const unsigned *v = f->values;
    size_t least = TS_NBIT_TYPE;
    if (f->n_values >= least && !v[TS_NBIT_WHOLE])
        least += 2;
    if (f->n_values < least || v[TS_NBIT_COUNT] != f->n_values)
        return TS_ERR(PLINE, CANTFILTER, "nbit: %zu parameters", f->n_values);
    if (v[TS_NBIT_WHOLE])
        return 0;
    if (v[TS_NBIT_TYPE + 1] == 0 || !ts_mul_size(v[TS_NBIT_ELEMENTS], v[TS_NBIT_TYPE + 1], total))
        return TS_ERR(PLINE, CANTFILTER, "nbit: %u elements of %u bytes", v[TS_NBIT_ELEMENTS], v[TS_NBIT_TYPE + 1]);
    return 1;
}

int ts_decode_nbit(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    size_t total;
    int todo = read_parameters(f, &total);
    if (todo <= 0)
        return todo;
    if (total > b->expected)
        return TS_ERR(PLINE, CANTFILTER, "nbit: %zu bytes of elements, the chunk has %zu bytes", total, b->expected);
    uint8_t *out = ts_calloc(total, 1);
    if (!out)
        return -1;
    struct walk w = {.values = f->values, .n = f->n_values, .in = {.p = b->data, .size = b->size}};
    if (do_elements(&w, out) < 0) {
        ts_free(out);
        return -1;
    }
    ts_block_replace(b, out, total);
    return 0;
}

int ts_encode_nbit(const struct ts_filter *f, struct ts_block *b)
{
    size_t total;
    int todo = read_parameters(f, &total);
    if (todo <= 0)
        return todo;
    if (total != b->size)
        return TS_ERR(PLINE, CANTFILTER, "nbit: %zu bytes of elements, the chunk has %zu bytes", total, b->size);
    uint8_t *out = ts_malloc_aligned(total + 1);
    if (!out)
        return -1;
    struct walk w = {.values = f->values, .n = f->n_values, .encodes = true, .out = {.p = out, .size = total}};
    if (do_elements(&w, b->data) < 0) {
        ts_free(out);
        return -1;
    }
    ts_block_replace(b, out, ts_bits_close(&w.out));
    return 0;
}
