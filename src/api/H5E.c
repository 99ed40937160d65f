/* H5E: error stacks, classes and messages (id/error_object.h), and how failures are reported. */
#include "H5Epublic.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/alloc.h"
#include "base/lock.h"
#include "id/error_object.h"

static _Thread_local struct ts_err_report thread_report;

/* A stack by id, locked; the thread's own for H5E_DEFAULT needs no lock. */
struct held {
    struct ts_err_stack *stack;
    struct ts_err_report *report;
    struct ts_err_object *obj;
};

static bool hold(struct ts_api_scope *scope, hid_t id, struct held *h)
{
    if (id == H5E_DEFAULT) {
        *h = (struct held){.stack = ts_err_current(), .report = &thread_report};
        return true;
    }
    struct ts_err_object *s = ts_api_pin(scope, id, H5I_ERROR_STACK);
    if (!s)
        return false;
    ts_mutex_lock(&s->lock);
    *h = (struct held){.stack = &s->stack, .report = &s->report, .obj = s};
    return true;
}

static void let_go(const struct held *h)
{
    if (h->obj)
        ts_mutex_unlock(&h->obj->lock);
}

#define HOLD(id, h) hold(&ts_scope_, (id), (h))

hid_t H5Eregister_class(const char *cls_name, const char *lib_name, const char *version)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    if (!cls_name || !lib_name || !version)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid string");
    struct ts_err_class *cls = ts_err_class_new(cls_name, lib_name, version);
    return cls ? TS_API_NEW_ID(H5I_ERROR_CLASS, cls) : TS_API_FAIL(-1);
}

/* An id of the right type that is closed: it has no count to be one less. */
static int check_open(hid_t id, H5I_type_t type, const char *name)
{
    return ts_api_gone(id, type) ? TS_SAY(ERROR, CANTDEC, "unable to decrement ref count on error %s", name) : 0;
}

herr_t H5Eunregister_class(hid_t class_id)
{
    TS_API_ENTER(ERROR, CANTDEC, "unable to decrement ref count on error class",
                 TS_BAD_ID(ARGS, BADTYPE, "not an error class"));
    const struct ts_err_class *cls = TS_API_OBJ(class_id, H5I_ERROR_CLASS);
    if (check_open(class_id, H5I_ERROR_CLASS, "class") < 0 || !cls || ts_id_dec(class_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_err_class_drop_messages(cls));
}

ssize_t H5Eget_class_name(hid_t class_id, char *name, size_t size)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack", TS_BAD_ID(ARGS, BADTYPE, "not a error class ID"));
    const struct ts_err_class *cls = TS_API_OBJ(class_id, H5I_ERROR_CLASS);
    return cls ? (ssize_t)ts_api_copy_name(name, size, cls->name) : TS_API_FAIL(-1);
}

hid_t H5Ecreate_msg(hid_t cls_id, H5E_type_t msg_type, const char *text)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack", TS_BAD_ID(ARGS, BADTYPE, "not an error class ID"));
    if (msg_type != H5E_MAJOR && msg_type != H5E_MINOR)
        return TS_API_ERR(-1, ARGS, BADVALUE, "not a valid message type");
    if (!text)
        return TS_API_ERR(-1, ARGS, BADVALUE, "message is NULL");
    struct ts_err_class *cls = TS_API_OBJ(cls_id, H5I_ERROR_CLASS);
    if (!cls)
        return TS_API_FAIL(-1);
    struct ts_err_msg *msg = ts_err_msg_new(cls, msg_type, text);
    return msg ? TS_API_NEW_ID(H5I_ERROR_MSG, msg) : TS_API_FAIL(-1);
}

herr_t H5Eclose_msg(hid_t msg_id)
{
    TS_API_ENTER(ERROR, CANTDEC, "unable to decrement ref count on error message",
                 TS_BAD_ID(ARGS, BADTYPE, "not an error class"));
    if (check_open(msg_id, H5I_ERROR_MSG, "message") < 0 || !TS_API_OBJ(msg_id, H5I_ERROR_MSG) || ts_id_dec(msg_id) < 0)
        return TS_API_FAIL(-1);
    return 0;
}

