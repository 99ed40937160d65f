/* Making an operation of an event set from a call (async.h): its arguments are copied or held, and it runs later. */
#include "api/async.h"

#include <stdio.h>
#include <string.h>

#include "H5Epublic.h"
#include "base/alloc.h"
#include "dataset/dataset.h"
#include "event/event.h"
#include "object/reference.h"
#include "space/space.h"

/* An object that an operation holds. When it runs, the object gets an id of the library's own, in the place of the
 * application's. */
struct held {
    struct ts_hold hold;
    hid_t *place;
    hid_t lent; /* 0: none */
};

struct async_op {
    struct ts_event_op base;
    struct ts_async_call call; /* its arguments are the operation's own */
    hid_t promised;            /* 0: nothing */
    size_t n_held;
    struct held held[];
};

static bool is_held(const struct ts_async_arg *arg)
{
    switch (arg->kind) {
    case TS_ASYNC_OBJECT:
    case TS_ASYNC_OPTION:
    case TS_ASYNC_REPLACED:
    case TS_ASYNC_OBJECTS:
    case TS_ASYNC_OPTIONS:
        return true;
    default:
        return false;
    }
}

static bool is_array(const struct ts_async_arg *arg)
{
    return arg->kind == TS_ASYNC_OBJECTS || arg->kind == TS_ASYNC_OPTIONS || arg->kind == TS_ASYNC_BUFFERS;
}

/* H5P_DEFAULT, H5S_ALL, H5S_BLOCK, H5S_PLIST; numbers that are no ids are for the call to complain of. */
static bool stands_in(const struct ts_async_arg *arg, hid_t id)
{
    return (arg->kind == TS_ASYNC_OPTION || arg->kind == TS_ASYNC_OPTIONS) && (id <= H5S_PLIST);
}

/* Appends to a text of which there is only the length when there is no room. */
struct text {
    char *at;
    size_t length, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at ? t->at + t->length : NULL, t->room > t->length ? t->room - t->length : 0, format, args);
    va_end(args);
    t->length += n > 0 ? (size_t)n : 0;
}

static void add_array(struct text *t, const struct ts_async_arg *arg)
{
    add(t, "[");
    for (size_t i = 0; arg->ids && i < arg->n; i++)
        if (arg->kind == TS_ASYNC_BUFFERS)
            add(t, "%s%p", i ? ", " : "", arg->ins[i]);
        else
            add(t, "%s%lld", i ? ", " : "", (long long)arg->ids[i]);
    add(t, "]");
}

static void add_value(struct text *t, const struct ts_async_arg *arg)
{
    if (is_array(arg))
        add_array(t, arg);
    else if (is_held(arg) || arg->kind == TS_ASYNC_CLOSED)
        add(t, "%lld", (long long)arg->id);
    else if (arg->kind == TS_ASYNC_TEXT)
        add(t, "\"%s\"", arg->text);
    else if (arg->kind == TS_ASYNC_NUMBER)
        add(t, "%llu", (unsigned long long)arg->number);
    else if (arg->kind == TS_ASYNC_FUNCTION)
        add(t, "%#llx", (unsigned long long)(uintptr_t)arg->function);
    else
        add(t, "%p", arg->in);
}

static void add_args(struct text *t, const struct ts_async_call *call)
{
    for (const struct ts_async_arg *arg = call->args; arg->name; arg++) {
        add(t, "%s%s=", arg == call->args ? "" : ", ", arg->name);
        add_value(t, arg);
    }
}

/* The arguments as the application gave them; the caller's to free. */
static char *describe(const struct ts_async_call *call)
{
    struct text t = {NULL, 0, 0};
    add_args(&t, call);
    t = (struct text){ts_malloc(t.length + 1), 0, t.length + 1};
    if (t.at)
        add_args(&t, call);
    return t.at;
}

