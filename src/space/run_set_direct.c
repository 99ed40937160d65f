/* The bytes are those of space/codec.c: an encoded dataspace with points of version 2 or a hyperslab of version 3. */
#include "space/run_set_direct.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/divisor.h"
#include "base/error.h"

#define PORTION 512

/* Loops over numbers are made once for each width: one whose width is not known costs several times as much. */
#define ONCE_PER_WIDTH static inline __attribute__((always_inline))

ONCE_PER_WIDTH uint64_t load(const uint8_t *at, unsigned width)
{
    uint64_t le = 0;
    memcpy(&le, at, width);
    return le64toh(le);
}

ONCE_PER_WIDTH void store(uint8_t *at, uint64_t v, unsigned width)
{
    uint64_t le = htole64(v);
    memcpy(at, &le, width);
}

static unsigned width_for(uint64_t most)
{
    return most < UINT16_MAX ? 2 : most < UINT32_MAX ? 4 : 8;
}

/* The part of a run that lies in one row. Elements of a chunk have numbers of 32 bits. */
struct part {
    uint32_t first, n;
};

struct parts {
    struct part *items;
    size_t n, capacity;
    unsigned rank;
    const hsize_t *extent;
    struct ts_divisor dims[H5S_MAX_RANK];
    uint32_t step[H5S_MAX_RANK]; /* elements from one index of the dimension to the next */
};

static int parts_add(struct parts *p, struct ts_run run)
{
    uint32_t first = (uint32_t)run.offset, left = (uint32_t)run.length;
    struct ts_divisor row = p->dims[p->rank - 1];
    while (left > 0) {
        uint32_t room = (ts_divide(first, row) + 1) * row.by - first, n = left < room ? left : room;
        if (p->n == p->capacity && TS_GROW(p->items, p->capacity, p->n + PORTION) < 0)
            return -1;
        p->items[p->n++] = (struct part){first, n};
        first += n;
        left -= n;
    }
    return 0;
}

static int parts_collect(struct parts *p, const struct ts_run_set *s)
{
    struct ts_run_cursor c = {0};
    struct ts_run runs[PORTION];
    if (TS_GROW(p->items, p->capacity, (size_t)ts_run_set_runs(s)) < 0)
        return -1;
    for (size_t n; (n = ts_run_set_next(s, &c, runs, PORTION)) > 0;)
        for (size_t i = 0; i < n; i++)
            if (parts_add(p, runs[i]) < 0)
                return -1;
    return 0;
}

/* Of the first n parts, those that have one of the same length right before them in a dimension. Only such a part can
 * belong to a block of several rows without being the first of it. */
static size_t count_followers(const struct parts *p, size_t n, uint32_t step)
{
    size_t followers = 0;
    const struct part *before = p->items, *end = p->items + n;
    for (const struct part *at = p->items; at < end; at++) {
        if (at->first < step)
            continue;
        while (before->first < at->first - step)
            before++;
        followers += before->first == at->first - step && before->n == at->n;
    }
    return followers;
}

/* Blocks that the first n parts make at least, with what is around them. */
static uint64_t least_blocks(const struct parts *p, size_t n)
{
    size_t followers = 0;
    for (unsigned d = 0; d + 1 < p->rank; d++)
        followers += count_followers(p, n, p->step[d]);
    return followers < n ? n - followers : 0;
}

/* All rows of a regular selection have the same parts, equally long and at equal distances. False only when that is
 * certain not to be so; random elements show it soon. */
static bool may_be_regular(const struct parts *p)
{
    uint32_t row = p->dims[p->rank - 1].by, row_at = p->items[0].first / row, gap = 0;
    for (size_t i = 1; i < p->n; i++) {
        const struct part *at = &p->items[i];
        uint32_t away = at->first - at[-1].first;
        if (at->n != p->items[0].n)
            return false;
        if (at->first / row != row_at) {
            row_at = at->first / row;
            if (at->first % row != p->items[0].first % row)
                return false;
        } else if (gap == 0) {
            gap = away;
        } else if (away != gap) {
            return false;
        }
    }
    return true;
}

