/* A serialised selection from anywhere: decode, verify, iterate, cut, encode, decode again. */
#include <stdlib.h>

#include "base/cursor.h"
#include "base/error.h"
#include "space/space.h"

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void iterate(const struct ts_space *s)
{
    struct ts_runs it;
    struct ts_run runs[32];
    size_t n;
    if (ts_runs_init(&it, s) < 0)
        return;
    for (int i = 0; i < 1000 && (n = ts_runs_next(&it, runs, 32, UINT64_MAX)) > 0; i++)
        for (size_t k = 0; k < n; k++)
            check(runs[k].length <= ts_space_npoints(s) && runs[k].offset <= ts_space_npoints(s) - runs[k].length);
    ts_runs_deinit(&it);
}

/* May make points of blocks, in the order that the blocks have. */
static void encode_smallest(const struct ts_space *s)
{
    struct ts_wr w = {0};
    struct ts_space *back;
    struct ts_runs a, b;
    struct ts_run x, y;
    size_t used = 0;
    check(ts_space_encode_smallest(s, &w) == 0 && ts_space_decode(w.data, w.size, &used, &back) == 0);
    check(used == w.size && ts_space_selected(back) == ts_space_selected(s));
    if (ts_runs_init(&a, s) == 0) {
        check(ts_runs_init(&b, back) == 0);
        for (int i = 0; i < 1000 && ts_runs_next(&a, &x, 1, UINT64_MAX) == 1; i++)
            check(ts_runs_next(&b, &y, 1, UINT64_MAX) == 1 && x.offset == y.offset && x.length == y.length);
        ts_runs_deinit(&b);
        ts_runs_deinit(&a);
    }
    ts_space_unref(back);
    ts_wr_free(&w);
}

static void encode(const struct ts_space *s)
{
    struct ts_space *back;
    const char *reason;
    hsize_t blocks = 0;
    if (ts_space_sel_type(s) == H5S_SEL_HYPERSLABS && ts_space_unlim_dim(s) < 0)
        check(ts_space_nblocks(s, &blocks) == 0);
    if (blocks > 2000)
        return;
    encode_smallest(s);
    for (unsigned libver = 0; libver <= 4; libver++) {
        struct ts_wr w = {0};
        check(ts_space_encode_selection(s, libver, &w) == 0 && ts_space_copy(s, &back) == 0);
        check(ts_space_decode_selection(back, w.data, w.size, NULL) == 0 && ts_space_verify(back, &reason) == 0);
        check(ts_space_selected(back) == ts_space_selected(s) && ts_space_shape_same(back, s) == 1);
        ts_space_unref(back);
        ts_wr_free(&w);
    }
}

/* The first byte is the rank; the extent is large, so that most selections fit. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hsize_t dims[] = {1 << 20, 1000, 1 << 16, 64}, start[] = {3, 5, 7, 1}, box[] = {100, 50, 20, 8};
    struct ts_space *s, *cut;
    const char *reason;
    if (!size || ts_space_new_simple(data[0] % 5, dims, NULL, &s) < 0)
        return 0;
    if (ts_space_decode_selection(s, data + 1, size - 1, NULL) == 0) {
        check(ts_space_verify(s, &reason) == 0);
        iterate(s);
        if (ts_space_clip(s, start, box, &cut) == 0) {
            check(ts_space_verify(cut, &reason) == 0);
            iterate(cut);
            ts_space_unref(cut);
        }
        encode(s);
    }
    ts_space_unref(s);
    ts_err_clear();
    return 0;
}