static int set_strings(struct async_op *op, const struct ts_async_call *call)
{
    H5ES_op_info_t *info = &op->base.info;
    info->app_line_num = call->app_line;
    info->api_args = describe(call);
    info->api_name = ts_strdup(call->name);
    info->app_file_name = ts_strdup(call->app_file ? call->app_file : "");
    info->app_func_name = ts_strdup(call->app_func ? call->app_func : "");
    return info->api_args && info->api_name && info->app_file_name && info->app_func_name ? 0 : -1;
}

static int check_args(const struct ts_async_call *call)
{
    const size_t most = SIZE_MAX / TS_ASYNC_ARGS / 2 / sizeof(struct held);
    for (const struct ts_async_arg *arg = call->args; arg->name; arg++) {
        bool array = is_array(arg) && arg->n > 0;
        if (array && arg->n > most)
            return TS_ERR(ARGS, BADVALUE, "%s: %zu are too many", arg->name, arg->n);
        if ((array || arg->kind == TS_ASYNC_TEXT || arg->kind == TS_ASYNC_EXTENT || arg->kind == TS_ASYNC_REFERENCE ||
             arg->kind == TS_ASYNC_RESULT) &&
            !arg->in)
            return TS_ERR(ARGS, BADVALUE, "%s is NULL", arg->name);
        if (arg->kind == TS_ASYNC_FUNCTION && !arg->function)
            return TS_ERR(ARGS, BADVALUE, "no %s specified", arg->name);
    }
    return 0;
}

static int copy_reference(struct ts_async_arg *arg)
{
    struct ts_ref from, copy;
    ts_ref_load(&from, arg->reference);
    arg->reference = NULL;
    if (!from.fh)
        return TS_ERR(REFERENCE, BADVALUE, "the reference refers to nothing");
    H5R_ref_t *own = ts_malloc(sizeof *own);
    if (!own || ts_ref_copy(&copy, &from) < 0) {
        ts_free(own);
        return -1;
    }
    ts_ref_store(&copy, own);
    arg->reference = own;
    return 0;
}

/* How many numbers there are only the dataset knows, which may have to be waited for. */
static int copy_extent(struct ts_api_scope *scope, struct ts_async_arg *arg, hid_t dataset)
{
    const struct ts_dataset *d = ts_api_pin(scope, dataset, H5I_DATASET);
    const hsize_t *given = arg->extent;
    arg->extent = d ? ts_memdup(given, d->core->rank * sizeof *given) : NULL;
    return arg->extent ? 0 : -1;
}

static int copy_bytes(struct ts_async_arg *arg, size_t size)
{
    arg->in = size > 0 ? ts_memdup(arg->in, size) : NULL;
    return arg->in || size == 0 ? 0 : -1;
}

/* Until it is copied an argument is the application's: on error it is NULL. */
static int copy_arg(struct ts_api_scope *scope, const struct ts_async_call *call, struct ts_async_arg *arg)
{
    if (is_array(arg))
        return copy_bytes(arg, arg->n * (arg->kind == TS_ASYNC_BUFFERS ? sizeof *arg->ins : sizeof *arg->ids));
    switch (arg->kind) {
    case TS_ASYNC_TEXT:
        return copy_bytes(arg, strlen(arg->text) + 1);
    case TS_ASYNC_EXTENT:
        return copy_extent(scope, arg, call->args[0].id);
    case TS_ASYNC_REFERENCE:
        return copy_reference(arg);
    default:
        return 0;
    }
}

static void free_arg(struct ts_async_arg *arg)
{
    if (is_array(arg) || arg->kind == TS_ASYNC_TEXT || arg->kind == TS_ASYNC_EXTENT || arg->kind == TS_ASYNC_REFERENCE)
        ts_free(arg->out);
}

/* What the application may change meanwhile is copied. */
static void *own_object(H5I_type_t type, void *obj)
{
    struct ts_space *space;
    struct ts_plist *list;
    if (type == H5I_DATASPACE)
        return ts_space_snapshot(obj, &space) < 0 ? NULL : space;
    if (type == H5I_GENPROP_LST)
        return ts_plist_copy(obj, &list) < 0 ? NULL : list;
    ts_id_pin_again(type, obj);
    return obj;
}

