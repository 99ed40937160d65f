/* The filter of selection sections on any bytes, in both directions: what it packs it unpacks to the same bytes, what
 * it unpacks may be read as a section. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "filter/filter.h"
#include "space/run_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ts_filter filter = {.id = TS_FILTER_SELECTION_PACKING};
static const struct ts_filter_options options;

static void check(bool good)
{
    if (!good)
        abort();
}

static void pack_and_unpack(const uint8_t *data, size_t size)
{
    struct ts_block b = {.data = ts_memdup(data, size), .size = size};
    if (b.data && ts_encode_selection_packing(&filter, &b) == 0) {
        check(ts_decode_selection_packing(&filter, &b, &options) == 0);
        check(b.size == size && memcmp(b.data, data, size) == 0);
    }
    ts_free(b.data);
}

static void read_section(const uint8_t *bytes, size_t size)
{
    static const hsize_t dims[2] = {100, 200};
    struct ts_selection_section section = {.bytes = bytes, .size = size, .rank = 2, .dims = dims, .most = 20000};
    struct ts_run_set *set;
    const char *reason;
    uint32_t *order;
    size_t n;
    if (ts_run_set_decode(&section, &set, &order, &n) < 0)
        return;
    check(ts_run_set_verify(set, &reason) == 1 && ts_run_set_count(set) <= n);
    for (size_t i = 0; order && i < n; i++)
        check(order[i] < ts_run_set_count(set));
    ts_free(order);
    ts_run_set_free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_block b = {.data = ts_memdup(data, size ? size : 1), .size = size};
    pack_and_unpack(data, size ? size : 0);
    if (b.data && ts_decode_selection_packing(&filter, &b, &options) == 0) {
        pack_and_unpack(b.data, b.size);
        read_section(b.data, b.size);
    }
    ts_free(b.data);
    ts_err_clear();
    return 0;
}
