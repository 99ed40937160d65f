/* Error classes, messages and stacks as objects with ids; walking a stack, and printing it. */
#include "id/error_object.h"

#include <stdlib.h>
#include <string.h>

#include "base/abi.h"
#include "base/alloc.h"
#include "id/id.h"

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

static void class_ref(void *obj)
{
    atomic_fetch_add_explicit(&((struct ts_err_class *)obj)->refs, 1, memory_order_relaxed);
}

void ts_err_class_unref(void *obj)
{
    struct ts_err_class *cls = obj;
    if (atomic_fetch_sub_explicit(&cls->refs, 1, memory_order_acq_rel) != 1)
        return;
    ts_free(cls->name);
    ts_free(cls->lib);
    ts_free(cls->version);
    ts_free(cls);
}

static void msg_ref(void *obj)
{
    atomic_fetch_add_explicit(&((struct ts_err_msg *)obj)->refs, 1, memory_order_relaxed);
}

void ts_err_msg_unref(void *obj)
{
    struct ts_err_msg *msg = obj;
    if (atomic_fetch_sub_explicit(&msg->refs, 1, memory_order_acq_rel) != 1)
        return;
    ts_err_class_unref(msg->cls);
    ts_free(msg->text);
    ts_free(msg);
}

static void stack_ref(void *obj)
{
    atomic_fetch_add_explicit(&((struct ts_err_object *)obj)->refs, 1, memory_order_relaxed);
}

void ts_err_object_unref(void *obj)
{
    struct ts_err_object *s = obj;
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    ts_err_stack_clear(&s->stack);
    ts_mutex_deinit(&s->lock);
    ts_free(s);
}

struct ts_err_class *ts_err_class_new(const char *name, const char *lib, const char *version)
{
    struct ts_err_class *cls = ts_calloc(1, sizeof *cls);
    if (!cls)
        return NULL;
    atomic_init(&cls->refs, 1);
    cls->name = ts_strdup(name);
    cls->lib = ts_strdup(lib);
    cls->version = ts_strdup(version);
    if (cls->name && cls->lib && cls->version)
        return cls;
    ts_err_class_unref(cls);
    return NULL;
}

struct ts_err_msg *ts_err_msg_new(struct ts_err_class *cls, H5E_type_t type, const char *text)
{
    struct ts_err_msg *msg = ts_calloc(1, sizeof *msg);
    if (!msg)
        return NULL;
    atomic_init(&msg->refs, 1);
    class_ref(cls);
    msg->cls = cls;
    msg->type = type;
    msg->text = ts_strdup(text);
    if (msg->text)
        return msg;
    ts_err_msg_unref(msg);
    return NULL;
}

static hid_t library_msg(struct ts_err_class *cls, H5E_type_t type, const char *text)
{
    struct ts_err_msg *msg = ts_err_msg_new(cls, type, text);
    hid_t id = msg ? ts_id_register_hidden(H5I_ERROR_MSG, msg) : -1;
    if (msg && id < 0)
        ts_err_msg_unref(msg);
    return id;
}

