/* What tells of structured chunks, on any bytes: layout message, filter message, selection section. What is read is
 * written again, and reads the same. The first byte says which; a section gets its right checksum. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"
#include "filter/pipeline_codec.h"
#include "format/layout.h"
#include "space/run_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

static void layout(const uint8_t *data, size_t size)
{
    struct ts_layout first, again;
    struct ts_wr w = {0}, w2 = {0};
    if (ts_layout_decode(data, size, 8, 8, &first) < 0)
        return;
    if (first.version == 5) {
        check(ts_layout_encode(&first, 8, 8, &w) == 0);
        check(ts_layout_decode(w.data, w.size, 8, 8, &again) == 0);
        check(ts_layout_encode(&again, 8, 8, &w2) == 0 && w.size == w2.size && memcmp(w.data, w2.data, w.size) == 0);
        ts_layout_deinit(&again);
    }
    ts_layout_deinit(&first);
    ts_wr_free(&w);
    ts_wr_free(&w2);
}

static void pipelines(const uint8_t *data, size_t size)
{
    struct ts_pipeline_sections first, again;
    struct ts_wr w = {0}, w2 = {0};
    if (ts_pipeline_sections_decode(data, size, &first) < 0)
        return;
    /* Writing may add the name of a filter that was read without one, and then not fit. */
    if (ts_pipeline_sections_encode(&first, &w) == 0) {
        check(ts_pipeline_sections_decode(w.data, w.size, &again) == 0);
        check(ts_pipeline_sections_encode(&again, &w2) == 0 && w.size == w2.size &&
              memcmp(w.data, w2.data, w.size) == 0);
        ts_pipeline_sections_deinit(&again);
    }
    ts_pipeline_sections_deinit(&first);
    ts_wr_free(&w);
    ts_wr_free(&w2);
}

static void section(const uint8_t *data, size_t size)
{
    static const hsize_t dims[2] = {100, 200};
    struct ts_run_set *set, *again;
    struct ts_wr w = {0}, w2 = {0};
    uint32_t *order, *order2;
    size_t n, n2;
    const char *reason;
    ts_wr_bytes(&w, data, size);
    ts_wr_checksum(&w, 0);
    struct ts_selection_section s = {.bytes = w.data, .size = w.size, .rank = 2, .dims = dims, .most = 20000};
    if (ts_run_set_decode(&s, &set, &order, &n) == 0) {
        check(ts_run_set_verify(set, &reason) == 1);
        check(ts_run_set_encode(set, 2, dims, &w2) == 0);
        s.bytes = w2.data;
        s.size = w2.size;
        check(ts_run_set_decode(&s, &again, &order2, &n2) == 0 && !order2 && n2 == ts_run_set_count(set));
        ts_free(order);
        ts_run_set_free(set);
        ts_run_set_free(again);
    }
    ts_wr_free(&w);
    ts_wr_free(&w2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 3 == 0)
        layout(data + 1, size - 1);
    else if (data[0] % 3 == 1)
        pipelines(data + 1, size - 1);
    else
        section(data + 1, size - 1);
    ts_err_clear();
    return 0;
}
