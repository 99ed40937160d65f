/* Writing: begin at H5SC_write, the end of this file. A chunk in the cache is changed there. Others, too, are changed
 * in the cache, after they were loaded, unless the write covers them: a full overwrite never reads. What the cache
 * should not keep goes on to the file at once:
 *   direct   elements straight to the place that the chunk has in the file, or has been given there
 *   through  the chunk is made in memory, encoded, and put out while workers are at the next batch (struct flight)
 * In either way the bytes are on file before an index names them (invariant 1). policy.c decides, load.c has the steps,
 * and ts_sc_put_out in write_back.c writes. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/load.h"
#include "chunk/quick_box.h"

/* A batch, and the workers' part in it. */
struct flight {
    struct ts_sc_batch batch;
    struct ts_pool_work work;
};

/* A write under way. One batch may be with the workers while the next is prepared and given to them, too: so they have
 * work until the end, and what they have encoded goes to the file meanwhile. */
struct writing {
    struct ts_sc_coded *placed; /* that have a new place which their index does not know yet */
    size_t n_placed, placed_capacity;
    struct ts_sc_out *outs; /* that go through */
    size_t outs_capacity;
    struct flight *now, *before; /* before: under way, or NULL */
    bool both;                   /* the second one was used */
    struct flight flights[2];
};

static bool is_new(const struct ts_sc_visit *v)
{
    return v->in.at.addr == HADDR_UNDEF;
}

/* Elements that depend on what they replace cover nothing. */
static enum ts_sc_cover cover_of(const struct ts_sc_visit *v)
{
    const struct ts_conv_path *path = v->io->xfer->path;
    hsize_t inside = ts_sc_chunk_inside(v->dset, v->want.scaled);
    if (v->want.elements < inside || !ts_plan_distinct(v->io->plan) || (path && ts_conv_needs_background(path)))
        return TS_SC_PART;
    return inside < v->dset->chunk_elements ? TS_SC_EXTENT : TS_SC_WHOLE;
}

static struct ts_sc_facts facts_of(const struct ts_sc_batch *b, const struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    struct ts_sc_facts f = ts_sc_visit_facts(b, v);
    f.write = true;
    f.cover = v->out.cover;
    f.straight = ops->selection_write || ops->vector_write;
    f.plain = !ops->gather_mem;
    return f;
}

/* Its layout cannot say where its elements are after all. */
static void choose_memory(const struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    struct ts_sc_facts f = facts_of(b, v);
    f.straight = false;
    v->state = TS_SC_AWAY;
    v->way = ts_sc_way_of(&f);
}

static int choose(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    struct ts_sc_facts f = facts_of(b, v);
    v->way = ts_sc_visit_way(v, &f);
    if (v->way.route != TS_SC_DIRECT)
        return 0;
    int sent = ts_sc_visit_direct(b, v, &v->in.at);
    if (sent > 0)
        v->state = TS_SC_DONE;
    else
        choose_memory(b, v);
    return sent < 0 ? -1 : 0;
}

static int choose_all(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        v->out.cover = cover_of(v);
        if (v->state == TS_SC_AWAY && choose(b, v) < 0)
            return -1;
    }
    return 0;
}

/* It has a new place; until the end of the batch its index does not know. */
static bool is_placed(const struct ts_sc_visit *v)
{
    return v->state == TS_SC_DONE && v->way.route == TS_SC_PLACE;
}

/* Visits [first, end) are of one dataset; calls place for those that need it. */
static int place_some(struct writing *w, size_t first, size_t end)
{
    struct ts_sc_batch *b = &w->now->batch;
    struct ts_sc_dset *dset = b->visits[first].dset;
    struct ts_sc_coded *placed = w->placed + w->n_placed;
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_PLACE))
            placed[n++] = (struct ts_sc_coded){.scaled = b->visits[i].want.scaled,
                                               .old = b->visits[i].in.at,
                                               .at = {.addr = HADDR_UNDEF, .size = ts_sc_chunk_bytes(dset)}};
    if (n == 0)
        return 0;
    if (dset->ops->place(dset->owner, placed, n) < 0)
        return -1;
    for (size_t i = first; i < end; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_PLACE))
            b->visits[i].state = TS_SC_DONE;
    w->n_placed += n;
    return 0;
}

static void displace(struct ts_sc_dset *dset, struct ts_sc_coded *c)
{
    dset->ops->displace(dset->owner, c, 1);
}

