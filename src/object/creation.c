#include "object/creation.h"

#include "plist/ocpl.h"

/* What the header says besides is how it is stored. */
enum { ORDER = H5O_HDR_ATTR_CRT_ORDER_TRACKED | H5O_HDR_ATTR_CRT_ORDER_INDEXED, OF_LIST = ORDER | H5O_HDR_STORE_TIMES };

static int touch_all(struct ts_plist *pl)
{
    if (ts_ocpl_touch_attr_max_compact(pl) < 0 || ts_ocpl_touch_attr_min_dense(pl) < 0)
        return -1;
    return ts_ocpl_touch_header_flags(pl);
}

int ts_object_describe(const struct ts_loc *loc, const struct ts_plist *base, struct ts_plist *pl)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    /* A header of version 1 says nothing: the list's defaults hold. */
    const struct ts_ohdr_prefix *p = &oh->prefix;
    int status = 0;
    if (p->version == 2)
        status = ts_ocpl_set_attr_storage(pl, p->max_compact, p->min_dense, p->flags & OF_LIST);
    bool told = p->version == 2 && (ts_file_low_bound(loc->fh->file) >= H5F_LIBVER_V18 || p->flags & ORDER);
    ts_ohdr_close(oh);
    if (status < 0)
        return -1;
    ts_plist_drop_unchanged(pl, base);
    return told ? touch_all(pl) : 0;
}
