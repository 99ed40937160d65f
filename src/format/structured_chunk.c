#include "format/structured_chunk.h"

#include "base/checked.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"

#define OFFSET_SIZE 8

unsigned ts_struct_sections(unsigned type)
{
    static const unsigned sections[] = {0, 2, 2, 3};
    return type < sizeof sections / sizeof *sections ? sections[type] : 0;
}

bool ts_struct_is_metadata(unsigned type, unsigned section)
{
    return section < ts_struct_sections(type) && (type & TS_STRUCT_VL || section == 0);
}

bool ts_section_has_sum(const uint8_t *section, size_t size)
{
    struct ts_rd r = ts_rd_init(section, size);
    ts_rd_skip(&r, size < TS_SECTION_CHECKSUM ? size : size - TS_SECTION_CHECKSUM);
    return ts_rd_checksum(&r);
}

void ts_section_put_sum(uint8_t *section, size_t size)
{
    uint32_t sum = ts_checksum(section, size);
    for (unsigned i = 0; i < TS_SECTION_CHECKSUM; i++)
        section[size + i] = (uint8_t)(sum >> 8 * i);
}

const char *ts_sections_problem(const struct ts_chunk_sections *s, unsigned n, bool filtered, uint64_t chunk_size)
{
    if (s->n != n)
        return "another number of sections";
    if (s->offset[0] != 0)
        return "the first section is not at the start";
    for (unsigned i = 0; i < n; i++) {
        uint64_t end = i + 1 < n ? s->offset[i + 1] : chunk_size;
        if (s->offset[i] > end)
            return "a section starts behind its end";
        uint64_t stored = end - s->offset[i];
        if ((stored == 0) != (s->size[i] == 0))
            return "a section is empty on one side of its filters only";
        if (!filtered && (s->size[i] != stored || s->mask[i] != 0))
            return "a section without filters that looks filtered";
    }
    return NULL;
}

size_t ts_chunk_metadata_size(unsigned n, bool filtered)
{
    return 8 * (size_t)(n - 1) + (filtered ? 12 * (size_t)n : 0);
}

void ts_chunk_metadata_read(struct ts_rd *r, unsigned n, bool filtered, uint64_t chunk_size,
                            struct ts_chunk_sections *out)
{
    *out = (struct ts_chunk_sections){.n = (uint8_t)n};
    for (unsigned i = 1; i < n; i++)
        out->offset[i] = ts_rd_u64(r);
    for (unsigned i = 0; i < n; i++)
        out->size[i] = filtered ? ts_rd_u64(r) : ts_section_stored(out, i, chunk_size);
    for (unsigned i = 0; filtered && i < n; i++)
        out->mask[i] = ts_rd_u32(r);
}

void ts_chunk_metadata_put(struct ts_wr *w, const struct ts_chunk_sections *s, bool filtered)
{
    for (unsigned i = 1; i < s->n; i++)
        ts_wr_u64(w, s->offset[i]);
    for (unsigned i = 0; filtered && i < s->n; i++)
        ts_wr_u64(w, s->size[i]);
    for (unsigned i = 0; filtered && i < s->n; i++)
        ts_wr_u32(w, s->mask[i]);
}

unsigned ts_struct_size_width(unsigned type, uint64_t chunk_bytes)
{
    if (type & TS_STRUCT_VL)
        return 8;
    unsigned width = 1 + (ts_log2_floor(chunk_bytes) + 8) / 8;
    return width < 8 ? width : 8;
}

/* In the newer drawing of the format the first field has 8 bytes, in the older one a single byte. Behind that comes the
 * number of sections, which is not 0. */
static uint64_t read_offset_size(struct ts_rd *r)
{
    struct ts_rd ahead = *r;
    ts_rd_skip(&ahead, 1);
    return ts_rd_u8(&ahead) == 0 && !ahead.bad ? ts_rd_u64(r) : ts_rd_u8(r);
}

int ts_struct_composition_read(struct ts_rd *r, unsigned type)
{
    uint64_t offset_size = read_offset_size(r);
    unsigned n = ts_rd_u8(r), n_metadata = ts_rd_u8(r), wanted = 0;
    for (unsigned i = 0; i < ts_struct_sections(type); i++)
        wanted += ts_struct_is_metadata(type, i);
    bool good = offset_size == OFFSET_SIZE && n == ts_struct_sections(type) && n_metadata == wanted;
    for (unsigned i = 0; good && i < n_metadata; i++)
        good = ts_rd_u8(r) == i;
    if (r->bad)
        return TS_ERR(OHDR, CANTDECODE, "composition of structured chunks is cut off");
    if (!good)
        return TS_ERR(OHDR, UNSUPPORTED,
                      "structured chunks of type %u with %u sections, %u of metadata, offsets of %llu bytes", type, n,
                      n_metadata, (unsigned long long)offset_size);
    return 0;
}

void ts_struct_composition_put(struct ts_wr *w, unsigned type)
{
    unsigned n = ts_struct_sections(type), n_metadata = 0;
    for (unsigned i = 0; i < n; i++)
        n_metadata += ts_struct_is_metadata(type, i);
    ts_wr_u8(w, OFFSET_SIZE);
    ts_wr_u8(w, (uint8_t)n);
    ts_wr_u8(w, (uint8_t)n_metadata);
    for (unsigned i = 0; i < n; i++)
        if (ts_struct_is_metadata(type, i))
            ts_wr_u8(w, (uint8_t)i);
}
