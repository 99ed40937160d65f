/* Writing the zlib format (RFC 1950, 1951). */
#include <libdeflate.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "filter/contexts.h"
#include "filter/filter.h"

/* The most that one stored block can hold: 1 byte of header, its length, the complement of its length, the bytes. */
enum { STORED = 65535, STORED_HEADER = 5, ZLIB_HEADER = 2, ZLIB_CHECKSUM = 4 };

/* Whether codes for single bytes, made anew for every WINDOW bytes, would save less than a 512th. Of even noise the sum
 * over a window of (count - mean)^2 / mean is 255 in the mean; bits saved are about what it is above that / (2 ln
 * 2). */
static bool all_bytes_alike(const uint8_t *p, size_t n)
{
    enum { WINDOW = 2048 };
    uint64_t above = 0;
    size_t at = 0;
    for (; at + WINDOW <= n; at += WINDOW) {
        uint16_t counts[2][256] = {{0}};
        uint32_t squares = 0;
        for (size_t i = 0; i < WINDOW; i += 2) {
            counts[0][p[at + i]]++;
            counts[1][p[at + i + 1]]++;
        }
        for (size_t v = 0; v < 256; v++) {
            uint32_t count = (uint32_t)counts[0][v] + counts[1][v];
            squares += count * count;
        }
        above += squares * 256 / WINDOW - WINDOW;
        /* Most data shows in its first bytes that it is no noise. */
        if (above > (at / WINDOW + 4) * 255 * 3 / 2)
            return false;
    }
    /* What is more even than noise has an order. */
    uint64_t mean = at / WINDOW * 255;
    return above > mean / 4 * 3 && above < mean + at / 48;
}

/* Whether there are hardly any sequences that occurred before. Only those are looked at whose hash has some bits clear:
 * a repetition is met at the same places as what it repeats, so a 32nd of all are enough to know. */
static bool hardly_repeats(const uint8_t *p, size_t n)
{
    enum { BITS = 12, SKIPPED = 5, FEW = 4 };
    uint16_t last[1 << BITS] = {0};
    size_t found = 0;
    for (size_t i = 0; i + 4 <= n; i++) {
        uint32_t here, there;
        memcpy(&here, p + i, 4);
        uint32_t hash = here * UINT32_C(2654435761);
        if (hash >> (32 - SKIPPED))
            continue;
        uint16_t *slot = &last[hash >> (32 - SKIPPED - BITS)];
        memcpy(&there, p + *slot, 4);
        found += there == here && *slot != i;
        *slot = (uint16_t)i;
    }
    return found < FEW;
}

static size_t put_stored(uint8_t *out, const uint8_t *p)
{
    static const uint8_t header[STORED_HEADER] = {0, STORED & 0xff, STORED >> 8, ~STORED & 0xff, ~STORED >> 8 & 0xff};
    memcpy(out, header, sizeof header);
    memcpy(out + sizeof header, p, STORED);
    return sizeof header + STORED;
}

/* How often the first byte stands there, all in a row; not to the last byte. */
static size_t run_in_front(const uint8_t *p, size_t size)
{
    enum { STEP = 512 };
    size_t n = 1;
    while (n + STEP <= size && memcmp(p + n, p + n - 1, STEP) == 0)
        n += STEP;
    return size ? n : 0;
}

/* Bits from the lowest up. */
struct bits {
    uint8_t *out;
    size_t n;
    uint32_t held; /* the last n % 8 bits */
};

static void put(struct bits *b, uint32_t value, unsigned width)
{
    unsigned in_byte = b->n % 8;
    b->held |= value << in_byte;
    b->n += width;
    for (in_byte += width; in_byte >= 8; in_byte -= 8, b->held >>= 8)
        *b->out++ = (uint8_t)b->held;
}

/* Lengths of code: 0 to 2 stand for themselves, 17 and 18 for a row of zeros. */
static void put_no_codes(struct bits *b, size_t n)
{
    for (; n >= 11; n -= n < 138 ? n : 138) {
        put(b, 1, 2);
        put(b, (uint32_t)(n < 138 ? n : 138) - 11, 7);
    }
    if (n >= 3) {
        put(b, 2, 2);
        put(b, (uint32_t)n - 3, 3);
        n = 0;
    }
    for (; n > 0; n--)
        put(b, 0, 2);
}

/* A block for one byte and `copies` times 258 more of it: a literal, then copies of what is one byte back. Three codes
 * are needed, of which the one for the longest copy has one bit, as has the only distance: so a copy is two bits, both
 * 0. */
