/* Bytes of equal significance stand together: first byte 0 of every element, then byte 1 … Bytes behind the last whole
 * element stay where they are. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"

/* Elements of 2, 4, 8 and 16 bytes move 16 at a time. One round of a riffle merges the first half of a deck of vectors
 * with the second half, byte by byte; log2(width) rounds make elements out of byte planes. Undoing the rounds splits
 * elements into planes. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));

#define LOW(a, b) \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b) \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define EVEN(a, b) \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)

enum { LANES = 16, WIDEST = 16 };

static inline __attribute__((always_inline)) void merge(bytes16 *deck, size_t width)
{
    bytes16 next[WIDEST];
#pragma GCC unroll 4
    for (size_t round = 1; round < width; round *= 2) {
#pragma GCC unroll 8
        for (size_t i = 0; i < width / 2; i++) {
            next[2 * i] = LOW(deck[i], deck[i + width / 2]);
            next[2 * i + 1] = HIGH(deck[i], deck[i + width / 2]);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            deck[i] = next[i];
    }
}

static inline __attribute__((always_inline)) void split(bytes16 *deck, size_t width)
{
    bytes16 next[WIDEST];
#pragma GCC unroll 4
    for (size_t round = 1; round < width; round *= 2) {
#pragma GCC unroll 8
        for (size_t i = 0; i < width / 2; i++) {
            next[i] = EVEN(deck[2 * i], deck[2 * i + 1]);
            next[i + width / 2] = ODD(deck[2 * i], deck[2 * i + 1]);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            deck[i] = next[i];
    }
}

/* Each returns how many elements it did: all but fewer than 16. */
static inline __attribute__((always_inline)) size_t merge_planes(uint8_t *restrict out, const uint8_t *restrict in,
                                                                 size_t elements, size_t width)
{
    size_t at = 0;
    for (; at + LANES <= elements; at += LANES) {
        bytes16 deck[WIDEST];
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            memcpy(&deck[i], in + i * elements + at, LANES);
        merge(deck, width);
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            memcpy(out + at * width + i * LANES, &deck[i], LANES);
    }
    return at;
}

static inline __attribute__((always_inline)) size_t split_planes(uint8_t *restrict out, const uint8_t *restrict in,
                                                                 size_t elements, size_t width)
{
    size_t at = 0;
    for (; at + LANES <= elements; at += LANES) {
        bytes16 deck[WIDEST];
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            memcpy(&deck[i], in + at * width + i * LANES, LANES);
        split(deck, width);
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            memcpy(out + i * elements + at, &deck[i], LANES);
    }
    return at;
}

/* Element-wise in blocks that stay in the first-level cache, however many byte planes there are. */
enum { BLOCK = 512 };

static void unshuffle(uint8_t *restrict out, const uint8_t *restrict in, size_t elements, size_t width)
{
    size_t from = width == 2    ? merge_planes(out, in, elements, 2)
                  : width == 4  ? merge_planes(out, in, elements, 4)
                  : width == 8  ? merge_planes(out, in, elements, 8)
                  : width == 16 ? merge_planes(out, in, elements, 16)
                                : 0;
    for (; from < elements; from += BLOCK) {
        size_t to = from + BLOCK < elements ? from + BLOCK : elements;
        for (size_t plane = 0; plane < width; plane++)
            for (size_t i = from; i < to; i++)
                out[i * width + plane] = in[plane * elements + i];
    }
}

static void shuffle(uint8_t *restrict out, const uint8_t *restrict in, size_t elements, size_t width)
{
    size_t from = width == 2    ? split_planes(out, in, elements, 2)
                  : width == 4  ? split_planes(out, in, elements, 4)
                  : width == 8  ? split_planes(out, in, elements, 8)
                  : width == 16 ? split_planes(out, in, elements, 16)
                                : 0;
    for (; from < elements; from += BLOCK) {
        size_t to = from + BLOCK < elements ? from + BLOCK : elements;
        for (size_t plane = 0; plane < width; plane++)
            for (size_t i = from; i < to; i++)
                out[plane * elements + i] = in[i * width + plane];
    }
}

typedef void mover(uint8_t *restrict out, const uint8_t *restrict in, size_t elements, size_t width);

static int move(const struct ts_filter *f, struct ts_block *b, mover *how)
{
    if (f->n_values < 1 || f->values[0] == 0)
        return TS_ERR(PLINE, CANTFILTER, "shuffle: no element size among %zu parameters", f->n_values);
    size_t width = f->values[0], elements = b->size / width;
    if (width == 1 || elements <= 1)
        return 0;
    uint8_t *out = ts_malloc_aligned(b->size);
    if (!out)
        return -1;
    how(out, b->data, elements, width);
    size_t whole = elements * width;
    memcpy(out + whole, b->data + whole, b->size - whole);
    ts_block_replace(b, out, b->size);
    return 0;
}

int ts_decode_shuffle(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    return move(f, b, unshuffle);
}

int ts_encode_shuffle(const struct ts_filter *f, struct ts_block *b)
{
    return move(f, b, shuffle);
}