ssize_t H5Eget_msg(hid_t msg_id, H5E_type_t *type, char *text, size_t size)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error message ID"));
    const struct ts_err_msg *msg = TS_API_OBJ(msg_id, H5I_ERROR_MSG);
    if (!msg)
        return TS_API_FAIL(-1);
    if (type)
        *type = msg->type;
    return (ssize_t)ts_api_copy_name(text, size, msg->text);
}

hid_t H5Ecreate_stack(void)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_err_object *s = ts_err_object_new();
    return s ? TS_API_NEW_ID(H5I_ERROR_STACK, s) : TS_API_FAIL(-1);
}

hid_t H5Eget_current_stack(void)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack");
    struct ts_err_object *s = ts_err_object_new();
    if (!s)
        return TS_API_FAIL(-1);
    s->report = thread_report;
    ts_err_stack_move(&s->stack, ts_err_current());
    return TS_API_NEW_ID(H5I_ERROR_STACK, s);
}

herr_t H5Eset_current_stack(hid_t stack_id)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held h;
    if (stack_id == H5E_DEFAULT)
        return 0;
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    ts_err_clear();
    int ret = ts_err_stack_append(ts_err_current(), h.stack);
    let_go(&h);
    return TS_API_RET(ret < 0 || ts_id_dec(stack_id) < 0 ? -1 : 0);
}

herr_t H5Eappend_stack(hid_t dst_id, hid_t src_id, hbool_t close_source)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack", TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held dst, src;
    if (dst_id == H5E_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADTYPE, "dst_stack_id not a error stack ID");
    if (src_id == H5E_DEFAULT)
        return TS_API_ERR(-1, ARGS, BADTYPE, "src_stack_id not a error stack ID");
    /* Two locks at once could meet two in the other order: work on a copy of the source. */
    struct ts_err_object *copy = ts_err_object_new();
    if (!copy || ts_api_adopt(&ts_scope_, H5I_ERROR_STACK, copy) < 0 || !HOLD(src_id, &src))
        return TS_API_FAIL(-1);
    int ret = ts_err_stack_append(&copy->stack, src.stack);
    let_go(&src);
    if (ret < 0 || !HOLD(dst_id, &dst))
        return TS_API_FAIL(-1);
    ret = ts_err_stack_append(dst.stack, &copy->stack);
    let_go(&dst);
    if (ret == 0 && close_source && ts_id_dec(src_id) < 0)
        ret = -1;
    return TS_API_RET(ret);
}

herr_t H5Epause_stack(hid_t stack_id)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not an error stack ID");
    h.stack->paused++;
    let_go(&h);
    return 0;
}

herr_t H5Eresume_stack(hid_t stack_id)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not an error stack ID");
    bool was = h.stack->paused > 0;
    if (was)
        h.stack->paused--;
    let_go(&h);
    return was ? 0 : TS_API_ERR(-1, ERROR, BADRANGE, "can't resume error stack: it is not paused");
}

herr_t H5Eis_paused(hid_t stack_id, hbool_t *is_paused)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct held h;
    if (!is_paused)
        return TS_API_ERR(-1, ARGS, BADVALUE, "is_paused buffer cannot be NULL");
    if (!HOLD(stack_id, &h))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not an error stack ID");
    *is_paused = h.stack->paused > 0;
    let_go(&h);
    return 0;
}

herr_t H5Eclose_stack(hid_t stack_id)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    if (stack_id == H5E_DEFAULT)
        return 0;
    ts_err_clear();
    if (check_open(stack_id, H5I_ERROR_STACK, "stack") < 0 || !TS_API_OBJ(stack_id, H5I_ERROR_STACK) ||
        ts_id_dec(stack_id) < 0)
        return TS_API_FAIL(-1);
    return 0;
}

ssize_t H5Eget_num(hid_t stack_id)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not an error stack ID"));
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    ssize_t n = (ssize_t)h.stack->depth;
    let_go(&h);
    return n;
}

herr_t H5Epop(hid_t stack_id, size_t count)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    unsigned depth = h.stack->depth;
    ts_err_stack_truncate(h.stack, count >= depth ? 0 : depth - (unsigned)count);
    let_go(&h);
    return 0;
}

herr_t H5Eclear2(hid_t stack_id)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    ts_err_stack_clear(h.stack);
    let_go(&h);
    return 0;
}

herr_t H5Eclear1(void)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    ts_err_clear();
    return 0;
}

