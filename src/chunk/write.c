/* Writing. A chunk in the cache is changed there. Others, too, are changed in the cache, after they were loaded, unless
 * the write covers them: a full overwrite never reads. What the cache should not keep goes on to the file at once:
 *   direct   elements straight to the place that the chunk has in the file, or has been given there
 *   through  the chunk is made in memory, encoded and put out
 * In either way the bytes are on file before an index names them (invariant 1). */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/load.h"
#include "chunk/quick_write.h"

/* Beyond this, bringing one into memory and back costs more than it saves. */
#define CACHED_BYTES ((size_t)1 << 20)
#define LARGE_PART 8

static bool is_new(const struct ts_sc_visit *v)
{
    return v->at.addr == HADDR_UNDEF;
}

/* Elements that depend on what they replace cover nothing. */
static enum ts_cover cover_of(const struct ts_sc_visit *v)
{
    const struct ts_conv_path *path = v->io->xfer->path;
    hsize_t inside = ts_sc_chunk_inside(v->dset, v->scaled);
    if (v->elements < inside || !ts_plan_distinct(v->io->plan) || (path && ts_conv_needs_background(path)))
        return TS_COVER_PART;
    return inside < v->dset->chunk_elements ? TS_COVER_EXTENT : TS_COVER_CHUNK;
}

static bool is_large(const struct ts_sc_batch *b, const struct ts_sc_visit *v)
{
    return ts_sc_chunk_bytes(v->dset) > b->budget / LARGE_PART;
}

static bool goes_direct(const struct ts_sc_batch *b, const struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    size_t bytes = ts_sc_chunk_bytes(v->dset);
    if (!ops->selection_write && !ops->vector_write)
        return false;
    if (is_new(v) && (v->cover != TS_COVER_CHUNK || v->dset->layout.coded || ops->gather_mem))
        return false;
    /* Between its elements lie those outside the extent, which would have to be read for few calls: a full overwrite does
     * not. */
    if (v->cover == TS_COVER_EXTENT)
        return false;
    if (v->skip)
        return true;
    if (v->dset->layout.coded)
        return false;
    if (v->large || is_large(b, v) || bytes > CACHED_BYTES)
        return true;
    return v->cover == TS_COVER_PART ? !ts_sc_chunk_comes_back(v->dset, v->scaled) : v->bulk;
}

/* Into memory: made anew when nothing of the old is needed. */
static void choose_memory(const struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    bool covered = v->cover != TS_COVER_PART;
    v->state = covered || is_new(v) ? TS_SC_MAKE : TS_SC_LOAD;
    v->keep = !v->skip && !(covered && (v->large || is_large(b, v)));
}

static int choose(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    bool direct = goes_direct(b, v);
    if (direct && is_new(v)) {
        v->state = TS_SC_PLACE;
        return 0;
    }
    int on_its_way = direct ? ts_sc_visit_direct(b, v, &v->at) : 0;
    if (on_its_way > 0)
        v->state = TS_SC_DONE;
    else
        choose_memory(b, v);
    return on_its_way < 0 ? -1 : 0;
}

static int choose_all(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        v->cover = cover_of(v);
        if (v->state == TS_SC_AWAY && choose(b, v) < 0)
            return -1;
    }
    return 0;
}

/* Visits [first, end) are of one dataset; calls place for those that need it. */
static int place_some(struct ts_sc_batch *b, size_t first, size_t end)
{
    struct ts_sc_dset *dset = b->visits[first].dset;
    struct ts_sc_coded *placed = b->placed + b->n_placed;
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (b->visits[i].state == TS_SC_PLACE)
            placed[n++] = (struct ts_sc_coded){.scaled = b->visits[i].scaled, .old = b->visits[i].at,
                                               .at = {.addr = HADDR_UNDEF, .size = ts_sc_chunk_bytes(dset)}};
    if (n == 0)
        return 0;
    if (dset->ops->place(dset->owner, placed, n) < 0)
        return -1;
    for (size_t i = first; i < end; i++)
        if (b->visits[i].state == TS_SC_PLACE)
            b->visits[i].state = TS_SC_PLACED;
    b->n_placed += n;
    return 0;
}

static void displace(struct ts_sc_dset *dset, struct ts_sc_coded *c)
{
    dset->ops->displace(dset->owner, c, 1);
}

