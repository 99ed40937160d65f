/* Dataspace messages and serialised selections.
 *
 * Dataspace message, L = size of lengths:
 *   version 1: u8 version, u8 rank, u8 flags, 5 reserved, L dims[rank], [L max[rank]] if flag 0,
 *              [L permutation[rank]] if flag 1, never used
 *   version 2: u8 version, u8 rank, u8 flags, u8 class,   L dims[rank], [L max[rank]] if flag 0
 * Selection: u32 type, u32 version, then
 *   none, all:      8 reserved
 *   points 1:       4 reserved, u32 length, u32 rank, u32 n, u32 coords[n][rank]
 *   points 2:       u8 width, u32 rank, W n, W coords[n][rank]
 *   hyperslab 1:    4 reserved, u32 length, u32 rank, u32 n, u32 blocks[n][2][rank]
 *   hyperslab 2:    u8 flags, u32 length, u32 rank, u64 (start, stride, count, block)[rank]
 *   hyperslab 3:    u8 flags, u8 width, u32 rank, regular (flag 0): W (start, stride, count, block)[rank]
 *                   else W n, W blocks[n][2][rank]
 * The lengths count the bytes behind them. All ones in a count or block means unlimited.
 * Encoded dataspace: u8 1 (the message), u8 version 0, u8 L, u32 bytes of the extent, extent, selection */
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "space/internal.h"

#define FLAG_MAX 1u
#define FLAG_REGULAR 1u
#define MESSAGE_DATASPACE 1
#define ENCODE_VERSION 0
#define LENGTH_SIZE 8
#define LIBVER_NEWEST 4 /* H5F_libver_t as a number */

static int read_dims(struct ts_rd *r, unsigned rank, unsigned len_size, unsigned flags, struct ts_space *s)
{
    hsize_t dims[H5S_MAX_RANK], max[H5S_MAX_RANK];
    for (unsigned d = 0; d < rank; d++)
        dims[d] = max[d] = ts_rd_uint(r, len_size);
    if (flags & FLAG_MAX)
        for (unsigned d = 0; d < rank; d++)
            max[d] = ts_rd_addr(r, len_size);
    if (r->bad)
        return TS_ERR(DATASPACE, CANTDECODE, "dataspace message: too short for rank %u", rank);
    if (ts_space_set_simple(s, rank, dims, max) < 0)
        return -1;
    s->no_max = !(flags & FLAG_MAX);
    return 0;
}

int ts_space_decode_extent(const uint8_t *buf, size_t n, unsigned len_size, struct ts_space **out)
{
    struct ts_rd r = ts_rd_init(buf, n);
    unsigned version = ts_rd_u8(&r), rank = ts_rd_u8(&r), flags = ts_rd_u8(&r), type = rank ? H5S_SIMPLE : H5S_SCALAR;
    if (version == 1)
        ts_rd_skip(&r, 5);
    else if (version == 2)
        type = ts_rd_u8(&r);
    else
        return TS_ERR(DATASPACE, VERSION, "dataspace message: version %u", version);
    if (r.bad || rank > H5S_MAX_RANK || type > H5S_NULL || (rank > 0) != (type == H5S_SIMPLE) || len_size > 8)
        return TS_ERR(DATASPACE, CANTDECODE, "dataspace message: class %u with rank %u", type, rank);
    struct ts_space *s;
    if (ts_space_new((H5S_class_t)type, &s) < 0)
        return -1;
    s->version = version;
    if (type == H5S_SIMPLE && read_dims(&r, rank, len_size, flags, s) < 0) {
        ts_space_unref(s);
        return -1;
    }
    *out = s;
    return 0;
}

int ts_space_encode_extent(const struct ts_space *s, unsigned version, unsigned len_size, struct ts_wr *w)
{
    if (version < s->version)
        version = s->version;
    ts_wr_u8(w, (uint8_t)version);
    ts_wr_u8(w, (uint8_t)s->rank);
    bool with_max = s->rank && !s->no_max;
    ts_wr_u8(w, with_max ? FLAG_MAX : 0);
    if (version == 1)
        ts_wr_zeros(w, 5);
    else
        ts_wr_u8(w, (uint8_t)s->cls);
    for (unsigned d = 0; d < s->rank; d++)
        ts_wr_uint(w, s->dims[d], len_size);
    for (unsigned d = 0; d < s->rank && with_max; d++)
        ts_wr_uint(w, s->max[d], len_size);
    return w->bad ? -1 : 0;
}

