/* H5ES: event sets (event/event.h). */
#include "H5ESdevelop.h"

#include "api/async.h"
#include "base/alloc.h"
#include "event/event.h"

static void set_ref(void *obj)
{
    ts_event_set_ref(obj);
}

static void set_unref(void *obj)
{
    ts_event_set_unref(obj);
}

static int set_may_close(void *obj)
{
    return ts_event_set_may_close(obj);
}

void ts_event_api_init(void)
{
    static const struct ts_id_class cls = {.ref = set_ref, .unref = set_unref, .may_close = set_may_close};
    ts_id_class_set(H5I_EVENTSET, &cls);
}

struct ts_event_set *ts_event_api_set(struct ts_api_scope *scope, hid_t es_id)
{
    struct ts_event_set *set = ts_api_pin(scope, es_id, H5I_EVENTSET);
    if (!set)
        TS_SAY(ARGS, BADTYPE, "invalid event set identifier");
    return set;
}

#define SET(es_id) ts_event_api_set(&ts_scope_, (es_id))

hid_t H5EScreate(void)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_event_set *set;
    if (ts_event_set_new(&set) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_EVENTSET, set);
}

herr_t H5ESclose(hid_t es_id)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack", TS_BAD_ID(ARGS, BADTYPE, "not an event set"));
    if (es_id == H5ES_NONE)
        return 0;
    return TS_API_RET(ts_id_close(es_id, H5I_EVENTSET) < 0 ? -1 : 0);
}

herr_t H5ESwait(hid_t es_id, uint64_t timeout, size_t *num_in_progress, hbool_t *err_occurred)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    if (es_id == H5ES_NONE)
        return 0;
    struct ts_event_set *set = SET(es_id);
    struct ts_event_counts counts;
    if (!set)
        return TS_API_FAIL(-1);
    if (!num_in_progress)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL num_in_progress pointer");
    if (!err_occurred)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL op_failed pointer");
    if (ts_event_wait(set, timeout, &counts) < 0)
        return TS_API_FAIL(-1);
    *num_in_progress = counts.unfinished;
    *err_occurred = counts.failed > 0;
    return 0;
}

herr_t H5EScancel(hid_t es_id, size_t *num_not_canceled, hbool_t *err_occurred)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    if (es_id == H5ES_NONE)
        return 0;
    struct ts_event_set *set = SET(es_id);
    struct ts_event_counts counts;
    if (!set)
        return TS_API_FAIL(-1);
    if (!num_not_canceled)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL num_not_canceled pointer");
    if (!err_occurred)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL op_failed pointer");
    if (ts_event_cancel(set, &counts) < 0)
        return TS_API_FAIL(-1);
    *num_not_canceled = counts.unfinished;
    *err_occurred = counts.failed > 0;
    return TS_API_RET(0);
}

/* Of a set; of none there is nothing to know, and nothing is said. 1 when there is. */
static int count(struct ts_api_scope *scope, hid_t es_id, struct ts_event_counts *out)
{
    if (es_id == H5ES_NONE)
        return 0;
    struct ts_event_set *set = ts_event_api_set(scope, es_id);
    return !set || ts_event_count(set, out) < 0 ? -1 : 1;
}

/* What has failed is in the set until it is asked for. */
herr_t H5ESget_count(hid_t es_id, size_t *number)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_event_counts counts;
    int there = count(&ts_scope_, es_id, &counts);
    if (there > 0 && number)
        *number = counts.unfinished + counts.failed;
    return there < 0 ? TS_API_FAIL(-1) : 0;
}

/* Operations are the library's own: no connector has requests in a set. */
herr_t H5ESget_requests(hid_t es_id, H5_iter_order_t order, hid_t *connector_ids, void **requests, size_t array_len,
                        size_t *number)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    (void)connector_ids, (void)requests, (void)array_len;
    if (!SET(es_id))
        return TS_API_FAIL(-1);
    if (order <= H5_ITER_UNKNOWN || order >= H5_ITER_N)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid iteration order specified: %d", (int)order);
    if (number)
        *number = 0;
    return 0;
}

herr_t H5ESget_op_counter(hid_t es_id, uint64_t *counter)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_event_counts counts;
    int there = count(&ts_scope_, es_id, &counts);
    if (there > 0 && counter)
        *counter = counts.inserted;
    return there < 0 ? TS_API_FAIL(-1) : 0;
}

