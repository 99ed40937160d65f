/* Bytes of equal significance stand together: first byte 0 of every element, then byte 1 … Bytes behind the last whole
 * element stay where they are. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"

/* Element-wise in blocks that stay in the first-level cache, however many byte planes there are. */
static void unshuffle(uint8_t *restrict out, const uint8_t *restrict in, size_t elements, size_t width)
{
    enum { BLOCK = 512 };
    for (size_t from = 0; from < elements; from += BLOCK) {
        size_t to = from + BLOCK < elements ? from + BLOCK : elements;
        for (size_t plane = 0; plane < width; plane++) {
            const uint8_t *src = in + plane * elements;
            uint8_t *dst = out + plane;
            for (size_t i = from; i < to; i++)
                dst[i * width] = src[i];
        }
    }
}

int ts_decode_shuffle(const struct ts_filter *f, struct ts_block *b, const struct ts_filter_options *options)
{
    (void)options;
    if (f->n_values < 1 || f->values[0] == 0)
        return TS_ERR(PLINE, CANTFILTER, "shuffle: no element size among %zu parameters", f->n_values);
    size_t width = f->values[0], elements = b->size / width;
    if (width == 1 || elements <= 1)
        return 0;
    uint8_t *out = ts_malloc_aligned(b->size);
    if (!out)
        return -1;
    unshuffle(out, b->data, elements, width);
    size_t whole = elements * width;
    memcpy(out + whole, b->data + whole, b->size - whole);
    ts_block_replace(b, out, b->size);
    return 0;
}
