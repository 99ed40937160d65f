/* Chunks as they are on disk, past the layout's coding: H5Dread_chunk and H5Dwrite_chunk. ts_sc_put_out writes them,
 * too. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/batch.h"

int H5SC_direct_chunk_read(struct ts_sc_dset *dset, const hsize_t *scaled, struct ts_sc_stored *at, void *buf,
                           size_t *size)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_file *f = dset->cache->file;
    struct ts_sc_spot spot = {.scaled = scaled, .at.addr = HADDR_UNDEF};
    if (ts_sc_flush_chunk(dset, scaled) < 0)
        return -1;
    int status = dset->ops->lookup(dset->owner, &spot, 1);
    ts_free(spot.at.udata);
    spot.at.udata = NULL;
    if (status < 0)
        return -1;
    *at = spot.at;
    if (at->addr == HADDR_UNDEF)
        return 0;
    if (at->size > SIZE_MAX || (at->size > 0 && !ts_file_has(f, at->addr, at->size)))
        return TS_ERR(IO, READERROR, "%s: a chunk of %llu bytes at %#llx lies behind the end of the file", f->name,
                      (unsigned long long)at->size, (unsigned long long)at->addr);
    size_t room = *size;
    *size = (size_t)at->size;
    if (!buf || room < *size || *size == 0)
        return 1;
    H5F_chunk_cache_stats_t counts = {.bytes_read = *size, .read_calls = 1};
    ts_sc_add_counts(dset->cache, &counts);
    return ts_file_read(f, at->addr, *size, buf) < 0 ? -1 : 1;
}

struct one {
    const hsize_t *scaled;
    unsigned rank;
};

static bool is_same(const hsize_t *scaled, const void *ctx)
{
    const struct one *one = ctx;
    return memcmp(scaled, one->scaled, one->rank * sizeof *scaled) == 0;
}

int H5SC_direct_chunk_write(struct ts_sc_dset *dset, const hsize_t *scaled, const struct ts_sc_stored *at,
                            const void *buf)
{
    TS_MAY_MOVE_RAW_DATA();
    struct one one = {.scaled = scaled, .rank = dset->rank};
    struct ts_sc_spot spot = {.scaled = scaled, .at.addr = HADDR_UNDEF};
    size_t done;
    ts_sc_dset_drop(dset, is_same, &one);
    int status = dset->ops->lookup(dset->owner, &spot, 1);
    if (status == 0) {
        struct ts_sc_out out = {.dset = dset,
                                .bytes = buf,
                                .to = (size_t)at->size,
                                .coded = {.scaled = scaled,
                                          .old = spot.at,
                                          .bytes = (void *)(uintptr_t)buf,
                                          .at = {.addr = HADDR_UNDEF, .size = at->size, .note = at->note}}};
        status = ts_sc_put_out(dset->cache, &out, 1, &done);
    }
    ts_free(spot.at.udata);
    return status;
}