static int check_rank(const struct ts_space *s, uint32_t rank, const struct ts_rd *r)
{
    if (r->bad)
        return TS_ERR(DATASPACE, CANTDECODE, "selection: too short");
    if (!rank || rank != s->rank)
        return TS_ERR(DATASPACE, BADVALUE, "selection of rank %u in a dataspace of rank %u", (unsigned)rank, s->rank);
    return 0;
}

static int check_width(unsigned width)
{
    if (width != 2 && width != 4 && width != 8)
        return TS_ERR(DATASPACE, BADVALUE, "selection: numbers of %u bytes", width);
    return 0;
}

/* n numbers, whose bytes are known to be there before memory is taken for them. */
static int read_numbers(struct ts_rd *r, uint64_t n, uint64_t per, unsigned width, hsize_t **out)
{
    uint64_t total, bytes;
    if (!ts_mul_u64(n, per, &total) || !ts_mul_u64(total, width, &bytes) || bytes > ts_rd_left(r) || !total)
        return TS_ERR(DATASPACE, CANTDECODE, "selection: %llu points or blocks in %zu bytes", (unsigned long long)n,
                      ts_rd_left(r));
    if (total > SIZE_MAX / sizeof **out)
        return TS_ERR(DATASPACE, NOSPACE, "selection: %llu points or blocks", (unsigned long long)n);
    hsize_t *v = ts_malloc((size_t)total * sizeof *v);
    if (!v)
        return -1;
    for (uint64_t i = 0; i < total; i++)
        v[i] = ts_rd_uint(r, width);
    *out = v;
    return 0;
}

static int decode_points(struct ts_space *s, struct ts_rd *r, uint32_t version)
{
    unsigned width = 4;
    if (version == 1)
        ts_rd_skip(r, 8);
    else if (version == 2)
        width = ts_rd_u8(r);
    else
        return TS_ERR(DATASPACE, VERSION, "point selection: version %u", (unsigned)version);
    uint32_t rank = ts_rd_u32(r);
    if (check_rank(s, rank, r) < 0 || check_width(width) < 0)
        return -1;
    uint64_t n = ts_rd_uint(r, width);
    hsize_t *coords;
    if (read_numbers(r, n, rank, width, &coords) < 0)
        return -1;
    int ret = 0;
    for (uint64_t i = 0; i < n * rank && ret == 0; i++)
        if (coords[i] == H5S_UNLIMITED)
            ret = TS_ERR(DATASPACE, BADVALUE, "point selection: a coordinate without a value");
    if (ret == 0)
        ret = ts_space_set_points(s, (size_t)n, coords);
    ts_free(coords);
    return ret;
}

static int decode_blocks(struct ts_space *s, struct ts_rd *r, unsigned width)
{
    uint64_t n = ts_rd_uint(r, width);
    unsigned rank = s->rank;
    hsize_t *boxes;
    struct ts_spans *tree = NULL;
    if (read_numbers(r, n, 2 * (uint64_t)rank, width, &boxes) < 0)
        return -1;
    int ret = 0;
    for (uint64_t i = 0; i < n && ret == 0; i++)
        for (unsigned d = 0; d < rank && ret == 0; d++) {
            hsize_t low = boxes[i * 2 * rank + d], high = boxes[i * 2 * rank + rank + d];
            if (low > high || high == H5S_UNLIMITED)
                ret = TS_ERR(DATASPACE, BADVALUE, "hyperslab selection: block %llu ends before it starts",
                             (unsigned long long)i);
        }
    if (ret == 0)
        ret = ts_spans_from_boxes(rank, (size_t)n, boxes, true, &tree);
    ts_free(boxes);
    if (ret == 0)
        ts_space_set_spans(s, tree);
    return ret;
}

