/* How indexes of all kinds number chunks and store what they know of one. */
#include "index/chunk_kinds.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"

int ts_chunk_set_order(struct ts_chunk_index *ix, unsigned slowest)
{
    unsigned n = 0;
    ix->order[n++] = slowest;
    for (unsigned i = 0; i < ix->rank; i++)
        if (i != slowest)
            ix->order[n++] = i;
    uint64_t chunks = 1;
    for (unsigned k = ix->rank; k-- > 0;) {
        ix->stride[ix->order[k]] = chunks;
        if (k > 0 && !ts_mul_u64(chunks, ix->max_chunks[ix->order[k]], &chunks))
            return TS_ERR(DATASET, OVERFLOW, "dataset with more chunks than can be counted");
    }
    return 0;
}

int ts_chunk_number(const struct ts_chunk_index *ix, const hsize_t *scaled, uint64_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < ix->rank; i++) {
        uint64_t part;
        if (scaled[i] >= ix->max_chunks[i] || !ts_mul_u64(scaled[i], ix->stride[i], &part) ||
            !ts_add_u64(*number, part, number))
            return 0;
    }
    return 1;
}

void ts_chunk_from_number(const struct ts_chunk_index *ix, uint64_t number, hsize_t *scaled)
{
    for (unsigned k = 0; k < ix->rank; k++) {
        uint64_t stride = ix->stride[ix->order[k]];
        scaled[ix->order[k]] = number / stride;
        number %= stride;
    }
}

size_t ts_chunk_head_size(const struct ts_chunk_index *ix)
{
    return ts_file_addr_size(ix->file) + ix->size_width + (ix->filtered && !ix->n_sections ? 4 : 0);
}

static size_t metadata_size(const struct ts_chunk_index *ix)
{
    return ix->n_sections ? ts_chunk_metadata_size(ix->n_sections, ix->filtered) : 0;
}

static const char *adjective(const struct ts_chunk_index *ix)
{
    return ix->n_sections ? "structured" : ix->filtered ? "filtered" : "plain";
}

int ts_chunk_set_size_width(struct ts_chunk_index *ix, size_t size)
{
    size_t others = ts_file_addr_size(ix->file) + metadata_size(ix) + (ix->filtered && !ix->n_sections ? 4 : 0);
    bool sized = ix->filtered || ix->n_sections;
    if (sized ? size <= others || size > others + 8 : size != others)
        return TS_ERR(DATASET, BADSIZE, "chunk index with %zu bytes for a %s chunk", size, adjective(ix));
    ix->size_width = (unsigned)(size - others);
    return 0;
}

int ts_chunk_element_decode(const struct ts_chunk_index *ix, const uint8_t *element, size_t gap,
                            struct ts_chunk_rec *out)
{
    unsigned addr_size = ts_file_addr_size(ix->file);
    struct ts_rd r = ts_rd_init(element, ts_chunk_head_size(ix) + gap + metadata_size(ix));
    out->addr = ts_rd_addr(&r, addr_size);
    out->size = ix->size_width ? ts_rd_uint(&r, ix->size_width) : ix->chunk_bytes;
    out->filter_mask = ix->filtered && !ix->n_sections ? ts_rd_u32(&r) : 0;
    out->sections.n = 0;
    if (out->addr == HADDR_UNDEF || !ix->n_sections)
        return out->addr != HADDR_UNDEF;
    ts_rd_skip(&r, gap);
    ts_chunk_metadata_read(&r, ix->n_sections, ix->filtered, out->size, &out->sections);
    const char *problem = ts_sections_problem(&out->sections, ix->n_sections, ix->filtered, out->size);
    if (problem)
        return TS_ERR(DATASET, BADVALUE, "structured chunk of %llu bytes at %#llx: %s", (unsigned long long)out->size,
                      (unsigned long long)out->addr, problem);
    return 1;
}

size_t ts_chunk_element_size(const struct ts_chunk_index *ix)
{
    size_t addr_size = ts_file_addr_size(ix->file);
    if (ix->n_sections)
        return addr_size + ts_struct_size_width(ix->layout.chunk.struct_type, ix->chunk_bytes) + metadata_size(ix);
    /* One byte more than the size before filters needs, for filters may enlarge. Since version 5 they may do so at
     * will. */
    size_t width = 1 + (ts_log2_floor(ix->chunk_bytes) + 8) / 8;
    if (ix->layout.version >= 5)
        width = ts_file_len_size(ix->file);
    return addr_size + (ix->filtered ? (width > 8 ? 8 : width) + 4 : 0);
}

static void put_uint(uint8_t **at, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        *(*at)++ = (uint8_t)(v >> 8 * i);
}

static void put_metadata(const struct ts_chunk_index *ix, const struct ts_chunk_sections *s, uint8_t *at)
{
    for (unsigned i = 1; i < ix->n_sections; i++)
        put_uint(&at, s->offset[i], 8);
    for (unsigned i = 0; ix->filtered && i < ix->n_sections; i++)
        put_uint(&at, s->size[i], 8);
    for (unsigned i = 0; ix->filtered && i < ix->n_sections; i++)
        put_uint(&at, s->mask[i], 4);
}

int ts_chunk_check(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec)
{
    bool sized = ix->filtered || ix->n_sections;
    if (!sized && rec->size != ix->chunk_bytes)
        return TS_ERR(DATASET, CANTENCODE, "chunk of %llu bytes in an index of chunks of %llu",
                      (unsigned long long)rec->size, (unsigned long long)ix->chunk_bytes);
    const char *problem = ix->n_sections && rec->addr != HADDR_UNDEF
                              ? ts_sections_problem(&rec->sections, ix->n_sections, ix->filtered, rec->size)
                              : NULL;
    if (problem)
        return TS_ERR(DATASET, CANTENCODE, "structured chunk of %llu bytes: %s", (unsigned long long)rec->size,
                      problem);
    return 0;
}

int ts_chunk_element_encode(const struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, size_t gap,
                            uint8_t *element)
{
    if (ts_chunk_check(ix, rec) < 0)
        return -1;
    if (ix->size_width && ix->size_width < 8 && rec->size >> 8 * ix->size_width)
        return TS_ERR(DATASET, CANTENCODE, "chunk of %llu bytes in an index with sizes of %u bytes",
                      (unsigned long long)rec->size, ix->size_width);
    put_uint(&element, rec->addr, ts_file_addr_size(ix->file));
    put_uint(&element, rec->size, ix->size_width);
    if (ix->n_sections)
        put_metadata(ix, &rec->sections, element + gap);
    else if (ix->filtered)
        put_uint(&element, rec->filter_mask, 4);
    return 0;
}
