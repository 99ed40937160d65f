#include "H5Epublic.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/abi.h"
#include "base/alloc.h"
#include "base/lock.h"

struct err_class {
    atomic_uint refs;
    char *name, *lib, *version;
};

struct err_msg {
    atomic_uint refs;
    struct err_class *cls;
    H5E_type_t type;
    char *text;
};

/* How errors are reported by themselves. */
struct auto_report {
    bool set; /* false: the library's default, printing */
    bool is_v1;
    H5E_auto1_t v1;
    H5E_auto2_t v2;
    void *data;
};

struct err_stack {
    atomic_uint refs;
    struct ts_mutex lock;
    struct ts_err_stack stack;
    struct auto_report report;
};

hid_t H5E_ERR_CLS_g = H5I_INVALID_HID;
#define X(name, text) hid_t H5E_##name##_g = H5I_INVALID_HID;
TS_MAJORS(X)
TS_MINORS(X)
#undef X

static hid_t *const major_ids[] = {
#define X(name, text) &H5E_##name##_g,
    TS_MAJORS(X)
#undef X
};
static hid_t *const minor_ids[] = {
#define X(name, text) &H5E_##name##_g,
    TS_MINORS(X)
#undef X
};
static const char *const major_texts[] = {
#define X(name, text) text,
    TS_MAJORS(X)
#undef X
};
static const char *const minor_texts[] = {
#define X(name, text) text,
    TS_MINORS(X)
#undef X
};

static _Thread_local struct auto_report thread_report;

static void class_ref(void *obj)
{
    atomic_fetch_add_explicit(&((struct err_class *)obj)->refs, 1, memory_order_relaxed);
}

static void class_unref(void *obj)
{
    struct err_class *cls = obj;
    if (atomic_fetch_sub_explicit(&cls->refs, 1, memory_order_acq_rel) != 1)
        return;
    ts_free(cls->name);
    ts_free(cls->lib);
    ts_free(cls->version);
    ts_free(cls);
}

static void msg_ref(void *obj)
{
    atomic_fetch_add_explicit(&((struct err_msg *)obj)->refs, 1, memory_order_relaxed);
}

static void msg_unref(void *obj)
{
    struct err_msg *msg = obj;
    if (atomic_fetch_sub_explicit(&msg->refs, 1, memory_order_acq_rel) != 1)
        return;
    class_unref(msg->cls);
    ts_free(msg->text);
    ts_free(msg);
}

static void stack_ref(void *obj)
{
    atomic_fetch_add_explicit(&((struct err_stack *)obj)->refs, 1, memory_order_relaxed);
}

static void stack_unref(void *obj)
{
    struct err_stack *s = obj;
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    ts_err_stack_clear(&s->stack);
    ts_mutex_deinit(&s->lock);
    ts_free(s);
}

static struct err_class *class_new(const char *name, const char *lib, const char *version)
{
    struct err_class *cls = ts_calloc(1, sizeof *cls);
    if (!cls)
        return NULL;
    atomic_init(&cls->refs, 1);
    cls->name = ts_strdup(name);
    cls->lib = ts_strdup(lib);
    cls->version = ts_strdup(version);
    if (cls->name && cls->lib && cls->version)
        return cls;
    class_unref(cls);
    return NULL;
}

static struct err_msg *msg_new(struct err_class *cls, H5E_type_t type, const char *text)
{
    struct err_msg *msg = ts_calloc(1, sizeof *msg);
    if (!msg)
        return NULL;
    atomic_init(&msg->refs, 1);
    class_ref(cls);
    msg->cls = cls;
    msg->type = type;
    msg->text = ts_strdup(text);
    if (msg->text)
        return msg;
    msg_unref(msg);
    return NULL;
}

static hid_t library_msg(struct err_class *cls, H5E_type_t type, const char *text)
{
    struct err_msg *msg = msg_new(cls, type, text);
    hid_t id = msg ? ts_id_register_hidden(H5I_ERROR_MSG, msg) : -1;
    if (msg && id < 0)
        msg_unref(msg);
    return id;
}