/* Elements go to their new places, on the next flush of the transfer. What cannot be written so is made in memory. */
static int send_placed(struct writing *w)
{
    struct ts_sc_batch *b = &w->now->batch;
    size_t kept = 0, next = 0;
    int status = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (!is_placed(v))
            continue;
        struct ts_sc_coded *c = &w->placed[next++];
        int sent = status < 0 ? 1 : c->careful ? 0 : ts_sc_visit_direct(b, v, &c->at);
        if (sent < 0)
            status = -1;
        if (sent != 0) {
            w->placed[kept++] = *c;
            continue;
        }
        displace(v->dset, c);
        choose_memory(b, v);
    }
    w->n_placed = kept;
    return status;
}

static int place_all(struct writing *w)
{
    struct ts_sc_batch *b = &w->now->batch;
    size_t n = ts_sc_batch_count(b, TS_SC_PLACE);
    w->n_placed = 0;
    if (n == 0)
        return 0;
    if (TS_GROW(w->placed, w->placed_capacity, n) < 0)
        return -1;
    for (size_t first = 0, end; first < b->n; first = end) {
        for (end = first; end < b->n && b->visits[end].dset == b->visits[first].dset;)
            end++;
        if (place_some(w, first, end) < 0)
            return -1;
    }
    return send_placed(w);
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
        if (v->state != TS_SC_DONE || v->io == done)
            continue;
        done = v->io;
        if (x->path ? ts_xfer_finish(x) < 0 : first && ts_io_list_join(first, &x->io) < 0)
            return -1;
        first = first || x->path ? first : &x->io;
    }
    return first ? ts_io_list_flush(first) : 0;
}

/* The first n of those that were placed are of this dataset: entered, or given back. They are through with then. */
static int finish_some(struct writing *w, struct ts_sc_dset *dset, size_t n, bool good)
{
    struct ts_sc_coded *c = w->placed;
    int status = good ? dset->ops->insert(dset->owner, c, n) : 0;
    if (!good || status < 0)
        dset->ops->displace(dset->owner, c, n);
    w->n_placed -= n;
    memmove(c, c + n, w->n_placed * sizeof *c);
    return status;
}

static int finish_placed(struct writing *w, const struct ts_sc_batch *b, bool good)
{
    int status = 0;
    for (size_t i = 0; i < b->n && w->n_placed > 0;) {
        struct ts_sc_dset *dset = b->visits[i].dset;
        size_t n = 0;
        for (; i < b->n && b->visits[i].dset == dset; i++)
            n += is_placed(&b->visits[i]);
        if (n > 0 && finish_some(w, dset, n, good && status == 0) < 0)
            status = -1;
    }
    return status;
}

static bool goes_through(const struct ts_sc_visit *v)
{
    return v->state == TS_SC_READY && !v->chunk;
}

/* One that goes through is made when its turn comes, in memory that the thread has just used for another. After a
 * failure in a worker what was consumed there is made again, by the caller. */
static int make(struct ts_sc_batch *b, struct ts_sc_visit *v, unsigned lane)
{
    if (v->chunk || v->in.data.chunk)
        return 0;
    if (v->out.made && (v->out.cover == TS_SC_WHOLE || lane == 0))
        return v->dset->ops->new_chunk(v->dset->owner, v->out.cover != TS_SC_WHOLE, &v->in.data);
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
    v->out.touched = true;
    int status = ops->gather_mem ? ops->gather_mem(v->dset->owner, &move, data)
                                 : ts_xfer_memory(xfer, data->chunk, v->want.pieces, v->want.n);
    v->moved = status == 0;
    return status;
}

static int encode(struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    struct ts_sc_coding how = {.at = &v->in.at, .partial_bound = ts_sc_partial_bound(v->dset, v->want.scaled)};
    int status = 0;
    v->out.coded = (struct ts_sc_coded){.scaled = v->want.scaled, .old = v->in.at, .at.addr = HADDR_UNDEF};
    if (ops->encode_in_place) {
        status = ops->encode_in_place(v->dset->owner, &how, &v->in.data, &v->out.coded);
        v->in.data = (struct ts_sc_data){0};
    } else if (ops->encode) {
        status = ops->encode(v->dset->owner, &how, &v->in.data, &v->out.coded);
    } else {
        v->out.coded.at.size = v->in.data.used;
    }
    v->out.encoded = status == 0;
    v->moved = v->moved && (v->out.encoded || v->in.data.chunk);
    return status;
}

/* Moves elements where workers may, and encodes what has all of its elements. */
static int write_item(void *ctx, size_t item, unsigned lane)
{
    struct ts_sc_batch *b = ctx;
    struct ts_sc_visit *v = b->scratch.todo[item];
    if (!v->moved && (v->io->parallel || v->out.touched) && gather(b, v, lane) < 0)
        return -1;
    return v->moved && goes_through(v) && !v->out.encoded ? encode(v) : 0;
}

