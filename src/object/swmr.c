#include "object/swmr.h"

#include "base/error.h"
#include "file/change.h"
#include "object/ohdr.h"
#include "plist/fapl.h"

static bool is_writer(const struct ts_file *f)
{
    return f->swmr == TS_SWMR_WRITER;
}

int ts_swmr_check_names(struct ts_file *f, const char *what)
{
    bool allowed;
    if (!is_writer(f))
        return 0;
    if (ts_fapl_swmr_new_objects(f->fapl, &allowed) < 0)
        return -1;
    if (allowed)
        return 0;
    return TS_ERR(FILE, UNSUPPORTED,
                  "%s: cannot %s in SWMR writing mode: H5Pset_swmr_new_objects(fapl, 0) forbids it; do it before "
                  "H5Fstart_swmr_write",
                  f->name, what);
}

int ts_swmr_check_header(struct ts_file *f, haddr_t addr)
{
    struct ts_ohdr *oh;
    if (!is_writer(f) || addr == HADDR_UNDEF)
        return 0;
    if (ts_ohdr_open(f, addr, &oh) < 0)
        return -1;
    unsigned version = oh->prefix.version;
    ts_ohdr_close(oh);
    if (version >= 2)
        return 0;
    return TS_ERR(OHDR, UNSUPPORTED,
                  "%s: the header of the object at %#llx has no checksum, so it cannot change in SWMR writing "
                  "mode: create objects with H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
                  f->name, (unsigned long long)addr);
}

int ts_swmr_change(struct ts_file *f, haddr_t addr)
{
    if (ts_change_begin(f) < 0)
        return -1;
    return ts_swmr_check_header(f, addr) < 0 ? ts_change_end(f, -1) : 0;
}

int ts_swmr_change_names(struct ts_file *f, haddr_t addr, const char *what)
{
    if (ts_swmr_change(f, addr) < 0)
        return -1;
    return ts_swmr_check_names(f, what) < 0 ? ts_change_end(f, -1) : 0;
}
