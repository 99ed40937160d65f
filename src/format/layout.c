#include "format/layout.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

struct sizes {
    unsigned addr, len;
};

static int read_compact(struct ts_rd *r, size_t size, struct ts_layout *out)
{
    const uint8_t *data = ts_rd_bytes(r, size);
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "layout message: compact data of %zu bytes is cut off", size);
    out->compact.size = size;
    if (size == 0)
        return 0;
    out->compact.data = ts_memdup(data, size);
    return out->compact.data ? 0 : -1;
}

/* Dimensions of `width` bytes and the element size behind them, which counts as one more. */
static int read_chunk_dims(struct ts_rd *r, unsigned stored_rank, unsigned width, struct ts_layout *out)
{
    if (stored_rank < 2 || stored_rank > H5S_MAX_RANK + 1)
        return TS_ERR(OHDR, CANTDECODE, "layout message: a chunk of %u dimensions", stored_rank);
    out->chunk.rank = stored_rank - 1;
    for (unsigned i = 0; i < out->chunk.rank; i++) {
        out->chunk.dims[i] = ts_rd_uint(r, width);
        if (out->chunk.dims[i] == 0 && !r->bad)
            return TS_ERR(OHDR, CANTDECODE, "layout message: dimension %u of the chunk is 0", i);
    }
    uint64_t element = ts_rd_uint(r, width);
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "layout message: chunk dimensions are cut off");
    if (element == 0 || element > UINT32_MAX)
        return TS_ERR(OHDR, CANTDECODE, "layout message: chunk elements of %llu bytes", (unsigned long long)element);
    out->chunk.element_size = (uint32_t)element;
    return 0;
}

static int decode_v1(struct ts_rd *r, struct sizes sz, struct ts_layout *out)
{
    unsigned rank = ts_rd_u8(r);
    out->cls = (H5D_layout_t)ts_rd_u8(r);
    ts_rd_skip(r, 5);
    if (rank > H5S_MAX_RANK + 1)
        return TS_ERR(OHDR, CANTDECODE, "layout message: %u dimensions", rank);
    if (out->cls != H5D_COMPACT)
        out->addr = ts_rd_addr(r, sz.addr);
    switch (out->cls) {
    case H5D_COMPACT:
        ts_rd_skip(r, (size_t)rank * 4);
        return read_compact(r, ts_rd_u32(r), out);
    case H5D_CONTIGUOUS:
        ts_rd_skip(r, (size_t)rank * 4);
        return 0;
    case H5D_CHUNKED:
        out->chunk.index = TS_CHUNK_INDEX_BTREE1;
        return read_chunk_dims(r, rank, 4, out);
    default:
        return TS_ERR(OHDR, CANTDECODE, "layout message: class %d", (int)out->cls);
    }
}

static int decode_v3_chunked(struct ts_rd *r, struct sizes sz, struct ts_layout *out)
{
    unsigned rank = ts_rd_u8(r);
    out->addr = ts_rd_addr(r, sz.addr);
    out->chunk.index = TS_CHUNK_INDEX_BTREE1;
    return read_chunk_dims(r, rank, 4, out);
}

static int read_ext_array(struct ts_rd *r, struct ts_layout *out)
{
    out->chunk.u.ext_array.max_bits = ts_rd_u8(r);
    out->chunk.u.ext_array.index_elements = ts_rd_u8(r);
    out->chunk.u.ext_array.min_pointers = ts_rd_u8(r);
    out->chunk.u.ext_array.min_elements = ts_rd_u8(r);
    out->chunk.u.ext_array.page_bits = ts_rd_u8(r);
    return 0;
}

/* Bytes of a chunk with all its elements, whose number is limited: 0 when they are more. */
static uint64_t structured_bytes(const struct ts_layout *layout)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < layout->chunk.rank; i++)
        if (!ts_mul_u64(n, layout->chunk.dims[i], &n) || n > UINT32_MAX)
            return 0;
    return n * layout->chunk.element_size;
}

static int read_structured_single(struct ts_rd *r, struct ts_layout *out)
{
    unsigned type = out->chunk.struct_type, n = ts_struct_sections(type);
    bool filtered = out->chunk.flags & TS_CHUNK_SINGLE_FILTERED;
    uint64_t size = ts_rd_uint(r, ts_struct_size_width(type, structured_bytes(out)));
    out->chunk.u.single.filtered_size = size;
    ts_chunk_metadata_read(r, n, filtered, size, &out->chunk.u.single.sections);
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "layout message: the single chunk is cut off");
    const char *problem = ts_sections_problem(&out->chunk.u.single.sections, n, filtered, size);
    if (problem)
        return TS_ERR(OHDR, BADVALUE, "layout message: a chunk of %llu bytes, %s", (unsigned long long)size, problem);
    return 0;
}

