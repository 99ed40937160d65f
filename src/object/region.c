#include "object/reference.h"

#include "base/error.h"
#include "object/ohdr.h"
#include "space/space.h"

int ts_ref_region_space(struct ts_file *f, haddr_t addr, const uint8_t *region, size_t size, struct ts_space **out)
{
    struct ts_ohdr *oh;
    struct ts_space *space;
    size_t used;
    if (ts_ohdr_open(f, addr, &oh) < 0)
        return -1;
    int found = ts_ohdr_space(oh, &space);
    ts_ohdr_close(oh);
    if (found <= 0)
        return found < 0 ? -1 : TS_ERR(REFERENCE, NOTFOUND, "the region's object has no dataspace");
    if (ts_space_decode_selection(space, region, size, &used) < 0) {
        ts_space_unref(space);
        return -1;
    }
    *out = space;
    return 0;
}