static int decode_slabs(struct ts_space *s, struct ts_rd *r, unsigned width)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    for (unsigned d = 0; d < s->rank; d++) {
        start[d] = ts_rd_uint(r, width);
        stride[d] = ts_rd_uint(r, width);
        count[d] = ts_rd_addr(r, width);
        block[d] = ts_rd_addr(r, width);
    }
    if (r->bad)
        return TS_ERR(DATASPACE, CANTDECODE, "hyperslab selection: too short");
    return ts_space_select_hyperslab(s, H5S_SELECT_SET, start, stride, count, block);
}

static int decode_hyperslab(struct ts_space *s, struct ts_rd *r, uint32_t version)
{
    unsigned flags = 0, width = version == 2 ? 8 : 4;
    if (version < 1 || version > 3)
        return TS_ERR(DATASPACE, VERSION, "hyperslab selection: version %u", (unsigned)version);
    if (version == 1)
        ts_rd_skip(r, 4);
    else
        flags = ts_rd_u8(r);
    if (version == 3)
        width = ts_rd_u8(r);
    else
        ts_rd_skip(r, 4);
    uint32_t rank = ts_rd_u32(r);
    if (check_rank(s, rank, r) < 0 || check_width(width) < 0)
        return -1;
    if (flags & FLAG_REGULAR)
        return decode_slabs(s, r, width);
    if (version == 2)
        return TS_ERR(DATASPACE, BADVALUE, "hyperslab selection: version 2 that is not regular");
    return decode_blocks(s, r, width);
}

int ts_space_decode_selection(struct ts_space *s, const uint8_t *buf, size_t n, size_t *used)
{
    struct ts_rd r = ts_rd_init(buf, n);
    uint32_t type = ts_rd_u32(&r), version = ts_rd_u32(&r);
    int ret = 0;
    if (r.bad)
        return TS_ERR(DATASPACE, CANTDECODE, "selection: too short");
    switch (type) {
    case H5S_SEL_NONE:
    case H5S_SEL_ALL:
        ts_rd_skip(&r, 8);
        if (version != 1 || r.bad)
            return TS_ERR(DATASPACE, VERSION, "selection of type %u: version %u, or too short", (unsigned)type,
                          (unsigned)version);
        if (type == H5S_SEL_ALL)
            ts_space_select_all(s);
        else
            ts_space_select_none(s);
        break;
    case H5S_SEL_POINTS:
        ret = decode_points(s, &r, version);
        break;
    case H5S_SEL_HYPERSLABS:
        ret = decode_hyperslab(s, &r, version);
        break;
    default:
        ret = TS_ERR(DATASPACE, BADVALUE, "selection of type %u", (unsigned)type);
    }
    if (ret == 0 && used)
        *used = ts_rd_pos(&r);
    return ret;
}

static unsigned width_for(hsize_t most)
{
    return most < UINT16_MAX ? 2 : most < UINT32_MAX ? 4 : 8;
}

static hsize_t most_of(const hsize_t *v, unsigned n, hsize_t most)
{
    for (unsigned i = 0; i < n; i++)
        if (v[i] > most && v[i] != H5S_UNLIMITED)
            most = v[i];
    return most;
}

static inline void put_number(struct ts_wr *w, hsize_t v, unsigned width)
{
    if (width == 2)
        ts_wr_u16(w, (uint16_t)v);
    else if (width == 4)
        ts_wr_u32(w, (uint32_t)v);
    else
        ts_wr_u64(w, v);
}

/* Fills in a length once what it counts is written. */
static void set_length(struct ts_wr *w, size_t at)
{
    if (w->bad)
        return;
    uint32_t length = (uint32_t)(w->size - at - 4);
    for (unsigned i = 0; i < 4; i++)
        w->data[at + i] = (uint8_t)(length >> 8 * i);
}

