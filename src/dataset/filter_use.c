/* Which filters are in use by what is open. */
#include "dataset/filter_use.h"

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/dataset.h"
#include "file/file.h"
#include "id/id.h"

static bool has_filter(const struct ts_pipeline *p, H5Z_filter_t id)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->filters[i].id == id)
            return true;
    return false;
}

static int dataset_uses(void *obj, H5Z_filter_t id)
{
    const struct ts_dataset_core *core = ((struct ts_dataset *)obj)->core;
    bool uses = has_filter(&core->pipeline, id);
    for (unsigned i = 0; i < TS_SECTIONS_MAX && !uses; i++)
        uses = has_filter(&core->sections.section[i], id);
    return uses ? TS_ERR(PLINE, CANTRELEASE, "can't unregister filter because a dataset is still using it") : 0;
}

static int group_uses(void *obj, H5Z_filter_t id)
{
    struct ts_pipeline p = {0};
    struct ts_ohdr *oh;
    if (ts_object_header(obj, &oh) < 0)
        return -1;
    int found = ts_ohdr_pipeline(oh, &p);
    ts_ohdr_close(oh);
    bool uses = found > 0 && has_filter(&p, id);
    ts_pipeline_deinit(&p);
    if (found < 0)
        return -1;
    return uses ? TS_ERR(PLINE, CANTRELEASE, "can't unregister filter because a group is still using it") : 0;
}

/* What waits in memory may need it on its way to the file. */
static int flush_file(void *fh, H5Z_filter_t id)
{
    (void)id;
    return ts_file_flush(((struct ts_fhandle *)fh)->file);
}

static int for_each(H5I_type_t type, H5Z_filter_t id, int (*look)(void *obj, H5Z_filter_t id))
{
    hid_t *ids;
    size_t n;
    if (ts_id_list(type, true, &ids, &n) < 0)
        return -1;
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        unsigned mark = ts_err_mark();
        void *obj = ts_id_pin(ids[i], type);
        if (!obj) { /* closed meanwhile */
            ts_err_rewind(mark);
            continue;
        }
        status = look(obj, id);
        ts_id_unpin(type, obj);
    }
    ts_free(ids);
    return status;
}

int ts_filter_check_unused(H5Z_filter_t id)
{
    if (for_each(H5I_DATASET, id, dataset_uses) < 0 || for_each(H5I_GROUP, id, group_uses) < 0)
        return -1;
    return for_each(H5I_FILE, id, flush_file);
}