void ts_error_api_init(void)
{
    static const struct ts_id_class classes = {.ref = class_ref, .unref = class_unref};
    static const struct ts_id_class messages = {.ref = msg_ref, .unref = msg_unref};
    static const struct ts_id_class stacks = {.ref = stack_ref, .unref = stack_unref};
    ts_id_class_set(H5I_ERROR_CLASS, &classes);
    ts_id_class_set(H5I_ERROR_MSG, &messages);
    ts_id_class_set(H5I_ERROR_STACK, &stacks);
    struct err_class *cls = class_new("HDF5", "HDF5", TS_ABI_VERSION);
    if (!cls)
        return;
    H5E_ERR_CLS_g = ts_id_register_hidden(H5I_ERROR_CLASS, cls);
    for (int i = 0; i < TS_MAJ_COUNT; i++)
        *major_ids[i] = library_msg(cls, H5E_MAJOR, major_texts[i]);
    for (int i = 0; i < TS_MIN_COUNT; i++)
        *minor_ids[i] = library_msg(cls, H5E_MINOR, minor_texts[i]);
    /* New names of the same things. */
    H5E_ID_g = H5E_ATOM_g;
    H5E_BADID_g = H5E_BADATOM_g;
    if (H5E_ERR_CLS_g < 0)
        class_unref(cls);
}

/* A stack by id, locked; the thread's own for H5E_DEFAULT needs no lock. */
struct held {
    struct ts_err_stack *stack;
    struct auto_report *report;
    struct err_stack *obj;
};

static bool hold(struct ts_api_scope *scope, hid_t id, struct held *h)
{
    if (id == H5E_DEFAULT) {
        *h = (struct held){.stack = ts_err_current(), .report = &thread_report};
        return true;
    }
    struct err_stack *s = ts_api_pin(scope, id, H5I_ERROR_STACK);
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
    struct err_class *cls = class_new(cls_name, lib_name, version);
    return cls ? TS_API_NEW_ID(H5I_ERROR_CLASS, cls) : TS_API_FAIL(-1);
}

/* The messages of a class go with it. */
static int drop_messages(const struct err_class *cls)
{
    hid_t *ids;
    size_t n;
    if (ts_id_list(H5I_ERROR_MSG, false, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct err_msg *msg = ts_id_pin(ids[i], H5I_ERROR_MSG);
        if (msg && msg->cls == cls)
            while (ts_id_dec(ids[i]) > 0)
                continue;
        if (msg)
            msg_unref(msg);
    }
    ts_free(ids);
    return 0;
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
    const struct err_class *cls = TS_API_OBJ(class_id, H5I_ERROR_CLASS);
    if (check_open(class_id, H5I_ERROR_CLASS, "class") < 0 || !cls || ts_id_dec(class_id) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(drop_messages(cls));
}

ssize_t H5Eget_class_name(hid_t class_id, char *name, size_t size)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack", TS_BAD_ID(ARGS, BADTYPE, "not a error class ID"));
    const struct err_class *cls = TS_API_OBJ(class_id, H5I_ERROR_CLASS);
    return cls ? (ssize_t)ts_api_copy_name(name, size, cls->name) : TS_API_FAIL(-1);
}

hid_t H5Ecreate_msg(hid_t cls_id, H5E_type_t msg_type, const char *text)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack", TS_BAD_ID(ARGS, BADTYPE, "not an error class ID"));
    if (msg_type != H5E_MAJOR && msg_type != H5E_MINOR)
        return TS_API_ERR(-1, ARGS, BADVALUE, "not a valid message type");
    if (!text)
        return TS_API_ERR(-1, ARGS, BADVALUE, "message is NULL");
    struct err_class *cls = TS_API_OBJ(cls_id, H5I_ERROR_CLASS);
    if (!cls)
        return TS_API_FAIL(-1);
    struct err_msg *msg = msg_new(cls, msg_type, text);
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
    const struct err_msg *msg = TS_API_OBJ(msg_id, H5I_ERROR_MSG);
    if (!msg)
        return TS_API_FAIL(-1);
    if (type)
        *type = msg->type;
    return (ssize_t)ts_api_copy_name(text, size, msg->text);
}

