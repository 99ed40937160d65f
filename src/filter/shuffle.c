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

#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)

enum { LANES = 16, WIDEST = 16 };

static inline __attribute__((always_inline)) void riffle(bytes16 *deck, size_t width, bool apart)
{
    bytes16 next[WIDEST];
#pragma GCC unroll 4
    for (size_t round = 1; round < width; round *= 2) {
#pragma GCC unroll 8
        for (size_t i = 0; i < width / 2; i++)
            if (apart) {
                next[i] = EVEN(deck[2 * i], deck[2 * i + 1]);
                next[i + width / 2] = ODD(deck[2 * i], deck[2 * i + 1]);
            } else {
                next[2 * i] = LOW(deck[i], deck[i + width / 2]);
                next[2 * i + 1] = HIGH(deck[i], deck[i + width / 2]);
            }
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            deck[i] = next[i];
    }
}

/* Returns how many elements it did: all but fewer than 16. */
static inline __attribute__((always_inline)) size_t move_wide(uint8_t *restrict out, const uint8_t *restrict in,
                                                              size_t elements, size_t width, bool apart)
{
    size_t at = 0;
    for (; at + LANES <= elements; at += LANES) {
        bytes16 deck[WIDEST];
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            memcpy(&deck[i], in + (apart ? at * width + i * LANES : i * elements + at), LANES);
        riffle(deck, width, apart);
#pragma GCC unroll 16
        for (size_t i = 0; i < width; i++)
            memcpy(out + (apart ? i * elements + at : at * width + i * LANES), &deck[i], LANES);
    }
    return at;
}

/* Element-wise in blocks that stay in the first-level cache, however many byte planes there are. */
enum { BLOCK = 512 };

/* Apart: from elements to planes; else back. */
static inline __attribute__((always_inline)) void move(uint8_t *restrict out, const uint8_t *restrict in,
                                                       size_t elements, size_t width, bool apart)
{
    size_t from = width == 2    ? move_wide(out, in, elements, 2, apart)
                  : width == 4  ? move_wide(out, in, elements, 4, apart)
                  : width == 8  ? move_wide(out, in, elements, 8, apart)
                  : width == 16 ? move_wide(out, in, elements, 16, apart)
                                : 0;
    for (; from < elements; from += BLOCK) {
        size_t to = from + BLOCK < elements ? from + BLOCK : elements;
        for (size_t plane = 0; plane < width; plane++) {
            size_t in_plane = plane * elements + from, in_element = from * width + plane;
            uint8_t *to_byte = out + (apart ? in_plane : in_element);
            const uint8_t *byte = in + (apart ? in_element : in_plane);
            for (size_t i = from; i < to; i++, to_byte += apart ? 1 : width, byte += apart ? width : 1)
                *to_byte = *byte;
        }
    }
}

static int shuffle(const struct ts_filter *f, struct ts_block *b, bool apart)
{
    if (f->n_values < 1 || f->values[0] == 0)
        return TS_ERR(PLINE, CANTFILTER, "shuffle: no element size among %zu parameters", f->n_values);
    size_t width = f->values[0], elements = b->size / width, whole = elements * width;
    if (width == 1 || elements <= 1)
        return 0;
    uint8_t *out = ts_malloc_aligned(b->size);
    if (!out)
        return -1;
    if (apart)
        move(out, b->data, elements, width, true);
    else
        move(out, b->data, elements, width, false);
    memcpy(out + whole, b->data + whole, b->size - whole);
    ts_block_replace(b, out, b->size);
    return 0;
}

int ts_decode_shuffle(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    return shuffle(f, b, false);
}

int ts_encode_shuffle(const struct ts_filter *f, struct ts_block *b)
{
    return shuffle(f, b, true);
}
