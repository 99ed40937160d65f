/* Changing chunk indexes, whatever their kind. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/change.h"
#include "file/undo.h"
#include "index/chunk_kinds.h"
#include "index/chunk_marks.h"
#include "meta/meta.h"

static unsigned unlimited_dims(const struct ts_chunk_geometry *g)
{
    unsigned n = 0;
    for (unsigned i = 0; i < g->rank; i++)
        n += g->max_dims[i] == H5S_UNLIMITED;
    return n;
}

static bool is_one_chunk(const struct ts_chunk_geometry *g)
{
    for (unsigned i = 0; i < g->rank; i++)
        if (g->dims[i] != g->chunk_dims[i] || g->max_dims[i] != g->chunk_dims[i])
            return false;
    return true;
}

static void choose_array_or_tree(struct ts_layout *layout, unsigned unlimited)
{
    if (unlimited == 0) {
        layout->chunk.index = TS_CHUNK_INDEX_FIXED_ARRAY;
        layout->chunk.u.fixed_array.page_bits = 10;
    } else if (unlimited == 1) {
        layout->chunk.index = TS_CHUNK_INDEX_EXT_ARRAY;
        layout->chunk.u.ext_array.max_bits = 32;
        layout->chunk.u.ext_array.index_elements = 4;
        layout->chunk.u.ext_array.min_pointers = 4;
        layout->chunk.u.ext_array.min_elements = 16;
        layout->chunk.u.ext_array.page_bits = 10;
    } else {
        layout->chunk.index = TS_CHUNK_INDEX_BTREE2;
        layout->chunk.u.btree2.node_size = TS_BTREE2_CHUNK_NODE;
        layout->chunk.u.btree2.split_percent = TS_BTREE2_SPLIT;
        layout->chunk.u.btree2.merge_percent = TS_BTREE2_MERGE;
    }
}

void ts_chunk_index_choose(struct ts_layout *layout, const struct ts_chunk_geometry *g, bool early)
{
    unsigned unlimited = unlimited_dims(g);
    layout->addr = HADDR_UNDEF;
    memset(&layout->chunk.u, 0, sizeof layout->chunk.u);
    layout->chunk.flags &= ~(unsigned)TS_CHUNK_SINGLE_FILTERED;
    if (layout->version < 4)
        layout->chunk.index = TS_CHUNK_INDEX_BTREE1;
    else if (is_one_chunk(g)) {
        layout->chunk.index = TS_CHUNK_INDEX_SINGLE;
        layout->chunk.flags |= g->filtered ? TS_CHUNK_SINGLE_FILTERED : 0;
        layout->chunk.u.single.sections.n = (uint8_t)ts_struct_sections(layout->chunk.struct_type);
    } else if (unlimited == 0 && early && !g->filtered && layout->cls != H5D_STRUCT_CHUNK)
        layout->chunk.index = TS_CHUNK_INDEX_IMPLICIT;
    else
        choose_array_or_tree(layout, unlimited);
}

/* Who took note of the index during the change has to look again, and marks may have followed it. */
static void go_back(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    struct ts_chunk_index *ix = step->at;
    ix->generation++;
    ts_chunk_marks_drop(ix);
    ts_chunk_index_close(ix);
}

static void let_go(struct ts_file *f, const struct ts_undo_step *step)
{
    (void)f;
    ts_chunk_index_close(step->at);
}

/* The index is about to change. Its owner may be done with it before the change is. */
static int keep(struct ts_chunk_index *ix)
{
    struct ts_file *f = ix->file;
    if (!ts_undo_keeps(f) || ix->kept == f->undo.change)
        return 0;
    if (ts_undo_add(f, (struct ts_undo_step){.back = go_back, .done = let_go, .at = ix}) < 0)
        return -1;
    atomic_fetch_add(&ix->refs, 1);
    bool single = ix->layout.chunk.index == TS_CHUNK_INDEX_SINGLE;
    if (ts_undo_bytes(f, &ix->addr, sizeof ix->addr) < 0 ||
        ts_undo_bytes(f, ix->chunks, ix->rank * sizeof *ix->chunks) < 0 ||
        ts_undo_bytes(f, &ix->single, single ? sizeof ix->single : 0) < 0)
        return -1;
    ix->kept = f->undo.change;
    return 0;
}

