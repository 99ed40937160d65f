/* An array of any bytes, read as one of the two kinds: all of it, and element by element. The including file says which
 * with ARRAY, the prefix of its names. */
#ifndef FUZZ_ARRAY_H
#define FUZZ_ARRAY_H

#include "common.h"

#define JOIN_(prefix, name) prefix##_##name
#define JOIN(prefix, name) JOIN_(prefix, name)
#define CALL(name) JOIN(ARRAY, name)

struct seen {
    struct ARRAY *array;
    uint64_t n, most;
};

/* What iteration shows is what a lookup finds. */
static int visit(uint64_t index, const uint8_t *element, void *ctx)
{
    struct seen *s = ctx;
    uint8_t again[256];
    if (++s->n > s->most)
        abort();
    if (s->n < 100 && (CALL(get)(s->array, index, again) != 1 || memcmp(again, element, CALL(element_size)(s->array))))
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    struct seen seen = {.most = size};
    if (size < FUZZ_HEAD)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, true);
    if (CALL(open)(f, ff.start, &seen.array) == 0) {
        uint8_t element[256];
        uint64_t bytes;
        CALL(iterate)(seen.array, visit, &seen);
        for (unsigned shift = 0; shift < 64; shift++)
            CALL(get)(seen.array, UINT64_MAX >> shift, element);
        CALL(storage)(seen.array, &bytes);
        CALL(close)(seen.array);
    }
    fuzz_close(&ff);
    return 0;
}

#endif
