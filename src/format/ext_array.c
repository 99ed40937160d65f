#include "format/ext_array.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

int ts_earray_header_derive(struct ts_earray_header *h)
{
    if (!ts_is_power_of_2(h->min_elements) || !ts_is_power_of_2(h->min_pointers) || h->element_size == 0)
        return TS_ERR(EARRAY, BADVALUE, "extensible array with elements of %u bytes, at least %u in a block, %u blocks",
                      h->element_size, h->min_elements, h->min_pointers);
    unsigned min_bits = ts_log2_floor(h->min_elements);
    if (h->max_bits > 63 || h->max_bits < min_bits || h->page_bits > 63)
        return TS_ERR(EARRAY, BADVALUE, "extensible array of 2^%u elements, at least 2^%u in a block, pages of 2^%u",
                      h->max_bits, min_bits, h->page_bits);
    h->offset_size = (h->max_bits + 7) / 8;
    h->groups = h->max_bits - min_bits + 1;
    h->index_groups = 2 * ts_log2_floor(h->min_pointers);
    if (h->index_groups > h->groups)
        return TS_ERR(EARRAY, BADVALUE, "extensible array of %u block groups, %u in its index block", h->groups,
                      h->index_groups);
    h->index_blocks = ts_earray_blocks_before(h->index_groups);
    /* Only a secondary block has the bitmap that pages need. */
    if (h->index_groups > 0 && ts_earray_group(h, h->index_groups - 1).pages > 0)
        return TS_ERR(EARRAY, BADVALUE, "extensible array with pages of 2^%u elements below its index block",
                      h->page_bits);
    return 0;
}

int ts_earray_header_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                            struct ts_earray_header *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "EAHD"))
        return TS_ERR(EARRAY, CANTDECODE, "no extensible array signature");
    unsigned version = ts_rd_u8(&r);
    if (version > 1)
        return TS_ERR(EARRAY, VERSION, "extensible array of version %u", version);
    out->client = ts_rd_u8(&r);
    out->element_size = ts_rd_u8(&r);
    out->max_bits = ts_rd_u8(&r);
    out->index_elements = ts_rd_u8(&r);
    out->min_elements = ts_rd_u8(&r);
    out->min_pointers = ts_rd_u8(&r);
    out->page_bits = ts_rd_u8(&r);
    out->secondary_blocks = ts_rd_uint(&r, len_size);
    out->secondary_size = ts_rd_uint(&r, len_size);
    out->data_blocks = ts_rd_uint(&r, len_size);
    out->data_size = ts_rd_uint(&r, len_size);
    out->count = ts_rd_uint(&r, len_size);
    out->realized = ts_rd_uint(&r, len_size);
    out->index_block = ts_rd_addr(&r, addr_size);
    out->addr_size = addr_size;
    if (!ts_rd_checksum(&r))
        return TS_ERR(EARRAY, CANTDECODE, "extensible array header with a wrong checksum");
    return ts_earray_header_derive(out);
}

struct ts_earray_group ts_earray_group(const struct ts_earray_header *h, unsigned s)
{
    struct ts_earray_group g;
    uint64_t page = (uint64_t)1 << h->page_bits;
    g.first = h->min_elements * (((uint64_t)1 << s) - 1);
    g.blocks = (uint64_t)1 << s / 2;
    g.elements = (uint64_t)h->min_elements << (s + 1) / 2;
    g.pages = g.elements > page ? g.elements / page : 0;
    g.bitmap_size = g.blocks * ts_div_ceil(g.pages, 8);
    return g;
}

unsigned ts_earray_group_of(const struct ts_earray_header *h, uint64_t index)
{
    return ts_log2_floor(index / h->min_elements + 1);
}

uint64_t ts_earray_blocks_before(unsigned s)
{
    uint64_t pairs = 2 * (((uint64_t)1 << s / 2) - 1);
    return s % 2 ? pairs + ((uint64_t)1 << s / 2) : pairs;
}