/* What opening it sets. */
static int keep_unopened(struct ts_chunk_index *ix)
{
    struct ts_file *f = ix->file;
    if (keep(ix) < 0 || ts_undo_bytes(f, &ix->size_width, sizeof ix->size_width) < 0 ||
        ts_undo_bytes(f, ix->stride, sizeof ix->stride) < 0)
        return -1;
    return ts_undo_bytes(f, ix->order, sizeof ix->order);
}

int ts_chunk_index_create(struct ts_chunk_index *ix)
{
    TS_IN_CHANGE(ix->file);
    if (!ix->kind || ix->addr != HADDR_UNDEF || !ix->kind->create)
        return 0;
    if (keep_unopened(ix) < 0 || ix->kind->create(ix, &ix->addr) < 0)
        return -1;
    return ix->kind->open(ix);
}

static bool same_sections(const struct ts_chunk_sections *a, const struct ts_chunk_sections *b)
{
    bool same = a->n == b->n;
    for (unsigned i = 0; i < TS_SECTIONS_MAX; i++)
        same &= a->offset[i] == b->offset[i] && a->size[i] == b->size[i] && a->mask[i] == b->mask[i];
    return same;
}

/* True when the message said otherwise. */
static bool set_structured_single(const struct ts_chunk_index *ix, struct ts_layout *layout)
{
    bool same = layout->chunk.u.single.filtered_size == ix->single.size &&
                same_sections(&layout->chunk.u.single.sections, &ix->single.sections);
    layout->chunk.u.single.filtered_size = ix->single.size;
    layout->chunk.u.single.sections = ix->single.sections;
    return !same;
}

bool ts_chunk_index_layout(const struct ts_chunk_index *ix, struct ts_layout *layout)
{
    bool changed = layout->addr != ix->addr;
    layout->addr = ix->addr;
    bool filtered = layout->chunk.flags & TS_CHUNK_SINGLE_FILTERED;
    if (layout->chunk.index == TS_CHUNK_INDEX_SINGLE && filtered && !ix->n_sections) {
        changed = changed || layout->chunk.u.single.filtered_size != ix->single.size ||
                  layout->chunk.u.single.filter_mask != ix->single.filter_mask;
        layout->chunk.u.single.filtered_size = ix->single.size;
        layout->chunk.u.single.filter_mask = ix->single.filter_mask;
    }
    if (layout->chunk.index == TS_CHUNK_INDEX_SINGLE && ix->n_sections)
        changed |= set_structured_single(ix, layout);
    return changed;
}

int ts_chunk_index_insert(struct ts_chunk_index *ix, const struct ts_chunk_rec *rec, struct ts_chunk_rec *old)
{
    TS_IN_CHANGE(ix->file);
    if (!ix->kind)
        return TS_ERR(DATASET, BADRANGE, "dataset that can have no chunks gets one");
    int found = ts_chunk_index_lookup(ix, rec->scaled, old);
    if (found < 0 || keep(ix) < 0 || ts_chunk_index_create(ix) < 0 || ix->kind->insert(ix, rec) < 0)
        return -1;
    if (found == 0) {
        ix->generation++;
        ts_chunk_marks_added(ix, rec->scaled);
    }
    return found;
}

int ts_chunk_index_remove(struct ts_chunk_index *ix, const hsize_t *scaled, struct ts_chunk_rec *old)
{
    TS_IN_CHANGE(ix->file);
    if (!ts_chunk_index_present(ix) || !ix->kind->remove)
        return 0;
    int found = ts_chunk_index_lookup(ix, scaled, old);
    if (found != 1)
        return found;
    if (keep(ix) < 0 || ix->kind->remove(ix, scaled) < 0)
        return -1;
    ix->generation++;
    ts_chunk_marks_removed(ix, scaled);
    return 1;
}

/* The chunks that a smaller extent leaves outside. */
struct shrink {
    struct ts_chunk_index *ix;
    hsize_t chunks[H5S_MAX_RANK]; /* that stay */
    ts_chunk_visit_fn *removed;
    void *ctx;
};

static int drop(const struct shrink *s, const hsize_t *scaled)
{
    struct ts_chunk_rec old;
    int found = ts_chunk_index_remove(s->ix, scaled, &old);
    return found == 1 ? s->removed(&old, s->ctx) : found;
}

static int drop_if_outside(const struct ts_chunk_rec *rec, void *ctx)
{
    const struct shrink *s = ctx;
    for (unsigned i = 0; i < s->ix->rank; i++)
        if (rec->scaled[i] >= s->chunks[i])
            return drop(s, rec->scaled);
    return 0;
}

