/* The filter "selection packing", for the selection section of sparse chunks: an encoded dataspace (space/codec.c) and
 * its checksum become the gaps between the selected elements. General compressors do well behind it: the bytes of
 * random gaps have nearly as little redundancy as such a selection can have.
 *
 *   version 1 (1) | kind 1: 0 points, 1 blocks, 2 a regular hyperslab | bytes of a number in the selection 1 | rank 1
 *   dimensions, V each
 *   kind 2: start, stride, count, block of each dimension, V each
 *   kind 0, 1: how many points or blocks V | list of gaps | kind 1: for each dimension a list: last - first coordinate
 *   V: an unsigned number, 7 bits in a byte from the lowest on; the highest bit is set when another byte follows
 *   list: shift 1 (255: all numbers are 0, and nothing follows; not of gaps)
 *         for each number, number >> shift: as many bytes 255 as it has 255s, then the rest in a byte
 *         the lowest `shift` bits of each number, packed from the lowest bit of the first byte on
 *
 * Elements are numbered in row-major order. The gap of a point or block is its number (that of its first corner) minus
 * the first number behind the one before it: behind the point, or behind the first row of the block. So they come in
 * ascending order; all else, such as another version of the selection or a wrong checksum, is refused. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/filter.h"

#define MAX_RANK 32
#define VERSION 1
#define ALL_ZERO 255

enum kind { POINTS, BLOCKS, REGULAR, KINDS };

struct head {
    unsigned kind, width, rank;
    uint64_t dims[MAX_RANK];
    uint64_t n;        /* points or blocks */
    size_t numbers;    /* of the selection, n not counted */
    size_t numbers_at; /* in the section, where n or the slabs stand */
    size_t size;       /* of the section */
};

/* The sizes that follow from kind, width, rank and n. */
static bool set_sizes(struct head *h)
{
    size_t per = h->kind == POINTS ? h->rank : h->kind == BLOCKS ? 2 * h->rank : 4 * h->rank, bytes;
    h->numbers_at = 11 + 16 * (size_t)h->rank + (h->kind == POINTS ? 13 : 14);
    if (h->n > SIZE_MAX || !ts_mul_size((size_t)h->n, per, &h->numbers) || !ts_mul_size(h->numbers, h->width, &bytes))
        return false;
    return ts_add_size(bytes, h->numbers_at + (h->kind == REGULAR ? 0 : h->width) + 4, &h->size);
}

static uint64_t read_varint(struct ts_rd *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = ts_rd_u8(r);
        if (shift > 63 || (shift == 63 && byte > 1))
            r->bad = true;
        if (r->bad)
            return 0;
        v |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return v;
    }
}

/* A list of numbers being read: high parts by the cursor, low parts from where they start. */
struct list {
    struct ts_rd high;
    const uint8_t *low;
    unsigned shift;
    uint64_t bit;
};

static uint64_t list_next(struct list *l)
{
    uint64_t v = 0, byte;
    if (l->shift == ALL_ZERO)
        return 0;
    do {
        byte = ts_rd_u8(&l->high);
        v += byte;
    } while (byte == 255);
    v <<= l->shift;
    for (unsigned i = 0; i < l->shift; i++, l->bit++)
        v |= (uint64_t)(l->low[l->bit / 8] >> l->bit % 8 & 1) << i;
    return v;
}

/* Finds where the list of n numbers at r ends: r stands behind it then. */
static int list_open(struct ts_rd *r, uint64_t n, bool gaps, struct list *out)
{
    out->shift = ts_rd_u8(r);
    out->bit = 0;
    out->high = *r;
    if (out->shift == ALL_ZERO && !gaps)
        return 0;
    if (out->shift > 63)
        return TS_ERR(PLINE, CANTFILTER, "selection packing: a shift of %u bits", out->shift);
    for (uint64_t i = 0; i < n && !r->bad;)
        i += ts_rd_u8(r) != 255;
    uint64_t bits;
    if (r->bad || !ts_mul_u64(n, out->shift, &bits))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: a list of numbers is cut off");
    out->low = r->p;
    ts_rd_skip(r, (size_t)ts_div_ceil(bits, 8));
    return 0;
}