static int read_index_params(struct ts_rd *r, struct sizes sz, struct ts_layout *out)
{
    switch (out->chunk.index) {
    case TS_CHUNK_INDEX_SINGLE:
        if (out->chunk.struct_type)
            return read_structured_single(r, out);
        if (out->chunk.flags & TS_CHUNK_SINGLE_FILTERED) {
            out->chunk.u.single.filtered_size = ts_rd_uint(r, sz.len);
            out->chunk.u.single.filter_mask = ts_rd_u32(r);
        }
        return 0;
    case TS_CHUNK_INDEX_IMPLICIT:
        return 0;
    case TS_CHUNK_INDEX_FIXED_ARRAY:
        out->chunk.u.fixed_array.page_bits = ts_rd_u8(r);
        return 0;
    case TS_CHUNK_INDEX_EXT_ARRAY:
        return read_ext_array(r, out);
    case TS_CHUNK_INDEX_BTREE2:
        out->chunk.u.btree2.node_size = ts_rd_u32(r);
        out->chunk.u.btree2.split_percent = ts_rd_u8(r);
        out->chunk.u.btree2.merge_percent = ts_rd_u8(r);
        return 0;
    default:
        return TS_ERR(OHDR, CANTDECODE, "layout message: chunk index kind %d", (int)out->chunk.index);
    }
}

static int read_flags_and_dims(struct ts_rd *r, struct ts_layout *out)
{
    out->chunk.flags = ts_rd_u8(r);
    if (out->chunk.flags & ~(unsigned)(TS_CHUNK_DONT_FILTER_PARTIAL | TS_CHUNK_SINGLE_FILTERED))
        return TS_ERR(OHDR, CANTDECODE, "layout message: chunk flags %#x", out->chunk.flags);
    unsigned rank = ts_rd_u8(r);
    unsigned width = ts_rd_u8(r);
    if (!r->bad && (width == 0 || width > 8))
        return TS_ERR(OHDR, CANTDECODE, "layout message: chunk dimensions of %u bytes", width);
    return read_chunk_dims(r, rank, width, out);
}

static int read_index(struct ts_rd *r, struct sizes sz, struct ts_layout *out)
{
    out->chunk.index = (enum ts_chunk_index_kind)ts_rd_u8(r);
    if (read_index_params(r, sz, out) < 0)
        return -1;
    out->addr = ts_rd_addr(r, sz.addr);
    return 0;
}

static int decode_v4_chunked(struct ts_rd *r, struct sizes sz, struct ts_layout *out)
{
    return read_flags_and_dims(r, out) < 0 ? -1 : read_index(r, sz, out);
}

static int decode_structured(struct ts_rd *r, struct sizes sz, struct ts_layout *out)
{
    unsigned version = ts_rd_u8(r);
    out->chunk.struct_type = ts_rd_u16(r);
    if (r->bad || version != 0)
        return TS_ERR(OHDR, VERSION, "layout message: version %u of structured chunks", version);
    if (ts_struct_sections(out->chunk.struct_type) == 0)
        return TS_ERR(OHDR, UNSUPPORTED, "layout message: structured chunks of type %#x", out->chunk.struct_type);
    if (read_flags_and_dims(r, out) < 0)
        return -1;
    if (structured_bytes(out) == 0)
        return TS_ERR(OHDR, BADRANGE, "layout message: structured chunks of 2^32 elements or more");
    if (ts_struct_composition_read(r, out->chunk.struct_type) < 0 || read_index(r, sz, out) < 0)
        return -1;
    bool flagged = out->chunk.flags & TS_CHUNK_SINGLE_FILTERED;
    if (out->chunk.index == TS_CHUNK_INDEX_IMPLICIT || (flagged && out->chunk.index != TS_CHUNK_INDEX_SINGLE))
        return TS_ERR(OHDR, CANTDECODE, "layout message: structured chunks, flags %#x, index kind %d", out->chunk.flags,
                      (int)out->chunk.index);
    return 0;
}

