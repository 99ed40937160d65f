/* Every built-in decoder, alone and in chains, on any bytes with any parameters.
 *
 * Input: number of filters 1; for each: which 1, number of parameters 1, parameters 4 each; expected size 3; the
 * block. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const H5Z_filter_t ids[] = {1, 2, 3, 4, 5, 6, TS_FILTER_LZF, TS_FILTER_LZ4, TS_FILTER_ZSTD};

static int read_pipeline(struct ts_rd *r, struct ts_pipeline *p)
{
    unsigned n = ts_rd_u8(r) % 4;
    for (unsigned i = 0; i < n; i++) {
        unsigned values[32];
        struct ts_filter f = {
            .id = ids[ts_rd_u8(r) % (sizeof ids / sizeof ids[0])], .n_values = ts_rd_u8(r) % 33, .values = values};
        for (size_t k = 0; k < f.n_values; k++)
            values[k] = ts_rd_u32(r);
        if (r->bad || ts_pipeline_add(p, &f) < 0)
            return -1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_rd r = ts_rd_init(data, size);
    struct ts_pipeline p = {0};
    if (read_pipeline(&r, &p) == 0) {
        size_t expected = (size_t)ts_rd_uint(&r, 3);
        size_t n = ts_rd_left(&r);
        void *block = r.bad ? NULL : ts_memdup(r.p, n);
        if (block)
            ts_pipeline_decode(&p, 0, &block, &n, expected);
        ts_free(block);
    }
    ts_pipeline_deinit(&p);
    ts_err_clear();
    return 0;
}