static int read_head(struct ts_rd *r, struct head *h)
{
    unsigned version = ts_rd_u8(r);
    h->kind = ts_rd_u8(r);
    h->width = ts_rd_u8(r);
    h->rank = ts_rd_u8(r);
    if (r->bad || version != VERSION || h->kind >= KINDS || h->rank < 1 || h->rank > MAX_RANK ||
        (h->width != 2 && h->width != 4 && h->width != 8))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: version %u, kind %u, rank %u, numbers of %u bytes",
                      version, h->kind, h->rank, h->width);
    for (unsigned d = 0; d < h->rank; d++)
        h->dims[d] = read_varint(r);
    h->n = h->kind == REGULAR ? 1 : read_varint(r);
    /* Every point and block has a byte at least: no more memory than the bytes that are there call for. */
    if (r->bad || h->n > ts_rd_left(r) || !set_sizes(h))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: %llu points or blocks in %zu bytes",
                      (unsigned long long)h->n, ts_rd_left(r));
    return 0;
}

static void put(uint8_t **at, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        *(*at)++ = (uint8_t)(v >> 8 * i);
}

/* The section up to the selection's numbers. */
static void put_head(uint8_t **at, const struct head *h)
{
    put(at, 1 | 8 << 16, 3);
    put(at, 4 + 16 * h->rank, 4);
    put(at, 2 | h->rank << 8 | 1 << 16 | 1 << 24, 4);
    for (unsigned i = 0; i < 2 * h->rank; i++)
        put(at, h->dims[i % h->rank], 8);
    put(at, h->kind == POINTS ? 1 : 2, 4);
    put(at, h->kind == POINTS ? 2 : 3, 4);
    if (h->kind != POINTS)
        put(at, h->kind == REGULAR, 1);
    put(at, h->width, 1);
    put(at, h->rank, 4);
    if (h->kind != REGULAR)
        put(at, h->n, h->width);
}

/* Moves a position on by `gap` elements; false when it leaves the extent. */
static bool advance(const struct head *h, uint64_t *at, uint64_t gap)
{
    for (unsigned d = h->rank; d-- > 0 && gap > 0;) {
        if (!ts_add_u64(at[d], gap, &at[d]))
            return false;
        gap = 0;
        if (at[d] >= h->dims[d]) {
            if (d == 0 || h->dims[d] == 0)
                return false;
            gap = at[d] / h->dims[d];
            at[d] %= h->dims[d];
        }
    }
    return true;
}

static int put_elements(struct ts_rd *r, const struct head *h, uint8_t **to)
{
    struct list gaps, lengths[MAX_RANK];
    uint64_t at[MAX_RANK] = {0}, end[MAX_RANK], behind = 0;
    bool good = true;
    if (list_open(r, h->n, true, &gaps) < 0)
        return -1;
    for (unsigned d = 0; h->kind == BLOCKS && d < h->rank; d++)
        if (list_open(r, h->n, false, &lengths[d]) < 0)
            return -1;
    if (r->bad)
        return TS_ERR(PLINE, CANTFILTER, "selection packing: a list of numbers is cut off");
    for (uint64_t i = 0; i < h->n && good; i++) {
        uint64_t gap;
        good = ts_add_u64(list_next(&gaps), behind, &gap) && advance(h, at, gap);
        for (unsigned d = 0; d < h->rank; d++)
            put(to, at[d], h->width);
        behind = 1;
        for (unsigned d = 0; h->kind == BLOCKS && d < h->rank; d++) {
            end[d] = at[d] + list_next(&lengths[d]);
            put(to, end[d], h->width);
            behind = end[d] - at[d] + 1;
        }
    }
    return good ? 0 : TS_ERR(PLINE, CANTFILTER, "selection packing: an element outside of the chunk");
}

