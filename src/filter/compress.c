/* The general compressors: each undone by the library of its field. */
#include <errno.h>
#include <libdeflate.h>
#include <liblzf/lzf.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/contexts.h"
#include "filter/filter.h"

/* What a claim of the file alone may make us allocate; beyond it the stored bytes must really fill the buffer. */
#define TRUSTED ((size_t)16 << 20)

/* Tries one output size: 1 done (*made bytes), 0 the output is larger, negative: the data is bad. */
typedef int try_decode(const struct ts_block *b, uint8_t *out, size_t capacity, size_t *made);

static int grow_until_it_fits(struct ts_block *b, try_decode *decode)
{
    size_t capacity = b->expected < TRUSTED ? b->expected + 64 : TRUSTED;
    if (b->expected == 0)
        capacity = b->size < TRUSTED / 4 ? b->size * 4 + 64 : TRUSTED;
    for (;;) {
        uint8_t *out = ts_malloc_aligned(capacity);
        if (!out)
            return -1;
        size_t made = 0;
        int status = decode(b, out, capacity, &made);
        if (status > 0) {
            ts_block_replace(b, out, made);
            return 0;
        }
        ts_free(out);
        if (status < 0)
            return -1;
        /* Some room for what filters before this one may have added. */
        if (capacity > (size_t)5 << 30 && capacity / 4 > b->expected)
            return TS_ERR(PLINE, CANTFILTER, "%zu stored bytes expand to more than a chunk can hold", b->size);
        capacity *= 4;
    }
}

static int try_deflate(const struct ts_block *b, uint8_t *out, size_t capacity, size_t *made)
{
    struct libdeflate_decompressor *d = ts_context_take(TS_CONTEXT_INFLATE);
    if (!d)
        return -1;
    enum libdeflate_result result = libdeflate_zlib_decompress(d, b->data, b->size, out, capacity, made);
    ts_context_put(TS_CONTEXT_INFLATE, d);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return 0;
    if (result != LIBDEFLATE_SUCCESS)
        return TS_ERR(PLINE, CANTFILTER, "deflate: %zu stored bytes are not a sound zlib stream", b->size);
    return 1;
}

int ts_decode_deflate(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)f, (void)options;
    return grow_until_it_fits(b, try_deflate);
}

static int try_lzf(const struct ts_block *b, uint8_t *out, size_t capacity, size_t *made)
{
    if (b->size > UINT32_MAX)
        return TS_ERR(PLINE, CANTFILTER, "lzf: a block of %zu bytes", b->size);
    unsigned limit = capacity > UINT32_MAX ? UINT32_MAX : (unsigned)capacity;
    errno = 0;
    *made = lzf_decompress(b->data, (unsigned)b->size, out, limit);
    if (*made)
        return 1;
    if (errno == E2BIG && limit < UINT32_MAX)
        return 0;
    return TS_ERR(PLINE, CANTFILTER, "lzf: %zu stored bytes are not sound", b->size);
}

int ts_decode_lzf(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)f, (void)options;
    return grow_until_it_fits(b, try_lzf);
}

static int try_zstd(const struct ts_block *b, uint8_t *out, size_t capacity, size_t *made)
{
    ZSTD_DCtx *d = ts_context_take(TS_CONTEXT_ZSTD_DECODE);
    if (!d)
        return -1;
    size_t result = ZSTD_decompressDCtx(d, out, capacity, b->data, b->size);
    ts_context_put(TS_CONTEXT_ZSTD_DECODE, d);
    if (!ZSTD_isError(result)) {
        *made = result;
        return 1;
    }
    unsigned long long content = ZSTD_getFrameContentSize(b->data, b->size);
    if (content != ZSTD_CONTENTSIZE_ERROR && content > capacity &&
        strcmp(ZSTD_getErrorName(result), "Destination buffer is too small") == 0)
        return 0;
    return TS_ERR(PLINE, CANTFILTER, "zstd: %s", ZSTD_getErrorName(result));
}

int ts_decode_zstd(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)f, (void)options;
    return grow_until_it_fits(b, try_zstd);
}

static uint64_t big_endian(const uint8_t *p, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++)
        v = v << 8 | p[i];
    return v;
}

static int lz4_blocks(struct ts_rd *r, uint8_t *out, size_t total, size_t block_size)
{
    for (size_t done = 0; done < total;) {
        size_t here = total - done < block_size ? total - done : block_size;
        const uint8_t *head = ts_rd_bytes(r, 4);
        size_t stored = head ? (size_t)big_endian(head, 4) : 0;
        const uint8_t *data = ts_rd_bytes(r, stored);
        if (!data)
            return TS_ERR(PLINE, CANTFILTER, "lz4: the stored bytes end inside a block");
        if (stored == here)
            memcpy(out + done, data, here);
        else if (LZ4_decompress_safe((const char *)data, (char *)out + done, (int)stored, (int)here) != (int)here)
            return TS_ERR(PLINE, CANTFILTER, "lz4: a block of %zu bytes is not sound", stored);
        done += here;
    }
    return 0;
}

/* u64 size and u32 block size, both big-endian; then for each block its stored size, u32 big-endian, and its bytes. A
 * block that did not shrink is stored as it is. */
int ts_decode_lz4(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)f, (void)options;
    struct ts_rd r = ts_rd_init(b->data, b->size);
    const uint8_t *head = ts_rd_bytes(&r, 12);
    size_t total = head ? (size_t)big_endian(head, 8) : 0, block_size = head ? (size_t)big_endian(head + 8, 4) : 0;
    /* lz4 cannot shrink by more than 255, so a larger claim is false. */
    if (!head || block_size == 0 || block_size > INT32_MAX || total / 256 > b->size)
        return TS_ERR(PLINE, CANTFILTER, "lz4: header says %zu bytes in blocks of %zu, stored are %zu", total,
                      block_size, b->size);
    uint8_t *out = ts_malloc_aligned(total);
    if (!out)
        return -1;
    if (lz4_blocks(&r, out, total, block_size) < 0) {
        ts_free(out);
        return -1;
    }
    ts_block_replace(b, out, total);
    return 0;
}