static struct err_stack *stack_new(void)
{
    struct err_stack *s = ts_calloc(1, sizeof *s);
    if (s) {
        atomic_init(&s->refs, 1);
        ts_mutex_init(&s->lock, TS_RANK_ERROR_STACK);
    }
    return s;
}

hid_t H5Ecreate_stack(void)
{
    TS_API_ENTER(ERROR, CANTOPERATE, "can't operate on error stack");
    struct err_stack *s = stack_new();
    return s ? TS_API_NEW_ID(H5I_ERROR_STACK, s) : TS_API_FAIL(-1);
}

hid_t H5Eget_current_stack(void)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack");
    struct err_stack *s = stack_new();
    if (!s)
        return TS_API_FAIL(-1);
    s->report = thread_report;
    ts_err_stack_move(&s->stack, ts_err_current());
    return TS_API_NEW_ID(H5I_ERROR_STACK, s);
}

__attribute__((format(printf, 2, 3))) static void format_text(struct ts_err_record *rec, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ts_err_format(rec, fmt, args);
    va_end(args);
}

/* A record that owns its names gets copies of them. Without memory it owns nothing, and that is an error. */
static int own_names(struct ts_err_record *rec, const char *file, const char *func)
{
    rec->file = ts_strdup(file);
    rec->func = ts_strdup(func);
    if (rec->file && rec->func)
        return 0;
    ts_free((char *)rec->file);
    ts_free((char *)rec->func);
    ts_free(rec->long_text);
    return -1;
}

static int copy_record(struct ts_err_record *dst, const struct ts_err_record *src)
{
    /* Apart from the stack, which gets a record of its own when memory is short. */
    struct ts_err_record copy = *src;
    copy.long_text = ts_err_copy_long_text(src);
    if (src->owns_names && own_names(&copy, src->file, src->func) < 0)
        return -1;
    *dst = copy;
    return 0;
}

