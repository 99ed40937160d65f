/* The filter "selection packing", for the selection section of sparse chunks: an encoded dataspace (space/codec.c) and
 * its checksum become the gaps between the selected elements. General compressors do well behind it: the bytes of
 * random gaps have nearly as little redundancy as such a selection can have.
 *
 *   version 1 (2) | kind 1: 0 points, 1 blocks, 2 a regular hyperslab | bytes of a number in the selection 1 | rank 1
 *   dimensions, V each
 *   kind 2: start, stride, count, block of each dimension, V each
 *   kind 0, 1: how many points or blocks V | list of gaps | kind 1: for each dimension a list: last - first coordinate
 *   checksum of all this 4, which version 1 had not
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
#include "base/divisor.h"
#include "base/error.h"
#include "filter/filter.h"
#include "space/run_set.h"

#define MAX_RANK 32
#define VERSION 2
#define VERSION_WITHOUT_SUM 1
#define CHECKSUM 4
#define ALL_ZERO 255
#define MOST_HEAD (11 + 16 * MAX_RANK + 14 + 8) /* bytes before the numbers of a section */

/* Loops over numbers are made once for each width: one whose width is not known costs several times as much. */
#define ONCE_PER_WIDTH static inline __attribute__((always_inline))

enum kind { POINTS, BLOCKS, REGULAR, KINDS };

struct head {
    unsigned kind, width, rank;
    uint64_t dims[MAX_RANK];
    uint64_t elements; /* in such a chunk */
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

static bool count_elements(struct head *h)
{
    h->elements = 1;
    for (unsigned d = 0; d < h->rank; d++)
        if (!ts_mul_u64(h->elements, h->dims[d], &h->elements))
            return false;
    return true;
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

/* A list of numbers being read: high parts and low parts from where they start. All bytes of it are there. */
struct list {
    const uint8_t *high, *low, *end;
    unsigned shift;
    uint64_t bit;
};

/* The low part of a number where 8 bytes cannot be read at once, or are not enough. */
static uint64_t low_bits(const struct list *l)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < l->shift; i++) {
        uint64_t bit = l->bit + i;
        v |= (uint64_t)(l->low[bit / 8] >> bit % 8 & 1) << i;
    }
    return v;
}

static inline uint64_t list_next(struct list *l)
{
    uint64_t v = 0, low;
    if (l->shift == ALL_ZERO)
        return 0;
    while (*l->high == 255) {
        v += 255;
        l->high++;
    }
    v += *l->high++;
    if (l->shift == 0)
        return v;
    const uint8_t *at = l->low + l->bit / 8;
    if (l->end - at >= 8 && l->shift <= 57) {
        memcpy(&low, at, sizeof low);
        low = le64toh(low) >> l->bit % 8 & ~(UINT64_MAX << l->shift);
    } else {
        low = low_bits(l);
    }
    l->bit += l->shift;
    return v << l->shift | low;
}

static size_t count_255(const uint8_t *p, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += p[i] == 255;
    return count;
}

/* Finds where the list of n numbers at r ends: r stands behind it then. */
static int list_open(struct ts_rd *r, uint64_t n, bool gaps, struct list *out)
{
    out->shift = ts_rd_u8(r);
    out->bit = 0;
    if (out->shift == ALL_ZERO && !gaps)
        return 0;
    if (out->shift > 63)
        return TS_ERR(PLINE, CANTFILTER, "selection packing: a shift of %u bits", out->shift);
    out->high = r->p;
    /* There is another byte for every 255. */
    for (size_t more = (size_t)n; more > 0 && !r->bad;) {
        const uint8_t *bytes = ts_rd_bytes(r, more);
        more = bytes ? count_255(bytes, more) : 0;
    }
    uint64_t bits;
    if (r->bad || !ts_mul_u64(n, out->shift, &bits))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: a list of numbers is cut off");
    out->low = r->p;
    ts_rd_skip(r, (size_t)ts_div_ceil(bits, 8));
    out->end = r->p;
    return 0;
}