struct ts_err_object *ts_err_object_new(void)
{
    struct ts_err_object *s = ts_calloc(1, sizeof *s);
    if (s) {
        atomic_init(&s->refs, 1);
        ts_mutex_init(&s->lock, TS_RANK_ERROR_STACK);
    }
    return s;
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

int ts_err_stack_append(struct ts_err_stack *dst, const struct ts_err_stack *src)
{
    for (unsigned i = 0; i < src->depth && dst->depth < TS_ERR_DEPTH; i++) {
        if (copy_record(&dst->rec[dst->depth], &src->rec[i]) < 0)
            return -1;
        dst->depth++;
    }
    return 0;
}

int ts_err_stack_push(struct ts_err_stack *stack, struct ts_err_record *given, const char *file, const char *func)
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

void ts_err_objects_init(void)
{
    static const struct ts_id_class classes = {.ref = class_ref, .unref = ts_err_class_unref};
    static const struct ts_id_class messages = {.ref = msg_ref, .unref = ts_err_msg_unref};
    static const struct ts_id_class stacks = {.ref = stack_ref, .unref = ts_err_object_unref};
    ts_id_class_set(H5I_ERROR_CLASS, &classes);
    ts_id_class_set(H5I_ERROR_MSG, &messages);
    ts_id_class_set(H5I_ERROR_STACK, &stacks);
    struct ts_err_class *cls = ts_err_class_new("HDF5", "HDF5", TS_ABI_VERSION);
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
        ts_err_class_unref(cls);
}

int ts_err_class_drop_messages(const struct ts_err_class *cls)
{
    hid_t *ids;
    size_t n;
    if (ts_id_list(H5I_ERROR_MSG, false, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ts_err_msg *msg = ts_id_pin(ids[i], H5I_ERROR_MSG);
        if (msg && msg->cls == cls)
            while (ts_id_dec(ids[i]) > 0)
                continue;
        if (msg)
            ts_err_msg_unref(msg);
    }
    ts_free(ids);
    return 0;
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

/* What a callback is given is good until the stack changes, as in libhdf5: h5py looks at it after the walk. So it is
 * the stack's own record, unless a callback before has changed the stack. */
static const struct ts_err_record *lasting(const struct ts_err_stack *stack, const struct ts_err_record *copy,
                                           unsigned n)
{
    const struct ts_err_record *own = &stack->rec[n];
    bool same = n < stack->depth && own->cls_id == copy->cls_id && own->maj == copy->maj && own->min == copy->min &&
                own->line == copy->line && strcmp(own->func, copy->func) == 0 && strcmp(own->file, copy->file) == 0 &&
                strcmp(ts_err_text(own), ts_err_text(copy)) == 0;
    return same ? own : copy;
}

int ts_err_object_walk(const struct ts_err_stack *stack, const struct ts_err_walk *w)
{
    TS_MAY_CALL_OUT();
    struct ts_err_object *copy = ts_err_object_new();
    if (!copy || ts_err_stack_append(&copy->stack, stack) < 0) {
        if (copy)
            ts_err_object_unref(copy);
        return -1;
    }
    int ret = 0;
    unsigned n = copy->stack.depth;
    for (unsigned i = 0; ret == 0 && i < n; i++) {
        H5E_error2_t e;
        unsigned at = w->direction == H5E_WALK_UPWARD ? i : n - 1 - i;
        describe(lasting(stack, &copy->stack.rec[at], at), &e);
        H5E_error1_t old = {.maj_num = e.maj_num,
                            .min_num = e.min_num,
                            .func_name = e.func_name,
                            .file_name = e.file_name,
                            .line = e.line,
                            .desc = e.desc};
        if (w->v2)
            ret = w->v2(i, &e, w->data);
        else if (w->v1)
            ret = w->v1((int)i, &old, w->data);
    }
    ts_err_object_unref(copy);
    return ret;
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

/* Fails for an id that was never one of a message: a record may have any. */
static int print_msg(FILE *stream, const char *what, hid_t id)
{
    struct ts_err_msg *msg = ts_id_pin(id, H5I_ERROR_MSG);
    if (!msg && ts_id_made_for(id) != H5I_ERROR_MSG)
        return -1;
    fprintf(stream, "    %s: %s\n", what, msg ? msg->text : "(none)");
    if (msg)
        ts_err_msg_unref(msg);
    return 0;
}

herr_t ts_err_print_one(unsigned n, const H5E_error2_t *e, void *data)
{
    struct ts_err_print *p = data;
    if (p->cls != e->cls_id) {
        struct ts_err_class *cls = ts_id_pin(e->cls_id, H5I_ERROR_CLASS);
        fprintf(p->stream, "%s-DIAG: Error detected in %s (%s) thread %u:\n", cls ? cls->name : "(none)",
                cls ? cls->lib : "(none)", cls ? cls->version : "(none)", thread_number());
        if (cls)
            ts_err_class_unref(cls);
        p->cls = e->cls_id;
    }
    fprintf(p->stream, "  #%03u: %s line %u in %s(): %s\n", n, e->file_name, e->line, e->func_name, e->desc);
    return print_msg(p->stream, "major", e->maj_num) < 0 ? -1 : print_msg(p->stream, "minor", e->min_num);
}