static bool pays(const struct ts_sc_batch *b, size_t n)
{
    uint64_t work = 0;
    for (size_t i = 0; i < n; i++) {
        const struct ts_sc_visit *v = b->scratch.todo[i];
        work += ts_sc_write_work(v->want.elements, v->dset->element_size, goes_through(v) && v->dset->layout.coded);
    }
    return ts_sc_write_wakes(n, work);
}

/* What the caller must move himself is moved; workers begin with the rest, if that is worth waking them. */
static int write_aside(struct ts_sc_batch *b, struct ts_pool_work *work)
{
    size_t n = 0, most = b->threads > 0 && b->n > 1 ? b->n : 0;
    if (TS_GROW(b->scratch.todo, b->scratch.todo_capacity, most) < 0)
        return -1;
    for (size_t i = 0; i < most; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (v->state != TS_SC_READY || !v->dset->layout.any_thread)
            continue;
        if (!v->io->parallel && gather(b, v, 0) < 0)
            return -1;
        if (!v->moved || goes_through(v))
            b->scratch.todo[n++] = v;
    }
    if (!pays(b, n))
        n = 0;
    if (n > 0 && !b->scratch.lanes && !(b->scratch.lanes = ts_calloc(b->threads, sizeof *b->scratch.lanes)))
        return -1;
    ts_pool_start(work, b->threads, n, write_item, b);
    return 0;
}

/* Where the order counts, or nothing is won by workers. */
static int write_rest(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (v->state == TS_SC_READY && !v->moved && gather(b, v, 0) < 0)
            return -1;
    }
    for (size_t i = 0; i < b->n; i++)
        if (goes_through(&b->visits[i]) && !b->visits[i].out.encoded && encode(&b->visits[i]) < 0)
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

/* What was made for the file goes there. */
static int put_through(struct writing *w, struct ts_sc_batch *b)
{
    size_t n = 0, done;
    for (size_t i = 0; i < b->n; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        if (!v->out.encoded)
            continue;
        if (TS_GROW(w->outs, w->outs_capacity, n + 1) < 0)
            return -1;
        b->counts.encodes += v->dset->layout.coded;
        w->outs[n++] = (struct ts_sc_out){.dset = v->dset,
                                          .coded = v->out.coded,
                                          .to = (size_t)v->out.coded.at.size,
                                          .bytes = v->out.coded.bytes ? v->out.coded.bytes : v->in.data.chunk};
    }
    return n == 0 ? 0 : ts_sc_put_out(b->cache, w->outs, n, &done);
}

/* The last element that the chunk may ever have was written. Datasets grow in their first dimension. */
static bool wrote_end(const struct ts_sc_visit *v)
{
    const struct ts_sc_dset *dset = v->dset;
    hsize_t last = 0;
    for (unsigned d = 0; d < dset->rank; d++) {
        hsize_t size = dset->chunk_dims[d], left = dset->dims[d] - v->want.scaled[d] * size;
        last = last * size + (d > 0 && left < size ? left : size) - 1;
    }
    return v->want.to > last;
}

/* It was made for this, is nowhere in the file, and zeros but for what was written. */
static bool is_only_on_zeros(const struct ts_sc_visit *v)
{
    bool plain = !v->dset->layout.coded && !v->dset->ops->gather_mem;
    return plain && v->out.made && v->chunk && v->chunk->data.zeros && is_new(v);
}

static struct ts_sc_use written(const struct ts_sc_visit *v)
{
    bool bytes_known = !v->out.made && !v->dset->layout.coded && !v->dset->ops->gather_mem;
    struct ts_sc_use use = {.dirty = true, .whole = v->out.cover == TS_SC_WHOLE || wrote_end(v)};
    if (bytes_known || is_only_on_zeros(v)) {
        use.from = (size_t)v->want.from * v->dset->element_size;
        use.to = (size_t)v->want.to * v->dset->element_size;
    }
    return use;
}

static bool was_filled(const struct ts_sc_visit *v)
{
    return !v->dset->layout.coded && v->out.cover == TS_SC_PART && wrote_end(v) &&
           ts_sc_chunk_bytes(v->dset) >= TS_SC_FILLED_BYTES;
}

/* Appending fills one chunk after the other. One that is full goes out at once if that needs no coding and is worth a
 * call: its bytes are still in the processor's cache, and so is its memory for the next one. */
