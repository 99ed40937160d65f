/* Data in one piece: the cache sees it as chunks that are runs of the file. They are whole in the last dimensions and
 * single in the first, so that elements of a chunk stand in the file in the order of its box. Only the last chunk in
 * the dimension between may be shorter in the file; nothing of it is moved by that. */
#include <string.h>

#include "base/alloc.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "file/change.h"

#define CHUNK_BYTES ((size_t)256 << 10)

static int query(void *owner, hsize_t *chunk_dims, struct ts_sc_layout *out)
{
    const struct ts_dataset_core *core = owner;
    hsize_t room = CHUNK_BYTES / core->sc.element_size;
    for (unsigned i = core->sc.rank; i-- > 0;) {
        hsize_t size = core->sc.dims[i] > 0 ? core->sc.dims[i] : 1;
        chunk_dims[i] = size <= room ? size : room > 0 ? room : 1;
        room = size <= room ? room / size : 1;
    }
    *out = (struct ts_sc_layout){.any_thread = true};
    return 0;
}

/* The elements of a chunk in the file. */
static struct ts_dataset_space place_of(const struct ts_dataset_core *core, const hsize_t *scaled)
{
    const hsize_t *dims = core->sc.dims, *size = core->sc.chunk_dims;
    uint64_t first = 0, n = 1;
    for (unsigned i = 0; i < core->sc.rank; i++) {
        hsize_t at = scaled[i] * size[i], left = dims[i] - at;
        first = first * dims[i] + at;
        n *= left < size[i] ? left : size[i];
    }
    return (struct ts_dataset_space){core->layout.addr + first * core->sc.element_size, n * core->sc.element_size};
}

static int lookup(void *owner, struct ts_sc_spot *spots, size_t n)
{
    const struct ts_dataset_core *core = owner;
    for (size_t i = 0; i < n; i++) {
        spots[i].at = (struct ts_sc_stored){.addr = HADDR_UNDEF};
        if (core->layout.addr == HADDR_UNDEF)
            continue;
        struct ts_dataset_space p = place_of(core, spots[i].scaled);
        spots[i].at.addr = p.addr;
        spots[i].at.size = p.size;
        spots[i].at.hint = (size_t)p.size;
    }
    return 0;
}

/* Storage was filled when it was made; what lies outside the extent is never stored. */
static int new_chunk(void *owner, bool fill, struct ts_sc_data *d)
{
    const struct ts_dataset_core *core = owner;
    size_t size = (size_t)core->sc.chunk_elements * core->sc.element_size;
    *d = (struct ts_sc_data){.chunk = ts_malloc(size), .used = size, .alloc = size};
    if (d->chunk && fill)
        memset(d->chunk, 0, size);
    return d->chunk ? 0 : -1;
}

static int place(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct ts_dataset_core *core = owner;
    bool heap = ts_type_has_vlen_or_ref(core->type);
    ts_file_lock(core->file);
    for (size_t i = 0; i < n; i++) {
        struct ts_dataset_space p = place_of(core, chunks[i].scaled);
        chunks[i].at.addr = p.addr;
        chunks[i].at.size = p.size;
        chunks[i].in_place = true;
        chunks[i].careful = heap;
    }
    ts_dataset_placed(core, chunks, n);
    ts_file_unlock(core->file);
    return 0;
}

static int insert(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    ts_dataset_written(owner, chunks, n);
    return 0;
}

static void displace(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    ts_dataset_written(owner, chunks, n);
}

static int selection_read(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    (void)owner;
    out->possible = true;
    out->addr = a->at->addr;
    return 0;
}

static int selection_write(void *owner, const struct ts_sc_access *a, struct ts_sc_direct *out)
{
    const struct ts_dataset_core *core = owner;
    out->possible = !ts_type_has_vlen_or_ref(core->type);
    out->addr = a->at->addr;
    return 0;
}

const struct ts_sc_layout_ops ts_layout_contiguous = {
    .lookup = lookup,
    .new_chunk = new_chunk,
    .place = place,
    .insert = insert,
    .displace = displace,
    .write = ts_layout_write,
    .selection_read = selection_read,
    .selection_write = selection_write,
    .fill = ts_layout_fill,
    .layout_query = query,
    .read_missing = ts_layout_read_missing,
    .describe = ts_layout_describe,
    .fate = ts_layout_fate,
};
