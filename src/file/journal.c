#include "file/journal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"

enum { ROW = 24, TRAILER = 64, VERSION = 2 };

static const char magic[8] = {'T', 'S', 'J', 'R', 'N', 'L', '\r', '\n'};

static void put_trailer(const struct ts_journal *j, uint64_t bytes, struct ts_wr *w)
{
    size_t from = w->size;
    uint32_t table = w->bad ? 0 : ts_checksum(w->data, from);
    ts_wr_bytes(w, magic, sizeof magic);
    ts_wr_u16(w, VERSION);
    ts_wr_u16(w, (uint16_t)j->flags);
    ts_wr_u32(w, j->sequence);
    ts_wr_u64(w, j->start);
    ts_wr_u64(w, j->n);
    ts_wr_u64(w, j->end_before);
    ts_wr_u64(w, j->end_after);
    ts_wr_u64(w, bytes);
    ts_wr_u32(w, table);
    ts_wr_checksum(w, from);
}

haddr_t ts_journal_size(const struct ts_journal *j)
{
    haddr_t size = j->n * (haddr_t)ROW + TRAILER;
    for (size_t i = 0; i < j->n; i++)
        size += j->blocks[i].size;
    return size;
}

int ts_journal_vectors(const struct ts_journal *j, struct ts_wr *scratch, struct ts_io_out *out)
{
    uint64_t bytes = 0;
    haddr_t at = j->start + j->n * (uint64_t)ROW;
    for (size_t i = 0; i < j->n; i++) {
        const struct ts_io_out *b = &j->blocks[i];
        ts_wr_u64(scratch, b->addr);
        ts_wr_u64(scratch, b->size);
        ts_wr_u32(scratch, ts_checksum(b->buf, b->size));
        ts_wr_u32(scratch, 0);
        out[i + 1] = (struct ts_io_out){.addr = at + bytes, .size = b->size, .buf = b->buf};
        bytes += b->size;
    }
    size_t table = scratch->size;
    put_trailer(j, bytes, scratch);
    if (scratch->bad)
        return -1;
    out[0] = (struct ts_io_out){.addr = j->start, .size = table, .buf = scratch->data};
    out[j->n + 1] = (struct ts_io_out){.addr = at + bytes, .size = TRAILER, .buf = scratch->data + table};
    return 0;
}

void ts_journal_deinit(struct ts_journal *j)
{
    ts_free(j->blocks);
    ts_free(j->bytes);
}

struct trailer {
    uint64_t bytes;
    uint32_t table_checksum;
};

/* True when the last bytes of the file are the trailer of a journal that belongs to this superblock. */
static bool decode_trailer(const uint8_t *buf, haddr_t eof, haddr_t end, struct ts_journal *j, struct trailer *t)
{
    struct ts_rd r = ts_rd_init(buf, TRAILER);
    const uint8_t *name = ts_rd_bytes(&r, sizeof magic);
    unsigned version = ts_rd_u16(&r);
    j->flags = ts_rd_u16(&r);
    j->sequence = ts_rd_u32(&r);
    j->start = ts_rd_u64(&r);
    uint64_t n = ts_rd_u64(&r), table_size, body, whole;
    j->end_before = ts_rd_u64(&r);
    j->end_after = ts_rd_u64(&r);
    t->bytes = ts_rd_u64(&r);
    t->table_checksum = ts_rd_u32(&r);
    if (!ts_rd_checksum(&r) || memcmp(name, magic, sizeof magic) != 0 || version < 1 || version > VERSION)
        return false;
    if (version == 1)
        j->flags = TS_JOURNAL_UNMARKED;
    if (j->flags & ~(unsigned)TS_JOURNAL_UNMARKED)
        return false;
    if (!ts_mul_u64(n, ROW, &table_size) || !ts_add_u64(table_size, t->bytes, &body) ||
        !ts_add_u64(body, TRAILER, &whole) || whole > eof || j->start != eof - whole)
        return false;
    if (j->start < j->end_before || j->start < j->end_after || (end != j->end_before && end != j->end_after))
        return false;
    j->n = (size_t)n;
    return true;
}

/* 1 when the table and all blocks are as they were meant to be. */
static int decode_body(struct ts_journal *j, const struct trailer *t)
{
    size_t table_size = j->n * ROW;
    if (ts_checksum(j->bytes, table_size) != t->table_checksum)
        return 0;
    j->blocks = ts_malloc((j->n + 1) * sizeof *j->blocks);
    if (!j->blocks)
        return -1;
    struct ts_rd table = ts_rd_init(j->bytes, table_size);
    struct ts_rd body = ts_rd_init(j->bytes + table_size, (size_t)t->bytes);
    for (size_t i = 0; i < j->n; i++) {
        haddr_t addr = ts_rd_u64(&table);
        uint64_t size = ts_rd_u64(&table);
        uint32_t checksum = ts_rd_u32(&table);
        ts_rd_skip(&table, 4);
        const uint8_t *bytes = size <= SIZE_MAX ? ts_rd_bytes(&body, (size_t)size) : NULL;
        if (!bytes || ts_checksum(bytes, (size_t)size) != checksum || addr > j->start || size > j->start - addr)
            return 0;
        j->blocks[i] = (struct ts_io_out){.addr = addr, .size = (size_t)size, .buf = bytes};
    }
    return 1;
}

int ts_journal_find(struct ts_driver *d, haddr_t end, bool marked, struct ts_journal *out)
{
    uint8_t last[TRAILER];
    haddr_t eof;
    struct trailer t;
    *out = (struct ts_journal){0};
    if (ts_driver_eof(d, &eof) < 0)
        return -1;
    if (end > eof || eof - end < TRAILER)
        return 0;
    if (ts_driver_read(d, eof - TRAILER, TRAILER, last) < 0)
        return -1;
    if (!decode_trailer(last, eof, end, out, &t) || !(marked || out->flags & TS_JOURNAL_UNMARKED))
        return 0;
    size_t size = out->n * ROW + (size_t)t.bytes;
    out->bytes = ts_malloc(size + 1);
    int found = -1;
    if (out->bytes && ts_driver_read(d, out->start, size, out->bytes) == 0)
        found = decode_body(out, &t);
    if (found != 1)
        ts_journal_deinit(out);
    return found;
}
