#include "object/swmr.h"
#include "base/error.h"
#include "dataset/storage.h"

int ts_dataset_may_write(struct ts_dataset_core *core)
{
    struct ts_file *f = core->file;
    if (!f->writable)
        return TS_ERR_AS(DATASET, WRITEERROR, "no write intent on file", "%s is open for reading only", f->name);
    if (ts_file_check_process(f) < 0)
        return -1;
    if (f->swmr != TS_SWMR_WRITER)
        return 0;
    unsigned long long at = core->addr;
    if (core->layout.cls == H5D_CHUNKED && core->layout.chunk.index == TS_CHUNK_INDEX_BTREE1)
        return TS_ERR(DATASET, UNSUPPORTED,
                      "%s: the chunks of the dataset at %#llx are in a version 1 B-tree, which has no "
                      "checksums, so they cannot change in SWMR writing mode: create the dataset with "
                      "H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST)",
                      f->name, at);
    if (core->layout.cls != H5D_STRUCT_CHUNK && ts_type_has_vlen_or_ref(core->type))
        return TS_ERR(DATASET, UNSUPPORTED,
                      "%s: elements of the dataset at %#llx are of variable length, or references, and lead "
                      "to a heap that SWMR readers cannot follow: structured chunks keep such elements themselves "
                      "(H5Pset_struct_chunk)",
                      f->name, at);
    /* Of what version a header is never changes. */
    if (!core->swmr_header && ts_swmr_check_header(f, core->addr) < 0)
        return -1;
    core->swmr_header = true;
    return 0;
}

/* Whether a chunk at the edge is filtered depends on the extent, which stands in another block than what leads to the
 * chunk: no order of writes would do. */
int ts_dataset_may_resize(struct ts_dataset_core *core)
{
    if (ts_dataset_may_write(core) < 0)
        return -1;
    bool filtered = core->pipeline.n > 0 || core->filtered;
    if (core->file->swmr != TS_SWMR_WRITER || !ts_dataset_is_indexed(core) || !filtered ||
        !(core->layout.chunk.flags & TS_CHUNK_DONT_FILTER_PARTIAL))
        return 0;
    return TS_ERR(DATASET, UNSUPPORTED,
                  "%s: the dataset at %#llx does not filter chunks at its edge, so its extent cannot "
                  "change in SWMR writing mode: create it without H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS",
                  core->file->name, (unsigned long long)core->addr);
}
