/* Elements become undefined, for layouts that know which are; chunks are brought in by the steps of load.c and changed
 * there. */
#include "chunk/erase.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "chunk/load.h"

/* Where a chunk is on file that was claimed to be changed, or loaded. */
static int place_of(const struct ts_sc_visit *v, struct ts_sc_stored *at)
{
    const struct ts_sc_dset *dset = v->dset;
    struct ts_sc_spot spot = {.scaled = v->want.scaled, .at = v->chunk ? v->chunk->at : v->in.at};
    int status = 0;
    spot.at.udata = NULL;
    if (v->chunk && !v->chunk->located)
        status = dset->ops->lookup(dset->owner, &spot, 1);
    ts_free(spot.at.udata);
    *at = spot.at;
    at->udata = NULL;
    return status;
}

static int delete_empty(struct ts_sc_visit *v)
{
    const struct ts_sc_dset *dset = v->dset;
    struct ts_sc_stored at;
    if (place_of(v, &at) < 0)
        return -1;
    if (at.addr != HADDR_UNDEF && dset->ops->delete_chunk(dset->owner, v->want.scaled, &at) < 0)
        return -1;
    if (v->chunk)
        ts_sc_release(v->chunk, &(struct ts_sc_use){.drop = true});
    v->chunk = NULL;
    v->state = TS_SC_DONE;
    return 0;
}

int ts_sc_visit_erase(struct ts_sc_visit *v)
{
    struct ts_sc_move move = ts_sc_visit_move(v, NULL);
    bool empty = false;
    v->out.touched = true;
    if (v->dset->ops->erase_values(v->dset->owner, &move, ts_sc_visit_data(v), &empty) < 0)
        return -1;
    return empty && !v->want.split ? delete_empty(v) : 0;
}

static struct ts_sc_use changed(const struct ts_sc_visit *v)
{
    (void)v;
    return (struct ts_sc_use){.dirty = true};
}

static int change_steps(struct ts_sc_batch *b, int (*change)(struct ts_sc_visit *v))
{
    if (ts_sc_batch_bring(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        if (b->visits[i].state == TS_SC_READY && change(&b->visits[i]) < 0)
            return -1;
    ts_sc_batch_release(b, changed);
    return 0;
}

int ts_sc_batch_change(struct ts_sc_batch *b, int (*change)(struct ts_sc_visit *v))
{
    int status = change_steps(b, change);
    ts_sc_batch_end(b);
    return status;
}

static int erase_all(struct ts_sc_dset *dset, const struct ts_plan *plan)
{
    struct ts_sc_io io = {.dset = dset, .plan = plan};
    struct ts_sc_batch b;
    struct ts_plan_cursor cursor;
    int status = 0, more = 0;
    ts_sc_batch_init(&b, dset->cache);
    ts_sc_batch_from(&b, &cursor, &io, 1);
    b.claim = TS_SC_CHANGE;
    while (status == 0 && (more = ts_sc_batch_next(&b)) > 0)
        status = ts_sc_batch_change(&b, ts_sc_visit_erase);
    ts_sc_batch_deinit(&b);
    return more < 0 ? -1 : status;
}

int H5SC_erase(struct ts_sc_dset *dset, const struct ts_space *file_space)
{
    TS_MAY_MOVE_RAW_DATA();
    struct ts_space *ordinals;
    struct ts_plan plan;
    if (!dset->ops->erase_values)
        return TS_ERR(DATASET, UNSUPPORTED, "the layout does not know which elements are defined");
    if (ts_space_selected(file_space) == 0)
        return 0;
    hsize_t count = ts_space_selected(file_space);
    if (ts_space_new_simple(1, &count, NULL, &ordinals) < 0)
        return -1;
    int status = ts_plan_init(&plan, file_space, ordinals);
    if (status == 0)
        status = erase_all(dset, &plan);
    ts_space_unref(ordinals);
    return status;
}