static size_t put_run(uint8_t *out, uint8_t byte, size_t copies)
{
    /* The lengths of the codes for lengths of codes, in the order of RFC 1951: 17, 18 and 0 have 2 bits, 2 and 1 have
     * 3. */
    static const uint8_t lengths[] = {0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 3};
    struct bits b = {.out = out};
    put(&b, 2 << 1, 3);
    put(&b, 286 - 257, 5);
    put(&b, 1 - 1, 5);
    put(&b, sizeof lengths - 4, 4);
    for (size_t i = 0; i < sizeof lengths; i++)
        put(&b, lengths[i], 3);
    put_no_codes(&b, byte);
    put(&b, 7, 3); /* the byte: 2 bits */
    put_no_codes(&b, 255u - byte);
    put(&b, 7, 3); /* the end: 2 bits */
    put_no_codes(&b, 28);
    put(&b, 3, 3); /* the longest copy: 1 bit */
    put(&b, 3, 3); /* the distance of 1: 1 bit */

    put(&b, 1, 2);
    for (; copies > 0; copies--)
        put(&b, 0, 2);
    put(&b, 3, 2);
    /* An empty stored block, which ends where a byte does. */
    put(&b, 0, 3);
    put(&b, 0, (8 - b.n % 8) % 8);
    memcpy(b.out, "\0\0\xff\xff", 4);
    return (size_t)(b.out + 4 - out);
}

/* Writes what needs no search, as far as it is found at the start: long rows of one byte, and noise. In shuffled
 * numbers these are whole planes; the low bytes of floating point numbers are half of all the data, and noise. Returns
 * how many bytes of input were done. */
static size_t write_front(const uint8_t *p, size_t size, uint8_t *out, size_t *at)
{
    enum { COPY = 258, LONG = 16 * COPY };
    size_t done = 0;
    for (;;) {
        size_t left = size - done, run = run_in_front(p + done, left);
        if (run >= LONG) {
            *at += put_run(out + *at, p[done], (run - 1) / COPY);
            done += 1 + (run - 1) / COPY * COPY;
        } else if (left > STORED && all_bytes_alike(p + done, STORED) && hardly_repeats(p + done, STORED)) {
            *at += put_stored(out + *at, p + done);
            done += STORED;
        } else {
            return done;
        }
    }
}

/* The fixed codes of RFC 1951, which begin with their highest bit. */
static void put_code(struct bits *b, unsigned code, unsigned width)
{
    while (width-- > 0)
        put(b, code >> width & 1, 1);
}