static int encode_points(const struct ts_space *s, unsigned libver_low, hsize_t most, struct ts_wr *w)
{
    const struct ts_points *p = s->points;
    uint64_t bytes;
    bool fits = most <= UINT32_MAX && ts_mul_u64(p->n, 4 * s->rank, &bytes) && bytes < UINT32_MAX - 64;
    unsigned version = libver_low >= 3 || !fits ? 2 : 1, width = 4;
    if (version == 2)
        width = width_for(most > p->n ? most : p->n);
    ts_wr_u32(w, version);
    size_t length = 0;
    if (version == 1) {
        ts_wr_u32(w, 0);
        length = w->size;
        ts_wr_u32(w, 0);
    } else
        ts_wr_u8(w, (uint8_t)width);
    ts_wr_u32(w, s->rank);
    ts_wr_uint(w, p->n, width);
    for (size_t i = 0; i < p->n * s->rank && !w->bad; i++)
        put_number(w, p->coords[i], width);
    if (version == 1)
        set_length(w, length);
    return w->bad ? -1 : 0;
}

static void write_slabs(const struct ts_space *s, const struct ts_slab *slabs, unsigned width, struct ts_wr *w)
{
    for (unsigned d = 0; d < s->rank; d++) {
        ts_wr_uint(w, slabs[d].start, width);
        ts_wr_uint(w, slabs[d].stride, width);
        ts_wr_uint(w, slabs[d].count, width);
        ts_wr_uint(w, slabs[d].block, width);
    }
}

/* corner: the low and high coordinates of the dimensions before dim. */
static void write_spans(const struct ts_spans *t, unsigned dim, hsize_t *corner, unsigned width, struct ts_wr *w)
{
    unsigned rank = dim + t->depth;
    for (size_t i = 0; i < t->n && !w->bad; i++) {
        const struct ts_span *s = &t->items[i];
        corner[dim] = s->low;
        corner[rank + dim] = s->high;
        if (s->down)
            write_spans(s->down, dim + 1, corner, width, w);
        else
            for (unsigned k = 0; k < 2 * rank; k++)
                put_number(w, corner[k], width);
    }
}

/* Those of a regular selection are fetched in portions: their number is the product of the counts. */
static int write_blocks(const struct ts_space *s, hsize_t n, unsigned width, struct ts_wr *w)
{
    hsize_t part[16 * 2 * H5S_MAX_RANK];
    struct ts_spans *tree;
    if (ts_space_tree(s, &tree) < 0)
        return -1;
    ts_wr_uint(w, n, width);
    if (tree) {
        write_spans(tree, 0, part, width, w);
        return 0;
    }
    for (hsize_t i = 0; i < n && !w->bad; i += 16) {
        hsize_t k = n - i < 16 ? n - i : 16;
        if (ts_space_blocklist(s, i, k, part) < 0)
            return -1;
        for (size_t j = 0; j < k * 2 * s->rank && !w->bad; j++)
            ts_wr_uint(w, part[j], width);
    }
    return 0;
}

static unsigned hyperslab_version(bool regular, bool unlimited, bool fits, unsigned libver_low)
{
    if (libver_low >= 3)
        return 3;
    if (regular && (unlimited || !fits || libver_low == 2))
        return 2;
    return fits ? 1 : 3;
}

/* plain: without blocks that touch. */
static int write_hyperslab(const struct ts_space *plain, unsigned libver_low, hsize_t most, struct ts_wr *w)
{
    bool regular = ts_space_is_regular(plain), unlimited = ts_space_unlim_dim(plain) >= 0;
    uint64_t n = 1, bytes;
    if (!unlimited && ts_space_nblocks(plain, &n) < 0)
        return -1;
    bool fits = most <= UINT32_MAX && ts_mul_u64(n, 8 * plain->rank, &bytes) && bytes < UINT32_MAX - 64;
    unsigned version = hyperslab_version(regular, unlimited, fits, libver_low);
    unsigned width = version == 3 ? width_for(!regular && n > most ? n : most) : version == 2 ? 8 : 4;
    ts_wr_u32(w, version);
    if (version == 1)
        ts_wr_u32(w, 0);
    else
        ts_wr_u8(w, regular ? FLAG_REGULAR : 0);
    size_t length = w->size;
    if (version == 3)
        ts_wr_u8(w, (uint8_t)width);
    else
        ts_wr_u32(w, 0);
    ts_wr_u32(w, plain->rank);
    if (version == 2 || (version == 3 && regular))
        write_slabs(plain, plain->slabs, width, w);
    else if (write_blocks(plain, n, width, w) < 0)
        return -1;
    if (version != 3)
        set_length(w, length);
    return w->bad ? -1 : 0;
}