/* Whatever the ids stand for, they must be there; nobody looks at them for a stack that has no room. */
static bool ids_are_there(const struct ts_err_stack *stack, const struct ts_err_record *rec)
{
    return stack->depth >= TS_ERR_DEPTH || (ts_id_type(rec->cls_id) != H5I_BADID && ts_id_type(rec->maj) != H5I_BADID &&
                                            ts_id_type(rec->min) != H5I_BADID);
}

herr_t H5Epush2(hid_t stack_id, const char *file, const char *func, unsigned line, hid_t cls_id, hid_t maj_id,
                hid_t min_id, const char *fmt, ...)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held h;
    struct ts_err_record rec = {.cls_id = cls_id, .maj = maj_id, .min = min_id, .line = line};
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    if (!fmt) {
        let_go(&h);
        return TS_API_ERR(-1, RESOURCE, NOSPACE, "memory allocation failed: there is no message");
    }
    if (!ids_are_there(h.stack, &rec)) {
        let_go(&h);
        return TS_API_ERR(-1, ERROR, CANTSET, "can't push error on stack");
    }
    if (h.stack->paused) {
        let_go(&h);
        return 0;
    }
    va_list args;
    va_start(args, fmt);
    ts_err_format(&rec, fmt, args);
    va_end(args);
    int ret = ts_err_stack_push(h.stack, &rec, file, func);
    let_go(&h);
    return TS_API_RET(ret);
}

__attribute__((format(printf, 2, 3))) static void format_text(struct ts_err_record *rec, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ts_err_format(rec, fmt, args);
    va_end(args);
}

herr_t H5Epush1(const char *file, const char *func, unsigned line, H5E_major_t maj, H5E_minor_t min, const char *str)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct ts_err_record rec = {.cls_id = H5E_ERR_CLS_g, .maj = maj, .min = min, .line = line};
    if (!ids_are_there(ts_err_current(), &rec))
        return TS_API_ERR(-1, ERROR, CANTSET, "can't push error on stack");
    if (ts_err_current()->paused)
        return 0;
    format_text(&rec, "%s", str ? str : "");
    return TS_API_RET(ts_err_stack_push(ts_err_current(), &rec, file, func));
}

/* The stack as it is now is walked without holding it. */
static int walk_id(struct ts_api_scope *scope, hid_t stack_id, const struct ts_err_walk *w)
{
    struct held h;
    if (!hold(scope, stack_id, &h))
        return -1;
    if (!h.obj)
        return ts_err_object_walk(h.stack, w);
    struct ts_err_object *copy = ts_err_object_new();
    int ret = copy ? ts_err_stack_append(&copy->stack, h.stack) : -1;
    let_go(&h);
    if (ret == 0)
        ret = ts_err_object_walk(&copy->stack, w);
    if (copy)
        ts_err_object_unref(copy);
    return ret;
}

herr_t H5Ewalk2(hid_t stack_id, H5E_direction_t direction, H5E_walk2_t func, void *client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct ts_err_walk w = {
        .direction = direction == H5E_WALK_UPWARD ? direction : H5E_WALK_DOWNWARD, .v2 = func, .data = client_data};
    if (stack_id != H5E_DEFAULT && !TS_API_OBJ(stack_id, H5I_ERROR_STACK))
        return TS_API_FAIL(-1);
    int ret = walk_id(&ts_scope_, stack_id, &w);
    return ret < 0 ? TS_API_ERR(ret, ERROR, CANTLIST, "can't walk error stack") : ret;
}

herr_t H5Ewalk1(H5E_direction_t direction, H5E_walk1_t func, void *client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct ts_err_walk w = {
        .direction = direction == H5E_WALK_UPWARD ? direction : H5E_WALK_DOWNWARD, .v1 = func, .data = client_data};
    /* What the old function returns beyond failure is nobody's. */
    return ts_err_object_walk(ts_err_current(), &w) < 0 ? TS_API_ERR(-1, ERROR, CANTLIST, "can't walk error stack") : 0;
}

static int print_id(struct ts_api_scope *scope, hid_t stack_id, FILE *stream)
{
    struct ts_err_print p = {.stream = stream ? stream : stderr};
    const struct ts_err_walk w = {.direction = H5E_WALK_DOWNWARD, .v2 = ts_err_print_one, .data = &p};
    return walk_id(scope, stack_id, &w);
}