static int decode_v3(struct ts_rd *r, struct sizes sz, struct ts_layout *out)
{
    out->cls = (H5D_layout_t)ts_rd_u8(r);
    switch (out->cls) {
    case H5D_COMPACT:
        return read_compact(r, ts_rd_u16(r), out);
    case H5D_CONTIGUOUS:
        out->addr = ts_rd_addr(r, sz.addr);
        out->contiguous.size = ts_rd_uint(r, sz.len);
        out->contiguous.known = true;
        return 0;
    case H5D_CHUNKED:
        return out->version == 3 ? decode_v3_chunked(r, sz, out) : decode_v4_chunked(r, sz, out);
    case H5D_VIRTUAL:
        if (out->version < 4)
            return TS_ERR(OHDR, CANTDECODE, "layout message: virtual storage in version %u", out->version);
        out->addr = ts_rd_addr(r, sz.addr);
        out->virtual.index = ts_rd_u32(r);
        return 0;
    case H5D_STRUCT_CHUNK:
        if (out->version < 5)
            return TS_ERR(OHDR, CANTDECODE, "layout message: structured chunks in version %u", out->version);
        return decode_structured(r, sz, out);
    default:
        return TS_ERR(OHDR, CANTDECODE, "layout message: class %d", (int)out->cls);
    }
}

int ts_layout_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size, struct ts_layout *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    struct sizes sz = {addr_size, len_size};
    *out = (struct ts_layout){.version = ts_rd_u8(&r), .addr = HADDR_UNDEF};
    int rc;
    if (out->version == 1 || out->version == 2)
        rc = decode_v1(&r, sz, out);
    else if (out->version >= 3 && out->version <= 5)
        rc = decode_v3(&r, sz, out);
    else
        return TS_ERR(OHDR, VERSION, "layout message: version %u", out->version);
    if (rc == 0 && r.bad)
        rc = TS_ERR(OHDR, CANTDECODE, "layout message: %zu bytes are too few", size);
    if (rc < 0)
        ts_layout_deinit(out);
    return rc;
}

void ts_layout_deinit(struct ts_layout *layout)
{
    ts_free(layout->compact.data);
    layout->compact.data = NULL;
    layout->compact.size = 0;
}

static void put_chunk_dims(struct ts_wr *w, const struct ts_layout *layout, unsigned width)
{
    for (unsigned i = 0; i < layout->chunk.rank; i++)
        ts_put_uint(w, layout->chunk.dims[i], width);
    ts_put_uint(w, layout->chunk.element_size, width);
}

static void put_structured_single(struct ts_wr *w, const struct ts_layout *layout)
{
    unsigned width = ts_struct_size_width(layout->chunk.struct_type, structured_bytes(layout));
    ts_put_uint(w, layout->chunk.u.single.filtered_size, width);
    ts_chunk_metadata_put(w, &layout->chunk.u.single.sections, layout->chunk.flags & TS_CHUNK_SINGLE_FILTERED);
}

static void put_index_params(struct ts_wr *w, const struct ts_layout *layout, unsigned len_size)
{
    switch (layout->chunk.index) {
    case TS_CHUNK_INDEX_SINGLE:
        if (layout->chunk.struct_type)
            put_structured_single(w, layout);
        else if (layout->chunk.flags & TS_CHUNK_SINGLE_FILTERED) {
            ts_put_uint(w, layout->chunk.u.single.filtered_size, len_size);
            ts_wr_u32(w, layout->chunk.u.single.filter_mask);
        }
        break;
    case TS_CHUNK_INDEX_FIXED_ARRAY:
        ts_wr_u8(w, layout->chunk.u.fixed_array.page_bits);
        break;
    case TS_CHUNK_INDEX_EXT_ARRAY:
        ts_wr_u8(w, layout->chunk.u.ext_array.max_bits);
        ts_wr_u8(w, layout->chunk.u.ext_array.index_elements);
        ts_wr_u8(w, layout->chunk.u.ext_array.min_pointers);
        ts_wr_u8(w, layout->chunk.u.ext_array.min_elements);
        ts_wr_u8(w, layout->chunk.u.ext_array.page_bits);
        break;
    case TS_CHUNK_INDEX_BTREE2:
        ts_wr_u32(w, layout->chunk.u.btree2.node_size);
        ts_wr_u8(w, layout->chunk.u.btree2.split_percent);
        ts_wr_u8(w, layout->chunk.u.btree2.merge_percent);
        break;
    default:
        break;
    }
}

/* The fewest bytes that hold every dimension and the element size. */
static unsigned dims_width(const struct ts_layout *layout)
{
    unsigned width = ts_bytes_for(layout->chunk.element_size);
    for (unsigned i = 0; i < layout->chunk.rank; i++) {
        unsigned need = ts_bytes_for(layout->chunk.dims[i]);
        width = need > width ? need : width;
    }
    return width;
}