herr_t H5ESget_err_status(hid_t es_id, hbool_t *err_occurred)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_event_counts counts;
    int there = count(&ts_scope_, es_id, &counts);
    if (there > 0 && err_occurred)
        *err_occurred = counts.failed > 0;
    return there < 0 ? TS_API_FAIL(-1) : 0;
}

herr_t H5ESget_err_count(hid_t es_id, size_t *num_errs)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_event_counts counts;
    int there = count(&ts_scope_, es_id, &counts);
    if (there > 0 && num_errs)
        *num_errs = counts.failed;
    return there < 0 ? TS_API_FAIL(-1) : 0;
}

/* The application gets what the operation knew of itself. */
static void hand_over(struct ts_event_op *op, H5ES_err_info_t *out)
{
    *out = (H5ES_err_info_t){.api_name = (char *)op->info.api_name,
                             .api_args = op->info.api_args,
                             .app_file_name = (char *)op->info.app_file_name,
                             .app_func_name = (char *)op->info.app_func_name,
                             .app_line_num = op->info.app_line_num,
                             .op_ins_count = op->info.op_ins_count,
                             .op_ins_ts = op->info.op_ins_ts,
                             .op_exec_ts = op->info.op_exec_ts,
                             .op_exec_time = op->info.op_exec_time,
                             .err_stack_id = op->errors};
    op->info = (H5ES_op_info_t){.api_name = NULL};
    op->errors = H5I_INVALID_HID;
    op->cls->free(op);
}

static int check_info(size_t num_err_info, const H5ES_err_info_t *err_info)
{
    if (num_err_info == 0)
        return TS_SAY(ARGS, BADVALUE, "err_info array size is 0");
    return err_info ? 0 : TS_SAY(ARGS, BADVALUE, "NULL err_info array pointer");
}

herr_t H5ESget_err_info(hid_t es_id, size_t num_err_info, H5ES_err_info_t err_info[], size_t *err_cleared)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_event_counts counts;
    struct ts_event_op *op;
    size_t n = 0;
    if (es_id == H5ES_NONE)
        return 0;
    struct ts_event_set *set = SET(es_id);
    if (!set || check_info(num_err_info, err_info) < 0)
        return TS_API_FAIL(-1);
    if (!err_cleared)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL errors cleared pointer");
    if (ts_event_count(set, &counts) < 0)
        return TS_API_FAIL(-1);
    while (n < num_err_info && (op = ts_event_take_failed(set)))
        hand_over(op, &err_info[n++]);
    *err_cleared = n;
    return 0;
}

herr_t H5ESfree_err_info(size_t num_err_info, H5ES_err_info_t err_info[])
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    int status = check_info(num_err_info, err_info);
    for (size_t i = 0; status == 0 && i < num_err_info; i++) {
        H5ES_err_info_t *info = &err_info[i];
        ts_free(info->api_name);
        ts_free(info->api_args);
        ts_free(info->app_file_name);
        ts_free(info->app_func_name);
        /* The application may have closed the stack itself. */
        if (ts_id_type(info->err_stack_id) == H5I_ERROR_STACK)
            ts_id_dec(info->err_stack_id);
        *info = (H5ES_err_info_t){.err_stack_id = H5I_INVALID_HID};
    }
    return TS_API_RET(status);
}

herr_t H5ESregister_insert_func(hid_t es_id, H5ES_event_insert_func_t func, void *ctx)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    if (es_id == H5ES_NONE)
        return 0;
    struct ts_event_set *set = SET(es_id);
    if (!set)
        return TS_API_FAIL(-1);
    if (!func)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL function callback pointer");
    ts_event_on_insert(set, func, ctx);
    return 0;
}

herr_t H5ESregister_complete_func(hid_t es_id, H5ES_event_complete_func_t func, void *ctx)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    if (es_id == H5ES_NONE)
        return 0;
    struct ts_event_set *set = SET(es_id);
    if (!set)
        return TS_API_FAIL(-1);
    if (!func)
        return TS_API_ERR(-1, ARGS, BADVALUE, "NULL function callback pointer");
    ts_event_on_complete(set, func, ctx);
    return 0;
}
