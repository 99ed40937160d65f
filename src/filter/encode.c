/* The general compressors in the other direction, save deflate. Those that cannot promise to shrink a block say so by
 * failing, and the pipeline skips them when they are optional: szip and lzf. The others store a block that does not
 * shrink a little larger, so that every chunk of the dataset is of one form. */
#include <liblzf/lzf.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "filter/contexts.h"
#include "filter/filter.h"

int ts_encode_lzf(const struct ts_filter *f, struct ts_block *b)
{
    (void)f;
    if (b->size == 0 || b->size > UINT32_MAX)
        return TS_ERR(PLINE, CANTFILTER, "lzf: a block of %zu bytes", b->size);
    uint8_t *out = ts_malloc_aligned(b->size);
    if (!out)
        return -1;
    unsigned made = lzf_compress(b->data, (unsigned)b->size, out, (unsigned)b->size);
    if (made == 0) {
        ts_free(out);
        return TS_ERR(PLINE, CANTFILTER, "lzf: %zu bytes do not shrink", b->size);
    }
    ts_block_replace(b, out, made);
    return 0;
}

/* [0] is the level, 3 when there is none. */
int ts_encode_zstd(const struct ts_filter *f, struct ts_block *b)
{
    int level = f->n_values ? (int)f->values[0] : 3;
    if (level < 1)
        level = level == 0 ? 3 : 1;
    if (level > ZSTD_maxCLevel())
        level = ZSTD_maxCLevel();
    size_t capacity = ZSTD_compressBound(b->size);
    if (ZSTD_isError(capacity))
        return TS_ERR(PLINE, CANTFILTER, "zstd: a block of %zu bytes", b->size);
    ZSTD_CCtx *c = ts_context_take(TS_CONTEXT_ZSTD_ENCODE);
    if (!c)
        return -1;
    uint8_t *out = ts_malloc_aligned(capacity);
    size_t made = out ? ZSTD_compressCCtx(c, out, capacity, b->data, b->size, level) : 0;
    ts_context_put(TS_CONTEXT_ZSTD_ENCODE, c);
    if (!out)
        return -1;
    if (ZSTD_isError(made)) {
        ts_free(out);
        return TS_ERR(PLINE, CANTFILTER, "zstd: %s", ZSTD_getErrorName(made));
    }
    ts_block_replace(b, out, made);
    return 0;
}

static void put_big_endian(uint8_t *p, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        p[i] = (uint8_t)(v >> 8 * (width - 1 - i));
}

static size_t lz4_block(uint8_t *out, const uint8_t *in, size_t size)
{
    /* Room for one byte less than the block itself has, for a block of equal size is read as one stored as it is. */
    int made = LZ4_compress_default((const char *)in, (char *)out + 4, (int)size, (int)size - 1);
    if (made <= 0) {
        memcpy(out + 4, in, size);
        made = (int)size;
    }
    put_big_endian(out, (uint64_t)made, 4);
    return 4 + (size_t)made;
}

/* [0] is the size of a block, 1 GiB when there is none or it is 0. The form is told at the decoder. */
int ts_encode_lz4(const struct ts_filter *f, struct ts_block *b)
{
    size_t block = f->n_values && f->values[0] ? f->values[0] : (size_t)1 << 30, capacity;
    if (block > LZ4_MAX_INPUT_SIZE)
        return TS_ERR(PLINE, CANTFILTER, "lz4: blocks of %zu bytes, %d at most", block, LZ4_MAX_INPUT_SIZE);
    if (b->size == 0)
        return TS_ERR(PLINE, CANTFILTER, "lz4: nothing to compress");
    if (block > b->size)
        block = b->size;
    if (!ts_mul_size(ts_div_ceil(b->size, block), 4, &capacity) || !ts_add_size(capacity, b->size, &capacity) ||
        !ts_add_size(capacity, 12, &capacity))
        return TS_ERR(PLINE, CANTFILTER, "lz4: %zu bytes in blocks of %zu", b->size, block);
    uint8_t *out = ts_malloc_aligned(capacity);
    if (!out)
        return -1;
    put_big_endian(out, b->size, 8);
    put_big_endian(out + 8, block, 4);
    size_t at = 12;
    for (size_t done = 0; done < b->size; done += block)
        at += lz4_block(out + at, b->data + done, b->size - done < block ? b->size - done : block);
    ts_block_replace(b, out, at);
    return 0;
}