/* Elements go to their new places, on the next flush of the transfer. What cannot be written so is made in memory. */
static int send_placed(struct ts_sc_batch *b)
{
    size_t kept = 0, next = 0;
    int status = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (v->state != TS_SC_PLACED)
            continue;
        struct ts_sc_coded *c = &b->placed[next++];
        int sent = status < 0 ? 1 : c->careful ? 0 : ts_sc_visit_direct(b, v, &c->at);
        if (sent < 0)
            status = -1;
        if (sent != 0) {
            b->placed[kept++] = *c;
            continue;
        }
        displace(v->dset, c);
        choose_memory(b, v);
    }
    b->n_placed = kept;
    return status;
}

static int place_all(struct ts_sc_batch *b)
{
    size_t n = ts_sc_batch_count(b, TS_SC_PLACE);
    b->n_placed = 0;
    if (n == 0)
        return 0;
    if (TS_GROW(b->placed, b->placed_capacity, n) < 0)
        return -1;
    for (size_t first = 0, end; first < b->n; first = end) {
        for (end = first; end < b->n && b->visits[end].dset == b->visits[first].dset;)
            end++;
        if (place_some(b, first, end) < 0)
            return -1;
    }
    return send_placed(b);
}

/* All that waits in transfers of this batch is written, in one go where nothing is converted: later batches may read it
 * back. */
static int finish_direct(struct ts_sc_batch *b)
{
    const struct ts_sc_io *done = NULL;
    struct ts_io_list *first = NULL;
    for (size_t i = 0; i < b->n; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        struct ts_xfer *x = v->io->xfer;
        if ((v->state != TS_SC_DONE && v->state != TS_SC_PLACED) || v->io == done)
            continue;
        done = v->io;
        if (x->path ? ts_xfer_finish(x) < 0 : first && ts_io_list_join(first, &x->io) < 0)
            return -1;
        first = first || x->path ? first : &x->io;
    }
    return first ? ts_io_list_flush(first) : 0;
}

/* The first n of those that were placed are of this dataset: entered, or given back. They are through with then. */
static int settle_some(struct ts_sc_batch *b, struct ts_sc_dset *dset, size_t n, bool good)
{
    struct ts_sc_coded *c = b->placed;
    int status = good ? dset->ops->insert(dset->owner, c, n) : 0;
    if (!good || status < 0)
        dset->ops->displace(dset->owner, c, n);
    b->n_placed -= n;
    memmove(c, c + n, b->n_placed * sizeof *c);
    return status;
}

static int settle_placed(struct ts_sc_batch *b, bool good)
{
    int status = 0;
    for (size_t i = 0; i < b->n && b->n_placed > 0;) {
        struct ts_sc_dset *dset = b->visits[i].dset;
        size_t n = 0;
        for (; i < b->n && b->visits[i].dset == dset; i++)
            if (b->visits[i].state == TS_SC_PLACED) {
                b->visits[i].state = TS_SC_DONE;
                n++;
            }
        if (n > 0 && settle_some(b, dset, n, good && status == 0) < 0)
            status = -1;
    }
    return status;
}

static bool goes_through(const struct ts_sc_visit *v)
{
    return v->state == TS_SC_READY && !v->chunk;
}

/* One that goes through is made when its turn comes, in memory that the thread has just used for another. After a failure
 * in a worker what was consumed there is made again, by the caller. */
static int make(struct ts_sc_batch *b, struct ts_sc_visit *v, unsigned lane)
{
    if (v->chunk || v->data.chunk)
        return 0;
    if (v->made && (v->cover == TS_COVER_CHUNK || lane == 0))
        return v->dset->ops->new_chunk(v->dset->owner, v->cover != TS_COVER_CHUNK, &v->data);
    return lane == 0 ? ts_sc_visit_load(b, v) : -1;
}

static int gather(struct ts_sc_batch *b, struct ts_sc_visit *v, unsigned lane)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    struct ts_xfer *xfer = ts_sc_lane_xfer(b, v, lane);
    if (make(b, v, lane) < 0)
        return -1;
    struct ts_sc_data *data = ts_sc_visit_data(v);
    struct ts_sc_move move = ts_sc_visit_move(v, xfer);
    v->touched = true;
    int status = ops->gather_mem ? ops->gather_mem(v->dset->owner, &move, data)
                                 : ts_xfer_memory(xfer, data->chunk, v->pieces, v->n);
    v->moved = status == 0;
    return status;
}