static int encode_hyperslab(const struct ts_space *s, unsigned libver_low, hsize_t most, struct ts_wr *w)
{
    struct ts_space *plain;
    if (ts_space_copy(s, &plain) < 0)
        return -1;
    for (unsigned d = 0; d < s->rank && ts_space_is_regular(s); d++) {
        plain->slabs[d] = ts_slab_normal(s->slabs[d]);
        most = most_of(&plain->slabs[d].start, 4, most);
    }
    int ret = write_hyperslab(plain, libver_low, most, w);
    ts_space_unref(plain);
    return ret;
}

int ts_space_encode_selection(const struct ts_space *s, unsigned libver_low, struct ts_wr *w)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    ts_wr_u32(w, (uint32_t)s->sel);
    if (s->sel == H5S_SEL_NONE || s->sel == H5S_SEL_ALL) {
        ts_wr_u32(w, 1);
        ts_wr_zeros(w, 8);
        return w->bad ? -1 : 0;
    }
    /* A place below 0 has no meaning to a reader, though the offset itself is not stored. */
    if (ts_space_bounds(s, low, high) < 0 || !ts_space_raw_bounds(s, low, high))
        return -1;
    hsize_t most = most_of(high, s->rank, 0);
    return s->points ? encode_points(s, libver_low, most, w) : encode_hyperslab(s, libver_low, most, w);
}

/* Around the selection, which `selection` writes. The extent is at least of that version, and of its own. */
static int encode_around(const struct ts_space *s, unsigned extent_version, unsigned libver_low, struct ts_wr *w,
                         int (*selection)(const struct ts_space *, unsigned, struct ts_wr *))
{
    struct ts_wr extent = {0};
    ts_wr_u8(w, MESSAGE_DATASPACE);
    ts_wr_u8(w, ENCODE_VERSION);
    ts_wr_u8(w, LENGTH_SIZE);
    int ret = ts_space_encode_extent(s, extent_version, LENGTH_SIZE, &extent);
    if (ret == 0) {
        ts_wr_u32(w, (uint32_t)extent.size);
        ts_wr_bytes(w, extent.data, extent.size);
        ret = selection(s, libver_low, w);
    }
    ts_wr_free(&extent);
    return ret < 0 || w->bad ? -1 : 0;
}

int ts_space_encode(const struct ts_space *s, unsigned libver_low, struct ts_wr *w)
{
    /* The bound is for selections: HDF5 leaves the extent as it was made, or read. */
    return encode_around(s, 0, libver_low, w, ts_space_encode_selection);
}

static inline uint8_t *store_number(uint8_t *at, hsize_t v, unsigned width)
{
    uint64_t le = htole64(v);
    memcpy(at, &le, width == 2 ? 2 : width == 4 ? 4 : 8);
    return at + width;
}

/* A run of elements as points, from the one at `at` on; where the next goes. */
static uint8_t *store_run(const struct ts_space *s, hsize_t *at, hsize_t length, unsigned width, uint8_t *to)
{
    for (hsize_t i = 0; i < length; i++) {
        for (unsigned d = 0; d < s->rank; d++)
            to = store_number(to, at[d], width);
        for (unsigned d = s->rank - 1; ++at[d] == s->dims[d] && d > 0; d--)
            at[d] = 0;
    }
    return to;
}

/* The elements of a selection in row-major order as points. */
static int write_as_points(const struct ts_space *s, unsigned width, struct ts_wr *w)
{
    struct ts_runs it;
    struct ts_run runs[64];
    hsize_t at[H5S_MAX_RANK];
    size_t n, bytes;
    if (ts_runs_init(&it, s) < 0)
        return -1;
    ts_wr_u32(w, H5S_SEL_POINTS);
    ts_wr_u32(w, 2);
    ts_wr_u8(w, (uint8_t)width);
    ts_wr_u32(w, s->rank);
    put_number(w, it.left, width);
    if (it.left > SIZE_MAX || !ts_mul_size((size_t)it.left, (size_t)s->rank * width, &bytes)) {
        ts_runs_deinit(&it);
        return TS_ERR(DATASPACE, NOSPACE, "%llu points do not fit in memory", (unsigned long long)ts_space_selected(s));
    }
    uint8_t *to = ts_wr_reserve(w, bytes);
    while (to && (n = ts_runs_next(&it, runs, sizeof runs / sizeof *runs, UINT64_MAX)) > 0)
        for (size_t i = 0; i < n; i++) {
            for (unsigned d = s->rank; d-- > 0; runs[i].offset /= s->dims[d])
                at[d] = runs[i].offset % s->dims[d];
            to = store_run(s, at, runs[i].length, width, to);
        }
    ts_runs_deinit(&it);
    return w->bad ? -1 : 0;
}