static void put_flags_and_dims(struct ts_wr *w, const struct ts_layout *layout)
{
    unsigned width = dims_width(layout);
    ts_put_uint(w, layout->chunk.flags, 1);
    ts_wr_u8(w, (uint8_t)(layout->chunk.rank + 1));
    ts_wr_u8(w, (uint8_t)width);
    put_chunk_dims(w, layout, width);
}

static void put_index(struct ts_wr *w, const struct ts_layout *layout, struct sizes sz)
{
    ts_wr_u8(w, (uint8_t)layout->chunk.index);
    put_index_params(w, layout, sz.len);
    ts_put_addr(w, layout->addr, sz.addr);
}

static int encode_chunked(const struct ts_layout *layout, struct sizes sz, struct ts_wr *w)
{
    bool old = layout->version == 3;
    bool fits = old ? layout->chunk.index == TS_CHUNK_INDEX_BTREE1 && layout->chunk.flags == 0
                    : layout->chunk.index >= TS_CHUNK_INDEX_SINGLE && layout->chunk.index <= TS_CHUNK_INDEX_BTREE2;
    if (!fits || layout->chunk.rank < 1 || layout->chunk.rank > H5S_MAX_RANK)
        return TS_ERR(OHDR, CANTENCODE, "layout message: version %u, a chunk of %u dimensions, flags %#x, index %d",
                      layout->version, layout->chunk.rank, layout->chunk.flags, (int)layout->chunk.index);
    if (old) {
        ts_wr_u8(w, (uint8_t)(layout->chunk.rank + 1));
        ts_put_addr(w, layout->addr, sz.addr);
        put_chunk_dims(w, layout, 4);
        return ts_put_end(w);
    }
    put_flags_and_dims(w, layout);
    put_index(w, layout, sz);
    return ts_put_end(w);
}

static bool structured_is_sound(const struct ts_layout *layout)
{
    unsigned n = ts_struct_sections(layout->chunk.struct_type);
    bool filtered = layout->chunk.flags & TS_CHUNK_SINGLE_FILTERED;
    if (n == 0 || layout->chunk.rank < 1 || layout->chunk.rank > H5S_MAX_RANK || structured_bytes(layout) == 0)
        return false;
    if (layout->chunk.index == TS_CHUNK_INDEX_SINGLE)
        return !ts_sections_problem(&layout->chunk.u.single.sections, n, filtered,
                                    layout->chunk.u.single.filtered_size);
    return !filtered && layout->chunk.index >= TS_CHUNK_INDEX_FIXED_ARRAY &&
           layout->chunk.index <= TS_CHUNK_INDEX_BTREE2;
}

static int encode_structured(const struct ts_layout *layout, struct sizes sz, struct ts_wr *w)
{
    if (!structured_is_sound(layout))
        return TS_ERR(OHDR, CANTENCODE, "layout message: structured chunks of type %u, rank %u, flags %#x, index %d",
                      layout->chunk.struct_type, layout->chunk.rank, layout->chunk.flags, (int)layout->chunk.index);
    ts_wr_u8(w, 0);
    ts_wr_u16(w, (uint16_t)layout->chunk.struct_type);
    put_flags_and_dims(w, layout);
    ts_struct_composition_put(w, layout->chunk.struct_type);
    put_index(w, layout, sz);
    return ts_put_end(w);
}

int ts_layout_encode(const struct ts_layout *layout, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    struct sizes sz = {addr_size, len_size};
    unsigned least = layout->cls == H5D_STRUCT_CHUNK ? 5 : layout->cls == H5D_VIRTUAL ? 4 : 3;
    if (layout->version < least || layout->version > 5)
        return TS_ERR(OHDR, VERSION, "layout message: version %u of class %d is not written", layout->version,
                      (int)layout->cls);
    ts_wr_u8(w, (uint8_t)layout->version);
    ts_wr_u8(w, (uint8_t)layout->cls);
    switch (layout->cls) {
    case H5D_COMPACT:
        ts_put_uint(w, layout->compact.size, 2);
        ts_wr_bytes(w, layout->compact.data, layout->compact.size);
        break;
    case H5D_CONTIGUOUS:
        ts_put_addr(w, layout->addr, addr_size);
        ts_put_uint(w, layout->contiguous.size, len_size);
        break;
    case H5D_CHUNKED:
        return encode_chunked(layout, sz, w);
    case H5D_STRUCT_CHUNK:
        return encode_structured(layout, sz, w);
    case H5D_VIRTUAL:
        ts_put_addr(w, layout->addr, addr_size);
        ts_wr_u32(w, layout->virtual.index);
        break;
    default:
        return TS_ERR(OHDR, CANTENCODE, "layout message: class %d", (int)layout->cls);
    }
    return ts_put_end(w);
}