static int encode(struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    struct ts_sc_coding how = {.at = &v->at, .partial_bound = ts_sc_partial_bound(v->dset, v->scaled)};
    int status = 0;
    v->coded = (struct ts_sc_coded){.scaled = v->scaled, .old = v->at, .at.addr = HADDR_UNDEF};
    if (ops->encode_in_place) {
        status = ops->encode_in_place(v->dset->owner, &how, &v->data, &v->coded);
        v->data = (struct ts_sc_data){0};
    } else if (ops->encode) {
        status = ops->encode(v->dset->owner, &how, &v->data, &v->coded);
    } else {
        v->coded.at.size = v->data.used;
    }
    v->encoded = status == 0;
    v->moved = v->moved && (v->encoded || v->data.chunk);
    return status;
}

/* Moves elements where workers may, and encodes what has all of its elements. */
static int write_item(void *ctx, size_t item, unsigned lane)
{
    struct ts_sc_batch *b = ctx;
    struct ts_sc_visit *v = b->todo[item];
    if (!v->moved && (v->io->parallel || v->touched) && gather(b, v, lane) < 0)
        return -1;
    return v->moved && goes_through(v) && !v->encoded ? encode(v) : 0;
}

/* Workers are woken for much to copy, or for less to encode. */
static bool pays(const struct ts_sc_batch *b, size_t n)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < n; i++) {
        const struct ts_sc_visit *v = b->todo[i];
        bool codes = goes_through(v) && v->dset->layout.coded;
        cost += v->elements * (v->dset->element_size + 1) * (codes ? 16 : 1);
    }
    return n > 1 && cost >= CACHED_BYTES;
}

static int put_late(void *ctx)
{
    struct ts_sc_batch *b = ctx;
    size_t n = b->n_late, done;
    if (n == 0)
        return 0;
    b->n_late = 0;
    int status = ts_sc_put_out(b->cache, b->late, n, &done);
    for (size_t i = 0; i < n; i++)
        ts_free(b->late[i].coded.bytes);
    return status;
}

static int write_aside(struct ts_sc_batch *b)
{
    size_t n = 0;
    if (b->threads == 0 || b->n < 2)
        return 0;
    if (TS_GROW(b->todo, b->todo_capacity, b->n) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        bool of_use = v->moved ? goes_through(v) && !v->encoded : v->io->parallel;
        if (v->state == TS_SC_READY && of_use && v->dset->layout.any_thread)
            b->todo[n++] = v;
    }
    if (!pays(b, n))
        return 0;
    if (!b->lanes && !(b->lanes = ts_calloc(b->threads, sizeof *b->lanes)))
        return -1;
    return ts_pool_run_beside(b->threads, n, write_item, b, put_late);
}

/* Where the order counts, or nothing is won by workers. */
static int gather_rest(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (v->state == TS_SC_READY && !v->moved && gather(b, v, 0) < 0)
            return -1;
    }
    return 0;
}

static int encode_rest(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (goes_through(&b->visits[i]) && !b->visits[i].encoded && encode(&b->visits[i]) < 0)
            return -1;
    return 0;
}

static bool is_of(const struct ts_sc_batch *b, const struct ts_sc_io *io)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].io != io)
            return false;
    return true;
}

/* The bytes of all of b->outs are their own, and all belong to one selection, which comes to no chunk twice: they may
 * wait until workers are at the next batch. 1, or 0 when that is not so. */
static int wait_for_next(struct ts_sc_batch *b, size_t n)
{
    const struct ts_sc_io *io = b->visits[0].io;
    unsigned rank = io->dset->rank;
    if (b->threads == 0 || !is_of(b, io))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (!b->outs[i].coded.bytes || b->outs[i].coded.old.udata || b->outs[i].coded.at.udata)
            return 0;
    if (TS_GROW(b->late, b->late_capacity, n) < 0 || TS_GROW(b->late_scaled, b->late_scaled_capacity, n * rank) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        b->late[i] = b->outs[i];
        b->late[i].coded.scaled = memcpy(b->late_scaled + i * rank, b->outs[i].coded.scaled, rank * sizeof *b->late_scaled);
    }
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].encoded)
            b->visits[i].coded.bytes = NULL;
    b->n_late = n;
    b->late_io = io;
    return 1;
}

static int put_through(struct ts_sc_batch *b)
{
    size_t n = 0, done;
    for (size_t i = 0; i < b->n; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        if (!v->encoded)
            continue;
        if (TS_GROW(b->outs, b->outs_capacity, n + 1) < 0)
            return -1;
        b->counts.encodes += v->dset->layout.coded;
        b->outs[n++] = (struct ts_sc_out){.dset = v->dset, .coded = v->coded, .to = (size_t)v->coded.at.size,
                                          .bytes = v->coded.bytes ? v->coded.bytes : v->data.chunk};
    }
    if (n == 0)
        return 0;
    int late = wait_for_next(b, n);
    return late != 0 ? late : ts_sc_put_out(b->cache, b->outs, n, &done);
}