/* Behind what dst has; what does not fit is left out. */
static int append(struct ts_err_stack *dst, const struct ts_err_stack *src)
{
    for (unsigned i = 0; i < src->depth && dst->depth < TS_ERR_DEPTH; i++) {
        if (copy_record(&dst->rec[dst->depth], &src->rec[i]) < 0)
            return -1;
        dst->depth++;
    }
    return 0;
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
    int ret = append(ts_err_current(), h.stack);
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
    struct err_stack *copy = stack_new();
    if (!copy || ts_api_adopt(&ts_scope_, H5I_ERROR_STACK, copy) < 0 || !HOLD(src_id, &src))
        return TS_API_FAIL(-1);
    int ret = append(&copy->stack, src.stack);
    let_go(&src);
    if (ret < 0 || !HOLD(dst_id, &dst))
        return TS_API_FAIL(-1);
    ret = append(dst.stack, &copy->stack);
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

/* Whatever the ids stand for, they must be there. */
static bool ids_are_there(const struct ts_err_record *rec)
{
    return ts_id_type(rec->cls_id) != H5I_BADID && ts_id_type(rec->maj) != H5I_BADID &&
           ts_id_type(rec->min) != H5I_BADID;
}

/* Takes the long text of what is given. */
static int push(struct ts_err_stack *stack, struct ts_err_record *given, const char *file, const char *func)
{
    if (stack->depth == TS_ERR_DEPTH) {
        ts_free(given->long_text);
        return 0;
    }
    given->owns_names = true;
    if (own_names(given, file ? file : "Unknown_File", func ? func : "Unknown_Function") < 0)
        return -1;
    stack->rec[stack->depth++] = *given;
    return 0;
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
    if (!ids_are_there(&rec)) {
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
    int ret = push(h.stack, &rec, file, func);
    let_go(&h);
    return TS_API_RET(ret);
}

herr_t H5Epush1(const char *file, const char *func, unsigned line, H5E_major_t maj, H5E_minor_t min, const char *str)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct ts_err_record rec = {.cls_id = H5E_ERR_CLS_g, .maj = maj, .min = min, .line = line};
    if (!ids_are_there(&rec))
        return TS_API_ERR(-1, ERROR, CANTSET, "can't push error on stack");
    if (ts_err_current()->paused)
        return 0;
    format_text(&rec, "%s", str ? str : "");
    return TS_API_RET(push(ts_err_current(), &rec, file, func));
}

static void describe(const struct ts_err_record *rec, H5E_error2_t *out)
{
    bool ours = rec->cls_id == 0;
    *out = (H5E_error2_t){.cls_id = ours ? H5E_ERR_CLS_g : rec->cls_id,
                          .maj_num = ours ? *major_ids[rec->maj] : rec->maj,
                          .min_num = ours ? *minor_ids[rec->min] : rec->min,
                          .line = rec->line,
                          .func_name = rec->func,
                          .file_name = rec->file,
                          .desc = ts_err_text(rec)};
}

struct walk {
    H5E_direction_t direction;
    H5E_walk2_t v2;
    H5E_walk1_t v1;
    void *data;
};

/* What a callback is given is good until the stack changes, as in libhdf5: h5py looks at it after the walk. So it is the
 * stack's own record, unless a callback before has changed the stack. */
static const struct ts_err_record *lasting(const struct ts_err_stack *stack, const struct ts_err_record *copy, unsigned n)
{
    const struct ts_err_record *own = &stack->rec[n];
    bool same = n < stack->depth && own->cls_id == copy->cls_id && own->maj == copy->maj && own->min == copy->min &&
                own->line == copy->line && strcmp(own->func, copy->func) == 0 && strcmp(own->file, copy->file) == 0 &&
                strcmp(ts_err_text(own), ts_err_text(copy)) == 0;
    return same ? own : copy;
}

/* On a copy: the callback may call anything, that clears the stack. */
static int walk(const struct ts_err_stack *stack, const struct walk *w)
{
    TS_MAY_CALL_OUT();
    struct err_stack *copy = stack_new();
    if (!copy || append(&copy->stack, stack) < 0) {
        if (copy)
            stack_unref(copy);
        return -1;
    }
    int ret = 0;
    unsigned n = copy->stack.depth;
    for (unsigned i = 0; ret == 0 && i < n; i++) {
        H5E_error2_t e;
        unsigned at = w->direction == H5E_WALK_UPWARD ? i : n - 1 - i;
        describe(lasting(stack, &copy->stack.rec[at], at), &e);
        H5E_error1_t old = {.maj_num = e.maj_num, .min_num = e.min_num, .func_name = e.func_name,
                            .file_name = e.file_name, .line = e.line, .desc = e.desc};
        if (w->v2)
            ret = w->v2(i, &e, w->data);
        else if (w->v1)
            ret = w->v1((int)i, &old, w->data);
    }
    stack_unref(copy);
    return ret;
}

/* The stack as it is now is walked without holding it. */
static int walk_id(struct ts_api_scope *scope, hid_t stack_id, const struct walk *w)
{
    struct held h;
    if (!hold(scope, stack_id, &h))
        return -1;
    if (!h.obj)
        return walk(h.stack, w);
    struct err_stack *copy = stack_new();
    int ret = copy ? append(&copy->stack, h.stack) : -1;
    let_go(&h);
    if (ret == 0)
        ret = walk(&copy->stack, w);
    if (copy)
        stack_unref(copy);
    return ret;
}

herr_t H5Ewalk2(hid_t stack_id, H5E_direction_t direction, H5E_walk2_t func, void *client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct walk w = {.direction = direction == H5E_WALK_UPWARD ? direction : H5E_WALK_DOWNWARD,
                     .v2 = func,
                     .data = client_data};
    if (stack_id != H5E_DEFAULT && !TS_API_OBJ(stack_id, H5I_ERROR_STACK))
        return TS_API_FAIL(-1);
    int ret = walk_id(&ts_scope_, stack_id, &w);
    return ret < 0 ? TS_API_ERR(ret, ERROR, CANTLIST, "can't walk error stack") : ret;
}

herr_t H5Ewalk1(H5E_direction_t direction, H5E_walk1_t func, void *client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    struct walk w = {.direction = direction == H5E_WALK_UPWARD ? direction : H5E_WALK_DOWNWARD,
                     .v1 = func,
                     .data = client_data};
    /* What the old function returns beyond failure is nobody's. */
    return walk(ts_err_current(), &w) < 0 ? TS_API_ERR(-1, ERROR, CANTLIST, "can't walk error stack") : 0;
}

/* Small numbers in the order in which threads first print: easier to follow than addresses. */
static unsigned thread_number(void)
{
    static atomic_uint count;
    static _Thread_local unsigned number;
    if (number == 0)
        number = atomic_fetch_add(&count, 1) + 1;
    return number;
}

struct print {
    FILE *stream;
    hid_t cls; /* of the record before */
};

/* Fails for an id that was never one of a message: a record may have any. */
static int print_msg(FILE *stream, const char *what, hid_t id)
{
    struct err_msg *msg = ts_id_pin(id, H5I_ERROR_MSG);
    if (!msg && ts_id_made_for(id) != H5I_ERROR_MSG)
        return -1;
    fprintf(stream, "    %s: %s\n", what, msg ? msg->text : "(none)");
    if (msg)
        msg_unref(msg);
    return 0;
}

static herr_t print_one(unsigned n, const H5E_error2_t *e, void *data)
{
    struct print *p = data;
    if (p->cls != e->cls_id) {
        struct err_class *cls = ts_id_pin(e->cls_id, H5I_ERROR_CLASS);
        fprintf(p->stream, "%s-DIAG: Error detected in %s (%s) thread %u:\n", cls ? cls->name : "(none)",
                cls ? cls->lib : "(none)", cls ? cls->version : "(none)", thread_number());
        if (cls)
            class_unref(cls);
        p->cls = e->cls_id;
    }
    fprintf(p->stream, "  #%03u: %s line %u in %s(): %s\n", n, e->file_name, e->line, e->func_name, e->desc);
    return print_msg(p->stream, "major", e->maj_num) < 0 ? -1 : print_msg(p->stream, "minor", e->min_num);
}

static int print_id(struct ts_api_scope *scope, hid_t stack_id, FILE *stream)
{
    struct print p = {.stream = stream ? stream : stderr};
    struct walk w = {.direction = H5E_WALK_DOWNWARD, .v2 = print_one, .data = &p};
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
    thread_report = (struct auto_report){.set = true};
}

void ts_error_api_report(void)
{
    const struct auto_report r = thread_report;
    if (!r.set)
        default_print(H5E_DEFAULT, NULL);
    else if (r.is_v1 && r.v1)
        r.v1(r.data);
    else if (!r.is_v1 && r.v2)
        r.v2(H5E_DEFAULT, r.data);
}

herr_t H5Eset_auto2(hid_t stack_id, H5E_auto2_t func, void *client_data)
{
    struct auto_report report = {.set = true, .v2 = func, .data = client_data};
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
static bool prints(const struct auto_report *r)
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
    const struct auto_report r = *h.report;
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
    thread_report = (struct auto_report){.set = true, .is_v1 = true, .v1 = func, .data = client_data};
    return 0;
}

herr_t H5Eget_auto1(H5E_auto1_t *func, void **client_data)
{
    TS_API_ENTER_NOCLEAR(ERROR, CANTOPERATE, "can't operate on error stack",
                         TS_BAD_ID(ARGS, BADTYPE, "not a error stack ID"));
    const struct auto_report r = thread_report;
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
    const struct err_msg *msg = ts_api_pin(scope, id, H5I_ERROR_MSG);
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
