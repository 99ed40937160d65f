#include "chunk/look.h"

#include <string.h>

#include "base/lane.h"
#include "chunk/batch.h"
#include "chunk/chunk_parts.h"
#include "chunk/io_list.h"
#include "chunk/policy.h"
#include "chunk/read_ahead.h"
#include "chunk/view.h"

/* While the caller looks. */
static struct ts_sc_chunk *find(struct ts_sc_view *view, const struct ts_sc_dset *dset, const hsize_t *scaled)
{
    ts_sc_slot *bucket = ts_sc_bucket(view, ts_sc_key(dset, scaled));
    for (unsigned i = 0; i < TS_SC_BUCKET; i++) {
        struct ts_sc_chunk *c = atomic_load_explicit(&bucket[i], memory_order_seq_cst);
        if (c && memcmp(c->scaled, scaled, dset->rank * sizeof *scaled) == 0)
            return c;
    }
    return NULL;
}

/* A box, and which chunks it meets: of each dimension those from low to high. */
struct look {
    struct ts_sc_dset *dset;
    const hsize_t *start, *count;
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    size_t chunks;
    uint8_t *dst;
};

/* False when it has too many chunks, or bytes. */
static bool find_chunks(struct look *l)
{
    const struct ts_sc_dset *dset = l->dset;
    size_t bytes = dset->element_size;
    l->chunks = 1;
    for (unsigned d = 0; d < dset->rank; d++) {
        hsize_t size = dset->chunk_dims[d];
        if (l->count[d] == 0 || l->count[d] > TS_SC_LOOK_BYTES / bytes)
            return false;
        bytes *= (size_t)l->count[d];
        l->low[d] = l->start[d] / size;
        hsize_t behind = l->start[d] - l->low[d] * size + l->count[d];
        l->high[d] = l->low[d] + (behind <= size ? 0 : (behind - 1) / size);
        l->chunks *= (size_t)(l->high[d] - l->low[d] + 1);
    }
    return l->chunks <= TS_SC_LOOK_CHUNKS;
}

/* Rows of n bytes, `rows` of each dimension before d. */
static void copy_rows(uint8_t *dst, const size_t *dst_step, const uint8_t *src, const size_t *src_step, size_t n,
                      const size_t *rows, unsigned d)
{
    if (d == 0)
        memcpy(dst, src, n);
    else if (d == 1)
        ts_copy_runs(dst, dst_step[0], src, src_step[0], n, rows[0]);
    else
        for (size_t i = 0; i < rows[0]; i++)
            copy_rows(dst + i * dst_step[0], dst_step + 1, src + i * src_step[0], src_step + 1, n, rows + 1, d - 1);
}

/* What the box has of the chunk at `scaled`; returns how many elements that are. */
static hsize_t copy_part(const struct look *l, const hsize_t *scaled, const uint8_t *src)
{
    const struct ts_sc_dset *dset = l->dset;
    size_t n[H5S_MAX_RANK], src_step[H5S_MAX_RANK], dst_step[H5S_MAX_RANK], from = dset->element_size, to = from;
    hsize_t elements = 1;
    uint8_t *dst = l->dst;
    unsigned inner = dset->rank;
    size_t run = dset->element_size;
    for (unsigned d = dset->rank; d-- > 0;) {
        hsize_t size = dset->chunk_dims[d], begin = scaled[d] * size, first = l->start[d] > begin ? l->start[d] : begin,
                end = l->start[d] + l->count[d];
        n[d] = (size_t)((end - begin < size ? end - begin : size) - (first - begin));
        src_step[d] = from;
        dst_step[d] = to;
        src += (size_t)(first - begin) * from;
        dst += (size_t)(first - l->start[d]) * to;
        elements *= n[d];
        /* All that lies further in is one run in both. */
        if (inner == d + 1 && (d + 1 == dset->rank || (run == from && run == to))) {
            run *= n[d];
            inner = d;
        }
        from *= (size_t)size;
        to *= (size_t)l->count[d];
    }
    copy_rows(dst, dst_step, src, src_step, run, n, inner);
    return elements;
}

/* The mark is written only when it says something new: chunks that all look at stay in all processors' caches. */
static void mark(struct ts_sc_chunk *c, unsigned char how)
{
    unsigned char was = atomic_load_explicit(&c->looked_at, memory_order_relaxed);
    if (was != how && was != TS_SC_LOOKED_PART)
        atomic_store_explicit(&c->looked_at, how, memory_order_relaxed);
}

static bool copy_all(const struct look *l)
{
    struct ts_sc_dset *dset = l->dset;
    struct ts_sc_view *view = atomic_load_explicit(&dset->view, memory_order_seq_cst);
    hsize_t at[H5S_MAX_RANK];
    memcpy(at, l->low, dset->rank * sizeof *at);
    for (size_t i = 0; i < l->chunks; i++) {
        struct ts_sc_chunk *c = view ? find(view, dset, at) : NULL;
        if (!c)
            return false;
        hsize_t elements = copy_part(l, at, c->data.chunk);
        mark(c, elements >= ts_sc_chunk_inside(dset, at) ? TS_SC_LOOKED_WHOLE : TS_SC_LOOKED_PART);
        for (unsigned d = dset->rank; d-- > 0;) {
            if (at[d]++ < l->high[d])
                break;
            at[d] = l->low[d];
        }
    }
    return true;
}

bool ts_sc_look_box(struct ts_sc_dset *dset, const hsize_t *start, const hsize_t *count, void *dst)
{
    struct look l;
    struct ts_lane_cell *looks = dset->cache->looks;
    l.dset = dset;
    l.start = start;
    l.count = count;
    l.dst = dst;
    if (!looks || dset->ops->scatter_mem || !find_chunks(&l))
        return false;
    if (!atomic_load_explicit(&dset->looked, memory_order_relaxed))
        atomic_store_explicit(&dset->looked, true, memory_order_relaxed);
    ts_look_begin();
    bool found = copy_all(&l);
    ts_look_end();
    if (!found)
        return false;
    atomic_fetch_add_explicit(&looks[ts_lane()].n, (long)l.chunks, memory_order_relaxed);
    ts_sc_look_on(dset, l.low, l.high);
    return true;
}