static uint64_t greatest_coordinate(const struct parts *p)
{
    uint32_t most = 0;
    for (unsigned d = 0; d < p->rank; d++) {
        /* Sizes that cannot make a difference to the width are not looked at. */
        if (p->dims[d].by <= UINT16_MAX)
            continue;
        for (size_t i = d > 0 ? 0 : p->n - 1; i < p->n; i++) {
            uint32_t at = (p->items[i].first + p->items[i].n - 1) / p->step[d] % p->dims[d].by;
            most = at > most ? at : most;
        }
    }
    return most;
}

/* The width of points that take fewer bytes than `blocks` blocks or more, 0 when they do not. */
static unsigned shorter_points(const struct parts *p, uint64_t points, uint64_t blocks, uint64_t most)
{
    unsigned width = width_for(points > most ? points : most), block_width = width_for(blocks > most ? blocks : most);
    bool shorter = 13 + width + points * p->rank * width < 14 + block_width + blocks * 2 * p->rank * block_width;
    return shorter ? width : 0;
}

/* The width of points that take fewer bytes than any hyperslab with these elements, 0 when that is not certain.
 * Somewhat more than half of the parts often show it. */
static unsigned choose_points(const struct parts *p, uint64_t points)
{
    uint64_t most = greatest_coordinate(p), some = points / 2 + points / 16 + 16;
    if (shorter_points(p, points, p->n, most) == 0)
        return 0;
    unsigned width = some < p->n ? shorter_points(p, points, least_blocks(p, (size_t)some), most) : 0;
    if (width == 0)
        width = shorter_points(p, points, least_blocks(p, p->n), most);
    return width > 0 && !may_be_regular(p) ? width : 0;
}

static void put_head(struct ts_wr *w, unsigned rank, const hsize_t *dims, unsigned width, uint64_t points)
{
    ts_wr_u8(w, 1);
    ts_wr_u8(w, 0);
    ts_wr_u8(w, 8);
    ts_wr_u32(w, 4 + 16 * rank);
    ts_wr_u8(w, 2);
    ts_wr_u8(w, (uint8_t)rank);
    ts_wr_u8(w, 1);
    ts_wr_u8(w, H5S_SIMPLE);
    for (unsigned i = 0; i < 2 * rank; i++)
        ts_wr_u64(w, dims[i % rank]);
    ts_wr_u32(w, H5S_SEL_POINTS);
    ts_wr_u32(w, 2);
    ts_wr_u8(w, (uint8_t)width);
    ts_wr_u32(w, rank);
    ts_wr_uint(w, points, width);
}

ONCE_PER_WIDTH void put_points(const struct parts *p, uint8_t *to, unsigned width)
{
    size_t point = p->rank * width;
    for (size_t i = 0; i < p->n; i++) {
        uint32_t left = p->items[i].first;
        for (unsigned d = p->rank - 1; d > 0; d--) {
            uint32_t above = ts_divide(left, p->dims[d]);
            store(to + d * width, left - above * p->dims[d].by, width);
            left = above;
        }
        store(to, left, width);
        to += point;
        for (uint32_t k = 1; k < p->items[i].n; k++, to += point) {
            memcpy(to, to - point, point - width);
            store(to + point - width, load(to - width, width) + 1, width);
        }
    }
}

static int encode_parts(const struct parts *p, uint64_t points, struct ts_wr *w)
{
    unsigned width = choose_points(p, points);
    if (width == 0 || width == 8 || points > SIZE_MAX / 8 / H5S_MAX_RANK)
        return 0;
    put_head(w, p->rank, p->extent, width, points);
    uint8_t *to = ts_wr_reserve(w, (size_t)points * p->rank * width);
    if (!to || w->bad)
        return -1;
    if (width == 2)
        put_points(p, to, 2);
    else
        put_points(p, to, 4);
    return 1;
}

int ts_run_set_encode_points(const struct ts_run_set *s, unsigned rank, const hsize_t *dims, struct ts_wr *w)
{
    struct parts p = {.rank = rank, .extent = dims};
    uint64_t step = 1, points = ts_run_set_count(s);
    if (rank < 1 || rank > H5S_MAX_RANK)
        return 0;
    for (unsigned d = rank; d-- > 0;) {
        p.step[d] = (uint32_t)step;
        p.dims[d] = ts_divisor((uint32_t)dims[d]);
        if (dims[d] == 0 || !ts_mul_u64(step, dims[d], &step) || step > ts_run_set_limit(s))
            return 0;
    }
    /* A run makes 2 * rank - 1 blocks at most, however many rows it has, and two points are as long as a block. */
    if (step != ts_run_set_limit(s) || points / (2 * (2 * rank - 1)) >= ts_run_set_runs(s))
        return 0;
    int status = parts_collect(&p, s);
    if (status == 0)
        status = encode_parts(&p, points, w);
    ts_free(p.items);
    return status;
}

