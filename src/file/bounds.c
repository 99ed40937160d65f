/* Which formats may be written: the bounds of the access list. */
#include "base/error.h"
#include "file/internal.h"
#include "plist/fapl.h"

int ts_file_set_low_bound(struct ts_file *f, H5F_libver_t low)
{
    if (ts_fapl_set_libver_low(f->fapl, low) < 0)
        return -1;
    atomic_store_explicit(&f->agreed.low_bound, (int)low, memory_order_relaxed);
    return 0;
}

int ts_file_read_low_bound(struct ts_file *f)
{
    H5F_libver_t low;
    if (ts_fapl_libver_low(f->fapl, &low) < 0)
        return -1;
    atomic_init(&f->agreed.low_bound, (int)low);
    return 0;
}

int ts_file_raise_format(struct ts_file *f)
{
    return ts_file_low_bound(f) < H5F_LIBVER_V110 ? ts_file_set_low_bound(f, H5F_LIBVER_V110) : 0;
}

/* A file with a superblock of 1.10 is of the formats of 1.10. Nothing follows from version 2, which new files have at
 * least. */
int ts_file_agree_bounds(struct ts_file *f)
{
    H5F_libver_t high;
    if (f->sb.version < 3)
        return 0;
    if (ts_fapl_libver_high(f->fapl, &high) < 0)
        return -1;
    if (high < H5F_LIBVER_V110)
        return TS_ERR_AS(FILE, BADVALUE, "superblock version exceeds high bound",
                         "%s has a superblock of version %u, and the high bound (H5Pset_libver_bounds) forbids it",
                         f->name, f->sb.version);
    return ts_file_raise_format(f);
}
