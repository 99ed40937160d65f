#include "format/free_space.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"

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
    ts_rd_skip(&r, (size_t)len_size + 6);
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

static int read_sets(struct ts_rd *r, const struct ts_free_space *hdr, struct ts_free_section *out)
{
    unsigned count_width = ts_bytes_for(hdr->serialized), size_width = ts_bytes_for(hdr->max_section);
    unsigned addr_width = (hdr->addr_bits + 7) / 8;
    for (uint64_t n = 0; n < hdr->serialized;) {
        uint64_t count = ts_rd_uint(r, count_width), size = ts_rd_uint(r, size_width);
        if (r->bad || count == 0 || count > hdr->serialized - n)
            return TS_ERR(FSPACE, CANTDECODE, "free space sections: a set of %llu behind %llu of %llu",
                          (unsigned long long)count, (unsigned long long)n, (unsigned long long)hdr->serialized);
        for (; count > 0; count--, n++) {
            out[n] = (struct ts_free_section){.addr = ts_rd_uint(r, addr_width), .size = size};
            unsigned type = ts_rd_u8(r);
            if (type > MAX_SECTION_TYPE)
                return TS_ERR(FSPACE, CANTDECODE, "free space section of type %u", type);
        }
    }
    return 0;
}

int ts_free_sections_decode(const uint8_t *buf, size_t size, unsigned addr_size, const struct ts_free_space *hdr,
                            haddr_t hdr_addr, struct ts_free_section **out)
{
    struct ts_rd r = ts_rd_init(buf, size);
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
    if (read_sets(&r, hdr, list) < 0 || !ts_rd_checksum(&r)) {
        ts_free(list);
        return TS_ERR(FSPACE, CANTDECODE, "the free space sections of the manager at %#llx do not decode",
                      (unsigned long long)hdr_addr);
    }
    *out = list;
    return 0;
}