static void got_promised(struct ts_hold *hold, H5I_type_t type, void *obj)
{
    unsigned mark = ts_err_mark();
    hold->type = type;
    hold->obj = own_object(type, obj);
    ts_err_rewind(mark);
}

static int hold_id(struct async_op *op, hid_t *place)
{
    struct held *held = &op->held[op->n_held++];
    held->hold.got = got_promised;
    held->place = place;
    int there = ts_id_hold(*place, &held->hold);
    if (there <= 0)
        return there;
    void *found = held->hold.obj;
    held->hold.obj = own_object(held->hold.type, found);
    ts_id_unpin(held->hold.type, found);
    return held->hold.obj ? 0 : -1;
}

static int hold_ids(struct async_op *op, struct ts_async_arg *arg)
{
    hid_t *ids = is_array(arg) ? arg->ids : &arg->id;
    for (size_t i = 0; i < arg->n; i++)
        if (!stands_in(arg, ids[i]) && hold_id(op, &ids[i]) < 0)
            return TS_ERR(ARGS, BADVALUE, "argument %s", arg->name);
    return 0;
}

static void free_op(struct ts_event_op *base)
{
    struct async_op *op = (struct async_op *)base;
    for (struct ts_async_arg *arg = op->call.args; arg->name; arg++)
        free_arg(arg);
    ts_free((char *)base->info.api_name);
    ts_free(base->info.api_args);
    ts_free((char *)base->info.app_file_name);
    ts_free((char *)base->info.app_func_name);
    if (base->errors > 0)
        ts_id_dec(base->errors);
    ts_promise_unref(op->base.promise);
    ts_free(op);
}

/* Of all that was held. What goes wrong is owed. */
static void let_go(struct async_op *op)
{
    for (struct ts_async_arg *arg = op->call.args; arg->name; arg++)
        if (arg->kind == TS_ASYNC_REFERENCE && arg->reference)
            ts_ref_destroy(arg->reference);
    for (size_t i = 0; i < op->n_held; i++) {
        struct held *held = &op->held[i];
        ts_promise_forget(&held->hold);
        if (held->lent)
            ts_id_drop(held->lent);
        else
            ts_id_unpin(held->hold.type, held->hold.obj);
        *held = (struct held){.lent = 0};
    }
}

static const struct ts_async_arg *closed_arg(const struct async_op *op)
{
    return op->call.args[0].kind == TS_ASYNC_CLOSED ? &op->call.args[0] : NULL;
}

static void not_run(struct ts_event_op *base)
{
    struct async_op *op = (struct async_op *)base;
    const struct ts_async_arg *closed = closed_arg(op);
    if (closed)
        ts_id_stay(closed->id);
    if (op->promised)
        ts_id_break_promise(op->promised, op->base.promise);
    let_go(op);
}

/* Gives the objects ids for the call. */
static int lend(struct async_op *op)
{
    for (size_t i = 0; i < op->n_held; i++) {
        struct held *held = &op->held[i];
        if (ts_promise_await(&held->hold) < 0)
            return -1;
        if (!held->hold.obj)
            return TS_ERR(ARGS, BADVALUE,
                          "the operation of an event set that was to make the object of id %lld failed or was "
                          "called off",
                          (long long)*held->place);
        hid_t id = ts_id_register_hidden(held->hold.type, held->hold.obj);
        if (id < 0)
            return -1;
        *held->place = held->lent = id;
    }
    return 0;
}

static hid_t replacement(const struct async_op *op)
{
    for (const struct ts_async_arg *arg = op->call.args; arg->name; arg++)
        if (arg->kind == TS_ASYNC_REPLACED)
            return arg->id;
    return 0;
}

