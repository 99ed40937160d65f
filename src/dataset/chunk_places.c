/* Chunks on their way into the file and its index (chunk/layout_ops.h), for the layouts that have one. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/layouts.h"
#include "dataset/storage.h"
#include "file/alloc.h"
#include "file/change.h"
#include "file/mutation.h"

static bool is_structured(const struct ts_dataset_core *core)
{
    return core->layout.cls == H5D_STRUCT_CHUNK;
}

/* Where a chunk that is not filtered now may stay. After a crash half-way its bytes must be right as the last commit
 * sees them, each element old or new: elements that lead to heaps need a commit of their own, and what was filtered by
 * the extent of that commit is not touched, unless nothing on file names the chunk yet. */
static void try_in_place(struct ts_dataset_core *core, struct ts_sc_coded *c)
{
    haddr_t addr = c->old.addr;
    if (addr == HADDR_UNDEF || c->old.size != core->chunk_bytes)
        return;
    bool plain = core->pipeline.n == 0 && !ts_type_has_vlen_or_ref(core->type);
    if (!plain && core->layout.chunk.index != TS_CHUNK_INDEX_IMPLICIT && !ts_file_fresh(core->file, addr))
        return;
    c->at.addr = addr;
    c->in_place = true;
    c->careful = !plain;
}

/* A broken rule, for tests: never done otherwise. */
static void overwrite_filtered(struct ts_dataset_core *core, struct ts_sc_coded *c)
{
    if (!ts_mutation(TS_MUTATION_CHUNK_IN_PLACE) || c->old.addr == HADDR_UNDEF || c->old.size != c->at.size)
        return;
    ts_file_free(core->file, H5FD_MEM_DRAW, c->at.addr, c->at.size);
    c->at.addr = c->old.addr;
}

/* One without elements has no bytes, and no place: it leaves the index. */
static bool is_empty(const struct ts_dataset_core *core, const struct ts_sc_coded *c)
{
    return is_structured(core) && c->at.size == 0;
}

static int place_one(struct ts_dataset_core *core, struct ts_sc_coded *c)
{
    c->in_place = c->careful = c->blank = false;
    if (is_empty(core, c)) {
        c->at.addr = HADDR_UNDEF;
        c->in_place = true;
        return 0;
    }
    if (!is_structured(core) && c->at.size == core->chunk_bytes &&
        !ts_dataset_core_chunk_filtered(core, core->sc.dims, c->scaled))
        try_in_place(core, c);
    if (c->in_place)
        return 0;
    if (ts_file_alloc(core->file, H5FD_MEM_DRAW, c->at.size, &c->at.addr) < 0)
        return -1;
    c->blank = ts_file_blank(core->file, c->at.addr, c->at.size) || ts_mutation(TS_MUTATION_ALWAYS_BLANK);
    overwrite_filtered(core, c);
    return 0;
}

static void give_back(struct ts_dataset_core *core, const struct ts_sc_coded *chunks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!chunks[i].in_place)
            ts_file_free(core->file, H5FD_MEM_DRAW, chunks[i].at.addr, chunks[i].at.size);
}

static int place_all(struct ts_dataset_core *core, struct ts_sc_coded *chunks, size_t n)
{
    for (size_t i = 0; i < n && !core->gone; i++)
        if (place_one(core, &chunks[i]) < 0)
            return -1;
    ts_dataset_placed(core, chunks, n);
    return 0;
}

int ts_chunks_place(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct ts_dataset_core *core = owner;
    if (ts_change_begin(core->file) < 0)
        return -1;
    int status = place_all(core, chunks, n);
    if (ts_change_end(core->file, status) == 0)
        return 0;
    if (status == 0)
        ts_dataset_written(core, chunks, n);
    return -1;
}

static int remove_chunk(struct ts_dataset_core *core, struct ts_chunk_index *index, const hsize_t *scaled)
{
    struct ts_chunk_rec old;
    int had = ts_chunk_index_remove(index, scaled, &old);
    if (had > 0)
        ts_file_free(core->file, H5FD_MEM_DRAW, old.addr, old.size);
    return had < 0 ? -1 : 0;
}

static int enter_one(struct ts_dataset_core *core, struct ts_chunk_index *index, const struct ts_sc_coded *c)
{
    struct ts_chunk_rec old, rec = {.addr = c->at.addr, .size = c->at.size};
    if (is_structured(core))
        memcpy(&rec.sections, (const uint8_t *)c->bytes + c->at.size, sizeof rec.sections);
    else
        rec.filter_mask = (uint32_t)c->at.note;
    memcpy(rec.scaled, c->scaled, core->rank * sizeof *c->scaled);
    int had = ts_chunk_index_insert(index, &rec, &old);
    if (had < 0)
        return -1;
    if (had && old.addr != rec.addr)
        ts_file_free(core->file, H5FD_MEM_DRAW, old.addr, old.size);
    return 0;
}

static int enter(struct ts_dataset_core *core, const struct ts_sc_coded *chunks, size_t n)
{
    struct ts_chunk_index *index;
    int status = ts_dataset_core_index(core, &index);
    for (size_t i = 0; i < n && status == 0; i++) {
        if (is_empty(core, &chunks[i]))
            status = remove_chunk(core, index, chunks[i].scaled);
        else if (!chunks[i].in_place)
            status = enter_one(core, index, &chunks[i]);
    }
    return status < 0 ? -1 : ts_dataset_store_layout(core);
}

/* Those that stay where they are need no entering. */
static bool all_stay(const struct ts_dataset_core *core, const struct ts_sc_coded *chunks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!chunks[i].in_place || (is_empty(core, &chunks[i]) && !core->gone))
            return false;
    return true;
}

int ts_chunks_insert(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct ts_dataset_core *core = owner;
    int status = 0;
    if (!all_stay(core, chunks, n)) {
        status = ts_change_begin(core->file);
        if (status == 0) {
            if (core->gone)
                give_back(core, chunks, n);
            else
                status = enter(core, chunks, n);
            status = ts_change_end(core->file, status);
        }
    }
    if (status == 0)
        ts_dataset_written(core, chunks, n);
    return status;
}

void ts_chunks_displace(void *owner, struct ts_sc_coded *chunks, size_t n)
{
    struct ts_dataset_core *core = owner;
    unsigned mark = ts_err_mark();
    bool some = false;
    for (size_t i = 0; i < n && !some; i++)
        some = !chunks[i].in_place;
    if (some && ts_change_begin(core->file) == 0) {
        give_back(core, chunks, n);
        (void)ts_change_end(core->file, 0);
    }
    ts_err_rewind(mark);
    ts_dataset_written(core, chunks, n);
}

static int delete_chunk(struct ts_dataset_core *core, const hsize_t *scaled)
{
    struct ts_chunk_index *index;
    if (ts_dataset_core_index(core, &index) < 0 || remove_chunk(core, index, scaled) < 0)
        return -1;
    return ts_dataset_store_layout(core);
}

int ts_chunks_delete(void *owner, const hsize_t *scaled, const struct ts_sc_stored *at)
{
    struct ts_dataset_core *core = owner;
    (void)at;
    if (ts_change_begin(core->file) < 0)
        return -1;
    return ts_change_end(core->file, core->gone ? 0 : delete_chunk(core, scaled));
}