static void put_out_full(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct ts_sc_visit *v = &b->visits[i];
        if (v->state == TS_SC_READY && !v->out.encoded && was_filled(v))
            ts_sc_put_out_one(v->dset, v->want.scaled);
    }
}

static int may_write(const struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if ((i == 0 || b->visits[i].dset != b->visits[i - 1].dset) && ts_sc_may_write(b->visits[i].dset) < 0)
            return -1;
    return 0;
}

/* Up to where workers begin. */
static bool begin(struct writing *w)
{
    struct ts_sc_batch *b = &w->now->batch;
    return may_write(b) == 0 && ts_sc_batch_find(b) == 0 && /* which of them are in memory */
           ts_sc_batch_locate(b) == 0 &&                    /* where the others are in the file */
           choose_all(b) == 0 &&                            /* which way these go (policy.h) */
           place_all(w) == 0 &&                             /* new places for elements that go straight there */
           ts_sc_batch_enter(b) == 0 &&                     /* room, and places in the cache */
           ts_sc_batch_make(b) == 0 &&                      /* chunks of which nothing old is needed */
           ts_sc_batch_load(b) == 0 &&                      /* and others */
           write_aside(b, &w->now->work) == 0;              /* workers begin to move elements and to encode */
}

/* The rest of a batch that has begun. */
static bool finish(struct writing *w, struct flight *f)
{
    struct ts_sc_batch *b = &f->batch;
    if (ts_pool_finish(&f->work) < 0 || write_rest(b) < 0) /* what workers did not do */
        return false;
    ts_sc_batch_release(b, written);
    put_out_full(b);
    return put_through(w, b) == 0 && finish_direct(b) == 0;
}

/* The batch before, while workers are at the one that has begun. */
static bool land(struct writing *w)
{
    struct flight *f = w->before;
    if (!f)
        return true;
    w->before = NULL;
    bool good = finish(w, f);
    ts_sc_batch_end(&f->batch);
    return good;
}

/* All of it is with the workers, who share nothing of it with another batch: no chunk of the cache, no place, and not
 * the rest of a chunk. A selection comes to no chunk twice. */
static bool may_fly(const struct ts_sc_batch *b, const struct ts_pool_work *work)
{
    if (work->helpers == 0 || work->n < b->n || !is_of(b, b->visits[0].io))
        return false;
    for (size_t i = 0; i < b->n; i++)
        if (!goes_through(&b->visits[i]) || b->visits[i].want.split)
            return false;
    return true;
}

/* Stays under way, and the other batch takes the next chunks. */
static void fly(struct writing *w)
{
    w->before = w->now;
    w->now = w->now == w->flights ? w->flights + 1 : w->flights;
    if (!w->both)
        w->now->batch = (struct ts_sc_batch){0};
    w->both = true;
    ts_sc_batch_follow(&w->now->batch, &w->before->batch);
}

/* One batch, whose chunks were gathered. */
static bool write_batch(struct writing *w)
{
    struct flight *f = w->now;
    bool landed = !w->before || is_of(&f->batch, w->before->batch.visits[0].io) || land(w);
    w->n_placed = 0;
    bool begun = landed && begin(w), good = land(w) && begun;
    if (good && may_fly(&f->batch, &f->work)) {
        fly(w);
        return true;
    }
    if (good)
        good = finish(w, f);
    else if (begun)
        (void)ts_pool_finish(&f->work);
    if (finish_placed(w, &f->batch, good) < 0)
        good = false;
    ts_sc_batch_end(&f->batch);
    return good;
}

static void writing_deinit(struct writing *w)
{
    ts_free(w->placed);
    ts_free(w->outs);
    ts_sc_batch_deinit(&w->flights[0].batch);
    if (w->both)
        ts_sc_batch_deinit(&w->flights[1].batch);
}

int H5SC_write(struct ts_sc *cache, size_t count, struct ts_sc_io *io)
{
    TS_MAY_MOVE_RAW_DATA();
    if (count == 1 && ts_sc_quick_write(io))
        return 0;
    struct writing w; /* large, and mostly filled in when it is used */
    struct ts_plan_cursor cursor;
    bool good = true;
    int more = 0;
    memset(&w, 0, offsetof(struct writing, flights));
    w.now = w.flights;
    ts_sc_batch_init(&w.now->batch, cache);
    ts_sc_batch_from(&w.now->batch, &cursor, io, count);
    w.now->batch.claim = TS_SC_CHANGE;
    while (good && (more = ts_sc_batch_next(&w.now->batch)) > 0)
        good = write_batch(&w);
    good = land(&w) && good;
    writing_deinit(&w);
    return good && more == 0 ? 0 : -1;
}