size_t ts_earray_block_prefix(const struct ts_earray_header *h, enum ts_earray_block kind)
{
    return 6 + h->addr_size + (kind == TS_EARRAY_INDEX ? 0 : h->offset_size);
}

bool ts_earray_block_size(const struct ts_earray_header *h, enum ts_earray_block kind, const struct ts_earray_group *g,
                          uint64_t *size)
{
    uint64_t elements = 0, pointers = 0, bitmap = 0;
    if (kind == TS_EARRAY_INDEX) {
        elements = h->index_elements;
        pointers = h->index_blocks + (h->groups - h->index_groups);
    } else if (kind == TS_EARRAY_SECONDARY) {
        pointers = g->blocks;
        bitmap = g->bitmap_size;
    } else
        elements = g->pages ? 0 : g->elements;
    if (!ts_mul_u64(elements, h->element_size, size) || !ts_mul_u64(pointers, h->addr_size, &pointers))
        return false;
    return ts_add_u64(*size, pointers, size) && ts_add_u64(*size, bitmap, size) &&
           ts_add_u64(*size, ts_earray_block_prefix(h, kind) + 4, size);
}

static const char *const magic[] = {"EAIB", "EASB", "EADB"};

int ts_earray_block_check(const struct ts_earray_header *h, enum ts_earray_block kind,
                          const struct ts_earray_place *place, const uint8_t *buf, size_t size)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, magic[kind]))
        return TS_ERR(EARRAY, CANTDECODE, "no %s signature of an extensible array block", magic[kind]);
    unsigned version = ts_rd_u8(&r), client = ts_rd_u8(&r);
    if (version > 1)
        return TS_ERR(EARRAY, VERSION, "extensible array block of version %u", version);
    uint64_t header = ts_rd_addr(&r, h->addr_size);
    uint64_t first = kind == TS_EARRAY_INDEX ? 0 : ts_rd_uint(&r, h->offset_size);
    bool in_place = kind == TS_EARRAY_INDEX || first == place->first || first == place->also;
    if (client != h->client || header != place->header || !in_place)
        return TS_ERR(EARRAY, BADVALUE,
                      "block of extensible array %#llx, client %u, index %llu; not of %#llx, %u, %llu",
                      (unsigned long long)header, client, (unsigned long long)first, (unsigned long long)place->header,
                      h->client, (unsigned long long)place->first);
    ts_rd_skip(&r, size - ts_earray_block_prefix(h, kind) - 4);
    if (!ts_rd_checksum(&r))
        return TS_ERR(EARRAY, CANTDECODE, "%s block of an extensible array with a wrong checksum", magic[kind]);
    return 0;
}

int ts_earray_header_encode(const struct ts_earray_header *h, unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "EAHD", 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, h->client, 1);
    ts_put_uint(w, h->element_size, 1);
    ts_put_uint(w, h->max_bits, 1);
    ts_put_uint(w, h->index_elements, 1);
    ts_put_uint(w, h->min_elements, 1);
    ts_put_uint(w, h->min_pointers, 1);
    ts_put_uint(w, h->page_bits, 1);
    ts_put_uint(w, h->secondary_blocks, len_size);
    ts_put_uint(w, h->secondary_size, len_size);
    ts_put_uint(w, h->data_blocks, len_size);
    ts_put_uint(w, h->data_size, len_size);
    ts_put_uint(w, h->count, len_size);
    ts_put_uint(w, h->realized, len_size);
    ts_put_addr(w, h->index_block, h->addr_size);
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

int ts_earray_block_encode(const struct ts_earray_header *h, enum ts_earray_block kind,
                           const struct ts_earray_place *place, const uint8_t *content, size_t size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, magic[kind], 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, h->client, 1);
    ts_put_addr(w, place->header, h->addr_size);
    if (kind != TS_EARRAY_INDEX)
        ts_put_uint(w, place->also, h->offset_size);
    ts_wr_bytes(w, content, size);
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}