/* Those outside in dimension d, and inside in all before it. */
struct slab {
    hsize_t from[H5S_MAX_RANK], to[H5S_MAX_RANK];
};

static struct slab slab_of(const struct shrink *s, unsigned d)
{
    const struct ts_chunk_index *ix = s->ix;
    struct slab slab = {.from = {0}};
    for (unsigned i = 0; i < ix->rank; i++)
        slab.to[i] = i < d && s->chunks[i] < ix->chunks[i] ? s->chunks[i] : ix->chunks[i];
    slab.from[d] = s->chunks[d] < slab.to[d] ? s->chunks[d] : slab.to[d];
    return slab;
}

static int drop_slab(const struct shrink *s, const struct slab *slab)
{
    hsize_t at[H5S_MAX_RANK];
    unsigned rank = s->ix->rank, i = 0;
    memcpy(at, slab->from, sizeof at);
    while (i < rank) {
        int status = drop(s, at);
        if (status != 0)
            return status;
        for (i = 0; i < rank; i++) {
            unsigned k = rank - 1 - i;
            if (++at[k] < slab->to[k])
                break;
            at[k] = slab->from[k];
        }
    }
    return 0;
}

static uint64_t slab_chunks(const struct slab *slab, unsigned rank)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < rank; i++)
        if (!ts_mul_u64(n, slab->to[i] - slab->from[i], &n))
            return UINT64_MAX;
    return n;
}

/* Few positions are looked up one by one, so that taking back a row does not depend on how many there are. */
#define FEW_POSITIONS 4096

static int drop_outside(struct shrink *s)
{
    unsigned rank = s->ix->rank;
    uint64_t positions = 0;
    for (unsigned d = 0; d < rank; d++) {
        struct slab slab = slab_of(s, d);
        if (!ts_add_u64(positions, slab_chunks(&slab, rank), &positions))
            positions = UINT64_MAX;
    }
    if (positions > FEW_POSITIONS)
        return ts_chunk_index_iterate(s->ix, drop_if_outside, s);
    int status = 0;
    for (unsigned d = 0; status == 0 && d < rank; d++) {
        struct slab slab = slab_of(s, d);
        if (slab_chunks(&slab, rank) > 0)
            status = drop_slab(s, &slab);
    }
    return status;
}

int ts_chunk_index_resize(struct ts_chunk_index *ix, const hsize_t *dims, ts_chunk_visit_fn *removed, void *ctx)
{
    TS_IN_CHANGE(ix->file);
    struct shrink s;
    bool smaller = false, same = true;
    s.ix = ix;
    s.removed = removed;
    s.ctx = ctx;
    for (unsigned i = 0; i < ix->rank; i++) {
        s.chunks[i] = ts_div_ceil(dims[i], ix->chunk_dims[i]);
        smaller |= s.chunks[i] < ix->chunks[i];
        same &= s.chunks[i] == ix->chunks[i];
    }
    /* A row more in the last chunks, most of the time. */
    if (same)
        return 0;
    if (smaller && ts_chunk_index_present(ix) && ix->kind->remove) {
        int status = drop_outside(&s);
        if (status != 0)
            return status;
    }
    if (keep(ix) < 0)
        return -1;
    memcpy(ix->chunks, s.chunks, ix->rank * sizeof *ix->chunks);
    ix->generation++;
    return 0;
}

int ts_chunk_index_delete(struct ts_chunk_index *ix, ts_chunk_visit_fn *removed, void *ctx)
{
    TS_IN_CHANGE(ix->file);
    if (!ts_chunk_index_present(ix))
        return 0;
    int status = ix->kind->remove ? ts_chunk_index_iterate(ix, removed, ctx) : 0;
    if (status != 0)
        return status;
    if (keep(ix) < 0)
        return -1;
    ix->generation++;
    ts_chunk_marks_drop(ix);
    if (ix->kind->destroy(ix) < 0)
        return -1;
    ix->addr = HADDR_UNDEF;
    return 0;
}

haddr_t ts_chunk_index_root(const struct ts_chunk_index *ix)
{
    return ix->kind && ix->kind->verify ? ix->addr : HADDR_UNDEF;
}

int ts_chunk_index_verify(struct ts_chunk_index *ix, const char **reason)
{
    *reason = NULL;
    return ts_chunk_index_present(ix) && ix->kind->verify ? ix->kind->verify(ix, reason) : 1;
}
