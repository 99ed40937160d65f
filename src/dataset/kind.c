/* What a dataset is to those who know objects only. */
#include "dataset/copy.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "dataset/virtual.h"
#include "index/chunk_index.h"

static int open_kind(const struct ts_loc *loc, const char *path, struct ts_plist *apl, void **out)
{
    struct ts_dataset *d;
    if (ts_dataset_open(loc, path, apl, &d) < 0)
        return -1;
    *out = d;
    return 0;
}

/* H5Oget_info counts the chunk index as metadata of the object. The header is pinned, so the file is locked. */
static int meta_size(const struct ts_loc *loc, const struct ts_ohdr *oh, H5_ih_info_t *out)
{
    struct ts_dataset_core *core;
    struct ts_chunk_index *index;
    uint64_t bytes = 0;
    if (ts_dataset_core_peek(loc->fh->file, loc->addr, &core) < 0)
        return -1;
    int status = 0;
    if (ts_dataset_is_indexed(core))
        status = ts_dataset_core_index(core, &index) < 0 ? -1 : ts_chunk_index_storage(index, &bytes);
    else if (core->external.n > 0)
        status = ts_external_heap_size(oh, &out->heap_size);
    else if (core->layout.cls == H5D_VIRTUAL)
        status = ts_virtual_heap_size(core, &out->heap_size);
    out->index_size = bytes;
    ts_dataset_core_drop(core);
    return status;
}

void ts_dataset_init_kind(void)
{
    static const struct ts_object_kind kind = {.id_type = H5I_DATASET,
                                               .open = open_kind,
                                               .write_waiting = ts_dataset_write_waiting_at,
                                               .meta_size = meta_size,
                                               .destroy = ts_dataset_destroy,
                                               .copy_check = ts_dataset_copy_check,
                                               .copy_message = ts_dataset_copy_message,
                                               .copy_rest = ts_dataset_copy_rest};
    ts_object_kind_register(H5O_TYPE_DATASET, &kind);
}