static int64_t call(struct async_op *op)
{
    const struct ts_async_arg *closed = closed_arg(op);
    if (closed)
        ts_id_close_now(closed->id);
    int64_t result = lend(op) < 0 ? -1 : op->call.run(op->call.args);
    if (closed)
        ts_id_stay(closed->id);
    if (op->promised && result < 0)
        ts_id_break_promise(op->promised, op->base.promise);
    else if (op->promised)
        ts_id_keep_promise(op->promised, op->base.promise,
                           op->call.makes == H5I_BADID ? replacement(op) : (hid_t)result);
    return result;
}

static int run_op(struct ts_event_op *base)
{
    struct async_op *op = (struct async_op *)base;
    ts_error_api_quiet();
    ts_err_clear();
    unsigned owed = ts_err_owed();
    int64_t result = call(op);
    let_go(op);
    if (ts_err_owed() != owed)
        result = -1;
    ts_err_pay(owed);
    if (result >= 0)
        return 0;
    base->errors = H5Eget_current_stack();
    return -1;
}

static struct async_op *new_op(const struct ts_async_call *call)
{
    /* What is closed is not called off: nobody else could close it then. */
    static const struct ts_event_op_class usual = {run_op, not_run, free_op}, closing = {run_op, NULL, free_op};
    size_t n_held = 0;
    for (const struct ts_async_arg *arg = call->args; arg->name; arg++)
        n_held += is_held(arg) ? arg->n : 0;
    struct async_op *op = ts_calloc(1, sizeof *op + n_held * sizeof *op->held);
    if (!op)
        return NULL;
    op->base.cls = call->args[0].kind == TS_ASYNC_CLOSED ? &closing : &usual;
    op->base.errors = H5I_INVALID_HID;
    op->call = *call;
    op->call.args[0].name = NULL;
    return op;
}

/* Argument by argument, so that those behind the first one that fails are nobody's. */
static int own_args(struct ts_api_scope *scope, struct async_op *op, const struct ts_async_call *call)
{
    for (size_t i = 0; call->args[i].name; i++) {
        struct ts_async_arg *arg = &op->call.args[i];
        *arg = call->args[i];
        op->call.args[i + 1].name = NULL;
        if (copy_arg(scope, call, arg) < 0 || (is_held(arg) && hold_ids(op, arg) < 0))
            return -1;
        if (arg->kind == TS_ASYNC_CLOSED && ts_id_leave(arg->id, (unsigned)arg->n) < 0) {
            arg->kind = TS_ASYNC_NUMBER;
            return -1;
        }
    }
    return 0;
}

/* For an object that the call makes, or puts in the place of another. */
static int promise(struct async_op *op, const struct ts_async_call *call, struct ts_event_set *set)
{
    hid_t again = 0;
    for (const struct ts_async_arg *arg = call->args; arg->name; arg++)
        again = arg->kind == TS_ASYNC_REPLACED ? arg->id : again;
    if (!again && call->makes == H5I_BADID)
        return 0;
    op->base.promise = ts_promise_new(set);
    if (!op->base.promise)
        return -1;
    hid_t id = !again ? ts_id_promise(call->makes, op->base.promise)
               : ts_id_promise_again(again, H5I_DATATYPE, op->base.promise) < 0 ? -1
                                                                                : again;
    op->promised = id < 0 ? 0 : id;
    return id < 0 ? -1 : 0;
}

hid_t ts_async_insert(struct ts_api_scope *scope, hid_t es_id, const struct ts_async_call *call)
{
    struct ts_event_set *set = ts_event_api_set(scope, es_id);
    struct async_op *op = set && check_args(call) == 0 ? new_op(call) : NULL;
    if (!op)
        return -1;
    int status = set_strings(op, call);
    if (status == 0)
        status = own_args(scope, op, call);
    if (status == 0)
        status = promise(op, call, set);
    /* The set's thread may be done with it before this one goes on. */
    hid_t promised = call->makes == H5I_BADID ? 0 : op->promised;
    if (status == 0)
        status = ts_event_insert(set, &op->base);
    if (status < 0) {
        not_run(&op->base);
        if (promised)
            ts_id_unreserve(promised);
        free_op(&op->base);
    }
    return status < 0 ? -1 : promised;
}