static int unpack(const uint8_t *data, size_t size, uint8_t **out, size_t *out_size)
{
    struct ts_rd r = ts_rd_init(data, size);
    struct head h;
    if (read_head(&r, &h) < 0)
        return -1;
    uint8_t *section = ts_malloc_aligned(h.size), *to = section;
    if (!section)
        return -1;
    int status = 0;
    put_head(&to, &h);
    for (size_t i = 0; h.kind == REGULAR && i < h.numbers; i++)
        put(&to, read_varint(&r), h.width);
    if (h.kind != REGULAR)
        status = put_elements(&r, &h, &to);
    if (status == 0 && (r.bad || ts_rd_left(&r) > 0))
        status = TS_ERR(PLINE, CANTFILTER, "selection packing: %zu bytes are too many or too few", size);
    if (status < 0) {
        ts_free(section);
        return -1;
    }
    put(&to, ts_checksum(section, h.size - 4), 4);
    *out = section;
    *out_size = h.size;
    return 0;
}

int ts_decode_selection_packing(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)f;
    (void)options;
    uint8_t *section;
    size_t size;
    if (unpack(b->data, b->size, &section, &size) < 0)
        return -1;
    ts_block_replace(b, section, size);
    return 0;
}

static void put_varint(struct ts_wr *w, uint64_t v)
{
    for (; v > 127; v >>= 7)
        ts_wr_u8(w, (uint8_t)(v | 128));
    ts_wr_u8(w, (uint8_t)v);
}

/* High parts of 64 to 128 on the average: few need a second byte, and what is left out of them is noise. */
static unsigned choose_shift(const uint64_t *v, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (!ts_add_u64(sum, v[i], &sum))
            sum = UINT64_MAX;
    uint64_t mean = sum / n;
    return mean > 127 ? ts_log2_floor(mean) - 6 : 0;
}

static void put_list(struct ts_wr *w, const uint64_t *v, size_t n, bool gaps)
{
    bool zeros = !gaps;
    for (size_t i = 0; i < n && zeros; i++)
        zeros = v[i] == 0;
    unsigned shift = zeros ? ALL_ZERO : choose_shift(v, n), filled = 0;
    ts_wr_u8(w, (uint8_t)shift);
    if (zeros)
        return;
    for (size_t i = 0; i < n; i++) {
        uint64_t high = v[i] >> shift;
        for (; high >= 255; high -= 255)
            ts_wr_u8(w, 255);
        ts_wr_u8(w, (uint8_t)high);
    }
    uint8_t byte = 0;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < shift; k++) {
            byte |= (uint8_t)((v[i] >> k & 1) << filled);
            if (++filled == 8) {
                ts_wr_u8(w, byte);
                filled = byte = 0;
            }
        }
    if (filled > 0)
        ts_wr_u8(w, byte);
}

/* Reads what says which section it is, as far as packing needs it: that unpacking gives the same bytes is checked in
 * the end. */
static bool parse(struct ts_rd *r, struct head *h)
{
    ts_rd_skip(r, 8);
    h->rank = ts_rd_u8(r);
    ts_rd_skip(r, 2);
    if (h->rank < 1 || h->rank > MAX_RANK)
        return false;
    for (unsigned d = 0; d < h->rank; d++)
        h->dims[d] = ts_rd_u64(r);
    ts_rd_skip(r, 8 * (size_t)h->rank);
    uint32_t type = ts_rd_u32(r);
    ts_rd_skip(r, 4);
    unsigned flags = type == 2 ? ts_rd_u8(r) : 0;
    h->kind = type == 1 ? POINTS : flags & 1 ? REGULAR : BLOCKS;
    h->width = ts_rd_u8(r);
    ts_rd_skip(r, 4);
    if (r->bad || (type != 1 && type != 2) || (h->width != 2 && h->width != 4 && h->width != 8))
        return false;
    h->n = h->kind == REGULAR ? 1 : ts_rd_uint(r, h->width);
    return !r->bad && h->n > 0 && set_sizes(h) && h->size == ts_rd_pos(r) + ts_rd_left(r);
}

