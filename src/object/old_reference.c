/* The references of before 1.12, as they are in the application's memory: an address, or the id of a block in the
 * global heap, which has an address and a selection. */
#include "object/old_reference.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "heap/global_heap.h"
#include "object/ohdr.h"
#include "object/reference.h"

void ts_old_ref_deinit(struct ts_old_ref *ref)
{
    ts_place_deinit(&ref->place);
    ts_free(ref->region);
}

static int load_region(struct ts_file *f, const void *ref, struct ts_old_ref *out, haddr_t *addr)
{
    struct ts_rd id = ts_rd_init(ref, H5R_DSET_REG_REF_BUF_SIZE);
    haddr_t collection = ts_rd_u64(&id);
    return ts_ref_old_region(f, collection, ts_rd_u32(&id), addr, &out->region, &out->region_size);
}

int ts_old_ref_load(H5R_type_t kind, const void *ref, struct ts_old_ref *out)
{
    haddr_t addr = HADDR_UNDEF;
    /* The place only says which file. */
    ts_free(out->place.path);
    out->place.path = NULL;
    if (kind == H5R_OBJECT1)
        memcpy(&addr, ref, sizeof addr);
    else if (load_region(out->place.loc.fh->file, ref, out, &addr) < 0)
        return -1;
    if (addr == 0 || addr == HADDR_UNDEF)
        return TS_ERR(REFERENCE, BADVALUE, "undefined reference pointer");
    out->place.loc.addr = addr;
    return 0;
}

int ts_old_ref_check_linked(const struct ts_loc *loc)
{
    struct ts_ohdr *oh;
    if (ts_ohdr_open(loc->fh->file, loc->addr, &oh) < 0)
        return -1;
    bool linked = oh->ref_count > 0;
    ts_ohdr_close(oh);
    return linked ? 0 : TS_ERR(REFERENCE, LINKCOUNT, "dereferencing deleted object");
}

static int store_region(const struct ts_loc *loc, struct ts_space *space, uint8_t *ref)
{
    struct ts_file *f = loc->fh->file;
    struct ts_wr w = {0};
    haddr_t collection;
    uint32_t index;
    int status = ts_ref_old_region_block(f, loc->addr, space, &w);
    if (status == 0)
        status = ts_gheap_insert(f, w.data, w.size, &collection, &index);
    ts_wr_free(&w);
    if (status < 0)
        return TS_ERR(REFERENCE, WRITEERROR, "unable to write the region to the file");
    memcpy(ref, &collection, sizeof collection);
    memcpy(ref + sizeof collection, &index, sizeof index);
    return 0;
}

int ts_old_ref_store(const struct ts_loc *loc, struct ts_space *space, void *ref)
{
    if (space) {
        memset(ref, 0, H5R_DSET_REG_REF_BUF_SIZE);
        return store_region(loc, space, ref);
    }
    memcpy(ref, &loc->addr, sizeof loc->addr);
    return 0;
}