herr_t H5Eprint2(hid_t stack_id, FILE *stream)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ERROR, CANTLIST, "can't display error stack"));
    return TS_API_RET(print_id(&ts_scope_, stack_id, stream));
}

herr_t H5Eprint1(FILE *stream)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ERROR, CANTLIST, "can't display error stack"));
    return TS_API_RET(print_id(&ts_scope_, H5E_DEFAULT, stream));
}

static herr_t default_print(hid_t stack_id, void *stream)
{
    return H5Eprint2(stack_id, stream);
}

void ts_error_api_quiet(void)
{
    thread_report = (struct ts_err_report){.set = true};
}

void ts_error_api_report(void)
{
    const struct ts_err_report r = thread_report;
    if (!r.set)
        default_print(H5E_DEFAULT, NULL);
    else if (r.is_v1 && r.v1)
        r.v1(r.data);
    else if (!r.is_v1 && r.v2)
        r.v2(H5E_DEFAULT, r.data);
}

herr_t H5Eset_auto2(hid_t stack_id, H5E_auto2_t func, void *client_data)
{
    struct ts_err_report report = {.set = true, .v2 = func, .data = client_data};
    /* h5py calls this before every other function. */
    if (stack_id == H5E_DEFAULT) {
        ts_api_init();
        thread_report = report;
        return 0;
    }
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    *h.report = report;
    let_go(&h);
    return 0;
}

/* Whether errors are printed as when nothing was set: by either kind of function then. */
static bool prints(const struct ts_err_report *r)
{
    return !r->set || (r->is_v1 ? r->v1 == (H5E_auto1_t)H5Eprint1 : r->v2 == (H5E_auto2_t)H5Eprint2);
}

herr_t H5Eget_auto2(hid_t stack_id, H5E_auto2_t *func, void **client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    const struct ts_err_report r = *h.report;
    let_go(&h);
    /* A function of the old kind could not be called through the new type. */
    if (!prints(&r) && r.is_v1)
        return TS_API_ERR(-1, ERROR, CANTGET, "wrong API function, H5Eset_auto1 has been called");
    if (func)
        *func = prints(&r) ? (H5E_auto2_t)H5Eprint2 : r.v2;
    if (client_data)
        *client_data = r.data;
    return 0;
}

herr_t H5Eset_auto1(H5E_auto1_t func, void *client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    thread_report = (struct ts_err_report){.set = true, .is_v1 = true, .v1 = func, .data = client_data};
    return 0;
}

herr_t H5Eget_auto1(H5E_auto1_t *func, void **client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    const struct ts_err_report r = thread_report;
    if (!prints(&r) && !r.is_v1)
        return TS_API_ERR(-1, ERROR, CANTGET, "wrong API function, H5Eset_auto2 has been called");
    if (func)
        *func = prints(&r) ? (H5E_auto1_t)H5Eprint1 : r.v1;
    if (client_data)
        *client_data = r.data;
    return 0;
}

herr_t H5Eauto_is_v2(hid_t stack_id, unsigned *is_v2)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct held h;
    if (!HOLD(stack_id, &h))
        return TS_API_FAIL(-1);
    if (is_v2)
        *is_v2 = !(h.report->set && h.report->is_v1);
    let_go(&h);
    return 0;
}

/* The text is the caller's, who frees it. */
static char *text_of(struct ts_api_scope *scope, hid_t id, H5E_type_t type)
{
    const struct ts_err_msg *msg = ts_api_pin(scope, id, H5I_ERROR_MSG);
    if (!msg)
        return NULL;
    if (msg->type == type)
        return ts_strdup(msg->text);
    TS_SAY(ERROR, CANTGET, "Error message isn't a %s one", type == H5E_MAJOR ? "major" : "minor");
    return NULL;
}

char *H5Eget_major(H5E_major_t maj)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error message ID"));
    char *text = text_of(&ts_scope_, maj, H5E_MAJOR);
    return text ? text : TS_API_FAIL(NULL);
}

char *H5Eget_minor(H5E_minor_t min)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error message ID"));
    char *text = text_of(&ts_scope_, min, H5E_MINOR);
    return text ? text : TS_API_FAIL(NULL);
}
