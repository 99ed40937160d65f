#include "format/free_space.h"

#include <stdbool.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "format/put.h"

int ts_free_space_decode(const uint8_t *buf, size_t size, unsigned addr_size, unsigned len_size,
                         struct ts_free_space *out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    if (!ts_rd_magic(&r, "FSHD"))
        return TS_ERR(FSPACE, CANTDECODE, "no free space manager signature");
    unsigned version = ts_rd_u8(&r);
    if (version != 0)
        return TS_ERR(FSPACE, VERSION, "free space manager of version %u", version);
    out->client = ts_rd_u8(&r);
    out->bytes = ts_rd_uint(&r, len_size);
    out->sections = ts_rd_uint(&r, len_size);
    out->serialized = ts_rd_uint(&r, len_size);
    out->not_serialized = ts_rd_uint(&r, len_size);
    out->classes = ts_rd_u16(&r);
    out->shrink_percent = ts_rd_u16(&r);
    out->expand_percent = ts_rd_u16(&r);
    out->addr_bits = ts_rd_u16(&r);
    out->max_section = ts_rd_uint(&r, len_size);
    out->list = ts_rd_addr(&r, addr_size);
    out->list_used = ts_rd_uint(&r, len_size);
    out->list_allocated = ts_rd_uint(&r, len_size);
    if (!ts_rd_checksum(&r))
        return TS_ERR(FSPACE, CANTDECODE, "free space manager with a wrong checksum");
    return 0;
}

/* A plain section, and those of files in pages: inside a page, of whole pages. */
enum { MAX_SECTION_TYPE = 2 };

static bool has_blocks(bool heap, unsigned type)
{
    return heap && (type == TS_HEAP_SECTION_FIRST_ROW || type == TS_HEAP_SECTION_INDIRECT);
}

static int read_section(struct ts_rd *r, unsigned addr_width, bool heap, struct ts_free_section *out)
{
    out->addr = ts_rd_uint(r, addr_width);
    out->type = ts_rd_u8(r);
    if (out->type > (heap ? TS_HEAP_SECTION_INDIRECT : MAX_SECTION_TYPE))
        return TS_ERR(FSPACE, CANTDECODE, "free space section of type %u", out->type);
    if (has_blocks(heap, out->type)) {
        out->indirect = ts_rd_uint(r, addr_width);
        out->row = ts_rd_u16(r);
        out->column = ts_rd_u16(r);
        out->blocks = ts_rd_u16(r);
    }
    return 0;
}

static int read_sets(struct ts_rd *r, const struct ts_free_space *hdr, bool heap, struct ts_free_section *out)
{
    unsigned count_width = ts_bytes_for(hdr->serialized), size_width = ts_bytes_for(hdr->max_section);
    unsigned addr_width = (hdr->addr_bits + 7) / 8;
    for (uint64_t n = 0; n < hdr->serialized;) {
        uint64_t count = ts_rd_uint(r, count_width), size = ts_rd_uint(r, size_width);
        if (r->bad || count == 0 || count > hdr->serialized - n)
            return TS_ERR(FSPACE, CANTDECODE, "free space sections: a set of %llu behind %llu of %llu",
                          (unsigned long long)count, (unsigned long long)n, (unsigned long long)hdr->serialized);
        for (; count > 0; count--, n++) {
            out[n] = (struct ts_free_section){.size = size};
            if (read_section(r, addr_width, heap, &out[n]) < 0)
                return -1;
        }
    }
    return 0;
}

enum { CHECKSUM = 4 };

static int decode_list(struct ts_rd *in, unsigned addr_size, const struct ts_free_space *hdr, haddr_t hdr_addr,
                       bool heap, struct ts_free_section **out)
{
    struct ts_rd r = *in;
    size_t size = ts_rd_left(in);
    *out = NULL;
    if (!ts_rd_magic(&r, "FSSE") || ts_rd_u8(&r) != 0 || ts_rd_addr(&r, addr_size) != hdr_addr)
        return TS_ERR(FSPACE, CANTDECODE, "no free space sections of version 0 for the manager at %#llx",
                      (unsigned long long)hdr_addr);
    /* A section takes at least its type and one byte of address. */
    if (hdr->addr_bits == 0 || hdr->addr_bits > 64 || hdr->serialized > ts_rd_left(&r) / 2)
        return TS_ERR(FSPACE, CANTDECODE, "%llu free space sections of %u bits in %zu bytes",
                      (unsigned long long)hdr->serialized, hdr->addr_bits, size);
    if (hdr->serialized == 0)
        return 0;
    struct ts_free_section *list = ts_malloc((size_t)hdr->serialized * sizeof *list);
    if (!list)
        return -1;
    int status = read_sets(&r, hdr, heap, list);
    /* libhdf5 1.14 may leave room behind the last section; the checksum comes behind that. */
    if (status == 0 && ts_rd_left(&r) > CHECKSUM)
        ts_rd_skip(&r, ts_rd_left(&r) - CHECKSUM);
    if (status < 0 || !ts_rd_checksum(&r)) {
        ts_free(list);
        return TS_ERR(FSPACE, CANTDECODE, "the free space sections of the manager at %#llx do not decode",
                      (unsigned long long)hdr_addr);
    }
    *out = list;
    return 0;
}

