/* Asking the application's filters whether they can be used for a new dataset, and how. */
#include "dataset/filter_ids.h"

#include <string.h>

#include "base/error.h"
#include "base/lock.h"
#include "id/id.h"
#include "plist/dcpl.h"
#include "plist/engine.h"

static int make_chunk_space(const struct ts_filter_local *local, hid_t *id)
{
    struct ts_space *space;
    if (ts_space_new_simple(local->rank, local->chunk_dims, NULL, &space) < 0)
        return -1;
    *id = ts_id_register(H5I_DATASPACE, space);
    if (*id < 0)
        ts_space_unref(space);
    return *id < 0 ? -1 : 0;
}

/* Filters ask the list for the chunk, also for one that the library chose. */
static int say_chunk(struct ts_plist *dcpl, const struct ts_filter_local *local)
{
    struct ts_layout_prop layout;
    if (ts_dcpl_peek_layout(dcpl, &layout) < 0)
        return -1;
    if (layout.chunk_rank > 0)
        return 0;
    struct ts_layout_prop chosen = {
        .cls = H5D_STRUCT_CHUNK, .struct_type = H5D_SPARSE_CHUNK, .chunk_rank = local->rank};
    memcpy(chosen.chunk_dims, local->chunk_dims, local->rank * sizeof chosen.chunk_dims[0]);
    return ts_dcpl_set_layout(dcpl, &chosen);
}

static int make_list(struct ts_filter_ids *ids, const struct ts_filter_local *local)
{
    struct ts_plist *dcpl;
    if (ids->dcpl_id >= 0)
        return 0;
    if (ts_plist_copy(ids->dcpl, &dcpl) < 0)
        return -1;
    ids->dcpl_id = say_chunk(dcpl, local) < 0 ? -1 : ts_id_register(H5I_GENPROP_LST, dcpl);
    if (ids->dcpl_id < 0)
        ts_plist_unref(dcpl);
    return ids->dcpl_id < 0 ? -1 : 0;
}

static int make_type(const struct ts_type *type, hid_t *id)
{
    struct ts_type *copy;
    if (*id >= 0)
        return 0;
    if (ts_type_copy_all(type, &copy) < 0)
        return -1;
    *id = ts_id_register(H5I_DATATYPE, copy);
    if (*id < 0)
        ts_type_unref(copy);
    return *id < 0 ? -1 : 0;
}

/* The id of the datatype, or negative. */
static hid_t make_ids(struct ts_filter_ids *ids, const struct ts_filter_local *local)
{
    hid_t *type = local->unit ? &ids->byte_id : &ids->type_id;
    if (make_list(ids, local) < 0 || make_type(local->unit ? local->type : ids->type, type) < 0 ||
        (ids->space_id < 0 && make_chunk_space(local, &ids->space_id) < 0))
        return -1;
    return *type;
}

static int ask_can_apply(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local)
{
    TS_MAY_CALL_OUT();
    struct ts_filter_ids *ids = context;
    hid_t type = make_ids(ids, local);
    return type < 0 ? -1 : cls->can_apply(ids->dcpl_id, type, ids->space_id);
}

/* In a list they are for all sections: functions without a section see them then. */
static int show_filters(struct ts_plist *dcpl, const struct ts_pipeline *p)
{
    struct ts_pipeline shown;
    if (ts_pipeline_copy(&shown, p) < 0)
        return -1;
    for (size_t i = 0; i < shown.n; i++)
        shown.filters[i].only = 0;
    int status = ts_ocpl_set_pipeline(dcpl, &shown);
    ts_pipeline_deinit(&shown);
    return status;
}

static int take_filters(struct ts_plist *dcpl, struct ts_pipeline *p)
{
    struct ts_pipeline changed;
    if (ts_ocpl_pipeline(dcpl, &changed) < 0)
        return -1;
    for (size_t i = 0; i < changed.n && i < p->n; i++)
        changed.filters[i].only = p->filters[i].only;
    changed.access = p->access;
    ts_pipeline_deinit(p);
    *p = changed;
    return 0;
}

/* The callback sees the pipeline in the list, and changes it there. */
static int ask_set_local(void *context, const H5Z_class2_t *cls, const struct ts_filter_local *local,
                         struct ts_pipeline *p)
{
    TS_MAY_CALL_OUT();
    struct ts_filter_ids *ids = context;
    hid_t type = make_ids(ids, local);
    if (type < 0)
        return -1;
    struct ts_plist *dcpl = ts_id_pin(ids->dcpl_id, H5I_GENPROP_LST);
    if (!dcpl)
        return -1;
    int status = show_filters(dcpl, p);
    if (status == 0 && cls->set_local(ids->dcpl_id, type, ids->space_id) < 0)
        status = TS_ERR(PLINE, SETLOCAL, "error during user callback");
    if (status == 0)
        status = take_filters(dcpl, p);
    ts_id_unpin(H5I_GENPROP_LST, dcpl);
    return status;
}

const struct ts_filter_calls *ts_filter_ids_init(struct ts_filter_ids *ids, struct ts_plist *dcpl,
                                                 const struct ts_type *type)
{
    *ids = (struct ts_filter_ids){{ask_can_apply, ask_set_local, ids}, dcpl, type, -1, -1, -1, -1};
    return &ids->calls;
}

void ts_filter_ids_deinit(const struct ts_filter_ids *ids)
{
    const hid_t all[] = {ids->dcpl_id, ids->type_id, ids->byte_id, ids->space_id};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] >= 0)
            ts_id_dec(all[i]);
}
