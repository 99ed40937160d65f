#include "meta/meta.h"
#include "object/object.h"

int ts_object_refresh(const struct ts_loc *loc)
{
    struct ts_ohdr *oh;
    if (loc->fh->file->swmr != TS_SWMR_READER)
        return 0;
    ts_clients_refresh(loc->fh->file);
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    ts_ohdr_close(oh);
    return 0;
}