int ts_free_sections_decode(const uint8_t *buf, size_t size, unsigned addr_size, const struct ts_free_space *hdr,
                            haddr_t hdr_addr, struct ts_free_section **out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    return decode_list(&r, addr_size, hdr, hdr_addr, false, out);
}

int ts_heap_sections_decode(const uint8_t *buf, size_t size, unsigned addr_size, const struct ts_free_space *hdr,
                            haddr_t hdr_addr, struct ts_free_section **out)
{
    struct ts_rd r = ts_rd_init(buf, size);
    return decode_list(&r, addr_size, hdr, hdr_addr, true, out);
}

int ts_free_space_encode(const struct ts_free_space *fs, unsigned addr_size, unsigned len_size, struct ts_wr *w)
{
    size_t from = w->size;
    ts_wr_bytes(w, "FSHD", 4);
    ts_wr_u8(w, 0);
    ts_put_uint(w, fs->client, 1);
    ts_put_uint(w, fs->bytes, len_size);
    ts_put_uint(w, fs->sections, len_size);
    ts_put_uint(w, fs->serialized, len_size);
    ts_put_uint(w, fs->not_serialized, len_size);
    ts_put_uint(w, fs->classes, 2);
    ts_put_uint(w, fs->shrink_percent, 2);
    ts_put_uint(w, fs->expand_percent, 2);
    ts_put_uint(w, fs->addr_bits, 2);
    ts_put_uint(w, fs->max_section, len_size);
    ts_put_addr(w, fs->list, addr_size);
    ts_put_uint(w, fs->list_used, len_size);
    ts_put_uint(w, fs->list_allocated, len_size);
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}

/* How many from i on have one size. */
static uint64_t set_length(const struct ts_free_section *list, uint64_t i, uint64_t n)
{
    uint64_t end = i + 1;
    while (end < n && list[end].size == list[i].size)
        end++;
    return end - i;
}

enum { HEAP_CLIENT = 0, BLOCKS_SIZE = 6 /* row, column and number of blocks */ };

size_t ts_free_sections_size(const struct ts_free_section *list, unsigned addr_size, const struct ts_free_space *hdr)
{
    size_t set = ts_bytes_for(hdr->serialized) + ts_bytes_for(hdr->max_section);
    size_t addr_width = (hdr->addr_bits + 7) / 8, size = 9 + (size_t)addr_size;
    for (uint64_t i = 0; i < hdr->serialized; i++) {
        if (i == 0 || list[i].size != list[i - 1].size)
            size += set;
        size += addr_width + 1 + (has_blocks(hdr->client == HEAP_CLIENT, list[i].type) ? addr_width + BLOCKS_SIZE : 0);
    }
    return size;
}

static void put_section(const struct ts_free_section *s, unsigned addr_width, bool heap, struct ts_wr *w)
{
    ts_put_uint(w, s->addr, addr_width);
    ts_put_uint(w, s->type, 1);
    if (has_blocks(heap, s->type)) {
        ts_put_uint(w, s->indirect, addr_width);
        ts_put_uint(w, s->row, 2);
        ts_put_uint(w, s->column, 2);
        ts_put_uint(w, s->blocks, 2);
    }
}

int ts_free_sections_encode(const struct ts_free_section *list, unsigned addr_size, const struct ts_free_space *hdr,
                            haddr_t hdr_addr, struct ts_wr *w)
{
    size_t from = w->size;
    unsigned addr_width = (hdr->addr_bits + 7) / 8;
    uint64_t left = 0;
    ts_wr_bytes(w, "FSSE", 4);
    ts_wr_u8(w, 0);
    ts_put_addr(w, hdr_addr, addr_size);
    for (uint64_t i = 0; i < hdr->serialized; i++) {
        if (left == 0) {
            left = set_length(list, i, hdr->serialized);
            ts_put_uint(w, left, ts_bytes_for(hdr->serialized));
            ts_put_uint(w, list[i].size, ts_bytes_for(hdr->max_section));
        }
        put_section(&list[i], addr_width, hdr->client == HEAP_CLIENT, w);
        left--;
    }
    ts_wr_checksum(w, from);
    return ts_put_end(w);
}