/* A list of points or blocks in a section. */
struct list {
    const uint8_t *at;
    uint64_t n;
    unsigned width;
    bool blocks;
};

/* What the extent of a chunk looks like when lengths have 8 bytes. */
static bool read_extent(struct ts_rd *r, const struct ts_selection_section *section)
{
    static const uint8_t head[] = {1, 0, 8};
    const uint8_t *start = ts_rd_bytes(r, sizeof head);
    uint32_t size = ts_rd_u32(r);
    unsigned version = ts_rd_u8(r), rank = ts_rd_u8(r), with_max = ts_rd_u8(r), type = ts_rd_u8(r);
    bool same = !r->bad && memcmp(start, head, sizeof head) == 0 && version == 2 && rank == section->rank &&
                with_max <= 1 && type == H5S_SIMPLE && size == 4 + 8 * rank * (1 + with_max);
    for (unsigned i = 0; same && i < rank * (1 + with_max); i++)
        same = ts_rd_u64(r) == section->dims[i % rank];
    return same && !r->bad;
}

static bool find_list(const struct ts_selection_section *section, size_t size, struct list *l)
{
    struct ts_rd r = ts_rd_init(section->bytes, size);
    if (!read_extent(&r, section))
        return false;
    uint32_t type = ts_rd_u32(&r), version = ts_rd_u32(&r);
    l->blocks = type == H5S_SEL_HYPERSLABS;
    if (l->blocks ? version != 3 || ts_rd_u8(&r) != 0 : type != H5S_SEL_POINTS || version != 2)
        return false;
    l->width = ts_rd_u8(&r);
    uint32_t rank = ts_rd_u32(&r);
    if (r.bad || rank != section->rank || (l->width != 2 && l->width != 4 && l->width != 8))
        return false;
    l->n = ts_rd_uint(&r, l->width);
    l->at = r.p;
    uint64_t bytes;
    return !r.bad && l->n > 0 && l->n <= section->most &&
           ts_mul_u64(l->n, (uint64_t)rank * l->width * (l->blocks ? 2 : 1), &bytes) && bytes == ts_rd_left(&r);
}

/* The number of the element at a point; false when it is not in the chunk. */
ONCE_PER_WIDTH bool read_point(const struct ts_selection_section *section, const uint8_t *at, unsigned width,
                               uint64_t *number)
{
    bool inside = true;
    *number = 0;
    for (unsigned d = 0; d < section->rank; d++) {
        uint64_t c = load(at + d * width, width);
        inside &= c < section->dims[d];
        *number = *number * section->dims[d] + c;
    }
    return inside;
}

ONCE_PER_WIDTH int read_points(const struct ts_selection_section *section, const struct list *l, unsigned width,
                               struct ts_run_builder *b)
{
    size_t per = section->rank * width;
    for (uint64_t i = 0; i < l->n; i++) {
        uint64_t number;
        if (!read_point(section, l->at + i * per, width, &number))
            return 0;
        int status = ts_run_builder_add(b, number, number + 1);
        if (status <= 0)
            return status;
    }
    return 1;
}

ONCE_PER_WIDTH int read_blocks(const struct ts_selection_section *section, const struct list *l, unsigned width,
                               struct ts_run_builder *b)
{
    size_t corner = section->rank * width, rows = corner - width;
    for (uint64_t i = 0; i < l->n; i++) {
        const uint8_t *at = l->at + 2 * i * corner;
        uint64_t first, last;
        if (memcmp(at, at + corner, rows) != 0 || !read_point(section, at, width, &first) ||
            !read_point(section, at + corner, width, &last) || last < first)
            return 0;
        int status = ts_run_builder_add(b, first, last + 1);
        if (status <= 0)
            return status;
    }
    return 1;
}