static void put_symbol(struct bits *b, unsigned symbol)
{
    if (symbol < 144)
        put_code(b, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(b, 0x190 + symbol - 144, 9);
    else
        put_code(b, symbol - 256, 7);
}

/* A copy of no more than TINY bytes, by steps that double every fourth symbol, from a distance whose double every
 * second one. */
static void put_copy(struct bits *b, size_t length, size_t distance)
{
    uint32_t more = (uint32_t)length - 3, back = (uint32_t)distance - 1;
    unsigned extra = more < 8 ? 0 : 29u - (unsigned)__builtin_clz(more);
    put_symbol(b, 257 + 4 * extra + (more >> extra));
    put(b, more & ((1u << extra) - 1), extra);
    extra = back < 4 ? 0 : 30u - (unsigned)__builtin_clz(back);
    put_code(b, 2 * extra + (back >> extra), 5);
    put(b, back & ((1u << extra) - 1), extra);
}

/* How much of what comes stands there already, and how far back. As in zlib not from the first byte on, for the same
 * stream. */
static size_t find_copy(const uint8_t *p, size_t at, size_t size, size_t *distance)
{
    size_t longest = 0;
    for (size_t back = 1; back < at; back++) {
        size_t n = 0;
        while (at + n < size && p[at + n] == p[at + n - back])
            n++;
        if (n > longest) {
            longest = n;
            *distance = back;
        }
    }
    return longest;
}

/* Of what is no larger than TINY libdeflate makes a stored block. */
enum { TINY = 55, SHORTEST_COPY = 3, END_OF_BLOCK = 256 };

static size_t put_tiny(uint8_t *out, const uint8_t *p, size_t size)
{
    struct bits b = {.out = out};
    put(&b, 1 | 1 << 1, 3);
    for (size_t at = 0, distance = 0; at < size;) {
        size_t n = find_copy(p, at, size, &distance);
        if (n >= SHORTEST_COPY)
            put_copy(&b, n, distance);
        else
            put_symbol(&b, p[at]);
        at += n >= SHORTEST_COPY ? n : 1;
    }
    put_symbol(&b, END_OF_BLOCK);
    put(&b, 0, (8 - b.n % 8) % 8);
    return (size_t)(b.out - out);
}

static size_t end_stream(uint8_t *out, size_t at, const struct ts_block *b)
{
    uint32_t sum = libdeflate_adler32(1, b->data, b->size);
    for (unsigned i = 0; i < ZLIB_CHECKSUM; i++)
        out[at + i] = (uint8_t)(sum >> 8 * (ZLIB_CHECKSUM - 1 - i));
    return at + ZLIB_CHECKSUM;
}

/* 0 when a stored block is as small. */
static size_t compress_tiny(const struct ts_block *b, unsigned level, uint8_t *out)
{
    static const uint8_t marks[] = {0x01, 0x01, 0x5e, 0x5e, 0x5e, 0x5e, 0x9c, 0xda, 0xda, 0xda};
    uint8_t made[2 * TINY];
    size_t n = put_tiny(made, b->data, b->size);
    if (n >= STORED_HEADER + b->size)
        return 0;
    out[0] = 0x78;
    out[1] = marks[level];
    memcpy(out + ZLIB_HEADER, made, n);
    return end_stream(out, ZLIB_HEADER + n, b);
}

/* 0 when it does not fit. */
static size_t compress(struct libdeflate_compressor *c, const struct ts_block *b, uint8_t *out, size_t capacity)
{
    size_t at = ZLIB_HEADER, done = write_front(b->data, b->size, out, &at);
    if (done == 0)
        return libdeflate_zlib_compress(c, b->data, b->size, out, capacity);
    out[0] = 0x78;
    out[1] = 0x5e;
    size_t made =
        libdeflate_deflate_compress(c, b->data + done, b->size - done, out + at, capacity - at - ZLIB_CHECKSUM);
    return made ? end_stream(out, at + made, b) : 0;
}

static bool mostly_runs(const uint8_t *p, size_t size)
{
    enum { PROBES = 256, LENGTH = 16 };
    size_t step = size / PROBES, found = 0;
    for (size_t i = 0; i < PROBES && step > LENGTH; i++)
        found += memcmp(p + i * step, p + i * step + 1, LENGTH) == 0;
    return found > PROBES / 8 * 7;
}

/* The level of libdeflate for one of zlib: the same, save where another is faster and makes streams that are no larger
 * than zlib's. On rows of one byte its level 1 is slow: 2 MiB with noise in one byte of 1,000 take 4.6 ms, with level 2
 * and with zlib's level 1 2.0 ms. Level 3 is as fast there, and loses more where there is something else in between. */
static unsigned level_for(unsigned asked, const struct ts_block *b)
{
    if (asked == 1)
        return mostly_runs(b->data, b->size) ? 2 : 1;
    return asked == 4 ? 3 : asked;
}

int ts_encode_deflate(const struct ts_filter *f, struct ts_block *b)
{
    if (f->n_values != 1 || f->values[0] > 9)
        return TS_ERR(PLINE, CANTFILTER, "deflate: %zu parameters, level %u", f->n_values,
                      f->n_values ? f->values[0] : 0);
    unsigned kind = TS_CONTEXT_DEFLATE + level_for(f->values[0], b);
    struct libdeflate_compressor *c = ts_context_take(kind);
    if (!c)
        return -1;
    /* The bound counts blocks of a size of its own. */
    size_t capacity = libdeflate_zlib_compress_bound(c, b->size) + (b->size / STORED + 1) * STORED_HEADER, made = 0;
    uint8_t *out = ts_malloc_aligned(capacity);
    if (out && f->values[0] == 0)
        made = libdeflate_zlib_compress(c, b->data, b->size, out, capacity);
    else if (out && b->size <= TINY)
        made = compress_tiny(b, f->values[0], out);
    if (out && made == 0 && f->values[0] > 0)
        made = compress(c, b, out, capacity);
    if (out && made == 0)
        TS_ERR(PLINE, CANTFILTER, "deflate: %zu bytes do not fit into %zu", b->size, capacity);
    ts_context_put(kind, c);
    if (made == 0) {
        ts_free(out);
        return -1;
    }
    ts_block_replace(b, out, made);
    return 0;
}