/* Of the packed bytes, not of the section: an element that moved would else be seen only by making the section. */
static int check_sum(const uint8_t *packed, size_t size, struct ts_rd *out)
{
    *out = ts_rd_init(packed, size);
    if (size == 0 || *packed == VERSION_WITHOUT_SUM)
        return 0;
    ts_rd_skip(out, size < CHECKSUM ? size : size - CHECKSUM);
    if (!ts_rd_checksum(out))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: wrong checksum in %zu bytes", size);
    *out = ts_rd_init(packed, size - CHECKSUM);
    return 0;
}

static int read_head(struct ts_rd *r, struct head *h)
{
    unsigned version = ts_rd_u8(r);
    h->kind = ts_rd_u8(r);
    h->width = ts_rd_u8(r);
    h->rank = ts_rd_u8(r);
    if (r->bad || (version != VERSION && version != VERSION_WITHOUT_SUM) || h->kind >= KINDS || h->rank < 1 ||
        h->rank > MAX_RANK || (h->width != 2 && h->width != 4 && h->width != 8))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: version %u, kind %u, rank %u, numbers of %u bytes",
                      version, h->kind, h->rank, h->width);
    for (unsigned d = 0; d < h->rank; d++)
        h->dims[d] = read_varint(r);
    if (!count_elements(h))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: a chunk with more elements than have numbers");
    h->n = h->kind == REGULAR ? 1 : read_varint(r);
    /* Every point and block has a byte at least: no more memory than the bytes that are there call for. */
    if (r->bad || h->n > ts_rd_left(r) || !set_sizes(h))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: %llu points or blocks in %zu bytes",
                      (unsigned long long)h->n, ts_rd_left(r));
    return 0;
}

