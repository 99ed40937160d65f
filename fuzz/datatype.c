/* A datatype message: what decodes is sound, encodes, decodes to its equal, moves between disk and memory, has a
 * native. */
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "type/type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ts_type *t)
{
    const char *reason;
    if (!ts_type_verify(t, &reason))
        abort();
}

/* The bytes may differ, for versions are made consistent; the type may not. */
static void check_round_trip(const struct ts_type *t)
{
    struct ts_wr w = {0};
    struct ts_type *back;
    size_t used;
    if (ts_type_encode(t, &w) < 0 || ts_type_decode(w.data, w.size, &used, &back) < 0)
        abort();
    check(back);
    /* The encoding has no room for the longest tags. */
    if (used != w.size || (!ts_type_has_class(t, H5T_OPAQUE, false) && !ts_type_equal(t, back)))
        abort();
    ts_type_unref(back);
    ts_wr_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_type *t, *native;
    size_t used;
    if (ts_type_decode(data, size, &used, &t) == 0) {
        if (used > size)
            abort();
        check(t);
        check_round_trip(t);
        if (ts_type_set_loc(&t, TS_LOC_DISK, 8) >= 0)
            check(t);
        if (ts_type_set_loc(&t, TS_LOC_MEMORY, 8) >= 0)
            check(t);
        if (ts_type_native(t, H5T_DIR_ASCEND, &native) == 0) {
            check(native);
            ts_type_unref(native);
        }
        ts_type_unref(t);
    }
    ts_err_clear();
    return 0;
}
