/* Reading: begin at H5SC_read, the end of this file. What is in the cache comes from there. Of the rest, coded chunks
 * are read together, decoded side by side, and kept; elements of chunks that are not coded come straight from the file
 * where that is cheaper than a chunk in memory. policy.c decides, load.c has the steps, xfer.c moves elements. */
#include "base/alloc.h"
#include "base/lock.h"
#include "chunk/load.h"
#include "chunk/read_ahead.h"

/* What will be done about a chunk that is not in memory. One whose layout cannot say where elements are after all is
 * asked about again. */
static int choose(struct ts_sc_batch *b, struct ts_sc_visit *v)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    struct ts_sc_facts f = ts_sc_visit_facts(b, v);
    f.straight = ops->selection_read || ops->vector_read;
    f.by_set = v->want.set;
    if (f.by_set)
        f.large = ts_sc_is_large(v->io->scale.chunks, v->in.at.hint, b->budget);
    if (f.elements >= f.inside)
        f.cover = TS_SC_WHOLE;
    v->way = ts_sc_visit_way(v, &f);
    if (v->way.route == TS_SC_FILL) {
        struct ts_sc_move move = ts_sc_visit_move(v, v->io->xfer);
        v->state = TS_SC_DONE;
        return ops->read_missing(v->dset->owner, v->io, &move);
    }
    int sent = v->way.route == TS_SC_DIRECT ? ts_sc_visit_direct(b, v, &v->in.at) : 0;
    if (sent > 0)
        v->state = TS_SC_DONE;
    f.straight = false;
    if (v->way.route == TS_SC_DIRECT && sent == 0)
        v->way = ts_sc_way_of(&f);
    return sent < 0 ? -1 : 0;
}

static int choose_all(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_AWAY && choose(b, &b->visits[i]) < 0)
            return -1;
    return 0;
}

static int scatter(struct ts_sc_visit *v, struct ts_xfer *xfer)
{
    const struct ts_sc_layout_ops *ops = v->dset->ops;
    struct ts_sc_data *data = ts_sc_visit_data(v);
    struct ts_sc_move move = ts_sc_visit_move(v, xfer);
    int status = ops->scatter_mem ? ops->scatter_mem(v->dset->owner, &move, data)
                                  : ts_xfer_memory(xfer, data->chunk, v->want.pieces, v->want.n);
    v->moved = status == 0;
    return status;
}

/* The memory of one that does not stay is used again for the next. */
static void done_with(struct ts_sc_visit *v)
{
    if (v->chunk)
        return;
    ts_sc_visit_drop(v);
    v->state = TS_SC_DONE;
}

/* Decodes a chunk and moves its elements while they are in the processor's cache. */
static int read_item(void *ctx, size_t item, unsigned lane)
{
    struct ts_sc_batch *b = ctx;
    struct ts_sc_visit *v = b->scratch.todo[item];
    if (ts_sc_goes(v, TS_SC_LOAD) && ts_sc_visit_load(b, v) < 0)
        return -1;
    if (!v->io->parallel)
        return 0;
    struct ts_xfer *xfer = ts_sc_lane_xfer(b, v, lane);
    if (scatter(v, xfer) < 0)
        return -1;
    /* Nothing waits in a worker's transfer, so that one who fails leaves nothing behind. */
    v->moved = lane == 0 || ts_xfer_finish(xfer) == 0;
    if (!v->moved)
        return -1;
    done_with(v);
    return 0;
}

static int read_aside(struct ts_sc_batch *b)
{
    size_t n = 0;
    if (!ts_sc_batch_pays(b))
        return 0;
    if (TS_GROW(b->scratch.todo, b->scratch.todo_capacity, b->n) < 0)
        return -1;
    if (!b->scratch.lanes && !(b->scratch.lanes = ts_calloc(b->threads, sizeof *b->scratch.lanes)))
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        bool of_use = ts_sc_goes(v, TS_SC_LOAD) || (v->state == TS_SC_READY && v->io->parallel);
        if (of_use && v->dset->layout.any_thread)
            b->scratch.todo[n++] = v;
    }
    return ts_pool_run(b->threads, n, read_item, b);
}