static inline void put(uint8_t **at, uint64_t v, unsigned width)
{
    uint64_t le = htole64(v);
    memcpy(*at, &le, width);
    *at += width;
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

/* Where the elements of a chunk are. */
struct shape {
    unsigned rank;
    bool small; /* their numbers have 32 bits */
    uint64_t dims[MAX_RANK], elements;
    struct ts_divisor by[MAX_RANK];
};

static void make_shape(const struct head *h, struct shape *s)
{
    s->rank = h->rank;
    s->elements = h->elements;
    s->small = h->elements > 0 && h->elements <= UINT32_MAX;
    for (unsigned d = 0; d < h->rank; d++) {
        s->dims[d] = h->dims[d];
        s->by[d] = ts_divisor(s->small ? (uint32_t)h->dims[d] : 1);
    }
}

ONCE_PER_WIDTH uint64_t load(const uint8_t *at, unsigned width)
{
    uint64_t le = 0;
    memcpy(&le, at, width);
    return le64toh(le);
}

ONCE_PER_WIDTH void store(uint8_t *to, uint64_t v, unsigned width)
{
    uint64_t le = htole64(v);
    memcpy(to, &le, width);
}

/* The coordinates of an element, which is in the chunk. */
ONCE_PER_WIDTH void put_point(const struct shape *s, uint64_t number, uint8_t *to, unsigned width)
{
    if (!s->small) {
        for (unsigned d = s->rank; d-- > 0; number /= s->dims[d])
            store(to + d * width, number % s->dims[d], width);
        return;
    }
    uint32_t left = (uint32_t)number;
    for (unsigned d = s->rank - 1; d > 0; d--) {
        uint32_t above = ts_divide(left, s->by[d]);
        store(to + d * width, left - above * s->by[d].by, width);
        left = above;
    }
    store(to, left, width);
}

/* Moves a number on by the next gap; false when that leaves the chunk. */
static inline bool next_number(const struct shape *s, struct list *gaps, uint64_t *number)
{
    return ts_add_u64(*number, list_next(gaps), number) && *number < s->elements;
}

ONCE_PER_WIDTH bool put_points(const struct list *list, const struct shape *s, uint64_t n, uint8_t *to, unsigned width)
{
    struct list gaps = *list; /* of which the compiler sees that no store changes it */
    uint64_t number = 0;
    size_t point = s->rank * width;
    for (uint64_t i = 0; i < n; i++, number++, to += point) {
        if (!next_number(s, &gaps, &number))
            return false;
        put_point(s, number, to, width);
    }
    return true;
}

/* lists: gaps and lengths. */
ONCE_PER_WIDTH bool put_blocks(struct list *lists, const struct shape *s, uint64_t n, uint8_t *to, unsigned width)
{
    uint64_t number = 0, length = 0;
    size_t corner = s->rank * width;
    for (uint64_t i = 0; i < n; i++, number += length + 1, to += 2 * corner) {
        if (!next_number(s, &lists[0], &number))
            return false;
        put_point(s, number, to, width);
        for (unsigned d = 0; d < s->rank; d++) {
            uint64_t first = load(to + d * width, width);
            length = list_next(&lists[1 + d]);
            if (length >= s->dims[d] - first)
                return false;
            store(to + corner + d * width, first + length, width);
        }
    }
    return true;
}

static bool put_lists(struct list *lists, const struct head *h, uint8_t *to)
{
    struct shape s;
    make_shape(h, &s);
    if (h->kind == POINTS)
        return h->width == 2   ? put_points(lists, &s, h->n, to, 2)
               : h->width == 4 ? put_points(lists, &s, h->n, to, 4)
                               : put_points(lists, &s, h->n, to, 8);
    return h->width == 2   ? put_blocks(lists, &s, h->n, to, 2)
           : h->width == 4 ? put_blocks(lists, &s, h->n, to, 4)
                           : put_blocks(lists, &s, h->n, to, 8);
}

static int open_lists(struct ts_rd *r, const struct head *h, struct list *lists)
{
    for (unsigned i = 0; i < (h->kind == BLOCKS ? 1 + h->rank : 1); i++)
        if (list_open(r, h->n, i == 0, &lists[i]) < 0)
            return -1;
    return r->bad ? TS_ERR(PLINE, CANTFILTER, "selection packing: a list of numbers is cut off") : 0;
}

static int put_elements(struct ts_rd *r, const struct head *h, uint8_t *to)
{
    struct list lists[1 + MAX_RANK];
    if (open_lists(r, h, lists) < 0)
        return -1;
    return put_lists(lists, h, to) ? 0
                                   : TS_ERR(PLINE, CANTFILTER, "selection packing: an element outside of the chunk");
}

static int unpack(const uint8_t *data, size_t size, uint8_t **out, size_t *out_size)
{
    struct ts_rd r;
    struct head h;
    if (check_sum(data, size, &r) < 0 || read_head(&r, &h) < 0)
        return -1;
    uint8_t *section = ts_malloc_aligned(h.size), *to = section, *sum = section + h.size - 4;
    if (!section)
        return -1;
    int status = 0;
    put_head(&to, &h);
    for (size_t i = 0; h.kind == REGULAR && i < h.numbers; i++)
        put(&to, read_varint(&r), h.width);
    if (h.kind != REGULAR)
        status = put_elements(&r, &h, to);
    if (status == 0 && (r.bad || ts_rd_left(&r) > 0))
        status = TS_ERR(PLINE, CANTFILTER, "selection packing: %zu bytes are too many or too few", size);
    if (status < 0) {
        ts_free(section);
        return -1;
    }
    put(&sum, ts_checksum(section, h.size - 4), 4);
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

/* Points, or blocks, of a chunk like that, and no coordinate that its width would cut. */
static bool fits(const struct head *h, const struct ts_selection_section *section)
{
    bool same = h->kind != REGULAR && h->rank == section->rank && h->size == section->size && h->n <= section->most &&
                h->elements <= UINT32_MAX;
    for (unsigned d = 0; same && d < h->rank; d++)
        same = h->dims[d] == section->dims[d] && (h->width > 2 || h->dims[d] <= UINT16_MAX);
    return same;
}

static int add_points(const struct list *list, const struct shape *s, uint64_t n, struct ts_run_builder *b)
{
    struct list gaps = *list; /* as in put_points */
    uint64_t number = 0;
    for (uint64_t i = 0; i < n; i++, number++) {
        int status = next_number(s, &gaps, &number) ? ts_run_builder_add(b, number, number + 1) : 0;
        if (status <= 0)
            return status;
    }
    return 1;
}

/* Blocks of one row each. */
static int add_blocks(struct list *lists, const struct shape *s, uint64_t n, struct ts_run_builder *b)
{
    uint64_t number = 0, length;
    uint32_t row = (uint32_t)s->dims[s->rank - 1];
    for (unsigned d = 0; d + 1 < s->rank; d++)
        if (lists[1 + d].shift != ALL_ZERO)
            return 0;
    for (uint64_t i = 0; i < n; i++, number += length) {
        if (!next_number(s, &lists[0], &number))
            return 0;
        length = list_next(&lists[s->rank]);
        if (length >= row - (uint32_t)number % row)
            return 0;
        length++;
        int status = ts_run_builder_add(b, number, number + length);
        if (status <= 0)
            return status;
    }
    return 1;
}

static int build_set(const struct head *h, struct list *lists, struct ts_run_set **out)
{
    struct ts_run_builder b;
    struct shape s;
    make_shape(h, &s);
    if (ts_run_builder_init(&b, h->elements) < 0)
        return -1;
    int status = h->kind == POINTS ? add_points(lists, &s, h->n, &b) : add_blocks(lists, &s, h->n, &b);
    if (status == 1 && ts_run_builder_finish(&b, out) < 0)
        status = -1;
    ts_run_builder_deinit(&b);
    return status;
}

int ts_unpack_selection(const uint8_t *packed, size_t size, const struct ts_selection_section *section,
                        struct ts_run_set **out)
{
    struct ts_rd r;
    struct head h;
    struct list lists[1 + MAX_RANK];
    unsigned mark = ts_err_mark();
    if (check_sum(packed, size, &r) < 0 || read_head(&r, &h) < 0 || !fits(&h, section) || h.n == 0 ||
        open_lists(&r, &h, lists) < 0 || ts_rd_left(&r) > 0) {
        ts_err_rewind(mark);
        return 0;
    }
    int status = build_set(&h, lists, out);
    if (status == 1 && ts_run_set_count(*out) > section->most) {
        ts_run_set_free(*out);
        return 0;
    }
    return status;
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

/* The high parts: a number of 255s and the rest. */
static void put_high(struct ts_wr *w, const uint64_t *v, size_t n, unsigned shift)
{
    size_t bytes = n;
    for (size_t i = 0; i < n; i++)
        bytes += (size_t)((v[i] >> shift) / 255);
    uint8_t *to = ts_wr_reserve(w, bytes);
    for (size_t i = 0; to && i < n; i++) {
        uint64_t high = v[i] >> shift;
        for (; high >= 255; high -= 255)
            *to++ = 255;
        *to++ = (uint8_t)high;
    }
}

static void put_low(struct ts_wr *w, const uint64_t *v, size_t n, unsigned shift)
{
    uint8_t *to = ts_wr_reserve(w, (size_t)ts_div_ceil((uint64_t)n * shift, 8));
    uint64_t bits = 0;
    unsigned filled = 0;
    for (size_t i = 0; to && i < n; i++) {
        uint64_t low = v[i] & ~(UINT64_MAX << shift);
        bits |= low << filled;
        filled += shift;
        if (filled >= 64) {
            put(&to, bits, 8);
            filled -= 64;
            bits = filled > 0 ? low >> (shift - filled) : 0;
        }
    }
    if (to)
        put(&to, bits, (filled + 7) / 8);
}

static void put_list(struct ts_wr *w, const uint64_t *v, size_t n, bool gaps)
{
    bool zeros = !gaps;
    for (size_t i = 0; i < n && zeros; i++)
        zeros = v[i] == 0;
    unsigned shift = zeros ? ALL_ZERO : choose_shift(v, n);
    ts_wr_u8(w, (uint8_t)shift);
    if (zeros)
        return;
    put_high(w, v, n, shift);
    if (shift > 0)
        put_low(w, v, n, shift);
}

/* Reads what says which section it is, as far as packing needs it: the rest is compared with what unpacking makes. */
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
    return !r->bad && h->n > 0 && count_elements(h) && set_sizes(h) && h->size == ts_rd_pos(r) + ts_rd_left(r);
}

/* The number of the element at a point; false when it is outside. */
ONCE_PER_WIDTH bool read_point(const struct head *h, const uint8_t *p, unsigned width, uint64_t *at, uint64_t *number)
{
    bool inside = true;
    *number = 0;
    for (unsigned d = 0; d < h->rank; d++) {
        at[d] = load(p + d * width, width);
        inside &= at[d] < h->dims[d];
        *number = *number * h->dims[d] + at[d];
    }
    return inside;
}

/* Gaps, and behind them the lengths dimension by dimension; false when the elements do not ascend. */
ONCE_PER_WIDTH bool measure_as(const uint8_t *p, const struct head *h, uint64_t *v, unsigned width)
{
    uint64_t next = 0, n = h->n, first[MAX_RANK], last[MAX_RANK], number, ignored;
    size_t corner = h->rank * width;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t behind = 1;
        if (!read_point(h, p, width, first, &number) || number < next)
            return false;
        p += corner;
        if (h->kind == BLOCKS) {
            if (!read_point(h, p, width, last, &ignored))
                return false;
            p += corner;
            for (unsigned d = 0; d < h->rank; d++) {
                if (last[d] < first[d])
                    return false;
                v[(d + 1) * n + i] = last[d] - first[d];
            }
            behind = last[h->rank - 1] - first[h->rank - 1] + 1;
        }
        v[i] = number - next;
        next = number + behind;
    }
    return true;
}

static bool measure(const uint8_t *p, const struct head *h, uint64_t *v)
{
    return h->width == 2 ? measure_as(p, h, v, 2) : h->width == 4 ? measure_as(p, h, v, 4) : measure_as(p, h, v, 8);
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
    int status = measure(r->p, h, v) ? 0 : TS_ERR(PLINE, CANTFILTER, "selection packing: the elements do not ascend");
    for (size_t i = 0; i < lists && status == 0; i++)
        put_list(w, v + i * h->n, (size_t)h->n, i == 0);
    ts_free(v);
    return status < 0 || w->bad ? -1 : 0;
}

/* What unpacking makes of itself is the same here: all that is around the numbers. */
static bool is_section(const struct ts_block *b, const struct head *h)
{
    uint8_t head[MOST_HEAD], *to = head;
    const uint8_t *bytes = b->data;
    struct ts_rd r = ts_rd_init(bytes, b->size);
    put_head(&to, h);
    ts_rd_skip(&r, b->size - 4);
    return memcmp(head, bytes, (size_t)(to - head)) == 0 && ts_rd_u32(&r) == ts_checksum(bytes, b->size - 4);
}

int ts_encode_selection_packing(const struct ts_filter *f, struct ts_block *b)
{
    (void)f;
    struct ts_rd r = ts_rd_init(b->data, b->size);
    struct ts_wr w = {0};
    struct head h;
    if (!parse(&r, &h) || !is_section(b, &h))
        return TS_ERR(PLINE, CANTFILTER, "selection packing: %zu bytes that are not the selection section of a chunk",
                      b->size);
    int status = pack(&r, &h, &w);
    ts_wr_checksum(&w, 0);
    if (status < 0 || w.bad) {
        ts_wr_free(&w);
        return -1;
    }
    ts_block_replace(b, w.data, w.size);
    return 0;
}
