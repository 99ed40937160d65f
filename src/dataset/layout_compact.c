/* Data in the object header: one chunk that is always there. Its dataset is not kept in the cache, for the core has the
 * data; after each write they go to the header. */
#include <string.h>

#include "base/alloc.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "file/change.h"

static size_t data_bytes(const struct ts_dataset_core *core)
{
    return (size_t)core->sc.chunk_elements * core->sc.element_size;
}

static int query(void *owner, hsize_t *chunk_dims, struct ts_sc_layout *out)
{
    const struct ts_dataset_core *core = owner;
    for (unsigned i = 0; i < core->sc.rank; i++)
        chunk_dims[i] = core->sc.dims[i] > 0 ? core->sc.dims[i] : 1;
    *out = (struct ts_sc_layout){.coded = true, .any_thread = true};
    return 0;
}

static int lookup(void *owner, struct ts_sc_spot *spots, size_t n)
{
    for (size_t i = 0; i < n; i++)
        spots[i].at = (struct ts_sc_stored){.addr = 0, .hint = data_bytes(owner)};
    return 0;
}

static int new_chunk(void *owner, bool fill, struct ts_sc_data *d)
{
    size_t size = data_bytes(owner);
    *d = (struct ts_sc_data){.chunk = ts_malloc(size), .used = size, .alloc = size};
    if (d->chunk && fill)
        memset(d->chunk, 0, size);
    return d->chunk ? 0 : -1;
}

static int decode(void *owner, const struct ts_sc_coding *how, struct ts_sc_data *d)
{
    const struct ts_dataset_core *core = owner;
    struct ts_sc_data made;
    (void)how;
    if (new_chunk(owner, core->layout.compact.size < data_bytes(core), &made) < 0)
        return -1;
    if (core->layout.compact.size >= made.used)
        memcpy(made.chunk, core->layout.compact.data, made.used);
    ts_free(d->chunk);
    *d = made;
    return 0;
}

static int encode(void *owner, const struct ts_sc_coding *how, const struct ts_sc_data *d, struct ts_sc_coded *out)
{
    (void)how;
    out->at.size = out->alloc = data_bytes(owner);
    out->bytes = ts_memdup(d->chunk, out->alloc);
    return out->bytes ? 0 : -1;
}

/* There is nothing to write: the header is metadata. */
static int place(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    (void)owner;
    for (size_t i = 0; i < n; i++) {
        chunks[i].at = (struct ts_sc_stored){.hint = chunks[i].at.hint};
        chunks[i].in_place = true;
    }
    return 0;
}

static int store(struct ts_dataset_core *core, const struct ts_sc_coded *c)
{
    struct ts_layout *l = &core->layout;
    if (core->gone || l->compact.size < data_bytes(core))
        return 0;
    if (ts_undo_bytes(core->file, l->compact.data, data_bytes(core)) < 0)
        return -1;
    memcpy(l->compact.data, c->bytes, data_bytes(core));
    return ts_dataset_store_layout(core);
}

static int insert(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct ts_dataset_core *core = owner;
    if (ts_change_begin(core->file) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = store(core, &chunks[i]);
    return ts_change_end(core->file, status);
}

static void displace(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    (void)owner, (void)chunks, (void)n;
}

const struct ts_sc_layout_ops ts_layout_compact = {
    .lookup = lookup,
    .decode = decode,
    .new_chunk = new_chunk,
    .encode = encode,
    .place = place,
    .insert = insert,
    .displace = displace,
    .fill = ts_layout_fill,
    .layout_query = query,
    .read_missing = ts_layout_read_missing,
    .describe = ts_layout_describe,
    .fate = ts_layout_fate,
};