static int read_list(const struct ts_selection_section *section, const struct list *l, struct ts_run_builder *b)
{
    if (l->blocks)
        return l->width == 2   ? read_blocks(section, l, 2, b)
               : l->width == 4 ? read_blocks(section, l, 4, b)
                               : read_blocks(section, l, 8, b);
    return l->width == 2   ? read_points(section, l, 2, b)
           : l->width == 4 ? read_points(section, l, 4, b)
                           : read_points(section, l, 8, b);
}

int ts_run_set_decode_list(const struct ts_selection_section *section, size_t size, struct ts_run_set **out)
{
    struct ts_run_builder b;
    struct list l;
    uint64_t limit = 1;
    for (unsigned d = 0; d < section->rank; d++)
        if (!ts_mul_u64(limit, section->dims[d], &limit))
            return 0;
    if (section->rank < 1 || limit > UINT32_MAX || !find_list(section, size, &l))
        return 0;
    if (ts_run_builder_init(&b, limit) < 0)
        return -1;
    struct ts_run_set *s = NULL;
    int status = read_list(section, &l, &b);
    if (status == 1 && ts_run_builder_finish(&b, &s) < 0)
        status = -1;
    ts_run_builder_deinit(&b);
    if (status == 1 && ts_run_set_count(s) > section->most) {
        ts_run_set_free(s);
        status = 0;
    }
    if (status == 1)
        *out = s;
    return status;
}

ONCE_PER_WIDTH void put_coordinates(const struct ts_section_points *p, uint8_t *to, unsigned width)
{
    const hsize_t *from = p->coords;
    for (size_t i = 0, n = p->n * p->rank; i < n; i++)
        store(to + i * width, from[i], width);
}

/* Of points of which one is outside. */
static int refuse_point(const struct ts_section_points *p)
{
    size_t i = 0;
    while (p->coords[i] < p->dims[i % p->rank])
        i++;
    return TS_ERR(DATASPACE, BADRANGE, "point %zu: coordinate %zu is %llu in a chunk of %llu", i / p->rank, i % p->rank,
                  (unsigned long long)p->coords[i], (unsigned long long)p->dims[i % p->rank]);
}

/* The greatest of all coordinates and their number; UINT64_MAX when a point is outside. */
static uint64_t greatest_number(const struct ts_section_points *p)
{
    uint64_t most = p->n;
    bool outside = false;
    const hsize_t *at = p->coords;
    for (size_t i = 0; i < p->n; i++)
        for (unsigned d = 0; d < p->rank; d++, at++) {
            outside |= *at >= p->dims[d];
            most = *at > most ? *at : most;
        }
    return outside ? UINT64_MAX : most;
}

int ts_section_encode_points(const struct ts_section_points *p, struct ts_wr *w)
{
    size_t numbers, bytes;
    if (!ts_mul_size(p->n, p->rank, &numbers) || !ts_mul_size(numbers, 8, &bytes))
        return TS_ERR(DATASPACE, OVERFLOW, "%zu points of %u coordinates", p->n, p->rank);
    uint64_t most = greatest_number(p);
    if (most == UINT64_MAX)
        return refuse_point(p);
    unsigned width = width_for(most);
    put_head(w, p->rank, p->dims, width, p->n);
    uint8_t *to = ts_wr_reserve(w, numbers * width);
    if (w->bad)
        return -1;
    if (width == 2)
        put_coordinates(p, to, 2);
    else if (width == 4)
        put_coordinates(p, to, 4);
    else
        put_coordinates(p, to, 8);
    return 0;
}

bool ts_section_is_points(const struct ts_selection_section *section)
{
    struct list l;
    return find_list(section, section->size, &l) && !l.blocks;
}

ONCE_PER_WIDTH bool are_below(const struct list *l, unsigned rank, const hsize_t *limit, unsigned width)
{
    const uint8_t *at = l->at;
    bool below = true;
    for (uint64_t i = 0; i < l->n; i++)
        for (unsigned d = 0; d < rank; d++, at += width)
            below &= load(at, width) < limit[d];
    return below;
}

int ts_section_count_points(const struct ts_selection_section *section, const hsize_t *limit, size_t *n)
{
    struct list l;
    if (!find_list(section, section->size, &l) || l.blocks)
        return 0;
    *n = (size_t)l.n;
    return l.width == 2   ? are_below(&l, section->rank, limit, 2)
           : l.width == 4 ? are_below(&l, section->rank, limit, 4)
                          : are_below(&l, section->rank, limit, 8);
}
