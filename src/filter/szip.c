/* A 4-byte size of the data, then the szip stream. Parameters: [0] option mask, [1] pixels per block, [2] bits per
 * pixel, [3] pixels per scan line. */
#include <szlib.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/filter.h"

/* The library trusts its parameters: with others than these it writes outside of its buffers, or makes them very
 * large. */
static int read_parameters(const struct ts_filter *f, SZ_com_t *out)
{
    if (f->n_values < 4)
        return TS_ERR(PLINE, CANTFILTER, "szip: %zu parameters", f->n_values);
    unsigned mask = f->values[0], block = f->values[1], bits = f->values[2], line = f->values[3];
    if (block < 2 || block > SZ_MAX_PIXELS_PER_BLOCK || block % 2 || bits == 0 || (bits > 32 && bits != 64) ||
        line < block || line > block * SZ_MAX_BLOCKS_PER_SCANLINE)
        return TS_ERR(PLINE, CANTFILTER, "szip: %u pixels per block, %u bits per pixel, %u pixels per scan line", block,
                      bits, line);
    *out = (SZ_com_t){.options_mask = (int)mask,
                      .pixels_per_block = (int)block,
                      .bits_per_pixel = (int)bits,
                      .pixels_per_scanline = (int)line};
    return 0;
}

int ts_decode_szip(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    struct ts_rd r = ts_rd_init(b->data, b->size);
    size_t total = ts_rd_u32(&r);
    SZ_com_t parameters;
    if (r.bad)
        return TS_ERR(PLINE, CANTFILTER, "szip: %zu stored bytes", b->size);
    /* A whole scan line of zeros can be a few bits, but not less. */
    if (total > b->expected + 4096 || total >> 16 > b->size)
        return TS_ERR(PLINE, CANTFILTER, "szip: header says %zu bytes, the chunk has %zu", total, b->expected);
    if (read_parameters(f, &parameters) < 0)
        return -1;
    uint8_t *out = ts_malloc_aligned(total);
    if (!out)
        return -1;
    size_t made = total;
    if (SZ_BufftoBuffDecompress(out, &made, r.p, ts_rd_left(&r), &parameters) != SZ_OK || made != total) {
        ts_free(out);
        return TS_ERR(PLINE, CANTFILTER, "szip: %zu stored bytes do not decode to %zu", b->size, total);
    }
    ts_block_replace(b, out, total);
    return 0;
}

int ts_encode_szip(const struct ts_filter *f, struct ts_block *b)
{
    SZ_com_t parameters;
    if (read_parameters(f, &parameters) < 0)
        return -1;
    int bits = parameters.bits_per_pixel, pixel = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    if (b->size == 0 || b->size > UINT32_MAX || b->size % (size_t)pixel)
        return TS_ERR(PLINE, CANTFILTER, "szip: %zu bytes of data, pixels of %d bytes", b->size, pixel);
    uint8_t *out = ts_malloc_aligned(b->size + 4);
    if (!out)
        return -1;
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(b->size >> 8 * i);
    size_t made = b->size;
    if (SZ_BufftoBuffCompress(out + 4, &made, b->data, b->size, &parameters) != SZ_OK) {
        ts_free(out);
        return TS_ERR(PLINE, CANTFILTER, "szip: %zu bytes do not shrink", b->size);
    }
    ts_block_replace(b, out, made + 4);
    return 0;
}