/* In the order of the chunks, with what workers could not do. */
static int read_rest(struct ts_sc_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (ts_sc_goes(&b->visits[i], TS_SC_LOAD) && ts_sc_visit_load(b, &b->visits[i]) < 0)
            return -1;
    if (ts_sc_batch_wait(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct ts_sc_visit *v = &b->visits[i];
        if (v->state != TS_SC_READY || v->moved)
            continue;
        if (scatter(v, v->io->xfer) < 0)
            return -1;
        done_with(v);
    }
    return 0;
}

static struct ts_sc_use used(const struct ts_sc_visit *v)
{
    return (struct ts_sc_use){.whole = v->want.set || v->want.elements >= ts_sc_chunk_inside(v->dset, v->want.scaled)};
}

/* What several datasets still wait for is read in one go. */
static int read_together(size_t count, struct ts_sc_io *io)
{
    struct ts_io_list *first = NULL;
    for (size_t i = 0; i < count; i++) {
        struct ts_io_list *list = io[i].skip_io ? NULL : &io[i].xfer->io;
        if (!list || list->n == 0)
            continue;
        if (!first)
            first = list;
        else if (ts_store_same(&first->store, &list->store) && ts_io_list_join(first, list) < 0)
            return -1;
    }
    return first ? ts_io_list_flush(first) : 0;
}

/* The chunk and the piece of it that a box is, if it is one and in one chunk, and in memory rows of it are runs. */
static bool is_one_piece(const struct ts_plan *plan, const struct ts_sc_dset *dset, hsize_t *scaled, struct ts_piece *p)
{
    hsize_t step = 1;
    *p = (struct ts_piece){.mem = plan->mem_start, .n = 1, .count = 1};
    for (unsigned d = plan->rank; d-- > 0; step *= dset->chunk_dims[d]) {
        const struct ts_slab *s = &plan->slab[d];
        hsize_t size = dset->chunk_dims[d], n = plan->shape[d];
        scaled[d] = s->start / size;
        hsize_t at = s->start - scaled[d] * size;
        if (s->count != 1 || n > size - at)
            return false;
        p->src += at * step;
        if (n == 1)
            continue;
        bool run = step == 1 && plan->mem_stride[d] == 1;
        if (!run && p->count != 1)
            return false;
        *(run ? &p->n : &p->count) = n;
        p->src_step = run ? 0 : step;
        p->mem_step = run ? 0 : plan->mem_stride[d];
    }
    return true;
}

/* A box in one chunk that is in memory, nearly always a small one, which making a batch would cost more than reading
 * it. */
static bool is_hit(const struct ts_sc_io *io, struct ts_sc_chunk **chunk, struct ts_piece *piece)
{
    const struct ts_plan *plan = io->plan;
    hsize_t scaled[H5S_MAX_RANK];
    return !io->skip_io && !io->bypass && !io->transfer && plan && plan->affine && !io->dset->ops->scatter_mem &&
           is_one_piece(plan, io->dset, scaled, piece) && ts_sc_claim_hit(io->dset, scaled, chunk);
}

static int read_hit(struct ts_sc_io *io, struct ts_sc_chunk *c, const struct ts_piece *piece)
{
    int status = ts_xfer_memory(io->xfer, c->data.chunk, piece, 1);
    struct ts_sc_use use = {.whole = piece->n * piece->count >= ts_sc_chunk_inside(io->dset, c->scaled)};
    ts_sc_release(c, &use);
    if (status == 0)
        ts_sc_read_ahead(io);
    return status;
}

int H5SC_read(struct ts_sc *cache, size_t count, struct ts_sc_io *io)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_sc_batch b;
    struct ts_plan_cursor cursor;
    struct ts_sc_chunk *chunk;
    struct ts_piece piece;
    bool good = true;
    int more = 0;
    if (count == 1 && is_hit(io, &chunk, &piece))
        return read_hit(io, chunk, &piece);
    ts_sc_batch_init(&b, cache);
    ts_sc_batch_from(&b, &cursor, io, count);
    b.from.by_sets = true;
    while (good && (more = ts_sc_batch_next(&b)) > 0) {
        good = ts_sc_batch_find(&b) == 0 &&   /* which of them are in memory */
               ts_sc_batch_locate(&b) == 0 && /* where the others are in the file */
               choose_all(&b) == 0 &&         /* which way these go (policy.h) */
               ts_sc_batch_enter(&b) == 0 &&  /* room, and places in the cache */
               ts_sc_batch_fetch(&b) == 0 &&  /* their stored bytes, in few calls */
               read_aside(&b) == 0 &&         /* decoding and moving by workers */
               read_rest(&b) == 0;            /* and what is left of that */
        if (good)
            ts_sc_batch_release(&b, used);
        ts_sc_batch_end(&b);
    }
    ts_sc_batch_deinit(&b);
    int status = good && more == 0 ? 0 : -1;
    if (status == 0 && count > 1)
        status = read_together(count, io);
    for (size_t i = 0; i < count && status == 0; i++)
        ts_sc_read_ahead(&io[i]);
    return status;
}
