/* An array of any bytes, read as fixed array: all of it, and element by element. */
#include "index/fixed_array.h"
#include "common.h"

struct seen {
    struct ts_farray *array;
    uint64_t n, most;
};

/* What iteration shows is what a lookup finds. */
static int visit(uint64_t index, const uint8_t *element, void *ctx)
{
    struct seen *s = ctx;
    uint8_t again[256];
    if (++s->n > s->most)
        abort();
    if (s->n < 100 &&
        (ts_farray_get(s->array, index, again) != 1 || memcmp(again, element, ts_farray_element_size(s->array))))
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
    if (ts_farray_open(f, ff.start, &seen.array) == 0) {
        uint8_t element[256];
        uint64_t bytes, n = ts_farray_count(seen.array);
        ts_farray_iterate(seen.array, visit, &seen);
        for (unsigned shift = 0; shift < 64; shift++)
            ts_farray_get(seen.array, n >> shift, element);
        ts_farray_storage(seen.array, &bytes);
        ts_farray_close(seen.array);
    }
    fuzz_close(&ff);
    return 0;
}
