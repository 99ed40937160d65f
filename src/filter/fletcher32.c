/* A checksum of 4 bytes behind the data: Fletcher's over big-endian 16-bit words, a last odd byte being the high
 * half. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/filter.h"

static uint32_t fold(uint32_t sum)
{
    return (sum & 0xffff) + (sum >> 16);
}

static uint32_t fletcher32(const uint8_t *p, size_t size)
{
    uint32_t a = 0, b = 0;
    size_t words = size / 2;
    while (words) {
        /* 360 words are the most that cannot overflow 32 bits. */
        size_t now = words < 360 ? words : 360;
        words -= now;
        for (; now; now--, p += 2) {
            a += (uint32_t)p[0] << 8 | p[1];
            b += a;
        }
        a = fold(a);
        b = fold(b);
    }
    if (size % 2) {
        a += (uint32_t)p[0] << 8;
        b += a;
        a = fold(a);
        b = fold(b);
    }
    return fold(b) << 16 | fold(a);
}

/* Old writers on little-endian machines stored the two halves with their bytes exchanged. */
static uint32_t exchanged(uint32_t sum)
{
    return (sum & 0x00ff00ff) << 8 | (sum >> 8 & 0x00ff00ff);
}

int ts_decode_fletcher32(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)f;
    if (b->size < 4)
        return TS_ERR(PLINE, CANTFILTER, "fletcher32: %zu stored bytes have no checksum", b->size);
    b->size -= 4;
    if (options->skip_checksums)
        return 0;
    struct ts_rd r = ts_rd_init(b->data + b->size, 4);
    uint32_t stored = ts_rd_u32(&r), computed = fletcher32(b->data, b->size);
    if (stored != computed && stored != exchanged(computed)) {
        b->size += 4;
        return TS_ERR(PLINE, READERROR, "data error detected by Fletcher32 checksum: stored %#x, computed %#x", stored,
                      computed);
    }
    return 0;
}

int ts_encode_fletcher32(const struct ts_filter *f, struct ts_block *b)
{
    (void)f;
    size_t size;
    if (!ts_add_size(b->size, 4, &size))
        return TS_ERR(PLINE, CANTFILTER, "fletcher32: a block of %zu bytes", b->size);
    uint8_t *out = ts_malloc_aligned(size);
    if (!out)
        return -1;
    uint32_t sum = fletcher32(b->data, b->size);
    memcpy(out, b->data, b->size);
    for (unsigned i = 0; i < 4; i++)
        out[b->size + i] = (uint8_t)(sum >> 8 * i);
    ts_block_replace(b, out, size);
    return 0;
}