static hsize_t add_mul(hsize_t a, hsize_t b, hsize_t c)
{
    uint64_t sum;
    return ts_add_u64(a, ts_sat_mul(b, c), &sum) ? sum : UINT64_MAX;
}

static int encode_selection_smallest(const struct ts_space *s, unsigned libver_low, struct ts_wr *w)
{
    struct ts_slab slabs[H5S_MAX_RANK];
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    if (s->points || s->sel == H5S_SEL_NONE || !s->rank || ts_space_unlim_dim(s) >= 0 || ts_space_selected(s) == 0)
        return ts_space_encode_selection(s, libver_low, w);
    if (!ts_space_raw_bounds(s, low, high))
        return TS_ERR(DATASPACE, CANTENCODE, "selection without bounds");
    bool regular = ts_space_slabs(s, slabs);
    hsize_t blocks = 0, points = ts_space_selected(s), most = most_of(high, s->rank, 0);
    if (!regular && ts_space_nblocks(s, &blocks) < 0)
        return -1;
    for (unsigned d = 0; d < s->rank && regular; d++) {
        slabs[d] = ts_slab_normal(slabs[d]);
        most = most_of(&slabs[d].start, 4, most);
    }
    unsigned block_width = width_for(blocks > most ? blocks : most);
    hsize_t as_blocks =
        regular ? 14 + 4 * s->rank * block_width : add_mul(14 + block_width, blocks, 2 * s->rank * block_width);
    unsigned point_width = width_for(most_of(&points, 1, most_of(high, s->rank, 0)));
    if (add_mul(13 + point_width, points, s->rank * point_width) < as_blocks && ts_space_valid(s))
        return write_as_points(s, point_width, w);
    if (!regular)
        return ts_space_encode_selection(s, libver_low, w);
    ts_wr_u32(w, H5S_SEL_HYPERSLABS);
    ts_wr_u32(w, 3);
    ts_wr_u8(w, FLAG_REGULAR);
    ts_wr_u8(w, (uint8_t)block_width);
    ts_wr_u32(w, s->rank);
    write_slabs(s, slabs, block_width, w);
    return w->bad ? -1 : 0;
}

int ts_space_encode_smallest(const struct ts_space *s, struct ts_wr *w)
{
    return encode_around(s, 2, LIBVER_NEWEST, w, encode_selection_smallest);
}

int ts_space_decode(const uint8_t *buf, size_t n, size_t *used, struct ts_space **out)
{
    struct ts_rd r = ts_rd_init(buf, n);
    unsigned message = ts_rd_u8(&r), version = ts_rd_u8(&r), len_size = ts_rd_u8(&r);
    uint32_t size = ts_rd_u32(&r);
    const uint8_t *extent = ts_rd_bytes(&r, size);
    size_t selection;
    struct ts_space *s;
    if (r.bad || message != MESSAGE_DATASPACE || version != ENCODE_VERSION || len_size < 1 || len_size > 8)
        return TS_ERR(DATASPACE, CANTDECODE, "message %u, version %u, lengths of %u bytes: not an encoded dataspace",
                      message, version, len_size);
    if (ts_space_decode_extent(extent, size, len_size, &s) < 0)
        return -1;
    if (ts_space_decode_selection(s, r.p, ts_rd_left(&r), &selection) < 0) {
        ts_space_unref(s);
        return -1;
    }
    if (used)
        *used = ts_rd_pos(&r) + selection;
    *out = s;
    return 0;
}