/* Gaps, and behind them the lengths dimension by dimension; false when the elements do not ascend. */
static bool measure(struct ts_rd *r, const struct head *h, uint64_t *v)
{
    uint64_t next = 0, step[MAX_RANK + 1] = {0}, n = h->n;
    step[h->rank] = 1;
    for (unsigned d = h->rank; d-- > 0;)
        if (!ts_mul_u64(step[d + 1], h->dims[d], &step[d]))
            return false;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t first[MAX_RANK], number = 0, behind = 1;
        for (unsigned d = 0; d < h->rank; d++) {
            first[d] = ts_rd_uint(r, h->width);
            if (first[d] >= h->dims[d])
                return false;
            number += first[d] * step[d + 1];
        }
        for (unsigned d = 0; h->kind == BLOCKS && d < h->rank; d++) {
            uint64_t last = ts_rd_uint(r, h->width);
            if (last < first[d] || last >= h->dims[d])
                return false;
            v[(d + 1) * n + i] = last - first[d];
            behind = last - first[d] + 1;
        }
        if (number < next)
            return false;
        v[i] = number - next;
        next = number + behind;
    }
    return true;
}

static int pack(struct ts_rd *r, const struct head *h, struct ts_wr *w)
{
    size_t lists = h->kind == BLOCKS ? 1 + h->rank : 1, values;
    ts_wr_u8(w, VERSION);
    ts_wr_u8(w, (uint8_t)h->kind);
    ts_wr_u8(w, (uint8_t)h->width);
    ts_wr_u8(w, (uint8_t)h->rank);
    for (unsigned d = 0; d < h->rank; d++)
        put_varint(w, h->dims[d]);
    for (size_t i = 0; h->kind == REGULAR && i < h->numbers; i++)
        put_varint(w, ts_rd_uint(r, h->width));
    if (h->kind == REGULAR)
        return w->bad ? -1 : 0;
    put_varint(w, h->n);
    if (!ts_mul_size(lists, (size_t)h->n, &values) || !ts_mul_size(values, sizeof(uint64_t), &values))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: %llu elements", (unsigned long long)h->n);
    uint64_t *v = ts_malloc(values);
    if (!v)
        return -1;
    int status = measure(r, h, v) ? 0 : TS_ERR(PLINE, CANTFILTER, "selection packing: the elements do not ascend");
    for (size_t i = 0; i < lists && status == 0; i++)
        put_list(w, v + i * h->n, (size_t)h->n, i == 0);
    ts_free(v);
    return status < 0 || w->bad ? -1 : 0;
}

static int check_unpacks(const struct ts_wr *w, const struct ts_block *b)
{
    uint8_t *again;
    size_t size;
    if (unpack(w->data, w->size, &again, &size) < 0)
        return -1;
    bool same = size == b->size && memcmp(again, b->data, size) == 0;
    ts_free(again);
    return same ? 0 : TS_ERR(PLINE, CANTFILTER, "selection packing: not the selection section of a chunk");
}

int ts_encode_selection_packing(const struct ts_filter *f, struct ts_block *b)
{
    (void)f;
    struct ts_rd r = ts_rd_init(b->data, b->size);
    struct ts_wr w = {0};
    struct head h;
    if (!parse(&r, &h))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: %zu bytes that are not the selection section of a chunk",
                      b->size);
    if (pack(&r, &h, &w) < 0 || check_unpacks(&w, b) < 0) {
        ts_wr_free(&w);
        return -1;
    }
    ts_block_replace(b, w.data, w.size);
    return 0;
}