/* The last element that the chunk may ever have was written. Datasets grow in their first dimension. */
static bool wrote_end(const struct ts_sc_visit *v)
{
    const struct ts_sc_dset *dset = v->dset;
    hsize_t last = 0;
    for (unsigned d = 0; d < dset->rank; d++) {
        hsize_t size = dset->chunk_dims[d], left = dset->dims[d] - v->scaled[d] * size;
        last = last * size + (d > 0 && left < size ? left : size) - 1;
    }
    return v->to > last;
}

/* It was made for this, is nowhere in the file, and zeros but for what was written. */
static bool is_only_on_zeros(const struct ts_sc_visit *v)
{
    return v->made && v->chunk && v->chunk->data.zeros && is_new(v) && !v->dset->layout.coded && !v->dset->ops->gather_mem;
}

static struct ts_sc_use written(const struct ts_sc_visit *v)
{
    bool bytes_known = !v->made && !v->dset->layout.coded && !v->dset->ops->gather_mem;
    struct ts_sc_use use = {.dirty = true, .whole = v->cover == TS_COVER_CHUNK || wrote_end(v)};
    if (bytes_known || is_only_on_zeros(v)) {
        use.from = (size_t)v->from * v->dset->element_size;
        use.to = (size_t)v->to * v->dset->element_size;
    }
    return use;
}

static bool was_filled(const struct ts_sc_visit *v)
{
    return !v->dset->layout.coded && v->cover == TS_COVER_PART && wrote_end(v) &&
           ts_sc_chunk_bytes(v->dset) >= TS_SC_FILLED_BYTES;
}

void ts_sc_put_out_one(struct ts_sc_dset *dset, const hsize_t *scaled)
{
    struct ts_sc_chunk *c;
    unsigned mark = ts_err_mark();
    if (ts_sc_flush_chunk(dset, scaled) < 0)
        ts_err_rewind(mark);
    else if (ts_sc_claim(dset, scaled, TS_SC_QUIET, &c) == TS_SC_HIT)
        ts_sc_release(c, &(struct ts_sc_use){.drop = true});
}

/* Appending fills one chunk after the other. One that is full goes out at once if that needs no coding and is worth a call:
 * its bytes are still in the processor's cache, and so is its memory for the next one. */
static void put_out_full(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        if (v->state == TS_SC_READY && !v->encoded && was_filled(v))
            ts_sc_put_out_one(v->dset, v->scaled);
    }
}

static int serve_steps(struct ts_sc_batch *b)
{
    if (!is_of(b, b->late_io) && put_late(b) < 0)
        return -1;
    if (ts_sc_batch_find(b) < 0 || ts_sc_batch_locate(b) < 0 || choose_all(b) < 0 || place_all(b) < 0 ||
        ts_sc_batch_enter(b) < 0 || ts_sc_batch_make(b) < 0 || ts_sc_batch_load(b) < 0)
        return -1;
    if (write_aside(b) < 0 || gather_rest(b) < 0 || write_aside(b) < 0 || encode_rest(b) < 0)
        return -1;
    ts_sc_batch_unhold(b);
    ts_sc_batch_release(b, written);
    put_out_full(b);
    return put_late(b) < 0 || put_through(b) < 0 ? -1 : finish_direct(b);
}

static int may_write(const struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if ((i == 0 || b->visits[i].dset != b->visits[i - 1].dset) && ts_sc_may_write(b->visits[i].dset) < 0)
            return -1;
    return 0;
}

static int serve(struct ts_sc_batch *b)
{
    int status = may_write(b) < 0 ? -1 : serve_steps(b);
    if (settle_placed(b, status == 0) < 0)
        status = -1;
    ts_sc_batch_end(b);
    return status;
}

int H5SC_write(struct ts_sc *cache, size_t count, struct ts_sc_io *io)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_sc_batch b;
    int status = 0;
    if (count == 1 && ts_sc_quick_write(io))
        return 0;
    ts_sc_batch_init(&b, cache, serve);
    b.claim = TS_SC_CHANGE;
    for (size_t i = 0; i < count && status == 0; i++)
        status = ts_sc_batch_add(&b, &io[i]);
    if (status == 0)
        status = ts_sc_batch_flush(&b);
    if (status == 0)
        status = put_late(&b);
    ts_sc_batch_deinit(&b);
    return status;
}
